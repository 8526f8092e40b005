//! `zonaut verify` in scripts: exit codes, lines, JSON, traces.

mod support;

use serde_json::Value;
use support::{Bench, Run};

const LAMP: &str = "\
clock x; int[0,3] n;
process Lamp() {
    state off, low { x <= 5 }, high;
    init off;
    trans off -> low { select i : int[1,2]; assign x = 0, n = i; },
          low -> high { guard x > 1 and x < 2 and n == 2; assign n = 3; },
          low -> off { guard x == 5; };
}
system Lamp;
";

const FAILING: &str = "\
int[0,1] v;
process P() { state a, b; init a; trans a -> a { assign v = v + 1; }, b -> a { }; }
system P;
";

/// Two counters: a state space that takes a while to explore.
const LARGE: &str = "\
int[0,3000] a; int[0,3000] b;
process P() {
    state s; init s;
    trans s -> s { guard a < 3000; assign a = a + 1; },
          s -> s { guard b < 3000; assign b = b + 1; };
}
system P;
";

fn verify(model: &str, words: &[&str]) -> Run {
    let bench = Bench::new();
    bench.write("m.xta", model);
    bench.run(&[&["verify", "m.xta"], words].concat())
}

fn records(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[track_caller]
fn check(model: &str, words: &[&str], code: i32, verdicts: &[&str]) {
    let run = verify(model, &[words, &["--json"]].concat());
    assert_eq!(run.code, Some(code), "{words:?} {run:?}");
    let records = records(&run);
    let found: Vec<&str> = records.iter().filter_map(|r| r["verdict"].as_str()).collect();
    assert_eq!(found, verdicts, "{words:?}");
    let text = verify(model, words);
    assert_eq!(text.code, Some(code), "text and JSON end alike");
}

#[test]
fn the_exit_code_is_the_first_of_5_2_3_1_0_that_occurs() {
    let (yes, no) = ("E<> Lamp.high", "A[] Lamp.off");
    let later = "control: A<> Lamp.high";
    check(LAMP, &["-q", yes], 0, &["satisfied"]);
    check(LAMP, &["-q", no], 1, &["not_satisfied"]);
    check(LAMP, &["-q", yes, "-q", no], 1, &["satisfied", "not_satisfied"]);
    check(LAMP, &["-q", no, "-q", later], 3, &["not_satisfied", "unknown"]);
    check(
        FAILING,
        &["-q", "E<> v == 0", "-q", "E<> P.b", "-q", "control: A<> P.b"],
        5,
        &["satisfied", "error", "unknown"],
    );
    for limit in [["--time", "0"], ["--memory", "1k"], ["--states", "700"]] {
        check(LARGE, &["-q", "E<> a == 3000", limit[0], limit[1]], 3, &["unknown"]);
    }
}

#[test]
fn queries_that_share_an_exploration_have_the_answers_of_separate_ones() {
    let queries = ["E<> Lamp.low", "A[] not Lamp.high", "E<> x > 9", "E<> false", "E<> Lamp.off"];
    let words: Vec<&str> = queries.iter().flat_map(|query| ["-q", query]).collect();
    let answers = |more: &[&str]| {
        let run = verify(LAMP, &[&words[..], &["--json", "--certify", "never"], more].concat());
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let mut answers = records(&run);
        for answer in &mut answers {
            let fields = answer.as_object_mut().unwrap();
            let is_measured = |name: &str| name.ends_with("seconds") || name.ends_with("bytes");
            fields.retain(|name, _| !is_measured(name));
        }
        answers
    };
    for strategy in ["bfs", "dfs"] {
        let words = ["--strategy", strategy, "--separate"];
        assert_eq!(answers(&words[..2]), answers(&words), "{strategy}");
    }
}

#[test]
fn the_default_strategy_reports_its_portfolio() {
    let words = ["-q", "A[] not Lamp.high", "--certify", "never"];
    let run = verify(LAMP, &[&words[..], &["-v"]].concat());
    assert!(run.stdout.contains("auto: bfs, alu"), "{}", run.stdout);
    let tried = "    bfs (exhaustive breadth-first search): decided (1 time slice, ";
    assert!(run.stdout.lines().any(|line| line.starts_with(tried)), "{}", run.stdout);
    let named = verify(LAMP, &[&words[..], &["-v", "--strategy", "bfs"]].concat());
    assert!(
        !named.stdout.contains("auto") && !named.stdout.contains("decided"),
        "{}",
        named.stdout
    );

    let run = verify(LAMP, &[&words[..], &["--json", "--strategy", "auto(first=1)"]].concat());
    let answers = records(&run);
    let attempts = answers[0]["attempts"].as_array().expect("what was tried");
    let decided: Vec<_> = attempts.iter().filter(|one| one["end"] == "decided").collect();
    assert_eq!(decided.len(), 1);
    assert_eq!(decided[0]["strategy"], answers[0]["strategy"]);
}

#[test]
fn a_wrong_query_has_the_verdict_error_and_costs_no_other_its_verdict() {
    for (words, verdicts) in [
        (&["-q", "E<> Lamp.medium"][..], &["error"][..]),
        (&["-q", "E<> Lamp.high", "-q", "E<>"], &["satisfied", "error"]),
        (&["-q", "E<>", "-q", "A[] Lamp.off"], &["error", "not satisfied"]),
    ] {
        let run = verify(LAMP, words);
        assert_eq!(run.code, Some(2), "{words:?} {}", run.stderr);
        assert!(run.stderr.starts_with("error"), "{words:?} {}", run.stderr);
        let lines: Vec<&str> = run.stdout.lines().collect();
        // Several answers have a line with their counts.
        let counts = usize::from(verdicts.len() > 1);
        assert_eq!(lines.len(), verdicts.len() + counts, "{words:?} {}", run.stdout);
        for (line, verdict) in lines.iter().zip(verdicts) {
            let shown = line.split_once(['\u{2713}', '\u{2717}']).expect("a mark").1;
            assert_eq!(shown.find(verdict), Some(1), "{words:?} {line}");
        }
    }
}

#[test]
fn wrong_input_has_no_verdict() {
    for (model, words) in [
        (LAMP, &[][..]),
        (LAMP, &["none.q"]),
        (LAMP, &["m.q", "-q", "E<> true"]),
        (LAMP, &["-q", "E<> true", "--strategy", "sideways"]),
        (LAMP, &["-q", "E<> true", "--abstraction", "fine"]),
        (LAMP, &["-q", "E<> true", "--memory", "much"]),
        (LAMP, &["-q", "E<> true", "--time", "-1"]),
        ("clock x; process P() { state a { x >= 1 }; init a; } system P;", &["-q", "E<> true"]),
    ] {
        let run = verify(model, words);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{words:?} {}", run.stderr);
        assert!(run.stderr.starts_with("error"), "{words:?} {}", run.stderr);
    }
}

#[test]
fn a_line_of_json_has_exactly_these_keys() {
    let keys = |record: &Value| record.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut expected: Vec<&str> = "index formula verdict strategy transitions explored stored \
                                   seconds search_seconds memory_bytes search_bytes reason \
                                   abstraction differences pruned guide \
                                   certified uncertified_reason certification_seconds \
                                   certification_bytes warnings"
        .split(' ')
        .collect();
    expected.sort_unstable();
    let run = verify(LAMP, &["-q", "E<> Lamp.high", "--json", "--strategy", "dfs"]);
    let record = &records(&run)[0];
    let mut found = keys(record);
    found.sort_unstable();
    assert_eq!(found, expected);
    // The times include the certificate.
    let number = |key: &str| record[key].as_f64().expect("a number");
    assert!(number("certification_seconds") > 0.0, "{record}");
    let sum = number("search_seconds") + number("certification_seconds");
    assert!((number("seconds") - sum).abs() < 1e-9, "{record}");
    let sum = number("search_bytes") + number("certification_bytes");
    assert_eq!(number("memory_bytes"), sum, "{record}");
    assert_eq!((&record["index"], &record["formula"]), (&1.into(), &"E<> Lamp.high".into()));
    assert_eq!((&record["strategy"], &record["abstraction"]), (&"dfs".into(), &"alu".into()));
    assert_eq!((&record["transitions"], &record["reason"]), (&Value::Null, &Value::Null));
    let run = verify(LAMP, &["-q", "E<> Lamp.high", "--json", "--trace", "shortest"]);
    let record = &records(&run)[0];
    assert_eq!(record["transitions"], 2);
    assert_eq!(record["trace"]["steps"].as_array().unwrap().len(), 2);
    let step = &record["trace"]["steps"][1];
    assert_eq!(step["edges"][0]["guard"], "x > 1 && x < 2 && n == 2");
    assert_eq!((&step["state"]["variables"]["n"], &step["delay"]), (&3.into(), &"3/2".into()));
}

#[test]
fn a_trace_is_readable() {
    let run = verify(LAMP, &["-q", "E<> Lamp.high and x >= 7", "--trace", "some"]);
    let (line, trace) = run.stdout.split_once('\n').unwrap();
    assert!(line.starts_with("\u{2713} satisfied      E<> Lamp.high and x >= 7  "), "{line}");
    assert!(line.ends_with("s  certified"), "{line}");
    let expected = "  time  delay
     0         start Lamp.off
                     n = 0, x = 0
     0      0  1.    Lamp.off -> Lamp.low { x = 0, n = i } with i = 2
                     n: 0 -> 2
   3/2    3/2  2.    Lamp.low -> Lamp.high { x > 1 && x < 2 && n == 2; n = 3 }
                     n: 2 -> 3
     7   11/2  end   Lamp.high
                     n = 3, x = 7
                     holds: Lamp.high
                     holds: x >= 7
  2 transitions in 7 time units
";
    assert_eq!(trace, expected, "{trace}");
}

#[test]
fn a_trace_is_printed_without_naming_its_kind() {
    let bare = verify(LAMP, &["-q", "E<> Lamp.high", "--trace"]);
    let named = verify(LAMP, &["-q", "E<> Lamp.high", "--trace", "some"]);
    let rows = |run: &Run| run.stdout.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!((bare.code, rows(&bare)), (Some(0), rows(&named)), "{bare:?}");
    assert!(bare.stdout.contains("  2 transitions in "), "{bare:?}");
}

#[test]
fn statistics_are_printed_on_request_and_several_answers_are_counted() {
    let ask = ["-q", "E<> Lamp.high", "-q", "A[] not Lamp.high"];
    let quiet = verify(LAMP, &ask);
    assert!(!quiet.stdout.contains("explored"), "{quiet:?}");
    let last = quiet.stdout.lines().last().unwrap_or_default();
    assert!(last.starts_with("2 queries: 1 satisfied, 1 not satisfied  "), "{quiet:?}");
    let loud = verify(LAMP, &[&ask[..], &["-v"]].concat());
    assert_eq!(loud.stdout.matches(" explored, ").count(), 2, "{loud:?}");
    let single = verify(LAMP, &["-q", "E<> Lamp.high"]);
    assert_eq!(single.stdout.lines().count(), 1, "{single:?}");
}

#[test]
fn a_failing_model_is_shown_with_its_place_and_its_run() {
    let run = verify(FAILING, &["-q", "E<> P.b"]);
    assert_eq!(run.code, Some(5));
    let reason = "m.xta:2:57: the value 2 is outside the range [0,1]";
    assert!(run.stdout.contains(reason), "{}", run.stdout);
    assert!(run.stdout.contains("  2.    P.a -> P.a { v = v + 1 }\n"), "{run:?}");
    assert!(run.stderr.contains("error[TA1000]: the value 2 is outside"), "{}", run.stderr);
    assert!(run.stderr.contains(" --> m.xta:2:57\n"), "{}", run.stderr);
    let record = &records(&verify(FAILING, &["-q", "E<> P.b", "--json"]))[0];
    assert_eq!((&record["reason"], &record["transitions"]), (&reason.into(), &2.into()));
    assert_eq!(record["trace"]["fails"], true);
}

#[test]
fn names_cannot_control_the_terminal() {
    let model = "process P() { state a; init a; trans a -> a { guard true /*\x1b[31m*/; }; } \
                 system P; query { E<> P.a /* \x1b[0m */ }";
    let run = verify(model, &["--trace", "some"]);
    assert!(!run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'), "{run:?}");
}

#[test]
fn endless_searches_are_undecided() {
    let update = "void f() { while (true) { } } \
                  process P() { state a; init a; trans a -> a { assign f(); }; } system P;";
    let guard = "process P() { state a; init a; trans a -> a \
                 { guard forall (i : int[0,999999]) forall (j : int[0,999999]) i + j >= 0; }; } \
                 system P;";
    for model in [update, guard] {
        let run = verify(model, &["-q", "E<> false", "--json"]);
        assert_eq!(run.code, Some(3), "{run:?}");
        let reason = records(&run)[0]["reason"].to_string();
        assert!(reason.contains("too many steps"), "{reason}");
    }
}

#[test]
fn a_run_with_clock_values_out_of_range_is_found_with_every_abstraction() {
    // Extrapolated zones reach the goal; the exact zones of its run do not fit, but its dates do.
    let model = |constant: &str| {
        format!(
            "process P() {{
                clock x, y; int[0,5] n;
                state a, b;
                init a;
                trans a -> a {{ guard x == {constant} && n < 5; assign x = 0, n++; }},
                      a -> b {{ guard n == 5 && y > 3; }};
            }}
            system P;"
        )
    };
    for constant in ["40000000", "60000000", "1073741823"] {
        for abstraction in ["m", "lu", "lu+", "alu"] {
            let words = ["-q", "E<> P.b", "--trace", "some", "--abstraction", abstraction];
            check(&model(constant), &words, 0, &["satisfied"]);
        }
    }
    let exact = ["-q", "E<> P.b", "--abstraction", "none"];
    check(&model("40000000"), &exact, 3, &["unknown"]);
    // Larger constants have wider bounds, which hold their sums.
    check(&model("60000000"), &exact, 0, &["satisfied"]);
    check(&model("1073741823"), &exact, 0, &["satisfied"]);
}

