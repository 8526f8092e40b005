//! The strategy `auto`: a portfolio of complementary searches that run in time slices.
//!
//! *Claim.* The verdict is that of a single search. Each member is complete, and only a member that
//! has ended decides: by a goal or an error it has met, or by exhaustion. A search that is paused
//! or was given up decides nothing.
//!
//! *Claim.* If one of the members decides after work w, so does the portfolio after at most 5/4 n
//! w, a head start, and a small overhead for starting members, where n is the number of members and
//! all have full time slices. In each round every member continues until its total work has reached
//! a limit, which grows by a quarter from round to round ([`crate::scheduler`]); the round in which
//! w is below the limit is the last one, and its limit is below 5/4 w unless it is the first. The
//! exhaustive search may do more in the first round, and then waits until the others have caught up.
//!
//! Not all members have full time slices. A heuristic search that succeeds does so early, so
//! heuristic searches have large shares of the first rounds; later the exhaustive search has most
//! of the time.
//!
//! Work is counted and never timed, so the same model and the same options give the same answer:
//! expanded and generated states, weighted by their number of clocks; strengthened labels; states
//! of pattern databases; and the steps of the meter, which are those of heuristics and of
//! evaluations.
//!
//! A portfolio may have several goals. Its exhaustive search notes which goals it has met and
//! continues; the other members look for any of the goals that were open when they began. If one
//! of them meets a goal, they begin again with the goals that are still open.

mod attempt;
mod member;
mod plan;

pub use attempt::{Attempt, AttemptEnd};

use crate::finished::{Finished, States};
use crate::goal_board::GoalBoard;
use crate::heuristics::HeuristicFactory;
use crate::resumable::BoxedSearch;
use crate::scheduler::{self, Ended, Host, RoundLimit, Scheduler};
use crate::task::{Aside, ReachabilityTask, SearchHost, SearchObserver};
use member::SearchMember;
use plan::Plan;
use std::ops::{Add, ControlFlow};
use zonaut_dbm::Width;
use zonaut_search::{Outcome, Statistics};
use zonaut_space::{Meter, Observer, Progress, StopReason};
use zonaut_strategy::{LazyStrategy, Strategy};
use zonaut_zonegraph::{Step, SymbolicState, ZoneGraph};

/// The lazy member, whose graph the others do not share.
#[must_use]
pub fn lazy_strategy() -> LazyStrategy {
    Plan::lazy_strategy()
}

/// The head start of the exhaustive search, as a multiple of the limit of the first round: most
/// queries need no more, and a heuristic search that succeeds needs a short time slice only.
const HEAD_START: u64 = 16;

impl<W: Width> Host for SearchHost<'_, W> {
    fn held(&self) -> usize {
        self.meter().held()
    }
}

/// A portfolio of searches that run in time slices.
pub struct Portfolio<'g, W: Width> {
    task: ReachabilityTask<'g, W>,
    scheduler: Scheduler<SearchMember<'g, W>, Box<Finished<'g, W>>>,
    strategy: Strategy,
}

impl<'g, W: Width> Portfolio<'g, W> {
    /// The members that suit a model and a goal, any of the open ones if there are several. A lazy
    /// member explores `lazy_graph`; without it, the portfolio has none. `first` is the head start
    /// of the exhaustive search, `HEAD_START` times the limit of the first round. `memory` is the
    /// limit of all members together, in bytes.
    #[must_use]
    pub fn new(
        task: ReachabilityTask<'g, W>,
        lazy_graph: Option<&'g ZoneGraph<'g, W>>,
        factory: &HeuristicFactory<'g>,
        first: u32,
        memory: Option<usize>,
    ) -> Self {
        let head_start = u64::from(first.max(1));
        let limit = RoundLimit::first(head_start / HEAD_START);
        let scheduler = Scheduler::new(members(task, lazy_graph, factory), limit, memory);
        let scheduler = scheduler.with_head_start(head_start);
        Self { task, scheduler, strategy: Strategy::Auto { first } }
    }

    /// The same with an exhaustive search that notes on a board which goals it has met.
    #[must_use]
    pub fn exploring(mut self, search: BoxedSearch<'g, W>, board: &'g GoalBoard<'g>) -> Self {
        if let Some(exhaustive) = self.scheduler.members.first_mut() {
            exhaustive.replace_search(search, board);
        }
        self
    }

