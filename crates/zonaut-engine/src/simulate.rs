//! Simulation: stepping through symbolic states.

use crate::answer::{Verdict, verdict_of_failure};
use crate::prepared::Prepared;
use crate::session::Session;
use std::ops::ControlFlow;
use std::sync::Arc;
use zonaut_compile::{ActionId, ClockRow, Constraint};
use zonaut_concrete::{Destination, Stay, concretise, concretise_staying};
use zonaut_dbm::{Wide, Zone};
use zonaut_model::{Formula, ProcessId};
use zonaut_space::TransitionSystem;
use zonaut_trace::{Namer, Rational, Trace, TraceEdge, TraceState, false_conjuncts};
use zonaut_zonegraph::{
    Abstraction, Obstacle, Step, StepError, SymbolicState, ZoneGraph, zone_names,
};

/// A path through the symbolic states of a model, with a current position. Zones are exact, so all
/// shown states are reachable. It owns its data: it can be stored and sent to threads, and clones
/// are independent.
#[derive(Clone)]
pub struct Simulator {
    session: Session,
    prepared: Arc<Prepared>,
    states: Vec<SymbolicState<Wide>>,
    steps: Vec<Step>,
    /// The edges of each step.
    taken: Vec<Vec<TraceEdge>>,
    position: usize,
    choices: Vec<Choice>,
}

/// An enabled transition, or one that raises a run-time error.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The participating edges, the sender's first, receivers in system order; empty if the enabled
    /// transitions could not be computed.
    pub edges: Vec<TraceEdge>,
    /// The verdict of a run that takes it, if it fails.
    pub failure: Option<Verdict>,
    step: Step,
    target: Option<SymbolicState<Wide>>,
}

/// A disabled transition.
#[derive(Clone, Debug)]
pub struct DisabledTransition {
    /// The edges, the sender's first; a single edge if it has no partner.
    pub edges: Vec<TraceEdge>,
    /// The reason why it is disabled.
    pub why: String,
}

/// A symbolic state in the user's names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicView {
    /// The location of every process.
    pub locations: Vec<String>,
    /// Variables and their values.
    pub variables: Vec<(String, i32)>,
    /// The constraints of the active clocks.
    pub zone: String,
}

/// A symbolic state in the user's names.
pub(crate) fn viewed(
    session: &Session,
    graph: &ZoneGraph<'_, Wide>,
    state: &SymbolicState<Wide>,
) -> SymbolicView {
    let (namer, clocks) = (session.namer(), &session.model().clocks);
    let rows = graph.rows(state);
    let names = zone_names(&rows, |clock| &clocks[clock].name);
    SymbolicView {
        locations: namer.locations(&state.values),
        variables: namer.variables(&state.values),
        zone: state.zone.display(&names).to_string(),
    }
}

impl Session {
    /// A simulator in the initial state of the model.
    ///
    /// # Errors
    /// If the model cannot be explored or has no initial state.
    pub fn simulator(&self) -> Result<Simulator, Verdict> {
        let prepared = Prepared::new(self, &Formula::truth(), Some(Abstraction::Exact));
        let prepared = Arc::new(prepared.map_err(Verdict::Unknown)?);
        let graph: ZoneGraph<'_, Wide> = prepared.graph().map_err(Verdict::Unknown)?;
        let mut initial = Err(StepError::InitialInvariant);
        let _ = graph.for_each_initial(&mut graph.scratch(), |state| {
            initial = state.cloned();
            ControlFlow::Break(())
        });
        let initial = initial.map_err(verdict_of_failure)?;
        let mut simulator = Simulator {
            session: self.clone(),
            prepared: Arc::clone(&prepared),
            states: vec![initial],
            steps: Vec::new(),
            taken: Vec::new(),
            position: 0,
            choices: Vec::new(),
        };
        simulator.find_choices();
        Ok(simulator)
    }
}

impl Simulator {
    /// The current state.
    #[must_use]
    pub fn state(&self) -> SymbolicView {
        viewed(&self.session, &self.graph(), &self.states[self.position])
    }

