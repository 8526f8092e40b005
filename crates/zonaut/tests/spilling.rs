//! Searches that move old states to files: the same answers within less memory, and faults of folders
//! and disks.

#![cfg(unix)]

mod support;

use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};
use support::processes::{end, signal, start};
use support::{Bench, Run};

/// The result of `verify --json`.
fn record(run: &Run) -> Value {
    serde_json::from_str(run.stdout.lines().next().unwrap_or("")).expect("JSON")
}

fn number(record: &Value, name: &str) -> u64 {
    let number = record[name].as_u64();
    assert!(number.is_some(), "{name} in {record}");
    number.unwrap_or_default()
}

fn generated(words: &[&str]) -> Bench {
    let bench = Bench::new();
    let run = bench.run(&[&["generate"], words, &["-o", "m.xta"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    bench
}

/// Words of a command line with a memory limit.
fn within(words: &[&str], memory: u64) -> Vec<String> {
    let mut words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    words.extend(["--memory".to_owned(), memory.to_string()]);
    words
}

fn run(bench: &Bench, words: &[String]) -> Run {
    bench.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A search within too little memory ends at the limit, and one that spills has the answer of one
/// without a limit.
fn check(family: &[&str], options: &[&str]) {
    let bench = generated(family);
    let words = [&["verify", "m.xta", "--json", "--certify", "never"], options].concat();
    let free = bench.run(&words);
    let expected = record(&free);
    let memory = number(&expected, "search_bytes") * 4 / 5;
    let limited = run(&bench, &within(&words, memory));
    assert_eq!(limited.code, Some(3), "{options:?} {memory} {limited:?}");
    assert!(limited.stdout.contains("memory limit"), "{limited:?}");
    let spilled = run(&bench, &within(&[&words[..], &["--spill", "s"]].concat(), memory));
    let found = record(&spilled);
    assert_eq!(spilled.code, free.code, "{options:?} {memory} {spilled:?}");
    for name in ["verdict", "explored", "stored", "transitions", "strategy"] {
        assert_eq!(found[name], expected[name], "{name} {family:?} {options:?}");
    }
    assert!(number(&found, "spilled_bytes") > 0, "{spilled:?}");
    assert!(number(&found, "search_bytes") < memory, "{spilled:?}");
    assert!(!bench.path("s").exists());
}

#[test]
fn searches_that_spill_answer_within_less_memory() {
    for options in [
        &["--strategy", "bfs"][..],
        &["--strategy", "dfs"],
        &["--strategy", "bfs", "--no-symmetry", "--trace", "shortest"],
    ] {
        check(&["fischer", "8"], options);
    }
    check(&["train-gate", "5"], &["--strategy", "bfs"]);
    // The buffers of several workers are a large part of the memory of a smaller search.
    for family in [["fischer", "9"], ["train-gate", "5"]] {
        check(&family, &["--strategy", "bfs", "--threads", "2"]);
    }
}

#[test]
fn evidence_of_spilled_states_is_accepted() {
    let bench = generated(&["fischer", "8"]);
    for options in [&["--strategy", "bfs"][..], &["--strategy", "bfs", "--threads", "2"]] {
        let words = [&["verify", "m.xta", "--json"], options].concat();
        let free = record(&bench.run(&words));
        let memory = number(&free, "search_bytes") * 9 / 10;
        let run = run(&bench, &within(&[&words[..], &["--spill", "s"]].concat(), memory));
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(number(&record(&run), "spilled_bytes") > 0, "{run:?}");
        assert_eq!(record(&run)["certified"], true, "{run:?}");
    }
}

#[test]
fn a_path_through_spilled_states_is_replayed() {
    let bench = generated(&["fischer", "8"]);
    let goal = ["-q", "E<> P(1).Critical && forall (i : id_t) (i == 1 || P(i).Wait)"];
    let words =
        [&["verify", "m.xta", "--json", "--strategy", "bfs", "--trace", "shortest"], &goal[..]]
            .concat();
    let free = bench.run(&words);
    let memory = number(&record(&free), "search_bytes") * 4 / 5;
    let spilled = run(&bench, &within(&[&words[..], &["--spill", "s"]].concat(), memory));
    assert_eq!(spilled.code, free.code, "{spilled:?}");
    assert!(number(&record(&spilled), "spilled_bytes") > 0, "{spilled:?}");
    assert!(record(&free)["trace"].is_object(), "{free:?}");
    assert_eq!(record(&spilled)["trace"], record(&free)["trace"]);
}

#[test]
fn verbose_output_names_the_bytes() {
    let bench = generated(&["fischer", "6"]);
    let run = bench.run(&["verify", "m.xta", "-v", "--spill", "s", "--certify", "never"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("0 B spilled"), "{run:?}");
}

#[test]
fn unsuited_combinations_are_refused() {
    let bench = generated(&["fischer", "3"]);
    for (options, why) in [
        (&["--strategy", "dfs", "--threads", "2"][..], "needs the strategy `bfs`"),
        (&["--strategy", "lazy(m)"], "lazy"),
        (&["-q", "A<> P1.cs"], "`E<>` and `A[]`"),
        (&["--processes", "2"], "cannot be used with"),
        (&["--checkpoint", "c"], "cannot be used with"),
    ] {
        let run = bench.run(&[&["verify", "m.xta", "--spill", "s"], options].concat());
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains(why), "{run:?}");
        assert!(!bench.path("s").exists());
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_wrong_input() {
    let bench = generated(&["fischer", "3"]);
    let run = bench.run(&["verify", "m.xta", "--spill", "m.xta"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("m.xta cannot be created"), "{run:?}");
}

/// A search that takes long.
const LONG: &[&str] =
    &["verify", "m.xta", "--spill", "s", "--memory", "4M", "--certify", "never", "-q", "A[] true"];

/// Waits until a search uses the folder.
fn wait_for_folder(bench: &Bench) {
    let begun = Instant::now();
    while !bench.path("s/lock").exists() {
        assert!(begun.elapsed() < Duration::from_secs(30), "no folder");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_second_search_in_a_folder_is_refused() {
    let bench = generated(&["fischer", "11"]);
    let first = start(&bench, LONG);
    wait_for_folder(&bench);
    thread::sleep(Duration::from_millis(50));
    let second = bench.run(LONG);
    assert_eq!(second.code, Some(2), "{second:?}");
    assert!(second.stderr.contains("another process uses s"), "{second:?}");
    signal(first.id(), "INT");
    let _ = end(first);
    assert!(!bench.path("s").exists());
}

#[test]
fn an_interrupted_search_leaves_nothing_behind_and_a_killed_one_is_replaced() {
    let bench = generated(&["fischer", "11"]);
    for threads in ["1", "2"] {
        let search = start(&bench, &[LONG, &["--strategy", "bfs", "--threads", threads]].concat());
        wait_for_folder(&bench);
        thread::sleep(Duration::from_millis(150));
        signal(search.id(), "INT");
        let run = end(search);
        assert!(matches!(run.code, Some(130 | 3)), "{run:?}");
        assert!(!bench.path("s").exists());
    }
    let search = start(&bench, LONG);
    wait_for_folder(&bench);
    signal(search.id(), "KILL");
    let _ = end(search);
    let names = fs::read_dir(bench.path("s")).expect("a folder").flatten();
    assert!(names.into_iter().all(|entry| entry.file_name() == "lock"), "states are left");
    let words = ["verify", "m.xta", "--spill", "s", "--states", "1000", "--certify", "never"];
    let run = bench.run(&words);
    assert_eq!(run.code, Some(3), "{run:?}");
    // It was there before this search.
    assert_eq!(fs::read_dir(bench.path("s")).expect("a folder").count(), 0);
}

#[test]
fn a_full_disk_ends_the_search_with_its_counts() {
    let bench = generated(&["fischer", "9"]);
    for threads in ["1", "2"] {
        let script = "trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\"";
        let mut command = bench.command("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_zonaut")]).args(LONG);
        command.args(["--json", "--strategy", "bfs", "--threads", threads]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let run = end(child.expect("a shell"));
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.stderr.contains("error: s cannot be written: File too large"), "{run:?}");
        let record = record(&run);
        assert_eq!(record["verdict"], "unknown", "{run:?}");
        assert!(number(&record, "explored") > 0, "{run:?}");
        assert!(!bench.path("s").exists());
    }
}
