//! Certificates of the kind `reach`.

use crate::{accepted, answer, core, rejected, undecided};
use zonaut_certify::{Claim, Kind};

#[track_caller]
fn run(core: &str, body: &str) {
    accepted(core, "reach", body);
}

#[track_caller]
fn no_run(core: &str, body: &str, reason: &str) {
    rejected(core, "reach", body, reason);
}

const WINDOW: &str = "
    clock x;
    process P() {
        state a { x <= 2 }, b;
        init a;
        trans a -> b { guard x > 1; };
    }
    system P;";

#[test]
fn a_run_reaches_its_goal_with_exact_fractions() {
    let core = core(WINDOW, "E<> P.b and x < 2");
    run(&core, "denom 2\ndelay 3\nact 0.0\ngoal");
    run(&core, "denom 2\ndelay 1\ndelay 0\ndelay 2\nact 0.0\ngoal");
    no_run(&core, "denom 2\ndelay 4\nact 0.0\ngoal", "the formula does not hold");
    no_run(&core, "denom 2\ndelay 2\nact 0.0\ngoal", "no such transition");
    no_run(&core, "denom 2\ndelay 5\nact 0.0\ngoal", "violates an invariant");
    no_run(&core, "denom 2\ndelay 3\ngoal", "the formula does not hold");
    no_run(&core, "denom 2\ndelay 3\nact 0.1\ngoal", "no such transition");
    no_run(&core, "denom 2\ndelay 3\nact 1.0\ngoal", "no such transition");
}

#[test]
fn the_claim_of_a_run_depends_on_the_query() {
    for (query, claim) in [("E<> P.b", Claim::Satisfied), ("A[] P.a", Claim::NotSatisfied)] {
        let given = answer(&core(WINDOW, query), "reach", "denom 1\ndelay 2\nact 0.0\ngoal");
        let given = given.unwrap();
        assert_eq!((given.kind, given.claim, given.size), (Kind::Reach, claim, 2));
    }
    no_run(&core(WINDOW, "A[] P.a"), "denom 1\ngoal", "the formula does not hold");
}

#[test]
fn a_goal_in_the_initial_state_needs_no_steps() {
    run(&core(WINDOW, "E<> P.a"), "denom 1\ngoal");
}

#[test]
fn runs_start_only_where_invariants_hold() {
    let model = "clock x; process P() { state a { x <= 2 }; init a; } system P;";
    let core = core(model, "E<> P.a").replace("clock x 0", "clock x 3");
    no_run(&core, "denom 1\ngoal", "the initial state: an invariant is violated");
    rejected(&core, "unreach", "abs incl\nnodes 0", "the initial state: an invariant is violated");
}

#[test]
fn time_does_not_pass_in_urgent_and_committed_locations() {
    for kind in ["urgent", "commit"] {
        let model = format!(
            "clock x;
            process P() {{ state a, b; {kind} a; init a; trans a -> b {{ }}; }}
            process Q() {{ state q; init q; }}
            system Q, P;"
        );
        let core = core(&model, "E<> P.b");
        run(&core, "denom 1\ndelay 0\nact 1.0\ndelay 5\ngoal");
        no_run(&core, "denom 9\ndelay 1\nact 1.0\ngoal", "urgent or committed");
    }
}

