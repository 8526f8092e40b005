//! A search among those that take turns.

use super::attempt::{Attempt, AttemptEnd};
use super::plan::Plan;
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::guiding::Guiding;
use crate::quest::{NoSearch, Quest, Searched, Watcher};
use crate::resumable::BoxedSearch;
use std::ops::ControlFlow;
use zonaut_base::Held;
use zonaut_dbm::Width;
use zonaut_search::{Budget, Outcome, Statistics, Status};
use zonaut_space::{Meter, Observer, Progress, StopReason};
use zonaut_zonegraph::{Step, SymbolicState};

/// As many steps of the meter are a unit of work. A state that is expanded or generated is one, too,
/// with few clocks. Measured: 0.3 to 0.6 microseconds each.
const STEPS_PER_UNIT: u64 = 48;
/// As many entries of a zone are worth another unit.
const ENTRIES_PER_UNIT: u64 = 64;
/// What a lazy search does with a state is worth so many units.
const UNITS_OF_LAZINESS: u64 = 2;
/// What a state of a database is worth: it is generated several times, and its distance is computed
/// with zones, back from the goal. Measured: 8 to 35 microseconds.
const UNITS_PER_DATABASE_STATE: u64 = 48;
/// After as many turns in which a hunt came no nearer, it has less of the next, and after as many
/// more still less. After one in which it did, it has twice as much.
const PATIENCE: u32 = 2;
/// How many states are expanded or generated before the work is counted again.
const EVENTS_PER_COUNT: u64 = 256;

/// Where a search stands.
enum Stage<'g, W: Width> {
    /// It has not begun.
    Fresh,
    /// It goes on in its next turn.
    Begun(BoxedSearch<'g, W>),
    /// It has ended, or was given up.
    Over(AttemptEnd),
}

/// What came of a turn.
pub(super) enum Turn<'g, W: Width> {
    /// There is more to do.
    Paused,
    /// The search knows the answer.
    Answered(Box<Searched<'g, W>>),
    /// This search has no more turns.
    GivenUp,
    /// Everything has to end.
    Stopped(StopReason),
}

/// A search that has turns.
pub(super) struct Candidate<'g, W: Width> {
    pub(super) plan: Plan,
    pub(super) quest: Quest<'g, W>,
    pub(super) guiding: Guiding<'g>,
    stage: Stage<'g, W>,
    /// What it has done, as far as it was counted.
    statistics: Statistics,
    /// The steps that the meter counted in its turns.
    steps: u64,
    work: u64,
    turns: usize,
    /// How many turns have passed in which the goal came no nearer.
    stalled: u32,
    /// The memory of what waits for the next turn.
    held: Held,
}

impl<'g, W: Width> Candidate<'g, W> {
    pub(super) fn new(plan: Plan, quest: Quest<'g, W>, guiding: Guiding<'g>) -> Self {
        Self {
            plan,
            quest,
            guiding,
            stage: Stage::Fresh,
            statistics: Statistics::default(),
            steps: 0,
            work: 0,
            turns: 0,
            stalled: 0,
            held: Held::default(),
        }
    }

    /// Whether it can still answer.
    pub(super) fn is_open(&self) -> bool {
        !matches!(self.stage, Stage::Over(_))
    }

    pub(super) fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// How much work it may have done after a round with this limit.
    pub(super) fn allowance(&self, limit: u64) -> u64 {
        // Where the estimate is 0, it will not fall any more.
        let is_near = self.guiding.lowest() == Some(0);
        let eighths = match (self.stalled, self.stalled / PATIENCE) {
            _ if !self.plan.is_hunt || self.turns == 0 => self.plan.share,
            (0, _) if !is_near => 2 * self.plan.share,
            (_, 0) if !is_near => self.plan.share,
            (_, 0 | 1) => 2,
            _ => 1,
        };
        (limit / 8).saturating_mul(eighths).max(1)
    }

    /// How much memory it is going to take until it has done so much, if it goes on as until now.
    pub(super) fn growth(&self, allowance: u64) -> usize {
        let left = u128::from(allowance.saturating_sub(self.work));
        let growth = self.statistics.bytes as u128 * left / u128::from(self.work.max(1));
        usize::try_from(growth).unwrap_or(usize::MAX)
    }

    /// What was tried; nothing if it was not.
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

    /// Whether it was given up because its guide sees no way.
    pub(super) fn is_blind(&self) -> bool {
        matches!(self.stage, Stage::Over(AttemptEnd::Blind))
    }

    /// Does not begin if it would follow a guide.
    pub(super) fn forgo_guide(&mut self) {
        if matches!(self.stage, Stage::Fresh) && !self.plan.strategy.guides().is_empty() {
            self.give_up(AttemptEnd::Blind);
        }
    }

    pub(super) fn give_up(&mut self, end: AttemptEnd) {
        self.stage = Stage::Over(end);
        self.guiding.release();
        self.held = Held::default();
    }

