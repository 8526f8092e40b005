//! Comparison of the code with the reference interpreter.

use super::*;
use crate::code::Machine;
use crate::condition::{CompiledCondition, CompiledUpdates};
use crate::test_models::{RandomModel, SELECT, model_of, process};
use zonaut_base::{Meter, StopReason};
use zonaut_model::interpret::{ClockEffect, DEFAULT_BUDGET, ErrorKind, Interpreter, RunTimeError};
use zonaut_model::{Condition, LocationId};

/// The result of an evaluation.
#[derive(PartialEq, Eq, Debug)]
struct Evaluated {
    value: i32,
    cells: Vec<i32>,
    effects: Vec<ClockEffect>,
    cost: i64,
}

fn interpreted(
    model: &Model,
    updates: &[ExpressionId],
    select: i32,
) -> Result<Evaluated, RunTimeError> {
    let mut interpreter = Interpreter::new(model, DEFAULT_BUDGET);
    interpreter.locations = vec![LocationId::from_index(1); model.processes.len()];
    if !model.locals.is_empty() {
        interpreter.set_local(LocalId::from_index(SELECT), select);
    }
    let mut value = 0;
    for &update in updates {
        interpreter.refill(DEFAULT_BUDGET);
        value = interpreter.evaluate(update)?;
    }
    let Interpreter { cells, clock_effects: effects, cost, .. } = interpreter;
    Ok(Evaluated { value, cells, effects, cost })
}

/// Runs `evaluate` on fresh memory.
fn run(
    translator: &Translator<'_>,
    evaluate: impl FnOnce(&Program, &mut [i32], &mut Machine) -> Result<i32, RunTimeError>,
) -> Result<Evaluated, RunTimeError> {
    let processes = translator.model.processes.len();
    let mut values = vec![1; processes];
    values.extend(translator.model.initial_cells());
    let mut machine = Machine::new(&translator.program, DEFAULT_BUDGET, &Meter::default());
    let value = evaluate(&translator.program, &mut values, &mut machine)?;
    let cells = values[processes..].to_vec();
    Ok(Evaluated { value, cells, effects: machine.clock_effects, cost: machine.cost })
}

/// Whether both fail alike. The order in which several arguments are checked is not specified, and
/// a failure of an index, an argument or a result may be reported at it or at the enclosing
/// expression.
fn is_same_failure(expected: RunTimeError, found: RunTimeError) -> bool {
    match (expected.kind, found.kind) {
        (ErrorKind::Range(..), ErrorKind::Range(..)) => true,
        (ErrorKind::Index(..), _) => expected.kind == found.kind,
        _ => expected == found,
    }
}

/// Whether both succeed; panics if they differ.
fn check(
    expected: &Result<Evaluated, RunTimeError>,
    found: &Result<Evaluated, RunTimeError>,
    context: &dyn std::fmt::Debug,
) -> bool {
    match (expected, found) {
        (Ok(expected), Ok(found)) => assert_eq!(expected, found, "{context:#?}"),
        (Err(a), Err(b)) => assert!(is_same_failure(*a, *b), "{a:?} {b:?} {context:#?}"),
        _ => panic!("{expected:?} {found:?} {context:#?}"),
    }
    expected.is_ok()
}

#[test]
fn code_agrees_with_the_interpreter() {
    let mut successes = 0;
    for seed in 0..4000 {
        let mut random = RandomModel::new(seed);
        let id = random.expression(4);
        let model = random.model;
        assert_eq!(model.validate(), Ok(()), "{seed}");
        let mut translator = Translator::new(&model);
        translator.bindings.insert(LocalId::from_index(SELECT), 2);
        let code = translator.expression(id);
        let found = run(&translator, |program, values, machine| program.run(code, values, machine));
        let context = (seed, id, &model.expressions, &model.functions);
        successes += usize::from(check(&interpreted(&model, &[id], 2), &found, &context));
    }
    assert!((1200..3600).contains(&successes), "{successes}");
}

#[test]
fn compiled_conditions_and_updates_agree_with_the_interpreter() {
    for seed in 0..3000 {
        let mut random = RandomModel::new(seed ^ 0xabcd);
        let parts: Vec<ExpressionId> = (0..3).map(|_| random.expression(2)).collect();
        let mut model = random.model;
        let mut and = |left, right| model.expressions.push(Expression::And(left, right));
        let first = and(parts[0], parts[1]);
        let data = and(first, parts[2]);
        let mut translator = Translator::new(&model);
        translator.bindings.insert(LocalId::from_index(SELECT), 1);
        let condition = Condition { data: Some(data), clocks: Vec::new() };
        let condition = CompiledCondition::new(&mut translator, &condition);
        let updates = CompiledUpdates::new(&mut translator, &parts);
        let context = (seed, &parts, &model.expressions, &model.functions);
        let holds = run(&translator, |program, values, machine| {
            condition.data_holds(program, values, machine).map(i32::from)
        });
        check(&interpreted(&model, &[data], 1), &holds, &context);
        let done = run(&translator, |program, values, machine| {
            updates.run(program, values, machine).map(|()| 0)
        });
        let expected = interpreted(&model, &parts, 1).map(|left| Evaluated { value: 0, ..left });
        check(&expected, &done, &context);
    }
}

/// The cells of `text` after its only edge, by both evaluators.
fn after_edge(text: &str) -> Result<Vec<i32>, ErrorKind> {
    let (model, _) = model_of(text, "E<> true");
    let edge = &model.processes[Id::from_index(0)].edges[Id::from_index(0)];
    let mut translator = Translator::new(&model);
    let updates = CompiledUpdates::new(&mut translator, &edge.updates);
    let done = run(&translator, |program, values, machine| {
        updates.run(program, values, machine).map(|()| 0)
    });
    let cells = done.as_ref().map(|left| left.cells.clone()).map_err(|error| error.kind);
    let expected = interpreted(&model, &edge.updates, 0).map(|left| Evaluated { value: 0, ..left });
    check(&expected, &done, &text);
    cells
}

