//! The search loop.

use std::ops::ControlFlow;

use zonaut_base::Id;
use zonaut_space::{
    Arrival, Cost, CostDominance, Encoding, Goal, Insertion, NodeId, Observer, PassedStore,
    Pricing, StopReason, Successor, Target, TransitionSystem,
};

use crate::batch::{Batch, BatchOf, Generated};
use crate::frontier::{Frontier, Waiting};
use crate::ledger::ask;
use crate::node_table::Edge;
use crate::outcome::{Outcome, OutcomeOf};
use crate::search::{Objective, Search, Stage, Workspace};

/// The reason for which the loop ends before the frontier is empty.
pub(crate) enum StopCause<Ts: TransitionSystem + ?Sized> {
    Goal(NodeId),
    Failure { error: Ts::Error, from: Option<NodeId>, step: Option<Ts::Step> },
    Stop(StopReason),
}

impl<Ts: TransitionSystem + ?Sized> StopCause<Ts> {
    pub(crate) fn of_error(error: Ts::Error, from: Option<NodeId>, step: Option<Ts::Step>) -> Self {
        match Ts::stopped_by(&error) {
            Some(why) => Self::Stop(why),
            None => Self::Failure { error, from, step },
        }
    }
}

impl<Ts: TransitionSystem + ?Sized> From<StopReason> for StopCause<Ts> {
    fn from(why: StopReason) -> Self {
        Self::Stop(why)
    }
}

/// The regular exits of the loop: the budget is used, or the frontier is empty.
enum LoopExit {
    Paused,
    Exhausted,
}

/// The parent and step of a generated state.
pub(crate) struct Origin<'s, Ts: TransitionSystem> {
    /// The parent, as the node table numbers it.
    pub(crate) node: NodeId,
    /// The state of the parent, unless another worker has it.
    pub(crate) state: Option<&'s Ts::State>,
    pub(crate) step: Ts::Step,
}

impl<Ts: TransitionSystem> Clone for Origin<'_, Ts> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Ts: TransitionSystem> Copy for Origin<'_, Ts> {}

/// A search and the observer of this call.
pub(crate) struct SearchLoop<'t, 's, Ts: TransitionSystem, G, St, F, P: Pricing<Ts>, Ob: ?Sized> {
    pub(crate) search: &'t mut Search<'s, Ts, G, St, F, P>,
    pub(crate) observer: &'t mut Ob,
}

