//! Faults of the machine: no memory, a full disk, a closed output, a killed process. A verdict is
//! never wrong, and a certificate file is never incomplete.

#![cfg(unix)]

mod support;

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;
use support::{Bench, Run};

const OLD: &str = "what was there before\n";

/// A folder with a model whose only query is satisfied, and an older certificate.
fn prepared() -> Bench {
    let bench = Bench::new();
    let run = bench.run(&["generate", "fischer", "5", "-o", "m.xta"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    bench.write("c.cert", OLD);
    fs::create_dir(bench.path("temporary")).expect("a folder");
    bench
}

/// Verifies the model in a shell with these limits.
fn verify(bench: &Bench, limits: &str, words: &[&str]) -> Run {
    let script = format!("{limits}; exec \"$0\" verify m.xta --json \"$@\"");
    let mut command = bench.command("sh");
    command.env("TMPDIR", bench.path("temporary"));
    bench.finish(command.args(["-c", &script, env!("CARGO_BIN_EXE_zonaut")]).args(words))
}

/// Checks that the certificate file is the old one, or a complete new one; returns whether it is
/// new.
fn is_replaced(bench: &Bench, context: &str) -> bool {
    let content = fs::read(bench.path("c.cert")).expect("a file");
    if content == OLD.as_bytes() {
        return false;
    }
    let check = bench.run(&["certify", "m.xta", "c.cert"]);
    assert_eq!(check.code, Some(0), "{context}\n{check:?}");
    true
}

/// Checks that the output is correct and agrees with the exit code.
fn check(run: &Run) {
    assert!(!run.stdout.contains("not_satisfied"), "{run:?}");
    assert!(!run.stderr.contains("bug in Zonaut"), "{run:?}");
    match run.code {
        Some(0) => assert!(run.stdout.contains("\"verdict\":\"satisfied\""), "{run:?}"),
        Some(3) => assert!(run.stdout.contains("\"verdict\":"), "{run:?}"),
        // The loader or the allocator ended the process before any output.
        Some(127) | None => assert!(!run.stdout.contains('\n'), "{run:?}"),
        other => unreachable!("exit code {other:?}: {run:?}"),
    }
}

fn files_in(bench: &Bench, folder: &str) -> usize {
    fs::read_dir(bench.path(folder)).expect("a folder").count()
}

#[test]
fn without_memory_the_answer_is_missing_or_correct() {
    let bench = prepared();
    let (mut answered, mut unanswered) = (0, 0);
    // Each limit makes another allocation fail.
    for kilobytes in (10_000..90_000).step_by(8_000) {
        let limit = format!("ulimit -v {kilobytes}");
        let run = verify(&bench, &limit, &["--certificate", "c.cert", "--certify", "always"]);
        check(&run);
        let is_replaced = is_replaced(&bench, &limit);
        match run.code {
            Some(0) => answered += 1,
            _ => unanswered += 1,
        }
        assert!(is_replaced || run.code != Some(0), "{run:?}");
        bench.write("c.cert", OLD);
    }
    assert!(answered > 0 && unanswered > 0, "{answered} {unanswered}");
}

#[test]
fn a_search_that_runs_out_of_memory_reports_it() {
    let bench = prepared();
    bench.write(
        "m.xta",
        "int[0,9000] a; int[0,9000] b; process P() { state s; init s; \
         trans s -> s { guard a < 9000; assign a = a + 1; }, \
         s -> s { guard b < 9000; assign b = b + 1; }; } system P;",
    );
    let mut ended = 0;
    for kilobytes in (50_000..80_000).step_by(10_000) {
        let goal = ["-q", "E<> a + b > 17999", "--strategy", "bfs"];
        let words = [&goal[..], &["--certificate", "c.cert"]].concat();
        let run = verify(&bench, &format!("ulimit -v {kilobytes}"), &words);
        assert!(!run.stdout.contains("satisfied\""), "{run:?}");
        if run.stdout.contains("\"reason\":\"memory limit\"") {
            assert_eq!(run.code, Some(3), "{run:?}");
            ended += 1;
        }
        assert_eq!(fs::read_to_string(bench.path("c.cert")).expect("a file"), OLD);
    }
    assert!(ended > 0, "{ended}");
}

#[test]
fn a_full_disk_leaves_the_old_certificate() {
    let bench = prepared();
    let (mut written, mut unwritten) = (0, 0);
    // Each limit makes another write fail; the signal that comes with it is ignored.
    for blocks in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 2_000] {
        let limit = format!("trap '' XFSZ; ulimit -f {blocks}");
        let words = ["--certificate", "c.cert", "--certify", "never"];
        let run = verify(&bench, &limit, &words);
        check(&run);
        assert!(run.stdout.contains("\"verdict\":\"satisfied\""), "{run:?}");
        let is_replaced = is_replaced(&bench, &limit);
        assert_eq!(run.code, Some(if is_replaced { 0 } else { 3 }), "{run:?}");
        *if is_replaced { &mut written } else { &mut unwritten } += 1;
        bench.write("c.cert", OLD);
        assert_eq!(files_in(&bench, "."), 3, "{limit}");
    }
    assert!(written > 0 && unwritten > 5, "{written} {unwritten}");
}

#[test]
fn a_full_disk_keeps_the_check_from_being_made() {
    let bench = prepared();
    for blocks in [0, 1, 2, 8, 34] {
        let limit = format!("trap '' XFSZ; ulimit -f {blocks}");
        let run = verify(&bench, &limit, &["--certify", "always"]);
        check(&run);
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.stdout.contains("\"certified\":false"), "{run:?}");
        assert_eq!(files_in(&bench, "temporary"), 0, "{limit}");
    }
}

#[test]
fn output_that_cannot_be_written_is_no_success() {
    let bench = prepared();
    bench.write("hasty.q", "E<> P(1).Critical\n");
    for words in ["", "--json", "--trace some"] {
        let script = format!("exec \"$0\" verify m.xta hasty.q {words} > /dev/full");
        let mut command = bench.command("sh");
        let run = bench.finish(command.args(["-c", &script, env!("CARGO_BIN_EXE_zonaut")]));
        assert_eq!(run.code, Some(3), "{words}: {run:?}");
    }
}

#[test]
fn a_killed_process_leaves_the_old_certificate_or_a_complete_one() {
    let bench = prepared();
    let mut replaced = 0;
    for milliseconds in (0..240).step_by(12) {
        let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
        command.args(["verify", "m.xta", "--certify", "always", "--certificate", "c.cert"]);
        command.env("TMPDIR", bench.path("temporary"));
        let mut child = command.stdout(Stdio::null()).spawn().expect("the binary can be run");
        thread::sleep(Duration::from_millis(milliseconds));
        let _ = child.kill();
        let _ = child.wait();
        replaced += usize::from(is_replaced(&bench, &format!("after {milliseconds} ms")));
        bench.write("c.cert", OLD);
    }
    eprintln!("{replaced} certificates were written before the end");
}
