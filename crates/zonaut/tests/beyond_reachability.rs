//! Queries about maximal runs and values on the command line.

mod support;

use serde_json::Value;
use support::Bench;

const MODEL: &str = "\
clock x; int n;
process P() {
    state a { x <= 3 }, b { x < 5 }, c;
    init a;
    trans a -> a { guard x == 3; assign x = 0, n = n < 2 ? n + 1 : 0; },
          a -> b { guard x < 2; },
          c -> a { };
}
system P;
";

fn ask(words: &[&str]) -> (Option<i32>, String) {
    let bench = Bench::new();
    bench.write("m.xta", MODEL);
    let run = bench.run(&[&["verify", "m.xta"], words].concat());
    assert!(!run.stderr.contains("error"), "{run:?}");
    (run.code, run.stdout)
}

#[test]
fn a_maximal_run_is_shown_with_its_loop_or_its_end() {
    let (code, text) = ask(&["-q", "A<> P.b", "--trace", "some"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("\u{2717} not satisfied  A<> P.b") && text.contains("  certified\n"),
        "{text}"
    );
    assert!(text.contains("  loop  the cycle starts here\n"), "{text}");
    let end = "the cycle from `loop` on repeats for ever\n  3 transitions in 9 time units\n";
    assert!(text.ends_with(end), "{text}");
    let (_, text) = ask(&["-q", "E[] n == 0 and (P.a imply x < 2)", "--trace", "some"]);
    let end = "no transition is enabled any more; time passes as far as invariants allow\n";
    assert!(text.contains(end), "{text}");
    let (code, text) = ask(&["-q", "P.a and x > 3 --> P.b", "-q", "A<> not P.c"]);
    assert!(code == Some(0) && text.matches("  certified\n").count() == 2, "{text}");
}

#[test]
fn a_loop_is_data_in_json() {
    let (_, text) = ask(&["-q", "A<> P.b", "--trace", "some", "--json"]);
    let record: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(record["verdict"], "not_satisfied");
    let from = record["trace"]["continuation"]["repeats"]["from"].as_u64();
    assert!(from.is_some_and(|from| from < record["transitions"].as_u64().unwrap()), "{text}");
}

#[test]
fn values_are_marked_as_attained_or_approached() {
    let (code, text) = ask(&["-q", "bounds{P.b}: x, n", "-q", "sup: x", "-q", "inf{P.c}: x"]);
    assert_eq!(code, Some(0), "{text}");
    for line in
        ["    x >= 0, x < 5\n", "    n >= 0, n <= 2\n", "    x < 5\n", "    x has no values\n"]
    {
        assert!(text.contains(line), "{line} {text}");
    }
    let (_, text) = ask(&["-q", "bounds{P.a}: x", "--trace", "some", "--json"]);
    let record: Value = serde_json::from_str(&text).expect("JSON");
    let values = &record["values"][0];
    assert_eq!(values["expression"], "x");
    assert_eq!(values["supremum"], serde_json::json!({"value": 3, "attained": true}));
    assert_eq!(values["run"]["last_delay"], "3");
}

#[test]
fn verifyta_prints_values_in_its_own_format() {
    let bench = Bench::new();
    bench.write("m.xta", MODEL);
    bench.write("m.q", "sup{P.a}: x\nA<> P.b\n");
    let run = bench.run(&["verifyta", "m.xta", "m.q"]);
    assert!(run.stdout.contains(" -- Formula is satisfied.\n -- Result: 3\n"), "{run:?}");
    assert!(run.stdout.contains(" -- Formula is NOT satisfied.\n"), "{run:?}");
}

#[test]
fn certificates_of_runs_and_values_are_kept_and_checked_again() {
    let bench = Bench::new();
    bench.write("m.xta", MODEL);
    for (query, kind, values) in [
        ("A<> P.b", "lasso", Value::Null),
        ("P.c --> P.b", "live", Value::Null),
        ("bounds{P.b}: x, n", "values", serde_json::json!([">=0 <5", ">=0 <=2"])),
        ("sup{P.c}: x", "values", serde_json::json!(["none"])),
    ] {
        let words = ["verify", "m.xta", "-q", query, "--certify", "always", "--certificate"];
        let run = bench.run(&[&words[..], &["c.cert"]].concat());
        assert!(run.stdout.contains("  certified\n"), "{query}: {run:?}");
        let run = bench.run(&["certify", "m.xta", "c.cert", "--json"]);
        let record: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!((record["answer"].as_str(), run.code), (Some("accepted"), Some(0)), "{query}");
        assert_eq!((record["kind"].as_str(), &record["values"]), (Some(kind), &values), "{query}");
    }
}

#[test]
fn unbounded_clocks_and_indexed_clocks_are_certified() {
    let bench = Bench::new();
    let model = "clock x, y, z[2]; int[0,1] i; \
                 process P() { state a { y <= 1 }, b; init a; \
                 trans a -> a { guard y == 1; assign y = 0; }, \
                 a -> b { guard x >= 3; assign i = 1, z[1] = 2; }; } system P;";
    bench.write("m.xta", model);
    for (query, answer) in [
        ("sup: x", "x < infinity"),
        ("sup{P.b}: x", "x < infinity"),
        ("sup{P.a && x < 7}: x", "x < 7"),
        ("inf: z[i]", "z[i] >= 0"),
        ("inf{P.b}: z[i]", "z[i] >= 2"),
        ("sup{P.a && x <= 5}: z[i]", "z[i] <= 5"),
        ("sup: z[i]", "z[i] < infinity"),
    ] {
        let run = bench.run(&["verify", "m.xta", "-q", query, "--certify", "always"]);
        assert!(run.stdout.contains(answer), "{query}: {run:?}");
        assert!(run.stdout.contains("  certified\n"), "{query}: {run:?}");
    }
}
