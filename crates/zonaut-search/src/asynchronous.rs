//! Best-first search by several workers, each in its own order.
//!
//! Each worker owns the states whose buckets have its hash, with a store, an open list and a node
//! table of its own, so that covering is decided by one worker (A. Kishimoto, A. Fukunaga, A. Botea:
//! "Evaluation of a simple, scalable, parallel best-first search strategy", DOI
//! 10.1016/j.artint.2012.10.007). It expands its own nodes with the loop of [`Search`](crate::Search),
//! and sends successors in batches to their owners. The incumbent is shared: states whose cost, or
//! estimate, reaches that of the incumbent are dropped.
//!
//! # Correctness
//! *Reachability, and cheapest paths by branch and bound.* The proofs of [`Search`](crate::Search) do not
//! depend on the order of expansions. A state that was sent and not yet inserted counts as waiting.
//! So until a cheapest goal is the incumbent, a node waits, or is on its way, whose cost and
//! cost ahead are at most those of a cheapest goal.
//!
//! *Bounds.* A frontier bounds what goes on from its own nodes alone, so that a bound is forgotten
//! when states were received. The least bound of all workers and batches is a lower bound for
//! all goals to come (`post`). The first goal of A\* need not be a cheapest one, because another
//! worker may hold a smaller bound; so searches for shortest paths continue until the bounds of
//! all workers reach the incumbent, too.
//!
//! *Termination.* A search is over when all workers are at rest and no batch is in a mailbox. A worker
//! at rest has nothing to send, and stays at rest until it gets a batch. If covering is well-founded
//! for one worker, it is for several: each owner inserts finitely many nodes.
//!
//! The order of events depends on the speed of threads, and with it counts, traces, and which of
//! several cheapest goals is found; verdicts and least costs do not. Whether a run-time error or a
//! goal is met first may depend on it, too: then a sequential search has to decide.

mod post;
mod worker;

use std::ops::ControlFlow;
use std::panic::resume_unwind;

use zonaut_base::Id;
use zonaut_space::{
    Cost, Covering, Encoding, Goal, NodeId, OwnedNode, PassedStore, Pricing, Progress, StopReason,
    TransitionSystem, WorkerId,
};

use crate::frontier::Frontier;
use crate::layered::{Crew, Numbering, Owners, Task};
use crate::node_table::NodeTable;
use crate::outcome::{Outcome, Report, ReportOf, Statistics};
use crate::search::{Budget, Objective, Status};
use crate::search_loop::StopCause;
use crate::store::ArenaStore;
use post::Post;
use worker::{End, Worker};

/// The default work of a worker between two looks at its mailbox, in states expanded and generated.
const WORK_PER_TURN: usize = 256;

/// The values of a state that its encoding leaves out, because covering ignores them, and that a
/// search keeps beside it.
pub trait Luggage<S> {
    /// The number of values.
    fn words(&self) -> usize;
    /// Appends the values of `state`.
    fn pack(&self, state: &S, to: &mut Vec<i32>);
    /// Writes the values over those of `into`.
    fn unpack(&self, from: &[i32], into: &mut S);
}

/// No values.
impl<S> Luggage<S> for () {
    fn words(&self) -> usize {
        0
    }
    fn pack(&self, _: &S, _: &mut Vec<i32>) {}
    fn unpack(&self, _: &[i32], _: &mut S) {}
}

/// The parts of a worker. The systems of all workers have the same states, the stores the same
/// covering, and the encodings are equal.
pub struct AsyncParts<'s, Ts, G, E, St, F, P, L> {
    /// The transition system.
    pub system: &'s Ts,
    /// The goal.
    pub goal: G,
    /// The empty store.
    pub store: St,
    /// The empty frontier. It must not need the parents of states.
    pub frontier: F,
    /// The costs.
    pub pricing: P,
    /// The form of states on their way to another worker.
    pub encoding: E,
    /// The values that travel beside it.
    pub luggage: L,
}

