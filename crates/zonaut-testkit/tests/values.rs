//! Infima and suprema in random networks against the region oracle.

use zonaut_testkit::differential::Tally;
use zonaut_testkit::features::Feature;
use zonaut_testkit::values::examine;

#[test]
fn values_agree_with_the_region_oracle_on_random_models() {
    let mut tally = Tally::default();
    for seed in 0..500 {
        if let Err(failure) = examine(seed, &mut tally) {
            unreachable!("{failure}");
        }
    }
    assert!(tally.certified * 5 > tally.models * 2, "{tally:?}");
    assert!(tally.models == 500 && tally.undecided * 5 < tally.answers, "{tally:?}");
    let asked = |feature| tally.features.of(feature);
    let least = [Feature::Priorities, Feature::LargeConstants, Feature::Reread].map(asked);
    assert!(least.iter().all(|&count| count > 30), "{tally:?}");
}
