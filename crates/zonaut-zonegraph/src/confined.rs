//! The zone graph of the runs on which a state formula never holds.
//!
//! Where the formula to be avoided speaks of data alone, a state is in the graph or not. Where it
//! speaks of clocks, time that passes may run into it, so what a delay reaches is cut down to what
//! it reaches before ([`stay`]). A state has an end where a maximal run may stay for good
//! ([`ending`]), and a cycle can be repeated for ever from the valuations that [`cycle`] finds.
//!
//! Zones are widened with the greatest constants of clocks, or not at all. The equivalence of
//! valuations that this respects is a bisimulation, so what is found is exact for cycles and ends,
//! as it would not be with lower and upper bounds.

mod cycle;
mod ending;
mod past;
mod stay;
#[cfg(test)]
mod tests;

pub use cycle::Departures;
pub use ending::Ending;
pub use stay::constraints_of;

use crate::abstraction::{Abstraction, Widening};
use crate::constraints::{ZoneConstraint, constrain};
use crate::delay::{Urgency, Wait, delay_until, urgency_of};
use crate::frame::{Frame, Frames};
use crate::goal::{CompiledGoal, ZoneGoal};
use crate::graph::{StepError, Transition, Unsound, ZoneGraph};
use crate::state::SymbolicState;
use crate::successors::{Scratch, Visit};
use stay::{Meeting, stays_before};
use std::ops::ControlFlow;
use std::rc::Rc;
use zonaut_compile::{BoundsTable, CompiledNetwork, Step};
use zonaut_dbm::{Narrow, Row, Width, Zone};
use zonaut_model::interpret::RunTimeError;

/// The zone graph of the runs on which a formula never holds.
pub struct Confined<'g, 'n, W: Width = Narrow> {
    graph: ZoneGraph<'n, W>,
    scratch: Scratch<W>,
    confining: Confining<'g, 'n, W>,
}

/// What it takes to cut successors down.
struct Confining<'g, 'n, W: Width> {
    avoided: ZoneGoal<'g, 'n, W>,
    frames: Frames,
    widening: Widening,
    /// Zones before the delay are computed here, while another scratch visits successors.
    landing: Scratch<W>,
    parts: Vec<Zone<W>>,
}

/// Who is called with each part of what a transition leads to.
type VisitPart<'v, W> = dyn FnMut(&Transition<W>, &mut SymbolicState<W>) -> ControlFlow<()> + 'v;

/// How time passes in a discrete state.
struct Waiting<W: Width> {
    invariant: Vec<ZoneConstraint<W>>,
    urgency: Urgency<W>,
}

impl<W: Width> Waiting<W> {
    /// Whether the invariant lets time pass without end.
    fn is_unbounded(&self) -> bool {
        !self.invariant.iter().any(|c| c.x != 0 && c.y == 0 && !c.bound.is_infinite())
    }

    /// The urgent synchronisations that stop time; none where it is stopped at once.
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

impl<'g, 'n, W: Width> Confined<'g, 'n, W> {
    /// The runs of `network` on which `avoided` never holds. `bounds` know the constants of the
    /// formula. Zones are exact, or widened with greatest constants.
    ///
    /// # Errors
    /// Where a constant is too large for bounds of this width.
    pub fn new(
        network: &'n CompiledNetwork,
        bounds: &'n BoundsTable,
        avoided: &'g CompiledGoal,
        abstraction: Abstraction,
    ) -> Result<Self, Unsound> {
        debug_assert!(matches!(abstraction, Abstraction::Exact | Abstraction::Maximum));
        let graph = ZoneGraph::new(network, bounds, Abstraction::Exact)?;
        let confining = Confining {
            avoided: ZoneGoal::new(&graph, avoided),
            frames: Frames::new(network.process_count()),
            widening: Widening::new(abstraction, bounds),
            landing: Scratch::new(&graph),
            parts: Vec::new(),
        };
        Ok(Self { scratch: Scratch::new(&graph), graph, confining })
    }

    /// The zone graph of all runs.
    #[must_use]
    pub fn graph(&self) -> &ZoneGraph<'n, W> {
        &self.graph
    }

    /// Visits the initial states, as far as they avoid the formula.
    pub fn visit_initial(&mut self, visit: &mut Visit<'_, W>) -> ControlFlow<()> {
        let Self { graph, scratch, confining } = self;
        graph.visit_initial(scratch, &mut |step, transition, target| match target {
            Err(error) => visit(step, transition, Err(error)),
            Ok(target) => confining.present(graph, None, (step, transition), target, visit),
        })
    }

