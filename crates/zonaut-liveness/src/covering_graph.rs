//! The covering graph of the runs that avoid a formula.
//!
//! # What it decides
//! Nodes are symbolic states with exact zones. A state is discarded if a node with the same discrete
//! part simulates it, and the edge leads to that node instead; a new node evicts those that it
//! simulates, and the edges to them lead to the new one. The simulation compares valuations by lower
//! and upper bounds L and U of the location vector: v ≼ w if for every clock x, w(x) = v(x), or
//! L(x) < w(x) < v(x), or U(x) < v(x) < w(x). A state is simulated if each of its valuations is below
//! a valuation of the node. The bounds satisfy
//!
//! - (G) guards and invariants bound from their side, flowing backwards over edges that do not set
//!   the clock; those of urgent synchronisations and of receivers of broadcasts from both sides;
//! - (A) the clock constraints of the avoided formula bound from both sides everywhere, those of the
//!   condition at the beginning from their side;
//! - (B) where D(q) is not empty, guards and invariants bound from both sides, those of the targets
//!   of transitions included (`TwoSidedLocations`). D(q) are the valuations that satisfy the
//!   invariants of the discrete state q and from which no delay leads to an enabled transition.
//!
//! *Lemma 1.* Let v ≼ w at q, and let v delay by d and take a transition to v' while the formula is
//! avoided at every instant. Then w can do the same, arrives at w' with v' ≼ w', and avoids the
//! formula at the same instants. By (G), w + d satisfies the guards and invariants that v + d does,
//! time is not stopped before d, and the same receivers take part; v + e ≼ w + e for all delays e. By
//! (A), atoms of the formula have the same value for both. If the formula mentions `deadlock`, that
//! has the same value too: guards and invariants then bound from both sides everywhere, so w is
//! deadlocked if v is, and it is not deadlocked if v is not, because it follows.
//!
//! *Lemma 2.* Let v ≼ w at q, and let a maximal run that avoids the formula end in v without further
//! transitions. Then one ends in w. If time diverges from v, the invariants have no upper bound, and
//! no delay leads from v to the formula or to an urgent synchronisation; both bound from both sides,
//! so none leads there from w. Otherwise v is in D(q), and (B) holds: each atom of an invariant, of a
//! guard, or of an invariant of a target that holds at w + e holds at v + e, so no delay leads from w
//! to a transition either (`docs/decisions/0034-deadlock-bounds-where-deadlocks-are-possible.md`).
//!
//! *Claim 1: an end is real.* Zones are exact, so each valuation of a node is reachable by a run that
//! avoids the formula since its beginning. An end in one of them is the end of a maximal run.
//!
//! *Claim 2: without cycles and ends there is no maximal run.* Let all nodes be expanded, and let a
//! maximal run avoid the formula from v0 on. A node that is not evicted has a valuation w0 above v0.
//! By Lemma 1 each transition of the run leads along an edge to a node with a valuation above the
//! next one: the successor was inserted, or discarded for a node that simulates it, and whatever
//! evicted that node simulates it as well, because simulation is transitive. If the run has
//! infinitely many transitions, it follows an infinite path through finitely many nodes, and the
//! graph has a cycle. Otherwise its end is one of a node, by Lemma 2.
//!
//! *Claim 3: infinite runs stay in one component.* The infinite path of Claim 2 stays in one strongly
//! connected component C from some node n on. A valuation of n begins the rest of the run, and all
//! its discrete states are those of nodes of C. So it suffices to search from all nodes of C for
//! cycles through discrete states of C, exactly ([`crate::maximal_runs`]); a cycle that is found there
//! is real, because the nodes hold reachable valuations only. Covering alone proves no cycle: the
//! simulated state need not be able to repeat what leads to the node that simulates it.
//!
//! *Termination.* Zones that simulation distinguishes are finitely many.
//!
//! *Confinement.* A zone that leaves the range of bounds is widened by valuations below its own. The
//! lemmas hold for them, Claim 1 does not; so every lasso is replayed, and a spurious one makes the
//! caller search exactly.
//!
//! References: G. Li, "Checking timed Büchi automata emptiness using LU-abstractions" (DOI
//! 10.1007/978-3-642-04368-0_18); F. Herbreteau, B. Srivathsan, T.-T. Tran, I. Walukiewicz, "Why
//! liveness for timed automata is hard, and what we can do about it" (DOI 10.1145/3372310).

use crate::components::Graph;
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::lasso::{Lasso, LassoEnd};
use crate::maximal_runs::Halt;
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};
use zonaut_base::Id;
use zonaut_compile::{Step, TwoSidedLocations};
use zonaut_dbm::Width;
use zonaut_search::{ArenaStore, Ledger, Statistics};
use zonaut_space::{CostDominance, Insertion, NodeId, PassedStore, Progress, StopReason};
use zonaut_zonegraph::{
    AvoidingGraph, Comparison, DeadlockSurvey, StateEncoding, StepError, SymbolicState,
    ZoneCovering, ZoneGraph,
};

