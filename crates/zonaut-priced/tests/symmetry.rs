//! Searches with and without symmetry reduction have the same least costs.

mod symmetric_models;

use symmetric_models::{Compared, Written, compare, compare_seeds};
use zonaut_families::{Aircraft, AircraftLanding};

#[test]
fn symmetry_changes_no_least_cost_and_paths_have_runs_of_it() {
    let all = compare_seeds(0..200).unwrap_or_else(|problem| panic!("{problem}"));
    let reachable = all.iter().filter(|compared| compared.is_reachable).count();
    let states = |of: fn(&Compared) -> usize| all.iter().map(of).sum::<usize>();
    let (with, without) = (states(|one| one.reduced), states(|one| one.plain));
    assert!(all.len() > 100 && reachable > 30, "{} ended, {reachable} reachable", all.len());
    assert!(10 * with < 9 * without, "{with} states with symmetry, {without} without");
}

#[test]
fn runways_are_interchangeable() {
    let aircraft = |target| Aircraft {
        earliest: target - 3,
        target,
        latest: target + 9,
        early_penalty: 2,
        late_penalty: 3,
        separation: vec![4; 4],
    };
    let explored = [2, 3].map(|runways| {
        let aircraft = (0..4).map(|index| aircraft(5 + index / 2)).collect();
        let text = AircraftLanding { aircraft, runways, scale: 1 }.generate();
        let [query] = text.queries.try_into().expect("one query");
        let written = Written { model: text.model, query };
        let compared =
            compare(&written, 20_000).expect("the same least cost").expect("symmetric, and ended");
        assert!(compared.is_reachable);
        (compared.reduced, compared.plain)
    });
    for (with, without) in explored {
        assert!(3 * with < 2 * without, "{explored:?}");
    }
}
