//! Databases never overestimate the distance.

mod check;
mod clauses;
mod partial;
mod random_networks;
mod saved;
mod selectors;
mod texts;
mod tricky;

use random_networks::some_symbols;
use zonaut_testkit::random::Random;

#[test]
fn no_clause_is_missing() {
    for case in &clauses::CASES {
        assert_eq!(case.verdict(), Ok(()), "{:?}", case.clause);
    }
}

#[test]
fn no_data_flow_is_overlooked() {
    for (number, (text, queries)) in tricky::MODELS.iter().enumerate() {
        for query in *queries {
            let problem = check::Problem::of_text(text, query);
            let mut random = Random::new(number as u64);
            for of_three in [0, 1, 1, 1, 2, 2] {
                let dropped = some_symbols(&mut random, &problem.model, of_three);
                let verdict = problem.verdict(&dropped);
                assert_eq!(verdict, Ok(()), "model {number}, {query}, without {dropped:?}");
            }
        }
    }
}

#[test]
fn values_are_never_above_the_distance() {
    for seed in 0..400 {
        assert_eq!(random_networks::verdict(seed), Ok(()));
    }
}