#[test]
fn a_formula_with_many_parts_does_not_overflow_the_stack() {
    let model = "clock x; process P() { state s { x <= 10 }; init s; } system P;";
    for formula in ["E<> forall (i : int[0,50000]) x <= 10 + i", "A[] x < 0 or x >= 0"] {
        check(model, &["-q", formula], 0, &["satisfied"]);
    }
}

#[test]
fn a_deep_run_time_error_has_its_whole_run() {
    let model = "int[0,20000] v; process P() { state a; init a; trans a -> a \
                 { assign v = v + 1; }; } system P;";
    let run = verify(model, &["-q", "E<> false", "--json"]);
    assert_eq!(run.code, Some(5));
    assert_eq!(records(&run)[0]["transitions"], 20001);
}

#[test]
fn abstractions_that_clock_differences_make_unsound_are_refused() {
    let model = "clock x, y; process P() { state a, b; init a; \
                 trans a -> b { guard x - y > 2; }, a -> a { assign y = 0; }; } system P;";
    for (words, code) in [
        (&[][..], 0),
        (&["--abstraction", "m"], 0),
        (&["--abstraction", "lu+"], 3),
        (&["--abstraction", "alu"], 3),
        (&["--store", "simulation"], 3),
        (&["--store", "exact"], 0),
    ] {
        let run = verify(model, &[&["-q", "E<> P.b", "--json"], words].concat());
        assert_eq!(run.code, Some(code), "{words:?}");
        let record = &records(&run)[0];
        match code {
            0 => assert_eq!(record["differences"], "zones split"),
            _ => assert!(record["reason"].as_str().unwrap().starts_with("unsupported: ")),
        }
    }
}

