//! The order of evaluation: effects of a call, a conditional or an index are visible to the right of
//! it, and not to the left.

mod support;

use support::{after_updates, lowered, model, warnings, with_edge};
use zonaut_lower::{LowerOptions, codes};
use zonaut_model::{Expression, Place};

/// Structs and arrays that are computed with side effects, and functions that take them.
const DECLARATIONS: &str = "
typedef struct { int v; int w; } S;
typedef int A[2];
int i; int n; int log;
S s; S t = { 7, 8 }; S arr[4]; A row; A rows[3];
const S fixed = { 0, 0 };
void note(int d) { log = 10 * log + d; }
int next() { note(1); return i++; }
S mk(int k) { S r; r.v = k; r.w = k; note(2); return r; }
S inc() { S r; i++; r.v = i; r.w = i; note(3); return r; }
A pair(int k) { A r; r[0] = k; r[1] = k + 1; note(4); return r; }
S change() { S r = s; s.v = 9; note(5); return r; }
A spoil() { A r; row[0] = 5; note(6); return r; }
int both(int k, S a) { return 100 * k + a.v; }
int both2(S a, int k, S b) { return 10000 * a.v + 100 * k + b.v; }
int look(const S &a, int k, const S &b) { return 10000 * a.v + 100 * k + b.v; }
int sum2(A a, A b) { return 1000 * a[0] + 100 * a[1] + 10 * b[0] + b[1]; }
int seen(const S &a, S b) { return 10 * a.v + b.v; }
int set(S &a, S b) { a.v = b.v; return 0; }
int put(int &a, S b) { a = b.v; return a; }
int idx(S a) { return a.v; }
bool yes() { note(7); return true; }
bool no() { note(8); return false; }
";

/// Runs updates and compares cells with expected values.
fn check(updates: &str, expected: &[(&str, i32)]) {
    let text = with_edge(DECLARATIONS, &format!("assign {updates};"));
    let model = model(&text, "");
    for &(cell, value) in expected {
        assert_eq!(after_updates(&model, cell), Ok(value), "{cell} after {updates}");
    }
}

/// The same inside a function, with local variables in place of the global ones.
fn check_local(body: &str, expected: i32) {
    let text = format!("{DECLARATIONS}\nint run() {{ {body} }}");
    let text = with_edge(&text, "assign n = run();");
    assert_eq!(after_updates(&model(&text, ""), "n"), Ok(expected), "{body}");
}

#[test]
fn the_place_of_an_assignment_is_evaluated_before_its_value() {
    check("arr[i] = inc()", &[("arr[0].v", 1), ("arr[1].v", 0), ("i", 1)]);
    check("arr[next()] = inc()", &[("arr[0].v", 2), ("i", 2), ("log", 13)]);
    check("arr[i++] = mk(i)", &[("arr[0].v", 1), ("arr[1].v", 0)]);
    check("arr[i] = i == 0 ? inc() : t", &[("arr[0].v", 1), ("arr[1].v", 0)]);
    check("rows[next()][next()] = next() + 5", &[("rows[0][1]", 7), ("i", 3), ("log", 111)]);
    check("rows[i] = pair(i++)", &[("rows[0][0]", 0), ("rows[0][1]", 1), ("i", 1)]);
    check("arr[i].v = inc().w", &[("arr[0].v", 1), ("arr[1].v", 0)]);
    check("s = inc(), arr[i] = s", &[("arr[1].v", 1)]);
}

#[test]
fn a_compound_assignment_evaluates_its_place_once_and_reads_it_last() {
    check("row[next()] += 5", &[("row[0]", 5), ("row[1]", 0), ("i", 1), ("log", 1)]);
    check("arr[next()].v += inc().v", &[("arr[0].v", 2), ("arr[1].v", 0), ("log", 13)]);
    check("row[next()]++, ++row[next()]", &[("row[0]", 1), ("row[1]", 1), ("log", 11)]);
    check("n = row[next()]-- + row[i - 1]", &[("row[0]", -1), ("n", -1), ("log", 1)]);
    check("n = 1, n += (n = 5)", &[("n", 10)]);
    check("n = (i = 3) + i, i = i++ + ++i", &[("n", 6), ("i", 8)]);
}

