//! `zonaut optimize`: minimal costs, incumbents, charts, and rejected models.

mod support;

use serde_json::Value;
use std::fs;
use support::{Bench, Run};

const BRIDGE: &str = "E<> PA.safe && PB.safe && PC.safe && PD.safe";

/// The JSON objects of an output, one on each line.
fn records(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn the_bridge_is_crossed_in_an_hour() {
    let bench = Bench::new();
    assert_eq!(bench.run(&["generate", "bridge", "-o", "bridge.xta"]).code, Some(0));
    let run = bench.run(&["optimize", "bridge.xta", "--trace"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains(&format!("\u{2713} optimal, cost 60  {BRIDGE}  ")), "{run:?}");
    for strategy in ["bfs", "dfs", "rdfs", "mc", "mc+", "best-dfs", "mc(over=zones)"] {
        let run = bench.run(&["optimize", "bridge.xta", "--strategy", strategy, "--json"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let records = records(&run);
        let (result, improvements) = records.split_last().expect("a result");
        assert_eq!((&result["event"], &result["verdict"]), (&"result".into(), &"optimal".into()));
        assert_eq!((&result["cost"], &result["lower_bound"]), (&60.into(), &60.into()));
        assert_eq!(result["attained"], true);
        let bytes = |name: &str| result[name].as_u64().expect("a number");
        assert_eq!(bytes("memory_bytes"), bytes("search_bytes") + bytes("certification_bytes"));
        let cost = |found: &Value| found["cost"].as_i64().expect("a number");
        let costs: Vec<i64> = improvements.iter().map(cost).collect();
        assert!(costs.is_sorted_by(|before, after| before > after), "{costs:?}");
        assert_eq!(costs.last(), Some(&60));
    }
    let run = bench.run(&["optimize", "bridge.xta", "--strategy", "fastest"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("best-dfs"), "{run:?}");
}

#[test]
fn a_shop_is_scheduled_and_drawn() {
    let bench = Bench::new();
    bench.write("shop.txt", "# two jobs\n2 2\n0 3 1 2\n1 4 0 1\n");
    assert_eq!(bench.run(&["generate", "jobshop", "shop.txt", "-o", "shop.xta"]).code, Some(0));
    let run = bench.run(&["optimize", "shop.xta", "--chart", "--trace", "--gantt", "shop.svg"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.stdout.contains("\u{2713} optimal, cost 6  E<> ") && run.stdout.contains("  certified"),
        "{run:?}"
    );
    assert!(run.stdout.contains("Job0 |["), "{run:?}");
    let svg = fs::read_to_string(bench.path("shop.svg")).expect("a drawing");
    assert_eq!(svg.matches("<rect class=\"f").count(), 4);
    let run = bench.run(&["optimize", "shop.xta", "--chart", "--rows", "resource"]);
    let rows: Vec<&str> = run.stdout.lines().filter(|line| line.contains(" |")).collect();
    let [saw, drill] = rows[..] else { unreachable!("two machines: {run:?}") };
    for row in [saw, drill] {
        assert!(row.contains("[Job0=") && row.contains("[Job1="), "{run:?}");
    }
    bench.write("shop.txt", "2 2\n0 3 1\n");
    let run = bench.run(&["generate", "jobshop", "shop.txt"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("line 2"), "{run:?}");
}

#[test]
fn a_chart_without_tasks_shows_all_locations() {
    let bench = Bench::new();
    let model = "clock x;\nprocess P() { state a, b, c; init a; \
                 trans a -> b { guard x >= 3; }, b -> c { guard x >= 5; }; }\nsystem P;";
    bench.write("m.xta", model);
    let run = bench.run(&["optimize", "m.xta", "-q", "E<> P.c", "--chart"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("P |[a==") && run.stdout.contains("][b=="), "{run:?}");
}

/// A model with a chart of its own: a clock condition, and a colour whose evaluation fails when `n`
/// is 2.
const CHARTED: &str = "clock x; int[0,2] n; int colours[2] = { 4, 1 };
process P() { state a { x <= 4 }, b { x <= 6 }, c; init a;
trans a -> b { guard x >= 4; assign n = 1; }, b -> c { guard x >= 6; assign n = 2; }; }
system P;
gantt { Early : x < 3 -> 0; P : P.a -> 2, P.b -> 5; Fail : P.a || P.b -> 1 / (1 - n); }
";

#[test]
fn a_model_defines_its_chart() {
    let bench = Bench::new();
    bench.write("m.xta", CHARTED);
    let ask = ["optimize", "m.xta", "-q", "E<> P.c", "--chart", "--gantt", "m.svg"];
    let run = bench.run(&ask);
    assert_eq!(run.code, Some(0), "{run:?}");
    let rows: Vec<&str> = run.stdout.lines().filter(|line| line.contains(" |")).collect();
    let bars = |row: &str| row.matches('[').count();
    assert_eq!(rows.iter().map(|row| bars(row)).collect::<Vec<_>>(), [1, 2, 1], "{run:?}");
    assert!(rows[0].starts_with("Early |[x < 3=") && rows[1].contains("[a=="), "{run:?}");
    assert!(
        run.stderr.contains("warning[TA1000]: the chart is incomplete: division by zero"),
        "{run:?}"
    );
    assert!(run.stderr.contains("m.xta:5:"), "{run:?}");
    let svg = fs::read_to_string(bench.path("m.svg")).expect("a drawing");
    assert_eq!(svg.matches("<rect class=\"f").count(), 4, "{svg}");
    // Red until 3, green and blue until 4, orange until 6.
    for class in ["f8 bar", "f2 bar", "f0 bar", "f1 bar"] {
        assert!(svg.contains(&format!("<rect class=\"{class}\"")), "{class}: {svg}");
    }
    let run = bench.run(&["optimize", "m.xta", "-q", "E<> P.c", "--chart", "--rows", "process"]);
    assert!(run.stdout.contains("P |[a==") && !run.stdout.contains("Early"), "{run:?}");
    assert!(!run.stderr.contains("lacks"), "{run:?}");
}

#[test]
fn runs_of_queries_are_drawn_too() {
    let bench = Bench::new();
    bench.write("m.xta", CHARTED);
    let run = bench.run(&[
        "verify",
        "m.xta",
        "-q",
        "E<> P.b",
        "-q",
        "E<> P.b and n == 2",
        "--chart",
        "--gantt",
        "m.svg",
    ]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("Early |[x < 3="), "{run:?}");
    assert!(run.stderr.contains("note: query 2 has no chart, because it has no run"), "{run:?}");
    assert!(bench.path("m-1.svg").exists() && !bench.path("m-2.svg").exists());
    let run = bench.run(&["verify", "m.xta", "-q", "E<> P.b", "--json", "--chart"]);
    assert!(!run.stdout.contains("Early |"), "{run:?}");
    bench.write("plain.xta", CHARTED.split("gantt").next().expect("a model"));
    let run = bench.run(&["verify", "plain.xta", "-q", "E<> P.b", "--chart", "--rows", "gantt"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("the model has no gantt section"), "{run:?}");
    assert_eq!(run.stdout, "");
}

/// Optimises one process with these locations and edges.
fn optimized(locations: &str, edges: &str) -> Run {
    let bench = Bench::new();
    bench.write(
        "m.xta",
        format!(
            "clock x; int[0,1] n;\nprocess P() {{ state {locations}; init a; trans {edges}; }}\n\
             system P;"
        ),
    );
    bench.run(&["optimize", "m.xta", "-q", "E<> P.b"])
}

#[test]
fn unsupported_costs_are_rejected_with_a_position() {
    let refused = |locations: &str, edges: &str, code: i32, word: &str| {
        let run = optimized(locations, edges);
        assert_eq!(run.code, Some(code), "{run:?}");
        assert!(run.stderr.contains(word) && run.stderr.contains("m.xta:2"), "{run:?}");
    };
    refused("a { cost' == 1 }, b { cost' == -2 }", "a -> b { }", 2, "negative");
    refused("a { cost' == n }, b", "a -> b { }", 2, "not constant");
    refused("a { cost' == -1 }, b", "a -> b { }", 2, "negative");
    refused("a, b", "a -> b { assign cost += -2; }", 2, "negative");
    refused("a, b", "a -> b { guard cost > 2; }", 2, "the cost cannot be read");
    refused("a, b", "a -> a { assign n++; }, a -> b { guard n > 7; }", 5, "range");
    refused("a, b", "a -> a { assign cost += n - 1; }, a -> b { guard n > 7; }", 5, "negative");
    let priced = "a { cost' == 1 }, b { cost' == 1 }";
    let dear = "a -> b { assign cost += 2000000000, cost += 2000000000; }";
    refused(priced, dear, 5, "exceeds the range");
    // The same with rates that differ.
    refused("a { cost' == n }, b { cost' == 1 }", "a -> b { }", 2, "not constant");
    refused("a { cost' == 2 }, b { cost' == -2 }", "a -> b { }", 2, "negative");
    refused("a { cost' == 2 }, b", "a -> b { assign cost += -2; }", 2, "negative");
    refused("a { cost' == 2 }, b", "a -> b { guard cost > 2; }", 2, "the cost cannot be read");
    let negative = "a -> a { assign cost += n - 1; }, a -> b { guard n > 7; }";
    refused("a { cost' == 2 }, b", negative, 5, "negative");
    let late = "a -> b { guard x >= 1000000000; }";
    let dear = "a { cost' == 2000000000 }, b { cost' == 2000000000 }";
    refused(dear, late, 3, "cost rates that are too large for the constants of the model");
    refused("a { cost' == 2000000000 }, b", late, 5, "the cost exceeds the range of exact numbers");
    refused("a { cost' == x }, b", "a -> b { }", 2, "the cost rate depends on clocks");
}

#[test]
fn jugs_are_filled_in_22() {
    let bench = Bench::new();
    bench.write("jugs.xta", include_str!("../../../models/jugs/jugs.xta"));
    let goal = "E<> content[0] == 2 and content[1] == 2 and content[3] == 6 and Left.free and \
                Right.free";
    let run = bench.run(&["optimize", "jugs.xta", "-q", goal, "--certify", "never"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("optimal, cost 22  "), "{run:?}");
}

#[test]
fn the_workshop_has_its_least_makespans() {
    let models = [
        ("Job(i).done", "job_t", include_str!("../../../models/workshop/open-shop.xta"), 9),
        ("Job(i).done", "job_t", include_str!("../../../models/workshop/no-wait.xta"), 9),
        ("Sheet(i).done", "sheet_t", include_str!("../../../models/workshop/setup-times.xta"), 10),
        ("Task(i).done", "task_t", include_str!("../../../models/workshop/crew.xta"), 5),
        ("Parcel(i).door", "parcel_t", include_str!("../../../models/workshop/windows.xta"), 7),
    ];
    let bench = Bench::new();
    for (end, kind, text, least) in models {
        bench.write("m.xta", text);
        let goal = format!("E<> forall (i : {kind}) {end}");
        let run = bench.run(&["optimize", "m.xta", "-q", &goal]);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert!(run.stdout.contains(&format!("optimal, cost {least}  ")), "{run:?}");
    }
}

#[test]
fn costs_with_stopwatches_and_queries_without_a_goal_are_rejected() {
    let run = optimized("a { cost' == 1 && x' == 0 }, b { cost' == 2 }", "a -> b { }");
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("stopwatches with costs: P.a sets the rate of a clock"), "{run:?}");
    assert!(run.stderr.contains("m.xta:2:"), "{run:?}");
    let bench = Bench::new();
    bench.write("m.xta", "process P() { state a { cost' == 1 }, b; init a; } system P;");
    let run = bench.run(&["optimize", "m.xta"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("the model has no query"), "{run:?}");
    let run = bench.run(&["optimize", "m.xta", "-q", "A[] P.a"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("the query has no goal"), "{run:?}");
}

/// Estimates called the goal unreachable before the failing transition was met, and the certificate of
/// the failure was rejected.
#[test]
fn an_unreachable_goal_does_not_hide_a_failing_transition() {
    for rate in ["cost' == 1", "cost' == 2"] {
        let bench = Bench::new();
        bench.write(
            "m.xta",
            format!(
                "int[0,3] v;\nprocess P() {{ state a {{ {rate} }}; init a;\ntrans a -> a {{ assign v = v + 1; }}; }}\n\
                 process Q() {{ state a {{ cost' == 1 }}, b {{ {rate} }}; init a; }} system P, Q;"
            ),
        );
        for certify in ["always", "never"] {
            let run = bench.run(&["optimize", "m.xta", "-q", "E<> Q.b", "--certify", certify]);
            assert_eq!(run.code, Some(5), "{run:?}");
            assert!(run.stderr.contains("m.xta:3:"), "{run:?}");
        }
    }
}

/// The search that looks for failing transitions beside an unreachable goal met a limit, and the answer
/// was `unreachable`.
#[test]
fn a_limit_of_the_search_for_failing_transitions_leaves_the_answer_unknown() {
    for rate in ["cost' == 1", "cost' == 2"] {
        let bench = Bench::new();
        bench.write(
            "m.xta",
            format!(
                "int[0,300] v;\nprocess P() {{ state a {{ {rate} }}; init a;\ntrans a -> a {{ assign v = v + 1; }}; }}\n\
                 process Q() {{ state a {{ cost' == 1 }}, b {{ {rate} }}; init a; }} system P, Q;"
            ),
        );
        let words = ["optimize", "m.xta", "-q", "E<> Q.b"];
        let limited = bench.run(&[&words[..], &["--states", "20"]].concat());
        assert_eq!(limited.code, Some(3), "{limited:?}");
        let text = "? no run found, lower bound 0  E<> Q.b  state limit";
        assert!(limited.stdout.contains(text), "{limited:?}");
        assert_eq!(bench.run(&words).code, Some(5));
    }
}

#[test]
fn a_cost_rate_that_depends_on_a_clock_is_an_error_at_its_position() {
    for rate in ["x", "x + 1", "2 * x"] {
        let run = optimized(&format!("a {{ cost' == {rate} }}, b"), "a -> b { }");
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains("error[TA1002]: the cost rate depends on clocks"), "{run:?}");
        assert!(run.stderr.contains("m.xta:2:"), "{run:?}");
    }
}

#[test]
fn rates_that_differ_between_locations_are_optimised_over_priced_zones() {
    let bench = Bench::new();
    let model = include_str!("../../../models/two-rates/two-rates.xta");
    bench.write("m.xta", model);
    let goal = ["optimize", "m.xta", "-q", "E<> Traveller.gate"];
    let run = bench.run(&[&goal[..], &["-v", "--trace"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("optimal, cost 14 (infimum, not attained)  "), "{run:?}");
    assert!(run.stdout.contains("Traveller.hall"), "{run:?}");
    let note =
        "note: searched over priced zones because of cost rates that differ between locations";
    assert!(run.stderr.contains(note), "{run:?}");
    let run = bench.run(&[&goal[..], &["--json"]].concat());
    let result = records(&run).pop().expect("a result");
    assert_eq!((&result["cost"], &result["lower_bound"]), (&14.into(), &14.into()), "{run:?}");
    assert_eq!((&result["attained"], &result["certified"]), (&false.into(), &true.into()));
    assert_eq!(result["searched"], "priced zones");
    bench.write(
        "long.xta",
        "int n; process P() { state a { cost' == 1 }, b { cost' == 2 }; init a; \
         trans a -> a { guard n < 30000; assign n++, cost += 1; }, a -> b { guard n < 0; }; } \
         system P;",
    );
    let run = bench.run(&["optimize", "long.xta", "-q", "E<> P.b", "--states", "2000"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stdout.contains("no run found, lower bound 2"), "{run:?}");
    let run = bench.run(&[&goal[..], &["--strategy", "beam"]].concat());
    assert_eq!(run.code, Some(3), "{run:?}");
    let unreachable = ["optimize", "m.xta", "-q", "E<> Traveller.hall && y > 5"];
    let run = bench.run(&unreachable);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("\u{2717} unreachable "), "{run:?}");
}

#[test]
fn aircraft_land_with_the_least_penalty() {
    let bench = Bench::new();
    let problem = "2 10\n5 10 12 30 2.00 3.00\n99999 4\n6 11 12 40 1.00 5.00\n6 99999\n";
    bench.write("two.txt", problem);
    bench.write("half.txt", problem.replace("3.00", "3.5"));
    bench.write("truncated.txt", &problem[..40]);
    // On one runway one aircraft lands two units early, the other two units late.
    for (file, runways, cost) in [("two.txt", "1", 14), ("half.txt", "1", 140), ("two.txt", "2", 0)]
    {
        let run = bench.run(&["generate", "airland", file, runways, "-o", "m.xta"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        let run = bench.run(&["optimize", "m.xta", "--json"]);
        let result = records(&run).pop().expect("a result");
        assert_eq!(result["cost"], cost, "{run:?}");
        assert_eq!(result["verdict"], "optimal", "{run:?}");
    }
    let refused = |words: &[&str], reason: &str| {
        let run = bench.run(&[&["generate", "airland"], words].concat());
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains(reason), "{run:?}");
    };
    refused(&["two.txt"], "takes a file and the number of runways");
    refused(&["two.txt", "0"], "the number of runways should be between 1 and 1000");
    refused(&["two.txt", "many"], "takes a file and the number of runways");
    refused(&["truncated.txt", "1"], "truncated.txt: line 4: the file ends too early");
    refused(&["missing.txt", "1"], "error: missing.txt: there is no such file");
}

#[test]
#[ignore = "needs public models: set ZONAUT_MODELS, see docs/PUBLIC-MODELS.md"]
fn public_models_of_aircraft_landing_have_their_known_optima() {
    let models = std::env::var("ZONAUT_MODELS").expect("a folder of public models");
    let bench = Bench::new();
    let optima: [&[i64]; 7] = [
        &[700, 90, 0],
        &[1480, 210, 0],
        &[820, 60, 0],
        &[2520, 640, 130, 0],
        &[3100, 650, 170, 0],
        &[24442, 554, 0],
        &[1550, 0],
    ];
    for (index, costs) in optima.iter().enumerate() {
        let file = format!("{models}/airland/airland{}.txt", index + 1);
        for (more, &cost) in costs.iter().enumerate() {
            let runways = (more + 1).to_string();
            let run = bench.run(&["generate", "airland", &file, &runways, "-o", "m.xta"]);
            assert_eq!(run.code, Some(0), "{run:?}");
            let run = bench.run(&["optimize", "m.xta", "--json"]);
            let result = records(&run).pop().expect("a result");
            assert_eq!(result["cost"], cost, "{file} with {runways} runways: {run:?}");
            assert_eq!(result["verdict"], "optimal", "{run:?}");
        }
    }
}

#[test]
fn a_model_without_initial_state_is_wrong_input() {
    let bench = Bench::new();
    bench.write(
        "m.xta",
        "clock x; int v = 2;\nprocess P() { state a { x >= v }, b; init a; trans a -> b { }; }\n\
         system P;",
    );
    for command in ["optimize", "verify"] {
        let run = bench.run(&[command, "m.xta", "-q", "E<> P.b", "--json"]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.stderr.contains("TA0808") && run.stdout.is_empty(), "{run:?}");
    }
}

#[test]
fn an_estimate_that_fails_is_an_error_that_loses_nothing() {
    let bench = Bench::new();
    bench.write(
        "m.xta",
        "int[0,3] n; meta int[0,5] remaining;\nprocess P() { state a, b; init a; trans \
         a -> b { assign cost += 9; },\na -> a { guard n < 3; assign n++, remaining = 4 + n; }; }\n\
         system P;",
    );
    let run = bench.run(&["optimize", "m.xta", "-q", "E<> P.b", "--strategy", "bfs", "--json"]);
    assert_eq!(run.code, Some(5), "{run:?}");
    assert!(run.stderr.contains("m.xta:3") && run.stderr.contains("[0,5]"), "{run:?}");
    let result = records(&run).pop().expect("a result");
    assert_eq!((&result["verdict"], &result["cost"]), (&"error".into(), &9.into()), "{run:?}");
    assert!(result["lower_bound"].as_i64() <= Some(9), "{run:?}");
}

/// The certificate contained a cheaper run, and the result was printed with exit code 0.
#[test]
fn a_result_that_rests_on_a_false_estimate_is_withdrawn() {
    let bench = Bench::new();
    let model = |guard: &str| {
        format!(
            "clock x; int remaining = 1000;\nprocess P() {{ state l0, l1, l2; init l0; trans \
             l0 -> l2 {{ guard x >= 500; assign remaining = 0; }}, l0 -> l1 {{ {guard} }}, \
             l1 -> l2 {{ guard x >= 1; assign remaining = 0; }}; }}\nsystem P;"
        )
    };
    // A strict bound leaves the model to zones, which use `remaining`.
    bench.write("m.xta", model("guard x < 900;"));
    let words = ["optimize", "m.xta", "-q", "E<> P.l2"];
    let run = bench.run(&words);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.stderr.contains("`remaining` is not a lower bound"), "{run:?}");
    assert!(!run.stdout.contains("optimal"), "{run:?}");
    let run = bench.run(&[&words[..], &["--json"]].concat());
    let result = records(&run).pop().expect("a result");
    assert_eq!(
        (&result["verdict"], &result["lower_bound"]),
        (&"unknown".into(), &0.into()),
        "{run:?}"
    );
    // The search over points does not use it.
    bench.write("m.xta", model(""));
    let run = bench.run(&words);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("optimal, cost 1  "), "{run:?}");
}

#[test]
fn better_runs_come_with_time_cost_bound_and_gap() {
    let bench = Bench::new();
    assert_eq!(bench.run(&["generate", "bridge", "-o", "bridge.xta"]).code, Some(0));
    let words =
        ["optimize", "bridge.xta", "--strategy", "dfs(rem(remaining))", "--certify", "never"];
    let json = bench.run(&[&words[..], &["--json"]].concat());
    let records = records(&json);
    let improvements: Vec<&Value> =
        records.iter().filter(|record| record["event"] == "improvement").collect();
    assert!(improvements.len() > 1, "{json:?}");
    for found in &improvements {
        assert!(found["seconds"].is_number(), "{json:?}");
        let number = |key: &str| found[key].as_f64().expect("a number");
        let gap = (number("cost") - number("lower_bound")) / number("cost");
        assert!((number("gap") - gap).abs() < 1e-9, "{json:?}");
    }
    let text = bench.run(&words);
    let lines = text.stdout.lines().filter(|line| line.contains(" s  ") && line.contains("(gap "));
    assert_eq!(lines.count(), improvements.len(), "{text:?}");
}

#[test]
fn the_resources_of_estimates_are_reported() {
    let bench = Bench::new();
    let keeper = "process Oven() { state cold, hot; init cold; \
                  trans cold -> hot { sync open?; }, hot -> cold { sync close?; }; }";
    let cake = "process Cake(const int bake) { clock age; state shelf, baked { age <= 9 }, sold; \
                init shelf; trans shelf -> baked { sync open!; assign age = 0; }, \
                baked -> sold { guard age >= bake; sync close!; }; }";
    let text = format!(
        "chan open, close;\n{keeper}\n{cake}\nA = Cake(5); B = Cake(3); system A, B, Oven;"
    );
    bench.write("m.xta", &text);
    let words = ["optimize", "m.xta", "-q", "E<> A.sold && B.sold", "-v"];
    let run = bench.run(&words);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("note: Oven is used 2 times before the goal"), "{run:?}");
    assert!(run.stdout.contains("optimal, cost 8  "), "{run:?}");
    bench.write(
        "m.xta",
        text.replace(
            "hot -> cold { sync close?; }",
            "hot -> hot { sync open?; }, \
        hot -> cold { sync close?; }",
        ),
    );
    let run = bench.run(&words);
    assert!(
        run.stderr.contains("note: no lower bound from Oven: the effect of this edge"),
        "{run:?}"
    );
    assert!(run.stdout.contains("optimal, cost 8  "), "{run:?}");
}

#[test]
fn an_unreachable_goal_has_no_cost() {
    let bench = Bench::new();
    bench.write("m.xta", "process P() { state a, b; init a; } system P;");
    let run = bench.run(&["optimize", "m.xta", "-q", "E<> P.b", "--json"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let result = records(&run).pop().expect("a result");
    assert_eq!((&result["verdict"], &result["cost"]), (&"unreachable".into(), &Value::Null));
    let run = bench.run(&["optimize", "m.xta", "-q", "A[] P.b"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

#[test]
fn a_cost_that_no_run_attains_is_an_infimum() {
    let run = optimized("a, b", "a -> b { guard x > 4; }");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stdout.contains("optimal, cost 4 (infimum, not attained)  "), "{run:?}");
}

#[test]
fn the_fastest_run_of_a_query_takes_the_least_time() {
    let bench = Bench::new();
    assert_eq!(bench.run(&["generate", "bridge", "-o", "bridge.xta"]).code, Some(0));
    let run = bench.run(&["verify", "bridge.xta", "--trace", "fastest", "--json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let answer: Value = serde_json::from_str(&run.stdout).expect("one JSON object");
    let steps = answer["trace"]["steps"].as_array().expect("steps");
    let delay = |step: &Value| step["delay"].as_str().expect("a delay").parse::<i64>();
    let time: i64 = steps.iter().map(|step| delay(step).expect("a whole number")).sum();
    assert_eq!(time, 60);
    assert_eq!(answer["transitions"].as_u64(), Some(steps.len() as u64));
}

#[test]
fn a_limit_keeps_what_was_found() {
    let bench = Bench::new();
    assert_eq!(bench.run(&["generate", "bridge", "-o", "bridge.xta"]).code, Some(0));
    let words = ["optimize", "bridge.xta", "--strategy", "dfs", "--states", "1", "--json"];
    let run = bench.run(&words);
    let result = records(&run).pop().expect("a result");
    assert!(result["lower_bound"].as_i64() <= Some(60), "{run:?}");
    if run.code == Some(3) {
        assert_eq!(result["verdict"], "unknown");
    }
}

/// The path of a model of this repository.
fn shipped(name: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    root.join(name).display().to_string()
}

#[test]
fn one_goal_among_the_queries_is_chosen_and_several_are_listed_with_commands() {
    let bench = Bench::new();
    let run = bench.run(&["optimize", &shipped("job-shop/job-shop.xta")]);
    assert!(run.code == Some(0) && run.stdout.contains("optimal, cost 12  "), "{run:?}");
    let bridge = shipped("bridge/bridge.xta");
    let run = bench.run(&["optimize", &bridge]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("error: the model has several goals"), "{run:?}");
    let command = format!("zonaut optimize {bridge} -q 1    # E<> forall");
    assert!(run.stderr.contains(&command) && run.stderr.contains(" -q 2    # E<> ("), "{run:?}");
    let run = bench.run(&["optimize", &bridge, "-q", "1"]);
    assert!(run.code == Some(0) && run.stdout.contains("optimal, cost 22  "), "{run:?}");
    let run = bench.run(&["optimize", &bridge, "-q", "9"]);
    assert!(run.code == Some(2) && run.stderr.contains("has no query 9"), "{run:?}");
}

#[test]
fn a_chart_names_machines_and_is_never_empty() {
    let bench = Bench::new();
    let run = bench.run(&["optimize", &shipped("job-shop/job-shop.xta"), "--chart"]);
    assert!(run.stdout.contains("[busy[") && !run.stdout.contains("[working"), "{run:?}");
    let words = ["--chart", "--rows", "resource", "--gantt", "shop.svg"];
    let run = bench.run(&[&["optimize", &shipped("job-shop/job-shop.xta")][..], &words].concat());
    assert!(run.stderr.contains("note: no resource is recognised"), "{run:?}");
    assert!(run.stdout.contains("Job(0) |"), "{run:?}");
    assert!(run.stderr.contains("wrote shop.svg\n"), "{run:?}");
}

#[test]
fn a_converted_model_has_a_layout_with_nails() {
    let bench = Bench::new();
    let gate = shipped("train-gate/train-gate.xta");
    let run = bench.run(&["convert", &gate, "gate.xml"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), "wrote gate.xml\n"), "{run:?}");
    let text = fs::read_to_string(bench.path("gate.xml")).expect("a model");
    assert!(text.contains("<nail x=") && text.contains("<name x="), "{text}");
    let run = bench.run(&["convert", "gate.xml", "again.xml"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let again = fs::read_to_string(bench.path("again.xml")).expect("a model");
    assert_eq!(text, again, "a drawn model keeps its drawing");
}
