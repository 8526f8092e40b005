//! `zonaut verify --hosts` on two machines: network namespaces with an address each and a link
//! between them, which can be cut.

#![cfg(target_os = "linux")]

mod support;

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use support::Bench;
use support::processes::{bench, end, on_host};

/// The time within which a silent process is named.
const NAMED: Duration = Duration::from_secs(10);

/// Two machines, while this value lives.
struct Machines([String; 2]);

fn ip(words: &[&str]) -> bool {
    let ip = Command::new("ip").args(words).stdout(Stdio::null()).stderr(Stdio::null()).status();
    ip.is_ok_and(|status| status.success())
}

impl Machines {
    /// `None` without the rights for it.
    fn new(name: &str) -> Option<Self> {
        let name = |end: &str| format!("zonaut-{}-{name}-{end}", std::process::id());
        let machines = Self([name("a"), name("b")]);
        let [a, b] = &machines.0;
        let link = ["link", "add", "va", "netns", a, "type", "veth", "peer", "vb", "netns", b];
        let is_ready = ip(&["netns", "add", a])
            && ip(&["netns", "add", b])
            && ip(&link)
            && ip(&["-n", a, "address", "add", "10.213.7.1/30", "dev", "va"])
            && ip(&["-n", b, "address", "add", "10.213.7.2/30", "dev", "vb"])
            && ip(&["-n", a, "link", "set", "va", "up"])
            && ip(&["-n", b, "link", "set", "vb", "up"]);
        is_ready.then_some(machines)
    }

    /// Starts a process on one of the machines.
    fn start(&self, bench: &Bench, machine: usize, words: &[&str]) -> Child {
        let mut command = bench.command("ip");
        command.args(["netns", "exec", &self.0[machine], env!("CARGO_BIN_EXE_zonaut")]).args(words);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("the binary can be run")
    }

    fn cut(&self) {
        assert!(ip(&["-n", &self.0[0], "link", "set", "va", "down"]));
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        self.0.iter().for_each(|machine| _ = ip(&["netns", "delete", machine]));
    }
}

fn write_hosts(bench: &Bench) {
    bench.write("hosts", "10.213.7.1:7000\n10.213.7.2:7000\n");
}

#[test]
fn two_machines_search_together_and_another_process_cannot_join() {
    let bench = bench("8");
    write_hosts(&bench);
    let Some(machines) = Machines::new("j") else {
        println!("skipped: network namespaces cannot be created");
        return;
    };
    let member = machines.start(&bench, 1, &on_host("1", &[]));
    let first = machines.start(&bench, 0, &on_host("0", &["--certify", "always"]));
    thread::sleep(Duration::from_millis(700));
    let late = machines.start(&bench, 1, &on_host("1", &[]));
    let (first, member, late) = (end(first), end(member), end(late));
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(first.stdout.contains("certified"), "{first:?}");
    // One of the two had the number first.
    let (joined, refused) = if member.code == Some(0) { (member, late) } else { (late, member) };
    assert_eq!(joined.code, Some(0), "{joined:?}");
    assert!(matches!(refused.code, Some(2 | 3)), "{refused:?}");
    let is_named = ["cannot be reached", "joined already"];
    assert!(is_named.iter().any(|part| refused.stderr.contains(part)), "{refused:?}");
}

#[test]
fn a_cut_link_is_named_on_both_machines() {
    let bench = bench("11");
    write_hosts(&bench);
    let Some(machines) = Machines::new("c") else {
        println!("skipped: network namespaces cannot be created");
        return;
    };
    let member = machines.start(&bench, 1, &on_host("1", &[]));
    let first = machines.start(&bench, 0, &on_host("0", &["--certify", "never"]));
    thread::sleep(Duration::from_millis(2000));
    machines.cut();
    let begun = Instant::now();
    let runs = [(end(first), "process 1"), (end(member), "process 0")];
    for (run, other) in &runs {
        assert_eq!(run.code, Some(3), "{run:?}");
        assert!(run.stderr.contains(other), "{run:?}");
    }
    // The time for which a loaded machine may delay the ends of processes.
    assert!(begun.elapsed() < NAMED + Duration::from_secs(5), "{:?}", begun.elapsed());
}
