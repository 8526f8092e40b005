//! The goal as alternatives, each a conjunction of tests.

use crate::atom::{Possible, may_hold};
use zonaut_analysis::normal_form::{Condition, Test, TestKind};
use zonaut_model::{ExpressionId, Formula, Model};

/// Maximum number of alternatives that are distinguished: one bit for each.
const MOST: usize = 64;

/// A disjunction of conjunctions that holds in every goal state.
#[derive(Clone, Debug)]
pub(crate) struct Alternatives(Vec<Vec<Test>>);

impl Alternatives {
    pub(crate) fn new(model: &Model, goal: &Formula) -> Self {
        Self(disjuncts(&Condition::of_formula(model, goal)))
    }

    /// The alternatives that may hold, as bits.
    pub(crate) fn possible(&self, walk: &mut Possible<'_>) -> u64 {
        let mut bits = 0;
        for (number, tests) in self.0.iter().enumerate() {
            if tests.iter().all(|test| may_hold(walk, &Condition::Test(test.clone()))) {
                bits |= 1 << number;
            }
        }
        bits
    }

    /// The expressions of all tests.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = ExpressionId> + '_ {
        self.0.iter().flatten().filter_map(|test| match test.kind {
            TestKind::Holds { expression, .. } => Some(expression),
            TestKind::Chooses { .. } => None,
        })
    }
}

/// The disjunctive normal form; a part with too many alternatives counts as true.
fn disjuncts(condition: &Condition) -> Vec<Vec<Test>> {
    match condition {
        Condition::Test(test) => vec![vec![test.clone()]],
        Condition::Any(parts) => {
            let all: Vec<Vec<Test>> = parts.iter().flat_map(disjuncts).collect();
            if all.len() > MOST { vec![Vec::new()] } else { all }
        }
        Condition::All(parts) => parts.iter().map(disjuncts).fold(vec![Vec::new()], |all, more| {
            if all.len() * more.len() > MOST {
                return all;
            }
            let joined = |one: &Vec<Test>| {
                let one = one.clone();
                more.iter().map(move |other| [one.as_slice(), other].concat())
            };
            all.iter().flat_map(joined).collect()
        }),
    }
}
