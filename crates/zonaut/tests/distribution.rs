//! `zonaut verify` with several processes, hosts and checkpoints, and `zonaut resume`: the same
//! verdicts, messages for every fault, and no hang.
//!
//! `ZONAUT_KILLS` sets the number of killed processes.

#![cfg(unix)]

mod support;

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use support::Run;
use support::processes::{
    Random, bench, children_of, end, first_child_of, on_host, signal, start, write_hosts,
};

/// The longest time from a fault to the end of all processes.
const LONGEST: Duration = Duration::from_secs(15);

#[test]
fn processes_give_the_same_certified_verdicts() {
    let bench = bench("4");
    let counts = |run: &Run| {
        let record: Value = serde_json::from_str(run.stdout.trim()).expect("JSON");
        (record["verdict"].clone(), record["explored"].clone(), record["transitions"].clone())
    };
    for query in ["A[] (sum (i : id_t) P(i).Critical) <= 1", "E<> P(1).Critical", "E<> deadlock"] {
        let words = ["verify", "m.xta", "-q", query, "--certify", "always", "--json"];
        let shortest = ["--trace", "shortest", "--strategy", "bfs"];
        let with = |more: &[&str]| bench.run(&[&words[..], &shortest, more].concat());
        let one = with(&["--threads", "1"]);
        for more in [&["--processes", "1"][..], &["--processes", "2"]] {
            let several = with(more);
            assert_eq!(several.code, one.code, "{several:?}");
            assert_eq!(counts(&several).0, counts(&one).0, "{several:?}");
            assert_eq!(counts(&several).2, counts(&one).2, "{several:?}");
            assert!(several.stdout.contains("\"certified\":true"), "{several:?}");
            assert_eq!(several.stderr, one.stderr);
        }
        let (two, again) = (with(&["--processes", "2"]), with(&["--processes", "2"]));
        assert_eq!(counts(&two), counts(&again), "counts depend on the speed of processes");
        let record: Value = serde_json::from_str(two.stdout.trim()).expect("JSON");
        let workers = record["workers"].as_array().expect("workers");
        let explored = workers.iter().filter_map(|worker| worker["explored"].as_u64());
        assert_eq!((workers.len(), Some(explored.sum())), (2, record["explored"].as_u64()));
    }
}

#[test]
fn hosts_give_the_same_verdict_and_process_0_prints_it() {
    let bench = bench("4");
    write_hosts(&bench, 3);
    let others = ["2", "1"].map(|process| start(&bench, &on_host(process, &[])));
    let run = bench.run(&on_host("0", &["--certify", "always"]));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("certified"), "{run:?}");
    for other in others.map(end) {
        assert_eq!((other.code, other.stdout.as_str()), (Some(0), ""), "{other:?}");
    }
}

#[test]
fn differing_and_missing_processes_are_named() {
    let bench = bench("4");
    let ports = write_hosts(&bench, 3);
    let first = start(&bench, &on_host("0", &[]));
    let mut garbage = (0..).find_map(|attempt| {
        thread::sleep(Duration::from_millis(20));
        assert!(attempt < 1000, "process 0 does not listen");
        TcpStream::connect(("127.0.0.1", ports[0])).ok()
    });
    let _ = garbage.as_mut().map(|stream| stream.write_all(&[b'x'; 5000]));
    let one = start(&bench, &on_host("1", &[]));
    // Until it has joined, its number is free.
    thread::sleep(Duration::from_secs(2));
    let again = bench.run(&on_host("1", &[]));
    assert_eq!(again.code, Some(2), "{again:?}");
    assert!(again.stderr.contains("joined already"), "{again:?}");
    let other = bench.run(&on_host("2", &["-D", "K=7"]));
    assert_eq!(other.code, Some(2), "{other:?}");
    assert!(other.stderr.contains("model or query differs"), "{other:?}");
    let other = bench.run(&on_host("2", &["--threads", "2"]));
    assert_eq!(other.code, Some(2), "{other:?}");
    assert!(other.stderr.contains("2 threads"), "{other:?}");
    let wrong = bench.write("token", "another token for tests");
    assert!(wrong.exists());
    let other = bench.run(&on_host("2", &[]));
    assert_eq!(other.code, Some(2), "{other:?}");
    assert!(other.stderr.contains("another token"), "{other:?}");
    let (first, one) = (end(first), end(one));
    assert_eq!(first.code, Some(3), "{first:?}");
    let missing = format!("not joined within 10 s: process 2 (127.0.0.1:{})", ports[2]);
    assert!(first.stderr.contains(&missing), "{first:?}");
    assert_eq!(one.code, Some(3), "{one:?}");
    assert!(one.stderr.contains("process 0"), "{one:?}");
}