    /// Goes on until so much work is done; `explored` states were expanded by others, and all
    /// together may use the memory.
    pub(super) fn take_turn(
        &mut self,
        allowance: u64,
        (explored, memory): (usize, Option<usize>),
        observer: Watcher<'_, W>,
    ) -> Turn<'g, W> {
        if self.turns > 0 && self.work >= allowance {
            return Turn::Paused;
        }
        let meter = observer.meter();
        self.held = Held::default();
        let mut share = Share { observer, explored, memory };
        let (lowest, mut since) = (self.guiding.lowest(), meter.spent());
        self.turns += 1;
        let mut search = match self.begin(&mut share) {
            Ok(search) => search,
            Err(NoSearch::Stopped(StopReason::MemoryLimit)) if meter.stopped().is_none() => {
                self.give_up(AttemptEnd::Stopped(StopReason::MemoryLimit));
                return Turn::GivenUp;
            }
            Err(NoSearch::Stopped(why)) => return Turn::Stopped(why),
            Err(why) => {
                self.give_up(AttemptEnd::Refused(why.to_string()));
                return Turn::GivenUp;
            }
        };
        let price = self.price();
        loop {
            let left = allowance.saturating_sub(self.work);
            let budget =
                (left / self.price_by_now(search.work(), price)).clamp(1, EVENTS_PER_COUNT);
            let status = search.run(Budget::of(budget), &mut share);
            self.steps += meter.spent() - since;
            since = meter.spent();
            self.work = self.counted(search.work(), price);
            if status == Status::Ended {
                self.statistics = search.statistics();
                return self.end(search.finish(), &meter);
            }
            if self.work >= allowance || self.guiding.is_blind() {
                break;
            }
        }
        let is_nearer = lowest != self.guiding.lowest();
        self.stalled = if is_nearer { 0 } else { self.stalled + 1 };
        self.pause(search, &meter)
    }

    /// The search, which begins with its first turn.
    fn begin(&mut self, share: &mut Share<'_, W>) -> Result<BoxedSearch<'g, W>, NoSearch> {
        match std::mem::replace(&mut self.stage, Stage::Over(AttemptEnd::Paused)) {
            Stage::Begun(search) => Ok(search),
            Stage::Fresh | Stage::Over(_) => {
                self.quest.begin(&self.plan.strategy, &self.guiding, share)
            }
        }
    }

    /// What a state that is expanded or generated is worth.
    fn price(&self) -> u64 {
        let rows = self.quest.graph.network().clock_count() as u64 + 1;
        let units = 1 + rows * rows / ENTRIES_PER_UNIT;
        if self.plan.is_lazy() { units * UNITS_OF_LAZINESS } else { units }
    }

    /// What such a state was worth until now, with everything that was done for it; nobody knows
    /// before the first one.
    fn price_by_now(&self, events: u64, price: u64) -> u64 {
        self.work.checked_div(events).map_or(u64::MAX, |by_now| by_now.max(price))
    }

    /// All work until now, in units.
    fn counted(&self, events: u64, price: u64) -> u64 {
        let databases = self.guiding.work().databases;
        let states = databases.map_or(0, |databases| databases.explored as u64);
        (events.saturating_mul(price))
            .saturating_add(states.saturating_mul(UNITS_PER_DATABASE_STATE))
            .saturating_add(self.steps / STEPS_PER_UNIT)
    }

    /// Keeps what waits for the next turn.
    fn pause(&mut self, search: BoxedSearch<'g, W>, meter: &Meter) -> Turn<'g, W> {
        self.statistics = search.statistics();
        #[cfg(feature = "faults")]
        if Fault::PauseIsProof.is_selected() {
            let mut searched = search.finish();
            searched.report.outcome = Outcome::Exhausted;
            return self.end(searched, meter);
        }
        if self.guiding.is_blind() {
            self.give_up(AttemptEnd::Blind);
            return Turn::GivenUp;
        }
        self.held = meter.hold();
        self.held.set(self.statistics.bytes);
        self.stage = Stage::Begun(search);
        Turn::Paused
    }

    /// What it means that the search has ended. Where it could not go on in its share of the memory,
    /// the others may; other limits are those of all.
    fn end(&mut self, searched: Searched<'g, W>, meter: &Meter) -> Turn<'g, W> {
        match searched.report.outcome {
            Outcome::Stopped { why: StopReason::MemoryLimit, .. } if meter.stopped().is_none() => {
                self.give_up(AttemptEnd::Stopped(StopReason::MemoryLimit));
                Turn::GivenUp
            }
            Outcome::Stopped { why, .. } => Turn::Stopped(why),
            Outcome::Reached { .. } | Outcome::Exhausted | Outcome::Failed { .. } => {
                self.stage = Stage::Over(AttemptEnd::Decided);
                Turn::Answered(Box::new(searched))
            }
        }
    }
}

/// Watches one of several searches: the limits of states and memory are those of all together.
struct Share<'s, W: Width> {
    observer: Watcher<'s, W>,
    /// States that others have explored.
    explored: usize,
    /// The memory of all, if there are others that could go on.
    memory: Option<usize>,
}

impl<W: Width> Observer<SymbolicState<W>, Step> for Share<'_, W> {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        let bytes = self.observer.meter().held().saturating_add(now.bytes);
        if self.memory.is_some_and(|memory| bytes >= memory) {
            return ControlFlow::Break(StopReason::MemoryLimit);
        }
        let all = Progress { explored: now.explored + self.explored, ..*now };
        self.observer.progress(&all)
    }

    fn meter(&self) -> Meter {
        self.observer.meter()
    }
}
