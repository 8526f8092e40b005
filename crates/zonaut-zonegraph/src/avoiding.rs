//! The zone graph of the runs on which a state formula never holds.
//!
//! If the formula to be avoided depends on data alone, a state is either in the graph or not. If it
//! depends on clocks, a delay may run into it, so the delay successors are restricted to those
//! reached before the formula holds ([`stay`]). [`run_end`] computes the valuations of a state in
//! which a maximal run may remain for ever, and [`cycle`] those from which a cycle can be repeated
//! for ever.
//!
//! Zones are widened with the greatest constants of clocks, or not at all. The region equivalence
//! that this respects is a bisimulation, so cycles and ends are exact, which they would not be with
//! lower and upper bounds. Where zones are compared by simulation, they are exact as long as their
//! bounds stay in range.
//!
//! With stopwatches, zones contain all reachable valuations and others as well. In states with
//! stopped clocks a delay that begins outside of the formula is not restricted, and a run may end
//! wherever that is not excluded. So all maximal runs are in the graph, and its cycles and ends need
//! not be those of runs.

mod cycle;
mod past;
mod run_end;
mod stay;
#[cfg(test)]
mod tests;

pub use cycle::Departures;
pub use run_end::RunEnd;
pub use stay::constraints_of;

use crate::abstraction::{Abstraction, Widening};
use crate::active_clocks::{ActiveClocks, ActiveClocksTable};
use crate::constraints::{ZoneConstraint, constrain};
use crate::delay::{Stay, Wait, delay_until};
use crate::goal::{CompiledGoal, ZoneGoal};
use crate::graph::{StepError, Transition, Unsound, ZoneGraph};
use crate::state::SymbolicState;
use crate::successors::{Scratch, Visit};
use stay::{Meeting, reaches_outside, stays_before};
use std::ops::ControlFlow;
use std::sync::Arc;
use zonaut_base::Meter;
use zonaut_compile::{BoundsTable, ClockRow, CompiledNetwork, LocationFlags};
use zonaut_dbm::{Narrow, Row, Width, Zone};
use zonaut_discrete::Urgency;
use zonaut_model::interpret::RunTimeError;

/// The zone graph of the runs on which a formula never holds.
pub struct AvoidingGraph<'g, 'n, W: Width = Narrow> {
    graph: ZoneGraph<'n, W>,
    scratch: Scratch<W>,
    avoidance: Avoidance<'g, 'n, W>,
}

/// The data needed to restrict successors.
struct Avoidance<'g, 'n, W: Width> {
    avoided: ZoneGoal<'g, 'n, W>,
    active_clocks: ActiveClocksTable,
    widening: Widening,
    /// A scratch for zones before the delay, while another scratch visits successors.
    landing: Scratch<W>,
    parts: Vec<Zone<W>>,
}

/// The visitor of each part of the target of a transition.
type VisitPart<'v, W> = dyn FnMut(&Transition<W>, &mut SymbolicState<W>) -> ControlFlow<()> + 'v;

/// The conditions on delays in a discrete state.
struct Waiting<W: Width> {
    invariant: Vec<ZoneConstraint<W>>,
    urgency: Urgency<ZoneConstraint<W>>,
    /// The rows of the stopped clocks.
    stopped: Vec<ClockRow>,
}

impl<W: Width> Waiting<W> {
    /// Whether the invariant admits unbounded delay.
    fn is_unbounded(&self) -> bool {
        let runs = |row: ClockRow| row != 0 && !self.stopped.contains(&row);
        !self.invariant.iter().any(|c| runs(c.x) && c.y == 0 && !c.bound.is_infinite())
    }

    /// The urgent synchronisations that stop time; empty if time is stopped at once.
    fn conditions(&self) -> &[Vec<ZoneConstraint<W>>] {
        match &self.urgency {
            Urgency::When(conditions) => conditions,
            Urgency::Free | Urgency::Now => &[],
        }
    }

    fn is_urgent(&self) -> bool {
        matches!(self.urgency, Urgency::Now)
    }
}

