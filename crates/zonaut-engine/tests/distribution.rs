//! Breadth-first search with several processes, and with checkpoints, on random networks: the same
//! verdicts and shortest lengths as alone, and certificates that the checker accepts.
//!
//! The processes are threads that exchange bytes. `ZONAUT_DISTRIBUTION` sets the number of networks.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use zonaut_base::Id;
use zonaut_engine::{
    Answer, Order, Resources, SearchDistribution, Strategy, SymmetryWish, TraceWish, Verdict,
    VerifyOptions,
};
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_search::{Keeper, Network, Place, SavedPart, SavedSearch, SavedWorker};
use zonaut_space::StopReason;
use zonaut_testkit::evidence::{answered, asking, judge};
use zonaut_testkit::generate::generate;

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

/// Keeps one checkpoint, that after some rounds.
#[derive(Debug, Default)]
struct Memory {
    after: u64,
    rounds: AtomicU64,
    search: Mutex<Option<SavedSearch>>,
}

impl Keeper for Memory {
    fn is_due(&self) -> bool {
        self.rounds.fetch_add(1, Ordering::Relaxed) == self.after
    }

    fn keep(&self, parts: &[SavedPart]) -> Result<(), StopReason> {
        let worker = |part: &SavedPart| SavedWorker {
            nodes: vec![part.nodes.clone()],
            marks: part.marks.clone(),
        };
        let workers = parts.iter().map(worker).collect();
        self.search.lock().expect("no panic").get_or_insert(SavedSearch { workers });
        Ok(())
    }

    fn refuse(&self) {
        unreachable!("a search that was saved here is refused");
    }
}

fn options(threads: usize, distribution: Option<SearchDistribution>) -> VerifyOptions {
    VerifyOptions {
        strategy: Strategy::Blind(Order::BreadthFirst),
        threads: NonZeroUsize::new(threads),
        trace: TraceWish::Shortest,
        symmetry: SymmetryWish::Ignore,
        resources: Resources { states: Some(5_000), ..Resources::default() },
        distribution,
        ..VerifyOptions::default()
    }
}

fn certified(model: &Model, options: &VerifyOptions) -> Answer {
    let (answer, certificate) = answered(model, options);
    if let Some(certificate) = certificate {
        assert_eq!(judge(model, &answer, &certificate), Ok(()), "{options:?}");
    }
    answer
}

/// The certified answer of the first of several processes.
fn with_processes(
    model: &Model,
    processes: usize,
    threads: usize,
    own: &SearchDistribution,
) -> Answer {
    let slots = || (0..processes).map(|_| Mail::new()).collect();
    let mail = (0..processes).map(|_| slots()).collect();
    let room = &Arc::new(Room { mail });
    thread::scope(|scope| {
        for process in 1..processes {
            scope.spawn(move || {
                let network = Some(Arc::new(Member { room: Arc::clone(room), process }) as _);
                let all = SearchDistribution { network, ..SearchDistribution::default() };
                answered(model, &options(threads, Some(all)))
            });
        }
        let network = Some(Arc::new(Member { room: Arc::clone(room), process: 0 }) as _);
        let network = network.filter(|_| processes > 1);
        let all = SearchDistribution { network, ..own.clone() };
        certified(model, &options(threads, Some(all)))
    })
}

fn length(answer: &Answer) -> Option<usize> {
    answer.trace.as_ref().map(|trace| trace.steps.len())
}

fn compare(seed: u64, what: &str, found: &Answer, expected: &Answer) {
    assert_eq!(found.verdict, expected.verdict, "{seed}: {what}");
    assert_eq!(length(found), length(expected), "{seed}: {what}");
    let is_written = |answer: &Answer| matches!(answer.certificate, Some(Ok(())));
    assert_eq!(is_written(found), is_written(expected), "{seed}: {what}");
}

#[test]
fn processes_and_checkpoints_do_not_change_answers() {
    let networks = std::env::var("ZONAUT_DISTRIBUTION").ok();
    let networks = networks.and_then(|text| text.parse().ok()).unwrap_or(60);
    let (mut decided, mut continued) = (0, 0);
    for seed in 0..networks {
        let model = generate(seed).to_model();
        let own = model.queries[QueryId::from_index(0)].kind.clone();
        let no_deadlock = QueryKind::Always(Formula::Not(Box::new(Formula::Deadlock)));
        for query in [own, no_deadlock] {
            if !matches!(query, QueryKind::Possibly(_) | QueryKind::Always(_)) {
                continue;
            }
            let model = asking(&model, &query);
            let one = certified(&model, &options(1, None));
            if matches!(one.verdict, Verdict::Unknown(_)) {
                continue;
            }
            decided += 1;
            let alone = SearchDistribution::default();
            for (processes, threads) in [(1, 1), (2, 1), (3, 1), (2, 2)] {
                let what = format!("{processes} processes, {threads} threads");
                let answer = with_processes(&model, processes, threads, &alone);
                compare(seed, &what, &answer, &one);
            }
            let memory = Arc::new(Memory { after: seed % 5, ..Memory::default() });
            let keeper = Some(Arc::clone(&memory) as _);
            let kept = SearchDistribution { keeper, ..SearchDistribution::default() };
            let answer = with_processes(&model, 1 + (seed as usize % 2), 2, &kept);
            compare(seed, "with checkpoints", &answer, &one);
            let saved = memory.search.lock().expect("no panic").take();
            let Some(saved) = saved else { continue };
            continued += 1;
            let saved = Some(Arc::new(saved));
            let resumed = SearchDistribution { saved, ..SearchDistribution::default() };
            for (processes, threads) in [(1, 1), (1, 3), (2, 1)] {
                let what = format!("continued by {processes} processes, {threads} threads");
                let answer = with_processes(&model, processes, threads, &resumed);
                compare(seed, &what, &answer, &one);
            }
        }
    }
    println!("{decided} decided, {continued} continued");
    assert!(decided > 50 && continued > 20, "{decided} {continued}");
}
