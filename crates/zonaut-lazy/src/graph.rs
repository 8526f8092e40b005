//! The adaptive simulation graph: close or expand, and strengthen labels as needed.
//!
//! A node is an exact symbolic state and a label, which represents more states. The graph is kept
//! well-labelled (Definition 7 of T. Tóth, I. Majzik, "Lazy reachability checking for timed
//! automata with discrete variables", DOI 10.1007/978-3-319-94111-0_14):
//!
//! * the label of a node contains its exact state;
//! * every step from a state in the label of an expanded node leads into the label of one of its
//!   children, and no such state is a goal or raises an error;
//! * the label of a covered node is covered by that of a node that is expanded, waits, or is
//!   covered.
//!
//! Only uncovered nodes become coverers, and covered nodes are not expanded, so a chain of coverers
//! leads from each covered node to one that is expanded or waits. So when no node waits, every
//! reachable state is in the label of some expanded node, and every goal that is found is found in
//! an exact state. Decision 0024 gives the proof for the whole language.

use crate::blocking::Buffers;
use crate::cover_index::{CoverIndex, rank};
use crate::discrete_index::DiscreteIndex;
use crate::domain::{
    ActiveClockBounds, ClockDomain, DataDomain, DraftLabel, Exact, Labelled, LazyDomain, Obstacle,
    Pair, PathSegment,
};
use crate::proof::{LabelledNodes, Proof};
use crate::refutation::Refutation;
use crate::store::Store;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_dbm::Width;
use zonaut_discrete::Candidate;
use zonaut_search::{
    Budget, Edge, Frontier, Ledger, NodeTable, Outcome, Statistics, Status, Waiting, ask,
};
use zonaut_space::{Arrival, Goal, NodeId, Observer, Progress, StopReason, TransitionSystem};
use zonaut_strategy::lazy::{CoveringOrder, Refinement};
use zonaut_zonegraph::{
    CompiledGoal, Scratch, StateEncoding, Step, StepError, SymbolicState, Transition, ZoneGoal,
    ZoneGraph,
};

/// Options of a lazy search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// The order in which candidates for covering are tried.
    pub covering: CoveringOrder,
    /// Whether a goal must be reached with the fewest steps. Then only nodes of no greater depth
    /// cover, and goals count when they are popped; the frontier has to yield nodes by depth,
    /// including those that were covered in between. Estimates are for exact states only, while
    /// nodes represent more, so no heuristic is admissible here.
    pub shortest: bool,
    /// The refinement strategy.
    pub refinement: Refinement,
}

/// Label statistics of a lazy search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Labelling {
    /// Nodes that are covered at the end.
    pub covered: usize,
    /// The number of times a node was uncovered.
    pub uncovered: usize,
    /// The number of times a label was strengthened.
    pub refinements: usize,
}

/// The result of a lazy search.
#[derive(Debug)]
#[must_use]
pub struct Report<'g, W: Width> {
    /// The outcome.
    pub outcome: Outcome<Step, StepError>,
    /// The statistics.
    pub statistics: Statistics,
    /// The label statistics.
    pub labelling: Labelling,
    /// The proof that the goal is unreachable, if the search was exhausted.
    pub proof: Option<Box<dyn Proof<W> + 'g>>,
}

/// The reason for which the loop ends before the frontier is empty.
pub(crate) enum StopCause {
    Goal(NodeId),
    Failure { error: StepError, from: Option<NodeId>, step: Option<Step> },
    Stop(StopReason),
}

impl StopCause {
    pub(crate) fn of(error: StepError, from: Option<NodeId>, step: Option<Step>) -> Self {
        match error {
            StepError::Stopped(why) => Self::Stop(why),
            error => Self::Failure { error, from, step },
        }
    }
}

impl From<StopReason> for StopCause {
    fn from(why: StopReason) -> Self {
        Self::Stop(why)
    }
}

/// The stage of a search.
enum Stage {
    /// Not started.
    Fresh,
    /// Nodes wait.
    Running,
    /// The outcome is known.
    Ended(Outcome<Step, StepError>),
}

/// The regular exits of the loop: the budget is used, or the frontier is empty.
enum LoopExit {
    Paused,
    Exhausted,
}

