//! Whether the tests notice guides that are wrong.

use crate::data_networks;
use crate::goals::{meta_task, tasks};
use crate::laws::{
    flaw_of_context, flaw_of_distance, flaw_of_large_clocks, flaw_of_lower, flaw_of_sight,
    flaw_of_upper, flaw_of_usefulness, flaw_of_weighted_lower,
};
use crate::sums::{flaw_of_memory, flaw_of_shared_sum};
use zonaut_heuristics::faults::{Fault, select};
use zonaut_testkit::generate::Stratum;
use zonaut_testkit::world::World;

/// Seeds of each stratum.
const SEEDS: u64 = 400;

/// The number of the network that shows the fault.
fn noticed(fault: Fault) -> Option<usize> {
    use Fault::{
        BoundsBlurred, ContextEndsEarly, DearerDominates, DearestPartner, EdgesStay,
        ErrorsForgotten, InputsForgotten, InputsUnwatched, LayersFromOne, MetaKept, NobodyJoins,
        OthersForgotten, PaidTwice, PairsForgotten, PartnerForgotten, ReadersApart, ReadersMeet,
        RepetitionsForgotten, RoomEverywhere, SettingForgotten, SharedTwice, UpdatesOutOfOrder,
        UsefulForUseless, WayForgotten,
    };
    let law = match fault {
        LayersFromOne | NobodyJoins | UpdatesOutOfOrder | PairsForgotten | ErrorsForgotten => {
            flaw_of_lower
        }
        DearerDominates | DearestPartner | PaidTwice => flaw_of_weighted_lower,
        BoundsBlurred | MetaKept | OthersForgotten | RoomEverywhere | SettingForgotten => {
            flaw_of_sight
        }
        ContextEndsEarly | ReadersApart | ReadersMeet => flaw_of_context,
        EdgesStay | WayForgotten | UsefulForUseless => flaw_of_usefulness,
        InputsUnwatched => flaw_of_memory,
        SharedTwice => flaw_of_shared_sum,
        PartnerForgotten | RepetitionsForgotten | InputsForgotten => flaw_of_upper,
        _ => flaw_of_distance,
    };
    let mut count = 0;
    for seed in 0..SEEDS {
        for number in 10 * seed..10 * (seed + 1) {
            for task in [data_networks::task(number), meta_task(number)] {
                let Some(space) = World::new(&task.model, &task.goal) else { continue };
                count += 1;
                if law(&task, &space).is_some() {
                    return Some(count);
                }
            }
        }
        for stratum in Stratum::ALL {
            for task in tasks(stratum, seed) {
                let Some(space) = World::new(&task.model, &task.goal) else { continue };
                count += 1;
                if law(&task, &space).is_some() {
                    return Some(count);
                }
            }
        }
    }
    // Random networks have no large numbers.
    flaw_of_large_clocks().map(|_| count)
}

#[test]
fn every_fault_is_noticed() {
    let mut missed = Vec::new();
    for &fault in Fault::ALL {
        select(Some(fault));
        match noticed(fault) {
            Some(count) => eprintln!("{fault:?}: after {count} networks"),
            None => missed.push(fault),
        }
        select(None);
    }
    assert!(missed.is_empty(), "not noticed: {missed:?}");
}
