//! Distances within single processes, edges taken without looking at anything else.
//!
//! S. Edelkamp, S. Leue, A. Lluch-Lafuente: *Directed explicit-state model checking in the
//! validation of communication protocols*, STTT 5, 2004, doi:10.1007/s10009-002-0104-3.
//!
//! For a conjunction of locations the distances are combined: by their maximum (`dl`) or by their
//! sum (`du`). Of a disjunction the nearest part counts; what is no test of a location counts as
//! true. A step moves every process by one edge at most, so the maximum is never above the number
//! of steps to a goal, and a step lowers it by one at most. The sum is not admissible: one step may
//! move several processes.

use crate::guide::Guide;
use crate::relaxation::Relaxation;
use std::marker::PhantomData;
use zonaut_analysis::normal_form::{Condition, Test, TestKind};
use zonaut_base::Id;
use zonaut_model::{Expression, Formula, LocationId, Model, ProcessId};
use zonaut_space::{Admissible, Estimate};

/// How the distances of the parts of a conjunction are combined.
pub trait Combination {
    /// The name of the guide.
    const NAME: &'static str;
    /// The distance of both.
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

/// No way.
const FAR: u32 = u32::MAX;

/// Where a goal wants a process.
#[derive(Clone, Debug)]
enum Aim {
    /// The distance of each location of a process.
    Process(ProcessId, Vec<u32>),
    All(Vec<Aim>),
    Any(Vec<Aim>),
}

/// A guide by distances within processes.
#[derive(Clone, Debug)]
pub struct GraphDistance<C> {
    aim: Aim,
    far: Estimate<u32>,
    combination: PhantomData<C>,
}

impl Admissible for GraphDistance<Maximum> {}

impl<C: Combination> GraphDistance<C> {
    /// The guide for the goal that the relaxation was made for.
    #[must_use]
    pub fn new(model: &Model, goal: &Formula, relaxation: &Relaxation<'_>) -> Self {
        let aim = Aim::of(model, &Condition::of_formula(model, goal));
        // Errors are not looked at here, so it must be known that there are none.
        let far = if relaxation.never_fails() { Estimate::DeadEnd } else { Estimate::Last };
        Self { aim, far, combination: PhantomData }
    }
}

impl Aim {
    fn of(model: &Model, condition: &Condition) -> Self {
        match condition {
            Condition::All(parts) => Self::All(parts.iter().map(|p| Self::of(model, p)).collect()),
            Condition::Any(parts) => Self::Any(parts.iter().map(|p| Self::of(model, p)).collect()),
            Condition::Test(Test { kind: TestKind::Holds { expression, negated }, .. }) => {
                match model.expressions[*expression] {
                    Expression::At(process, location) => {
                        let wanted = |l: LocationId| {
                            (l == location) != (*negated && !faulty!(NegationForgotten))
                        };
                        Self::Process(process, distances(model, process, wanted))
                    }
                    _ => Self::All(Vec::new()),
                }
            }
            Condition::Test(_) => Self::All(Vec::new()),
        }
    }

    fn distance<C: Combination>(&self, values: &[i32]) -> u32 {
        match self {
            Self::Process(process, distances) => {
                distances[values[process.index()].unsigned_abs() as usize]
            }
            Self::All(parts) => parts
                .iter()
                .map(|part| part.distance::<C>(values))
                .fold(0, |a, b| if a == FAR || b == FAR { FAR } else { C::combine(a, b) }),
            Self::Any(parts) => {
                let distances = parts.iter().map(|part| part.distance::<C>(values));
                if faulty!(FarthestAlternative) {
                    return distances.max().unwrap_or(FAR);
                }
                distances.min().unwrap_or(FAR)
            }
        }
    }
}

/// For each location of a process, the number of edges to the nearest wanted one.
fn distances(model: &Model, process: ProcessId, wanted: impl Fn(LocationId) -> bool) -> Vec<u32> {
    let process = &model.processes[process];
    let mut distances: Vec<u32> =
        process.locations.ids().map(|id| if wanted(id) { 0 } else { FAR }).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for edge in &process.edges {
            let through = distances[edge.target.index()].saturating_add(1);
            let known = &mut distances[edge.source.index()];
            if through < *known {
                *known = through;
                changed = true;
            }
        }
    }
    distances
}

impl<C: Combination> Guide for GraphDistance<C> {
    fn estimate(&mut self, values: &[i32]) -> Estimate<u32> {
        match self.aim.distance::<C>(values) {
            FAR => self.far,
            distance => Estimate::Distance(distance),
        }
    }

    fn name(&self) -> &'static str {
        C::NAME
    }
}
