//! Heuristics find the errors of families for directed search within the published numbers of
//! states.

mod support;

use serde_json::Value;
use support::Bench;

/// Answers the first query of a model of a family, and returns the record.
fn ask(family: &[&str], strategy: &str) -> Value {
    let bench = Bench::new();
    let generated = bench.run(&[&["generate"], family, &["-o", "m.xta"]].concat());
    assert_eq!(generated.code, Some(0), "{}", generated.stderr);
    let words = ["verify", "m.xta", "--strategy", strategy, "--trace", "some", "--json"];
    let run = bench.run(&words);
    assert_eq!(run.code, Some(0), "{family:?} {strategy}: {}{}", run.stdout, run.stderr);
    serde_json::from_str(&run.stdout).expect("one report")
}

#[test]
fn errors_of_fischers_protocol_are_found_within_published_counts() {
    // J. Hoffmann et al., MoChArt 2006, table 1: the better of two heuristics.
    for (family, size, published) in [
        ("fischer-a", "5", 27),
        ("fischer-a", "10", 42),
        ("fischer-a", "15", 57),
        ("fischer-b", "5", 74),
        ("fischer-b", "10", 274),
        ("fischer-b", "15", 599),
    ] {
        let report = ask(&[family, size], "greedy(hu)");
        let explored = report["explored"].as_u64().expect("a number of states");
        assert!(explored <= published, "{family} {size}: {explored} states");
        assert_eq!(report["certified"], true, "{family} {size}");
    }
}

#[test]
fn heuristics_do_not_change_the_length_of_shortest_error_paths() {
    for (family, transitions) in [("fischer-a", 8), ("fischer-b", 6), ("fischer-c", 6)] {
        for strategy in ["astar(blind)", "astar(hl)"] {
            let report = ask(&[family, "4"], strategy);
            assert_eq!(report["transitions"], transitions, "{family} {strategy}");
        }
    }
}

#[test]
fn the_towers_take_one_move_less_than_a_power_of_two() {
    for discs in 1..=6u32 {
        let report = ask(&["hanoi", &discs.to_string()], "astar(hl)");
        assert_eq!(report["transitions"], 2u64.pow(discs) - 1, "{discs} discs");
    }
}
