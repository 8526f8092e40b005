//! Values of functions and updates, computed by the reference interpreter.

mod support;

use support::{after_updates, model, with_edge};

/// Runs updates after declarations and compares one cell.
fn check(declarations: &str, updates: &str, cell: &str, expected: i32) {
    let text = with_edge(declarations, &format!("assign {updates};"));
    assert_eq!(after_updates(&model(&text, ""), cell), Ok(expected), "{text}");
}

/// Runs updates that fail.
fn fails(declarations: &str, updates: &str, expected: &str) {
    let text = with_edge(declarations, &format!("assign {updates};"));
    let outcome = after_updates(&model(&text, ""), "n");
    assert_eq!(outcome, Err(expected.to_owned()), "{text}");
}

#[test]
fn operators_compute_the_values_of_the_language() {
    for (expression, expected) in [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("2 ** 10", 1024),
        ("1 << 4 >> 1", 8),
        ("3 <? 5", 3),
        ("3 >? 5", 5),
        ("6 & 3 | 8 ^ 1", 11),
        ("5 == true", 0),
        ("2 && 3", 1),
        ("0 || 7", 1),
        ("true xor 5", 0),
        ("true imply false", 0),
        ("!5", 0),
        ("1 ? 2 : 3", 2),
        ("abs(-4)", 4),
        ("(sum (i : int[1,4]) i) - 1", 9),
        ("forall (i : int[1,4]) i < 4", 0),
        ("exists (i : int[1,4]) i == 4", 1),
        ("forall (i : int[4,1]) false", 1),
    ] {
        check("int n;", &format!("n = {expression}"), "n", expected);
        // The same with operands that are not constant.
        let hidden = expression.replace(|c: char| c.is_ascii_digit(), "#");
        if hidden != expression && !expression.contains(':') && !expression.contains("10") {
            let mut text = String::new();
            for c in expression.chars() {
                if c.is_ascii_digit() {
                    text.push_str(&format!("v[{c}]"));
                } else {
                    text.push(c);
                }
            }
            check(
                "int n; int v[10] = {0,1,2,3,4,5,6,7,8,9};",
                &format!("n = {text}"),
                "n",
                expected,
            );
        }
    }
}

#[test]
fn assignments_and_increments_store_and_yield_values() {
    check("int n = 5;", "n += 3, n -= 1, n *= 2", "n", 14);
    check("int n = 5, m;", "m = n++", "m", 5);
    check("int n = 5, m;", "m = ++n", "m", 6);
    check("int n, m;", "n = m = 4", "n", 4);
    check("bool b;", "b = 5", "b", 1);
    check("int a[3], n;", "a[1] = 2, a[a[1]] = 7, n = a[2]", "n", 7);
    check("int a[2][3], n;", "a[1][2] = 5, n = a[1][2]", "a[1][2]", 5);
    check("int a[int[3,5]], n = 4;", "a[n] = 2", "a[4]", 2);
    check("struct { int x; int y[2]; } s, t; int i = 1;", "s.y[i] = 3, t = s", "t.y[1]", 3);
}

#[test]
fn failing_operations_are_run_time_errors() {
    fails("int n;", "n = 1 / 0", "division by zero");
    fails("int n; int z;", "n = 1 / z", "division by zero");
    fails("int[0,3] n;", "n = 4", "the value 4 is outside the range [0,3]");
    fails("int n; int i = 3; int a[3];", "n = a[i]", "the index 3 is outside the range [0,2]");
    fails("int n; clock x;", "x = n - 1", "a clock is set to the negative value -1");
    fails("int n; int f() { }", "n = f()", "the function ends without returning a value");
    fails(
        "int n; int[0,3] f(int a) { return a; }",
        "n = f(4)",
        "the value 4 is outside the range [0,3]",
    );
    fails("int n; void f() { assert (n > 0); }", "f()", "the assertion does not hold");
    fails("int n; void f() { while (true) { } }", "f()", "too many steps: perhaps an endless loop");
}

#[test]
fn short_circuit_operators_skip_failing_right_sides() {
    check("int n, i = 3; int a[3];", "n = i < 3 && a[i] == 0", "n", 0);
    check("int n, i = 3; int a[3];", "n = i >= 3 || a[i] == 0", "n", 1);
    check("int n, i = 3; int a[3];", "n = i < 3 imply a[i] == 0", "n", 1);
    check("int n, i = 3; int a[3];", "n = i < 3 ? a[i] : 9", "n", 9);
    check("const int N = 3; int n; int a[3];", "n = N < 3 && a[N] == 0", "n", 0);
    check("const int N = 3; int n; int a[3];", "n = N < 3 ? a[N] : 4", "n", 4);
    let dead = "const int N = 3; int n; int a[3]; int f() { if (N < 3) return a[N]; return 5; }";
    check(dead, "n = f()", "n", 5);
}

