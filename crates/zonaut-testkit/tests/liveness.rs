//! Maximal runs of random networks against the region graph.

use std::ops::Range;
use zonaut_testkit::differential::Tally;
use zonaut_testkit::liveness::examine;

fn check(seeds: Range<u64>) {
    let models = seeds.end - seeds.start;
    let mut tally = Tally::default();
    for seed in seeds {
        if let Err(failure) = examine(seed, &mut tally) {
            unreachable!("{failure}");
        }
    }
    assert!(tally.models == models && tally.undecided * 10 < tally.answers, "{tally:?}");
    assert!(tally.certified * 10 > tally.answers * 9, "{tally:?}");
}

#[test]
fn the_search_agrees_with_the_regions_on_random_models() {
    check(0..700);
}

#[test]
fn the_search_agrees_with_the_regions_on_other_random_models() {
    check(700..1400);
}
