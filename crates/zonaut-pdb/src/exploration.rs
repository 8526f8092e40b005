//! The complete exploration of a child, with all its edges.

use crate::child::Child;
use std::cell::Cell;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, CompiledNetwork};
use zonaut_search::{ArenaStore, Fifo, Outcome, Parts, Unguided, reach};
use zonaut_space::{
    NodeId, Nowhere, Observer, PassedStore, Progress, StopReason, Successor, Target,
    TransitionSystem,
};
use zonaut_zonegraph::{
    Abstraction, Comparison, CompiledGoal, Scratch, StateEncoding, Step, StepError, SymbolicState,
    ZoneCovering, ZoneGoal, ZoneGraph,
};

/// The zone graph of a child, in which an edge that fails is disabled.
struct Tolerant<'g> {
    graph: ZoneGraph<'g>,
    /// Whether clock values left the range of exact zones, so that states are missing.
    left_range: Cell<bool>,
}

impl Tolerant<'_> {
    fn note(&self, error: StepError) {
        if error == StepError::ClockRange {
            self.left_range.set(true);
        }
    }
}

impl TransitionSystem for Tolerant<'_> {
    type State = SymbolicState;
    type Step = Step;
    type Error = StepError;
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        self.graph.scratch()
    }

    fn for_each_initial(
        &self,
        scratch: &mut Scratch,
        mut visit: impl FnMut(Result<&mut SymbolicState, StepError>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.graph.for_each_initial(scratch, |initial| match initial {
            Ok(state) => visit(Ok(state)),
            Err(error) => {
                self.note(error);
                ControlFlow::Continue(())
            }
        })
    }

    fn for_each_successor(
        &self,
        state: &SymbolicState,
        scratch: &mut Scratch,
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.graph.for_each_successor(state, scratch, |successor| match successor {
            Successor::State(step, target) => visit(Successor::State(step, target)),
            Successor::Error(_, error) => {
                self.note(error);
                ControlFlow::Continue(())
            }
        })
    }
}

/// Records the edges of an exploration.
struct Recorder<'o> {
    outer: &'o mut dyn Observer<SymbolicState, Step>,
    edges: Vec<(NodeId, NodeId)>,
    /// For each node, the one that evicted it.
    evicted_by: Vec<Option<NodeId>>,
    expanded: Vec<bool>,
    last: Option<NodeId>,
}

impl Recorder<'_> {
    fn bytes(&self) -> usize {
        self.edges.capacity() * size_of::<(NodeId, NodeId)>() + self.expanded.capacity() * 9
    }
}

impl Observer<SymbolicState, Step> for Recorder<'_> {
    fn node_inserted(&mut self, node: NodeId, state: &SymbolicState) {
        self.evicted_by.push(None);
        self.expanded.push(false);
        self.outer.node_inserted(node, state);
    }

    fn node_expanded(&mut self, node: NodeId) {
        self.expanded[node.index()] = true;
        self.last = Some(node);
        self.outer.node_expanded(node);
    }

    fn edge(&mut self, from: NodeId, step: Step, target: Target) {
        if from != target.node() {
            self.edges.push((from, target.node()));
        }
        self.outer.edge(from, step, target);
    }

    fn evicted(&mut self, node: NodeId, by: NodeId) {
        self.evicted_by[node.index()] = Some(by);
        self.outer.evicted(node, by);
    }

    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        let bytes = now.bytes + self.bytes();
        self.outer.progress(&Progress { bytes, ..*now })
    }
}

/// Why a child cannot be explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unexplorable {
    /// Select variables make too many actions.
    TooManyActions,
    /// Clock values leave the range in which zones are exact.
    ClockRange,
}

