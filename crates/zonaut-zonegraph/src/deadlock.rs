//! Deadlocks: the valuations of a state at which nothing can happen, now or after any delay.
//!
//! For every way to act, the valuations from which a delay leads to where it is possible are taken
//! out of the zone; what is left is deadlocked. A delay stays inside the invariant, and ends where an
//! urgent synchronisation is enabled. In most states a single way to act is possible after a delay
//! from all of the zone, so this is looked for before anything is subtracted, and without computing a
//! zone.
//!
//! Nothing of this looks beyond the locations, the data and the valuations of a state, so it is exact
//! for whatever the zone is. That a zone which was widened holds a deadlocked valuation only if a
//! deadlock can be reached is due to the bounds that it was widened with
//! (`docs/decisions/0021-what-is-possible-is-subtracted.md`).

#[cfg(test)]
mod tests;

mod point;

pub use point::is_deadlocked;

use crate::constraints::{ZoneConstraint, constrain, hold_everywhere};
use crate::delay::{Urgency, strictly_later, urgency_of};
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::frame::Frame;
use crate::graph::ZoneGraph;
use crate::state::SymbolicState;
use crate::successors::Scratch;
use std::ops::ControlFlow;
use zonaut_compile::{ClockRow, LocationFlags, Machine};
use zonaut_dbm::{Federation, Width, Zone};
use zonaut_model::interpret::{ErrorKind, RunTimeError};

/// What is known of time in the discrete part of a state.
struct Stillness<W: Width> {
    /// The clock constraints of its invariants.
    invariant: Vec<ZoneConstraint<W>>,
    /// When time stops.
    urgency: Urgency<W>,
    /// The rows of the clocks that stand still.
    stopped: Vec<ClockRow>,
}

impl<W: Width> ZoneGraph<'_, W> {
    /// The deadlocked valuations of `state`, as disjoint zones. Where the model fails at run time
    /// there are none: it has not come to its end.
    ///
    /// # Errors
    /// When the work has to end.
    pub(crate) fn deadlocked(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
    ) -> Result<Vec<Zone<W>>, RunTimeError> {
        match self.left_by_all_ways(state, scratch) {
            Err(error) if !matches!(error.kind, ErrorKind::Stopped(_)) => Ok(Vec::new()),
            other => other,
        }
    }

    /// What is left of the zone of `state` without all valuations from which something can happen.
    fn left_by_all_ways(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
    ) -> Result<Vec<Zone<W>>, RunTimeError> {
        let zone = &state.zone;
        let (mut ways, mut still) = (Vec::new(), None);
        let covered = self.for_each_way(state, scratch, &mut |way, scratch| {
            if hold_everywhere(zone, &scratch.frame, way.constraints) {
                return ControlFlow::Break(());
            }
            // In many states something can happen everywhere, so time is looked at late.
            let still = still.get_or_insert_with(|| self.stillness(state, scratch));
            let Ok(Stillness { invariant, urgency, stopped }) = still else {
                return ControlFlow::Break(());
            };
            let is_free = matches!(urgency, Urgency::Free) && stopped.is_empty();
            #[cfg(feature = "faults")]
            let is_free = is_free && !Fault::DeadlockWithoutDelay.is_selected();
            #[cfg(feature = "faults")]
            if Fault::DeadlockBySomeWay.is_selected()
                && constrain(&mut zone.clone(), &scratch.frame, way.constraints).is_ok()
            {
                return ControlFlow::Break(());
            }
            if is_free && hold_after_delays(zone, &scratch.frame, [way.constraints, invariant]) {
                return ControlFlow::Break(());
            }
            ways.push(way.constraints.to_vec());
            ControlFlow::Continue(())
        })?;
        let still = match still {
            None if covered.is_break() => return Ok(Vec::new()),
            None => self.stillness(state, scratch)?,
            Some(still) => still?,
        };
        if covered.is_break() {
            return Ok(Vec::new());
        }
        still.left(zone, &ways, scratch)
    }

    /// What is known of time in the discrete part of `state`, which is being left.
    fn stillness(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
    ) -> Result<Stillness<W>, RunTimeError> {
        scratch.successor.values.clone_from(&state.values);
        let mut invariant = Vec::new();
        self.collect_invariants(&mut invariant, scratch)?;
        let location_flags = self.network.location_flags(&state.values);
        let mut stopped = Vec::new();
        if location_flags.include(LocationFlags::RATES) {
            self.collect_stopped(&mut stopped, scratch)?;
        }
        let Scratch { successor, machine, urgent, .. } = &mut *scratch;
        let urgency =
            urgency_of(self.network, location_flags, &mut successor.values, machine, urgent)?;
        Ok(Stillness { invariant, urgency, stopped })
    }
}