    /// Visits the successors of `state`, as far as they avoid the formula.
    pub fn visit_successors(
        &mut self,
        state: &SymbolicState<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<()> {
        let Self { graph, scratch, confining } = self;
        graph.visit_successors(state, scratch, &mut |step, transition, target| match target {
            Err(error) => visit(step, transition, Err(error)),
            Ok(target) => confining.present(graph, Some(state), (step, transition), target, visit),
        })
    }

    /// Visits what can be reached by delay from where `begin` holds in `state`, a state of the graph
    /// of all runs, as far as it avoids the formula from there on. The transition has no
    /// participants.
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
        let frame = self.confining.frames.of(self.graph.bounds, &state.values);
        let ways = ZoneGoal::new(&self.graph, begin).ways(state)?;
        let outside = self.confining.outside(&self.graph, &state.values)?;
        if ways.is_empty() || outside.iter().any(Vec::is_empty) {
            return Ok(ControlFlow::Continue(()));
        }
        let waiting = self.waiting(&state.values)?;
        for way in ways {
            let mut zone = state.zone.clone();
            if constrain(&mut zone, &frame, &way).is_err() {
                continue;
            }
            for mut transition in self.unconfined_stays(&zone, &frame, &waiting)? {
                transition.before.clone_from(&way);
                let mut part = zone.clone();
                if constrain(&mut part, &frame, &transition.arrival).is_err() {
                    continue;
                }
                let mut target = state.clone();
                let meter = self.graph.network.meter();
                let stays = stays_before(&part, &frame, &transition, &outside, meter);
                let flow = self.confining.present_stays(
                    &frame,
                    (&transition, stays.map_err(StepError::Stopped)?),
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

    /// How time passes from the valuations of `zone`, whatever is to be avoided: transitions that
    /// say where a stay begins and ends.
    fn unconfined_stays(
        &self,
        zone: &Zone<W>,
        frame: &Frame,
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
        let meter = self.graph.network.meter();
        // Where clocks stand still, nobody asks for maximal runs.
        let wait = Wait { frame, conditions, invariant, stopped: &[] };
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

    /// How time passes in the discrete state with these values.
    fn waiting(&mut self, values: &[i32]) -> Result<Waiting<W>, RunTimeError> {
        let Self { graph, scratch, .. } = self;
        scratch.successor.values.clear();
        scratch.successor.values.extend_from_slice(values);
        let mut invariant = Vec::new();
        let location_flags = graph.collect_invariants(&mut invariant, scratch)?;
        let location_flags =
            location_flags.expect("invariant: the invariants of a state hold by its data");
        let Scratch { successor, machine, urgent, .. } = scratch;
        let urgency =
            urgency_of(graph.network, location_flags, &mut successor.values, machine, urgent)?;
        Ok(Waiting { invariant, urgency })
    }

    fn frame(&mut self, values: &[i32]) -> Rc<Frame> {
        self.confining.frames.of(self.graph.bounds, values)
    }
}

impl<W: Width> Confining<'_, '_, W> {
    /// Visits what avoids the formula in `target`, which a transition leads to from `source`.
    fn present(
        &mut self,
        graph: &ZoneGraph<'_, W>,
        source: Option<&SymbolicState<W>>,
        (step, transition): (Step, &Transition<W>),
        target: &mut SymbolicState<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<()> {
        let outside = match self.outside(graph, &target.values) {
            Ok(outside) => outside,
            Err(error) => return visit(step, transition, Err(error.into())),
        };
        let frame = self.frames.of(graph.bounds, &target.values);
        let mut pass = |transition: &Transition<W>, target: &mut SymbolicState<W>| {
            visit(step, transition, Ok(target))
        };
        if outside.is_empty() {
            return self.widen(&frame, transition, target, &mut pass);
        }
        if outside.iter().any(Vec::is_empty) {
            return ControlFlow::Continue(());
        }
        let Some(landed) = self.landed(graph, source, transition, &target.values) else {
            return ControlFlow::Continue(());
        };
        match stays_before(&landed, &frame, transition, &outside, graph.network.meter()) {
            Ok(stays) => self.present_stays(&frame, (transition, stays), target, &mut pass),
            Err(why) => visit(step, transition, Err(StepError::Stopped(why))),
        }
    }

    /// Visits each of `stays` as the state in `target`.
    fn present_stays(
        &mut self,
        frame: &Frame,
        (transition, stays): (&Transition<W>, Vec<crate::delay::Stay<W>>),
        target: &mut SymbolicState<W>,
        visit: &mut VisitPart<'_, W>,
    ) -> ControlFlow<()> {
        let mut confined = transition.clone();
        let whole = target.clone();
        for stay in stays {
            confined.arrival.truncate(transition.arrival.len());
            confined.arrival.extend(stay.arrival);
            let leaving = transition.departure().iter().copied().chain(stay.end.constraints);
            confined.leaving = Some(leaving.collect());
            confined.delayed = stay.delayed;
            target.clone_from(&whole);
            target.zone = stay.end.zone;
            self.widen(frame, &confined, target, visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Visits the state in `target` with its zone widened.
    fn widen(
        &mut self,
        frame: &Frame,
        transition: &Transition<W>,
        target: &mut SymbolicState<W>,
        visit: &mut VisitPart<'_, W>,
    ) -> ControlFlow<()> {
        if !self.widening.widen(frame, &mut target.zone, &mut self.parts) {
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

    /// The conjunctions of clock constraints under which the formula holds with these values.
    fn outside(
        &mut self,
        graph: &ZoneGraph<'_, W>,
        values: &[i32],
    ) -> Result<Vec<Meeting<W>>, RunTimeError> {
        let frame = self.frames.of(graph.bounds, values);
        let zone = Zone::universe(frame.rows.len());
        let everywhere = SymbolicState { values: values.to_vec(), key: Vec::new(), zone, price: 0 };
        self.avoided.ways(&everywhere)
    }

    /// The valuations that a transition leads to before time passes.
    fn landed(
        &mut self,
        graph: &ZoneGraph<'_, W>,
        source: Option<&SymbolicState<W>>,
        transition: &Transition<W>,
        values: &[i32],
    ) -> Option<Zone<W>> {
        let target = self.frames.of(graph.bounds, values);
        let mut zone = match source {
            Some(source) => {
                self.landing.frame = self.frames.of(graph.bounds, &source.values);
                let mut cut = source.zone.clone();
                constrain(&mut cut, &self.landing.frame, &transition.before).ok()?;
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
