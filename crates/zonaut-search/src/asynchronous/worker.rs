//! A worker: it owns states, expands them in its own order, and sends successors to their owners.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use zonaut_base::Id;
use zonaut_space::{
    Cost, Encoding, Goal, NodeId, Observer, OwnedNode, PassedStore, Pricing, Progress, StopReason,
    TransitionSystem, WorkerId,
};

use super::post::{Batch, Counts, Post};
use super::{AsyncParts, Luggage};
use crate::frontier::Frontier;
use crate::growth::push;
use crate::layered::{Numbering, Owners};
use crate::node_table::Edge;
use crate::search::{Objective, Search, Workspace};
use crate::search_loop::{Origin, SearchLoop, StopCause};
#[cfg(feature = "faults")]
use crate::store::faults::Fault;

/// The end of the work of one worker, for a reason that ends the search.
pub(super) enum End<Ts: TransitionSystem> {
    Cause(StopCause<Ts>),
    Panic(Box<dyn Any + Send>),
}

/// Ends an expansion soon when the search is over.
struct Listening<'p, Item, Step, C>(&'p Post<Item, Step, C>);

impl<S, Item: Copy, Step, C: Cost> Observer<S, Step> for Listening<'_, Item, Step, C> {
    fn progress(&mut self, _: &Progress) -> ControlFlow<StopReason> {
        match self.0.is_over() {
            true => ControlFlow::Break(StopReason::Cancelled),
            false => ControlFlow::Continue(()),
        }
    }
}

/// A worker.
pub(super) struct Worker<'s, Ts: TransitionSystem, G, E: Encoding, St, F, P: Pricing<Ts>, L> {
    id: WorkerId,
    pub(super) search: Search<'s, Ts, G, St, F, P>,
    /// `None` if there are no initial states.
    workspace: Option<Workspace<Ts>>,
    encoding: E,
    luggage: L,
    /// By owner.
    outgoing: Vec<Batch<E::Item, Ts::Step, P::Cost>>,
    /// The limit of costs from outside.
    limit: Option<P::Cost>,
    pub(super) end: Option<End<Ts>>,
}

