//! The search for a maximal run that decides a query.
//!
//! The [covering graph](crate::covering_graph) decides most queries by itself: an end of a run in one
//! of its nodes is a result, and so is the absence of cycles. Components with a cycle are searched
//! exactly. Where runs may begin at any moment, all states are explored as well, with the same bounds
//! and in alternation with the covering graph, so that a run that begins early is found early.
//!
//! A round whose bounds turn out to be too small for some blocked end is repeated with larger ones.
//! It goes on for as long as it has taken so far, to collect more of them, so that the work of all
//! rounds is within a constant factor of the last one.
//!
//! Priorities, clock differences, stopwatches, and constants near the end of the range are left to
//! the [exact search](crate::exact_search), which is depth first.

use crate::components::Components;
use crate::covering_graph::{BlockedEnds, CoveringGraph, Halted, Path, ZoneStore};
use crate::exact_search::{ExactProof, search_exactly};
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::lasso::Finding;
use crate::maximal_runs::{Halt, MaximalRuns};
use crate::objective::{CompiledObjective, Objective};
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, CompiledNetwork, Step, TwoSidedLocations};
use zonaut_dbm::Width;
use zonaut_model::{Formula, Model};
use zonaut_search::{
    ArenaStore, Budget, Fifo, Outcome, Search, Statistics, Status, Uninformed, ask,
};
use zonaut_space::{EmptyGoal, Meter, NodeId, Observer, PassedStore, Progress, StopReason};
use zonaut_zonegraph::{
    Abstraction, AvoidingGraph, Comparison, CompiledGoal, StateEncoding, StepError, SymbolicState,
    Unsound, ZoneCovering, ZoneGraph,
};

/// A search for a maximal run.
#[derive(Clone, Copy, Debug)]
pub struct LassoTask<'t> {
    /// The model.
    pub model: &'t Model,
    /// The compiled model.
    pub network: &'t CompiledNetwork,
    /// The bounds of an exact search, which include all constants of the objective.
    pub bounds: &'t BoundsTable,
    /// The maximal runs that decide the query.
    pub objective: &'t Objective,
    /// Its compiled formulas.
    pub compiled: &'t CompiledObjective,
    /// Whether the exact search is used even if the covering graph could decide.
    pub is_exact: bool,
    /// Whether an exact search records a proof.
    pub records_proof: bool,
}

/// The result of a search for maximal runs.
#[derive(Clone, Debug)]
#[must_use]
pub struct LassoReport {
    /// The outcome.
    pub finding: Finding,
    /// The statistics.
    pub statistics: Statistics,
}

/// A proof that no maximal run of the required kind exists.
#[derive(Debug)]
pub enum Proof<'p, 'n, W: Width> {
    /// None was recorded, or the covering graph has cycles.
    Absent,
    /// The states of an exact search.
    Exact(ExactProof<W>),
    /// A covering graph without cycles.
    Covering(CoveringProof<'p, 'n, W>),
}

/// A covering graph without cycles and without ends of runs. States are compared by simulation.
pub struct CoveringProof<'p, 'n, W: Width> {
    /// All reachable states, if runs may begin at any moment.
    pub reached: Option<&'p ZoneStore<'n, W>>,
    /// The states of runs while they avoid the formula.
    pub stays: &'p ZoneStore<'n, W>,
    /// By node of `stays`, a number that is smaller for all its successors.
    pub ranks: Vec<u32>,
}

impl<W: Width> std::fmt::Debug for CoveringProof<'_, '_, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CoveringProof").field("stays", &self.stays.len()).finish_non_exhaustive()
    }
}

/// A finished search, with the data that its evaluation needs.
#[derive(Debug)]
pub struct Conclusion<'c, 'n, W: Width> {
    /// The result.
    pub report: LassoReport,
    /// The zone graph of all states, with the bounds of the search.
    pub graph: &'c ZoneGraph<'n, W>,
    /// A proof, if the search has found no run.
    pub proof: Proof<'c, 'n, W>,
}

