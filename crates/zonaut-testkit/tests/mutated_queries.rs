//! Queries with one character changed, inserted or deleted: each is refused or answered correctly.

use zonaut_testkit::differential::Tally;
use zonaut_testkit::mutated::examine;

#[cfg(not(feature = "faults"))]
#[test]
fn the_first_mutated_queries_are_errors_or_get_the_right_answer() {
    let mut tally = Tally::default();
    for seed in 0..1_500 {
        if let Err(failure) = examine(seed, &mut tally) {
            panic!("{failure}");
        }
    }
    assert_eq!(tally.models, 1_500);
    // Both outcomes are frequent.
    assert!(tally.answers > 200 && tally.refused > 300, "{tally:?}");
    assert!(tally.certified > 50 && tally.certified * 3 < tally.answers * 2, "{tally:?}");
    assert!(tally.undecided < tally.models / 50, "{tally:?}");
}

/// In a list, the first query is `E<> true`; in these models it fails at run time, so that the exit
/// code is 5 although the second one has an error.
#[cfg(not(feature = "faults"))]
#[test]
fn models_that_fail_in_their_initial_state_are_compared() {
    for seed in [60_041_101, 60_048_004] {
        if let Err(failure) = examine(seed, &mut Tally::default()) {
            panic!("{failure}");
        }
    }
}

/// `not deadlock or 1 / v0` was an error of the query.
#[cfg(not(feature = "faults"))]
#[test]
fn a_failing_condition_behind_a_disjunct_that_holds_is_not_evaluated() {
    if let Err(failure) = examine(60_049_414, &mut Tally::default()) {
        panic!("{failure}");
    }
}

/// Each fault of the parser is detected. They are injected one after the other, since the switch is
/// global to the process.
#[cfg(feature = "faults")]
#[test]
fn faults_in_the_parsing_of_queries_are_detected() {
    use zonaut_syntax::faults::{Fault, select};
    for &fault in Fault::ALL {
        select(Some(fault));
        let mut tally = Tally::default();
        let noticed = (0..1_500).find(|&seed| examine(seed, &mut tally).is_err());
        select(None);
        assert!(noticed.is_some(), "{fault:?} is not noticed");
        eprintln!("{fault:?}: noticed at seed {}", noticed.unwrap_or_default());
    }
}
