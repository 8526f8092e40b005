//! Predicate abstractions as guides: how the model is cut, and what building may cost.

use super::budget::Budget;
use super::{DatabaseSize, Guiding};
use crate::quest::NoSearch;
use zonaut_dbm::Width;
use zonaut_predicates::{Added, Cut, Rounds, Shared, Size, Vocabulary, Work};
use zonaut_space::Meter;
use zonaut_strategy::{PredicateGuide, Refinement};

impl Guiding<'_> {
    /// The abstraction that `guide` describes, if the distances of its parts are added.
    pub(super) fn added<W: Width>(
        &self,
        guide: &PredicateGuide,
        meter: &Meter,
    ) -> Result<Added<W>, NoSearch> {
        let budget = self.budget(guide);
        let work =
            Work { meter, is_enough: &|states, bytes| budget.reached(states, bytes).is_some() };
        let goal = (self.model, self.formula);
        let built = Added::new(goal, self.bounds, &cut(guide), work).map_err(NoSearch::Stopped)?;
        self.account.add(size(built.size()), meter);
        Ok(built)
    }

    /// The abstraction that `guide` describes, if its distances never overestimate.
    pub(super) fn shared<W: Width>(
        &self,
        guide: &PredicateGuide,
        meter: &Meter,
    ) -> Result<Shared<W>, NoSearch> {
        let budget = self.budget(guide);
        let work =
            Work { meter, is_enough: &|states, bytes| budget.reached(states, bytes).is_some() };
        let goal = (self.model, self.formula);
        let built = Shared::new(goal, self.bounds, &cut(guide), work).map_err(NoSearch::Stopped)?;
        self.account.add(size(built.size()), meter);
        Ok(built)
    }

    fn budget(&self, guide: &PredicateGuide) -> Budget<'_> {
        Budget::new(guide.states, guide.seconds, guide.megabytes, self.surroundings)
    }
}

fn cut(guide: &PredicateGuide) -> Cut {
    let split = guide.split.map(|split| split.max(1) as usize);
    let vocabulary = match guide.refine {
        Refinement::None => Vocabulary::Text,
        Refinement::AtMost(rounds) => Vocabulary::Refined(Rounds::AtMost(rounds)),
        Refinement::WhileGrowing => Vocabulary::Refined(Rounds::WhileGrowing),
    };
    Cut { split, vocabulary }
}

fn size(size: Size) -> DatabaseSize {
    let Size { states, bytes, is_complete, .. } = size;
    DatabaseSize { explored: states, states, bytes, is_complete }
}
