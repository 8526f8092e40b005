//! Limits and signals at random moments: no crash, no wrong verdict, the exit code of the table.
//!
//! `ZONAUT_INTERRUPTIONS` sets the number of runs.

#![cfg(unix)]

mod support;

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;
use support::Bench;

const DEFAULT_RUNS: u64 = 20;

/// The generator of Steele, Lea and Flood (doi 10.1145/2660193.2660195).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % bound
    }

    fn choose<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.below(choices.len() as u64) as usize]
    }
}

/// A model with three queries and their verdicts: one is found soon, two need everything.
struct Subject {
    file: String,
    queries: [(&'static str, &'static str); 3],
}

fn subjects(bench: &Bench) -> Vec<Subject> {
    let generate = |family: &str, size: &str, queries| {
        let file = format!("{family}-{size}.xta");
        let run = bench.run(&["generate", family, size, "-o", &file]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        Subject { file, queries }
    };
    let everything =
        [("E<> true", "satisfied"), ("A[] true", "satisfied"), ("E<> false", "not_satisfied")];
    vec![
        generate("fischer", "4", everything),
        generate("fischer", "6", everything),
        generate("csmacd", "6", everything),
        generate("train-gate", "3", everything),
        generate("parallel", "10", everything),
    ]
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Interruption {
    Milliseconds(u64),
    Bytes(u64),
    States(u64),
    Signal(&'static str, i32, u64),
}

fn interruption(random: &mut Random) -> Interruption {
    match random.below(6) {
        0 => Interruption::Milliseconds(random.below(300)),
        1 => Interruption::Bytes(1 << random.below(24)),
        2 => Interruption::States(random.below(20_000)),
        3 => Interruption::Signal("INT", 2, random.below(400)),
        4 => Interruption::Signal("TERM", 15, random.below(400)),
        _ => Interruption::Signal("KILL", 9, random.below(400)),
    }
}

impl Interruption {
    fn words(self) -> Vec<String> {
        let (name, value) = match self {
            Self::Milliseconds(time) => ("--time", format!("0.{time:03}")),
            Self::Bytes(bytes) => ("--memory", bytes.to_string()),
            Self::States(states) => ("--states", states.to_string()),
            Self::Signal(..) => return Vec::new(),
        };
        vec![name.to_owned(), value]
    }

    fn reason(self) -> &'static str {
        match self {
            Self::Milliseconds(_) => "time limit",
            Self::Bytes(_) => "memory limit",
            Self::States(_) => "state limit",
            Self::Signal(..) => "cancelled",
        }
    }
}

fn send(child: &Child, signal: &str) {
    // The process may be gone already; then nobody is told.
    let pid = child.id().to_string();
    let _ = Command::new("kill").args(["-s", signal, &pid]).stderr(Stdio::null()).status();
}

/// Checks one interrupted run; returns whether it was really interrupted.
fn check(bench: &Bench, subject: &Subject, random: &mut Random) -> bool {
    let how = interruption(random);
    let mut words: Vec<String> = vec!["verify".into(), subject.file.clone(), "--json".into()];
    for (formula, _) in subject.queries {
        words.extend(["-q".into(), formula.into()]);
    }
    let strategy = random.choose(&["bfs", "dfs", "rdfs"]);
    let abstraction = random.choose(&["m", "lu", "lu+", "alu"]);
    let trace = random.choose(&["none", "some", "shortest"]);
    let options =
        ["--strategy", strategy, "--abstraction", abstraction, "--trace", trace, "--seed", "3"];
    words.extend(options.map(str::to_owned));
    words.extend(how.words());
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.args(&words).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary can be run");
    if let Interruption::Signal(name, _, delay) = how {
        thread::sleep(Duration::from_millis(delay));
        send(&child, name);
    }
    let mut stderr = String::new();
    let mut errors = child.stderr.take().expect("a pipe");
    let output = child.wait_with_output().expect("the binary ends");
    errors.read_to_string(&mut stderr).expect("the output is UTF-8");
    let context = format!("{how:?} {words:?}\n{stderr}");
    assert!(!stderr.contains("panicked") && !stderr.contains("bug in Zonaut"), "{context}");
    let stdout = String::from_utf8(output.stdout).expect("the output is UTF-8");
    let verdicts = check_lines(subject, how, &stdout, &context);
    check_status(how, output.status, &verdicts, &context);
    !verdicts.iter().all(|verdict| verdict != "unknown") || verdicts.len() < 3
}

/// Every complete line is true, or says why it does not know.
fn check_lines(subject: &Subject, how: Interruption, stdout: &str, context: &str) -> Vec<String> {
    let mut verdicts = Vec::new();
    for (line, (formula, expected)) in stdout.lines().zip(subject.queries) {
        let Ok(record) = serde_json::from_str::<Value>(line) else {
            // Only a process that is killed leaves half a line.
            assert!(matches!(how, Interruption::Signal("KILL", ..)), "{line}\n{context}");
            break;
        };
        assert_eq!(record["formula"], formula, "{context}");
        let verdict = record["verdict"].as_str().expect("a verdict").to_owned();
        if verdict == "unknown" {
            assert_eq!(record["reason"], how.reason(), "{context}");
        } else {
            assert_eq!(verdict, expected, "{context}");
        }
        verdicts.push(verdict);
    }
    verdicts
}

fn check_status(how: Interruption, status: ExitStatus, verdicts: &[String], context: &str) {
    let finished = verdicts.len() == 3;
    let undecided = verdicts.iter().any(|verdict| verdict == "unknown");
    let decided = if undecided { 3 } else { 1 };
    match how {
        Interruption::Signal(_, number, _) => {
            // Before and after the search, signals have their usual effect.
            let by_signal = status.signal() == Some(number);
            let handled = number != 9 && status.code() == Some(128 + number);
            let too_late = finished && !undecided && status.code() == Some(decided);
            assert!(by_signal || handled || too_late, "{status:?} {context}");
        }
        _ => {
            assert!(finished, "{context}");
            assert_eq!(status.code(), Some(decided), "{context}");
        }
    }
}

#[test]
fn interruptions_at_random_moments_do_no_harm() {
    let runs = std::env::var("ZONAUT_INTERRUPTIONS").ok();
    let runs = runs.map_or(DEFAULT_RUNS, |runs| runs.parse().expect("a number of runs"));
    let bench = Bench::new();
    let subjects = subjects(&bench);
    let mut random = Random(2024);
    let mut interrupted = 0;
    for _ in 0..runs {
        let subject = random.choose(&subjects);
        interrupted += u64::from(check(&bench, subject, &mut random));
    }
    eprintln!("{interrupted} of {runs} runs were interrupted");
    assert!(interrupted > 0 && interrupted < runs, "{interrupted} of {runs}");
}

/// Starts a long search and waits until it is under way.
fn long_search(bench: &Bench) -> (Child, BufReader<ChildStdout>) {
    bench.write(
        "m.xta",
        "int[0,9000] a; int[0,9000] b; process P() { state s; init s; \
         trans s -> s { guard a < 9000; assign a = a + 1; }, \
         s -> s { guard b < 9000; assign b = b + 1; }; } system P;",
    );
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.args(["verify", "m.xta", "-q", "E<> true", "-q", "E<> false", "-q", "E<> true"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary can be run");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    output.read_line(&mut first).expect("a line");
    assert!(first.contains("satisfied"), "{first}");
    (child, output)
}

#[test]
fn a_signal_ends_a_search_with_its_numbers() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let (mut child, mut output) = long_search(&Bench::new());
        send(&child, signal);
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert!(rest.contains("unknown       E<> false  (cancelled, "), "{rest}");
        assert_eq!(rest.lines().count(), 1, "{rest}");
    }
}

#[test]
fn statistics_can_be_asked_for_while_a_search_runs() {
    let (mut child, _output) = long_search(&Bench::new());
    send(&child, "USR1");
    let mut line = String::new();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    errors.read_line(&mut line).unwrap();
    assert!(line.contains(" explored (") && line.contains(" stored, "), "{line}");
    send(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
