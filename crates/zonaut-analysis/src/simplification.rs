//! Simplification of formulas, before anything is explored.
//!
//! Constants, double negations, repeated operands and absorbed operands are removed, so that
//! `not deadlock || true` needs no search for deadlocks.
//!
//! # The claim
//! A formula and its simplification hold in the same states, and their evaluations fail in the same
//! states. An operand is therefore removed only if it cannot fail, or if an equal one remains; and
//! an operand that decides in which states others are evaluated is removed only if none of them can
//! fail.

use crate::interval::{Declared, Intervals};
use crate::overlay::Overlay;
use crate::walk::Walk;
use zonaut_model::{ClockConstraint, Expression, ExpressionId, Formula, Model};

/// A simpler formula that holds and fails in the same states.
#[must_use]
pub fn simplified(model: &Model, formula: &Formula) -> Formula {
    match formula {
        Formula::Data(data) => match constant(model, *data) {
            Some(holds) => truth_value(holds),
            None => formula.clone(),
        },
        Formula::Clock(_) | Formula::Deadlock => formula.clone(),
        Formula::Not(inner) => match simplified(model, inner) {
            Formula::Not(inner) => *inner,
            inner => match truth_of(&inner) {
                Some(holds) => truth_value(!holds),
                None => Formula::Not(Box::new(inner)),
            },
        },
        Formula::And(parts) => joined(model, parts, true),
        Formula::Or(parts) => joined(model, parts, false),
    }
}

/// The simplified conjunction of `parts`, or their disjunction.
fn joined(model: &Model, parts: &[Formula], conjunction: bool) -> Formula {
    let mut operands: Vec<Formula> = Vec::new();
    let mut is_decided = false;
    for part in parts {
        let part = simplified(model, part);
        match truth_of(&part) {
            Some(holds) if holds == conjunction => continue,
            Some(_) => is_decided = true,
            None => {}
        }
        if !operands.iter().any(|operand| are_same(model, operand, &part)) {
            operands.push(part);
        }
    }
    if operands.len() > 1 && !operands.iter().any(|operand| may_fail(model, operand)) {
        if is_decided || has_opposites(model, &operands) {
            return truth_value(!conjunction);
        }
        operands = without_absorbed(model, operands, conjunction);
    }
    match (operands.len(), conjunction) {
        (1, _) => operands.swap_remove(0),
        (_, true) => Formula::And(operands),
        (_, false) => Formula::Or(operands),
    }
}

/// Whether an operand is the negation of another one. Deadlocks are left to the search, because a
/// certificate about them needs the abstraction that preserves them.
fn has_opposites(model: &Model, operands: &[Formula]) -> bool {
    operands.iter().any(|operand| match operand {
        Formula::Not(inner) if !inner.mentions_deadlock() => {
            operands.iter().any(|other| are_same(model, inner, other))
        }
        _ => false,
    })
}

/// The operands except for those that another one implies: `p && (p || q)` is `p`.
fn without_absorbed(model: &Model, operands: Vec<Formula>, conjunction: bool) -> Vec<Formula> {
    let is_absorbed = |operand: &Formula| match operand {
        Formula::Or(inner) if conjunction => has_one_of(model, inner, &operands),
        Formula::And(inner) if !conjunction => has_one_of(model, inner, &operands),
        _ => false,
    };
    let kept: Vec<bool> = operands.iter().map(|operand| !is_absorbed(operand)).collect();
    operands.into_iter().zip(kept).filter_map(|(operand, kept)| kept.then_some(operand)).collect()
}

fn has_one_of(model: &Model, parts: &[Formula], operands: &[Formula]) -> bool {
    parts.iter().any(|part| operands.iter().any(|operand| are_same(model, part, operand)))
}

/// The formula that always or never holds.
fn truth_value(holds: bool) -> Formula {
    if holds { Formula::And(Vec::new()) } else { Formula::Or(Vec::new()) }
}

/// Whether a simplified formula is one of these.
fn truth_of(formula: &Formula) -> Option<bool> {
    match formula {
        Formula::And(parts) if parts.is_empty() => Some(true),
        Formula::Or(parts) if parts.is_empty() => Some(false),
        _ => None,
    }
}

/// The truth value of an expression that is a constant.
fn constant(model: &Model, id: ExpressionId) -> Option<bool> {
    match model.expressions[id] {
        Expression::Constant(value) => Some(value != 0),
        _ => None,
    }
}

/// Whether evaluation may fail in some valuation of the declared ranges.
fn may_fail(model: &Model, formula: &Formula) -> bool {
    let domain = Intervals::new(model, Declared(model));
    let mut walk = Walk::new(model, domain, Overlay::default());
    walk.formula(formula);
    !walk.failures().is_empty()
}

/// Whether two formulas are written alike.
fn are_same(model: &Model, one: &Formula, other: &Formula) -> bool {
    let are_all = |one: &[Formula], other: &[Formula]| {
        one.len() == other.len() && one.iter().zip(other).all(|(a, b)| are_same(model, a, b))
    };
    match (one, other) {
        (Formula::Data(one), Formula::Data(other)) => are_same_data(model, *one, *other),
        (Formula::Clock(one), Formula::Clock(other)) => are_same_clocks(model, one, other),
        (Formula::Deadlock, Formula::Deadlock) => true,
        (Formula::Not(one), Formula::Not(other)) => are_same(model, one, other),
        (Formula::And(one), Formula::And(other)) | (Formula::Or(one), Formula::Or(other)) => {
            are_all(one, other)
        }
        _ => false,
    }
}

fn are_same_clocks(model: &Model, one: &ClockConstraint, other: &ClockConstraint) -> bool {
    let are_conditions_same = match (one.condition, other.condition) {
        (None, None) => true,
        (Some(one), Some(other)) => are_same_data(model, one, other),
        _ => false,
    };
    let are_clocks_same = one.left == other.left && one.right == other.right;
    let are_bounds_same = are_same_data(model, one.bound, other.bound);
    are_conditions_same && are_clocks_same && one.relation == other.relation && are_bounds_same
}

/// Whether two expressions are written alike; expressions other than operators, constants and
/// variables only if they are the same one.
fn are_same_data(model: &Model, one: ExpressionId, other: ExpressionId) -> bool {
    let mut open = vec![(one, other)];
    while let Some((one, other)) = open.pop() {
        match (&model.expressions[one], &model.expressions[other]) {
            (one, other) if one == other => {}
            (Expression::Unary(a, x), Expression::Unary(b, y)) if a == b => open.push((*x, *y)),
            (Expression::Binary(a, x, v), Expression::Binary(b, y, w)) if a == b => {
                open.extend([(*x, *y), (*v, *w)]);
            }
            (Expression::And(x, v), Expression::And(y, w))
            | (Expression::Or(x, v), Expression::Or(y, w)) => open.extend([(*x, *y), (*v, *w)]),
            _ => return false,
        }
    }
    true
}
