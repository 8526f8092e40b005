//! Concrete runs with exact delays for paths of the zone graph.
//!
//! All constraints along a path are differences of event dates: a clock that was last set to `v` by
//! event `j` has the value `t - t_j + v` at date `t`. A strict bound `< c` is replaced by `<= c -
//! 1/D`, where D is the number of dates. If the strict system has a solution, so has this one: a
//! simple cycle passes at most D constraints, its weight in the strict system is an integer that is
//! positive, or zero without strict constraints, so subtracting at most D times 1/D leaves it
//! non-negative. Hence multiples of 1/D suffice, and the earliest such run is computed by
//! relaxation. Smaller denominators are tried first, because users read the delays. Finally the run
//! is replayed on numbers alone, which is cheap and independent of this computation.
//!
//! If clocks are stopped along the path, constraints are no longer differences of dates, but linear
//! inequalities between delays, which are solved exactly (`linear.rs`). Zones are over-approximated
//! then, so that a path may have no run; and a run may be missed if numbers become too large.

mod approach;
mod dates;
mod delays;
mod fraction;
mod linear;
mod maximal;
mod path;
mod replay;

pub use approach::{Approach, concretise_approaching};
use dates::Dates;
use delays::Delays;
use fraction::{Fraction, gcd};
pub use maximal::{Departure, MaximalPath, MaximalRun, concretise_maximal};
use path::{Visited, accepted_path, exact_path};
use replay::is_run;
use zonaut_base::Id;
use zonaut_compile::{ActionId, ClockRow, Step};
use zonaut_dbm::{Wide, Width};
use zonaut_model::interpret::ClockEffect;
use zonaut_space::StopReason;
use zonaut_zonegraph::ZoneConstraint;
use zonaut_zonegraph::ZoneGraph;
use zonaut_zonegraph::{CompiledGoal, ZoneGoal};

/// A run with exact delays, which are integers over one denominator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConcreteRun {
    /// The denominator of all delays and clock values.
    pub denominator: i64,
    /// The values of locations and cells at the start.
    pub start: Vec<i32>,
    /// The values of clocks at the start.
    pub start_clocks: Vec<i64>,
    /// The transitions.
    pub steps: Vec<RunStep>,
    /// The delay after the last transition.
    pub last_delay: i64,
    /// The values of clocks after it.
    pub last_clocks: Vec<i64>,
    /// Whether the last transition fails at run time; its values and clocks are then those before
    /// it.
    pub fails: bool,
    /// The moment from which a formula is avoided; absent if that is the start.
    pub moment: Option<Moment>,
}

/// A moment of a run, during a delay or at one of its ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// The number of transitions before it.
    pub transitions: usize,
    /// The delay since the last of them.
    pub delay: i64,
}

/// A delay and the transition after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunStep {
    /// The delay before the transition.
    pub delay: i64,
    /// The actions taken, the sender's first, receivers in system order.
    pub participants: Vec<ActionId>,
    /// The values of locations and cells after the transition.
    pub values: Vec<i32>,
    /// The values of clocks after the transition.
    pub clocks: Vec<i64>,
}

/// The reason for which a path has no concrete run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoRun {
    /// The path has no run: a bug, unless clocks are stopped along it.
    Spurious,
    /// Clock values leave the range in which zones are exact.
    ClockRange,
    /// The meter stopped before the result was known.
    Stopped(StopReason),
}

/// The required end of a run.
#[derive(Clone, Copy, Debug)]
pub enum Destination<'g> {
    /// Any state that the last step leads to.
    Anywhere,
    /// A state in which this goal holds.
    Goal(&'g CompiledGoal),
    /// A run-time error: in the last step, or in the state that it leads to.
    Failure,
}

