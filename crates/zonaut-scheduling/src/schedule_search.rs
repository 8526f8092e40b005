//! Cheapest paths by a search over points, for networks of tasks.

use std::ops::ControlFlow;

use zonaut_base::{Held, Meter};
use zonaut_compile::CompiledNetwork;
use zonaut_cost::{
    CostOrder, Costing, Estimate, Estimated, Failure, Improvement, Infimum, Nothing, Optimisation,
    OptimizationObserver, OptimizationOutcome, Solution, Watched, Workers, drive, drive_together,
    of_worker,
};
use zonaut_model::{Formula, Model};
use zonaut_search::{ArenaStore, AsyncParts, Asynchronous, Crew, Search, Statistics, Task};
use zonaut_space::{Cost, Progress, StopReason};
use zonaut_strategy::Beams;
use zonaut_zonegraph::StepError;

use crate::beam::{Beam, Found, Passed};
use crate::bound::{Known, TaskBound};
use crate::goal::LocationGoal;
use crate::orders::{Incumbent, Orders};
use crate::state::{Earlier, PointEncoding};
use crate::system::{Arrival, PointPricing, TaskSystem};
use crate::task_network::{NoTasks, TaskNetwork};
use crate::team::Team;

/// The number of conflicts for which orders are searched after a beam, times its width.
const CONFLICTS_PER_WIDTH: u64 = 500;

/// A network of tasks with a goal, prepared for a search.
pub struct ScheduleSearch<'m> {
    model: &'m Model,
    network: TaskNetwork,
    goal: LocationGoal,
    compiled: CompiledNetwork,
    /// The memory of the network.
    _held: Held,
    meter: Meter,
    rate: i64,
}

/// The heuristic of a search over points.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TaskHeuristic {
    /// The date alone.
    Blind,
    /// The path of each process alone, and the tasks that need each lock.
    #[default]
    Automatic,
}

/// Reports improvements to the estimate as well.
struct Reporting<'w> {
    watcher: &'w mut dyn OptimizationObserver,
    known: Known,
}

impl OptimizationObserver for Reporting<'_> {
    fn improved(&mut self, found: Improvement) {
        self.known.tell(found.cost);
        self.watcher.improved(found);
    }
    fn progress(&mut self, now: &Progress, lower_bound: Infimum) -> ControlFlow<StopReason> {
        self.watcher.progress(now, lower_bound)
    }
    fn meter(&self) -> Meter {
        self.watcher.meter()
    }
}

impl<'m> ScheduleSearch<'m> {
    /// Prepares `model` for the goal; all evaluations count on `meter`.
    ///
    /// # Errors
    /// Too many actions, or the meter stops; the inner error, where the model is no network of tasks.
    pub fn new(
        model: &'m Model,
        goal: &Formula,
        costing: Costing,
        meter: &Meter,
    ) -> Result<Result<Self, NoTasks>, Failure> {
        let understood = TaskNetwork::of(model, meter)?.and_then(|network| {
            let goal = LocationGoal::of(model, goal, &network.tasks)?;
            Ok((network, goal))
        });
        let (network, goal) = match understood {
            Ok(_) if costing.rate <= 0 => return Ok(Err(NoTasks("a cost rate of 0"))),
            Ok(understood) => understood,
            Err(why) => return Ok(Err(why)),
        };
        let compiled = CompiledNetwork::new(model, meter).map_err(Failure::Compile)?;
        let (rate, held, meter) = (i64::from(costing.rate), compiled.hold(meter), meter.clone());
        Ok(Ok(Self { model, network, goal, compiled, _held: held, meter, rate }))
    }

