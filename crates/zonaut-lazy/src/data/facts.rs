//! Data labels: cells with a fixed value, and cells with a range.
//!
//! Ranges are intervals that contain the exact value, with each end as far away as the learnt facts
//! allow. A domain without ranges has none here.

use super::conditions::Precision;
use super::layout::{Layout, add, is_within};
use crate::interner::{Interner, Number};
use zonaut_model::CellId;

/// A range of values of a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellRange {
    /// The cell.
    pub cell: CellId,
    /// The least value.
    pub low: i32,
    /// The greatest value.
    pub high: i32,
}

impl CellRange {
    /// Whether it includes another range of the cell.
    pub(crate) fn includes(&self, other: &Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }
}

/// Facts about the data of a state: bits with fixed values, and ranges of other cells, ascending by
/// cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'f> {
    pub(crate) bits: &'f [u64],
    pub(crate) ranges: &'f [CellRange],
}

impl<'f> Facts<'f> {
    /// Whether the value of a cell is fixed.
    pub(crate) fn knows(&self, layout: &Layout, cell: CellId) -> bool {
        layout.cell(cell).is_none_or(|(word, bits)| self.bits[word] & bits == bits)
    }

    /// The range of a cell without a fixed value.
    pub(crate) fn range(&self, cell: CellId) -> Option<&'f CellRange> {
        let position = self.ranges.binary_search_by_key(&cell, |range| range.cell);
        position.ok().map(|position| &self.ranges[position])
    }

    /// Whether these facts about a state imply a range that contains the cell's value.
    fn implies(&self, layout: &Layout, wanted: &CellRange) -> bool {
        self.knows(layout, wanted.cell)
            || self.range(wanted.cell).is_some_and(|range| wanted.includes(range))
    }

    /// Whether these facts about a state imply other facts about it.
    pub(crate) fn imply(&self, layout: &Layout, others: Facts<'_>) -> bool {
        is_within(others.bits, self.bits)
            && others.ranges.iter().all(|range| self.implies(layout, range))
    }

    /// The number of cells on which others have facts that these facts do not imply.
    pub(crate) fn missing(&self, layout: &Layout, others: Facts<'_>) -> u32 {
        let unknown = others.ranges.iter().filter(|range| !self.implies(layout, range));
        layout.missing(others.bits, self.bits) + unknown.count() as u32
    }
}

/// Interned facts, identified by numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct FactTable {
    /// Bits, and the number of the ranges.
    facts: Interner<u64>,
    ranges: Interner<CellRange>,
    buffer: Vec<u64>,
}

impl FactTable {
    /// The number of these facts.
    pub(crate) fn intern(&mut self, facts: Facts<'_>) -> Number {
        let ranges = self.ranges.intern(facts.ranges);
        self.buffer.clear();
        self.buffer.extend_from_slice(facts.bits);
        self.buffer.push(u64::from(ranges));
        self.facts.intern(&self.buffer)
    }

    /// The facts of a number.
    #[inline]
    pub(crate) fn get(&self, number: Number) -> Facts<'_> {
        match self.facts.get(number) {
            [bits @ .., ranges] => Facts { bits, ranges: self.ranges.get(*ranges as Number) },
            [] => Facts { bits: &[], ranges: &[] },
        }
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.facts.bytes() + self.ranges.bytes()
    }
}

/// Facts that were added to a draft.
#[derive(Clone, Default, Debug)]
pub(crate) struct Learnt {
    pub(crate) bits: Vec<u64>,
    pub(crate) ranges: Vec<CellRange>,
}

/// Facts about a state under strengthening.
#[derive(Clone, Default, Debug)]
pub struct FactDraft {
    label: Number,
    precision: Precision,
    base: Vec<u64>,
    base_ranges: Vec<CellRange>,
    pub(crate) bits: Vec<u64>,
    ranges: Vec<CellRange>,
}

impl FactDraft {
    /// Starts with the facts of a label.
    pub(crate) fn restart(&mut self, label: Number, facts: Facts<'_>, precision: Precision) {
        fn copy<T: Copy>(from: &[T], into: &mut Vec<T>) {
            into.clear();
            into.extend_from_slice(from);
        }
        self.label = label;
        self.precision = precision;
        copy(facts.bits, &mut self.base);
        copy(facts.bits, &mut self.bits);
        copy(facts.ranges, &mut self.base_ranges);
        copy(facts.ranges, &mut self.ranges);
    }

    /// The label that it started from.
    pub(crate) fn label(&self) -> Number {
        self.label
    }

    /// The current facts.
    pub(crate) fn facts(&self) -> Facts<'_> {
        Facts { bits: &self.bits, ranges: &self.ranges }
    }

    /// Fixes the values of some bits.
    pub(crate) fn know(&mut self, layout: &Layout, bits: &[u64]) {
        add(&mut self.bits, bits);
        if !self.ranges.is_empty() {
            let known = Facts { bits: &self.bits, ranges: &[] };
            self.ranges.retain(|range| !known.knows(layout, range.cell));
        }
    }

    /// Restricts a cell to a range.
    pub(crate) fn confine(&mut self, layout: &Layout, wanted: CellRange) {
        if self.facts().knows(layout, wanted.cell) {
            return;
        }
        match self.ranges.binary_search_by_key(&wanted.cell, |range| range.cell) {
            Err(position) => self.ranges.insert(position, wanted),
            Ok(position) if wanted.includes(&self.ranges[position]) => {}
            Ok(position) if self.precision == Precision::Content && self.had_range(wanted.cell) => {
                self.ranges.remove(position);
                if let Some((word, bits)) = layout.cell(wanted.cell) {
                    self.bits[word] |= bits;
                }
            }
            Ok(position) => {
                let range = &mut self.ranges[position];
                range.low = range.low.max(wanted.low);
                range.high = range.high.min(wanted.high);
            }
        }
    }

    /// Whether a cell had a range at the start.
    fn had_range(&self, cell: CellId) -> bool {
        self.base_ranges.binary_search_by_key(&cell, |range| range.cell).is_ok()
    }

    /// Adds facts.
    pub(crate) fn add(&mut self, layout: &Layout, facts: Facts<'_>) {
        self.know(layout, facts.bits);
        facts.ranges.iter().for_each(|&range| self.confine(layout, range));
    }

    /// Whether it is stronger than at the start.
    pub(crate) fn is_new(&self) -> bool {
        self.bits != self.base || self.ranges != self.base_ranges
    }

    /// Writes the facts added since the start.
    pub(crate) fn learnt(&self, into: &mut Learnt) {
        into.bits.clear();
        into.bits.extend(self.bits.iter().zip(&self.base).map(|(bits, base)| bits & !base));
        let is_new = |range: &&CellRange| !self.base_ranges.contains(range);
        into.ranges.clear();
        into.ranges.extend(self.ranges.iter().filter(is_new));
    }
}