/// A run along `steps`, which were found under any abstraction, to `destination`.
///
/// # Errors
/// If no run exists, which indicates a bug in the zone graph; if clock values are too large; or if
/// the meter stops.
pub fn concretise<W: Width>(
    graph: &ZoneGraph<'_, W>,
    steps: &[Step],
    destination: Destination<'_>,
) -> Result<ConcreteRun, NoRun> {
    let goal = match destination {
        Destination::Goal(goal) => Some(goal),
        Destination::Anywhere | Destination::Failure => None,
    };
    let run = find_run(graph, steps, destination)
        .and_then(|run| if is_run(graph, &run, goal) { Ok(run) } else { Err(NoRun::Spurious) });
    // Completed evaluations are valid, but cannot be distinguished from aborted ones.
    graph.meter().stopped().map_or(run, |why| Err(NoRun::Stopped(why)))
}

/// The delays that a run has, where its path leaves a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DelayChoice {
    /// Every transition as early as possible, so that the run is as short as its path allows.
    #[default]
    Earliest,
    /// The largest distance from the bounds of guards, invariants and the goal, and as early as
    /// that allows. Along paths with stopped clocks, the delays of [`DelayChoice::Earliest`].
    Lenient,
}

/// The duration of a stay: `numerator / denominator` time units. The denominator is positive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stay {
    /// The numerator.
    pub numerator: i64,
    /// The denominator.
    pub denominator: i64,
}

/// A run along `steps`, which were found under any abstraction, to `destination`, with these delays.
///
/// # Errors
/// As for [`concretise`].
pub fn concretise_choosing<W: Width>(
    graph: &ZoneGraph<'_, W>,
    steps: &[Step],
    destination: Destination<'_>,
    choice: DelayChoice,
) -> Result<ConcreteRun, NoRun> {
    if choice == DelayChoice::Earliest {
        return concretise(graph, steps, destination);
    }
    let exact = graph.with_exact_zones();
    let path = exact_path(&exact, steps, destination)?;
    let end = required_end(&exact, &path, destination)?;
    let run = timed_to(&exact, &path, &Wanted { end: &end, stays: &[], choice })?;
    let goal = match destination {
        Destination::Goal(goal) => Some(goal),
        Destination::Anywhere | Destination::Failure => None,
    };
    if is_run(graph, &run, goal) { Ok(run) } else { Err(NoRun::Spurious) }
}

/// The earliest run along `steps` with the durations `stays` in its states, where given: the first
/// entry is for the first state, and so on. Steps are of exact zones.
///
/// # Errors
/// As for [`concretise`]; [`NoRun::Spurious`] if no run has these durations.
pub fn concretise_staying<W: Width>(
    graph: &ZoneGraph<'_, W>,
    steps: &[Step],
    stays: &[Option<Stay>],
) -> Result<ConcreteRun, NoRun> {
    let exact = graph.with_exact_zones();
    let path = exact_path(&exact, steps, Destination::Anywhere)?;
    let run = timed_to(&exact, &path, &Wanted { stays, ..Wanted::default() })?;
    if is_run(graph, &run, None) { Ok(run) } else { Err(NoRun::Spurious) }
}

/// A limit on the cost of the delays of a run.
#[derive(Clone, Copy, Debug)]
pub struct CostLimit<'r> {
    /// The cost of a unit of time in each state, the start first.
    pub rates: &'r [i32],
    /// The greatest cost.
    pub cost: i64,
    /// Whether the cost must be less.
    pub is_strict: bool,
}

/// A run along `steps`, which were found under any abstraction, to `goal`, whose delays cost no more
/// than `limit`. No clock is stopped.
///
/// # Errors
/// [`NoRun::ClockRange`] if no run was found: none exists, or numbers became too large; otherwise as
/// for [`concretise`].
pub fn concretise_within<W: Width>(
    graph: &ZoneGraph<'_, W>,
    steps: &[Step],
    goal: &CompiledGoal,
    limit: CostLimit<'_>,
) -> Result<ConcreteRun, NoRun> {
    let exact = graph.with_exact_zones();
    let mut found = None;
    let path = accepted_path(&exact, steps, Destination::Goal(goal), &mut |path| {
        let last = path.last().and_then(|last| last.state.as_ref());
        let ends = last.and_then(|state| ZoneGoal::new(&exact, goal).disjuncts(state).ok());
        let mut ends = ends.into_iter().flatten();
        found = ends.find_map(|end| Timing::of_delays(&Delays::within(&exact, path, &end, limit)?));
        found.is_some()
    });
    let run = match (path, found) {
        (Ok(path), Some(timing)) => run(&exact, &path, &timing),
        (Err(why @ NoRun::Stopped(_)), _) => return Err(why),
        _ => return Err(graph.meter().stopped().map_or(NoRun::ClockRange, NoRun::Stopped)),
    };
    if is_run(graph, &run, Some(goal)) { Ok(run) } else { Err(NoRun::Spurious) }
}

