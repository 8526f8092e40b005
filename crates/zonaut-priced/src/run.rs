//! From a path to a run of its cost.

use zonaut_base::Meter;
use zonaut_compile::{BoundsTable, CompileError, CompiledNetwork};
use zonaut_concrete::{ConcreteRun, CostLimit, NoRun, concretise_within};
use zonaut_cost::{LocationRates, Solution};
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
    let network = CompiledNetwork::new(model, meter).map_err(|error| match error {
        CompileError::Stopped(why) => NoRun::Stopped(why),
        CompileError::TooManyActions(..) => NoRun::Spurious,
    })?;
    let Payments { rates, prices } = Payments::along(&network, rates, solution, meter)?;
    let bounds = BoundsTable::new(model, goal);
    let graph = ZoneGraph::<Wide>::new(&network, &bounds, Abstraction::Exact, meter);
    let graph = graph.map_err(|_| NoRun::ClockRange)?;
    let steps: Vec<_> = solution.steps.iter().map(|step| network.names().name(step, 0)).collect();
    let is_strict = !solution.cost.is_attained();
    let whole = solution.cost.value() - prices.iter().sum::<i64>() + i64::from(is_strict);
    let limit = CostLimit { rates: &rates, cost: whole, is_strict };
    let run = concretise_within(&graph, &steps, &CompiledGoal::new(model, goal), limit)?;
    Ok((network, run))
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
