//! Joining the stores of several workers.

use super::group::{Group, Members};
use super::pool::is_own;
use super::{ArenaStore, NONE, NodeSlot, TableEntry};
use crate::growth::{push, refused};
use zonaut_space::{Covering, Encoding, PassedStore, StopReason};

/// The number of buckets after which a store that joins spilled ones spills again.
const SPILLED_TOGETHER: u32 = 1 << 14;

/// The pool of a joined store that has the payloads of a pool of another one.
struct JoinedPool {
    pool: u32,
    /// The slots there of own payloads, by slot; those in shards keep theirs.
    slots: Vec<u32>,
}

impl<E: Encoding, C: Covering<Item = E::Item>> ArenaStore<E, C> {
    /// Appends the nodes of another store behind those of this one. The stores have the same
    /// covering and no bucket in common, so that no two states are compared; they have the same shards
    /// of payloads, if they have any. The memory of the other store is freed as its parts are copied.
    ///
    /// # Errors
    /// When memory or node numbers run out; then this store is incomplete.
    pub(crate) fn append(&mut self, other: Self) -> Result<(), StopReason> {
        let Self { table, groups, buckets, payloads, places, summarised_buckets, .. } = other;
        if self.places.len() + places.len() >= NONE as usize {
            return Err(StopReason::NodeLimit);
        }
        let first_node = self.places.len() as u32;
        let first_group = self.groups.len() as u32;
        let first_summarised = self.summarised_buckets.len();
        self.places.try_reserve_exact(places.len()).map_err(refused)?;
        self.groups.try_reserve_exact(groups.len()).map_err(refused)?;
        self.summarised_buckets.try_reserve_exact(summarised_buckets.len()).map_err(refused)?;
        let reserved = self.table.try_reserve(table.len(), TableEntry::rehash);
        reserved.map_err(|_| StopReason::MemoryLimit)?;
        let is_spilled = buckets.is_spilled() || self.buckets.is_spilled();
        buckets.consume(|slot, bucket| {
            self.buckets.insert(bucket)?;
            match is_spilled && (slot + 1).is_multiple_of(SPILLED_TOGETHER) {
                true => self.spill(),
                false => Ok(()),
            }
        })?;
        let mut pools = Vec::new();
        for pool in payloads {
            let joined = self.pool_for(pool.payload_len())?;
            push(
                &mut pools,
                JoinedPool { pool: joined, slots: self.payloads[joined as usize].append(pool)? },
            )?;
            if is_spilled {
                self.spill()?;
            }
        }
        for NodeSlot { group, next, slot } in places {
            let slot = match slot {
                NONE => NONE,
                slot if !is_own(slot) => slot,
                slot => pools[groups[group as usize].pool()].slots[slot as usize],
            };
            let next = if next == NONE { NONE } else { first_node + next };
            // Restored nodes that are not live have no group.
            let group = if group == NONE { NONE } else { first_group + group };
            self.places.push(NodeSlot { group, next, slot });
        }
        for group in groups {
            let pool = pools[group.pool()].pool;
            self.groups.push(match group.members() {
                Members::Chain { newest } => Group::chain(first_node + newest, pool),
                Members::SummarisedBucket { index } => {
                    Group::chain(NONE, pool).with_summarised_bucket(first_summarised + index)
                }
            });
        }
        for mut summarised in summarised_buckets {
            summarised.renumber(first_node);
            self.summarised_bytes += summarised.bytes();
            self.summarised_buckets.push(summarised);
        }
        for TableEntry { index, hash } in table {
            let entry = TableEntry { index: first_group + index, hash };
            self.table.insert_unique(TableEntry::spread(hash), entry, TableEntry::rehash);
        }
        self.live += other.live;
        Ok(())
    }
}