    /// The enabled transitions of the current state.
    #[must_use]
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// The disabled transitions that leave the current locations, each with the reason.
    ///
    /// # Errors
    /// If the evaluation of a guard, an index or an invariant fails.
    pub fn obstacles(&self) -> Result<Vec<DisabledTransition>, Verdict> {
        let (graph, namer) = (self.graph(), self.session.namer());
        let state = &self.states[self.position];
        let mut scratch = graph.scratch();
        // The computation of disabled transitions starts from the enabled ones.
        let _ =
            graph.visit_successors(state, &mut scratch, &mut |_, _, _| ControlFlow::Continue(()));
        let blocked = graph.obstacles(state, &mut scratch);
        let blocked = blocked.map_err(|error| verdict_of_failure(StepError::RunTime(error)))?;
        let edge = |&action: &_| namer.edge(graph.network(), action);
        let disabled = blocked.into_iter().map(|blocked| DisabledTransition {
            edges: blocked.participants.iter().map(edge).collect(),
            why: self.described(blocked.obstacle, &blocked.participants),
        });
        Ok(disabled.collect())
    }

    /// The number of transitions before the current state.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// The number of transitions of the path, including those after the current state.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether no transition was taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Takes a transition and drops the path after the current state. Returns `false` and changes
    /// nothing if there is no such transition or it fails.
    pub fn take(&mut self, choice: usize) -> bool {
        let Some(Choice { edges, step, target: Some(target), .. }) = self.choices.get(choice)
        else {
            return false;
        };
        self.steps.truncate(self.position);
        self.taken.truncate(self.position);
        self.taken.push(edges.clone());
        self.states.truncate(self.position + 1);
        self.steps.push(*step);
        self.states.push(target.clone());
        self.position += 1;
        self.find_choices();
        true
    }

    /// Moves to a position of the path. Returns `false` and changes nothing if there is no such
    /// position.
    pub fn go_to(&mut self, position: usize) -> bool {
        if position >= self.states.len() {
            return false;
        }
        self.position = position;
        self.find_choices();
        true
    }

    /// The edges of the transitions before the current state, in order.
    #[must_use]
    pub fn path(&self) -> &[Vec<TraceEdge>] {
        &self.taken[..self.position]
    }

    /// The zone of the current state, and the names of its clocks: that of row 1 first.
    #[must_use]
    pub fn zone(&self) -> (&Zone<Wide>, Vec<String>) {
        let state = &self.states[self.position];
        let clocks = &self.session.model().clocks;
        let rows = self.graph().rows(state);
        let names = zone_names(&rows, |clock| &clocks[clock].name);
        (&state.zone, names.into_iter().skip(1).map(str::to_owned).collect())
    }

    /// Takes the enabled transition with these edges to a state with these locations and variables.
    /// Returns its index, or `None` if there is no such transition.
    pub fn take_to(
        &mut self,
        edges: &[TraceEdge],
        locations: &[String],
        variables: &[(String, i32)],
    ) -> Option<usize> {
        let choices = self.choices().iter().enumerate();
        let fitting = choices.filter(|(_, it)| it.failure.is_none() && it.edges == edges);
        let numbers: Vec<usize> = fitting.map(|(number, _)| number).collect();
        numbers.into_iter().find(|&number| {
            let mut next = self.clone();
            next.take(number);
            let view = next.state();
            let is_there = view.locations == locations && view.variables == variables;
            if is_there {
                *self = next;
            }
            is_there
        })
    }

    /// The earliest run along the path to the current state with the given delays: `stays` has an
    /// optional delay for each state, the initial one first. Returns `None` if there is no such
    /// run.
    #[must_use]
    pub fn trace_staying<D: Copy + Into<Rational>>(&self, stays: &[Option<D>]) -> Option<Trace> {
        let (graph, steps) = self.graph_and_steps();
        let stay = |stay: &Option<D>| {
            let Rational { numerator, denominator } = (*stay)?.into();
            Some(Stay { numerator, denominator })
        };
        let stays: Vec<Option<Stay>> = stays.iter().map(stay).collect();
        let run = concretise_staying(&graph, steps, &stays).ok()?;
        Some(self.session.namer().trace(graph.network(), &run))
    }

    /// The graph of exact zones, and the steps to the current state.
    pub(crate) fn graph_and_steps(&self) -> (ZoneGraph<'_, Wide>, &[Step]) {
        (self.graph(), &self.steps[..self.position])
    }

