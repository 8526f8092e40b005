//! Small programs that random generation rarely produces.

use crate::reachable::model_of;
use zonaut_analysis::footprint::Footprints;
use zonaut_analysis::interval::{Declared, Intervals};
use zonaut_analysis::{FailureKind, Overlay, Walk};
use zonaut_base::Id;
use zonaut_model::interval::Interval;
use zonaut_model::{
    BinaryOperator, CellId, Expression, LocalId, Model, Place, QuantifierKind, Storage, ValueOf,
};

/// A process whose only edge has this update.
fn model(declarations: &str, update: &str) -> Model {
    model_of(&format!(
        "process P() {{ {declarations} state s; init s; trans s -> s {{ assign {update}; }}; }} \
         system P;"
    ))
}

fn named(model: &Model, name: &str) -> CellId {
    let mut cells = model.cells.iter_enumerated();
    let found = cells.find(|(_, cell)| cell.name.trim_start_matches("P.") == name);
    found.map(|(id, _)| id).expect("a cell of this name")
}

/// The content of a cell after the update, and the kinds of its failures.
fn after(model: &Model, name: &str) -> (Interval, Vec<FailureKind>) {
    let domain = Intervals::new(model, Declared(model));
    let mut walk = Walk::new(model, domain, Overlay::default());
    walk.update(&model.processes[Id::from_index(0)].edges[Id::from_index(0)].updates);
    let memory = walk.memory.clone();
    let content = walk.domain.content(&memory, Storage::Cell(named(model, name)));
    (content, walk.failures().iter().map(|failure| failure.kind).collect())
}

/// The names of the cells that flow into one.
fn sources(model: &Model, name: &str) -> Vec<String> {
    let mut walk = Footprints::walk(model);
    walk.update(&model.processes[Id::from_index(0)].edges[Id::from_index(0)].updates);
    let cell = named(model, name);
    let mut flows = walk.memory.flows();
    let (_, from) = flows.find(|(to, _)| to.cells.contains(cell)).expect("a written cell");
    let name = |id: CellId| model.cells[id].name.trim_start_matches("P.").to_owned();
    from.cells.iter().map(name).collect()
}

#[test]
fn a_long_iteration_is_repeated_until_nothing_changes() {
    let text = "int[0,3] v; void f() { v = 0; for (i : int[0,699]) { if (v < 3) { v++; } } }";
    assert_eq!(after(&model(text, "f()"), "v"), ((0, 3), vec![]));
}

#[test]
fn a_loop_with_an_unknown_bound_stays_inside_the_array() {
    let text = "int[0,4] n; int a[4]; int end; \
                void f() { int i = 0; while (i < n) { a[i] = 7; i++; } end = i; }";
    assert_eq!(after(&model(text, "f()"), "end"), ((0, 4), vec![]));
}

#[test]
fn nested_double_calls_do_not_take_exponential_time() {
    let mut text = "int[0,9] v; int w; void f0() { v = 3; }".to_owned();
    for k in 1..40 {
        text += &format!(" void f{k}() {{ f{0}(); f{0}(); }}", k - 1);
    }
    let model = model(&text, "f39()");
    assert_eq!(after(&model, "v"), ((0, 9), vec![FailureKind::Budget]));
    assert_eq!(after(&model, "w").0, (-32768, 32767));
    assert!(sources(&model, "v").is_empty());
    assert_eq!(zonaut_analysis::Reachable::new(&model).cell(named(&model, "v")), (0, 9));
}

#[test]
fn a_test_of_the_length_guards_the_index() {
    let text = "int[0,4] len; int q[4]; void f() { if (len < 4) { q[len] = 1; len++; } }";
    assert_eq!(after(&model(text, "f()"), "len"), ((1, 4), vec![]));
    let text = "int[0,4] len; int q[4]; void f() { if (len <= 4) { q[len] = 1; } }";
    assert_eq!(after(&model(text, "f()"), "len"), ((0, 4), vec![FailureKind::Index]));
}

#[test]
fn an_undecided_quantifier_may_end_at_any_instance() {
    // forall (i : 0..=1) (v += 1, u), where v is 0.
    let mut model = model("int[0,9] v; bool u;", "v = 0");
    let (v, u) = (named(&model, "v"), named(&model, "u"));
    let arena = &mut model.expressions;
    let one = arena.push(Expression::Constant(1));
    let place = Place::fixed(Storage::Cell(v));
    let (operator, result) = (Some(BinaryOperator::Add), ValueOf::After);
    let count = arena.push(Expression::Assign { place, operator, value: one, result });
    let read = arena.push(Expression::Read(Place::fixed(Storage::Cell(u))));
    let body = arena.push(Expression::Sequence(vec![count, read]));
    let (kind, binder) = (QuantifierKind::ForAll, LocalId::from_index(0));
    model.locals.push(zonaut_model::Local {
        name: "i".to_owned(),
        range: zonaut_model::Range { low: 0, high: 1 },
    });
    let all = Expression::Quantifier { kind, binder, low: 0, high: 1, body };
    let all = model.expressions.push(all);
    model.processes[Id::from_index(0)].edges[Id::from_index(0)].updates.push(all);
    assert_eq!(after(&model, "v").0, (1, 2));
}

#[test]
fn indices_and_conditions_flow_into_selected_values() {
    assert_eq!(sources(&model("int[0,1] i; int a[2];", "a[i] = 0"), "a[0]"), ["i", "a[0]"]);
    assert_eq!(sources(&model("int i, w;", "w = i > 0 ? 1 : 2"), "w"), ["i"]);
    assert_eq!(sources(&model("int i, w, a[2];", "w = a[i]"), "w"), ["i", "a[0]", "a[1]"]);
    let text = "int c, w; void f() { if (c == 1) { w = 1; } else { w = 2; } }";
    assert_eq!(sources(&model(text, "f()"), "w"), ["c"]);
}

#[test]
fn statements_after_a_conditional_return_depend_on_its_condition() {
    let text = "int c, w; void f() { if (c == 1) { return; } w = 1; }";
    assert_eq!(sources(&model(text, "f()"), "w"), ["c", "w"]);
    let text = "int c, d, w; void f() { if (c == 1) { while (d == 1) { return; } } w = 1; }";
    assert_eq!(sources(&model(text, "f()"), "w"), ["c", "d", "w"]);
    let text = "int c, v, w; void f() { if (c == 1) { v = 1; } w = 1; }";
    assert!(sources(&model(text, "f()"), "w").is_empty());
    // A condition inside a function is no control dependency after the call.
    let text = "int c, v, w; void g() { if (c == 1) { return; } v = 1; } void f() { g(); w = 1; }";
    assert!(sources(&model(text, "f()"), "w").is_empty());
}
