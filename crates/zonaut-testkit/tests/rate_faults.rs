//! Every fault that can be injected into priced zones is noticed by random networks.

#![cfg(feature = "faults")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use zonaut_priced::faults::{Fault, select};
use zonaut_testkit::generate::generate;
use zonaut_testkit::priced::Rated;

/// Whether the network of a seed is answered wrongly, or an assertion fails.
fn is_wrong(seed: u64) -> bool {
    let Some(rated) = Rated::of(&generate(seed), seed) else { return false };
    let examined = catch_unwind(AssertUnwindSafe(|| rated.examine(seed)));
    !matches!(examined, Ok(Ok(_)))
}

#[test]
fn every_fault_is_noticed() {
    const SEEDS: u64 = 1_000;
    for &fault in Fault::ALL {
        select(Some(fault));
        let noticed = (0..SEEDS).find(|&seed| is_wrong(seed));
        select(None);
        let seed = noticed.unwrap_or_else(|| panic!("{fault:?} is not noticed"));
        assert!(!is_wrong(seed), "seed {seed} without a fault");
        println!("{fault:?}: seed {seed}");
    }
}
