//! Least costs: a run, and what is reached for less.

use crate::{accepted, answer, core, rejected, undecided};
use zonaut_certify::{Claim, Refusal};

/// One unit of time costs two, the edge four.
const ROAD: &str = "
    clock x;
    process P() {
        state a { cost' == 2 }, b { cost' == 2 };
        init a;
        trans a -> b { guard x >= 3; assign cost += 4; };
    }
    system P;";

const RUN: &str = "denom 1\ndelay 3\nact 0.0\ngoal";

/// At the start, and before the edge, the cost is at least the time, doubled as the clock is.
const SET: &str = "abs incl\nnodes 1\nnode 0 0 - 1-2<=0";

fn body(cost: &str, run: &str, set: &str) -> String {
    format!("rates sum\ncost {cost}\n{run}\n{set}")
}

#[test]
fn a_run_of_the_least_cost_and_all_that_is_cheaper_are_accepted() {
    let core = core(ROAD, "E<> P.b");
    let given = answer(&core, "mincost", &body("10 attained", RUN, SET)).expect("accepted");
    assert_eq!(given.claim, Claim::LeastCost(10));
    assert_eq!(given.to_string(), "accepted: the least cost is 10 (1 nodes)");
    // A later run costs more.
    let later = RUN.replace("delay 3", "delay 4");
    accepted(&core, "mincost", &body("10 attained", RUN, &format!("{SET}\nhint 0 0")));
    rejected(&core, "mincost", &body("10 attained", &later, SET), "the run does not cost that");
    // It is true that some run costs that, and not that none costs less.
    rejected(&core, "mincost", &body("12 attained", &later, SET), "no node covers");
    let cheap = "abs incl\nnodes 2\nnode 0 0 - 1-2<=0\nnode 1 1 -";
    rejected(&core, "mincost", &body("12 attained", &later, cheap), "the formula can hold");
}

#[test]
fn a_set_that_forgets_what_was_paid_is_rejected() {
    let core = core(ROAD, "E<> P.b");
    let forgotten = "abs incl\nnodes 1\nnode 0 0 - 1-2<=-1";
    rejected(&core, "mincost", &body("10 attained", RUN, forgotten), "no node covers");
    let nothing = "abs incl\nnodes 0";
    rejected(&core, "mincost", &body("10 attained", RUN, nothing), "no node covers");
}

#[test]
fn constants_that_do_not_look_at_the_cost_are_rejected() {
    let core = core(ROAD, "E<> P.b");
    let with = |bounds: &str| format!("abs lu\nbounds 0 {bounds}\nnodes 1\nnode 0 0 - 0 1-2<=0");
    accepted(&core, "mincost", &body("10 attained", RUN, &with("1:6:- 2:-:10")));
    let blind = with("1:6:- 2:-:9");
    rejected(&core, "mincost", &body("10 attained", RUN, &blind), "no node covers");
    let coarse = with("1:5:- 2:-:10");
    rejected(&core, "mincost", &body("10 attained", RUN, &coarse), "no node covers");
}

#[test]
fn what_is_approached_is_no_least_cost() {
    let core = core(&ROAD.replace("x >= 3", "x > 3"), "E<> P.b");
    let grains = "denom 1\ndelay 3 1\nact 0.0\ngoal";
    let given = answer(&core, "mincost", &body("10 approached", grains, SET)).expect("accepted");
    assert_eq!(given.claim, Claim::CostInfimum(10));
    let none = grains.replace("3 1", "3 0");
    rejected(&core, "mincost", &body("10 approached", &none, SET), "there is no such transition");
    rejected(&core, "mincost", &body("10 attained", RUN, SET), "there is no such transition");
    // A whole unit is not a matter of grains.
    let whole = grains.replace("3 1", "4 -1");
    rejected(&core, "mincost", &body("10 approached", &whole, SET), "does not cost that");
    let many = grains.replace("3 1", "2 2147483647").replace("act", "delay 0 2147483647\nact");
    let repeated =
        many.replace("delay 0", &"delay 0 2147483647\n".repeat(40)).replace("\n 2147483647", "");
    let given = answer(&core, "mincost", &body("10 approached", &repeated, SET));
    assert!(matches!(given, Err(Refusal::Malformed { .. })), "{given:?}");
    // With a closed bound the same cost is attained, so it is not only approached.
    let closed = crate::core(ROAD, "E<> P.b");
    let both = "abs incl\nnodes 2\nnode 0 0 - 1-2<=0\nnode 1 1 - 0-2<=-10";
    rejected(&closed, "mincost", &body("10 approached", grains, both), "the formula can hold");
}

#[test]
fn where_time_is_free_only_prices_count() {
    let free = ROAD.replace(" { cost' == 2 }", "");
    let core = core(&free, "E<> P.b");
    accepted(&core, "mincost", &body("4 attained", RUN, "abs incl\nnodes 1\nnode 0 0 -"));
    let time = "rates time\ncost 3 attained\n".to_owned() + RUN;
    accepted(&core, "mincost", &format!("{time}\n{SET}"));
    rejected(&core, "mincost", &body("3 attained", RUN, SET), "does not cost that");
}

#[test]
fn rates_are_combined_as_the_certificate_says() {
    let two = "clock x; process P(const int r) { state a { cost' == r }, b { cost' == r }; init a; \
        trans a -> b { guard x >= 3; }; } A = P(2); B = P(5); system A, B;";
    let core = core(two, "E<> A.b");
    for (rates, rate) in [("sum", 7), ("least", 2), ("greatest", 5), ("time", 1)] {
        let set = "abs incl\nnodes 2\nnode 0 0,0 - 1-2<=0\nnode 1 0,1 - 1-2<=0";
        let cost = 3 * rate;
        let body = format!("rates {rates}\ncost {cost} attained\n{RUN}\n{set}");
        accepted(&core, "mincost", &body);
        let dear = body.replace(&format!("cost {cost}"), &format!("cost {}", cost + 1));
        rejected(&core, "mincost", &dear, "does not cost that");
    }
}

#[test]
fn costs_that_are_not_uniform_stay_undecided() {
    let different = ROAD.replace("b { cost' == 2 }", "b { cost' == 1 }");
    undecided(&core(&different, "E<> P.b"), "mincost", &body("10 attained", RUN, SET), "changes");
    let computed = ROAD.replace("clock x;", "clock x; int v;").replace("== 2", "== v");
    undecided(&core(&computed, "E<> P.b"), "mincost", &body("10 attained", RUN, SET), "computed");
    let all = core(ROAD, "A[] P.b");
    undecided(&all, "mincost", &body("10 attained", RUN, SET), "costs are measured");
}
