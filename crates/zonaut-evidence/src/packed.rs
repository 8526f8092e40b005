//! Packed sets of zones in certificates: records of bytes, grouped by discrete state.
//!
//! A packed set has the zones of the store, each once, the nodes, and the discrete states with their
//! first nodes. It is written from the store piece by piece; besides the store, only the number of
//! each zone and the table of each discrete state are in memory.

use crate::Hashed;
use crate::set::{SetWriter, StoredSet, Tables, ZoneStore, abstraction};
use std::io::{self, Write};
use zonaut_dbm::{Bound, Width};
use zonaut_model::Model;
use zonaut_search::PayloadSlot;
use zonaut_space::{NodeId, PassedStore};
use zonaut_zonegraph::SymbolicState;

/// The bytes that are collected before they are written.
const BUFFER: usize = 1 << 16;

/// The numbers of the zones of a certificate, by their addresses in the store.
struct ZoneNumbers {
    /// By pool and slot; `None` where no live node has the zone.
    by_slot: Vec<Vec<Option<u32>>>,
    /// The pools with zones of live nodes, by ascending numbers of rows.
    pools: Vec<Pool>,
}

/// The zones of a certificate with one number of rows.
struct Pool {
    number: usize,
    rows: usize,
    zones: u32,
}

impl ZoneNumbers {
    fn new<W: Width>(store: &ZoneStore<'_, W>, nodes: &[NodeId]) -> Self {
        let sizes: Vec<_> = store.payload_slots().collect();
        let mut by_slot: Vec<_> = sizes.iter().map(|size| vec![None; size.slots]).collect();
        for &node in nodes {
            let PayloadSlot { pool, slot } = store.payload_slot(node);
            by_slot[pool][slot] = Some(0);
        }
        let rows = |pool: usize| sizes[pool].payload_len.isqrt();
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&pool| rows(pool));
        let (mut next, mut pools) = (0, Vec::new());
        for number in order {
            let first = next;
            for zone in by_slot[number].iter_mut().flatten() {
                *zone = next;
                next += 1;
            }
            if next > first {
                pools.push(Pool { number, rows: rows(number), zones: next - first });
            }
        }
        Self { by_slot, pools }
    }

    /// The addresses of all zones, in the order of their numbers.
    fn slots(&self) -> impl Iterator<Item = PayloadSlot> {
        self.pools.iter().flat_map(|&Pool { number: pool, .. }| {
            let slots = self.by_slot[pool].iter().enumerate();
            slots
                .filter(|(_, zone)| zone.is_some())
                .map(move |(slot, _)| PayloadSlot { pool, slot })
        })
    }

    fn of(&self, at: PayloadSlot) -> u32 {
        self.by_slot[at.pool][at.slot].expect("invariant: the zone of a live node is numbered")
    }
}

/// The number of a bound: `2c` for `< c`, `2c + 1` for `<= c`; `None` if it is infinite.
fn code<W: Width>(bound: Bound<W>) -> Option<i64> {
    (!bound.is_infinite()).then(|| 2 * bound.value() + i64::from(!bound.is_strict()))
}

/// The bytes of each bound: as many as the largest one needs. The greatest number is no bound.
fn width<W: Width>(bounds: impl Iterator<Item = Bound<W>>) -> usize {
    let largest = bounds.filter_map(code).map(i64::unsigned_abs).max().unwrap_or(0);
    [1, 2, 4].into_iter().find(|width| largest < (1 << (8 * width - 1)) - 1).unwrap_or(8)
}

/// Pieces of bytes on their way to the certificate.
struct Records<'o, 'w> {
    buffer: Vec<u8>,
    out: &'o mut Hashed<'w>,
}

impl Records<'_, '_> {
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < BUFFER {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

/// The place of a location or a cell in packed states: the distance from its least value, in as few
/// bytes as the greatest one needs.
struct Field {
    least: i64,
    bytes: usize,
}

impl Field {
    fn new(least: i64, most: i64) -> Self {
        let bits = u64::BITS - most.abs_diff(least).leading_zeros();
        Self { least, bytes: bits.div_ceil(8) as usize }
    }

    /// The fields of the locations and cells of a model. The contents of cells outside the stored
    /// state are their initial values and need no bytes.
    fn all(model: &Model) -> Vec<Self> {
        let locations = model.processes.iter().map(|process| {
            let count = process.locations.len();
            Self::new(0, count as i64 - 1)
        });
        let cells = model.cells.iter().map(|cell| {
            let initial = i64::from(cell.initial);
            match cell.meta {
                true => Self::new(initial, initial),
                false => {
                    let (low, high) = (i64::from(cell.range.low), i64::from(cell.range.high));
                    Self::new(low.min(initial), high.max(initial))
                }
            }
        });
        locations.chain(cells).collect()
    }
}

impl<W: Width> SetWriter<'_, '_, W> {
    /// Writes a set as records of bytes; equal discrete states follow each other.
    pub(super) fn write_packed(
        &self,
        set: StoredSet<'_, '_, W>,
        out: &mut Hashed<'_>,
    ) -> io::Result<()> {
        let StoredSet { store, nodes, comparison, before } = set;
        let groups = || nodes.chunk_by(|&one, &other| store.bucket(one) == store.bucket(other));
        let mut state = SymbolicState::buffer();
        writeln!(out, "abs {}", abstraction(comparison))?;
        let (mut tables, mut of_groups) = (Tables::default(), Vec::new());
        for group in groups() {
            store.load(group[0], &mut state);
            of_groups.push(self.write_new_table(&mut tables, &state, comparison, out)? as u32);
        }
        out.write_all(before)?;
        let numbers = ZoneNumbers::new(store, nodes);
        let widths = numbers.slots().map(|at| width(store.payload_in(at).iter().copied()));
        let width = widths.max().unwrap_or(1);
        write!(out, "zones {width}")?;
        for Pool { rows, zones, .. } in &numbers.pools {
            write!(out, " {rows}:{zones}")?;
        }
        writeln!(out)?;
        writeln!(out, "packed {} {}", of_groups.len(), nodes.len())?;
        let mut records = Records { buffer: Vec::with_capacity(BUFFER), out };
        let none = i64::MAX >> (64 - 8 * width);
        for at in numbers.slots() {
            for &bound in store.payload_in(at).iter() {
                records.add(&code(bound).unwrap_or(none).to_le_bytes()[..width])?;
            }
        }
        for (group, table) in groups().zip(&of_groups) {
            for &node in group {
                records.add(&numbers.of(store.payload_slot(node)).to_le_bytes())?;
                records.add(&table.to_le_bytes())?;
            }
        }
        let fields = Field::all(self.model);
        let mut first: u32 = 0;
        for group in groups() {
            store.load(group[0], &mut state);
            for (field, &value) in fields.iter().zip(&state.values) {
                let distance = i64::from(value) - field.least;
                records.add(&distance.to_le_bytes()[..field.bytes])?;
            }
            records.add(&first.to_le_bytes())?;
            first += group.len() as u32;
        }
        records.add(b"\n")?;
        records.flush()
    }
}
