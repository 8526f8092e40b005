//! Least and greatest values in random networks against all regions.

use zonaut_testkit::differential::Tally;
use zonaut_testkit::values::examine;

#[test]
fn the_values_are_those_of_the_regions_on_random_models() {
    let mut tally = Tally::default();
    for seed in 0..1500 {
        if let Err(failure) = examine(seed, &mut tally) {
            unreachable!("{failure}");
        }
    }
    assert!(tally.certified * 5 > tally.models * 2, "{tally:?}");
    assert!(tally.models == 1500 && tally.undecided * 2 < tally.answers, "{tally:?}");
}
