//! Each feature of the language in a correct and in an incorrect use.

mod support;

use support::{after_updates, errors, lowered, messages, model, warnings, with_edge};
use zonaut_base::{SourceFile, SourceMap};
use zonaut_lower::{LowerOptions, codes, lower};
use zonaut_syntax::tree::Dialect;
use zonaut_syntax::{ParseOptions, parse_model};

fn check(text: &str, expected: &[&str]) {
    let lowered = lowered(text, "", &LowerOptions::default());
    let found = errors(&lowered);
    assert_eq!(found, expected, "{text}\n{}", messages(&lowered.diagnostics));
    assert_eq!(lowered.model.is_some(), expected.is_empty());
}

/// Checks an edge label after declarations.
fn edge(declarations: &str, label: &str, expected: &[&str]) {
    check(&with_edge(declarations, label), expected);
}

/// Checks global declarations.
fn global(declarations: &str, expected: &[&str]) {
    edge(declarations, "", expected);
}

/// Checks an invariant of the initial location.
fn invariant(declarations: &str, invariant: &str, expected: &[&str]) {
    let text =
        format!("{declarations} process P() {{ state L {{ {invariant} }}; init L; }} system P;");
    check(&text, expected);
}

#[test]
fn uses_of_names_are_checked() {
    edge("int n;", "assign n = 1;", &[]);
    edge("int n;", "assign m = 1;", &[codes::UNKNOWN_NAME]);
    edge("int n; int n;", "", &[codes::DUPLICATE_NAME]);
    edge("int n; chan n;", "", &[codes::DUPLICATE_NAME]);
    edge("void f() { } ", "guard f;", &[codes::WRONG_KIND_OF_NAME]);
    edge("typedef int[0,3] t; int n;", "assign n = t;", &[codes::WRONG_KIND_OF_NAME]);
    edge("int n;", "guard L == 1;", &[codes::LOCATION_AS_VALUE]);
    edge("int int8_t;", "assign int8_t = INT8_MAX;", &[]);
    check("process P() { int a; state a; init a; } system P;", &[codes::DUPLICATE_NAME]);
    check("int x; process P() { int x; state a; init a; } system P;", &[]);
}

#[test]
fn all_errors_are_reported_in_one_run() {
    let text = "int n; process P() { state a; init a;
        trans a -> a { guard m > 0; assign k = 1; }, a -> a { assign n = q; }; } system P;";
    check(text, &[codes::UNKNOWN_NAME; 3]);
}

#[test]
fn one_mistake_is_reported_as_one_error() {
    edge(
        "int[5,2] n; int f() { return n; }",
        "guard n > 0; assign n = f();",
        &[codes::EMPTY_RANGE],
    );
    edge("int f() { return missing; } int n;", "assign n = f();", &[codes::UNKNOWN_NAME]);
    edge("typedef missing T; T t;", "assign t = 1;", &[codes::UNKNOWN_NAME]);
}

#[test]
fn errors_for_unknown_names_suggest_similar_ones() {
    let text = with_edge("int length;", "assign lenght = 1;");
    let lowered = lowered(&text, "", &LowerOptions::default());
    let help = lowered.diagnostics.iter().next().and_then(|first| first.help.clone());
    assert_eq!(help.as_deref(), Some("did you mean `length`?"));
}

#[test]
fn integer_ranges_are_checked() {
    global("int[0,5] n = 5;", &[]);
    global("int[0,5] n = 6;", &[codes::CONSTANT_RANGE]);
    global("int n = 32768;", &[codes::CONSTANT_RANGE]);
    global("const int n = 1000000;", &[]);
    global("int[5,2] n;", &[codes::EMPTY_RANGE]);
    global("int n = 1/0;", &[codes::CONSTANT_FAILS]);
    global("int m; int[0,m] n;", &[codes::NOT_CONSTANT]);
    global("int m; int n = m;", &[codes::NOT_CONSTANT]);
    edge("int n;", "assign n = 1/0;", &[]);
}

#[test]
fn constants_are_checked() {
    global("const int N = 5; int a[N];", &[]);
    global("const int N;", &[codes::MISSING_INITIALISER]);
    edge("const int N = 5;", "assign N = 1;", &[codes::NOT_ASSIGNABLE]);
    edge("const int A[2] = {1,2};", "assign A[0] = 1;", &[codes::NOT_ASSIGNABLE]);
    global("const bool b = 3 > 2; const int n = b + 1;", &[]);
    global("int f(int x) { return x * x; } const int n = f(4); int a[n];", &[]);
    global("int f() { while (true) { } return 1; } const int n = f();", &[codes::CONSTANT_FAILS]);
}

