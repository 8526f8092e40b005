//! The choice of domains of a lazy search, and the zone abstraction they require.

use crate::clocks::{Eager, LowerUpper, ZoneInterpolation};
use crate::data::{Explicit, Precision, Visible};
use crate::domain::{ClockDomain, DataDomain, LazyDomain, Pair};
use crate::graph::{Lazy, Options, Report};
use crate::refutation::Refutation;
use std::fmt::Debug;
use zonaut_compile::BoundsTable;
use zonaut_dbm::Width;
use zonaut_model::{Formula, Model};
use zonaut_search::{Budget, Frontier, Statistics, Status};
use zonaut_space::Observer;
use zonaut_strategy::LazyStrategy;
use zonaut_strategy::lazy::{Clocks, Data};
use zonaut_zonegraph::{
    Abstraction, Comparison, CompiledGoal, Differences, Step, SymbolicState, ZoneGraph,
};

/// The domains and options of a lazy search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Choice {
    /// The data domain.
    pub data: Data,
    /// The clock domain.
    pub clocks: Clocks,
    /// The options.
    pub options: Options,
}

/// The reason for which a lazy search would be unsound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// Bounds of single clocks do not preserve clock differences.
    Differences,
    /// Labels do not preserve priorities of transitions.
    Priorities,
    /// Labels do not preserve which clocks are stopped.
    Stopwatches,
    /// The goal contains `deadlock`.
    Deadlock,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Differences => "lazy bounds of clocks with clock differences",
            Self::Priorities => "lazy abstraction with priorities",
            Self::Stopwatches => "lazy abstraction with stopwatches",
            Self::Deadlock => "lazy abstraction with `deadlock`",
        })
    }
}

impl Choice {
    /// The configuration of a search that has to find a shortest path or not.
    #[must_use]
    pub fn of(lazy: &LazyStrategy, shortest: bool) -> Self {
        let LazyStrategy { data, clocks, covering, refine: refinement, .. } = *lazy;
        Self { data, clocks, options: Options { covering, shortest, refinement } }
    }

    /// The abstraction of the zone graph that a lazy search explores: one with finitely many zones,
    /// or exact zones if the comparison makes the exploration finite. `wish` applies to searches
    /// whose labels keep all clocks.
    ///
    /// # Errors
    /// If the search would be unsound.
    pub fn abstraction(
        self,
        bounds: &BoundsTable,
        wish: Option<Abstraction>,
    ) -> Result<Abstraction, Refused> {
        let has_differences = Differences::of(bounds) != Differences::Absent;
        match self.clocks {
            Clocks::Eager => Ok(wish.unwrap_or_else(|| Abstraction::best(bounds))),
            Clocks::LowerUpper if has_differences => Err(Refused::Differences),
            Clocks::LowerUpper => Ok(Abstraction::Simulation),
            Clocks::Zone if has_differences => Ok(Abstraction::best(bounds)),
            Clocks::Zone => Ok(Abstraction::LowerUpperPlus),
        }
    }
}

/// A frontier of any order.
pub type AnyFrontier<'f, W> = Box<dyn Frontier<SymbolicState<W>, Step> + 'f>;

/// A goal in a zone graph.
#[derive(Clone, Copy, Debug)]
pub struct LazyTask<'g, W: Width> {
    /// The model.
    pub model: &'g Model,
    /// Its zone graph, with the abstraction that the choice requires.
    pub graph: &'g ZoneGraph<'g, W>,
    /// The goal.
    pub formula: &'g Formula,
    /// The goal, compiled.
    pub goal: &'g CompiledGoal,
}