/// The explored part of a child's graph.
pub(crate) struct Exploration {
    /// The edges between live nodes.
    pub(crate) edges: Vec<(NodeId, NodeId)>,
    /// The number of nodes, evicted ones included.
    pub(crate) nodes: usize,
    /// Live nodes that are goals, or whose successors are not all known.
    pub(crate) sources: Vec<NodeId>,
    /// Live nodes that are goals.
    pub(crate) goals: usize,
    /// Whether every reachable state was expanded.
    pub(crate) is_complete: bool,
    /// Nodes that were expanded.
    pub(crate) explored: usize,
}

/// Explores `child` until everything is known or `observer` stops it, and calls `visit` with
/// every live state in the end.
pub(crate) fn explore(
    child: &Child,
    network: &CompiledNetwork,
    bounds: &BoundsTable,
    observer: &mut dyn Observer<SymbolicState, Step>,
    mut visit: impl FnMut(NodeId, &SymbolicState),
) -> Result<Exploration, Unexplorable> {
    // Widened zones under inclusion: what is covered lies inside its coverer.
    let abstraction = match ZoneGraph::best_abstraction(bounds) {
        Abstraction::Simulation => Abstraction::LowerUpperPlus,
        other => other,
    };
    let graph =
        ZoneGraph::new(network, bounds, abstraction).map_err(|_| Unexplorable::ClockRange)?;
    let system = Tolerant { graph: graph.clone(), left_range: Cell::new(false) };
    let store = ArenaStore::new(
        StateEncoding::new(&graph),
        ZoneCovering::new(&graph, Comparison::Inclusion),
    );
    let recorder = Recorder {
        outer: observer,
        edges: Vec::new(),
        evicted_by: Vec::new(),
        expanded: Vec::new(),
        last: None,
    };
    let mut parts = Parts { store, frontier: Unguided(Fifo::default()), observer: recorder };
    let report = reach(&system, &mut Nowhere, &mut parts);
    if system.left_range.get() {
        return Err(Unexplorable::ClockRange);
    }
    let is_complete = report.outcome == Outcome::Exhausted;
    let Recorder { edges, evicted_by, mut expanded, last, .. } = parts.observer;
    if let (false, Some(last)) = (is_complete, last) {
        // It was interrupted: not all of its edges are known.
        expanded[last.index()] = false;
    }
    let forward = Forwarding::new(&evicted_by);
    let nodes = evicted_by.len();
    let goal = CompiledGoal::new(&child.model, &child.goal);
    let mut goal = ZoneGoal::new(&graph, &goal);
    let (mut sources, mut goals) = (Vec::new(), 0);
    let mut state = SymbolicState::buffer();
    for node in (0..nodes).map(NodeId::from_index) {
        if evicted_by[node.index()].is_some() {
            continue;
        }
        parts.store.load(node, &mut state);
        // A goal that cannot be evaluated may hold.
        let is_goal = goal.witness(&state).map_or(true, |witness| witness.is_some());
        goals += usize::from(is_goal);
        if is_goal || !expanded[node.index()] {
            sources.push(node);
        }
        visit(node, &state);
    }
    let is_live = |node: NodeId| evicted_by[node.index()].is_none();
    let edges = edges
        .into_iter()
        .filter(|&(from, _)| is_live(from))
        .map(|(from, to)| (from, forward.of(to)))
        .collect();
    let explored = report.statistics.explored;
    Ok(Exploration { edges, nodes, sources, goals, is_complete, explored })
}

/// For each node the live one that covers it.
struct Forwarding {
    targets: Vec<NodeId>,
}

impl Forwarding {
    /// A node is evicted by a later one only, so going backwards sees the targets first.
    fn new(evicted_by: &[Option<NodeId>]) -> Self {
        let mut targets: Vec<NodeId> = (0..evicted_by.len()).map(NodeId::from_index).collect();
        for node in (0..evicted_by.len()).rev() {
            if let Some(by) = evicted_by[node] {
                targets[node] = targets[by.index()];
            }
        }
        Self { targets }
    }

    fn of(&self, node: NodeId) -> NodeId {
        self.targets[node.index()]
    }
}