impl<W: Width> Stillness<W> {
    /// What is left of `zone` without all valuations from which a delay leads to where one of `ways`
    /// is possible.
    fn left(
        &self,
        zone: &Zone<W>,
        ways: &[Vec<ZoneConstraint<W>>],
        scratch: &Scratch<W>,
    ) -> Result<Vec<Zone<W>>, RunTimeError> {
        let Scratch { frame, machine, .. } = scratch;
        let mut invariant = Zone::universe(zone.dim());
        let holds = constrain(&mut invariant, frame, &self.invariant);
        debug_assert!(holds.is_ok(), "the invariants of a state hold somewhere");
        let possible = |way: &Vec<ZoneConstraint<W>>| {
            let mut moments = invariant.clone();
            constrain(&mut moments, frame, way).ok().map(|()| moments)
        };
        let mut moments: Vec<Zone<W>> = ways.iter().filter_map(possible).collect();
        match &self.urgency {
            Urgency::Now => subtract(zone.clone(), &moments, machine),
            // Where a delay may end is not known well enough: only what is possible at once counts.
            Urgency::When(_) if !self.stopped.is_empty() => {
                subtract(zone.clone(), &moments, machine)
            }
            Urgency::Free if !self.stopped.is_empty() => {
                let possible = ways.iter().filter(|way| possible(way).is_some());
                let before = possible.filter_map(|way| self.before_while_stopped(way, frame));
                moments.extend(before);
                subtract(zone.clone(), &moments, machine)
            }
            Urgency::Free => {
                #[cfg(feature = "faults")]
                if Fault::DeadlockWithoutDelay.is_selected() {
                    return subtract(zone.clone(), &moments, machine);
                }
                moments.iter_mut().for_each(Zone::past);
                subtract(zone.clone(), &moments, machine)
            }
            Urgency::When(conditions) => {
                left_before_stops(zone, &moments, &stops_of(conditions, frame), machine)
            }
        }
    }
}

impl<W: Width> Stillness<W> {
    /// The valuations from which a delay leads to where a way to act is possible, while clocks stand
    /// still; nothing where the difference of a clock that runs and one that does not is compared,
    /// as they are no zone then.
    ///
    /// A delay d changes what runs. So it has to be at most the distance of every clock that runs to
    /// its upper bounds, which is so for some d exactly if they hold at once, and at least that to
    /// lower bounds: each sum of an upper and a lower bound is one of a difference of clocks that
    /// run. Everything else does not change. That the bounds of a single clock agree is looked at
    /// before.
    fn before_while_stopped(&self, way: &[ZoneConstraint<W>], frame: &Frame) -> Option<Zone<W>> {
        let runs = |row: ClockRow| {
            #[cfg(feature = "faults")]
            if Fault::DeadlockWithoutStops.is_selected() {
                return row != 0;
            }
            row != 0 && !self.stopped.contains(&row)
        };
        let all = || way.iter().chain(&self.invariant).filter(|c| !c.bound.is_infinite());
        let mut kept = Vec::new();
        for &c in all() {
            match (runs(c.x), runs(c.y)) {
                (true, true) | (false, false) => kept.push(c),
                (true, false) if c.y == 0 => kept.push(c),
                (false, true) if c.x == 0 => {
                    let above = all().filter(|upper| runs(upper.x) && upper.y == 0);
                    kept.extend(above.filter(|upper| upper.x != c.y).map(|upper| ZoneConstraint {
                        x: upper.x,
                        y: c.y,
                        bound: upper.bound + c.bound,
                    }));
                }
                _ => return None,
            }
        }
        let mut before = Zone::universe(frame.rows.len());
        constrain(&mut before, frame, &kept).ok().map(|()| before)
    }
}

