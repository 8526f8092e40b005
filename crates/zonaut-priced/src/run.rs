//! From a path to a run of its cost.

use zonaut_base::Meter;
use zonaut_compile::{BoundsTable, CompileError, CompiledNetwork, Step};
use zonaut_concrete::{
    Approach, ConcreteRun, CostLimit, NoRun, concretise_approaching, concretise_within,
};
use zonaut_cost::{LocationRates, Solution, WrittenDelay, WrittenRun};
use zonaut_dbm::Wide;
use zonaut_model::interpret::ErrorKind;
use zonaut_model::{Formula, Model};
use zonaut_zonegraph::{Abstraction, CompiledGoal, ZoneGraph};

/// A run along the path of a solution that costs as much as is claimed, or, where that is only
/// approached, less than one more; and the network whose actions it names.
///
/// # Errors
/// No such run was found, or the meter stops.
pub fn run_along(
    model: &Model,
    goal: &Formula,
    rates: &LocationRates,
    solution: &Solution,
    meter: &Meter,
) -> Result<(CompiledNetwork, ConcreteRun), NoRun> {
    let network = compiled(model, meter)?;
    let path = Path::of(&network, rates, solution, meter)?;
    let bounds = BoundsTable::new(model, goal);
    let graph = ZoneGraph::<Wide>::new(&network, &bounds, Abstraction::Exact, meter);
    let graph = graph.map_err(|_| NoRun::ClockRange)?;
    let is_strict = !solution.cost.is_attained();
    let limit = CostLimit {
        rates: &path.payments.rates,
        cost: path.cost + i64::from(is_strict),
        is_strict,
    };
    let run = concretise_within(&graph, &path.steps, &CompiledGoal::new(model, goal), limit)?;
    Ok((network, run))
}

/// The run of a solution for a certificate: one of the claimed cost or, where that is only
/// approached, runs that come arbitrarily close to it.
///
/// # Errors
/// No such run was found, or the meter stops.
pub fn written_run(
    model: &Model,
    goal: &Formula,
    rates: &LocationRates,
    solution: &Solution,
    meter: &Meter,
) -> Result<(CompiledNetwork, WrittenRun), NoRun> {
    if solution.cost.is_attained() {
        let (network, run) = run_along(model, goal, rates, solution, meter)?;
        return Ok((network, WrittenRun::of(&run, solution.cost)));
    }
    let network = compiled(model, meter)?;
    let path = Path::of(&network, rates, solution, meter)?;
    let bounds = BoundsTable::new(model, goal);
    let graph = ZoneGraph::<Wide>::new(&network, &bounds, Abstraction::Exact, meter);
    let graph = graph.map_err(|_| NoRun::ClockRange)?;
    let limit = CostLimit { rates: &path.payments.rates, cost: path.cost, is_strict: false };
    let goal = CompiledGoal::new(model, goal);
    let Approach { steps, whole, grains } =
        concretise_approaching(&graph, &path.steps, &goal, limit)?;
    let delays = whole.into_iter().zip(grains);
    let delays = delays.map(|(whole, grains)| WrittenDelay { whole, grains }).collect();
    Ok((network, WrittenRun { denominator: 1, steps, delays }))
}

fn compiled(model: &Model, meter: &Meter) -> Result<CompiledNetwork, NoRun> {
    CompiledNetwork::new(model, meter).map_err(|error| match error {
        CompileError::Stopped(why) => NoRun::Stopped(why),
        CompileError::TooManyActions(..) => NoRun::Spurious,
    })
}

/// The steps of a solution, and its costs.
struct Path {
    steps: Vec<Step>,
    payments: Payments,
    /// The cost of the solution without prices.
    cost: i64,
}

impl Path {
    fn of(
        network: &CompiledNetwork,
        rates: &LocationRates,
        solution: &Solution,
        meter: &Meter,
    ) -> Result<Self, NoRun> {
        let payments = Payments::along(network, rates, solution, meter)?;
        let cost = solution.cost.value() - payments.prices.iter().sum::<i64>();
        let steps = solution.steps.iter().map(|step| network.names().name(step, 0)).collect();
        Ok(Self { steps, payments, cost })
    }
}

/// The cost along a run, over time: dates and costs at its beginning, before and after every
/// transition, and at its end.
#[must_use]
pub fn paid_along(
    network: &CompiledNetwork,
    rates: &LocationRates,
    solution: &Solution,
    run: &ConcreteRun,
    meter: &Meter,
) -> Vec<(f64, f64)> {
    let mut points = vec![(0.0, 0.0)];
    let Ok(payments) = Payments::along(network, rates, solution, meter) else { return points };
    let unit = run.denominator as f64;
    let (mut date, mut paid) = (0.0, 0.0);
    let delays = run.steps.iter().map(|step| step.delay).chain([run.last_delay]);
    let prices = payments.prices.iter().copied().chain([0]);
    for ((delay, &rate), price) in delays.zip(&payments.rates).zip(prices) {
        let delay = delay as f64 / unit;
        (date, paid) = (date + delay, paid + delay * f64::from(rate));
        points.push((date, paid));
        if price != 0 {
            paid += price as f64;
            points.push((date, paid));
        }
    }
    points
}

/// The rates and prices along a path: they depend on its transitions alone.
struct Payments {
    /// The rate of each state, the start first.
    rates: Vec<i32>,
    /// The price of each transition.
    prices: Vec<i64>,
}

impl Payments {
    fn along(
        network: &CompiledNetwork,
        rates: &LocationRates,
        solution: &Solution,
        meter: &Meter,
    ) -> Result<Self, NoRun> {
        let mut machine = network.machine(meter);
        let mut values = network.initial.to_vec();
        let rate = |values: &[i32]| i32::try_from(rates.at(values)).map_err(|_| NoRun::ClockRange);
        let mut payments = Self { rates: vec![rate(&values)?], prices: Vec::new() };
        for step in &solution.steps {
            network.take(step, &mut values, &mut machine).map_err(|error| match error.kind {
                ErrorKind::Stopped(why) => NoRun::Stopped(why),
                _ => NoRun::Spurious,
            })?;
            payments.rates.push(rate(&values)?);
            payments.prices.push(machine.cost);
        }
        Ok(payments)
    }
}
