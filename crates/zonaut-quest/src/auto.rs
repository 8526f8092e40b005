//! The strategy that chooses for itself: searches that complement each other take turns.
//!
//! *Claim.* The answer is that of a single search. Each of them is complete, and only one that has
//! ended answers: with what it has met, or by having seen everything. A search that is paused or was
//! given up says nothing.
//!
//! *Claim.* If one of the searches answers after work w, so does this one after at most 5/4 n w, a
//! head start, and a little for what is begun, where n is the number of searches and all have the whole
//! of a turn. In each round every search goes on until its work, all of it, has reached a limit, which
//! grows by a quarter from round to round; the round in which w is below the limit is the last one, and
//! its limit is below 5/4 w unless it is the first. The search that explores everything may do more in
//! the first round, and waits then until the others have come as far.
//!
//! Not all have the whole of a turn. A hunt that is worth its while is over soon, so hunts have much of
//! the first rounds; what has to be explored in full takes most of the time where they are not.
//!
//! Work is counted and never measured, so the same model and the same options give the same answer:
//! states that were expanded or generated, by how many clocks they have; labels that were
//! strengthened; states of databases; and the steps of everything that counts on the meter, which
//! are those of guides and of evaluations.

mod attempt;
mod candidate;
mod plan;

pub use attempt::{Attempt, AttemptEnd};

#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::guiding::{GuideWork, Guiding};
use crate::quest::{Quest, Searched, Watcher};
use candidate::{Candidate, Turn};
use plan::Plan;
use zonaut_dbm::Width;
use zonaut_search::{NodeTable, Outcome, Report, Statistics};
use zonaut_space::StopReason;
use zonaut_strategy::{LazyStrategy, Strategy};
use zonaut_zonegraph::ZoneGraph;

/// What the searches have in common.
pub struct Choosing<'g, W: Width> {
    /// What is looked for.
    pub quest: Quest<'g, W>,
    /// The graph that a lazy search explores, if one may.
    pub lazy_graph: Option<&'g ZoneGraph<'g, W>>,
    /// Makes guides.
    pub guiding: Guiding<'g>,
    /// The memory that all of them may use, in bytes.
    pub memory: Option<usize>,
}

/// What came of it.
pub struct Decision<'g, W: Width> {
    /// What the search that has decided looked for, in its own graph.
    pub quest: Quest<'g, W>,
    /// What it leaves behind.
    pub searched: Searched<'g, W>,
    /// What the guide of this search did, if it has one.
    pub guide: Option<GuideWork>,
    /// What went wrong without costing the answer.
    pub warnings: Vec<String>,
    /// What was tried; empty where one search was asked for.
    pub attempts: Vec<Attempt>,
}

impl<'g, W: Width> Decision<'g, W> {
    /// What came of the only search.
    #[must_use]
    pub fn of_one(quest: Quest<'g, W>, searched: Searched<'g, W>, guiding: &Guiding<'g>) -> Self {
        let is_guided = !searched.strategy.heuristics().is_empty();
        let guide = is_guided.then(|| guiding.work());
        let (warnings, attempts) = (guiding.warnings(), Vec::new());
        Self { quest, searched, guide, warnings, attempts }
    }
}

/// The lazy search that may be tried, whose graph the others do not share.
#[must_use]
pub fn lazy_strategy() -> LazyStrategy {
    Plan::lazy_strategy()
}

/// What the search that explores everything does first, as a multiple of what others do in the first
/// round: most questions need no more, and a hunt that is worth its while is over in a short turn.
const HEAD_START: u64 = 16;

/// How much work each search may have done after a round, and after the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundLimit {
    pub(crate) now: u64,
    before: u64,
}

impl RoundLimit {
    /// That of the first round.
    #[must_use]
    pub fn first(limit: u64) -> Self {
        Self { now: limit.max(1), before: 0 }
    }

    /// What the round adds to what may be done.
    #[must_use]
    pub fn added(self) -> u64 {
        self.now - self.before
    }