#[test]
fn arguments_are_evaluated_from_left_to_right() {
    check("n = both(i++, mk(i))", &[("n", 1)]);
    check("n = both(i, inc())", &[("n", 1)]);
    check("n = both2(inc(), i, inc())", &[("n", 10102)]);
    check("n = both2(mk(i++), i++, mk(i))", &[("n", 102), ("log", 22)]);
    check("n = both2(s, 0, change())", &[("n", 0), ("s.v", 9)]);
    check("n = both2(change(), 0, s)", &[("n", 9)]);
    check("n = both2(s, next(), mk(s.v = 4))", &[("n", 4), ("log", 12)]);
    check("n = sum2(row, spoil())", &[("n", 0), ("log", 6)]);
    check("n = sum2(spoil(), row)", &[("n", 50)]);
    check("n = sum2(rows[i++], pair(i))", &[("n", 12), ("log", 4)]);
    check("n = sum2(pair(i++), pair(i++))", &[("n", 112), ("log", 44)]);
    check("n = sum2(i > 0 ? row : pair(i++), pair(i))", &[("n", 112)]);
}

#[test]
fn references_are_bound_from_left_to_right() {
    check("set(arr[i++], mk(i))", &[("arr[0].v", 1), ("arr[1].v", 0)]);
    check("set(arr[i], inc())", &[("arr[0].v", 1), ("arr[1].v", 0)]);
    check("put(rows[next()][next()], inc())", &[("rows[0][1]", 3), ("log", 113)]);
    check("n = look(mk(i++), i, mk(i++))", &[("n", 101), ("i", 2)]);
    check("n = look(inc(), i++, inc())", &[("n", 10103)]);
    check("n = look(arr[i], inc().v, mk(i))", &[("n", 101)]);
    // A reference sees effects that occur before the function runs.
    check("n = look(mk(0), s.v, change()), n += look(arr[0], i, s)", &[("n", 9)]);
    check("n = seen(s, change())", &[("n", 90)]);
    check("n = look(i > 0 ? s : inc(), i, inc())", &[("n", 10102)]);
}

#[test]
fn operands_are_evaluated_from_left_to_right() {
    for operator in ["-", "+", "*", "<?", ">?", "<<", "|"] {
        let value = match operator {
            "-" => 1 - 2,
            "+" => 1 + 2,
            "*" | ">?" => 2,
            "<?" => 1,
            "<<" => 1 << 2,
            _ => 1 | 2,
        };
        check(&format!("n = inc().v {operator} inc().w"), &[("n", value), ("log", 33)]);
    }
    check("n = i - inc().v", &[("n", -1)]);
    check("n = inc().v - i", &[("n", 0)]);
    check("n = i < inc().v", &[("n", 1)]);
    check("n = inc().v > i", &[("n", 0)]);
    check("n = yes() xor no()", &[("n", 1), ("log", 78)]);
    check("n = 10 * next() + 3 * next() - next()", &[("n", 1), ("log", 111)]);
    check("n = rows[next()][next()] + next()", &[("n", 2), ("log", 111)]);
    check("n = (pair(i++))[i - 1] + i", &[("n", 1), ("log", 4)]);
    check("n = abs(i-- - 3)", &[("n", 3), ("i", -1)]);
    check("n = -next() + !next()", &[("n", 0), ("log", 11)]);
}

