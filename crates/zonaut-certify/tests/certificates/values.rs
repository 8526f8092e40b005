//! Every form of expression and statement in the core text, evaluated by the checker.

use crate::{accepted, certificate, core, rejected};
use zonaut_certify::{Limits, Refusal, check};

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
fn a_sum_of_a_hundred_thousand_terms_is_evaluated() {
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

/// A core text with some storage, one function and two processes, whose formula is this code.
fn text_of(code: &str) -> String {
    format!(
        "core 1\ncell v 0 9 3 state\ncell w -5 5 -2 state\ncell u 0 9 4 state\n\
        local -9 9\nlocal 0 3\nlocal 0 9\nconstant 7\nconstant 8\nclock x 0\n\
        function f\nparameter 0 1\nbody l0 1 + return\n\
        function g\nparameter 0 3\nbody l0 l1 - l2 - call:0 return\n\
        function h\nbody 5 6 7 return\n\
        process P 0 0\nlocation a ordinary\ncost-rate 1 2 +\nlocation b ordinary\n\
        process Q 0 1\nlocation a ordinary\nlocation b ordinary\n\
        query possibly\nformula {code}\nend\n"
    )
}

#[test]
fn code_words_have_the_documented_values() {
    let cases = [
        ("17", 17),
        ("-3", -3),
        ("c0", 3),
        ("c1", -2),
        ("k1", 8),
        ("0 load:k1", 8),
        ("1 load:k0", 8),
        ("2 load:c0", 4),
        ("0 4 index:2:3:5", 10),
        ("3 2 index:2:3:5", 3),
        ("0 -1 index:-2:2:1 load:c1", 4),
        ("0 6 store:c0:=:new", 6),
        ("0 6 store:c0:=:old", 3),
        ("0 6 store:c0:+:new", 9),
        ("0 6 store:c0:+:old", 3),
        ("0 6 store:c0:=:old c0 +", 9),
        ("0 9 store:l0:=:old l0 +", 9),
        ("0 0 same:c0:c0:3", 1),
        ("0 1 same:c0:c0:1", 0),
        ("0 1 same:c0:c0:0", 1),
        ("0 2 copy:c0:c0:1 c0 +", 4),
        ("0 content:c0:2 +", 1),
        ("1 content:c0:2 -", -6),
        ("4 call:0", 5),
        ("9 1 2 call:1", 7),
        ("1 2 3 drop drop call:2 +", 8),
        ("0 5 reset:1", 0),
        ("0 1073741823 reset:1", 0),
        ("0 0 copy-clock:1:1", 0),
        ("5 cost", 0),
        ("0 cost", 0),
        ("1 assert 4", 4),
        ("at:0:0", 1),
        ("at:0:1", 0),
        ("at:1:1", 1),
        ("5 neg", -5),
        ("5 not", 0),
        ("0 not", 1),
        ("2 and{ 3 }", 1),
        ("2 and{ 0 }", 0),
        ("0 and{ missing }", 0),
        ("0 or{ 3 }", 1),
        ("0 or{ 0 }", 0),
        ("2 or{ missing }", 1),
        ("2 if{ 5 }else{ missing }", 5),
        ("0 if{ missing }else{ 6 }", 6),
        ("forall{:2:0:4 l2 4 <= }", 1),
        ("forall{:2:0:4 l2 3 <= }", 0),
        ("forall{:2:1:0 missing }", 1),
        ("exists{:2:0:4 l2 4 == }", 1),
        ("exists{:2:0:4 l2 5 == }", 0),
        ("exists{:2:1:0 missing }", 0),
        ("sum{:2:2:4 l2 }", 9),
        ("7 sum{:2:2:2 l2 } *", 14),
        ("sum{:2:1:0 missing }", 0),
        ("each{:2:2:4 0 l2 store:c2:=:new drop } c2", 4),
        ("each{:2:1:0 missing } c2", 4),
        ("loop{ c0 while 0 1 store:c0:-:new drop } c0", 0),
        ("loop{ 1 c0 6 < while 0 1 store:c0:+:new drop drop } drop c0", 6),
        ("31 1 drop 1 2 ** drop", 31),
        ("2 30 **", 1 << 30),
        ("-2 31 **", -2_147_483_648),
        ("7 0 **", 1),
        ("-1 2147483647 **", -1),
        ("-1 2147483646 **", 1),
        ("0 2147483647 **", 0),
        ("1 2147483647 **", 1),
        ("1 30 <<", 1 << 30),
        ("5 0 <<", 5),
        ("5 0 >>", 5),
        ("-1 31 >>", -1),
    ];
    for (code, value) in cases {
        let core = text_of(&format!("{code} {value} =="));
        accepted(&core, "reach", "denom 1\ngoal");
    }
}

#[test]
fn code_words_fail_as_documented() {
    let cases = [
        ("0 5 index:2:3:5", "index is out of range"),
        ("0 1 index:2:3:5", "index is out of range"),
        ("0 10 store:c0:=:new", "value is out of range"),
        ("0 -1 store:c0:=:new", "value is out of range"),
        ("10 call:0", "value is out of range"),
        ("0 -1 reset:1", "negative value"),
        ("0 1073741824 reset:1", "beyond the limit"),
        ("-1 cost", "the cost decreases"),
        ("0 assert 1", "an assertion does not hold"),
        ("missing", "without a value"),
        ("-2147483648 neg", "does not fit 32 bits"),
        ("2147483647 1 +", "does not fit 32 bits"),
        ("-2147483648 1 -", "does not fit 32 bits"),
        ("2147483647 sum{:2:1:2 2000000000 }", "does not fit 32 bits"),
        ("65536 65536 *", "does not fit 32 bits"),
        ("2 31 **", "does not fit 32 bits"),
        ("3 1000 **", "does not fit 32 bits"),
        ("2 -1 **", "an exponent is negative"),
        ("1 0 /", "division by zero"),
        ("1 0 %", "division by zero"),
        ("-2147483648 -1 /", "does not fit 32 bits"),
        ("1 32 <<", "a shift"),
        ("1 -1 >>", "a shift"),
        ("1 31 <<", "does not fit 32 bits"),
    ];
    for (code, reason) in cases {
        rejected(&text_of(code), "reach", "denom 1\ngoal", reason);
    }
}

#[test]
fn evaluations_take_as_many_steps_as_they_have_words_and_numbers() {
    let twice = "c0 3 ==\nformula c0 3 ==\nformula-and 2";
    for (code, steps) in [("c0 3 ==", 3), (twice, 3), ("0 0 same:c0:c0:3", 9), ("4 call:0", 7)] {
        let core = text_of(code);
        let text = certificate(&core, "reach", "denom 1\ngoal\n");
        let given = |steps| check(&core, &text, &Limits { steps, ..Limits::default() });
        assert!(given(steps).is_ok(), "{code}");
        for fewer in 1..steps {
            let refusal = given(fewer);
            assert!(matches!(refusal, Err(Refusal::Undecided(_))), "{code} {refusal:?}");
        }
    }
}
