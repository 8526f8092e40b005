//! Limits and signals at random moments: no crash, no wrong verdict, and the documented exit code.
//! All long computations respect them: preparation of heuristics, and evaluations inside one state.
//!
//! `ZONAUT_INTERRUPTIONS` sets the number of runs.

#![cfg(unix)]

mod support;

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use support::processes::Random;
use support::{Bench, Run};

const DEFAULT_RUNS: u64 = 20;

/// The tolerance of a time limit, on a loaded machine.
const GRACE: Duration = Duration::from_secs(5);

/// A model with three queries and their verdicts: one is decided soon, two need the whole state
/// space.
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
    // The process may have ended already; then there is no receiver.
    let pid = child.id().to_string();
    let _ = Command::new("kill").args(["-s", signal, &pid]).stderr(Stdio::null()).status();
}

const BLIND: &[&str] = &["bfs", "dfs", "rdfs"];

/// Strategies whose heuristics take time to prepare.
const WITH_PREPARED_HEURISTICS: &[&str] = &[
    "astar(dl)",
    "greedy(du)",
    "astar(hl)",
    "wastar(hu)",
    "greedy(hamming)",
    "astar(rd)",
    "greedy(cone(d=3))",
    "astar(max(hl, rd))",
    "alternate(hu, du)",
    "restarts(hu)",
];

