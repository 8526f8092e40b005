//! Certificates of the kinds `lasso` and `live`.

use crate::{accepted, answer, core, rejected};
use zonaut_certify::{Claim, Refusal};

const STAIRS: &str = "
    clock x;
    process P() {
        state a { x <= 2 }, b { x <= 3 }, c;
        init a;
        trans a -> b { assign x = 0; }, b -> c { };
    }
    system P;";

const DESCENT: &str = "
    set stays
    abs incl
    nodes 2
    node 0 0 - 1-0<=2
    node 1 1 - 1-0<=3
    rank 0 1
    rank 1 0";

#[test]
fn decreasing_ranks_prove_that_the_formula_is_inevitable() {
    let stairs = core(STAIRS, "A<> P.c");
    assert_eq!(answer(&stairs, "live", DESCENT).map(|it| it.claim), Ok(Claim::Satisfied));
    let never = core(STAIRS, "E[] not P.c");
    assert_eq!(answer(&never, "live", DESCENT).map(|it| it.claim), Ok(Claim::NotSatisfied));
    // An avoided valuation may be met in the middle of a stay.
    let clocks = core(STAIRS, "A<> P.c or x >= 1");
    let body = DESCENT.replace("1-0<=2", "1-0<1").replace("1-0<=3", "1-0<1");
    accepted(&clocks, "live", &body);
    rejected(&clocks, "live", &body.replace("node 1 1 - 1-0<1", "node 1 1 - 1-0<=0"), "covers");
}

#[test]
fn ranks_must_decrease() {
    let stairs = core(STAIRS, "A<> P.c");
    for rank in ["rank 1 1", "rank 1 2"] {
        let body = DESCENT.replace("rank 1 0", rank);
        rejected(&stairs, "live", &body, "node 0: no node of smaller rank covers");
    }
    let back = STAIRS.replace("b -> c { }", "b -> c { }, b -> a { assign x = 0; }");
    rejected(&core(&back, "A<> P.c"), "live", DESCENT, "node 1: no node of smaller rank covers");
    let missing = answer(&stairs, "live", &DESCENT.replace("rank 1 0", ""));
    assert!(matches!(missing, Err(Refusal::Malformed { .. })), "{missing:?}");
}

#[test]
fn a_node_in_which_a_run_may_stay_is_rejected() {
    let endless = STAIRS.replace("b { x <= 3 }", "b");
    let body = DESCENT.replace(" 1-0<=3", "");
    rejected(&core(&endless, "A<> P.c"), "live", &body, "node 1: a run may stay for ever");
    let late = STAIRS.replace("b -> c { }", "b -> c { guard x <= 2; }");
    rejected(&core(&late, "A<> P.c"), "live", DESCENT, "node 1: a run may be stuck");
    // Delays meet avoided valuations.
    let clocks = core(&endless, "A<> P.c or P.b && x > 7");
    accepted(&clocks, "live", &DESCENT.replace("1-0<=3", "1-0<=7"));
}

#[test]
fn runs_that_begin_later_begin_in_reachable_states() {
    let stairs = core(STAIRS, "P.b && x > 1 --> P.c");
    let body = "
        set reached
        abs incl
        nodes 3
        node 0 0 - 1-0<=2
        node 1 1 - 1-0<=3
        node 2 2 -
        set stays
        abs incl
        nodes 1
        node 0 1 - 1-0<=3 0-1<-1
        rank 0 0";
    accepted(&stairs, "live", body);
    rejected(&stairs, "live", &body.replace("node 2 2 -", "node 2 2 - 1-0<=9"), "node 1");
    rejected(&stairs, "live", &body.replace("0-1<-1", "0-1<-2"), "node 1: no node of smaller");
}

const COVERING: &str = "
    set stays
    abs lu
    bounds 0 1:-:3
    nodes 2
    node 0 0 - 0 1-0<=2
    node 1 1 - 0 1-0<=3
    rank 0 1
    rank 1 0";

#[test]
fn constants_respect_the_avoided_formula_from_both_sides() {
    accepted(&core(STAIRS, "A<> P.c"), "live", COVERING);
    let clocks = core(STAIRS, "A<> P.c or x >= 1");
    let body = COVERING.replace("1-0<=2", "1-0<1").replace("1-0<=3", "1-0<1");
    accepted(&clocks, "live", &body.replace("1:-:3", "1:1:3"));
    rejected(&clocks, "live", &body, "do not respect a comparison with -1");
    rejected(
        &clocks,
        "live",
        &body.replace("1:-:3", "1:1:0"),
        "do not respect a comparison with 1",
    );
    for rank in ["rank 1 1", "rank 1 2"] {
        let body = COVERING.replace("rank 1 0", rank);
        rejected(&core(STAIRS, "A<> P.c"), "live", &body, "node 0: no node of smaller rank");
    }
}

#[test]
fn constants_distinguish_blocked_valuations() {
    let blocked = "
        clock x;
        process P() {
            state a { x <= 5 }, b, c;
            init a;
            urgent b;
            trans a -> b { }, b -> c { guard x <= 2; };
        }
        system P;";
    // The valuations above 2 are blocked, but simulated by those that are not.
    let body = "
        set stays
        abs lu
        bounds 0 1:-:5
        bounds 1 1:-:2
        nodes 2
        node 0 0 - 0 1-0<=5
        node 1 1 - 1 1-0<=2
        rank 0 1
        rank 1 0";
    let core = core(blocked, "A<> P.c");
    rejected(&core, "live", body, "node 1: the constants of the clocks 0 and 1 do not respect");
    let both = body.replace("1 1:-:2", "1 1:2:2").replace("0 1:-:5", "0 1:2:5");
    rejected(&core, "live", &both, "node 0: no node of smaller rank covers");
    rejected(&core, "live", &both.replace("1-0<=2", "1-0<=5"), "node 1: a run may be stuck");
}