    fn system(&self) -> TaskSystem<'_> {
        self.system_on(&self.meter)
    }

    /// The system whose evaluations count on `meter`.
    fn system_on<'n>(&'n self, meter: &'n Meter) -> TaskSystem<'n> {
        let Self { model, network, goal, compiled, rate, .. } = self;
        TaskSystem::new(model, network, compiled, goal, *rate, meter)
    }

    /// Looks for a cheapest path to the goal in one order.
    pub fn optimise(
        &self,
        order: CostOrder,
        heuristic: TaskHeuristic,
        watcher: &mut dyn OptimizationObserver,
    ) -> Optimisation {
        let system = self.system();
        self.search(&system, order, heuristic, None, watcher)
    }

    /// The same by several workers, each in the given order. The least cost is the same.
    pub fn optimise_together(
        &self,
        order: CostOrder,
        heuristic: TaskHeuristic,
        workers: Workers<'_>,
        watcher: &mut dyn OptimizationObserver,
    ) -> Optimisation {
        let systems: Vec<TaskSystem<'_>> =
            workers.meters.iter().map(|meter| self.system_on(meter)).collect();
        let (told, mut parts) = (Known::default(), Vec::new());
        let mut at_least = Infimum::ZERO;
        for (number, system) in systems.iter().enumerate() {
            let estimate: Box<dyn Estimate<_> + '_> = match heuristic {
                TaskHeuristic::Blind => Box::new(Nothing),
                TaskHeuristic::Automatic => {
                    let mut bound = match TaskBound::new(system, told.clone()) {
                        Ok(bound) => bound,
                        Err(why) => return stopped(system, why, None),
                    };
                    if number == 0 {
                        at_least = self.at_least(system, &mut bound);
                    }
                    Box::new(bound)
                }
            };
            let encoding = || PointEncoding { network: &self.compiled };
            let clocks = self.compiled.clock_count();
            parts.push(AsyncParts {
                system,
                goal: Arrival(&self.goal),
                store: ArenaStore::new(encoding(), Earlier { clocks }),
                frontier: Estimated::new(of_worker(order, number), estimate),
                pricing: PointPricing(self.rate),
                encoding: encoding(),
                luggage: (),
            });
        }
        let read = |steps: &[_]| systems[0].moves(steps);
        let search = Asynchronous::cheapest(parts);
        let reporting = &mut Reporting { watcher, known: told };
        let found = drive_together(search, workers.crew, at_least, read, reporting);
        match found.ending {
            // In another order, a goal might have been met before: one worker decides.
            OptimizationOutcome::Failed { .. } => self.optimise(order, heuristic, watcher),
            _ => found,
        }
    }

    /// A lower bound of the cost of every path, from the initial point alone.
    fn at_least(&self, system: &TaskSystem<'_>, bound: &mut TaskBound<'_, '_>) -> Infimum {
        let start = system.start(&mut system.machine(), |_| {}).ok();
        let date = start.and_then(|point| bound.least_limit(&point));
        date.map_or(Infimum::ZERO, |date| Infimum::attained(date.saturating_mul(self.rate)))
    }

    fn search(
        &self,
        system: &TaskSystem<'_>,
        order: CostOrder,
        heuristic: TaskHeuristic,
        known: Option<Found>,
        watcher: &mut dyn OptimizationObserver,
    ) -> Optimisation {
        let told = Known::default();
        let mut bound = match TaskBound::new(system, told.clone()) {
            Ok(bound) => bound,
            Err(why) => return stopped(system, why, known),
        };
        let at_least = self.at_least(system, &mut bound);
        if let Some((cost, _)) = &known {
            told.tell(*cost);
        }
        let estimate: Box<dyn Estimate<_>> = match heuristic {
            TaskHeuristic::Blind => Box::new(Nothing),
            TaskHeuristic::Automatic => Box::new(bound),
        };
        let encoding = PointEncoding { network: &self.compiled };
        let clocks = self.compiled.clock_count();
        let store = ArenaStore::new(encoding, Earlier { clocks });
        let frontier = Estimated::new(order, estimate);
        let (goal, pricing) = (Arrival(&self.goal), PointPricing(self.rate));
        let mut search = Search::cheapest(system, pricing, goal, store, frontier);
        if let Some((cost, _)) = known {
            search = search.below(cost);
        }
        let at_least = if heuristic == TaskHeuristic::Blind { Infimum::ZERO } else { at_least };
        let read = |steps: &[_]| system.moves(steps);
        let watcher = &mut Reporting { watcher, known: told };
        let mut found = drive(search, at_least, read, watcher);
        if let (None, Some((cost, steps))) = (&found.best, known) {
            found.best = Some(Solution { cost, steps: system.moves(&steps) });
            found.lower_bound = found.lower_bound.min(cost);
            if found.ending == OptimizationOutcome::Unreachable {
                (found.ending, found.lower_bound) = (OptimizationOutcome::Optimal, cost);
            }
        }
        found
    }

    /// Looks for good paths by beams of growing width, in alternation with the search for orders of
    /// uses, and then for a cheapest one.
    pub fn schedule(&self, beams: Beams, watcher: &mut dyn OptimizationObserver) -> Optimisation {
        self.schedule_in_turns(beams, None, watcher)
    }

    /// The same with further searches for orders of uses, one on each thread of the `helpers`. The
    /// result is the same; the schedule of least cost may be another one.
    pub fn schedule_with(
        &self,
        beams: Beams,
        helpers: Helpers<'_>,
        watcher: &mut dyn OptimizationObserver,
    ) -> Optimisation {
        let helpers = Some(helpers).filter(|helpers| helpers.count > 0);
        self.schedule_in_turns(beams, helpers, watcher)
    }

    fn schedule_in_turns(
        &self,
        beams: Beams,
        helpers: Option<Helpers<'_>>,
        watcher: &mut dyn OptimizationObserver,
    ) -> Optimisation {
        let system = self.system();
        let known = Known::default();
        let mut bound = match TaskBound::new(&system, known.clone()) {
            Ok(bound) => bound,
            Err(why) => return stopped(&system, why, None),
        };
        let at_least = self.at_least(&system, &mut bound);
        let orders = Orders::new(&system, &mut bound);
        let team =
            helpers.map(|Helpers { count, .. }| Team::new(self.rate, known, at_least, count));
        let mut incumbent = Incumbent {
            best: None,
            lower_bound: at_least,
            statistics: Statistics::default(),
            watcher,
            team: team.as_ref(),
        };
        let ending = match (&team, helpers) {
            (Some(team), Some(Helpers { crew, .. })) => {
                let uses = orders.uses().to_vec();
                let mut turns = Some(Turns { system: &system, bound, orders });
                let mut ending = None;
                let bold = |number| -> Task<'_> {
                    let (uses, system) = (&uses, &system);
                    Box::new(move || team.run_bold(number, system, uses))
                };
                let mut first = || {
                    let _over = Over(team);
                    ending = turns.take().and_then(|turns| turns.take(beams, &mut incumbent));
                };
                let others = (0..team.bold()).map(bold).collect();
                match crew.run(&mut first, others) {
                    Ok(()) => ending,
                    Err(why) => Some(OptimizationOutcome::Stopped(why)),
                }
            }
            _ => Turns { system: &system, bound, orders }.take(beams, &mut incumbent),
        };
        incumbent.learn();
        if let Some(ending) = ending {
            return incumbent.conclude(&system, ending);
        }
        let explored = incumbent.explored();
        let Incumbent { best, statistics, watcher, .. } = incumbent;
        let mut found =
            self.search(&system, CostOrder::LeastTotal, TaskHeuristic::Automatic, best, watcher);
        found.statistics.explored += explored;
        found.statistics.generated += statistics.generated;
        found
    }
}

