//! Breadth-first search by several workers: verdicts and shortest lengths do not depend on their
//! number, and nothing depends on the speed of threads.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use zonaut_search::{
    AStar, ArenaStore, Blind, Budget, Crew, Fifo, Layered, Outcome, Random, ReportOf, Search,
    Statistics, Status, Task, Ties, Uninformed, WorkerParts,
};
use zonaut_space::{
    Goal, NodeId, Observer, PassedStore, PredicateGoal, Progress, StopReason, Successor,
    TransitionSystem,
};

use crate::faults::unharmed;
use crate::toy::{State, Toy, ToyCovering, ToyEncoding, ToyGoal};

/// The number of random state spaces.
const TOYS: u64 = 400;
const COVERINGS: [ToyCovering; 2] = [ToyCovering::Equality, ToyCovering::Levels];

type Store = ArenaStore<ToyEncoding, ToyCovering>;

/// A thread for each task.
pub(crate) struct Threads;

impl Crew for Threads {
    fn run(&self, first: &mut dyn FnMut(), others: Vec<Task<'_>>) -> Result<(), StopReason> {
        thread::scope(|scope| {
            others.into_iter().for_each(|task| _ = scope.spawn(task));
            first();
        });
        Ok(())
    }
}

/// Threads that yield and sleep at random.
pub(crate) struct Restless(pub(crate) AtomicU64);

impl Crew for Restless {
    fn run(&self, first: &mut dyn FnMut(), others: Vec<Task<'_>>) -> Result<(), StopReason> {
        Threads.run(first, others)
    }

    fn measured(&self, wait: &mut dyn FnMut()) -> Duration {
        let seed = self.0.fetch_add(1, Ordering::Relaxed);
        match Random::new(seed).below(8) {
            0 => thread::sleep(Duration::from_micros(seed % 200)),
            1..4 => thread::yield_now(),
            _ => {}
        }
        wait();
        Duration::ZERO
    }
}

/// A configuration of a search.
#[derive(Clone, Copy, Debug)]
struct Configuration {
    workers: usize,
    covering: ToyCovering,
    is_shortest: bool,
    round: usize,
}

impl Configuration {
    fn all() -> impl Iterator<Item = Self> {
        let coverings = COVERINGS.into_iter();
        coverings.flat_map(|covering| {
            [(1, 4096), (2, 4096), (2, 1), (3, 5)].into_iter().flat_map(move |(workers, round)| {
                [false, true].map(|is_shortest| Self { workers, covering, is_shortest, round })
            })
        })
    }

    fn search(self, toy: &Toy) -> Layered<'_, Toy, ToyGoal<'_>, ToyEncoding, ToyCovering> {
        let part = || WorkerParts {
            system: toy,
            goal: ToyGoal(toy),
            store: ArenaStore::new(ToyEncoding { has_kinds: self.workers > 1 }, self.covering),
        };
        let parts = (0..self.workers).map(|_| part()).collect();
        let search =
            if self.is_shortest { Layered::shortest(parts) } else { Layered::reach(parts) };
        search.with_round(self.round)
    }

    fn run(self, toy: &Toy, crew: &dyn Crew) -> (ReportOf<Toy>, Store) {
        let mut search = self.search(toy);
        assert_eq!(search.run(Budget::UNLIMITED, crew, &mut ()), Status::Ended);
        search.into_report()
    }
}

/// Everything that a search leaves behind.
fn facts((report, store): &(ReportOf<Toy>, Store)) -> (String, Statistics, Vec<(NodeId, State)>) {
    let states = store.live_nodes().map(|node| {
        let mut state = State::new(0, [0, 0]);
        store.load(node, &mut state);
        (node, state)
    });
    let arrivals: Vec<_> = store
        .live_nodes()
        .map(|node| (report.nodes.arrival(node), report.nodes.cost(node)))
        .collect();
    let statistics = Statistics { bytes: 0, ..report.statistics };
    (format!("{:?} {arrivals:?}", report.outcome), statistics, states.collect())
}

