//! A member of a portfolio.

use super::attempt::{Attempt, AttemptEnd};
use super::plan::Plan;
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::finished::Finished;
use crate::goal_board::{CountingObserver, GoalBoard};
use crate::heuristics::{HeuristicFactory, HeuristicWork};
use crate::resumable::{BoxedSearch, Resumable};
use crate::scheduler::{Member, RoundLimit, SliceEnd, TimeSlice, Usage};
use crate::task::{NoSearch, ReachabilityTask, SearchHost, SearchObserver, Workers};
use std::ops::ControlFlow;
use zonaut_base::Held;
use zonaut_dbm::Width;
use zonaut_search::{Budget, Outcome, Statistics, Status};
use zonaut_space::{Meter, Observer, Progress, StopReason};
use zonaut_zonegraph::{Step, SymbolicState};

/// The number of meter steps per unit of work, for evaluations and for heuristics, whose steps are
/// longer. An expanded or generated state with few clocks is one unit, too. Measured: 0.3 to 0.6
/// microseconds each.
const STEPS_PER_UNIT: u64 = 48;
const HEURISTIC_STEPS_PER_UNIT: u64 = 16;
/// The number of zone entries that count as another unit.
const ENTRIES_PER_UNIT: u64 = 64;
/// The additional units per state of a lazy search. Measured: 1 to 10.
const UNITS_OF_LAZINESS: u64 = 2;
/// The additional units per evaluation of a heuristic, besides its steps. Measured: 0.5 to 2.
const UNITS_OF_HEURISTIC: u64 = 1;
/// The units per state of a pattern database: it is generated several times, and its distance is
/// computed with zones, backwards from the goal. Measured: 8 to 35 microseconds.
const UNITS_PER_DATABASE_STATE: u64 = 48;
/// Rounds are early while their limit is below this: most heuristic searches that succeed have
/// succeeded by then.
const EARLY: u64 = 49_152;
/// From this limit on most remaining queries require exhaustive exploration: the exhaustive search
/// has all of a round, stalled heuristic searches half of their share, and a lazy search the former
/// share of stalled ones, for one that succeeds has mostly ended.
const LATE: u64 = 8 * EARLY;
/// The share of the exhaustive search until then, in eighths.
const UNHURRIED_SHARE: u64 = 6;
/// The share of a stalled heuristic search until the late rounds, in eighths.
const STALLED_SHARE: u64 = 2;
/// The multiple of the work at the last improvement of the estimate at which a heuristic search has
/// stalled.
const PATIENCE: u64 = 3;
/// The number of expanded or generated states between two counts of the work.
const EVENTS_PER_COUNT: u64 = 256;
/// The same for a search by several workers, whose threads start and end with each count.
const EVENTS_OF_WORKERS: u64 = 1 << 20;

/// The stage of a member.
enum Stage<'g, W: Width> {
    /// Not started.
    Fresh,
    /// It continues in its next time slice.
    Begun(BoxedSearch<'g, W>),
    /// It has ended, or was given up.
    Over(AttemptEnd),
}

/// A member of a portfolio.
pub(super) struct SearchMember<'g, W: Width> {
    plan: Plan,
    task: ReachabilityTask<'g, W>,
    factory: HeuristicFactory<'g>,
    stage: Stage<'g, W>,
    /// The workers that take over an exhaustive search after its head start.
    workers: Option<Workers<'g, W>>,
    /// The goals that it notes, if there are several.
    board: Option<&'g GoalBoard<'g>>,
    /// Its statistics, as of the last count.
    statistics: Statistics,
    /// The steps that the meter counted in its time slices.
    steps: u64,
    work: u64,
    turns: usize,
    /// Its total work limit after this round.
    allowed: u64,
    /// Its work when the lowest estimate last improved.
    nearer_at: u64,
    /// The greatest size of its frontier.
    most_waiting: usize,
    /// The memory that is held until its next time slice.
    held: Held,
}

