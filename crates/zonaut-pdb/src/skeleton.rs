//! The skeleton: the discrete states of an abstract model and the transitions between them, with
//! the guards and effects on clocks.
//!
//! Zones are not part of it. Every reachable state of the abstract model has the discrete part of a
//! live state that simulates it, so no discrete state is missing; and the simulating state has
//! every transition of the simulated one, so no transition is missing either. Of a broadcast only
//! the guards of its participants are kept, not the failing guards of processes that do not
//! receive: these may differ between the two states.

use crate::abstract_model::AbstractModel;
use crate::exploration::Explored;
use crate::faults::{Clause, is_disabled};
use crate::mapping::{Activity, rows_of};
use crate::meter_poll::MeterPoll;
use std::collections::HashMap;
use std::ops::ControlFlow;
use zonaut_compile::{ActionId, ClockRow, CompiledNetwork, Machine};
use zonaut_dbm::Width;
use zonaut_heuristics::{Participant, Weights};
use zonaut_model::Formula;
use zonaut_model::interpret::ClockEffect;
use zonaut_space::TransitionSystem;
use zonaut_zonegraph::{
    CompiledGoal, StepError, SymbolicState, Transition, ZoneConstraint, ZoneGoal,
};

/// A discrete state.
pub(crate) struct DiscreteState<W: Width> {
    /// Its clocks, the reference clock first.
    pub(crate) rows: Vec<ClockRow>,
    /// The invariant.
    pub(crate) invariant: Vec<ZoneConstraint<W>>,
    /// Whether time can pass in it.
    pub(crate) delays: bool,
    /// The clock constraints of the goal, if it can hold.
    pub(crate) goal: Option<Vec<ZoneConstraint<W>>>,
    /// Whether some state of this discrete part was not expanded.
    pub(crate) is_open: bool,
    /// The incoming transitions, by index.
    pub(crate) arrivals: Vec<u32>,
}

/// A transition between discrete states.
pub(crate) struct DiscreteTransition<W: Width> {
    /// The source state.
    pub(crate) source: u32,
    /// The target state.
    pub(crate) target: u32,
    /// The clock constraints of the guard.
    pub(crate) guard: Vec<ZoneConstraint<W>>,
    /// The effects on clocks, in order.
    pub(crate) effects: Vec<ClockEffect>,
    /// The least weight.
    pub(crate) weight: u32,
}

impl<W: Width> DiscreteTransition<W> {
    /// Whether it is equal to another one apart from the weight.
    fn is_like(&self, other: &Self) -> bool {
        let ends = (self.source, self.target) == (other.source, other.target);
        ends && self.guard == other.guard && self.effects == other.effects
    }
}

/// The discrete graph of an abstract model.
pub(crate) struct Skeleton<W: Width> {
    pub(crate) words: usize,
    /// The keys of the states, concatenated.
    pub(crate) keys: Vec<u64>,
    pub(crate) states: Vec<DiscreteState<W>>,
    pub(crate) transitions: Vec<DiscreteTransition<W>>,
    /// Whether the successors of every state are known.
    pub(crate) is_complete: bool,
}

/// The skeleton under construction.
struct Builder<'a, W: Width> {
    abstract_model: &'a AbstractModel,
    weights: &'a dyn Weights,
    network: &'a CompiledNetwork,
    activity: &'a Activity,
    machine: Machine,
    skeleton: Skeleton<W>,
    numbers: HashMap<Box<[u64]>, u32>,
    /// By state, the transitions that leave it.
    departures: Vec<Vec<u32>>,
    mask: Vec<u64>,
}

impl<W: Width> Skeleton<W> {
    /// The skeleton of the explored part of `abstract_model`. `may_go_on` is called regularly with
    /// the number of discrete states. If `meter_poll` finds that the meter has stopped, the result
    /// is meaningless.
    pub(crate) fn new(
        abstract_model: &AbstractModel,
        weights: &dyn Weights,
        activity: &Activity,
        explored: &Explored<'_, W>,
        meter_poll: &mut MeterPoll<'_>,
        mut may_go_on: impl FnMut(usize) -> bool,
    ) -> Self {
        let network = explored.graph.network();
        let words = network.packing.words();
        let mut builder = Builder {
            abstract_model,
            weights,
            network,
            activity,
            machine: network.machine(explored.graph.meter()),
            skeleton: Self {
                words,
                keys: Vec::new(),
                states: Vec::new(),
                transitions: Vec::new(),
                is_complete: explored.is_complete,
            },
            numbers: HashMap::new(),
            departures: Vec::new(),
            mask: Vec::new(),
        };
        let graph = &explored.graph;
        let mut scratch = graph.scratch();
        let _ = graph.visit_initial(&mut scratch, &mut |_, transition, state| {
            if let Ok(state) = state {
                builder.arrive(state, transition);
            }
            ControlFlow::Continue(())
        });
        let goal = CompiledGoal::new(&abstract_model.model, &abstract_model.goal);
        let mut goal_test = ZoneGoal::new(graph, &goal);
        let is_simple = is_conjunction(&abstract_model.goal);
        let mut is_stopped = false;
        explored.for_each(|state, is_expanded| {
            if meter_poll.is_over() {
                return;
            }
            let number = builder.number(state);
            // A goal that cannot be evaluated may hold.
            if let Some(demands) = goal_test.witness(state).unwrap_or(Some(Vec::new())) {
                let demands = if is_simple { demands } else { Vec::new() };
                builder.skeleton.states[number as usize].goal = Some(demands);
            }
            if is_stopped || !is_expanded {
                builder.skeleton.states[number as usize].is_open = true;
                return;
            }
            is_stopped = !may_go_on(builder.skeleton.states.len());
            let _ = graph.visit_successors(state, &mut scratch, &mut |_, transition, target| {
                match target {
                    Ok(target) => builder.add(number, state, transition, target),
                    Err(StepError::Stopped(_)) => {
                        builder.skeleton.states[number as usize].is_open = true;
                        is_stopped = true;
                    }
                    Err(_) => {}
                }
                ControlFlow::Continue(())
            });
        });
        builder.skeleton.is_complete &= !is_stopped;
        builder.skeleton
    }
}

