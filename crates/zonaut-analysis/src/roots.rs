//! The root expressions of a model: those that are not part of others.

use zonaut_model::{
    ClockConstraint, ClockId, Condition, Edge, ExpressionId, Formula, Function, Model, Place,
    QueryKind, Statement,
};

/// The root expressions of processes, of the updates of every transition, and of the reachability
/// queries. Bodies of functions are not among them.
#[must_use]
pub fn of_model(model: &Model) -> Vec<ExpressionId> {
    let mut all = [&model.before_update[..], &model.after_update].concat();
    for process in &model.processes {
        for location in &process.locations {
            of_condition(&location.invariant, &mut all);
            all.extend(location.cost_rate);
            for rate in &location.rates {
                of_place(&rate.clock, &mut all);
                all.extend(rate.condition);
                all.push(rate.rate);
            }
        }
        process.edges.iter().for_each(|edge| of_edge(edge, &mut all));
    }
    for query in &model.queries {
        if let QueryKind::Possibly(formula) | QueryKind::Always(formula) = &query.kind {
            of_formula(formula, &mut all);
        }
    }
    all
}

/// Adds the root expressions of an edge.
pub fn of_edge(edge: &Edge, all: &mut Vec<ExpressionId>) {
    of_condition(&edge.guard, all);
    all.extend(&edge.updates);
    if let Some(sync) = &edge.synchronisation {
        all.extend(sync.channel.indices.iter().map(|index| index.value));
    }
}

/// Adds the root expressions of a function's body.
pub fn of_function(function: &Function, all: &mut Vec<ExpressionId>) {
    function.for_each_statement(|statement| match statement {
        Statement::Expression(id) | Statement::Assert(id) | Statement::Return(Some(id)) => {
            all.push(*id);
        }
        Statement::If(condition, ..)
        | Statement::While(condition, _)
        | Statement::DoWhile(_, condition) => all.push(*condition),
        Statement::ReturnContent { source, at, .. } => {
            all.extend(source.indices.iter().map(|index| index.value));
            all.push(*at);
        }
        Statement::Iterate { .. } | Statement::Return(None) => {}
    });
}

/// Adds the root expressions of a condition.
fn of_condition(condition: &Condition, all: &mut Vec<ExpressionId>) {
    all.extend(condition.data);
    condition.clocks.iter().for_each(|constraint| of_constraint(constraint, all));
}

fn of_constraint(constraint: &ClockConstraint, all: &mut Vec<ExpressionId>) {
    all.extend(constraint.condition);
    all.push(constraint.bound);
    of_place(&constraint.left, all);
    constraint.right.iter().for_each(|right| of_place(right, all));
}

fn of_place(place: &Place<ClockId>, all: &mut Vec<ExpressionId>) {
    all.extend(place.indices.iter().map(|index| index.value));
}

fn of_formula(formula: &Formula, all: &mut Vec<ExpressionId>) {
    match formula {
        Formula::Data(id) => all.push(*id),
        Formula::Clock(constraint) => of_constraint(constraint, all),
        Formula::Deadlock => {}
        Formula::Not(inner) => of_formula(inner, all),
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().for_each(|part| of_formula(part, all));
        }
    }
}