#[test]
fn arrays_are_checked() {
    edge("int a[3]; int i;", "assign a[i] = 1;", &[]);
    edge("int a[int[3,5]];", "assign a[5] = 1;", &[]);
    edge("typedef int[0,2] id; int a[id][2];", "assign a[2][1] = 1;", &[]);
    edge("int a[2], b[2];", "guard a == b; assign a = b;", &[]);
    edge("int a[2], b[3];", "assign a = b;", &[codes::TYPE_MISMATCH]);
    edge("int a[2], b[3];", "guard a == b;", &[codes::TYPE_MISMATCH]);
    edge("int n;", "assign n[0] = 1;", &[codes::WRONG_TYPE]);
    global("int a[2] = {1,2}; int b[2][2] = {{1,2},{3,4}};", &[]);
    global("int a[2] = {1};", &[codes::INITIALISER_SHAPE]);
    global("int a[0];", &[codes::ARRAY_SIZE]);
    global("int a[-1];", &[codes::ARRAY_SIZE]);
    global("int a[2000000000];", &[codes::STORAGE_LIMIT]);
    global("int a[100000][100000];", &[codes::STORAGE_LIMIT]);
    global("int a[2000000000][2000000000][2000000000];", &[codes::STORAGE_LIMIT]);
}

#[test]
fn structs_are_checked() {
    let s = "typedef struct { int[0,5] n; bool b[2]; } S; S s, t;";
    edge(s, "guard s == t; assign s = t, s.n = 3, s.b[1] = true;", &[]);
    edge(s, "assign s.m = 3;", &[codes::UNKNOWN_MEMBER]);
    global("struct { int a; int b; } s = {1, 2};", &[]);
    global("struct { int a; int b; } s = {b: 1, a: 2};", &[]);
    global("struct { int a; int b; } s = {a: 1};", &[codes::INITIALISER_SHAPE]);
    global("struct { int a; int b; } s = {a: 1, c: 2};", &[codes::INITIALISER_SHAPE]);
    global("struct { clock x; } s;", &[codes::TYPE_HERE]);
    global("struct { int a; int a; } s;", &[codes::DUPLICATE_NAME]);
}

#[test]
fn scalar_sets_are_checked() {
    let s = "typedef scalar[3] id; id i, j; int a[id];";
    edge(s, "guard i == j; assign i = j, a[i] = 1;", &[]);
    edge(s, "guard i < j;", &[codes::TYPE_MISMATCH]);
    edge(s, "assign i = 1;", &[codes::TYPE_MISMATCH]);
    edge(s, "assign a[1] = 1;", &[codes::TYPE_MISMATCH]);
    edge("scalar[3] i; scalar[3] j;", "assign i = j;", &[codes::TYPE_MISMATCH]);
    global("scalar[0] i;", &[codes::ARRAY_SIZE]);
}

#[test]
fn clocks_in_guards_are_checked() {
    let c = "clock x, y, z[2]; int n; bool b;";
    edge(c, "guard x <= 5 && 3 < y && x - y >= n && x == 2 && z[n] > 1;", &[]);
    edge(c, "guard x < y;", &[]);
    edge(c, "guard x + 3 < y + 5;", &[]);
    edge(c, "guard b || x < 5;", &[]);
    edge(c, "guard b imply x < 5;", &[]);
    edge(c, "guard !(x < 5);", &[]);
    edge(c, "guard forall (i : int[0,1]) z[i] < 5;", &[]);
    edge(c, "guard b ? x < 5 : y < 3;", &[]);
    edge(c, "guard x < 5 || y > 3;", &[codes::CLOCK_DISJUNCTION]);
    edge(c, "guard exists (i : int[0,1]) z[i] < 5;", &[codes::CLOCK_DISJUNCTION]);
    edge(c, "guard x != 3;", &[codes::CLOCK_INEQUALITY]);
    edge(c, "guard !(x == 3);", &[codes::CLOCK_INEQUALITY]);
    edge(c, "guard x;", &[codes::WRONG_TYPE]);
    edge(c, "guard x + y < 3;", &[codes::CLOCK_ARITHMETIC]);
    edge(c, "guard 2 * x < 3;", &[codes::CLOCK_ARITHMETIC]);
    edge(c, "guard x' == 1;", &[codes::RATE_HERE]);
    edge(c, "guard (x < 3) == b;", &[codes::CLOCK_CONSTRAINT_HERE]);
}

#[test]
fn clocks_in_updates_are_checked() {
    let c = "clock x, y; int n; void reset(clock &c) { c = 0; }";
    edge(c, "assign x = 0, y = n, x = y;", &[]);
    edge(c, "assign reset(x);", &[]);
    edge(c, "assign x += 1;", &[codes::NOT_ASSIGNABLE]);
    edge(c, "assign n = x;", &[codes::WRONG_TYPE]);
    edge(c, "assign x = 1.5, y = x * 2;", &[]);
}