#[test]
fn runs_begin_in_states_that_simulate_all_others() {
    let stairs = core(STAIRS, "P.b && x > 1 --> P.c");
    let body = "
        set reached
        abs lu
        bounds 0 1:1:3
        nodes 3
        node 0 0 - 0 1-0<=2
        node 1 1 - 0 1-0<=3
        node 2 2 - 0
        set stays
        abs lu
        bounds 0 1:-:3
        nodes 1
        node 0 1 - 0 1-0<=3 0-1<-1
        rank 0 0";
    accepted(&stairs, "live", body);
    rejected(&stairs, "live", &body.replace("0-1<-1", "0-1<-2 1-0<=2"), "node 1: no node");
    let mixed = body.replace(
        "set stays\n        abs lu\n        bounds 0 1:-:3",
        "set stays\n        abs incl",
    );
    let mixed = mixed.replace("node 0 1 - 0 1-0<=3 0-1<-1", "node 0 1 - 1-0<=3 0-1<-1");
    let given = answer(&stairs, "live", &mixed);
    assert!(matches!(given, Err(Refusal::Malformed { .. })), "{given:?}");
}

const ROUND: &str = "
    denom 1
    act 0.0
    delay 1
    act 0.1
    repeats
    abs incl
    nodes 2
    node 0 0 - 1-0<=2
    node 1 1 - 1-0<=3 0-1<=-1
    take 0 0.0
    take 1 0.1";

const CIRCLE: &str = "
    clock x;
    process P() {
        state a { x <= 2 }, b { x <= 3 }, c;
        init a;
        trans a -> b { assign x = 0; }, b -> a { guard x >= 1; assign x = 0; }, b -> c { };
    }
    system P;";

#[test]
fn nodes_that_a_run_can_visit_forever_are_a_lasso() {
    let circle = core(CIRCLE, "A<> P.c");
    assert_eq!(answer(&circle, "lasso", ROUND).map(|it| it.claim), Ok(Claim::NotSatisfied));
    let kept = core(CIRCLE, "E[] not P.c");
    assert_eq!(answer(&kept, "lasso", ROUND).map(|it| it.claim), Ok(Claim::Satisfied));
    let body = ROUND.replace(" 0-1<=-1", "");
    rejected(&circle, "lasso", &body, "node 1: the transition is not possible in all of it");
    let body = ROUND.replace("0-1<=-1", "0-1<=-3");
    accepted(&circle, "lasso", &body);
    let body = ROUND.replace("1-0<=3 0-1<=-1", "1-0<1");
    rejected(&circle, "lasso", &body, "node 1: the transition is not possible in all of it");
    let body = ROUND.replace("take 1 0.1", "take 1 0.2");
    rejected(&circle, "lasso", &body, "node 1: what is to be avoided can hold");
    let body = ROUND.replace("node 0 0 - 1-0<=2", "node 0 0 - 1-0<=2 0-1<=-1");
    rejected(&circle, "lasso", &body, "the end of the run: it is in no node");
}

#[test]
fn avoided_states_must_not_be_met_during_a_delay() {
    rejected(&core(CIRCLE, "A<> x > 0"), "lasso", ROUND, "line 7: what is to be avoided holds");
    let text = core(CIRCLE, "A<> P.b && x == 2");
    let body = ROUND.replace("1-0<=3 0-1<=-1", "1-0<2 0-1<=-1");
    accepted(&text, "lasso", &body);
    rejected(&text, "lasso", ROUND, "node 1: what is to be avoided can hold");
    let body = ROUND.replace("1-0<=3 0-1<=-1", "1-0<=3 0-1<-2");
    rejected(&text, "lasso", &body, "node 0: no delay leads");
    let text = core(CIRCLE, "A<> P.b");
    rejected(&text, "lasso", ROUND, "line 6: what is to be avoided holds");
}

#[test]
fn a_run_may_stay_where_time_diverges_or_in_a_deadlock() {
    let circle = core(CIRCLE, "A<> P.b && x >= 2");
    accepted(&circle, "lasso", "denom 1\nact 0.0\nact 0.2\nstays");
    rejected(&circle, "lasso", "denom 1\nact 0.0\nstays", "the run need not stay here");
    let late = core(CIRCLE, "A<> P.c && x >= 2");
    let body = "denom 1\nact 0.0\nact 0.2\nstays";
    rejected(&late, "lasso", body, "the run need not stay here");
    let stuck = STAIRS.replace("b -> c { }", "b -> c { guard x <= 2; }");
    let text = core(&stuck, "A<> P.c");
    accepted(&text, "lasso", "denom 2\nact 0.0\ndelay 5\nstays");
    rejected(&text, "lasso", "denom 2\nact 0.0\ndelay 4\nstays", "need not stay");
}

#[test]
fn a_run_that_begins_later_names_the_step() {
    let text = core(CIRCLE, "P.b && x == 1 --> P.c");
    let body = ROUND.replace("delay 1\n", "delay 1\n    begin\n");
    accepted(&text, "lasso", &body);
    rejected(&text, "lasso", &body.replace("delay 1\n", "delay 2\n"), "it does not begin here");
    let unsaid = answer(&text, "lasso", ROUND);
    assert!(matches!(unsaid, Err(Refusal::Malformed { .. })), "{unsaid:?}");
}
