//! Mailboxes of workers, the bounds of all that they hold, and the end of a search.
//!
//! The *hold* of a worker is a lower bound on the cost of every goal that is reached through a state
//! in its open list, in its hands, or in a batch that it has not sent. It has none if all such
//! states are irrelevant. A batch carries the hold of its sender.
//!
//! *Claim.* The least hold of all workers and batches in mailboxes, read while all mailboxes are
//! locked, is a lower bound on the cost of every goal that is still to be generated; without a hold,
//! no goal is still to be generated. A state moves from a worker to a mailbox, and on to another
//! worker, in steps that each lock the mailbox: the sender raises its hold after it has sent the
//! batch, and the receiver lowers its hold when it takes the batch. So at each moment, some hold
//! or batch accounts for each state.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use zonaut_space::{Cost, OwnedNode};

use crate::batch::EncodedStates;
use crate::growth::bytes_of;
use crate::node_table::Edge;
use crate::outcome::Statistics;
#[cfg(feature = "faults")]
use crate::store::faults::Fault;

/// The longest time for which a worker waits without looking for reasons to end.
const PATIENCE: Duration = Duration::from_millis(2);

/// States on their way to the worker that owns them.
pub(super) struct Batch<Item, Step, C> {
    /// The hold of the sender.
    pub(super) least: C,
    pub(super) states: EncodedStates<Item>,
    /// By state, the number of its parent, the step, and the cost.
    pub(super) arrivals: Vec<(Edge<Step>, C)>,
    /// By state, the values that travel beside its encoding.
    pub(super) luggage: Vec<i32>,
}

impl<Item: Copy, Step, C: Cost> Batch<Item, Step, C> {
    pub(super) fn new() -> Self {
        Self {
            least: C::ZERO,
            states: EncodedStates::default(),
            arrivals: Vec::new(),
            luggage: Vec::new(),
        }
    }

    /// Removes all states.
    #[cfg(feature = "faults")]
    pub(super) fn clear(&mut self) {
        self.states.clear();
        self.arrivals.clear();
        self.luggage.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        self.states.bytes() + bytes_of(&self.arrivals) + bytes_of(&self.luggage)
    }
}

/// The counts of a worker.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) statistics: Statistics,
    pub(super) waiting: usize,
}

/// The mailbox of a worker, and its hold.
struct Mailbox<Item, Step, C> {
    batches: Vec<Batch<Item, Step, C>>,
    hold: Option<C>,
    counts: Counts,
}

/// A locked mailbox, and the bell that wakes its worker.
struct Slot<Item, Step, C> {
    mailbox: Mutex<Mailbox<Item, Step, C>>,
    bell: Condvar,
}

/// The sum of all workers at one moment.
#[derive(Clone, Copy)]
pub(super) struct Snapshot<C> {
    /// A lower bound on the cost of every goal still to be generated; none if there are none.
    pub(super) least: Option<C>,
    pub(super) counts: Counts,
}

/// The shared part of all workers.
pub(super) struct Post<Item, Step, C> {
    boxes: Vec<Slot<Item, Step, C>>,
    incumbent: Mutex<Option<(C, OwnedNode)>>,
    is_over: AtomicBool,
    /// Whether workers are to pause between two turns.
    is_paused: AtomicBool,
    /// Whether it is over because no goal is still to be generated.
    is_exhausted: AtomicBool,
}

impl<Item: Copy, Step, C: Cost> Post<Item, Step, C> {
    pub(super) fn new(workers: usize) -> Self {
        let mailbox =
            || Mailbox { batches: Vec::new(), hold: Some(C::ZERO), counts: Counts::default() };
        let boxes = (0..workers)
            .map(|_| Slot { mailbox: Mutex::new(mailbox()), bell: Condvar::new() })
            .collect();
        Self {
            boxes,
            incumbent: Mutex::new(None),
            is_over: AtomicBool::new(false),
            is_paused: AtomicBool::new(false),
            is_exhausted: AtomicBool::new(false),
        }
    }