#[test]
fn invariants_are_checked() {
    let c = "clock x; int n; bool b;";
    invariant(c, "x <= 5 && n == 0", &[]);
    invariant(c, "x <= n", &[]);
    invariant(c, "b || x <= 5", &[]);
    invariant(c, "x' == 0 && x <= 3", &[]);
    invariant(c, "b imply x' == 0", &[]);
    invariant(c, "x' == 0 || x <= 5", &[codes::CLOCK_DISJUNCTION]);
    invariant(c, "x' < 1", &[codes::RATE_HERE]);
    invariant(c, "!(x' == 1)", &[codes::RATE_HERE]);
    invariant(c, "n++ == 1", &[codes::SIDE_EFFECT]);
}

#[test]
fn an_initial_state_that_violates_an_invariant_is_an_error() {
    invariant("int n = 1;", "n == 1", &[]);
    invariant("int n;", "n == 1", &[codes::INITIAL_INVARIANT]);
    invariant("clock x;", "x >= 1", &[codes::INITIAL_INVARIANT]);
    invariant("clock x = 7;", "x <= 5", &[codes::INITIAL_INVARIANT]);
    invariant("clock x; int n = -1;", "x <= n", &[codes::INITIAL_INVARIANT]);
    invariant("int a[2]; int i = 2;", "a[i] == 0", &[codes::INITIAL_INVARIANT]);
}

#[test]
fn side_effects_outside_updates_are_errors() {
    let d = "int n; int f() { n = n + 1; return n; } int g() { return f(); } chan c[3];";
    edge(d, "assign n = f();", &[]);
    edge(d, "guard n++ < 3;", &[codes::SIDE_EFFECT]);
    edge(d, "guard f() < 3;", &[codes::SIDE_EFFECT]);
    edge(d, "guard g() < 3;", &[codes::SIDE_EFFECT]);
    edge(d, "sync c[f()]!;", &[codes::SIDE_EFFECT]);
    global("int n; int f() { n = 1; return n; } int m = f();", &[codes::NOT_CONSTANT]);
    edge("int f() { int k = 0; k++; return k; }", "guard f() == 1;", &[]);
}

#[test]
fn constant_indices_outside_arrays_are_warnings_in_code() {
    let code = |declarations: &str, label: &str| {
        let lowered = lowered(&with_edge(declarations, label), "", &LowerOptions::default());
        assert!(errors(&lowered).is_empty(), "{}", messages(&lowered.diagnostics));
        assert_eq!(warnings(&lowered), [codes::INDEX_RANGE], "{declarations} {label}");
        lowered.model.expect("a warning does no harm")
    };
    for label in ["assign a[3] = 1;", "assign a[-1] = 1;", "guard a[3] == 1;", "sync c[2]!;"] {
        code("int a[3]; chan c[2];", label);
    }
    code("int a[int[3,5]];", "assign a[2] = 1;");
    let panic = "int a[2]; void panic() { a[2] = 1; }";
    let model = code(panic, "assign panic();");
    let failed = after_updates(&model, "a[0]");
    assert_eq!(failed, Err("the index 2 is outside the range [0,1]".to_owned()));
    code(panic, "guard a[0] == 0;");
    code("clock x[2];", "guard x[2] <= 3;");
}

#[test]
fn constant_indices_outside_arrays_are_errors_if_evaluated_during_lowering() {
    let a = "const int A[2] = {1, 2};";
    global(&format!("{a} const int n = A[2];"), &[codes::INDEX_RANGE, codes::CONSTANT_FAILS]);
    global(&format!("{a} int n = A[2];"), &[codes::INDEX_RANGE, codes::CONSTANT_FAILS]);
    global(&format!("{a} int b[A[2]];"), &[codes::INDEX_RANGE, codes::CONSTANT_FAILS]);
    global(&format!("{a} int f() {{ return A[2]; }} int n = f();"), &[codes::CONSTANT_FAILS]);
    global(
        &format!("{a} void f() {{ int b[A[2]]; }}"),
        &[codes::INDEX_RANGE, codes::CONSTANT_FAILS],
    );
    let query = lowered(&with_edge("int a[2];", ""), "E<> a[2] == 1", &LowerOptions::default());
    assert_eq!(errors(&query), [codes::INDEX_RANGE]);
    let model = query.model.expect("an error of a query is none of the model");
    assert!(model.queries.iter().all(|query| query.kind == zonaut_model::QueryKind::Damaged));
}

#[test]
fn synchronisations_are_checked() {
    let c = "chan c, d[2]; urgent broadcast chan u; int n;";
    edge(c, "sync c!;", &[]);
    edge(c, "sync d[n]?;", &[]);
    edge(c, "sync u!;", &[]);
    edge(c, "sync d!;", &[codes::SYNCHRONISATION]);
    edge(c, "sync n!;", &[codes::SYNCHRONISATION]);
    edge(c, "sync e!;", &[codes::UNKNOWN_NAME]);
    edge(c, "guard c == 1;", &[codes::WRONG_TYPE]);
    global("urgent int n;", &[codes::PREFIX]);
    global("const clock x;", &[codes::PREFIX]);
}

