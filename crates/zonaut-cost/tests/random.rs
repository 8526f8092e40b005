//! Random priced models: every order finds the cost that the oracle confirms.

use zonaut_base::Meter;
use zonaut_cost::{Combination, Costing, Ending, Estimates, Nothing, Optimisation, Order, Zones};
use zonaut_model::{Expression, Formula, LocationKind, Model, QueryKind};
use zonaut_testkit::generate::generate;
use zonaut_testkit::oracle::Limits;
use zonaut_testkit::oracle::priced::{Claim, is_true};
use zonaut_testkit::random::Random;

/// What the time of a model costs: nothing, one, or whatever a model without costs says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pricing {
    Time,
    Prices,
    Both,
}

/// Adds random prices, and a rate.
fn price(model: &mut Model, pricing: Pricing, random: &mut Random) {
    if pricing == Pricing::Time {
        return;
    }
    let Model { processes, expressions, .. } = model;
    for (position, process) in processes.iter_mut().enumerate() {
        for edge in process.edges.iter_mut() {
            if random.chance(40) {
                continue;
            }
            let price = expressions.push(Expression::Constant(random.between(0, 4)));
            edge.updates.push(expressions.push(Expression::AddCost(price)));
        }
        let ordinary = process.locations.iter_mut().filter(|l| l.kind == LocationKind::Ordinary);
        for location in ordinary.filter(|_| pricing == Pricing::Both && position == 0) {
            location.cost_rate = Some(expressions.push(Expression::Constant(1)));
        }
    }
}

fn optimise(model: &Model, goal: &Formula, costing: Costing, order: Order) -> Optimisation {
    let zones = Zones::new(model, goal, costing, &Meter::default()).expect("few actions");
    zones.optimise(order, Nothing, &mut ()).expect("small constants")
}

/// What an optimisation claims, unless the model fails.
fn claim(found: &Optimisation) -> Option<Claim> {
    match (&found.ending, &found.best) {
        (Ending::Unreachable, None) => Some(Claim::Unreachable),
        (Ending::Optimal, Some(best)) => {
            assert_eq!(found.lower_bound, best.cost);
            let value = i32::try_from(best.cost.value()).expect("a small cost");
            let is_attained = best.cost.is_attained();
            Some(if is_attained { Claim::Least(value) } else { Claim::Infimum(value) })
        }
        (Ending::Failed { .. }, _) => None,
        other => unreachable!("no limit was set: {other:?}"),
    }
}

/// With what can be proven of the model, the same is found, and nothing on a cheapest way is believed
/// to cost more than that.
fn check_estimates(asked: (&Model, &Formula), costing: Costing, order: Order, claimed: Claim) {
    let zones = Zones::labelled(asked.0, asked.1, costing, &Meter::default()).expect("few actions");
    let found = zones.optimise_with(asked, order, Estimates::ALL, &mut ()).expect("small");
    let Some(other) = claim(&found) else { return };
    assert_eq!(other, claimed, "{order:?} with estimates");
    if let Some(best) = &found.best {
        let totals = zones.totals_along(asked, Estimates::ALL, &best.steps).expect("small");
        assert_eq!(totals.len(), best.steps.len() + 1);
        for total in totals {
            assert!(total.is_some_and(|total| total <= best.cost), "{total:?} is too much");
        }
    }
}

/// Compares all orders with the oracle; whether it could say anything.
fn check(seed: u64, limits: Limits) -> bool {
    let mut random = Random::new(seed ^ 0xc057);
    let mut model = generate(seed).to_model();
    let pricing = random.choose(&[Pricing::Time, Pricing::Prices, Pricing::Both]);
    price(&mut model, pricing, &mut random);
    let Some(query) = model.queries.iter().map(|query| query.kind.clone()).next() else {
        return false;
    };
    let (QueryKind::Possibly(goal) | QueryKind::Always(goal)) = &query else { return false };
    if goal.mentions_deadlock() || model.has_priorities() {
        return false;
    }
    let Ok(costing) = Costing::of(&model, Combination::Sum) else { return false };
    let first = optimise(&model, goal, costing, Order::LeastCost);
    let Some(claimed) = claim(&first) else { return false };
    for order in Order::ALL {
        let found = optimise(&model, goal, costing, order);
        if let Some(other) = claim(&found) {
            assert_eq!(other, claimed, "seed {seed}, {order:?}");
        }
        check_estimates((&model, goal), costing, order, claimed);
    }
    let query = QueryKind::Possibly(goal.clone());
    let judged = is_true(&model, &query, costing.rate.min(1), claimed, limits);
    assert_ne!(judged, Some(false), "seed {seed}, {pricing:?}: {claimed:?}");
    judged.is_some()
}

#[test]
fn orders_and_oracle_agree_on_random_priced_models() {
    let limits = Limits { states: 6_000, ..Limits::default() };
    let decided = (0..250).filter(|&seed| check(seed, limits)).count();
    assert!(decided > 100, "{decided} models were judged");
}
