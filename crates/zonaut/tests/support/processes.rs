//! Processes of the binary that run at the same time, and signals to them.

use super::{Bench, Run};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The time after which a process hangs.
const HANGING: Duration = Duration::from_secs(60);

/// A folder with a model, its query and a token.
pub(crate) fn bench(size: &str) -> Bench {
    let bench = Bench::new();
    let run = bench.run(&["generate", "fischer", size, "-o", "m.xta"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let token = bench.write("token", "a token for the tests");
    fs::set_permissions(token, PermissionsExt::from_mode(0o600)).expect("permissions");
    bench
}

pub(crate) fn start(bench: &Bench, words: &[&str]) -> Child {
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    let command = command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary can be run")
}

/// Waits for the end of a process, which must not hang.
pub(crate) fn end(mut child: Child) -> Run {
    let begun = Instant::now();
    while child.try_wait().expect("a process").is_none() {
        if begun.elapsed() > HANGING {
            let _ = child.kill();
        }
        assert!(begun.elapsed() <= HANGING, "the process hangs");
        thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().expect("its output");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

pub(crate) fn signal(process: u32, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
    assert!(sent.expect("a shell command").success(), "{name}");
}

/// The processes that any thread of a process has started, as the system lists them; `None` without
/// such lists.
pub(crate) fn children_of(process: u32) -> Option<Vec<u32>> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let lists = threads.flatten().map(|thread| fs::read_to_string(thread.path().join("children")));
    let text = lists.flatten().collect::<Vec<_>>().join(" ");
    Some(text.split_whitespace().filter_map(|word| word.parse().ok()).collect())
}

/// Waits until a process has started another one.
pub(crate) fn first_child_of(process: u32) -> Option<u32> {
    let begun = Instant::now();
    loop {
        match children_of(process)?.first() {
            Some(&child) => return Some(child),
            None if begun.elapsed() > HANGING => return None,
            None => thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Ports of this machine that were free a moment ago.
pub(crate) fn free_ports(count: usize) -> Vec<u16> {
    let listeners: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    listeners.iter().map(|one| one.local_addr().expect("an address").port()).collect()
}

/// A file of hosts on this machine.
pub(crate) fn write_hosts(bench: &Bench, count: usize) -> Vec<u16> {
    let ports = free_ports(count);
    let lines: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}\n")).collect();
    bench.write("hosts", lines.concat());
    ports
}

pub(crate) fn on_host<'w>(process: &'w str, words: &[&'w str]) -> Vec<&'w str> {
    let common = ["verify", "m.xta", "--hosts", "hosts", "--token", "token", "--process", process];
    [&common, words].concat()
}

/// The generator of Steele, Lea and Flood (doi 10.1145/2660193.2660195).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % bound
    }
    pub(crate) fn choose<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.below(choices.len() as u64) as usize]
    }
}
