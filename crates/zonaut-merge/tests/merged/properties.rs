//! The laws of merged automata on random networks.

use crate::data_networks;
use crate::goals::{meta_task, tasks};
use crate::laws::{KINDS, flaw};
use zonaut_testkit::generate::{Stratum, generate_in};
use zonaut_testkit::world::World;

/// Seeds of each stratum.
const SEEDS: u64 = 40;
/// Seeds of networks that pass data.
const DATA_SEEDS: u64 = 200;

#[test]
fn merged_automata_are_admissible_and_consistent_and_their_dead_ends_are_dead() {
    for seed in 0..DATA_SEEDS {
        for task in [data_networks::task(seed), meta_task(seed)] {
            let Some(world) = World::new(&task.model, &task.goal) else { continue };
            for merging in KINDS {
                assert_eq!(flaw(&task, &world, merging), None, "data network {seed}");
            }
        }
    }
    let mut count = 0;
    for stratum in Stratum::ALL {
        for seed in 0..SEEDS {
            for task in tasks(stratum, seed) {
                let Some(world) = World::new(&task.model, &task.goal) else { continue };
                count += 1;
                let text = || generate_in(stratum, seed).to_xta();
                for merging in KINDS {
                    let flaw = flaw(&task, &world, merging);
                    assert_eq!(flaw, None, "{stratum:?} {seed}\n{}\n{:?}", text(), task.goal);
                }
            }
        }
    }
    assert!(count > 300, "only {count} networks were small enough");
}