impl<'g, W: Width> LazyTask<'g, W> {
    /// Runs a search with the domains of a choice.
    ///
    /// # Errors
    /// If the search would be unsound.
    pub fn search(
        self,
        choice: Choice,
        frontier: AnyFrontier<'_, W>,
        observer: &mut dyn Observer<SymbolicState<W>, Step>,
    ) -> Result<Report<'g, W>, Refused> {
        let mut search = self.begin(choice, frontier)?;
        let _ = search.run(Budget::UNLIMITED, observer);
        Ok(search.into_report())
    }

    /// A search with the domains of a choice, not started.
    ///
    /// # Errors
    /// If the search would be unsound.
    pub fn begin<'f>(
        self,
        choice: Choice,
        frontier: AnyFrontier<'f, W>,
    ) -> Result<Box<dyn LazySearch<'g, W> + 'f>, Refused>
    where
        'g: 'f,
    {
        if self.model.has_priorities() {
            return Err(Refused::Priorities);
        }
        if self.model.has_rates() {
            return Err(Refused::Stopwatches);
        }
        let network = self.graph.network();
        let refutation = Refutation::new(self.model, self.formula, self.graph.meter());
        let refutation = refutation.ok_or(Refused::Deadlock)?;
        let asked = DomainChoice { task: self, choice, refutation, frontier };
        let literals = asked.refutation.literals();
        let some = |precision| Visible::new(self.model, self.graph, literals, precision);
        Ok(match choice.data {
            Data::Explicit => asked.with_data(Explicit::new(network)),
            Data::Visible => asked.with_data(some(Precision::Content)),
            Data::Interval => asked.with_data(some(Precision::Range)),
        })
    }
}

/// A lazy search with any domains, which is paused and resumed as [`Lazy`] describes.
pub trait LazySearch<'g, W: Width>: Send {
    /// Works until the budget is used or the outcome is known.
    fn run(
        &mut self,
        budget: Budget,
        observer: &mut dyn Observer<SymbolicState<W>, Step>,
    ) -> Status;
    /// The work so far, as budgets count it.
    fn work(&self) -> u64;
    /// The statistics so far.
    fn statistics(&self) -> Statistics;
    /// The report; a search that has not ended counts as cancelled.
    fn into_report(self: Box<Self>) -> Report<'g, W>;
}

impl<'g, W: Width, D, C, F> LazySearch<'g, W> for Lazy<'g, W, D, C, F>
where
    D: LazyDomain<W, Label = u32> + DataDomain + Debug + 'g,
    C: ClockDomain<W> + Debug + 'g,
    F: Frontier<SymbolicState<W>, Step>,
{
    fn run(
        &mut self,
        budget: Budget,
        observer: &mut dyn Observer<SymbolicState<W>, Step>,
    ) -> Status {
        Self::run(self, budget, observer)
    }
    fn work(&self) -> u64 {
        Self::work(self)
    }
    fn statistics(&self) -> Statistics {
        Self::statistics(self)
    }
    fn into_report(self: Box<Self>) -> Report<'g, W> {
        Self::into_report(*self)
    }
}

/// A search whose domains are being selected.
struct DomainChoice<'g, 'f, W: Width> {
    task: LazyTask<'g, W>,
    choice: Choice,
    refutation: Refutation<'g>,
    frontier: AnyFrontier<'f, W>,
}

impl<'g: 'f, 'f, W: Width> DomainChoice<'g, 'f, W> {
    fn with_data<D>(self, data: D) -> Box<dyn LazySearch<'g, W> + 'f>
    where
        D: LazyDomain<W, Label = u32> + DataDomain + Debug + 'g,
    {
        match self.choice.clocks {
            Clocks::Eager => {
                let comparison = Comparison::of(self.task.graph.abstraction());
                self.with_domains(Pair { data, clocks: Eager::new(comparison) })
            }
            Clocks::LowerUpper => self.with_domains(Pair { data, clocks: LowerUpper::default() }),
            Clocks::Zone => self.with_domains(Pair { data, clocks: ZoneInterpolation::default() }),
        }
    }

    fn with_domains<D, C>(self, domain: Pair<D, C>) -> Box<dyn LazySearch<'g, W> + 'f>
    where
        D: LazyDomain<W, Label = u32> + DataDomain + Debug + 'g,
        C: ClockDomain<W> + Debug + 'g,
    {
        let Self { task, choice, refutation, frontier } = self;
        let LazyTask { graph, goal, .. } = task;
        Box::new(Lazy::new(graph, goal, refutation, domain, frontier, choice.options))
    }
}
