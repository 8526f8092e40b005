//! Deadlock test for a single point, by the instants at which transitions are enabled; no zones are
//! used.

use crate::constraints::{Valuation, ZoneConstraint};
use crate::graph::ZoneGraph;
use crate::state::SymbolicState;
use std::ops::ControlFlow;
use zonaut_compile::{ClockRow, LocationFlags};
use zonaut_dbm::{Width, Zone};
use zonaut_discrete::Urgency;
use zonaut_model::interpret::{ErrorKind, RunTimeError};
use zonaut_space::TransitionSystem;

/// Whether no transition is enabled in the state with these values and clocks, nor after any delay.
/// A run-time error of the model is not a deadlock.
pub fn is_deadlocked<W: Width>(
    graph: &ZoneGraph<'_, W>,
    values: &[i32],
    valuation: Valuation<'_>,
) -> Result<bool, RunTimeError> {
    match nothing_happens(graph, values, valuation) {
        Err(error) if !matches!(error.kind, ErrorKind::Stopped(_)) => Ok(false),
        other => other,
    }
}

fn nothing_happens<W: Width>(
    graph: &ZoneGraph<'_, W>,
    values: &[i32],
    valuation: Valuation<'_>,
) -> Result<bool, RunTimeError> {
    let mut scratch = graph.scratch();
    let network = graph.network();
    let mut values = values.to_vec();
    let location_flags = network.location_flags(&values);
    let urgency: Urgency<ZoneConstraint<W>> =
        scratch.discrete.urgency(network, location_flags, &mut values)?;
    let mut stopped = Vec::new();
    if location_flags.include(LocationFlags::RATES) {
        scratch.discrete.add_stopped(network, &mut values, &mut stopped)?;
    }
    let point = Point { clocks: valuation.clocks, unit: valuation.unit, stopped: &stopped };
    let mut patience = Instants::ALL;
    for process in 0..network.process_count() {
        if network.location_flags_of(process, &values).include(LocationFlags::INVARIANT) {
            let invariant = &network.location(process, &values).invariant;
            let machine = &mut scratch.discrete.machine;
            network.for_each_constraint(invariant, &mut values, machine, |constraint| {
                patience.restrict::<W>(constraint.into(), point);
            })?;
        }
    }
    let stops: Vec<Instants> = match urgency {
        Urgency::Free => Vec::new(),
        Urgency::Now => vec![Instants::ALL],
        Urgency::When(conditions) => {
            conditions.iter().map(|all| Instants::ALL.restricted(all, point)).collect()
        }
    };
    let rows = graph.rows(&SymbolicState { values: values.clone(), ..SymbolicState::buffer() });
    let state =
        SymbolicState { values, key: Vec::new(), zone: Zone::universe(rows.len()), price: 0 };
    let found = graph.for_each_enabled(&state, &mut scratch, &mut |enabled, _| {
        let instants = patience.restricted(enabled.constraints, point);
        let is_met = !instants.is_empty() && !stops.iter().any(|stop| stop.end(&instants));
        if is_met { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(found.is_continue())
}

/// The values of all clocks, and the stopped ones among them.
#[derive(Clone, Copy)]
struct Point<'p> {
    clocks: &'p [i64],
    unit: i64,
    stopped: &'p [ClockRow],
}

impl Point<'_> {
    fn value(self, row: ClockRow) -> i128 {
        row.checked_sub(1).map_or(0, |clock| i128::from(self.clocks[clock as usize]))
    }

    /// The rate of a clock.
    fn rate(self, row: ClockRow) -> i8 {
        i8::from(row != 0 && !self.stopped.contains(&row))
    }
}

/// An end of an interval of delays: the delay, and whether it is excluded.
type End = (i128, bool);

/// The delays at which a conjunction of constraints holds.
#[derive(Clone, Copy, Debug)]
struct Instants {
    from: End,
    to: Option<End>,
    possible: bool,
}

impl Instants {
    const ALL: Self = Self { from: (0, false), to: None, possible: true };

    fn restricted<W: Width>(mut self, constraints: &[ZoneConstraint<W>], point: Point<'_>) -> Self {
        constraints.iter().for_each(|&constraint| self.restrict(constraint, point));
        self
    }

    /// Keeps the delays after which `constraint` holds.
    fn restrict<W: Width>(&mut self, constraint: ZoneConstraint<W>, point: Point<'_>) {
        let ZoneConstraint { x, y, bound } = constraint;
        if bound.is_infinite() {
            return;
        }
        // The distance of the difference from the limit.
        let difference = point.value(x) - point.value(y);
        let left = i128::from(bound.value()) * i128::from(point.unit) - difference;
        match point.rate(x) - point.rate(y) {
            1 => {
                let to = (left, bound.is_strict());
                let is_tighter = |old: End| (to.0, !to.1) < (old.0, !old.1);
                if self.to.is_none_or(is_tighter) {
                    self.to = Some(to);
                }
            }
            -1 => self.from = self.from.max((-left, bound.is_strict())),
            _ => self.possible &= left > 0 || (left == 0 && !bound.is_strict()),
        }
    }

    fn is_empty(&self) -> bool {
        let ends_too_early = |(end, is_outside): End| {
            end < self.from.0 || (end == self.from.0 && (is_outside || self.from.1))
        };
        !self.possible || self.to.is_some_and(ends_too_early)
    }

    /// Whether time that stops at these delays stops before the first of `instants`.
    fn end(&self, instants: &Self) -> bool {
        let (first, is_outside) = instants.from;
        !self.is_empty() && if is_outside { self.from.0 <= first } else { self.from.0 < first }
    }
}
