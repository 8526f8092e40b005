//! Certificates of the kind `values`.

use crate::{accepted, answer, core, rejected};
use zonaut_certify::{Refusal, Value, Values};

const MODEL: &str = "
    clock x;
    int n = 0;
    process P() {
        state a { x <= 3 }, b { x < 5 }, c;
        init a;
        trans a -> b { guard x >= 1; assign n = 4; }, b -> c { assign x = 0; };
    }
    system P;";

const BODY: &str = "
    least 0 attained 1
    act 0.0
    greatest 0 approached 5
    act 0.0
    set 0
    abs incl
    nodes 3
    node 0 0 - 1-0<=3
    node 1 1 0=4 1-0<5 0-1<=-1
    node 2 2 0=4";

#[test]
fn paths_and_a_set_show_both_ends_of_the_values_of_a_clock() {
    let text = core(MODEL, "bounds{P.b}: x");
    let shown = answer(&text, "values", BODY).map(|accepted| accepted.values);
    let (least, greatest) = (Some(Value::Attained(1)), Some(Value::Approached(5)));
    assert_eq!(shown, Ok(vec![Values { least, greatest }]));
    let shown = answer(&text, "values", BODY).expect("it is right").to_string();
    assert!(shown.contains("satisfied (values >=1 <5;"), "{shown}");
}

#[test]
fn values_that_are_not_reached_or_are_exceeded_are_rejected() {
    let text = core(MODEL, "bounds{P.b}: x");
    let check = |old: &str, new: &str, reason| {
        rejected(&text, "values", &BODY.replace(old, new), reason);
    };
    for value in ["attained 4", "approached 4", "attained 3"] {
        check("approached 5", value, "a value is beyond the claimed one");
    }
    for value in ["attained 5", "approached 6", "attained 6", "unbounded"] {
        check("approached 5", value, "the path does not come to this value");
    }
    check("least 0 attained 1", "least 0 attained 0", "the path does not come to this value");
    check("least 0 attained 1", "least 0 approached 1", "a value is beyond the claimed one");
    check("least 0 attained 1", "least 0 attained 2", "a value is beyond the claimed one");
    check("0-1<=-1", "0-1<-1", "no node covers where it leads");
}

#[test]
fn an_unsatisfiable_condition_has_no_values() {
    let text = core(MODEL, "sup{P.c && n == 0}: x");
    let set = &BODY[BODY.find("set 0").expect("a set")..];
    accepted(&text, "values", set);
    let text = core(MODEL, "sup{P.c}: x");
    rejected(&text, "values", set, "node 2: there are values");
    let body = format!("greatest 0 unbounded\nact 0.0\nact 0.1\n{set}");
    accepted(&text, "values", &body);
}

#[test]
fn integers_have_the_values_of_discrete_states() {
    let text = core(MODEL, "bounds: n, n - 1");
    let body = "
        least 0 attained 0
        greatest 0 attained 4
        act 0.0
        least 1 attained -1
        greatest 1 attained 3
        act 0.0
        set 0 1
        abs incl
        nodes 3
        node 0 0 -
        node 1 1 0=4
        node 2 2 0=4";
    accepted(&text, "values", body);
    rejected(&text, "values", &body.replace("attained 4", "attained 5"), "does not come to");
    let missing = answer(&text, "values", &body.replace("set 0 1", "set 0"));
    assert!(matches!(missing, Err(Refusal::Malformed { .. })), "{missing:?}");
    let twice = body.replace("least 0 attained 0", "least 0 attained 0\nleast 0 attained 0");
    let twice = answer(&text, "values", &twice);
    assert!(matches!(twice, Err(Refusal::Malformed { .. })), "{twice:?}");
}

#[test]
fn every_expression_may_have_a_set_of_its_own() {
    let text = core(MODEL, "bounds{P.b}: x, n");
    let other = BODY.replace("t 0 attained 1", "t 1 attained 4");
    let other = other.replace("t 0 approached 5", "t 1 attained 4").replace("set 0", "set 1");
    accepted(&text, "values", &format!("{BODY}{other}"));
}

