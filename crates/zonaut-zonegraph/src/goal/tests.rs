//! Goals against formulas evaluated point by point.

use super::*;
use crate::grid::{CONSTANT, Point, SLOTS, active, contains, hold, points, two_clocks, zone};
use std::cmp::Ordering;
use zonaut_base::Id;
use zonaut_model::{BinaryOperator, ClockConstraint, ClockId, Expression, Place, Relation};
use zonaut_testkit::random::Random;

fn formula(model: &mut Model, random: &mut Random, depth: u32) -> Formula {
    match if depth == 0 { 0 } else { random.below(6) } {
        1 | 2 => {
            let parts = (0..random.below(4)).map(|_| formula(model, random, depth - 1)).collect();
            if random.chance(50) { Formula::And(parts) } else { Formula::Or(parts) }
        }
        3 | 4 => Formula::Not(Box::new(formula(model, random, depth - 1))),
        5 => Formula::Data(model.expressions.push(Expression::Constant(random.between(0, 1)))),
        _ => {
            let clock = random.below(2);
            let place = |k| Place::fixed(ClockId::from_index(k));
            let condition = random
                .chance(20)
                .then(|| model.expressions.push(Expression::Constant(random.between(0, 1))));
            let bound = Expression::Constant(random.between(0, CONSTANT));
            Formula::Clock(ClockConstraint {
                condition,
                left: place(clock),
                right: random.chance(20).then(|| place(1 - clock)),
                relation: random.choose(&[
                    Relation::Less,
                    Relation::LessEqual,
                    Relation::Equal,
                    Relation::GreaterEqual,
                    Relation::Greater,
                ]),
                bound: model.expressions.push(bound),
            })
        }
    }
}

fn constant(model: &Model, id: zonaut_model::ExpressionId) -> i32 {
    match model.expressions[id] {
        Expression::Constant(value) => value,
        _ => panic!("only constants are made here"),
    }
}

fn holds(model: &Model, formula: &Formula, point: Point) -> bool {
    match formula {
        Formula::Data(id) => constant(model, *id) != 0,
        Formula::Deadlock => false,
        Formula::Not(inner) => !holds(model, inner, point),
        Formula::And(parts) => parts.iter().all(|part| holds(model, part, point)),
        Formula::Or(parts) => parts.iter().any(|part| holds(model, part, point)),
        Formula::Clock(c) => {
            let value = |place: &Place<ClockId>| point[place.root.index() + 1];
            let difference = value(&c.left) - c.right.as_ref().map_or(0, value);
            let order = difference.cmp(&(i64::from(constant(model, c.bound)) * SLOTS));
            let relates = match c.relation {
                Relation::Less => order == Ordering::Less,
                Relation::LessEqual => order != Ordering::Greater,
                Relation::Equal => order == Ordering::Equal,
                Relation::GreaterEqual => order != Ordering::Less,
                Relation::Greater => order == Ordering::Greater,
            };
            relates || c.condition.is_some_and(|condition| constant(model, condition) == 0)
        }
    }
}

#[test]
fn a_witness_is_found_where_the_formula_holds_and_makes_it_hold() {
    let (active, mut random) = (active(), Random::new(5));
    let mut counts = [0; 2];
    for round in 0..600 {
        let (mut model, _) = two_clocks();
        let formula = formula(&mut model, &mut random, 3);
        let goal = CompiledGoal::new(&model, &formula);
        let zone = zone(&mut random, &active);
        let state =
            SymbolicState { values: vec![0], key: Vec::new(), zone: zone.clone(), price: 0 };
        let witness = goal
            .witness(&state, &active, &mut goal.scratch(&Meter::default()), &mut |_| Ok(Vec::new()))
            .expect("no errors");
        counts[usize::from(witness.is_some())] += 1;
        let inside = || points().filter(|&point| contains(&zone, point));
        let Some(witness) = witness else {
            assert!(!inside().any(|p| holds(&model, &formula, p)), "{round}: {formula:?}");
            continue;
        };
        let mut chosen = inside().filter(|&point| hold(&witness, point)).peekable();
        assert!(chosen.peek().is_some(), "{round}: {formula:?} {witness:?}");
        assert!(chosen.all(|point| holds(&model, &formula, point)), "{round}: {formula:?}");
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

/// A condition that fails was evaluated before `not deadlock`, although that holds and comes first.
#[test]
fn a_condition_that_fails_is_not_evaluated_behind_a_disjunct_that_holds() {
    let (mut model, _) = two_clocks();
    let [one, zero] = [1, 0].map(|value| model.expressions.push(Expression::Constant(value)));
    let failing = Expression::Binary(BinaryOperator::Divide, one, zero);
    let failing = Formula::Data(model.expressions.push(failing));
    let alive = Formula::Not(Box::new(Formula::Deadlock));
    let active = active();
    let zone = zone(&mut Random::new(5), &active);
    let state = SymbolicState { values: vec![0], key: Vec::new(), zone, price: 0 };
    // No valuation is deadlocked.
    let witness = |parts: [&Formula; 2]| {
        let goal = CompiledGoal::new(&model, &Formula::Or(parts.map(Clone::clone).to_vec()));
        let mut scratch = goal.scratch(&Meter::default());
        goal.witness(&state, &active, &mut scratch, &mut |_| Ok(Vec::new()))
            .map(|witness| witness.is_some())
    };
    assert_eq!(witness([&alive, &failing]), Ok(true));
    assert!(witness([&failing, &alive]).is_err());
    assert!(witness([&Formula::Deadlock, &failing]).is_err());
}
