//! The scheduler of all portfolios: members take turns until one of them answers.
//!
//! In each round every open member continues until its total work has reached an allowance, which
//! grows with the limit of the round, by a quarter from round to round. The first member has a head
//! start, begins the first round and ends all others. Members share the limits of states and
//! memory: if the time slice of one may not fit beside the others, the largest is given up.
//!
//! The schedule depends on counted work alone, so it is the same in every run.
//!
//! With two threads, from the second round on, the first member runs on one thread and the others on
//! the other one. The first member runs ahead: it does not wait for the others between rounds. The
//! others begin a round when the first member has ended the one before. The answer of the earliest
//! round counts, and in a round the answers of the others precede that of the first member, as in the
//! order of one thread. *Claim:* the portfolio ends in the same round with the same answer as with one
//! thread, and the others do the same work, unless a limit of states or memory is reached. By
//! induction over rounds: members do not read each other's state, so each does the same in a round.
//! The others do not begin a round after one in which the first member answered. Slices of the first
//! member that one thread would not have started lose against the answer of an earlier round; if the
//! portfolio continues after that answer, one of the first member is kept for the next call.
//!
//! Threads meet again before the memory limit could be reached, which is divided among the members
//! between rounds only.

#[cfg(feature = "faults")]
use crate::faults::Fault;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use zonaut_search::{Crew, Task};
use zonaut_space::StopReason;

/// The greatest number of rounds between two meetings of threads.
const ROUNDS_APART: usize = 48;
/// The work after which the first member, which runs ahead, looks whether another one has answered.
const WORK_BETWEEN_LOOKS: u64 = 1 << 15;

/// The work limit of a round, and of the previous round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundLimit {
    pub(crate) now: u64,
    before: u64,
}

impl RoundLimit {
    /// The limit of the first round.
    #[must_use]
    pub fn first(limit: u64) -> Self {
        Self { now: limit.max(1), before: 0 }
    }

    /// The work that this round adds.
    #[must_use]
    pub fn added(self) -> u64 {
        self.now - self.before
    }

    /// The limit of the next round, which is larger by a quarter.
    #[must_use]
    pub fn next(self) -> Self {
        #[cfg(feature = "faults")]
        if Fault::TurnsNeverGrow.is_selected() {
            return Self { now: self.now.saturating_add(self.added()), before: self.now };
        }
        Self { now: self.now.saturating_add(self.now / 4 + 1), before: self.now }
    }
}

/// The time slice of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeSlice {
    /// Its total work at the end of the slice.
    pub allowance: u64,
    /// The states that other members have explored.
    pub explored_elsewhere: usize,
    /// The memory limit of all members together, if another one could continue.
    pub memory: Option<usize>,
}

/// The end of a time slice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SliceEnd<A> {
    /// Work remains.
    Paused,
    /// The member knows the answer.
    Answered(A),
    /// The member has given up.
    GivenUp,
    /// All members have to end.
    Stopped(StopReason),
}

/// The resources that a member has used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// The states it has explored.
    pub explored: usize,
    /// The memory it holds, in bytes.
    pub bytes: usize,
}

/// A member of a portfolio, which runs on a host of type `H`.
///
/// Laws: a member that is not open never opens again; pauses do not change its answer.
pub trait Member<H: ?Sized> {
    /// An answer for the whole portfolio.
    type Answer;

    /// Whether it can still answer.
    fn is_open(&self) -> bool;

    /// The round in which it starts.
    fn first_round(&self) -> u32;

    /// Its total work after a round with this limit; called once in each round.
    fn allow(&mut self, limit: RoundLimit) -> u64;

    /// Its resources so far.
    fn usage(&self) -> Usage;

    /// The memory it will need in addition to reach this work.
    fn growth(&self, allowance: u64) -> usize;

    /// Continues until the end of the slice.
    fn take_turn(&mut self, slice: TimeSlice, host: &mut H) -> SliceEnd<Self::Answer>;

    /// Ends it, so that others can continue with its memory.
    fn give_up(&mut self, why: StopReason);

    /// Whether it has given up for a reason that others of its kind share.
    fn discourages(&self) -> bool {
        false
    }

    /// Called when another member has given up for a reason that its kind shares.
    fn heed(&mut self) {}
}

/// The host of a portfolio.
pub trait Host {
    /// The memory that everything holds outside of running searches, in bytes.
    fn held(&self) -> usize;
}

/// The end of a portfolio.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended<A> {
    /// A member has answered.
    Answered {
        /// Its index.
        member: usize,
        /// Its answer.
        answer: A,
    },
    /// All members have to end.
    Stopped(StopReason),
}

