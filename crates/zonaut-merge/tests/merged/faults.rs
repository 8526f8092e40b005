//! Fault injection: the tests detect wrong merging.

use crate::data_networks;
use crate::goals::tasks;
use crate::laws::{KINDS, committed_partner, flaw, handed_over};
use zonaut_merge::faults::{Fault, select};
use zonaut_testkit::generate::Stratum;
use zonaut_testkit::world::World;

/// Seeds of each stratum.
const SEEDS: u64 = 400;

/// The index of the first network that detects the injected fault.
fn detected_by() -> Option<usize> {
    let mut count = 0;
    let mut is_wrong = |task: &crate::goals::Task| {
        let Some(world) = World::new(&task.model, &task.goal) else { return false };
        count += 1;
        KINDS.iter().any(|&merging| flaw(task, &world, merging).is_some())
    };
    if is_wrong(&committed_partner()) || is_wrong(&handed_over()) {
        return Some(count);
    }
    for seed in 0..SEEDS {
        let data = (10 * seed..10 * (seed + 1)).map(data_networks::task);
        let others = Stratum::ALL.into_iter().flat_map(|stratum| tasks(stratum, seed));
        if data.chain(others).any(|task| is_wrong(&task)) {
            return Some(count);
        }
    }
    None
}

#[test]
fn every_fault_is_detected() {
    let mut missed = Vec::new();
    for &fault in Fault::ALL {
        select(Some(fault));
        match detected_by() {
            Some(count) => eprintln!("{fault:?}: after {count} networks"),
            None => missed.push(fault),
        }
        select(None);
    }
    assert!(missed.is_empty(), "not noticed: {missed:?}");
}
