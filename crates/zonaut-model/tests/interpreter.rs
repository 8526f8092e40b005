//! The reference interpreter on expressions that are constructed by hand.

use zonaut_base::Id;
use zonaut_model::interpret::{ClockEffect, ErrorKind, Interpreter, apply, apply_unary};
use zonaut_model::{
    Argument, BinaryOperator as B, CLOCK_LIMIT, Cell, CellId, CellKind, Clock, ClockId,
    Expression as E, ExpressionId, Function, FunctionId, Local, LocalId, Model, Parameter, Place,
    PlaceIndex, QuantifierKind, Range, Statement, Storage, UnaryOperator, ValueOf,
};

/// A model with cells `v0..v3` of range [0,9] holding 0..3, two clocks and some locals.
fn base() -> Model {
    let mut model = Model::default();
    for initial in 0..4 {
        model.cells.push(Cell {
            name: format!("v{initial}"),
            owner: None,
            kind: CellKind::Integer,
            range: Range { low: 0, high: 9 },
            initial,
            meta: false,
        });
    }
    for name in ["x", "y"] {
        model.clocks.push(Clock { name: name.into(), owner: None, initial: 0 });
    }
    for index in 0..4 {
        let range = Range { low: -5, high: 5 };
        model.locals.push(Local { name: format!("l{index}"), range });
    }
    model
}

fn cell(index: usize) -> Place<Storage> {
    Place::fixed(Storage::Cell(CellId::from_index(index)))
}

fn local(index: usize) -> Place<Storage> {
    Place::fixed(Storage::Local(LocalId::from_index(index)))
}

fn push(model: &mut Model, expression: E) -> ExpressionId {
    model.expressions.push(expression)
}

fn number(model: &mut Model, value: i32) -> ExpressionId {
    push(model, E::Constant(value))
}

fn check(model: &Model, id: ExpressionId, expected: Result<i32, ErrorKind>) {
    let outcome = Interpreter::new(model, 1000).evaluate(id);
    assert_eq!(outcome.map_err(|error| error.kind), expected);
}

#[test]
fn operators_agree_with_rust_arithmetic_on_small_operands() {
    for a in -6_i32..=6 {
        for b in -6_i32..=6 {
            assert_eq!(apply(B::Add, a, b), Ok(a + b));
            assert_eq!(apply(B::Subtract, a, b), Ok(a - b));
            assert_eq!(apply(B::Multiply, a, b), Ok(a * b));
            assert_eq!(apply(B::Minimum, a, b), Ok(a.min(b)));
            assert_eq!(apply(B::Maximum, a, b), Ok(a.max(b)));
            assert_eq!(apply(B::BitXor, a, b), Ok(a ^ b));
            for (operator, holds) in [
                (B::Less, a < b),
                (B::LessEqual, a <= b),
                (B::Equal, a == b),
                (B::NotEqual, a != b),
                (B::GreaterEqual, a >= b),
                (B::Greater, a > b),
            ] {
                assert_eq!(apply(operator, a, b), Ok(i32::from(holds)));
            }
            let division = if b == 0 { Err(ErrorKind::Division) } else { Ok(a / b) };
            assert_eq!(apply(B::Divide, a, b), division);
            let remainder = if b == 0 { Err(ErrorKind::Division) } else { Ok(a % b) };
            assert_eq!(apply(B::Remainder, a, b), remainder);
            let power =
                if b < 0 { Err(ErrorKind::Exponent(b)) } else { Ok(a.pow(b.cast_unsigned())) };
            assert_eq!(apply(B::Power, a, b), power);
            let shift = if b < 0 { Err(ErrorKind::Shift(b)) } else { Ok(a << b) };
            assert_eq!(apply(B::ShiftLeft, a, b), shift);
        }
    }
}

#[test]
fn values_beyond_32_bits_are_run_time_errors() {
    assert_eq!(apply(B::Add, i32::MAX, 1), Err(ErrorKind::Overflow));
    assert_eq!(apply(B::Multiply, i32::MIN, -1), Err(ErrorKind::Overflow));
    assert_eq!(apply(B::Divide, i32::MIN, -1), Err(ErrorKind::Overflow));
    assert_eq!(apply(B::Remainder, i32::MIN, -1), Ok(0));
    assert_eq!(apply(B::Power, 2, 31), Err(ErrorKind::Overflow));
    assert_eq!(apply(B::ShiftLeft, 1, 31), Err(ErrorKind::Overflow));
    assert_eq!(apply(B::ShiftLeft, 1, 32), Err(ErrorKind::Shift(32)));
    assert_eq!(apply_unary(UnaryOperator::Negate, i32::MIN), Err(ErrorKind::Overflow));
    assert_eq!(apply_unary(UnaryOperator::Not, 7), Ok(0));
}

