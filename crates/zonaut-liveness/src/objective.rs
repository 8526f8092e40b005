//! Objectives: the maximal runs that decide a query.

use zonaut_model::{Formula, Model, QueryKind};
use zonaut_zonegraph::CompiledGoal;

/// The maximal runs that decide a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Objective {
    /// The avoided formula.
    pub avoided: Formula,
    /// The condition at the moment from which it is avoided; absent if that is the start.
    pub begin: Option<Formula>,
    /// Whether the existence of such a run satisfies the query; otherwise it refutes the query.
    pub is_wanted: bool,
}

impl Objective {
    /// The objective of a query of this kind; `None` if maximal runs do not decide it.
    #[must_use]
    pub fn of(kind: &QueryKind) -> Option<Self> {
        let (avoided, begin, is_wanted) = match kind {
            QueryKind::PossiblyAlways(formula) => {
                (Formula::Not(Box::new(formula.clone())), None, true)
            }
            QueryKind::Eventually(formula) => (formula.clone(), None, false),
            QueryKind::LeadsTo(from, to) => (to.clone(), Some(from.clone()), false),
            QueryKind::Possibly(_)
            | QueryKind::Always(_)
            | QueryKind::Supremum(..)
            | QueryKind::Infimum(..)
            | QueryKind::Bounds(..)
            | QueryKind::Statistical(_)
            | QueryKind::Unsupported(_)
            | QueryKind::Damaged => return None,
        };
        Some(Self { avoided, begin, is_wanted })
    }

    /// A formula with all clock constraints that zones have to respect.
    #[must_use]
    pub fn formula(&self) -> Formula {
        Formula::And([&self.avoided].into_iter().chain(&self.begin).cloned().collect())
    }

    /// The objective compiled for evaluation on states.
    #[must_use]
    pub fn compiled(&self, model: &Model) -> CompiledObjective {
        let compiled = |formula| CompiledGoal::new(model, formula);
        CompiledObjective {
            avoided: compiled(&self.avoided),
            begin: self.begin.as_ref().map(compiled),
        }
    }
}

/// The compiled formulas of an objective.
#[derive(Clone, Debug)]
pub struct CompiledObjective {
    /// The avoided formula.
    pub avoided: CompiledGoal,
    /// The condition at the moment from which it is avoided.
    pub begin: Option<CompiledGoal>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eventually_is_refuted_by_a_run_that_avoids_the_formula() {
        let truth = Formula::truth;
        let eventually = Objective::of(&QueryKind::Eventually(truth())).expect("an objective");
        assert!(!eventually.is_wanted && eventually.avoided == truth());
        let globally = Objective::of(&QueryKind::PossiblyAlways(truth())).expect("an objective");
        assert!(globally.is_wanted && globally.avoided == Formula::Not(Box::new(truth())));
        assert_eq!(Objective::of(&QueryKind::Possibly(truth())), None);
    }
}
