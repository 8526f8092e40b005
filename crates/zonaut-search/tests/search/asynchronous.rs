//! Best-first search by several workers, each in its own order: verdicts, shortest lengths and least
//! prices do not depend on the number of workers, the order, or the speed of threads.

use std::sync::atomic::AtomicU64;

use zonaut_search::{
    AStar, Age, ArenaStore, AsyncParts, Asynchronous, Blind, Budget, Crew, Fifo, Frontier,
    LeastCost, Lifo, Outcome, Random, RandomDepthFirst, Standing, Status, Ties, Uninformed,
};
use zonaut_space::{Cost, PassedStore, Pricing, Steps, StopReason};

use crate::faults::unharmed;
use crate::layered::{Restless, Threads, assert_closed};
use crate::prices::{Toll, least_price};
use crate::toy::{State, Toy, ToyCovering, ToyEncoding, ToyGoal};

const COVERINGS: [ToyCovering; 2] = [ToyCovering::Equality, ToyCovering::Levels];

type Store = ArenaStore<ToyEncoding, ToyCovering>;
type Open<C> = Box<dyn Frontier<State, u32, C>>;
type Asynchronously<'t, P> =
    Asynchronous<'t, Toy, ToyGoal<'t>, ToyEncoding, Store, Open<<P as Pricing<Toy>>::Cost>, P>;

type Parts<'t, P> =
    AsyncParts<'t, Toy, ToyGoal<'t>, ToyEncoding, Store, Open<<P as Pricing<Toy>>::Cost>, P, ()>;

/// The orders in which workers expand nodes.
#[derive(Clone, Copy, Debug)]
enum Order {
    BreadthFirst,
    DepthFirst,
    Random,
    LeastCost,
}

impl Order {
    const ALL: [Self; 4] = [Self::BreadthFirst, Self::DepthFirst, Self::Random, Self::LeastCost];

    fn frontier<C: Cost + 'static>(self, seed: u64) -> Open<C> {
        match self {
            Self::BreadthFirst => Box::new(Uninformed(Fifo::default())),
            Self::DepthFirst => Box::new(Uninformed(Lifo::default())),
            Self::Random => Box::new(Uninformed(RandomDepthFirst::new(seed))),
            Self::LeastCost => Box::new(LeastCost::new(Age::Lifo)),
        }
    }
}

/// A configuration of a search.
#[derive(Clone, Copy, Debug)]
struct Configuration {
    workers: usize,
    covering: ToyCovering,
    turn: usize,
}

impl Configuration {
    fn all() -> impl Iterator<Item = Self> {
        let workers = [(1, 256), (2, 1), (2, 256), (3, 2), (4, 1)].into_iter();
        workers
            .flat_map(|(workers, turn)| COVERINGS.map(|covering| Self { workers, covering, turn }))
    }

    fn parts<'t, P: Pricing<Toy>>(
        self,
        toy: &'t Toy,
        pricing: impl Fn() -> P,
        frontier: impl Fn() -> Open<P::Cost>,
    ) -> Vec<Parts<'t, P>> {
        let part = |_| AsyncParts {
            system: toy,
            goal: ToyGoal(toy),
            store: ArenaStore::new(ToyEncoding::default(), self.covering),
            frontier: frontier(),
            pricing: pricing(),
            encoding: ToyEncoding::default(),
            luggage: (),
        };
        (0..self.workers).map(part).collect()
    }
}

/// Runs a search in slices of this much work to its end.
fn run<'t, P>(
    search: &mut Asynchronously<'t, P>,
    crew: &dyn Crew,
    slice: Budget,
    least: Option<P::Cost>,
) where
    P: Pricing<Toy, Cost: Sync> + Send,
{
    let mut look = |standing: &Standing<P::Cost>| {
        assert!(least.is_none_or(|least| standing.lower_bound <= least), "{standing:?} {least:?}");
        assert!(standing.best.is_none_or(|best| least.is_some_and(|least| least <= best)));
        Ok(())
    };
    let mut slices = 0;
    while search.run(slice, crew, &mut look) == Status::Paused {
        slices += 1;
        assert!(slices < 100_000);
    }
}

/// Checks searches for a least price; returns whether a goal is reachable.
fn check_prices(seed: u64, crew: &dyn Crew, slice: Budget) -> bool {
    let toy = &Toy::random(&mut Random::new(seed));
    let toll = Toll { salt: seed };
    let truth = least_price(toy, toll);
    for configuration in Configuration::all() {
        for order in Order::ALL {
            let parts = configuration.parts(toy, || toll, || order.frontier(seed));
            let mut search = Asynchronous::cheapest(parts).with_turn(configuration.turn);
            run::<Toll>(&mut search, crew, slice, truth);
            let (best, bound) = (search.best_cost(), search.lower_bound());
            let (report, _) = search.into_report();
            assert_eq!(best, truth, "{configuration:?} {order:?} {toy:?}");
            match &report.outcome {
                Outcome::Reached { steps, .. } => {
                    assert!(toy.replays_to_goal(steps), "{configuration:?} {order:?} {toy:?}");
                    assert_eq!(Some(bound), truth, "{configuration:?} {order:?} {toy:?}");
                }
                outcome => assert_eq!((outcome, truth), (&Outcome::Exhausted, None)),
            }
        }
    }
    truth.is_some()
}

