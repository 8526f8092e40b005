//! The one best-first run; every search algorithm is a configuration of it.
//!
//! # Why verdicts are right
//! Write d(s) for the number of steps from s to the nearest goal. Covering is a simulation, so
//! d(t) ≤ d(s) whenever t covers s.
//!
//! *Reachability.* Suppose a goal is reachable and none was met. Then some live node has a finite
//! d: an initial state, or one that covers it, for what is discarded or evicted has a live node
//! that covers it (covering is transitive). Take a live node n with the smallest d; d(n) > 0, as
//! every inserted node is tested. If n were expanded, its successor on a nearest way, or a live
//! node that covers it, would have a smaller d. So n waits, and the run goes on: an empty frontier
//! means that no goal can be reached. True dead ends have no finite d and may be dropped.
//!
//! *Shortest ways.* Let C be the length of a shortest way. With [`Respect::Depth`], what is
//! discarded or evicted leaves a live node that covers it *at no greater depth*. The same argument,
//! with n a live node of smallest d among those with depth(n) + d(n) ≤ C, shows: until a goal is
//! met, a live node n waits with depth(n) + d(n) ≤ C. A* evaluates a node p that is no goal to
//! f(p) = depth(p) + max(h(p), 1), so f(n) ≤ C, because the guide is admissible and d(n) ≥ 1. Hence
//! every node p that is popped has f(p) ≤ C, whether the guide is consistent or not: each is a lower
//! bound of C. If a successor of p is a goal, d(p) = 1, so h(p) ≤ 1 and the goal's depth is
//! depth(p) + 1 = f(p) ≤ C: the first goal that is generated is a nearest one, and may end the run.
//! A shorter way to a state that was expanded before is not covered by it, so it becomes a new
//! node, evicts the old one, and is expanded again.
//!
//! *Breadth first* is A* with the blind guide, the oldest node first. A coverer found before a
//! state is then never deeper than it, so discarding loses nothing even without respect for depth;
//! eviction would, when a wider state of the next layer evicts a smaller one that still waits in
//! this layer.

use std::ops::ControlFlow;

use zonaut_base::Id;
use zonaut_space::{
    AdmissibleHeuristic, Arrival, Goal, Insertion, NodeId, Observer, PassedStore, Progress,
    Respect, StopReason, Successor, Target, TransitionSystem,
};

use crate::frontier::{Frontier, Waiting};
use crate::guided::AStar;
use crate::outcome::{Outcome, Report, ReportOf, Statistics};
use crate::tree::SearchTree;

/// The number of pops and generated states between two looks at the observer.
const EVENTS_PER_PROGRESS: u32 = 256;

/// Comparing so many numbers with those of stored states takes as long as an event.
const EFFORT_PER_EVENT: usize = 1 << 12;

/// The exchangeable parts of a search.
#[derive(Debug)]
pub struct Parts<St, F, Ob> {
    /// Where states are kept; it is empty at first, and holds the live nodes in the end.
    pub store: St,
    /// What waits, and in which order.
    pub frontier: F,
    /// Who watches, and may stop the search.
    pub observer: Ob,
}

/// Looks for any way to a goal; the first one met is the answer. Any frontier will do.
pub fn reach<Ts, G, St, F, Ob>(
    system: &Ts,
    goal: &mut G,
    parts: &mut Parts<St, F, Ob>,
) -> ReportOf<Ts>
where
    Ts: TransitionSystem,
    G: Goal<Ts> + ?Sized,
    St: PassedStore<Ts::State>,
    F: Frontier<Ts::State, Ts::Step>,
    Ob: Observer<Ts::State, Ts::Step>,
{
    Run::new(goal, parts, Aim::AnyWay).drive(system)
}