/// Rounds of one unit each, among other loops, until the urgent location is entered.
const ROUNDS: &str = "
    clock x, y, z;
    process P() {
        state a { y <= 1 }, b;
        urgent b;
        init a;
        trans a -> a { guard y >= 1; assign y = 0; },
              a -> b { guard x >= 3; },
              a -> a { guard y <= 0; },
              a -> a { guard y >= 1; assign x = 0, y = 0; },
              a -> a { guard y >= 1; assign z = x, y = 0; };
    }
    system P;";

const LOOP: &str = "
    greatest 0 unbounded
    act 0.0
    act 0.0
    rises 1:1 3:-
    loop 2-0<=1
    act 0.0
    again
    act 0.1
    set 0
    abs incl
    nodes 2
    node 0 0 - 2-0<=1
    node 1 1 -";

#[test]
fn a_pumping_loop_proves_an_unbounded_clock() {
    let text = core(ROUNDS, "sup{P.b}: x");
    let shown = answer(&text, "values", LOOP).map(|accepted| accepted.values);
    let unbounded = Values { least: None, greatest: Some(Value::Unbounded) };
    assert_eq!(shown, Ok(vec![unbounded]));
    // Without the loop, the path reaches bounded values only.
    let direct = LOOP.replace("rises 1:1 3:-\n    loop 2-0<=1\n    act 0.0\n    again\n", "");
    rejected(&text, "values", &direct, "the path does not come to this value");
}

#[test]
fn loops_that_do_not_increase_the_clock_are_rejected() {
    let text = core(ROUNDS, "sup{P.b}: x");
    let instead = |old: &str, new: &str| LOOP.replace(old, new);
    let of_loop = |edge: &str| instead("act 0.0\n    again", &format!("act 0.{edge}\n    again"));
    for (body, reason) in [
        (of_loop("2"), "the loop does not drive the clock up"),
        (of_loop("3"), "the clock is set"),
        (of_loop("1"), "the loop does not come back"),
        (instead(" 3:-", ""), "the loop does not drive the clock up"),
        (of_loop("4").replace(" 3:-", ""), "a clock that is kept depends on one that is not"),
        (instead("1:1", "2:0"), "the clock is set"),
        (instead("1:1", "1:1 2:-"), "do not respect a comparison"),
        (instead("1:1", "1:7"), "no valuation is left"),
        (instead("loop 2-0<=1", "loop 1-0<2"), "no valuation is left"),
        (instead("again\n    act 0.1", "again\n    act 0.1\n    act 0.1"), "no such transition"),
        (instead("again\n    act 0.1", "again\n    act 0.3\n    act 0.1"), "no such transition"),
    ] {
        rejected(&text, "values", &body, reason);
    }
    // An upper bound that the increased clock may still violate.
    let bounded = ROUNDS.replace("x >= 3", "x >= 3 && x <= 9");
    let text = core(&bounded, "sup{P.b}: x");
    rejected(&text, "values", LOOP, "do not respect a comparison with 9");
    let text = core(ROUNDS, "sup{P.b && x <= 9}: x");
    rejected(&text, "values", LOOP, "do not respect a comparison with 9");
    for damaged in ["rises\n", "rises 0:1\n", "rises 1:1 1:1\n", "rises 1\n"] {
        let body = instead("rises 1:1 3:-\n", damaged);
        let given = answer(&text, "values", &body);
        assert!(matches!(given, Err(Refusal::Malformed { .. })), "{damaged}: {given:?}");
    }
}

#[test]
fn an_indexed_clock_has_a_set_for_each_index() {
    let model = "
        clock z[2];
        int[0,1] i = 0;
        process P() {
            state a { z[0] <= 3 }, b { z[1] <= 5 };
            init a;
            trans a -> b { assign i = 1; };
        }
        system P;";
    let text = core(model, "sup: z[i]");
    let body = "
        greatest 0 attained 5
        act 0.0
        case 0 1
        abs incl
        nodes 2
        node 0 0 - 1-0<=3
        node 1 1 0=1
        case 0 2
        abs incl
        nodes 2
        node 0 0 -
        node 1 1 0=1 2-0<=5";
    accepted(&text, "values", body);
    rejected(&text, "values", &body.replace("attained 5", "attained 4"), "a value is beyond");
    let missing = answer(&text, "values", &body[..body.find("case 0 2").expect("a case")]);
    assert!(matches!(missing, Err(Refusal::Malformed { .. })), "{missing:?}");
}

