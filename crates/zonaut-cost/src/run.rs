//! From a path to a run of its cost.

use zonaut_base::{Id, Meter};
use zonaut_compile::{ActionId, BoundsTable, CompileError, CompiledNetwork};
use zonaut_concrete::{ConcreteRun, Destination, NoRun, concretise};
use zonaut_dbm::Wide;
use zonaut_model::interpret::ErrorKind;
use zonaut_model::{
    Clock, ClockConstraint, ClockId, Expression, ExpressionId, Formula, Model, Place, Relation,
};
use zonaut_zonegraph::{Abstraction, CompiledGoal, ZoneGraph};

use crate::costing::Costing;
use crate::drive::Solution;
use crate::labels::CostLabels;

/// The earliest run along the path of a solution that costs as much as is claimed, or, where that is
/// only approached, less than one more; and the network whose actions it names.
///
/// # Errors
/// No such run exists, which is a bug, its dates are too large, or the meter stops.
pub fn run_along(
    model: &Model,
    goal: &Formula,
    costing: Costing,
    solution: &Solution,
    meter: &Meter,
) -> Result<(CompiledNetwork, ConcreteRun), NoRun> {
    let mut model = model.clone();
    let time = model.clocks.push(Clock { name: "#time".into(), owner: None, initial: 0 });
    let network = CompiledNetwork::new(&model, meter).map_err(|error| match error {
        CompileError::Stopped(why) => NoRun::Stopped(why),
        CompileError::TooManyActions(..) => NoRun::Spurious,
    })?;
    let goal = match time_limit(&network, costing, solution, meter)? {
        None => goal.clone(),
        Some((relation, bound)) => {
            Formula::And(vec![goal.clone(), until(&mut model, time, relation, bound)])
        }
    };
    let bounds = BoundsTable::new(&model, &goal);
    let graph = ZoneGraph::<Wide>::new(&network, &bounds, Abstraction::Exact, meter);
    let graph = graph.map_err(|_| NoRun::ClockRange)?;
    let steps: Vec<_> = solution.steps.iter().map(|step| network.names().name(step, 0)).collect();
    let goal = CompiledGoal::new(&model, &goal);
    let mut run = concretise(&graph, &steps, Destination::Goal(&goal))?;
    forget_time(&mut run);
    Ok((network, run))
}

/// The cost along a run, over time: dates and costs at its beginning, before and after every
/// transition, and at its end.
#[must_use]
pub fn paid_along(
    network: &CompiledNetwork,
    costing: Costing,
    solution: &Solution,
    run: &ConcreteRun,
    meter: &Meter,
) -> Vec<(f64, f64)> {
    let mut machine = network.machine(meter);
    let mut values = network.initial.to_vec();
    let unit = run.denominator as f64;
    let (mut date, mut paid) = (0.0, 0.0);
    let mut points = vec![(date, paid)];
    for (step, timed) in solution.steps.iter().zip(&run.steps) {
        let delay = timed.delay as f64 / unit;
        (date, paid) = (date + delay, paid + delay * f64::from(costing.rate));
        points.push((date, paid));
        if network.take(step, &mut values, &mut machine).is_err() {
            return points;
        }
        if costing.has_prices && machine.cost != 0 {
            paid += machine.cost as f64;
            points.push((date, paid));
        }
    }
    let delay = run.last_delay as f64 / unit;
    points.push((date + delay, paid + delay * f64::from(costing.rate)));
    points
}

/// The formula that a clock is not beyond a limit.
fn until(model: &mut Model, clock: ClockId, relation: Relation, bound: i32) -> Formula {
    let bound = model.expressions.push(Expression::Constant(bound));
    let (left, right) = (Place::fixed(clock), None);
    Formula::Clock(ClockConstraint { condition: None, left, right, relation, bound })
}

