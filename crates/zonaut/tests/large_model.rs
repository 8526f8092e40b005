//! A model with a thousand processes and two thousand clocks is checked quickly.

mod support;

use support::Bench;

/// A ring of schedulers like Milner's, each with two clocks of its own.
const RING: &str = "\
const int N = 4;
typedef int[0,N-1] id_t;
chan pass[N];
process Cycler(const id_t id) {
    clock x, y;
    int[0,1] done;
    state waiting, working { x <= 10 }, ready { y <= 20 };
    init waiting;
    trans
        waiting -> working { guard id == 0 && !done; assign x = 0, y = 0; },
        waiting -> working { sync pass[id]?; assign x = 0, y = 0; },
        working -> ready { guard x >= 5; assign done = 1; },
        ready -> waiting { guard y >= 5; sync pass[(id + 1) % N]!; };
}
system Cycler;
query { A[] forall (i : id_t) Cycler(i).working imply Cycler(i).x <= 10 }
query { E<> Cycler(3).ready }
";

#[test]
fn a_thousand_processes_are_checked() {
    let bench = Bench::new();
    bench.write("ring.xta", RING);
    let run = bench.run(&["check", "ring.xta", "--define", "N=1000"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    for expected in ["processes      1000", "clocks         2000", "edges          4000"] {
        assert!(lines.contains(&expected), "{}", run.stdout);
    }
}