#[test]
fn compared_contents_are_evaluated_from_left_to_right() {
    check("n = mk(i++) == mk(i++)", &[("n", 0), ("i", 2), ("log", 22)]);
    check("n = mk(i++) != mk(i)", &[("n", 1)]);
    check("n = s == change()", &[("n", 1), ("s.v", 9)]);
    check("n = change() == s", &[("n", 0)]);
    check("n = s != change()", &[("n", 0)]);
    check("n = arr[i++] == mk(i)", &[("n", 0)]);
    check("n = arr[i] == inc()", &[("n", 0)]);
    check("n = arr[next()] == mk(next() - 1), s.v = i", &[("n", 1), ("s.v", 2), ("log", 112)]);
    check("n = row == spoil()", &[("n", 1), ("row[0]", 5)]);
    check("n = fixed == change()", &[("n", 1)]);
    check("n = (s == change()) == (s == change())", &[("n", 1), ("log", 55)]);
    check("n = (i == 0 ? s : t) == change()", &[("n", 1)]);
}

#[test]
fn logical_operators_conditionals_and_quantifiers_short_circuit() {
    check("n = no() && inc() == t", &[("n", 0), ("i", 0), ("log", 8)]);
    check("n = yes() && inc() == t", &[("n", 0), ("i", 1), ("log", 73)]);
    check("n = yes() || inc() == t", &[("n", 1), ("i", 0), ("log", 7)]);
    check("n = no() || inc() != t", &[("n", 1), ("i", 1), ("log", 83)]);
    check("n = no() imply inc() == t", &[("n", 1), ("i", 0), ("log", 8)]);
    check("n = yes() imply inc() == t", &[("n", 0), ("i", 1), ("log", 73)]);
    check("n = yes() ? inc().v : mk(4).v", &[("n", 1), ("log", 73)]);
    check("s = yes() ? mk(i++) : t", &[("s.v", 0), ("i", 1), ("log", 72)]);
    check("s = no() ? mk(i++) : t", &[("s.v", 7), ("i", 0), ("log", 8)]);
    check("arr[next()] = no() ? inc() : mk(i)", &[("arr[0].v", 1), ("log", 182)]);
    check("n = both(i++, yes() ? mk(i) : inc())", &[("n", 1), ("log", 72)]);
    check("n = (no() ? t : inc()) == (yes() ? mk(i) : t)", &[("n", 1), ("log", 8372)]);
    check("n = forall (k : int[0,2]) mk(k) == inc()", &[("n", 0), ("i", 1), ("log", 23)]);
    check("n = exists (k : int[1,3]) mk(k) == inc()", &[("n", 1), ("i", 1), ("log", 23)]);
    check("n = sum (k : int[0,2]) both(i, inc()) * (k + 1)", &[("n", 814), ("log", 333)]);
    check("n = sum (k : int[0,1]) arr[i++].v + mk(i).w", &[("n", 3)]);
}

#[test]
fn nested_values_are_evaluated_in_source_order() {
    check("n = both(i, mk(arr[idx(inc())].v + i))", &[("n", 1)]);
    check("n = both(row[idx(inc())] + i, mk(i++))", &[("n", 101), ("i", 2)]);
    check("arr[idx(inc())] = mk(both(i, inc()))", &[("arr[1].v", 102), ("i", 2), ("log", 332)]);
    check("n = both(both(i, inc()), inc())", &[("n", 102)]);
    check("n = look(mk(both(i, inc())), i, inc())", &[("n", 10102), ("log", 323)]);
    check("n = sum2(rows[idx(inc())], pair(idx(inc()))), n += i", &[("n", 25)]);
    check("n = (s == change()) + 2 * (change() == s) + 4 * (mk(s.v) == s)", &[("n", 3)]);
    check("n = 10 * pair(i++)[i] + both(i, pair(i++)[0] < i ? inc() : t)", &[("n", 113)]);
}

