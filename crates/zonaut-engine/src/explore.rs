//! Exhaustive exploration: the size of the state space, and unreachable parts of the model.

use crate::answer::{
    Answer, Findings, Reason, Verdict, describe_differences, possibly, verdict_of_failure,
};
use crate::prepared::Prepared;
use crate::resources::{SearchListener, Watch};
use crate::session::Session;
use crate::threads::Threads;
use crate::verify::VerifyOptions;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use zonaut_base::{Id, Span};
use zonaut_compile::CompiledNetwork;
use zonaut_concrete::{Destination, concretise};
use zonaut_dbm::{Narrow, Wide, Width};
use zonaut_model::{Formula, Model};
use zonaut_portfolio::{ZoneOutcome, ZoneStore, frontier_of};
use zonaut_search::{
    ArenaStore, Budget, Frontier, Layered, Outcome, Report, Search, Statistics, WorkerEffort,
    WorkerParts,
};
use zonaut_space::{
    EmptyGoal, Meter, NodeId, Observer, Progress, StopReason, Successor, Target, TransitionSystem,
};
use zonaut_strategy::Order;
use zonaut_trace::{Trace, TraceEdge};
use zonaut_zonegraph::{
    Comparison, Scratch, StateEncoding, Step, StepError, SymbolicState, ZoneCovering, ZoneGraph,
};

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
            true => self.explore_prepared::<Narrow>(&prepared, order, options, watch)?,
            false => self.explore_prepared::<Wide>(&prepared, order, options, watch)?,
        };
        Ok(Answer { seconds: start.elapsed().as_secs_f64(), ..answer })
    }

    fn explore_prepared<W: Width>(
        &self,
        prepared: &Prepared,
        order: Order,
        options: &VerifyOptions,
        mut watch: Watch<'_>,
    ) -> Result<Answer, Reason> {
        let graph = &prepared.graph::<W>()?;
        let comparison = Prepared::comparison(graph, options.comparison)?;
        let network = graph.network();
        let threads = options.threads.map_or(1, NonZeroUsize::get);
        let mut marks = Marks::new(network, self.model());
        let mut explored = None;
        if threads > 1 && order == Order::BreadthFirst {
            let graphs = prepared.worker_graphs::<W>(threads)?;
            explored = explore_in_layers(&graphs, comparison, &marks, &mut watch);
        }
        let Explored { outcome, statistics, steps_to_deadlock, workers } = match explored {
            Some(explored) => explored,
            None => {
                marks = Marks::new(network, self.model());
                let store = ArenaStore::new(
                    StateEncoding::new(graph),
                    ZoneCovering::new(graph, comparison),
                );
                let frontier = frontier_of(order, options.seed);
                let search = Search::reach(graph, EmptyGoal, store, frontier);
                explore_alone(search, Marking::new(network, &marks, watch))
            }
        };
        let mut trace = None;
        let verdict = match &outcome {
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
        let deadlock = steps_to_deadlock.and_then(|steps| {
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
            statistics,
            workers,
            ..Answer::unexplored(verdict, options, Instant::now())
        })
    }

    fn unreached(&self, marks: &Marks) -> Vec<UnreachedLocation> {
        let mut unreached = Vec::new();
        for (process, definition) in self.model.processes.iter_enumerated() {
            for (location, declared) in definition.locations.iter_enumerated() {
                if !is_marked(&marks.reached[process.index()][location.index()]) {
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
                if !is_marked(&marks.taken[process.index()][edge.index()]) {
                    let origin = &self.origin.processes[process].edges[edge];
                    let place = origin.branch.unwrap_or(origin.span);
                    untaken.push(UntakenEdge { edge: namer.named_edge(process, edge, &[]), place });
                }
            }
        }
        untaken
    }
}

/// The result of an exploration.
struct Explored {
    outcome: ZoneOutcome,
    statistics: Statistics,
    /// The steps to the first expanded state without successors.
    steps_to_deadlock: Option<Vec<Step>>,
    workers: Vec<WorkerEffort>,
}

/// Explores with one thread.
fn explore_alone<'g, W, F>(
    search: Search<'g, ZoneGraph<'g, W>, EmptyGoal, ZoneStore<'g, W>, F>,
    mut observer: Marking<'_, '_>,
) -> Explored
where
    W: Width,
    F: Frontier<SymbolicState<W>, Step>,
{
    let (Report { outcome, nodes, statistics, .. }, _) = search.finish(&mut observer);
    let Marking { left, deadlock, .. } = observer;
    let last = left.filter(|_| matches!(outcome, Outcome::Exhausted));
    let steps_to_deadlock = deadlock.or(last).map(|node| nodes.steps(node));
    Explored { outcome, statistics, steps_to_deadlock, workers: Vec::new() }
}

