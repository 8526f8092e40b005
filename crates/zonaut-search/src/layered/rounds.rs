//! The rounds of a worker.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::RwLock;

use zonaut_base::Id;
use zonaut_space::{Covering, Encoding, Goal, StopReason, TransitionSystem, WorkerId};

use super::Crew;
use super::condition::{Condition, Decision, Flags};
use super::distribution::Distribution;
use super::exchange::{Exchange, Idle, locked};
use super::gate::Patience;
use super::worker::{Holding, Obstruction, Worker, write};
#[cfg(feature = "faults")]
use crate::store::faults::Fault;

/// Workers that are to spill publish more payloads than this: only shared ones can be spilled.
const PUBLISHED_WHEN_OVER: usize = 1 << 11;

/// Works until the search pauses or ends. `report` receives the condition of all workers after each
/// round, and may stop the search.
pub(super) fn work<Ts, G, E, C>(
    worker: &mut Worker<'_, Ts, G, C>,
    holdings: &[RwLock<Holding<E, C>>],
    exchange: &Exchange<'_, E::Item, Ts::Step>,
    crew: &dyn Crew,
    end: u64,
    report: &mut dyn FnMut(&Condition) -> Result<(), StopReason>,
) -> Decision
where
    Ts: TransitionSystem,
    G: Goal<Ts>,
    E: Encoding<State = Ts::State>,
    C: Covering<Item = E::Item>,
{
    let place = exchange.place();
    let here = worker.shelf.id.index() - exchange.first_of(place.process);
    let (patience, idle) = (RefCell::new(Patience::default()), Cell::new(worker.idle));
    let idly = |waiting: &mut dyn FnMut()| idle.set(idle.get() + crew.measured(waiting));
    let wait = || idly(&mut || exchange.gate.wait(&mut patience.borrow_mut()));
    let seat = Seat { exchange, own: &holdings[here], here, idly: &idly, wait: &wait };
    loop {
        worker.idle = idle.get();
        worker.attempt_whole(|worker| worker.fill_window(exchange, holdings));
        worker.attempt(|worker| worker.expand(exchange, holdings));
        wait();
        worker.mark_expanded(exchange, here);
        exchange.claims.withdraw(here);
        let flags = match seat.is_first() {
            true => exchange.flags_of_process(),
            false => Flags::default(),
        };
        // Other processes may still have nodes of the layer.
        let is_shown = worker.window.is_last() && place.processes == 1;
        if place.processes > 1 {
            if seat.insert_of_all(worker, flags).is_err() {
                return Decision::End;
            }
        } else {
            seat.insert(worker, exchange.workers_of(place.process));
            seat.note(worker, flags);
            if is_shown {
                worker.show_next_layer(&mut write(seat.own));
            }
        }
        wait();
        let mut all = exchange.all();
        worker.is_over = all.flags.has(Flags::IS_OVER);
        let decision = all.decision(end);
        let is_last = matches!(decision, Decision::Pause | Decision::End);
        if place.processes > 1 && (is_last || all.wants_checkpoint()) {
            worker.idle = idle.get();
            match seat.settle(worker, flags, &all) {
                Ok(settled) => all = settled,
                Err(Lost) => return Decision::End,
            }
        }
        if all.wants_checkpoint() {
            seat.save(worker);
        }
        match decision {
            Decision::Pause | Decision::End => {
                if is_shown {
                    worker.advance(exchange.local);
                    worker.depth -= u32::from(decision == Decision::End);
                }
                worker.idle = idle.get();
                return decision;
            }
            Decision::NextLayer => {
                if !is_shown {
                    worker.show_next_layer(&mut write(seat.own));
                    // No worker reads the layers of others before all of them are shown.
                    wait();
                }
                worker.advance(exchange.local);
            }
            Decision::SameLayer => {}
        }
        seat.relieve(worker, &mut all);
        // Memory that grew beyond the limit in this round is spilled in the next one.
        let is_deferred = !worker.is_over && exchange.is_over(all.statistics.bytes);
        // Conditions are written again only after the next wait, so all have read the same.
        worker.attempt(|_| match is_deferred {
            true => Ok(()),
            false => report(&all).map_err(Obstruction::Stop),
        });
    }
}

/// The other processes cannot be reached any more.
struct Lost;

/// The place of a worker among those of its process.
struct Seat<'w, 's, E: Encoding, C: Covering, Step> {
    exchange: &'w Exchange<'s, E::Item, Step>,
    own: &'w RwLock<Holding<E, C>>,
    /// The number of the worker in its process.
    here: usize,
    /// Runs a function that waits.
    idly: Idle<'w>,
    /// Waits for all workers of the process.
    wait: &'w dyn Fn(),
}

