//! Better schedules, and proofs of optimality, by orders of the certain uses of locks.
//!
//! *Claim.* If no schedule of the certain uses is over by a limit, no run of the model costs that
//! little: the uses of a run are such a schedule. A schedule of the relaxation is never an answer; its
//! [plan](crate::plan) is carried out in the model, and the run counts. If the model does not allow
//! the plan, the relaxation is given up.

use zonaut_cost::{Improvement, Infimum, Optimisation, OptimizationObserver, OptimizationOutcome};
use zonaut_cost::{Solution, Watched};
use zonaut_search::{Statistics, ask};
use zonaut_space::{Progress, StopReason};

use crate::beam::Found;
use crate::bound::{CertainUse, TaskBound, limit_below};
use crate::order_search::{OrderSearch, Ordering};
use crate::plan::Plan;
use crate::propagation::Activity;
use crate::state::Point;
use crate::system::{Decision, TaskSystem};

/// The best schedule so far.
pub(crate) struct Incumbent<'w> {
    pub(crate) best: Option<Found>,
    /// No schedule costs less.
    pub(crate) lower_bound: Infimum,
    pub(crate) statistics: Statistics,
    pub(crate) watcher: &'w mut dyn OptimizationObserver,
}

impl Incumbent<'_> {
    pub(crate) fn cost(&self) -> Option<Infimum> {
        self.best.as_ref().map(|(cost, _)| *cost)
    }

    /// Whether no schedule costs less.
    pub(crate) fn is_least(&self) -> bool {
        self.cost().is_some_and(|cost| cost <= self.lower_bound)
    }

    /// Takes a schedule, if it is better; returns whether it is.
    pub(crate) fn improve(&mut self, found: Found) -> bool {
        let (cost, lower_bound, explored) = (found.0, self.lower_bound, self.statistics.explored);
        let is_better = self.cost().is_none_or(|best| cost < best);
        if is_better {
            self.best = Some(found);
            self.watcher.improved(Improvement { cost, lower_bound, explored });
        }
        is_better
    }

    /// The result of a search that has ended so.
    pub(crate) fn conclude(
        self,
        system: &TaskSystem<'_>,
        ending: OptimizationOutcome,
    ) -> Optimisation {
        let lower_bound = match (&ending, self.cost()) {
            (OptimizationOutcome::Optimal, Some(cost)) => cost,
            _ => self.lower_bound,
        };
        let best = self.best.map(|(cost, steps)| Solution { cost, steps: system.moves(&steps) });
        Optimisation { ending, best, lower_bound, statistics: self.statistics }
    }
}

/// The orders of the certain uses of a network of tasks.
pub(crate) struct Orders<'s, 'n> {
    system: &'s TaskSystem<'n>,
    uses: Vec<CertainUse>,
    search: State,
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
        Self { system, uses, search: State::Waiting }
    }

    /// Improves the incumbent for a number of conflicts; returns how the search ends, if it does.
    pub(crate) fn improve(
        &mut self,
        incumbent: &mut Incumbent<'_>,
        conflicts: u64,
    ) -> Option<OptimizationOutcome> {
        let rate = self.system.rate;
        loop {
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
            let found = search.run(conflicts, |search| poll(search, before, incumbent));
            incumbent.statistics.explored += (search.decisions() - before) as usize;
            match found {
                Err(why) => return Some(OptimizationOutcome::Stopped(why)),
                Ok(Ordering::Undecided) => return None,
                Ok(Ordering::Impossible) => return Some(OptimizationOutcome::Optimal),
                Ok(Ordering::Schedule(starts)) => {
                    search.prefer(&starts);
                    let run = Plan::new(&self.uses, &starts).carry_out(self.system);
                    if !run.is_some_and(|found| incumbent.improve(found)) {
                        self.search = State::GivenUp;
                    } else if incumbent.is_least() {
                        return Some(OptimizationOutcome::Optimal);
                    }
                }
            }
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
        explored: incumbent.statistics.explored + (search.decisions() - before) as usize,
        stored: 0,
        waiting: 0,
        bytes: search.bytes(),
        depth: 0,
    };
    let lower_bound = incumbent.lower_bound;
    ask::<Point, Decision, _>(&mut Watched { watcher: incumbent.watcher, lower_bound }, &now)
}
