//! Injected faults of predicate abstractions: every fault must be detected.

use crate::data_networks;
use crate::goals::{Task, meta_task, tasks};
use crate::laws::{ask, flaw, shared};
use zonaut_base::Id;
use zonaut_model::QueryId;
use zonaut_predicates::faults::{Fault, select};
use zonaut_predicates::{Cut, Rounds, Vocabulary};
use zonaut_space::Estimate;
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::generate::Stratum;
use zonaut_testkit::replay::goal_of;
use zonaut_testkit::world::World;

/// Seeds of each stratum.
const SEEDS: u64 = 300;

/// Models that some faults need: a guard of a synchronisation that stays inside a part, and a state
/// whose clocks satisfy two literals one by one but not together. Each with the estimates of the
/// initial state by the predicates of the text and by refined ones, and the number of states that
/// the former recognises as dead ends.
const KNOWN: [(&str, &str, [u32; 2], usize); 2] = [
    (
        "chan c; bool ready;
        process P() {
            state a, b; init a;
            trans a -> a { assign ready := true; }, a -> b { guard ready; sync c!; };
        }
        process Q() { state a, b; init a; trans a -> b { sync c?; }; }
        system P, Q;",
        "E<> Q.b",
        [2, 2],
        0,
    ),
    (
        "clock x, y;
        process P() {
            state a, b, c; urgent b; init a;
            trans a -> b { }, b -> c { guard x <= 1 && y >= 3; },
                a -> a { guard x >= 1; assign x := 0; };
        }
        system P;",
        "E<> P.c",
        [2, 3],
        1,
    ),
];

/// Whether a known value is different.
fn is_unusual() -> bool {
    KNOWN.iter().any(|&(text, query, [by_text, refined], dead)| {
        let (model, _) = model_of(text, &[query]).expect("a correct model");
        let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a goal");
        let task = Task { model, goal };
        let world = World::new(&task.model, &task.goal).expect("a small world");
        let estimates = |vocabulary: Vocabulary| -> Vec<_> {
            let mut heuristic =
                shared(&task, &Cut { split: None, vocabulary, ..Cut::default() }, 20_000);
            world.states.iter().map(|state| ask(&mut heuristic, state)).collect()
        };
        let known = estimates(Vocabulary::Text);
        let hopeless = |estimate: &&Estimate<u32>| !matches!(estimate, Estimate::Distance(_));
        let seen = known.iter().filter(hopeless).count();
        let found = estimates(Vocabulary::Refined(Rounds::AtMost(9).into()));
        (known[0], seen) != (Estimate::Distance(by_text), dead)
            || found[0] != Estimate::Distance(refined)
    })
}

/// The condition that P waits for is possible in one location of Q and impossible in the other.
fn bounded_elsewhere() -> Task {
    crate::figures::task(
        "clock x;
        process P() { state a, b; init a; trans a -> b { guard x >= 3; }; }
        process Q() { state low { x <= 1 }, high { x <= 5 }; init low; trans low -> high { }; }
        system P, Q;",
        "E<> P.b",
    )
}

/// The number of the network that detects the injected fault.
fn noticed() -> Option<usize> {
    if is_unusual() {
        return Some(0);
    }
    let mut count = 0;
    let mut is_wrong = |task: &Task| {
        let Some(world) = World::new(&task.model, &task.goal) else { return false };
        count += 1;
        flaw(task, &world).is_some()
    };
    if is_wrong(&bounded_elsewhere()) {
        return Some(count);
    }
    for seed in 0..SEEDS {
        let data = (10 * seed..10 * (seed + 1)).map(data_networks::task);
        let meta = (10 * seed..10 * (seed + 1)).map(meta_task);
        let others = Stratum::ALL.into_iter().flat_map(|stratum| tasks(stratum, seed));
        if data.chain(meta).chain(others).any(|task| is_wrong(&task)) {
            return Some(count);
        }
    }
    None
}

#[test]
fn every_injected_fault_is_detected() {
    assert!(!is_unusual());
    let mut missed = Vec::new();
    for &fault in Fault::ALL {
        select(Some(fault));
        match noticed() {
            Some(count) => eprintln!("{fault:?}: after {count} networks"),
            None => missed.push(fault),
        }
        select(None);
    }
    assert!(missed.is_empty(), "not noticed: {missed:?}");
}
