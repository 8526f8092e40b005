//! State graphs for display: the first symbolic states of a search, and their transitions.

use crate::answer::{Answer, Findings, Reason, Verdict, verdict_of_failure};
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::prepared::Prepared;
use crate::resources::{SearchListener, Watch};
use crate::session::Session;
use crate::simulate::{SymbolicView, viewed};
use crate::verify::VerifyOptions;
use std::ops::ControlFlow;
use std::time::Instant;
use zonaut_base::Id;
use zonaut_dbm::Wide;
use zonaut_model::Formula;
use zonaut_portfolio::frontier_of;
use zonaut_search::{ArenaStore, Outcome, Search};
use zonaut_space::{EmptyGoal, Meter, NodeId, Observer, Progress, StopReason, Target};
use zonaut_strategy::Order;
use zonaut_trace::TraceEdge;
use zonaut_zonegraph::{StateEncoding, Step, SymbolicState, ZoneCovering, ZoneGraph};

/// The first states of a breadth-first search, and the transitions between them.
#[derive(Clone, Debug)]
pub struct StateGraph {
    /// The states in the order of their insertion, the initial state first.
    pub nodes: Vec<GraphNode>,
    /// The transitions between them.
    pub edges: Vec<GraphEdge>,
}

/// A state of the graph.
#[derive(Clone, Debug)]
pub struct GraphNode {
    /// The state in the user's names.
    pub state: SymbolicView,
    /// The later state that covers it, if there is one; it is not expanded then.
    pub covered_by: Option<usize>,
}

/// A transition of the graph.
#[derive(Clone, Debug)]
pub struct GraphEdge {
    /// The source state.
    pub source: usize,
    /// The target: a new state, or the state that covers the successor.
    pub target: usize,
    /// Whether the successor was covered.
    pub is_covered: bool,
    /// The participating edges, the sender's first.
    pub edges: Vec<TraceEdge>,
}

impl StateGraph {
    /// The path to a state in the search tree.
    #[must_use]
    pub fn path_to(&self, node: usize) -> Vec<&GraphEdge> {
        let mut path = Vec::new();
        let mut at = node;
        let before = |at: usize| self.edges.iter().find(|it| it.target == at && !it.is_covered);
        while let Some(edge) = before(at).filter(|_| at != 0) {
            path.push(edge);
            at = edge.source;
        }
        path.reverse();
        path
    }
}

impl Session {
    /// Computes the graph of the model with at most `most` states. The verdict is
    /// [`Verdict::Satisfied`] if it is complete; otherwise it has the reason why it is not.
    pub(crate) fn state_graph<'l>(
        &self,
        most: usize,
        options: &VerifyOptions,
        start: Instant,
        listener: Option<&'l mut SearchListener<'l>>,
    ) -> Result<Answer, Reason> {
        let watch = Watch::new(&options.resources, start, listener);
        let prepared = Prepared::metered(self, &Formula::truth(), None, watch.work())?;
        let graph = &prepared.graph::<Wide>()?;
        let comparison = Prepared::comparison(graph, None)?;
        let store =
            ArenaStore::new(StateEncoding::new(graph), ZoneCovering::new(graph, comparison));
        let found = StateGraph { nodes: Vec::new(), edges: Vec::new() };
        let mut observer = Recording { session: self, graph, most, watch, is_full: false, found };
        let order = Order::BreadthFirst;
        let search = Search::reach(graph, EmptyGoal, store, frontier_of(order, 0));
        let (report, _) = search.finish(&mut observer);
        let Recording { found, is_full, .. } = observer;
        let verdict = match report.outcome {
            _ if is_full => Verdict::Unknown(Reason::Stopped(StopReason::NodeLimit)),
            Outcome::Reached { .. } | Outcome::Exhausted => Verdict::Satisfied,
            Outcome::Stopped { why, .. } => Verdict::Unknown(Reason::Stopped(why)),
            Outcome::Failed { error, .. } => verdict_of_failure(error),
        };
        Ok(Answer {
            findings: Findings::StateGraph(found),
            strategy: order.into(),
            abstraction: Some(graph.abstraction()),
            statistics: report.statistics,
            ..Answer::unexplored(verdict, options, start)
        })
    }
}

/// Records a search until the maximal number of states is reached.
struct Recording<'g, 'w> {
    session: &'g Session,
    graph: &'g ZoneGraph<'g, Wide>,
    most: usize,
    watch: Watch<'w>,
    is_full: bool,
    found: StateGraph,
}

impl Observer<SymbolicState<Wide>, Step> for Recording<'_, '_> {
    fn node_inserted(&mut self, _node: NodeId, state: &SymbolicState<Wide>) {
        // Node ids are dense and ascend in this order.
        if self.found.nodes.len() == self.most {
            self.is_full = true;
            return;
        }
        let state = viewed(self.session, self.graph, state);
        self.found.nodes.push(GraphNode { state, covered_by: None });
    }

    fn edge(&mut self, from: NodeId, step: Step, target: Target) {
        let (source, target_node) = (from.index(), target.node().index());
        if source.max(target_node) >= self.found.nodes.len() {
            return;
        }
        let is_covered = matches!(target, Target::CoveredBy(_));
        #[cfg(feature = "faults")]
        let is_covered = is_covered && !Fault::GraphCoveredAsNew.is_selected();
        #[cfg(feature = "faults")]
        let source = match Fault::GraphSourceTooEarly.is_selected() {
            true => source.saturating_sub(1),
            false => source,
        };
        let (namer, network) = (self.session.namer(), self.graph.network());
        let mut edges = Vec::new();
        network.names().read(step, |participants| {
            edges.extend(participants.iter().map(|&action| namer.edge(network, action)));
        });
        self.found.edges.push(GraphEdge { source, target: target_node, is_covered, edges });
    }

    fn evicted(&mut self, node: NodeId, by: NodeId) {
        #[cfg(feature = "faults")]
        if Fault::GraphEvictionForgotten.is_selected() {
            return;
        }
        if by.index() < self.most
            && let Some(node) = self.found.nodes.get_mut(node.index())
        {
            node.covered_by = Some(by.index());
        }
    }

    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        match self.is_full {
            true => ControlFlow::Break(StopReason::NodeLimit),
            false => Observer::<SymbolicState<Wide>, Step>::progress(&mut self.watch, now),
        }
    }

    fn meter(&self) -> Meter {
        self.watch.work().clone()
    }
}
