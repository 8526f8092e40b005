//! Searches by several processes, and searches that are saved and continued: verdicts and shortest
//! lengths are those of one worker, with any number of workers before and after.
//!
//! The processes are threads that exchange bytes.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use zonaut_search::{
    ArenaStore, Budget, Bytes, Codec, Distribution, Keeper, Layered, Malformed, Network, Outcome,
    Place, Random, ReportOf, SavedPart, SavedSearch, SavedWorker, Status, WorkerParts, put_u32,
};
use zonaut_space::{Observer, PassedStore, Progress, StopReason};

use crate::faults::unharmed;
use crate::layered::{Threads, assert_closed};
use crate::toy::{State, Toy, ToyCovering, ToyEncoding, ToyGoal};

/// The number of random state spaces.
const TOYS: u64 = 150;
const COVERINGS: [ToyCovering; 2] = [ToyCovering::Equality, ToyCovering::Levels];

type Store = ArenaStore<ToyEncoding, ToyCovering>;
type ToySearch<'t> = Layered<'t, Toy, ToyGoal<'t>, ToyEncoding, ToyCovering>;

struct ToyCodec;

impl Codec<u32, i32> for ToyCodec {
    fn step_number(&self, step: u32) -> u32 {
        step
    }

    fn write_step(&self, step: u32, to: &mut Vec<u8>) {
        put_u32(to, step);
    }

    fn read_step(&self, from: &mut Bytes<'_>) -> Result<u32, Malformed> {
        from.u32()
    }

    fn write_payload(&self, payload: &[i32], to: &mut Vec<u8>) {
        payload.iter().for_each(|&level| put_u32(to, level as u32));
    }

    fn read_payload(
        &self,
        len: usize,
        from: &mut Bytes<'_>,
        into: &mut Vec<i32>,
    ) -> Result<(), Malformed> {
        into.clear();
        for _ in 0..len {
            into.push(from.u32()? as i32);
        }
        Ok(())
    }
}

/// The messages from one process to another one.
#[derive(Debug)]
struct Mail {
    outlet: Sender<Vec<u8>>,
    inbox: Mutex<Receiver<Vec<u8>>>,
}

impl Mail {
    fn new() -> Self {
        let (outlet, inbox) = channel();
        Self { outlet, inbox: Mutex::new(inbox) }
    }
}

/// Processes that are threads.
#[derive(Debug)]
struct Room {
    /// By receiver and sender.
    mail: Vec<Vec<Mail>>,
}

impl Room {
    fn new(processes: usize) -> Arc<Self> {
        let slots = || (0..processes).map(|_| Mail::new()).collect();
        let mail = (0..processes).map(|_| slots()).collect();
        Arc::new(Self { mail })
    }
}

#[derive(Debug)]
struct Member {
    room: Arc<Room>,
    process: usize,
}

impl Network for Member {
    fn place(&self) -> Place {
        Place { process: self.process, processes: self.room.mail.len() }
    }

    fn send(&self, messages: Vec<Vec<u8>>) -> Result<(), StopReason> {
        for (to, message) in messages.into_iter().enumerate() {
            let sent = self.room.mail[to][self.process].outlet.send(message);
            sent.expect("it is open");
        }
        Ok(())
    }

    fn receive(&self) -> Result<Vec<Vec<u8>>, StopReason> {
        let own = self.room.mail[self.process].iter();
        let next = |mail: &Mail| mail.inbox.lock().expect("no panic").recv().expect("it is open");
        Ok(own.map(next).collect())
    }
}

/// A keeper in memory, which wants a checkpoint after every few rounds.
#[derive(Debug, Default)]
struct Memory {
    every: u64,
    rounds: AtomicU64,
    /// The search after each checkpoint.
    searches: Mutex<Vec<SavedSearch>>,
}

impl Keeper for Memory {
    fn is_due(&self) -> bool {
        self.rounds.fetch_add(1, Ordering::Relaxed) % self.every == self.every - 1
    }

    fn keep(&self, parts: &[SavedPart]) -> Result<(), StopReason> {
        let mut searches = self.searches.lock().expect("no panic");
        let mut next = searches.last().cloned().unwrap_or_default();
        next.workers.resize_with(parts.len(), SavedWorker::default);
        for (worker, part) in next.workers.iter_mut().zip(parts) {
            worker.nodes.push(part.nodes.clone());
            worker.marks.clone_from(&part.marks);
        }
        searches.push(next);
        Ok(())
    }