#[test]
fn wrong_options_and_files_are_refused() {
    let bench = bench("3");
    let check = |words: &[&str], part: &str| {
        let run = bench.run(&[&["verify", "m.xta"], words].concat());
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains(part), "{part}: {run:?}");
    };
    check(&["--processes", "2", "--strategy", "dfs"], "strategy `bfs`");
    check(&["--processes", "2", "-q", "A<> true"], "single `E<>` or `A[]`");
    check(&["--processes", "2", "-q", "E<> true", "-q", "A[] true"], "single `E<>` or `A[]`");
    check(&["--checkpoint", "c", "--process", "1"], "`--process` needs `--hosts`");
    check(&["--hosts", "none", "--process", "0", "--token", "token"], "none");
    bench.write("hosts", "127.0.0.1:7000\nnonsense\n");
    let hosts =
        |words: &[&'static str]| [&["--hosts", "hosts", "--token", "token"], words].concat();
    check(&hosts(&["--process", "0"]), "line 2");
    check(&["--hosts", "hosts", "--process", "0"], "--token");
    write_hosts(&bench, 2);
    check(&hosts(&["--process", "2"]), "no process 2");
    fs::set_permissions(bench.path("token"), PermissionsExt::from_mode(0o644))
        .expect("permissions");
    check(&hosts(&["--process", "0"]), "chmod 600");
    fs::set_permissions(bench.path("token"), PermissionsExt::from_mode(0o600))
        .expect("permissions");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    bench.write("hosts", format!("127.0.0.1:{port}\n127.0.0.1:1\n"));
    check(&hosts(&["--process", "0"]), "cannot listen");
    let run = bench.run(&["resume", "nowhere"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("no checkpoint"), "{run:?}");
}

#[test]
fn killed_and_stopped_processes_are_named() {
    let bench = bench("9");
    for (name, message) in [("KILL", "process 1 has ended"), ("STOP", "no sign of life")] {
        let first = start(&bench, &["verify", "m.xta", "--processes", "3", "--certify", "never"]);
        let Some(child) = first_child_of(first.id()) else {
            let _ = end(first);
            println!("skipped: the system does not list the children of a process");
            return;
        };
        thread::sleep(Duration::from_millis(700));
        let children = children_of(first.id()).unwrap_or_default();
        signal(child, name);
        let begun = Instant::now();
        let run = end(first);
        // A machine under load may decide the query before the signal.
        if run.code != Some(0) {
            assert_eq!(run.code, Some(3), "{run:?}");
            let is_named = run.stderr.contains(message) || run.stderr.contains("not joined");
            assert!(is_named, "{run:?}");
            assert!(begun.elapsed() < LONGEST, "{:?}", begun.elapsed());
        }
        let is_alive = |child: &u32| fs::metadata(format!("/proc/{child}")).is_ok();
        assert!(!children.iter().any(is_alive), "processes are left behind");
    }
}

#[test]
fn a_member_ends_with_process_0() {
    let bench = bench("9");
    write_hosts(&bench, 2);
    let member = start(&bench, &on_host("1", &[]));
    let mut first = start(&bench, &on_host("0", &["--certify", "never"]));
    thread::sleep(Duration::from_millis(1500));
    let _ = first.kill();
    let _ = first.wait();
    let member = end(member);
    assert!(matches!(member.code, Some(0 | 3)), "{member:?}");
    if member.code == Some(3) {
        assert!(member.stderr.contains("process 0"), "{member:?}");
    }
}

#[test]
fn termination_writes_a_checkpoint_that_continues() {
    let bench = bench("9");
    let words =
        ["verify", "m.xta", "--checkpoint", "saved", "--threads", "2", "--certify", "never"];
    let first = start(&bench, &words);
    thread::sleep(Duration::from_millis(1000));
    // Another run does not disturb it.
    let other = bench.run(&words);
    assert_eq!(other.code, Some(2), "{other:?}");
    signal(first.id(), "TERM");
    let run = end(first);
    if run.code == Some(0) {
        println!("skipped: the query was decided before the signal");
        return;
    }
    assert_eq!(run.code, Some(143), "{run:?}");
    assert!(run.stderr.contains("`zonaut resume saved`"), "{run:?}");
    let other = bench.run(&words);
    assert_eq!(other.code, Some(2), "{other:?}");
    assert!(other.stderr.contains("has a checkpoint"), "{other:?}");
    let resumed = bench.run(&["resume", "saved", "--threads", "3", "--json"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    // The model has changed since then.
    let model = fs::read_to_string(bench.path("m.xta")).expect("a model");
    bench.write("m.xta", format!("{model}\n").replace("10", "11"));
    let refused = bench.run(&["resume", "saved"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("has changed"), "{refused:?}");
    bench.write("m.xta", model);
    for file in fs::read_dir(bench.path("saved")).expect("a folder").flatten() {
        let name = file.file_name().into_string().expect("UTF-8");
        if name.starts_with("nodes-") {
            let content = fs::read(file.path()).expect("a file");
            fs::write(file.path(), &content[..content.len() / 2]).expect("a file");
        }
    }
    let refused = bench.run(&["resume", "saved"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("damaged"), "{refused:?}");
}

/// Waits until these processes have ended, which must not take long.
fn wait_for_end_of(processes: &[u32]) {
    let begun = Instant::now();
    // One that has ended may wait for a parent that takes its exit code.
    let is_alive = |process: &u32| {
        let state = fs::read_to_string(format!("/proc/{process}/stat"));
        state.is_ok_and(|text| !text.contains(") Z "))
    };
    while processes.iter().any(is_alive) {
        assert!(begun.elapsed() < LONGEST, "processes are left behind");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Kills processes at random times, and continues with another number of workers each time, until
/// the query is decided.
#[test]
fn killed_searches_continue_to_the_same_verdict() {
    let kills = std::env::var("ZONAUT_KILLS").ok().and_then(|text| text.parse().ok());
    let kills: u64 = kills.unwrap_or(4);
    let bench = bench("9");
    let words = ["verify", "m.xta", "--checkpoint", "saved", "--checkpoint-every", "0.05s"];
    let random = &mut Random(2026);
    let (mut killed, mut verdicts, mut rounds) = (0, 0, 0_u64);
    while killed < kills && rounds < 20 * kills {
        rounds += 1;
        let (processes, threads) = (1 + random.below(3), 1 + random.below(2));
        let (processes, threads) = (processes.to_string(), threads.to_string());
        let workers = ["--processes", &processes, "--threads", &threads];
        let has_checkpoint = bench.path("saved/manifest.json").exists();
        let command = match has_checkpoint {
            true => [&["resume", "saved", "--checkpoint-every", "0.05s"][..], &workers].concat(),
            false => [&words[..], &["--certify", "never"], &workers].concat(),
        };
        let first = start(&bench, &command);
        thread::sleep(Duration::from_millis(200 + random.below(1500)));
        let children = children_of(first.id()).unwrap_or_default();
        let all: Vec<u32> = std::iter::once(first.id()).chain(children).collect();
        let victim = all[random.below(all.len() as u64) as usize];
        let _ = Command::new("kill").args(["-KILL", &victim.to_string()]).status();
        let run = end(first);
        wait_for_end_of(&all);
        match run.code {
            // A signal, or a lost process.
            None | Some(3) => killed += 1,
            Some(0) => {
                verdicts += 1;
                assert!(run.stdout.contains("satisfied"), "{run:?}");
                fs::remove_dir_all(bench.path("saved")).expect("a folder");
            }
            _ => panic!("{command:?}: {run:?}"),
        }
    }
    if bench.path("saved/manifest.json").exists() {
        let run = bench.run(&["resume", "saved"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        verdicts += 1;
    }
    println!("{killed} killed, {verdicts} verdicts, {rounds} runs");
}