fn edge(declarations: &str, updates: &str) -> String {
    process(&format!("{declarations} state s, t; init s; trans s -> t {{ assign {updates}; }};"))
}

#[test]
fn functions_with_loops_run() {
    let text = edge(
        "int v; int total(int n) { int s = 0; int i = 0; while (i < n) { i++; if (i == 3) { s += 10; } else { s += i; } } return s; }",
        "v = total(5)",
    );
    assert_eq!(after_edge(&text), Ok(vec![22]));
}

#[test]
fn reference_parameters_name_the_caller_s_storage() {
    let text = edge(
        "int a[3] = { 1, 2, 3 }; int i = 1; void swap(int &x, int &y) { int t = x; x = y; y = t; }",
        "swap(a[0], a[2]), swap(a[1], i)",
    );
    assert_eq!(after_edge(&text), Ok(vec![3, 1, 1, 2]));
}

#[test]
fn arrays_and_structs_are_passed_and_returned_by_value() {
    let text = edge(
        "typedef struct { int a[2]; bool set; } pair; pair p = { { 1, 2 }, true }; pair q; \
         pair turned(pair r) { int t = r.a[0]; r.a[0] = r.a[1]; r.a[1] = t; return r; }",
        "q = turned(p)",
    );
    assert_eq!(after_edge(&text), Ok(vec![1, 2, 1, 2, 1, 1]));
}

#[test]
fn a_range_that_is_left_inside_a_function_is_an_error() {
    let text = edge("int[0,3] v; void f(int[0,2] n) { v = n; }", "f(v + 3)");
    assert_eq!(after_edge(&text), Err(ErrorKind::Range(3, Range { low: 0, high: 2 })));
}

#[test]
fn a_function_without_return_is_an_error_of_its_call() {
    let text = edge("int v; int f(int n) { if (n > 0) return 1; }", "v = f(1), v = f(0)");
    assert_eq!(after_edge(&text), Err(ErrorKind::MissingReturn));
}

#[test]
fn an_endless_loop_uses_up_the_budget() {
    let (model, _) =
        model_of(&edge("int v; void f() { while (true) { v = 0; } }", "f()"), "E<> true");
    let updates = &model.processes[Id::from_index(0)].edges[Id::from_index(0)].updates;
    let mut translator = Translator::new(&model);
    let code = translator.expression(updates[0]);
    let mut machine = Machine::new(&translator.program, 1000, &Meter::default());
    let error = translator.program.run(code, &mut [0, 0], &mut machine).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Budget);
}

/// The code of the first update.
fn updating(model: &Model) -> (Translator<'_>, CodeRef) {
    let updates = &model.processes[Id::from_index(0)].edges[Id::from_index(0)].updates;
    let mut translator = Translator::new(model);
    let code = translator.expression(updates[0]);
    (translator, code)
}

#[test]
fn the_budget_of_an_evaluation_does_not_depend_on_those_before() {
    let text = "int v; void f() { for (i : int[1,2999]) { v = v; } }";
    let (model, _) = model_of(&edge(text, "f()"), "E<> true");
    let (translator, code) = updating(&model);
    // One step for the call, one for each round.
    for (budget, suffices) in [(3_000, true), (2_999, false)] {
        let mut machine = Machine::new(&translator.program, budget, &Meter::default());
        for _ in 0..50 {
            let result = translator.program.run(code, &mut [0, 0], &mut machine);
            assert_eq!(result.is_ok(), suffices, "{budget}");
        }
    }
}

#[test]
fn a_meter_ends_loops_and_long_code_and_many_short_evaluations() {
    let stopping = Meter::new(|_| Some(StopReason::TimeLimit));
    let sum = format!("v = 0{}", " + v".repeat(20_000));
    let cases = [
        ("int v; void f() { while (true) { v = 0; } }", "f()"),
        ("int v;", sum.as_str()),
        ("int v; void f() { v = 0; }", "f()"),
        ("int v; int a[3000]; int b[3000];", "a = b"),
    ];
    for (declarations, update) in cases {
        let (model, _) = model_of(&edge(declarations, update), "E<> true");
        let (translator, code) = updating(&model);
        let mut machine = Machine::new(&translator.program, DEFAULT_BUDGET, &stopping);
        let mut values = vec![0; 1 + model.cells.len()];
        let mut runs =
            (0..100_000).map(|_| translator.program.run(code, &mut values, &mut machine));
        let error = runs.find_map(Result::err).expect("it stops");
        assert_eq!(error.kind, ErrorKind::Stopped(StopReason::TimeLimit), "{declarations}");
    }
}

#[test]
fn a_meter_ends_the_compilation_of_many_actions() {
    let text = "int[0,5] v; process P() { state a; init a; \
                trans a -> a { select i : int[0,99999]; guard i + v * v > i * v; }; } system P;";
    let (model, _) = model_of(text, "E<> true");
    let memory = Meter::new(|bytes| (bytes > 1_000_000).then_some(StopReason::MemoryLimit));
    let time = Meter::new(|_| Some(StopReason::TimeLimit));
    for (meter, why) in [(memory, StopReason::MemoryLimit), (time, StopReason::TimeLimit)] {
        let stopped = crate::CompiledNetwork::new(&model, &meter).map(|_| ()).unwrap_err();
        assert_eq!(stopped, crate::CompileError::Stopped(why));
    }
}