#[test]
fn statements_evaluate_in_the_same_order() {
    check_local("S a[2]; int k; a[k] = mk(++k); return 10 * a[0].v + a[1].v;", 10);
    check_local("S a = s; a.v = 3; return a == mk(a.v = 4);", 0);
    check_local("int k; int r = both(k++, mk(k)); return r;", 1);
    check_local("A a = { next(), next() }; return 10 * a[0] + a[1];", 1);
    check_local("S a = { w: next(), v: next() }; return 10 * a.v + a.w;", 10);
    check_local("S a[2] = { inc(), mk(i) }; return 10 * a[0].v + a[1].v;", 11);
    check_local("if (mk(i++) == mk(i)) return 1; return 10 + i;", 11);
    check_local("while (arr[i].v != inc().v - i || i < 3) { } return i;", 3);
    check_local("do { log = 0; } while (mk(i++) != mk(2)); return i;", 3);
    check_local("int r; for (i = 0; both(i, inc()) < 300; r++) { } return 10 * i + r;", 43);
    check_local("int k = 5; int r = abs(k++ - 9); return 10 * r + k;", 46);
    check_local("int k; k += (k = 4); return k;", 8);
    check_local("int k; k = 3, inc(); return 10 * k + i;", 31);
    let returned = "S pick() { return arr[idx(inc())]; }";
    let text = with_edge(
        &format!("{DECLARATIONS}{returned}"),
        "assign arr[1].v = 6, n = both(i, pick());",
    );
    assert_eq!(after_updates(&model(&text, ""), "n"), Ok(6));
}

#[test]
fn unused_values_are_evaluated() {
    check("inc()", &[("i", 1)]);
    check("yes() ? inc() : t", &[("i", 1)]);
    let text = with_edge(
        &format!("{DECLARATIONS} typedef A B[2]; B grid() {{ B r; note(1); return r; }}"),
        "assign grid()[i++];",
    );
    assert_eq!(after_updates(&model(&text, ""), "i"), Ok(1));
}

#[test]
fn a_struct_with_one_field_can_be_returned() {
    let declarations = "typedef struct { int[1,9] v; } S; typedef int[2,3] A[1]; int n;
        S mk(int k) { S r = { k }; return r; } A three() { A r = { 3 }; return r; }
        S twice(int k) { return mk(mk(k).v + three()[0]); }";
    let text = with_edge(declarations, "assign n = 100 * mk(4).v + 10 * three()[0] + twice(5).v;");
    assert_eq!(after_updates(&model(&text, ""), "n"), Ok(438));
}

#[test]
fn a_conditional_holds_the_ranges_of_both_sides() {
    let declarations = "int[0,3] a[2]; int[0,9] b[2] = { 9, 9 }; bool g; int n;";
    let text = with_edge(declarations, "assign n = (g ? a : b) == b;");
    assert_eq!(after_updates(&model(&text, ""), "n"), Ok(1));
}

#[test]
fn a_template_takes_the_result_of_a_function_as_a_constant() {
    let text = "typedef struct { int v; int w; } S; S mk(int k) { S r = { k, k }; return r; }
        process T(const S &p) { int n; state L; init L; trans L -> L { assign n = p.v; }; }
        P = T(mk(3)); system P;";
    assert_eq!(after_updates(&model(text, ""), "P.n"), Ok(3));
}

#[test]
fn a_constant_must_not_depend_on_a_local_assignment() {
    let body = "void f() { int k; int a[(k = 3)]; }";
    let found = lowered(&with_edge(body, ""), "", &LowerOptions::default());
    assert_eq!(support::errors(&found), [codes::NOT_CONSTANT]);
}

