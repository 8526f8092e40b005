//! Sets of zones with LU constants.

use crate::{core, no_set, set};

const LOOP: &str = "
    clock x, y;
    process P() {
        state a { x <= 1 }, b;
        init a;
        trans a -> a { guard x == 1; assign x = 0; }, a -> b { guard y > 3 && y < 3; };
    }
    system P;";

#[test]
fn constants_make_a_set_finite() {
    let core = core(LOOP, "E<> P.b");
    let nodes = |bounds: &str| {
        let mut text = format!("abs lu\nbounds 0{bounds}\nnodes 5");
        for (id, y) in [0, 1, 2, 3, 4].into_iter().enumerate() {
            text += &format!("\nnode {id} 0 - 0 1-0<=1 2-1<={y} 1-2<=-{y}");
        }
        text
    };
    set(&core, &nodes(" 1:1:1 2:3:3"));
    set(&core, &nodes(" 1:1:1 2:3:4"));
    no_set(&core, &nodes(" 1:1:1 2:9:9"), "node 4, transition P.0: no node");
    no_set(&core, &nodes(" 1:1:1 2:3:2"), "transition P.1: no node");
    no_set(&core, &nodes(" 1:1:1 2:2:3"), "transition P.1: no node");
    // The constants do not respect the invariant, and the proof does not need it.
    set(&core, &nodes(" 1:1:0 2:3:3"));
    no_set(&core, &nodes(" 1:1:1 2:3:-"), "transition P.1: no node");
    no_set(
        &core,
        &nodes(" 1:1:1 2:3:3").replace("lu\nbounds 0 1:1:1 2:3:3", "incl").replace("- 0 ", "- "),
        "no node",
    );
}

#[test]
fn constants_of_invariants_and_guards_are_required_where_the_proof_needs_them() {
    let model = "
        clock x, y;
        process P() {
            state a { x <= 1 }, b;
            init a;
            trans a -> a { guard y >= 9; assign x = 0; }, a -> b { guard y < 7 && x > 1; };
        }
        system P;";
    let core = core(model, "E<> P.b");
    let body = |bounds: &str, zone: &str| {
        format!("abs lu\nbounds 0 {bounds}\nnodes 1\nnode 0 0 - 0 {zone}2-1<=0 1-2<=0")
    };
    set(&core, &body("1:1:1 2:9:-", "1-0<=1 "));
    set(&core, &body("1:1:1", "1-0<=1 "));
    set(&core, &body("1:1:0", "1-0<=1 "));
    no_set(&core, &body("1:0:1 2:9:-", "1-0<=1 "), "node 0, transition P.1: no node");
    // The invariant restricts the zone only if the constants respect it.
    set(&core, &body("1:1:1", ""));
    no_set(&core, &body("1:1:0", ""), "node 0, transition P.1: no node");
}

#[test]
fn constants_must_respect_the_formula() {
    let model = "
        clock x, y;
        process P() { state a { x <= 1 }; init a; trans a -> a { guard x == 1; assign x = 0; }; }
        system P;";
    let body = |bound: &str| {
        format!("abs lu\nbounds 0 1:1:1{bound}\nnodes 1\nnode 0 0 - 0 1-0<=1 2-1<=0 1-2<=0")
    };
    set(&core(model, "E<> x > 1"), &body(""));
    no_set(&core(model, "E<> y == 5 and x > 0 and x < 1"), &body(""), "the formula can hold");
    no_set(&core(model, "E<> y > 5"), &body(" 2:5:-"), "no node covers");
    no_set(&core(model, "E<> y < 0"), &body(" 2:4:-"), "the formula can hold");
    // Atoms that are not respected are ignored, and the proof does not need them here.
    set(&core(model, "E<> y > 5 and x > 1"), &body(""));
}