/// Searches for a maximal run; the result is evaluated by `conclude`.
///
/// # Errors
/// If a constant is too large for bounds of this width.
pub fn search_lasso<W, Ob, T>(
    task: &LassoTask<'_>,
    observer: &mut Ob,
    conclude: impl FnOnce(Conclusion<'_, '_, W>, &mut Ob) -> T,
) -> Result<T, Unsound>
where
    W: Width,
    Ob: Observer<SymbolicState<W>, Step>,
{
    // States in which the formula holds are not examined, so `deadlock` in it needs all bounds.
    let mut locations = match task.objective.avoided.mentions_deadlock() {
        true => TwoSidedLocations::all(),
        false => TwoSidedLocations::none(),
    };
    let mut earlier = Statistics::default();
    let meter = &observer.meter();
    while let Some(bounds) = task.covering_bounds::<W>(&locations) {
        let graph = ZoneGraph::new(task.network, &bounds, Abstraction::Simulation, meter)?;
        let ends = BlockedEnds::new(&graph, locations);
        let avoided = &task.compiled.avoided;
        let covering =
            AvoidingGraph::new(task.network, &bounds, avoided, Abstraction::Simulation, meter)?;
        let mut round = Round {
            task,
            graph: &graph,
            reached: reaching(&graph),
            covering: CoveringGraph::new(covering),
            ends,
            earlier,
            raised_at: None,
            checked_at: FIRST_CHECK,
        };
        match round.run(observer) {
            Ok(ranks) => {
                let finding = Finding::None;
                let report = LassoReport { finding, statistics: round.statistics() };
                let proof =
                    ranks.map_or(Proof::Absent, |ranks| Proof::Covering(round.proof(ranks)));
                return Ok(conclude(Conclusion { report, graph: &graph, proof }, observer));
            }
            Err(Interruption::Halted(halted)) => {
                let finding = round.finding(halted);
                let report = LassoReport { finding, statistics: round.statistics() };
                let proof = Proof::Absent;
                return Ok(conclude(Conclusion { report, graph: &graph, proof }, observer));
            }
            Err(Interruption::Raised) => {
                earlier = without_memory(round.statistics());
                locations = round.ends.locations;
            }
        }
    }
    let (report, proof) = search_exactly(task, observer)?;
    let graph = ZoneGraph::new(task.network, task.bounds, Abstraction::Maximum, meter)?;
    let proof = proof.map_or(Proof::Absent, Proof::Exact);
    Ok(conclude(Conclusion { report, graph: &graph, proof }, observer))
}

impl LassoTask<'_> {
    /// The bounds for covering by simulation, if that is sound.
    fn covering_bounds<W: Width>(&self, locations: &TwoSidedLocations) -> Option<BoundsTable> {
        let bounds = BoundsTable::with_two_sided(self.model, &self.two_sided_formula(), locations);
        let keeps_range = |bounds: &BoundsTable| ZoneGraph::<W>::keeps_range(self.network, bounds);
        bounds.filter(|bounds| !self.is_exact && keeps_range(bounds))
    }

    /// A formula whose clock constraints bound clocks as the objective requires: those of the avoided
    /// formula from both sides.
    fn two_sided_formula(&self) -> Formula {
        let formula = self.objective.formula();
        #[cfg(feature = "faults")]
        if Fault::OtherSideForgotten.is_selected() {
            return formula;
        }
        Formula::And(vec![formula, Formula::Not(Box::new(self.objective.avoided.clone()))])
    }
}

/// The work of the first part of the exploration of all states; each part is twice as long as the
/// one before.
const FIRST_PART: u64 = 1_000;
/// The number of nodes at which components are searched for the first time; each time, the number
/// has to double.
const FIRST_CHECK: usize = 1_000;
/// The least number of states that a round explores after its bounds turned out to be too small.
const LEAST_REST: usize = 100;

