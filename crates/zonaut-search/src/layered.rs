//! Breadth-first search by several workers, layer by layer.
//!
//! Each worker owns the states whose buckets have its hash, with a store, a node table and working
//! memory of its own, so that covering is decided by one worker. The search proceeds in rounds. In
//! each round the workers of a process expand the next nodes of the current layer (`window`) and send
//! the successors to their owners; when all have done so, each inserts the states that it received,
//! in the order of their parents; then all take the same decision: to continue the layer, to start
//! the next one, or to end. So a search depends neither on the speed of threads nor, within one
//! process, on their number.
//!
//! # Correctness
//! The proofs of [`Search`](crate::Search) do not depend on the order of expansions, except for
//! shortest paths: the first goal that is generated has to be a nearest one. A layer is the set of
//! nodes of one depth. All of its nodes are inserted before the first one is expanded, and a search
//! for shortest paths preserves depths
//! ([`CostDominance::Required`](zonaut_space::CostDominance::Required)): a node is neither discarded
//! nor evicted for a deeper one. So until a goal is met, the nodes of a shortest path, or nodes that
//! cover them at no greater depth, are expanded in their layers, and the first layer with a goal has
//! the length of a shortest path.
//!
//! A layer is expanded completely even if a goal is met in it. A run-time error on the way to that
//! goal's layer is therefore always found, whatever the order; whether the goal or the error comes
//! first in a sequential search is decided by one.

//! # Processes and checkpoints
//! Workers may belong to several processes. Then the first worker of each process exchanges the
//! shipments and the conditions of its process with those of the others, in each round, so that a
//! search depends on the number of workers alone, as before. At its end the first process collects
//! all nodes if a path or evidence needs them. Between two rounds no state is on its way, so that a
//! search can be saved there, and continued with any number of workers; `saved` has the details.

mod condition;
mod distribution;
mod exchange;
mod gate;
mod joined;
mod numbers;
mod owners;
mod regions;
mod rounds;
mod saved;
mod window;
mod worker;

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use zonaut_base::Id;
use zonaut_space::{
    Covering, Encoding, Goal, Observer, OwnedNode, StopReason, TransitionSystem, WorkerId,
};

use crate::outcome::{Outcome, OutcomeOf, Report, ReportOf, Statistics};
use crate::search::{Budget, Status};
use crate::spill::Spilling;
use crate::store::ArenaStore;
use crate::store::publication::SharedPayloads;
use condition::{Condition, Decision, Flags};
use exchange::{Exchange, UNMEASURED};
pub(crate) use owners::{Numbering, Owners};
use regions::Regions;
use rounds::work;
use saved::{Unrestored, restore};
use worker::{DeadEnd, Equipment, Failure, Holding, Obstruction, Reached, Worker, read};

pub use distribution::{Distribution, Keeper, Network, Place, SavedPart, SavedSearch, SavedWorker};
pub use joined::{Joined, Unjoined};
pub use worker::WorkerParts;

/// The default number of nodes that the workers of a process expand in a round: enough that waiting
/// for the others at its end costs little, and few enough that shipments stay small.
const NODES_PER_ROUND: usize = 512;

/// The tasks of a search that run at the same time.
pub type Task<'t> = Box<dyn FnOnce() + Send + 't>;

/// The threads of a search with several workers. This crate starts none.
pub trait Crew: Sync {
    /// Runs `first` on the calling thread and all `others` at the same time, and returns when all
    /// of them have returned.
    ///
    /// # Errors
    /// If not all of them can run at the same time: then none was started.
    fn run(&self, first: &mut dyn FnMut(), others: Vec<Task<'_>>) -> Result<(), StopReason>;

    /// Lets a worker wait for the others; returns the time that this took, if it is measured. Tests
    /// delay workers here.
    fn measured(&self, wait: &mut dyn FnMut()) -> Duration {
        wait();
        Duration::ZERO
    }
}

/// The part of one worker in a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WorkerEffort {
    /// The nodes that it has expanded, the states that it has generated, and those that it owns.
    pub statistics: Statistics,
    /// The time that it has waited for others.
    pub idle: Duration,
}

/// A breadth-first search by several workers, as a value that is paused and resumed. The header of
/// this file proves its verdicts correct.
///
/// It reports progress alone to its observer, and no single nodes and edges.
pub struct Layered<'s, Ts: TransitionSystem, G, E: Encoding, C: Covering> {
    workers: Vec<Worker<'s, Ts, G, C>>,
    /// By worker.
    holdings: Vec<RwLock<Holding<E, C>>>,
    exchange: Exchange<'s, E::Item, Ts::Step>,
    is_started: bool,
    /// The reason for which it was stopped from outside.
    stopped: Option<StopReason>,
    has_ended: bool,
    /// Whether a run-time error ended it, in this process or another one.
    has_failed: bool,
    /// The statistics of all processes, if the search is exhausted and its nodes stay where they are.
    exhausted: Option<Statistics>,
    /// The parts of the workers of all processes, if there are several.
    efforts: Vec<WorkerEffort>,
}

