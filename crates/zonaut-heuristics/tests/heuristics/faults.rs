//! Fault injection: the tests detect wrong heuristics.

use crate::data_networks;
use crate::goals::{meta_task, tasks};
use crate::laws::{
    flaw_of_context, flaw_of_distance, flaw_of_large_clocks, flaw_of_lower, flaw_of_precision,
    flaw_of_upper, flaw_of_usefulness, flaw_of_weighted_lower,
};
use crate::sums::{flaw_of_layer_cache, flaw_of_shared_sum};
use zonaut_heuristics::faults::{Fault, select};
use zonaut_testkit::generate::Stratum;
use zonaut_testkit::world::World;

/// Seeds of each stratum.
const SEEDS: u64 = 400;

/// The index of the first network that detects the fault.
fn detected_by(fault: Fault) -> Option<usize> {
    use Fault::{
        BoundsBlurred, ContextEndsEarly, DearerDominates, DearestPartner, EdgesStay,
        ErrorsForgotten, InputsForgotten, InputsUnwatched, LayersFromOne, MetaKept,
        NoReceiverJoins, OthersForgotten, PaidTwice, PairsForgotten, PartnerForgotten,
        PathForgotten, ReadersApart, ReadersMeet, RepetitionsForgotten, RoomEverywhere,
        SettingForgotten, SharedTwice, UpdatesOutOfOrder, UsefulForUseless,
    };
    let law = match fault {
        LayersFromOne | NoReceiverJoins | UpdatesOutOfOrder | PairsForgotten | ErrorsForgotten => {
            flaw_of_lower
        }
        DearerDominates | DearestPartner | PaidTwice => flaw_of_weighted_lower,
        BoundsBlurred | MetaKept | OthersForgotten | RoomEverywhere | SettingForgotten => {
            flaw_of_precision
        }
        ContextEndsEarly | ReadersApart | ReadersMeet => flaw_of_context,
        EdgesStay | PathForgotten | UsefulForUseless => flaw_of_usefulness,
        InputsUnwatched => flaw_of_layer_cache,
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
    // Random networks contain no large numbers.
    flaw_of_large_clocks().map(|_| count)
}

#[test]
fn every_fault_is_detected() {
    let mut missed = Vec::new();
    for &fault in Fault::ALL {
        select(Some(fault));
        match detected_by(fault) {
            Some(count) => eprintln!("{fault:?}: after {count} networks"),
            None => missed.push(fault),
        }
        select(None);
    }
    assert!(missed.is_empty(), "not noticed: {missed:?}");
}