/// P26 and P27: every process with an enabled receiving edge takes part in a broadcast, with one
/// edge.
#[test]
fn a_broadcast_takes_all_enabled_receivers_and_no_others() {
    let model = "
        clock x;
        broadcast chan c;
        process S() { state a, b; init a; trans a -> b { sync c!; }; }
        process R() {
            state r, s, t;
            init r;
            trans r -> s { guard x <= 1; sync c?; }, r -> t { guard x <= 2; sync c?; };
        }
        system S, R;";
    let core = core(model, "E<> S.b");
    run(&core, "denom 1\nact 0.0 1.0\ngoal");
    run(&core, "denom 1\nact 0.0 1.1\ngoal");
    run(&core, "denom 1\ndelay 2\nact 0.0 1.1\ngoal");
    run(&core, "denom 1\ndelay 3\nact 0.0\ngoal");
    no_run(&core, "denom 1\ndelay 2\nact 0.0\ngoal", "no such transition");
    no_run(&core, "denom 1\nact 0.0\ngoal", "no such transition");
    no_run(&core, "denom 1\nact 0.0 1.0 1.1\ngoal", "no such transition");
    no_run(&core, "denom 1\ndelay 2\nact 0.0 1.0\ngoal", "no such transition");
    no_run(&core, "denom 1\nact 1.0 0.0\ngoal", "no such transition");
    no_run(&core, "denom 1\nact 1.0\ngoal", "no such transition");
}

/// P28: the sender updates first, then receivers in system order.
#[test]
fn updates_run_in_the_order_of_the_participants() {
    let model = "
        int v;
        broadcast chan c;
        process S() { state a, b; init a; trans a -> b { sync c!; assign v = 1; }; }
        process R1() { state r, s; init r; trans r -> s { sync c?; assign v = v * 2; }; }
        process R2() { state r, s; init r; trans r -> s { sync c?; assign v = v + 3; }; }
        system R2, R1, S;";
    let right = core(model, "E<> v == 8");
    run(&right, "denom 1\nact 2.0 0.0 1.0\ngoal");
    no_run(&right, "denom 1\nact 2.0 1.0 0.0\ngoal", "no such transition");
    let wrong = core(model, "E<> v == 5");
    no_run(&wrong, "denom 1\nact 2.0 0.0 1.0\ngoal", "the formula does not hold");
}

/// P29: a guard sees the values before the transition.
#[test]
fn the_guard_of_a_receiver_sees_the_old_values() {
    let model = "
        int v;
        chan g;
        process S() { state a, b; init a; trans a -> b { sync g!; assign v = 1; }; }
        process R() { state r, s; init r; trans r -> s { guard v == 1; sync g?; }; }
        system S, R;";
    let core = core(model, "E<> R.s");
    no_run(&core, "denom 1\nact 0.0 1.0\ngoal", "no such transition");
    no_run(&core, "denom 1\nact 0.0\ngoal", "no such transition");
}

/// P30: if a process is in a committed location, some participant must leave one.
#[test]
fn transitions_from_committed_locations_have_precedence() {
    let model = "
        broadcast chan c;
        process S() { state a, b; init a; trans a -> b { sync c!; }; }
        process R() { state r, s; commit r; init r; trans r -> s { sync c?; }; }
        process F() { state f, g; init f; trans f -> g { }; }
        system S, R, F;";
    let core = core(model, "E<> F.g");
    run(&core, "denom 1\nact 0.0 1.0\nact 2.0\ngoal");
    no_run(&core, "denom 1\nact 2.0\ngoal", "no such transition");
}

#[test]
fn a_synchronisation_that_leaves_no_committed_location_is_disabled() {
    let model = "
        chan c;
        process S() { state a, b; init a; trans a -> b { sync c!; }; }
        process R() { state r, s; init r; trans r -> s { sync c?; }; }
        process F() { state f, g; commit f; init f; trans f -> g { }; }
        system S, R, F;";
    let core = core(model, "E<> R.s");
    run(&core, "denom 1\nact 2.0\nact 0.0 1.0\ngoal");
    no_run(&core, "denom 1\nact 0.0 1.0\ngoal", "no such transition");
}

/// P31: time does not pass while an urgent synchronisation is enabled.
#[test]
fn urgent_channels_stop_time_where_their_guards_hold() {
    let model = "
        clock x;
        urgent chan u;
        process S() { state a, b; init a; trans a -> b { guard x >= 3; sync u!; }; }
        process R() { state r, s; init r; trans r -> s { guard x <= 9; sync u?; }; }
        system S, R;";
    let core = core(model, "E<> x >= 3");
    run(&core, "denom 2\ndelay 6\ngoal");
    run(&core, "denom 2\ndelay 6\nact 0.0 1.0\ndelay 7\ngoal");
    no_run(&core, "denom 2\ndelay 7\ngoal", "urgent channel");
    no_run(&core, "denom 2\ndelay 6\ndelay 1\ngoal", "urgent channel");
    no_run(&core, "denom 2\ndelay 40\ngoal", "urgent channel");
}