fn find_run<W: Width>(
    graph: &ZoneGraph<'_, W>,
    steps: &[Step],
    destination: Destination<'_>,
) -> Result<ConcreteRun, NoRun> {
    let exact = graph.with_exact_zones();
    match exact_path(&exact, steps, destination) {
        Ok(path) => timed(&exact, &path, destination),
        Err(why @ (NoRun::Spurious | NoRun::Stopped(_))) => Err(why),
        // Dates are exact at any magnitude, so zones need to be exact only to determine where a
        // stay ends.
        Err(NoRun::ClockRange) => {
            let graph = exact.with_zones_in_range().ok_or(NoRun::ClockRange)?;
            let path = exact_path(&graph, steps, destination).map_err(|_| NoRun::ClockRange)?;
            timed(&graph, &path, destination).map_err(|_| NoRun::ClockRange)
        }
    }
}

/// The earliest run along a path of exact zones.
fn timed(
    graph: &ZoneGraph<'_, Wide>,
    path: &[Visited],
    destination: Destination<'_>,
) -> Result<ConcreteRun, NoRun> {
    let end = required_end(graph, path, destination)?;
    timed_to(graph, path, &Wanted { end: &end, ..Wanted::default() })
}

/// The constraints at the end of a run to `destination`.
fn required_end(
    graph: &ZoneGraph<'_, Wide>,
    path: &[Visited],
    destination: Destination<'_>,
) -> Result<Vec<ZoneConstraint<Wide>>, NoRun> {
    match (destination, path.last().and_then(|last| last.state.as_ref())) {
        (Destination::Goal(goal), Some(state)) => {
            let witness = ZoneGoal::new(graph, goal).witness(state);
            witness.ok().flatten().ok_or(NoRun::Spurious)
        }
        _ => Ok(Vec::new()),
    }
}

/// The wishes for the dates of a run.
#[derive(Default)]
struct Wanted<'w> {
    /// The constraints that hold at the end.
    end: &'w [ZoneConstraint<Wide>],
    /// The durations of stays, where requested.
    stays: &'w [Option<Stay>],
    choice: DelayChoice,
}

/// A run along a path of exact zones.
fn timed_to(
    graph: &ZoneGraph<'_, Wide>,
    path: &[Visited],
    wanted: &Wanted<'_>,
) -> Result<ConcreteRun, NoRun> {
    let Wanted { end, stays, choice } = *wanted;
    if path.iter().any(|visited| !visited.transition.stopped.is_empty()) && !forgets_stops() {
        let delays = Delays::along(graph, path, end, stays).ok_or(NoRun::Spurious)?;
        let timing = Timing::of_delays(&delays).ok_or(NoRun::ClockRange)?;
        return Ok(run(graph, path, &timing));
    }
    let mut dates = Dates::new(graph, path.len());
    for (event, visited) in path.iter().enumerate() {
        dates.enter(event, &visited.transition, visited.state.is_none());
    }
    dates.require(end, path.len());
    dates.stay(path, stays);
    let solved = match choice {
        DelayChoice::Earliest => dates.solve(graph.meter()),
        DelayChoice::Lenient => dates.solve_leniently(graph.meter()),
    };
    let (solved, unit) = solved.ok_or(NoRun::Spurious)?;
    let timing = Timing::reduced(&solved, unit).ok_or(NoRun::ClockRange)?;
    Ok(run(graph, path, &timing))
}

/// Whether the injected fault that ignores stopped clocks is selected.
fn forgets_stops() -> bool {
    #[cfg(feature = "faults")]
    return zonaut_zonegraph::faults::Fault::RunsWithoutStops.is_selected();
    #[cfg(not(feature = "faults"))]
    false
}

