//! `zonaut.toml`: settings apply to models below it, give way to options, and are checked.

mod support;

use std::fs;
use support::{Bench, Run};

const MODEL: &str = "\
const int N = 3;
int[0, 1000] i;
process P() { state a; init a; trans a -> a { guard i < N; assign i = i + 1; }; }
system P;
";

/// A model in `sub/m.xta` with queries beside it, and a configuration above it.
fn bench(configuration: &str) -> Bench {
    let bench = Bench::new();
    fs::create_dir(bench.path("sub")).expect("a new folder");
    bench.write("sub/m.xta", MODEL);
    bench.write("sub/m.q", "E<> i == 5\n");
    bench.write("zonaut.toml", configuration);
    bench
}

fn verify(configuration: &str, words: &[&str]) -> Run {
    bench(configuration).run(&[&["verify", "sub/m.xta"], words].concat())
}

#[test]
fn settings_apply_to_models_below_and_are_announced() {
    let run = verify("strategy = \"bfs\"\ntime = 60\n[define]\nN = 5\n", &["--json"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("\"strategy\":\"bfs\""), "{}", run.stdout);
    assert!(
        run.stderr.contains("note: zonaut.toml sets `define`, `strategy`, `time`"),
        "{}",
        run.stderr
    );
    let other = verify("[define]\nN = 4\n", &[]);
    assert_eq!(other.code, Some(1), "{}{}", other.stdout, other.stderr);
}

#[test]
fn options_take_precedence_and_a_file_can_be_ignored() {
    let configuration = "strategy = \"bfs\"\n[define]\nN = 5\n";
    let run = verify(configuration, &["-D", "N=4", "--strategy", "dfs", "--json"]);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("\"strategy\":\"dfs\""), "{}", run.stdout);
    assert!(!run.stderr.contains("zonaut.toml"), "{}", run.stderr);
    let run = verify(configuration, &["--no-config"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{}", run.stdout);
    let run = bench(configuration).run(&["verifyta", "sub/m.xta", "sub/m.q"]);
    assert!(run.stdout.contains("NOT satisfied"), "{}", run.stdout);
}

#[test]
fn queries_are_found_from_the_folder_of_the_file() {
    let bench = bench("queries = \"common.q\"\n");
    bench.write("common.q", "A[] i <= 3\n");
    let run = bench.run(&["verify", "sub/m.xta"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("A[] i <= 3"), "{}", run.stdout);
    let run = bench.run(&["verify", "sub/m.xta", "-q", "E<> i == 9"]);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    let run = bench.run(&["verify", "sub/m.xta", "sub/m.q"]);
    assert!(run.stdout.contains("E<> i == 5"), "{}", run.stdout);
}

#[test]
fn settings_that_a_command_does_not_have_are_left_out() {
    let bench = bench("strategy = \"bfs\"\nmemory = \"1G\"\n");
    let run = bench.run(&["check", "sub/m.xta"]);
    assert_eq!((run.code, run.stderr.contains("zonaut.toml")), (Some(0), false), "{}", run.stderr);
    let run = bench.run(&["optimize", "sub/m.xta", "-q", "E<> i == 3"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("zonaut.toml sets `memory`"), "{}", run.stderr);
}

#[test]
fn defined_constants_enter_the_digest_of_a_certificate() {
    let bench = bench("[define]\nN = 5\n");
    let run = bench.run(&["verify", "sub/m.xta", "--certificate", "m.cert"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert_eq!(bench.run(&["certify", "sub/m.xta", "m.cert"]).code, Some(0));
    let run = bench.run(&["certify", "sub/m.xta", "m.cert", "--no-config"]);
    assert_eq!(run.code, Some(2), "{}{}", run.stdout, run.stderr);
}

#[test]
fn wrong_files_are_errors_with_their_places() {
    let check = |configuration: &str, expected: &str| {
        let run = verify(configuration, &[]);
        assert_eq!(run.code, Some(2), "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
        assert!(run.stderr.contains("--no-config"), "{}", run.stderr);
    };
    check(
        "\nstrategi = \"bfs\"\n",
        "zonaut.toml:2:1: unknown key `strategi`; did you mean `strateg",
    );
    check("report = \"r.html\"\n", "zonaut.toml:1:1: unknown key `report`; the keys are strategy,");
    check("time = \"long\"\n", "zonaut.toml:1:8: `time` takes a number");
    check("states = 1.5\n", "zonaut.toml:1:10: `states` takes an integer");
    check("queries = 3\n", "zonaut.toml:1:11: `queries` takes a path");
    check("define = 3\n", "zonaut.toml:1:10: `define` takes a table");
    check("[define]\nN = \"5\"\n", "`define` takes integers");
    check("strategy = \"bsf\"\n", "zonaut.toml: invalid value 'bsf' for '--strategy");
    check("time = \n", "zonaut.toml:1:");
}

#[test]
fn models_with_different_settings_are_tested_one_by_one() {
    let bench = bench("time = 60\n");
    bench.write("sub/zonaut.toml", "time = 50\n");
    bench.write("n.xta", MODEL);
    bench.write("n.q", "E<> i == 3 /* EXPECT:T */\n");
    let run = bench.run(&["test", "sub/m.xta", "n.xta"]);
    assert_eq!(run.code, Some(2), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("different settings"), "{}", run.stderr);
    let run = bench.run(&["test", "n.xta"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("sets `time`"), "{}", run.stderr);
}
