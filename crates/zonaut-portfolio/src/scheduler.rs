//! The scheduler of all portfolios: members take turns until one of them answers.
//!
//! In each round every open member continues until its total work has reached an allowance, which
//! grows with the limit of the round, by a quarter from round to round. The first member has a head
//! start, begins the first round and ends all others. Members share the limits of states and
//! memory: if the time slice of one may not fit beside the others, the largest is given up.
//!
//! The schedule depends on counted work alone, so it is the same in every run.

#[cfg(feature = "faults")]
use crate::faults::Fault;
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

/// Members that take turns.
#[derive(Clone, Debug)]
pub struct Scheduler<M> {
    /// The members; the first has the head start.
    pub members: Vec<M>,
    limit: RoundLimit,
    /// The least work of the first member in its time slices.
    head_start: u64,
    round: u32,
    /// The memory limit of all members together, in bytes.
    memory: Option<usize>,
}

impl<M> Scheduler<M> {
    /// A scheduler of `members`.
    #[must_use]
    pub fn new(members: Vec<M>, limit: RoundLimit, memory: Option<usize>) -> Self {
        Self { members, limit, head_start: 0, round: 0, memory }
    }

    /// The same, with a head start of the first member.
    #[must_use]
    pub fn with_head_start(self, head_start: u64) -> Self {
        Self { head_start, ..self }
    }

    /// Runs rounds until a member answers, or all have to end.
    pub fn run<H: Host + ?Sized>(&mut self, host: &mut H) -> Ended<M::Answer>
    where
        M: Member<H>,
    {
        loop {
            if let Some(ended) = self.take_round(host) {
                return ended;
            }
        }
    }

    /// Runs one time slice of each member; returns how the portfolio ends, if it does.
    pub fn take_round<H: Host + ?Sized>(&mut self, host: &mut H) -> Option<Ended<M::Answer>>
    where
        M: Member<H>,
    {
        let (count, first) = (self.members.len(), usize::from(self.round > 0));
        for member in (0..count).map(|position| (position + first) % count) {
            let allowance = self.members[member].allow(self.limit);
            if !self.is_ready(member) {
                continue;
            }
            let least = if member == 0 { self.head_start } else { 0 };
            let allowance = allowance.max(least);
            self.make_room(member, allowance, host);
            if !self.members[member].is_open() {
                continue;
            }
            let slice = self.slice(member, allowance);
            match self.members[member].take_turn(slice, host) {
                SliceEnd::Paused => {}
                SliceEnd::GivenUp => self.heed(member),
                SliceEnd::Answered(answer) => return Some(Ended::Answered { member, answer }),
                SliceEnd::Stopped(why) => return Some(Ended::Stopped(why)),
            }
        }
        if !self.members.iter().any(M::is_open) {
            return Some(Ended::Stopped(StopReason::MemoryLimit));
        }
        self.round += 1;
        self.limit = self.limit.next();
        None
    }

    fn is_ready<H: ?Sized>(&self, member: usize) -> bool
    where
        M: Member<H>,
    {
        let member = &self.members[member];
        member.is_open() && member.first_round() <= self.round
    }

    fn heed<H: ?Sized>(&mut self, member: usize)
    where
        M: Member<H>,
    {
        if self.members[member].discourages() {
            self.members.iter_mut().for_each(M::heed);
        }
    }

    fn slice<H: ?Sized>(&self, member: usize, allowance: u64) -> TimeSlice
    where
        M: Member<H>,
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
    fn make_room<H: Host + ?Sized>(&mut self, member: usize, allowance: u64, host: &mut H)
    where
        M: Member<H>,
    {
        let Some(memory) = self.memory else { return };
        loop {
            let growth = self.members[member].growth(allowance);
            let open = self.members.iter().filter(|member| member.is_open()).count();
            if open < 2 || host.held().saturating_add(growth) <= memory {
                return;
            }
            let open = self.members.iter_mut().filter(|member| member.is_open());
            let Some(largest) = open.max_by_key(|member| member.usage().bytes) else { return };
            largest.give_up(StopReason::MemoryLimit);
        }
    }
}

#[cfg(test)]
mod tests;
