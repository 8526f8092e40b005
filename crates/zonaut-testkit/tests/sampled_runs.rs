//! Random runs are runs of the model.

use zonaut_testkit::differential::Tally;
use zonaut_testkit::sampled_runs::examine;

#[test]
fn sampled_runs_are_replayed_and_their_ends_are_reachable() {
    let mut tally = Tally::default();
    for seed in 0..400 {
        if let Err(failure) = examine(seed, &mut tally) {
            unreachable!("{failure}");
        }
    }
    eprintln!("{tally:?}");
    let Tally { answers, reachable, .. } = tally;
    assert!(answers > 1_200 && reachable > 1_000, "{tally:?}");
}
