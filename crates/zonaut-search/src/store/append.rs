//! Joining the stores of several workers.

use super::group::{Group, Members};
use super::{ArenaStore, NONE, NodeSlot, TableEntry};
use crate::growth::refused;
use zonaut_space::{Covering, Encoding, StopReason};

impl<E: Encoding, C: Covering<Item = E::Item>> ArenaStore<E, C> {
    /// Appends the nodes of another store behind those of this one. The stores have the same
    /// covering and no bucket in common, so that no two states are compared.
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
        for (index, group) in groups.iter().enumerate() {
            let added = self.buckets.insert(buckets.get(index as u32))?;
            debug_assert_eq!(added as usize, self.groups.len());
            let pool = self.pool_for(payloads[group.pool()].payload_len())?;
            self.groups.push(match group.members() {
                Members::Chain { newest } => Group::chain(first_node + newest, pool),
                Members::SummarisedBucket { index } => {
                    Group::chain(NONE, pool).with_summarised_bucket(first_summarised + index)
                }
            });
        }
        for NodeSlot { group, next, slot } in places {
            let payload = |slot| payloads[groups[group as usize].pool()].get(slot);
            let pool = self.groups[(first_group + group) as usize].pool();
            let slot = match slot {
                NONE => NONE,
                slot => self.payloads[pool].acquire(payload(slot))?,
            };
            let next = if next == NONE { NONE } else { first_node + next };
            self.places.push(NodeSlot { group: first_group + group, next, slot });
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
