//! Forward refinement of data labels along a path.
//!
//! Let the label of the last node of a path be strengthened. Backward refinement strengthens each
//! node so that the next step leads to *all* facts that the next node learnt. Here each node is
//! strengthened so that the rest of the path leads to the facts that the last node learnt, and of
//! the facts that the step to a node establishes, the rest of the path determines which are kept.
//! Both keep the path inductive: the facts required of a node hold after the step to it, by the
//! facts of the node before.

use super::facts::{Facts, Learnt};
use super::layout::{Bits, add};
use super::meaning::{Partial, take};
use super::visible::Visible;
use crate::domain::PathSegment;
use zonaut_analysis::known::{PartialWalk, ask};
use zonaut_dbm::Width;
use zonaut_model::interval::Interval;
use zonaut_model::{CellId, Storage};

/// Consecutive steps.
type Path<'w, W> = [PathSegment<'w, W, u32>];

impl Visible<'_> {
    /// The facts that the nodes of a path need in addition to their labels so that it leads to the
    /// facts wanted at its end: for the nodes after the last one that has enough, in order. `None`
    /// if values alone do not suffice.
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

    /// A small subset of the cells of `more` from which, with the facts `known`, a path leads to
    /// the wanted facts; `None` if all of them do not suffice.
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

    /// Whether a path leads from all states with these facts to the wanted ones, and the cells read
    /// to decide that.
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

    /// The cells whose values are fixed after a path from states with these facts.
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

    /// Evaluates a property of cells after a path from states with these facts; also returns the
    /// cells read. If no state takes the path, the property holds vacuously.
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
