//! The whole zone graph of a small network, with the true distances to its goal.

use std::collections::HashMap;
use std::ops::ControlFlow;
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_heuristics::{Participant, Weights};
use zonaut_model::{Formula, Model};
use zonaut_space::{Goal, TransitionSystem};
use zonaut_zonegraph::{Abstraction, CompiledGoal, StepError, SymbolicState, ZoneGoal, ZoneGraph};

/// No way.
pub(crate) const FAR: u32 = u32::MAX;

/// States larger spaces are given up at.
const LIMIT: usize = 2_000;

/// Every reachable state, with what follows from it.
pub(crate) struct Space {
    /// The discrete part of each state.
    pub(crate) values: Vec<Vec<i32>>,
    /// Where the steps of each state lead.
    pub(crate) successors: Vec<Vec<usize>>,
    /// Who takes part in them.
    pub(crate) participants: Vec<Vec<Vec<Participant>>>,
    is_goal: Vec<bool>,
    /// The number of steps from each state to a goal.
    pub(crate) distance: Vec<u32>,
    /// Whether a run-time error can be reached.
    pub(crate) may_fail: Vec<bool>,
}

impl Space {
    /// Explores; absent where the space is too large or cannot be explored.
    pub(crate) fn new(model: &Model, goal: &Formula) -> Option<Self> {
        let network = CompiledNetwork::new(model).ok()?;
        let bounds = BoundsTable::new(model, goal);
        if bounds.greatest() > 100 {
            return None;
        }
        let graph = ZoneGraph::new(&network, &bounds, Abstraction::Maximum).ok()?;
        let compiled = CompiledGoal::new(model, goal);
        Exploration::new(&graph, &compiled).run()
    }
}

impl Space {
    /// What the steps from each state to the nearest goal count.
    pub(crate) fn distance_by(&self, weights: &dyn Weights) -> Vec<u32> {
        let mut distances: Vec<u32> =
            self.is_goal.iter().map(|&is_goal| if is_goal { 0 } else { FAR }).collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for state in 0..self.values.len() {
                for (&next, step) in self.successors[state].iter().zip(&self.participants[state]) {
                    let through = distances[next].saturating_add(weights.of(step));
                    if distances[next] != FAR && through < distances[state] {
                        distances[state] = through;
                        changed = true;
                    }
                }
            }
        }
        distances
    }
}

struct Exploration<'g> {
    graph: &'g ZoneGraph<'g>,
    goal: ZoneGoal<'g, 'g>,
    states: Vec<SymbolicState>,
    number: HashMap<String, usize>,
    successors: Vec<Vec<usize>>,
    participants: Vec<Vec<Vec<Participant>>>,
    is_goal: Vec<bool>,
    fails: Vec<bool>,
    is_broken: bool,
}

impl<'g> Exploration<'g> {
    fn new(graph: &'g ZoneGraph<'g>, goal: &'g CompiledGoal) -> Self {
        Self {
            graph,
            goal: ZoneGoal::new(graph, goal),
            states: Vec::new(),
            number: HashMap::new(),
            successors: Vec::new(),
            participants: Vec::new(),
            is_goal: Vec::new(),
            fails: Vec::new(),
            is_broken: false,
        }
    }

    fn insert(&mut self, state: &SymbolicState) -> usize {
        let name = format!("{:?} {:?}", state.values, state.zone);
        if let Some(&known) = self.number.get(&name) {
            return known;
        }
        let number = self.states.len();
        self.number.insert(name, number);
        self.states.push(state.clone());
        self.successors.push(Vec::new());
        self.participants.push(Vec::new());
        self.is_goal.push(false);
        self.fails.push(false);
        match self.goal.holds_in(state) {
            Ok(holds) => self.is_goal[number] = holds,
            Err(error) => self.fail(number, &error),
        }
        number
    }

    fn fail(&mut self, state: usize, error: &StepError) {
        match error {
            StepError::RunTime(_) => self.fails[state] = true,
            _ => self.is_broken = true,
        }
    }

    fn run(mut self) -> Option<Space> {
        let graph = self.graph;
        let mut scratch = graph.scratch();
        let _ = graph.for_each_initial(&mut scratch, |state| {
            match state {
                Ok(state) => {
                    self.insert(state);
                }
                Err(_) => self.is_broken = true,
            }
            ControlFlow::Continue(())
        });
        let mut next = 0;
        while next < self.states.len() {
            let state = self.states[next].clone();
            let _ = graph.visit_successors(&state, &mut scratch, &mut |_, transition, target| {
                match target {
                    Ok(target) => {
                        let target = self.insert(target);
                        self.successors[next].push(target);
                        let participants = transition.participants.iter().map(|&action| {
                            let action = graph.network().action(action);
                            Participant { process: action.process, edge: action.edge }
                        });
                        self.participants[next].push(participants.collect());
                    }
                    Err(error) => self.fail(next, &error),
                }
                ControlFlow::Continue(())
            });
            if self.is_broken || self.states.len() > LIMIT {
                return None;
            }
            next += 1;
        }
        (!self.is_broken).then(|| self.finish())
    }

    fn finish(self) -> Space {
        let start = |marks: &[bool]| marks.iter().map(|&m| if m { 0 } else { FAR }).collect();
        let mut distance: Vec<u32> = start(&self.is_goal);
        let mut to_error: Vec<u32> = start(&self.fails);
        for distances in [&mut distance, &mut to_error] {
            let mut changed = true;
            while changed {
                changed = false;
                for (state, successors) in self.successors.iter().enumerate() {
                    let nearest = successors.iter().map(|&next| distances[next]).min();
                    let through = nearest.unwrap_or(FAR).saturating_add(1);
                    if through < distances[state] {
                        distances[state] = through;
                        changed = true;
                    }
                }
            }
        }
        Space {
            values: self.states.into_iter().map(|state| state.values).collect(),
            successors: self.successors,
            participants: self.participants,
            is_goal: self.is_goal,
            distance,
            may_fail: to_error.into_iter().map(|distance| distance != FAR).collect(),
        }
    }
}
