//! Laws of the scheduler, with members that only count.

use super::*;
use proptest::prelude::*;
use std::cell::Cell;
use std::thread;

/// A host that logs time slices and knows the memory of members.
#[derive(Default)]
struct Log {
    turns: Vec<(usize, u64)>,
    held: usize,
}

impl Host for Log {
    fn held(&self) -> usize {
        self.held
    }
}

/// The end that a member is going to have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Answers,
    GivesUp,
    Discourages,
    Cancels,
}

#[derive(Clone, Debug)]
struct Counter {
    name: usize,
    /// The work after which it ends.
    needs: u64,
    fate: Fate,
    first_round: u32,
    bytes_for_unit: usize,
    work: u64,
    is_open: bool,
    has_heeded: bool,
    turns: Cell<usize>,
}

impl Counter {
    fn new(name: usize, needs: u64, fate: Fate) -> Self {
        Self {
            name,
            needs,
            fate,
            first_round: 0,
            bytes_for_unit: 0,
            work: 0,
            is_open: true,
            has_heeded: false,
            turns: Cell::new(0),
        }
    }

    fn bytes(&self) -> usize {
        if self.is_open { self.work as usize * self.bytes_for_unit } else { 0 }
    }
}

impl Member<Log> for Counter {
    type Answer = usize;

    fn is_open(&self) -> bool {
        self.is_open
    }

    fn first_round(&self) -> u32 {
        self.first_round
    }

    fn allow(&mut self, limit: RoundLimit) -> u64 {
        limit.now
    }

    fn usage(&self) -> Usage {
        Usage { explored: self.work as usize, bytes: self.bytes() }
    }

    fn growth(&self, allowance: u64) -> usize {
        allowance.saturating_sub(self.work) as usize * self.bytes_for_unit
    }

    fn take_turn(&mut self, slice: TimeSlice, log: &mut Log) -> SliceEnd<usize> {
        assert!(self.is_open, "a closed member takes a turn");
        self.turns.set(self.turns.get() + 1);
        let before = self.bytes();
        self.work = self.work.max(slice.allowance.min(self.needs));
        log.turns.push((self.name, self.work));
        log.held = log.held + self.bytes() - before;
        if self.work < self.needs {
            return SliceEnd::Paused;
        }
        log.held -= self.bytes();
        self.is_open = false;
        match self.fate {
            Fate::Answers => SliceEnd::Answered(self.name),
            Fate::GivesUp | Fate::Discourages => SliceEnd::GivenUp,
            Fate::Cancels => SliceEnd::Stopped(StopReason::Cancelled),
        }
    }

    fn give_up(&mut self, _why: StopReason) {
        self.is_open = false;
    }

    fn discourages(&self) -> bool {
        !self.is_open && self.fate == Fate::Discourages
    }

    fn heed(&mut self) {
        self.has_heeded = true;
    }
}

fn fates() -> impl Strategy<Value = Fate> {
    prop_oneof![
        4 => Just(Fate::Answers),
        2 => Just(Fate::GivesUp),
        1 => Just(Fate::Discourages),
        1 => Just(Fate::Cancels),
    ]
}

fn members() -> impl Strategy<Value = Vec<Counter>> {
    let one = (1..200_000_u64, fates(), 0..6_u32);
    prop::collection::vec(one, 1..6).prop_map(|all| {
        let counters = all.into_iter().enumerate();
        let counter = |(name, (needs, fate, first_round)): (usize, (u64, Fate, u32))| Counter {
            first_round,
            ..Counter::new(name, needs, fate)
        };
        counters.map(counter).collect()
    })
}

fn run(members: Vec<Counter>, head_start: u64) -> (Ended<usize>, Scheduler<Counter, usize>, Log) {
    let scheduler = Scheduler::new(members, RoundLimit::first(16), None);
    let (mut scheduler, mut log) = (scheduler.with_head_start(head_start), Log::default());
    let ended = scheduler.run(&mut log);
    (ended, scheduler, log)
}

/// Threads that yield at random.
struct Yielding(u64);

impl Crew for Yielding {
    fn run(&self, first: &mut dyn FnMut(), others: Vec<Task<'_>>) -> Result<(), StopReason> {
        let yields = |count: u64| (0..count).for_each(|_| thread::yield_now());
        thread::scope(|scope| {
            for task in others {
                scope.spawn(move || {
                    yields(self.0 % 5);
                    task();
                });
            }
            yields(self.0 % 7);
            first();
        });
        Ok(())
    }
}

fn run_beside(
    members: Vec<Counter>,
    head_start: u64,
    crew: &Yielding,
) -> (Ended<usize>, Scheduler<Counter, usize>) {
    let scheduler = Scheduler::new(members, RoundLimit::first(16), None);
    let (mut scheduler, mut log) = (scheduler.with_head_start(head_start), Log::default());
    let with_host = |run: &mut dyn FnMut(&mut Log)| run(&mut Log::default());
    let aside = Aside { crew, with_host: &with_host, held: 0 };
    loop {
        if let Some(ended) = scheduler.take_rounds_beside(&mut log, &aside) {
            return (ended, scheduler);
        }
    }
}