    fn refuse(&self) {
        unreachable!("a search that was saved here is refused");
    }
}

#[derive(Clone, Copy, Debug)]
struct Setting {
    processes: usize,
    threads: usize,
    covering: ToyCovering,
    is_shortest: bool,
    round: usize,
}

/// The checkpoints of a search, and whether the first process collects the nodes of all.
#[derive(Clone, Copy)]
struct Collection<'t> {
    keeper: Option<&'t dyn Keeper>,
    saved: Option<&'t SavedSearch>,
    wants_nodes: bool,
}

impl Setting {
    fn search<'t>(self, toy: &'t Toy, distribution: Distribution<'t, u32, i32>) -> ToySearch<'t> {
        let part = || WorkerParts {
            system: toy,
            goal: ToyGoal(toy),
            store: ArenaStore::new(ToyEncoding { has_kinds: true }, self.covering),
        };
        let parts = (0..self.threads).map(|_| part()).collect();
        let search =
            if self.is_shortest { Layered::shortest(parts) } else { Layered::reach(parts) };
        search.with_round(self.round).distributed(distribution)
    }

    /// The result of the first process, with the nodes of all.
    fn run(
        self,
        toy: &Toy,
        keeper: Option<&dyn Keeper>,
        saved: Option<&SavedSearch>,
    ) -> (ReportOf<Toy>, Store, bool) {
        self.run_with(toy, Collection { keeper, saved, wants_nodes: true })
    }

    /// The result of the first process.
    fn run_with(
        self,
        toy: &Toy,
        Collection { keeper, saved, wants_nodes }: Collection<'_>,
    ) -> (ReportOf<Toy>, Store, bool) {
        let room = Room::new(self.processes);
        let member = |process| Member { room: Arc::clone(&room), process };
        let others: Vec<Member> = (1..self.processes).map(member).collect();
        let own = member(0);
        thread::scope(|scope| {
            for network in &others {
                scope.spawn(move || {
                    let network: Option<&dyn Network> = Some(network);
                    let all = Distribution {
                        codec: &ToyCodec,
                        network,
                        keeper: None,
                        saved: None,
                        wants_nodes: false,
                    };
                    let mut search = self.search(toy, all);
                    assert_eq!(search.run(Budget::UNLIMITED, &Threads, &mut ()), Status::Ended);
                    assert!(!search.has_failed());
                });
            }
            let network: Option<&dyn Network> = (self.processes > 1).then_some(&own as _);
            let mut search = self.search(
                toy,
                Distribution { codec: &ToyCodec, network, keeper, saved, wants_nodes },
            );
            assert_eq!(search.run(Budget::UNLIMITED, &Threads, &mut ()), Status::Ended);
            let has_failed = search.has_failed();
            let (report, store) = search.into_report();
            (report, store, has_failed)
        })
    }
}

fn settings(most: usize) -> impl Iterator<Item = Setting> {
    COVERINGS.into_iter().flat_map(move |covering| {
        [(1, 1, 4096), (2, 1, 1), (2, 2, 3), (3, 1, 5), (1, 3, 2)]
            .into_iter()
            .filter(move |(processes, threads, _)| processes * threads <= most)
            .flat_map(move |(processes, threads, round)| {
                [false, true].map(|is_shortest| Setting {
                    processes,
                    threads,
                    covering,
                    is_shortest,
                    round,
                })
            })
    })
}

fn check(setting: Setting, toy: &Toy, report: &ReportOf<Toy>, store: &mut Store) {
    let truth = toy.shortest_path();
    match &report.outcome {
        Outcome::Reached { node, steps } => {
            let length = u32::try_from(steps.len()).expect("short");
            assert!(toy.replays_to_goal(steps), "{setting:?} {toy:?}");
            assert_eq!(report.nodes.cost(*node), length);
            let is_right = match setting.is_shortest {
                true => Some(length) == truth,
                false => truth.is_some_and(|truth| truth <= length),
            };
            assert!(is_right, "{setting:?} {length} {truth:?} {toy:?}");
        }
        Outcome::Exhausted => {
            assert_eq!(truth, None, "{setting:?} {toy:?}");
            assert_closed(toy, store);
            assert_eq!(report.statistics.stored, store.len());
        }
        other => unreachable!("{setting:?}: {other:?} in {toy:?}"),
    }
}

/// Compares verdicts and lengths of one state space with its true distances.
pub(crate) fn check_processes(seed: u64) {
    let toy = &Toy::random(&mut Random::new(seed));
    for setting in settings(4) {
        let (report, mut store, _) = setting.run(toy, None, None);
        check(setting, toy, &report, &mut store);
    }
}

