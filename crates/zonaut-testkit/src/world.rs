//! Small worlds: the complete zone graph of a small network, with the true distances to its goal.

use std::collections::HashMap;
use std::ops::ControlFlow;
use zonaut_base::Meter;
use zonaut_compile::{BoundsTable, ClockRow, CompiledNetwork, row_of};
use zonaut_dbm::Row;
use zonaut_heuristics::{Participant, Weights};
use zonaut_model::{ClockId, Formula, Model};
use zonaut_space::{Estimate, Goal, TransitionSystem};
use zonaut_zonegraph::{Abstraction, CompiledGoal, StepError, SymbolicState, ZoneGoal, ZoneGraph};

/// The distance of states that do not reach the goal.
pub const FAR: u32 = u32::MAX;

/// The state limit of a world.
const LIMIT: usize = 2_000;

/// Every reachable state, with its successors and distances.
#[derive(Debug)]
pub struct World {
    /// The states.
    pub states: Vec<SymbolicState>,
    /// The clocks of the zone of each state, the reference clock first.
    pub rows: Vec<Vec<ClockRow>>,
    /// The successors of each state.
    pub successors: Vec<Vec<usize>>,
    /// The participants of the transitions to them.
    pub participants: Vec<Vec<Vec<Participant>>>,
    is_goal: Vec<bool>,
    /// The number of steps from each state to a goal.
    pub distance: Vec<u32>,
    /// Whether a run-time error is reachable from each state.
    pub may_fail: Vec<bool>,
}

impl World {
    /// Explores a network; `None` if it is too large or cannot be explored.
    #[must_use]
    pub fn new(model: &Model, goal: &Formula) -> Option<Self> {
        let network = CompiledNetwork::new(model, &Meter::default()).ok()?;
        let bounds = BoundsTable::new(model, goal);
        if bounds.greatest() > 100 {
            return None;
        }
        let graph =
            ZoneGraph::new(&network, &bounds, Abstraction::Maximum, &Meter::default()).ok()?;
        let compiled = CompiledGoal::new(model, goal);
        Exploration::new(&graph, &compiled).run()
    }

    /// The discrete state of each state.
    pub fn values(&self) -> impl Iterator<Item = &Vec<i32>> + Clone {
        self.states.iter().map(|state| &state.values)
    }

    /// The infimum of a clock in a state, and whether it is excluded; 0 if the clock is not active.
    #[must_use]
    pub fn least(&self, state: usize, clock: ClockId) -> (i64, bool) {
        let row = self.rows[state].iter().position(|&row| row == row_of(clock));
        row.map_or((0, false), |row| {
            let bound = self.states[state].zone.bound(Row::ZERO, Row::from_index(row));
            (-bound.value(), bound.is_strict())
        })
    }

    /// The weighted distance from each state to the nearest goal.
    #[must_use]
    pub fn distance_by(&self, weights: &dyn Weights) -> Vec<u32> {
        distances(&self.is_goal, &self.successors, |state, step| {
            weights.of(&self.participants[state][step])
        })
    }

    /// The first violation of admissibility or of dead-end soundness by a heuristic.
    pub fn flaw_of_admissible(
        &self,
        mut heuristic: impl FnMut(&SymbolicState) -> Estimate<u32>,
    ) -> Option<String> {
        self.states.iter().enumerate().find_map(|(number, state)| {
            let (estimate, distance) = (heuristic(state), self.distance[number]);
            let is_high = match estimate {
                Estimate::Distance(value) => value > distance,
                Estimate::DeadEnd | Estimate::Last => distance != FAR,
            };
            let is_false = estimate == Estimate::DeadEnd && self.may_fail[number];
            (is_high || is_false).then(|| {
                let values = &state.values;
                format!("state {number}, {values:?}: {estimate:?}, but the distance is {distance}")
            })
        })
    }

    /// The first unsound dead end of a heuristic.
    pub fn flaw_of_dead_ends(
        &self,
        mut heuristic: impl FnMut(&SymbolicState) -> Estimate<u32>,
    ) -> Option<String> {
        self.states.iter().enumerate().find_map(|(number, state)| {
            let is_alive = self.distance[number] != FAR || self.may_fail[number];
            let is_false = is_alive && heuristic(state) == Estimate::DeadEnd;
            is_false.then(|| format!("state {number}, {:?}, is no dead end", state.values))
        })
    }
}

struct Exploration<'g> {
    graph: &'g ZoneGraph<'g>,
    goal: ZoneGoal<'g, 'g>,
    states: Vec<SymbolicState>,
    rows: Vec<Vec<ClockRow>>,
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
            rows: Vec::new(),
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
        self.rows.push(self.graph.rows(state));
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

    fn run(mut self) -> Option<World> {
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

    fn finish(self) -> World {
        let distance = distances(&self.is_goal, &self.successors, |_, _| 1);
        let to_error = distances(&self.fails, &self.successors, |_, _| 1);
        World {
            states: self.states,
            rows: self.rows,
            successors: self.successors,
            participants: self.participants,
            is_goal: self.is_goal,
            distance,
            may_fail: to_error.into_iter().map(|distance| distance != FAR).collect(),
        }
    }
}

/// The weighted distance from each state to the nearest marked one; `count` is the weight of a
/// transition, given the numbers of the state and of the transition.
fn distances(
    marks: &[bool],
    successors: &[Vec<usize>],
    count: impl Fn(usize, usize) -> u32,
) -> Vec<u32> {
    let mut distances: Vec<u32> = marks.iter().map(|&m| if m { 0 } else { FAR }).collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (state, successors) in successors.iter().enumerate() {
            for (step, &next) in successors.iter().enumerate() {
                let through = distances[next].saturating_add(count(state, step));
                if distances[next] != FAR && through < distances[state] {
                    distances[state] = through;
                    changed = true;
                }
            }
        }
    }
    distances
}
