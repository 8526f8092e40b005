//! A plain search of zone graphs, whose answers are compared with the oracles and replayed.

#![allow(dead_code, reason = "every test program uses a part of it")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use zonaut_base::{Id, Meter};
use zonaut_compile::{ActionId, BoundsTable, CompiledNetwork};
use zonaut_concrete::{ConcreteRun, Destination, concretise};
use zonaut_model::{Formula, Model, QueryId};
use zonaut_space::{Covering, Encoding, Goal, Member, NodeId, Successor, TransitionSystem};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::judge::truth;
use zonaut_testkit::network::Participant;
use zonaut_testkit::oracle::Limits;
use zonaut_testkit::replay::{Run, RunStep, goal_of, replay};
use zonaut_zonegraph::{
    Abstraction, Comparison, CompiledGoal, CoveringScratch, StateEncoding, Step, SymbolicState,
    ZoneCovering, ZoneGoal, ZoneGraph,
};

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Reachable(Vec<Step>),
    Unreachable,
    Failed(Vec<Step>),
    /// More states than the limit.
    Endless,
}

/// A model with its goal, compiled.
pub(crate) struct Subject {
    pub(crate) model: Model,
    pub(crate) goal: Formula,
    pub(crate) network: CompiledNetwork,
    pub(crate) bounds: BoundsTable,
}

impl Subject {
    pub(crate) fn of_text(text: &str, query: &str) -> Self {
        let (model, _) = model_of(text, &[query]).expect("a valid model");
        Self::of_model(model)
    }

    pub(crate) fn of_model(model: Model) -> Self {
        let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a goal");
        let network = CompiledNetwork::new(&model, &Meter::default()).expect("few actions");
        let bounds = BoundsTable::new(&model, &goal);
        Self { model, goal, network, bounds }
    }

    pub(crate) fn graph(&self, abstraction: Abstraction) -> Option<ZoneGraph<'_>> {
        ZoneGraph::new(&self.network, &self.bounds, abstraction, &Meter::default()).ok()
    }

    /// The stored states of a search, at most `limit`, and its result.
    pub(crate) fn explore(
        &self,
        abstraction: Abstraction,
        limit: usize,
    ) -> Option<(Vec<SymbolicState>, Answer)> {
        let graph = self.graph(abstraction)?;
        let goal = CompiledGoal::new(&self.model, &self.goal);
        let mut goal = ZoneGoal::new(&graph, &goal);
        let mut search = Search::new(&graph, limit);
        let answer = search.run(&mut goal);
        Some((search.states, answer))
    }

    /// The answer of one abstraction, with its run replayed.
    pub(crate) fn answer(&self, abstraction: Abstraction, limit: usize) -> Option<Answer> {
        let (_, answer) = self.explore(abstraction, limit)?;
        let graph = self.graph(abstraction)?;
        match &answer {
            Answer::Reachable(steps) => {
                let goal = CompiledGoal::new(&self.model, &self.goal);
                let run =
                    concretise(&graph, steps, Destination::Goal(&goal)).expect("a concrete run");
                let replayed = replay(&self.model, &self.goal, &as_replayed(&graph, &run));
                assert_eq!(replayed, Ok(()), "{abstraction:?}: {run:?}");
            }
            Answer::Failed(steps) => {
                let run = concretise(&graph, steps, Destination::Failure).expect("a concrete run");
                assert!(run.fails, "{abstraction:?}: {run:?}");
            }
            Answer::Unreachable | Answer::Endless => {}
        }
        Some(answer)
    }

    /// Compares every sound abstraction with the oracles. Exact zones may be infinitely many, and
    /// large constants make zone graphs large.
    pub(crate) fn agrees_with_oracles(&self, context: &dyn std::fmt::Display) -> Option<bool> {
        let query = &self.model.queries[QueryId::from_index(0)].kind;
        let (_, truth) = truth(&self.model, query, Limits::default())?;
        for abstraction in Abstraction::ALL {
            let may_be_endless = abstraction == Abstraction::Exact || self.bounds.greatest() > 50;
            match self.answer(abstraction, if may_be_endless { 300 } else { 20_000 }) {
                None => {}
                Some(Answer::Reachable(_)) => assert!(truth.goal.is_some(), "{context}"),
                Some(Answer::Failed(_)) => assert!(truth.failure.is_some(), "{context}"),
                Some(Answer::Unreachable) => {
                    let nothing = truth.goal.is_none() && truth.failure.is_none();
                    assert!(nothing, "{abstraction:?}: {context}");
                }
                Some(Answer::Endless) => assert!(may_be_endless, "{abstraction:?}: {context}"),
            }
        }
        Some(truth.goal.is_some())
    }
}