    /// That of the next round, which is larger by a quarter.
    #[must_use]
    pub fn next(self) -> Self {
        Self { now: self.now.saturating_add(self.now / 4 + 1), before: self.now }
    }
}

/// Searches that take turns.
pub struct Portfolio<'g, W: Width> {
    quest: Quest<'g, W>,
    candidates: Vec<Candidate<'g, W>>,
    strategy: Strategy,
    limit: RoundLimit,
    /// How much the first search may have done before the others begin.
    head_start: u64,
    round: u32,
    memory: Option<usize>,
}

impl<'g, W: Width> Portfolio<'g, W> {
    /// The searches that suit a model and a goal; the first one may do so much before the others
    /// begin.
    #[must_use]
    pub fn new(choosing: Choosing<'g, W>, first: u32) -> Self {
        let plans = Plan::all(&choosing);
        let head_start = u64::from(first.max(1));
        let limit = RoundLimit::first(head_start / HEAD_START);
        Self { head_start, limit, ..Self::of(choosing, first, plans) }
    }

    /// The same without the search that explores everything, which somebody else does.
    #[must_use]
    pub fn hunts(choosing: Choosing<'g, W>, first: u32) -> Self {
        let plans = Plan::all(&choosing).into_iter().skip(1).collect();
        Self::of(choosing, first, plans)
    }

    fn of(choosing: Choosing<'g, W>, first: u32, plans: Vec<Plan>) -> Self {
        let Choosing { quest, lazy_graph, guiding, memory } = choosing;
        let candidates = plans.into_iter().map(|plan| {
            let graph = lazy_graph.filter(|_| plan.is_lazy()).unwrap_or(quest.graph);
            Candidate::new(plan, quest.over(graph), guiding.another())
        });
        let (candidates, limit) = (candidates.collect(), RoundLimit::first(first.into()));
        let strategy = Strategy::Auto { first };
        Self { quest, candidates, strategy, limit, head_start: 0, round: 0, memory }
    }