/// A negated comparison must be respected only in the direction in which it fails.
#[test]
fn constants_respect_formulas_as_they_are_used() {
    let model = "clock x; process P() { state a; init a; } system P;";
    let body = |bounds: &str| format!("abs lu\nbounds 0 {bounds}\nnodes 1\nnode 0 0 - 0");
    let below = core(model, "E<> x <= 5 and x > 7");
    set(&below, &body("1:7:5"));
    no_set(&below, &body("1:9:4"), "the formula can hold");
    no_set(&below, &body("1:6:9"), "the formula can hold");
    let above = core(model, "E<> x <= 5 and x < 3").replace("- ; 5\n", "- ; 5\nformula-not\n");
    set(&above, &body("1:5:3"));
    no_set(&above, &body("1:4:9"), "the formula can hold");
    no_set(&above, &body("1:9:2"), "the formula can hold");
    let trivial = below.replace("1 0 ; - ; 5", "1 0 ; 1 0 ; -5");
    set(&trivial, &body("1:-:-"));
    set(&core(model, "E<> x < 0"), &body("1:-:0"));
    set(&core(model, "E<> x <= -1"), &body("1:-:-"));
    no_set(&core(model, "E<> x < 0"), &body("1:9:-"), "the formula can hold");
    no_set(&core(model, "E<> x <= 0 and x > 0"), &body("1:-:9"), "the formula can hold");
    no_set(&core(model, "E<> x <= 0 and x > 0"), &body("1:9:-"), "the formula can hold");
}

/// The constants of c are needed already in a, through b: constants must not grow along a
/// transition.
#[test]
fn constants_may_not_grow_along_transitions() {
    let model = "
        clock x;
        process P() {
            state a, b, c;
            init a;
            trans a -> b { guard x > 2; }, b -> c { guard x < 2; };
        }
        system P;";
    let core = core(model, "E<> P.c");
    let body = |start: &str| {
        format!(
            "abs lu\nbounds 0 {start}\nbounds 1 1:-:2\nnodes 2\nnode 0 0 - 0\nnode 1 1 - 1 0-1<-2"
        )
    };
    set(&core, &body("1:2:2"));
    no_set(&core, &body("1:2:1"), "no node covers");
    no_set(&core, &body("1:2:-"), "no node covers");
}

#[test]
fn constants_pass_through_copies_and_stop_at_resets() {
    let model = "
        clock x, y;
        process P() {
            state a, b, c;
            urgent b;
            init a;
            trans a -> b { assign x = y; }, b -> c { guard x > 3 && x < 3; };
        }
        system P;";
    let text = core(model, "E<> P.c");
    let body = |start: &str| {
        format!("abs lu\nbounds 0 {start}\nbounds 1 1:3:3\nnodes 2\nnode 0 0 - 0\nnode 1 1 - 1")
    };
    set(&text, &body("2:3:3"));
    no_set(&text, &body("1:3:3"), "no node covers");
    no_set(&text, &body("2:3:2"), "no node covers");
    let reset = core(&model.replace("x = y", "x = 2"), "E<> P.c");
    set(&reset, &body("1:-:-"));
}

/// On entering a state, the constants must respect that an urgent guard does not hold yet.
#[test]
fn urgent_guards_are_respected_by_constants_also_where_they_fail() {
    let model = "
        clock x;
        urgent chan u;
        process S() { state a, b, c; init a; trans a -> b { guard x >= 3; sync u!; }; }
        process R() { state r, s, t; init r; trans r -> s { }, s -> t { sync u?; }; }
        system S, R;";
    let core = core(model, "E<> S.c");
    let body = |bounds: &str| {
        format!(
            "abs lu\nbounds 0 {bounds}\nnodes 3
             node 0 0,0 - 0\nnode 1 0,1 - 0\nnode 2 1,2 - 0 0-1<=-3"
        )
    };
    set(&core, &body("1:3:3"));
    no_set(&core, &body("1:3:-"), "node 0, transition R.0: the constants");
    no_set(&core, &body("1:3:2"), "node 0, transition R.0: the constants");
}