    fn open(&self, worker: usize) -> MutexGuard<'_, Mailbox<Item, Step, C>> {
        self.boxes[worker].mailbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a batch.
    pub(super) fn send(&self, to: usize, batch: Batch<Item, Step, C>) {
        self.open(to).batches.push(batch);
        self.boxes[to].bell.notify_one();
    }

    /// Takes the batches of a worker, and lowers its hold to theirs.
    pub(super) fn receive(&self, worker: usize) -> Vec<Batch<Item, Step, C>> {
        let mut mailbox = self.open(worker);
        let batches = std::mem::take(&mut mailbox.batches);
        mailbox.hold = batches.iter().map(|batch| batch.least).chain(mailbox.hold).min();
        batches
    }

    pub(super) fn has_mail(&self, worker: usize) -> bool {
        !self.open(worker).batches.is_empty()
    }

    /// Records the hold of a worker, which has sent all of its batches, and its counts.
    pub(super) fn hold(&self, worker: usize, least: C, counts: Counts) {
        let mut mailbox = self.open(worker);
        mailbox.hold = Some(least);
        mailbox.counts = counts;
    }

    /// Called by a worker that holds nothing and has sent all of its batches: waits for mail, for a
    /// while, or ends the search if all workers are at rest.
    pub(super) fn rest(&self, worker: usize, counts: Counts) {
        {
            let mut mailbox = self.open(worker);
            mailbox.counts = counts;
            if !mailbox.batches.is_empty() {
                return;
            }
            mailbox.hold = None;
        }
        if self.snapshot().least.is_none() {
            self.is_exhausted.store(true, Ordering::Relaxed);
            self.end();
        }
        let mailbox = self.open(worker);
        if mailbox.batches.is_empty() && self.goes_on() {
            // A wait that ends early is followed by another one.
            drop(self.boxes[worker].bell.wait_timeout(mailbox, PATIENCE));
        }
    }

    /// The sum of all workers.
    pub(super) fn snapshot(&self) -> Snapshot<C> {
        let mailboxes: Vec<_> = (0..self.boxes.len()).map(|worker| self.open(worker)).collect();
        #[cfg(feature = "faults")]
        let is_read = !Fault::MessageOverlooked.is_selected();
        #[cfg(not(feature = "faults"))]
        let is_read = true;
        let batches = mailboxes.iter().filter(|_| is_read).flat_map(|mailbox| &mailbox.batches);
        let on_the_way = batches.map(|batch| batch.least);
        let least = mailboxes.iter().filter_map(|mailbox| mailbox.hold).chain(on_the_way).min();
        let counts = mailboxes.iter().fold(Counts::default(), |sum, mailbox| Counts {
            statistics: sum.statistics + mailbox.counts.statistics,
            waiting: sum.waiting + mailbox.counts.waiting,
        });
        Snapshot { least, counts }
    }

    /// Takes a goal, if it is cheaper than the incumbent.
    pub(super) fn improve(&self, cost: C, goal: OwnedNode) {
        let mut incumbent = self.incumbent.lock().unwrap_or_else(PoisonError::into_inner);
        if incumbent.is_none_or(|(best, _)| cost < best) {
            *incumbent = Some((cost, goal));
        }
    }

    /// The incumbent, and its cost.
    pub(super) fn incumbent(&self) -> Option<(C, OwnedNode)> {
        *self.incumbent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the search for all workers, which may leave their turns unfinished.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Lets all workers return after their turns.
    pub(super) fn pause(&self) {
        self.is_paused.store(true, Ordering::Relaxed);
        self.wake();
    }

    fn wake(&self) {
        for (worker, Slot { bell, .. }) in self.boxes.iter().enumerate() {
            // A worker that is about to wait has the lock, or sees the end.
            drop(self.open(worker));
            bell.notify_all();
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted.load(Ordering::Relaxed)
    }

    /// Whether workers have another turn.
    pub(super) fn goes_on(&self) -> bool {
        !self.is_over() && !self.is_paused.load(Ordering::Relaxed)
    }

    /// Continues after a pause.
    pub(super) fn resume(&self) {
        self.is_paused.store(false, Ordering::Relaxed);
    }
}
