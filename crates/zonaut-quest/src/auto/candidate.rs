//! A search among those that take turns.

use super::RoundLimit;
use super::attempt::{Attempt, AttemptEnd};
use super::plan::Plan;
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::guiding::Guiding;
use crate::quest::{NoSearch, Quest, Searched, Watcher};
use crate::resumable::{BoxedSearch, Resumable};
use std::ops::ControlFlow;
use zonaut_base::Held;
use zonaut_dbm::Width;
use zonaut_search::{Budget, Outcome, Statistics, Status};
use zonaut_space::{Meter, Observer, Progress, StopReason};
use zonaut_zonegraph::{Step, SymbolicState};

/// As many steps of the meter are a unit of work, where evaluations count, and where guides do, whose
/// steps are longer. A state that is expanded or generated is one, too, with few clocks. Measured: 0.3 to
/// 0.6 microseconds each.
const STEPS_PER_UNIT: u64 = 48;
const GUIDE_STEPS_PER_UNIT: u64 = 16;
/// As many entries of a zone are worth another unit.
const ENTRIES_PER_UNIT: u64 = 64;
/// What a lazy search does with a state is worth so many units more. Measured: 1 to 10.
const UNITS_OF_LAZINESS: u64 = 2;
/// The same for what a guide is asked about, besides its steps. Measured: 0.5 to 2.
const UNITS_OF_GUIDANCE: u64 = 1;
/// What a state of a database is worth: it is generated several times, and its distance is computed
/// with zones, back from the goal. Measured: 8 to 35 microseconds.
const UNITS_PER_DATABASE_STATE: u64 = 48;
/// Rounds are early while their limit is below this: most hunts that succeed have succeeded then.
const EARLY: u64 = 49_152;
/// From here on what is left is mostly to be explored in full: the search of everything has all of a
/// round, hunts that have stalled half of what they had, and a lazy search what they had, for one that
/// pays has mostly ended.
const LATE: u64 = 8 * EARLY;
/// What the search of everything has until then, in eighths.
const UNHURRIED_SHARE: u64 = 6;
/// What a hunt that has stalled has of a round until it is late, in eighths.
const STALLED_SHARE: u64 = 2;
/// A hunt that has done as many times the work that brought it nearer for the last time has stalled.
const PATIENCE: u64 = 3;
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
    /// How much work it may have done after this round.
    allowed: u64,
    /// How much was done when the goal came nearer for the last time.
    nearer_at: u64,
    /// The most states that have waited to be expanded.
    most_waiting: usize,
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
            allowed: 0,
            nearer_at: 0,
            most_waiting: 0,
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

    /// How much work it may have done after a round with this limit. The search of everything has all
    /// of it, others a share of what is added.
    pub(super) fn allow(&mut self, limit: RoundLimit) -> u64 {
        // Where the estimate is 0, it will not fall any more.
        let has_stalled =
            self.work > PATIENCE.saturating_mul(self.nearer_at) || self.guiding.lowest() == Some(0);
        let is_early = limit.now < EARLY;
        if self.plan.is_exhaustive() {
            let eighths = if limit.now < LATE { UNHURRIED_SHARE } else { 8 };
            self.allowed = self.allowed.max(limit.now * eighths / 8);
            return self.allowed.max(1);
        }
        let eighths = match self.plan.is_hunt {
            true if has_stalled && limit.now >= LATE => STALLED_SHARE / 2,
            true if has_stalled => STALLED_SHARE,
            false if limit.now >= LATE => STALLED_SHARE,
            _ if is_early => self.plan.share,
            _ => self.plan.share / 2,
        };
        self.allowed += limit.added() * eighths / 8;
        self.allowed.max(1)
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
        if matches!(self.stage, Stage::Fresh) && !self.plan.strategy.heuristics().is_empty() {
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
            let is_about_to_end = self.is_about_to_end(&*search, allowance);
            if self.work >= allowance && !is_about_to_end || self.guiding.is_blind() {
                break;
            }
        }
        if lowest != self.guiding.lowest() {
            self.nearer_at = self.work;
        }
        self.pause(search, &meter)
    }

    /// Whether an exploration of everything has ever fewer states to expand, so that what is left is
    /// likely less than what was done. It may then do twice as much as it otherwise might: in its head
    /// start, and when hunts have had their first rounds.
    fn is_about_to_end(&mut self, search: &dyn Resumable<'g, W>, allowance: u64) -> bool {
        let hunts_have_just_begun = self.turns > 1 && allowance < 2 * EARLY;
        if !self.plan.is_exhaustive() || hunts_have_just_begun {
            return false;
        }
        let now = search.statistics();
        let waiting = (now.stored + now.evicted_after_expansion).saturating_sub(now.explored);
        self.most_waiting = self.most_waiting.max(waiting);
        waiting < self.most_waiting / 8 * 7 && self.work / 2 < allowance
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
        match self.plan.is_lazy() {
            true => units + UNITS_OF_LAZINESS,
            false if self.plan.is_hunt => units + UNITS_OF_GUIDANCE,
            false => units,
        }
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
        let steps_per_unit = if self.plan.is_hunt { GUIDE_STEPS_PER_UNIT } else { STEPS_PER_UNIT };
        (events.saturating_mul(price))
            .saturating_add(states.saturating_mul(UNITS_PER_DATABASE_STATE))
            .saturating_add(self.steps / steps_per_unit)
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
