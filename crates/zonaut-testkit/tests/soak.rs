//! A short soak: random models in many configurations against the oracles.

use zonaut_testkit::differential::{Tally, examine};

#[test]
fn the_engine_agrees_with_the_oracles_on_random_models() {
    let mut tally = Tally::default();
    for seed in 0..1500 {
        if let Err(failure) = examine(seed, &mut tally) {
            panic!("{failure}");
        }
    }
    println!("{tally:?}");
    assert_eq!(tally.models, 1500);
    assert!(tally.undecided < 15 && tally.answers > 6 * 1500, "{tally:?}");
}
