//! A search that is paused at random and resumed behaves exactly like an uninterrupted one.

use std::ops::ControlFlow;

use zonaut_base::Id;
use zonaut_search::{
    AStar, ArenaStore, Blind, Budget, CheapestFirst, Fifo, Frontier, Guided, Lifo, Outcome, Random,
    RandomDepthFirst, ReportOf, Search, Status, Ties, Uninformed,
};
use zonaut_space::{NodeId, Observer, PassedStore, Progress, StopReason, Target};

use crate::toy::{State, Toy, ToyCovering, ToyEncoding, ToyGoal};

type Store = ArenaStore<ToyEncoding, ToyCovering>;
pub(crate) type ToySearch<'t, F> = Search<'t, Toy, ToyGoal<'t>, Store, F>;

/// All events of an observer, as text, up to a number of progress reports.
pub(crate) struct Diary {
    entries: Vec<String>,
    looks: usize,
}

impl Diary {
    pub(crate) fn new(looks: usize) -> Self {
        Self { entries: Vec::new(), looks }
    }
}

impl Observer<State, u32> for Diary {
    fn node_inserted(&mut self, node: NodeId, state: &State) {
        self.entries.push(format!("{node:?} is {state:?}"));
    }
    fn node_expanded(&mut self, node: NodeId) {
        self.entries.push(format!("{node:?} is expanded"));
    }
    fn edge(&mut self, from: NodeId, step: u32, target: Target) {
        self.entries.push(format!("{from:?} by {step} to {target:?}"));
    }
    fn evicted(&mut self, node: NodeId, by: NodeId) {
        self.entries.push(format!("{by:?} evicts {node:?}"));
    }
    fn goal_met(&mut self, node: NodeId) {
        self.entries.push(format!("{node:?} is a goal"));
    }
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        self.entries.push(format!("{now:?}"));
        match self.looks.checked_sub(1) {
            Some(left) => self.looks = left,
            None => return ControlFlow::Break(StopReason::Cancelled),
        }
        ControlFlow::Continue(())
    }
}

/// The compared facts: the outcome, the statistics, the events, and the live nodes.
pub(crate) type Facts = (String, Vec<String>, Vec<NodeId>);

pub(crate) fn facts<F: Frontier<State, u32>>(search: ToySearch<'_, F>, diary: Diary) -> Facts {
    let (report, store): (ReportOf<Toy>, Store) = search.into_report();
    let numbers = format!("{:?} {:?} {:?}", report.outcome, report.best, report.statistics);
    (numbers, diary.entries, store.live_nodes().collect())
}

/// Runs the search in one call and in time slices, each slice with its own observer.
fn check<'t, F: Frontier<State, u32>>(
    make: impl Fn() -> ToySearch<'t, F>,
    looks: usize,
    random: &mut Random,
) -> usize {
    let diary = || Diary::new(looks);
    let (mut whole, mut told) = (make(), diary());
    assert_eq!(whole.run(Budget::UNLIMITED, &mut told), Status::Ended);
    let (mut paused, mut told_in_turns, mut pauses) = (make(), diary(), 0);
    while paused.run(Budget::of(random.below(6) as u64), &mut told_in_turns) == Status::Paused {
        pauses += 1;
        check_paused(&paused);
    }
    assert_eq!(facts(whole, told), facts(paused, told_in_turns));
    pauses
}

/// The bounds of a paused search hold.
fn check_paused<F: Frontier<State, u32>>(search: &ToySearch<'_, F>) {
    assert!(search.outcome().is_none() && search.best().is_none());
    let statistics = search.statistics();
    assert_eq!(statistics.stored, search.store().len());
    assert_eq!(statistics.generated - statistics.covered, search.nodes().len());
    let nodes = (0..search.nodes().len()).map(NodeId::from_index);
    let expanded = nodes.filter(|&node| search.nodes().is_expanded(node)).count();
    assert_eq!(statistics.explored, expanded);
}

fn check_shortest<F: CheapestFirst<State, u32>>(
    toy: &Toy,
    frontier: impl Fn() -> F,
    random: &mut Random,
) {
    let truth = toy.shortest_path();
    let store = || ArenaStore::new(ToyEncoding::default(), ToyCovering::Levels);
    let make = || Search::shortest(toy, ToyGoal(toy), store(), frontier());
    check(make, 3, random);
    let mut search = make();
    while search.run(Budget::of(3), &mut ()) == Status::Paused {
        assert!(truth.is_none_or(|steps| search.lower_bound() <= steps));
    }
    let found = match search.outcome() {
        Some(Outcome::Reached { steps, .. }) => Some(steps.len() as u32),
        _ => None,
    };
    assert_eq!(found, truth);
}

#[test]
fn paused_searches_do_the_same() {
    let mut pauses = 0;
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let toy = &Toy::random(random);
        for covering in [ToyCovering::Equality, ToyCovering::Levels] {
            let store = || ArenaStore::new(ToyEncoding::default(), covering);
            let goal = || ToyGoal(toy);
            let breadth = || Uninformed(Fifo::default());
            let depth = || Uninformed(Lifo::default());
            let any = || Uninformed(RandomDepthFirst::new(seed));
            let greedy = || Guided::greedy(Blind, Ties::default());
            let looks = random.below(3);
            pauses += check(|| Search::reach(toy, goal(), store(), breadth()), looks, random);
            pauses += check(|| Search::reach(toy, goal(), store(), depth()), looks, random);
            pauses += check(|| Search::reach(toy, goal(), store(), any()), looks, random);
            pauses += check(|| Search::reach(toy, goal(), store(), greedy()), looks, random);
        }
        check_shortest(toy, || AStar::new(Blind, Ties::default()), random);
    }
    assert!(pauses > 10_000, "{pauses}");
}

#[test]
fn a_search_that_has_not_ended_counts_as_cancelled_and_one_that_has_stays_so() {
    let toy = &Toy::random(&mut Random::new(3));
    let store = || ArenaStore::new(ToyEncoding::default(), ToyCovering::Levels);
    let make = || Search::reach(toy, ToyGoal(toy), store(), Uninformed(Fifo::default()));
    let (report, store) = make().into_report();
    let expected = Outcome::Stopped { why: StopReason::Cancelled, lower_bound: 0 };
    assert_eq!((report.outcome, store.len()), (expected, 0));
    let mut search = make();
    assert_eq!(search.run(Budget::UNLIMITED, &mut ()), Status::Ended);
    let before = search.statistics();
    assert_eq!(search.run(Budget::UNLIMITED, &mut ()), Status::Ended);
    assert_eq!(search.statistics(), before);
}
