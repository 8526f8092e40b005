//! The core text carries every form of expression and statement, and the checker computes them.

use crate::{accepted, core};

/// Checks that a condition holds in the initial state of a model with these declarations.
#[track_caller]
fn holds(declarations: &str, condition: &str) {
    let model = format!("{declarations} process P() {{ state a; init a; }} system P;");
    accepted(&core(&model, &format!("E<> {condition}")), "reach", "denom 1\ngoal");
}

#[test]
fn operators_are_those_of_the_language() {
    holds("int m = -7; int two = 2;", "m / two == -3 && m % two == -1 && m >> 1 == -4");
    holds("int m = -7; int two = 2;", "two << 3 == 16 && (m <? two) == m && (m >? two) == two");
    holds("int m = -7; int two = 2;", "(m & 3) == 1 && (m | 1) == m && (two ^ 3) == 1");
    holds(
        "int one = 1; int z;",
        "(-one) ** 31 == -1 && one ** 30 == 1 && z ** 0 == 1 && 2 ** (one * 30) > 0",
    );
    holds("int one = 1;", "one < 2 && one <= 1 && one != 2 && one >= 1 && 2 > one && !(one == 2)");
    holds("int two = 2;", "(two ? 5 : 6) == 5 && (two && two) == 1 && (two || 0) + 1 == 2");
}

#[test]
fn quantifiers_range_over_their_values() {
    let array = "int a[3] = { 4, 5, 6 };";
    holds(array, "forall (i : int[0,2]) a[i] == 4 + i");
    holds(array, "exists (i : int[0,2]) a[i] == 5");
    holds(array, "!(exists (i : int[0,2]) a[i] == 7) && !(forall (i : int[0,2]) a[i] == 4)");
    holds(array, "(sum (i : int[0,2]) a[i]) == 15");
    holds(array, "(sum (i : int[0,2]) (exists (j : int[0,1]) a[i] == 4 + j)) == 2");
}

#[test]
fn functions_run_their_statements() {
    let functions = "
        int f(int n) { int s = 0; int i = 0; while (i < n) { s += i; i++; } return s; }
        int g(int n) { int i = 0; do { i = i + 2; if (i > n) return i; } while (true); return 0; }
        int h(int a[3]) { for (i : int[0,2]) { if (a[i] > 1) return i; } return 9; }
        int a[3] = { 0, 1, 2 };
        int[0,3] clip(int n) { return n > 3 ? 3 : f(n); }";
    holds(
        functions,
        "f(5) == 10 && f(0) == 0 && g(5) == 6 && h(a) == 2 && clip(9) == 3 && clip(3) == 3",
    );
}

#[test]
fn structs_and_arrays_are_compared_and_copied() {
    let model = "
        typedef struct { int x; int y[2]; } pair;
        pair p = { 1, { 2, 3 } };
        pair q;
        process P() { state a, b; init a; trans a -> b { guard p != q; assign q = p, p.y[q.x] = 7; }; }
        system P;";
    let core = core(model, "E<> P.b && p != q && q.y[1] == 3 && p.y[1] == 7");
    accepted(&core, "reach", "denom 1\nact 0.0\ngoal");
}

#[test]
fn a_sum_of_a_hundred_thousand_terms_is_no_problem() {
    let terms = vec!["one"; 100_000].join(" + ");
    holds("int one = 1;", &format!("{terms} == 100000"));
}

#[test]
fn assignments_have_the_values_of_the_language() {
    let model = "
        int a[3]; int i, j, k;
        process P() { state s, t; init s; trans s -> t { assign a[i] = (i = 2), j = k++ + k, k <<= 2; }; }
        system P;";
    let core = core(model, "E<> P.t && a[0] == 2 && a[2] == 0 && i == 2 && j == 1 && k == 4");
    accepted(&core, "reach", "denom 1\nact 0.0\ngoal");
}
