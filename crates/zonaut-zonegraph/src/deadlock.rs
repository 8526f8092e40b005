//! Deadlocks: the valuations of a state from which no transition is enabled, now or after any
//! delay.
//!
//! For every transition, the valuations from which a delay leads to where it is enabled are
//! subtracted from the zone; the remainder is deadlocked. A delay stays inside the invariant, and
//! ends where an urgent synchronisation is enabled. In most states a single transition is enabled
//! after a delay from all of the zone, so this case is tested before any subtraction, and without
//! computing a zone.
//!
//! The computation depends only on the locations, the data and the valuations of a state, so it is
//! exact for any zone. That a widened zone contains a deadlocked valuation only if a deadlock is
//! reachable follows from the bounds that it was widened with
//! (`docs/decisions/0021-what-is-possible-is-subtracted.md`), which [`DeadlockSurvey`] checks.

#[cfg(test)]
mod tests;

mod point;
mod survey;

pub use point::is_deadlocked;
pub use survey::DeadlockSurvey;

use crate::active_clocks::ActiveClocks;
use crate::constraints::{ZoneConstraint, constrain, hold_everywhere};
use crate::delay::strictly_later;
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::graph::ZoneGraph;
use crate::state::SymbolicState;
use crate::successors::Scratch;
use std::ops::ControlFlow;
use zonaut_compile::{ClockRow, LocationFlags, Machine};
#[cfg(feature = "faults")]
use zonaut_dbm::Row;
use zonaut_dbm::{Federation, Width, Zone};
use zonaut_discrete::Urgency;
use zonaut_model::interpret::{ErrorKind, RunTimeError};

/// The conditions on time in the discrete part of a state.
struct TimeConditions<W: Width> {
    /// The clock constraints of its invariants.
    invariant: Vec<ZoneConstraint<W>>,
    /// The conditions that stop time.
    urgency: Urgency<ZoneConstraint<W>>,
    /// The rows of the stopped clocks.
    stopped: Vec<ClockRow>,
}

impl<W: Width> ZoneGraph<'_, W> {
    /// The deadlocked valuations of `state`, as disjoint zones. If the model fails at run time, the
    /// result is empty: a run-time error is not a deadlock.
    ///
    /// # Errors
    /// If the meter stops.
    pub(crate) fn deadlocked(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
    ) -> Result<Vec<Zone<W>>, RunTimeError> {
        match self.without_enabled(state, scratch) {
            Err(error) if !matches!(error.kind, ErrorKind::Stopped(_)) => Ok(Vec::new()),
            other => other,
        }
    }

    /// The zone of `state` without all valuations from which some transition is enabled.
    fn without_enabled(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
    ) -> Result<Vec<Zone<W>>, RunTimeError> {
        let zone = &state.zone;
        let (mut enabled_where, mut still) = (Vec::new(), None);
        let covered = self.for_each_enabled(state, scratch, &mut |enabled, scratch| {
            if hold_everywhere(zone, &scratch.active, enabled.constraints) {
                return ControlFlow::Break(());
            }
            // In many states some transition is enabled everywhere, so the conditions on time are
            // computed late.
            let still = still.get_or_insert_with(|| self.time_conditions(state, scratch));
            let Ok(TimeConditions { invariant, urgency, stopped }) = still else {
                return ControlFlow::Break(());
            };
            let is_free = matches!(urgency, Urgency::Free) && stopped.is_empty();
            #[cfg(feature = "faults")]
            let is_free = is_free && !Fault::DeadlockWithoutDelay.is_selected();
            #[cfg(feature = "faults")]
            if Fault::DeadlockBySomeTransition.is_selected()
                && constrain(&mut zone.clone(), &scratch.active, enabled.constraints).is_ok()
            {
                return ControlFlow::Break(());
            }
            if is_free && hold_after_delays(zone, &scratch.active, [enabled.constraints, invariant])
            {
                return ControlFlow::Break(());
            }
            enabled_where.push(enabled.constraints.to_vec());
            ControlFlow::Continue(())
        })?;
        let still = match still {
            None if covered.is_break() => return Ok(Vec::new()),
            None => self.time_conditions(state, scratch)?,
            Some(still) => still?,
        };
        if covered.is_break() {
            return Ok(Vec::new());
        }
        still.left(zone, &enabled_where, scratch)
    }

    /// The conditions on time in the discrete part of `state`, which is being expanded.
    fn time_conditions(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
    ) -> Result<TimeConditions<W>, RunTimeError> {
        scratch.successor.values.clone_from(&state.values);
        let mut invariant = Vec::new();
        self.collect_invariants(&mut invariant, scratch)?;
        let location_flags = self.network.location_flags(&state.values);
        let mut stopped = Vec::new();
        if location_flags.include(LocationFlags::RATES) {
            self.collect_stopped(&mut stopped, scratch)?;
        }
        let Scratch { successor, discrete, .. } = &mut *scratch;
        let urgency = discrete.urgency(self.network, location_flags, &mut successor.values)?;
        Ok(TimeConditions { invariant, urgency, stopped })
    }
}

