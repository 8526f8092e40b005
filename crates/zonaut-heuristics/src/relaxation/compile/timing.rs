//! Clock bounds of guards and invariants.
//!
//! *Upper bounds.* As time passes, clocks only grow. So along a run from a state, a clock is never
//! below the least of its initial value and of the values it was reset to since. The initial value
//! is a fact of layer 0; an action that may reset the clock produces the fact that it may be as low
//! as 0, which is never too high. A guard `x <= c` that holds in a state of layer k holds for the
//! value of x there, hence for the least of those values; so its test is true in layer k.
//!
//! *Lower bounds.* A guard `x >= c` holds at an instant at which the invariants of all current
//! locations hold. So every process is in a location whose invariant admits c; in layer k, each
//! process can be at such a location. If the invariant of the source of the edge itself does not
//! admit c, the edge is never enabled.
//!
//! Bounds are those of expressions in all reachable states, so that upper bounds are never too low,
//! and lower bounds never too high. Conditional constraints, constraints of clocks that an index
//! selects, and constraints of differences count as true.

use super::{Compiler, Part};
use crate::relaxation::clock_classes::{ClockClasses, place};
use crate::relaxation::network::{Constant, Leaf};
use std::collections::BTreeMap;
use zonaut_analysis::Reachable;
use zonaut_analysis::footprint::Footprints;
use zonaut_base::Id;
use zonaut_model::{
    ClockConstraint, ClockId, EdgeId, ExpressionId, LocationId, Model, ProcessId, Relation,
};

/// The clock bounds of a model.
pub(super) struct Timing<'m> {
    reachable: Reachable<'m>,
    pub(super) classes: ClockClasses,
    /// The leaves of upper bounds, by clock and number of admitted classes.
    leaves: BTreeMap<(usize, u32), Part>,
}

impl<'m> Timing<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        let reachable = Reachable::new(model);
        let edges = model.processes.iter().flat_map(|process| &process.edges);
        let constraints = edges.flat_map(|edge| &edge.guard.clocks);
        let bounds = constraints.filter_map(|constraint| above(&reachable, constraint)).collect();
        Self { reachable, classes: ClockClasses::new(bounds), leaves: BTreeMap::new() }
    }
}

/// The clock of an unconditional constraint on a single clock.
fn clock_of(constraint: &ClockConstraint) -> Option<ClockId> {
    let is_plain = constraint.condition.is_none() && constraint.right.is_none();
    (is_plain && constraint.left.is_fixed()).then_some(constraint.left.root)
}

/// An upper bound, as the greatest admitted rank.
fn above(reachable: &Reachable<'_>, constraint: &ClockConstraint) -> Option<(ClockId, i64)> {
    let clock = clock_of(constraint)?;
    let bound = i64::from(reachable.expression(constraint.bound).high);
    match constraint.relation {
        Relation::Less => Some((clock, place(bound, false) - 1)),
        Relation::LessEqual | Relation::Equal => Some((clock, place(bound, false))),
        Relation::Greater | Relation::GreaterEqual => None,
    }
}

/// A lower bound, as a rank.
fn below(reachable: &Reachable<'_>, constraint: &ClockConstraint) -> Option<(ClockId, i64)> {
    let clock = clock_of(constraint)?;
    let bound = i64::from(reachable.expression(constraint.bound).low);
    match constraint.relation {
        Relation::Greater => Some((clock, place(bound, true))),
        Relation::GreaterEqual | Relation::Equal => Some((clock, place(bound, false))),
        Relation::Less | Relation::LessEqual => None,
    }
}

impl Compiler<'_> {
    /// The conditions for the clock part of a guard.
    pub(super) fn clock_parts(&mut self, process: ProcessId, edge: EdgeId) -> Vec<Part> {
        let model = self.model;
        let Some(timing) = &self.timing else { return Vec::new() };
        let definition = &model.processes[process].edges[edge];
        let constraints = &definition.guard.clocks;
        let find = |side: fn(&Reachable<'_>, &ClockConstraint) -> Option<(ClockId, i64)>| {
            let found = constraints.iter().filter_map(|c| side(&timing.reachable, c));
            found.collect::<Vec<(ClockId, i64)>>()
        };
        let (above, below) = (find(above), find(below));
        let mut parts: Vec<Part> =
            above.into_iter().map(|(clock, limit)| self.room_below(clock, limit)).collect();
        for (clock, least) in below {
            if !self.leaves_room(process, definition.source, clock, least) {
                return vec![Part::False];
            }
            let others = model.processes.ids().filter(|&other| other != process);
            let others: Vec<Part> =
                others.map(|other| self.room_above(other, clock, least)).collect();
            parts.extend(others);
        }
        parts
    }

    /// The condition that a clock may be low enough.
    fn room_below(&mut self, clock: ClockId, limit: i64) -> Part {
        let Some(timing) = &mut self.timing else { return Part::True };
        let Some((clock, classes)) = timing.classes.room(clock, limit) else { return Part::True };
        let number = self.leaves.len() as u32;
        let part = *timing.leaves.entry((clock, classes)).or_insert(Part::Leaf(number));
        if part == Part::Leaf(number) {
            let first = self.facts.first[self.facts.clock(clock).index()];
            self.fact_leaves.extend((first..first + classes).map(|fact| (fact, number)));
            self.leaves.push(Leaf::Facts);
        }
        part
    }

    /// The condition that a process can be at a location whose invariant admits a value of a clock.
    fn room_above(&mut self, process: ProcessId, clock: ClockId, least: i64) -> Part {
        let locations = self.model.processes[process].locations.ids();
        let (room, none): (Vec<LocationId>, Vec<LocationId>) =
            locations.partition(|&location| self.leaves_room(process, location, clock, least));
        if none.is_empty() {
            return Part::True;
        }
        let parts = room.into_iter().map(|location| self.at(process, location)).collect();
        self.gate(parts, faulty!(RoomEverywhere))
    }

    fn leaves_room(
        &self,
        process: ProcessId,
        location: LocationId,
        clock: ClockId,
        least: i64,
    ) -> bool {
        let Some(timing) = &self.timing else { return true };
        let invariant = &self.model.processes[process].locations[location].invariant;
        let mut limits = invariant.clocks.iter().filter_map(|c| above(&timing.reachable, c));
        !limits.any(|(other, limit)| other == clock && limit < least)
    }

    /// The facts that updates produce because they may reset clocks.
    pub(super) fn clocks_set(&self, updates: &[ExpressionId]) -> Vec<Constant> {
        let Some(timing) = &self.timing else { return Vec::new() };
        if timing.classes.is_empty() || faulty!(SettingForgotten) {
            return Vec::new();
        }
        let mut walk = Footprints::walk(self.model);
        for &update in updates {
            walk.evaluate(update);
        }
        let set = walk.domain.found.writes.clocks;
        let numbers = set.iter().filter_map(|clock| timing.classes.number(clock));
        numbers.map(|number| self.facts.constant(self.facts.clock(number), 0)).collect()
    }
}
