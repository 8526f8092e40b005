//! Construction of heuristics from their descriptions, and statistics of their work.

mod budget;
mod clocked;
mod combined;
mod dead_ends;
mod kept;
mod pattern;
mod predicates;
mod shared;
mod tally;
mod usefulness_test;

use crate::environment::Environment;
use crate::task::{NoSearch, SearchObserver};
use clocked::Clocked;
use combined::{Max, Sum, Weighted};
pub(crate) use dead_ends::DeadEndFilter;
pub use dead_ends::DeadEndPolicy;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;
pub use tally::LowestEstimate;
use tally::Tally;
use zonaut_base::Held;
use zonaut_compile::BoundsTable;
use zonaut_dbm::Width;
use zonaut_heuristics::{
    Cached, Combination, Discrete, GraphDistance, Hamming, Maximum, Relaxation, Total,
};
use zonaut_model::{Formula, Model};
use zonaut_pdb::Database;
use zonaut_search::Blind;
use zonaut_space::{Admissible, AdmissibleHeuristic, Arrival, Estimate, Heuristic, Meter};
use zonaut_strategy::HeuristicSpec;
use zonaut_zonegraph::{Step, SymbolicState};

/// The work of the heuristics of a search.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct HeuristicWork {
    /// The seconds spent on their construction.
    pub preparation: f64,
    /// The number of evaluations.
    pub evaluations: u64,
    /// The seconds spent on evaluations.
    pub seconds: f64,
    /// The size of their databases, if they have any.
    pub databases: Option<DatabaseSize>,
}

/// The total size of the pattern databases of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DatabaseSize {
    /// States explored to build them.
    pub explored: usize,
    /// States with their distances.
    pub states: usize,
    /// The memory of the distances, in bytes.
    pub bytes: usize,
    /// Whether the last one covers its abstract model completely.
    pub is_complete: bool,
}

/// A factory of heuristics for one goal of one model.
pub struct HeuristicFactory<'m> {
    model: &'m Model,
    formula: &'m Formula,
    /// The bounds with which the model is explored.
    bounds: &'m BoundsTable,
    environment: &'m dyn Environment,
    account: Account,
    /// Problems that did not affect the verdict.
    warnings: RefCell<Vec<String>>,
}

/// The work of the heuristics of one factory.
#[derive(Default)]
struct Account {
    preparation: Cell<Duration>,
    /// The counts of each heuristic, which may be evaluated on other threads.
    tallies: RefCell<Vec<Arc<Tally>>>,
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

/// A heuristic for states of zone graphs.
pub(crate) type BoxedHeuristic<'m, W> = Box<dyn Heuristic<SymbolicState<W>, Step> + 'm>;
/// An admissible heuristic for states of zone graphs.
pub(crate) type BoxedAdmissible<'m, W> = Box<dyn AdmissibleHeuristic<SymbolicState<W>, Step> + 'm>;

impl<'m> HeuristicFactory<'m> {
    /// A factory for a goal in a model that is explored with these bounds.
    #[must_use]
    pub fn new(
        model: &'m Model,
        formula: &'m Formula,
        bounds: &'m BoundsTable,
        environment: &'m dyn Environment,
    ) -> Self {
        Self {
            model,
            formula,
            bounds,
            environment,
            account: Account::default(),
            warnings: RefCell::default(),
        }
    }

    /// The same factory for another search, with statistics of its own.
    pub(crate) fn another(&self) -> Self {
        let Self { model, formula, bounds, environment, .. } = *self;
        Self::new(model, formula, bounds, environment)
    }

    /// Records that the databases were dropped.
    pub(crate) fn release(&self) {
        *self.account.held.borrow_mut() = Held::default();
    }

    /// The model and the goal.
    pub(crate) fn subject(&self) -> (&'m Model, &'m Formula) {
        (self.model, self.formula)
    }

    /// The work so far of the heuristics made by `timed`.
    #[must_use]
    pub fn work(&self) -> HeuristicWork {
        let tallies = self.account.tallies.borrow();
        HeuristicWork {
            preparation: self.account.preparation.get().as_secs_f64(),
            evaluations: tallies.iter().map(|tally| tally.evaluations()).sum(),
            seconds: tallies.iter().map(|tally| tally.spent()).sum::<Duration>().as_secs_f64(),
            databases: self.account.databases.get(),
        }
    }

    /// The lowest estimate so far of the heuristics made by [`Self::timed`]; `None` if no
    /// evaluation returned a number.
    pub(crate) fn lowest(&self) -> Option<u32> {
        self.account.tallies.borrow().iter().filter_map(|tally| tally.lowest()).min()
    }

