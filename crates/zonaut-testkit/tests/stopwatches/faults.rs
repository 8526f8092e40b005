//! Whether the tests notice what is wrong with clocks that stand still.

use crate::check::{examine, examine_deadlock};
use zonaut_zonegraph::faults::{Fault, select};

#[test]
fn a_fault_about_deadlocks_of_stopped_clocks_is_noticed() {
    select(Some(Fault::DeadlockWithoutStops));
    let noticed = (0..1500).find(|&seed| examine_deadlock(seed).is_err());
    select(None);
    assert!(noticed.is_some());
}

#[test]
fn every_fault_about_stopped_clocks_is_noticed() {
    for fault in [Fault::StoppedClockRuns, Fault::RecallWithoutStops, Fault::RunsWithoutStops] {
        select(Some(fault));
        let noticed = (0..1500).find(|&seed| examine(seed).is_err());
        select(None);
        eprintln!("{fault:?}: {noticed:?}");
        assert!(noticed.is_some(), "{fault:?}");
    }
}