/// Until when the goal has to be reached so that a run along the path of `solution` costs as little as
/// is claimed; nothing where time costs nothing.
fn time_limit(
    network: &CompiledNetwork,
    costing: Costing,
    solution: &Solution,
    meter: &Meter,
) -> Result<Option<(Relation, i32)>, NoRun> {
    if costing.rate == 0 {
        return Ok(None);
    }
    let prices = match costing.has_prices {
        true => prices_along(network, &solution.steps, meter)?,
        false => 0,
    };
    let (rate, left) = (i64::from(costing.rate), solution.cost.value() - prices);
    // All constants are integers, so the least time along a path is one, or a limit from above.
    let (relation, bound) = match solution.cost.is_attained() {
        true => (Relation::LessEqual, left.div_euclid(rate)),
        false => (Relation::Less, left.div_euclid(rate) + 1),
    };
    match i32::try_from(bound) {
        Ok(bound) if bound < zonaut_model::CLOCK_LIMIT => Ok(Some((relation, bound))),
        _ => Ok(None),
    }
}

/// The prices of transitions one after the other: prices depend on data alone.
fn prices_along(
    network: &CompiledNetwork,
    steps: &[Vec<ActionId>],
    meter: &Meter,
) -> Result<i64, NoRun> {
    let mut machine = network.machine(meter);
    let (mut values, mut sum) = (network.initial.to_vec(), 0);
    for step in steps {
        network.take(step, &mut values, &mut machine).map_err(|error| match error.kind {
            ErrorKind::Stopped(why) => NoRun::Stopped(why),
            _ => NoRun::Spurious,
        })?;
        sum += machine.cost;
    }
    Ok(sum)
}

/// The update that adds to the cost in the last of some transitions, if one does; nothing if the
/// meter stops.
#[must_use]
pub fn last_price(model: &Model, steps: &[Vec<ActionId>], meter: &Meter) -> Option<ExpressionId> {
    let network = CompiledNetwork::new(model, meter).ok()?;
    steps.last()?.iter().find_map(|&action| {
        let action = network.action(action);
        let updates = model.processes[action.process].edges[action.edge].updates.iter();
        updates.copied().find(|&id| matches!(model.expressions[id], Expression::AddCost(_)))
    })
}

/// Takes the last clock out of all states.
fn forget_time(run: &mut ConcreteRun) {
    run.start_clocks.pop();
    for step in &mut run.steps {
        step.clocks.pop();
    }
}

/// The place where `remaining` exceeds the cost ahead along a run of a solution: after how many
/// transitions. Nothing if it is nowhere, there is no such label, or the meter stops.
#[must_use]
pub fn overestimated(
    model: &Model,
    labels: CostLabels,
    costing: Costing,
    solution: &Solution,
    run: &ConcreteRun,
    meter: &Meter,
) -> Option<usize> {
    let place = model.processes.len() + labels.remaining?.index();
    let network = CompiledNetwork::new(&labels.outside(model), meter).ok()?;
    let network = network.with_kept(&labels.cells());
    let mut machine = network.machine(meter);
    let mut values = network.initial.to_vec();
    let unit = i128::from(run.denominator);
    // If the cost is not attained, the run costs less than the infimum plus one.
    let slack = i128::from(!solution.cost.is_attained());
    let whole = (i128::from(solution.cost.value()) + slack) * unit;
    let mut paid = 0i128;
    let is_too_much = |values: &[i32], paid: i128| paid + i128::from(values[place]) * unit > whole;
    if is_too_much(&values, 0) {
        return Some(0);
    }
    for (position, (step, timed)) in solution.steps.iter().zip(&run.steps).enumerate() {
        paid += i128::from(timed.delay) * i128::from(costing.rate);
        network.take(step, &mut values, &mut machine).ok()?;
        paid += if costing.has_prices { i128::from(machine.cost) * unit } else { 0 };
        if is_too_much(&values, paid) {
            return Some(position + 1);
        }
    }
    None
}