proptest! {
    /// Two threads: the answer is that of one thread, whatever their speed, and no member other than
    /// the first does more.
    #[test]
    fn two_threads_end_as_one_does(all in members(), head_start in 0..1_000_u64, speed in 0..99_u64) {
        prop_assume!(all.iter().all(|member| member.fate != Fate::Cancels));
        // In a round in which another one answers, the first one may give up as well.
        prop_assume!(all[0].fate != Fate::Discourages);
        let (one, sequential, _) = run(all.clone(), head_start);
        let (two, beside) = run_beside(all, head_start, &Yielding(speed));
        prop_assert_eq!(one, two);
        for (alone, other) in sequential.members.iter().zip(&beside.members).skip(1) {
            prop_assert_eq!(alone.work, other.work);
            prop_assert_eq!(alone.has_heeded, other.has_heeded);
        }
    }

    /// The bound of the portfolio: until one ends after work `w`, no other has done more than 5/4 w
    /// and the first limit or head start.
    #[test]
    fn a_round_is_at_most_a_quarter_longer_than_needed(all in members(), head_start in 0..1_000_u64) {
        let (ended, scheduler, _) = run(all.clone(), head_start);
        let Ended::Answered { member, .. } = ended else { return Ok(()) };
        let late = u32::from(all[member].first_round > 0);
        for (index, other) in scheduler.members.iter().enumerate() {
            let start = if index == 0 { head_start } else { 0 };
            let needed = all[member].needs;
            // A member that starts late finds the limit of its first round.
            let limit = (0..all[member].first_round)
                .fold(RoundLimit::first(16), |limit, _| limit.next()).now * u64::from(late);
            let most = (needed + needed / 4 + 1).max(16).max(limit).max(start);
            prop_assert!(other.work <= most, "{} did {} of {most}", index, other.work);
        }
    }

    /// One worker: the schedule depends on the members alone.
    #[test]
    fn the_schedule_is_deterministic(all in members(), head_start in 0..1_000_u64) {
        let (one, first, turns) = run(all.clone(), head_start);
        let (other, second, again) = run(all, head_start);
        prop_assert_eq!(one, other);
        prop_assert_eq!(turns.turns, again.turns);
        let work = |scheduler: &Scheduler<Counter, usize>| -> Vec<u64> {
            scheduler.members.iter().map(|member| member.work).collect()
        };
        prop_assert_eq!(work(&first), work(&second));
    }

    /// The verdict is that of the member that ends first in work; a member that gives up only
    /// leaves the others.
    #[test]
    fn the_portfolio_ends_by_a_member_or_when_none_is_open(all in members()) {
        let (ended, scheduler, log) = run(all.clone(), 0);
        match ended {
            Ended::Answered { member, answer } => {
                prop_assert_eq!(all[member].fate, Fate::Answers);
                prop_assert_eq!(member, answer);
                prop_assert_eq!(log.turns.last(), Some(&(member, all[member].needs)));
            }
            Ended::Stopped(StopReason::Cancelled) => {
                let (last, _) = *log.turns.last().expect("a turn before the cancellation");
                prop_assert_eq!(all[last].fate, Fate::Cancels);
            }
            Ended::Stopped(StopReason::MemoryLimit) => {
                prop_assert!(scheduler.members.iter().all(|member| !member.is_open));
                let given_up = |one: &Counter| matches!(one.fate, Fate::GivesUp | Fate::Discourages);
                prop_assert!(all.iter().all(given_up));
            }
            Ended::Stopped(why) => prop_assert!(false, "{why:?}"),
        }
    }

    /// With a memory limit the last open member always stays.
    #[test]
    fn memory_is_made_for_the_smallest(
        all in members(),
        bytes in prop::collection::vec(0..50_usize, 6),
        memory in 1..2_000_000_usize,
    ) {
        let members: Vec<Counter> = all.iter().zip(&bytes).map(|(member, &bytes_for_unit)| {
            Counter { bytes_for_unit, fate: Fate::Answers, ..member.clone() }
        }).collect();
        let mut scheduler = Scheduler::new(members, RoundLimit::first(16), Some(memory));
        let mut log = Log::default();
        loop {
            let ended = scheduler.take_round(&mut log);
            let open = scheduler.members.iter().filter(|member| member.is_open).count();
            match ended {
                Some(Ended::Answered { .. }) => break,
                Some(Ended::Stopped(why)) => prop_assert!(false, "{why:?} with an open member"),
                None => prop_assert!(open > 0),
            }
            // The memory of members that were given up is free again.
            log.held = scheduler.members.iter().map(Counter::bytes).sum();
        }
    }
}

#[test]
fn the_first_member_has_its_head_start_and_then_waits() {
    let all = vec![Counter::new(0, 500, Fate::Answers), Counter::new(1, 5_000, Fate::Answers)];
    let (ended, scheduler, log) = run(all, 1_000);
    assert_eq!(ended, Ended::Answered { member: 0, answer: 0 });
    assert_eq!(log.turns, [(0, 500)]);
    assert_eq!(scheduler.members[1].work, 0);
    let all = vec![Counter::new(0, 5_000, Fate::Answers), Counter::new(1, 20, Fate::Answers)];
    let (ended, _, log) = run(all, 1_000);
    assert_eq!(ended, Ended::Answered { member: 1, answer: 1 });
    assert_eq!(log.turns, [(0, 1_000), (1, 16), (1, 20)]);
}

