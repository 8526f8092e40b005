//! Search options change how an answer is found, and never the verdict.

mod support;

use serde_json::Value;
use std::fs;
use support::{Bench, Run};

/// Zones of `y` grow without bound, though there is one state.
const DRIFT: &str = "\
clock x, y;
process P() {
    state a, b;
    init a;
    trans a -> a { guard x == 1; assign x = 0; }, a -> b { guard y > 3 && y < 3; };
}
system P;
";

/// The JSON object of an answer.
fn answer(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).expect("one JSON object")
}

#[test]
fn every_store_ends_where_zones_drift() {
    let bench = Bench::new();
    bench.write("m.xta", DRIFT);
    for (store, abstraction) in [("exact", "lu+"), ("inclusion", "lu+"), ("simulation", "alu")] {
        for command in ["verify", "explore"] {
            let mut words = vec![command, "m.xta", "--store", store, "--states", "1000", "--json"];
            if command == "verify" {
                words.extend(["-q", "E<> P.b", "--certify", "always"]);
            }
            let run = bench.run(&words);
            assert_eq!(run.code, Some(i32::from(command == "verify")), "{run:?}");
            assert_eq!(answer(&run)["abstraction"], abstraction, "{run:?}");
        }
    }
    for store in ["exact", "inclusion"] {
        let words = ["--store", store, "--abstraction", "alu", "--states", "1000"];
        let run = bench.run(&[&["verify", "m.xta", "-q", "E<> P.b"], &words[..]].concat());
        assert_eq!(run.code, Some(3), "{run:?}");
        let why = "unsupported: abstraction `alu` without comparison by simulation";
        assert!(run.stdout.contains(why), "{run:?}");
    }
}

#[test]
fn a_difference_with_a_computed_bound_does_not_keep_a_search_from_ending() {
    let bench = Bench::new();
    for declaration in ["int[0,3] d;", "int d;"] {
        let text = format!(
            "clock x, y; {declaration}\nprocess P() {{ state a, b; init a;\n\
             trans a -> a {{ guard x == 1; assign x = 0, d = (d + 1) % 4; }},\n\
             a -> b {{ guard x - y > d; }}; }}\nsystem P;\n"
        );
        bench.write("m.xta", text);
        let words = ["verify", "m.xta", "-q", "E<> P.b", "-q", "E<> y - x > 100 && d == 2"];
        let rest = ["--certify", "always", "--states", "5000", "-v"];
        let run = bench.run(&[&words[..], &rest[..]].concat());
        assert_eq!(run.code, Some(1), "{run:?}");
        let count = |text: &str| run.stdout.lines().filter(|line| line.contains(text)).count();
        assert_eq!(count("clock differences: zones split"), 2, "{run:?}");
        assert_eq!(count("  certified"), 2, "{run:?}");
    }
}

/// Two differences that are equal, which extrapolation by single clocks does not preserve.
const PAIRED: &str = "\
clock x1, x2, x3, x4; int[0,2] d;
process P() {
    state a, b, c, e, q, err;
    init a;
    trans a -> b { guard x3 <= 3; assign x1 = 0, x3 = 0; },
          b -> c { guard x2 == 3; assign x2 = 0, d = 2; },
          c -> e { guard x1 == 2; assign x1 = 0; },
          e -> c { guard x2 == 2; assign x2 = 0; },
          c -> q { guard x1 == 3; assign x1 = 0; },
          q -> err { guard x2 - x1 > d && x4 - x3 < d; };
}
system P;
";

#[test]
fn computed_bounds_keep_differences_apart_that_depend_on_each_other() {
    let bench = Bench::new();
    bench.write("m.xta", PAIRED);
    for (formula, code) in
        [("E<> P.err", 1), ("E<> P.q && x2 - x1 > d && x4 - x3 < d", 1), ("E<> P.q", 0)]
    {
        let run = bench.run(&["verify", "m.xta", "-q", formula, "--certify", "always"]);
        assert_eq!(run.code, Some(code), "{run:?}");
        assert!(run.stdout.contains("  certified\n"), "{run:?}");
    }
}

