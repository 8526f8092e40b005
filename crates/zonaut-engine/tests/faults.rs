//! Faults that are put in on purpose are noticed by the tests of shared explorations.

mod support;

use std::panic;
use support::shared::{FAILING, compare, random};
use zonaut_engine::faults::{Fault, select};
use zonaut_engine::{LoadOptions, VerifyOptions, load_text};

/// Whether some comparison differs, or a check inside the engine does.
fn is_noticed() -> bool {
    let loaded = load_text("m.xta", FAILING, &LoadOptions::default());
    let session = loaded.session().expect("a correct model");
    let is_wrong = |result: Result<usize, String>| result.is_err();
    is_wrong(compare(&session, &VerifyOptions::default()))
        || (0..200).any(|seed| {
            let (session, options) = random(seed);
            panic::catch_unwind(|| compare(&session, &options)).map_or(true, is_wrong)
        })
}

#[test]
fn every_fault_is_noticed_and_without_one_nothing_is() {
    assert!(!is_noticed());
    for &fault in Fault::ALL {
        select(Some(fault));
        let noticed = is_noticed();
        select(None);
        assert!(noticed, "{fault:?}");
    }
}
