//! Maximal runs, by the graph of all states.
//!
//! The states of an oracle are finitely many, and delays without actions lead to the last one of
//! them. So an infinite run goes through a cycle with actions, or stays where time passes without a
//! relevant change. The states with a maximal run are the greatest set in which each state has an
//! end or a successor in the set.

use super::explore::{FiniteClocks, Learnt, Limits, Passing, is_deadlock, let_time_pass};
use super::reached::{pack, unpack};
use super::table::Table;
use crate::network::{Machine, Problem, State};
use std::ops::ControlFlow;
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{Formula, Model, QueryKind};

/// The existence of the maximal runs that decide a query: those that avoid `p` for `A<> p`, those
/// that always satisfy `p` for `E[] p`, those that avoid `q` from some state on in which `p` holds
/// for `p --> q`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MaximalRuns {
    /// All relevant states were explored.
    Decided {
        /// Whether such a run exists.
        exists: bool,
        /// The first run-time error in states of such runs, or before them.
        failure: Option<RunTimeError>,
        /// The first run-time error in avoided states: it may occur on entering them.
        failure_behind: Option<RunTimeError>,
    },
    /// The model is invalid, or not supported by the oracle.
    Refused(Problem),
    /// There are more states than the limit.
    TooLarge,
}

/// The objective of a query: the runs that decide it.
#[derive(Clone, Copy)]
struct Objective<'m> {
    avoided: &'m Formula,
    /// Whether the negation of the formula is avoided.
    is_negated: bool,
    begin: Option<&'m Formula>,
}

/// Explores until the clocks are represented precisely enough.
pub(super) fn look_for_maximal_run<'m, C: FiniteClocks>(
    model: &'m Model,
    query: &'m QueryKind,
    clocks: C,
    limits: Limits,
) -> MaximalRuns {
    let objective = match query {
        QueryKind::PossiblyAlways(formula) => {
            Objective { avoided: formula, is_negated: true, begin: None }
        }
        QueryKind::Eventually(formula) => {
            Objective { avoided: formula, is_negated: false, begin: None }
        }
        QueryKind::LeadsTo(from, to) => {
            Objective { avoided: to, is_negated: false, begin: Some(from) }
        }
        _ => return MaximalRuns::Refused(Problem::Unsupported("queries without maximal runs")),
    };
    if model.has_rates() {
        return MaximalRuns::Refused(Problem::Unsupported("clock rates"));
    }
    let mut machine = Machine::new(model, clocks);
    loop {
        let found = Graph::new(&mut machine, objective, limits).decide();
        match machine.clocks.learn() {
            Learnt::Enough => return found,
            Learnt::NoRoom => return MaximalRuns::TooLarge,
            Learnt::More => {}
        }
    }
}

/// The reachable states in which `formula` holds, and whether a run-time error is reachable; `None`
/// if the oracle cannot decide it.
pub(super) fn holding<'m, C: FiniteClocks>(
    machine: &mut Machine<'m, C>,
    formula: &'m Formula,
    limits: Limits,
) -> Option<(Vec<State<i32>>, bool)> {
    let objective = Objective { avoided: formula, is_negated: false, begin: Some(formula) };
    let mut graph = Graph::new(machine, objective, limits);
    let mut state = graph.machine.initial().ok()?;
    graph.number_of(&state);
    graph.explore()?;
    let holds = |id: &u32| graph.nodes[*id as usize].begins;
    let states = (0..graph.nodes.len() as u32).filter(holds).map(|id| {
        unpack(graph.table.row(id), &mut state);
        state.clone()
    });
    Some((states.collect(), graph.failure.is_some()))
}

/// A state of the graph.
#[derive(Clone, Default)]
struct Node {
    is_avoided: bool,
    begins: bool,
    is_end: bool,
    successors: Vec<u32>,
}

struct Graph<'g, 'm, C: FiniteClocks> {
    machine: &'g mut Machine<'m, C>,
    objective: Objective<'m>,
    limits: Limits,
    table: Table,
    nodes: Vec<Node>,
    /// The open list: states that are not expanded yet.
    open: Vec<(u32, State<i32>)>,
    failure: Option<RunTimeError>,
    failure_behind: Option<RunTimeError>,
    row: Vec<i32>,
}

