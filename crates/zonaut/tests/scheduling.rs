//! The tutorial about schedules: its files are written and its commands run, in order.

#![cfg(unix)]

mod support;

use std::path::Path;
use support::{Bench, Run};

const TUTORIAL: &str = include_str!("../../../docs/SCHEDULING.md");

/// The blocks of the page with what is written after their fences.
fn blocks() -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in TUTORIAL.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some((info.to_owned(), String::new())),
            (None, None) => {}
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    blocks
}

/// Runs a line of a shell in which `zonaut` is the binary.
fn run(bench: &Bench, line: &str) -> Run {
    let folder = Path::new(env!("CARGO_BIN_EXE_zonaut")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = bench.command("sh");
    command.args(["-c", line]).env("PATH", format!("{}:{path}", folder.display()));
    bench.finish(&mut command)
}

#[test]
fn the_commands_of_the_tutorial_work() {
    let bench = Bench::new();
    let mut outputs = String::new();
    for (info, text) in blocks() {
        match info.split_once(' ') {
            Some((_, name)) => drop(bench.write(name, text)),
            None if info == "sh" => {
                for line in text.lines() {
                    let run = run(&bench, line);
                    assert_eq!(run.code, Some(0), "{line}: {run:?}");
                    outputs.push_str(&run.stdout);
                }
            }
            None => {}
        }
    }
    for told in ["Job1.done: 6, the least cost", "Job0 |[work0=", "11 (infimum, not attained)"] {
        assert!(TUTORIAL.contains(told.trim_start_matches("Job1.done: ")), "{told}");
        assert!(outputs.contains(told), "{told}: {outputs}");
    }
}
