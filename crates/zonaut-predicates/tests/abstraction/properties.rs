//! The laws of predicate abstractions on random networks.

use crate::data_networks;
use crate::goals::{meta_task, tasks};
use crate::laws::flaw;
use zonaut_testkit::generate::{Stratum, generate_in};
use zonaut_testkit::world::World;

/// Seeds of each stratum.
const SEEDS: u64 = 8;
/// Seeds of networks that pass data on.
const DATA_SEEDS: u64 = 50;

#[test]
fn predicate_abstractions_are_admissible_and_more_predicates_are_no_worse() {
    for seed in 0..DATA_SEEDS {
        for task in [data_networks::task(seed), meta_task(seed)] {
            let Some(world) = World::new(&task.model, &task.goal) else { continue };
            assert_eq!(flaw(&task, &world), None, "data network {seed}");
        }
    }
    let mut count = 0;
    for stratum in Stratum::ALL {
        for seed in 0..SEEDS {
            for task in tasks(stratum, seed) {
                let Some(world) = World::new(&task.model, &task.goal) else { continue };
                count += 1;
                let text = || generate_in(stratum, seed).to_xta();
                let flaw = flaw(&task, &world);
                assert_eq!(flaw, None, "{stratum:?} {seed}\n{}\n{:?}", text(), task.goal);
            }
        }
    }
    assert!(count > 60, "only {count} networks were small enough");
}