#[test]
fn channel_priorities_are_checked() {
    global("chan a, b[2]; chan priority a < default < b;", &[]);
    global("chan a, b[2]; chan priority a < b[0];", &[]);
    global("chan a; chan priority a < a;", &[codes::PRIORITY]);
    global("int n; chan priority n < default;", &[codes::PRIORITY]);
    global("chan a; chan priority x < a;", &[codes::UNKNOWN_NAME]);
}

#[test]
fn selects_are_checked() {
    edge("int n;", "select i : int[0,3], j : int[0,i]; assign n = i;", &[codes::NOT_CONSTANT]);
    edge("int n;", "select i : int[0,3]; guard i > n; assign n = i;", &[]);
    edge("int n;", "select i : int[0,3]; assign i = 1;", &[codes::NOT_ASSIGNABLE]);
    edge("int n;", "select i : int[3,0]; assign n = i;", &[codes::EMPTY_RANGE]);
    edge("int n;", "select i : int; assign n = i;", &[codes::UNBOUNDED_ITERATION]);
    edge("int n;", "select i : int[0,3]; assign n = j;", &[codes::UNKNOWN_NAME]);
}

#[test]
fn quantifiers_are_checked() {
    let a = "int a[3]; typedef int[0,2] id;";
    edge(a, "guard forall (i : id) a[i] == 0;", &[]);
    edge(a, "guard exists (i : id) a[i] > 0 && i != 1;", &[]);
    edge(a, "guard sum (i : id) a[i] > 3;", &[]);
    edge(a, "guard forall (i : int) i == 0;", &[codes::UNBOUNDED_ITERATION]);
    edge(a, "guard forall (i : id) i++ == 0;", &[codes::NOT_ASSIGNABLE]);
    edge(a, "guard false && forall (i : int[0,1/0]) a[i] == 0;", &[]);
    edge(a, "guard true && forall (i : int[0,1/0]) a[i] == 0;", &[codes::CONSTANT_FAILS]);
    edge(a, "guard true ? a[0] == 0 : forall (i : int[0,1/0]) a[i] == 0;", &[]);
    let c = "clock x[1001]; clock y;";
    let huge = "guard forall (i : int[0,1000]) forall (j : int[0,1000]) x[i] < j;";
    edge(c, huge, &[codes::EXPANSION_LIMIT]);
}

#[test]
fn functions_are_checked() {
    edge("int f(int a, bool b) { return b ? a : -a; } int n;", "assign n = f(1, true);", &[]);
    edge("int f(int a) { return a; } int n;", "assign n = f();", &[codes::ARGUMENT_COUNT]);
    edge("void f(int &a) { a++; } int n;", "assign f(n);", &[]);
    edge("void f(int &a) { a++; }", "assign f(3);", &[codes::REFERENCE_ARGUMENT]);
    edge("void f(int &a) { a++; } const int n = 1;", "assign f(n);", &[codes::REFERENCE_ARGUMENT]);
    edge("int f(const int &a) { return a; } int n;", "assign n = f(3) + f(n);", &[]);
    edge("void f(int a[2]) { } int b[3];", "assign f(b);", &[codes::TYPE_MISMATCH]);
    global("int f() { return f(); }", &[codes::USED_BEFORE_DECLARATION]);
    global("int f() { return g(); } int g() { return 1; }", &[codes::USED_BEFORE_DECLARATION]);
    global("int f() { return; }", &[codes::RETURN]);
    global("void f() { return 1; }", &[codes::RETURN]);
    global("void f(clock c) { }", &[codes::TYPE_HERE]);
    global("void f() { clock c; }", &[codes::TYPE_HERE]);
    global("clock x; int f() { if (x < 3) return 1; return 0; }", &[codes::CLOCK_CONSTRAINT_HERE]);
    global("void f() { for (i : int[0,3]) { i = 1; } }", &[codes::NOT_ASSIGNABLE]);
    global("void f() { const int k = 1; k = 2; }", &[codes::NOT_ASSIGNABLE]);
    global("void f() { int k; { int k; k = 1; } k = 2; }", &[]);
    global("void unused() { nothing = 1; }", &[codes::UNKNOWN_NAME]);
    global("void unused(int &a) { nothing = a; }", &[codes::UNKNOWN_NAME]);
}

#[test]
fn templates_are_checked() {
    let t = "chan c; int n; process T(int[0,2] i, chan &d, int &v) { state a; init a;
        trans a -> a { sync d!; assign v = i; }; }";
    check(&format!("{t} P = T(1, c, n); system P;"), &[]);
    check(&format!("{t} P = T(1, c, n), Q; system P;").replace(", Q;", ";"), &[]);
    check(&format!("{t} P(int[0,1] k) = T(k, c, n); system P;"), &[]);
    check(&format!("{t} P = T(3, c, n); system P;"), &[codes::CONSTANT_RANGE]);
    check(&format!("{t} P = T(1, c); system P;"), &[codes::ARGUMENT_COUNT]);
    check(&format!("{t} P = T(1, n, n); system P;"), &[codes::REFERENCE_ARGUMENT]);
    check(&format!("{t} P = T(1, c, 3); system P;"), &[codes::REFERENCE_ARGUMENT]);
    check(&format!("{t} P = T(n, c, n); system P;"), &[codes::NOT_CONSTANT]);
    check(&format!("{t} P = T(1, c, n); system P, P;"), &[codes::DUPLICATE_PROCESS]);
    check(&format!("{t} system T;"), &[codes::FREE_PARAMETER]);
    check(&format!("{t} P = U(1, c, n); system P;"), &[codes::UNKNOWN_NAME]);
    check(&format!("{t} P = T(1, c, n); system Q;"), &[codes::UNKNOWN_NAME]);
}

