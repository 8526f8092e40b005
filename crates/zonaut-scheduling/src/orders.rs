//! Better schedules, and proofs of optimality, by orders of the certain uses of locks.
//!
//! *Claim.* If no schedule of the certain uses is over by a limit, no run of the model costs that
//! little: the uses of a run are such a schedule. A schedule of the relaxation is never an answer; its
//! [plan](crate::plan) is carried out in the model, and the run counts. If the model does not allow
//! the plan, the relaxation is given up.

use zonaut_cost::tasks::Span;
use zonaut_cost::{Improvement, Infimum, Optimisation, OptimizationObserver, OptimizationOutcome};
use zonaut_cost::{Solution, Watched};
use zonaut_search::{Statistics, ask};
use zonaut_space::{Progress, StopReason};

use crate::beam::Found;
use crate::bound::{CertainUse, TaskBound, limit_below};
use crate::order_search::{Company, Lemma, OrderSearch, Ordering};
use crate::plan::Plan;
use crate::propagation::Activity;
use crate::state::Point;
use crate::system::{Decision, TaskSystem};
use crate::team::Team;

/// The number of the search of the calling thread in a team.
const STEADY: usize = 0;

/// The best schedule so far.
pub(crate) struct Incumbent<'w> {
    pub(crate) best: Option<Found>,
    /// No schedule costs less.
    pub(crate) lower_bound: Infimum,
    pub(crate) statistics: Statistics,
    pub(crate) watcher: &'w mut dyn OptimizationObserver,
    /// The searches on other threads, if there are some.
    pub(crate) team: Option<&'w Team>,
}

impl Incumbent<'_> {
    pub(crate) fn cost(&self) -> Option<Infimum> {
        self.best.as_ref().map(|(cost, _)| *cost)
    }

    /// Whether no schedule costs less.
    pub(crate) fn is_least(&self) -> bool {
        self.cost().is_some_and(|cost| cost <= self.lower_bound)
    }

    /// Takes a schedule, if it is better. `starts` are those of the uses, if they are known.
    pub(crate) fn improve(&mut self, found: Found, starts: &[Span]) {
        if let Some(team) = self.team {
            team.improve(&found, starts);
        }
        self.take(found);
    }

    fn take(&mut self, found: Found) {
        let (cost, lower_bound, explored) = (found.0, self.lower_bound, self.statistics.explored);
        if self.cost().is_none_or(|best| cost < best) {
            self.best = Some(found);
            let lower_bound = lower_bound.min(cost);
            self.watcher.improved(Improvement { cost, lower_bound, explored });
        }
    }

    /// Takes the incumbent and the lower bound of the team.
    pub(crate) fn learn(&mut self) {
        let Some(team) = self.team else { return };
        self.lower_bound = self.lower_bound.max(team.lower_bound());
        if let Some(found) = team.better_than(self.cost()) {
            self.take(found);
        }
    }

    /// The states explored by all threads.
    pub(crate) fn explored(&self) -> usize {
        self.statistics.explored + self.team.map_or(0, |team| team.counts().0)
    }

    /// The result of a search that has ended so.
    pub(crate) fn conclude(
        mut self,
        system: &TaskSystem<'_>,
        ending: OptimizationOutcome,
    ) -> Optimisation {
        self.statistics.explored = self.explored();
        let lower_bound = match (&ending, self.cost()) {
            (OptimizationOutcome::Optimal, Some(cost)) => cost,
            _ => self.lower_bound,
        };
        let lower_bound = self.cost().map_or(lower_bound, |cost| lower_bound.min(cost));
        let best = self.best.map(|(cost, steps)| Solution { cost, steps: system.moves(&steps) });
        Optimisation { ending, best, lower_bound, statistics: self.statistics }
    }
}

/// The orders of the certain uses of a network of tasks.
pub(crate) struct Orders<'s, 'n> {
    system: &'s TaskSystem<'n>,
    uses: Vec<CertainUse>,
    search: State,
    /// The number of clauses of the team that the search was taught.
    taught: usize,
}

/// The state of the search for orders.
enum State {
    /// It begins when a schedule is known.
    Waiting,
    Begun(Box<OrderSearch>),
    /// No uses exclude each other, or the model does not allow a plan.
    GivenUp,
}