impl<'g, 'n, W: Width> AvoidingGraph<'g, 'n, W> {
    /// The runs of `network` on which `avoided` never holds. `bounds` include the constants of the
    /// formula. Zones are exact, with or without a limit on their range, or widened with greatest
    /// constants. All work counts on `meter`.
    ///
    /// # Errors
    /// If a constant is too large for bounds of this width.
    pub fn new(
        network: &'n CompiledNetwork,
        bounds: &'n BoundsTable,
        avoided: &'g CompiledGoal,
        abstraction: Abstraction,
        meter: &Meter,
    ) -> Result<Self, Unsound> {
        let unwidened = match abstraction {
            Abstraction::Simulation => Abstraction::Simulation,
            _ => Abstraction::Exact,
        };
        debug_assert!(abstraction == unwidened || abstraction == Abstraction::Maximum);
        let graph = ZoneGraph::new(network, bounds, unwidened, meter)?;
        let avoidance = Avoidance {
            avoided: ZoneGoal::new(&graph, avoided),
            active_clocks: ActiveClocksTable::new(network.process_count()),
            widening: Widening::new(abstraction, bounds),
            landing: Scratch::new(&graph),
            parts: Vec::new(),
        };
        Ok(Self { scratch: Scratch::new(&graph), graph, avoidance })
    }

