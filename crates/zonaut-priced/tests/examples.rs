//! Least costs of small models with different rates.

mod least_cost;

use least_cost::{BETWEEN, CYCLES, TWO_RATES, least_cost};
use zonaut_cost::{CostOrder, Infimum};

/// Checks the least cost of a model by all orders.
fn check(text: &str, query: &str, expected: Option<Infimum>) {
    for order in CostOrder::ALL {
        assert_eq!(least_cost(text, query, order), expected, "{order:?}");
    }
}

#[test]
fn time_is_spent_where_it_is_cheap() {
    check(TWO_RATES, "E<> P.R", Some(Infimum::approached(14)));
    check(&TWO_RATES.replace("y > 6", "y >= 6"), "E<> P.R", Some(Infimum::attained(14)));
    check(&TWO_RATES.replace("y > 6", "y >= 8"), "E<> P.R", None);
}

#[test]
fn clocks_without_bounds_do_not_prevent_an_end() {
    check(CYCLES, "E<> P.c", Some(Infimum::attained(0)));
    check(CYCLES, "E<> P.c && y > 5", Some(Infimum::attained(0)));
    check(CYCLES, "E<> P.c && y == 5 && x >= 1", Some(Infimum::attained(1)));
    check(CYCLES, "E<> P.c && P.a", None);
}

#[test]
fn separations_may_be_shorter_behind_another_process() {
    check(BETWEEN, "E<> C.done", Some(Infimum::attained(2 * 5)));
    check(BETWEEN, "E<> C.done && B.waiting", Some(Infimum::attained(10 * 5)));
}

/// A goal that is reached without waiting was called unreachable, because another edge of its process
/// had to wait.
#[test]
fn an_edge_that_waits_delays_no_other_one() {
    let text = "clock x, y; process P() {
        state a { cost' == 1 }, b;
        init a;
        trans a -> a { guard x == 1; assign x = 0; }, a -> b { guard y == 1 && x < 1; };
        } system P;";
    check(text, "E<> P.b", Some(Infimum::attained(1)));
    check(&text.replace("x < 1", "x <= 0"), "E<> P.b", Some(Infimum::attained(1)));
    check(&text.replace("y == 1 &&", "y == 2 &&"), "E<> P.b", Some(Infimum::attained(2)));
}

#[test]
fn rates_of_processes_are_added() {
    let text = "clock x; process P(const int r) {
        state a { cost' == r }, b;
        init a;
        trans a -> b { guard x >= r; };
        } A = P(2); B = P(3); system A, B;";
    check(text, "E<> A.b && B.b", Some(Infimum::attained(2 * 5 + 3)));
}

#[test]
fn labels_of_the_author_guide_the_search() {
    // The label is a lower bound, and no part of a state of the model.
    let text = "clock x; meta int remaining = 12; meta int heur; process P() {
        state a { cost' == 3 }, b { cost' == 2 }, c;
        init a;
        trans a -> b { guard x >= 2; assign x = 0, remaining = 6, heur = 1; },
              b -> c { guard x >= 3; assign remaining = 0; };
        } system P;";
    check(text, "E<> P.c", Some(Infimum::attained(12)));
}