#[test]
fn logical_operators_evaluate_their_right_side_only_if_needed() {
    for (left, is_and) in [(0, true), (1, true), (0, false), (1, false)] {
        let mut model = base();
        let left_id = number(&mut model, left);
        let zero = number(&mut model, 0);
        let failing = push(&mut model, E::Binary(B::Divide, left_id, zero));
        let whole = if is_and { E::And(left_id, failing) } else { E::Or(left_id, failing) };
        let whole = push(&mut model, whole);
        let needed = (left == 1) == is_and;
        let expected = if needed { Err(ErrorKind::Division) } else { Ok(left) };
        check(&model, whole, expected);
    }
}

#[test]
fn indices_choose_elements_and_are_checked() {
    for index in -1..5 {
        let mut model = base();
        let value = number(&mut model, index);
        let indices = vec![PlaceIndex { value, low: 1, size: 2, stride: 2 }];
        let place = Place { root: Storage::Cell(CellId::from_index(0)), indices };
        let read = push(&mut model, E::Read(place));
        let range = Range { low: 1, high: 2 };
        let expected = match index {
            1 => Ok(0),
            2 => Ok(2),
            _ => Err(ErrorKind::Index(index, range)),
        };
        check(&model, read, expected);
    }
}

#[test]
fn assignments_check_the_range_and_yield_the_old_or_the_new_value() {
    for (operator, value, result, expected) in [
        (None, 7, ValueOf::After, Ok(7)),
        (None, 10, ValueOf::After, Err(ErrorKind::Range(10, Range { low: 0, high: 9 }))),
        (Some(B::Add), 2, ValueOf::After, Ok(5)),
        (Some(B::Add), 2, ValueOf::Before, Ok(3)),
        (Some(B::Divide), 0, ValueOf::After, Err(ErrorKind::Division)),
    ] {
        let mut model = base();
        let value = number(&mut model, value);
        let assign = push(&mut model, E::Assign { place: cell(3), operator, value, result });
        check(&model, assign, expected);
    }
}

#[test]
fn copies_read_everything_before_they_write() {
    let mut model = base();
    let copy = push(&mut model, E::CopyContent(cell(1), cell(0), 3));
    let mut machine = Interpreter::new(&model, 100);
    assert_eq!(machine.evaluate(copy), Ok(0));
    assert_eq!(machine.cells, [0, 0, 1, 2]);
}

#[test]
fn content_is_compared_element_by_element() {
    let mut model = base();
    let same = push(&mut model, E::SameContent(cell(0), cell(2), 2));
    let itself = push(&mut model, E::SameContent(cell(1), cell(1), 3));
    check(&model, same, Ok(0));
    check(&model, itself, Ok(1));
}

#[test]
fn quantifiers_go_through_all_values_in_order() {
    for (kind, expected) in
        [(QuantifierKind::ForAll, 0), (QuantifierKind::Exists, 1), (QuantifierKind::Sum, 6)]
    {
        let mut model = base();
        let body = push(&mut model, E::Read(local(0)));
        let binder = LocalId::from_index(0);
        let all = push(&mut model, E::Quantifier { kind, binder, low: 0, high: 3, body });
        let none = push(&mut model, E::Quantifier { kind, binder, low: 1, high: 0, body });
        check(&model, all, Ok(expected));
        check(&model, none, Ok(i32::from(kind == QuantifierKind::ForAll)));
    }
}

#[test]
fn clock_effects_and_costs_are_recorded_in_order() {
    let mut model = base();
    let (x, y) = (ClockId::from_index(0), ClockId::from_index(1));
    let three = number(&mut model, 3);
    let set = push(&mut model, E::AssignClock(Place::fixed(x), three));
    let copy = push(&mut model, E::CopyClock(Place::fixed(y), Place::fixed(x)));
    let cost = push(&mut model, E::AddCost(three));
    let all = push(&mut model, E::Sequence(vec![set, copy, cost]));
    let mut machine = Interpreter::new(&model, 100);
    assert_eq!(machine.evaluate(all), Ok(0));
    assert_eq!(machine.clock_effects, [ClockEffect::Set(x, 3), ClockEffect::Copy(y, x)]);
    assert_eq!(machine.cost, 3);
    let negative = number(&mut model, -1);
    let set = push(&mut model, E::AssignClock(Place::fixed(x), negative));
    let cost = push(&mut model, E::AddCost(negative));
    check(&model, set, Err(ErrorKind::NegativeClock(-1)));
    check(&model, cost, Err(ErrorKind::NegativeCost(-1)));
}

