//! The strategy `auto`: a portfolio of complementary searches that run in time slices.
//!
//! *Claim.* The verdict is that of a single search. Each member is complete, and only a member that
//! has ended decides: by a goal or an error it has met, or by exhaustion. A search that is paused
//! or was given up decides nothing.
//!
//! *Claim.* If one of the members decides after work w, so does the portfolio after at most 5/4 n
//! w, a head start, and a small overhead for starting members, where n is the number of members and
//! all have full time slices. In each round every member continues until its total work has reached
//! a limit, which grows by a quarter from round to round; the round in which w is below the limit
//! is the last one, and its limit is below 5/4 w unless it is the first. The exhaustive search may
//! do more in the first round, and then waits until the others have caught up.
//!
//! Not all members have full time slices. A heuristic search that succeeds does so early, so
//! heuristic searches have large shares of the first rounds; later the exhaustive search has most
//! of the time.
//!
//! Work is counted and never timed, so the same model and the same options give the same answer:
//! expanded and generated states, weighted by their number of clocks; strengthened labels; states
//! of pattern databases; and the steps of the meter, which are those of heuristics and of
//! evaluations.

mod attempt;
mod candidate;
mod plan;

pub use attempt::{Attempt, AttemptEnd};

#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::heuristics::{HeuristicFactory, HeuristicWork};
use crate::task::{ReachabilityTask, SearchObserver, Searched};
use candidate::{Candidate, Turn};
use plan::Plan;
use zonaut_dbm::Width;
use zonaut_search::{NodeTable, Outcome, Report, Statistics};
use zonaut_space::StopReason;
use zonaut_strategy::{LazyStrategy, Strategy};
use zonaut_zonegraph::ZoneGraph;

/// The shared context of all portfolio members.
pub struct Choosing<'g, W: Width> {
    /// The goal.
    pub task: ReachabilityTask<'g, W>,
    /// The graph that a lazy search explores, if the portfolio may have one.
    pub lazy_graph: Option<&'g ZoneGraph<'g, W>>,
    /// The factory of heuristics.
    pub factory: HeuristicFactory<'g>,
    /// The memory limit of all members together, in bytes.
    pub memory: Option<usize>,
}

/// The result of a portfolio run.
pub struct Decision<'g, W: Width> {
    /// The task of the deciding member, in its own graph.
    pub task: ReachabilityTask<'g, W>,
    /// The result of the deciding member.
    pub searched: Searched<'g, W>,
    /// The work of the heuristic of the deciding member, if it has one.
    pub heuristic: Option<HeuristicWork>,
    /// Problems that did not affect the verdict.
    pub warnings: Vec<String>,
    /// The members that were started; empty for a single search.
    pub attempts: Vec<Attempt>,
}

impl<'g, W: Width> Decision<'g, W> {
    /// The result of a single search.
    #[must_use]
    pub fn of_one(
        task: ReachabilityTask<'g, W>,
        searched: Searched<'g, W>,
        factory: &HeuristicFactory<'g>,
    ) -> Self {
        let has_heuristic = !searched.strategy.heuristics().is_empty();
        let heuristic = has_heuristic.then(|| factory.work());
        let (warnings, attempts) = (factory.warnings(), Vec::new());
        Self { task, searched, heuristic, warnings, attempts }
    }
}

/// The lazy member, whose graph the others do not share.
#[must_use]
pub fn lazy_strategy() -> LazyStrategy {
    Plan::lazy_strategy()
}

/// The head start of the exhaustive search, as a multiple of the limit of the first round: most
/// queries need no more, and a heuristic search that succeeds needs a short time slice only.
const HEAD_START: u64 = 16;

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
        Self { now: self.now.saturating_add(self.now / 4 + 1), before: self.now }
    }
}

/// A portfolio of searches that run in time slices.
pub struct Portfolio<'g, W: Width> {
    task: ReachabilityTask<'g, W>,
    candidates: Vec<Candidate<'g, W>>,
    strategy: Strategy,
    limit: RoundLimit,
    /// The work of the first member before the others start.
    head_start: u64,
    round: u32,
    memory: Option<usize>,
}

impl<'g, W: Width> Portfolio<'g, W> {
    /// The members that suit a model and a goal; `first` is the head start of the exhaustive search,
    /// `HEAD_START` times the limit of the first round.
    #[must_use]
    pub fn new(choosing: Choosing<'g, W>, first: u32) -> Self {
        let plans = Plan::all(&choosing);
        let head_start = u64::from(first.max(1));
        let limit = RoundLimit::first(head_start / HEAD_START);
        Self { head_start, limit, ..Self::of(choosing, first, plans) }
    }