    /// Whether these heuristics find no path to the goal, but cannot exclude a run-time error.
    pub(crate) fn is_blind(&self) -> bool {
        let tallies = self.account.tallies.borrow();
        self.lowest().is_none() && tallies.iter().any(|tally| tally.puts_last())
    }

    /// Problems of the heuristics that did not affect the verdict.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.take()
    }

    /// The heuristic that `make` constructs, with its time measured.
    pub(crate) fn timed<H>(
        &self,
        make: impl FnOnce() -> Result<H, NoSearch>,
    ) -> Result<Timed<'m, H>, NoSearch> {
        let start = self.environment.now();
        let heuristic = make()?;
        let preparation = &self.account.preparation;
        preparation.set(preparation.get() + self.environment.now().saturating_sub(start));
        let tally = Arc::<Tally>::default();
        self.account.tallies.borrow_mut().push(Arc::clone(&tally));
        Ok(Timed { heuristic, tally, environment: self.environment })
    }

    fn relaxation(&self, meter: &Meter) -> Result<Relaxation<'m>, NoSearch> {
        Relaxation::metered(self.model, self.formula, meter).map_err(NoSearch::Stopped)
    }

    fn distances<C: Combination>(&self, meter: &Meter) -> Result<GraphDistance<C>, NoSearch> {
        Ok(GraphDistance::new(self.model, self.formula, &self.relaxation(meter)?))
    }

    /// The heuristic that `spec` describes.
    pub(crate) fn heuristic<W: Width>(
        &self,
        spec: &HeuristicSpec,
        observer: SearchObserver<'_, W>,
    ) -> Result<BoxedHeuristic<'m, W>, NoSearch> {
        let meter = &observer.meter();
        let mut all = |specs: &[HeuristicSpec]| -> Result<Vec<_>, NoSearch> {
            specs.iter().map(|spec| self.heuristic(spec, observer)).collect()
        };
        Ok(match spec {
            HeuristicSpec::Max(specs) => Box::new(Max::new(all(specs)?)),
            HeuristicSpec::Sum(specs) => Box::new(Sum::new(all(specs)?)),
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
            | HeuristicSpec::Merged(_) => Box::new(self.admissible(spec, observer)?),
        })
    }

    /// The heuristic that `spec` describes, if its type is admissible.
    pub(crate) fn admissible<W: Width>(
        &self,
        spec: &HeuristicSpec,
        observer: SearchObserver<'_, W>,
    ) -> Result<BoxedAdmissible<'m, W>, NoSearch> {
        let meter = &observer.meter();
        match spec {
            HeuristicSpec::Blind => Ok(Box::new(Blind)),
            HeuristicSpec::Max(specs) => {
                let parts = specs.iter().map(|spec| self.admissible(spec, observer));
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
            HeuristicSpec::Shared(specs) => Ok(Box::new(self.shared_sum(specs, observer)?)),
            // Strategies with these are rejected by the parser.
            HeuristicSpec::Hamming
            | HeuristicSpec::SumOfDistances
            | HeuristicSpec::Upper { .. }
            | HeuristicSpec::Predicates(_)
            | HeuristicSpec::Sum(_)
            | HeuristicSpec::Weighted(..) => {
                Err(NoSearch::Unsuited(format!("A* with the heuristic `{spec}`")))
            }
        }
    }
}

/// `heuristic` with a cache of this many values.
fn cached<G: zonaut_heuristics::DiscreteHeuristic>(
    heuristic: G,
    values: u32,
) -> Cached<Discrete<G>> {
    Cached::new(Discrete(heuristic), values as usize)
}

/// A heuristic whose time is measured.
pub(crate) struct Timed<'m, H> {
    heuristic: H,
    tally: Arc<Tally>,
    environment: &'m dyn Environment,
}

impl<H: Admissible> Admissible for Timed<'_, H> {}

impl<S, T, H: Heuristic<S, T>> Heuristic<S, T> for Timed<'_, H> {
    fn estimate(&mut self, state: &S, arrival: Option<Arrival<'_, S, T>>) -> Estimate<u32> {
        let start = self.environment.now();
        let estimate = self.heuristic.estimate(state, arrival);
        if let Some(lowest) = self.tally.note(estimate) {
            self.environment.estimated(lowest);
        }
        self.tally.count(self.environment.now().saturating_sub(start));
        estimate
    }
    fn name(&self) -> &'static str {
        self.heuristic.name()
    }
}