#[test]
fn exploration_reports_a_deadlock_that_it_meets() {
    let bench = Bench::new();
    let model = "clock x; process P() { state a, b; init a; \
                 trans a -> a { assign x = 0; }, a -> b { guard x >= 2; }; } system P;";
    bench.write("m.xta", model);
    bench.write("n.xta", model.replace("a -> b {", "b -> b { }, a -> b {"));
    let text = bench.run(&["explore", "m.xta"]);
    assert_eq!(text.code, Some(0));
    assert!(text.stdout.starts_with("\u{2717} a deadlock is reachable, after "), "{text:?}");
    assert!(text.stdout.contains("\nthe run to the deadlock:\n"), "{}", text.stdout);
    for abstraction in ["none", "m", "lu", "lu+", "alu"] {
        let words =
            |name| ["explore", name, "--json", "--states", "99", "--abstraction", abstraction];
        let met = &records(&bench.run(&words("m.xta")))[0]["deadlock"];
        let steps = met["steps"].as_array().map(Vec::len);
        assert_eq!(steps, Some(1), "{abstraction}: {met}");
        let none = &records(&bench.run(&words("n.xta")))[0]["deadlock"];
        assert!(none.is_null(), "{abstraction}: {none}");
    }
}

#[test]
fn deadlocks_and_priorities_are_answered_and_certified() {
    let model = "clock x; chan go; process P() { state a { x <= 5 }, b; init a; \
                 trans a -> b { guard x >= 3; sync go!; }, b -> a { assign x = 0; }; } \
                 process Q() { state c, d; init c; trans c -> c { sync go?; }, c -> d { }; } \
                 system Q < P;";
    for (query, code) in [
        ("A[] not deadlock", 1),
        ("A[] deadlock imply Q.d", 0),
        ("E<> deadlock and P.a and x == 5", 0),
        ("E<> deadlock and x < 3", 0),
        ("E<> deadlock and Q.c", 1),
        ("E<> Q.d and P.b", 1),
    ] {
        for strategy in ["bfs", "dfs", "astar(hl)", "greedy(hu)", "astar(rd)"] {
            let run = verify(model, &["-q", query, "--strategy", strategy, "--certify", "always"]);
            assert_eq!(run.code, Some(code), "{query} {strategy}: {} {}", run.stdout, run.stderr);
        }
    }
}

