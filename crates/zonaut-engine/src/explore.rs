//! Exhaustive exploration: the size of the state space, and unreachable parts of the model.

use crate::answer::{
    Answer, Findings, Reason, Verdict, describe_differences, possibly, verdict_of_failure,
};
use crate::prepared::Prepared;
use crate::resources::{SearchListener, Watch};
use crate::session::Session;
use crate::verify::VerifyOptions;
use std::ops::ControlFlow;
use std::time::Instant;
use zonaut_base::{Id, Span};
use zonaut_compile::CompiledNetwork;
use zonaut_concrete::{Destination, concretise};
use zonaut_dbm::{Narrow, Wide, Width};
use zonaut_model::{Formula, Model};
use zonaut_portfolio::frontier_of;
use zonaut_search::{ArenaStore, Outcome, Search};
use zonaut_space::{EmptyGoal, Meter, NodeId, Observer, Progress, StopReason, Target};
use zonaut_strategy::Order;
use zonaut_trace::{Trace, TraceEdge};
use zonaut_zonegraph::{StateEncoding, Step, SymbolicState, ZoneCovering, ZoneGraph};

/// The parts of a model that an exploration covers.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// A run to a state without enabled transitions, if one was found. A state may have deadlocked
    /// valuations among others, which only a query for `deadlock` detects.
    pub deadlock: Option<Trace>,
    /// Locations that were not reached.
    pub unreached: Vec<UnreachedLocation>,
    /// Edges that were not taken.
    pub untaken: Vec<UntakenEdge>,
}

/// A location that was not reached.
#[derive(Clone, Debug)]
pub struct UnreachedLocation {
    /// The process.
    pub process: String,
    /// The location.
    pub location: String,
    /// The position of its declaration.
    pub place: Span,
}

/// An edge that was not taken with any values of its select variables.
#[derive(Clone, Debug)]
pub struct UntakenEdge {
    /// The edge; its select variables have no values.
    pub edge: TraceEdge,
    /// The position of its declaration.
    pub place: Span,
}

impl Session {
    /// Explores all reachable states. The verdict is [`Verdict::Satisfied`] after a complete
    /// exploration; otherwise it has the reason why it is incomplete. For a run-time error, the
    /// answer has the run to the failing transition.
    pub(crate) fn explore<'l>(
        &self,
        options: &VerifyOptions,
        start: Instant,
        listener: Option<&'l mut SearchListener<'l>>,
    ) -> Result<Answer, Reason> {
        let Some(order) = options.strategy.order() else {
            return Err(Reason::Unsuited("a heuristic without a goal".to_owned()));
        };
        // The bounds of the whole model distinguish all guards; there is no goal that adds any.
        let watch = Watch::new(&options.resources, start, listener);
        let (goal, abstraction) = (Formula::truth(), options.abstraction);
        let prepared = Prepared::metered(self, &goal, abstraction, watch.work())?;
        let prepared = prepared.suited_to(options)?;
        let answer = match prepared.fits_narrow_bounds() {
            true => self.explore_graph(&prepared.graph::<Narrow>()?, order, options, watch)?,
            false => self.explore_graph(&prepared.graph::<Wide>()?, order, options, watch)?,
        };
        Ok(Answer { seconds: start.elapsed().as_secs_f64(), ..answer })
    }

    fn explore_graph<W: Width>(
        &self,
        graph: &ZoneGraph<'_, W>,
        order: Order,
        options: &VerifyOptions,
        watch: Watch<'_>,
    ) -> Result<Answer, Reason> {
        let comparison = Prepared::comparison(graph, options.comparison)?;
        let store =
            ArenaStore::new(StateEncoding::new(graph), ZoneCovering::new(graph, comparison));
        let network = graph.network();
        let marks = Marks::new(network, self.model());
        let mut observer = Marking { network, marks, watch, left: None, deadlock: None };
        let frontier = frontier_of(order, options.seed);
        let (report, _) = Search::reach(graph, EmptyGoal, store, frontier).finish(&mut observer);
        let mut trace = None;
        let verdict = match &report.outcome {
            Outcome::Reached { .. } | Outcome::Exhausted => Verdict::Satisfied,
            Outcome::Stopped { why, .. } => Verdict::Unknown(Reason::Stopped(*why)),
            Outcome::Failed { error, steps } => {
                let run = concretise(graph, steps, Destination::Failure).ok();
                let namer = self.namer();
                let is_shown = run.is_some() || steps.is_empty() || !self.model.has_rates();
                trace = run.map(|run| namer.trace(network, &run));
                let verdict = verdict_of_failure(*error);
                if is_shown { verdict } else { possibly(&verdict) }
            }
        };
        let is_over = matches!(report.outcome, Outcome::Exhausted);
        let Marking { marks, left, deadlock, .. } = observer;
        let deadlock = deadlock.or(left.filter(|_| is_over)).and_then(|node| {
            let steps = report.nodes.steps(node);
            let run = concretise(graph, &steps, Destination::Anywhere).ok()?;
            Some(self.namer().trace(network, &run))
        });
        let (unreached, untaken) = (self.unreached(&marks), self.untaken(&marks));
        Ok(Answer {
            trace,
            findings: Findings::Coverage(Coverage { deadlock, unreached, untaken }),
            strategy: order.into(),
            abstraction: Some(graph.abstraction()),
            differences: describe_differences(graph),
            statistics: report.statistics,
            ..Answer::unexplored(verdict, options, Instant::now())
        })
    }

    fn unreached(&self, marks: &Marks) -> Vec<UnreachedLocation> {
        let mut unreached = Vec::new();
        for (process, definition) in self.model.processes.iter_enumerated() {
            for (location, declared) in definition.locations.iter_enumerated() {
                if !marks.reached[process.index()][location.index()] {
                    unreached.push(UnreachedLocation {
                        process: definition.name.clone(),
                        location: declared.name.clone(),
                        place: self.origin.processes[process].locations[location],
                    });
                }
            }
        }
        unreached
    }

    fn untaken(&self, marks: &Marks) -> Vec<UntakenEdge> {
        let namer = self.namer();
        let mut untaken = Vec::new();
        for (process, definition) in self.model.processes.iter_enumerated() {
            for edge in definition.edges.ids() {
                if !marks.taken[process.index()][edge.index()] {
                    let origin = &self.origin.processes[process].edges[edge];
                    let place = origin.branch.unwrap_or(origin.span);
                    untaken.push(UntakenEdge { edge: namer.named_edge(process, edge, &[]), place });
                }
            }
        }
        untaken
    }
}

