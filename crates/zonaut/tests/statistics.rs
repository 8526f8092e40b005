//! Statistical queries on the command line: errors with their places, files, and signals.

mod support;

use serde_json::Value;
use std::fs;
use support::{Bench, Run};

/// Asks one query about a model.
fn ask(model: &str, query: &str, words: &[&str]) -> (Bench, Run) {
    let bench = Bench::new();
    bench.write("m.xta", model);
    let run = bench.run(&[&["verify", "m.xta", "-q", query], words].concat());
    (bench, run)
}

/// Checks that a run fails with an error at a place.
#[track_caller]
fn check_error(model: &str, query: &str, place: &str, message: &str) {
    let (_, run) = ask(model, query, &[]);
    assert_eq!(run.code, Some(5), "{run:?}");
    assert!(run.stdout.contains(message), "{run:?}");
    assert!(run.stdout.contains(place), "{run:?}");
}

/// A process that leaves its first location, with these labels.
fn step(declarations: &str, state: &str, edges: &str) -> String {
    format!(
        "{declarations}\nprocess P() {{\n  state a {state}, b;\n  branchpoint k;\n  init a;\n  trans\n    {edges};\n}}\nsystem P;\n"
    )
}

const GOAL: &str = "Pr[<=1000](<> P.b)";

#[test]
fn wrong_rates_and_weights_are_errors_at_their_places() {
    check_error(&step("", "{ ; 1 - 3 }", "a -> b {}"), GOAL, "m.xta:3:15", "is negative");
    let branches = "a -> k {}, k -> b { probability w; }, k -> a { probability 0; }";
    check_error(&step("int w = -1;", "{ ; 1 }", branches), GOAL, "m.xta:7:37", "is negative");
    check_error(&step("int w = 0;", "{ ; 1 }", branches), GOAL, "m.xta:7:37", "sum to 0");
}

#[test]
fn wrong_numbers_are_errors_at_their_places() {
    let update =
        |update: &str| step("double d, z;", "{ ; 1 }", &format!("a -> b {{ assign {update}; }}"));
    check_error(&update("d = random(0)"), GOAL, "m.xta:7:21", "no such parameters");
    check_error(&update("d = 1.0 / z"), GOAL, "m.xta:7:21", "by zero");
    check_error(&update("d = log(z - 1)"), GOAL, "m.xta:7:21", "not a number");
    let guard = step("double d, z;", "{ ; 1 }", "a -> b { guard sqrt(z - 1) > 0; }");
    check_error(&guard, GOAL, "m.xta:7:20", "not a number");
    let division = step("int n;", "{ ; 1 }", "a -> b { guard 1 / n > 0; }");
    check_error(&division, GOAL, "m.xta:7:20", "by zero");
}

#[test]
fn runs_that_cannot_go_on_are_errors_with_their_state() {
    let waits = "chan c; clock x;
        process P() { state a { x <= 2 }, b; init a; trans a -> b { sync c!; }; }
        process Q() { state a, b; init a; trans b -> a { sync c?; }; }
        system P, Q;";
    check_error(
        waits,
        GOAL,
        "at time 2 in (P.a, Q.a)",
        "run 0 of seed 0 is stopped by a time lock",
    );
    let endless = "process P() { state a, b; urgent a; init a; trans a -> a {}; } system P;";
    let (_, run) = ask(endless, GOAL, &["--run-steps", "1000"]);
    assert_eq!(run.code, Some(5), "{run:?}");
    assert!(run.stdout.contains("more than 1000 steps"), "{run:?}");
    assert!(run.stdout.contains("at time 0 in (P.a)"), "{run:?}");
}

#[test]
fn empty_runs_are_errors() {
    let model = step("clock x = 3.0;", "{ ; 1 }", "a -> b {}");
    for query in ["Pr[<=0 - 1](<> P.b)", "Pr[#<=0 - 1](<> P.b)", "Pr[x<=2](<> P.b)"] {
        check_error(&model, query, "at time 0 in (P.a)", "is empty");
    }
}

