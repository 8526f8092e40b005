//! Random aircraft landing problems, and how many states their estimates leave.

mod landing_problems;

use landing_problems::is_exact;
use zonaut_base::{Id, Meter};
use zonaut_cost::{Combination, CostOrder, Estimates, Infimum, LocationRates};
use zonaut_families::{Aircraft, AircraftLanding};
use zonaut_model::{QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_priced::PricedSearch;

#[test]
fn least_penalties_agree_with_enumeration() {
    for seed in 0..300 {
        assert!(is_exact(seed), "seed {seed}");
    }
}

#[test]
fn separations_prune_states() {
    let aircraft = |target| Aircraft {
        earliest: target - 10,
        target,
        latest: target + 100,
        early_penalty: 1,
        late_penalty: 1,
        separation: vec![5; 7],
    };
    let problem = AircraftLanding {
        aircraft: (0..7).map(|index| aircraft(20 + index)).collect(),
        runways: 1,
        scale: 1,
    };
    let text = problem.generate();
    let (model, _) = model_of(&text.model, &[&text.queries[0]]).expect("a correct model");
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    let rates = LocationRates::of(&model, Combination::Sum).expect("constant rates");
    let search = PricedSearch::new(&model, goal, rates, &Meter::default()).expect("small");
    let explored = |estimates| {
        let found = search.optimise(CostOrder::LeastTotal, estimates, &mut ()).expect("small");
        assert_eq!(found.best.map(|best| best.cost), Some(Infimum::attained(50)));
        found.statistics.explored
    };
    let (with, without) = (explored(Estimates::ALL), explored(Estimates::NONE));
    assert!(4 * with < 3 * without, "{with} and {without}");
}