/// Explores with one thread for each of the graphs, which are equal; `None` after a run-time error,
/// since the one that a single thread meets first is to be shown.
fn explore_in_layers<W: Width>(
    graphs: &[ZoneGraph<'_, W>],
    comparison: Comparison,
    marks: &Marks,
    watch: &mut Watch<'_>,
) -> Option<Explored> {
    let systems: Vec<_> = graphs.iter().map(|graph| MarkedGraph { graph, marks }).collect();
    let mut parts = Vec::new();
    for system in &systems {
        let covering = ZoneCovering::new(system.graph, comparison);
        let store = ArenaStore::new(StateEncoding::new(system.graph), covering);
        parts.push(WorkerParts { system, goal: EmptyGoal, store });
    }
    let mut search = Layered::reach(parts);
    let _ = search.run(Budget::UNLIMITED, &Threads, watch);
    if search.has_failed() {
        return None;
    }
    let workers = search.efforts();
    let (outcome, statistics, unjoined) = search.into_unjoined();
    let steps_to_deadlock = unjoined.steps_to_dead_end();
    Some(Explored { outcome, statistics, steps_to_deadlock, workers })
}

/// The reached locations and taken edges of each process. Threads set marks at the same time.
struct Marks {
    reached: Vec<Vec<AtomicBool>>,
    taken: Vec<Vec<AtomicBool>>,
    /// By action, whether its edge is marked.
    actions: Vec<AtomicBool>,
}

fn is_marked(mark: &AtomicBool) -> bool {
    mark.load(Ordering::Relaxed)
}

/// Sets a mark; returns whether it was set. Most are, and are only read.
fn set_mark(mark: &AtomicBool) -> bool {
    is_marked(mark) || mark.swap(true, Ordering::Relaxed)
}

impl Marks {
    fn new(network: &CompiledNetwork, model: &Model) -> Self {
        let none = |len: usize| (0..len).map(|_| AtomicBool::new(false)).collect();
        Self {
            reached: model.processes.iter().map(|p| none(p.locations.len())).collect(),
            taken: model.processes.iter().map(|p| none(p.edges.len())).collect(),
            actions: none(network.actions().len()),
        }
    }

    /// Marks the locations of a state.
    fn reach<W: Width>(&self, state: &SymbolicState<W>) {
        for (reached, &location) in self.reached.iter().zip(&state.values) {
            set_mark(&reached[location as usize]);
        }
    }

    /// Marks the edges of a step.
    fn take(&self, network: &CompiledNetwork, step: Step) {
        network.names().read(step, |participants| {
            for &action in participants {
                if !set_mark(&self.actions[action.index()]) {
                    let action = network.action(action);
                    set_mark(&self.taken[action.process.index()][action.edge.index()]);
                }
            }
        });
    }
}

/// A zone graph that marks the locations of all generated states and the edges of all steps.
struct MarkedGraph<'m, 'g, W: Width> {
    graph: &'m ZoneGraph<'g, W>,
    marks: &'m Marks,
}

impl<W: Width> TransitionSystem for MarkedGraph<'_, '_, W> {
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
        self.graph.for_each_initial(scratch, |initial| {
            if let Ok(state) = &initial {
                self.marks.reach(state);
            }
            visit(initial)
        })
    }

    fn for_each_successor(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.graph.for_each_successor(state, scratch, |successor| match successor {
            Successor::State(step, target) => {
                self.marks.take(self.graph.network(), step);
                self.marks.reach(target);
                visit(Successor::State(step, target))
            }
            Successor::Error(step, error) => visit(Successor::Error(step, error)),
        })
    }

    fn stopped_by(error: &StepError) -> Option<StopReason> {
        ZoneGraph::<W>::stopped_by(error)
    }
}

/// Marks the edges of every step and the locations of every new state; a covered state has the
/// locations of the covering one. Records the first state without enabled transitions.
struct Marking<'g, 'w> {
    network: &'g CompiledNetwork,
    marks: &'g Marks,
    watch: Watch<'w>,
    /// The node being expanded, as long as it has no edges.
    left: Option<NodeId>,
    /// The first node without edges.
    deadlock: Option<NodeId>,
}

impl<'g, 'w> Marking<'g, 'w> {
    fn new(network: &'g CompiledNetwork, marks: &'g Marks, watch: Watch<'w>) -> Self {
        Self { network, marks, watch, left: None, deadlock: None }
    }
}

impl<W: Width> Observer<SymbolicState<W>, Step> for Marking<'_, '_> {
    fn node_inserted(&mut self, _node: NodeId, state: &SymbolicState<W>) {
        self.marks.reach(state);
    }

    fn node_expanded(&mut self, node: NodeId) {
        let without_edges = self.left.replace(node);
        self.deadlock = self.deadlock.or(without_edges);
    }

    fn edge(&mut self, _from: NodeId, step: Step, _target: Target) {
        self.left = None;
        self.marks.take(self.network, step);
    }

    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        Observer::<SymbolicState<W>, Step>::progress(&mut self.watch, now)
    }

    fn meter(&self) -> Meter {
        self.watch.work().clone()
    }
}