/// Looks for a shortest way to a goal; the type of the frontier keeps guides out that could miss
/// it, and covering respects depth.
pub fn shortest<Ts, G, St, H, Ob>(
    system: &Ts,
    goal: &mut G,
    parts: &mut Parts<St, AStar<H>, Ob>,
) -> ReportOf<Ts>
where
    Ts: TransitionSystem,
    G: Goal<Ts> + ?Sized,
    St: PassedStore<Ts::State>,
    H: AdmissibleHeuristic<Ts::State, Ts::Step>,
    Ob: Observer<Ts::State, Ts::Step>,
{
    Run::new(goal, parts, Aim::ShortestWay).drive(system)
}

/// Expands what a guide pruned, after a search that `report` says was exhausted, unless the frontier
/// prunes it again. In the end the live nodes that are expanded lead to live nodes only, as evidence
/// demands; those that are not expanded need a reason of their own. A goal that is met on the way was
/// pruned wrongly, and becomes the outcome.
pub fn close<Ts, G, St, F, Ob>(
    system: &Ts,
    goal: &mut G,
    parts: &mut Parts<St, F, Ob>,
    report: ReportOf<Ts>,
) -> ReportOf<Ts>
where
    Ts: TransitionSystem,
    G: Goal<Ts> + ?Sized,
    St: PassedStore<Ts::State>,
    F: Frontier<Ts::State, Ts::Step>,
    Ob: Observer<Ts::State, Ts::Step>,
{
    let Report { tree, statistics, .. } = report;
    Run { tree, statistics, ..Run::new(goal, parts, Aim::AnyWay) }.drive_on(system)
}

/// What covering must keep.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// Some way to a goal.
    AnyWay,
    /// The shortest ways.
    ShortestWay,
}

/// Why the loop is left before the frontier is empty.
enum Ending<Ts: TransitionSystem + ?Sized> {
    Goal(NodeId),
    Failure { error: Ts::Error, from: Option<NodeId>, step: Option<Ts::Step> },
    Stop(StopReason),
}

impl<Ts: TransitionSystem + ?Sized> Ending<Ts> {
    fn of_error(error: Ts::Error, from: Option<NodeId>, step: Option<Ts::Step>) -> Self {
        match Ts::stopped_by(&error) {
            Some(why) => Self::Stop(why),
            None => Self::Failure { error, from, step },
        }
    }
}

impl<Ts: TransitionSystem + ?Sized> From<StopReason> for Ending<Ts> {
    fn from(why: StopReason) -> Self {
        Self::Stop(why)
    }
}

/// Where a generated state comes from.
struct Origin<'s, Ts: TransitionSystem> {
    node: NodeId,
    state: &'s Ts::State,
    step: Ts::Step,
}

struct Run<'r, Ts: TransitionSystem, G: ?Sized, St, F, Ob> {
    goal: &'r mut G,
    parts: &'r mut Parts<St, F, Ob>,
    aim: Aim,
    tree: SearchTree<Ts::Step>,
    statistics: Statistics,
    /// No goal that is still to be generated has fewer steps.
    lower_bound: u32,
    /// The depth of the node expanded last.
    depth: u32,
    events: u32,
}

