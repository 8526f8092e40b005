//! Databases never say more than the truth.

mod check;
mod clauses;
mod partial;
mod random_networks;
mod saved;
mod selectors;
mod texts;

#[test]
fn no_clause_is_missing() {
    for case in &clauses::CASES {
        assert_eq!(case.verdict(), Ok(()), "{:?}", case.clause);
    }
}

#[test]
fn values_are_never_above_the_distance() {
    for seed in 0..400 {
        assert_eq!(random_networks::verdict(seed), Ok(()));
    }
}