/// The names and initial values of the cells of a model.
fn cells(text: &str) -> Vec<(String, i32)> {
    let model = model(text, "");
    model.cells.iter().map(|cell| (cell.name.clone(), cell.initial)).collect()
}

/// A template with one parameter, declarations and one edge, and a system of one process.
fn with_parameter(parameter: &str, declarations: &str, label: &str, argument: &str) -> String {
    format!(
        "int g; void by_reference(int &r) {{ r = 1; }} int by_constant(const int &r) {{ return r; }}
         process T({parameter}) {{ {declarations} state a; init a; trans a -> a {{ {label} }}; }}
         P = T({argument}); system P;"
    )
}

#[test]
fn value_parameters_that_are_written_are_variables() {
    let check = |declarations: &str, label: &str, expected: Option<i32>| {
        let found = cells(&with_parameter("int[0,5] p", declarations, label, "2"));
        let p = found.iter().find(|(name, _)| name == "P.p").map(|(_, value)| *value);
        assert_eq!(p, expected, "{declarations} {label}");
    };
    check("", "assign p = 1;", Some(2));
    check("", "assign p += 1;", Some(2));
    check("", "assign p++;", Some(2));
    check("", "assign g = p--;", Some(2));
    check("", "assign by_reference(p);", Some(2));
    check("void f() { p = 3; }", "assign f();", Some(2));
    check("void f() { p = 3; }", "", Some(2));
    check("void f(int &r) { r++; } void h() { f(p); }", "assign h();", Some(2));
    check("void f() { if (g > 0) { while (g > 1) p = 1; } }", "", Some(2));
    check("void f() { { int q = p++; } { int p; } }", "", Some(2));
    check("", "guard exists (p : int[0,1]) p == 1; assign p = 1;", Some(2));
    check("", "", None);
    check("", "guard p == 2; assign g = p;", None);
    check("", "assign g = by_constant(p);", None);
    check("void f(int p) { p = 1; }", "assign f(p);", None);
    check("void f() { int p; p = 1; }", "assign f();", None);
    check("void f() { for (p : int[0,3]) g = p; }", "assign f();", None);
    check("void f(int p) { by_reference(p); }", "assign f(p);", None);
}

#[test]
fn written_parameters_are_not_constants() {
    let check = |declarations: &str, label: &str, expected: &[&str]| {
        check(&with_parameter("int[0,5] p", declarations, label, "2"), expected);
    };
    check("int b[p];", "assign p = 1;", &[codes::NOT_CONSTANT]);
    check("int[0,p] n;", "assign p = 1;", &[codes::NOT_CONSTANT]);
    check("const int n = p;", "assign p = 1;", &[codes::NOT_CONSTANT]);
    check("int n = p;", "assign p = 1;", &[codes::NOT_CONSTANT]);
    check("", "select i : int[0,p]; assign p = 1;", &[codes::NOT_CONSTANT]);
    check("int b[p]; int[0,p] n; const int m = p;", "select i : int[0,p]; assign n = p;", &[]);
    check("", "guard p++ == 2;", &[codes::SIDE_EFFECT]);
}

#[test]
fn written_parameters_have_the_range_of_a_variable() {
    let text = |argument| with_parameter("int p", "", "assign p = 1;", argument);
    check(&text("32767"), &[]);
    check(&text("32768"), &[codes::CONSTANT_RANGE]);
    check(&with_parameter("int p", "", "assign g = p;", "32768"), &[]);
    check(&with_parameter("const int p", "", "assign p = 1;", "1"), &[codes::NOT_ASSIGNABLE]);
    let over = model(&with_parameter("int[0,5] p", "", "assign p += 4;", "2"), "");
    let failed = after_updates(&over, "P.p");
    assert_eq!(failed, Err("the value 6 is outside the range [0,5]".to_owned()));
}

