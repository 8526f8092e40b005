//! Certificates of the kind `mincost` with rates that differ between locations.

use crate::{accepted, answer, core_of_cost, rejected, undecided};
use zonaut_certify::{Claim, Refusal};

/// Waiting is dear in L and cheap in M; the way costs 6.
const MODEL: &str = "
    clock x, y;
    process P() {
        state L { x <= 2 && cost' == 3 }, M { y <= 5 && cost' == 1 }, R;
        init L;
        trans
            L -> M { assign cost += 6; },
            M -> L { assign x = 0; },
            L -> R { guard y > 6; };
    }
    system P;";

/// Runs that wait until nearly 5 in M, and until a little more than 6 in L.
const RUN: &str = "denom 1
    delay 0 2
    act 0.0
    delay 5 -2
    act 0.1
    delay 1 1
    act 0.2
    goal";

/// Clock 3 measures the delay after a transition.
const SET: &str = "abs incl
    nodes 3
    node 0 0 - 1-2<=0 2-1<=0 1-0<=2
    node 1 1 - 2-0<=5
    node 2 0 - 1-0<=2 1-2<=0 2-0<=6 2-1<=5
    cost 0 0 attained 1:3
    cost 1 6 attained 2:1
    cost 2 6 attained 1:2 2:1
    start
    by 0 -
    take 0 0.0
    by 1 2-1:1,3-1:2
    take 1 0.1
    by 2 - 2-0<=6
    by - 0-2:1,0-3:2 0-2<-6
    take 2 0.0
    by 1 3-1:2";

fn core(guard: &str) -> String {
    core_of_cost(&MODEL.replace("y > 6", guard), "E<> P.R", "sum")
}

fn body(cost: &str, run: &str, set: &str) -> String {
    format!("cost {cost}\n{run}\n{set}")
}

/// Checks that the set is rejected after one text in it is replaced.
#[track_caller]
fn changed(from: &str, to: &str, reason: &str) {
    assert!(SET.contains(from), "{from}");
    let set = SET.replacen(from, to, 1);
    rejected(&core("y > 6"), "mincost", &body("14 approached", RUN, &set), reason);
}

#[track_caller]
fn malformed(from: &str, to: &str) {
    assert!(SET.contains(from), "{from}");
    let set = SET.replacen(from, to, 1);
    let given = answer(&core("y > 6"), "mincost", &body("14 approached", RUN, &set));
    assert!(matches!(given, Err(Refusal::Malformed { .. })), "{given:?}");
}

#[test]
fn priced_zones_with_flows_prove_an_infimum() {
    let given = answer(&core("y > 6"), "mincost", &body("14 approached", RUN, SET));
    let given = given.expect("accepted");
    assert_eq!(given.claim, Claim::CostInfimum(14));
    let text = "accepted: the infimum of costs is 14, not attained (measure sum, 3 nodes)";
    assert_eq!(given.to_string(), text);
}

#[test]
fn an_attained_cost_is_not_an_infimum_only() {
    let whole = "denom 1\nact 0.0\ndelay 5\nact 0.1\ndelay 1\nact 0.2\ngoal";
    // Where y is 6, the goal is reached from node 2.
    let set = format!("{SET}\ntake 2 0.2\nby - 3-1:2,3-2:1");
    let core_of_closed = core("y >= 6");
    accepted(&core_of_closed, "mincost", &body("14 attained", whole, &set));
    let uncovered = "no node covers where it leads, at its cost";
    rejected(&core_of_closed, "mincost", &body("14 attained", whole, SET), uncovered);
    rejected(&core_of_closed, "mincost", &body("14 approached", RUN, &set), uncovered);
    rejected(&core("y > 6"), "mincost", &body("14 attained", whole, SET), "no such transition");
    rejected(&core("y > 6"), "mincost", &body("13 approached", RUN, SET), "does not cost that");
    let late = RUN.replace("delay 1 1", "delay 2 -1");
    rejected(&core("y > 6"), "mincost", &body("14 approached", &late, SET), "does not cost that");
    rejected(&core("y > 6"), "mincost", &body("17 approached", &late, SET), "no node covers");
}

#[test]
fn a_flow_that_proves_nothing_is_rejected() {
    let uncovered = "no node covers where it leads, at its cost";
    // Not balanced.
    changed("2-1:1,3-1:2", "2-1:1,3-1:1", uncovered);
    changed("2-1:1,3-1:2", "2-1:1", uncovered);
    changed("by 1 2-1:1,3-1:2", "by 1 -", uncovered);
    // Balanced, and too weak.
    changed("2-1:1,3-1:2", "2-0:1,0-1:1,3-1:2", uncovered);
    // Over a bound that does not exist.
    changed("by - 0-2:1,0-3:2", "by - 0-2:1,0-3:3,3-0:1", uncovered);
}