impl<'g, 'm, C: FiniteClocks> Graph<'g, 'm, C> {
    fn new(machine: &'g mut Machine<'m, C>, objective: Objective<'m>, limits: Limits) -> Self {
        let model = machine.model();
        let width = model.processes.len() + model.cells.len() + model.clocks.len();
        let table = Table::new(width);
        let (nodes, open, row) = (Vec::new(), Vec::new(), Vec::new());
        let (failure, failure_behind) = (None, None);
        Self { machine, objective, limits, table, nodes, open, failure, failure_behind, row }
    }

    fn decide(mut self) -> MaximalRuns {
        match self.machine.initial() {
            Ok(state) => self.number_of(&state),
            Err(problem) => return MaximalRuns::Refused(problem),
        };
        if self.explore().is_none() {
            return MaximalRuns::TooLarge;
        }
        let goes_on = self.states_with_maximal_run();
        let exists = match self.objective.begin {
            None => goes_on[0],
            Some(_) => self.nodes.iter().zip(&goes_on).any(|(node, &on)| on && node.begins),
        };
        let Self { failure, failure_behind, .. } = self;
        MaximalRuns::Decided { exists, failure, failure_behind }
    }

    /// Expands all states; `None` if there are too many.
    fn explore(&mut self) -> Option<()> {
        while let Some((id, state)) = self.open.pop() {
            if let Err(error) = self.expand(id, &state) {
                self.failure.get_or_insert(error);
            }
            if self.nodes.len() > self.limits.states {
                return None;
            }
        }
        Some(())
    }

    /// The number of a state; a new state is added to the open list.
    fn number_of(&mut self, state: &State<i32>) -> u32 {
        pack(state, &mut self.row);
        let (id, is_new) = self.table.insert(&self.row);
        if is_new {
            self.nodes.push(Node::default());
            self.open.push((id, state.clone()));
        }
        id
    }

    fn expand(&mut self, id: u32, state: &State<i32>) -> Result<(), RunTimeError> {
        let Objective { avoided, is_negated, begin } = self.objective;
        if avoided.mentions_deadlock() || begin.is_some_and(Formula::mentions_deadlock) {
            self.machine.is_deadlocked = is_deadlock(self.machine, state, &mut state.clone());
        }
        let is_avoided = self.machine.formula_holds(state, avoided)? != is_negated;
        let begins = match begin {
            Some(begin) => self.machine.formula_holds(state, begin)?,
            None => false,
        };
        let mut node = Node { is_avoided, begins, ..Node::default() };
        if begin.is_some() || !is_avoided {
            let outcome = self.step(state, &mut node);
            self.nodes[id as usize] = node;
            return outcome;
        }
        self.nodes[id as usize] = node;
        self.failure_behind = self.failure_behind.or(self.machine.look(state).err());
        Ok(())
    }

    /// Finds the successors of a state, and whether a run may end in it.
    fn step(&mut self, state: &State<i32>, node: &mut Node) -> Result<(), RunTimeError> {
        let mut targets = Vec::new();
        let mut failure = self.machine.look(state).err();
        // Whether time may pass depends on the offers whose evaluation failed.
        let is_known = failure.is_none() || !self.machine.has_urgent_channels();
        if failure.is_none() {
            let _ = self.machine.for_each_step(state, |_, _, outcome| {
                match outcome {
                    Ok(target) => targets.push(target.clone()),
                    Err(error) => failure = failure.or(Some(error)),
                }
                ControlFlow::Continue(())
            });
        }
        // A failing transition counts as enabled.
        let acts = !targets.is_empty() || failure.is_some();
        node.successors = targets.iter().map(|target| self.number_of(target)).collect();
        let mut passing = Passing::Refused;
        if is_known && self.machine.time_may_pass(state) {
            let mut later = state.clone();
            passing = let_time_pass(self.machine, &mut later)?;
            if passing == Passing::On {
                let later = self.number_of(&later);
                node.successors.push(later);
            }
        }
        node.is_end = match passing {
            Passing::On => false,
            Passing::Unnoticed => true,
            Passing::Refused => !acts,
        };
        failure.map_or(Ok(()), Err)
    }

    /// Whether each state has a maximal run that avoids the formula.
    fn states_with_maximal_run(&self) -> Vec<bool> {
        let mut goes_on: Vec<bool> = self.nodes.iter().map(|node| !node.is_avoided).collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (id, node) in self.nodes.iter().enumerate() {
                let stays = node.is_end || node.successors.iter().any(|&to| goes_on[to as usize]);
                if goes_on[id] && !stays {
                    goes_on[id] = false;
                    changed = true;
                }
            }
        }
        goes_on
    }
}