/// Whether a delay leads from each valuation of `zone` to where all of two lists of constraints hold.
///
/// A delay d leads from v there if `v(x) + d` is below every upper bound and above every lower one;
/// differences do not change. There is such a delay, and it is not negative, exactly if every upper
/// bound of a clock x holds at v already, and its distance to every lower bound of a clock y is at
/// least `v(x) - v(y)`. So no zone needs to be computed.
fn hold_after_delays<W: Width>(
    zone: &Zone<W>,
    frame: &Frame,
    lists: [&[ZoneConstraint<W>]; 2],
) -> bool {
    let all = || lists.into_iter().flatten();
    let lower: Vec<_> = all().filter(|c| c.x == 0).collect();
    all().filter(|c| c.x != 0).all(|upper| {
        let (x, y) = (frame.position(upper.x), frame.position(upper.y));
        let is_above = |lower: &&ZoneConstraint<W>| {
            zone.bound(x, frame.position(lower.y)) <= upper.bound + lower.bound
        };
        zone.bound(x, y) <= upper.bound && (upper.y != 0 || lower.iter().all(is_above))
    })
}

/// What is left of `zone` without all of `others`.
fn subtract<W: Width>(
    zone: Zone<W>,
    others: &[Zone<W>],
    machine: &Machine,
) -> Result<Vec<Zone<W>>, RunTimeError> {
    let mut left = Federation::from(zone);
    for other in others {
        machine.spend(left.zones().len() * other.dim())?;
        left.subtract_zone(other);
        if left.is_empty() {
            break;
        }
    }
    Ok(left.into_zones())
}

/// A condition that stops time.
struct Stop<W: Width> {
    /// The valuations that are strictly later than some valuation of the condition.
    later: Zone<W>,
    /// The valuations of the condition, and those before.
    past: Zone<W>,
}

/// The conditions that can hold at all.
fn stops_of<W: Width>(conditions: &[Vec<ZoneConstraint<W>>], frame: &Frame) -> Vec<Stop<W>> {
    let stop = |condition: &Vec<ZoneConstraint<W>>| {
        let mut later = Zone::universe(frame.rows.len());
        constrain(&mut later, frame, condition).ok()?;
        let mut past = later.clone();
        past.past();
        strictly_later(&mut later, frame);
        Some(Stop { later, past })
    };
    conditions.iter().filter_map(stop).collect()
}

/// What is left of `zone` without the valuations from which a delay that no stop ends leads to one of
/// `moments`.
///
/// Take a valuation v, a later one w, and the convex set G of a stop. No point of G keeps time from
/// passing from v to w if v is w. Otherwise, G has no point from v on and before w. If G has a point
/// before v and none from v on, that is so for all w; then v is strictly later than some point of G
/// and not in the past of G. Else it is so exactly if no point of G at all is before w: one before v
/// and one from v on would have v between them. Then w is not strictly later than any point of G. So
/// the zone is cut by which stops are over, and those that are not over are taken out of where delays
/// may lead.
fn left_before_stops<W: Width>(
    zone: &Zone<W>,
    moments: &[Zone<W>],
    stops: &[Stop<W>],
    machine: &Machine,
) -> Result<Vec<Zone<W>>, RunTimeError> {
    let mut parts: Vec<(Zone<W>, Vec<&Stop<W>>)> = vec![(zone.clone(), Vec::new())];
    for stop in stops {
        machine.spend(parts.len() * zone.dim())?;
        for (part, ahead) in std::mem::take(&mut parts) {
            let with_stop = || ahead.iter().copied().chain([stop]).collect::<Vec<_>>();
            let mut later = part.clone();
            if later.intersect(&stop.later).is_ok() {
                let over = later.subtract(&stop.past).into_zones();
                parts.extend(over.into_iter().map(|zone| (zone, ahead.clone())));
                if later.intersect(&stop.past).is_ok() {
                    parts.push((later, with_stop()));
                }
            }
            let earlier = part.subtract(&stop.later).into_zones();
            parts.extend(earlier.into_iter().map(|zone| (zone, with_stop())));
        }
    }
    let mut all = Vec::new();
    for (part, ahead) in parts {
        let mut ends = Vec::new();
        for moment in moments {
            ends.push(moment.clone());
            let later: Vec<Zone<W>> = ahead.iter().map(|stop| stop.later.clone()).collect();
            let first = subtract(moment.clone(), &later, machine)?;
            ends.extend(first.into_iter().map(|mut zone| {
                zone.past();
                zone
            }));
        }
        all.extend(subtract(part, &ends, machine)?);
    }
    Ok(all)
}