    /// The heuristic members alone; the caller runs the exhaustive search.
    #[must_use]
    pub fn heuristic_searches(choosing: Choosing<'g, W>, first: u32) -> Self {
        let plans = Plan::all(&choosing).into_iter().skip(1).collect();
        Self::of(choosing, first, plans)
    }

    fn of(choosing: Choosing<'g, W>, first: u32, plans: Vec<Plan>) -> Self {
        let Choosing { task, lazy_graph, factory, memory } = choosing;
        let candidates = plans.into_iter().map(|plan| {
            let graph = lazy_graph.filter(|_| plan.is_lazy()).unwrap_or(task.graph);
            Candidate::new(plan, task.over(graph), factory.another())
        });
        let (candidates, limit) = (candidates.collect(), RoundLimit::first(first.into()));
        let strategy = Strategy::Auto { first };
        Self { task, candidates, strategy, limit, head_start: 0, round: 0, memory }
    }

    /// Runs rounds until a member decides, or all have to end.
    pub fn decide(mut self, observer: SearchObserver<'_, W>) -> Decision<'g, W> {
        loop {
            if let Some(ended) = self.take_round(observer) {
                return self.conclude(ended);
            }
        }
    }

    /// Runs one time slice of each member; returns how the portfolio ends, if it does. The first
    /// member, which has the largest share of a round, starts and then waits for the others.
    pub fn take_round(&mut self, observer: SearchObserver<'_, W>) -> Option<Ended<'g, W>> {
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

    /// Drops the other heuristic searches if a heuristic finds no path to the goal at all.
    fn heed(&mut self, index: usize) {
        if self.candidates[index].is_blind() {
            self.candidates.iter_mut().for_each(Candidate::drop_heuristic);
        }
    }

    /// Whether some member can still decide.
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

    fn take_turn(
        &mut self,
        index: usize,
        allowance: u64,
        observer: SearchObserver<'_, W>,
    ) -> Turn<'g, W> {
        let elsewhere = self.candidates.iter().enumerate().filter(|&(other, _)| other != index);
        let (mut explored, mut is_alone) = (0, true);
        for (_, other) in elsewhere {
            explored += other.statistics().explored;
            is_alone &= !other.is_open();
        }
        let memory = self.memory.filter(|_| !is_alone);
        self.candidates[index].take_turn(allowance, (explored, memory), observer)
    }

    /// Gives up the member with the most memory, as long as the time slice of another one may not
    /// fit beside it. It has had more resources than the others, and they can use the memory it
    /// releases.
    fn make_room(&mut self, index: usize, allowance: u64, observer: SearchObserver<'_, W>) {
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

    /// The decision of a portfolio that has ended.
    #[must_use]
    pub fn conclude(self, ended: Ended<'g, W>) -> Decision<'g, W> {
        let decider = match &ended {
            Ended::Answered(index, _) => Some(*index),
            Ended::Stopped(_) => None,
        };
        let warnings = self.candidates.iter().flat_map(|c| c.factory.warnings()).collect();
        let attempts = self.attempts();
        let total = self.total();
        let (task, heuristic, searched) = match ended {
            Ended::Answered(_, searched) => {
                let decider = decider.and_then(|index| self.candidates.get(index));
                let task = decider.map_or(self.task, |candidate| candidate.task);
                let has_heuristic = !searched.strategy.heuristics().is_empty();
                let heuristic = decider.filter(|_| has_heuristic).map(|c| c.factory.work());
                (task, heuristic, *searched)
            }
            Ended::Stopped(why) => {
                let outcome = Outcome::Stopped { why, lower_bound: 0 };
                let nodes = NodeTable::new();
                let report = Report { outcome, best: None, nodes, statistics: total };
                self.task.graph.network().meter().discard(self.candidates);
                (self.task, None, Searched::new(report, self.task.store(), self.strategy))
            }
        };
        Decision { task, searched, heuristic, warnings, attempts }
    }

    /// The members that were started so far.
    #[must_use]
    pub fn attempts(&self) -> Vec<Attempt> {
        self.candidates.iter().filter_map(Candidate::attempt).collect()
    }

    /// The statistics of all members together.
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

/// The end of a portfolio run.
pub enum Ended<'g, W: Width> {
    /// A member has decided: its index, and its result.
    Answered(usize, Box<Searched<'g, W>>),
    /// All members have to end.
    Stopped(StopReason),
}