#[test]
fn arrays_and_structs_by_value_are_variables_if_written() {
    let array = "const int A[2] = {3, 4}; process T(int[0,5] p[2]) { state a; init a;
        trans a -> a { assign p[0] = p[1]; }; } P = T(A); system P;";
    assert_eq!(cells(array), [("P.p[0]".to_owned(), 3), ("P.p[1]".to_owned(), 4)]);
    check(&array.replace("{3, 4}", "{3, 6}"), &[codes::CONSTANT_RANGE]);
    let structure = "typedef struct { int x; bool b; } s; const s S = {7, true};
        process T(s p) { state a; init a; trans a -> a { assign p.x = 1; }; } P = T(S); system P;";
    assert_eq!(cells(structure), [("P.p.x".to_owned(), 7), ("P.p.b".to_owned(), 1)]);
    global("const int[0,9] A[2] = {1, 9}; int[0,5] b[2] = A;", &[codes::CONSTANT_RANGE]);
}

#[test]
fn written_parameters_keep_the_names_of_their_processes() {
    let body = "{ state a; init a; trans a -> a { assign p = q; }; }";
    let text = format!("process T(int[0,2] p, const int[0,1] q) {body} system T;");
    let model = model(&text, "E<> T(2,1).p == 1");
    let names: Vec<&str> = model.processes.iter().map(|process| &*process.name).collect();
    assert_eq!(names, ["T(0,0)", "T(0,1)", "T(1,0)", "T(1,1)", "T(2,0)", "T(2,1)"]);
    let found = cells(&text);
    assert_eq!(found[4..], [("T(2,0).p".to_owned(), 2), ("T(2,1).p".to_owned(), 2)]);
    let template = format!("process T(int[0,2] p, int q) {body}");
    let found = cells(&format!("{template} P(int[0,2] k) = T(k, 1); system P;"));
    assert_eq!(found[1..], [("P(1).p".to_owned(), 1), ("P(2).p".to_owned(), 2)]);
    check(&format!("{template} process R() {{ state a; init a; }} system R;"), &[]);
    check(&format!("process T(int[0,2] p, int[0,p] q) {body} system T;"), &[codes::NOT_CONSTANT]);
}

#[test]
fn parameters_of_the_3x_language_are_references_or_constants() {
    let old = |parameter: &str, argument: &str| {
        let text = format!(
            "int n; process T({parameter}) {{ state a; init a; trans a -> a {{ assign p := 1; }}; }}
             P := T({argument}); system P;"
        );
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("old.xta", text));
        let options = ParseOptions { dialect: Some(Dialect::Old), ..ParseOptions::default() };
        let (document, _) = parse_model(&mut sources, file, &options);
        lower(&document, &[], &LowerOptions::default())
    };
    let reference = old("int p", "n");
    assert!(errors(&reference).is_empty(), "{}", messages(&reference.diagnostics));
    assert_eq!(reference.model.map(|model| model.cells.len()), Some(1));
    assert_eq!(errors(&old("const p", "2")), [codes::NOT_ASSIGNABLE]);
}

#[test]
fn branchpoints_are_checked() {
    let branches = |stem: &str, first: &str, second: &str| {
        format!(
            "chan c, d; int n; process P() {{ state a, b; branchpoint h; init a;
             trans a -> h {{ {stem} }}, h -> a {{ {first} }}, h -> b {{ {second} }}; }} system P;"
        )
    };
    check(&branches("guard n == 0;", "guard n < 1;", "guard n > 1; assign n = 1;"), &[]);
    check(&branches("", "sync c!;", "guard n == 1; sync d!;"), &[]);
    check(&branches("", "sync c!;", ""), &[]);
    check(&branches("sync c?;", "guard n == 0;", "guard n > 0;"), &[]);
    check(&branches("", "sync c?;", ""), &[codes::BRANCHPOINT]);
    check(&branches("sync c!;", "sync d!;", ""), &[codes::BRANCHPOINT]);
    check(&branches("sync c?;", "sync d!;", ""), &[codes::BRANCHPOINT]);
    check(&branches("select i : int[0,1];", "guard i == n; assign n = i;", ""), &[]);
    check(&branches("guard i == 1;", "select i : int[0,1];", ""), &[codes::UNKNOWN_NAME]);
}

#[test]
fn selections_of_a_branch_do_not_shadow_names_of_its_edge() {
    let text = "int i = 7; int n; process P() { state a; branchpoint h; init a;
        trans a -> h { assign n = i; }, h -> a { select i : int[0,1]; }; } system P;";
    assert_eq!(after_updates(&model(text, ""), "n"), Ok(7));
}

#[test]
fn free_parameters_are_checked() {
    let body = "{ state a; init a; }";
    check(&format!("process T(int[0,2] i) {body} system T;"), &[]);
    check(&format!("process T(const int[0,2] i, bool b) {body} system T;"), &[]);
    check(&format!("process T(int i) {body} system T;"), &[codes::FREE_PARAMETER]);
    check(&format!("process T(int &i) {body} system T;"), &[codes::FREE_PARAMETER]);
    let huge = format!("process T(int[0,1000000] i, int[0,1000000] j) {body} system T;");
    check(&huge, &[codes::PROCESS_LIMIT]);
}