impl<'g, W: Width> SearchMember<'g, W> {
    pub(super) fn new(
        plan: Plan,
        task: ReachabilityTask<'g, W>,
        factory: HeuristicFactory<'g>,
    ) -> Self {
        Self {
            workers: task.workers.filter(|_| plan.is_exhaustive() && task.quotient.is_none()),
            plan,
            task: ReachabilityTask { workers: None, ..task },
            factory,
            stage: Stage::Fresh,
            board: None,
            statistics: Statistics::default(),
            steps: 0,
            work: 0,
            turns: 0,
            allowed: 0,
            nearer_at: 0,
            most_waiting: 0,
            held: Held::default(),
        }
    }

    /// Continues with another search, which notes the goals that it meets on a board.
    pub(super) fn replace_search(&mut self, search: BoxedSearch<'g, W>, board: &'g GoalBoard<'g>) {
        self.stage = Stage::Begun(search);
        self.workers = None;
        self.board = Some(board);
    }

    pub(super) fn statistics(&self) -> Statistics {
        self.statistics
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        self.factory.warnings()
    }

    pub(super) fn heuristic_work(&self) -> HeuristicWork {
        self.factory.work()
    }

    /// The result of its search, if that has begun and not ended.
    pub(super) fn into_unfinished(self) -> Option<Finished<'g, W>> {
        match self.stage {
            Stage::Begun(search) => Some(search.finish()),
            Stage::Fresh | Stage::Over(_) => None,
        }
    }

    /// Ends it without a decision.
    fn end_with(&mut self, end: AttemptEnd) {
        if let Some(board) = self.board {
            board.forget_notes();
        }
        self.stage = Stage::Over(end);
        self.factory.release();
        self.held = Held::default();
    }

    /// Its record; `None` if it was not started.
    pub(super) fn attempt(&self) -> Option<Attempt> {
        let end = match &self.stage {
            Stage::Fresh | Stage::Begun(_) => AttemptEnd::Paused,
            Stage::Over(end) => end.clone(),
        };
        (self.turns > 0).then(|| Attempt {
            strategy: self.plan.strategy.clone(),
            purpose: self.plan.purpose,
            turns: self.turns,
            work: self.work,
            statistics: self.statistics,
            end,
        })
    }

    /// Whether the frontier of an exhaustive search is shrinking, so that the remaining work is
    /// likely less than the past work. It may then do twice its regular work: in its head start,
    /// and after the first rounds of heuristic searches.
    fn is_about_to_end(&mut self, search: &dyn Resumable<'g, W>, allowance: u64) -> bool {
        let heuristic_searches_have_just_begun = self.turns > 1 && allowance < 2 * EARLY;
        if !self.plan.is_exhaustive() || heuristic_searches_have_just_begun {
            return false;
        }
        let now = search.statistics();
        let waiting = (now.stored + now.evicted_after_expansion).saturating_sub(now.explored);
        self.most_waiting = self.most_waiting.max(waiting);
        waiting < self.most_waiting / 8 * 7 && self.work / 2 < allowance
    }

    /// The search, started with its first time slice. After the head start, workers search anew: a
    /// question that outlives it is worth the repetition.
    fn begin(&mut self, share: &mut Share<'_, W>) -> Result<BoxedSearch<'g, W>, NoSearch> {
        if self.turns > 1 && self.workers.is_some() {
            self.task.workers = self.workers.take();
            self.stage = Stage::Fresh;
            (self.steps, self.work, self.most_waiting) = (0, 0, 0);
        }
        match std::mem::replace(&mut self.stage, Stage::Over(AttemptEnd::Paused)) {
            Stage::Begun(search) => Ok(search),
            Stage::Fresh | Stage::Over(_) => {
                self.task.begin(&self.plan.strategy, &self.factory, share)
            }
        }
    }

    /// The units of an expanded or generated state.
    fn price(&self) -> u64 {
        let rows = self.task.graph.network().clock_count() as u64 + 1;
        let units = 1 + rows * rows / ENTRIES_PER_UNIT;
        match self.plan.is_lazy() {
            true => units + UNITS_OF_LAZINESS,
            false if self.plan.is_heuristic => units + UNITS_OF_HEURISTIC,
            false => units,
        }
    }

    /// The average units of such a state so far, including all overhead, at least `price`; the
    /// maximum before the first one.
    fn price_by_now(&self, events: u64, price: u64) -> u64 {
        self.work.checked_div(events).map_or(u64::MAX, |by_now| by_now.max(price))
    }

    /// The total work so far, in units.
    fn counted(&self, events: u64, price: u64) -> u64 {
        let databases = self.factory.work().databases;
        let states = databases.map_or(0, |databases| databases.explored as u64);
        let steps_per_unit =
            if self.plan.is_heuristic { HEURISTIC_STEPS_PER_UNIT } else { STEPS_PER_UNIT };
        (events.saturating_mul(price))
            .saturating_add(states.saturating_mul(UNITS_PER_DATABASE_STATE))
            .saturating_add(self.steps / steps_per_unit)
    }

    /// Keeps the search for the next time slice.
    fn pause(
        &mut self,
        search: BoxedSearch<'g, W>,
        meter: &Meter,
    ) -> SliceEnd<Box<Finished<'g, W>>> {
        self.statistics = search.statistics();
        #[cfg(feature = "faults")]
        if Fault::PauseIsProof.is_selected() {
            let mut finished = search.finish();
            finished.outcome = Outcome::Exhausted;
            return self.end(finished, meter);
        }
        if self.factory.is_blind() {
            self.end_with(AttemptEnd::Blind);
            return SliceEnd::GivenUp;
        }
        self.held = meter.hold();
        self.held.set(self.statistics.bytes);
        self.stage = Stage::Begun(search);
        SliceEnd::Paused
    }

    /// The result of a search that has ended. If it exceeded its share of the memory, the others
    /// may continue; all other limits are shared.
    fn end(&mut self, finished: Finished<'g, W>, meter: &Meter) -> SliceEnd<Box<Finished<'g, W>>> {
        match finished.outcome {
            Outcome::Stopped { why: StopReason::MemoryLimit, .. } if meter.stopped().is_none() => {
                self.end_with(AttemptEnd::Stopped(StopReason::MemoryLimit));
                SliceEnd::GivenUp
            }
            Outcome::Stopped { why, .. } => SliceEnd::Stopped(why),
            Outcome::Reached { .. } | Outcome::Exhausted | Outcome::Failed { .. } => {
                self.stage = Stage::Over(AttemptEnd::Decided);
                SliceEnd::Answered(Box::new(finished))
            }
        }
    }
}