    /// The zone graph of all runs.
    #[must_use]
    pub fn graph(&self) -> &ZoneGraph<'n, W> {
        &self.graph
    }

    /// Visits the initial states, restricted to valuations that avoid the formula.
    pub fn visit_initial(&mut self, visit: &mut Visit<'_, W>) -> ControlFlow<()> {
        let Self { graph, scratch, avoidance } = self;
        graph.visit_initial(scratch, &mut |step, transition, target| match target {
            Err(error) => visit(step, transition, Err(error)),
            Ok(target) => {
                let mut visit =
                    |part: &Transition<W>, target: Presented<'_, W>| visit(step, part, target);
                avoidance.present(graph, None, transition, target, &mut visit)
            }
        })
    }

    /// Visits the successors of `state`, restricted to valuations that avoid the formula.
    pub fn visit_successors(
        &mut self,
        state: &SymbolicState<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<()> {
        let Self { graph, scratch, avoidance } = self;
        graph.visit_successors(state, scratch, &mut |step, transition, target| match target {
            Err(error) => visit(step, transition, Err(error)),
            Ok(target) => {
                let mut visit =
                    |part: &Transition<W>, target: Presented<'_, W>| visit(step, part, target);
                avoidance.present(graph, Some(state), transition, target, &mut visit)
            }
        })
    }

    /// Visits the states reached by delay from the valuations of `state`, a state of the
    /// unrestricted graph, in which `begin` holds, restricted to valuations that avoid the formula
    /// from there on. The visited transition has no participants.
    pub fn visit_beginnings(
        &mut self,
        state: &SymbolicState<W>,
        begin: &CompiledGoal,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<()> {
        let step = self.graph.network.names().name(&[], 0);
        let mut transition = Transition::default();
        match self
            .begin(state, begin, &mut |transition, target| visit(step, transition, Ok(target)))
        {
            Ok(flow) => flow,
            Err(error) => {
                transition.restart(&[]);
                visit(step, &transition, Err(error))
            }
        }
    }

    fn begin(
        &mut self,
        state: &SymbolicState<W>,
        begin: &CompiledGoal,
        visit: &mut VisitPart<'_, W>,
    ) -> Result<ControlFlow<()>, StepError> {
        let active = self.avoidance.active_clocks.of(self.graph.bounds, &state.values);
        let disjuncts = ZoneGoal::new(&self.graph, begin).disjuncts(state)?;
        let outside = self.avoidance.outside(&self.graph, &state.values)?;
        if disjuncts.is_empty() || outside.iter().any(Vec::is_empty) {
            return Ok(ControlFlow::Continue(()));
        }
        let waiting = self.waiting(&state.values)?;
        for disjunct in disjuncts {
            let mut zone = state.zone.clone();
            if constrain(&mut zone, &active, &disjunct).is_err() {
                continue;
            }
            if !waiting.stopped.is_empty() {
                let meter = self.graph.meter();
                if !reaches_outside(&zone, &active, &outside, meter).map_err(StepError::Stopped)? {
                    continue;
                }
                let delayed = !waiting.is_urgent();
                let transition = Transition { before: disjunct, delayed, ..Transition::default() };
                let mut target = state.clone();
                return Ok(self.avoidance.widen(&active, &transition, &mut target, visit));
            }
            for mut transition in self.unrestricted_stays(&zone, &active, &waiting)? {
                transition.before.clone_from(&disjunct);
                let mut part = zone.clone();
                if constrain(&mut part, &active, &transition.arrival).is_err() {
                    continue;
                }
                let mut target = state.clone();
                let meter = self.graph.meter();
                let stays = stays_before(&part, &active, &transition, &outside, meter);
                let flow = self.avoidance.present_stays(
                    &active,
                    &transition,
                    stays.map_err(StepError::Stopped)?,
                    &mut target,
                    visit,
                );
                if flow.is_break() {
                    return Ok(flow);
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The delays from the valuations of `zone` without regard to the avoided formula: transitions
    /// that describe the beginning and the end of a stay.
    fn unrestricted_stays(
        &self,
        zone: &Zone<W>,
        active: &ActiveClocks,
        waiting: &Waiting<W>,
    ) -> Result<Vec<Transition<W>>, StepError> {
        let invariant = &waiting.invariant;
        let whole =
            |delayed| Transition { arrival: invariant.clone(), delayed, ..Transition::default() };
        let conditions = match &waiting.urgency {
            Urgency::Free => return Ok(vec![whole(true)]),
            Urgency::Now => return Ok(vec![whole(false)]),
            Urgency::When(conditions) => conditions,
        };
        let meter = self.graph.meter();
        let wait = Wait { active, conditions, invariant, stopped: &[] };
        let stays = delay_until(zone, wait, meter);
        let stays = stays.map_err(StepError::Stopped)?.into_iter().map(|stay| {
            let mut transition = whole(stay.delayed);
            transition.arrival.extend(stay.arrival);
            let leaving = invariant.iter().copied().chain(stay.end.constraints);
            transition.leaving = Some(leaving.collect());
            transition
        });
        Ok(stays.collect())
    }

    /// The conditions on delays in the discrete state with these values.
    fn waiting(&mut self, values: &[i32]) -> Result<Waiting<W>, RunTimeError> {
        let Self { graph, scratch, .. } = self;
        scratch.successor.values.clear();
        scratch.successor.values.extend_from_slice(values);
        let mut invariant = Vec::new();
        let location_flags = graph.collect_invariants(&mut invariant, scratch)?;
        let location_flags =
            location_flags.expect("invariant: the invariants of a state hold by its data");
        let mut stopped = Vec::new();
        if location_flags.include(LocationFlags::RATES) {
            graph.collect_stopped(&mut stopped, scratch)?;
        }
        let Scratch { successor, discrete, .. } = scratch;
        let urgency = discrete.urgency(graph.network, location_flags, &mut successor.values)?;
        Ok(Waiting { invariant, urgency, stopped })
    }

    fn active(&mut self, values: &[i32]) -> Arc<ActiveClocks> {
        self.avoidance.active_clocks.of(self.graph.bounds, values)
    }
}

/// A part of the target of a transition, or the error that ended its computation.
type Presented<'p, W> = Result<&'p mut SymbolicState<W>, StepError>;

/// The visitor of the parts of the target of one step.
type VisitPresented<'v, W> = dyn FnMut(&Transition<W>, Presented<'_, W>) -> ControlFlow<()> + 'v;

impl<W: Width> Avoidance<'_, '_, W> {
    /// Visits the part of `target`, the target of a transition from `source`, that avoids the
    /// formula.
    fn present(
        &mut self,
        graph: &ZoneGraph<'_, W>,
        source: Option<&SymbolicState<W>>,
        transition: &Transition<W>,
        target: &mut SymbolicState<W>,
        visit: &mut VisitPresented<'_, W>,
    ) -> ControlFlow<()> {
        let outside = match self.outside(graph, &target.values) {
            Ok(outside) => outside,
            Err(error) => return visit(transition, Err(error.into())),
        };
        let active = self.active_clocks.of(graph.bounds, &target.values);
        let mut pass = |transition: &Transition<W>, target: &mut SymbolicState<W>| {
            visit(transition, Ok(target))
        };
        if outside.is_empty() {
            return self.widen(&active, transition, target, &mut pass);
        }
        if outside.iter().any(Vec::is_empty) {
            return ControlFlow::Continue(());
        }
        let Some(landed) = self.landed(graph, source, transition, &target.values) else {
            return ControlFlow::Continue(());
        };
        if !transition.stopped.is_empty() {
            return match reaches_outside(&landed, &active, &outside, graph.meter()) {
                Ok(true) => self.widen(&active, transition, target, &mut pass),
                Ok(false) => ControlFlow::Continue(()),
                Err(why) => visit(transition, Err(StepError::Stopped(why))),
            };
        }
        match stays_before(&landed, &active, transition, &outside, graph.meter()) {
            Ok(stays) => self.present_stays(&active, transition, stays, target, &mut pass),
            Err(why) => visit(transition, Err(StepError::Stopped(why))),
        }
    }

    /// Visits each of `stays` as the state in `target`.
    fn present_stays(
        &mut self,
        active: &ActiveClocks,
        transition: &Transition<W>,
        stays: Vec<Stay<W>>,
        target: &mut SymbolicState<W>,
        visit: &mut VisitPart<'_, W>,
    ) -> ControlFlow<()> {
        let mut avoiding = transition.clone();
        let whole = target.clone();
        for stay in stays {
            avoiding.arrival.truncate(transition.arrival.len());
            avoiding.arrival.extend(stay.arrival);
            let leaving = transition.departure().iter().copied().chain(stay.end.constraints);
            avoiding.leaving = Some(leaving.collect());
            avoiding.delayed = stay.delayed;
            target.clone_from(&whole);
            target.zone = stay.end.zone;
            self.widen(active, &avoiding, target, visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Visits the state in `target` with its zone widened.
    fn widen(
        &mut self,
        active: &ActiveClocks,
        transition: &Transition<W>,
        target: &mut SymbolicState<W>,
        visit: &mut VisitPart<'_, W>,
    ) -> ControlFlow<()> {
        if !self.widening.widen(active, &mut target.zone, &mut self.parts) {
            if !target.zone.is_within_range() {
                self.widening.confine(active, &mut target.zone);
            }
            return visit(transition, target);
        }
        let whole = target.clone();
        for part in std::mem::take(&mut self.parts) {
            target.clone_from(&whole);
            target.zone = part;
            visit(transition, target)?;
        }
        ControlFlow::Continue(())
    }

    /// The conjunctions of clock constraints under which the formula holds for these values.
    fn outside(
        &mut self,
        graph: &ZoneGraph<'_, W>,
        values: &[i32],
    ) -> Result<Vec<Meeting<W>>, RunTimeError> {
        let active = self.active_clocks.of(graph.bounds, values);
        let zone = Zone::universe(active.rows.len());
        let everywhere = SymbolicState { values: values.to_vec(), key: Vec::new(), zone, price: 0 };
        self.avoided.disjuncts(&everywhere)
    }

    /// The valuations after a transition and before the delay.
    fn landed(
        &mut self,
        graph: &ZoneGraph<'_, W>,
        source: Option<&SymbolicState<W>>,
        transition: &Transition<W>,
        values: &[i32],
    ) -> Option<Zone<W>> {
        let target = self.active_clocks.of(graph.bounds, values);
        let mut zone = match source {
            Some(source) => {
                self.landing.active = self.active_clocks.of(graph.bounds, &source.values);
                let mut cut = source.zone.clone();
                constrain(&mut cut, &self.landing.active, &transition.before).ok()?;
                self.landing.image_of(graph, &cut, values, &transition.effects)
            }
            None => {
                let value = |&row: &u32| match row {
                    0 => (Row::ZERO, 0),
                    row => (Row::ZERO, graph.network.initial_clocks[row as usize - 1]),
                };
                let images: Vec<(Row, i32)> = target.rows.iter().map(value).collect();
                let mut zone = Zone::origin(1);
                Zone::origin(1).image_into(&images, &mut zone);
                zone
            }
        };
        constrain(&mut zone, &target, &transition.arrival).ok()?;
        Some(zone)
    }
}
