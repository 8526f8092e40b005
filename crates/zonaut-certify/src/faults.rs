//! A part that can be made wrong on purpose, to measure whether tests notice.
//!
//! Only with the feature `faults`, which nothing that is shipped enables. It affects the whole process.

use std::sync::atomic::{AtomicBool, Ordering};

static DUALS_ARE_UNCHECKED: AtomicBool = AtomicBool::new(false);

/// Chooses whether every flow of a certificate is believed to prove its cover.
pub fn leave_duals_unchecked(chosen: bool) {
    DUALS_ARE_UNCHECKED.store(chosen, Ordering::Relaxed);
}

/// Whether every flow is believed.
pub(crate) fn duals_are_unchecked() -> bool {
    DUALS_ARE_UNCHECKED.load(Ordering::Relaxed)
}