#[test]
fn an_open_guard_of_an_urgent_channel_stops_time_before_it() {
    let model = "
        clock x;
        urgent broadcast chan u;
        process S() { state a, b; init a; trans a -> b { guard x > 3 && x < 5; sync u!; }; }
        system S;";
    let core = core(model, "E<> x >= 3");
    run(&core, "denom 1\ndelay 3\ngoal");
    no_run(&core, "denom 9\ndelay 28\ngoal", "urgent channel");
    no_run(&core, "denom 1\ndelay 5\ngoal", "urgent channel");
    let instant = crate::core(&model.replace("x > 3 && x < 5", "x == 3"), "E<> x >= 3");
    run(&instant, "denom 1\ndelay 3\ngoal");
    no_run(&instant, "denom 1\ndelay 4\ngoal", "urgent channel");
}

/// P32: a transition of higher priority disables a lower one where it is enabled.
#[test]
fn higher_priorities_disable_lower_ones() {
    let model = "
        clock x;
        broadcast chan low, high;
        chan priority low < high;
        process P() {
            state a, h, l;
            init a;
            trans a -> h { guard x <= 1; sync high!; }, a -> l { sync low!; };
        }
        system P;";
    let core = core(model, "E<> P.l");
    run(&core, "denom 2\ndelay 3\nact 0.1\ngoal");
    no_run(&core, "denom 2\ndelay 2\nact 0.1\ngoal", "no such transition");
}

/// Among transitions of equal channel priority, the priority of processes decides.
#[test]
fn processes_have_priorities() {
    let model = "
        int v;
        process T() { state a, b; init a; trans a -> b { guard v == 0; }; }
        P = T(); Q = T();
        system P < Q;";
    let core = core(model, "E<> P.b");
    run(&core, "denom 1\nact 1.0\nact 0.0\ngoal");
    no_run(&core, "denom 1\nact 0.0\ngoal", "no such transition");
}

/// A transition has the highest priority of its processes.
#[test]
fn the_highest_process_priority_decides_for_a_synchronisation() {
    let model = "
        chan c;
        process S() { state a, b; init a; trans a -> b { sync c!; }; }
        process T() { state a, b; init a; trans a -> b { }; }
        process R() { state a, b; init a; trans a -> b { sync c?; }; }
        system S < T < R;";
    let core = core(model, "E<> T.b");
    run(&core, "denom 1\nact 0.0 2.0\nact 1.0\ngoal");
    no_run(&core, "denom 1\nact 1.0\ngoal", "no such transition");
}

#[test]
fn invariants_on_data_hold_along_a_run() {
    let model = "
        int[0,3] v;
        clock x;
        process P() {
            state a { v < 2 }, b { x <= v }, c;
            init a;
            trans a -> a { assign v++; }, a -> b { }, b -> c { };
        }
        system P;";
    let core = core(model, "E<> P.c");
    run(&core, "denom 1\nact 0.0\nact 0.1\nact 0.2\ngoal");
    run(&core, "denom 1\nact 0.0\ndelay 1\nact 0.1\nact 0.2\ngoal");
    no_run(&core, "denom 1\nact 0.0\nact 0.0\nact 0.1\nact 0.2\ngoal", "invariant of its target");
    no_run(&core, "denom 1\ndelay 1\nact 0.1\nact 0.2\ngoal", "invariant of its target");
    no_run(&core, "denom 1\nact 0.0\nact 0.1\ndelay 2\nact 0.2\ngoal", "the delay violates");
    let start = core.replace("cell v 0 3 0", "cell v 0 3 2");
    no_run(&start, "denom 1\ngoal", "an invariant is violated");
}

