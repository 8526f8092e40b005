//! From where a set of valuations can be reached by delay, where something may be in the way.

use super::Waiting;
use crate::active_clocks::ActiveClocks;
use crate::constraints::{Piece, ZoneConstraint, constrain, cut_out_of_all};
use crate::delay::strictly_later;
use zonaut_dbm::{Federation, Width, Zone};

/// What is in the way of a delay.
pub(super) struct Obstacles<'o, W: Width> {
    pub(super) active: &'o ActiveClocks,
    /// Where time stops: a delay may end there, and goes no further.
    pub(super) stops: &'o [Vec<ZoneConstraint<W>>],
    /// What a delay must not meet at all; the set to be reached is disjoint from it.
    pub(super) avoided: &'o [Vec<ZoneConstraint<W>>],
}

impl<W: Width> Obstacles<'_, W> {
    /// The valuations from which a delay leads into `goal`.
    ///
    /// A line of time meets `goal` in an interval. What lies in its past and not in it is before it,
    /// and whatever is in the way there keeps everything from it that is not later. Where a stop
    /// lies in the goal, a delay from before gets to nothing that is strictly later; nothing is
    /// left then if both begin at the same moment, which belongs to neither. No delay at all is
    /// needed in the goal itself.
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

    /// The valuations of `goal` before which no stop lies in it.
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

    /// The valuations from which a delay, if time passes as `waiting` says, leads into `goal`.
    pub(super) fn before(&self, goal: &Zone<W>, waiting: &Waiting<W>) -> Federation<W> {
        if waiting.is_urgent() { Federation::from(goal.clone()) } else { self.past_of(goal) }
    }
}