/// An observer of a search, which may stop it.
type SearchObserver<'o, W> = &'o mut dyn Observer<SymbolicState<W>, Step>;
/// A label under strengthening.
type Draft<W, D, C> = <Pair<D, C> as LazyDomain<W>>::Draft;

/// The number of label refinements, or of zone comparisons, that take as long as generating a
/// state.
const REFINEMENTS_PER_EVENT: u64 = 2;
const COMPARISONS_PER_EVENT: u64 = 16;

/// A lazy search over a zone graph, as a value that can be paused and resumed. Pauses do not change
/// what it does.
pub struct Lazy<'g, W: Width, D: LazyDomain<W, Label = u32> + DataDomain, C: LazyDomain<W>, F> {
    pub(crate) graph: &'g ZoneGraph<'g, W>,
    goal: ZoneGoal<'g, 'g, W>,
    refutation: Refutation<'g>,
    pub(crate) domain: Pair<D, C>,
    frontier: F,
    options: Options,
    nodes: NodeTable<Step, u32, (u32, C::Label)>,
    pub(crate) store: Store<'g, W>,
    pub(crate) cover_index: CoverIndex,
    discrete_index: DiscreteIndex,
    /// Waiting nodes that simulate an expanded one.
    outgrown: Vec<NodeId>,
    /// Expanded nodes whose labels do not exclude disabled steps yet.
    unaware: VecDeque<NodeId>,
    ledger: Ledger,
    labelling: Labelling,
    stage: Stage,
    /// The number of nodes popped.
    turns: u64,
    /// The number of candidates for covering compared.
    compared: u64,
    pub(crate) buffers: Option<Box<Buffers<W>>>,
    /// By node, the label under which it is indexed: its own or an earlier one.
    found_by: Vec<u32>,
    candidates: Vec<NodeId>,
    draft: Draft<W, D, C>,
    draft_before: Draft<W, D, C>,
}