/// A store of states of a zone graph.
pub(crate) type ZoneStore<'n, W> = ArenaStore<StateEncoding<'n, W>, ZoneCovering<'n, W>>;

/// The first arrival at a node.
#[derive(Clone, Copy)]
enum Arrival {
    /// The run begins to avoid the formula here, in this node of the graph of all states; `None` if
    /// it does from the start.
    Beginning(Option<NodeId>),
    /// A transition from another node.
    Transition { from: NodeId, step: Step },
}

/// The first path to a node.
pub(crate) struct Path {
    /// The node of the graph of all states in which the run begins to avoid the formula.
    pub(crate) origin: Option<NodeId>,
    /// The transitions from there on.
    pub(crate) steps: Vec<Step>,
}

/// The end of a search, and the node of the graph of all states after which its steps follow.
pub(crate) struct Halted {
    pub(crate) origin: Option<NodeId>,
    pub(crate) halt: Halt,
}

impl From<StopReason> for Halted {
    fn from(why: StopReason) -> Self {
        Self { origin: None, halt: Halt::Stopped(why) }
    }
}

/// The discrete states in which some valuation is deadlocked, and the locations that therefore need
/// bounds from both sides.
pub(crate) struct BlockedEnds<'r, 'n, W: Width> {
    survey: DeadlockSurvey<'r, 'n, W>,
    processes: usize,
    /// All locations that need such bounds, as far as known.
    pub(crate) locations: TwoSidedLocations,
    /// Whether the bounds of this round lack one of them.
    pub(crate) is_raised: bool,
}

impl<'r, 'n, W: Width> BlockedEnds<'r, 'n, W> {
    /// `graph` has bounds from both sides in `locations`.
    pub(crate) fn new(graph: &'r ZoneGraph<'n, W>, locations: TwoSidedLocations) -> Self {
        let processes = graph.network().process_count();
        Self { survey: DeadlockSurvey::new(graph), processes, locations, is_raised: false }
    }

    /// Examines the discrete part of `state`, once.
    pub(crate) fn examine(&mut self, state: &SymbolicState<W>) -> Result<(), StepError> {
        #[cfg(feature = "faults")]
        if Fault::BlockedEndCovered.is_selected() {
            return Ok(());
        }
        if self.survey.examine(state)? == Some(true) {
            self.is_raised |= self.locations.add_state(self.processes, &state.values);
        }
        Ok(())
    }
}

/// The covering graph of the runs that avoid a formula.
pub(crate) struct CoveringGraph<'g, 'n, W: Width> {
    pub(crate) avoiding: AvoidingGraph<'g, 'n, W>,
    store: ZoneStore<'n, W>,
    arrivals: Vec<Arrival>,
    /// By node, the edges that leave it; empty before it is expanded.
    edges: Vec<Range<usize>>,
    /// The targets of all edges.
    targets: Vec<NodeId>,
    /// By node, the node that evicted it.
    evicted_by: Vec<Option<NodeId>>,
    open: VecDeque<NodeId>,
    pub(crate) ledger: Ledger,
    /// The state under expansion, and its successors.
    state: SymbolicState<W>,
    successors: Vec<(Step, SymbolicState<W>)>,
}

impl<'g, 'n, W: Width> CoveringGraph<'g, 'n, W> {
    pub(crate) fn new(avoiding: AvoidingGraph<'g, 'n, W>) -> Self {
        let encoding = StateEncoding::new(avoiding.graph());
        let covering = ZoneCovering::new(avoiding.graph(), Comparison::Simulation);
        Self {
            store: ArenaStore::new(encoding, covering),
            avoiding,
            arrivals: Vec::new(),
            edges: Vec::new(),
            targets: Vec::new(),
            evicted_by: Vec::new(),
            open: VecDeque::new(),
            ledger: Ledger::default(),
            state: SymbolicState::buffer(),
            successors: Vec::new(),
        }
    }