#[test]
fn values_beyond_the_range_of_zones_cost_no_answer() {
    let bench = Bench::new();
    for constant in [1000, 33_000_000, (1 << 25) - 1, 1 << 25, (1 << 25) + 1, 48_000_000] {
        // The clock y grows far beyond the constants that it is compared with.
        let text = format!(
            "clock x, y; int[0,100] n;\nprocess P() {{ state a {{ x <= {constant} }}, b, c; init a;\n\
             trans a -> a {{ guard x >= {constant} && n < 100; assign x = 0, n++; }},\n\
             a -> b {{ guard y > {constant} && n == 100; }},\n\
             a -> c {{ guard y < {constant} && n == 2; }}; }}\nsystem P;\n"
        );
        bench.write("m.xta", text);
        let queries = ["-q", "E<> P.b", "-q", "E<> P.c"];
        for abstraction in [&[][..], &["--abstraction", "lu+"][..]] {
            let words = ["--certify", "always", "--trace", "some"];
            let words = [&["verify", "m.xta"][..], &queries, &words, abstraction].concat();
            let run = bench.run(&words);
            assert_eq!(run.code, Some(1), "{constant} {run:?}");
            assert_eq!(run.stdout.matches("  certified\n").count(), 2, "{run:?}");
            assert!(run.stdout.contains(&format!("  {constant}  1. ")), "{run:?}");
        }
    }
}

const GOAL: [&str; 6] = ["verify", "m.xta", "-q", "E<> P.b", "--strategy", "astar(rd)"];

#[test]
fn databases_that_cannot_be_kept_cost_no_answer() {
    let bench = Bench::new();
    bench.write("m.xta", "process P() { state a, b; init a; trans a -> b { }; } system P;");
    bench.write("file", "");
    for folder in ["file", "file/inside"] {
        let run = bench.run(&[&GOAL[..], &["--databases", folder, "--json"]].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.stderr.starts_with("warning: the database file/"), "{run:?}");
        let warnings = answer(&run)["warnings"].as_array().expect("warnings").clone();
        assert_eq!(warnings.len(), 1, "{run:?}");
    }
    fs::create_dir(bench.path("kept")).unwrap();
    let run = bench.run(&[&GOAL[..], &["--databases", "kept", "--json"]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    assert_eq!(answer(&run)["warnings"], Value::Array(Vec::new()));
    let kept: Vec<_> = fs::read_dir(bench.path("kept")).unwrap().map(|e| e.unwrap()).collect();
    assert_eq!(kept.len(), 1);
    assert!(kept[0].file_name().to_string_lossy().ends_with(".zpdb"));
}

/// Stored tables are used again, and damaged ones are rebuilt.
#[test]
fn abstractions_and_merged_automata_are_kept() {
    let bench = Bench::new();
    bench.write("m.xta", "process P() { state a, b; init a; trans a -> b { }; } system P;");
    for (strategy, folder) in [("greedy(pa)", "predicates"), ("astar(merge)", "merged")] {
        let words = ["verify", "m.xta", "-q", "E<> P.b", "--strategy", strategy];
        let words = [&words[..], &["--databases", folder]].concat();
        assert_eq!(bench.run(&words).code, Some(0));
        let kept: Vec<_> = fs::read_dir(bench.path(folder)).unwrap().map(|e| e.unwrap()).collect();
        assert_eq!(kept.len(), 1, "{strategy}");
        let whole = fs::read(kept[0].path()).unwrap();
        fs::write(kept[0].path(), &whole[..whole.len() - 1]).unwrap();
        assert_eq!(bench.run(&words).code, Some(0));
        assert_eq!(fs::read(kept[0].path()).unwrap(), whole, "{strategy}");
    }
}

#[test]
#[cfg(unix)]
fn a_database_replaces_a_link_and_does_not_write_through_it() {
    let bench = Bench::new();
    bench.write("m.xta", "process P() { state a, b; init a; trans a -> b { }; } system P;");
    let words = [&GOAL[..], &["--databases", "kept"]].concat();
    assert_eq!(bench.run(&words).code, Some(0));
    let kept = fs::read_dir(bench.path("kept")).unwrap().next().unwrap().unwrap().path();
    fs::remove_file(&kept).unwrap();
    let treasure = bench.write("treasure", "mine");
    std::os::unix::fs::symlink(&treasure, &kept).unwrap();
    assert_eq!(bench.run(&words).code, Some(0));
    assert_eq!(fs::read_to_string(&treasure).unwrap(), "mine");
    assert!(fs::symlink_metadata(&kept).unwrap().is_file());
}
