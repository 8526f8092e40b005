//! Fault injection: the check of charts detects every fault.

mod support;

use support::flaw_of_section;
use zonaut_trace::faults::{Fault, select};

#[test]
fn every_fault_is_detected() {
    assert_eq!(flaw_of_section(), None);
    for &fault in Fault::ALL {
        select(Some(fault));
        let flaw = flaw_of_section();
        select(None);
        assert!(flaw.is_some(), "{fault:?} is not noticed");
    }
}
