//! Predicate abstractions and merged automata as heuristics: decomposition of the model, and limits
//! of construction.

use super::budget::Budget;
use super::{DatabaseSize, HeuristicFactory};
use crate::task::{NoSearch, SearchObserver};
use std::cell::RefCell;
use std::ops::ControlFlow;
use zonaut_dbm::Width;
use zonaut_heuristics::DiscreteHeuristic as _;
use zonaut_merge::{Merged, Merging};
use zonaut_predicates::{
    Cut, Learning, LessonKind, PartDistances, PathChoice, Rounds, Size, Vocabulary, Work,
};
use zonaut_space::Progress;
use zonaut_strategy::{Lesson, MergeSpec, PredicateSpec, Refinement, RefutedPaths};

impl HeuristicFactory<'_> {
    /// The predicate abstraction that `spec` describes. Its type determines whether the distances
    /// of its parts are added, or combined admissibly.
    pub(super) fn parts<W: Width, const IS_SHARED: bool>(
        &self,
        spec: &PredicateSpec,
        observer: SearchObserver<'_, W>,
    ) -> Result<PartDistances<W, IS_SHARED>, NoSearch> {
        let PredicateSpec { states, seconds, megabytes, .. } = *spec;
        let budget = Budget::new(states, seconds, megabytes, self.environment);
        let meter = &observer.meter();
        let observer = RefCell::new(observer);
        let is_enough =
            &|states, bytes| is_enough(&budget, &mut **observer.borrow_mut(), states, bytes);
        let built = self.kept(
            &spec.unlimited(),
            |name, file| PartDistances::load(self.model, self.bounds, name, file),
            || {
                let work = Work { meter, is_enough };
                PartDistances::new(self.model, self.formula, self.bounds, &cut(spec), work)
                    .map_err(NoSearch::Stopped)
            },
        )?;
        let Size { states, bytes, is_complete, .. } = built.size();
        self.account.add(DatabaseSize { explored: states, states, bytes, is_complete }, meter);
        Ok(built)
    }

    /// The merged automata of the model that `spec` describes.
    pub(super) fn merged<W: Width>(
        &self,
        spec: &MergeSpec,
        observer: SearchObserver<'_, W>,
    ) -> Result<Merged, NoSearch> {
        let MergeSpec { locations, variables, states, seconds, megabytes } = *spec;
        let budget = Budget::new(states, seconds, megabytes, self.environment);
        let meter = &observer.meter();
        let observer = RefCell::new(observer);
        let is_enough =
            &|states, bytes| is_enough(&budget, &mut **observer.borrow_mut(), states, bytes);
        let built = self.kept(
            &spec.unlimited(),
            |name, file| Merged::load(self.model, name, file),
            || {
                let merging =
                    Merging { locations: locations as usize, variables: variables as usize };
                let work = zonaut_merge::Work { meter, is_enough };
                let relaxation = self.relaxation(meter)?;
                Merged::new(self.model, self.formula, merging, &relaxation, work)
                    .map_err(NoSearch::Stopped)
            },
        )?;
        let (states, bytes, is_complete) = (built.size(), built.bytes(), built.is_complete());
        self.account.add(DatabaseSize { explored: states, states, bytes, is_complete }, meter);
        Ok(built)
    }
}

/// Whether construction should end, by its own limits or because the query ends, which the meter
/// also reports.
fn is_enough<W: Width>(
    budget: &Budget<'_>,
    observer: SearchObserver<'_, W>,
    states: usize,
    bytes: usize,
) -> bool {
    let now = Progress { stored: states, bytes, ..Progress::default() };
    matches!(observer.progress(&now), ControlFlow::Break(_))
        || budget.reached(states, bytes).is_some()
}

fn cut(spec: &PredicateSpec) -> Cut {
    let split = spec.split.map(|split| split.max(1) as usize);
    let paths = match spec.paths {
        RefutedPaths::One => PathChoice::One,
        RefutedPaths::All => PathChoice::All,
        RefutedPaths::Most => PathChoice::Most,
    };
    let lesson = match spec.learn {
        Lesson::Needed => LessonKind::Needed,
        Lesson::Guards => LessonKind::Guards,
    };
    let refined = |rounds| {
        let perimeter = spec.perimeter;
        Vocabulary::Refined(Learning { rounds, paths, lesson, perimeter })
    };
    let vocabulary = match spec.refine {
        Refinement::None => Vocabulary::Text,
        Refinement::AtMost(rounds) => refined(Rounds::AtMost(rounds)),
        Refinement::WhileGrowing => refined(Rounds::WhileGrowing),
    };
    Cut { split, vocabulary, near: spec.near as usize }
}