/// The effects of one transition on clocks do not carry over to the next.
#[test]
fn clock_effects_do_not_carry_over_to_the_next_action() {
    let model = "
        clock x;
        process P() {
            state a, b, c;
            init a;
            trans a -> b { assign x = 0; }, b -> c { };
        }
        system P;";
    let core = core(model, "E<> P.c and x == 2");
    run(&core, "denom 1\ndelay 5\nact 0.0\ndelay 2\nact 0.1\ngoal");
    no_run(&core, "denom 1\ndelay 5\nact 0.0\ndelay 3\nact 0.1\ngoal", "does not hold");
}

#[test]
fn a_run_may_end_one_transition_before_a_state_that_cannot_be_evaluated() {
    let model = "
        int[0,3] v;
        process P() {
            state a, b, c { v > 0 }, d;
            init a;
            trans a -> b { }, b -> d { guard 1 / v == 1; }, a -> c { }, c -> d { guard 1 / v == 1; };
        }
        system P;";
    let text = core(model, "E<> P.d");
    let fails = |core: &str| answer(core, "reach", "denom 1\nfails").map(|given| given.claim);
    assert_eq!(fails(&text), Ok(Claim::Fails));
    let blocked = core(&model.replace("a -> b { }, ", ""), "E<> P.d");
    no_run(&blocked, "denom 1\nfails", "does not fail here");
}

/// P33: a process does not synchronise with itself.
#[test]
fn a_process_does_not_synchronise_with_itself() {
    let model = "
        chan c;
        process T() { state a, b; init a; trans a -> b { sync c!; }, a -> b { sync c?; }; }
        P = T(); Q = T();
        system P, Q;";
    let core = core(model, "E<> P.b");
    run(&core, "denom 1\nact 0.0 1.1\ngoal");
    run(&core, "denom 1\nact 1.0 0.1\ngoal");
    no_run(&core, "denom 1\nact 0.0 0.1\ngoal", "no such transition");
    no_run(&core, "denom 1\nact 0.0 1.0\ngoal", "no such transition");
    no_run(&core, "denom 1\nact 0.0\ngoal", "no such transition");
}

/// P34: select variables take the values of their ranges.
#[test]
fn select_values_are_part_of_an_action() {
    let model = "
        int v;
        process P() {
            state a, b;
            init a;
            trans a -> b { select i : int[1,3], j : int[-1,1]; guard i > 1; assign v = 10 * i + j; };
        }
        system P;";
    let core = core(model, "E<> v == 19");
    run(&core, "denom 1\nact 0.0:2,-1\ngoal");
    no_run(&core, "denom 1\nact 0.0:2,1\ngoal", "the formula does not hold");
    for select in ["1,-1", "2,-2", "4,0", "2", "2,-1,0"] {
        no_run(&core, &format!("denom 1\nact 0.0:{select}\ngoal"), "no such transition");
    }
    no_run(&core, "denom 1\nact 0.0\ngoal", "no such transition");
}

/// P35: a run-time error is a fact about the model, not a disabled transition.
#[test]
fn a_run_may_end_in_a_run_time_error_but_not_continue() {
    let model = "
        int[0,1] v;
        process P() {
            state a, b, c;
            init a;
            trans a -> a { assign v = v + 1; }, a -> b { }, b -> c { guard 1 / (v - 1) == 0; };
        }
        system P;";
    let core = core(model, "E<> P.c");
    let fails = |body| answer(&core, "reach", body).map(|accepted| accepted.claim);
    assert_eq!(fails("denom 1\nact 0.0\nfails"), Ok(Claim::Fails));
    assert_eq!(fails("denom 1\nact 0.0\nact 0.1\nfails"), Ok(Claim::Fails));
    assert!(fails("denom 1\nfails").is_err());
    no_run(&core, "denom 1\nact 0.1\nfails", "does not fail");
    no_run(&core, "denom 1\nact 0.0\nact 0.0\ngoal", "fails at run time");
    no_run(&core, "denom 1\nact 0.0\nact 0.1\nact 0.2\ngoal", "fails at run time");
}

