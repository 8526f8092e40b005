//! Certificates of the kind `mincost`.

use crate::{accepted, answer, certificate, core, core_of_cost, rejected, undecided};
use zonaut_certify::{Claim, Limits, Refusal, check, seal};

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

/// Initially, and before the edge, the cost is at least the elapsed time, doubled as the clock is.
const SET: &str = "abs incl\nnodes 1\nnode 0 0 - 1-2<=0";

fn body(cost: &str, run: &str, set: &str) -> String {
    format!("cost {cost}\n{run}\n{set}")
}

#[test]
fn a_run_of_least_cost_with_an_inductive_set_below_it_is_accepted() {
    let core = core_of_cost(ROAD, "E<> P.b", "sum");
    let given = answer(&core, "mincost", &body("10 attained", RUN, SET)).expect("accepted");
    assert_eq!(given.claim, Claim::LeastCost(10));
    assert_eq!(given.to_string(), "accepted: the least cost is 10 (measure sum, 1 nodes)");
    // A later run costs more.
    let later = RUN.replace("delay 3", "delay 4");
    accepted(&core, "mincost", &body("10 attained", RUN, &format!("{SET}\nhint 0 0")));
    rejected(&core, "mincost", &body("10 attained", &later, SET), "the run does not cost that");
    // Some run costs 12, but 12 is not the minimum.
    rejected(&core, "mincost", &body("12 attained", &later, SET), "no node covers");
    let cheap = "abs incl\nnodes 2\nnode 0 0 - 1-2<=0\nnode 1 1 -";
    rejected(&core, "mincost", &body("12 attained", &later, cheap), "the formula can hold");
}

#[test]
fn a_set_that_drops_the_paid_cost_is_rejected() {
    let core = core_of_cost(ROAD, "E<> P.b", "sum");
    let forgotten = "abs incl\nnodes 1\nnode 0 0 - 1-2<=-1";
    rejected(&core, "mincost", &body("10 attained", RUN, forgotten), "no node covers");
    let nothing = "abs incl\nnodes 0";
    rejected(&core, "mincost", &body("10 attained", RUN, nothing), "no node covers");
}

#[test]
fn constants_without_the_cost_clock_are_rejected() {
    let core = core_of_cost(ROAD, "E<> P.b", "sum");
    let with = |bounds: &str| format!("abs lu\nbounds 0 {bounds}\nnodes 1\nnode 0 0 - 0 1-2<=0");
    accepted(&core, "mincost", &body("10 attained", RUN, &with("1:6:- 2:-:10")));
    let blind = with("1:6:- 2:-:9");
    rejected(&core, "mincost", &body("10 attained", RUN, &blind), "no node covers");
    let coarse = with("1:5:- 2:-:10");
    rejected(&core, "mincost", &body("10 attained", RUN, &coarse), "no node covers");
}

#[test]
fn an_approached_cost_is_not_a_minimum() {
    let core = core_of_cost(&ROAD.replace("x >= 3", "x > 3"), "E<> P.b", "sum");
    let grains = "denom 1\ndelay 3 1\nact 0.0\ngoal";
    let given = answer(&core, "mincost", &body("10 approached", grains, SET)).expect("accepted");
    assert_eq!(given.claim, Claim::CostInfimum(10));
    let none = grains.replace("3 1", "3 0");
    rejected(&core, "mincost", &body("10 approached", &none, SET), "there is no such transition");
    rejected(&core, "mincost", &body("10 attained", RUN, SET), "there is no such transition");
    // A whole unit must not be written as grains.
    let whole = grains.replace("3 1", "4 -1");
    rejected(&core, "mincost", &body("10 approached", &whole, SET), "does not cost that");
    let many = grains.replace("3 1", "2 2147483647").replace("act", "delay 0 2147483647\nact");
    let repeated =
        many.replace("delay 0", &"delay 0 2147483647\n".repeat(40)).replace("\n 2147483647", "");
    let given = answer(&core, "mincost", &body("10 approached", &repeated, SET));
    assert!(matches!(given, Err(Refusal::Malformed { .. })), "{given:?}");
    // With a closed bound the cost is attained, so `approached` is false.
    let closed = core_of_cost(ROAD, "E<> P.b", "sum");
    let both = "abs incl\nnodes 2\nnode 0 0 - 1-2<=0\nnode 1 1 - 0-2<=-10";
    rejected(&closed, "mincost", &body("10 approached", grains, both), "the formula can hold");
}