#[test]
fn templates_without_processes_are_checked() {
    let run = "process R() { state a; init a; } system R;";
    check(&format!("process U(int n) {{ int a[n]; state a1; init a1; }} {run}"), &[]);
    check(
        &format!("process U(int n) {{ state a; init a; trans a -> a {{ guard m; }}; }} {run}"),
        &[codes::UNKNOWN_NAME],
    );
    let chained =
        "process U(clock &c, int n) { state a { c <= n }; init a; } V(clock &d) = U(d, 3);";
    check(&format!("{chained} {run}"), &[]);
}

#[test]
fn errors_in_templates_are_reported_once() {
    let text = "process T(int[0,9] i) { state a; init a; trans a -> a { guard m; }; } system T;";
    check(text, &[codes::UNKNOWN_NAME]);
}

#[test]
fn uses_of_cost_are_checked() {
    edge("", "assign cost += 3;", &[]);
    edge("", "assign cost = 3;", &[codes::COST_USE]);
    edge("int n;", "guard n < cost;", &[codes::COST_USE]);
    invariant("clock cost;", "cost' == 3", &[]);
    invariant("", "cost' == 3 && cost' == 4", &[codes::COST_RATE]);
}

#[test]
fn floating_point_is_type_checked() {
    edge("double d; hybrid clock h;", "assign d = 1.5, h = 0.5;", &[]);
    edge("double d; int n;", "assign n = d;", &[codes::FLOATING_POINT]);
    edge("double d; int n;", "guard d < 1.0;", &[]);
    invariant("hybrid clock h;", "h' == 2.5", &[]);
    invariant("clock x; double d;", "x' == d * x && x <= 2.5 * d", &[]);
    edge("double d; int n; double f(double e) { return e * 2; }", "assign d = f(d), n = 1;", &[]);
    edge("int n;", "assign n = abs(-3);", &[]);
    edge("int n; int dice() { return fint(random(6)); }", "assign n = dice();", &[]);
    edge("int n;", "assign n = sqrt(2);", &[codes::FLOATING_POINT]);
    edge("int n;", "assign n = fint(sqrt(2));", &[]);
    edge("const int N = fint(2.5); int a[N];", "assign a[1] = 1;", &[]);
    edge("const int N = fint(2.5); int a[N];", "assign a[2] = 1;", &[]);
    let text = with_edge("const int N = fint(2.5); int a[N];", "assign a[2] = 1;");
    assert!(warnings(&lowered(&text, "", &LowerOptions::default())).contains(&codes::INDEX_RANGE));
}

#[test]
fn floating_point_is_stored_and_passed_to_functions() {
    edge("double a[3] = {1, 2.5, M_PI}; double b[3];", "guard a == b; assign b = a;", &[]);
    edge("const double a[2] = {1, 2}; double d;", "assign d = a[1] + a[0];", &[]);
    edge("const double a[2] = {1, 2};", "assign a[1] = 2.0;", &[codes::NOT_ASSIGNABLE]);
    edge("double a[3] = {1, 2};", "", &[codes::INITIALISER_SHAPE]);
    edge("double d; double e = d;", "", &[codes::NOT_CONSTANT]);
    edge("double e = random(3);", "", &[codes::NOT_CONSTANT]);
    edge("const double e;", "", &[codes::MISSING_INITIALISER]);
    let point = "typedef struct { double x; int n; } point; point p, q[2] = {{0.5, 1}, {n: 2, x: 1}}; \
        int k; point f(point a) { a.x = a.x + 1; a.n++; return a; }";
    edge(point, "guard p.n > 1; assign p = q[k], p.n += 2, p = f(p), p.x = f(q[0]).x;", &[]);
    edge(point, "assign k = p.n;", &[]);
    edge(point, "assign k = p.x;", &[codes::FLOATING_POINT]);
    edge(point, "assign p.y = 1;", &[codes::UNKNOWN_MEMBER]);
    let by_reference = "double d, a[3]; int i; void f(double &e, const double k, double c[3]) \
        { double t = e; double u[2]; const double h = 0.5; e = t * k + u[1] + c[0] * h; }";
    edge(by_reference, "assign f(d, 2, a), f(a[i], d, a);", &[]);
    edge(by_reference, "assign f(2.5, 2, a);", &[codes::REFERENCE_ARGUMENT]);
    edge(by_reference, "assign f(d, 2);", &[codes::ARGUMENT_COUNT]);
    edge(by_reference, "assign f(d, a, a);", &[codes::WRONG_TYPE]);
    let text = "process T(const double r, double &v, hybrid clock &h) { state a { h' == r }; init a; \
        trans a -> a { guard v < r; assign v = r, h = 0; }; } double d; hybrid clock h; \
        P = T(1.5, d, h); Q = T(2, d, h); system P, Q;";
    check(text, &[]);
}