/// P36: formulas are evaluated after complete transitions only.
#[test]
fn formulas_are_evaluated_after_complete_transitions_only() {
    let model = "
        int i;
        chan c;
        process S() { state a, b; init a; trans a -> b { sync c!; assign i = 1; }; }
        process R() { state r, s; init r; trans r -> s { sync c?; assign i = 2; }; }
        system S, R;";
    let core = core(model, "A[] i != 1");
    no_run(&core, "denom 1\nact 0.0 1.0\ngoal", "the formula does not hold");
    no_run(&core, "denom 1\nact 0.0\ngoal", "no such transition");
}

#[test]
fn a_target_invariant_disables_the_whole_broadcast() {
    let model = "
        clock x;
        broadcast chan c;
        process S() { state a, b; init a; trans a -> b { sync c!; }; }
        process R() { state r, s { x <= 1 }; init r; trans r -> s { sync c?; }; }
        system S, R;";
    let core = core(model, "E<> S.b");
    run(&core, "denom 1\ndelay 1\nact 0.0 1.0\ngoal");
    no_run(&core, "denom 1\ndelay 2\nact 0.0 1.0\ngoal", "invariant of its target");
    no_run(&core, "denom 1\ndelay 2\nact 0.0\ngoal", "no such transition");
}

#[test]
fn meta_variables_and_before_and_after_updates_follow_the_order_of_a_transition() {
    let model = "
        meta int letter;
        int v, n;
        before_update { letter = letter + 5 }
        after_update { n = letter }
        process P() {
            state a, b;
            init a;
            trans a -> a { guard letter == 0; assign letter = letter + 1, v = letter; };
        }
        system P;";
    let core = core(model, "E<> v == 6 and n == 6 and letter == 0");
    run(&core, "denom 1\nact 0.0\ngoal");
    run(&core, "denom 1\nact 0.0\nact 0.0\ngoal");
}

#[test]
fn clocks_are_set_and_copied_in_order() {
    let model = "
        clock x, y;
        process P() { state a, b; urgent b; init a; trans a -> b { assign y = x, x = 5; }; }
        system P;";
    let core = core(model, "E<> P.b and x == 5 and y == 2");
    run(&core, "denom 3\ndelay 6\nact 0.0\ngoal");
    no_run(&core, "denom 3\ndelay 5\nact 0.0\ngoal", "the formula does not hold");
}

#[test]
fn numbers_beyond_the_arithmetic_limits_are_refused() {
    let core = core("clock x; process P() { state a; init a; } system P;", "E<> x > 5");
    run(&core, "denom 1152921504606846976\ndelay 1208925819614629174706175\ngoal");
    undecided(&core, "reach", "denom 1\ndelay 1208925819614629174706177\ngoal", "too large");
}

/// Clocks are set to and compared with values up to a limit.
#[test]
fn values_beyond_the_limit_of_clocks_are_failures() {
    for (value, fails) in [("1073741823", false), ("1073741824", true)] {
        for label in ["assign x = v;", "guard x <= v;", "guard x - y < v;", "guard x > -v;"] {
            let model = format!(
                "int[0,2000000000] v = {value}; clock x, y;
                process P() {{ state a, b; init a; trans a -> b {{ {label} }}; }} system P;"
            );
            let core = core(&model, "E<> P.b");
            if fails {
                run(&core, "denom 1\nfails");
                no_run(&core, "denom 1\ndelay 1\nact 0.0\ngoal", "beyond the limit");
            } else {
                run(&core, "denom 1\ndelay 1\nact 0.0\ngoal");
                no_run(&core, "denom 1\nfails", "does not fail");
            }
        }
    }
}
