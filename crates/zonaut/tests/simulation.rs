//! Simulation of a model, interactively and at random.

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

/// The simulator's output for these lines of input.
fn converse(bench: &Bench, input: &str) -> String {
    let (code, shown) = converse_to_the_end(bench, input);
    assert_eq!(code, Some(0));
    shown
}

/// The simulator's exit code and output for these lines of input.
fn converse_to_the_end(bench: &Bench, input: &str) -> (Option<i32>, String) {
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.args(["simulate", "m.xta"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the binary can be run");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A simulator that quits early does not read the rest.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("the binary ends");
    (output.status.code(), String::from_utf8(output.stdout).expect("the output is UTF-8"))
}

#[test]
fn disabled_transitions_are_explained() {
    let bench = Bench::new();
    bench.write(
        "m.xta",
        "clock x; process P() { state a { x <= 2 }, b; init a; trans a -> b { guard x > 2; }, \
         a -> a { }; } system P;",
    );
    let shown = converse(&bench, "w\nq\n");
    assert!(shown.contains("disabled: the guard requires `x > 2`\n"), "{shown}");
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
   1  P.a -> P.a { x < 1; v = 1 / v }  fails: m.xta:5:44: division by zero
   2  P.a -> P.b { x >= 2; go!; v = 7 } | Q.c -> Q.c { go? }
state 1
      P.b, Q.c
      v = 7
      no clock constraints
   1  P.b -> P.a { x = 0 }
state 2
      P.a, Q.c
      v = 7
      x <= 3
   1  P.a -> P.a { x < 1; v = 1 / v }
   2  P.a -> P.b { x >= 2; go!; v = 7 } | Q.c -> Q.c { go? }
";
    assert_eq!(shown, expected, "{shown}");
}

#[test]
fn the_simulator_goes_back_jumps_and_saves() {
    let bench = Bench::new();
    bench.write("m.xta", GATE);
    let shown = converse(&bench, "2\n1\n2\nb\ng 0\ng 3\ns run.json\ng 4\n1 1\n1\n99\nx\n\n?\n");
    let states: Vec<&str> = shown.lines().filter(|line| line.starts_with("state ")).collect();
    let expected = [0, 1, 2, 3, 2, 0, 3, 4].map(|number| format!("state {number}"));
    assert_eq!(states, expected);
    assert_eq!(shown.matches("not applicable here").count(), 4, "{shown}");
    assert!(shown.contains("saved a run of length 3\n"), "{shown}");
    let text = std::fs::read_to_string(bench.path("run.json")).unwrap();
    let trace: Value = serde_json::from_str(&text).unwrap();
    let delays: Vec<&Value> =
        trace["steps"].as_array().unwrap().iter().map(|step| &step["delay"]).collect();
    assert_eq!(delays, ["2", "0", "2"]);
    assert_eq!(trace["steps"][2]["edges"][1]["process"], "Q");
}

#[test]
fn a_run_that_takes_a_transition_that_fails_ends_with_that() {
    let bench = Bench::new();
    bench.write("m.xta", GATE);
    for input in ["1\n", "1\nq\n", "2\n1\nb\nb\n1\ns run.json\n"] {
        let (code, shown) = converse_to_the_end(&bench, input);
        assert_eq!(code, Some(5), "{input:?}");
        assert!(shown.contains("\nfails: m.xta:5:44: division by zero\n"), "{shown}");
    }
    // A user who continues elsewhere has left the failure, which no run has to take.
    assert!(converse(&bench, "1\n2\n").ends_with("   1  P.b -> P.a { x = 0 }\n"));
    converse(&bench, "");
}

/// Unavoidable run-time errors of a guard, an update and an invariant.
const FAILURES: [(&str, &str, &str); 4] = [
    ("guard a[i] == 0;", "", "m.xta:3:"),
    ("assign i = a[i];", "", "m.xta:3:"),
    ("assign a[0] = 1 / a[0];", "", "m.xta:3:"),
    ("", "{ a[i] == 0 }", "m.xta:2:"),
];

#[test]
fn a_run_fails_if_its_only_transition_fails() {
    let bench = Bench::new();
    for (label, invariant, place) in FAILURES {
        let text = format!(
            "int a[3]; int i = 3;\nprocess P() {{ state s, t {invariant}; init s; trans\n\
             s -> t {{ {label} }}; }} system P;\n"
        );
        bench.write("m.xta", &text);
        let verified = bench.run(&["verify", "m.xta", "-q", "E<> P.t"]);
        let walked = bench.run(&["simulate", "m.xta", "--random", "5"]);
        assert_eq!((verified.code, walked.code), (Some(5), Some(5)), "{text}{walked:?}");
        let taken = walked.stdout.lines().last().expect("a line");
        assert!(
            taken.starts_with("take ") && taken.contains(&format!("  fails: {place}")),
            "{taken}"
        );
        assert!(walked.stderr.starts_with("error[TA1000]: "), "{}", walked.stderr);
        let (code, shown) = converse_to_the_end(&bench, "");
        assert_eq!(code, Some(5), "{text}");
        assert!(shown.contains(&format!("  fails: {place}")), "{shown}");
    }
}

#[test]
fn a_model_that_delays_forever_does_not_fail() {
    let bench = Bench::new();
    bench.write("m.xta", "process P() { state s; init s; } system P;");
    let run = bench.run(&["simulate", "m.xta", "--random", "5"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.ends_with("no transition is enabled\n"), "{}", run.stdout);
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
    let run = bench.run(&["simulate", "m.xta"]);
    assert!(matches!(run.code, Some(2 | 3)), "{run:?}");
    assert!(!run.stderr.is_empty());
    // A rate is a value of the state, and its evaluation fails there.
    let run = bench.run(&["simulate", "n.xta"]);
    assert_eq!(run.code, Some(5), "{run:?}");
    assert!(run.stderr.contains("n.xta:1:40"), "{run:?}");
    let run = bench.run(&["verify", "n.xta", "-q", "E<> P.s"]);
    assert_eq!(run.code, Some(5), "{run:?}");
    assert!(run.stdout.contains("  certified\n"), "{run:?}");
}