#[test]
fn clocks_are_set_to_and_compared_with_numbers_up_to_the_limit() {
    let mut model = base();
    let x = ClockId::from_index(0);
    for (value, is_set, is_bound) in [
        (0, Ok(0), Ok(0)),
        (CLOCK_LIMIT, Ok(0), Ok(CLOCK_LIMIT)),
        (CLOCK_LIMIT + 1, Err(CLOCK_LIMIT + 1), Err(CLOCK_LIMIT + 1)),
        (i32::MAX, Err(i32::MAX), Err(i32::MAX)),
        (-CLOCK_LIMIT, Err(-CLOCK_LIMIT), Ok(-CLOCK_LIMIT)),
        (-CLOCK_LIMIT - 1, Err(-CLOCK_LIMIT - 1), Err(-CLOCK_LIMIT - 1)),
        (i32::MIN, Err(i32::MIN), Err(i32::MIN)),
    ] {
        let bound = number(&mut model, value);
        let set = push(&mut model, E::AssignClock(Place::fixed(x), bound));
        let kind = if value < 0 { ErrorKind::NegativeClock } else { ErrorKind::ClockLimit };
        check(&model, set, is_set.map_err(kind));
        let expected = is_bound.map_err(ErrorKind::ClockLimit);
        let found = Interpreter::new(&model, 10).clock_bound(bound);
        assert_eq!(found.map_err(|error| error.kind), expected, "{value}");
    }
    let message = ErrorKind::ClockLimit(2_000_000_000).to_string();
    assert_eq!(message, "2000000000 is beyond the limit of clock values, which is 1073741823");
}

/// Adds a function with one parameter and this body, and a call of it with `argument`.
fn call(model: &mut Model, body: Vec<Statement>, argument: i32) -> ExpressionId {
    let parameter = |first| Parameter { first: LocalId::from_index(first), length: 1 };
    let function = Function {
        name: "f".into(),
        parameters: vec![parameter(0)],
        result: Some(parameter(1)),
        body,
    };
    let id: FunctionId = model.functions.push(function);
    let argument = number(model, argument);
    push(model, E::Call(id, vec![Argument::Value(argument)]))
}

#[test]
fn functions_check_arguments_and_results() {
    let mut model = base();
    let read = push(&mut model, E::Read(local(0)));
    let double = push(&mut model, E::Binary(B::Add, read, read));
    let body = vec![Statement::Return(Some(double))];
    let range = Range { low: -5, high: 5 };
    for (argument, expected) in
        [(2, Ok(4)), (3, Err(ErrorKind::Range(6, range))), (6, Err(ErrorKind::Range(6, range)))]
    {
        let call = call(&mut model, body.clone(), argument);
        check(&model, call, expected);
    }
    let silent = call(&mut model, Vec::new(), 1);
    check(&model, silent, Err(ErrorKind::MissingReturn));
}

#[test]
fn endless_loops_and_failed_assertions_are_run_time_errors() {
    let mut model = base();
    let one = number(&mut model, 1);
    let zero = number(&mut model, 0);
    let endless = call(&mut model, vec![Statement::While(one, Vec::new())], 1);
    let failing = call(&mut model, vec![Statement::Assert(zero)], 1);
    check(&model, endless, Err(ErrorKind::Budget));
    check(&model, failing, Err(ErrorKind::Assertion));
}

#[test]
fn loops_and_branches_are_executed() {
    let mut model = base();
    let read = push(&mut model, E::Read(local(0)));
    let one = number(&mut model, 1);
    let zero = number(&mut model, 0);
    let positive = push(&mut model, E::Binary(B::Greater, read, zero));
    let decrement = push(
        &mut model,
        E::Assign {
            place: local(0),
            operator: Some(B::Subtract),
            value: one,
            result: ValueOf::After,
        },
    );
    let increment = push(
        &mut model,
        E::Assign { place: local(2), operator: Some(B::Add), value: one, result: ValueOf::After },
    );
    let count = push(&mut model, E::Read(local(2)));
    let body = vec![
        Statement::DoWhile(
            vec![Statement::Expression(decrement), Statement::Expression(increment)],
            positive,
        ),
        Statement::Iterate {
            binder: LocalId::from_index(3),
            low: 1,
            high: 2,
            body: vec![Statement::If(positive, Vec::new(), vec![Statement::Expression(increment)])],
        },
        Statement::Return(Some(count)),
    ];
    let call = call(&mut model, body, 3);
    check(&model, call, Ok(5));
}

#[test]
fn long_chains_are_evaluated_without_deep_recursion() {
    let mut model = base();
    let one = number(&mut model, 1);
    let mut sum = one;
    for _ in 0..100_000 {
        sum = push(&mut model, E::Binary(B::Add, sum, one));
    }
    assert_eq!(Interpreter::new(&model, 1_000_000).evaluate(sum), Ok(100_001));
}