#[test]
fn integer_effects_of_floating_point_are_preserved_or_refused() {
    let declarations = "int v; double d, a[3]; void f(double e, int k) { v = k; } \
        double g() { v = 7; return 1.5; }";
    let is_refused = |update: &str| {
        let model = model(&with_edge(declarations, &format!("assign {update};")), "");
        !model.needed_reals().is_empty()
    };
    // The integer effect is preserved if it is evaluated exactly once.
    for (update, value) in [
        ("d = v++ * 1.5", 1),
        ("d = 1.5 + (v = 2) - (v = 4)", 4),
        ("a[v++] = 1.5", 1),
        ("d = g()", 7),
        ("g()", 7),
        ("d = v * 1.5, f(v, 1)", 1),
        ("d = sqrt(g() + (v = 3)), v = v + 1", 4),
    ] {
        assert!(!is_refused(update), "{update}");
        let model = model(&with_edge(declarations, &format!("assign {update};")), "");
        let mut machine = zonaut_model::interpret::Interpreter::new(&model, 1000);
        let process = model.processes.iter().next().expect("a process");
        let edge = process.edges.iter().next().expect("an edge");
        for &update in &edge.updates {
            machine.evaluate(update).expect("no failure");
        }
        assert_eq!(machine.cells[0], value, "{update}");
    }
    // If it is evaluated conditionally, or with an argument, the model is refused.
    for update in [
        "f(v++, 1)",
        "f(2.5 * (v = 2), 1)",
        "d = v > 0 ? g() : 1.5",
        "d = sum (i : int[0,2]) (v++ * 0.5)",
        "v = fint(d)",
        "v = random(3) > 1.5",
    ] {
        assert!(is_refused(update), "{update}");
    }
}

#[test]
fn stores_to_references_and_locals_are_effects() {
    for body in [
        "void f(int &p) { (p < 3) ? (p++) : 1; }",
        "void f(int &p) { p < 3 && p++ > 1; }",
        "void f() { int p; (p < 3) ? (p++) : 1; }",
        "int g(int &p) { p = 1; return p; } void f(int &p) { p < 3 ? g(p) : 1; }",
        "void g(bool b) { assert(b); } bool h(bool b) { g(b); return b; } void f() { true && h(1); }",
        "void f(int &p) { forall (k : int[0,2]) p++ < 3; }",
    ] {
        let found = lowered(&with_edge(body, ""), "", &LowerOptions::default());
        assert_eq!(warnings(&found), [] as [&str; 0], "{body}");
    }
    for body in [
        "void f(int &p) { (p < 3) ? p : 1; }",
        "int g(int p) { p = 1; return p; } void f(int &p) { p < 3 ? g(p) : 1; }",
        "void f() { int p; p + 1; }",
    ] {
        let found = lowered(&with_edge(body, ""), "", &LowerOptions::default());
        assert_eq!(warnings(&found), [codes::NO_EFFECT], "{body}");
    }
}

/// Content is copied only if code to its right may write it.
#[test]
fn content_is_copied_only_if_needed() {
    let copies = |update: &str| {
        let text = with_edge(DECLARATIONS, &format!("assign {update};"));
        let model = model(&text, "");
        let edge = model.processes.iter().flat_map(|process| &process.edges).next();
        let mut open = edge.expect("an edge").updates.clone();
        let (mut copies, mut runs) = (0, 0);
        while let Some(id) = open.pop() {
            let expression = &model.expressions[id];
            expression.for_each_child(|child| open.push(child));
            if let Expression::CopyContent(target, source, _) = expression {
                copies += 1;
                let stands_still = |place: &Place<_>| place.indices.iter().any(|at| at.stride == 0);
                runs += usize::from(stands_still(source) || stands_still(target));
            }
        }
        (copies, runs)
    };
    assert_eq!(copies("n = s == t"), (0, 0));
    assert_eq!(copies("n = s == change()"), (2, 0));
    assert_eq!(copies("n = fixed == change()"), (1, 0));
    assert_eq!(copies("s = mk(i)"), (2, 0));
    assert_eq!(copies("arr[i] = mk(i)"), (2, 1));
    assert_eq!(copies("arr[1] = mk(i)"), (2, 0));
    assert_eq!(copies("n = both2(mk(1), 2, t)"), (1, 0));
}