#[test]
fn verdicts_do_not_depend_on_the_number_of_processes() {
    let _unharmed = unharmed();
    (0..TOYS).for_each(check_processes);
}

#[test]
fn searches_with_processes_can_be_repeated() {
    let _unharmed = unharmed();
    for seed in 0..TOYS / 3 {
        let toy = &Toy::random(&mut Random::new(seed));
        for is_shortest in [false, true] {
            let covering = ToyCovering::Levels;
            let setting = Setting { processes: 2, threads: 2, covering, is_shortest, round: 3 };
            let counts = || {
                let (report, store, _) = setting.run(toy, None, None);
                let statistics = report.statistics;
                (statistics.explored, statistics.generated, statistics.evicted, store.len())
            };
            assert_eq!(counts(), counts(), "{setting:?} {toy:?}");
        }
    }
}

#[test]
fn nodes_that_are_not_wanted_stay_where_they_are() {
    let _unharmed = unharmed();
    let mut exhausted = 0;
    for seed in 0..TOYS {
        let toy = &Toy::random(&mut Random::new(seed));
        for setting in settings(4).filter(|setting| setting.processes > 1) {
            let [all, none] = [true, false].map(|wants_nodes| {
                setting.run_with(toy, Collection { keeper: None, saved: None, wants_nodes })
            });
            let counts = |report: &ReportOf<Toy>| {
                let all = report.statistics;
                (all.explored, all.generated, all.covered, all.evicted, all.stored)
            };
            assert_eq!(all.0.outcome, none.0.outcome, "{setting:?} {toy:?}");
            assert_eq!(counts(&all.0), counts(&none.0), "{setting:?} {toy:?}");
            let is_exhausted = all.0.outcome == Outcome::Exhausted;
            assert_eq!(none.1.is_empty(), is_exhausted, "{setting:?} {toy:?}");
            exhausted += usize::from(is_exhausted);
        }
    }
    assert!(exhausted > 100, "{exhausted}");
}

#[test]
fn processes_and_threads_explore_the_same_states() {
    let _unharmed = unharmed();
    for seed in 0..TOYS / 3 {
        let toy = &Toy::random(&mut Random::new(seed));
        if toy.shortest_path().is_some() {
            continue;
        }
        let counts = |processes, threads| {
            let covering = ToyCovering::Equality;
            let setting = Setting { processes, threads, covering, is_shortest: false, round: 3 };
            let (report, store, _) = setting.run(toy, None, None);
            (report.statistics.explored, report.statistics.generated, store.len())
        };
        assert_eq!(counts(2, 2), counts(1, 4), "{toy:?}");
        assert_eq!(counts(3, 1), counts(1, 1), "{toy:?}");
    }
}

#[test]
fn failures_of_any_process_are_known_to_the_first_one() {
    let _unharmed = unharmed();
    let mut failures = 0;
    for seed in 0..TOYS {
        let random = &mut Random::new(seed);
        let toy = &Toy::random(random).with_failures(random);
        let alone = Setting {
            processes: 1,
            threads: 1,
            covering: ToyCovering::Equality,
            is_shortest: true,
            round: 4096,
        };
        let expected = alone.run(toy, None, None).2;
        failures += u32::from(expected);
        for processes in [2, 3] {
            let setting = Setting { processes, round: 2, ..alone };
            assert_eq!(setting.run(toy, None, None).2, expected, "{setting:?} {toy:?}");
        }
    }
    assert!(failures > 10);
}

/// Continues searches of one state space from their checkpoints, with other numbers of workers;
/// returns the number of checkpoints.
pub(crate) fn check_checkpoints(seed: u64) -> usize {
    let toy = &Toy::random(&mut Random::new(seed));
    let mut checkpoints = 0;
    for setting in settings(4) {
        let memory = Memory { every: 1 + seed % 3, ..Memory::default() };
        let (report, mut store, _) = setting.run(toy, Some(&memory), None);
        check(setting, toy, &report, &mut store);
        let searches = memory.searches.into_inner().expect("no panic");
        checkpoints += searches.len();
        let last = searches.len().saturating_sub(1);
        for (index, saved) in searches.iter().enumerate() {
            // All of the few, some of the many.
            if index != last && !(index as u64 + seed).is_multiple_of(4) {
                continue;
            }
            for (processes, threads) in [(1, 1), (1, 3), (2, 1)] {
                let again = Setting { processes, threads, ..setting };
                let (report, mut store, _) = again.run(toy, None, Some(saved));
                check(again, toy, &report, &mut store);
            }
        }
    }
    checkpoints
}