    /// Runs rounds until a member decides, or all have to end. The result of a member that has met
    /// a goal can be followed by another call after [`Self::renew`].
    pub fn decide(&mut self, observer: SearchObserver<'_, W>) -> Finished<'g, W> {
        let ended = match self.task.aside {
            None => self.scheduler.run(observer),
            Some(aside) => self.run_beside(aside, observer),
        };
        let warnings = self.scheduler.members.iter().flat_map(SearchMember::warnings).collect();
        let attempts = self.attempts();
        match ended {
            Ended::Answered { member, answer } => {
                let has_heuristic = !answer.strategy.heuristics().is_empty();
                let decider = self.scheduler.members.get(member).filter(|_| has_heuristic);
                let heuristic = decider.map(SearchMember::heuristic_work);
                Finished { heuristic, warnings, attempts, ..*answer }
            }
            Ended::Stopped(why) => {
                let outcome = Outcome::Stopped { why, lower_bound: 0 };
                let (task, strategy) = (self.task, self.strategy.clone());
                let stopped = Finished::new(task, strategy, outcome, self.total(), States::Dropped);
                Finished { warnings, attempts, ..stopped }
            }
        }
    }

    /// Runs rounds with two threads until a member decides, or all have to end.
    fn run_beside<'o>(
        &mut self,
        aside: Aside<'g, W>,
        observer: &mut SearchHost<'o, W>,
    ) -> Ended<Box<Finished<'g, W>>> {
        let meter = aside.graph.meter();
        let with_host = |run: &mut dyn FnMut(&mut SearchHost<'o, W>)| {
            run(&mut AsideObserver { meter: meter.clone(), states: aside.states });
        };
        loop {
            let (crew, held) = (aside.crew, meter.held());
            let aside = scheduler::Aside { crew, with_host: &with_host, held };
            if let Some(ended) = self.scheduler.take_rounds_beside(observer, &aside) {
                return ended;
            }
        }
    }

    /// The members for the goals that are still open; the exhaustive search continues.
    #[must_use]
    pub fn renew(
        mut self,
        task: ReachabilityTask<'g, W>,
        lazy_graph: Option<&'g ZoneGraph<'g, W>>,
        factory: &HeuristicFactory<'g>,
    ) -> Self {
        self.task = task;
        let others = members(task, lazy_graph, factory).into_iter().skip(1);
        self.scheduler.members.truncate(1);
        self.scheduler.members.extend(others);
        self
    }

    /// The result of the exhaustive search, if it has begun and [`Self::decide`] has not returned it.
    #[must_use]
    pub fn into_exploration(mut self) -> Option<Finished<'g, W>> {
        let meter = self.task.graph.meter();
        let kept = match self.scheduler.take_kept() {
            Some(Ended::Answered { answer, .. }) => Some(*answer),
            Some(Ended::Stopped(_)) | None => None,
        };
        let mut members = self.scheduler.members.into_iter();
        let exploration = members.next().and_then(SearchMember::into_unfinished).or(kept);
        meter.discard(members);
        exploration
    }

    /// The members that were started so far.
    fn attempts(&self) -> Vec<Attempt> {
        self.scheduler.members.iter().filter_map(SearchMember::attempt).collect()
    }

    /// The statistics of all members together.
    fn total(&self) -> Statistics {
        let members = self.scheduler.members.iter().map(SearchMember::statistics);
        members.fold(Statistics::default(), Add::add)
    }
}

/// The members for a goal. Symmetry reduction pays off in exhaustive searches; heuristic searches
/// explore the zone graph itself.
fn members<'g, W: Width>(
    task: ReachabilityTask<'g, W>,
    lazy_graph: Option<&'g ZoneGraph<'g, W>>,
    factory: &HeuristicFactory<'g>,
) -> Vec<SearchMember<'g, W>> {
    let plans = Plan::all(&task, lazy_graph, factory);
    let member = |plan: Plan| {
        let task = match lazy_graph {
            _ if plan.is_exhaustive() => task,
            Some(graph) if plan.is_lazy() => task.over(graph).unreduced(),
            _ => task.unreduced().moved_aside(),
        };
        SearchMember::new(plan, task, factory.another())
    };
    plans.into_iter().map(member).collect()
}

/// The observer of the members on the second thread: ends them at the limits of the portfolio.
struct AsideObserver {
    meter: Meter,
    /// The limit of explored states.
    states: Option<usize>,
}

impl<W: Width> Observer<SymbolicState<W>, Step> for AsideObserver {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        match self.meter.poll(now.bytes) {
            Err(why) => ControlFlow::Break(why),
            Ok(()) if self.states.is_some_and(|limit| now.explored >= limit) => {
                ControlFlow::Break(StopReason::NodeLimit)
            }
            Ok(()) => ControlFlow::Continue(()),
        }
    }

    fn meter(&self) -> Meter {
        self.meter.clone()
    }
}
