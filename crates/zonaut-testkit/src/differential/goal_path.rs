//! The states that a search went through to its end, and what guides say about them.

use super::Mistake;
use crate::random::Random;
use std::fmt;
use std::ops::ControlFlow;
use zonaut_compile::BoundsTable;
use zonaut_heuristics::{DiscreteHeuristic, GraphDistance, Hamming, Maximum, Relaxation, Total};
use zonaut_merge::{Merged, Merging};
use zonaut_model::{Formula, Model};
use zonaut_pdb::{AbstractModel, Database, Inputs, Pattern, cone, error_path_pattern};
use zonaut_predicates::{Added, Cut, Learning, Rounds, Shared, Vocabulary, Work};
use zonaut_space::{Estimate, Heuristic, Meter, Observer, Progress, StopReason};
use zonaut_zonegraph::{Step, SymbolicState};

/// States of a child after which building a database ends: it is partial then.
const STATES: usize = 500;

/// How far automata are merged.
const MERGINGS: [Merging; 3] = [
    Merging { locations: 50, variables: 0 },
    Merging { locations: 3, variables: 0 },
    Merging { locations: 20, variables: 4 },
];

/// The states from the initial one to the last of a search that found something.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// The states.
    pub(crate) states: Vec<SymbolicState>,
    /// Whether the last one is a goal; otherwise something goes wrong there.
    pub(crate) is_to_goal: bool,
}

/// How a guide misleads on the way to a goal or to an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misled {
    /// The guide.
    pub guide: String,
    /// What it says.
    pub estimate: Estimate<u32>,
    /// How many steps are left, and whether to a goal.
    pub left: (u32, bool),
}

impl fmt::Display for Misled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { guide, estimate, left: (steps, is_to_goal) } = self;
        let end = if *is_to_goal { "the goal" } else { "an error" };
        write!(f, "{guide} says {estimate:?}, {steps} steps before {end}")
    }
}

/// A database to look at along a way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// What Russian doll search keeps.
    ErrorPath(Inputs),
    /// What the goal depends on over so many layers.
    Cone(u32),
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::ErrorPath(Inputs::Dropped),
        Self::ErrorPath(Inputs::Kept),
        Self::ErrorPath(Inputs::Direct),
        Self::Cone(0),
        Self::Cone(1),
        Self::Cone(2),
    ];

    /// The one for the network of `seed`; half of the networks have none.
    #[must_use]
    pub fn of(seed: u64) -> Option<Self> {
        Self::ALL.get(Random::new(seed ^ 0xda7a).below(2 * Self::ALL.len())).copied()
    }

    pub(super) fn pattern(self, model: &Model, goal: &Formula) -> Pattern {
        match self {
            Self::ErrorPath(inputs) => error_path_pattern(model, goal, inputs),
            Self::Cone(layers) => cone(model, goal, layers),
        }
    }
}

/// A query, as guides see it.
pub(crate) struct Asked<'m> {
    pub(crate) model: &'m Model,
    pub(crate) goal: &'m Formula,
    pub(crate) bounds: &'m BoundsTable,
}

impl Way {
    /// Whether it says more about guides: it leads to a goal, and in fewer steps.
    pub(crate) fn is_better_than(&self, other: &Self) -> bool {
        (!self.is_to_goal, self.states.len()) < (!other.is_to_goal, other.states.len())
    }

    /// Compares what guides say on the way with what is left of it.
    pub(crate) fn examine(&self, asked: &Asked<'_>, parts: &[Part]) -> Result<(), Mistake> {
        let Asked { model, goal, bounds } = *asked;
        let relaxation = Relaxation::new(model, goal);
        self.compare(true, &mut relaxation.lower())?;
        self.compare(true, &mut GraphDistance::<Maximum>::new(model, goal, &relaxation))?;
        self.compare(false, &mut relaxation.upper())?;
        self.compare(false, &mut GraphDistance::<Total>::new(model, goal, &relaxation))?;
        self.compare(false, &mut Hamming::new(model, goal))?;
        for merging in MERGINGS {
            let work = zonaut_merge::Work { meter: &Meter::default(), is_enough: &|_, _| false };
            let merged = Merged::new((model, goal), merging, &relaxation, work);
            self.compare(true, &mut merged.expect("invariant: the default meter never stops"))?;
        }
        self.examine_predicates(asked)?;
        for part in parts {
            let child = AbstractModel::new(model, goal, &part.pattern(model, goal));
            // What cannot be explored has no database.
            if let Ok(mut database) = Database::build(model, bounds, &child, &mut Few) {
                self.look(true, &format!("{part:?}"), |state| {
                    Heuristic::<_, Step>::estimate(&mut database, state, None)
                })?;
            }
        }
        Ok(())
    }

    /// The same for predicate abstractions: of everything, of single processes that share, and of
    /// pairs of processes that are added.
    fn examine_predicates(&self, asked: &Asked<'_>) -> Result<(), Mistake> {
        let Asked { model, goal, bounds } = *asked;
        let work = Work { meter: &Meter::default(), is_enough: &|states, _| states >= STATES };
        let learning = Learning { perimeter: 2, ..Learning::from(Rounds::WhileGrowing) };
        let cuts = [
            Cut { split: None, ..Cut::default() },
            Cut { split: Some(1), ..Cut::default() },
            Cut { split: Some(1), vocabulary: Vocabulary::Refined(learning), ..Cut::default() },
        ];
        for cut in cuts {
            let shared = Shared::new((model, goal), bounds, &cut, work);
            let mut shared = shared.expect("invariant: the default meter never stops");
            self.look(true, &format!("{cut:?}"), |state| {
                Heuristic::<_, Step>::estimate(&mut shared, state, None)
            })?;
        }
        let added = Added::new((model, goal), bounds, &Cut::default(), work);
        let mut added = added.expect("invariant: the default meter never stops");
        self.look(false, "pa", |state| Heuristic::<_, Step>::estimate(&mut added, state, None))
    }

    fn compare(
        &self,
        is_admissible: bool,
        guide: &mut dyn DiscreteHeuristic,
    ) -> Result<(), Mistake> {
        let name = guide.name();
        self.look(is_admissible, name, |state| guide.estimate(&state.values))
    }

    /// A dead end has no goal and no error behind it. A guide that is admissible is not above what
    /// is left to a goal, and puts nothing last that has one behind it.
    fn look(
        &self,
        is_admissible: bool,
        guide: &str,
        mut estimate: impl FnMut(&SymbolicState) -> Estimate<u32>,
    ) -> Result<(), Mistake> {
        for (left, state) in (0..).zip(self.states.iter().rev()) {
            let estimate = estimate(state);
            let is_right = match estimate {
                Estimate::DeadEnd => false,
                _ if !is_admissible || !self.is_to_goal => true,
                Estimate::Distance(steps) => steps <= left,
                Estimate::Last => false,
            };
            if !is_right {
                let left = (left, self.is_to_goal);
                return Err(Mistake::Guide(Misled { guide: guide.to_owned(), estimate, left }));
            }
        }
        Ok(())
    }
}

/// Ends what is not small.
struct Few;

impl Observer<SymbolicState, Step> for Few {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        if now.explored > STATES {
            return ControlFlow::Break(StopReason::NodeLimit);
        }
        ControlFlow::Continue(())
    }
}
