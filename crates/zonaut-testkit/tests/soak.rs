//! A short soak: random models in many configurations against the oracles.

use std::ops::Range;
use zonaut_testkit::differential::{Tally, examine};

fn check(seeds: Range<u64>) {
    let models = seeds.end - seeds.start;
    let mut tally = Tally::default();
    for seed in seeds {
        if let Err(failure) = examine(seed, &mut tally) {
            unreachable!("{failure}");
        }
    }
    assert_eq!(tally.models, models);
    assert!(tally.undecided * 50 < models && tally.answers > 6 * models, "{tally:?}");
}

#[test]
fn the_engine_agrees_with_the_oracles_on_random_models() {
    check(0..750);
}

#[test]
fn the_engine_agrees_with_the_oracles_on_other_random_models() {
    check(750..1500);
}