/// The dates of the events and of the end of a run.
struct Timing {
    dates: Vec<i64>,
    /// The denominator of the dates.
    unit: i64,
}

impl Timing {
    /// These dates over the least common denominator; `None` on overflow.
    fn reduced(dates: &[i128], denominator: i128) -> Option<Self> {
        let divisor = dates.iter().fold(denominator, |divisor, &date| gcd(divisor, date));
        let narrow = |number: i128| i64::try_from(number / divisor).ok();
        // Clocks have values of their own, which are added to dates.
        let last = dates.last().copied().unwrap_or(0);
        narrow(last.checked_add(denominator.checked_mul(i128::from(i32::MAX))?)?)?;
        let unit = narrow(denominator)?;
        Some(Self { dates: dates.iter().map(|&date| narrow(date)).collect::<Option<_>>()?, unit })
    }

    /// The dates with these delays between them; `None` on overflow.
    fn of_delays(delays: &[Fraction]) -> Option<Self> {
        let unit = delays.iter().try_fold(1_i128, |unit, delay| {
            (unit / gcd(unit, delay.denominator)).checked_mul(delay.denominator)
        })?;
        let mut dates = vec![0_i128];
        for delay in delays {
            let length = delay.numerator.checked_mul(unit / delay.denominator)?;
            dates.push(dates[dates.len() - 1].checked_add(length)?);
        }
        Self::reduced(&dates, unit)
    }
}

/// Combines dates and path into a run.
fn run(graph: &ZoneGraph<'_, Wide>, path: &[Visited], timing: &Timing) -> ConcreteRun {
    let Timing { dates, unit } = timing;
    let unit = *unit;
    let start_clocks: Vec<i64> =
        graph.network().initial_clocks.iter().map(|&v| i64::from(v) * unit).collect();
    let mut clocks = start_clocks.clone();
    let mut steps = Vec::new();
    let mut values = path[0].state.as_ref().map(|s| s.values.clone()).unwrap_or_default();
    let start = values.clone();
    let (mut since, mut moment) = (0, None);
    for (event, visited) in path.iter().enumerate().skip(1) {
        // A moment during a delay changes no values.
        if visited.is_a_moment() {
            let delay = dates[event] - dates[since];
            moment = Some(Moment { transitions: steps.len(), delay });
            continue;
        }
        let delay = dates[event] - dates[since];
        elapse(&path[since].transition.stopped, delay, &mut clocks);
        since = event;
        // A failing transition, or one into a failing invariant, changes no values.
        if let Some(state) = &visited.state {
            values.clone_from(&state.values);
            apply(&visited.transition.effects, unit, &mut clocks);
        }
        steps.push(RunStep {
            delay,
            participants: visited.transition.participants.clone(),
            values: values.clone(),
            clocks: clocks.clone(),
        });
    }
    let last_delay = dates[path.len()] - dates[since];
    let last_clocks = {
        let mut clocks = clocks;
        elapse(&path[since].transition.stopped, last_delay, &mut clocks);
        clocks
    };
    let fails = path.last().is_some_and(|visited| visited.state.is_none());
    let denominator = unit;
    ConcreteRun { denominator, start, start_clocks, steps, last_delay, last_clocks, fails, moment }
}

/// Lets time pass for all clocks except those of the rows `stopped`, which are ascending.
fn elapse(stopped: &[ClockRow], delay: i64, clocks: &mut [i64]) {
    for (row, clock) in (1_u32..).zip(clocks) {
        if stopped.binary_search(&row).is_err() || forgets_stops() {
            *clock += delay;
        }
    }
}

/// Applies `effects` to clocks in units of one over `unit`.
fn apply(effects: &[ClockEffect], unit: i64, clocks: &mut [i64]) {
    for effect in effects {
        match *effect {
            ClockEffect::Set(clock, value) => clocks[clock.index()] = i64::from(value) * unit,
            ClockEffect::Copy(target, source) => clocks[target.index()] = clocks[source.index()],
        }
    }
}
