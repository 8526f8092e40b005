//! The path that a search found, and the estimates of heuristics along it.

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

/// The state limit of an abstract model; beyond it, its pattern database is partial.
const STATES: usize = 500;

/// The limits of merging that are tested.
const MERGINGS: [Merging; 3] = [
    Merging { locations: 50, variables: 0 },
    Merging { locations: 3, variables: 0 },
    Merging { locations: 20, variables: 4 },
];

/// The states from the initial one to the goal or error that a search found.
#[derive(Clone, Debug)]
pub(crate) struct GoalPath {
    /// The states.
    pub(crate) states: Vec<SymbolicState>,
    /// Whether the last state is a goal; otherwise a run-time error occurs there.
    pub(crate) is_to_goal: bool,
}

/// A wrong estimate on the path to a goal or to an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrongEstimate {
    /// The heuristic.
    pub heuristic: String,
    /// Its estimate.
    pub estimate: Estimate<u32>,
    /// The number of remaining steps, and whether they lead to a goal.
    pub left: (u32, bool),
}

impl fmt::Display for WrongEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { heuristic, estimate, left: (steps, is_to_goal) } = self;
        let end = if *is_to_goal { "the goal" } else { "an error" };
        write!(f, "{heuristic} says {estimate:?}, {steps} steps before {end}")
    }
}

/// A pattern whose database is checked along a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The symbols of an abstract error path (Russian Doll, `rd`).
    ErrorPath(Inputs),
    /// The symbols on which the goal depends within this number of layers.
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

    /// The pattern for the network of `seed`; `None` for half of the networks.
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

/// A query, as heuristics need it.
pub(crate) struct GoalQuery<'m> {
    pub(crate) model: &'m Model,
    pub(crate) goal: &'m Formula,
    pub(crate) bounds: &'m BoundsTable,
}

impl GoalPath {
    /// Whether this path is a stronger test of heuristics: it leads to a goal, in fewer steps.
    pub(crate) fn is_better_than(&self, other: &Self) -> bool {
        (!self.is_to_goal, self.states.len()) < (!other.is_to_goal, other.states.len())
    }

    /// Compares the estimates of heuristics along the path with the remaining length.
    pub(crate) fn examine(&self, asked: &GoalQuery<'_>, parts: &[Part]) -> Result<(), Mistake> {
        let GoalQuery { model, goal, bounds } = *asked;
        let relaxation = Relaxation::new(model, goal);
        self.compare(true, &mut relaxation.lower())?;
        self.compare(true, &mut GraphDistance::<Maximum>::new(model, goal, &relaxation))?;
        self.compare(false, &mut relaxation.upper())?;
        self.compare(false, &mut GraphDistance::<Total>::new(model, goal, &relaxation))?;
        self.compare(false, &mut Hamming::new(model, goal))?;
        for merging in MERGINGS {
            let work = zonaut_merge::Work { meter: &Meter::default(), is_enough: &|_, _| false };
            let merged = Merged::new(model, goal, merging, &relaxation, work);
            self.compare(true, &mut merged.expect("invariant: the default meter never stops"))?;
        }
        self.examine_predicates(asked)?;
        for part in parts {
            let child = AbstractModel::new(model, goal, &part.pattern(model, goal));
            // An abstract model that cannot be explored has no database.
            if let Ok(mut database) = Database::build(model, bounds, &child, &mut Few) {
                self.look(true, &format!("{part:?}"), |state| {
                    Heuristic::<_, Step>::estimate(&mut database, state, None)
                })?;
            }
        }
        Ok(())
    }

    /// The same for predicate abstractions: of the whole model, of single processes with cost
    /// partitioning, and of pairs of processes whose estimates are added.
    fn examine_predicates(&self, asked: &GoalQuery<'_>) -> Result<(), Mistake> {
        let GoalQuery { model, goal, bounds } = *asked;
        let work = Work { meter: &Meter::default(), is_enough: &|states, _| states >= STATES };
        let learning = Learning { perimeter: 2, ..Learning::from(Rounds::WhileGrowing) };
        let cuts = [
            Cut { split: None, ..Cut::default() },
            Cut { split: Some(1), ..Cut::default() },
            Cut { split: Some(1), vocabulary: Vocabulary::Refined(learning), ..Cut::default() },
        ];
        for cut in cuts {
            let shared = Shared::new(model, goal, bounds, &cut, work);
            let mut shared = shared.expect("invariant: the default meter never stops");
            self.look(true, &format!("{cut:?}"), |state| {
                Heuristic::<_, Step>::estimate(&mut shared, state, None)
            })?;
        }
        let added = Added::new(model, goal, bounds, &Cut::default(), work);
        let mut added = added.expect("invariant: the default meter never stops");
        self.look(false, "pa", |state| Heuristic::<_, Step>::estimate(&mut added, state, None))
    }

    fn compare(
        &self,
        is_admissible: bool,
        heuristic: &mut dyn DiscreteHeuristic,
    ) -> Result<(), Mistake> {
        let name = heuristic.name();
        self.look(is_admissible, name, |state| heuristic.estimate(&state.values))
    }

    /// Neither a goal nor an error is behind a dead end. An admissible heuristic does not exceed
    /// the remaining distance to a goal, and does not defer a state that reaches one.
    fn look(
        &self,
        is_admissible: bool,
        heuristic: &str,
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
                return Err(Mistake::Heuristic(WrongEstimate {
                    heuristic: heuristic.to_owned(),
                    estimate,
                    left,
                }));
            }
        }
        Ok(())
    }
}

/// Stops explorations that are not small.
struct Few;

impl Observer<SymbolicState, Step> for Few {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        if now.explored > STATES {
            return ControlFlow::Break(StopReason::NodeLimit);
        }
        ControlFlow::Continue(())
    }
}
