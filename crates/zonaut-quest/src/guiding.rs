//! From guides as data to guides that work, and what they cost.

mod budget;
mod clocked;
mod combined;
mod judgement;
mod kept;
mod outlook;
mod pattern;
mod predicates;
mod shared;

use crate::quest::{NoSearch, Watcher};
use crate::surroundings::Surroundings;
use clocked::Clocked;
use combined::{Max, Sum, Weighted};
pub use outlook::DeadEnds;
pub(crate) use outlook::Outlook;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use zonaut_base::Held;
use zonaut_compile::BoundsTable;
use zonaut_dbm::Width;
use zonaut_heuristics::{
    Cached, Combination, Discrete, GraphDistance, Hamming, Maximum, Relaxation, Total,
};
use zonaut_model::{Formula, Model, Query};
use zonaut_pdb::Database;
use zonaut_search::Blind;
use zonaut_space::{Admissible, AdmissibleHeuristic, Arrival, Estimate, Heuristic, Meter};
use zonaut_strategy::HeuristicSpec;
use zonaut_zonegraph::{Step, SymbolicState};

/// What guides did in a search.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct GuideWork {
    /// The seconds it took to prepare them.
    pub preparation: f64,
    /// How often they were asked.
    pub evaluations: u64,
    /// The seconds they took to answer.
    pub seconds: f64,
    /// How large their databases are, where there are any.
    pub databases: Option<DatabaseSize>,
}

/// How large the databases of a search are, all together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DatabaseSize {
    /// States explored to build them.
    pub explored: usize,
    /// States with their distances.
    pub states: usize,
    /// The memory of the distances, in bytes.
    pub bytes: usize,
    /// Whether the last one knows all of its part of the model.
    pub is_complete: bool,
}

/// Makes guides for one goal of one model.
pub struct Guiding<'m> {
    model: &'m Model,
    query: &'m Query,
    formula: &'m Formula,
    /// The bounds with which the model is explored.
    bounds: &'m BoundsTable,
    surroundings: &'m dyn Surroundings,
    account: Rc<Account>,
    /// What went wrong without costing the answer.
    warnings: RefCell<Vec<String>>,
}

#[derive(Default)]
struct Account {
    preparation: Cell<Duration>,
    evaluations: Cell<u64>,
    /// The lowest estimate that was given; none if there was no number among them.
    lowest: Cell<Option<u32>>,
    /// Whether a state was put last.
    puts_last: Cell<bool>,
    spent: Cell<Duration>,
    databases: Cell<Option<DatabaseSize>>,
    /// The memory of databases.
    held: RefCell<Held>,
}

impl Account {
    fn count<W: Width>(&self, database: &Database<W>, meter: &Meter) {
        let size = database.size();
        self.add(
            DatabaseSize {
                explored: size.explored,
                states: size.states,
                bytes: database.bytes(),
                is_complete: database.is_complete(),
            },
            meter,
        );
    }

    fn add(&self, size: DatabaseSize, meter: &Meter) {
        let before = self.databases.get().unwrap_or_default();
        let bytes = before.bytes + size.bytes;
        self.databases.set(Some(DatabaseSize {
            explored: before.explored + size.explored,
            states: before.states + size.states,
            bytes,
            is_complete: size.is_complete,
        }));
        let mut held = meter.hold();
        held.set(bytes);
        *self.held.borrow_mut() = held;
    }
}

/// A guide for states of zone graphs.
pub(crate) type BoxedHeuristic<'m, W> = Box<dyn Heuristic<SymbolicState<W>, Step> + 'm>;
/// A guide for states of zone graphs that never overestimates.
pub(crate) type BoxedAdmissible<'m, W> = Box<dyn AdmissibleHeuristic<SymbolicState<W>, Step> + 'm>;

impl<'m> Guiding<'m> {
    /// Makes guides for a goal, of a query, in a model that is explored with these bounds.
    #[must_use]
    pub fn new(
        (model, query): (&'m Model, &'m Query),
        formula: &'m Formula,
        bounds: &'m BoundsTable,
        surroundings: &'m dyn Surroundings,
    ) -> Self {
        Self {
            model,
            query,
            formula,
            bounds,
            surroundings,
            account: Rc::default(),
            warnings: RefCell::default(),
        }
    }