#[test]
fn without_cost_rates_only_prices_count() {
    let free = ROAD.replace(" { cost' == 2 }", "");
    let core = core_of_cost(&free, "E<> P.b", "sum");
    accepted(&core, "mincost", &body("4 attained", RUN, "abs incl\nnodes 1\nnode 0 0 -"));
    let time = core_of_cost(&free, "E<> P.b", "time");
    accepted(&time, "mincost", &body("3 attained", RUN, SET));
    rejected(&core, "mincost", &body("3 attained", RUN, SET), "does not cost that");
}

#[test]
fn rates_are_combined_by_the_measure_of_the_query() {
    let two = "clock x; process P(const int r) { state a { cost' == r }, b { cost' == r }; init a; \
        trans a -> b { guard x >= 3; }; } A = P(2); B = P(5); system A, B;";
    for (measure, rate) in [("sum", 7), ("least", 2), ("greatest", 5), ("time", 1)] {
        let set = "abs incl\nnodes 2\nnode 0 0,0 - 1-2<=0\nnode 1 0,1 - 1-2<=0";
        let cost = 3 * rate;
        let core = core_of_cost(two, "E<> A.b", measure);
        let body = body(&format!("{cost} attained"), RUN, set);
        accepted(&core, "mincost", &body);
        let dear = body.replace(&format!("cost {cost}"), &format!("cost {}", cost + 1));
        rejected(&core, "mincost", &dear, "does not cost that");
    }
}

/// P73: a certificate that measured time was accepted for a query about costs, because it chose the
/// measure itself.
#[test]
fn a_certificate_cannot_choose_its_measure() {
    let core = core_of_cost(ROAD, "E<> P.b", "sum");
    let time = core_of_cost(ROAD, "E<> P.b", "time");
    let body = body("3 attained", RUN, SET);
    accepted(&time, "mincost", &body);
    rejected(&core, "mincost", &body, "does not cost that");
    let malformed = |core: &str, body: &str| {
        let given = answer(core, "mincost", body);
        assert!(matches!(given, Err(Refusal::Malformed { .. })), "{given:?}");
    };
    malformed(&core, &format!("rates time\n{body}"));
    // A core text without a cost query names no measure.
    malformed(&crate::core(ROAD, "E<> P.b"), &body);
    let given =
        check(&core, &certificate(&time, "mincost", &format!("{body}\n")), &Limits::default());
    assert!(matches!(given, Err(Refusal::WrongModel { .. })), "{given:?}");
    let old =
        certificate(&core, "mincost", &format!("{body}\n")).replacen("tacert 2", "tacert 1", 1);
    let old =
        old.rsplit_once("end ").map(|(lines, _)| seal(lines.to_owned())).expect("a last line");
    let given = check(&core, &old, &Limits::default());
    assert!(matches!(given, Err(Refusal::Malformed { .. })), "{given:?}");
    for (from, to) in [("measure sum", "measure joy"), ("measure sum\n", ""), ("core 2", "core 1")]
    {
        malformed(&core.replacen(from, to, 1), &body);
    }
}

#[test]
fn computed_rates_stay_undecided() {
    let undecided = |model: &str, why: &str| {
        let core = core_of_cost(model, "E<> P.b", "sum");
        undecided(&core, "mincost", &body("10 attained", RUN, SET), why);
    };
    let computed = ROAD.replace("clock x;", "clock x; int v;").replace("== 2", "== v");
    undecided(&computed, "computed");
    let always = core(ROAD, "A[] P.b");
    let given = answer(&always, "mincost", &body("10 attained", RUN, SET));
    assert!(matches!(given, Err(Refusal::Malformed { .. })), "{given:?}");
}
