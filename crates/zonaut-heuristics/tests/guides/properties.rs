//! The laws of guides on every reachable state of random networks.

use crate::space::{FAR, Space};
use zonaut_base::Id;
use zonaut_heuristics::{GraphDistance, Guide, Maximum, Relaxation};
use zonaut_model::{Formula, Model, QueryId};
use zonaut_space::Estimate;
use zonaut_testkit::generate::{Stratum, generate_in};
use zonaut_testkit::replay::goal_of;

/// Seeds of each stratum.
const SEEDS: u64 = 60;

/// The estimate as a number; absent where the guide sees no way.
fn number(estimate: Estimate<u32>) -> Option<u32> {
    match estimate {
        Estimate::AtLeast(value) => Some(value),
        Estimate::DeadEnd | Estimate::Last => None,
    }
}

/// What is wrong with an admissible and consistent guide.
fn flaw_of_admissible(space: &Space, guide: &mut dyn Guide) -> Option<String> {
    let estimates: Vec<_> = space.values.iter().map(|values| guide.estimate(values)).collect();
    for (state, &estimate) in estimates.iter().enumerate() {
        let distance = space.distance[state];
        if number(estimate).map_or(distance != FAR, |value| value > distance) {
            return Some(format!("state {state}: {estimate:?}, but the distance is {distance}"));
        }
        for &next in &space.successors[state] {
            let least = number(estimates[next]).map(|after| after + 1);
            if let Some(least) = least
                && number(estimate).is_none_or(|value| value > least)
            {
                return Some(format!("{state} to {next}: {estimate:?}, then {}", least - 1));
            }
        }
    }
    flaw_of_dead_ends(space, &estimates)
}

/// Whether something that is called a dead end is none.
fn flaw_of_dead_ends(space: &Space, estimates: &[Estimate<u32>]) -> Option<String> {
    estimates.iter().enumerate().find_map(|(state, &estimate)| {
        let is_alive = space.distance[state] != FAR || space.may_fail[state];
        (estimate == Estimate::DeadEnd && is_alive).then(|| format!("{state} is no dead end"))
    })
}

/// Calls `check` with small networks of every kind, and counts them.
fn for_each_network(mut check: impl FnMut(&Model, &Formula, &Space) -> Option<String>) -> usize {
    let mut count = 0;
    for stratum in Stratum::ALL {
        for seed in 0..SEEDS {
            let specification = generate_in(stratum, seed);
            let model = specification.to_model();
            let Some(goal) = goal_of(&model.queries[QueryId::from_index(0)].kind) else { continue };
            let Some(space) = Space::new(&model, &goal) else { continue };
            count += 1;
            if let Some(flaw) = check(&model, &goal, &space) {
                panic!("{stratum:?} {seed}: {flaw}\n{}\n{}", specification.to_xta(), specification.query_text());
            }
        }
    }
    count
}

#[test]
fn hl_is_admissible_and_consistent_and_its_dead_ends_are_dead() {
    let count = for_each_network(|model, goal, space| {
        flaw_of_admissible(space, &mut Relaxation::new(model, goal).lower())
    });
    assert!(count > 200, "{count}");
}

#[test]
fn dl_is_admissible_and_consistent_and_its_dead_ends_are_dead() {
    for_each_network(|model, goal, space| {
        let relaxation = Relaxation::new(model, goal);
        let mut guide = GraphDistance::<Maximum>::new(model, goal, &relaxation);
        flaw_of_admissible(space, &mut guide)
    });
}

#[test]
fn hu_sees_a_way_where_hl_does_and_is_not_below_it() {
    for_each_network(|model, goal, space| {
        let relaxation = Relaxation::new(model, goal);
        let (mut lower, mut upper) = (relaxation.lower(), relaxation.upper());
        space.values.iter().find_map(|values| {
            let (low, high) = (lower.estimate(values), upper.estimate(values));
            let is_right = match (low, high) {
                (Estimate::AtLeast(low), Estimate::AtLeast(high)) => low <= high,
                _ => low == high,
            };
            (!is_right).then(|| format!("{values:?}: {low:?} {high:?}"))
        })
    });
}