    /// The same for another search; what each does is counted on its own.
    pub(crate) fn another(&self) -> Self {
        let Self { model, query, formula, bounds, surroundings, .. } = *self;
        Self::new((model, query), formula, bounds, surroundings)
    }

    /// Says that the databases are gone.
    pub(crate) fn release(&self) {
        *self.account.held.borrow_mut() = Held::default();
    }

    /// The model and the goal.
    pub(crate) fn subject(&self) -> (&'m Model, &'m Formula) {
        (self.model, self.formula)
    }

    /// What the guides made by `timed` have done so far.
    #[must_use]
    pub fn work(&self) -> GuideWork {
        GuideWork {
            preparation: self.account.preparation.get().as_secs_f64(),
            evaluations: self.account.evaluations.get(),
            seconds: self.account.spent.get().as_secs_f64(),
            databases: self.account.databases.get(),
        }
    }

    /// The lowest estimate that the guides made by [`Self::timed`] have given so far; none if there
    /// was no number among them.
    pub(crate) fn lowest(&self) -> Option<u32> {
        self.account.lowest.get()
    }

    /// Whether these guides see no way to the goal, but cannot rule out that something fails.
    pub(crate) fn is_blind(&self) -> bool {
        self.account.lowest.get().is_none() && self.account.puts_last.get()
    }

