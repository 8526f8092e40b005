//! The scheduler of all portfolios: members take turns until one of them answers.
//!
//! In each round every open member continues until its total work has reached an allowance, which
//! grows with the limit of the round, by a quarter from round to round. The first member has a head
//! start, begins the first round and ends all others. Members share the limits of states and
//! memory: if the time slice of one may not fit beside the others, the largest is given up.
//!
//! The schedule depends on counted work alone, so it is the same in every run.
//!
//! With two threads, the time slice of the first member runs beside those of the others, from the
//! second round on. All slices of a round end before anything is decided, and the answers of the
//! others precede that of the first, as in the order of one thread. *Claim:* the portfolio ends in
//! the same round with the same answer as with one thread, unless a limit of states or memory is
//! reached. By induction over rounds: members do not read each other's state, so each does the same
//! in its slice; a member whose slice the schedule of one thread would not have started, because an
//! earlier one in the order answered, loses against that answer here, too. If the portfolio
//! continues after such an answer, that of the first member is kept for the next call.

#[cfg(feature = "faults")]
use crate::faults::Fault;
use zonaut_search::{Crew, Task};
use zonaut_space::StopReason;

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

    /// Does the same with two threads: from the second round on, the time slice of the first member
    /// runs on this one, and those of the others run on the other one.
    pub fn take_round_beside<H: Host + ?Sized>(
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
        let held = &|| host.held().saturating_add(aside.held);
        let mut turns: Vec<Turn> =
            (1..self.members.len()).filter_map(|member| self.turn(member, held)).collect();
        let mut own = self.turn(0, held);
        self.share_memory(&mut turns, own.as_mut());
        let (first, others) = self.members.split_first_mut()?;
        let (mut end_of_first, mut end_of_others) = (None, None);
        let end = &mut end_of_others;
        let task: Task<'_> = Box::new(move || {
            (aside.with_host)(&mut |host| *end = take_turns(others, &turns, host));
        });
        let mut lead = || end_of_first = own.as_ref().map(|turn| first.take_turn(turn.slice, host));
        if let Err(why) = aside.crew.run(&mut lead, vec![task]) {
            return Some(Ended::Stopped(why));
        }
        let end_of_first = match end_of_first {
            None | Some(SliceEnd::Paused) => None,
            Some(SliceEnd::GivenUp) => {
                heed(0, &mut self.members);
                None
            }
            Some(SliceEnd::Answered(answer)) => Some(Ended::Answered { member: 0, answer }),
            Some(SliceEnd::Stopped(why)) => Some(Ended::Stopped(why)),
        };
        #[cfg(feature = "faults")]
        let end_of_others = end_of_others.filter(|_| !Fault::AnswerBesideLost.is_selected());
        match (end_of_others, end_of_first) {
            #[cfg(feature = "faults")]
            (_, Some(ended)) if Fault::FirstAnswerPrecedes.is_selected() => Some(ended),
            (Some(Ended::Stopped(_)), Some(answered @ Ended::Answered { .. })) => Some(answered),
            (Some(ended), kept) => {
                self.kept = kept;
                Some(ended)
            }
            (None, Some(ended)) => Some(ended),
            (None, None) => self.end_round(),
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

    /// Subtracts the memory of the members on the other thread from the limit of each slice.
    fn share_memory<H: ?Sized>(&self, turns: &mut [Turn], own: Option<&mut Turn>)
    where
        M: Member<H, Answer = A>,
    {
        let end = |turn: &Turn| {
            let member = &self.members[turn.member];
            member.usage().bytes.saturating_add(member.growth(turn.slice.allowance))
        };
        let reduce = |slice: &mut TimeSlice, bytes: usize| {
            slice.memory = slice.memory.map(|memory| memory.saturating_sub(bytes));
        };
        let Some(own) = own else { return };
        let (first, others) = (end(own), turns.iter().map(end).fold(0, usize::saturating_add));
        turns.iter_mut().for_each(|turn| reduce(&mut turn.slice, first));
        reduce(&mut own.slice, others);
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

/// Tells the members that one of them has given up, if its reason is one that its kind shares.
fn heed<H: ?Sized, M: Member<H>>(member: usize, members: &mut [M]) {
    if members[member].discourages() {
        members.iter_mut().for_each(M::heed);
    }
}

#[cfg(test)]
mod tests;