impl<'g, 'o, W: Width> Member<SearchHost<'o, W>> for SearchMember<'g, W> {
    type Answer = Box<Finished<'g, W>>;

    fn is_open(&self) -> bool {
        !matches!(self.stage, Stage::Over(_))
    }

    fn first_round(&self) -> u32 {
        self.plan.from_round
    }

    fn usage(&self) -> Usage {
        Usage { explored: self.statistics.explored, bytes: self.statistics.bytes }
    }

    fn give_up(&mut self, why: StopReason) {
        self.end_with(AttemptEnd::Stopped(why));
    }

    // A heuristic that finds no path to the goal at all.
    fn discourages(&self) -> bool {
        matches!(self.stage, Stage::Over(AttemptEnd::Blind))
    }

    // Does not start if it uses a heuristic.
    fn heed(&mut self) {
        if matches!(self.stage, Stage::Fresh) && !self.plan.strategy.heuristics().is_empty() {
            self.end_with(AttemptEnd::Blind);
        }
    }

    // The exhaustive search has all of the limit, others a share of what the round adds.
    fn allow(&mut self, limit: RoundLimit) -> u64 {
        // An estimate of 0 cannot improve any more.
        let has_stalled =
            self.work > PATIENCE.saturating_mul(self.nearer_at) || self.factory.lowest() == Some(0);
        let is_early = limit.now < EARLY;
        if self.plan.is_exhaustive() {
            let eighths = if limit.now < LATE { UNHURRIED_SHARE } else { 8 };
            self.allowed = self.allowed.max(limit.now * eighths / 8);
            return self.allowed.max(1);
        }
        let eighths = match self.plan.is_heuristic {
            true if has_stalled && limit.now >= LATE => STALLED_SHARE / 2,
            true if has_stalled => STALLED_SHARE,
            false if limit.now >= LATE => STALLED_SHARE,
            _ if is_early => self.plan.share,
            _ => self.plan.share / 2,
        };
        self.allowed += limit.added() * eighths / 8;
        self.allowed.max(1)
    }

