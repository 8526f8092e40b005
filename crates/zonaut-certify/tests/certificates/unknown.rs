//! Nodes with unknown cells.

use crate::{answer, core, no_set, set, undecided};
use zonaut_certify::Refusal;

/// A counter that is read only in a mode that is never entered.
const COUNTER: &str = "
    int[0,10000] count;
    bool mode;
    process P() {
        state a, b;
        init a;
        trans
            a -> a { guard count < 10000; assign count = count + 1; },
            a -> a { assign count = 0; },
            a -> b { guard mode && count > 5000; };
    }
    system P;";

#[test]
fn an_unknown_cell_may_have_any_content() {
    let text = core(COUNTER, "E<> P.b");
    set(&text, "abs incl\nnodes 1\nnode 0 0 0=*");
    no_set(&text, "abs incl\nnodes 1\nnode 0 0 0=*,1=*", "transition P.2: no node");
    no_set(&text, "abs incl\nnodes 1\nnode 0 0 -", "transition P.0: no node");
    let formula = core(COUNTER, "E<> P.a && count == 10000 && mode");
    set(&formula, "abs incl\nnodes 1\nnode 0 0 0=*");
    no_set(&formula, "abs incl\nnodes 1\nnode 0 0 0=*,1=*", "the formula can hold");
    let always = core(COUNTER, "A[] count >= 0 || mode");
    set(&always, "abs incl\nnodes 2\nnode 0 0 0=*\nnode 1 1 0=*,1=*");
}

#[test]
fn a_run_time_error_for_any_content_is_rejected() {
    for (guard, fails) in [("count < 9999", false), ("count <= 10000", true), ("true", true)] {
        let text = core(&COUNTER.replace("count < 10000", guard), "E<> P.b");
        let body = "abs incl\nnodes 1\nnode 0 0 0=*";
        match fails {
            true => no_set(&text, body, "node 0, transition P.0: the model fails at run time"),
            false => set(&text, body),
        }
    }
    let text = core(&COUNTER.replace("mode &&", "mode && 5 / count > 0 &&"), "E<> P.b");
    set(&text, "abs incl\nnodes 1\nnode 0 0 0=*");
    let text = core(&COUNTER.replace("mode &&", "5 / count > 0 && mode &&"), "E<> P.b");
    no_set(&text, "abs incl\nnodes 1\nnode 0 0 0=*", "node 0: the model fails at run time");
}

/// The comparison of two unknown numbers would need as many parts as there are numbers: whether
/// they are equal is not certain, anywhere in a conjunction.
#[test]
fn wide_contents_may_be_equal_or_not() {
    let model = "
        int x, y;
        int[0,3] mode;
        broadcast chan c;
        process P() {
            state a, b;
            init a;
            trans
                a -> a { guard x == y && mode <= 2; assign x = y; },
                a -> a { guard mode == 0 && (x < y && y != x); assign y = 1; },
                a -> b { guard (x == y && x > 5) && mode == 3; };
        }
        system P;";
    let text = core(model, "E<> P.b");
    set(&text, "abs incl\nnodes 1\nnode 0 0 0=*,1=*");
    no_set(&text, "abs incl\nnodes 1\nnode 0 0 0=*,1=*,2=*", "transition P.2: no node");
    no_set(&text, "abs incl\nnodes 1\nnode 0 0 0=*", "transition P.1: no node");
    let text = core(&model.replace("assign x = y", "assign mode = x"), "E<> P.b");
    no_set(&text, "abs incl\nnodes 1\nnode 0 0 0=*,1=*", "the model fails at run time");
    // A constraint on one of two equal numbers constrains the other.
    let equal = "
        int x, y;
        process P() {
            state a, b, c;
            init a;
            trans
                a -> b { guard x == y; },
                b -> a { guard x < y; },
                b -> c { guard x < 1000; };
        }
        system P;";
    let text = core(&equal.replace("x, y", "x = 1500, y = 1700"), "E<> P.c");
    let nodes = "abs incl\nnodes 2\nnode 0 0 0=1000..2000,1=*\nnode 1 1 0=1000..2000";
    set(&text, &format!("{nodes},1=1000..2000"));
    no_set(&text, &format!("{nodes},1=1000..1999"), "transition P.0: no node");
    let text = core(&equal.replace("x, y", "x = 1500, y = 1700").replace("== y", "< y"), "E<> P.c");
    set(&text, &format!("{nodes},1=1001..32767"));
    no_set(&text, &format!("{nodes},1=1002..32767"), "transition P.0: no node");
    // The receivers are not certain either.
    let heard = "
        int x, y;
        broadcast chan c;
        process P() { state a; init a; trans a -> a { sync c!; }; }
        process Q() { state a, b; init a; trans a -> b { guard x == y; sync c?; }; }
        system P, Q;";
    let text = core(heard, "E<> false");
    set(&text, "abs incl\nnodes 2\nnode 0 0,0 0=*,1=*\nnode 1 0,1 0=*,1=*");
    no_set(&text, "abs incl\nnodes 1\nnode 0 0,0 0=*,1=*", "transition P.0 Q.0: no node");
}

