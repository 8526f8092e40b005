//! The Hamming distance: the number of tests of the goal that do not hold.
//!
//! C. H. Yang, D. L. Dill: *Validation with guided search of the state space*, DAC 1998,
//! doi:10.1145/277044.277201, count the bits in which a state differs from the goal; here the tests
//! of locations and data are counted, and a disjunction has the least count of its parts.

use crate::dependencies::{Dependencies, roots_of};
use crate::discrete_heuristic::DiscreteHeuristic;
use std::ops::ControlFlow;
use zonaut_analysis::normal_form::{Condition, Test};
use zonaut_analysis::runs::{Exactly, Limits, Outcome, Runs};
use zonaut_analysis::{VariableId, Variables};
use zonaut_model::{Formula, Model};
use zonaut_space::{Estimate, Meter};

/// The heuristic `hamming`. It is not admissible: one step may make several tests true.
#[derive(Clone, Debug)]
pub struct Hamming<'m> {
    condition: Condition,
    reads: Vec<VariableId>,
    runs: Runs<'m>,
}

impl<'m> Hamming<'m> {
    /// The heuristic for a goal.
    #[must_use]
    pub fn new(model: &'m Model, goal: &Formula) -> Self {
        Self::metered(model, goal, &Meter::default())
    }

    /// The heuristic for a goal, with a meter that can stop evaluations.
    #[must_use]
    pub fn metered(model: &'m Model, goal: &Formula, meter: &Meter) -> Self {
        let condition = Condition::of_formula(model, goal);
        let variables = Variables::new(model);
        let dependencies = Dependencies { model, variables: &variables };
        let mut tests = Vec::new();
        collect_tests(&condition, &mut tests);
        let roots = tests.into_iter().flat_map(roots_of);
        let reads = dependencies.footprint(roots).reads.into_iter().collect();
        Self { condition, reads, runs: Runs::new(model, Limits::STATE).metered(meter) }
    }
}

fn collect_tests<'c>(condition: &'c Condition, into: &mut Vec<&'c Test>) {
    match condition {
        Condition::Test(test) => into.push(test),
        Condition::All(parts) | Condition::Any(parts) => {
            parts.iter().for_each(|part| collect_tests(part, into));
        }
    }
}

fn missing(condition: &Condition, runs: &mut Runs<'_>, values: &[i32]) -> u32 {
    match condition {
        Condition::Test(test) => u32::from(!holds(test, runs, values)),
        Condition::All(parts) => parts.iter().map(|part| missing(part, runs, values)).sum(),
        // For a goal that never holds, all tests are missing.
        Condition::Any(parts) => {
            parts.iter().map(|part| missing(part, runs, values)).min().unwrap_or(1)
        }
    }
}

fn holds(test: &Test, runs: &mut Runs<'_>, values: &[i32]) -> bool {
    let mut holds = false;
    let outcome = runs.for_each(&Exactly(values), &test.bindings, |walk| {
        holds |= walk.satisfies(test)?;
        Some(ControlFlow::Continue(()))
    });
    holds || outcome == Outcome::Unknown
}

impl DiscreteHeuristic for Hamming<'_> {
    fn estimate(&mut self, values: &[i32]) -> Estimate<u32> {
        Estimate::Distance(missing(&self.condition, &mut self.runs, values))
    }

    fn reads(&self) -> &[VariableId] {
        &self.reads
    }

    fn name(&self) -> &'static str {
        "hamming"
    }
}
