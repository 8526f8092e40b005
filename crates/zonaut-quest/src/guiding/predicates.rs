//! Predicate abstractions as guides: how the model is cut, and what building may cost.

use super::{DatabaseSize, Guiding};
use crate::quest::NoSearch;
use crate::surroundings::Surroundings;
use std::time::Duration;
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
        let budget = Budget::new(guide, self.surroundings);
        let work = Work { meter, is_enough: &|states, bytes| budget.is_spent(states, bytes) };
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
        let budget = Budget::new(guide, self.surroundings);
        let work = Work { meter, is_enough: &|states, bytes| budget.is_spent(states, bytes) };
        let goal = (self.model, self.formula);
        let built = Shared::new(goal, self.bounds, &cut(guide), work).map_err(NoSearch::Stopped)?;
        self.account.add(size(built.size()), meter);
        Ok(built)
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

/// When building ends without ending the query.
struct Budget<'s> {
    states: usize,
    bytes: Option<usize>,
    deadline: Option<Duration>,
    surroundings: &'s dyn Surroundings,
}

impl<'s> Budget<'s> {
    fn new(guide: &PredicateGuide, surroundings: &'s dyn Surroundings) -> Self {
        let time = guide.seconds.map(|seconds| Duration::from_secs(seconds.into()));
        Self {
            states: guide.states as usize,
            bytes: guide.megabytes.map(|megabytes| megabytes as usize * (1 << 20)),
            deadline: time.map(|time| surroundings.now().saturating_add(time)),
            surroundings,
        }
    }

    fn is_spent(&self, states: usize, bytes: usize) -> bool {
        states >= self.states
            || self.bytes.is_some_and(|limit| bytes >= limit)
            || self.deadline.is_some_and(|deadline| self.surroundings.now() >= deadline)
    }
}
