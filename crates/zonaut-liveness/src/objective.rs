//! Which maximal runs decide a query.

use zonaut_model::{Formula, Model, QueryKind};
use zonaut_space::Meter;
use zonaut_zonegraph::CompiledGoal;

/// The maximal runs that decide a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Objective {
    /// What they avoid.
    pub avoided: Formula,
    /// What holds at the moment from which they avoid it; absent where that is the start.
    pub begin: Option<Formula>,
    /// Whether the query is satisfied if there is such a run. If there is none, it is the other way
    /// round.
    pub is_wanted: bool,
}

impl Objective {
    /// The runs that decide a query of this kind; nothing if none do.
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

    /// The aim, ready to be asked of states; all evaluations count on `meter`.
    #[must_use]
    pub fn compiled(&self, model: &Model, meter: &Meter) -> CompiledObjective {
        let compiled = |formula| CompiledGoal::metered(model, formula, meter);
        CompiledObjective {
            avoided: compiled(&self.avoided),
            begin: self.begin.as_ref().map(compiled),
        }
    }
}

/// The formulas of an objective, ready to be asked of states.
#[derive(Clone, Debug)]
pub struct CompiledObjective {
    /// What is avoided.
    pub avoided: CompiledGoal,
    /// What holds at the moment from which it is avoided.
    pub begin: Option<CompiledGoal>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_eventually_holds_is_refuted_by_a_run_that_avoids_it() {
        let truth = Formula::truth;
        let eventually = Objective::of(&QueryKind::Eventually(truth())).expect("an objective");
        assert!(!eventually.is_wanted && eventually.avoided == truth());
        let globally = Objective::of(&QueryKind::PossiblyAlways(truth())).expect("an objective");
        assert!(globally.is_wanted && globally.avoided == Formula::Not(Box::new(truth())));
        assert_eq!(Objective::of(&QueryKind::Possibly(truth())), None);
    }
}
