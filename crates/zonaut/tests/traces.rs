//! Traces: explained, compared, drawn, and several of them.

mod support;

use std::fs;
use support::Bench;

const FISCHER: &str = "const int K = 2; int[0,2] turn;
    process P(const int[1,2] id) { clock x; state idle, request { x <= K }, waiting, inside; init idle;
        trans idle -> request { guard turn == 0; assign x = 0; },
              request -> waiting { guard x <= K; assign turn = id, x = 0; },
              waiting -> inside { guard x >= K && turn == id; }; }
    system P;";
const UNSAFE: &str = "A[] not (P(1).inside and P(2).inside)";

/// A bench with the model and a trace of it.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("fischer.xta", FISCHER);
    let run = bench.run(&["verify", "fischer.xta", "-q", UNSAFE, "--trace", "shortest", "--json"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    bench.write("run.json", &run.stdout);
    bench
}

#[test]
fn a_trace_is_explained_step_by_step() {
    let bench = bench();
    let run = bench.run(&["explain", "fischer.xta", "run.json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    for line in [
        "because guard: turn == 0 (turn = 0)",
        "because stay in P(2).request: P(2).x <= 2 (P(2).x = 2)",
        "because guard: P(1).x >= 2 (P(1).x = 2)",
        "turn: 1 -> 2, P(2).x = 0",
    ] {
        assert!(run.stdout.contains(line), "{line}\n{}", run.stdout);
    }
}

#[test]
fn the_first_step_that_is_not_possible_ends_an_explanation() {
    let bench = bench();
    bench.write("fischer.xta", FISCHER.replace("x >= K", "x > K"));
    let run = bench.run(&["explain", "fischer.xta", "run.json"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let last = run.stdout.lines().last().expect("a line");
    let expected = "step 4 of 6 is not possible: P(1).waiting -> P(1).inside: the guard requires \
                    `P(1).x > 2`";
    assert_eq!(last, expected);
    let wrong = bench.run(&["explain", "fischer.xta", "fischer.xta"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(wrong.stderr.contains("help: save traces with"), "{wrong:?}");
}

#[test]
fn delays_may_be_lenient() {
    let bench = Bench::new();
    bench.write(
        "p.xta",
        "clock x; process P() { state a { x <= 6 }, b; init a; trans a -> b { guard x >= 2; }; }
         system P;",
    );
    let verify = |more: &[&str]| {
        let run = bench.run(&[&["verify", "p.xta", "-q", "E<> P.b", "--trace"], more].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        run.stdout
    };
    assert!(verify(&[]).contains("in 2 time units"));
    assert!(verify(&["--delays", "earliest"]).contains("in 2 time units"));
    assert!(verify(&["--delays", "lenient"]).contains("in 4 time units"));
    let goal = bench.run(&[
        "verify",
        "p.xta",
        "-q",
        "E<> P.b and x > 8",
        "--trace",
        "--delays",
        "lenient",
    ]);
    assert!(goal.stdout.contains("holds: x > 8"), "{goal:?}");
    let json = bench.run(&["verify", "p.xta", "-q", "E<> P.b", "--trace", "--json"]);
    bench.write("run.json", &json.stdout);
    let explained = bench.run(&["explain", "p.xta", "run.json", "--delays", "lenient"]);
    assert!(explained.stdout.contains("in 4 time units"), "{explained:?}");
}

#[test]
fn several_traces_are_different_and_shortest_first() {
    let bench = bench();
    let run = bench.run(&["verify", "fischer.xta", "-q", UNSAFE, "--traces", "3"]);
    assert_eq!(run.stdout.matches("  trace ").count(), 3, "{}", run.stdout);
    assert!(run.stdout.contains("trace 3 of 3:"), "{}", run.stdout);
    assert!(run.stdout.contains("holds: P(1).inside"), "{}", run.stdout);
    let json = bench.run(&["verify", "fischer.xta", "-q", UNSAFE, "--traces", "3", "--json"]);
    let record: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let traces = record["traces"].as_array().expect("a list");
    let lengths: Vec<_> = traces.iter().map(|it| it["steps"].as_array().map(Vec::len)).collect();
    assert_eq!(lengths.len(), 3);
    assert!(lengths.is_sorted() && traces[0] != traces[1] && traces[1] != traces[2]);
    let live = bench.run(&["verify", "fischer.xta", "-q", "A<> P(1).inside", "--traces", "2"]);
    assert!(live.stderr.contains("no other traces"), "{live:?}");
}

#[test]
fn two_traces_are_shown_side_by_side() {
    let bench = bench();
    let other = bench.run(&["explain", "fischer.xta", "run.json", "--delays", "lenient", "--json"]);
    bench.write("other.json", &other.stdout);
    let run = bench.run(&["diff", "run.json", "other.json"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("6 and 6 transitions, 6 in common"), "{}", run.stdout);
    assert!(run.stdout.lines().any(|line| line.contains(" ~ ")), "{}", run.stdout);
    let same = bench.run(&["diff", "run.json", "run.json"]);
    assert_eq!(same.code, Some(0), "{same:?}");
    assert!(same.stdout.contains("no difference"), "{}", same.stdout);
    assert_eq!(bench.run(&["diff", "run.json", "fischer.xta"]).code, Some(2));
    assert_eq!(bench.run(&["diff", "run.json", "missing.json"]).code, Some(2));
}

#[test]
fn models_and_traces_are_drawn_in_three_formats() {
    let bench = bench();
    let draw = |output: &str, more: &[&str]| {
        let run = bench.run(&[&["draw", "fischer.xta", output], more].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.stderr.contains(&format!("wrote {output}")), "{run:?}");
        fs::read_to_string(bench.path(output)).expect("a picture")
    };
    assert!(draw("a.svg", &[]).contains(">turn == 0</text>"));
    let pdf = draw("a.pdf", &[]);
    assert!(pdf.starts_with("%PDF-1.4") && pdf.contains("(turn == 0) Tj"), "{pdf}");
    let tikz = draw("a.tex", &[]);
    assert!(tikz.contains("\\begin{tikzpicture}") && tikz.contains("{turn == 0};"), "{tikz}");
    let film = draw("film.svg", &["--trace", "run.json"]);
    assert!(film.contains("@keyframes r0l3") && film.contains("prefers-reduced-motion"), "{film}");
    assert!(film.contains("time 4: step 6, P(2): waiting"), "{film}");
    let still = draw("still.svg", &["--trace", "run.json", "--step", "1"]);
    assert!(!still.contains("@keyframes") && still.contains("class=\"taken\""), "{still}");
    let words = ["--chart", "--gantt", "chart.pdf"];
    let chart = bench.run(&[&["verify", "fischer.xta", "-q", UNSAFE][..], &words].concat());
    assert!(chart.stderr.contains("wrote chart.pdf"), "{chart:?}");
    // All locations are shown, not only those with an invariant.
    assert!(chart.stdout.contains("[inside"), "{chart:?}");
    for (arguments, why) in [
        (&["draw", "fischer.xta", "a.png"][..], "the extensions are .svg, .pdf and .tex"),
        (
            &["draw", "fischer.xta", "a.pdf", "--trace", "run.json"],
            "only SVG pictures are animated",
        ),
        (&["draw", "fischer.xta", "a.svg", "--trace", "run.json", "--step", "9"], "has 6 steps"),
    ] {
        let run = bench.run(arguments);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains(why), "{run:?}");
    }
}