#[test]
fn a_reason_that_all_of_a_kind_share_is_passed_on() {
    let all = vec![Counter::new(0, 900, Fate::Answers), Counter::new(1, 20, Fate::Discourages)];
    let (_, scheduler, _) = run(all, 0);
    assert!(scheduler.members.iter().all(|member| member.has_heeded));
    let all = vec![Counter::new(0, 900, Fate::Answers), Counter::new(1, 20, Fate::GivesUp)];
    let (_, scheduler, _) = run(all, 0);
    assert!(!scheduler.members.iter().any(|member| member.has_heeded));
}

#[test]
fn a_member_starts_in_its_round() {
    let late = Counter { first_round: 3, ..Counter::new(1, 10, Fate::Answers) };
    let all = vec![Counter::new(0, 100_000, Fate::Answers), late];
    let (ended, scheduler, log) = run(all, 0);
    assert_eq!(ended, Ended::Answered { member: 1, answer: 1 });
    assert_eq!(scheduler.members[0].turns.get(), 3);
    assert_eq!(log.turns.len(), 4);
}

#[test]
fn the_largest_member_is_given_up_for_another_one() {
    let large = Counter { bytes_for_unit: 100, ..Counter::new(0, 100_000, Fate::Answers) };
    let small = Counter { bytes_for_unit: 1, ..Counter::new(1, 2_000, Fate::Answers) };
    let mut scheduler = Scheduler::new(vec![large, small], RoundLimit::first(16), Some(10_000));
    let mut log = Log::default();
    assert_eq!(scheduler.run(&mut log), Ended::Answered { member: 1, answer: 1 });
    assert!(!scheduler.members[0].is_open);
    assert!(scheduler.members[0].work < 200);
}

#[test]
fn an_answer_beside_another_one_is_kept() {
    let members = || vec![Counter::new(0, 30, Fate::Answers), Counter::new(1, 30, Fate::Answers)];
    let (ended, mut scheduler) = run_beside(members(), 0, &Yielding(0));
    assert_eq!(ended, Ended::Answered { member: 1, answer: 1 });
    let with_host = |run: &mut dyn FnMut(&mut Log)| run(&mut Log::default());
    let aside = Aside { crew: &Yielding(0), with_host: &with_host, held: 0 };
    let next = scheduler.take_rounds_beside(&mut Log::default(), &aside);
    assert_eq!(next, Some(Ended::Answered { member: 0, answer: 0 }));
}

#[test]
fn the_memory_of_a_slice_excludes_that_of_the_other_thread() {
    let large = Counter { bytes_for_unit: 10, ..Counter::new(0, u64::MAX, Fate::Answers) };
    let small = Counter { bytes_for_unit: 1, ..Counter::new(1, u64::MAX, Fate::Answers) };
    let scheduler =
        Scheduler::<_, usize>::new(vec![large, small], RoundLimit::first(16), Some(1_000));
    let limits = [RoundLimit::first(20)];
    let MemoryApart { first, others } = scheduler.memory_apart(&limits);
    assert_eq!((first, others), (Some(980), Some(800)));
    // Forty units of the first member would be more than half of the memory.
    assert_eq!(scheduler.limits_apart(0).iter().filter(|limit| limit.now > 45).count(), 0);
    assert!(scheduler.limits_apart(0).len() > 1);
    assert_eq!(scheduler.limits_apart(1_000).len(), 1);
}

/// The others do not wait for a first member that panics.
#[test]
fn a_panic_of_the_first_member_ends_both_threads() {
    struct Panics(Counter);
    impl Member<Log> for Panics {
        type Answer = usize;

        fn is_open(&self) -> bool {
            self.0.is_open()
        }

        fn first_round(&self) -> u32 {
            0
        }

        fn allow(&mut self, limit: RoundLimit) -> u64 {
            self.0.allow(limit)
        }

        fn usage(&self) -> Usage {
            self.0.usage()
        }

        fn growth(&self, allowance: u64) -> usize {
            self.0.growth(allowance)
        }

        fn take_turn(&mut self, slice: TimeSlice, log: &mut Log) -> SliceEnd<usize> {
            assert!(self.0.name > 0 || self.0.work < 100, "the first member panics");
            self.0.take_turn(slice, log)
        }

        fn give_up(&mut self, why: StopReason) {
            self.0.give_up(why);
        }
    }
    let members = [0, 1].map(|name| Panics(Counter::new(name, u64::MAX, Fate::Answers)));
    let mut scheduler = Scheduler::new(members.into(), RoundLimit::first(16), None);
    let with_host = |run: &mut dyn FnMut(&mut Log)| run(&mut Log::default());
    let aside = Aside { crew: &Yielding(3), with_host: &with_host, held: 0 };
    let run = || while scheduler.take_rounds_beside(&mut Log::default(), &aside).is_none() {};
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
}
