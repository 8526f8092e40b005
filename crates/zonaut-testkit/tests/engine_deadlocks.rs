//! Queries with `deadlock`, answered by the engine, against the oracles.

use zonaut_testkit::differential::Tally;
use zonaut_testkit::engine_deadlocks::examine;

#[test]
fn deadlocks_with_local_bounds_agree_with_the_oracles() {
    let mut tally = Tally::default();
    for seed in 0..2_000 {
        if let Err(failure) = examine(seed, &mut tally) {
            unreachable!("{failure}");
        }
    }
    let Tally { answers, reachable, certified, .. } = tally;
    assert!(answers > 1_900 && reachable > 500 && certified > 800, "{tally:?}");
}

/// Several nodes cover a successor together, whose parts only their own faces separate: the checker
/// once rejected the certificate.
#[test]
fn a_successor_that_nodes_cover_in_parts_is_certified() {
    let mut tally = Tally::default();
    assert!(examine(1_003_390, &mut tally).is_ok());
    assert_eq!((tally.answers, tally.certified), (1, 1));
}
