//! Certificates of models with stopwatches.

use crate::{accepted, core, no_set, rejected, set};

/// `x` is stopped in `a`, and `y` runs.
const STOPPED: &str = "
    clock x, y;
    process P() {
        state a { x' == 0 && y <= 5 }, b, c;
        init a;
        trans a -> b { guard y >= 3; },
              b -> c { guard x >= 2; };
    }
    system P;";

#[test]
fn runs_count_the_time_while_a_clock_runs() {
    let core = core(STOPPED, "E<> P.c and y == 5");
    accepted(&core, "reach", "denom 1\ndelay 3\nact 0.0\ndelay 2\nact 0.1\ngoal");
    let early = "denom 2\ndelay 6\nact 0.0\ndelay 3\nact 0.1\ngoal";
    rejected(&core, "reach", early, "there is no such transition");
    let late = "denom 1\ndelay 6\nact 0.0\ndelay 2\nact 0.1\ngoal";
    rejected(&core, "reach", late, "the delay violates an invariant");
}

#[test]
fn sets_keep_the_values_of_stopped_clocks() {
    let text = core(STOPPED, "E<> P.a and x > 0");
    let rest = "\nnode 1 1 -\nnode 2 2 -";
    set(&text, &format!("abs incl\nnodes 3\nnode 0 0 - 1-0<=0 2-0<=5{rest}"));
    let small = format!("abs incl\nnodes 3\nnode 0 0 - 1-0<=0 2-0<=4{rest}");
    no_set(&text, &small, "no node covers");
    let moves = core(&STOPPED.replace("x' == 0", "x' == 1"), "E<> P.a and x > 0");
    no_set(&moves, &format!("abs incl\nnodes 3\nnode 0 0 - 1-0<=0 2-0<=5{rest}"), "no node covers");
}

#[test]
fn a_clock_is_stopped_if_any_location_stops_it() {
    let model = "
        clock x;
        bool go;
        process P() { state a { x' == (go ? 1 : 0) }; init a; trans a -> a { assign go = true; }; }
        process Q() { state a { x' == 1 }, b { x' == 0 }; init a; trans a -> b { }; }
        system P, Q;";
    let core = core(model, "E<> x == 1");
    accepted(&core, "reach", "denom 1\nact 0.0\ndelay 1\ngoal");
    rejected(&core, "reach", "denom 1\ndelay 1\ngoal", "the formula does not hold");
    let stopped = "denom 1\nact 0.0\nact 1.0\ndelay 1\ngoal";
    rejected(&core, "reach", stopped, "the formula does not hold");
}

#[test]
fn a_rate_that_is_neither_0_nor_1_fails() {
    let model = "
        clock x;
        int[0,3] v;
        process P() { state a { x' == v }; init a; trans a -> a { assign v = 2; }; }
        system P;";
    let core = core(model, "E<> x == 1");
    accepted(&core, "reach", "denom 1\nfails");
    rejected(&core, "reach", "denom 1\nact 0.0\ngoal", "fails at run time");
    no_set(&core, "abs incl\nnodes 2\nnode 0 0 - 1-0<=0\nnode 1 0 0=2 1-0<=0", "fails at run time");
}