/// A function that calls another one with a host.
pub type WithHost<'a, H> = dyn Fn(&mut dyn FnMut(&mut H)) + Sync + 'a;

/// The second thread of a scheduler.
pub struct Aside<'a, H: ?Sized> {
    /// Starts the thread.
    pub crew: &'a dyn Crew,
    /// Calls a function with the host of the members that run on it.
    pub with_host: &'a WithHost<'a, H>,
    /// The memory that the host there counts as held, in bytes.
    pub held: usize,
}

/// A time slice of a member that is due in this round.
struct Turn {
    member: usize,
    slice: TimeSlice,
}

/// The memory limits of slices on two threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct MemoryApart {
    first: Option<usize>,
    others: Option<usize>,
}

/// The end of a portfolio on one of two threads, and the round since they parted.
struct InRound<A> {
    round: u32,
    ended: Ended<A>,
}

impl<A> InRound<A> {
    /// Whether this end, of the others, counts and not that of the first member. A stop loses against
    /// an answer, which would have been found a little later.
    fn precedes(&self, first: &Self) -> bool {
        match (&self.ended, &first.ended) {
            (Ended::Answered { .. }, Ended::Stopped(_)) => true,
            (Ended::Stopped(_), Ended::Answered { .. }) => false,
            _ => self.round <= first.round,
        }
    }
}

/// The rounds that two threads run without a meeting.
struct Apart<'l> {
    limits: &'l [RoundLimit],
    /// The number of the first of them.
    first_round: u32,
    /// The least work of the first member in its time slices.
    head_start: u64,
    board: Board,
}

/// The memory that two threads share.
struct Board {
    /// The number of rounds that the first member has ended.
    ended: Mutex<u32>,
    has_ended: Condvar,
    /// The round in which the first member answered, or had to end.
    end_of_first: AtomicU32,
    /// The same of the others.
    end_of_others: AtomicU32,
    explored_by_first: AtomicUsize,
    explored_by_others: AtomicUsize,
}

impl Board {
    /// A board for threads whose members have explored this many states.
    fn new(explored_by_first: usize, explored_by_others: usize) -> Self {
        Self {
            ended: Mutex::new(0),
            has_ended: Condvar::new(),
            end_of_first: AtomicU32::new(u32::MAX),
            end_of_others: AtomicU32::new(u32::MAX),
            explored_by_first: AtomicUsize::new(explored_by_first),
            explored_by_others: AtomicUsize::new(explored_by_others),
        }
    }

    fn end_rounds(&self, ended: u32) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = ended;
        self.has_ended.notify_one();
    }

    /// Returns when the first member has ended this many rounds, or runs no more.
    fn wait_for(&self, rounds: u32) {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let is_early = |ended: &mut u32| *ended < rounds;
        drop(self.has_ended.wait_while(ended, is_early).unwrap_or_else(PoisonError::into_inner));
    }
}

/// The end of the first member: the others wait for it no longer, and after a panic they begin no
/// round.
struct EndOfFirst<'b>(&'b Board);

impl Drop for EndOfFirst<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end_of_first.store(0, Ordering::Release);
        }
        self.0.end_rounds(u32::MAX);
    }
}