/// The search for all reachable states.
type Reaching<'r, 'n, W> =
    Search<'r, ZoneGraph<'n, W>, EmptyGoal, ZoneStore<'n, W>, Uninformed<Fifo>>;

fn reaching<'r, 'n, W: Width>(graph: &'r ZoneGraph<'n, W>) -> Reaching<'r, 'n, W> {
    let covering = ZoneCovering::new(graph, Comparison::Simulation);
    let store = ArenaStore::new(StateEncoding::new(graph), covering);
    Search::reach(graph, EmptyGoal, store, Uninformed(Fifo::default()))
}

/// The reason for which a round ends early.
enum Interruption {
    /// The result is known.
    Halted(Halted),
    /// The bounds are too small.
    Raised,
}

impl From<Halted> for Interruption {
    fn from(halted: Halted) -> Self {
        Self::Halted(halted)
    }
}

impl From<StopReason> for Interruption {
    fn from(why: StopReason) -> Self {
        Self::Halted(why.into())
    }
}

/// A search with fixed bounds.
struct Round<'r, 'n, W: Width> {
    task: &'r LassoTask<'r>,
    graph: &'r ZoneGraph<'n, W>,
    /// The search for all states, which is used only if runs may begin at any moment.
    reached: Reaching<'r, 'n, W>,
    covering: CoveringGraph<'r, 'n, W>,
    ends: BlockedEnds<'r, 'n, W>,
    /// The statistics of earlier rounds, and of exact searches in this one.
    earlier: Statistics,
    /// The explored states when the bounds turned out to be too small.
    raised_at: Option<usize>,
    /// The number of nodes at which components are searched next.
    checked_at: usize,
}

