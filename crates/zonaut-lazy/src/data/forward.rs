//! What the nodes on a way have to remember of data, found from the front.
//!
//! Let the last node of a way learn something. Going back, each node is asked for so much that the
//! next step leads to *all* that the node after it learnt. Here each node is asked for so much that
//! the whole rest of the way leads to what the last one learnt, and of what the step to it makes
//! known, the rest of the way decides what is kept. Both keep the way inductive: what a node has to
//! know is known after the step to it, by what the node before knows.

use super::facts::{Facts, Learnt};
use super::layout::{Bits, add};
use super::meaning::{Partial, take};
use super::visible::Visible;
use crate::domain::PathSegment;
use zonaut_analysis::known::{PartialWalk, ask};
use zonaut_dbm::Width;
use zonaut_model::interval::Interval;
use zonaut_model::{CellId, Storage};

/// Steps one after the other.
type Path<'w, W> = [PathSegment<'w, W, u32>];

impl Visible<'_> {
    /// What the nodes of a way have to know in addition to their labels so that it leads to what is
    /// wanted of its end: for those after the last one that knows enough, in order. Absent where
    /// contents alone do not say enough.
    pub(super) fn look_ahead<W: Width>(
        &self,
        path: &Path<'_, W>,
        wanted: &Learnt,
    ) -> Option<Vec<Bits>> {
        let label = |at: usize| self.facts_of(path[at].from.label);
        let knows_enough = |&at: &usize| self.leads(&path[at..], label(at), wanted).0;
        let start = (0..path.len()).rev().find(knows_enough).map_or(0, |at| at + 1);
        let mut plan: Vec<Bits> = Vec::new();
        for at in start..path.len() {
            let known = match at.checked_sub(1) {
                None => self.conditions.layout.all().into(),
                Some(before) => {
                    let Facts { bits, ranges } = label(before);
                    let bits = union(bits, plan.last().map_or(&[], |more| more));
                    self.known_after(&path[before..at], Facts { bits: &bits, ranges })
                }
            };
            plan.push(self.fewest(&path[at..], label(at), &known, wanted)?);
        }
        Some(plan)
    }

    /// As few cells of `more` as can be from which, with the facts `known`, a way leads to what is
    /// wanted; absent if all of them are not enough.
    fn fewest<W: Width>(
        &self,
        path: &Path<'_, W>,
        known: Facts<'_>,
        more: &[u64],
        wanted: &Learnt,
    ) -> Option<Bits> {
        let layout = &self.conditions.layout;
        let with = |more: &[u64]| {
            let bits = union(known.bits, more);
            self.leads(path, Facts { bits: &bits, ranges: known.ranges }, wanted)
        };
        let (is_enough, mut kept) = with(more);
        let of_more = more.iter().zip(known.bits).map(|(more, known)| more & !known);
        kept.iter_mut().zip(of_more).for_each(|(kept, more)| *kept &= more);
        if !is_enough || !with(&kept).0 {
            return None;
        }
        for cell in layout.cells(&kept.clone()) {
            let Some((word, bits)) = layout.cell(cell) else { continue };
            kept[word] &= !bits;
            if !with(&kept).0 {
                kept[word] |= bits;
            }
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::AheadForgotten.is_selected() {
            crate::faults::forget_first(layout, &mut kept);
        }
        Some(kept)
    }

    /// Whether a way leads from all states with these facts to what is wanted, and what is read to
    /// know that.
    fn leads<W: Width>(
        &self,
        path: &Path<'_, W>,
        facts: Facts<'_>,
        wanted: &Learnt,
    ) -> (bool, Bits) {
        self.after(path, facts, |content| {
            let cells = self.conditions.layout.cells(&wanted.bits);
            let (mut cells, mut ranges) = (cells, wanted.ranges.iter());
            cells.all(|cell| is_one(content(cell)))
                && ranges.all(|range| {
                    let (low, high) = content(range.cell);
                    i64::from(range.low) <= low && high <= i64::from(range.high)
                })
        })
    }

    /// The cells whose content is known after a way from states with these facts.
    fn known_after<W: Width>(&self, path: &Path<'_, W>, facts: Facts<'_>) -> Bits {
        let layout = &self.conditions.layout;
        let mut known: Bits = vec![0; layout.words()].into();
        self.after(path, facts, |content| {
            for cell in layout.cells(layout.all()).filter(|&cell| is_one(content(cell))) {
                if let Some((word, bits)) = layout.cell(cell) {
                    known[word] |= bits;
                }
            }
            true
        });
        known
    }

    /// Asks of what cells may hold after a way from states with these facts; with what is read. Where
    /// no state takes it, everything is true.
    fn after<W: Width>(
        &self,
        path: &Path<'_, W>,
        facts: Facts<'_>,
        condition: impl FnOnce(&mut dyn FnMut(CellId) -> Interval) -> bool,
    ) -> (bool, Bits) {
        let (layout, network) = (&self.conditions.layout, self.conditions.network);
        let mut values = Vec::new();
        if let Some(first) = path.first() {
            network.packing.unpack(first.from.exact.key, &mut values);
        }
        let partial = Partial { layout, values: &values, facts };
        let answer = ask(self.conditions.model, partial, |walk: &mut PartialWalk<'_, _>| {
            for segment in path {
                take(walk, network, &segment.transition.participants)?;
            }
            let mut content = |cell| walk.domain.content(&walk.memory, Storage::Cell(cell));
            Some(condition(&mut content))
        });
        (answer.answer.unwrap_or(true), layout.bits_of(&answer.read))
    }
}

fn is_one((low, high): Interval) -> bool {
    low == high
}

fn union(one: &[u64], other: &[u64]) -> Bits {
    let mut all: Bits = one.into();
    add(&mut all, other);
    all
}
