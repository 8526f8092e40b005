//! Faults of processes and disks: a full disk, too little memory, signals and stopped processes. Each
//! ends soon with a clear message, and the last whole checkpoint continues the search.

#![cfg(unix)]

mod support;

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use support::processes::{Random, bench, end, first_child_of, on_host, signal, start, write_hosts};
use support::{Bench, Run};

/// The longest time from a fault to the end of all processes.
const LONGEST: Duration = Duration::from_secs(15);

const CHECKPOINTS: &[&str] =
    &["--checkpoint", "saved", "--checkpoint-every", "0.02s", "--certify", "never"];

/// Starts a search in a shell, with these limits.
fn limited(bench: &Bench, limits: &str, words: &[&str]) -> std::process::Child {
    let script = format!("{limits}; exec \"$0\" \"$@\"");
    let mut command = bench.command("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_zonaut")]).args(words);
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("a shell")
}

/// Checks the end of a search that could not write a checkpoint, and continues it.
fn check_unwritten(bench: &Bench, run: &Run, why: &str) -> bool {
    if run.code == Some(0) {
        return false;
    }
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stderr.contains("cannot take a checkpoint"), "{run:?}");
    assert!(run.stderr.contains(why), "{run:?}");
    if !bench.path("saved/manifest.json").exists() {
        return true;
    }
    assert!(run.stderr.contains("`zonaut resume saved`"), "{run:?}");
    let manifest = fs::read_to_string(bench.path("saved/manifest.json")).expect("a manifest");
    for file in fs::read_dir(bench.path("saved")).expect("a folder").flatten() {
        let name = file.file_name().into_string().expect("UTF-8");
        let is_expected = ["lock", "manifest.json"].contains(&&*name) || manifest.contains(&name);
        assert!(is_expected, "{name} is left behind");
    }
    true
}

#[test]
fn a_full_disk_ends_the_search_and_keeps_the_last_checkpoint() {
    let bench = bench("8");
    let (mut unwritten, mut continued) = (0, 0);
    for (blocks, workers) in [(8, "--threads"), (500, "--threads"), (900, "--processes")] {
        let words = [&["verify", "m.xta"][..], CHECKPOINTS, &[workers, "2"]].concat();
        let run = end(limited(&bench, &format!("trap '' XFSZ; ulimit -f {blocks}"), &words));
        if check_unwritten(&bench, &run, "File too large") {
            unwritten += 1;
        }
        if bench.path("saved/manifest.json").exists() {
            continued += 1;
            let resumed = bench.run(&["resume", "saved"]);
            assert_eq!(resumed.code, Some(0), "{resumed:?}");
        }
        let _ = fs::remove_dir_all(bench.path("saved"));
    }
    assert!(unwritten > 0 && continued > 0, "{unwritten} {continued}");
}

/// A file system of some megabytes, while this value lives.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    /// `None` without the right to mount it.
    fn mount(bench: &Bench, size: &str) -> Option<Self> {
        let path = bench.path("disk");
        fs::create_dir(&path).expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(&path);
        let is_mounted = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        is_mounted.then_some(Self(path))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_disk_without_space_ends_the_search_and_keeps_the_last_checkpoint() {
    let bench = bench("8");
    let Some(disk) = SmallDisk::mount(&bench, "1500k") else {
        println!("skipped: a file system cannot be mounted");
        return;
    };
    let saved = "disk/saved";
    let words = ["verify", "m.xta", "--checkpoint", saved, "--checkpoint-every", "0.02s"];
    let run = end(start(&bench, &[&words[..], &["--certify", "never"]].concat()));
    if run.code == Some(0) {
        println!("skipped: the query was decided before the disk was full");
        return;
    }
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stderr.contains("No space left on device"), "{run:?}");
    let resumed = bench.run(&["resume", saved, "--checkpoint-every", "1000s"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    drop(disk);
}

#[test]
fn a_process_without_memory_ends_all_and_is_named() {
    let bench = bench("8");
    let mut lost = 0;
    for kilobytes in [70_000, 90_000, 110_000, 140_000] {
        write_hosts(&bench, 2);
        let first = start(&bench, &on_host("0", &["--certify", "never"]));
        let member = limited(&bench, &format!("ulimit -v {kilobytes}"), &on_host("1", &[]));
        let (first, member) = (end(first), end(member));
        match first.code {
            Some(0) => assert!(first.stdout.contains("satisfied"), "{first:?}"),
            Some(3) => {
                lost += 1;
                let is_named =
                    first.stderr.contains("process 1") || first.stdout.contains("memory limit");
                assert!(is_named, "{first:?} {member:?}");
            }
            _ => panic!("{first:?} {member:?}"),
        }
    }
    assert!(lost > 0);
}

#[test]
fn the_memory_limit_counts_all_processes() {
    let bench = bench("8");
    for workers in ["--threads", "--processes"] {
        let words = ["verify", "m.xta", "--memory", "2M", "--certify", "never", "--json"];
        let run = bench.run(&[&words[..], &["--strategy", "bfs", workers, "2"]].concat());
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.stdout.contains("memory limit"), "{run:?}");
    }
}

/// An interruption once ended the process without any output: the signal came twice, once for the
/// process and once for its group.
#[test]
fn an_interruption_of_process_0_ends_all_with_an_answer() {
    let bench = bench("9");
    let random = &mut Random(7);
    for (round, name) in ["INT", "INT", "TERM", "INT"].into_iter().enumerate() {
        let first = start(&bench, &["verify", "m.xta", "--processes", "2", "--certify", "never"]);
        let Some(child) = first_child_of(first.id()) else {
            let _ = end(first);
            println!("skipped: the system does not list the children of a process");
            return;
        };
        thread::sleep(Duration::from_millis(random.below(900)));
        let begun = Instant::now();
        signal(first.id(), name);
        if round % 2 == 1 {
            // As a terminal does, and some programs twice.
            signal(first.id(), name);
            let _ = Command::new("kill").args([&format!("-{name}"), &child.to_string()]).status();
        }
        let run = end(first);
        assert!(begun.elapsed() < LONGEST, "{:?}", begun.elapsed());
        let expected = if name == "INT" { 130 } else { 143 };
        if run.code != Some(0) {
            assert_eq!(run.code, Some(expected), "{run:?}");
            let is_explained = run.stdout.contains("cancelled") || run.stderr.contains("cancelled");
            assert!(is_explained, "{run:?}");
        }
        assert!(fs::metadata(format!("/proc/{child}")).is_err(), "a process is left behind");
    }
}

#[test]
fn a_stopped_process_0_is_named_by_the_others_and_ends_when_it_continues() {
    let bench = bench("9");
    write_hosts(&bench, 3);
    let others = ["1", "2"].map(|process| start(&bench, &on_host(process, &[])));
    let first = start(&bench, &on_host("0", &["--certify", "never"]));
    thread::sleep(Duration::from_millis(800));
    signal(first.id(), "STOP");
    let begun = Instant::now();
    for run in others.map(end) {
        assert!(begun.elapsed() < LONGEST, "{:?}", begun.elapsed());
        assert!(matches!(run.code, Some(0 | 3)), "{run:?}");
        assert!(run.code == Some(0) || run.stderr.contains("process 0"), "{run:?}");
    }
    signal(first.id(), "CONT");
    let first = end(first);
    assert!(matches!(first.code, Some(0 | 3)), "{first:?}");
    assert!(first.code == Some(0) || first.stderr.contains("error: process "), "{first:?}");
}