impl<'n, W: Width> Round<'_, 'n, W> {
    /// Searches for a maximal run; returns the ranks of nodes if no such run exists and the covering
    /// graph has no cycle.
    fn run<Ob>(&mut self, observer: &mut Ob) -> Result<Option<Vec<u32>>, Interruption>
    where
        Ob: Observer<SymbolicState<W>, Step>,
    {
        match &self.task.compiled.begin {
            None => {
                for state in self.initial()? {
                    self.covering.add_beginning(&state, None, &mut self.ends)?;
                }
                self.close(observer)?;
            }
            Some(begin) => self.reach(begin, observer)?,
        }
        if self.ends.is_raised {
            return Err(Interruption::Raised);
        }
        let components = self.components();
        self.search_components(&components, None, observer)?;
        let _ = observer.progress(&self.progress());
        Ok(components.cyclic.is_empty().then_some(components.ranks))
    }

    /// The initial states in which the formula is avoided.
    fn initial(&mut self) -> Result<Vec<SymbolicState<W>>, Halted> {
        let mut states = Vec::new();
        let mut failure = None;
        let _ = self
            .covering
            .avoiding
            .visit_initial(&mut |_, _, state| collect(state, &mut states, &mut failure));
        let halted = |error| Halted { origin: None, halt: Halt::of_error(error, Vec::new()) };
        failure.map_or(Ok(states), |error| Err(halted(error)))
    }

    /// Explores all states, and the runs that begin in them.
    fn reach<Ob>(&mut self, begin: &CompiledGoal, observer: &mut Ob) -> Result<(), Interruption>
    where
        Ob: Observer<SymbolicState<W>, Step>,
    {
        let mut work = FIRST_PART;
        let mut next = 0;
        loop {
            let mut beside = Beside::new(observer, self.covering_progress());
            let status = self.reached.run(Budget::of(work), &mut beside);
            work = work.saturating_mul(2);
            let mut state = SymbolicState::buffer();
            while next < self.reached.store().inserted() {
                let node = NodeId::from_index(next);
                next += 1;
                if self.reached.store().is_live(node) {
                    self.reached.store().load(node, &mut state);
                    self.begin(&state, node, begin)?;
                }
            }
            self.close(observer)?;
            if self.ends.is_raised {
                return Err(Interruption::Raised);
            }
            if status == Status::Ended {
                return self.reached_outcome();
            }
        }
    }

    /// Adds the runs that begin in a state of the graph of all states.
    fn begin(
        &mut self,
        state: &SymbolicState<W>,
        node: NodeId,
        begin: &CompiledGoal,
    ) -> Result<(), Halted> {
        let mut beginnings = Vec::new();
        let mut failure = None;
        let condition = self.task.objective.begin.as_ref();
        if condition.is_some_and(Formula::mentions_deadlock) {
            failure = self.ends.examine(state).err();
        }
        let _ = self.covering.avoiding.visit_beginnings(state, begin, &mut |_, _, target| {
            collect(target, &mut beginnings, &mut failure)
        });
        if let Some(error) = failure {
            return Err(Halted { origin: Some(node), halt: Halt::of_error(error, Vec::new()) });
        }
        beginnings
            .iter()
            .try_for_each(|state| self.covering.add_beginning(state, Some(node), &mut self.ends))
    }

    /// The outcome of the exploration of all states, which has ended.
    fn reached_outcome(&self) -> Result<(), Interruption> {
        let halt = match self.reached.outcome() {
            Some(Outcome::Failed { error, steps }) => Halt::of_error(*error, steps.clone()),
            Some(Outcome::Stopped { why, .. }) => Halt::Stopped(*why),
            Some(Outcome::Exhausted | Outcome::Reached { .. }) | None => return Ok(()),
        };
        Err(Interruption::Halted(Halted { origin: None, halt }))
    }

    /// Expands all nodes of the covering graph.
    fn close<Ob>(&mut self, observer: &mut Ob) -> Result<(), Interruption>
    where
        Ob: Observer<SymbolicState<W>, Step>,
    {
        while self.covering.expand_next(&mut self.ends)? {
            if self.covering.ledger.count_event() {
                ask(observer, &self.progress())?;
            }
            let explored = self.covering.ledger.statistics.explored;
            if self.ends.is_raised {
                let raised_at = *self.raised_at.get_or_insert(explored);
                if explored >= 2 * raised_at + LEAST_REST {
                    return Err(Interruption::Raised);
                }
            } else if self.covering.store().len() >= self.checked_at {
                self.checked_at *= 2;
                let components = self.components();
                self.search_components(&components, Some(explored), observer)?;
            }
        }
        Ok(())
    }

    fn components(&mut self) -> Components {
        self.covering.redirect();
        Components::of(&self.covering)
    }

    /// Searches components with cycles exactly. Each search is abandoned after `limit` states, if
    /// given.
    fn search_components<Ob>(
        &mut self,
        components: &Components,
        limit: Option<usize>,
        observer: &mut Ob,
    ) -> Result<(), Interruption>
    where
        Ob: Observer<SymbolicState<W>, Step>,
    {
        let mut left = limit;
        for component in &components.cyclic {
            let before = self.earlier.explored;
            self.search_component(component, left, observer)?;
            let explored = self.earlier.explored - before;
            left = left.map(|left| left.saturating_sub(explored));
            if left == Some(0) {
                break;
            }
        }
        Ok(())
    }

    /// Searches one component exactly.
    fn search_component<Ob>(
        &mut self,
        component: &[NodeId],
        limit: Option<usize>,
        observer: &mut Ob,
    ) -> Result<(), Interruption>
    where
        Ob: Observer<SymbolicState<W>, Step>,
    {
        let (network, bounds) = (self.graph.network(), self.graph.bounds());
        let avoided = &self.task.compiled.avoided;
        let (abstraction, meter) = (Abstraction::Maximum, self.graph.meter());
        let avoiding = AvoidingGraph::new(network, bounds, avoided, abstraction, meter);
        let Ok(avoiding) = avoiding else { return Ok(()) };
        let mut runs = MaximalRuns::new(avoiding);
        runs.restrict(component.iter().map(|&node| self.covering.store().bucket(node)));
        let mut beside = Beside { limit, ..Beside::new(observer, self.progress()) };
        let mut state = SymbolicState::buffer();
        let mut result = Ok(());
        for &node in component {
            self.covering.store().load(node, &mut state);
            result = runs.search(state.clone(), &mut beside).map_err(|halt| (node, halt));
            if result.is_err() {
                break;
            }
        }
        let is_abandoned = beside.is_at_limit;
        self.earlier = self.earlier + without_memory(runs.statistics());
        match result {
            Err((_, Halt::Stopped(_))) if is_abandoned => Ok(()),
            Err((node, halt)) => {
                let Path { origin, steps } = self.covering.path(node);
                Err(Interruption::Halted(Halted { origin, halt: halt.preceded_by(steps) }))
            }
            Ok(()) => Ok(()),
        }
    }

    /// The finding of a round that ended early.
    fn finding(&self, halted: Halted) -> Finding {
        let Halted { origin, halt } = halted;
        halt.after(origin.map_or(Vec::new(), |node| self.reached.nodes().steps(node)))
    }

    /// The proof by a covering graph without cycles.
    fn proof(&self, ranks: Vec<u32>) -> CoveringProof<'_, 'n, W> {
        let reached = self.task.compiled.begin.is_some().then(|| self.reached.store());
        CoveringProof { reached, stays: self.covering.store(), ranks }
    }

    fn statistics(&self) -> Statistics {
        self.earlier + self.reached.statistics() + self.covering.statistics()
    }

    /// The progress of everything but the exploration of all states.
    fn covering_progress(&self) -> Progress {
        let now = self.covering.progress();
        Progress { explored: now.explored + self.earlier.explored, ..now }
    }

    fn progress(&self) -> Progress {
        let reached = self.reached.statistics();
        let now = self.covering_progress();
        Progress {
            explored: now.explored + reached.explored,
            stored: now.stored + reached.stored,
            bytes: now.bytes + reached.bytes,
            ..now
        }
    }
}