impl<W: Width> Builder<'_, W> {
    /// The index of a state's discrete part.
    fn number(&mut self, state: &SymbolicState<W>) -> u32 {
        if let Some(&number) = self.numbers.get(state.key()) {
            return number;
        }
        let number = self.skeleton.states.len() as u32;
        self.numbers.insert(state.key().into(), number);
        self.skeleton.keys.extend_from_slice(state.key());
        self.activity.collect(&state.values, &mut self.mask);
        let rows = std::iter::once(0).chain(rows_of(&self.mask)).collect();
        self.skeleton.states.push(DiscreteState {
            rows,
            invariant: Vec::new(),
            delays: true,
            goal: None,
            is_open: false,
            arrivals: Vec::new(),
        });
        self.departures.push(Vec::new());
        number
    }

    /// Records the invariant of the target of a transition.
    fn arrive(&mut self, target: &SymbolicState<W>, transition: &Transition<W>) -> u32 {
        let number = self.number(target);
        let state = &mut self.skeleton.states[number as usize];
        // It is the same for all transitions to this state: it depends on the discrete part only.
        state.invariant.clone_from(&transition.arrival);
        state.delays = transition.delayed;
        number
    }

    fn add(
        &mut self,
        source: u32,
        state: &SymbolicState<W>,
        transition: &Transition<W>,
        target: &SymbolicState<W>,
    ) {
        let target = self.arrive(target, transition);
        let guard = self.guards(&transition.participants, state);
        let effects = transition.effects.clone();
        let weight = self.weight(&transition.participants);
        let added = DiscreteTransition { source, target, guard, effects, weight };
        let mut known = self.departures[source as usize].iter().copied();
        let transitions = &mut self.skeleton.transitions;
        if let Some(twin) = known.find(|&twin| transitions[twin as usize].is_like(&added)) {
            let twin = &mut transitions[twin as usize];
            if !is_disabled(Clause::LighterAgain) {
                twin.weight = twin.weight.min(weight);
            }
            return;
        }
        let number = self.skeleton.transitions.len() as u32;
        self.departures[source as usize].push(number);
        self.skeleton.states[target as usize].arrivals.push(number);
        self.skeleton.transitions.push(added);
    }

    /// The weight of a transition of these participants.
    fn weight(&self, participants: &[ActionId]) -> u32 {
        let participants = participants.iter().map(|&action| {
            let action = self.network.action(action);
            Participant { process: action.process, edge: action.edge }
        });
        self.abstract_model.origins.weight(self.weights, participants)
    }

    /// The clock constraints of the guards of the participants.
    fn guards(
        &mut self,
        participants: &[ActionId],
        state: &SymbolicState<W>,
    ) -> Vec<ZoneConstraint<W>> {
        let mut all = Vec::new();
        let mut values = state.values.clone();
        for &action in participants {
            let guard = &self.network.action(action).guard;
            // They were evaluated before, so they do not fail.
            let _ = self.network.for_each_constraint(guard, &mut values, &mut self.machine, |c| {
                all.push(c.into());
            });
        }
        all
    }
}

/// Whether a formula has the same clock constraints in all disjuncts.
fn is_conjunction(formula: &Formula) -> bool {
    match formula {
        Formula::Data(_) | Formula::Clock(_) | Formula::Deadlock => true,
        Formula::Not(inner) => !has_clocks(inner),
        Formula::And(parts) => parts.iter().all(is_conjunction),
        Formula::Or(parts) => !parts.iter().any(has_clocks),
    }
}

fn has_clocks(formula: &Formula) -> bool {
    let mut found = false;
    formula.for_each_constraint(&mut |_| found = true);
    found
}
