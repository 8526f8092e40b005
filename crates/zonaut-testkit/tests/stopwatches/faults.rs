//! Injected faults about stopped clocks.

use crate::check::{examine, examine_deadlock};
use zonaut_zonegraph::faults::{Fault, select};

/// A single test, since a fault is selected for the whole process.
#[test]
fn every_fault_about_stopped_clocks_is_detected() {
    for fault in [Fault::StoppedClockRuns, Fault::CacheWithoutStops, Fault::RunsWithoutStops] {
        assert!(is_detected(fault, |seed| examine(seed).is_err()), "{fault:?}");
    }
    let fault = Fault::DeadlockWithoutStops;
    assert!(is_detected(fault, |seed| examine_deadlock(seed).is_err()), "{fault:?}");
}

fn is_detected(fault: Fault, is_wrong: impl FnMut(u64) -> bool) -> bool {
    select(Some(fault));
    let is_detected = (0..1500).any(is_wrong);
    select(None);
    is_detected
}