impl<'g, W: Width, D, C, F> Lazy<'g, W, D, C, F>
where
    D: LazyDomain<W, Label = u32> + DataDomain,
    C: LazyDomain<W>,
    F: Frontier<SymbolicState<W>, Step>,
{
    /// A search that is not started. `refutation` belongs to the goal.
    pub fn new(
        graph: &'g ZoneGraph<'g, W>,
        goal: &'g CompiledGoal,
        refutation: Refutation<'g>,
        domain: Pair<D, C>,
        frontier: F,
        options: Options,
    ) -> Self {
        let layout = crate::data::Layout::new(graph.network());
        Self {
            graph,
            goal: ZoneGoal::new(graph, goal),
            refutation,
            domain,
            frontier,
            options,
            nodes: NodeTable::new(),
            store: Store::new(StateEncoding::new(graph)),
            cover_index: CoverIndex::new(layout.locations()),
            discrete_index: DiscreteIndex::default(),
            outgrown: Vec::new(),
            unaware: VecDeque::new(),
            ledger: Ledger::default(),
            labelling: Labelling::default(),
            stage: Stage::Fresh,
            turns: 0,
            compared: 0,
            buffers: Some(Box::new(Buffers::new(graph))),
            found_by: Vec::new(),
            candidates: Vec::new(),
            draft: Default::default(),
            draft_before: Default::default(),
        }
    }

    /// Works until the budget is used or the outcome is known. `observer` receives all events and
    /// may stop the search; each call may pass a different observer. Work is nodes created, nodes
    /// popped, and labels strengthened.
    pub fn run(&mut self, budget: Budget, observer: SearchObserver<'_, W>) -> Status {
        if matches!(self.stage, Stage::Ended(_)) {
            return Status::Ended;
        }
        let end = budget.end_after(self.work());
        let ended = match self.search(end, observer) {
            Ok(LoopExit::Paused) => {
                self.stage = Stage::Running;
                return Status::Paused;
            }
            Ok(LoopExit::Exhausted) => None,
            Err(ending) => Some(ending),
        };
        self.stage = Stage::Ended(self.outcome_of(ended.as_ref()));
        let progress = self.progress();
        // The search has ended, so a request to stop has no effect.
        let _ = observer.progress(&progress);
        Status::Ended
    }

    /// The work so far, as budgets count it.
    pub fn work(&self) -> u64 {
        let Statistics { generated, .. } = self.ledger.statistics;
        self.turns
            + generated as u64
            + self.labelling.refinements as u64 / REFINEMENTS_PER_EVENT
            + self.compared / COMPARISONS_PER_EVENT
    }

    /// The statistics so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            covered: self.labelling.covered,
            pruned: self.frontier.pruned(),
            stored: self.nodes.len(),
            bytes: self.progress().bytes,
            ..self.ledger.statistics
        }
    }

    /// The report; a search that has not ended counts as cancelled.
    pub fn into_report(mut self) -> Report<'g, W>
    where
        D: Debug + 'g,
        C: ClockDomain<W> + Debug + 'g,
    {
        let nodes = (0..self.nodes.len()).map(NodeId::from_index);
        self.labelling.covered = nodes.filter(|&n| self.nodes.coverage().is_covered(n)).count();
        let (statistics, labelling) = (self.statistics(), self.labelling);
        let outcome = match std::mem::replace(&mut self.stage, Stage::Fresh) {
            Stage::Ended(outcome) => outcome,
            _ => Outcome::Stopped { why: StopReason::Cancelled, lower_bound: 0 },
        };
        let is_proof = matches!(outcome, Outcome::Exhausted);
        if !is_proof {
            self.graph.meter().discard(self);
            return Report { outcome, statistics, labelling, proof: None };
        }
        let proof = Some(Box::new(self.into_labels()) as Box<dyn Proof<W> + 'g>);
        Report { outcome, statistics, labelling, proof }
    }

    fn into_labels(self) -> LabelledNodes<'g, W, D, C>
    where
        C: ClockDomain<W>,
    {
        let Self { graph, domain, nodes, store, cover_index, .. } = self;
        let all = (0..nodes.len()).map(NodeId::from_index);
        let expanded = all.filter(|&node| nodes.is_expanded(node)).collect();
        let layout = crate::data::Layout::new(graph.network());
        LabelledNodes { layout, store, cover_index, nodes, domain, expanded }
    }

    /// Closes or expands nodes, until no node waits or the work reaches `end`.
    fn search(&mut self, end: u64, observer: SearchObserver<'_, W>) -> Result<LoopExit, StopCause> {
        let mut scratch = self.graph.scratch();
        let mut state = SymbolicState::buffer();
        if matches!(self.stage, Stage::Fresh) {
            self.start(&mut scratch, observer)?;
        }
        #[cfg(feature = "faults")]
        if matches!(self.stage, Stage::Running)
            && crate::faults::Fault::PauseLosesNode.is_selected()
        {
            let _ = self.frontier.pop();
        }
        while self.work() < end {
            let next =
                self.outgrown.pop().or_else(|| self.frontier.pop().map(|popped| popped.node));
            self.turns += 1;
            let Some(node) = next else {
                let Some(node) = self.unaware.pop_front() else { return Ok(LoopExit::Exhausted) };
                #[cfg(feature = "faults")]
                if crate::faults::Fault::LateOnce.is_selected() {
                    self.unaware.clear();
                }
                self.store.load(node, &mut state);
                self.visit_steps(node, Purpose::Refuting, &mut state, &mut scratch, observer)?;
                continue;
            };
            if self.nodes.is_expanded(node) || self.nodes.coverage().is_covered(node) {
                continue;
            }
            self.store.load(node, &mut state);
            if self.options.shortest {
                self.test_goal(node, &state)?;
            }
            if !self.close(node, observer)? {
                self.ledger.statistics.explored += 1;
                self.look(observer)?;
                observer.node_expanded(node);
                let purpose = match self.is_late() {
                    true => Purpose::Expanding,
                    false => Purpose::Both,
                };
                self.visit_steps(node, purpose, &mut state, &mut scratch, observer)?;
                self.nodes.mark_expanded(node);
                self.index(node);
            }
        }
        Ok(LoopExit::Paused)
    }

    /// Covers a node, if possible: by a waiting one with the same data and larger clocks, which
    /// would cover it once it is expanded, or by an expanded one.
    fn close(&mut self, node: NodeId, observer: SearchObserver<'_, W>) -> Result<bool, StopCause> {
        let mut candidates = std::mem::take(&mut self.candidates);
        let (vector, key, exact) =
            (self.store.vector(node), self.store.key(node), self.exact(node));
        let is_larger = |&&other: &&NodeId| {
            other != node && !self.nodes.is_expanded(other) && self.exact(other).simulates(&exact)
        };
        candidates.clear();
        candidates.extend(self.discrete_index.of(key).iter().filter(is_larger));
        let discrete_index = candidates.len();
        candidates.extend(self.cover_index.candidates(vector, key));
        candidates[discrete_index..].sort_unstable_by_key(|&other| self.rank(other));
        self.compared +=
            (self.discrete_index.of(key).len() + candidates.len() - discrete_index) as u64;
        let mut is_covered = false;
        for &by in &candidates {
            if self.options.shortest && self.nodes.cost(by) > self.nodes.cost(node) {
                continue;
            }
            if !self.domain.may_cover(self.labelled(by), self.exact(node)) {
                self.find_by_label(by);
                continue;
            }
            self.look(observer)?;
            let mut draft = std::mem::take(&mut self.draft);
            self.domain.draft(self.labelled(node), &mut draft);
            let larger = Labelled {
                exact: self.store.exact(by, &self.cover_index),
                label: *self.nodes.label(by),
            };
            self.domain.strengthen_to_cover(larger, &mut draft);
            self.draft = draft;
            self.refine(node, observer)?;
            // The coverer may have been strengthened itself, if it is on the path to the node.
            if self.domain.still_covered(self.labelled(by), self.labelled(node)) {
                #[cfg(feature = "faults")]
                if crate::faults::Fault::AwaitedLost.is_selected() {
                    self.nodes.mark_expanded(by);
                }
                self.nodes.coverage_mut().cover(node, by)?;
                self.discrete_index.remove(self.store.key(node), node);
                is_covered = true;
                break;
            }
        }
        self.candidates = candidates;
        Ok(is_covered)
    }

    /// Takes all steps from a node, strengthens its label so that it excludes all others, or both.
    fn visit_steps(
        &mut self,
        node: NodeId,
        purpose: Purpose,
        state: &mut SymbolicState<W>,
        scratch: &mut Scratch<W>,
        observer: SearchObserver<'_, W>,
    ) -> Result<(), StopCause> {
        let mut draft = std::mem::take(&mut self.draft);
        self.domain.draft(self.labelled(node), &mut draft);
        self.refute_goal(node, state, &mut draft)?;
        let mut ended = Ok(());
        let flow = self.graph.for_each_candidate(state, scratch, |candidate, scratch| {
            let expansion = Expansion { node, state, purpose };
            ended = self.take(expansion, candidate, scratch, &mut draft, observer);
            flow_of(&ended)
        });
        ended?;
        if let Err(error) = flow {
            let step = self.graph.network().names().name(&[], 0);
            return Err(StopCause::of(error.into(), Some(node), Some(step)));
        }
        match purpose {
            #[cfg(feature = "faults")]
            Purpose::Expanding if crate::faults::Fault::LateNever.is_selected() => {}
            Purpose::Expanding => self.unaware.push_back(node),
            Purpose::Both | Purpose::Refuting => self.block(node, Obstacle::Others, &mut draft),
        }
        self.draft = draft;
        self.refine(node, observer)
    }

    /// Strengthens the label of a node to the draft, and the labels on the path to it accordingly.
    fn refine(&mut self, node: NodeId, observer: SearchObserver<'_, W>) -> Result<(), StopCause> {
        if self.options.refinement == Refinement::Forward {
            self.announce_path(node);
        }
        let mut at = node;
        loop {
            let DraftLabel { label, is_new } = self.domain.label_of(&self.draft);
            if !is_new {
                return Ok(());
            }
            self.labelling.refinements += 1;
            self.look(observer)?;
            *self.nodes.label_mut(at) = label;
            self.uncover(at)?;
            let Some(edge) = self.nodes.arrival(at) else { return Ok(()) };
            let mut before = std::mem::take(&mut self.draft_before);
            let ends = [edge.from, at].map(|node| self.store.exact(node, &self.cover_index));
            let from = Labelled { exact: ends[0], label: *self.nodes.label(edge.from) };
            self.domain.draft(from, &mut before);
            self.domain.before(self.store.transition(at), ends, &self.draft, &mut before);
            self.draft_before = std::mem::replace(&mut self.draft, before);
            at = edge.from;
        }
    }
}