/// The successors of all live states, and the initial states, are covered.
pub(crate) fn assert_closed(toy: &Toy, store: &mut Store) {
    let mut states: Vec<State> = toy.initial().to_vec();
    let mut state = State::new(0, [0, 0]);
    for node in store.live_nodes().collect::<Vec<_>>() {
        store.load(node, &mut state);
        states.push(state.clone());
        states.extend(toy.successors(&state).into_iter().filter_map(|(_, target)| target.ok()));
    }
    for state in &states {
        assert!(store.coverer_of(state).is_some(), "{state:?} in {toy:?}");
    }
}

#[test]
fn verdicts_and_shortest_lengths_do_not_depend_on_the_number_of_workers() {
    let _unharmed = unharmed();
    let mut longer = 0;
    for seed in 0..TOYS {
        let toy = &Toy::random(&mut Random::new(seed));
        let truth = toy.shortest_path();
        for configuration in Configuration::all() {
            let (report, mut store) = configuration.run(toy, &Threads);
            match &report.outcome {
                Outcome::Reached { node, steps } => {
                    let length = u32::try_from(steps.len()).expect("short");
                    assert!(toy.replays_to_goal(steps), "{configuration:?} {toy:?}");
                    assert_eq!(report.nodes.cost(*node), length, "{configuration:?} {toy:?}");
                    let is_right = match configuration.is_shortest {
                        true => Some(length) == truth,
                        false => truth.is_some_and(|truth| truth <= length),
                    };
                    assert!(is_right, "{configuration:?} {length} {truth:?} {toy:?}");
                    longer += u32::from(Some(length) != truth);
                }
                Outcome::Exhausted => {
                    assert_eq!(truth, None, "{configuration:?} {toy:?}");
                    assert_closed(toy, &mut store);
                    assert_eq!(report.statistics.stored, store.len());
                }
                other => panic!("{configuration:?}: {other:?} in {toy:?}"),
            }
        }
    }
    // Otherwise the test would not notice a search that does not preserve depths.
    assert!(longer > 0);
}

/// The report of a search, and its live states.
fn live_states((report, store): (ReportOf<Toy>, Store)) -> (ReportOf<Toy>, Vec<State>) {
    let states = store.live_nodes().map(|node| {
        let mut state = State::new(0, [0, 0]);
        store.load(node, &mut state);
        state
    });
    let states = states.collect();
    (report, states)
}

/// No live state covers another one after a search that does not preserve depths.
pub(crate) fn check_antichain(seed: u64) {
    let toy = &Toy::random(&mut Random::new(seed));
    for configuration in Configuration::all().filter(|one| !one.is_shortest) {
        let (_, states) = live_states(configuration.run(toy, &Threads));
        for (one, larger) in states.iter().enumerate() {
            let is_other = |&(two, _): &(usize, &State)| one != two;
            for (_, smaller) in states.iter().enumerate().filter(is_other) {
                let is_covered = larger.place == smaller.place
                    && configuration.covering.compares(&larger.levels, &smaller.levels);
                assert!(!is_covered, "{larger:?} {smaller:?} {configuration:?} {toy:?}");
            }
        }
    }
}

#[test]
fn no_live_state_covers_another_one() {
    let _unharmed = unharmed();
    (0..TOYS).for_each(check_antichain);
}

/// One worker that inserts after each expansion does the same as a sequential search.
pub(crate) fn check_one_worker(seed: u64) {
    let toy = &Toy::random(&mut Random::new(seed));
    if toy.shortest_path().is_some() {
        return;
    }
    for covering in COVERINGS {
        let store = || ArenaStore::new(ToyEncoding::default(), covering);
        let any = Search::reach(toy, ToyGoal(toy), store(), Uninformed(Fifo::default()));
        let shortest = AStar::new(Blind, Ties::default());
        let shortest = Search::shortest(toy, ToyGoal(toy), store(), shortest);
        let expected = [any.finish(&mut ()), shortest.finish(&mut ())];
        for (is_shortest, expected) in [false, true].into_iter().zip(&expected) {
            let configuration = Configuration { workers: 1, covering, is_shortest, round: 1 };
            let found = configuration.run(toy, &Threads);
            assert_eq!(facts(&found), facts(expected), "{configuration:?} {toy:?}");
        }
    }
}

