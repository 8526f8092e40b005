//! The commands in scripts: exit codes, streams, JSON.

mod support;

use serde_json::Value;
use support::{Bench, Run};

const GATE: &str = "\
clock x; int[0,3] n; urgent chan go; broadcast chan all[2]; const int N = 2;
process P(const int id) {
    state a { x <= 5 }, b; commit b; init a;
    trans a -> b { select i : int[0,N]; guard x >= 2 and x - x <= 0; sync all[id]!; assign n = i; },
          b -> a { assign x = 0; };
}
process Q() { state c; init c; trans c -> c { sync all[0]?; }; }
A = P(0); B = P(1);
system A, B, Q;
query { E<> A.b && n == 2 }
query { A[] !deadlock }
query { A.a --> A.b }
query { A[] x <= 5 }
";

fn json(run: &Run) -> Value {
    assert_eq!(run.stderr, "");
    assert_eq!(run.stdout.lines().count(), 1, "one object on one line: {}", run.stdout);
    serde_json::from_str(&run.stdout).expect("JSON")
}

#[test]
fn a_correct_model_is_summarised() {
    let bench = Bench::new();
    bench.write("gate.xta", GATE);
    let run = bench.run(&["check", "gate.xta"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let expected = "\
templates         2
processes         3
locations         5
edges             5
clocks            1
variables         1
channels          3
state bits        4
queries           4
features   clock differences, broadcast channels, urgent channels, committed locations, select
query 1: E<> A.b && n == 2
    supported, uses reachability
query 2: A[] !deadlock
    supported, uses safety, deadlock
query 3: A.a --> A.b
    supported, uses liveness
query 4: A[] x <= 5
    supported, uses safety, clock constraints
";
    assert_eq!(run.stdout, expected);
}

#[test]
fn the_json_summary_has_every_field() {
    let bench = Bench::new();
    bench.write("gate.xta", GATE);
    let run = bench.run(&["check", "gate.xta", "--json"]);
    assert_eq!(run.code, Some(0));
    let report = json(&run);
    assert_eq!(report["ok"], true);
    assert_eq!(report["model"], "gate.xta");
    assert_eq!(report["queries_file"], Value::Null);
    assert_eq!(report["diagnostics"], Value::Array(Vec::new()));
    let summary = &report["summary"];
    let names = ["templates", "processes", "locations", "edges", "clocks", "variables", "channels"];
    let numbers: Vec<u64> = names.iter().map(|name| summary[name].as_u64().unwrap()).collect();
    assert_eq!(numbers, [2, 3, 5, 5, 1, 1, 3]);
    assert_eq!(summary["state_bits"], 4);
    assert_eq!(summary["features"][0], "clock differences");
    let query = &summary["queries"][2];
    assert_eq!(query["index"], 3);
    assert_eq!(query["formula"], "A.a --> A.b");
    assert_eq!(query["kind"], "-->");
    assert_eq!(query["features"], serde_json::json!(["liveness"]));
    assert_eq!(query["prospect"], "will_be_answered");
    assert_eq!(summary["queries"][0]["prospect"], "will_be_answered");
}

#[test]
fn unsupported_queries_are_listed_with_positions() {
    let bench = Bench::new();
    let text = "process P() { state a; init a; } system P;\nquery {\nA[ P.a U P.a ]\n}";
    bench.write("until.xta", text);
    let report = json(&bench.run(&["check", "until.xta", "--json"]));
    let refused = &report["summary"]["queries"][0];
    assert_eq!(refused["prospect"], "unsupported");
    let reason = &refused["unsupported"][0];
    assert_eq!(reason["feature"], "until queries");
    assert_eq!((&reason["file"], reason["line"].as_u64()), (&"until.xta".into(), Some(3)));
}

#[test]
fn an_error_in_a_query_is_not_one_of_the_model() {
    let bench = Bench::new();
    bench.write("m.xta", "process P() { state a, b; init a; trans a -> b { }; } system P;");
    bench.write("m.q", "E<> P.b\nE<> P.c\nA[] P.\nA[] P.a\n");
    let run = bench.run(&["verify", "m.xta", "m.q", "--json"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    let lines = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let answers: Vec<(u64, String)> = lines
        .map(|line| (line["index"].as_u64().unwrap(), line["verdict"].as_str().unwrap().to_owned()))
        .collect();
    let expected = [(1, "satisfied"), (2, "error"), (3, "error"), (4, "not_satisfied")];
    assert_eq!(answers, expected.map(|(index, verdict)| (index, verdict.to_owned())));
    assert!(run.stderr.contains("m.q:2:7"), "{}", run.stderr);
    assert!(run.stderr.contains("m.q:3:"), "{}", run.stderr);
    let run = bench.run(&["check", "m.xta", "m.q", "--json"]);
    let report = json(&run);
    assert_eq!((run.code, &report["ok"]), (Some(2), &false.into()));
    let prospects: Vec<&Value> = report["summary"]["queries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|query| &query["prospect"])
        .collect();
    assert_eq!(prospects, ["will_be_answered", "error", "error", "will_be_answered"]);
    // Exploration answers no query, and errors in queries that are not answered are warnings only.
    assert_eq!(bench.run(&["explore", "m.xta"]).code, Some(0));
    bench.write("n.xta", "process P() { state a; init a; } system P; query { E<> P.c }");
    let run = bench.run(&["verify", "n.xta", "-q", "E<> P.a"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn json_diagnostics_have_positions_and_messages() {
    let bench = Bench::new();
    let text = "<nta><declaration>int x = y;</declaration><template><name>P</name>\
                <location id=\"a\"/><init ref=\"a\"/></template><system>system P;</system></nta>";
    bench.write("m.xml", text);
    let run = bench.run(&["check", "m.xml", "--json"]);
    assert_eq!(run.code, Some(2));
    let report = json(&run);
    assert_eq!((&report["ok"], &report["summary"]), (&Value::Bool(false), &Value::Null));
    let diagnostic = &report["diagnostics"][0];
    assert_eq!(diagnostic["severity"], "error");
    assert_eq!(diagnostic["file"], "m.xml");
    assert_eq!((&diagnostic["line"], &diagnostic["column"]), (&1.into(), &27.into()));
    assert_eq!(diagnostic["path"], "/nta/declaration");
    assert!(diagnostic["code"].as_str().unwrap().starts_with("TA0"), "{diagnostic}");
    assert!(diagnostic["message"].as_str().unwrap().contains('y'), "{diagnostic}");
    for key in ["help", "related"] {
        assert!(diagnostic.get(key).is_some(), "{key}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_reported_in_json_too() {
    let run = Bench::new().run(&["check", "nothing.xml", "--json"]);
    assert_eq!(run.code, Some(2));
    let diagnostic = &json(&run)["diagnostics"][0];
    assert_eq!(diagnostic["code"], "TA0001");
    assert_eq!(diagnostic["line"], Value::Null);
}

#[test]
fn constants_are_defined_on_the_command_line() {
    let bench = Bench::new();
    let text = "const int N = 2; clock x[N]; process P() { state a; init a; } system P;";
    bench.write("m.xta", text);
    let clocks = |words: &[&str]| {
        let run = bench.run(&[&["check", "m.xta", "--json"], words].concat());
        json(&run)["summary"]["clocks"].clone()
    };
    assert_eq!(clocks(&[]), 2);
    assert_eq!(clocks(&["--define", "N=7"]), 7);
    assert_eq!(clocks(&["-D", "N=9"]), 9);
    assert_eq!(clocks(&["--define", "M=7"]), Value::Null);
    assert_eq!(bench.run(&["check", "m.xta", "--define", "M=7"]).code, Some(2));
    assert_eq!(bench.run(&["check", "m.xta", "--define", "N"]).code, Some(2));
}

#[test]
fn the_old_syntax_can_be_forced() {
    let bench = Bench::new();
    bench.write("m.xta", "const N 5; process P { state a; init a; } system P;");
    assert_eq!(bench.run(&["check", "m.xta"]).code, Some(0));
    bench.write("n.xta", "typedef int[0,3] t; t v; process P() { state a; init a; } system P;");
    assert_eq!(bench.run(&["check", "n.xta"]).code, Some(0));
    let forced = |value: &str| {
        let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
        bench.finish(command.args(["check", "n.xta"]).env("UPPAAL_OLD_SYNTAX", value)).code
    };
    assert_eq!(forced("1"), Some(2));
    assert_eq!(forced(""), Some(0));
}

#[test]
fn models_are_converted_by_extension() {
    let bench = Bench::new();
    bench.write("gate.xta", GATE);
    let summary = |name: &str| {
        let text = bench.run(&["check", name]).stdout;
        let lines = text.lines().filter(|line| !line.contains("not supported:"));
        lines.collect::<Vec<_>>().join("\n")
    };
    for (from, to) in [("gate.xta", "gate.xml"), ("gate.xml", "again.xta")] {
        let run = bench.run(&["convert", from, to]);
        let named = format!("wrote {to}\n");
        assert_eq!((run.code, run.stderr, run.stdout.as_str()), (Some(0), named, ""));
        assert_eq!(summary(to), summary("gate.xta"), "{to}");
    }
    assert_eq!(bench.run(&["convert", "gate.xta", "gate.dot"]).code, Some(0));
    let dot = std::fs::read_to_string(bench.path("gate.dot")).unwrap();
    assert!(dot.starts_with("digraph"), "{dot}");
}

#[test]
fn wrong_conversions_write_nothing() {
    let bench = Bench::new();
    bench.write("gate.xta", GATE);
    bench.write("bad.xta", "int;");
    for (from, to) in [
        ("gate.xta", "gate.other"),
        ("gate.xta", "gate"),
        ("gate.xta", "gate.xta"),
        ("gate.xta", "nowhere/gate.xml"),
        ("bad.xta", "bad.xml"),
        ("nothing.xta", "bad.xml"),
    ] {
        let run = bench.run(&["convert", from, to]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{from} {to}: {}", run.stderr);
        assert!(run.stderr.starts_with("error"), "{}", run.stderr);
        assert!(to == from || !bench.path(to).exists(), "{to}");
    }
}

#[test]
fn families_are_generated_and_accepted() {
    let bench = Bench::new();
    let list = bench.run(&["generate", "--list"]);
    assert_eq!(list.code, Some(0));
    let names = list.stdout.lines().filter(|line| !line.starts_with(' '));
    let names: Vec<&str> = names.filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"fischer") && names.len() >= 9, "{names:?}");
    bench.write("shop.txt", "2 2\n0 3 1 2\n1 2 0 4\n");
    bench.write("landing.txt", "1 0\n5 10 12 30 2 3\n9\n");
    for name in names {
        let mut arguments = vec!["generate", name, "-o", "m.xta"];
        match name {
            "jobshop" => arguments.push("shop.txt"),
            "airland" => arguments.extend(["landing.txt", "2"]),
            _ => {}
        }
        let run = bench.run(&arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.stderr);
        let run = bench.run(&["check", "m.xta"]);
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        assert!(run.stdout.contains("query 1: "), "{name}: {}", run.stdout);
    }
    let printed = bench.run(&["generate", "fischer", "N=3"]).stdout;
    assert!(printed.contains("query {"), "{printed}");
}

#[test]
fn wrong_usage_is_distinguished_from_help() {
    let bench = Bench::new();
    for words in [
        &[][..],
        &["verifi"],
        &["check"],
        &["check", "a", "b", "c"],
        &["check", "a", "--max-nesting", "x"],
        &["generate"],
        &["generate", "fisher"],
        &["generate", "fischer", "x"],
        &["generate", "fischer", "1", "2", "3", "4"],
    ] {
        let run = bench.run(words);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words:?}");
        assert!(!run.stderr.is_empty(), "{words:?}");
    }
    for words in [&["--help"][..], &["--version"], &["help", "check"], &["convert", "--help"]] {
        let run = bench.run(words);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{words:?}");
        assert!(!run.stdout.is_empty(), "{words:?}");
    }
}

#[test]
#[cfg(unix)]
fn a_closed_output_pipe_is_no_error() {
    let bench = Bench::new();
    let script = "\"$0\" generate fischer 5 2> err | true; cat err";
    let mut command = bench.command("sh");
    let run = bench.finish(command.args(["-c", script, env!("CARGO_BIN_EXE_zonaut")]));
    assert_eq!(run.stdout, "");
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_no_success() {
    let bench = Bench::new();
    let mut command = bench.command("sh");
    let script = "exec \"$0\" generate fischer 5 > /dev/full";
    let run = bench.finish(command.args(["-c", script, env!("CARGO_BIN_EXE_zonaut")]));
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.starts_with("error: the output cannot be written"), "{}", run.stderr);
}
