//! The laws of heuristics on random networks.

use crate::data_networks;
use crate::goals::{Task, meta_task, tasks};
use crate::laws::{
    flaw_of_context, flaw_of_distance, flaw_of_invariants, flaw_of_lower, flaw_of_multiples,
    flaw_of_precision, flaw_of_reading, flaw_of_upper, flaw_of_usefulness,
    flaw_of_weighted_distance, flaw_of_weighted_lower,
};
use crate::sums::{flaw_of_layer_cache, flaw_of_shared_sum};
use zonaut_testkit::generate::{Stratum, generate_in};
use zonaut_testkit::world::World;

/// Seeds of each stratum.
const SEEDS: u64 = 40;
/// Seeds of networks that pass data.
const DATA_SEEDS: u64 = 300;

/// Checks a law on networks of every kind.
fn check(law: impl Fn(&Task, &World) -> Option<String>) {
    for seed in 0..DATA_SEEDS {
        for task in [data_networks::task(seed), meta_task(seed)] {
            let Some(space) = World::new(&task.model, &task.goal) else { continue };
            assert_eq!(law(&task, &space), None, "data network {seed}");
        }
    }
    let mut count = 0;
    for stratum in Stratum::ALL {
        for seed in 0..SEEDS {
            for task in tasks(stratum, seed) {
                let Some(space) = World::new(&task.model, &task.goal) else { continue };
                count += 1;
                let text = || generate_in(stratum, seed).to_xta();
                let flaw = law(&task, &space);
                assert_eq!(flaw, None, "{stratum:?} {seed}\n{}\n{:?}", text(), task.goal);
            }
        }
    }
    assert!(count > 300, "only {count} networks were small enough");
}

#[test]
fn hl_is_admissible_and_consistent_and_its_dead_ends_are_dead() {
    check(flaw_of_lower);
}

#[test]
fn hl_with_more_precision_is_admissible_and_not_below_hl() {
    check(flaw_of_precision);
}

#[test]
fn contexts_are_the_closure_of_interference() {
    check(flaw_of_context);
}

#[test]
fn dl_is_admissible_and_consistent_and_its_dead_ends_are_dead() {
    check(flaw_of_distance);
}

#[test]
fn hu_is_the_length_of_an_executable_relaxed_path() {
    check(flaw_of_upper);
}

#[test]
fn nothing_leads_out_of_the_invariant_around_a_dead_end() {
    check(flaw_of_invariants);
}

#[test]
fn weighted_hl_is_admissible_and_consistent() {
    check(flaw_of_weighted_lower);
}

#[test]
fn weighted_dl_is_admissible_and_consistent() {
    check(flaw_of_weighted_distance);
}

#[test]
fn where_all_transitions_count_the_same_hl_is_no_more_than_a_multiple_of_steps() {
    check(flaw_of_multiples);
}

#[test]
fn heuristics_depend_only_on_their_declared_reads() {
    check(flaw_of_reading);
}

#[test]
fn transitions_are_useless_only_if_the_model_without_them_is_as_near_to_the_goal() {
    check(flaw_of_usefulness);
}

#[test]
fn cached_layers_have_the_distance_of_computed_ones() {
    check(flaw_of_layer_cache);
}

#[test]
fn sums_with_cost_partitioning_are_admissible() {
    check(flaw_of_shared_sum);
}