    // Extrapolated from the past.
    fn growth(&self, allowance: u64) -> usize {
        let left = u128::from(allowance.saturating_sub(self.work));
        let growth = self.statistics.bytes as u128 * left / u128::from(self.work.max(1));
        usize::try_from(growth).unwrap_or(usize::MAX)
    }

    fn take_turn(
        &mut self,
        slice: TimeSlice,
        observer: &mut SearchHost<'o, W>,
    ) -> SliceEnd<Self::Answer> {
        let allowance = slice.allowance;
        if self.turns > 0 && self.work >= allowance {
            return SliceEnd::Paused;
        }
        let meter = observer.meter();
        self.held = Held::default();
        let mut share = Share { observer, slice };
        let (lowest, mut since) = (self.factory.lowest(), meter.spent());
        self.turns += 1;
        let mut search = match self.begin(&mut share) {
            Ok(search) => search,
            Err(NoSearch::Stopped(StopReason::MemoryLimit)) if meter.stopped().is_none() => {
                self.end_with(AttemptEnd::Stopped(StopReason::MemoryLimit));
                return SliceEnd::GivenUp;
            }
            Err(NoSearch::Stopped(why)) => return SliceEnd::Stopped(why),
            Err(why) => {
                self.end_with(AttemptEnd::Refused(why.to_string()));
                return SliceEnd::GivenUp;
            }
        };
        let price = self.price();
        loop {
            let left = allowance.saturating_sub(self.work);
            let most =
                if self.task.workers.is_some() { EVENTS_OF_WORKERS } else { EVENTS_PER_COUNT };
            let budget = (left / self.price_by_now(search.work(), price)).clamp(1, most);
            let status = match self.board {
                None => search.run(Budget::of(budget), &mut share),
                Some(board) => {
                    search.run(Budget::of(budget), &mut CountingObserver::new(&mut share, board))
                }
            };
            self.steps += meter.spent() - since;
            since = meter.spent();
            self.work = self.counted(search.work(), price);
            if status == Status::Ended {
                self.statistics = search.statistics();
                return self.end(search.finish(), &meter);
            }
            let is_about_to_end = self.is_about_to_end(&*search, allowance);
            if self.work >= allowance && !is_about_to_end || self.factory.is_blind() {
                break;
            }
        }
        if lowest != self.factory.lowest() {
            self.nearer_at = self.work;
        }
        self.pause(search, &meter)
    }
}

/// The observer of one member: the limits of states and memory apply to all members together.
struct Share<'s, W: Width> {
    observer: SearchObserver<'s, W>,
    slice: TimeSlice,
}

impl<W: Width> Observer<SymbolicState<W>, Step> for Share<'_, W> {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        let TimeSlice { explored_elsewhere, memory, .. } = self.slice;
        let bytes = self.observer.meter().held().saturating_add(now.bytes);
        if memory.is_some_and(|memory| bytes >= memory) {
            return ControlFlow::Break(StopReason::MemoryLimit);
        }
        let all = Progress { explored: now.explored + explored_elsewhere, ..*now };
        self.observer.progress(&all)
    }

    fn meter(&self) -> Meter {
        self.observer.meter()
    }
}