impl<'r, Ts, G, St, F, Ob> Run<'r, Ts, G, St, F, Ob>
where
    Ts: TransitionSystem,
    G: Goal<Ts> + ?Sized,
    St: PassedStore<Ts::State>,
    F: Frontier<Ts::State, Ts::Step>,
    Ob: Observer<Ts::State, Ts::Step>,
{
    fn new(goal: &'r mut G, parts: &'r mut Parts<St, F, Ob>, aim: Aim) -> Self {
        Self {
            goal,
            parts,
            aim,
            tree: SearchTree::new(),
            statistics: Statistics::default(),
            lower_bound: 0,
            depth: 0,
            events: 0,
        }
    }

    /// Runs from the initial states.
    fn drive(mut self, system: &Ts) -> ReportOf<Ts> {
        let mut scratch = system.scratch();
        let ending = match self.start(system, &mut scratch) {
            Ok(Some(mut buffer)) => self.explore(system, &mut buffer, &mut scratch),
            Ok(None) => Ok(()),
            Err(ending) => Err(ending),
        };
        self.report(ending)
    }

    /// Runs on from the nodes that were never expanded.
    fn drive_on(mut self, system: &Ts) -> ReportOf<Ts> {
        let mut scratch = system.scratch();
        let mut buffer = Ok(None);
        let _ = system.for_each_initial(&mut scratch, |initial| {
            buffer = match initial {
                Ok(state) => Ok(Some(state.clone())),
                Err(error) => Err(Ending::of_error(error, None, None)),
            };
            ControlFlow::Break(())
        });
        let ending = match buffer {
            Ok(Some(mut buffer)) => self
                .queue_unexpanded(&mut buffer)
                .and_then(|()| self.explore(system, &mut buffer, &mut scratch)),
            Ok(None) => Ok(()),
            Err(ending) => Err(ending),
        };
        self.report(ending)
    }

    fn queue_unexpanded(&mut self, buffer: &mut Ts::State) -> Result<(), Ending<Ts>> {
        for node in (0..self.tree.len()).map(NodeId::from_index) {
            if self.parts.store.is_live(node) && !self.tree.is_expanded(node) {
                self.look_at_observer()?;
                let depth = self.tree.depth(node);
                self.parts.store.load(node, buffer);
                let waiting = Waiting { node, depth, state: &*buffer, arrival: None };
                self.parts.frontier.push(waiting)?;
            }
        }
        Ok(())
    }

    fn report(self, ending: Result<(), Ending<Ts>>) -> ReportOf<Ts> {
        let outcome = match ending {
            Ok(()) => Outcome::Exhausted,
            Err(ending) => self.outcome_of(ending),
        };
        let progress = self.progress();
        // The run is over; there is nothing left to stop.
        let _ = self.parts.observer.progress(&progress);
        let statistics = Statistics {
            pruned: self.parts.frontier.pruned(),
            stored: progress.stored,
            bytes: progress.bytes,
            ..self.statistics
        };
        Report { outcome, tree: self.tree, statistics }
    }

    fn explore(
        &mut self,
        system: &Ts,
        state: &mut Ts::State,
        scratch: &mut Ts::Scratch,
    ) -> Result<(), Ending<Ts>> {
        while let Some(popped) = self.parts.frontier.pop() {
            let node = popped.node;
            if !self.parts.store.is_live(node) || self.tree.is_expanded(node) {
                continue;
            }
            self.lower_bound = self.lower_bound.max(popped.bound);
            self.parts.store.load(node, state);
            self.expand(system, node, state, scratch)?;
        }
        Ok(())
    }

    /// Inserts the initial states; returns one of them as a buffer, if there are any.
    fn start(
        &mut self,
        system: &Ts,
        scratch: &mut Ts::Scratch,
    ) -> Result<Option<Ts::State>, Ending<Ts>> {
        let mut buffer = None;
        let mut result = Ok(());
        let _ = system.for_each_initial(scratch, |initial| {
            result = match initial {
                Ok(state) => {
                    if buffer.is_none() {
                        buffer = Some(state.clone());
                    }
                    self.arrive(None, state)
                }
                Err(error) => Err(Ending::of_error(error, None, None)),
            };
            flow(&result)
        });
        result.map(|()| buffer)
    }

    fn expand(
        &mut self,
        system: &Ts,
        node: NodeId,
        state: &Ts::State,
        scratch: &mut Ts::Scratch,
    ) -> Result<(), Ending<Ts>> {
        self.tree.mark_expanded(node);
        self.depth = self.tree.depth(node);
        self.statistics.explored += 1;
        self.parts.observer.node_expanded(node);
        self.look_at_observer()?;
        let mut result = Ok(());
        let _ = system.for_each_successor(state, scratch, |successor| {
            result = match successor {
                Successor::State(step, target) => {
                    self.arrive(Some(Origin { node, state, step }), target)
                }
                Successor::Error(step, error) => {
                    Err(Ending::of_error(error, Some(node), Some(step)))
                }
            };
            flow(&result)
        });
        result
    }

    /// Takes in a generated state: inserted first, and estimated only if it is new.
    fn arrive(
        &mut self,
        origin: Option<Origin<'_, Ts>>,
        state: &Ts::State,
    ) -> Result<(), Ending<Ts>> {
        self.statistics.generated += 1;
        self.look_at_observer()?;
        let depth = self.tree.depth_after(origin.as_ref().map(|origin| origin.node));
        self.tree.reserve()?;
        let inserted = self.insert(state, depth)?;
        self.events += (self.parts.store.effort() / EFFORT_PER_EVENT) as u32;
        let target = match inserted {
            Insertion::New(node) => {
                debug_assert_eq!(node.index(), self.tree.len());
                self.tree.add(origin.as_ref().map(|origin| (origin.node, origin.step)));
                self.parts.observer.node_inserted(node, state);
                Target::New(node)
            }
            Insertion::CoveredBy(node) => {
                self.statistics.covered += 1;
                Target::CoveredBy(node)
            }
        };
        if let Some(origin) = &origin {
            self.parts.observer.edge(origin.node, origin.step, target);
        }
        match target {
            Target::New(node) => self.queue(node, depth, origin, state),
            Target::CoveredBy(_) => Ok(()),
        }
    }

    fn insert(&mut self, state: &Ts::State, depth: u32) -> Result<Insertion, StopReason> {
        let respect = match self.aim {
            Aim::AnyWay => Respect::Nothing,
            Aim::ShortestWay => Respect::Depth { candidate: depth, stored: self.tree.depths() },
        };
        let (tree, statistics) = (&self.tree, &mut self.statistics);
        let Parts { store, observer, .. } = &mut *self.parts;
        store.insert(state, respect, |evicted, by| {
            statistics.evicted += 1;
            statistics.evicted_after_expansion += usize::from(tree.is_expanded(evicted));
            observer.evicted(evicted, by);
        })
    }

    /// Lets a new node wait, or ends the run with it.
    fn queue(
        &mut self,
        node: NodeId,
        depth: u32,
        origin: Option<Origin<'_, Ts>>,
        state: &Ts::State,
    ) -> Result<(), Ending<Ts>> {
        match self.goal.holds_in(state) {
            Ok(true) => return Err(Ending::Goal(node)),
            Ok(false) => {}
            Err(error) => return Err(Ending::of_error(error, Some(node), None)),
        }
        let arrival = origin.map(|origin| Arrival { parent: origin.state, step: origin.step });
        self.parts.frontier.push(Waiting { node, depth, state, arrival })?;
        Ok(())
    }

    fn look_at_observer(&mut self) -> Result<(), StopReason> {
        self.events += 1;
        if self.events < EVENTS_PER_PROGRESS {
            return Ok(());
        }
        self.events = 0;
        let progress = self.progress();
        match self.parts.observer.progress(&progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(why) => Err(why),
        }
    }

    fn progress(&self) -> Progress {
        let Parts { store, frontier, .. } = &*self.parts;
        Progress {
            explored: self.statistics.explored,
            stored: store.len(),
            waiting: frontier.len(),
            bytes: store.bytes() + frontier.bytes() + self.tree.bytes(),
            depth: self.depth,
        }
    }

    fn outcome_of(&self, ending: Ending<Ts>) -> Outcome<Ts::Step, Ts::Error> {
        match ending {
            Ending::Goal(node) => Outcome::Reached { node, steps: self.tree.steps(node) },
            Ending::Failure { error, from, step } => {
                let mut steps = from.map_or_else(Vec::new, |node| self.tree.steps(node));
                steps.extend(step);
                Outcome::Failed { error, steps }
            }
            Ending::Stop(why) => Outcome::Stopped { why, lower_bound: self.lower_bound },
        }
    }
}

fn flow<T, E>(result: &Result<T, E>) -> ControlFlow<()> {
    match result {
        Ok(_) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}