#[test]
fn a_location_without_a_rate_is_warned_about_once_at_its_place() {
    let model = step("", "", "a -> b {}");
    let (_, run) = ask(&model, GOAL, &["-q", GOAL]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let warning =
        "warning: m.xta:3:9: `P.a` can be left at any time and has no exponential rate: it is 1\n";
    assert_eq!(run.stderr, warning);
    let urgent = "urgent broadcast chan c; process P() { state a, b; init a; trans a -> b { sync c!; }; } system P;";
    let (_, run) = ask(urgent, "Pr[<=1](<> P.b)", &[]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
}

#[test]
fn parameters_outside_their_ranges_are_wrong_usage() {
    let model = step("", "{ ; 1 }", "a -> b {}");
    let wrong = [
        ("--alpha", "0"),
        ("--alpha", "1"),
        ("--epsilon", "1.5"),
        ("--epsilon", "nan"),
        ("--beta", "-0.1"),
        ("--lower-delta", "2"),
        ("--u0", "1.5"),
        ("--u1", "1"),
        ("--integration-step", "0"),
    ];
    for (option, value) in wrong {
        let word = format!("{option}={value}");
        let (_, run) = ask(&model, GOAL, &[&word]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(
            run.stderr.contains(option) && run.stderr.contains("the number must be"),
            "{run:?}"
        );
    }
}

const QUEUE: &str = "int[0,100] n; double d; clock x;
    process In() { state a { ; 1 }; init a; trans a -> a { assign n = n + 1, d = random(2); }; }
    process Out() { state a { ; 2 }; init a; trans a -> a { guard n > 0; assign n = n - 1; }; }
    system In, Out;";

/// Records without durations.
fn records(run: &Run) -> Vec<Value> {
    let record = |line: &str| {
        let mut record: Value = serde_json::from_str(line).expect("JSON");
        let fields = record.as_object_mut().expect("an object");
        fields.retain(|name, _| !name.ends_with("seconds"));
        record
    };
    run.stdout.lines().map(record).collect()
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_any_number_of_threads() {
    let bench = Bench::new();
    bench.write("m.xta", QUEUE);
    let queries = [
        "Pr[<=10](<> n >= 3)",
        "Pr[<=5](<> n >= 3) >= 0.9",
        "Pr[<=9](<> n >= 3) >= Pr[<=5](<> n >= 3)",
        "E[<=10; 300](max: d)",
        "simulate[<=4; 50]{n, d, x} : 7 : n >= 2",
    ];
    let asked: Vec<&str> = queries.iter().flat_map(|query| ["-q", query]).collect();
    let outputs = |threads: &str, seed: &str| {
        let words = [
            "verify",
            "m.xta",
            "--threads",
            threads,
            "--seed",
            seed,
            "--csv",
            "t.csv",
            "--plot",
            "t.svg",
        ];
        let text = bench.run(&[&words[..], &asked].concat());
        let json = bench.run(&[&words[..], &["--json"], &asked].concat());
        let mut files: Vec<Vec<u8>> = Vec::new();
        for name in ["t-5.csv", "t-1.svg", "t-4.svg", "t-5.svg"] {
            files.push(fs::read(bench.path(name)).expect(name));
            fs::remove_file(bench.path(name)).expect(name);
        }
        let lines = text.stdout.lines().filter(|line| !line.contains("queries:"));
        (lines.map(str::to_owned).collect::<Vec<_>>(), records(&json), files)
    };
    let one = outputs("1", "11");
    assert_eq!(one, outputs("2", "11"));
    assert_ne!(one, outputs("2", "12"));
}

#[test]
fn plots_and_reports_show_samples() {
    let (bench, run) = ask(
        QUEUE,
        "Pr[<=10; 200](<> n >= 3)",
        &["--plot", "p.svg", "--csv", "p.csv", "--report", "p.html"],
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("note: query 1 has no trajectories"), "{run:?}");
    let svg = fs::read_to_string(bench.path("p.svg")).expect("a plot");
    assert!(svg.contains("Cumulative probability with its 95% confidence band"), "{svg}");
    assert!(svg.contains("class=\"bar f0\"") && svg.contains("class=\"curve s0\""), "{svg}");
    let page = fs::read_to_string(bench.path("p.html")).expect("a report");
    assert!(page.contains("<h2>Runs by the moment at which the formula is satisfied</h2>"));
    let (bench, run) = ask(QUEUE, "simulate[<=5; 2]{n, x}", &["--plot", "p.svg", "--csv", "p.csv"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let svg = fs::read_to_string(bench.path("p.svg")).expect("a plot");
    assert_eq!((svg.matches("curve s0").count(), svg.matches("curve s1").count()), (3, 3));
    let table = fs::read_to_string(bench.path("p.csv")).expect("a table");
    assert!(table.starts_with("run,expression,time,value\n0,\"n\",0,0\n"), "{table}");
    let (_, run) = ask(QUEUE, "E<> n >= 3", &["--plot", "p.svg"]);
    assert!(run.stderr.contains("note: query 1 has nothing to plot"), "{run:?}");
}

#[cfg(unix)]
mod signals {
    use super::{Bench, QUEUE};
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    /// Progress is shown on request, and an interrupted estimate keeps its interval.
    #[test]
    fn an_interrupted_estimate_shows_its_interval_so_far() {
        let bench = Bench::new();
        bench.write("m.xta", QUEUE);
        let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
        command.args(["verify", "m.xta", "-q", "Pr[<=10; 2000000000](<> n >= 3)"]);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a run");
        let pid = child.id().to_string();
        let send = |signal: &str| {
            let sent = Command::new("kill").args(["-s", signal, &pid]).status();
            assert!(sent.is_ok_and(|status| status.success()));
        };
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        // Before the program listens, the signal would end it.
        std::thread::sleep(std::time::Duration::from_millis(1500));
        let mut shown = String::new();
        while !shown.contains(" runs, in [0.") {
            send("USR1");
            shown = lines.next().expect("a line").expect("text");
        }
        send("INT");
        let mut text = String::new();
        child.stdout.take().expect("a pipe").read_to_string(&mut text).expect("text");
        assert!(child.wait().expect("an end").code() != Some(0));
        assert!(text.contains("cancelled") && text.contains("Pr(<> ...) in [0."), "{text}");
    }
}
