//! Injected faults are detected by the comparison of random models.

mod support;

use std::panic;
use support::{compare, write};
use zonaut_symmetry::faults::{Fault, select};

/// Whether some comparison differs, or an internal check fails.
fn is_noticed() -> bool {
    (0..400).any(|seed| panic::catch_unwind(|| compare(&write(seed))).map_or(true, |r| r.is_err()))
}

#[test]
fn every_injected_fault_is_detected_and_nothing_else() {
    assert!(!is_noticed());
    for &fault in Fault::ALL {
        select(Some(fault));
        let noticed = is_noticed();
        select(None);
        assert!(noticed, "{fault:?}");
    }
}