/// Collects a state, or the first failure.
fn collect<W: Width>(
    state: Result<&mut SymbolicState<W>, StepError>,
    states: &mut Vec<SymbolicState<W>>,
    failure: &mut Option<StepError>,
) -> ControlFlow<()> {
    match state {
        Ok(state) => {
            states.push(state.clone());
            ControlFlow::Continue(())
        }
        Err(error) => {
            failure.get_or_insert(error);
            ControlFlow::Break(())
        }
    }
}

/// The statistics of a search whose states are dropped.
fn without_memory(statistics: Statistics) -> Statistics {
    Statistics { stored: 0, bytes: 0, ..statistics }
}

/// An observer of one of several searches. It receives the progress of all of them.
struct Beside<'o, Ob: ?Sized> {
    observer: &'o mut Ob,
    /// The progress of the others.
    others: Progress,
    /// The number of explored states at which this search is abandoned.
    limit: Option<usize>,
    is_at_limit: bool,
}

impl<'o, Ob: ?Sized> Beside<'o, Ob> {
    fn new(observer: &'o mut Ob, others: Progress) -> Self {
        Self { observer, others, limit: None, is_at_limit: false }
    }
}

impl<W, Ob> Observer<SymbolicState<W>, Step> for Beside<'_, Ob>
where
    W: Width,
    Ob: Observer<SymbolicState<W>, Step> + ?Sized,
{
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        self.is_at_limit |= self.limit.is_some_and(|limit| now.explored >= limit);
        let all = Progress {
            explored: now.explored + self.others.explored,
            stored: now.stored + self.others.stored,
            waiting: now.waiting + self.others.waiting,
            bytes: now.bytes + self.others.bytes,
            depth: now.depth,
        };
        self.observer.progress(&all)?;
        if self.is_at_limit {
            ControlFlow::Break(StopReason::NodeLimit)
        } else {
            ControlFlow::Continue(())
        }
    }

    fn meter(&self) -> Meter {
        self.observer.meter()
    }
}
