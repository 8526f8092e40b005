//! A short soak: random models in many configurations against the oracles.

use std::ops::Range;
use zonaut_testkit::differential::{Failure, Tally, examine_auto, examine_lazy, examine_theme};
use zonaut_testkit::generate::Theme;
use zonaut_testkit::several_threads;

fn tally(
    seeds: Range<u64>,
    examine: impl Fn(u64, &mut Tally) -> Result<(), Box<Failure>>,
) -> Tally {
    let models = seeds.end - seeds.start;
    let mut tally = Tally::default();
    for seed in seeds {
        if let Err(failure) = examine(seed, &mut tally) {
            unreachable!("{failure}");
        }
    }
    assert_eq!(tally.models, models);
    assert!(tally.undecided * 50 < models, "{tally:?}");
    tally
}

fn check(seeds: Range<u64>) {
    let tally = tally(seeds, |seed, tally| examine_theme(Theme::Reachability, seed, tally));
    assert!(tally.answers > 6 * tally.models, "{tally:?}");
}

#[test]
fn the_engine_agrees_with_the_oracles_on_random_models() {
    check(0..750);
}

#[test]
fn the_engine_agrees_with_the_oracles_on_other_random_models() {
    check(750..1500);
}

#[test]
fn auto_agrees_with_the_oracles_on_random_models() {
    let tally = tally(0..1500, examine_auto);
    assert!(tally.answers > 19 * tally.models / 10, "{tally:?}");
}

#[test]
fn lazy_searches_agree_with_the_oracles_on_random_models() {
    let tally = tally(0..1500, examine_lazy);
    assert!(tally.answers > 7 * tally.models, "{tally:?}");
}

#[test]
fn several_threads_agree_with_one_on_random_models() {
    let tally = tally(0..300, several_threads::examine);
    assert!(
        tally.answers > 39 * tally.models / 10 && tally.certified > 3 * tally.models,
        "{tally:?}"
    );
}