/// The sum of two counters stays within its range because of a guard: contents are bisected along
/// it.
#[test]
fn guards_bound_the_results_of_updates() {
    let model = "
        int[0,100] total;
        int[0,100] amount;
        process P() {
            state a, b;
            init a;
            trans
                a -> a { guard total + amount <= 100; assign total += amount; },
                a -> a { select i : int[0,100]; assign amount = i; },
                a -> a { guard total % 10 == 3; assign total = total / 10 * 10 >> 1; };
        }
        system P;";
    let text = core(model, "E<> P.b");
    set(&text, "abs incl\nnodes 1\nnode 0 0 0=*,1=*");
    let text = core(&model.replace("<= 100;", "<= 101;"), "E<> P.b");
    no_set(&text, "abs incl\nnodes 1\nnode 0 0 0=*,1=*", "the model fails at run time");
}

#[test]
fn results_computed_from_unknown_cells_are_unknown() {
    let model = "
        int[0,9] x, y;
        int[0,9] all[3];
        process P() {
            state a, b, c;
            init a;
            trans a -> b { assign y = x; }, a -> b { assign all[x % 3] = 1, y = 0; };
        }
        system P;";
    let text = core(model, "E<> P.c");
    let body =
        |start: &str, end: &str| format!("abs incl\nnodes 2\nnode 0 0 {start}\nnode 1 1 {end}");
    set(&text, &body("0=*", "0=*,1=*,2=*,3=*,4=*"));
    no_set(&text, &body("0=*", "0=*,2=*,3=*,4=*"), "transition P.0: no node");
    no_set(&text, &body("0=*", "0=*,1=*,2=*,3=*"), "transition P.1: no node");
    no_set(&text, &body("0=*", "1=*,2=*,3=*,4=*"), "transition P.0: no node");
    set(&text, &body("-", "2=*"));
    let text = core(&model.replace("x, y;", "x = 4, y;"), "E<> P.c");
    set(&text, &body("-", "1=*,3=*"));
    no_set(&text, &body("-", "0=5,1=*,3=*"), "transition P.0: no node");
}

/// If a receiver is not certain, a broadcast continues with and without it.
#[test]
fn receivers_that_are_not_certain_may_stay_out() {
    let model = "
        bool deaf;
        broadcast chan c;
        process S() { state a, b; init a; trans a -> b { sync c!; }; }
        process R() { state r, s; init r; trans r -> s { guard !deaf; sync c?; }; }
        system S, R;";
    let text = core(model, "E<> S.a and R.s");
    set(&text, "abs incl\nnodes 2\nnode 0 0,0 -\nnode 1 1,1 -");
    let both = "abs incl\nnodes 3\nnode 0 0,0 0=*\nnode 1 1,1 0=*\nnode 2 1,0 0=*";
    set(&text, both);
    let one = "abs incl\nnodes 2\nnode 0 0,0 0=*\nnode 1 1,1 0=*";
    no_set(&text, one, "node 0, transition S.0: no node");
    let other = "abs incl\nnodes 2\nnode 0 0,0 0=*\nnode 1 1,0 0=*";
    no_set(&text, other, "node 0, transition S.0 R.0: no node");
}

#[test]
fn only_certain_urgent_synchronisations_stop_time() {
    let model = "
        clock x;
        bool ready = true;
        urgent broadcast chan u;
        process S() { state a, b; init a; trans a -> b { guard ready; sync u!; }; }
        process Q() { state q, r; init q; trans q -> r { }; }
        system S, Q;";
    let text = core(model, "E<> S.a and x > 0");
    let body = "abs incl\nnodes 4
        node 0 0,0 - 1-0<=0\nnode 1 0,1 - 1-0<=0\nnode 2 1,0 -\nnode 3 1,1 -";
    set(&text, body);
    let unknown = body.replace(" -", " 0=*");
    no_set(&text, &unknown, "node 0, transition Q.0: no node");
    no_set(
        &text,
        &unknown.replace("node 1 0,1 0=* 1-0<=0", "node 1 0,1 0=*"),
        "node 1: the formula",
    );
}

