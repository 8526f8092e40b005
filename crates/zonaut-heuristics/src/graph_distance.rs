//! Graph distances: shortest paths in the automaton of each process, ignoring guards and
//! synchronisation.
//!
//! S. Edelkamp, S. Leue, A. Lluch-Lafuente: *Directed explicit-state model checking in the
//! validation of communication protocols*, STTT 5, 2004, doi:10.1007/s10009-002-0104-3.
//!
//! For a conjunction of locations the distances are combined: by their maximum (`dl`) or by their
//! sum (`du`). A disjunction has the distance of its nearest part; a formula that does not test a
//! location counts as true. A step moves every process by one edge at most, so the maximum is never
//! above the number of steps to a goal, and a step lowers it by one at most. The sum is not
//! admissible: one step may move several processes. If transitions have weights, an edge has the
//! weight of the transition that consists of it alone, which is not above the weight of any
//! transition with it.

use crate::discrete_heuristic::DiscreteHeuristic;
use crate::relaxation::Relaxation;
use crate::weights::{Participant, Units, Weights};
use std::collections::BTreeSet;
use std::marker::PhantomData;
use zonaut_analysis::normal_form::{Condition, Test, TestKind};
use zonaut_analysis::{VariableId, Variables};
use zonaut_base::Id;
use zonaut_model::{Expression, Formula, LocationId, Model, ProcessId};
use zonaut_space::{Admissible, Estimate};

/// The combination of the distances of the parts of a conjunction.
pub trait Combination: Send {
    /// The name of the heuristic.
    const NAME: &'static str;
    /// The distance of the conjunction of two parts.
    fn combine(a: u32, b: u32) -> u32;
}

/// The larger distance: `dl`.
#[derive(Clone, Copy, Default, Debug)]
pub struct Maximum;

/// The sum of the distances: `du`.
#[derive(Clone, Copy, Default, Debug)]
pub struct Total;

impl Combination for Maximum {
    const NAME: &'static str = "dl";
    fn combine(a: u32, b: u32) -> u32 {
        if faulty!(DistancesAdded) { a.saturating_add(b) } else { a.max(b) }
    }
}

impl Combination for Total {
    const NAME: &'static str = "du";
    fn combine(a: u32, b: u32) -> u32 {
        a.saturating_add(b)
    }
}

/// The distance if no path exists.
const UNREACHABLE: u32 = u32::MAX;

/// A goal with distances instead of location tests.
#[derive(Clone, Debug)]
enum GoalDistance {
    /// The distance of each location of a process.
    Process(ProcessId, Vec<u32>),
    All(Vec<GoalDistance>),
    Any(Vec<GoalDistance>),
}

/// The heuristic by graph distances of processes.
#[derive(Clone, Debug)]
pub struct GraphDistance<C> {
    goal_distance: GoalDistance,
    reads: Vec<VariableId>,
    far: Estimate<u32>,
    combination: PhantomData<C>,
}

impl Admissible for GraphDistance<Maximum> {}

impl<C: Combination> GraphDistance<C> {
    /// The heuristic for the goal of this relaxation.
    #[must_use]
    pub fn new(model: &Model, goal: &Formula, relaxation: &Relaxation<'_>) -> Self {
        Self::weighted(model, goal, relaxation, &Units)
    }

    /// The heuristic for transitions with weights.
    #[must_use]
    pub fn weighted(
        model: &Model,
        goal: &Formula,
        relaxation: &Relaxation<'_>,
        weights: &dyn Weights,
    ) -> Self {
        let goal_distance = GoalDistance::of(
            &WeightedProcesses { model, weights },
            &Condition::of_formula(model, goal),
        );
        let (mut processes, variables) = (BTreeSet::new(), Variables::new(model));
        goal_distance.for_each_process(&mut |process| {
            processes.insert(variables.process(process));
        });
        // Run-time errors are ignored here, so a dead end requires a proof that none can occur.
        let far = if relaxation.never_fails() { Estimate::DeadEnd } else { Estimate::Last };
        let reads = processes.into_iter().collect();
        Self { goal_distance, reads, far, combination: PhantomData }
    }
}

/// The processes with the weights of their edges.
struct WeightedProcesses<'a> {
    model: &'a Model,
    weights: &'a dyn Weights,
}

impl GoalDistance {
    fn of(map: &WeightedProcesses<'_>, condition: &Condition) -> Self {
        match condition {
            Condition::All(parts) => Self::All(parts.iter().map(|p| Self::of(map, p)).collect()),
            Condition::Any(parts) => Self::Any(parts.iter().map(|p| Self::of(map, p)).collect()),
            Condition::Test(Test { kind: TestKind::Holds { expression, negated }, .. }) => {
                match map.model.expressions[*expression] {
                    Expression::At(process, location) => {
                        let wanted = |l: LocationId| {
                            (l == location) != (*negated && !faulty!(NegationForgotten))
                        };
                        Self::Process(process, map.distances(process, wanted))
                    }
                    _ => Self::All(Vec::new()),
                }
            }
            Condition::Test(_) => Self::All(Vec::new()),
        }
    }

    fn for_each_process(&self, visit: &mut dyn FnMut(ProcessId)) {
        match self {
            Self::Process(process, _) => visit(*process),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().for_each(|part| part.for_each_process(visit));
            }
        }
    }

    fn distance<C: Combination>(&self, values: &[i32]) -> u32 {
        match self {
            Self::Process(process, distances) => {
                distances[values[process.index()].unsigned_abs() as usize]
            }
            Self::All(parts) => {
                parts.iter().map(|part| part.distance::<C>(values)).fold(0, |a, b| match (a, b) {
                    (UNREACHABLE, _) | (_, UNREACHABLE) => UNREACHABLE,
                    _ => C::combine(a, b).min(UNREACHABLE - 1),
                })
            }
            Self::Any(parts) => {
                let distances = parts.iter().map(|part| part.distance::<C>(values));
                if faulty!(FarthestAlternative) {
                    return distances.max().unwrap_or(UNREACHABLE);
                }
                distances.min().unwrap_or(UNREACHABLE)
            }
        }
    }
}

impl WeightedProcesses<'_> {
    /// For each location of a process, the weight of a shortest path to a wanted location.
    fn distances(&self, process: ProcessId, wanted: impl Fn(LocationId) -> bool) -> Vec<u32> {
        let definition = &self.model.processes[process];
        let weights: Vec<u32> = definition
            .edges
            .ids()
            .map(|edge| self.weights.of(&[Participant { process, edge }]))
            .collect();
        let mut distances: Vec<u32> =
            definition.locations.ids().map(|id| if wanted(id) { 0 } else { UNREACHABLE }).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (edge, &weight) in definition.edges.iter().zip(&weights) {
                let through = match distances[edge.target.index()] {
                    UNREACHABLE => UNREACHABLE,
                    distance => distance.saturating_add(weight).min(UNREACHABLE - 1),
                };
                let known = &mut distances[edge.source.index()];
                if through < *known {
                    *known = through;
                    changed = true;
                }
            }
        }
        distances
    }
}

impl<C: Combination> DiscreteHeuristic for GraphDistance<C> {
    fn estimate(&mut self, values: &[i32]) -> Estimate<u32> {
        match self.goal_distance.distance::<C>(values) {
            UNREACHABLE => self.far,
            distance => Estimate::Distance(distance),
        }
    }

    fn reads(&self) -> &[VariableId] {
        &self.reads
    }

    fn name(&self) -> &'static str {
        C::NAME
    }
}
