//! Delays of zones: with stopped clocks, and until an urgent synchronisation stops time.

#[cfg(test)]
mod tests;

use crate::active_clocks::ActiveClocks;
use crate::constraints::{Piece, ZoneConstraint, constrain, cut_out_of_all};
use zonaut_base::{Meter, StopReason};
use zonaut_compile::ClockRow;
use zonaut_dbm::{Bound, Row, Width, Zone};

/// A part of the valuations reached by a delay, with the constraints that describe it.
#[derive(Clone, Debug)]
pub(crate) struct Stay<W: Width> {
    /// The valuations at the end of the delay.
    pub(crate) end: Piece<W>,
    /// Constraints on the valuation before the delay.
    pub(crate) arrival: Vec<ZoneConstraint<W>>,
    /// Whether time passed.
    pub(crate) delayed: bool,
}

/// Lets time pass while the invariant, which holds already, holds, and while some clocks are
/// stopped. The zone contains all delay successors and may contain more ([`Zone::delay_except`]).
#[cold]
pub(crate) fn delay_except<W: Width>(
    zone: &mut Zone<W>,
    active: &ActiveClocks,
    invariant: &[ZoneConstraint<W>],
    stopped: &[ClockRow],
) {
    zone.delay_except(|x| stopped.binary_search(&active.rows[x.index()]).is_ok());
    // A difference with a stopped clock may become violated, so the whole invariant is applied
    // again; it holds initially, so the zone is not emptied.
    let kept = constrain(zone, active, invariant);
    debug_assert!(kept.is_ok(), "an invariant that holds keeps some valuations");
}

/// The conditions that end a stay.
#[derive(Clone, Copy)]
pub(crate) struct Wait<'w, W: Width> {
    /// The active clocks.
    pub(crate) active: &'w ActiveClocks,
    /// The conditions under which urgent synchronisations are enabled.
    pub(crate) conditions: &'w [Vec<ZoneConstraint<W>>],
    /// The invariant.
    pub(crate) invariant: &'w [ZoneConstraint<W>],
    /// The stopped clocks.
    pub(crate) stopped: &'w [ClockRow],
}

/// Lets time pass from `arrived` until one of the conditions begins to hold, exactly; with stopped
/// clocks, only arrivals in which a condition holds are distinguished from the others, whose delay
/// is over-approximated.
///
/// Let G be the union of the conditions. The points of Z in G do not delay. The others are split
/// into convex parts P disjoint from G. On the time line through a point of P, the points of P and
/// those of one condition form two disjoint intervals, so a point of P's future can be reached
/// without meeting the condition first exactly if it is not strictly later than a point of the
/// condition in P's future. Those strictly later points form a zone again: the differences of that
/// zone, and its lower bounds made strict.
pub(crate) fn delay_until<W: Width>(
    arrived: &Zone<W>,
    wait: Wait<'_, W>,
    meter: &Meter,
) -> Result<Vec<Stay<W>>, StopReason> {
    let Wait { active, conditions, invariant, stopped } = wait;
    let mut stays = Vec::new();
    let mut outside = vec![Piece { zone: arrived.clone(), constraints: Vec::new() }];
    for condition in conditions {
        meter.spend(outside.len() as u32)?;
        let mut inside = arrived.clone();
        if constrain(&mut inside, active, condition).is_ok() {
            let end = Piece { zone: inside, constraints: Vec::new() };
            stays.push(Stay { end, arrival: condition.clone(), delayed: false });
        }
        outside = cut_out_of_all(outside, active, condition);
    }
    for part in outside {
        let mut future = part.zone;
        if !stopped.is_empty() {
            delay_except(&mut future, active, invariant, stopped);
            let end = Piece { zone: future, constraints: Vec::new() };
            stays.push(Stay { end, arrival: part.constraints, delayed: true });
            continue;
        }
        future.delay();
        if constrain(&mut future, active, invariant).is_err() {
            continue;
        }
        let mut ends = vec![Piece { zone: future.clone(), constraints: Vec::new() }];
        for condition in conditions {
            meter.spend(ends.len() as u32)?;
            let mut met = future.clone();
            if constrain(&mut met, active, condition).is_ok() {
                ends = cut_out_of_all(ends, active, &strictly_later(&mut met, active));
            }
        }
        let arrival = part.constraints;
        stays.extend(ends.into_iter().map(|end| Stay {
            end,
            arrival: arrival.clone(),
            delayed: true,
        }));
    }
    Ok(stays)
}

/// The constraints of the set of points strictly later than some point of `zone`; `zone` becomes
/// that set.
pub(crate) fn strictly_later<W: Width>(
    zone: &mut Zone<W>,
    active: &ActiveClocks,
) -> Vec<ZoneConstraint<W>> {
    let lower: Vec<_> = zone.clocks().map(|x| (x, zone.bound(Row::ZERO, x))).collect();
    zone.delay();
    for (x, bound) in lower {
        // Some point exceeds the bound in every clock, so the zone is not emptied.
        let later = zone.constrain(Row::ZERO, x, Bound::lt(bound.value()));
        debug_assert!(later.is_ok(), "the future of a zone has no last point");
    }
    let row = |clock: Row| active.rows[clock.index()];
    let constraint = |(x, y, bound)| ZoneConstraint { x: row(x), y: row(y), bound };
    zone.minimal_constraints().into_iter().map(constraint).collect()
}