#[test]
fn a_search_continues_from_every_checkpoint_with_any_number_of_workers() {
    let _unharmed = unharmed();
    let checkpoints = (0..TOYS / 2).map(check_checkpoints).sum::<usize>();
    assert!(checkpoints > 1_000, "{checkpoints}");
}

/// An observer that stops the search after some reports.
struct Stopping(u64);

impl Observer<State, u32> for Stopping {
    fn progress(&mut self, _: &Progress) -> ControlFlow<StopReason> {
        self.0 = self.0.saturating_sub(1);
        match self.0 {
            0 => ControlFlow::Break(StopReason::Cancelled),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn a_stopped_search_is_saved_once_more_and_again_and_again() {
    let _unharmed = unharmed();
    let mut stops = 0;
    for seed in 0..TOYS {
        let toy = &Toy::random(&mut Random::new(seed));
        for is_shortest in [false, true] {
            let mut saved = None::<SavedSearch>;
            // Each time another number of workers, until it is decided.
            for attempt in 0.. {
                let setting = Setting {
                    processes: 1,
                    threads: 1 + attempt % 3,
                    covering: ToyCovering::Levels,
                    is_shortest,
                    round: 2,
                };
                let memory = Memory { every: u64::MAX, ..Memory::default() };
                let keeper: Option<&dyn Keeper> = Some(&memory);
                let saved_before = saved.clone();
                let all = Distribution {
                    codec: &ToyCodec,
                    network: None,
                    keeper,
                    saved: saved_before.as_ref(),
                    wants_nodes: true,
                };
                let mut search = setting.search(toy, all);
                let _ = search.run(Budget::UNLIMITED, &Threads, &mut Stopping(2));
                let (report, mut store) = search.into_report();
                if !matches!(report.outcome, Outcome::Stopped { .. }) {
                    check(setting, toy, &report, &mut store);
                    break;
                }
                stops += 1;
                let searches = memory.searches.into_inner().expect("no panic");
                let last = searches.into_iter().next_back();
                assert!(
                    last.is_some(),
                    "{attempt} {:?} {:?} {toy:?}",
                    report.outcome,
                    report.statistics
                );
                saved = last;
                assert!(attempt < 10_000, "{toy:?}");
            }
        }
    }
    assert!(stops > 100, "{stops}");
}

/// Damaged bytes are refused or continue some search; they neither panic nor hang.
#[test]
fn damaged_checkpoints_are_refused() {
    let _unharmed = unharmed();
    #[derive(Debug, Default)]
    struct Refusing(AtomicU64);
    impl Keeper for Refusing {
        fn is_due(&self) -> bool {
            false
        }
        fn keep(&self, _: &[SavedPart]) -> Result<(), StopReason> {
            Ok(())
        }
        fn refuse(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let refusing = Refusing::default();
    let mut damaged = 0;
    for seed in 0..40 {
        let random = &mut Random::new(seed);
        let toy = &Toy::random(random);
        let setting = Setting {
            processes: 1,
            threads: 2,
            covering: ToyCovering::Levels,
            is_shortest: true,
            round: 2,
        };
        let memory = Memory { every: 1, ..Memory::default() };
        let _ = setting.run(toy, Some(&memory), None);
        let searches = memory.searches.into_inner().expect("no panic");
        for saved in &searches {
            let mut saved = saved.clone();
            let worker = random.below(saved.workers.len());
            let part = random.below(saved.workers[worker].nodes.len());
            let bytes = &mut saved.workers[worker].nodes[part];
            // Numbers at the beginning, and the end of a part.
            match random.below(3) {
                0 => bytes[random.below(16)] ^= 1,
                1 => drop(bytes.pop()),
                _ => bytes.push(0),
            }
            damaged += 1;
            let all = Distribution {
                codec: &ToyCodec,
                network: None,
                keeper: Some(&refusing as &dyn Keeper),
                saved: Some(&saved),
                wants_nodes: true,
            };
            let mut search = setting.search(toy, all);
            assert_eq!(search.run(Budget::UNLIMITED, &Threads, &mut ()), Status::Ended);
            let stopped = Outcome::Stopped { why: StopReason::Cancelled, lower_bound: 0 };
            assert_eq!(search.into_report().0.outcome, stopped);
        }
    }
    assert_eq!(refusing.0.into_inner(), damaged);
}
