//! Injected faults in searches by several workers are detected.

use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Locked for writing while a fault is selected, which holds for the whole process.
static SELECTION: RwLock<()> = RwLock::new(());

/// The absence of faults, for as long as the guard lives.
pub(crate) fn unharmed() -> RwLockReadGuard<'static, ()> {
    SELECTION.read().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(feature = "faults")]
#[test]
fn every_fault_of_several_workers_is_detected() {
    use crate::asynchronous::notices_faults;
    use crate::distribution::{check_checkpoints, check_processes};
    use crate::layered::{check_antichain, check_one_worker};
    use std::panic::catch_unwind;
    use zonaut_search::faults::{Fault, select};

    let is_detected = || {
        (0..20).any(|seed| {
            catch_unwind(|| check_one_worker(seed)).is_err()
                || catch_unwind(|| check_processes(seed)).is_err()
                || catch_unwind(|| check_checkpoints(seed)).is_err()
        }) || (0..200).any(|seed| catch_unwind(|| check_antichain(seed)).is_err())
    };
    let _alone = SELECTION.write().unwrap_or_else(PoisonError::into_inner);
    assert!(!is_detected());
    let faults = [
        Fault::LaterLayerEvicts,
        Fault::BatchLost,
        Fault::LayerNotSaved,
        Fault::NodeForgotten,
        Fault::NewerNodesIgnored,
        Fault::MessageOverlooked,
        Fault::LaterGoalCounts,
    ];
    for fault in faults {
        select(Some(fault));
        let is_noticed = is_detected();
        select(None);
        assert!(is_noticed, "{fault:?}");
    }
    assert!(!notices_faults());
    let faults =
        [Fault::BatchLost, Fault::MessageOverlooked, Fault::OwnerByHalf, Fault::FirstGoalIsBest];
    for fault in faults {
        select(Some(fault));
        let is_noticed = notices_faults();
        select(None);
        assert!(is_noticed, "{fault:?}");
    }
}

#[cfg(feature = "faults")]
#[test]
fn payloads_from_the_wrong_segment_are_detected() {
    use crate::spilling::notices_misread_payloads;
    use zonaut_search::faults::{Fault, select};

    let _alone = SELECTION.write().unwrap_or_else(PoisonError::into_inner);
    assert!(!notices_misread_payloads());
    select(Some(Fault::SegmentMisread));
    let is_noticed = notices_misread_payloads();
    select(None);
    assert!(is_noticed);
}