    pub(crate) fn namer(&self) -> Namer<'_> {
        self.session.namer()
    }

    /// A concrete run along the path to the current state.
    #[must_use]
    pub fn trace(&self) -> Option<Trace> {
        let (graph, steps) = (self.graph(), &self.steps[..self.position]);
        let run = concretise(&graph, steps, Destination::Anywhere).ok()?;
        Some(self.session.namer().trace(graph.network(), &run))
    }

    fn find_choices(&mut self) {
        let (graph, namer) = (self.graph(), self.session.namer());
        let mut choices = Vec::new();
        let state = &self.states[self.position];
        let mut scratch = graph.scratch();
        let _ = graph.visit_successors(state, &mut scratch, &mut |step, transition, target| {
            let edges = transition.participants.iter();
            let edges = edges.map(|&action| namer.edge(graph.network(), action)).collect();
            let (target, failure) = match target {
                Ok(target) => (Some(target.clone()), None),
                Err(error) => (None, Some(verdict_of_failure(error))),
            };
            choices.push(Choice { edges, failure, step, target });
            ControlFlow::Continue(())
        });
        // With stopwatches, zones over-approximate: only transitions with a concrete run are
        // offered.
        if self.session.model().has_rates() {
            choices.retain(|choice| {
                let steps = [&self.steps[..self.position], &[choice.step]].concat();
                let is_possible = choice.target.is_some();
                let end = if is_possible { Destination::Anywhere } else { Destination::Failure };
                concretise(&graph, &steps, end).is_ok()
            });
        }
        self.choices = choices;
    }

    /// The graph of exact zones, which is cheap to construct.
    fn graph(&self) -> ZoneGraph<'_, Wide> {
        self.prepared.graph().expect("invariant: the simulator began with this graph")
    }

    fn described(&self, obstacle: Obstacle, participants: &[ActionId]) -> String {
        let model = self.session.model();
        let process = |id: ProcessId| &model.processes[id].name;
        match obstacle {
            Obstacle::DataGuard => {
                let conjuncts =
                    participants.iter().flat_map(|&action| self.false_conjuncts(action));
                let conjuncts: Vec<String> = conjuncts.collect();
                match conjuncts.is_empty() {
                    true => "the guard is false".to_owned(),
                    false => format!("the guard is false: {}", conjuncts.join("; ")),
                }
            }
            Obstacle::Committed(id) => format!("`{}` is in a committed location", process(id)),
            Obstacle::NoPartner(channel) => {
                format!("no process can synchronise on `{}`", model.channels[channel].name)
            }
            Obstacle::ClockGuard(_, bound) => {
                format!("the guard requires `{}`", self.constraint(bound))
            }
            Obstacle::DataInvariant(id) => {
                format!("the invariant of the target location of `{}` is false", process(id))
            }
            Obstacle::ClockInvariant(id, bound) => {
                let bound = self.constraint(bound);
                format!(
                    "the invariant of the target location of `{}` requires `{bound}`",
                    process(id)
                )
            }
            Obstacle::NoMoment => "the edges are never enabled at the same time".to_owned(),
            Obstacle::Priority => "a transition of higher priority is enabled".to_owned(),
        }
    }

    /// The conjuncts of an action's guard that are false in the current state, without clocks.
    fn false_conjuncts(&self, action: ActionId) -> Vec<String> {
        let graph = self.graph();
        let action = graph.network().action(action);
        let edge = &self.session.model().processes[action.process].edges[action.edge];
        let Some(guard) = edge.guard.data else { return Vec::new() };
        let (namer, values) = (self.session.namer(), &self.states[self.position].values);
        let (locations, variables) = (namer.locations(values), namer.variables(values));
        let state = TraceState { locations, variables, clocks: Vec::new() };
        let select = edge.select.iter().zip(&action.select).map(|(it, &value)| (it.binder, value));
        let select: Vec<_> = select.collect();
        false_conjuncts(self.session.labels(), self.session.sources(), &state, &select, guard)
    }

    /// The text of `x - y` within a bound, reversed if the constant is negative.
    fn constraint(&self, Constraint { x, y, bound }: Constraint) -> String {
        let clocks = &self.session.model().clocks;
        let name = |row: ClockRow| zone_names(&[row], |clock| &clocks[clock].name)[0].to_owned();
        let value = bound.value();
        let is_lower = x == 0 || (y != 0 && value < 0);
        let (x, y, value) = if is_lower { (y, x, -value) } else { (x, y, value) };
        let relation = match (is_lower, bound.is_strict()) {
            (true, true) => ">",
            (true, false) => ">=",
            (false, true) => "<",
            (false, false) => "<=",
        };
        let left = if y == 0 { name(x) } else { format!("{} - {}", name(x), name(y)) };
        format!("{left} {relation} {value}")
    }
}
