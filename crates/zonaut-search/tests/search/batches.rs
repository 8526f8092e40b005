//! A search whose nodes are expanded on another thread behaves exactly like one that expands them
//! itself.

use std::sync::mpsc;
use std::thread;

use zonaut_search::{
    AStar, ArenaStore, BatchOf, Blind, Budget, Expander, Fifo, Frontier, Lifo, Outcome, Random,
    Search, Status, Ties, Uninformed,
};
use zonaut_space::Steps;

use crate::pauses::{Diary, Facts, ToySearch, facts};
use crate::toy::{State, Toy, ToyCovering, ToyEncoding, ToyGoal};

/// Runs a search whose nodes are expanded on another thread, up to `most` at the same time.
fn run_apart<F: Frontier<State, u32>>(
    toy: &Toy,
    mut search: ToySearch<'_, F>,
    most: usize,
    mut diary: Diary,
) -> Facts {
    let (send, tasks) = mpsc::channel::<BatchOf<Toy, ToyEncoding>>();
    let (finish, finished) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut expander =
                Expander::new(toy, ToyEncoding::default(), Steps, toy.initial()[0].clone());
            for mut batch in tasks {
                expander.expand(&mut batch);
                finish.send(batch).expect("the search waits for it");
            }
        });
        let mut in_flight = 0;
        loop {
            while in_flight < most
                && let Some(batch) = search.dispatch(&ToyEncoding::default(), &mut diary)
            {
                send.send(batch).expect("the worker waits for it");
                in_flight += 1;
            }
            if in_flight == 0 {
                break;
            }
            let batch = finished.recv().expect("the worker answers");
            in_flight -= 1;
            let _ = search.absorb(&ToyEncoding::default(), batch, &mut diary);
        }
        drop(send);
    });
    assert!(search.outcome().is_some());
    facts(search, diary)
}

/// Compares a search that expands its nodes itself with one that does not.
fn check<'t, F: Frontier<State, u32>>(
    toy: &'t Toy,
    make: impl Fn() -> ToySearch<'t, F>,
    looks: usize,
) -> Facts {
    let mut diary = Diary::new(looks);
    let mut whole = make();
    assert_eq!(whole.run(Budget::UNLIMITED, &mut diary), Status::Ended);
    let expected = facts(whole, diary);
    assert_eq!(run_apart(toy, make(), 1, Diary::new(looks)), expected);
    expected
}

#[test]
fn one_expansion_in_flight_changes_nothing() {
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let toy = Toy::random(random);
        let toy = &if seed % 3 == 0 { toy.with_failures(random) } else { toy };
        let store = || ArenaStore::new(ToyEncoding::default(), ToyCovering::Levels);
        let goal = || ToyGoal(toy);
        let looks = random.below(3);
        let reach = || Search::reach(toy, goal(), store(), Uninformed(Fifo::default()));
        check(toy, reach, looks);
        let deep = || Search::reach(toy, goal(), store(), Uninformed(Lifo::default()));
        check(toy, deep, looks);
        let a_star = || AStar::new(Blind, Ties::default());
        let shortest = || Search::shortest(toy, goal(), store(), a_star());
        let expected = check(toy, shortest, looks);
        // With more room, a search for shortest paths still has one expansion in flight.
        assert_eq!(run_apart(toy, shortest(), 4, Diary::new(looks)), expected);
    }
}

#[test]
fn several_expansions_in_flight_keep_the_verdict() {
    let mut outcomes = [0; 2];
    for seed in 0..300 {
        let toy = &Toy::random(&mut Random::new(seed));
        let store = ArenaStore::new(ToyEncoding::default(), ToyCovering::Levels);
        let search = Search::reach(toy, ToyGoal(toy), store, Uninformed(Fifo::default()));
        let (found, ..) = run_apart(toy, search, 4, Diary::new(usize::MAX));
        let is_reachable = toy.shortest_path().is_some();
        assert_eq!(found.starts_with("Reached"), is_reachable, "{seed}: {found}");
        outcomes[usize::from(is_reachable)] += 1;
    }
    assert!(outcomes.iter().all(|&count| count > 30), "{outcomes:?}");
}

#[test]
fn a_search_with_expansions_in_flight_is_not_exhausted() {
    let toy = &Toy::random(&mut Random::new(1));
    let store = ArenaStore::new(ToyEncoding::default(), ToyCovering::Levels);
    let mut search =
        Search::reach(toy, zonaut_space::EmptyGoal, store, Uninformed(Fifo::default()));
    let mut expander = Expander::new(toy, ToyEncoding::default(), Steps, toy.initial()[0].clone());
    let mut batch = search.dispatch(&ToyEncoding::default(), &mut ()).expect("an initial state");
    // Everything else is explored, but not what follows from the node in flight.
    assert_eq!(search.run(Budget::UNLIMITED, &mut ()), Status::Paused);
    expander.expand(&mut batch);
    let _ = search.absorb(&ToyEncoding::default(), batch, &mut ());
    assert_eq!(search.run(Budget::UNLIMITED, &mut ()), Status::Ended);
    assert_eq!(search.outcome(), Some(&Outcome::Exhausted));
}
