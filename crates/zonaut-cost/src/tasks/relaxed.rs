//! A relaxation of any model: the least time that processes stay in their locations.
//!
//! A process stays in a location for c units if some clock is set to 0 whenever the location is
//! entered, by no other process, and every edge that leaves the location asks for it to be c at least.
//! All that is counted in what it costs: time, at its rate, and the prices of edges. The cost of a run
//! never decreases, and grows by the rate at least while time passes; so costs are dates: who stays
//! for c units is there while c times the rate is paid, and who excludes another is not there while
//! the other pays that.

use zonaut_analysis::footprint::{Footprint, Footprints};
use zonaut_analysis::interval::declared_walk;
use zonaut_base::{Meter, StopReason};
use zonaut_model::{ClockId, Edge, Expression, LocationId, Model, Process, ProcessId, Relation};

use super::distance::{FARTHEST, Span};
use super::{Move, Stay, resets, simple, update_reads};
use crate::costing::Costing;

/// All edges, with their least costs. Where the measure has no prices, edges cost nothing, whatever the
/// model says: an estimate of another measure is no lower bound.
pub(super) fn moves(model: &Model, costing: Costing) -> Vec<Move> {
    #[cfg(feature = "faults")]
    let is_mixed_up = crate::faults::Fault::MeasureMixedUp.is_selected();
    #[cfg(not(feature = "faults"))]
    let is_mixed_up = false;
    let has_prices = costing.has_prices || is_mixed_up;
    let mut moves = Vec::new();
    for (process, definition) in model.processes.iter_enumerated() {
        for (edge, content) in definition.edges.iter_enumerated() {
            let mut walk = Footprints::walk(model);
            // An update that always fails is never executed.
            let _ = walk.select(&content.select);
            let _ = walk.condition(&content.guard);
            let _ = walk.update(&content.updates);
            let Footprint { reads, writes, .. } = walk.domain.found;
            let Edge { source, target, .. } = *content;
            let price = if has_prices { price_of(model, content) } else { 0 };
            let (after, update_reads) = (Vec::new(), update_reads(model, content));
            let this =
                Move { process, edge, source, target, after, reads, writes, update_reads, price };
            moves.push(this);
        }
    }
    moves
}

/// The least cost that the updates of an edge add, as far as they are constant.
#[must_use]
pub fn price_of(model: &Model, edge: &Edge) -> Span {
    let mut sum: Span = 0;
    for &update in &edge.updates {
        if let Expression::AddCost(price) = model.expressions[update] {
            let mut walk = declared_walk(model);
            let least = walk.evaluate(price).map_or(0, |(low, _)| low);
            sum = sum.saturating_add(least.max(0)).min(FARTHEST);
        }
    }
    sum
}

/// By process and location, the clock that tells how long it lasts, and what is paid meanwhile.
pub(super) fn stays(
    model: &Model,
    moves: &[Move],
    rate: i32,
    meter: &Meter,
) -> Result<Vec<Vec<Stay>>, StopReason> {
    let mut framed = Footprints::walk(model);
    let _ = framed.update(&model.before_update);
    let _ = framed.update(&model.after_update);
    let framed = framed.domain.found.writes.clocks;
    let is_own = |process: ProcessId, clock: ClockId| {
        let mut others = moves.iter().filter(|this| this.process != process);
        !framed.contains(clock) && !others.any(|this| this.writes.clocks.contains(clock))
    };
    let of_process = |(id, process): (ProcessId, &Process)| {
        let stay = |location: LocationId| {
            meter.spend(process.edges.len() as u32)?;
            let longest = longest(model, process, location, |clock| is_own(id, clock));
            let paid = longest.map(|(clock, time)| (clock, Span::from(time) * Span::from(rate)));
            Ok(match paid {
                Some((clock, length)) if length > 0 => {
                    Stay::Task { clock, length: length.min(FARTHEST) }
                }
                _ => Stay::Rest,
            })
        };
        process.locations.ids().map(stay).collect()
    };
    model.processes.iter_enumerated().map(of_process).collect()
}

/// The clock that keeps a process in a location for longest, and for how long.
fn longest(
    model: &Model,
    process: &Process,
    location: LocationId,
    is_own: impl Fn(ClockId) -> bool,
) -> Option<(ClockId, i32)> {
    let leaving = || process.edges.iter().filter(|edge| edge.source == location);
    let entering = || process.edges.iter().filter(|edge| edge.target == location);
    let first = leaving().next()?;
    let clocks = lower_bounds(model, first).into_iter().map(|(clock, _)| clock);
    let begins_at_0 =
        |clock: ClockId| process.initial != location || model.clocks[clock].initial == 0;
    let measures = |clock: &ClockId| {
        is_own(*clock) && begins_at_0(*clock) && entering().all(|edge| resets(model, edge, *clock))
    };
    let least = |clock: ClockId| {
        let of_edge = |edge: &Edge| {
            let own = lower_bounds(model, edge).into_iter().filter(|(other, _)| *other == clock);
            own.map(|(_, bound)| bound).max().unwrap_or(0)
        };
        leaving().map(of_edge).min().unwrap_or(0)
    };
    clocks.filter(measures).map(|clock| (clock, least(clock))).max_by_key(|(_, time)| *time)
}

/// The lower bounds on clocks that the guard of an edge asks for.
fn lower_bounds(model: &Model, edge: &Edge) -> Vec<(ClockId, i32)> {
    let is_lower = |relation: Relation| {
        matches!(relation, Relation::Greater | Relation::GreaterEqual | Relation::Equal)
    };
    let constraints = edge.guard.clocks.iter().filter(|constraint| is_lower(constraint.relation));
    constraints.filter_map(|constraint| simple(model, constraint)).collect()
}