/// Clock bounds that depend on unknown cells may have any of their values.
#[test]
fn clock_constraints_are_those_of_some_content() {
    let model = "
        clock x;
        int[0,3] limit;
        process P() {
            state a, b { x <= limit }, c;
            init a;
            trans a -> b { assign x = 0; }, b -> c { guard x > 2; };
        }
        system P;";
    let text = core(model, "E<> P.c");
    set(&text, "abs incl\nnodes 2\nnode 0 0 -\nnode 1 1 - 1-0<=0");
    let body = "abs incl\nnodes 2\nnode 0 0 0=*\nnode 1 1 0=* 1-0<=3";
    no_set(&text, body, "node 1, transition P.1: no node");
    let text = core(&model.replace("x > 2", "x > 3"), "E<> P.c");
    set(&text, body);
    no_set(&text, &body.replace("<=3", "<=2"), "node 0, transition P.0: no node");
    let formula = core(model, "E<> x < limit - 3");
    set(&formula, "abs incl\nnodes 3\nnode 0 0 0=*\nnode 1 1 0=*\nnode 2 2 0=*");
    let formula = core(model, "E<> x < limit - 2");
    let body = "abs incl\nnodes 3\nnode 0 0 0=*\nnode 1 1 0=*\nnode 2 2 0=*";
    no_set(&formula, body, "the formula can hold");
}

#[test]
fn features_unsupported_with_unknown_cells_are_named() {
    let priorities = COUNTER.replace("bool mode;", "bool mode; chan c, d; chan priority c < d;");
    let body = "abs incl\nnodes 1\nnode 0 0 0=*";
    undecided(&core(&priorities, "E<> P.b"), "unreach", body, "not supported");
    undecided(&core(COUNTER, "E<> deadlock"), "nodeadlock", body, "contents are not known");
    let text = core(&COUNTER.replace("bool mode", "meta bool mode"), "E<> P.b");
    for values in ["0=*,0=*", "1=*", "2=*", "0=**", "*", "0=*,0=1", "1=*,0=*"] {
        let given = answer(&text, "unreach", &format!("abs incl\nnodes 1\nnode 0 0 {values}"));
        assert!(matches!(given, Err(Refusal::Malformed { .. })), "{values}: {given:?}");
    }
}

/// A cartesian invariant does not apply to a node with unknown cells.
#[test]
fn cartesian_invariants_apply_to_known_states_only() {
    let text = core(COUNTER, "E<> P.b");
    let body = |values: &str| {
        format!("abs incl\ninvariant 0\nvalues 0 0..10000\nnodes 1\nnode 0 0 {values}\nreason 0 0")
    };
    set(&text, &body("-"));
    no_set(&text, &body("0=*"), "it is not inside its invariant");
}

/// A counter that its guards keep in range.
#[test]
fn contents_can_be_ranges() {
    let model = "
        int[0,1000] count;
        process P() {
            state a, b, c;
            init a;
            trans
                a -> b { guard count < 10; assign count = count + 1; },
                b -> a { guard count > 2; assign count = count - 2; },
                a -> c { guard count > 12; };
        }
        system P;";
    let text = core(model, "E<> P.c");
    let body = |a: &str, b: &str| format!("abs incl\nnodes 2\nnode 0 0 0={a}\nnode 1 1 0={b}");
    set(&text, &body("0..12", "1..10"));
    set(&text, &body("0..8", "1..10"));
    no_set(&text, &body("0..13", "1..10"), "node 0, transition P.2: no node");
    no_set(&text, &body("0..7", "1..10"), "node 1, transition P.1: no node");
    no_set(&text, &body("0..12", "1..9"), "node 0, transition P.0: no node");
    no_set(&text, &body("1..12", "1..10"), "the initial state: no node");
    let failing = core(&model.replace("guard count < 10;", ""), "E<> P.c");
    set(&failing, &body("0..12", "1..13"));
    no_set(&failing, &body("0..1000", "0..1000"), "the model fails at run time");
    for wrong in ["3..1", "0..2000", "-1..3", "1..", "..", "1..2..3"] {
        let refused = answer(&text, "unreach", &body(wrong, "1..10"));
        assert!(matches!(refused, Err(Refusal::Malformed { .. })), "{wrong}: {refused:?}");
    }
}
