//! Stepping through a model, by hand and at random.

mod support;

use serde_json::Value;
use std::io::Write;
use std::process::Stdio;
use support::Bench;

const GATE: &str = "\
clock x; int v; chan go;
process P() {
    state a { x <= 3 }, b; init a;
    trans a -> b { guard x >= 2; sync go!; assign v = 7; }, b -> a { assign x = 0; },
          a -> a { guard x < 1; assign v = 1 / v; };
}
process Q() { state c; init c; trans c -> c { sync go?; }; }
system P, Q;
";

/// What the simulator prints for these lines of input.
fn converse(bench: &Bench, input: &str) -> String {
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.args(["simulate", "m.xta"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the binary can be run");
    let mut stdin = child.stdin.take().expect("a pipe");
    // One that quits early does not read the rest.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("the binary ends");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

#[test]
fn transitions_are_chosen_by_number() {
    let bench = Bench::new();
    bench.write("m.xta", GATE);
    let shown = converse(&bench, "2\n1\nq\n1\n");
    let expected = "\
state 0
      P.a, Q.c
      v = 0
      x <= 3
   1  P.a -> P.a { x < 1; ; v = 1 / v }  fails: division by zero
   2  P.a -> P.b { x >= 2; go!; v = 7 } | Q.c -> Q.c { ; go?; }
state 1
      P.b, Q.c
      v = 7
      true
   1  P.b -> P.a { ; ; x = 0 }
state 2
      P.a, Q.c
      v = 7
      x <= 3
   1  P.a -> P.a { x < 1; ; v = 1 / v }
   2  P.a -> P.b { x >= 2; go!; v = 7 } | Q.c -> Q.c { ; go?; }
";
    assert_eq!(shown, expected, "{shown}");
}

#[test]
fn one_can_go_back_jump_and_save() {
    let bench = Bench::new();
    bench.write("m.xta", GATE);
    let shown = converse(&bench, "2\n1\n2\nb\ng 0\ng 3\ns run.json\ng 4\n1 1\n1\n99\nx\n\n?\n");
    let states: Vec<&str> = shown.lines().filter(|line| line.starts_with("state ")).collect();
    let expected = [0, 1, 2, 3, 2, 0, 3, 4].map(|number| format!("state {number}"));
    assert_eq!(states, expected);
    assert_eq!(shown.matches("not possible here").count(), 4, "{shown}");
    assert!(shown.contains("saved a run of length 3\n"), "{shown}");
    let text = std::fs::read_to_string(bench.path("run.json")).unwrap();
    let trace: Value = serde_json::from_str(&text).unwrap();
    let delays: Vec<&Value> =
        trace["steps"].as_array().unwrap().iter().map(|step| &step["delay"]).collect();
    assert_eq!(delays, ["2", "0", "2"]);
    assert_eq!(trace["steps"][2]["edges"][1]["process"], "Q");
}

#[test]
fn a_transition_that_fails_cannot_be_taken() {
    let bench = Bench::new();
    bench.write("m.xta", GATE);
    assert!(converse(&bench, "1\n").contains("not possible here: 1"));
}

#[test]
fn random_runs_depend_on_the_seed_alone() {
    let bench = Bench::new();
    let generated = bench.run(&["generate", "fischer", "4", "-o", "m.xta"]);
    assert_eq!(generated.code, Some(0));
    let walk = |seed: &str| {
        let run = bench.run(&["simulate", "m.xta", "--random", "50", "--seed", seed]);
        assert_eq!(run.code, Some(0));
        assert_eq!(run.stdout.lines().filter(|line| line.starts_with("state ")).count(), 51);
        run.stdout
    };
    assert_eq!(walk("1"), walk("1"));
    assert_ne!(walk("1"), walk("2"));
}

#[test]
fn a_model_that_cannot_be_simulated_is_refused() {
    let bench = Bench::new();
    bench.write(
        "m.xta",
        "chan priority a < b; chan a, b; process P() { state s; init s; } system P;",
    );
    bench.write("n.xta", "clock x; process P() { state s { x' == 2 }; init s; } system P;");
    for name in ["m.xta", "n.xta"] {
        let run = bench.run(&["simulate", name]);
        assert!(matches!(run.code, Some(2 | 3)), "{run:?}");
        assert!(!run.stderr.is_empty());
    }
}
