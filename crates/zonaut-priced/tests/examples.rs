//! Least costs of small models with different rates.

use zonaut_base::{Id, Meter};
use zonaut_cost::{Combination, CostOrder, Estimates, Infimum, LocationRates, OptimizationOutcome};
use zonaut_model::{QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_priced::PricedSearch;

/// The least cost of a model by all orders.
fn check(text: &str, query: &str, expected: Option<Infimum>) {
    let (model, _) = model_of(text, &[query]).expect("a correct model");
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    let rates = LocationRates::of(&model, Combination::Sum).expect("constant rates");
    let search = PricedSearch::new(&model, goal, rates, &Meter::default()).expect("small");
    for order in CostOrder::ALL {
        let found = search.optimise(order, Estimates::ALL, &mut ()).expect("small");
        let ending = match expected {
            Some(_) => OptimizationOutcome::Optimal,
            None => OptimizationOutcome::Unreachable,
        };
        assert_eq!(found.ending, ending, "{order:?}");
        assert_eq!(found.best.map(|best| best.cost), expected, "{order:?}");
    }
}

#[test]
fn time_is_spent_where_it_is_cheap() {
    // The first example of Behrmann et al. (TACAS 2001), after its description.
    let text = "clock x, y; process P() {
        state L { x <= 2 && cost' == 3 }, M { y <= 5 && cost' == 1 }, R;
        init L;
        trans L -> M { assign cost += 6; }, M -> L { assign x = 0; }, L -> R { guard y > 6; };
        } system P;";
    check(text, "E<> P.R", Some(Infimum::approached(14)));
    check(&text.replace("y > 6", "y >= 6"), "E<> P.R", Some(Infimum::attained(14)));
    check(&text.replace("y > 6", "y >= 8"), "E<> P.R", None);
}

#[test]
fn clocks_without_bounds_do_not_prevent_an_end() {
    // Each cycle costs something or nothing, and y grows for ever.
    let text = "clock x, y; process P() {
        state a { cost' == 2 }, b { x <= 1 }, c { cost' == 1 };
        init a;
        trans a -> b { assign x = 0; }, b -> a { guard x >= 1; },
              a -> c { guard y >= 3; assign x = 0; }, c -> c { guard x > 2; assign x = 0; };
        } system P;";
    check(text, "E<> P.c", Some(Infimum::attained(0)));
    check(text, "E<> P.c && y > 5", Some(Infimum::attained(0)));
    check(text, "E<> P.c && y == 5 && x >= 1", Some(Infimum::attained(1)));
    check(text, "E<> P.c && P.a", None);
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