impl<'s, Ts, G, E, St, F, P, L> Worker<'s, Ts, G, E, St, F, P, L>
where
    Ts: TransitionSystem,
    G: Goal<Ts>,
    E: Encoding<State = Ts::State>,
    St: PassedStore<Ts::State>,
    F: Frontier<Ts::State, Ts::Step, P::Cost>,
    P: Pricing<Ts>,
    L: Luggage<Ts::State>,
{
    pub(super) fn new(
        id: WorkerId,
        workers: usize,
        objective: Objective,
        parts: AsyncParts<'s, Ts, G, E, St, F, P, L>,
    ) -> Self {
        let AsyncParts { system, goal, store, frontier, pricing, encoding, luggage } = parts;
        let mut search = Search::cheapest(system, pricing, goal, store, frontier);
        search.objective = objective;
        Self {
            id,
            search,
            workspace: None,
            encoding,
            luggage,
            outgoing: (0..workers).map(|_| Batch::new()).collect(),
            limit: None,
            end: None,
        }
    }

    /// Ignores states whose cost reaches this limit.
    pub(super) fn confine(&mut self, limit: P::Cost) {
        self.limit = Some(limit);
    }

    /// Prepares the working memory; the first worker, which owns the initial states, inserts them.
    pub(super) fn start(&mut self, post: &Post<E::Item, Ts::Step, P::Cost>) {
        self.search.limit = self.limit;
        let mut turn = SearchLoop { search: &mut self.search, observer: &mut () };
        let started = match self.id.index() {
            0 => turn.start(),
            _ => turn.inherit(),
        };
        match started {
            Ok(workspace) => self.workspace = workspace,
            Err(cause) => self.end = Some(End::Cause(cause)),
        }
        self.publish(post);
    }

    /// Publishes a goal that was met, and takes over the incumbent as a limit.
    fn publish(&mut self, post: &Post<E::Item, Ts::Step, P::Cost>) {
        if self.search.objective != Objective::Improve {
            return;
        }
        if let Some((node, cost)) = self.search.best.take() {
            post.improve(cost, OwnedNode { worker: self.id, node });
            #[cfg(feature = "faults")]
            if Fault::FirstGoalIsBest.is_selected() {
                post.end();
            }
        }
        let known = post.incumbent().map(|(cost, _)| cost);
        self.search.limit = known.into_iter().chain(self.limit).min();
    }

    fn counts(&self) -> Counts {
        let mut statistics = self.search.statistics();
        statistics.bytes += self.outgoing.iter().map(Batch::bytes).sum::<usize>();
        Counts { statistics, waiting: self.search.frontier.len() }
    }

    /// Works until the search is over. `look` is called between two turns, and may end the search.
    pub(super) fn work(
        &mut self,
        owners: &Owners,
        post: &Post<E::Item, Ts::Step, P::Cost>,
        before_turn: &dyn Fn(),
        look: &mut dyn FnMut() -> Result<(), StopReason>,
    ) {
        while post.goes_on() {
            before_turn();
            let result = look().map_err(StopCause::Stop).and_then(|()| {
                let turn = AssertUnwindSafe(|| self.turn(owners, post));
                catch_unwind(turn).unwrap_or_else(|panic| {
                    self.end = Some(End::Panic(panic));
                    Err(StopCause::Stop(StopReason::Cancelled))
                })
            });
            match result {
                Ok(true) => {}
                Ok(false) => post.rest(self.id.index(), self.counts()),
                Err(cause) => {
                    // A worker that ends because the search is over has no reason of its own.
                    let is_own = !(post.is_over() && matches!(cause, StopCause::Stop(_)));
                    if is_own && self.end.is_none() {
                        self.end = Some(End::Cause(cause));
                    }
                    post.end();
                }
            }
        }
    }

    /// Inserts what was received, expands some nodes, and sends their successors; returns whether
    /// there was a node to expand.
    fn turn(
        &mut self,
        owners: &Owners,
        post: &Post<E::Item, Ts::Step, P::Cost>,
    ) -> Result<bool, StopCause<Ts>> {
        let (worker, numbering) = (self.id.index(), owners.numbering);
        for batch in post.receive(worker) {
            self.absorb(&batch, numbering, post)?;
        }
        self.publish(post);
        // States that were received may be cheaper than those before.
        self.search.lower_bound = P::Cost::ZERO;
        let mut next = self.next(post);
        if next.is_none() {
            return Ok(false);
        }
        let least = self.search.lower_bound;
        post.hold(worker, least, self.counts());
        let end = self.search.ledger.work() + owners.round as u64;
        while let Some(node) = next {
            self.expand(node, owners, post)?;
            self.publish(post);
            let goes_on = self.search.ledger.work() < end && !post.has_mail(worker);
            next = if goes_on { self.next(post) } else { None };
        }
        for (owner, batch) in self.outgoing.iter_mut().enumerate() {
            #[cfg(feature = "faults")]
            if Fault::BatchLost.is_selected() && worker + 1 == numbering.workers {
                batch.clear();
            }
            if !batch.arrivals.is_empty() {
                let mut sent = std::mem::replace(batch, Batch::new());
                sent.least = least;
                post.send(owner, sent);
            }
        }
        Ok(true)
    }

    fn next(&mut self, post: &Post<E::Item, Ts::Step, P::Cost>) -> Option<NodeId> {
        let mut observer = Listening(post);
        SearchLoop { search: &mut self.search, observer: &mut observer }.next_node()
    }

    /// Inserts the states of a batch.
    fn absorb(
        &mut self,
        batch: &Batch<E::Item, Ts::Step, P::Cost>,
        numbering: Numbering,
        post: &Post<E::Item, Ts::Step, P::Cost>,
    ) -> Result<(), StopCause<Ts>> {
        let Self { search, workspace, encoding, luggage, .. } = self;
        let Some(Workspace { state, .. }) = workspace else { return Ok(()) };
        let words = luggage.words();
        for (index, &(Edge { from, step }, cost)) in batch.arrivals.iter().enumerate() {
            let encoded = batch.states.get(index, encoding.bucket_words());
            encoding.load(encoded.bucket, encoded.payload, state);
            luggage.unpack(&batch.luggage[index * words..][..words], state);
            let mut turn = SearchLoop { search: &mut *search, observer: &mut Listening(post) };
            turn.search.check_nodes(numbering)?;
            turn.absorb(Some(Origin { node: from, state: None, step }), cost, state)?;
        }
        Ok(())
    }

    /// Expands a node: inserts its own successors, and collects those of others.
    fn expand(
        &mut self,
        node: NodeId,
        owners: &Owners,
        post: &Post<E::Item, Ts::Step, P::Cost>,
    ) -> Result<(), StopCause<Ts>> {
        let Self { id, search, workspace, encoding, luggage, outgoing, .. } = self;
        let Some(workspace) = workspace else { return Ok(()) };
        let (worker, numbering) = (id.index(), owners.numbering);
        search.store.load(node, &mut workspace.state);
        let number = numbering.number(OwnedNode { worker: *id, node });
        let mut turn = SearchLoop { search, observer: &mut Listening(post) };
        turn.expand_into(node, number, workspace, |turn, origin, cost, target| {
            let bucket = encoding.bucket(target);
            #[cfg(feature = "faults")]
            let bucket = match Fault::OwnerByHalf.is_selected() && worker > 0 {
                true => &bucket[..bucket.len() / 2],
                false => bucket,
            };
            let owner = owners.owner(bucket);
            if owner == worker {
                turn.search.check_nodes(numbering)?;
                return turn.absorb(origin, cost, target);
            }
            let Some(Origin { node: from, step, .. }) = origin else { return Ok(()) };
            if turn.exceeds_bound(cost) {
                turn.search.ledger.statistics.bounded += 1;
                return Ok(());
            }
            let Batch { states, arrivals, luggage: carried, .. } = &mut outgoing[owner];
            states.try_push(encoding.bucket(target), encoding.payload(target))?;
            push(arrivals, (Edge { from, step }, cost))?;
            luggage.pack(target, carried);
            Ok(())
        })
    }
}

impl<Ts: TransitionSystem, G, St, F, P: Pricing<Ts>> Search<'_, Ts, G, St, F, P> {
    /// Checks that one more node has a number among those of all workers.
    fn check_nodes(&self, numbering: Numbering) -> Result<(), StopReason> {
        match self.nodes.len() < numbering.most_nodes() {
            true => Ok(()),
            false => Err(StopReason::NodeLimit),
        }
    }
}
