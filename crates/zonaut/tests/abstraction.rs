//! `zonaut abstract`: abstract models.

mod support;

use support::Bench;

/// The goal depends on one input, and nothing depends on the other.
const PLANT: &str = "\
int[0,1] input; int[0,1] polled; int[0,1] other; clock x;
process Controller() { state off, on; init off; trans off -> on { guard polled == 1 && x >= 2; }; }
process Sensor() { state poll; init poll; trans poll -> poll { assign polled = input, x = 0; }; }
process Input() { state s; init s; trans s -> s { guard input == 0; assign input = 1; }; }
process Other() { state s; init s; trans s -> s { assign other = 1 - other; }; }
system Controller, Sensor, Input, Other;
";

#[test]
fn abstract_models_can_be_verified() {
    let bench = Bench::new();
    bench.write("plant.xta", PLANT);
    let words = ["abstract", "plant.xta", "-q", "E<> Controller.on", "--drop", "Input,other"];
    let run = bench.run(&[&words[..], &["-o", "small.xta"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("removed processes: Input"), "{run:?}");
    let answer = bench.run(&["verify", "small.xta", "small.q", "--json", "--trace", "shortest"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stdout.contains("\"transitions\":1"), "{answer:?}");
}

#[test]
fn selectors_report_removed_symbols() {
    let bench = Bench::new();
    bench.write("plant.xta", PLANT);
    for (selector, left_out) in [("rd", "Input, Other"), ("cone(d=1)", "Sensor, Input, Other")] {
        let run =
            bench.run(&["abstract", "plant.xta", "-q", "E<> Controller.on", "--select", selector]);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.stderr.contains(&format!("removed processes: {left_out}\n")), "{run:?}");
        assert!(run.stdout.contains("system Controller"), "{run:?}");
    }
}

#[test]
fn unknown_names_and_selectors_are_refused() {
    let bench = Bench::new();
    bench.write("plant.xta", PLANT);
    for words in [["--drop", "nobody"], ["--select", "cone(d=x)"]] {
        let run = bench.run(&[&["abstract", "plant.xta"], &words[..]].concat());
        assert_eq!(run.code, Some(2), "{run:?}");
    }
}