    /// What went wrong with the guides without costing the answer.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.take()
    }

    /// The guide that `make` makes, with its time measured.
    pub(crate) fn timed<H>(
        &self,
        make: impl FnOnce() -> Result<H, NoSearch>,
    ) -> Result<Timed<'m, H>, NoSearch> {
        let start = self.surroundings.now();
        let heuristic = make()?;
        let preparation = &self.account.preparation;
        preparation.set(preparation.get() + self.surroundings.now().saturating_sub(start));
        let (account, surroundings) = (Rc::clone(&self.account), self.surroundings);
        Ok(Timed { heuristic, account, surroundings })
    }

    fn relaxation(&self, meter: &Meter) -> Result<Relaxation<'m>, NoSearch> {
        Relaxation::metered(self.model, self.formula, meter).map_err(NoSearch::Stopped)
    }

    fn distances<C: Combination>(&self, meter: &Meter) -> Result<GraphDistance<C>, NoSearch> {
        Ok(GraphDistance::new(self.model, self.formula, &self.relaxation(meter)?))
    }

    /// The guide that `guide` describes.
    pub(crate) fn heuristic<W: Width>(
        &self,
        guide: &HeuristicSpec,
        observer: Watcher<'_, W>,
    ) -> Result<BoxedHeuristic<'m, W>, NoSearch> {
        let meter = &observer.meter();
        let mut all = |guides: &[HeuristicSpec]| -> Result<Vec<_>, NoSearch> {
            guides.iter().map(|guide| self.heuristic(guide, observer)).collect()
        };
        Ok(match guide {
            HeuristicSpec::Max(guides) => Box::new(Max::new(all(guides)?)),
            HeuristicSpec::Sum(guides) => Box::new(Sum::new(all(guides)?)),
            HeuristicSpec::Weighted(part, weight) => {
                Box::new(Weighted { part: self.heuristic(part, observer)?, weight: *weight })
            }
            HeuristicSpec::Hamming => {
                Box::new(Discrete(Hamming::metered(self.model, self.formula, meter)))
            }
            HeuristicSpec::SumOfDistances => Box::new(Discrete(self.distances::<Total>(meter)?)),
            HeuristicSpec::Upper { cache } => {
                Box::new(cached(self.relaxation(meter)?.upper(), *cache))
            }
            HeuristicSpec::Predicates(predicates) if !predicates.is_admissible() => {
                Box::new(self.parts::<W, false>(predicates, observer)?)
            }
            HeuristicSpec::Blind
            | HeuristicSpec::GreatestDistance
            | HeuristicSpec::Lower { .. }
            | HeuristicSpec::Pattern(_)
            | HeuristicSpec::Predicates(_)
            | HeuristicSpec::Shared(_)
            | HeuristicSpec::Merged(_) => Box::new(self.admissible(guide, observer)?),
        })
    }

    /// The guide that `guide` describes, if its type keeps the promise of a shortest run.
    pub(crate) fn admissible<W: Width>(
        &self,
        guide: &HeuristicSpec,
        observer: Watcher<'_, W>,
    ) -> Result<BoxedAdmissible<'m, W>, NoSearch> {
        let meter = &observer.meter();
        match guide {
            HeuristicSpec::Blind => Ok(Box::new(Blind)),
            HeuristicSpec::Max(guides) => {
                let parts = guides.iter().map(|guide| self.admissible(guide, observer));
                Ok(Box::new(Max::new(parts.collect::<Result<Vec<_>, NoSearch>>()?)))
            }
            HeuristicSpec::GreatestDistance => {
                Ok(Box::new(Discrete(self.distances::<Maximum>(meter)?)))
            }
            HeuristicSpec::Lower { cache, precision } => {
                let relaxation =
                    Relaxation::with_precision(self.model, self.formula, *precision, meter);
                let relaxation = relaxation.map_err(NoSearch::Stopped)?;
                let (lower, classes) = (relaxation.lower(), relaxation.classes());
                Ok(match classes.is_empty() {
                    true => Box::new(cached(lower, *cache)),
                    false => {
                        let clocked = Clocked::new(lower, self.model, self.bounds, classes.clone());
                        Box::new(Cached::new(clocked, *cache as usize))
                    }
                })
            }
            HeuristicSpec::Pattern(pattern) => Ok(Box::new(self.database(pattern, observer)?)),
            HeuristicSpec::Predicates(predicates) if predicates.is_admissible() => {
                Ok(Box::new(self.parts::<W, true>(predicates, observer)?))
            }
            HeuristicSpec::Merged(merge) => Ok(Box::new(Discrete(self.merged(merge, observer)?))),
            HeuristicSpec::Shared(guides) => Ok(Box::new(self.shared_sum(guides, observer)?)),
            // Strategies with these are refused when they are read.
            HeuristicSpec::Hamming
            | HeuristicSpec::SumOfDistances
            | HeuristicSpec::Upper { .. }
            | HeuristicSpec::Predicates(_)
            | HeuristicSpec::Sum(_)
            | HeuristicSpec::Weighted(..) => {
                Err(NoSearch::Unsuited(format!("A* with the guide `{guide}`")))
            }
        }
    }
}

/// `guide` with so many values remembered.
fn cached<G: zonaut_heuristics::DiscreteHeuristic>(guide: G, values: u32) -> Cached<Discrete<G>> {
    Cached::new(Discrete(guide), values as usize)
}

/// A guide whose time is measured.
pub(crate) struct Timed<'m, H> {
    heuristic: H,
    account: Rc<Account>,
    surroundings: &'m dyn Surroundings,
}

impl<H: Admissible> Admissible for Timed<'_, H> {}

impl<S, T, H: Heuristic<S, T>> Heuristic<S, T> for Timed<'_, H> {
    fn estimate(&mut self, state: &S, arrival: Option<Arrival<'_, S, T>>) -> Estimate<u32> {
        let start = self.surroundings.now();
        let estimate = self.heuristic.estimate(state, arrival);
        let Account { evaluations, lowest, puts_last, spent, .. } = &*self.account;
        match estimate {
            Estimate::Distance(h) if lowest.get().is_none_or(|lowest| h < lowest) => {
                lowest.set(Some(h));
                self.surroundings.estimated(h);
            }
            Estimate::Distance(_) => {}
            Estimate::Last => puts_last.set(true),
            Estimate::DeadEnd => {}
        }
        spent.set(spent.get() + self.surroundings.now().saturating_sub(start));
        evaluations.set(evaluations.get() + 1);
        estimate
    }
    fn name(&self) -> &'static str {
        self.heuristic.name()
    }
}
