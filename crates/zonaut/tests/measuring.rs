//! `zonaut bench`: suites are measured, resumed and printed in every format.

mod support;

use serde_json::Value;
use std::fs;
use support::Bench;

const SUITE: &str = "\
title = \"small\"
[limits]
time = 20
memory = \"100M\"

[[run]]
family = \"fischer 3\"
explore = true
strategies = [\"bfs\", \"dfs\"]
abstractions = [\"lu+\", \"alu\"]
reference = { source = \"a table\", stored = 65 }

[[run]]
name = \"gate\"
model = \"gate.xta\"
formulas = [\"E<> P.b\", \"A[] P.a\"]
trace = \"shortest\"

[[run.peer]]
name = \"echo\"
command = [\"sh\", \"-c\", \"exit 7\", \"{model}\"]

[[run.peer]]
name = \"absent\"
command = [\"a-program-that-does-not-exist\"]
";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("suite.toml", SUITE);
    bench.write("gate.xta", "process P() { state a, b; init a; trans a -> b { }; } system P;");
    bench
}

#[test]
fn every_combination_is_one_row() {
    let bench = bench();
    let run = bench.run(&[
        "bench",
        "suite.toml",
        "--allow-commands",
        "--format",
        "json",
        "--resume",
        "rows.jsonl",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows: Vec<Value> = run.stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(rows.len(), 7);
    assert!(run.stderr.contains("[7/7] gate absent"), "{}", run.stderr);
    for row in &rows[..4] {
        assert_eq!(row["outcome"], "complete", "{row}");
        assert!(row["peak_bytes"].as_u64().unwrap() > 1_000_000, "{row}");
        assert_eq!(row["reference"]["stored"], 65);
    }
    let gate = &rows[4];
    assert_eq!(
        (&gate["outcome"], &gate["exit_code"]),
        (&"satisfied; not satisfied".into(), &1.into())
    );
    assert_eq!((&gate["transitions"], &gate["stored"]), (&1.into(), &4.into()));
    assert_eq!((&rows[5]["tool"], &rows[5]["outcome"]), (&"echo".into(), &"exit 7".into()));
    assert!(rows[6]["outcome"].as_str().unwrap().starts_with("not run: "), "{}", rows[6]);
    // Runs side by side have the rows of one after the other.
    let words = ["bench", "suite.toml", "--allow-commands", "--format", "json", "--threads", "3"];
    let beside = bench.run(&words);
    let essence = |text: &str| -> Vec<[Value; 4]> {
        let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        rows.map(|row| ["name", "tool", "outcome", "stored"].map(|key| row[key].clone())).collect()
    };
    assert_eq!(essence(&beside.stdout), essence(&run.stdout));
    assert_eq!(beside.stderr, run.stderr);
    // Finished rows are not measured again; a truncated row is.
    let kept = fs::read_to_string(bench.path("rows.jsonl")).unwrap();
    let cut = &kept[..kept.len() - 20];
    bench.write("rows.jsonl", cut);
    let again = bench.run(&[
        "bench",
        "suite.toml",
        "--allow-commands",
        "--format",
        "csv",
        "--resume",
        "rows.jsonl",
    ]);
    assert_eq!(again.stderr, "[7/7] gate absent\n");
    assert_eq!(again.stdout.lines().count(), 8);
}

#[test]
fn tables_are_printed_in_every_format() {
    let bench = bench();
    for (format, beginning) in [
        ("text", "small\n\nrun "),
        ("markdown", "## small\n\n| run |"),
        ("csv", "run,tool,strategy,"),
        ("json", "{\"key\":\"gate | "),
    ] {
        let words = ["bench", "suite.toml", "--only", "gate", "--format", format, "-o", "table"];
        let run = bench.run(&[&words[..], &["--allow-commands"]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.stderr);
        let table = fs::read_to_string(bench.path("table")).unwrap();
        assert!(table.starts_with(beginning), "{table}");
    }
}

#[test]
fn other_tools_are_compared_and_samples_have_medians() {
    let bench = Bench::new();
    bench.write(
        "suite.toml",
        "\
[defaults]
explore = true
seeds = [1, 2, 3]
seeded = [\"rdfs\"]
strategies = [\"bfs\", \"rdfs\"]

[[peer]]
name = \"other\"
command = [\"sh\", \"-c\", \"cat \\\"$0\\\"; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done\", \"{peer_model}\"]
explored = \"VISITED\"

[[run]]
family = \"fischer 3\"
peer_model = [\"echo\", \"VISITED 42 states\"]
published.bfs = { explored = 130 }
",
    );
    let run = bench.run(&["bench", "suite.toml", "--allow-commands", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows: Vec<Value> = run.stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!((&rows[0]["spread"], &rows[1]["spread"]["samples"]), (&Value::Null, &3.into()));
    assert_eq!((&rows[2]["tool"], &rows[2]["explored"]), (&"other".into(), &42.into()));
    assert_eq!(rows[0]["reference"]["explored"], 130);
    assert_eq!(rows[1]["reference"], Value::Null);
    assert_eq!(rows[0]["comparison"]["tool"], "other");
    let run = bench.run(&["bench", "suite.toml", "--allow-commands"]);
    assert!(run.stdout.contains("memory of other: "), "{}", run.stdout);
    assert!(run.stdout.contains("explored from-to"), "{}", run.stdout);
}

#[test]
fn pictures_are_written_into_a_folder() {
    let bench = bench();
    let words = ["bench", "suite.toml", "--allow-commands", "--only", "gate", "--svg"];
    let run = bench.run(&[&words[..], &["plots/new"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for name in ["time", "explored", "memory", "cactus"] {
        let text = fs::read_to_string(bench.path(&format!("plots/new/{name}.svg"))).unwrap();
        assert!(text.starts_with("<?xml") && text.contains("small: "), "{name}: {text}");
    }
    bench.write("file", "");
    let run = bench.run(&[&words[..], &["file"]].concat());
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn a_suite_runs_no_command_that_was_not_allowed() {
    let bench = Bench::new();
    let touch = |name: &str| format!("[\"sh\", \"-c\", \"touch {name}\"]");
    // A tool that is called like Zonaut is still another tool.
    let suites = [
        format!(
            "[[peer]]\nname = \"p\"\ncommand = {}\n[[run]]\nfamily = \"fischer 2\"\n",
            touch("ran")
        ),
        format!(
            "[[run]]\nfamily = \"fischer 2\"\n[[run.peer]]\nname = \"zonaut\"\ncommand = {}\n",
            touch("ran")
        ),
        format!(
            "[[run]]\nfamily = \"fischer 2\"\npeer_model = {}\n[[run.peer]]\nname = \"p\"\n\
             command = [\"true\", \"{{peer_model}}\"]\n",
            touch("ran"),
        ),
    ];
    for suite in suites {
        bench.write("suite.toml", &suite);
        let run = bench.run(&["bench", "suite.toml"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{suite}");
        assert!(run.stderr.contains("--allow-commands"), "{}", run.stderr);
        assert!(!bench.path("ran").exists(), "{suite}");
        let run = bench.run(&["bench", "suite.toml", "--allow-commands"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        fs::remove_file(bench.path("ran")).expect("the command ran");
    }
}

#[test]
fn a_name_in_a_suite_is_no_option() {
    let bench = Bench::new();
    bench.write("-h", "process P() { state a; init a; } system P;");
    bench.write("suite.toml", "[[run]]\nmodel = \"-h\"\nexplore = true\n");
    let run = bench.run(&["bench", "suite.toml", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let row: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(row["outcome"], "complete", "{row}");
}

#[test]
fn a_wrong_suite_is_refused() {
    let bench = bench();
    for text in [
        "",
        "run = 3",
        "[[run]]\nmodel = \"a.xta\"\nfamily = \"fischer 3\"\n",
        "[[run]]\nfamily = \"fisher 3\"\n",
        "[[run]]\nfamily = \"fischer x\"\n",
        "[[run]]\nmodell = \"a.xta\"\n",
        "models_from = \"A_VARIABLE_THAT_IS_NOT_SET\"\n[[run]]\nmodel = \"a.xta\"\n",
        "[[run]]\nmodel = \"a.xta\"\n[[run.peer]]\nname = \"p\"\ncommand = []\n",
    ] {
        bench.write("suite.toml", text);
        let run = bench.run(&["bench", "suite.toml"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{text}");
        assert!(run.stderr.starts_with("error: suite.toml: "), "{}", run.stderr);
    }
    assert_eq!(bench.run(&["bench", "none.toml"]).code, Some(2));
}

#[test]
fn the_suites_of_the_repository_are_well_formed() {
    let bench = Bench::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench");
    for name in ["families", "mcta", "optimal", "greedy", "fischer-errors"] {
        let path = format!("{folder}/{name}.toml");
        let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
        command.args(["bench", &path, "--only", "nothing of this name"]).env("ZONAUT_MODELS", ".");
        assert_eq!(bench.finish(&mut command).code, Some(0), "{name}");
    }
}
