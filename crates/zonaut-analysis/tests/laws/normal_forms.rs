//! Normal forms are equivalent to the formula.

use crate::concrete::{Sets, Valuation};
use crate::program::{Program, Random, SELECT};
use zonaut_analysis::normal_form::{
    Binding, Bindings, Condition, Literal, NormalForm, Test, TestKind,
};
use zonaut_base::Id;
use zonaut_model::interpret::{Interpreter, RunTimeError};
use zonaut_model::{Expression, ExpressionId, Formula, Model};

pub(crate) fn holds(
    model: &Model,
    valuation: &Valuation,
    bindings: &Bindings,
    id: ExpressionId,
) -> Result<bool, RunTimeError> {
    let mut interpreter = Interpreter::new(model, 20_000);
    interpreter.cells.clone_from(&valuation.cells);
    interpreter.locations = vec![Id::from_index(valuation.location)];
    interpreter.set_local(Id::from_index(SELECT), valuation.select);
    for &(local, binding) in bindings {
        if let Binding::Value(value) = binding {
            interpreter.set_local(local, value);
        }
    }
    interpreter.holds(id)
}

/// A pseudo-random truth value of a clock constraint.
fn clock_holds(bound: ExpressionId) -> bool {
    bound.index().is_multiple_of(3)
}

fn formula_holds(model: &Model, v: &Valuation, formula: &Formula) -> Result<bool, RunTimeError> {
    match formula {
        Formula::Data(id) => holds(model, v, &Vec::new(), *id),
        Formula::Clock(constraint) => Ok(clock_holds(constraint.bound)),
        Formula::Deadlock => Ok(false),
        Formula::Not(inner) => Ok(!formula_holds(model, v, inner)?),
        Formula::And(parts) => {
            let parts: Result<Vec<_>, _> =
                parts.iter().map(|part| formula_holds(model, v, part)).collect();
            Ok(parts?.into_iter().all(|part| part))
        }
        Formula::Or(parts) => {
            let parts: Result<Vec<_>, _> =
                parts.iter().map(|part| formula_holds(model, v, part)).collect();
            Ok(parts?.into_iter().any(|part| part))
        }
    }
}

fn form_holds(model: &Model, v: &Valuation, form: &NormalForm<'_>) -> bool {
    match form {
        NormalForm::Literal { literal, negated } => {
            let holds = match literal {
                Literal::Data(id) => holds(model, v, &Vec::new(), *id).expect("no part fails"),
                Literal::Clock(constraint) => clock_holds(constraint.bound),
                Literal::Deadlock => false,
            };
            holds != *negated
        }
        NormalForm::All(parts) => parts.iter().all(|part| form_holds(model, v, part)),
        NormalForm::Any(parts) => parts.iter().any(|part| form_holds(model, v, part)),
    }
}

/// Evaluated like the expression, from left to right.
fn condition_holds(
    model: &Model,
    v: &Valuation,
    condition: &Condition,
) -> Result<bool, RunTimeError> {
    match condition {
        Condition::Test(Test { kind: TestKind::Holds { expression, negated }, bindings }) => {
            Ok(holds(model, v, bindings, *expression)? != *negated)
        }
        // No channel is selected here.
        Condition::Test(_) => Ok(false),
        Condition::All(parts) => {
            for part in parts {
                if !condition_holds(model, v, part)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Condition::Any(parts) => {
            for part in parts {
                if condition_holds(model, v, part)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}

#[test]
fn a_formula_and_its_normal_form_hold_in_the_same_states() {
    let mut compared = 0;
    for seed in 0..1500 {
        let mut program = Program::new(seed);
        let formula = program.formula(3);
        let model = &program.model;
        let form = NormalForm::new(&formula);
        let sets = Sets::random(model, &mut Random(seed), true);
        for valuation in sets.valuations().into_iter().take(40) {
            let Ok(expected) = formula_holds(model, &valuation, &formula) else { continue };
            compared += 1;
            assert_eq!(form_holds(model, &valuation, &form), expected, "{seed}: {formula:?}");
        }
        let mut literals = 0;
        form.for_each_literal(&mut |_, _| literals += 1);
        let mut expected = 0;
        count(&formula, &mut expected);
        assert_eq!(literals, expected);
    }
    assert!(compared > 5000, "{compared}");
}

fn count(formula: &Formula, literals: &mut u32) {
    match formula {
        Formula::Not(inner) => count(inner, literals),
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().for_each(|part| count(part, literals));
        }
        _ => *literals += 1,
    }
}

/// Whether evaluating an expression has no effect: conditions of models have none.
pub(crate) fn is_pure(model: &Model, id: ExpressionId) -> bool {
    let expression = &model.expressions[id];
    let mut pure = !matches!(
        expression,
        Expression::Assign { .. }
            | Expression::CopyContent(..)
            | Expression::Call(..)
            | Expression::AssignClock(..)
            | Expression::CopyClock(..)
            | Expression::AddCost(_)
    );
    expression.for_each_child(|child| pure &= is_pure(model, child));
    pure
}

#[test]
fn a_condition_and_its_tests_hold_in_the_same_states() {
    let mut compared = 0;
    for seed in 0..6000 {
        let mut program = Program::new(seed);
        let id = program.expression(4);
        let model = &program.model;
        if !is_pure(model, id) {
            continue;
        }
        let sets = Sets::random(model, &mut Random(seed), true);
        for negated in [false, true] {
            let condition = Condition::of_expression(&model.expressions, id, negated, &Vec::new());
            for valuation in sets.valuations().into_iter().take(40) {
                let expected = holds(model, &valuation, &Vec::new(), id);
                let found = condition_holds(model, &valuation, &condition);
                let Ok(expected) = expected else { continue };
                compared += 1;
                assert_eq!(found, Ok(expected != negated), "{seed}: {id:?} {condition:?}");
            }
        }
    }
    assert!(compared > 20_000, "{compared}");
}
