//! The checker's fault that can be injected is noticed.

#![cfg(feature = "faults")]

use zonaut_certify::faults::leave_duals_unchecked;
use zonaut_testkit::damage::{Count, damage_rates};

/// Whether damaged certificates are accepted only if their claims are true.
fn is_right() -> bool {
    let mut count = Count::default();
    (0..60).all(|seed| damage_rates(seed, 20, &mut count).is_ok())
}

#[test]
fn unchecked_duals_are_noticed() {
    assert!(is_right());
    leave_duals_unchecked(true);
    let is_noticed = !is_right();
    leave_duals_unchecked(false);
    assert!(is_noticed);
}