/// Checks one interrupted run; returns whether it was really interrupted.
fn check(bench: &Bench, subject: &Subject, strategies: &[&str], random: &mut Random) -> bool {
    let how = interruption(random);
    let mut words: Vec<String> = vec!["verify".into(), subject.file.clone(), "--json".into()];
    for (formula, _) in subject.queries {
        words.extend(["-q".into(), formula.into()]);
    }
    let strategy = random.choose(strategies);
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

/// Every complete line has a correct verdict, or the reason why it is unknown.
fn check_lines(subject: &Subject, how: Interruption, stdout: &str, context: &str) -> Vec<String> {
    let mut verdicts = Vec::new();
    for (line, (formula, expected)) in stdout.lines().zip(subject.queries) {
        let Ok(record) = serde_json::from_str::<Value>(line) else {
            // Only a killed process leaves an incomplete line.
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
            // Before and after the search, signals have their default effect.
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

/// Interrupts runs with these strategies; some in time, some too late.
fn check_all(bench: &Bench, subjects: &[Subject], strategies: &[&str]) {
    let runs = std::env::var("ZONAUT_INTERRUPTIONS").ok();
    let runs = runs.map_or(DEFAULT_RUNS, |runs| runs.parse().expect("a number of runs"));
    let mut random = Random(2024);
    let mut interrupted = 0;
    for _ in 0..runs {
        let subject = random.choose(subjects);
        interrupted += u64::from(check(bench, subject, strategies, &mut random));
    }
    eprintln!("{interrupted} of {runs} runs were interrupted");
    assert!(interrupted > 0 && interrupted < runs, "{interrupted} of {runs}");
}

#[test]
fn interruptions_at_random_moments_are_safe() {
    let bench = Bench::new();
    let subjects = subjects(&bench);
    check_all(&bench, &subjects, BLIND);
}

#[test]
fn interruptions_during_heuristic_preparation_are_safe() {
    let bench = Bench::new();
    let mut subjects = vec![];
    for (name, text) in [("wide.xta", wide(400, 60, 150)), ("deep.xta", deep(9, 60))] {
        bench.write(name, text);
        let queries =
            [("E<> P.b", "not_satisfied"), ("A[] not P.b", "satisfied"), ("E<> P.a", "satisfied")];
        subjects.push(Subject { file: name.to_owned(), queries });
    }
    check_all(&bench, &subjects, WITH_PREPARED_HEURISTICS);
}

/// A guard that is split into `selected` times `tests` tests, each on a variable with `values`
/// values.
fn wide(values: u32, selected: u32, tests: u32) -> String {
    format!(
        "int[0,{values}] w; process P() {{ state a, b; init a; trans a -> b {{ \
         select z : int[0,{selected}]; guard forall (q : int[0,{tests}]) q < w + z - {selected}; \
         }}; }} system P;",
    )
}

/// A guard that takes 125 times `steps` steps for each of `selected` values.
fn deep(selected: u32, steps: u32) -> String {
    format!(
        "int[0,1] w; process P() {{ state a, b; init a; trans a -> b {{ \
         select z : int[0,{selected}]; guard exists (i : int[0,{steps}]) \
         exists (j : int[0,124]) i + j + z + w < 0; }}; }} system P;",
    )
}

/// A goal that graph distances exclude, and whose certificate needs a large state space.
const UNPROVABLE: &str = "\
int[0,9000] a; int[0,9000] b;
process Q() { state here, there; init here; }
process P() { state s; init s; trans s -> s { assign a = (a + 1) % 9001; },
s -> s { assign b = (b + a) % 9001; }; } system P, Q;";

/// Two models that take minutes.
fn slow_models(bench: &Bench) -> [&'static str; 2] {
    bench.write("wide.xta", wide(1000, 300, 500));
    bench.write("deep.xta", deep(9999, 20_000));
    ["wide.xta", "deep.xta"]
}

fn timed(bench: &Bench, words: &[&str]) -> (Run, Duration) {
    let start = Instant::now();
    let run = bench.run(words);
    (run, start.elapsed())
}

/// A strategy for each part of the catalogue, and the command that accepts it.
fn examples_of_strategies(bench: &Bench) -> Vec<(&'static str, String)> {
    let listed = bench.run(&["strategies", "--json"]).stdout;
    let example = |line: &str| {
        let record: Value = serde_json::from_str(line).expect("JSON");
        let is_for_costs = ["cost-search", "estimate"].contains(&record["kind"].as_str()?);
        let command = if is_for_costs { "optimize" } else { "verify" };
        Some((command, record["example"].as_str()?.to_owned()))
    };
    listed.lines().map(|line| example(line).expect("a kind and an example")).collect()
}

#[test]
fn time_ends_every_strategy_while_it_prepares_and_inside_one_state() {
    let bench = Bench::new();
    for model in slow_models(&bench) {
        for (command, strategy) in examples_of_strategies(&bench) {
            let words = [command, model, "-q", "E<> P.b", "--strategy", &strategy];
            let limits = ["--time", "0.3", "--memory", "500M"];
            let (run, elapsed) = timed(&bench, &[&words[..], &limits[..]].concat());
            assert!(elapsed < GRACE, "{strategy} {model}: {elapsed:?} {run:?}");
            // Some heuristics recognise at once that the goal is unreachable.
            let is_stopped = run.code == Some(3) && run.stdout.contains("time limit");
            let is_right = run.code == Some(1)
                && [" not satisfied ", " unreachable "].iter().any(|it| run.stdout.contains(it));
            // Beams support networks of tasks only.
            let is_refused = run.code == Some(3) && run.stderr.contains("unsupported: beam search");
            assert!(is_stopped || is_right || is_refused, "{command} {strategy} {model}: {run:?}");
        }
    }
}

#[test]
fn the_memory_limit_ends_heuristic_preparation() {
    let bench = Bench::new();
    bench.write("wide.xta", wide(1000, 300, 500));
    for strategy in ["astar(dl)", "greedy(hu)", "astar(rd)"] {
        let words = ["verify", "wide.xta", "-q", "E<> P.b", "--strategy", strategy];
        let run = bench.run(&[&words[..], &["--memory", "3M"]].concat());
        assert_eq!(run.code, Some(3), "{strategy}: {run:?}");
        assert!(run.stdout.contains("memory limit"), "{strategy}: {run:?}");
    }
}

/// Starts a command, waits for a moment, sends `signal`, and waits for its end.
fn signalled(bench: &Bench, words: &[&str], signal: &str) -> (Run, Duration) {
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary can be run");
    thread::sleep(Duration::from_millis(400));
    assert_eq!(child.try_wait().expect("a child"), None, "{words:?} ended by itself");
    let start = Instant::now();
    send(&child, signal);
    let output = child.wait_with_output().expect("the binary ends");
    let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    (Run { code: output.status.code(), stdout, stderr }, start.elapsed())
}

#[test]
fn one_signal_ends_preparation_and_evaluation() {
    let bench = Bench::new();
    slow_models(&bench);
    for (model, strategy) in [
        ("wide.xta", "astar(dl)"),
        ("wide.xta", "greedy(hu)"),
        ("wide.xta", "astar(rd)"),
        ("deep.xta", "bfs"),
        ("deep.xta", "astar(cone)"),
    ] {
        let words = ["verify", model, "-q", "E<> P.b", "--strategy", strategy];
        let (run, elapsed) = signalled(&bench, &words, "TERM");
        assert!(elapsed < GRACE, "{strategy} {model}: {elapsed:?}");
        assert_eq!(run.code, Some(143), "{strategy} {model}: {run:?}");
        assert!(run.stdout.contains("  cancelled"), "{strategy} {model}: {run:?}");
    }
}

#[test]
fn evidence_that_takes_too_long_leaves_the_verdict() {
    let bench = Bench::new();
    bench.write("m.xta", UNPROVABLE);
    let words = ["verify", "m.xta", "-q", "E<> Q.there", "--strategy", "astar(dl)"];
    let always = [&words[..], &["--certify", "always"]].concat();
    let (run, elapsed) = timed(&bench, &[&always[..], &["--time", "0.5"]].concat());
    assert!(elapsed < GRACE, "{elapsed:?} {run:?}");
    assert_eq!(run.code, Some(3), "{run:?}");
    let is_said =
        |run: &Run, what: &str| run.stdout.contains(" not satisfied ") && run.stdout.contains(what);
    assert!(is_said(&run, "uncertified: time limit"), "{run:?}");
    // Without a requested certificate this is no failure.
    let (run, elapsed) = timed(&bench, &[&words[..], &["--time", "0.5"]].concat());
    assert!(elapsed < GRACE, "{elapsed:?} {run:?}");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(is_said(&run, "uncertified: time limit"), "{run:?}");
    let (run, elapsed) = signalled(&bench, &always, "TERM");
    assert!(elapsed < GRACE, "{elapsed:?} {run:?}");
    assert_eq!(run.code, Some(143), "{run:?}");
    assert!(is_said(&run, "uncertified: interrupted"), "{run:?}");
}

#[test]
fn an_unread_pipe_does_not_block_forever() {
    let bench = Bench::new();
    bench.write("m.xta", "process P() { state a; init a; } system P;");
    let made = bench.command("mkfifo").arg("pipe").status().expect("mkfifo");
    assert!(made.success());
    let words = ["verify", "m.xta", "-q", "E<> P.a", "--certificate", "pipe"];
    let (run, elapsed) = timed(&bench, &[&words[..], &["--time", "0.3"]].concat());
    assert!(elapsed < GRACE, "{elapsed:?} {run:?}");
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stdout.starts_with("\u{2713} satisfied "), "{run:?}");
    assert!(run.stdout.contains("uncertified: time limit"), "{run:?}");
    let (run, elapsed) = signalled(&bench, &words, "TERM");
    assert!(elapsed < GRACE, "{elapsed:?} {run:?}");
    assert_eq!(run.code, Some(143), "{run:?}");
    // A reader gets the complete certificate.
    let reader = bench.command("cat").arg("pipe").stdout(Stdio::piped()).spawn().expect("cat");
    let run = bench.run(&words);
    assert_eq!(run.code, Some(0), "{run:?}");
    let text = reader.wait_with_output().expect("cat ends").stdout;
    assert!(text.starts_with(b"tacert 1\n") && text.ends_with(b"\n"), "{text:?}");
}

/// Starts a long search and waits until it is running.
fn long_search(bench: &Bench) -> (Child, BufReader<ChildStdout>) {
    bench.write(
        "m.xta",
        "int[0,9000] a; int[0,9000] b; process P() { state s; init s; \
         trans s -> s { guard a < 9000; assign a = a + 1; }, \
         s -> s { guard b < 9000; assign b = b + 1; }; } system P;",
    );
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    // Breadth-first search explores all states; other searches know at once that the data is
    // irrelevant.
    command.args(["verify", "m.xta", "--strategy", "bfs", "--separate"]);
    command.args(["-q", "E<> true", "-q", "E<> false", "-q", "E<> true"]);
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
        // The time follows, unless the signal came before the search.
        assert!(rest.contains("? unknown        E<> false  cancelled"), "{rest}");
        assert_eq!(rest.lines().count(), 1, "{rest}");
    }
}

#[test]
fn statistics_can_be_requested_during_a_search() {
    let (mut child, _output) = long_search(&Bench::new());
    send(&child, "USR1");
    let mut line = String::new();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    errors.read_line(&mut line).unwrap();
    assert!(line.starts_with("searching ") && line.contains(" states, "), "{line}");
    send(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
