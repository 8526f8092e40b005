//! Intervals hold every value that occurs, and no more than needed where it matters.

use super::*;
use crate::test_models::{Random, RandomModel, SELECT, model_of, process};
use zonaut_base::Id;
use zonaut_model::LocationId;
use zonaut_model::interpret::Interpreter;

/// Random runs of random updates: what is stored and computed lies in the intervals.
#[test]
fn every_value_that_occurs_is_in_its_interval() {
    let mut evaluations = 0;
    for seed in 0..600 {
        let mut random = RandomModel::new(seed ^ 0x1717);
        let updates: Vec<ExpressionId> = (0..6).map(|_| random.expression(3)).collect();
        let mut model = random.model;
        let select = zonaut_model::Select { binder: Id::from_index(SELECT), low: 0, high: 2 };
        add_edge(&mut model, select, &updates);
        let intervals = Intervals::new(&model);
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
            let (low, high) = intervals.of(update);
            assert!((low..=high).contains(&value), "{seed}: {value} not in {low}..={high}");
            for (cell, &content) in model.cells.ids().zip(&interpreter.cells) {
                let (low, high) = intervals.cells[cell];
                let inside = (low..=high).contains(&content.into());
                assert!(inside, "{seed}: {cell:?} = {content} not in {low}..={high}");
            }
        }
    }
    assert!(evaluations > 6000, "{evaluations}");
}

fn add_edge(model: &mut Model, select: zonaut_model::Select, updates: &[ExpressionId]) {
    let process = &mut model.processes[Id::from_index(0)];
    let location = LocationId::from_index(0);
    process.edges.push(zonaut_model::Edge {
        source: location,
        target: location,
        select: vec![select],
        guard: zonaut_model::Condition::default(),
        synchronisation: None,
        updates: updates.to_vec(),
        controllable: true,
    });
}

/// The interval of the first cell, after everything.
fn check(declarations: &str, edges: &str, expected: (i64, i64)) {
    let text = process(&format!("{declarations} state s; init s; trans {edges};"));
    let (model, _) = model_of(&text, "E<> true");
    assert_eq!(Intervals::new(&model).cells[Id::from_index(0)], expected, "{text}");
}

#[test]
fn a_delay_set_from_constants_is_bounded_by_them() {
    check("int d = 2;", "s -> s { assign d = 7; }, s -> s { assign d = 3; }", (2, 7));
    check("int d; const int t[3] = { 4, 9, 5 }; int i;", "s -> s { assign d = t[i]; }", (0, 9));
    check(
        "int d; int pick(int k) { return k > 0 ? 20 : 10; }",
        "s -> s { assign d = pick(d); }",
        (0, 20),
    );
    check("int d; void set(int &v) { v = 6; }", "s -> s { assign set(d); }", (0, 6));
    check("int d;", "s -> s { select k : int[2,5]; assign d = 3 * k; }", (0, 15));
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
    check(
        "int d; int e = 30000;",
        "s -> s { assign d = 1 - (sum (i : int[-2147483647,2147483647]) sum (j : int[-2147483647,2147483647]) -e); }",
        (0, 32767),
    );
}