#[test]
fn errors_with_floating_point_are_reported() {
    edge("double d; int a[3];", "guard a[d] == 1;", &[codes::FLOATING_POINT]);
    edge("double d;", "guard d;", &[codes::FLOATING_POINT]);
    edge("double d;", "guard !d;", &[codes::FLOATING_POINT]);
    edge("double d;", "guard d && true;", &[codes::FLOATING_POINT]);
    edge("double d;", "assign d = d % 2;", &[codes::FLOATING_POINT]);
    edge("double d;", "assign d += 2;", &[codes::NOT_ASSIGNABLE]);
    edge("double d;", "assign d++;", &[codes::NOT_ASSIGNABLE]);
    edge("double d;", "guard (d = 2) > 1;", &[codes::SIDE_EFFECT]);
    edge("double d;", "assign d = sqrtt(2);", &[codes::UNKNOWN_NAME]);
    edge("double d;", "assign d = pow(2);", &[codes::ARGUMENT_COUNT]);
    edge("double d;", "assign d = random_tri(1, 2);", &[codes::ARGUMENT_COUNT]);
    edge("double d;", "assign d = ldexp(2, 1.5);", &[codes::FLOATING_POINT]);
    edge("double d;", "assign d = \"text\";", &[codes::WRONG_TYPE]);
    edge("double d; chan c[2];", "sync c[d]!;", &[codes::FLOATING_POINT]);
    edge("double d;", "select i : int[0, d];", &[codes::FLOATING_POINT]);
    edge("double f() { return 2.5; } int n[fint(f())];", "", &[codes::NOT_CONSTANT]);
    edge("double d; double f() { return d = 2; }", "guard f() > 1;", &[codes::SIDE_EFFECT]);
    edge("clock x, y;", "guard x + y > 3;", &[codes::CLOCK_ARITHMETIC]);
    edge("clock x, y; double d;", "assign d = x + y * 2;", &[]);
    edge("int n; clock x;", "assign n = x * 2;", &[codes::FLOATING_POINT]);
    edge("double d = 1e999;", "", &[codes::CONSTANT_RANGE]);
}

#[test]
fn external_functions_are_declared() {
    let import = "import \"libx.so\" { int f(int a, double b); g2 = double g(const int a[2]); \
        void h(int &a[2], string s); }; const string name = \"n\"; int a[2]; double d; ";
    edge(import, "guard f(1, 2) > 0; assign d = g2(a), h(a, name), h(a, \"x\");", &[]);
    edge(import, "assign d = g(a);", &[codes::UNKNOWN_NAME]);
    edge(import, "assign d = f(1);", &[codes::ARGUMENT_COUNT]);
    edge(import, "assign d = f(1.5, 2);", &[codes::FLOATING_POINT]);
    edge(import, "guard h(a, name) > 0;", &[codes::WRONG_TYPE, codes::SIDE_EFFECT]);
    edge(import, "assign h(a, 3);", &[codes::TYPE_MISMATCH]);
    edge("string s;", "", &[codes::MISSING_INITIALISER]);
    edge("const string s = 3;", "", &[codes::TYPE_MISMATCH]);
}

#[test]
fn dynamic_templates_are_declared() {
    let dynamic = |update: &str| {
        format!(
            "int n; dynamic D(const int k); process D(const int k) {{ state a; init a; \
             trans a -> a {{ assign n = k, exit(); }}; }} process P() {{ state a; init a; \
             trans a -> a {{ assign {update}; }}; }} system P;"
        )
    };
    check(&dynamic("spawn D(n)"), &[]);
    check(&dynamic("n = numOf(D)"), &[]);
    check(&dynamic("spawn D()"), &[codes::ARGUMENT_COUNT]);
    check(&dynamic("spawn P()"), &[codes::WRONG_KIND_OF_NAME]);
    check(
        "process P() { state a; init a; trans a -> a { assign exit(); }; } system P;",
        &[codes::UNKNOWN_NAME],
    );
}

#[test]
fn defines_replace_constants() {
    let check = |defines: &[(&str, i64)], expected: &[&str]| {
        let text = with_edge("const int[0,9] N = 3; int a[N + 1];", "assign a[N] = 1;");
        let defines = defines.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let options = LowerOptions { defines, ..LowerOptions::default() };
        let lowered = lowered(&text, "", &options);
        assert_eq!(errors(&lowered), expected, "{}", messages(&lowered.diagnostics));
        lowered.model.map(|model| model.cells.len())
    };
    assert_eq!(check(&[], &[]), Some(4));
    assert_eq!(check(&[("N", 7)], &[]), Some(8));
    assert_eq!(check(&[("N", 70)], &[codes::DEFINE]), None);
    assert_eq!(check(&[("M", 7)], &[codes::DEFINE]), None);
}

#[test]
fn the_error_for_too_many_clocks_estimates_the_memory() {
    let lowered = lowered(&with_edge("clock x[20000];", ""), "", &LowerOptions::default());
    let first = lowered.diagnostics.iter().next().expect("a problem");
    assert_eq!(first.code, codes::CLOCK_LIMIT);
    assert!(first.message.contains("1527 MiB"), "{}", first.message);
}