impl Apart<'_> {
    /// Runs the first member ahead.
    fn run_first<H: ?Sized, M: Member<H>>(
        &self,
        member: &mut M,
        memory: Option<usize>,
        host: &mut H,
    ) -> Option<InRound<M::Answer>> {
        let _end = EndOfFirst(&self.board);
        for (limit, round) in self.limits.iter().zip(0..) {
            let allowance = member.allow(*limit).max(self.head_start);
            let is_ready = member.is_open() && member.first_round() <= self.first_round + round;
            let begin = limit.before.min(allowance);
            let looks = (begin..allowance).step_by(WORK_BETWEEN_LOOKS as usize).skip(1);
            for allowance in looks.chain([allowance]).take_while(|_| is_ready) {
                if self.board.end_of_others.load(Ordering::Acquire) <= round {
                    return None;
                }
                let explored_elsewhere = self.board.explored_by_others.load(Ordering::Relaxed);
                let end =
                    member.take_turn(TimeSlice { allowance, explored_elsewhere, memory }, host);
                let explored = member.usage().explored;
                self.board.explored_by_first.store(explored, Ordering::Relaxed);
                let ended = match end {
                    SliceEnd::Paused => continue,
                    SliceEnd::GivenUp => break,
                    SliceEnd::Answered(answer) => Ended::Answered { member: 0, answer },
                    SliceEnd::Stopped(why) => Ended::Stopped(why),
                };
                self.board.end_of_first.store(round, Ordering::Release);
                return Some(InRound { round, ended });
            }
            self.board.end_rounds(round + 1);
        }
        None
    }

    /// Runs the others, each round after the first member has ended the one before.
    fn run_others<H: ?Sized, M: Member<H>>(
        &self,
        others: &mut [M],
        memory: Option<usize>,
        host: &mut H,
    ) -> Option<InRound<M::Answer>> {
        for (&limit, round) in self.limits.iter().zip(0..) {
            self.board.wait_for(round);
            if self.board.end_of_first.load(Ordering::Acquire) < round {
                return None;
            }
            for index in 0..others.len() {
                let allowance = others[index].allow(limit);
                let member = &others[index];
                if !member.is_open() || member.first_round() > self.first_round + round {
                    continue;
                }
                let explored_elsewhere = self.board.explored_by_first.load(Ordering::Relaxed)
                    + explored(others)
                    - others[index].usage().explored;
                let slice = TimeSlice { allowance, explored_elsewhere, memory };
                let end = others[index].take_turn(slice, host);
                self.board.explored_by_others.store(explored(others), Ordering::Relaxed);
                let ended = match end {
                    SliceEnd::Paused => continue,
                    SliceEnd::GivenUp => {
                        heed(index, others);
                        continue;
                    }
                    SliceEnd::Answered(answer) => Ended::Answered { member: index + 1, answer },
                    SliceEnd::Stopped(why) => Ended::Stopped(why),
                };
                self.board.end_of_others.store(round, Ordering::Release);
                return Some(InRound { round, ended });
            }
        }
        None
    }
}

/// Members that take turns.
#[derive(Clone, Debug)]
pub struct Scheduler<M, A = ()> {
    /// The members; the first has the head start.
    pub members: Vec<M>,
    limit: RoundLimit,
    /// The least work of the first member in its time slices.
    head_start: u64,
    round: u32,
    /// The memory limit of all members together, in bytes.
    memory: Option<usize>,
    /// The answer of the first member in a round in which another one has answered.
    kept: Option<Ended<A>>,
}

impl<M, A> Scheduler<M, A> {
    /// A scheduler of `members`.
    #[must_use]
    pub fn new(members: Vec<M>, limit: RoundLimit, memory: Option<usize>) -> Self {
        Self { members, limit, head_start: 0, round: 0, memory, kept: None }
    }

    /// The same, with a head start of the first member.
    #[must_use]
    pub fn with_head_start(self, head_start: u64) -> Self {
        Self { head_start, ..self }
    }

    /// Runs rounds until a member answers, or all have to end.
    pub fn run<H: Host + ?Sized>(&mut self, host: &mut H) -> Ended<A>
    where
        M: Member<H, Answer = A>,
    {
        loop {
            if let Some(ended) = self.take_round(host) {
                return ended;
            }
        }
    }

    /// Runs one time slice of each member; returns how the portfolio ends, if it does.
    pub fn take_round<H: Host + ?Sized>(&mut self, host: &mut H) -> Option<Ended<A>>
    where
        M: Member<H, Answer = A>,
    {
        let (count, first) = (self.members.len(), usize::from(self.round > 0));
        for member in (0..count).map(|position| (position + first) % count) {
            let Some(Turn { slice, .. }) = self.turn(member, &|| host.held()) else { continue };
            match self.members[member].take_turn(slice, host) {
                SliceEnd::Paused => {}
                SliceEnd::GivenUp => heed(member, &mut self.members),
                SliceEnd::Answered(answer) => return Some(Ended::Answered { member, answer }),
                SliceEnd::Stopped(why) => return Some(Ended::Stopped(why)),
            }
        }
        self.end_round()
    }