#[test]
fn branches_and_loops_compute_the_values_of_the_language() {
    let body = |code: &str| format!("int n; int f(int k) {{ {code} }}");
    check(&body("if (k > 2) return 1; else return 2;"), "n = f(3)", "n", 1);
    check(&body("int s = 0; while (k > 0) { s += k; k--; } return s;"), "n = f(4)", "n", 10);
    check(&body("int s = 0; do { s++; } while (s < k); return s;"), "n = f(0)", "n", 1);
    check(
        &body("int i; int s = 0; for (i = 0; i < k; i++) { s += i; } return s;"),
        "n = f(4)",
        "n",
        6,
    );
    check(
        &body("int s = 0; for (i : int[1,4]) { if (i == k) return s; s += i; } return -1;"),
        "n = f(3)",
        "n",
        3,
    );
    check(
        &body("int i, j; for (i = 0, j = 9; i < j; i++, j--) { } return i * 10 + j;"),
        "n = f(0)",
        "n",
        54,
    );
}

#[test]
fn locals_are_initialised_at_every_entry() {
    let code = "int n; int f() { int s = 0; for (i : int[0,2]) { int k; k++; s += k; } return s; }";
    check(code, "n = f() + f()", "n", 6);
    let code = "int n; int f() { int a[2]; int b[2] = {n, 2}; a[0]++; return a[0] + b[0] + b[1]; }";
    check(code, "n = f(), n = f()", "n", 6);
    let code = "int n; int f(int k) { const int twice = 2 * k; return twice; }";
    check(code, "n = f(3) + f(4)", "n", 14);
}

#[test]
fn references_read_and_write_their_storage() {
    let swap = "int n = 1, m = 2; void swap(int &a, int &b) { int c = a; a = b; b = c; }";
    check(swap, "swap(n, m)", "n", 2);
    let element = "int a[3] = {1,2,3}; int i = 2; void inc(int &v) { v += 10; }";
    check(element, "inc(a[i])", "a[2]", 13);
    let moved = "int a[3]; int i = 1; void f(int &v) { i = 2; v = 7; }";
    check(moved, "f(a[i])", "a[1]", 7);
    let row =
        "int a[2][2]; int i = 1; void fill(int &r[2], int v) { for (k : int[0,1]) r[k] = v; }";
    check(row, "fill(a[i], 5)", "a[1][1]", 5);
    let nested = "int n; void g(int &v) { v++; } void f(int &v) { g(v); g(v); }";
    check(nested, "f(n)", "n", 2);
    let local = "int n; void g(int &v) { v++; } int f() { int k = 3; g(k); return k; }";
    check(local, "n = f()", "n", 4);
    let copied = "int a[2]; int n; int f(int b[2]) { b[0] = 9; return b[0]; }";
    check(copied, "n = f(a)", "a[0]", 0);
}

#[test]
fn functions_return_arrays_and_structs() {
    let s = "typedef struct { int x; int y; } S; S s; int n; S make(int v) { S r; r.x = v; r.y = -v; return r; }";
    check(s, "s = make(3)", "s.y", -3);
    check(s, "n = make(3).x + make(4).x", "n", 7);
    check(s, "n = make(3) == make(4)", "n", 0);
    check(s, "n = make(3) != make(4)", "n", 1);
    let nested = format!("{s} S twice(S t) {{ return make(2 * t.x); }}");
    check(&nested, "s = twice(twice(make(1)))", "s.x", 4);
    let choice = format!("{s} S t;");
    check(&choice, "s = make(1), t = make(2), s = (n == 0 ? t : s)", "s.x", 2);
    let constant = format!("{s} const S C = make(5); int k[C.x];");
    check(&constant, "n = C.x", "n", 5);
}

#[test]
fn specialised_functions_access_their_own_process() {
    let text = "int n; process P(int[1,3] id) { int k; void f() { k = id; n += k; }
        state a; init a; trans a -> a { assign f(); }; } system P;";
    let model = model(text, "");
    let mut machine = zonaut_model::interpret::Interpreter::new(&model, 1000);
    for process in &model.processes {
        for edge in &process.edges {
            machine.evaluate(edge.updates[0]).expect("the update runs");
        }
    }
    assert_eq!(machine.cells, [6, 1, 2, 3]);
}

#[test]
fn missing_initialisers_are_zero_or_the_lower_bound() {
    let text = with_edge("int a; int[3,5] b; int[-5,-3] c; bool d; scalar[2] e;", "");
    assert_eq!(model(&text, "").initial_cells(), [0, 3, -5, 0, 0]);
}

#[test]
fn fields_are_initialised_in_any_order() {
    let text = with_edge("struct { int a; int b[2]; } s = { b: {1, 2}, a: 3 };", "");
    assert_eq!(model(&text, "").initial_cells(), [3, 1, 2]);
}