#[test]
fn a_certificate_must_be_of_the_kind_of_its_query() {
    let set = "abs incl\nnodes 1\nnode 0 0 -";
    let reached = core(MODEL, "E<> P.c");
    let values = core(MODEL, "sup: n");
    for (text, kind) in [(&reached, "values"), (&values, "unreach"), (&values, "live")] {
        let given = answer(text, kind, set);
        assert!(matches!(given, Err(Refusal::Malformed { .. })), "{given:?}");
    }
}

/// Regression: the part that the second and third node leave uncovered was not compared with each
/// of them again.
#[test]
fn parts_left_by_several_nodes_can_be_covered_by_one_of_them() {
    let model = "
        clock x, y, z;
        urgent chan c;
        process P() { state p; init p; trans p -> p { assign y = 0; }; }
        process Q() { state q; init q; trans q -> q { sync c?; }; }
        process R() {
            state r, s;
            init r;
            trans r -> s { }, s -> s { guard x >= 1 && y <= 1; sync c!; }, s -> s { assign x = 0; };
        }
        system P, Q, R;";
    let text = core(model, "A[] z <= 1 || R.s || R.r");
    let body = "
        abs lu
        bounds 0 1:1:1 2:1:1 3:1:-
        nodes 5
        node 0 0,0,0 - 0 1-3<=0 3-1<=0 2-1<=0
        node 1 0,0,1 - 0 1-3<=0 3-1<=0 0-1<=-1 2-0<=1
        node 2 0,0,1 - 0 2-0<=0 0-1<=-1 1-3<-1
        node 3 0,0,1 - 0 1-0<=1 1-2<1 1-3<-1 2-1<=0
        node 4 0,0,1 - 0 1-2<0 1-3<=-1 2-3<=0";
    accepted(&text, "unreach", body);
    let open = body.replace("1-0<=1 1-2<1 1-3<-1", "1-0<1 1-2<1 1-3<-1");
    rejected(&text, "unreach", &open, "no node covers where it leads");
}

/// The same set under simulation: the clock keeps its values in `a` and `b`, and is set after `b`.
const SIMULATED: &str = "
    least 0 attained 1
    act 0.0
    greatest 0 approached 5
    act 0.0
    set 0
    abs lu
    bounds 0 1:5:5
    bounds 1 1:5:5
    bounds 2
    nodes 3
    node 0 0 - 0 1-0<=3
    node 1 1 0=4 1 1-0<5 0-1<=-1
    node 2 2 0=4 2";

#[test]
fn a_clock_is_pinned_where_its_value_counts_and_backwards_to_where_it_is_set() {
    let text = core(MODEL, "bounds{P.b}: x");
    accepted(&text, "values", SIMULATED);
    let infinite = SIMULATED.replace("1:5:5", "1:1099511627776:1099511627776");
    accepted(&text, "values", &infinite);
    let check = |old: &str, new: &str, reason| {
        rejected(&text, "values", &SIMULATED.replace(old, new), reason);
    };
    // Both ends have to be respected where the condition holds.
    check("bounds 1 1:5:5", "bounds 1 1:4:5", "node 1: a value is beyond the claimed one");
    check("bounds 1 1:5:5", "bounds 1 1:5:0", "node 1: a value is beyond the claimed one");
    check("bounds 1 1:5:5", "bounds 1", "node 1: a value is beyond the claimed one");
    // The constants of a node are at least those of the nodes after it.
    check("bounds 0 1:5:5", "bounds 0 1:4:5", "no node covers where it leads");
    check("bounds 0 1:5:5", "bounds 0 1:5:4", "no node covers where it leads");
    check("bounds 0 1:5:5", "bounds 0", "no node covers where it leads");
}