    /// Does the same with two threads, for several rounds if the memory allows it: from the second
    /// round on, the first member runs on this one, and the others run on the other one.
    pub fn take_rounds_beside<H: Host + ?Sized>(
        &mut self,
        host: &mut H,
        aside: &Aside<'_, H>,
    ) -> Option<Ended<A>>
    where
        M: Member<H, Answer = A> + Send,
        A: Send,
    {
        if let Some(ended) = self.take_kept() {
            return Some(ended);
        }
        if self.members.len() < 2 {
            return self.take_round(host);
        }
        if self.round == 0 {
            return self.take_first_round(host, aside);
        }
        let held = host.held().saturating_add(aside.held);
        for member in 0..self.members.len() {
            if self.is_ready(member) {
                self.make_room(member, self.limit.now, &|| held);
            }
        }
        let limits = self.limits_apart(held);
        let memory = self.memory_apart(&limits);
        let was_open = self.members.first().is_some_and(M::is_open);
        let (first, others) = self.members.split_first_mut()?;
        let board = Board::new(first.usage().explored, explored(others));
        let (first_round, head_start) = (self.round, self.head_start);
        let apart = Apart { limits: &limits, first_round, head_start, board };
        let (mut end_of_first, mut end_of_others) = (None, None);
        let (end, apart) = (&mut end_of_others, &apart);
        let task: Task<'_> = Box::new(move || {
            (aside.with_host)(&mut |host| *end = apart.run_others(others, memory.others, host));
        });
        let mut lead = || end_of_first = apart.run_first(first, memory.first, host);
        if let Err(why) = aside.crew.run(&mut lead, vec![task]) {
            return Some(Ended::Stopped(why));
        }
        #[cfg(feature = "faults")]
        let end_of_others = end_of_others.filter(|_| !Fault::AnswerBesideLost.is_selected());
        #[cfg(feature = "faults")]
        if Fault::FirstAnswerPrecedes.is_selected()
            && let Some(InRound { ended, .. }) = end_of_first.take()
        {
            return Some(ended);
        }
        match (end_of_others, end_of_first) {
            (None, None) => {
                if was_open && !self.members[0].is_open() {
                    heed(0, &mut self.members);
                }
                self.round += limits.len() as u32 - 1;
                self.limit = limits.last().copied().unwrap_or(self.limit);
                self.end_round()
            }
            (Some(others), Some(first)) if others.precedes(&first) => {
                self.kept = Some(first.ended);
                Some(self.end_in(&limits, others.round, others.ended))
            }
            (_, Some(InRound { round, ended })) | (Some(InRound { round, ended }), None) => {
                Some(self.end_in(&limits, round, ended))
            }
        }
    }

    /// The end of the portfolio in a round of these, which is the current one from now on.
    fn end_in(&mut self, limits: &[RoundLimit], round: u32, ended: Ended<A>) -> Ended<A> {
        self.limit = limits.get(round as usize).copied().unwrap_or(self.limit);
        self.round += round;
        ended
    }

    /// The limits of the next rounds, at least of one: as many as fit into the memory for certain.
    fn limits_apart<H: ?Sized>(&self, held: usize) -> Vec<RoundLimit>
    where
        M: Member<H, Answer = A>,
    {
        let fits = |limit: RoundLimit| {
            let open = self.members.iter().filter(|member| member.is_open());
            let growth = open.map(|member| member.growth(limit.now));
            let most = growth.fold(held, usize::saturating_add);
            self.memory.is_none_or(|memory| most <= memory / 2)
        };
        let rounds = std::iter::successors(Some(self.limit), |limit| Some(limit.next()));
        let mut limits: Vec<_> =
            rounds.take(ROUNDS_APART).take_while(|&limit| fits(limit)).collect();
        if limits.is_empty() {
            limits.push(self.limit);
        }
        limits
    }

    /// The memory limits of the slices on both threads: that of all members without what those on
    /// the other thread will have.
    fn memory_apart<H: ?Sized>(&self, limits: &[RoundLimit]) -> MemoryApart
    where
        M: Member<H, Answer = A>,
    {
        let is_alone = self.members.iter().filter(|member| member.is_open()).count() < 2;
        let Some(memory) = self.memory.filter(|_| !is_alone) else { return MemoryApart::default() };
        let end = |member: &M| {
            let allowance = limits.last().map_or(0, |limit| limit.now);
            member.usage().bytes.saturating_add(member.growth(allowance))
        };
        let first = self.members.first().map_or(0, end);
        let others = self.members.iter().skip(1).map(end).fold(0, usize::saturating_add);
        MemoryApart {
            first: Some(memory.saturating_sub(others)),
            others: Some(memory.saturating_sub(first)),
        }
    }

    /// The first round with two threads: the first member has its head start alone, and most often
    /// answers, so the thread is not started. The others run on their own host nevertheless.
    fn take_first_round<H: Host + ?Sized>(
        &mut self,
        host: &mut H,
        aside: &Aside<'_, H>,
    ) -> Option<Ended<A>>
    where
        M: Member<H, Answer = A>,
    {
        if let Some(Turn { slice, .. }) = self.turn(0, &|| host.held()) {
            match self.members[0].take_turn(slice, host) {
                SliceEnd::Paused => {}
                SliceEnd::GivenUp => heed(0, &mut self.members),
                SliceEnd::Answered(answer) => return Some(Ended::Answered { member: 0, answer }),
                SliceEnd::Stopped(why) => return Some(Ended::Stopped(why)),
            }
        }
        let held = &|| host.held().saturating_add(aside.held);
        let turns: Vec<Turn> =
            (1..self.members.len()).filter_map(|member| self.turn(member, held)).collect();
        let mut ended = None;
        let others = &mut self.members[1..];
        (aside.with_host)(&mut |host| ended = take_turns(others, &turns, host));
        ended.or_else(|| self.end_round())
    }

    /// The answer of the first member that no call has returned yet.
    pub fn take_kept(&mut self) -> Option<Ended<A>> {
        self.kept.take()
    }

    /// The time slice of a member, if it is due in this round. Called once in each round.
    fn turn<H: ?Sized>(&mut self, member: usize, held: &dyn Fn() -> usize) -> Option<Turn>
    where
        M: Member<H, Answer = A>,
    {
        let allowance = self.members[member].allow(self.limit);
        if !self.is_ready(member) {
            return None;
        }
        let least = if member == 0 { self.head_start } else { 0 };
        let allowance = allowance.max(least);
        self.make_room(member, allowance, held);
        let is_open = self.members[member].is_open();
        is_open.then(|| Turn { member, slice: self.slice(member, allowance) })
    }

    /// Ends the round; returns the end of the portfolio if no member is open.
    fn end_round<H: ?Sized>(&mut self) -> Option<Ended<A>>
    where
        M: Member<H, Answer = A>,
    {
        if !self.members.iter().any(M::is_open) {
            return Some(Ended::Stopped(StopReason::MemoryLimit));
        }
        self.round += 1;
        self.limit = self.limit.next();
        None
    }

    fn is_ready<H: ?Sized>(&self, member: usize) -> bool
    where
        M: Member<H, Answer = A>,
    {
        let member = &self.members[member];
        member.is_open() && member.first_round() <= self.round
    }

    fn slice<H: ?Sized>(&self, member: usize, allowance: u64) -> TimeSlice
    where
        M: Member<H, Answer = A>,
    {
        let (mut explored_elsewhere, mut is_alone) = (0, true);
        for (_, other) in self.members.iter().enumerate().filter(|&(other, _)| other != member) {
            explored_elsewhere += other.usage().explored;
            is_alone &= !other.is_open();
        }
        TimeSlice { allowance, explored_elsewhere, memory: self.memory.filter(|_| !is_alone) }
    }

    /// Gives up the member with the most memory, as long as the time slice of another one may not
    /// fit beside it. It has had more resources than the others, and they can use the memory it
    /// releases.
    fn make_room<H: ?Sized>(&mut self, member: usize, allowance: u64, held: &dyn Fn() -> usize)
    where
        M: Member<H, Answer = A>,
    {
        let Some(memory) = self.memory else { return };
        loop {
            let growth = self.members[member].growth(allowance);
            let open = self.members.iter().filter(|member| member.is_open()).count();
            if open < 2 || held().saturating_add(growth) <= memory {
                return;
            }
            let open = self.members.iter_mut().filter(|member| member.is_open());
            let Some(largest) = open.max_by_key(|member| member.usage().bytes) else { return };
            largest.give_up(StopReason::MemoryLimit);
        }
    }
}

/// Runs the time slices of members other than the first; returns how the portfolio ends, if it does.
fn take_turns<H: ?Sized, M: Member<H>>(
    others: &mut [M],
    turns: &[Turn],
    host: &mut H,
) -> Option<Ended<M::Answer>> {
    for &Turn { member, slice } in turns {
        let index = member - 1;
        if !others[index].is_open() {
            continue;
        }
        match others[index].take_turn(slice, host) {
            SliceEnd::Paused => {}
            SliceEnd::GivenUp => heed(index, others),
            SliceEnd::Answered(answer) => return Some(Ended::Answered { member, answer }),
            SliceEnd::Stopped(why) => return Some(Ended::Stopped(why)),
        }
    }
    None
}

/// The states that members have explored.
fn explored<H: ?Sized, M: Member<H>>(members: &[M]) -> usize {
    members.iter().map(|member| member.usage().explored).sum()
}

/// Tells the members that one of them has given up, if its reason is one that its kind shares.
fn heed<H: ?Sized, M: Member<H>>(member: usize, members: &mut [M]) {
    if members[member].discourages() {
        members.iter_mut().for_each(M::heed);
    }
}

#[cfg(test)]
mod tests;