impl<'s, Ts, G, E, C> Layered<'s, Ts, G, E, C>
where
    Ts: TransitionSystem<State: Send, Step: Send, Error: Send, Scratch: Send> + Sync,
    G: Goal<Ts> + Send,
    E: Encoding<State = Ts::State, Item: Send + Sync> + Send + Sync,
    C: Covering<Item = E::Item, Scratch: Send + Sync> + Send + Sync,
{
    /// A search for any path to a goal, with a worker for each of the `parts`.
    #[must_use]
    pub fn reach(parts: Vec<WorkerParts<'s, Ts, G, E, C>>) -> Self {
        Self::new(parts, false)
    }

    /// A search for a shortest path to a goal, with a worker for each of the `parts`.
    #[must_use]
    pub fn shortest(parts: Vec<WorkerParts<'s, Ts, G, E, C>>) -> Self {
        Self::new(parts, true)
    }

    /// The same search with this many nodes of each process in a round, at least one. Its verdict and
    /// the length of a shortest path do not depend on it.
    #[must_use]
    pub fn with_round(mut self, nodes: usize) -> Self {
        self.exchange.owners.round = nodes.max(1);
        self
    }

    fn new(parts: Vec<WorkerParts<'s, Ts, G, E, C>>, is_shortest: bool) -> Self {
        let count = parts.len();
        let mut initial = Vec::new();
        if let Some(WorkerParts { system, store, .. }) = parts.first() {
            let _ = system.for_each_initial(&mut system.scratch(), |state| {
                initial.extend(state.ok().map(|state| store.encoding().bucket(state).into()));
                ControlFlow::Continue(())
            });
        }
        let bucket_words = parts.first().map_or(0, |one| one.store.encoding().bucket_words());
        let numbering = Numbering { workers: count };
        let owners = Owners::new(numbering, NODES_PER_ROUND, initial);
        let (mut workers, mut holdings) = (Vec::new(), Vec::new());
        for (index, WorkerParts { system, goal, store }) in parts.into_iter().enumerate() {
            let id = WorkerId::from_index(index);
            let equipment = Equipment { system, goal, probe: store.probe() };
            workers.push(Worker::new(id, equipment, numbering, is_shortest));
            holdings.push(RwLock::new(Holding::new(store)));
        }
        Self {
            workers,
            holdings,
            exchange: Exchange::new(owners, count, bucket_words, None),
            is_started: false,
            stopped: None,
            has_ended: count == 0,
            has_failed: false,
            exhausted: None,
            efforts: Vec::new(),
        }
    }

    /// The same search with other processes, checkpoints, or a saved search to continue. All
    /// processes have the same number of workers, the same model and the same options.
    #[must_use]
    pub fn distributed(mut self, distribution: Distribution<'s, Ts::Step, E::Item>) -> Self {
        let Place { process, processes } = distribution.place();
        let local = self.workers.len();
        let numbering = Numbering { workers: processes * local };
        for (index, worker) in self.workers.iter_mut().enumerate() {
            worker.renumber(WorkerId::from_index(process * local + index), numbering);
        }
        let words = self.bucket_words();
        let Owners { round, initial, .. } = self.exchange.owners;
        let owners = Owners::new(numbering, round, initial);
        let owners = match processes {
            1 => owners,
            _ => owners.among(Regions::of_buckets(words, processes), local),
        };
        self.exchange = Exchange::new(owners, local, words, Some(distribution));
        self
    }

    /// The same search, which moves old states and parents to files before it holds too much memory;
    /// in one process only.
    #[must_use]
    pub fn spilling(mut self, spilling: &Spilling<Ts::Step, E::Item>) -> Self {
        for worker in &mut self.workers {
            worker.shelf.nodes = worker.shelf.nodes.emptied().spilling(spilling);
        }
        let holdings = std::mem::take(&mut self.holdings).into_iter().map(|slot| {
            let store = slot.into_inner().unwrap_or_else(PoisonError::into_inner).store;
            RwLock::new(Holding::new(store.spilling(spilling)))
        });
        self.holdings = holdings.collect();
        self.exchange.payloads = SharedPayloads::new(self.workers.len()).spilling(spilling);
        self.exchange.overflow = Some(spilling.overflow.clone());
        self
    }

    fn bucket_words(&self) -> usize {
        self.holdings.first().map_or(0, |one| read(one).store.encoding().bucket_words())
    }

    /// The workers with their holdings.
    fn pairs(&mut self) -> impl Iterator<Item = (&mut Worker<'s, Ts, G, C>, &mut Holding<E, C>)> {
        let holdings = self.holdings.iter_mut();
        let holdings = holdings.map(|slot| slot.get_mut().unwrap_or_else(PoisonError::into_inner));
        self.workers.iter_mut().zip(holdings)
    }

    /// Begins the search, or continues a saved one; returns whether it has ended with that.
    fn start(&mut self) -> bool {
        self.divide();
        let is_continued = match self.restore_saved() {
            Ok(is_continued) => is_continued,
            Err(why) => {
                self.stopped = Some(why);
                return true;
            }
        };
        self.pairs().for_each(|(worker, holding)| worker.start(holding, is_continued));
        if !is_continued {
            let pairs = self.pairs().enumerate();
            let conditions = pairs.map(|(here, (worker, holding))| worker.condition(holding, here));
            let conditions = conditions.collect();
            if self.exchange.all_at_start(conditions).flags.has(Flags::HAS_GOAL) {
                return true;
            }
            for (worker, holding) in self.pairs() {
                std::mem::swap(&mut holding.layer, &mut worker.shelf.next_layer);
            }
        }
        let count = self.workers.len();
        self.workers.iter_mut().for_each(|worker| worker.window.restart(count));
        false
    }

    /// Divides the regions among processes: the first one chooses, and tells the others.
    fn divide(&mut self) {
        let Self { workers, holdings, exchange, .. } = self;
        let Place { process, processes } = exchange.place();
        let (Some(worker), Some(holding)) = (workers.first(), holdings.first_mut()) else { return };
        let holding = holding.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(mut regions) = exchange.owners.regions.take() else { return };
        if process == 0 {
            regions = Regions::chosen(worker.system, holding.store.encoding(), processes);
        }
        let mut chosen = Vec::new();
        regions.encode(&mut chosen);
        exchange.talk(
            UNMEASURED,
            |_, message| {
                if process == 0 {
                    message.extend(&chosen);
                }
            },
            |from, bytes| match from {
                0 => regions.decode(bytes),
                _ => Ok(()),
            },
        );
        exchange.owners.regions = Some(regions);
    }

    /// Gives the workers the nodes of the saved search, if there is one, which the first process
    /// sends to the others; returns whether there is one.
    fn restore_saved(&mut self) -> Result<bool, StopReason> {
        let Self { workers, holdings, exchange, .. } = self;
        let Some(distribution) = exchange.distribution else { return Ok(false) };
        let place = exchange.place();
        let (saved, mut received) = (distribution.saved.cloned(), None);
        exchange.talk(
            UNMEASURED,
            |_, message| {
                if let (0, Some(saved)) = (place.process, &saved) {
                    message.extend(saved.encode());
                }
            },
            |process, bytes| {
                if process == 0 && !bytes.is_empty() {
                    received = Some(SavedSearch::decode(bytes)?);
                }
                Ok(())
            },
        );
        let saved = received.or(saved);
        if let Some(why) = exchange.lost() {
            return Err(why);
        }
        let Some(saved) = saved else { return Ok(false) };
        let first = exchange.first_of(place.process);
        match restore(&saved, distribution.codec, &exchange.owners, first, workers, holdings) {
            Ok(()) => Ok(true),
            Err(Unrestored::Stopped(why)) => Err(why),
            Err(Unrestored::Malformed) => {
                if let Some(keeper) = distribution.keeper {
                    keeper.refuse();
                }
                Err(StopReason::Cancelled)
            }
        }
    }

    /// At the end of a search with several processes: learns how it ended elsewhere, and collects
    /// all nodes in the first process if it is decided and they are needed.
    fn collect(&mut self) {
        let all = self.exchange.all();
        let Place { process, processes } = self.exchange.place();
        let Some(distribution) = self.exchange.distribution.filter(|_| processes > 1) else {
            return;
        };
        self.stopped = self.stopped.or(self.exchange.lost());
        if self.stopped.is_some() {
            return;
        }
        self.efforts = self.exchange.efforts();
        self.has_failed = all.flags.has(Flags::HAS_FAILED) && process == 0;
        if !all.is_decided() {
            self.stopped = Some(all.stop.unwrap_or(StopReason::Cancelled));
            return;
        }
        if !all.flags.has(Flags::HAS_GOAL) && !all.flags.has(Flags::WANTS_NODES) {
            match process {
                0 => self.exhausted = Some(all.statistics),
                _ => self.stopped = Some(StopReason::Cancelled),
            }
            return;
        }
        self.workers.iter_mut().for_each(|worker| worker.saved = 0);
        let own = self.pairs().map(|(worker, holding)| worker.save(holding, distribution.codec));
        let own: Vec<_> = own.collect();
        let parts = self.exchange.gather(&own);
        if let Some(why) = self.exchange.lost() {
            self.stopped = Some(why);
        } else if process > 0 {
            // The first process has the result.
            self.stopped = Some(StopReason::Cancelled);
        } else {
            self.stopped = self.join(parts, distribution).err();
        }
    }

    /// Replaces the workers by one with all of these nodes.
    fn join(
        &mut self,
        parts: Vec<SavedPart>,
        distribution: Distribution<'s, Ts::Step, E::Item>,
    ) -> Result<(), StopReason> {
        let workers = parts.into_iter();
        let workers =
            workers.map(|SavedPart { nodes, marks }| SavedWorker { nodes: vec![nodes], marks });
        let saved = SavedSearch { workers: workers.collect() };
        self.workers.truncate(1);
        let numbering = Numbering { workers: 1 };
        let workers = std::mem::take(&mut self.workers);
        self.workers = workers.into_iter().map(|worker| worker.emptied(numbering)).collect();
        let holdings = std::mem::take(&mut self.holdings).into_iter().take(1).map(|slot| {
            let store = slot.into_inner().unwrap_or_else(PoisonError::into_inner).store.emptied();
            RwLock::new(Holding::new(store))
        });
        self.holdings = holdings.collect();
        let initial = std::mem::take(&mut self.exchange.owners.initial);
        let owners = Owners::new(numbering, self.exchange.owners.round, initial);
        let words = self.bucket_words();
        let Self { workers, holdings, .. } = self;
        let restored = restore(&saved, distribution.codec, &owners, 0, workers, holdings);
        self.exchange = Exchange::new(owners, 1, words, None);
        restored.map_err(|why| match why {
            Unrestored::Stopped(why) => why,
            Unrestored::Malformed => StopReason::Cancelled,
        })
    }

    /// Works until the budget is used or the outcome is known. `observer` may stop the search.
    ///
    /// # Panics
    /// If a worker panics.
    pub fn run<Ob>(&mut self, budget: Budget, crew: &dyn Crew, observer: &mut Ob) -> Status
    where
        Ob: Observer<Ts::State, Ts::Step> + ?Sized,
    {
        if self.has_ended {
            return Status::Ended;
        }
        let end = budget.end_after(self.work());
        if !self.is_started {
            self.is_started = true;
            if self.start() {
                self.has_ended = true;
                self.collect();
                return Status::Ended;
            }
        }
        let (exchange, holdings) = (&self.exchange, &self.holdings[..]);
        let mut report = |now: &Condition| crate::ledger::ask(observer, &now.progress());
        let mut decision = Decision::End;
        let mut workers = self.workers.iter_mut();
        let first = workers.next().expect("invariant: a search without workers has ended");
        let others = workers.map(|worker| -> Task<'_> {
            Box::new(move || _ = work(worker, holdings, exchange, crew, end, &mut |_| Ok(())))
        });
        let others = others.collect();
        let mut lead = || decision = work(first, holdings, exchange, crew, end, &mut report);
        if let Err(why) = crew.run(&mut lead, others) {
            self.stopped = Some(why);
        }
        for worker in &mut self.workers {
            if let Some(Obstruction::Panic(panic)) =
                worker.obstruction.take_if(|why| matches!(why, Obstruction::Panic(_)))
            {
                resume_unwind(panic);
            }
        }
        if decision == Decision::Pause && self.stopped.is_none() {
            return Status::Paused;
        }
        self.has_ended = true;
        if self.stopped.is_none() && self.exchange.all().is_exhausted() {
            self.workers.iter_mut().for_each(|worker| worker.obstruction = None);
        }
        let is_failure = |why: &Obstruction<Ts>| matches!(why, Obstruction::Failure(_));
        let failures = self.workers.iter().filter_map(|worker| worker.obstruction.as_ref());
        self.has_failed = failures.into_iter().any(is_failure);
        self.collect();
        let progress = self.condition().progress();
        // The search has ended, so a request to stop has no effect.
        let _ = observer.progress(&progress);
        Status::Ended
    }

    /// Whether a run-time error ended the search. A goal may be as near as the error; which of them
    /// a sequential search meets first depends on the order within a layer.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// The work so far, as budgets count it.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.condition().work()
    }

    /// The statistics of all workers together.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.condition().statistics
    }

    /// The part of each worker, of all processes if the search has ended. Only the sums do not depend
    /// on the speed of threads.
    #[must_use]
    pub fn efforts(&self) -> Vec<WorkerEffort> {
        let pairs = self.workers.iter().zip(&self.holdings);
        let effort = |(worker, holding): (&Worker<'_, Ts, G, C>, _)| WorkerEffort {
            statistics: worker.statistics(&read(holding)),
            idle: worker.idle,
        };
        match self.efforts.as_slice() {
            [] => pairs.map(effort).collect(),
            of_all => of_all.to_vec(),
        }
    }

    fn condition(&self) -> Condition {
        let mut all = Condition::default();
        for (here, (worker, holding)) in self.workers.iter().zip(&self.holdings).enumerate() {
            all = all.with(worker.condition(&read(holding), here));
        }
        all
    }

    /// The outcome, the statistics, and the nodes of all workers; a search that has not ended counts
    /// as cancelled.
    ///
    /// # Panics
    /// If there are no workers.
    pub fn into_unjoined(self) -> (OutcomeOf<Ts>, Statistics, Unjoined<Ts::Step, E, C>) {
        let statistics = self.exhausted.unwrap_or_else(|| self.statistics());
        let Self { workers, holdings, exchange, stopped, has_ended, exhausted, .. } = self;
        let Exchange { owners: Owners { numbering, .. }, payloads, overflow, .. } = exchange;
        let holdings = holdings.into_iter();
        let stores = holdings
            .map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner).store)
            .collect();
        let is_elsewhere = numbering.workers > workers.len();
        let (mut obstruction, mut reached, mut dead_end) = (None, None, None);
        let mut tables = Vec::new();
        for Worker { shelf, obstruction: own, dead_end: found, .. } in workers {
            dead_end = dead_end.into_iter().chain(found).min();
            let owned = |node| OwnedNode { worker: shelf.id, node };
            let goal = shelf.reached.map(|goal: Reached| (goal.depth, goal.rank, owned(goal.node)));
            reached = reached.into_iter().chain(goal).min_by_key(|&(depth, rank, _)| (depth, rank));
            obstruction = Obstruction::graver(obstruction, own);
            tables.push(shelf.nodes);
        }
        let reached = reached.map(|(.., goal)| goal);
        let dead_end = dead_end.map(|found: DeadEnd| found.node);
        let unjoined = Unjoined { tables, stores, payloads, numbering, reached, dead_end };
        let stop = |why| Outcome::Stopped { why, lower_bound: 0 };
        if is_elsewhere {
            // Parts of the search are in other processes.
            let outcome = match (exhausted, stopped) {
                (Some(_), None) => Outcome::Exhausted,
                (_, why) => stop(why.unwrap_or(StopReason::Cancelled)),
            };
            return (outcome, statistics, unjoined.emptied());
        }
        let outcome = match (obstruction, reached, stopped) {
            (Some(Obstruction::Failure(Failure { error, from, step, .. })), ..) => {
                let mut steps = from.map_or_else(Vec::new, |node| unjoined.steps(node));
                steps.extend(step);
                Outcome::Failed { error, steps }
            }
            (_, Some(goal), _) => {
                let (node, steps) = (unjoined.joined_id(goal), unjoined.steps(goal));
                Outcome::Reached { node, steps }
            }
            (Some(Obstruction::Stop(why)), ..) | (_, _, Some(why)) => stop(why),
            (None, None, None) if has_ended => Outcome::Exhausted,
            _ => stop(StopReason::Cancelled),
        };
        // States that could not be read back were compared wrongly.
        let has_failed = overflow.is_some_and(|overflow| overflow.files.has_failed());
        let outcome = if has_failed { stop(StopReason::MemoryLimit) } else { outcome };
        (outcome, statistics, unjoined)
    }

    /// The report and the store of all workers together. The nodes of the workers follow each other,
    /// beginning with the first worker.
    ///
    /// # Panics
    /// If there are no workers.
    pub fn into_report(self) -> (ReportOf<Ts>, ArenaStore<E, C>) {
        let (outcome, statistics, unjoined) = self.into_unjoined();
        let Joined { nodes, store, best, result } = unjoined.join();
        let stopped = result.err().map(|why| Outcome::Stopped { why, lower_bound: 0 });
        let outcome = stopped.unwrap_or(outcome);
        (Report { outcome, best, nodes, statistics }, store)
    }
}
