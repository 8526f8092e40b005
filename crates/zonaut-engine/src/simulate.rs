//! Stepping through symbolic states.

use crate::answer::{Reason, Verdict, verdict_of_failure};
use crate::prepared::Prepared;
use crate::session::Session;
use std::ops::ControlFlow;
use zonaut_dbm::Wide;
use zonaut_model::Formula;
use zonaut_space::TransitionSystem;
use zonaut_trace::{Namer, Trace, TraceEdge};
use zonaut_zonegraph::{
    Abstraction, Destination, Step, StepError, SymbolicState, ZoneGraph, concretise, zone_names,
};

/// A path through the symbolic states of a model, with a position on it. Zones are exact, so that
/// all that is shown can be reached.
pub struct Simulator<'s> {
    graph: &'s ZoneGraph<'s, Wide>,
    namer: Namer<'s>,
    scratch: <ZoneGraph<'s, Wide> as TransitionSystem>::Scratch,
    states: Vec<SymbolicState<Wide>>,
    steps: Vec<Step>,
    position: usize,
    choices: Vec<Choice>,
}

/// A transition that can be taken, or fails when it is.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The edges taken, the sender's first, receivers in system order; none where it fails to find
    /// out which there are.
    pub edges: Vec<TraceEdge>,
    /// How a run that takes it ends, if that fails.
    pub failure: Option<Verdict>,
    step: Step,
    target: Option<SymbolicState<Wide>>,
}

/// A symbolic state in the user's names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicView {
    /// Where every process is.
    pub locations: Vec<String>,
    /// Variables and their values.
    pub variables: Vec<(String, i32)>,
    /// What is known of the clocks that matter here.
    pub zone: String,
}

impl Session {
    /// Lets `work` step through the model, from its initial state on.
    ///
    /// # Errors
    /// Where the model cannot be explored or has no initial state.
    pub fn simulate<T>(&self, work: impl FnOnce(&mut Simulator<'_>) -> T) -> Result<T, Verdict> {
        if self.model.has_rates() {
            let why = "a simulation of stopwatches".to_owned();
            return Err(Verdict::Unknown(Reason::Unsuited(why)));
        }
        let prepared = Prepared::new(self, &Formula::truth(), Some(Abstraction::Exact));
        let graph = prepared.as_ref().map_err(Reason::clone).and_then(Prepared::graph);
        let graph = graph.map_err(Verdict::Unknown)?;
        let mut scratch = graph.scratch();
        let mut initial = Err(StepError::InitialInvariant);
        let _ = graph.for_each_initial(&mut scratch, |state| {
            initial = state.cloned();
            ControlFlow::Break(())
        });
        let mut simulator = Simulator {
            graph: &graph,
            namer: self.namer(),
            scratch,
            states: vec![initial.map_err(verdict_of_failure)?],
            steps: Vec::new(),
            position: 0,
            choices: Vec::new(),
        };
        simulator.find_choices();
        Ok(work(&mut simulator))
    }
}

impl Simulator<'_> {
    /// Where the simulation stands.
    #[must_use]
    pub fn state(&self) -> SymbolicView {
        let state = &self.states[self.position];
        let names =
            zone_names(&self.graph.rows(state), |clock| &self.namer.model.clocks[clock].name);
        SymbolicView {
            locations: self.namer.locations(&state.values),
            variables: self.namer.variables(&state.values),
            zone: state.zone.display(&names).to_string(),
        }
    }

    /// What can be done next.
    #[must_use]
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// The number of transitions before this state.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// The number of transitions of the path, those after this state included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether no transition was taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Takes a transition and forgets what came after this state; does nothing and says so if
    /// there is no such choice or it fails.
    pub fn take(&mut self, choice: usize) -> bool {
        let Some(Choice { step, target: Some(target), .. }) = self.choices.get(choice) else {
            return false;
        };
        self.steps.truncate(self.position);
        self.states.truncate(self.position + 1);
        self.steps.push(*step);
        self.states.push(target.clone());
        self.position += 1;
        self.find_choices();
        true
    }

    /// Goes to a position of the path; does nothing and says so if there is none.
    pub fn go_to(&mut self, position: usize) -> bool {
        if position >= self.states.len() {
            return false;
        }
        self.position = position;
        self.find_choices();
        true
    }

    /// A concrete run along the path to this state.
    #[must_use]
    pub fn trace(&self) -> Option<Trace> {
        let run =
            concretise(self.graph, &self.steps[..self.position], Destination::Anywhere).ok()?;
        Some(self.namer.trace(self.graph.network(), &run))
    }

    fn find_choices(&mut self) {
        let (graph, namer) = (self.graph, &self.namer);
        let choices = &mut self.choices;
        choices.clear();
        let state = &self.states[self.position];
        let _ =
            graph.visit_successors(state, &mut self.scratch, &mut |step, transition, target| {
                let edges = transition
                    .participants
                    .iter()
                    .map(|&action| namer.edge(graph.network(), action));
                let edges = edges.collect();
                let (target, failure) = match target {
                    Ok(target) => (Some(target.clone()), None),
                    Err(error) => (None, Some(verdict_of_failure(error))),
                };
                choices.push(Choice { edges, failure, step, target });
                ControlFlow::Continue(())
            });
    }
}
