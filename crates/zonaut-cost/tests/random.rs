//! Random priced models and networks of tasks: whatever finds a least cost finds the same, the oracle
//! agrees, and the checker accepts the certificate.

use zonaut_testkit::costs::examine;
use zonaut_testkit::differential::Tally;

#[test]
fn orders_estimates_points_oracle_and_checker_agree_on_random_priced_models() {
    let mut tally = Tally::default();
    for seed in 0..120 {
        if let Err(failure) = examine(seed, &mut tally) {
            panic!("{failure}");
        }
    }
    let Tally { models, reachable, undecided, certified, .. } = tally;
    assert!(models > 100 && reachable > 60 && undecided < models / 4, "{tally:?}");
    assert!(certified > 100, "{tally:?}");
}