impl<'s, 'n> Orders<'s, 'n> {
    pub(crate) fn new(system: &'s TaskSystem<'n>, bound: &mut TaskBound<'s, 'n>) -> Self {
        let start = system.start(&mut system.machine(), |_| {});
        let uses = start.map_or_else(|_| Vec::new(), |point| bound.certain_uses(&point));
        Self { system, uses, search: State::Waiting, taught: 0 }
    }

    /// The certain uses, in the order of their processes.
    pub(crate) fn uses(&self) -> &[CertainUse] {
        &self.uses
    }

    /// Improves the incumbent for a number of conflicts; returns how the search ends, if it does.
    pub(crate) fn improve(
        &mut self,
        incumbent: &mut Incumbent<'_>,
        conflicts: u64,
    ) -> Option<OptimizationOutcome> {
        let rate = self.system.rate;
        loop {
            incumbent.learn();
            if incumbent.is_least() {
                return Some(OptimizationOutcome::Optimal);
            }
            let limit = limit_below(incumbent.cost()?, rate);
            if matches!(self.search, State::Waiting) {
                let activities: Vec<Activity> = self.uses.iter().map(|one| one.activity).collect();
                let search = OrderSearch::new(&activities, limit);
                self.search =
                    search.map_or(State::GivenUp, |search| State::Begun(Box::new(search)));
            }
            let State::Begun(search) = &mut self.search else { return None };
            search.restrict(limit);
            let before = search.decisions();
            let company = &mut Steady { incumbent, before, taught: &mut self.taught };
            let found = search.run(conflicts, company);
            incumbent.statistics.explored += (search.decisions() - before) as usize;
            match found {
                Err(why) => {
                    incumbent.learn();
                    let is_least = incumbent.is_least();
                    return Some(match is_least {
                        true => OptimizationOutcome::Optimal,
                        false => OptimizationOutcome::Stopped(why),
                    });
                }
                Ok(Ordering::Undecided) => return None,
                Ok(Ordering::Impossible) => {
                    // The team may have a better incumbent, below which there is no schedule.
                    incumbent.learn();
                    return Some(OptimizationOutcome::Optimal);
                }
                Ok(Ordering::Schedule(starts)) => {
                    search.prefer(&starts);
                    let run = Plan::new(&self.uses, &starts).carry_out(self.system);
                    match run.filter(|(cost, _)| limit_below(*cost, rate) < search.limit()) {
                        Some(found) => incumbent.improve(found, &starts),
                        None => self.search = State::GivenUp,
                    }
                }
            }
        }
    }
}

/// The search of the calling thread, which reports progress, as a member of its team.
struct Steady<'i, 'w> {
    incumbent: &'i mut Incumbent<'w>,
    /// The decisions of the search that are counted already.
    before: u64,
    taught: &'i mut usize,
}

impl Company for Steady<'_, '_> {
    fn is_urgent(&self, _: &OrderSearch) -> bool {
        self.incumbent.team.is_some_and(Team::is_decided)
    }

    fn poll(&mut self, search: &OrderSearch) -> Result<(), StopReason> {
        self.incumbent.learn();
        if self.is_urgent(search) {
            return Err(StopReason::Cancelled);
        }
        poll(search, self.before, self.incumbent)
    }

    fn learn(&mut self, lemma: Lemma<'_>) {
        if let Some(team) = self.incumbent.team {
            team.publish(STEADY, lemma);
        }
    }

    fn teach(&mut self, search: &mut OrderSearch) {
        if let Some(team) = self.incumbent.team {
            if let Some(limit) = team.limit().filter(|limit| *limit < search.limit()) {
                search.restrict(limit);
            }
            *self.taught = team.teach(search, STEADY, *self.taught);
        }
    }
}

/// Reports progress, which may stop the search.
fn poll(
    search: &OrderSearch,
    before: u64,
    incumbent: &mut Incumbent<'_>,
) -> Result<(), StopReason> {
    let now = Progress {
        explored: incumbent.explored() + (search.decisions() - before) as usize,
        stored: 0,
        waiting: 0,
        bytes: search.bytes() + incumbent.team.map_or(0, |team| team.counts().1),
        depth: 0,
    };
    let lower_bound = incumbent.lower_bound;
    ask::<Point, Decision, _>(&mut Watched { watcher: incumbent.watcher, lower_bound }, &now)
}
