//! The reachability question that decides a query.

use crate::simplification::simplified;
use zonaut_model::{Formula, Model, QueryKind};

/// A query that reachability decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reachability {
    /// The goal, simplified.
    pub goal: Formula,
    /// Whether the query is satisfied if the goal is reachable. If not, it is satisfied if the goal
    /// is unreachable.
    pub is_wanted: bool,
}

impl Reachability {
    /// The reachability question that decides a query of this kind; `None` for other kinds.
    #[must_use]
    pub fn of(model: &Model, kind: &QueryKind) -> Option<Self> {
        match kind {
            QueryKind::Possibly(formula) => {
                Some(Self { goal: simplified(model, formula), is_wanted: true })
            }
            QueryKind::Always(formula) => {
                let negation = Formula::Not(Box::new(formula.clone()));
                Some(Self { goal: simplified(model, &negation), is_wanted: false })
            }
            QueryKind::PossiblyAlways(_)
            | QueryKind::Eventually(_)
            | QueryKind::LeadsTo(..)
            | QueryKind::Supremum(..)
            | QueryKind::Infimum(..)
            | QueryKind::Bounds(..)
            | QueryKind::Statistical(_)
            | QueryKind::Unsupported(_)
            | QueryKind::Damaged => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invariant_is_refuted_by_reaching_its_negation() {
        let model = Model::default();
        let always = Reachability::of(&model, &QueryKind::Always(Formula::Deadlock));
        let goal = Formula::Not(Box::new(Formula::Deadlock));
        assert_eq!(always, Some(Reachability { goal, is_wanted: false }));
        let possibly = Reachability::of(&model, &QueryKind::Possibly(Formula::truth()));
        assert_eq!(possibly, Some(Reachability { goal: Formula::truth(), is_wanted: true }));
    }

    #[test]
    fn no_other_query_has_a_default_goal() {
        let formula = Formula::truth;
        for kind in [
            QueryKind::PossiblyAlways(formula()),
            QueryKind::Eventually(formula()),
            QueryKind::LeadsTo(formula(), formula()),
            QueryKind::Supremum(formula(), Vec::new()),
            QueryKind::Unsupported("games".to_owned()),
            QueryKind::Damaged,
        ] {
            assert_eq!(Reachability::of(&Model::default(), &kind), None);
        }
    }
}