    /// The nodes that are not evicted.
    pub(crate) fn store(&self) -> &ZoneStore<'n, W> {
        &self.store
    }

    /// Adds a state in which the formula begins to be avoided, in this node of the graph of all
    /// states if not from the start.
    pub(crate) fn add_beginning(
        &mut self,
        state: &SymbolicState<W>,
        origin: Option<NodeId>,
        ends: &mut BlockedEnds<'_, 'n, W>,
    ) -> Result<(), Halted> {
        self.add(state, Arrival::Beginning(origin), ends).map(drop)
    }

    /// Expands the next node; returns whether one was waiting.
    pub(crate) fn expand_next(
        &mut self,
        ends: &mut BlockedEnds<'_, 'n, W>,
    ) -> Result<bool, Halted> {
        let Some(node) = self.open.pop_front() else { return Ok(false) };
        if !self.store.is_live(node) {
            return Ok(true);
        }
        self.store.load(node, &mut self.state);
        self.ledger.statistics.explored += 1;
        let Self { avoiding, state, successors, .. } = self;
        let mut failure = None;
        let _ = avoiding.visit_successors(state, &mut |step, _, target| match target {
            Ok(target) => {
                successors.push((step, target.clone()));
                ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some((step, error));
                ControlFlow::Break(())
            }
        });
        if let Some((step, error)) = failure {
            let Path { origin, mut steps } = self.path(node);
            steps.push(step);
            return Err(Halted { origin, halt: Halt::of_error(error, steps) });
        }
        let first = self.targets.len();
        let successors = std::mem::take(&mut self.successors);
        for (step, state) in &successors {
            let target = self.add(state, Arrival::Transition { from: node, step: *step }, ends)?;
            if !self.targets[first..].contains(&target) {
                self.targets.push(target);
            }
        }
        self.edges[node.index()] = first..self.targets.len();
        self.successors = successors;
        self.successors.clear();
        Ok(true)
    }

    /// Inserts a state; returns the node that covers it.
    fn add(
        &mut self,
        state: &SymbolicState<W>,
        arrival: Arrival,
        ends: &mut BlockedEnds<'_, 'n, W>,
    ) -> Result<NodeId, Halted> {
        let Self { store, evicted_by, ledger, .. } = self;
        ledger.statistics.generated += 1;
        let evicted = &mut ledger.statistics.evicted;
        let inserted = store.insert::<u32>(state, CostDominance::Ignored, |eviction| {
            *evicted += 1;
            evicted_by[eviction.node.index()] = Some(eviction.by);
        })?;
        ledger.count_effort(store.effort());
        let node = match inserted {
            Insertion::CoveredBy(node) => {
                ledger.statistics.covered += 1;
                return Ok(node);
            }
            Insertion::New(node) => node,
        };
        self.arrivals.push(arrival);
        self.edges.push(0..0);
        self.evicted_by.push(None);
        self.open.push_back(node);
        match self.end_of(state, ends) {
            Ok(None) => Ok(node),
            Ok(Some(end)) => {
                let Path { origin, steps } = self.path(node);
                let lasso = Lasso { before: Vec::new(), prefix: steps, end };
                Err(Halted { origin, halt: Halt::Lasso(lasso) })
            }
            Err(error) => {
                let Path { origin, steps } = self.path(node);
                Err(Halted { origin, halt: Halt::of_error(error, steps) })
            }
        }
    }

    /// The end of a maximal run in `state`, if one exists; otherwise ends that it may cover are
    /// surveyed.
    fn end_of(
        &mut self,
        state: &SymbolicState<W>,
        ends: &mut BlockedEnds<'_, 'n, W>,
    ) -> Result<Option<LassoEnd>, StepError> {
        let end = self.avoiding.run_end(state)?;
        if end.is_none() {
            ends.examine(state)?;
        }
        Ok(end.map(|(end, _)| end.into()))
    }

    /// The first path to a node, evicted or not.
    pub(crate) fn path(&self, node: NodeId) -> Path {
        let mut steps = Vec::new();
        let mut node = node;
        loop {
            match self.arrivals[node.index()] {
                Arrival::Beginning(origin) => {
                    steps.reverse();
                    return Path { origin, steps };
                }
                Arrival::Transition { from, step } => {
                    steps.push(step);
                    node = from;
                }
            }
        }
    }

    /// Redirects the edges to evicted nodes to the nodes that evicted them.
    pub(crate) fn redirect(&mut self) {
        #[cfg(feature = "faults")]
        if Fault::EvictedEdgeLost.is_selected() {
            return;
        }
        // A node is evicted by a later one, so the last entries are final first.
        for node in (0..self.evicted_by.len()).rev() {
            if let Some(by) = self.evicted_by[node] {
                self.evicted_by[node] = self.evicted_by[by.index()].or(Some(by));
            }
        }
        for target in &mut self.targets {
            *target = self.evicted_by[target.index()].unwrap_or(*target);
        }
    }

    /// The approximate memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let node = size_of::<Arrival>() + size_of::<Range<usize>>() + size_of::<Option<NodeId>>();
        self.store.bytes()
            + self.arrivals.capacity() * node
            + (self.targets.capacity() + self.open.capacity()) * size_of::<NodeId>()
    }

    /// The statistics so far.
    pub(crate) fn statistics(&self) -> Statistics {
        Statistics { stored: self.store.len(), bytes: self.bytes(), ..self.ledger.statistics }
    }

    pub(crate) fn progress(&self) -> Progress {
        Progress {
            explored: self.ledger.statistics.explored,
            stored: self.store.len(),
            waiting: self.open.len(),
            bytes: self.bytes(),
            depth: 0,
        }
    }
}

impl<W: Width> Graph for CoveringGraph<'_, '_, W> {
    fn node_count(&self) -> usize {
        self.arrivals.len()
    }

    fn contains(&self, node: NodeId) -> bool {
        self.store.is_live(node)
    }

    fn targets(&self, node: NodeId) -> &[NodeId] {
        &self.targets[self.edges[node.index()].clone()]
    }
}