impl<Ts, G, St, F, P, Ob> SearchLoop<'_, '_, Ts, G, St, F, P, Ob>
where
    Ts: TransitionSystem,
    G: Goal<Ts>,
    St: PassedStore<Ts::State>,
    P: Pricing<Ts>,
    F: Frontier<Ts::State, Ts::Step, P::Cost>,
    Ob: Observer<Ts::State, Ts::Step> + ?Sized,
{
    /// Continues from a stage until the total work reaches `end`; returns the new stage.
    pub(crate) fn take(self, stage: Stage<Ts, P::Cost>, end: u64) -> Stage<Ts, P::Cost> {
        self.advance(stage, |turn, workspace| turn.explore(workspace, end))
    }

    /// Puts the next node into a batch, if one can be expanded now; returns the new stage.
    pub(crate) fn dispatch<E: Encoding<State = Ts::State>>(
        self,
        stage: Stage<Ts, P::Cost>,
        encoding: &E,
        batch: &mut Option<BatchOf<Ts, E, P>>,
    ) -> Stage<Ts, P::Cost> {
        self.advance(stage, |turn, workspace| {
            let node = match turn.choose(workspace) {
                Ok(node) => node,
                Err(exit) => return Ok(exit),
            };
            turn.search.store.load(node, &mut workspace.state);
            turn.begin_expansion(node)?;
            *batch = Some(Batch::new(node, turn.search.cost, encoding, &workspace.state));
            workspace.in_flight += 1;
            Ok(LoopExit::Paused)
        })
    }

    /// Absorbs the successors of a batch; returns the new stage.
    pub(crate) fn absorb_batch<E: Encoding<State = Ts::State>>(
        self,
        stage: Stage<Ts, P::Cost>,
        encoding: &E,
        batch: BatchOf<Ts, E, P>,
    ) -> Stage<Ts, P::Cost> {
        self.advance(stage, |turn, workspace| {
            workspace.in_flight = workspace.in_flight.saturating_sub(1);
            let (node, mut target) = (batch.node, workspace.state.clone());
            batch.load_parent(encoding, &mut workspace.state);
            let state = &workspace.state;
            batch.try_for_each_successor(encoding, &mut target, |generated, target| {
                let Generated { step, cost } = generated;
                turn.absorb(Some(Origin { node, state: Some(state), step }), cost, target)
            })?;
            match batch.failure {
                Some((step, error)) => Err(StopCause::of_error(error, Some(node), Some(step))),
                None => Ok(LoopExit::Paused),
            }
        })
    }

    /// Starts the search if it is fresh, works, and determines the new stage.
    fn advance(
        mut self,
        stage: Stage<Ts, P::Cost>,
        work: impl FnOnce(&mut Self, &mut Workspace<Ts>) -> Result<LoopExit, StopCause<Ts>>,
    ) -> Stage<Ts, P::Cost> {
        let started = match stage {
            Stage::Fresh => self.start(),
            Stage::Inherited => self.inherit(),
            Stage::Running(workspace) => Ok(Some(workspace)),
            Stage::Ended(_) | Stage::Broken => return stage,
        };
        let ending = match started {
            Ok(Some(mut workspace)) => match work(&mut self, &mut workspace) {
                Ok(LoopExit::Paused) => return Stage::Running(workspace),
                Ok(LoopExit::Exhausted) => None,
                Err(ending) => Some(ending),
            },
            Ok(None) => None,
            Err(ending) => Some(ending),
        };
        let progress = self.search.progress();
        // The search has ended, so a request to stop has no effect.
        let _ = self.observer.progress(&progress);
        Stage::Ended(self.outcome_of(ending))
    }

    /// Inserts the initial states; returns `None` if there are no initial states.
    pub(crate) fn start(&mut self) -> Result<Option<Workspace<Ts>>, StopCause<Ts>> {
        let system = self.search.system;
        let mut scratch = system.scratch();
        let mut buffer = None;
        let mut result = Ok(());
        let _ = system.for_each_initial(&mut scratch, |initial| {
            result = match initial {
                Ok(state) => {
                    if buffer.is_none() {
                        buffer = Some(state.clone());
                    }
                    let cost = self.search.pricing.of_initial(state);
                    self.absorb(None, cost, state)
                }
                Err(error) => Err(StopCause::of_error(error, None, None)),
            };
            flow(&result)
        });
        result.map(|()| buffer.map(|state| Workspace { state, scratch, in_flight: 0 }))
    }

    /// Pushes the nodes of an earlier search that were never expanded.
    pub(crate) fn inherit(&mut self) -> Result<Option<Workspace<Ts>>, StopCause<Ts>> {
        let system = self.search.system;
        let mut scratch = system.scratch();
        let mut buffer = Ok(None);
        let _ = system.for_each_initial(&mut scratch, |initial| {
            buffer = match initial {
                Ok(state) => Ok(Some(state.clone())),
                Err(error) => Err(StopCause::of_error(error, None, None)),
            };
            ControlFlow::Break(())
        });
        let Some(mut state) = buffer? else { return Ok(None) };
        for node in (0..self.search.nodes.len()).map(NodeId::from_index) {
            if self.search.store.is_live(node) && !self.search.nodes.is_expanded(node) {
                self.count_event()?;
                self.search.store.load(node, &mut state);
                let cost = self.search.nodes.cost(node);
                let waiting = Waiting { node, cost, state: &state, arrival: None };
                self.search.frontier.push(waiting)?;
            }
        }
        Ok(Some(Workspace { state, scratch, in_flight: 0 }))
    }

    fn explore(
        &mut self,
        workspace: &mut Workspace<Ts>,
        end: u64,
    ) -> Result<LoopExit, StopCause<Ts>> {
        while self.search.ledger.work() < end {
            let node = match self.choose(workspace) {
                Ok(node) => node,
                Err(exit) => return Ok(exit),
            };
            self.search.store.load(node, &mut workspace.state);
            self.expand(node, workspace)?;
        }
        Ok(LoopExit::Paused)
    }

    /// The next node to expand, or the reason why no node can be expanded now.
    ///
    /// Expansions in flight may still generate cheaper states, so that bounds of popped nodes hold
    /// only if there are none; and the search is not exhausted before they are absorbed.
    #[inline]
    fn choose(&mut self, workspace: &Workspace<Ts>) -> Result<NodeId, LoopExit> {
        if workspace.in_flight == 0 {
            return self.next_node().ok_or(LoopExit::Exhausted);
        }
        match self.search.objective {
            Objective::AnyGoal => self.next_node().ok_or(LoopExit::Paused),
            Objective::FirstIsCheapest | Objective::Improve => Err(LoopExit::Paused),
        }
    }

    /// Removes nodes from the frontier up to the next one that is worth an expansion; `None` if
    /// there are no such nodes.
    #[inline]
    pub(crate) fn next_node(&mut self) -> Option<NodeId> {
        loop {
            let popped = self.search.frontier.pop()?;
            let node = popped.node;
            if !self.search.store.is_live(node) || self.search.nodes.is_expanded(node) {
                continue;
            }
            if self.search.objective != Objective::AnyGoal {
                self.search.lower_bound = self.search.lower_bound.max(popped.bound);
            }
            if self.exceeds_bound(self.search.lower_bound) {
                return None;
            }
            if self.exceeds_bound(self.search.nodes.cost(node).max(popped.through)) {
                self.search.ledger.statistics.bounded += 1;
                continue;
            }
            return Some(node);
        }
    }

    /// Whether a state of this cost cannot improve on the incumbent, or reaches the limit.
    #[inline]
    pub(crate) fn exceeds_bound(&self, cost: P::Cost) -> bool {
        self.search.best.is_some_and(|(_, best)| cost >= best)
            || self.search.limit.is_some_and(|limit| cost >= limit)
    }

    /// Generates the successors of a node, whose state is in the workspace. Generation reads the
    /// transition system and the pricing alone; everything else happens when a successor is
    /// absorbed.
    fn expand(&mut self, node: NodeId, workspace: &mut Workspace<Ts>) -> Result<(), StopCause<Ts>> {
        self.expand_into(node, node, workspace, Self::absorb)
    }

    /// Generates the successors of a node, which children know under `number`, for `deliver`.
    #[inline]
    pub(crate) fn expand_into(
        &mut self,
        node: NodeId,
        number: NodeId,
        Workspace { state, scratch, .. }: &mut Workspace<Ts>,
        mut deliver: impl FnMut(
            &mut Self,
            Option<Origin<'_, Ts>>,
            P::Cost,
            &Ts::State,
        ) -> Result<(), StopCause<Ts>>,
    ) -> Result<(), StopCause<Ts>> {
        self.begin_expansion(node)?;
        let (system, state) = (self.search.system, &*state);
        let mut result = Ok(());
        let _ = system.for_each_successor(state, scratch, |successor| {
            result = match successor {
                Successor::State(step, target) => {
                    let cost = self.search.pricing.after(self.search.cost, step, target);
                    let origin = Origin { node: number, state: Some(state), step };
                    deliver(self, Some(origin), cost, target)
                }
                Successor::Error(step, error) => {
                    Err(StopCause::of_error(error, Some(node), Some(step)))
                }
            };
            flow(&result)
        });
        result
    }

    /// Records that a node is expanded.
    #[inline]
    fn begin_expansion(&mut self, node: NodeId) -> Result<(), StopReason> {
        self.search.nodes.mark_expanded(node);
        self.search.cost = self.search.nodes.cost(node);
        self.search.ledger.statistics.explored += 1;
        self.observer.node_expanded(node);
        self.count_event()
    }

    /// Absorbs a generated state of this cost: inserted first, and estimated only if it is new.
    pub(crate) fn absorb(
        &mut self,
        origin: Option<Origin<'_, Ts>>,
        cost: P::Cost,
        state: &Ts::State,
    ) -> Result<(), StopCause<Ts>> {
        self.search.ledger.statistics.generated += 1;
        self.count_event()?;
        if self.exceeds_bound(cost) {
            self.search.ledger.statistics.bounded += 1;
            return Ok(());
        }
        self.search.nodes.reserve()?;
        let inserted = self.insert(state, cost)?;
        self.search.ledger.count_effort(self.search.store.effort());
        let edge = origin.map(|origin| Edge { from: origin.node, step: origin.step });
        let target = match inserted {
            Insertion::New(node) => {
                let added = self.search.nodes.add(edge, cost, ());
                debug_assert_eq!(node, added);
                self.observer.node_inserted(node, state);
                Target::New(node)
            }
            Insertion::CoveredBy(node) => {
                self.search.ledger.statistics.covered += 1;
                Target::CoveredBy(node)
            }
        };
        if let Some(Edge { from, step }) = edge {
            self.observer.edge(from, step, target);
        }
        match target {
            Target::New(node) => self.queue(node, cost, origin, state),
            Target::CoveredBy(_) => Ok(()),
        }
    }

    fn insert(&mut self, state: &Ts::State, cost: P::Cost) -> Result<Insertion, StopReason> {
        let Search { objective, pricing, nodes, ledger, store, .. } = &mut *self.search;
        let dominance = match objective {
            Objective::AnyGoal => CostDominance::Ignored,
            _ if pricing.is_in_states() => CostDominance::Ignored,
            _ => CostDominance::Required { candidate: cost, stored: nodes.costs() },
        };
        let (statistics, observer) = (&mut ledger.statistics, &mut *self.observer);
        store.insert(state, dominance, |eviction| {
            statistics.evicted += 1;
            statistics.evicted_after_expansion += usize::from(nodes.is_expanded(eviction.node));
            observer.evicted(eviction.node, eviction.by);
        })
    }

    /// Pushes a new node, unless it is a goal and no better goal lies beyond it.
    fn queue(
        &mut self,
        node: NodeId,
        cost: P::Cost,
        origin: Option<Origin<'_, Ts>>,
        state: &Ts::State,
    ) -> Result<(), StopCause<Ts>> {
        match self.search.goal.holds_in(state) {
            Ok(true) => {
                if self.meet_goal(node, cost, state)? {
                    return Ok(());
                }
            }
            Ok(false) => {}
            Err(error) => return Err(StopCause::of_error(error, Some(node), None)),
        }
        let arrival = origin
            .and_then(|Origin { state, step, .. }| state.map(|parent| Arrival { parent, step }));
        self.search.frontier.push(Waiting { node, cost, state, arrival })?;
        Ok(())
    }

    /// Records a goal; returns whether no cheaper goal lies beyond it.
    fn meet_goal(
        &mut self,
        node: NodeId,
        cost: P::Cost,
        state: &Ts::State,
    ) -> Result<bool, StopCause<Ts>> {
        if self.search.objective != Objective::Improve {
            self.search.best = Some((node, cost));
            self.observer.goal_met(node);
            return Err(StopCause::Goal(node));
        }
        let at_goal = self.search.pricing.at_goal(cost, state);
        let at_goal = at_goal.map_err(|error| StopCause::of_error(error, Some(node), None))?;
        debug_assert!(at_goal >= cost, "law: paths do not become cheaper");
        if !self.exceeds_bound(at_goal) {
            self.search.best = Some((node, at_goal));
            self.observer.goal_met(node);
        }
        Ok(at_goal == cost)
    }

    #[inline]
    fn count_event(&mut self) -> Result<(), StopReason> {
        match self.search.ledger.count_event() {
            true => self.report_progress(),
            false => Ok(()),
        }
    }

    fn report_progress(&mut self) -> Result<(), StopReason> {
        let mut now = self.search.progress();
        while let Some(overflow) = &self.search.overflow
            && overflow.is_due(now.bytes)
        {
            let before = now.bytes;
            self.search.store.spill()?;
            self.search.nodes.spill()?;
            now = self.search.progress();
            if now.bytes >= before {
                break;
            }
        }
        ask(self.observer, &now)
    }

    fn outcome_of(&self, ending: Option<StopCause<Ts>>) -> OutcomeOf<Ts, P> {
        let outcome = self.outcome_in_files(ending);
        match &self.search.overflow {
            // States that could not be read back were compared wrongly.
            Some(overflow) if overflow.files.has_failed() => {
                let (why, lower_bound) = (StopReason::MemoryLimit, P::Cost::ZERO);
                Outcome::Stopped { why, lower_bound }
            }
            _ => outcome,
        }
    }

    /// The outcome, unless files have failed.
    fn outcome_in_files(&self, ending: Option<StopCause<Ts>>) -> OutcomeOf<Ts, P> {
        let nodes = &self.search.nodes;
        let reached = |node| Outcome::Reached { node, steps: nodes.steps(node) };
        match ending {
            None => self.search.best.map_or(Outcome::Exhausted, |(node, _)| reached(node)),
            Some(StopCause::Goal(node)) => reached(node),
            Some(StopCause::Failure { error, from, step }) => {
                let mut steps = from.map_or_else(Vec::new, |node| nodes.steps(node));
                steps.extend(step);
                Outcome::Failed { error, steps }
            }
            Some(StopCause::Stop(why)) => {
                Outcome::Stopped { why, lower_bound: self.search.lower_bound }
            }
        }
    }
}

fn flow<T, E>(result: &Result<T, E>) -> ControlFlow<()> {
    match result {
        Ok(_) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}