    /// Lets the searches take turns until one answers, or all have to end.
    pub fn decide(mut self, observer: Watcher<'_, W>) -> Decision<'g, W> {
        loop {
            if let Some(ended) = self.take_round(observer) {
                return self.conclude(ended);
            }
        }
    }

    /// Lets each search have a turn; how it ends, if it does. The first one, which has the most of a
    /// round, begins and then waits for the others.
    pub fn take_round(&mut self, observer: Watcher<'_, W>) -> Option<Ended<'g, W>> {
        let (count, first) = (self.candidates.len(), usize::from(self.round > 0));
        for index in (0..count).map(|position| (position + first) % count) {
            let candidate = &mut self.candidates[index];
            let allowance = candidate.allow(self.limit);
            if !candidate.is_open() || candidate.plan.from_round > self.round {
                continue;
            }
            let least = if index == 0 { self.head_start } else { 0 };
            let allowance = allowance.max(least);
            self.make_room(index, allowance, observer);
            if !self.candidates[index].is_open() {
                continue;
            }
            match self.take_turn(index, allowance, observer) {
                Turn::Paused => {}
                Turn::GivenUp => self.heed(index),
                Turn::Answered(searched) => return Some(Ended::Answered(index, searched)),
                Turn::Stopped(why) => return Some(Ended::Stopped(why)),
            }
        }
        if !self.is_open() {
            return Some(Ended::Stopped(StopReason::MemoryLimit));
        }
        self.round += 1;
        self.limit = self.next_limit();
        None
    }

    /// Where a guide sees no way at all, others need not look for one.
    fn heed(&mut self, index: usize) {
        if self.candidates[index].is_blind() {
            self.candidates.iter_mut().for_each(Candidate::forgo_guide);
        }
    }

    /// Whether some search can still answer.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.candidates.iter().any(Candidate::is_open)
    }

    fn next_limit(&self) -> RoundLimit {
        #[cfg(feature = "faults")]
        if Fault::TurnsNeverGrow.is_selected() {
            let RoundLimit { now, .. } = self.limit;
            return RoundLimit { now: now.saturating_add(self.limit.added()), before: now };
        }
        self.limit.next()
    }

    fn take_turn(&mut self, index: usize, allowance: u64, observer: Watcher<'_, W>) -> Turn<'g, W> {
        let elsewhere = self.candidates.iter().enumerate().filter(|&(other, _)| other != index);
        let (mut explored, mut is_alone) = (0, true);
        for (_, other) in elsewhere {
            explored += other.statistics().explored;
            is_alone &= !other.is_open();
        }
        let memory = self.memory.filter(|_| !is_alone);
        self.candidates[index].take_turn(allowance, (explored, memory), observer)
    }

    /// Gives up the search that holds the most memory, as long as the turn of another one may not
    /// fit beside it. It has had more than the others, and they can use what it leaves.
    fn make_room(&mut self, index: usize, allowance: u64, observer: Watcher<'_, W>) {
        let Some(memory) = self.memory else { return };
        loop {
            let growth = self.candidates[index].growth(allowance);
            let open = self.candidates.iter().filter(|candidate| candidate.is_open()).count();
            if open < 2 || observer.meter().held().saturating_add(growth) <= memory {
                return;
            }
            let bytes = |candidate: &&mut Candidate<'g, W>| candidate.statistics().bytes;
            let open = self.candidates.iter_mut().filter(|candidate| candidate.is_open());
            let Some(largest) = open.max_by_key(bytes) else { return };
            largest.give_up(AttemptEnd::Stopped(StopReason::MemoryLimit));
        }
    }

    /// What it means that the searches have ended.
    #[must_use]
    pub fn conclude(self, ended: Ended<'g, W>) -> Decision<'g, W> {
        let decider = match &ended {
            Ended::Answered(index, _) => Some(*index),
            Ended::Stopped(_) => None,
        };
        let warnings = self.candidates.iter().flat_map(|c| c.guiding.warnings()).collect();
        let attempts = self.attempts();
        let total = self.total();
        let (quest, guide, searched) = match ended {
            Ended::Answered(_, searched) => {
                let decider = decider.and_then(|index| self.candidates.get(index));
                let quest = decider.map_or(self.quest, |candidate| candidate.quest);
                let is_guided = !searched.strategy.heuristics().is_empty();
                let guide = decider.filter(|_| is_guided).map(|c| c.guiding.work());
                (quest, guide, *searched)
            }
            Ended::Stopped(why) => {
                let outcome = Outcome::Stopped { why, lower_bound: 0 };
                let nodes = NodeTable::new();
                let report = Report { outcome, best: None, nodes, statistics: total };
                self.quest.graph.network().meter().discard(self.candidates);
                (self.quest, None, Searched::new(report, self.quest.store(), self.strategy))
            }
        };
        Decision { quest, searched, guide, warnings, attempts }
    }

    /// What was tried so far.
    #[must_use]
    pub fn attempts(&self) -> Vec<Attempt> {
        self.candidates.iter().filter_map(Candidate::attempt).collect()
    }

    /// What all searches have done together.
    #[must_use]
    pub fn total(&self) -> Statistics {
        self.candidates.iter().fold(Statistics::default(), |sum, candidate| {
            let one = candidate.statistics();
            Statistics {
                explored: sum.explored + one.explored,
                generated: sum.generated + one.generated,
                covered: sum.covered + one.covered,
                stored: sum.stored + one.stored,
                bytes: sum.bytes + one.bytes,
                pruned: sum.pruned + one.pruned,
                ..sum
            }
        })
    }
}

/// How the turns end.
pub enum Ended<'g, W: Width> {
    /// A search has answered: which, and what it leaves behind.
    Answered(usize, Box<Searched<'g, W>>),
    /// All have to end.
    Stopped(StopReason),
}