/// Threads that help the calling one.
#[derive(Clone, Copy)]
pub struct Helpers<'c> {
    /// Starts the threads.
    pub crew: &'c dyn Crew,
    /// The number of threads beside the calling one.
    pub count: usize,
}

/// Ends the searches of a team when the calling thread is done, or panics.
struct Over<'t>(&'t Team);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Beams and the search for orders of uses, which take turns.
struct Turns<'s, 'n> {
    system: &'s TaskSystem<'n>,
    bound: TaskBound<'s, 'n>,
    orders: Orders<'s, 'n>,
}

impl Turns<'_, '_> {
    /// Improves the incumbent; returns how the search ends, if it does.
    fn take(mut self, beams: Beams, incumbent: &mut Incumbent<'_>) -> Option<OptimizationOutcome> {
        let Self { system, bound, orders } = &mut self;
        let system = *system;
        let mut width = beams.width;
        while width <= beams.widest {
            let mut beam = Beam::new(system, bound, width, incumbent.best.clone());
            let lower_bound = incumbent.lower_bound;
            let watcher = &mut *incumbent.watcher;
            let passed = match incumbent.team {
                None => beam.pass(&mut Watched { watcher, lower_bound }),
                Some(team) => {
                    let mut watcher = WithTeam { watcher, team };
                    beam.pass(&mut Watched { watcher: &mut watcher, lower_bound })
                }
            };
            let of_beam = &beam.ledger.statistics;
            let statistics = &mut incumbent.statistics;
            statistics.explored += of_beam.explored;
            statistics.generated += of_beam.generated;
            (statistics.stored, statistics.bytes) = (of_beam.stored, of_beam.bytes);
            if let Some(found) = beam.best {
                incumbent.improve(found, &[]);
            }
            incumbent.learn();
            let ending = match passed {
                Passed::Complete if incumbent.best.is_none() => {
                    Some(OptimizationOutcome::Unreachable)
                }
                Passed::Complete => Some(OptimizationOutcome::Optimal),
                Passed::Narrow | Passed::Failed(StepError::Stopped(_), _)
                    if incumbent.is_least() =>
                {
                    Some(OptimizationOutcome::Optimal)
                }
                Passed::Narrow => orders.improve(incumbent, CONFLICTS_PER_WIDTH * width as u64),
                Passed::Failed(StepError::Stopped(why), _) => {
                    Some(OptimizationOutcome::Stopped(why))
                }
                Passed::Failed(error, steps) => {
                    Some(OptimizationOutcome::Failed { error, steps: system.moves(&steps) })
                }
            };
            if ending.is_some() {
                return ending;
            }
            width = width.saturating_mul(beams.growth);
        }
        orders.improve(incumbent, u64::MAX)
    }
}

/// The observer of a beam in a team, which ends it when the incumbent is optimal.
struct WithTeam<'w> {
    watcher: &'w mut dyn OptimizationObserver,
    team: &'w Team,
}

impl OptimizationObserver for WithTeam<'_> {
    fn progress(&mut self, now: &Progress, lower_bound: Infimum) -> ControlFlow<StopReason> {
        if self.team.is_decided() {
            return ControlFlow::Break(StopReason::Cancelled);
        }
        let (explored, bytes) = self.team.counts();
        let now = Progress { explored: now.explored + explored, bytes: now.bytes + bytes, ..*now };
        self.watcher.progress(&now, lower_bound)
    }
    fn meter(&self) -> Meter {
        self.watcher.meter()
    }
}

/// The result of a search that was stopped before it began.
fn stopped(system: &TaskSystem<'_>, why: StopReason, known: Option<Found>) -> Optimisation {
    Optimisation {
        ending: OptimizationOutcome::Stopped(why),
        best: known.map(|(cost, steps)| Solution { cost, steps: system.moves(&steps) }),
        lower_bound: Infimum::ZERO,
        statistics: Statistics::default(),
    }
}