#[test]
fn exploration_reports_unreachable_locations_and_edges() {
    let bench = Bench::new();
    bench.write("m.xta", LAMP.replace("n == 2;", "n == 3;"));
    let run = bench.run(&["explore", "m.xta"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let finding =
        "! 1 unreachable location, 1 edge never taken\nthe whole state space was explored\n";
    assert!(run.stdout.starts_with(finding), "{}", run.stdout);
    let unused = "\
unreachable locations:
  Lamp.high  (m.xta:3:32)
edges never taken:
  Lamp.low -> Lamp.high { x > 1 && x < 2 && n == 3; n = 3 }  (m.xta:6:11)
";
    assert!(run.stdout.ends_with(unused), "{}", run.stdout);
    let idle = "process Q() { state t, u; init t; } system P, Q;";
    bench.write("large.xta", LARGE.replace("system P;", idle));
    let stopped = bench.run(&["explore", "large.xta", "--states", "1000", "--json"]);
    assert_eq!(stopped.code, Some(3));
    let record = &records(&stopped)[0];
    assert_eq!((&record["complete"], &record["reason"]), (&false.into(), &"state limit".into()));
    assert_eq!(record["unreached_locations"][0]["location"], "u");
    let text = bench.run(&["explore", "large.xta", "--states", "1000"]).stdout;
    assert!(text.contains("locations not reached yet:\n  Q.u  (large.xta:"), "{text}");
}

#[test]
fn every_command_has_examples() {
    let bench = Bench::new();
    let commands = "verify explore simulate bench check convert generate certify selftest";
    for command in commands.split(' ') {
        let run = bench.run(&[command, "--help"]);
        let example = format!("\n  zonaut {command} ");
        assert!(run.code == Some(0) && run.stdout.contains(&example), "{command}: {}", run.stdout);
    }
}

#[test]
fn a_deadlock_is_explained() {
    let model = "clock x; int n; chan go; process P() { state a { x <= 3 }, b; init a; trans \
                 a -> b { guard x >= 1; }, b -> b { guard n == 7; }, b -> a { sync go!; }; } \
                 system P;";
    let run = verify(model, &["-q", "A[] not deadlock", "--trace"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let why = "  no process can move:\n    P.b -> P.b { n == 7 }: the guard is false: `n == 7` (";
    assert!(run.stdout.contains(why), "{run:?}");
    assert!(run.stdout.contains("P.b -> P.a { go! }: "), "{run:?}");
    let run = verify(model, &["-q", "E<> P.b", "--trace"]);
    assert!(!run.stdout.contains("no process can move"), "{run:?}");
    let model = "chan go; process P() { state a, b; init a; trans a -> b { }; } \
                 process Q() { state c, d; init c; trans c -> d { sync go!; }; } system P, Q;";
    let run = verify(model, &["-q", "E<> deadlock", "--trace"]);
    let why =
        "  no process can move:\n    P.b: no edge leaves this location\n    Q.c -> Q.d { go! }: ";
    assert!(run.stdout.contains(why), "{run:?}");
}
