//! Networks with goals of every shape.

use zonaut_base::Id;
use zonaut_model::{Expression, ExpressionId, Formula, LocationId, Model, ProcessId, QueryId};
use zonaut_testkit::generate::{Stratum, Theme, generate_in};
use zonaut_testkit::random::Random;
use zonaut_testkit::replay::goal_of;

/// A network and a goal.
pub(crate) struct Task {
    pub(crate) model: Model,
    pub(crate) goal: Formula,
}

/// The network of a seed with its own goal, and with a random one.
pub(crate) fn tasks(stratum: Stratum, seed: u64) -> Vec<Task> {
    let mut model = generate_in(stratum, seed).to_model();
    let own = goal_of(&model.queries[QueryId::from_index(0)].kind);
    let mut random = Random::new(seed);
    let other = formula(&mut model, &mut random, 2);
    let goals = own.into_iter().chain([other]);
    goals.map(|goal| Task { model: model.clone(), goal }).collect()
}

/// The network of a seed with `meta` variables.
pub(crate) fn meta_task(seed: u64) -> Task {
    let model = Theme::Meta.network(seed).to_model();
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind);
    Task { goal: goal.expect("invariant: the query asks for states"), model }
}

fn formula(model: &mut Model, random: &mut Random, depth: u32) -> Formula {
    let choice = if depth == 0 { 0 } else { random.below(5) };
    match choice {
        0 | 1 => Formula::Data(test(model, random)),
        2 => Formula::Not(Box::new(formula(model, random, depth - 1))),
        _ => {
            let count = random.below(2) + 2;
            let parts = (0..count).map(|_| formula(model, random, depth - 1)).collect();
            if choice == 3 { Formula::And(parts) } else { Formula::Or(parts) }
        }
    }
}

/// A location, a guard of the network, or a combination of both in one expression.
fn test(model: &mut Model, random: &mut Random) -> ExpressionId {
    let process = ProcessId::from_index(random.below(model.processes.len()));
    let location = LocationId::from_index(random.below(model.processes[process].locations.len()));
    let here = model.expressions.push(Expression::At(process, location));
    let guards = model.processes.iter().flat_map(|process| &process.edges);
    let guards: Vec<ExpressionId> =
        guards.filter(|edge| edge.select.is_empty()).filter_map(|edge| edge.guard.data).collect();
    if guards.is_empty() {
        return here;
    }
    let guard = random.choose(&guards);
    match random.below(5) {
        0 => guard,
        1 => model.expressions.push(Expression::And(here, guard)),
        2 => model.expressions.push(Expression::Or(here, guard)),
        3 => {
            let negated = Expression::Unary(zonaut_model::UnaryOperator::Not, guard);
            model.expressions.push(negated)
        }
        _ => here,
    }
}