/// The reached locations and taken edges of each process.
struct Marks {
    reached: Vec<Vec<bool>>,
    taken: Vec<Vec<bool>>,
    /// By action, whether its edge is marked.
    actions: Vec<bool>,
}

impl Marks {
    fn new(network: &CompiledNetwork, model: &Model) -> Self {
        let none = |len: usize| vec![false; len];
        Self {
            reached: model.processes.iter().map(|p| none(p.locations.len())).collect(),
            taken: model.processes.iter().map(|p| none(p.edges.len())).collect(),
            actions: none(network.actions().len()),
        }
    }
}

/// Marks the edges of every step and the locations of every new state; a covered state has the
/// locations of the covering one. Records the first state without enabled transitions.
struct Marking<'g, 'w> {
    network: &'g CompiledNetwork,
    marks: Marks,
    watch: Watch<'w>,
    /// The node being expanded, as long as it has no edges.
    left: Option<NodeId>,
    /// The first node without edges.
    deadlock: Option<NodeId>,
}

impl<W: Width> Observer<SymbolicState<W>, Step> for Marking<'_, '_> {
    fn node_inserted(&mut self, _node: NodeId, state: &SymbolicState<W>) {
        for (reached, &location) in self.marks.reached.iter_mut().zip(&state.values) {
            reached[location as usize] = true;
        }
    }

    fn node_expanded(&mut self, node: NodeId) {
        let without_edges = self.left.replace(node);
        self.deadlock = self.deadlock.or(without_edges);
    }

    fn edge(&mut self, _from: NodeId, step: Step, _target: Target) {
        self.left = None;
        let Self { network, marks, .. } = self;
        network.names().read(step, |participants| {
            for &action in participants {
                if !std::mem::replace(&mut marks.actions[action.index()], true) {
                    let action = network.action(action);
                    marks.taken[action.process.index()][action.edge.index()] = true;
                }
            }
        });
    }

    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        Observer::<SymbolicState<W>, Step>::progress(&mut self.watch, now)
    }

    fn meter(&self) -> Meter {
        self.watch.work().clone()
    }
}
