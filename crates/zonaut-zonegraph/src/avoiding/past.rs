//! Delay predecessors of a set of valuations in the presence of obstacles.

use super::Waiting;
use crate::active_clocks::ActiveClocks;
use crate::constraints::{Piece, ZoneConstraint, constrain, cut_out_of_all};
use crate::delay::strictly_later;
use zonaut_dbm::{Federation, Width, Zone};

/// Obstacles of a delay.
pub(super) struct Obstacles<'o, W: Width> {
    pub(super) active: &'o ActiveClocks,
    /// Conditions that stop time: a delay may end in them, and does not continue beyond.
    pub(super) stops: &'o [Vec<ZoneConstraint<W>>],
    /// Conditions that a delay must not meet at all; the target set is disjoint from them.
    pub(super) avoided: &'o [Vec<ZoneConstraint<W>>],
}

impl<W: Width> Obstacles<'_, W> {
    /// The valuations from which a delay leads into `goal`.
    ///
    /// A time line meets `goal` in an interval. The points of its past outside the interval are
    /// before it, and an obstacle there separates all earlier points from the goal. If a stop
    /// intersects the goal, a delay from before reaches no point strictly later than the stop; no
    /// point remains if both begin at the same moment and neither contains it. From the goal itself
    /// the empty delay suffices.
    pub(super) fn past_of(&self, goal: &Zone<W>) -> Federation<W> {
        let mut past = goal.clone();
        past.past();
        if self.stops.is_empty() && self.avoided.is_empty() {
            return Federation::from(past);
        }
        let mut reaching = self.first_of(goal);
        reaching.past();
        let before = past.subtract(goal);
        for blocker in self.stops.iter().chain(self.avoided) {
            for part in before.zones() {
                let mut blocking = part.clone();
                if constrain(&mut blocking, self.active, blocker).is_ok() {
                    blocking.past();
                    reaching.subtract_zone(&blocking);
                }
            }
        }
        reaching.add(goal.clone());
        reaching
    }

    /// The valuations of `goal` that are not preceded by a stop within it.
    fn first_of(&self, goal: &Zone<W>) -> Federation<W> {
        let mut first = vec![Piece { zone: goal.clone(), constraints: Vec::new() }];
        for stop in self.stops {
            let mut stopped = goal.clone();
            if constrain(&mut stopped, self.active, stop).is_ok() {
                first =
                    cut_out_of_all(first, self.active, &strictly_later(&mut stopped, self.active));
            }
        }
        let mut zones = Federation::empty();
        first.into_iter().for_each(|piece| {
            zones.add(piece.zone);
        });
        zones
    }

    /// The valuations from which a delay, under the conditions of `waiting`, leads into `goal`.
    pub(super) fn before(&self, goal: &Zone<W>, waiting: &Waiting<W>) -> Federation<W> {
        if waiting.is_urgent() { Federation::from(goal.clone()) } else { self.past_of(goal) }
    }
}