#[test]
fn one_worker_that_inserts_after_each_expansion_does_the_same_as_a_sequential_search() {
    let _unharmed = unharmed();
    (0..TOYS).for_each(check_one_worker);
}

#[test]
fn searches_do_not_depend_on_the_speed_of_threads_or_on_pauses() {
    let _unharmed = unharmed();
    let crew = Restless(AtomicU64::new(1));
    for seed in 0..TOYS / 4 {
        let random = &mut Random::new(seed);
        let toy = Toy::random(random);
        let toy = &if seed % 3 == 0 { toy.with_failures(random) } else { toy };
        for configuration in Configuration::all() {
            let expected = facts(&configuration.run(toy, &Threads));
            let found = facts(&configuration.run(toy, &crew));
            assert_eq!(found, expected, "{configuration:?} {toy:?}");
            let mut paused = configuration.search(toy);
            let mut slices = 0;
            while paused.run(Budget::of(slices % 7), &Threads, &mut ()) == Status::Paused {
                slices += 1;
                assert!(slices < 10_000, "{configuration:?} {toy:?}");
            }
            assert_eq!(facts(&paused.into_report()), expected, "{configuration:?} {toy:?}");
        }
    }
}

#[test]
fn searches_do_not_depend_on_the_number_of_workers() {
    let _unharmed = unharmed();
    let mut evicted = 0;
    for seed in 0..TOYS / 2 {
        let random = &mut Random::new(seed);
        let toy = Toy::random(random);
        let toy = &if seed % 3 == 0 { toy.with_failures(random) } else { toy };
        for covering in COVERINGS {
            for (is_shortest, round) in [(false, 1), (false, 4), (true, 9), (true, 1024)] {
                let results = [1, 2, 3, 5].map(|workers| {
                    let configuration = Configuration { workers, covering, is_shortest, round };
                    let (report, mut states) = live_states(configuration.run(toy, &Threads));
                    let outcome = match report.outcome {
                        Outcome::Reached { steps, .. } => format!("reached by {steps:?}"),
                        other => format!("{other:?}"),
                    };
                    states.sort();
                    evicted += report.statistics.evicted;
                    (outcome, Statistics { bytes: 0, ..report.statistics }, states)
                });
                for result in &results[1..] {
                    assert_eq!(*result, results[0], "{covering:?} {round} {toy:?}");
                }
            }
        }
    }
    assert!(evicted > 1_000, "{evicted}");
}

/// The depth of the first layer in which an expansion fails, with failing edges left out.
fn first_failure(toy: &Toy) -> Option<u32> {
    let fails = |state: &State| toy.successors(state).iter().any(|(_, target)| target.is_err());
    let distances = toy.distances();
    distances.iter().filter(|(state, _)| fails(state)).map(|(_, &depth)| depth).min()
}

#[test]
fn failures_of_a_layer_come_before_its_goals() {
    let _unharmed = unharmed();
    let mut both = 0;
    for seed in 0..TOYS {
        let random = &mut Random::new(seed);
        let toy = &Toy::random(random).with_failures(random);
        let (goal, failure) = (toy.shortest_path(), first_failure(toy));
        let fails = failure.is_some_and(|failure| goal.is_none_or(|goal| failure < goal));
        both += usize::from(goal.is_some() && failure.is_some());
        for configuration in Configuration::all().filter(|all| all.is_shortest) {
            let (report, _) = configuration.run(toy, &Threads);
            match &report.outcome {
                Outcome::Failed { steps, .. } => {
                    assert!(fails && toy.replays_to_failure(steps), "{configuration:?} {toy:?}");
                    assert_eq!(Some(steps.len() as u32), failure.map(|failure| failure + 1));
                }
                Outcome::Reached { .. } => assert!(!fails, "{configuration:?} {toy:?}"),
                outcome => {
                    let expected = (false, None, &Outcome::Exhausted);
                    assert_eq!((fails, goal, outcome), expected, "{configuration:?} {toy:?}");
                }
            }
        }
    }
    assert!(both > 20, "{both}");
}

