//! Fault injection: every disabled clause is detected.

#[path = "../databases/check.rs"]
mod check;
#[path = "../databases/clauses.rs"]
mod clauses;
#[path = "../databases/random_networks.rs"]
mod random_networks;

use zonaut_pdb::faults::{Clause, select};

/// Whether a violation is detected while `clause` is disabled.
fn is_caught(clause: Clause) -> bool {
    let small = clauses::CASES.iter().filter(|case| case.clause == clause);
    let mut small = small.map(|case| case.verdict().is_err());
    small.any(|is_wrong| is_wrong) || (0..100).any(|seed| random_networks::verdict(seed).is_err())
}

/// One test for all clauses, because a clause is disabled for the whole process.
#[test]
fn every_disabled_clause_is_detected() {
    for &clause in Clause::ALL {
        select(Some(clause));
        let is_caught = is_caught(clause);
        select(None);
        assert!(is_caught, "{clause:?}");
    }
}
