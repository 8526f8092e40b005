//! Searches that move old states and parents to files store and expand the same nodes as others.

use std::ops::ControlFlow;

use zonaut_search::{
    AStar, ArenaStore, Blind, Budget, Edge, Form, Frontier, Layered, Lifo, Outcome, Overflow,
    Random, ReportOf, Search, SpillFile, SpillFiles, Spilling, Statistics, Status, Ties,
    Uninformed, WorkerParts,
};
use zonaut_space::{NodeId, Observer, PassedStore, Progress, StopReason};

use crate::faults::unharmed;
use crate::layered::Threads;
use crate::toy::{State, Toy, ToyCovering, ToyEncoding, ToyGoal};

#[path = "../../src/spill/in_memory.rs"]
mod in_memory;

use in_memory::{InMemory, spilling};

type Store = ArenaStore<ToyEncoding, ToyCovering>;
type Sequential<'t, F> = Search<'t, Toy, ToyGoal<'t>, Store, F>;

/// Spilling from this number of bytes on.
fn spilling_from(files: &InMemory, from: usize) -> Spilling<u32, i32> {
    let mut spilling = spilling(files);
    spilling.overflow.from = from;
    spilling
}

/// Everything that a search leaves behind.
type Facts = (String, Statistics, Vec<(NodeId, State)>, Vec<Vec<u32>>);

fn facts((report, store): (ReportOf<Toy>, Store)) -> Facts {
    let states = store.live_nodes().map(|node| {
        let mut state = State::new(0, [0, 0]);
        store.load(node, &mut state);
        (node, state)
    });
    let paths = store.live_nodes().step_by(97).map(|node| report.nodes.steps(node));
    let statistics = Statistics { bytes: 0, ..report.statistics };
    (format!("{:?}", report.outcome), statistics, states.collect(), paths.collect())
}

/// A kind of search.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Shortest,
    DepthFirst,
    Layers { workers: usize, is_shortest: bool },
}

const KINDS: [Kind; 6] = [
    Kind::Shortest,
    Kind::DepthFirst,
    Kind::Layers { workers: 1, is_shortest: false },
    Kind::Layers { workers: 2, is_shortest: false },
    Kind::Layers { workers: 3, is_shortest: true },
    Kind::Layers { workers: 2, is_shortest: true },
];

/// The report and store of a search.
fn run(
    kind: Kind,
    toy: &Toy,
    covering: ToyCovering,
    spilling: Option<&Spilling<u32, i32>>,
    observer: &mut dyn Observer<State, u32>,
) -> (ReportOf<Toy>, Store) {
    let store = || {
        let store = ArenaStore::new(ToyEncoding::default(), covering);
        match spilling {
            Some(spilling) => store.spilling(spilling),
            None => store,
        }
    };
    match kind {
        Kind::Shortest => {
            let frontier = AStar::new(Blind, Ties::default());
            finish(Search::shortest(toy, ToyGoal(toy), store(), frontier), spilling, observer)
        }
        Kind::DepthFirst => {
            let frontier = Uninformed(Lifo::default());
            finish(Search::reach(toy, ToyGoal(toy), store(), frontier), spilling, observer)
        }
        Kind::Layers { workers, is_shortest } => {
            let part = |_| WorkerParts { system: toy, goal: ToyGoal(toy), store: store() };
            let parts = (0..workers).map(part).collect();
            let search = if is_shortest { Layered::shortest(parts) } else { Layered::reach(parts) };
            let mut search = match spilling {
                Some(spilling) => search.spilling(spilling),
                None => search,
            };
            assert_eq!(search.run(Budget::UNLIMITED, &Threads, observer), Status::Ended);
            search.into_report()
        }
    }
}

fn finish<F: Frontier<State, u32>>(
    search: Sequential<'_, F>,
    spilling: Option<&Spilling<u32, i32>>,
    observer: &mut dyn Observer<State, u32>,
) -> (ReportOf<Toy>, Store) {
    match spilling {
        Some(spilling) => search.spilling(spilling).finish(observer),
        None => search.finish(observer),
    }
}

/// A search that spills does the same as one that never spills; returns the number of records that
/// were read back.
fn check(seed: u64, kind: Kind) -> usize {
    let random = &mut Random::new(seed);
    let (covering, places) =
        [(ToyCovering::Levels, 4_000), (ToyCovering::Equality, 60)][seed as usize % 2];
    let toy = &Toy::wide(random, places);
    let expected = facts(run(kind, toy, covering, None, &mut ()));
    let files = InMemory::within(usize::MAX, usize::MAX);
    let from = random.below(2) * random.below(200_000);
    let spilling = spilling_from(&files, from);
    let found = facts(run(kind, toy, covering, Some(&spilling), &mut ()));
    assert!(found == expected, "{kind:?} {seed}: {:?} {:?}", found.1, expected.1);
    usize::MAX - files.reads_left()
}

#[test]
fn searches_that_spill_do_the_same_as_others() {
    let _unharmed = unharmed();
    for kind in KINDS {
        let reads: usize = (0..4).map(|seed| check(seed, kind)).sum();
        assert!(reads > 10_000, "{kind:?} {reads}");
    }
}

/// Whether a search that spills differs from one that does not.
#[cfg(feature = "faults")]
pub(crate) fn notices_misread_payloads() -> bool {
    use std::panic::catch_unwind;
    KINDS[..2].iter().any(|&kind| catch_unwind(|| check(1, kind)).is_err())
}

#[test]
fn files_that_fail_end_the_search_without_a_verdict() {
    let _unharmed = unharmed();
    let stopped = Outcome::Stopped { why: StopReason::MemoryLimit, lower_bound: 0 };
    let toy = &Toy::wide(&mut Random::new(1), 60);
    for kind in KINDS {
        for (bytes, reads) in [(100_000, usize::MAX), (usize::MAX, 0), (usize::MAX, 500)] {
            let files = InMemory::within(bytes, reads);
            let spilling = spilling(&files);
            let (report, _) = run(kind, toy, ToyCovering::Equality, Some(&spilling), &mut ());
            assert!(files.has_failed(), "{kind:?}");
            assert!(report.outcome == stopped, "{kind:?} {bytes} {reads}");
        }
    }
}

/// Ends a search that holds more memory, and records the most that one has held.
struct Limit {
    bytes: usize,
    most: usize,
}

impl Observer<State, u32> for Limit {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        self.most = self.most.max(now.bytes);
        match now.bytes >= self.bytes {
            true => ControlFlow::Break(StopReason::MemoryLimit),
            false => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn a_search_that_spills_ends_within_a_limit_that_is_too_low_for_others() {
    let _unharmed = unharmed();
    let toy = &Toy::wide(&mut Random::new(0), 60);
    for kind in [Kind::DepthFirst, Kind::Shortest] {
        let mut unlimited = Limit { bytes: usize::MAX, most: 0 };
        let expected = facts(run(kind, toy, ToyCovering::Equality, None, &mut unlimited));
        let bytes = unlimited.most * 7 / 8;
        let mut limit = Limit { bytes, most: 0 };
        let (report, _) = run(kind, toy, ToyCovering::Equality, None, &mut limit);
        assert!(matches!(report.outcome, Outcome::Stopped { why: StopReason::MemoryLimit, .. }));
        let files = InMemory::within(usize::MAX, usize::MAX);
        let spilling = spilling_from(&files, bytes - bytes / 8);
        let mut limit = Limit { bytes, most: 0 };
        let found = run(kind, toy, ToyCovering::Equality, Some(&spilling), &mut limit);
        assert!(facts(found) == expected, "{kind:?}");
    }
}
