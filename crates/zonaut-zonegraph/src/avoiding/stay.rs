//! Delay successors that avoid a formula.

use crate::active_clocks::ActiveClocks;
use crate::constraints::{Piece, ZoneConstraint, constrain, cut_out_of_all};
use crate::delay::Stay;
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::graph::Transition;
use zonaut_base::{Meter, StopReason};
use zonaut_dbm::{Width, Zone};

/// A conjunction of clock constraints that must not be met.
pub(super) type Meeting<W> = Vec<ZoneConstraint<W>>;

/// The parts of the delay successors of `landed` that are reached without meeting any of
/// `meetings`, as far as `transition` admits delay.
///
/// Let N be the union of the meetings. The valuations of the landing in N are dropped, the rest is
/// split into convex parts. On the time line through a point of such a part, the points of the part
/// and those of one meeting form two disjoint intervals. So a later point can be reached without
/// this meeting exactly if it is neither in it nor later than one of its points in the future of
/// the part; those points form the future of a zone again, which is cut out.
pub(super) fn stays_before<W: Width>(
    landed: &Zone<W>,
    active: &ActiveClocks,
    transition: &Transition<W>,
    meetings: &[Meeting<W>],
    meter: &Meter,
) -> Result<Vec<Stay<W>>, StopReason> {
    let parts = outside_of(landed, active, meetings, meter)?;
    let mut stays = Vec::new();
    for part in parts {
        let mut future = part.zone;
        if transition.delayed {
            future.delay();
        }
        let whole = future.clone();
        if constrain(&mut future, active, transition.departure()).is_err() {
            continue;
        }
        let mut ends = vec![Piece { zone: future, constraints: Vec::new() }];
        #[cfg(feature = "faults")]
        let meetings = if Fault::StayThroughAvoided.is_selected() { &[] } else { meetings };
        for meeting in meetings.iter().filter(|_| transition.delayed) {
            meter.spend(ends.len() as u32)?;
            let mut met = whole.clone();
            if constrain(&mut met, active, meeting).is_ok() {
                met.delay();
                ends = cut_out_of_all(ends, active, &constraints_of(&met, active));
            }
        }
        stays.extend(ends.into_iter().map(|end| Stay {
            end,
            arrival: part.constraints.clone(),
            delayed: transition.delayed,
        }));
    }
    Ok(stays)
}

/// Whether some valuation of `landed` meets none of `meetings`.
pub(super) fn reaches_outside<W: Width>(
    landed: &Zone<W>,
    active: &ActiveClocks,
    meetings: &[Meeting<W>],
    meter: &Meter,
) -> Result<bool, StopReason> {
    Ok(!outside_of(landed, active, meetings, meter)?.is_empty())
}

/// The parts of `landed` that meet none of `meetings`.
fn outside_of<W: Width>(
    landed: &Zone<W>,
    active: &ActiveClocks,
    meetings: &[Meeting<W>],
    meter: &Meter,
) -> Result<Vec<Piece<W>>, StopReason> {
    let mut parts = vec![Piece { zone: landed.clone(), constraints: Vec::new() }];
    for meeting in meetings {
        meter.spend(parts.len() as u32)?;
        parts = cut_out_of_all(parts, active, meeting);
    }
    Ok(parts)
}

/// The constraints that describe a zone.
pub fn constraints_of<W: Width>(zone: &Zone<W>, active: &ActiveClocks) -> Vec<ZoneConstraint<W>> {
    let row = |clock: zonaut_dbm::Row| active.rows[clock.index()];
    let constraint = |(x, y, bound)| ZoneConstraint { x: row(x), y: row(y), bound };
    zone.minimal_constraints().into_iter().map(constraint).collect()
}
