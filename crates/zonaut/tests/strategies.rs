//! Every part of the catalogue of strategies: described, and correct.

mod support;

use serde_json::Value;
use support::Bench;

/// The goal `Walker.there` is four steps away; another path has six. `Walker.never` is unreachable,
/// and `v` is a dead end once it is 3.
const WALK: &str = "\
int[0,3] v; clock x; chan go; broadcast chan all;
process Walker() {
    state here, one, two, three { x <= 4 }, there, lost, never;
    init here;
    trans here -> one { guard v == 1; sync go!; },
          one -> two { guard x > 1; assign v = 2, x = 0; },
          two -> there { guard v == 2; sync all!; },
          here -> three { assign x = 0; },
          three -> here { guard x > 3; },
          here -> lost { assign v = 3; },
          lost -> never { guard v == 0; };
}
process Helper() {
    state a, b, c;
    init a;
    trans a -> b { assign v = 1; },
          b -> c { sync go?; },
          c -> c { sync all?; };
}
system Walker, Helper;
";

/// The examples of all parts: those of optimisation strategies and estimates, or all others.
fn examples(of_costs: bool) -> Vec<String> {
    let listed = Bench::new().run(&["strategies", "--json"]).stdout;
    let parts = listed.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let is_wanted = |part: &Value| {
        ["cost-search", "estimate"].contains(&part["kind"].as_str().expect("a kind")) == of_costs
    };
    let wanted = parts.filter(is_wanted);
    wanted.map(|part| part["example"].as_str().expect("an example").to_owned()).collect()
}

#[test]
fn every_search_for_cheapest_runs_of_the_catalogue_finds_one_and_is_certified() {
    let bench = Bench::new();
    bench.write("shop.txt", "2 2\n0 3 1 2\n1 4 0 1\n");
    assert_eq!(bench.run(&["generate", "jobshop", "shop.txt", "-o", "shop.xta"]).code, Some(0));
    let examples = examples(true);
    assert!(examples.len() > 10);
    for example in examples {
        let options = ["--strategy", &example, "--json", "--certify", "always"];
        let run = bench.run(&[&["optimize", "shop.xta"], &options[..]].concat());
        assert_eq!(run.code, Some(0), "{example} {run:?}");
        let result: Value =
            serde_json::from_str(run.stdout.lines().last().expect("a result")).expect("JSON");
        assert_eq!((&result["cost"], &result["certified"]), (&6.into(), &true.into()), "{example}");
    }
}

#[test]
fn every_strategy_of_the_catalogue_answers_right_and_is_certified() {
    let bench = Bench::new();
    bench.write("walk.xta", WALK);
    for example in examples(false) {
        let queries = ["-q", "E<> Walker.there", "-q", "E<> Walker.never"];
        let rest = ["--strategy", &example, "--json", "--trace", "some", "--certify", "always"];
        let run = bench.run(&[&["verify", "walk.xta"], &queries[..], &rest[..]].concat());
        let answers: Vec<Value> =
            run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(run.code, Some(1), "{example} {run:?}");
        let [reached, unreached] = &answers[..] else { unreachable!("two queries, {run:?}") };
        assert_eq!(reached["verdict"], "satisfied", "{example}");
        assert_eq!(unreached["verdict"], "not_satisfied", "{example}");
        assert_eq!((&reached["certified"], &unreached["certified"]), (&true.into(), &true.into()));
        if example.starts_with("astar") {
            assert_eq!(reached["transitions"], 4, "{example}");
        }
    }
}

#[test]
fn the_document_has_the_tables_of_the_catalogue() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/STRATEGIES.md");
    let document = std::fs::read_to_string(path).expect("docs/STRATEGIES.md");
    let tables = Bench::new().run(&["strategies", "--markdown"]).stdout;
    assert!(
        document.contains(&tables),
        "replace the tables of docs/STRATEGIES.md by the output of `zonaut strategies --markdown`"
    );
}

#[test]
fn a_strategy_that_cannot_be_read_is_refused_with_its_place() {
    let bench = Bench::new();
    bench.write("walk.xta", WALK);
    let run =
        bench.run(&["verify", "walk.xta", "-q", "E<> Walker.there", "--strategy", "astar(hu)"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("use greedy(hu) or wastar(hu)"), "{run:?}");
}