impl<E, C, Step: Copy> Seat<'_, '_, E, C, Step>
where
    E: Encoding,
    C: Covering<Item = E::Item>,
{
    /// Whether the worker speaks for its process.
    fn is_first(&self) -> bool {
        self.here == 0
    }

    /// Notes the condition of the worker, with these flags of its process.
    fn note<Ts, G>(&self, worker: &Worker<'_, Ts, G, C>, flags: Flags)
    where
        Ts: TransitionSystem<State = E::State, Step = Step>,
        G: Goal<Ts>,
    {
        let mut condition = worker.condition(&write(self.own), self.here);
        condition.flags = condition.flags.with_those_of_process(flags);
        *locked(&self.exchange.conditions[worker.shelf.id.index()]) = condition;
    }

    /// Inserts the states that these workers have sent to this one.
    fn insert<Ts, G>(&self, worker: &mut Worker<'_, Ts, G, C>, senders: Range<usize>)
    where
        Ts: TransitionSystem<State = E::State, Step = Step>,
        G: Goal<Ts>,
    {
        let mut inbox = self.exchange.inbox(worker.shelf.id, senders);
        #[cfg(feature = "faults")]
        if Fault::BatchLost.is_selected() {
            inbox.iter_mut().next_back().into_iter().for_each(|last| last.clear());
        }
        worker.attempt_whole(|worker| worker.absorb(self.exchange, &mut write(self.own), &inbox));
        inbox.iter_mut().for_each(|shipment| shipment.clear());
    }

    /// Inserts the states that workers of all processes have sent to this one: those of its own
    /// process while the others are on their way. The conditions that the processes exchange with
    /// them are those before.
    fn insert_of_all<Ts, G>(
        &self,
        worker: &mut Worker<'_, Ts, G, C>,
        flags: Flags,
    ) -> Result<(), Lost>
    where
        Ts: TransitionSystem<State = E::State, Step = Step>,
        G: Goal<Ts>,
    {
        let Self { exchange, .. } = *self;
        let place = exchange.place();
        self.note(worker, flags);
        (self.wait)();
        if self.is_first() {
            exchange.send_round();
        }
        self.insert(worker, exchange.workers_of(place.process));
        if self.is_first() {
            exchange.receive_round(&exchange.positions(worker.window.before()), self.idly);
        }
        (self.wait)();
        if exchange.lost().is_some() {
            return Err(Lost);
        }
        for process in (0..place.processes).filter(|&process| process != place.process) {
            self.insert(worker, exchange.workers_of(process));
        }
        Ok(())
    }

    /// The condition of all workers of all processes after the round, given that before its states
    /// were inserted.
    fn settle<Ts, G>(
        &self,
        worker: &mut Worker<'_, Ts, G, C>,
        flags: Flags,
        before: &Condition,
    ) -> Result<Condition, Lost>
    where
        Ts: TransitionSystem<State = E::State, Step = Step>,
        G: Goal<Ts>,
    {
        if before.flags.has(Flags::HAS_GOAL_IN_LAYER) {
            // It was met after a goal.
            let _ = worker.obstruction.take_if(|why| !matches!(why, Obstruction::Panic(_)));
        }
        // All workers have read the conditions that are replaced.
        (self.wait)();
        self.note(worker, flags);
        (self.wait)();
        if self.is_first() {
            self.exchange.share_conditions(self.idly);
        }
        (self.wait)();
        match self.exchange.lost() {
            Some(_) => Err(Lost),
            None => Ok(self.exchange.all()),
        }
    }

    /// Saves the part of the worker in a checkpoint.
    fn save<Ts, G>(&self, worker: &mut Worker<'_, Ts, G, C>)
    where
        Ts: TransitionSystem<State = E::State, Step = Step>,
        G: Goal<Ts>,
    {
        if let Some(Distribution { codec, .. }) = self.exchange.distribution {
            *locked(&self.exchange.parts[self.here]) = worker.save(&write(self.own), codec);
        }
        (self.wait)();
        if self.is_first() {
            worker.attempt_whole(|_| Ok(self.exchange.keep()?));
        }
        (self.wait)();
    }

    /// Spills and publishes states, as far as the condition of all workers demands it, which then has
    /// the memory after that.
    fn relieve<Ts, G>(&self, worker: &mut Worker<'_, Ts, G, C>, all: &mut Condition)
    where
        Ts: TransitionSystem<State = E::State, Step = Step>,
        G: Goal<Ts>,
    {
        let Self { exchange, .. } = *self;
        if worker.is_over {
            worker.attempt_whole(|worker| worker.spill(&mut write(self.own)));
            // No worker reads the states of another one before all have spilled.
            (self.wait)();
        }
        let is_urgent = worker.is_over && all.unpublished_payloads > PUBLISHED_WHEN_OVER;
        if exchange.local > 1 && (is_urgent || all.wants_publication(exchange.owners.round)) {
            self.publish(worker);
        }
        if worker.is_over {
            // The search is stopped only if the memory is too much after spilling, too.
            let bytes = worker.statistics(&write(self.own)).bytes;
            locked(&exchange.conditions[worker.shelf.id.index()]).statistics.bytes = bytes;
            (self.wait)();
            all.statistics.bytes = exchange.all().statistics.bytes;
        }
    }

    /// Moves the payloads of all workers of a process into the shards that they share.
    fn publish<Ts, G>(&self, worker: &mut Worker<'_, Ts, G, C>)
    where
        Ts: TransitionSystem<State = E::State, Step = Step>,
        G: Goal<Ts>,
    {
        let (shared, here) = (&self.exchange.payloads, WorkerId::from_index(self.here));
        worker.attempt_whole(|_| {
            write(self.own).store.offer(shared, here);
            Ok(())
        });
        (self.wait)();
        worker.attempt_whole(|worker| {
            shared.merge(here)?;
            match worker.is_over {
                true => Ok(shared.spill(here)?),
                false => Ok(()),
            }
        });
        (self.wait)();
        worker.attempt_whole(|_| {
            write(self.own).store.adopt(shared, here);
            Ok(())
        });
        // No worker reads the states of another one before all have adopted.
        (self.wait)();
    }
}
