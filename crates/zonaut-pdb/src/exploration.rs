//! The exploration of an abstract model.

use std::cell::Cell;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_dbm::Width;
use zonaut_search::{ArenaStore, Fifo, Outcome, Search, Uninformed};
use zonaut_space::{
    EmptyGoal, NodeId, Observer, PassedStore, Progress, StopReason, Successor, Target,
    TransitionSystem,
};
use zonaut_zonegraph::{
    Abstraction, Comparison, Scratch, StateEncoding, Step, StepError, SymbolicState, ZoneCovering,
    ZoneGraph,
};

/// The zone graph of an abstract model, in which an edge that fails is disabled.
struct Tolerant<'g, W: Width> {
    graph: ZoneGraph<'g, W>,
    /// Whether clock values left the range of exact zones, so that states are missing.
    left_range: Cell<bool>,
}

impl<W: Width> Tolerant<'_, W> {
    fn note(&self, error: StepError) {
        if error == StepError::ClockRange {
            self.left_range.set(true);
        }
    }
}

impl<W: Width> TransitionSystem for Tolerant<'_, W> {
    type State = SymbolicState<W>;
    type Step = Step;
    type Error = StepError;
    type Scratch = Scratch<W>;

    fn scratch(&self) -> Scratch<W> {
        self.graph.scratch()
    }

    fn for_each_initial(
        &self,
        scratch: &mut Scratch<W>,
        mut visit: impl FnMut(Result<&mut SymbolicState<W>, StepError>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.graph.for_each_initial(scratch, |initial| match initial {
            Ok(state) => visit(Ok(state)),
            Err(error) if Self::stopped_by(&error).is_some() => visit(Err(error)),
            Err(error) => {
                self.note(error);
                ControlFlow::Continue(())
            }
        })
    }

    fn for_each_successor(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.graph.for_each_successor(state, scratch, |successor| match successor {
            Successor::State(step, target) => visit(Successor::State(step, target)),
            Successor::Error(step, error) if Self::stopped_by(&error).is_some() => {
                visit(Successor::Error(step, error))
            }
            Successor::Error(_, error) => {
                self.note(error);
                ControlFlow::Continue(())
            }
        })
    }

    fn stopped_by(error: &StepError) -> Option<StopReason> {
        ZoneGraph::<W>::stopped_by(error)
    }
}

/// An observer that records the expanded nodes.
struct Recorder<'o, W: Width> {
    outer: &'o mut dyn Observer<SymbolicState<W>, Step>,
    expanded: Vec<bool>,
    last: Option<NodeId>,
}

impl<W: Width> Observer<SymbolicState<W>, Step> for Recorder<'_, W> {
    fn node_inserted(&mut self, node: NodeId, state: &SymbolicState<W>) {
        self.expanded.push(false);
        self.outer.node_inserted(node, state);
    }

    fn node_expanded(&mut self, node: NodeId) {
        self.expanded[node.index()] = true;
        self.last = Some(node);
        self.outer.node_expanded(node);
    }

    fn edge(&mut self, from: NodeId, step: Step, target: Target) {
        self.outer.edge(from, step, target);
    }

    fn evicted(&mut self, node: NodeId, by: NodeId) {
        self.outer.evicted(node, by);
    }

    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        self.outer.progress(now)
    }
}

/// The reason why an abstract model cannot be explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unexplorable {
    /// Select variables produce too many actions.
    TooManyActions,
    /// Clock values leave the range in which zones are exact.
    ClockRange,
    /// The meter stopped before the exploration began.
    Stopped(StopReason),
}

/// The explored part of an abstract model.
pub(crate) struct Explored<'g, W: Width> {
    pub(crate) graph: ZoneGraph<'g, W>,
    store: ArenaStore<StateEncoding<'g, W>, ZoneCovering<'g, W>>,
    expanded: Vec<bool>,
    /// Whether every reachable state was expanded.
    pub(crate) is_complete: bool,
    /// Nodes that were expanded.
    pub(crate) explored: usize,
}

impl<'g, W: Width> Explored<'g, W> {
    /// Explores the zone graph of an abstract model until it is exhausted or `observer` stops it.
    pub(crate) fn new(
        network: &'g CompiledNetwork,
        bounds: &'g BoundsTable,
        observer: &mut dyn Observer<SymbolicState<W>, Step>,
    ) -> Result<Self, Unexplorable> {
        let abstraction = Abstraction::best(bounds);
        let graph = ZoneGraph::new(network, bounds, abstraction, &observer.meter())
            .map_err(|_| Unexplorable::ClockRange)?;
        let system = Tolerant { graph: graph.clone(), left_range: Cell::new(false) };
        let covering = ZoneCovering::new(&graph, Comparison::of(abstraction));
        let store = ArenaStore::new(StateEncoding::new(&graph), covering);
        let mut recorder = Recorder { outer: observer, expanded: Vec::new(), last: None };
        let frontier = Uninformed(Fifo::default());
        let (report, store) =
            Search::reach(&system, EmptyGoal, store, frontier).finish(&mut recorder);
        if system.left_range.get() {
            return Err(Unexplorable::ClockRange);
        }
        let is_complete = report.outcome == Outcome::Exhausted;
        let Recorder { mut expanded, last, .. } = recorder;
        if let (false, Some(last)) = (is_complete, last) {
            // The last expansion was interrupted: not all of its edges are known.
            expanded[last.index()] = false;
        }
        let explored = report.statistics.explored;
        Ok(Self { graph, store, expanded, is_complete, explored })
    }

    /// Calls `visit` with every live state, and whether its successors are known.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&SymbolicState<W>, bool)) {
        let mut state = SymbolicState::buffer();
        for node in (0..self.expanded.len()).map(NodeId::from_index) {
            if self.store.is_live(node) {
                self.store.load(node, &mut state);
                visit(&state, self.expanded[node.index()]);
            }
        }
    }
}