impl<W: Width> TimeConditions<W> {
    /// The zone `zone` without all valuations from which a delay leads to where one of
    /// `enabled_where` holds.
    fn left(
        &self,
        zone: &Zone<W>,
        enabled_where: &[Vec<ZoneConstraint<W>>],
        scratch: &Scratch<W>,
    ) -> Result<Vec<Zone<W>>, RunTimeError> {
        let Scratch { active, discrete, .. } = scratch;
        let machine = &discrete.machine;
        let mut invariant = Zone::universe(zone.dim());
        let holds = constrain(&mut invariant, active, &self.invariant);
        debug_assert!(holds.is_ok(), "the invariants of a state hold somewhere");
        let possible = |enabled: &Vec<ZoneConstraint<W>>| {
            let mut moments = invariant.clone();
            constrain(&mut moments, active, enabled).ok().map(|()| moments)
        };
        let mut moments: Vec<Zone<W>> = enabled_where.iter().filter_map(possible).collect();
        match &self.urgency {
            Urgency::Now => subtract(zone.clone(), &moments, machine),
            // With stopped clocks the ends of delays are not exact: only immediately enabled
            // transitions count.
            Urgency::When(_) if !self.stopped.is_empty() => {
                subtract(zone.clone(), &moments, machine)
            }
            Urgency::Free if !self.stopped.is_empty() => {
                let possible = enabled_where.iter().filter(|enabled| possible(enabled).is_some());
                let before =
                    possible.filter_map(|enabled| self.before_while_stopped(enabled, active));
                moments.extend(before);
                subtract(zone.clone(), &moments, machine)
            }
            Urgency::Free => {
                #[cfg(feature = "faults")]
                if Fault::DeadlockWithoutDelay.is_selected() {
                    return subtract(zone.clone(), &moments, machine);
                }
                moments.iter_mut().for_each(Zone::past);
                #[cfg(feature = "faults")]
                moments.iter_mut().for_each(forget_differences);
                subtract(zone.clone(), &moments, machine)
            }
            Urgency::When(conditions) => {
                left_before_stops(zone, &moments, &stops_of(conditions, active), machine)
            }
        }
    }
}

impl<W: Width> TimeConditions<W> {
    /// The valuations from which a delay leads to where a transition is enabled, with stopped
    /// clocks; `None` if the difference of a running and a stopped clock is compared, as the result
    /// is no zone then.
    ///
    /// A delay d changes the running clocks. So it has to be at most the distance of every running
    /// clock to its upper bounds, which holds for some d exactly if the upper bounds hold at once,
    /// and at least the distance to lower bounds: each sum of an upper and a lower bound is a bound
    /// on a difference of running clocks. All other constraints do not change. Consistency of the
    /// bounds of a single clock is tested before.
    fn before_while_stopped(
        &self,
        enabled: &[ZoneConstraint<W>],
        active: &ActiveClocks,
    ) -> Option<Zone<W>> {
        let runs = |row: ClockRow| {
            #[cfg(feature = "faults")]
            if Fault::DeadlockWithoutStops.is_selected() {
                return row != 0;
            }
            row != 0 && !self.stopped.contains(&row)
        };
        let all = || enabled.iter().chain(&self.invariant).filter(|c| !c.bound.is_infinite());
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
        let mut before = Zone::universe(active.rows.len());
        constrain(&mut before, active, &kept).ok().map(|()| before)
    }
}

/// Drops the differences between clocks under the selected fault.
#[cfg(feature = "faults")]
fn forget_differences<W: Width>(zone: &mut Zone<W>) {
    if Fault::DeadlockWithoutDifferences.is_selected() {
        let mut bounded = Zone::universe(zone.dim());
        for x in zone.clocks() {
            let kept = bounded.constrain(x, Row::ZERO, zone.bound(x, Row::ZERO));
            debug_assert!(kept.is_ok(), "a zone before a moment includes the origin or less");
        }
        *zone = bounded;
    }
}

/// Whether a delay leads from each valuation of `zone` to where two lists of constraints hold.
///
/// A delay d leads from v there if `v(x) + d` is below every upper bound and above every lower one;
/// differences do not change. A non-negative delay exists exactly if every upper bound of a clock x
/// holds at v already, and its distance to every lower bound of a clock y is at least `v(x) -
/// v(y)`. So no zone needs to be computed.
fn hold_after_delays<W: Width>(
    zone: &Zone<W>,
    active: &ActiveClocks,
    lists: [&[ZoneConstraint<W>]; 2],
) -> bool {
    let all = || lists.into_iter().flatten();
    let lower: Vec<_> = all().filter(|c| c.x == 0).collect();
    all().filter(|c| c.x != 0).all(|upper| {
        let (x, y) = (active.position(upper.x), active.position(upper.y));
        let is_above = |lower: &&ZoneConstraint<W>| {
            #[cfg(feature = "faults")]
            if Fault::DeadlockWithoutDifferences.is_selected() {
                return true;
            }
            zone.bound(x, active.position(lower.y)) <= upper.bound + lower.bound
        };
        zone.bound(x, y) <= upper.bound && (upper.y != 0 || lower.iter().all(is_above))
    })
}

/// The difference of `zone` and the union of `others`.
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

/// The satisfiable conditions.
fn stops_of<W: Width>(
    conditions: &[Vec<ZoneConstraint<W>>],
    active: &ActiveClocks,
) -> Vec<Stop<W>> {
    let stop = |condition: &Vec<ZoneConstraint<W>>| {
        let mut later = Zone::universe(active.rows.len());
        constrain(&mut later, active, condition).ok()?;
        let mut past = later.clone();
        past.past();
        strictly_later(&mut later, active);
        Some(Stop { later, past })
    };
    conditions.iter().filter_map(stop).collect()
}

/// The zone `zone` without the valuations from which a delay that no stop ends leads to one of
/// `moments`.
///
/// Take a valuation v, a later one w, and the convex set G of a stop. If v is w, no point of G
/// prevents the delay from v to w. Otherwise none does exactly if G has no point from v on and
/// before w. If G has a point before v and none from v on, this holds for all w; then v is strictly
/// later than some point of G and not in the past of G. Else it holds exactly if no point of G at
/// all is before w: one before v and one from v on would have v between them. Then w is not
/// strictly later than any point of G. So the zone is split by the stops that are over, and the others are subtracted from
/// the targets of delays.
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