/// The standing of a search: its progress and its bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing<C> {
    /// The counts of all workers.
    pub progress: Progress,
    /// The cost of the incumbent.
    pub best: Option<C>,
    /// A lower bound on the cost of every goal, or of every goal better than the incumbent.
    pub lower_bound: C,
}

/// Receives the standing of a search, and may stop it.
pub type Look<'l, C> = dyn FnMut(&Standing<C>) -> Result<(), StopReason> + 'l;

/// A best-first search by several workers. The header of this file proves its verdicts correct.
pub struct Asynchronous<'s, Ts, G, E, St, F, P, L = ()>
where
    Ts: TransitionSystem,
    E: Encoding,
    P: Pricing<Ts>,
{
    workers: Vec<Worker<'s, Ts, G, E, St, F, P, L>>,
    post: Post<E::Item, Ts::Step, P::Cost>,
    owners: Owners,
    is_started: bool,
    has_ended: bool,
    /// The reason for which it was stopped from outside.
    stopped: Option<StopReason>,
    lower_bound: P::Cost,
}

/// The report of an asynchronous search, and the stores of its workers.
type Parts<Ts, P, St> = (ReportOf<Ts, P>, Vec<St>);

impl<'s, Ts, G, E, St, F, P, L> Asynchronous<'s, Ts, G, E, St, F, P, L>
where
    Ts: TransitionSystem<State: Send, Step: Send, Error: Send, Scratch: Send> + Sync,
    G: Goal<Ts> + Send,
    E: Encoding<State = Ts::State, Item: Send> + Send,
    St: PassedStore<Ts::State> + Send,
    F: Frontier<Ts::State, Ts::Step, P::Cost>,
    P: Pricing<Ts, Cost: Sync> + Send,
    L: Luggage<Ts::State> + Send,
{
    /// A search for any path to a goal, with a worker for each of the `parts`.
    pub fn reach(parts: Vec<AsyncParts<'s, Ts, G, E, St, F, P, L>>) -> Self {
        Self::new(parts, Objective::AnyGoal)
    }

    /// A search for a cheapest path to a goal, with a worker for each of the `parts`. Any frontier
    /// is sound.
    pub fn cheapest(parts: Vec<AsyncParts<'s, Ts, G, E, St, F, P, L>>) -> Self {
        Self::new(parts, Objective::Improve)
    }

    fn new(parts: Vec<AsyncParts<'s, Ts, G, E, St, F, P, L>>, objective: Objective) -> Self {
        let count = parts.len();
        let mut initial = Vec::new();
        if let Some(AsyncParts { system, encoding, .. }) = parts.first() {
            let _ = system.for_each_initial(&mut system.scratch(), |state| {
                initial.extend(state.ok().map(|state| encoding.bucket(state).into()));
                ControlFlow::Continue(())
            });
        }
        let owners = Owners::new(Numbering { workers: count }, WORK_PER_TURN, initial);
        let worker =
            |(index, parts)| Worker::new(WorkerId::from_index(index), count, objective, parts);
        Self {
            workers: parts.into_iter().enumerate().map(worker).collect(),
            post: Post::new(count),
            owners,
            is_started: false,
            has_ended: count == 0,
            stopped: None,
            lower_bound: P::Cost::ZERO,
        }
    }

    /// The same search for a path that costs less than `limit`; more expensive goals count as
    /// unreachable.
    #[must_use]
    pub fn below(mut self, limit: P::Cost) -> Self {
        self.workers.iter_mut().for_each(|worker| worker.confine(limit));
        self
    }

    /// The same search with this much work of a worker between two looks at its mailbox.
    #[must_use]
    pub fn with_turn(mut self, work: usize) -> Self {
        self.owners.round = work;
        self
    }

    /// Works until the budget is used or the outcome is known. `look` is called regularly on the
    /// calling thread with the standing, and may stop the search.
    ///
    /// # Panics
    /// If a worker panics.
    pub fn run(&mut self, budget: Budget, crew: &dyn Crew, look: &mut Look<'_, P::Cost>) -> Status {
        if self.has_ended {
            return Status::Ended;
        }
        let end = budget.end_after(self.work());
        if !self.is_started {
            self.is_started = true;
            self.workers.iter_mut().for_each(|worker| worker.start(&self.post));
            if self.workers.iter().any(|worker| worker.end.is_some()) {
                self.has_ended = true;
                return Status::Ended;
            }
        }
        self.post.resume();
        let (post, owners) = (&self.post, &self.owners);
        let (mut is_paused, mut stopped) = (false, None);
        let mut lower_bound = self.lower_bound;
        let mut lead = || {
            let standing = standing(post, &mut lower_bound);
            look(&standing).inspect_err(|why| stopped = Some(*why))?;
            let Progress { explored, .. } = standing.progress;
            let generated = post.snapshot().counts.statistics.generated;
            if (explored + generated) as u64 >= end {
                is_paused = true;
                post.pause();
            }
            Ok(())
        };
        // Tests delay workers here.
        let before_turn = || _ = crew.measured(&mut || ());
        let mut workers = self.workers.iter_mut();
        let first = workers.next().expect("invariant: a search without workers has ended");
        let others = workers.map(|worker| -> Task<'_> {
            Box::new(|| worker.work(owners, post, &before_turn, &mut || Ok(())))
        });
        let others = others.collect();
        let mut first = || first.work(owners, post, &before_turn, &mut lead);
        if let Err(why) = crew.run(&mut first, others) {
            stopped = Some(why);
        }
        self.lower_bound = lower_bound;
        self.stopped = stopped;
        for worker in &mut self.workers {
            if let Some(End::Panic(panic)) = worker.end.take_if(|end| matches!(end, End::Panic(_)))
            {
                resume_unwind(panic);
            }
        }
        let has_ended = self.workers.iter().any(|worker| worker.end.is_some());
        if is_paused && !has_ended && stopped.is_none() && !self.post.is_exhausted() {
            return Status::Paused;
        }
        self.has_ended = true;
        let now = standing(&self.post, &mut self.lower_bound);
        // The search has ended, so a request to stop has no effect.
        let _ = look(&now);
        Status::Ended
    }

    /// Whether a run-time error ended the search. In another order, a goal might have been met
    /// before.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        let is_failure = |end: &End<Ts>| matches!(end, End::Cause(StopCause::Failure { .. }));
        self.workers.iter().filter_map(|worker| worker.end.as_ref()).any(is_failure)
    }

    /// The work so far, as budgets count it.
    #[must_use]
    pub fn work(&self) -> u64 {
        let Statistics { explored, generated, .. } = self.statistics();
        (explored + generated) as u64
    }

    /// The statistics of all workers together.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let each = self.workers.iter().map(|worker| worker.search.statistics());
        each.fold(Statistics::default(), |sum, one| sum + one)
    }

    /// The cost of the incumbent.
    #[must_use]
    pub fn best_cost(&self) -> Option<P::Cost> {
        self.post.incumbent().map(|(cost, _)| cost)
    }

    /// A lower bound on the cost of every goal, or of every goal better than the incumbent.
    #[must_use]
    pub fn lower_bound(&self) -> P::Cost {
        self.lower_bound
    }

    /// The report of all workers together, and their stores; a search that has not ended counts as
    /// cancelled. The nodes of the workers follow each other, beginning with the first worker.
    pub fn into_parts(self) -> Parts<Ts, P, St> {
        let statistics = self.statistics();
        let Self { workers, post, owners, has_ended, stopped, lower_bound, .. } = self;
        let numbering = owners.numbering;
        let sizes = workers.iter().map(|worker| worker.search.nodes.len());
        let firsts: Vec<usize> =
            sizes.scan(0, |first, size| Some(std::mem::replace(first, *first + size))).collect();
        let dense = |OwnedNode { worker, node }: OwnedNode| {
            NodeId::from_index(firsts[worker.index()] + node.index())
        };
        let (mut nodes, mut stores, mut joined) = (NodeTable::new(), Vec::new(), Ok(()));
        let (mut cause, mut best) =
            (None::<StopCause<Ts>>, post.incumbent().map(|(_, goal)| dense(goal)));
        for (index, Worker { search, end, .. }) in workers.into_iter().enumerate() {
            let worker = WorkerId::from_index(index);
            joined = joined
                .and_then(|()| nodes.append(&search.nodes, |from| dense(numbering.owned(from))));
            let owned = |node| dense(OwnedNode { worker, node });
            cause = match (cause, end) {
                (None | Some(StopCause::Stop(_)), Some(End::Cause(StopCause::Goal(node)))) => {
                    Some(StopCause::Goal(owned(node)))
                }
                (_, Some(End::Cause(StopCause::Failure { error, from, step }))) => {
                    Some(StopCause::Failure { error, from: from.map(owned), step })
                }
                (None, Some(End::Cause(StopCause::Stop(why)))) => Some(StopCause::Stop(why)),
                (known, _) => known,
            };
            stores.push(search.store);
        }
        if let Some(StopCause::Goal(node)) = &cause {
            best = Some(*node);
        }
        let stop = |why| Outcome::Stopped { why, lower_bound };
        let outcome = match (joined, cause, best, stopped) {
            (Err(why), ..) => stop(why),
            (_, Some(StopCause::Failure { error, from, step }), ..) => {
                let mut steps = from.map_or_else(Vec::new, |node| nodes.steps(node));
                steps.extend(step);
                Outcome::Failed { error, steps }
            }
            (_, Some(StopCause::Goal(node)), ..) => {
                Outcome::Reached { node, steps: nodes.steps(node) }
            }
            (_, Some(StopCause::Stop(why)), ..) | (_, _, _, Some(why)) => stop(why),
            (_, None, _, None) if !has_ended => stop(StopReason::Cancelled),
            (_, None, Some(node), None) => Outcome::Reached { node, steps: nodes.steps(node) },
            (_, None, None, None) => Outcome::Exhausted,
        };
        (Report { outcome, best, nodes, statistics }, stores)
    }
}