/// An observer that stops the search at its first report.
struct Impatient;

impl Observer<State, u32> for Impatient {
    fn progress(&mut self, _: &Progress) -> ControlFlow<StopReason> {
        ControlFlow::Break(StopReason::TimeLimit)
    }
}

#[test]
fn observers_stop_all_workers() {
    let _unharmed = unharmed();
    let toy = &Toy::random(&mut Random::new(3));
    let stopped = Outcome::Stopped { why: StopReason::TimeLimit, lower_bound: 0 };
    for workers in 1..4 {
        let covering = ToyCovering::Equality;
        let part = || WorkerParts {
            system: toy,
            goal: PredicateGoal(|_: &State| false),
            store: ArenaStore::new(ToyEncoding::default(), covering),
        };
        let parts = (0..workers).map(|_| part()).collect();
        let mut search = Layered::reach(parts).with_round(1);
        assert_eq!(search.run(Budget::UNLIMITED, &Threads, &mut Impatient), Status::Ended);
        assert_eq!(search.into_report().0.outcome, stopped);
    }
}

/// Threads that cannot be started.
struct NoThreads;

impl Crew for NoThreads {
    fn run(&self, _: &mut dyn FnMut(), _: Vec<Task<'_>>) -> Result<(), StopReason> {
        Err(StopReason::MemoryLimit)
    }
}

#[test]
fn a_search_without_threads_is_stopped() {
    let _unharmed = unharmed();
    let toy = &Toy::random(&mut Random::new(3));
    let configuration = Configuration {
        workers: 2,
        covering: ToyCovering::Levels,
        is_shortest: false,
        round: 4096,
    };
    let (report, _) = configuration.run(toy, &NoThreads);
    let stopped = Outcome::Stopped { why: StopReason::MemoryLimit, lower_bound: 0 };
    assert_eq!(report.outcome, stopped);
}

/// A toy in which the expansion of some states panics.
struct Panicking<'t>(&'t Toy);

impl TransitionSystem for Panicking<'_> {
    type State = State;
    type Step = u32;
    type Error = &'static str;
    type Scratch = ();

    fn scratch(&self) {}

    fn for_each_initial(
        &self,
        scratch: &mut (),
        visit: impl FnMut(Result<&mut State, &'static str>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.0.for_each_initial(scratch, visit)
    }

    fn for_each_successor(
        &self,
        state: &State,
        scratch: &mut (),
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        assert!(self.0.initial().contains(state), "a mistake of the system");
        self.0.for_each_successor(state, scratch, |successor| match successor {
            Successor::State(step, target) => visit(Successor::State(step, target)),
            Successor::Error(step, error) => visit(Successor::Error(step, error)),
        })
    }
}

/// No state is a goal.
struct Nowhere;

impl Goal<Panicking<'_>> for Nowhere {
    fn holds_in(&mut self, _: &State) -> Result<bool, &'static str> {
        Ok(false)
    }
}

#[test]
fn a_panic_of_one_worker_ends_all_of_them() {
    let _unharmed = unharmed();
    let mut panics = 0;
    for seed in 0..20 {
        let toy = &Toy::random(&mut Random::new(seed));
        let part = |system| WorkerParts {
            system,
            goal: Nowhere,
            store: ArenaStore::new(ToyEncoding::default(), ToyCovering::Equality),
        };
        let system = &Panicking(toy);
        let mut search = Layered::reach((0..3).map(|_| part(system)).collect());
        let run = || search.run(Budget::UNLIMITED, &Threads, &mut ());
        panics += usize::from(catch_unwind(AssertUnwindSafe(run)).is_err());
    }
    assert!(panics > 10, "{panics}");
}