#[test]
fn costs_that_are_too_high_are_rejected() {
    let uncovered = "no node covers where it leads, at its cost";
    changed("cost 0 0 attained 1:3", "cost 0 1 attained 1:3", uncovered);
    changed("cost 0 0 attained 1:3", "cost 0 0 above 1:3", uncovered);
    changed("cost 1 6 attained 2:1", "cost 1 7 attained 2:1", uncovered);
    changed("cost 1 6 attained 2:1", "cost 1 6 attained 2:2", uncovered);
    changed("cost 2 6 attained 1:2 2:1", "cost 2 6 attained 1:3 2:1", uncovered);
    changed("cost 2 6 attained 1:2 2:1", "cost 2 6 attained 2:2", uncovered);
}

#[test]
fn parts_without_a_cover_are_rejected() {
    let uncovered = "no node covers where it leads, at its cost";
    changed("start\n    by 0 -\n", "start\n", uncovered);
    changed("start\n    by 0 -\n", "", uncovered);
    changed("    take 0 0.0\n    by 1 2-1:1,3-1:2\n", "", uncovered);
    changed("by 2 - 2-0<=6", "by 2 - 2-0<6", uncovered);
    changed("by 2 - 2-0<=6", "by 2 -", uncovered);
    changed("by 2 - 2-0<=6", "by 1 - 2-0<=6", uncovered);
    changed("by 2 - 2-0<=6", "by - - 2-0<=6", uncovered);
    // A transition of another node, or of another edge.
    changed("take 1 0.1", "take 1 0.0", uncovered);
    changed("take 2 0.0", "take 1 0.0", uncovered);
    // The node is smaller than the part.
    changed("node 2 0 - 1-0<=2 1-2<=0 2-0<=6", "node 2 0 - 1-0<=2 1-2<=0 2-0<=5", uncovered);
}

#[test]
fn the_goal_may_not_cost_less() {
    // The goal is now where waiting is cheap.
    let core = core_of_cost(MODEL, "E<> P.L && y >= 6", "sum");
    let run = "denom 1\nact 0.0\ndelay 5\nact 0.1\ndelay 1\ngoal";
    let with_goal = |goal: &str| body("14 attained", run, &format!("{SET}\n{goal}"));
    accepted(&core, "mincost", &with_goal("goal 2\nby - 2-1:2,0-2:3"));
    let reason = "the formula can hold at a lower cost";
    rejected(&core, "mincost", &with_goal("goal 2\nby - 0-1:2"), reason);
    rejected(&core, "mincost", &with_goal("goal 2\nby 2 2-1:2,0-2:3"), reason);
    rejected(&core, "mincost", &with_goal("goal 1\nby - 2-1:2,0-2:3"), reason);
    rejected(&core, "mincost", &with_goal(""), reason);
}

#[test]
fn lines_about_priced_zones_have_a_form() {
    malformed("cost 1 6 attained 2:1", "cost 2 6 attained 2:1");
    malformed("cost 1 6 attained 2:1", "cost 1 6 perhaps 2:1");
    malformed("cost 1 6 attained 2:1", "cost 1 6 attained 3:1");
    malformed("cost 1 6 attained 2:1", "cost 1 6 attained 2:1 1:1");
    malformed("    cost 2 6 attained 1:2 2:1\n", "");
    malformed("start", "by 0 -\n    start");
    malformed("take 2 0.0", "take 0 0.0");
    malformed("take 2 0.0", "take 3 0.0");
    malformed("by 1 2-1:1,3-1:2", "by 1 2-1:1,3-1:-2");
    malformed("by 1 2-1:1,3-1:2", "by 1 2-1:1,3-3:2");
    malformed("by 1 2-1:1,3-1:2", "by 1 2-1:1,4-1:2");
    malformed("by 2 - 2-0<=6", "by 2 - 4-0<=6");
    malformed("abs incl", "abs lu\n    bounds 0");
}

#[test]
fn numbers_that_are_too_large_prove_nothing() {
    let uncovered = "no node covers where it leads, at its cost";
    let huge = i64::MAX;
    changed("by 1 2-1:1,3-1:2", &format!("by 1 2-1:{huge},3-1:{huge}"), uncovered);
    changed("cost 0 0 attained 1:3", &format!("cost 0 {huge} attained 1:{huge}"), uncovered);
    let dear = MODEL.replace("cost' == 3", "cost' == 2147483647");
    let core = core_of_cost(&dear, "E<> P.R", "sum");
    rejected(&core, "mincost", &body("14 approached", RUN, SET), "does not cost that");
    let computed = MODEL.replace("clock x, y;", "clock x, y; int v;").replace("== 3", "== v");
    let core = core_of_cost(&computed, "E<> P.R", "sum");
    undecided(&core, "mincost", &body("14 approached", RUN, SET), "computed");
}