impl<'s, Ts, G, E, C, F, P> Asynchronous<'s, Ts, G, E, ArenaStore<E, C>, F, P>
where
    Ts: TransitionSystem<State: Send, Step: Send, Error: Send, Scratch: Send> + Sync,
    G: Goal<Ts> + Send,
    E: Encoding<State = Ts::State, Item: Send> + Send,
    C: Covering<Item = E::Item>,
    ArenaStore<E, C>: Send,
    F: Frontier<Ts::State, Ts::Step, P::Cost>,
    P: Pricing<Ts, Cost: Sync> + Send,
{
    /// The report and the store of all workers together; a search that has not ended counts as
    /// cancelled.
    ///
    /// # Panics
    /// If there are no workers.
    pub fn into_report(self) -> (ReportOf<Ts, P>, ArenaStore<E, C>) {
        let lower_bound = self.lower_bound;
        let (mut report, stores) = self.into_parts();
        let mut stores = stores.into_iter();
        let mut store = stores.next().expect("invariant: there is a worker");
        if let Err(why) = stores.try_for_each(|other| store.append(other)) {
            report.outcome = Outcome::Stopped { why, lower_bound };
        }
        (report, store)
    }
}

/// The standing of a search; `lower_bound` is raised to it.
fn standing<Item: Copy, Step, C: Cost>(
    post: &Post<Item, Step, C>,
    lower_bound: &mut C,
) -> Standing<C> {
    let snapshot = post.snapshot();
    let best = post.incumbent().map(|(cost, _)| cost);
    let least = snapshot.least.or(best).unwrap_or(*lower_bound);
    *lower_bound = least.max(*lower_bound);
    if let Some(best) = best {
        *lower_bound = best.min(*lower_bound);
    }
    let Statistics { explored, stored, bytes, .. } = snapshot.counts.statistics;
    let progress = Progress {
        explored,
        stored,
        waiting: snapshot.counts.waiting,
        bytes,
        depth: lower_bound.about(),
    };
    Standing { progress, best, lower_bound: *lower_bound }
}
