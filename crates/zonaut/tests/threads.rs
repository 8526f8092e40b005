//! `zonaut verify --threads`: the same verdicts, certified, and refusals.

mod support;

use serde_json::Value;
use support::{Bench, Run};

/// Two tasks that take turns, with more than one state in most layers.
const TURNS: &str = "\
clock x, y; int[0,20] a; int[0,20] b;
process P() {
    state s { x <= 3 }; init s;
    trans s -> s { guard a < 20 and x >= 1; assign a = a + 1, x = 0; },
          s -> s { guard b < 20 and y >= 2; assign b = b + 1, y = 0; },
          s -> s { guard x == 3 and a + b > 4; assign x = 0; };
}
system P;
";

const FAILING: &str = "\
int[0,3] v;
process P() { state a; init a; trans a -> a { assign v = v + 1; }; }
system P;
";

fn verify(model: &str, words: &[&str]) -> Run {
    let bench = Bench::new();
    bench.write("m.xta", model);
    bench.run(&[&["verify", "m.xta"], words].concat())
}

/// The words of each line before the statistics.
fn verdicts(run: &Run) -> Vec<String> {
    let is_time = |part: &&str| part.ends_with(" ms") || part.ends_with(" s");
    let untimed =
        |line: &str| line.split("  ").filter(|it| !is_time(it)).collect::<Vec<_>>().join("  ");
    run.stdout.lines().map(untimed).collect()
}

#[test]
fn several_threads_give_the_same_certified_verdicts() {
    let queries = ["-q", "E<> a == 9 and b == 4", "-q", "A[] a <= 20", "-q", "E<> a > b + 20"];
    let common = ["--strategy", "bfs", "--certify", "always", "--trace", "shortest"];
    for separate in [&[][..], &["--separate"]] {
        let words = |threads| [&queries[..], &common, separate, &["--threads", threads]].concat();
        let one = verify(TURNS, &words("1"));
        assert_eq!(one.code, Some(1), "{one:?}");
        for threads in ["2", "3"] {
            let several = verify(TURNS, &words(threads));
            assert_eq!(several.code, one.code, "{several:?}");
            assert_eq!(verdicts(&several).len(), verdicts(&one).len(), "{several:?}");
            assert!(!several.stdout.contains("uncertified"), "{several:?}");
        }
    }
}

#[test]
fn a_model_that_fails_gives_the_same_error() {
    let words = |threads| ["-q", "A[] v < 7", "--strategy", "bfs", "--threads", threads];
    let runs = ["1", "2"].map(|threads| verify(FAILING, &words(threads)));
    assert_eq!(runs.each_ref().map(|run| run.code), [Some(5); 2], "{runs:?}");
    assert_eq!(verdicts(&runs[0]), verdicts(&runs[1]));
}

#[test]
fn a_portfolio_gives_the_same_answers_with_two_threads() {
    let words = |threads| {
        let common = ["-q", "E<> a == 19 and b == 20", "-q", "E<> a > b + 20", "--separate"];
        let auto = ["--strategy", "auto(first=64)", "--trace", "some", "--certify", "always"];
        [&common[..], &auto, &["--threads", threads]].concat()
    };
    let one = verify(TURNS, &words("1"));
    assert_eq!(one.code, Some(1), "{one:?}");
    assert_eq!(verdicts(&verify(TURNS, &words("2"))), verdicts(&one));
    for threads in ["3", "5"] {
        let several = verify(TURNS, &words(threads));
        assert_eq!(several.code, one.code, "{several:?}");
        assert!(!several.stdout.contains("uncertified"), "{several:?}");
    }
}

#[test]
fn strategies_side_by_side_are_listed_in_their_order() {
    let bench = Bench::new();
    bench.write("m.xta", TURNS);
    let words = |threads| {
        let strategies = ["dfs", "bfs", "greedy(hu)", "lazy"];
        let race = ["race", "m.xta", "-q", "E<> a == 9 and b == 4", "--json"];
        [&race[..], &strategies, &["--threads", threads]].concat()
    };
    let essence = |run: &Run| -> Vec<(Value, Value, Value)> {
        let records =
            run.stdout.lines().map(|line| -> Value { serde_json::from_str(line).expect("JSON") });
        let essence = |record: Value| {
            (record["strategy"].clone(), record["verdict"].clone(), record["explored"].clone())
        };
        records.map(essence).collect()
    };
    let (one, several) = (bench.run(&words("1")), bench.run(&words("3")));
    assert_eq!((one.code, several.code), (Some(0), Some(0)), "{several:?}");
    assert_eq!(essence(&several), essence(&one));
    assert_eq!(essence(&one).len(), 4);
}

#[test]
fn threads_are_refused_where_no_search_would_use_them() {
    let words = ["-q", "A[] a <= 20", "--threads", "2", "--strategy", "lazy"];
    let run = verify(TURNS, &words);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("this strategy uses one thread"), "{run:?}");
    let run = verify(TURNS, &["-q", "A[] a <= 20", "--threads", "0", "--strategy", "bfs"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}
