//! Least costs of small networks by Dijkstra's algorithm over all integer dates.
//!
//! If no comparison is strict, integer dates suffice for least costs: the dates of a run along one
//! path are the solutions of a system of difference constraints with integer constants, and the
//! cost is a linear function of the last date, so that its minimum is attained at a vertex, and
//! vertices are integral. Delays are tried unit by unit, and clocks are cut off one above the
//! greatest constant that they are compared with. This oracle uses neither zones nor tasks nor
//! point states.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::network::{Comparison, Edge, Network, Update};

/// The state limit.
const MOST_STATES: usize = 30_000;

/// The truth about a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Truth {
    /// It is unreachable.
    Unreachable,
    /// The minimal cost.
    Least(i64),
}

/// The locations of all processes, all cells, and all clocks.
type State = Vec<u8>;

/// Interpreter of a network.
struct Interpreter<'n> {
    network: &'n Network,
    /// The cut-off of each clock: all greater values are equivalent.
    limits: Vec<u8>,
}

/// The least cost of a goal; `None` if there are too many states.
pub(crate) fn least_cost(network: &Network) -> Option<Truth> {
    let mut limits = vec![1; network.clocks];
    for one in network.clock_comparisons() {
        let limit: &mut u8 = &mut limits[one.subject];
        *limit = (*limit).max(u8::try_from(one.value + 1).ok()?);
    }
    Interpreter { network, limits }.search()
}

impl Interpreter<'_> {
    fn search(&self) -> Option<Truth> {
        let Network { processes, cells, clocks, units, .. } = self.network;
        let rate = i64::from(self.rate()) * i64::from(units.time);
        let first: State = vec![0; processes.len() + cells + clocks];
        let mut open = BinaryHeap::from([Reverse((0i64, first))]);
        let mut closed: HashSet<State> = HashSet::new();
        while let Some(Reverse((cost, state))) = open.pop() {
            if closed.contains(&state) {
                continue;
            }
            if self.is_goal(&state) {
                return Some(Truth::Least(cost));
            }
            if closed.len() >= MOST_STATES {
                return None;
            }
            if let Some(later) = self.delayed(&state) {
                open.push(Reverse((cost + rate, later)));
            }
            for (process, content) in processes.iter().enumerate() {
                for edge in &content.edges {
                    if let Some(after) = self.taken(&state, process, edge) {
                        let price = i64::from(edge.price) * i64::from(units.price);
                        open.push(Reverse((cost + price, after)));
                    }
                }
            }
            closed.insert(state);
        }
        Some(Truth::Unreachable)
    }

    /// The cost of a unit of time: 1 without cost annotations, and 0 if only edges have them.
    fn rate(&self) -> i32 {
        let has_prices = self.network.edges().any(|edge| edge.price > 0);
        self.network.rate.unwrap_or(i32::from(!has_prices))
    }

    fn is_goal(&self, state: &State) -> bool {
        let mut alternatives = self.network.goal.iter();
        alternatives
            .any(|all| all.iter().all(|place| usize::from(state[place.process]) == place.location))
    }

    fn cell(&self, cell: usize) -> usize {
        self.network.processes.len() + cell
    }

    fn clock(&self, clock: usize) -> usize {
        self.network.processes.len() + self.network.cells + clock
    }

    fn clock_holds(&self, state: &State, one: &Comparison) -> bool {
        one.relation.holds(i32::from(state[self.clock(one.subject)]), one.value)
    }

    fn invariants_hold(&self, state: &State) -> bool {
        self.network.processes.iter().enumerate().all(|(index, process)| {
            let location = usize::from(state[index]);
            let (invariant, deadline) =
                (&process.invariants[location], process.deadlines.get(&location));
            invariant.iter().chain(deadline).all(|one| self.clock_holds(state, one))
        })
    }

    fn delayed(&self, state: &State) -> Option<State> {
        let mut later = state.clone();
        for (clock, &limit) in self.limits.iter().enumerate() {
            let value = &mut later[self.network.processes.len() + self.network.cells + clock];
            *value = (*value + 1).min(limit);
        }
        self.invariants_hold(&later).then_some(later)
    }

    fn taken(&self, state: &State, process: usize, edge: &Edge) -> Option<State> {
        let cell_holds = |one: &Comparison| {
            one.relation.holds(i32::from(state[self.cell(one.subject)]), one.value)
        };
        let is_enabled = usize::from(state[process]) == edge.source
            && edge.clocks.iter().all(|one| self.clock_holds(state, one))
            && edge.cells.iter().all(cell_holds);
        if !is_enabled {
            return None;
        }
        let mut after = state.clone();
        after[process] = u8::try_from(edge.target).ok()?;
        for update in &edge.updates {
            let (at, value) = match *update {
                Update::Set { cell, value } => (self.cell(cell), value),
                Update::Add { cell, step } => {
                    (self.cell(cell), i32::from(after[self.cell(cell)]) + step)
                }
                Update::Copy { cell, from } => (self.cell(cell), i32::from(after[self.cell(from)])),
                Update::Reset { clock, value } => {
                    (self.clock(clock), value.min(i32::from(self.limits[clock])))
                }
            };
            after[at] = u8::try_from(value).ok()?;
        }
        self.invariants_hold(&after).then_some(after)
    }
}
