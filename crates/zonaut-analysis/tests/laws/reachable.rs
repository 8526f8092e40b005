//! Reachable values: they contain every value that occurs, and are precise in common cases.

use crate::program::{Program, Random, SELECT};
use zonaut_analysis::Reachable;
use zonaut_base::{Id, SourceFile, SourceMap};
use zonaut_lower::{LowerOptions, lower};
use zonaut_model::interpret::Interpreter;
use zonaut_model::{Condition, Edge, ExpressionId, LocationId, Model, Select};
use zonaut_syntax::{ParseOptions, parse_model};

/// Random runs of random updates: all stored and computed values are among the reachable ones.
#[test]
fn every_value_that_occurs_is_reachable() {
    let mut evaluations = 0;
    for seed in 0..600 {
        let mut program = Program::new(seed ^ 0x1717);
        let updates: Vec<ExpressionId> = (0..6).map(|_| program.expression(3)).collect();
        let mut model = program.model;
        let select = Select { binder: Id::from_index(SELECT), low: 0, high: 2 };
        updates.iter().for_each(|update| add_edge(&mut model, select, *update));
        let reachable = Reachable::new(&model);
        let mut choice = Random(seed);
        let mut interpreter = Interpreter::new(&model, 10_000);
        interpreter.locations = vec![LocationId::from_index(0)];
        for _ in 0..40 {
            let before = interpreter.cells.clone();
            let update = choice.choose(&updates);
            interpreter.set_local(select.binder, choice.between(0, 2));
            interpreter.refill(10_000);
            let Ok(value) = interpreter.evaluate(update) else {
                interpreter.cells = before;
                continue;
            };
            evaluations += 1;
            let range = reachable.expression(update);
            assert!(range.contains(value.into()), "{seed}: {value} not in {range}");
            for (cell, &content) in model.cells.ids().zip(&interpreter.cells) {
                let (low, high) = reachable.cell(cell);
                let inside = (low..=high).contains(&content.into());
                assert!(inside, "{seed}: {cell:?} = {content} not in {low}..={high}");
            }
        }
    }
    assert!(evaluations > 6000, "{evaluations}");
}

fn add_edge(model: &mut Model, select: Select, update: ExpressionId) {
    let location = LocationId::from_index(0);
    model.processes[Id::from_index(0)].edges.push(Edge {
        source: location,
        target: location,
        select: vec![select],
        guard: Condition::default(),
        synchronisation: None,
        updates: vec![update],
        controllable: true,
    });
}

pub(crate) fn model_of(text: &str) -> Model {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("model.xta", text));
    let (document, problems) = parse_model(&mut sources, file, &ParseOptions::default());
    assert!(!problems.has_errors(), "{problems:?}");
    let lowered = lower(&document, &[], &LowerOptions::default());
    lowered.model.expect("a right model")
}

/// Checks the values of the first cell.
fn check(declarations: &str, edges: &str, expected: (i64, i64)) {
    let text =
        format!("process P() {{ {declarations} state s; init s; trans {edges}; }} system P;");
    let model = model_of(&text);
    assert_eq!(Reachable::new(&model).cell(Id::from_index(0)), expected, "{text}");
}

#[test]
fn a_delay_set_from_constants_is_bounded_by_them() {
    check("int d = 2;", "s -> s { assign d = 7; }, s -> s { assign d = 3; }", (2, 7));
    check("int d; const int t[3] = { 4, 9, 5 }; int i;", "s -> s { assign d = t[i]; }", (0, 4));
    check(
        "int d; const int t[3] = { 4, 9, 5 }; int i;",
        "s -> s { assign d = t[i]; }, s -> s { assign i = 1; }",
        (0, 9),
    );
    check(
        "int d; int pick(int k) { return k > 0 ? 20 : 10; }",
        "s -> s { assign d = pick(d); }",
        (0, 20),
    );
    check("int d; void set(int &v) { v = 6; }", "s -> s { assign set(d); }", (0, 6));
    check("int d;", "s -> s { select k : int[2,5]; assign d = 3 * k; }", (0, 15));
}

#[test]
fn a_guard_that_never_holds_keeps_its_update_out() {
    check("int d; int e = 3;", "s -> s { guard e > 4; assign d = 7; }", (0, 0));
}

#[test]
fn storage_that_grows_gets_its_declared_range() {
    check("int[-5,50] d;", "s -> s { assign d++; }", (-5, 50));
    check("int d, e;", "s -> s { assign d = e + 1; }, s -> s { assign e = d; }", (-32768, 32767));
    check("int[0,3] d;", "s -> s { assign d = d + 1; }", (0, 3));
}

#[test]
fn a_store_that_always_fails_adds_nothing() {
    check("int[0,3] d;", "s -> s { assign d = 9; }", (0, 0));
}

#[test]
fn sums_over_very_many_values_do_not_overflow() {
    let sum = "sum (i : int[-2147483647,2147483647]) sum (j : int[-2147483647,2147483647])";
    check("int d; int e = 30000;", &format!("s -> s {{ assign d = 1 - ({sum} -e); }}"), (0, 0));
    check("int d; int e;", &format!("s -> s {{ assign d = 1 - ({sum} -e); }}"), (0, 1));
}

#[test]
fn an_expression_of_a_function_has_the_values_of_all_its_calls() {
    let model = model_of(
        "process P() { int d; int twice(int k) { return k + k; } state s; init s; \
         trans s -> s { assign d = twice(2); }, s -> s { assign d = twice(5); }; } system P;",
    );
    let reachable = Reachable::new(&model);
    assert_eq!(reachable.cell(Id::from_index(0)), (0, 10));
    let sums = model
        .expressions
        .iter_enumerated()
        .filter(|(_, expression)| matches!(expression, zonaut_model::Expression::Binary(..)));
    for (id, _) in sums {
        assert_eq!(reachable.expression(id).to_string(), "[4,10]");
    }
}