/// Checks a query `E<> p` in every sound abstraction, and against the oracles.
pub(crate) fn check(text: &str, query: &str, reachable: bool) {
    let subject = Subject::of_text(text, query);
    let context = format!("{text}\n{query}");
    assert_eq!(subject.agrees_with_oracles(&context), Some(reachable), "{context}");
}

struct Search<'g, 'n> {
    graph: &'g ZoneGraph<'n>,
    encoding: StateEncoding<'n>,
    covering: ZoneCovering<'n>,
    focused: CoveringScratch,
    states: Vec<SymbolicState>,
    parents: Vec<Option<(usize, Step)>>,
    by_key: BTreeMap<Vec<u64>, Vec<usize>>,
    limit: usize,
}

impl<'g, 'n> Search<'g, 'n> {
    fn new(graph: &'g ZoneGraph<'n>, limit: usize) -> Self {
        let covering = ZoneCovering::new(graph, Comparison::of(graph.abstraction()));
        Self {
            graph,
            encoding: StateEncoding::new(graph),
            focused: covering.scratch(),
            covering,
            states: Vec::new(),
            parents: Vec::new(),
            by_key: BTreeMap::new(),
            limit,
        }
    }

    fn add(&mut self, state: &SymbolicState, parent: Option<(usize, Step)>) -> bool {
        let key = self.encoding.bucket(state).to_vec();
        self.covering.focus(&key, &mut self.focused);
        let known = self.by_key.entry(key).or_default();
        let payload = self.encoding.payload(state);
        let covers = |&k: &usize| {
            let known = self.encoding.payload(&self.states[k]);
            let [larger, smaller] = [(k, known), (self.states.len(), payload)]
                .map(|(node, payload)| Member { node: NodeId::from_index(node), payload });
            self.covering.covers(larger, smaller, &mut self.focused)
        };
        if known.iter().any(covers) {
            return false;
        }
        known.push(self.states.len());
        self.states.push(state.clone());
        self.parents.push(parent);
        true
    }

    fn run(&mut self, goal: &mut ZoneGoal<'_, 'n>) -> Answer {
        let graph = self.graph;
        let mut scratch = graph.scratch();
        let mut answer = None;
        let _ = graph.for_each_initial(&mut scratch, |state| {
            match state {
                Err(_) => answer = Some(Answer::Failed(Vec::new())),
                Ok(state) => {
                    if goal.holds_in(state).expect("a goal that does not fail") {
                        answer = Some(Answer::Reachable(Vec::new()));
                    } else {
                        self.add(state, None);
                    }
                }
            }
            ControlFlow::Continue(())
        });
        let mut next = 0;
        while answer.is_none() && next < self.states.len() && next < self.limit {
            let state = self.states[next].clone();
            let _ = graph.for_each_successor(&state, &mut scratch, |successor| {
                answer = match successor {
                    Successor::Error(step, _) => Some(Answer::Failed(self.path(next, step))),
                    Successor::State(step, state) => {
                        let holds = goal.holds_in(state).expect("a goal that does not fail");
                        if !holds {
                            self.add(state, Some((next, step)));
                        }
                        holds.then(|| Answer::Reachable(self.path(next, step)))
                    }
                };
                if answer.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            next += 1;
        }
        let unfinished = next < self.states.len();
        answer.unwrap_or(if unfinished { Answer::Endless } else { Answer::Unreachable })
    }

    fn path(&self, last: usize, step: Step) -> Vec<Step> {
        let mut steps = vec![step];
        let mut at = last;
        while let Some((parent, step)) = self.parents[at] {
            steps.push(step);
            at = parent;
        }
        steps.reverse();
        steps
    }
}

/// The run in the form that is replayed.
pub(crate) fn as_replayed(graph: &ZoneGraph<'_>, run: &ConcreteRun) -> Run {
    let participant = |&action: &ActionId| {
        let action = graph.network().action(action);
        let select = action.select.to_vec();
        Participant { process: action.process, edge: action.edge, select }
    };
    let step = |step: &zonaut_concrete::RunStep| RunStep {
        delay: i128::from(step.delay),
        participants: step.participants.iter().map(participant).collect(),
    };
    let last = RunStep { delay: i128::from(run.last_delay), participants: Vec::new() };
    Run {
        denominator: i128::from(run.denominator),
        steps: run.steps.iter().map(step).chain([last]).collect(),
    }
}
