//! A formula and its simplification hold in the same states, and fail in the same states.

use crate::concrete::{Sets, Valuation};
use crate::normal_forms::{holds, is_pure};
use crate::program::{Program, Random};
use zonaut_analysis::simplified;
use zonaut_base::Id;
use zonaut_model::{ClockConstraint, Expression, Formula, Model, Relation};

/// The order in which operands are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// From left to right, until one decides.
    Lazy,
    /// All of them.
    Eager,
}

struct Evaluation<'m> {
    model: &'m Model,
    valuation: &'m Valuation,
    is_deadlock: bool,
    order: Order,
}

impl Evaluation<'_> {
    /// Whether a formula holds; `None` if a part fails at run time.
    fn holds(&self, formula: &Formula) -> Option<bool> {
        match formula {
            Formula::Data(id) => holds(self.model, self.valuation, &Vec::new(), *id).ok(),
            Formula::Clock(constraint) => Some(clock_holds(constraint)),
            Formula::Deadlock => Some(self.is_deadlock),
            Formula::Not(inner) => self.holds(inner).map(|holds| !holds),
            Formula::And(parts) => self.joined(parts, true),
            Formula::Or(parts) => self.joined(parts, false),
        }
    }

    fn joined(&self, parts: &[Formula], conjunction: bool) -> Option<bool> {
        let mut result = conjunction;
        for part in parts {
            let holds = self.holds(part)?;
            if holds != conjunction {
                result = holds;
                if self.order == Order::Lazy {
                    break;
                }
            }
        }
        Some(result)
    }
}

/// A pseudo-random truth value of a clock constraint; the same for constraints that are written
/// alike.
fn clock_holds(constraint: &ClockConstraint) -> bool {
    let parity = constraint.left.root.index() + usize::from(constraint.relation == Relation::Less);
    parity.is_multiple_of(2)
}

/// A formula over few operands, which therefore occur several times.
fn formula(operands: &[Formula], random: &mut Random, depth: usize) -> Formula {
    let leaf = random.below(operands.len());
    match random.below(if depth == 0 { 1 } else { 4 }) {
        0 => operands[leaf].clone(),
        1 => Formula::Not(Box::new(formula(operands, random, depth - 1))),
        kind => {
            let count = random.below(4);
            let parts = (0..count).map(|_| formula(operands, random, depth - 1)).collect();
            if kind == 2 { Formula::And(parts) } else { Formula::Or(parts) }
        }
    }
}

fn are_pure(model: &Model, formula: &Formula) -> bool {
    match formula {
        Formula::Data(id) => is_pure(model, *id),
        Formula::Clock(_) | Formula::Deadlock => true,
        Formula::Not(inner) => are_pure(model, inner),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().all(|part| are_pure(model, part)),
    }
}

fn size(formula: &Formula) -> usize {
    match formula {
        Formula::Not(inner) => 1 + size(inner),
        Formula::And(parts) | Formula::Or(parts) => 1 + parts.iter().map(size).sum::<usize>(),
        _ => 1,
    }
}

#[test]
fn a_formula_and_its_simplification_hold_and_fail_in_the_same_states() {
    let (mut compared, mut failed, mut smaller) = (0, 0, 0);
    for seed in 0..1500 {
        let mut program = Program::new(seed);
        let mut operands = vec![Formula::Deadlock, program.formula(1), program.formula(2)];
        for value in [0, 1] {
            let constant = program.model.expressions.push(Expression::Constant(value));
            operands.push(Formula::Data(constant));
        }
        let model = &program.model;
        operands.retain(|operand| are_pure(model, operand));
        let mut random = Random(seed);
        let original = formula(&operands, &mut random, 4);
        let found = simplified(model, &original);
        assert!(size(&found) <= size(&original), "{seed}: {original:?} {found:?}");
        smaller += usize::from(size(&found) < size(&original));
        let sets = Sets::random(model, &mut random, true);
        for valuation in &sets.valuations().into_iter().take(20).collect::<Vec<_>>() {
            for is_deadlock in [false, true] {
                for order in [Order::Lazy, Order::Eager] {
                    let evaluation = Evaluation { model, valuation, is_deadlock, order };
                    let expected = evaluation.holds(&original);
                    assert_eq!(
                        evaluation.holds(&found),
                        expected,
                        "{seed}: {original:?} {found:?}"
                    );
                    compared += 1;
                    failed += usize::from(expected.is_none());
                }
            }
        }
    }
    assert!(compared > 20_000 && failed > 300 && smaller > 300, "{compared} {failed} {smaller}");
}

#[test]
fn constants_decide_without_deadlocks() {
    let mut model = Model::default();
    let yes = Formula::Data(model.expressions.push(Expression::Constant(1)));
    let no = Formula::Data(model.expressions.push(Expression::Constant(0)));
    let not = |formula: &Formula| Formula::Not(Box::new(formula.clone()));
    let dead = Formula::Deadlock;
    let check = |formula: Formula, expected: Formula| {
        assert_eq!(simplified(&model, &formula), expected, "{formula:?}");
    };
    let (truth, falsity) = (Formula::truth(), Formula::Or(Vec::new()));
    check(Formula::Or(vec![not(&dead), yes.clone()]), truth.clone());
    check(Formula::And(vec![dead.clone(), not(&yes)]), falsity.clone());
    check(Formula::And(vec![yes.clone(), dead.clone()]), dead.clone());
    check(Formula::Or(vec![no.clone(), not(&not(&dead))]), dead.clone());
    check(Formula::And(vec![dead.clone(), dead.clone()]), dead.clone());
    let either = Formula::Or(vec![dead.clone(), not(&dead)]);
    check(either.clone(), either);
}