/// Checks searches for any goal, and for a nearest one.
fn check_reachability(seed: u64, crew: &dyn Crew) {
    let toy = &Toy::random(&mut Random::new(seed));
    let truth = toy.shortest_path();
    for configuration in Configuration::all() {
        for order in Order::ALL {
            let parts = configuration.parts(toy, || Steps, || order.frontier(seed));
            let mut search = Asynchronous::reach(parts).with_turn(configuration.turn);
            run::<Steps>(&mut search, crew, Budget::UNLIMITED, Some(u32::MAX));
            let (report, mut store) = search.into_report();
            match &report.outcome {
                Outcome::Reached { steps, .. } => {
                    assert!(toy.replays_to_goal(steps), "{configuration:?} {order:?} {toy:?}");
                }
                outcome => {
                    assert_eq!((outcome, truth), (&Outcome::Exhausted, None));
                    assert_closed(toy, &mut store);
                    assert_distinct(&store);
                    assert_eq!(report.statistics.stored, store.len());
                }
            }
        }
        let frontier = || -> Open<u32> { Box::new(AStar::new(Blind, Ties::default())) };
        let parts = configuration.parts(toy, || Steps, frontier);
        let mut search = Asynchronous::cheapest(parts).with_turn(configuration.turn);
        run::<Steps>(&mut search, crew, Budget::UNLIMITED, truth);
        assert_eq!(search.best_cost(), truth, "{configuration:?} {toy:?}");
    }
}

/// No state is stored by two workers.
fn assert_distinct(store: &Store) {
    let mut states: Vec<State> = Vec::new();
    for node in store.live_nodes() {
        let mut state = State::new(0, [0, 0]);
        store.load(node, &mut state);
        assert!(!states.contains(&state), "{state:?}");
        states.push(state);
    }
}

#[test]
fn least_prices_do_not_depend_on_the_number_of_workers() {
    let _unharmed = unharmed();
    let reached = (0..150).filter(|&seed| check_prices(seed, &Threads, Budget::UNLIMITED)).count();
    assert!((30..150).contains(&reached), "{reached}");
}

#[test]
fn verdicts_and_shortest_lengths_do_not_depend_on_the_number_of_workers() {
    let _unharmed = unharmed();
    (0..150).for_each(|seed| check_reachability(seed, &Threads));
}

#[test]
fn restless_threads_and_pauses_change_no_result() {
    let _unharmed = unharmed();
    let crew = Restless(AtomicU64::new(1));
    for seed in 0..30 {
        check_prices(seed, &crew, Budget::of(1 + seed % 40));
        check_reachability(seed, &crew);
    }
}

#[test]
fn failures_are_reported_with_their_paths() {
    let _unharmed = unharmed();
    let mut failures = 0;
    for seed in 0..100 {
        let random = &mut Random::new(seed);
        let toy = &Toy::random(random).with_failures(random);
        for configuration in Configuration::all() {
            let parts = configuration.parts(toy, || Steps, || Order::DepthFirst.frontier(0));
            let mut search = Asynchronous::reach(parts).with_turn(configuration.turn);
            let status = search.run(Budget::UNLIMITED, &Threads, &mut |_| Ok(()));
            assert_eq!(status, Status::Ended);
            let has_failed = search.has_failed();
            let (report, _) = search.into_report();
            assert_eq!(has_failed, matches!(report.outcome, Outcome::Failed { .. }));
            if let Outcome::Failed { steps, .. } = &report.outcome {
                assert!(toy.replays_to_failure(steps), "{configuration:?} {toy:?}");
                failures += 1;
            }
        }
    }
    assert!(failures > 20, "{failures}");
}

#[test]
fn a_search_is_stopped_from_outside() {
    let _unharmed = unharmed();
    let toy = &Toy::random(&mut Random::new(3));
    for configuration in Configuration::all() {
        let parts = configuration.parts(toy, || Steps, || Order::DepthFirst.frontier(0));
        let mut search = Asynchronous::cheapest(parts).with_turn(configuration.turn);
        let status = search.run(Budget::UNLIMITED, &Threads, &mut |_| Err(StopReason::TimeLimit));
        assert_eq!(status, Status::Ended);
        let (report, _) = search.into_report();
        let stopped = Outcome::Stopped { why: StopReason::TimeLimit, lower_bound: 0 };
        assert_eq!(report.outcome, stopped);
    }
}

/// Whether some random state space shows that a fault is selected.
#[cfg(feature = "faults")]
pub(crate) fn notices_faults() -> bool {
    use std::panic::catch_unwind;
    let crew = Restless(AtomicU64::new(1));
    (0..40).any(|seed| {
        let crew = std::panic::AssertUnwindSafe(&crew);
        let prices = || check_prices(seed, *crew, Budget::UNLIMITED);
        catch_unwind(prices).is_err() || catch_unwind(|| check_reachability(seed, *crew)).is_err()
    })
}
