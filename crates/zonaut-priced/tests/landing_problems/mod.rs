//! Small aircraft landing problems, their least penalties by enumeration, and estimates along cheapest
//! paths.

use zonaut_base::{Id, Meter};
use zonaut_cost::{Combination, CostOrder, Estimates, Infimum, LocationRates, OptimizationOutcome};
use zonaut_families::{Aircraft, AircraftLanding};
use zonaut_model::{QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_oracle::random::Random;
use zonaut_priced::PricedSearch;

/// A problem with few aircraft and short windows.
pub(crate) fn problem(random: &mut Random) -> AircraftLanding {
    let count = random.between(2, 4) as usize;
    let mut time = |low, high| random.between(low, high) as u64;
    let aircraft = (0..count).map(|_| {
        let earliest = time(0, 3);
        let target = earliest + time(0, 2);
        Aircraft {
            earliest,
            target,
            latest: target + time(0, 5),
            early_penalty: time(0, 3),
            late_penalty: time(0, 3),
            separation: (0..count).map(|_| time(0, 4)).collect(),
        }
    });
    AircraftLanding { aircraft: aircraft.collect(), runways: time(1, 2), scale: 1 }
}

/// The least penalty over all runways and integer dates of the aircraft from the first of `landed` on.
pub(crate) fn least_penalty(
    problem: &AircraftLanding,
    landed: &mut Vec<(u64, u64)>,
) -> Option<u64> {
    let Some(own) = problem.aircraft.get(landed.len()) else { return Some(0) };
    let index = landed.len();
    let mut best = None;
    for runway in 0..problem.runways {
        for date in own.earliest..=own.latest {
            let is_separated = landed.iter().enumerate().all(|(other, &(there, then))| {
                // Aircraft that land at the same date may do so in either order.
                let after = then + problem.aircraft[other].separation[index] <= date;
                there != runway || after || date + own.separation[other] <= then
            });
            if !is_separated {
                continue;
            }
            let early = own.target.saturating_sub(date) * own.early_penalty;
            let late = date.saturating_sub(own.target) * own.late_penalty;
            landed.push((runway, date));
            let rest = least_penalty(problem, landed);
            landed.pop();
            let penalty = rest.map(|rest| early + late + rest);
            best = [best, penalty].into_iter().flatten().min();
        }
    }
    best
}

/// Checks the least cost of a problem with and without estimates, and the estimates along its path.
pub(crate) fn check(problem: &AircraftLanding) -> Option<Infimum> {
    let text = problem.generate();
    let (model, _) = model_of(&text.model, &[&text.queries[0]]).expect("a correct model");
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    let rates = LocationRates::of(&model, Combination::Sum).expect("constant rates");
    let search = PricedSearch::new(&model, goal, rates, &Meter::default()).expect("small");
    let of = |estimates| {
        let found = search.optimise(CostOrder::LeastTotal, estimates, &mut ()).expect("small");
        let is_ended =
            matches!(found.ending, OptimizationOutcome::Optimal | OptimizationOutcome::Unreachable);
        assert!(is_ended, "{:?}", found.ending);
        found
    };
    let (found, blind) = (of(Estimates::ALL), of(Estimates::NONE));
    let cost = found.best.as_ref().map(|best| best.cost);
    assert_eq!(cost, blind.best.map(|best| best.cost), "{}", text.model);
    if let Some(best) = &found.best {
        let totals = search.totals_along(&best.steps).expect("small");
        let is_admissible = |total: &Option<Infimum>| total.is_some_and(|total| total <= best.cost);
        assert!(totals.iter().all(is_admissible), "{totals:?}: {}", text.model);
    }
    cost
}

/// Whether the search agrees with enumeration on the random problem of a seed.
pub(crate) fn is_exact(seed: u64) -> bool {
    let problem = problem(&mut Random::new(seed));
    let expected = least_penalty(&problem, &mut Vec::new());
    check(&problem) == expected.map(|penalty| Infimum::attained(penalty as i64))
}