/// The purpose of visiting the steps of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To generate successors.
    Expanding,
    /// To exclude all other steps.
    Refuting,
    /// Both.
    Both,
}

/// A node whose steps are visited.
#[derive(Clone, Copy)]
struct Expansion<'s, W: Width> {
    node: NodeId,
    state: &'s SymbolicState<W>,
    purpose: Purpose,
}

/// The operations of the loop.
impl<'g, W: Width, D, C, F> Lazy<'g, W, D, C, F>
where
    D: LazyDomain<W, Label = u32> + DataDomain,
    C: LazyDomain<W>,
    F: Frontier<SymbolicState<W>, Step>,
{
    fn start(
        &mut self,
        scratch: &mut Scratch<W>,
        observer: SearchObserver<'_, W>,
    ) -> Result<(), StopCause> {
        let mut ended = Ok(());
        let _ = self.graph.visit_initial(scratch, &mut |_, transition, state| {
            ended = match state {
                Ok(state) => self.arrive(None, state, transition, observer),
                Err(error) => Err(StopCause::of(error, None, None)),
            };
            flow_of(&ended)
        });
        ended
    }

    /// Takes a candidate from the state of a node, whose draft receives the facts that this depends
    /// on.
    fn take(
        &mut self,
        expansion: Expansion<'_, W>,
        candidate: Candidate<'_>,
        scratch: &mut Scratch<W>,
        draft: &mut Draft<W, D, C>,
        observer: SearchObserver<'_, W>,
    ) -> Result<(), StopCause> {
        let Expansion { node, state, purpose } = expansion;
        let (mut ended, mut parts, mut is_opaque) = (Ok(()), 0, false);
        let flow = self.graph.fire(state, candidate, scratch, &mut |step, transition, target| {
            ended = match target {
                Err(error) => Err(StopCause::of(error, Some(node), Some(step))),
                Ok(_) if purpose == Purpose::Refuting => Ok(()),
                Ok(target) => {
                    (parts, is_opaque) = (parts + 1, is_opaque || transition.is_until_urgent);
                    let obstacle = Obstacle::Transition(&transition.participants, target.key());
                    self.block(node, obstacle, draft);
                    self.arrive(Some((node, state, step)), target, transition, observer)
                }
            };
            flow_of(&ended)
        });
        ended?;
        match candidate {
            Candidate::Broadcast(broadcast) => {
                // Clocks decide the participants.
                self.block(node, Obstacle::Guards(&[broadcast.sender]), draft);
                self.block(node, Obstacle::Guards(broadcast.receivers), draft);
                is_opaque = true;
                let receiver_sets = self.graph.receiver_sets(state, broadcast, scratch);
                for participants in
                    receiver_sets.map_err(|e| StopCause::of(e.into(), Some(node), None))?
                {
                    self.block_data(node, state, &participants, draft)?;
                }
            }
            Candidate::Joint(participants) => {
                let is_blocked = flow == ControlFlow::Continue(zonaut_zonegraph::Fired::Blocked);
                if is_blocked && purpose != Purpose::Expanding {
                    self.block_joint(node, state, participants, draft)?;
                }
            }
        }
        if parts > 1 || is_opaque {
            self.block(node, Obstacle::AllClocks, draft);
        }
        Ok(())
    }

    /// Strengthens a draft of a node so that it preserves an obstacle.
    pub(crate) fn block(
        &mut self,
        node: NodeId,
        obstacle: Obstacle<'_, W>,
        draft: &mut Draft<W, D, C>,
    ) {
        let exact = self.store.exact(node, &self.cover_index);
        self.domain.strengthen_to_block(exact, obstacle, draft);
    }

    /// Whether labels exclude disabled steps only when no other work is left. A search for a
    /// shortest run excludes them at once, because coverers need exact labels.
    fn is_late(&self) -> bool {
        self.options.refinement == Refinement::Late && !self.options.shortest
    }

    /// Announces the path to a node, whose draft was strengthened.
    fn announce_path(&mut self, node: NodeId) {
        let mut path = Vec::new();
        let mut at = node;
        while let Some(edge) = self.nodes.arrival(at) {
            let exact = self.store.exact(edge.from, &self.cover_index);
            let from = Labelled { exact, label: *self.nodes.label(edge.from) };
            path.push(PathSegment { from, transition: self.store.transition(at) });
            at = edge.from;
        }
        path.reverse();
        self.domain.announce_path(&path, &self.draft);
    }

    fn refute_goal(
        &mut self,
        node: NodeId,
        state: &mut SymbolicState<W>,
        draft: &mut Draft<W, D, C>,
    ) -> Result<(), StopCause> {
        let exact = self.store.exact(node, &self.cover_index);
        let domain = &mut self.domain;
        let mut report =
            |obstacle: Obstacle<'_, W>| domain.strengthen_to_block(exact, obstacle, draft);
        self.refutation
            .refute(&mut state.values, exact, &mut report)
            .map_err(|error| StopCause::of(error.into(), Some(node), None))
    }

    /// Adds a node.
    fn arrive(
        &mut self,
        from: Option<(NodeId, &SymbolicState<W>, Step)>,
        state: &mut SymbolicState<W>,
        transition: &Transition<W>,
        observer: SearchObserver<'_, W>,
    ) -> Result<(), StopCause> {
        self.ledger.statistics.generated += 1;
        self.look(observer)?;
        self.nodes.reserve()?;
        let graph = self.graph;
        let vector = self.cover_index.number(state.key(), || active_clocks_of(graph, state));
        self.store.add(state, vector, transition)?;
        let edge = from.map(|(from, _, step)| Edge { from, step });
        let cost = edge.map_or(0, |edge| self.nodes.cost(edge.from) + 1);
        let node = NodeId::from_index(self.nodes.len());
        let label = self.domain.weakest(self.store.exact(node, &self.cover_index));
        self.nodes.add(edge, cost, label);
        self.found_by.push(label.0);
        observer.node_inserted(node, state);
        if !self.options.shortest {
            self.test_goal(node, state)?;
        }
        let arrival = from.map(|(_, parent, step)| Arrival { parent, step });
        self.wait(Waiting { node, cost, state, arrival })?;
        Ok(())
    }

    /// Pushes a node. A node that simulates an expanded node is processed first: the waiting
    /// descendants of the other one are then covered by its descendants, instead of being expanded
    /// in vain. If labels fix all data, a node with the same data as an expanded node may do so
    /// with its later label. A search for a shortest run requires nodes by depth.
    fn wait(&mut self, waiting: Waiting<'_, SymbolicState<W>, Step>) -> Result<(), StopReason> {
        let node = waiting.node;
        let (key, exact) = (self.store.key(node), self.exact(node));
        let all = self.domain.data.fixes_all_data();
        let is_smaller = |&other: &NodeId| {
            let other_exact = self.exact(other);
            let simulates = || exact.simulates(&other_exact) && !other_exact.simulates(&exact);
            self.nodes.is_expanded(other) && (all || simulates())
        };
        let is_first = !self.options.shortest && self.discrete_index.of(key).iter().any(is_smaller);
        self.discrete_index.add(self.store.key(node), node);
        if !is_first {
            return self.frontier.push(waiting);
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::LargerLost.is_selected() {
            return Ok(());
        }
        self.outgrown.push(node);
        Ok(())
    }

    fn test_goal(&mut self, node: NodeId, state: &SymbolicState<W>) -> Result<(), StopCause> {
        match self.goal.holds_in(state) {
            Ok(false) => Ok(()),
            Ok(true) => Err(StopCause::Goal(node)),
            Err(error) => Err(StopCause::of(error, Some(node), None)),
        }
    }

    fn outcome_of(&self, ended: Option<&StopCause>) -> Outcome<Step, StepError> {
        let steps_to = |node: Option<NodeId>, last: Option<Step>| {
            let mut steps = node.map_or_else(Vec::new, |node| self.nodes.steps(node));
            steps.extend(last);
            steps
        };
        match ended {
            None => Outcome::Exhausted,
            Some(&StopCause::Goal(node)) => {
                Outcome::Reached { node, steps: steps_to(Some(node), None) }
            }
            Some(&StopCause::Failure { error, from, step }) => {
                Outcome::Failed { error, steps: steps_to(from, step) }
            }
            Some(&StopCause::Stop(why)) => Outcome::Stopped { why, lower_bound: 0 },
        }
    }

    /// The rank of a node among the candidates for covering.
    fn rank(&self, node: NodeId) -> u64 {
        rank(self.options.covering, node, || {
            let visible = self.domain.data.visible(self.nodes.label(node).0);
            visible.iter().map(|bits| bits.count_ones()).sum()
        })
    }

    /// Adds a node to the index of coverers.
    fn index(&mut self, node: NodeId) {
        let (vector, key, label) =
            (self.store.vector(node), self.store.key(node), self.nodes.label(node).0);
        self.cover_index.add(vector, node, key, self.domain.data.visible(label));
        self.found_by[node.index()] = label;
    }

    /// Re-indexes a node that was found without covering under its current label.
    fn find_by_label(&mut self, node: NodeId) {
        let (found_by, label) = (self.found_by[node.index()], self.nodes.label(node).0);
        if found_by != label && self.nodes.is_expanded(node) {
            let (vector, key) = (self.store.vector(node), self.store.key(node));
            self.cover_index.remove(vector, node, key, self.domain.data.visible(found_by));
            self.index(node);
        }
    }

    /// Pushes the nodes again that a node no longer covers.
    fn uncover(&mut self, by: NodeId) -> Result<(), StopCause> {
        #[cfg(feature = "faults")]
        if crate::faults::Fault::CoveringKept.is_selected() {
            return Ok(());
        }
        let mut coverage = std::mem::take(self.nodes.coverage_mut());
        let mut uncovered = Vec::new();
        let stays = |node| self.domain.still_covered(self.labelled(by), self.labelled(node));
        coverage.uncover(by, stays, |node| uncovered.push(node));
        *self.nodes.coverage_mut() = coverage;
        if uncovered.is_empty() {
            return Ok(());
        }
        self.labelling.uncovered += uncovered.len();
        let mut state = SymbolicState::buffer();
        for node in uncovered {
            self.store.load(node, &mut state);
            let cost = self.nodes.cost(node);
            self.wait(Waiting { node, cost, state: &state, arrival: None })?;
        }
        Ok(())
    }

    fn exact(&self, node: NodeId) -> Exact<'_, W> {
        self.store.exact(node, &self.cover_index)
    }

    fn labelled(&self, node: NodeId) -> Labelled<'_, W, (u32, C::Label)> {
        Labelled { exact: self.exact(node), label: *self.nodes.label(node) }
    }

    fn progress(&self) -> Progress {
        let found =
            self.cover_index.bytes() + self.discrete_index.bytes() + size_of_val(&*self.found_by);
        let (store, domain) = (self.store.bytes() + found, self.domain.bytes());
        Progress {
            explored: self.ledger.statistics.explored,
            stored: self.nodes.len(),
            waiting: self.frontier.len() + self.outgrown.len() + self.unaware.len(),
            bytes: store + domain + self.nodes.bytes() + self.frontier.bytes(),
            depth: self.nodes.costs().last().copied().unwrap_or(0),
        }
    }

    /// Counts an event, and calls the observer when it is due.
    fn look(&mut self, observer: SearchObserver<'_, W>) -> Result<(), StopReason> {
        if self.ledger.count_event() {
            let progress = self.progress();
            ask(observer, &progress)?;
        }
        Ok(())
    }
}

/// The active clocks of the location vector of a state.
fn active_clocks_of<W: Width>(
    graph: &ZoneGraph<'_, W>,
    state: &SymbolicState<W>,
) -> ActiveClockBounds {
    let active = graph.active_clocks(state);
    ActiveClockBounds {
        rows: active.rows().to_vec(),
        lower: active.lower().to_vec(),
        upper: active.upper().to_vec(),
    }
}

/// Whether to continue.
fn flow_of(ended: &Result<(), StopCause>) -> ControlFlow<()> {
    if ended.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}
