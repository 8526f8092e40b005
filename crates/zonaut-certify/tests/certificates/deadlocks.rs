//! Certificates of the kinds `deadlock` and `nodeadlock`.

use crate::{accepted, answer, core, rejected};
use zonaut_certify::Refusal;

/// At x == 1 neither edge is enabled, and no time passes.
const GAP: &str = "
    clock x;
    process P() {
        state a { x <= 1 };
        init a;
        trans a -> a { guard x < 1; assign x = 0; }, a -> a { guard x > 1; };
    }
    system P;";

#[test]
fn a_run_to_a_deadlock_is_accepted_and_one_to_another_point_is_not() {
    let core = core(GAP, "E<> deadlock");
    accepted(&core, "deadlock", "denom 1\ndelay 1\ngoal");
    accepted(&core, "deadlock", "denom 2\ndelay 1\nact 0.0\ndelay 2\ngoal");
    rejected(&core, "deadlock", "denom 2\ndelay 1\ngoal", "the formula does not hold");
    rejected(&core, "deadlock", "denom 1\ngoal", "the formula does not hold");
}

#[test]
fn a_transition_enabled_after_a_delay_prevents_a_deadlock() {
    let model = GAP.replace("x <= 1 }", "x <= 2 }");
    let core = core(&model, "A[] not deadlock");
    accepted(&core, "nodeadlock", "abs incl\nnodes 1\nnode 0 0 - 1-0<=2");
    accepted(&core, "nodeadlock", "abs lu\nbounds 0 1:2:2\nnodes 1\nnode 0 0 - 0 1-0<=2");
    rejected(&core, "deadlock", "denom 1\ndelay 1\ngoal", "the formula does not hold");
}

#[test]
fn a_set_with_a_deadlocked_valuation_is_rejected() {
    let text = core(GAP, "A[] not deadlock");
    let set = "abs incl\nnodes 1\nnode 0 0 - 1-0<=1";
    rejected(&text, "nodeadlock", set, "node 0: the formula can hold");
    accepted(&core(GAP, "A[] deadlock imply x == 1"), "nodeadlock", set);
    rejected(&core(GAP, "A[] deadlock imply x < 1"), "nodeadlock", set, "the formula can hold");
}

#[test]
fn constants_must_respect_every_atom_and_its_negation_where_a_deadlock_is_possible() {
    // Above 2 the urgent location is deadlocked; only 0 is reachable.
    let urgent = "clock x; process P() { state a; urgent a; init a; \
                  trans a -> a { guard x <= 2; assign x = 0; }; } system P;";
    let core = core(urgent, "A[] not deadlock");
    let body =
        |constants: &str| format!("abs lu\nbounds 0 {constants}\nnodes 1\nnode 0 0 - 0 1-0<=0");
    accepted(&core, "nodeadlock", &body("1:2:2"));
    for constants in ["1:-:2", "1:1:2", "1:2:1"] {
        rejected(&core, "nodeadlock", &body(constants), "do not respect a comparison");
    }
}

#[test]
fn negations_are_not_required_where_no_valuation_is_deadlocked() {
    let model = GAP.replace("x <= 1 }", "x <= 2 }");
    let text = core(&model, "A[] not deadlock");
    let body =
        |constants: &str| format!("abs lu\nbounds 0 {constants}\nnodes 1\nnode 0 0 - 0 1-0<=2");
    // The guards `x < 1` and `x > 1` and the invariant `x <= 2`, each as it stands.
    accepted(&text, "nodeadlock", &body("1:1:2"));
    // With a deadlock at 1 the same constants prove nothing.
    let gap = core(GAP, "A[] not deadlock");
    let body = "abs lu\nbounds 0 1:1:1\nnodes 1\nnode 0 0 - 0 1-0<=1";
    rejected(&gap, "nodeadlock", body, "the formula can hold");
}

#[test]
fn deadlocks_do_not_matter_where_the_rest_of_the_formula_decides() {
    let urgent = "clock x; int v; process P() { state a, b; urgent a; init a; \
                  trans a -> a { guard x <= 2; assign x = 0; }; } system P;";
    // Without constants that respect the negated guard no deadlock is excluded.
    let body = "abs lu\nbounds 0 1:-:2\nnodes 1\nnode 0 0 - 0 1-0<=0";
    for query in ["not deadlock or true", "not (deadlock and P.b)", "not (P.b and deadlock)"] {
        accepted(&core(urgent, &format!("A[] {query}")), "nodeadlock", body);
    }
    for query in ["not deadlock or false", "not (deadlock and P.a)", "not (deadlock and x >= 0)"] {
        let core = core(urgent, &format!("A[] {query}"));
        rejected(&core, "nodeadlock", body, "do not respect a comparison");
    }
    // A part that is not reached must not fail.
    let core = core(urgent, "A[] not (deadlock and v != 0 and 1 / v == 1)");
    accepted(&core, "nodeadlock", &body.replace("1:-:2", "1:2:2"));
}

#[test]
fn invariants_of_targets_urgency_and_committed_locations_count() {
    let check = |model: &str, is_deadlocked: bool| {
        let core = core(model, "E<> deadlock");
        match is_deadlocked {
            true => accepted(&core, "deadlock", "denom 1\ndelay 1\ngoal"),
            false => rejected(&core, "deadlock", "denom 1\ndelay 1\ngoal", "does not hold"),
        }
    };
    let target = |invariant: &str| {
        format!(
            "clock x; process P() {{ state a, b {{ {invariant} }}; init a; \
             trans a -> b {{ }}, b -> b {{ }}; }} system P;"
        )
    };
    check(&target("x <= 0"), true);
    check(&target("x <= 1"), false);
    let urgent = |guard: &str| {
        format!(
            "clock x; urgent broadcast chan c; process P() {{ state a, b {{ x <= 0 }}; init a; \
             trans a -> b {{ guard x >= 1; sync c!; }}, a -> a {{ guard x {guard} ; }}; }} system P;"
        )
    };
    // Time stops at 1, where the guards of the urgent broadcast hold but the invariant of its
    // target fails.
    check(&urgent("> 1"), true);
    check(&urgent(">= 1"), false);
}

#[test]
fn the_kinds_are_for_queries_that_ask_for_deadlocks() {
    let core = core(GAP, "E<> x > 1");
    for kind in ["deadlock", "nodeadlock"] {
        let given = answer(&core, kind, "denom 1\ngoal");
        assert!(matches!(given, Err(Refusal::Malformed { line: 2, .. })), "{given:?}");
    }
}
