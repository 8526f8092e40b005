//! Runs of minimal time: they are runs of the model, and no run is faster, as queries about the
//! model with an additional clock confirm.

mod support;

use support::flaw_of;
use zonaut_engine::{
    Abstraction, Evidence, LoadOptions, Loaded, QueryId, Resources, Task, TraceWish, Verdict,
    VerifyOptions, load_text,
};
use zonaut_testkit::generate::generate;

fn read(text: &str) -> Loaded {
    let loaded = load_text("race.xta", text, &LoadOptions::default());
    assert!(loaded.model.is_some(), "{:?}", loaded.diagnostics);
    loaded
}

fn options(abstraction: Option<Abstraction>) -> VerifyOptions {
    let resources = Resources { states: Some(2_000), ..Resources::default() };
    VerifyOptions { trace: TraceWish::Shortest, abstraction, resources, ..VerifyOptions::default() }
}

fn first_query(loaded: &Loaded) -> QueryId {
    loaded.session().expect("a correct model").queries().next().expect("a query").0
}

/// The time of the fastest run, if the query is decided by one and no limit was reached. The run is
/// replayed.
fn least_time(loaded: &Loaded) -> Option<String> {
    let (session, query) = (loaded.session().expect("a correct model"), first_query(loaded));
    let mut answer = session.verify(query, &options(None), None);
    if !matches!(answer.verdict, Verdict::Satisfied | Verdict::NotSatisfied) {
        return None;
    }
    answer.trace.take()?;
    let fastest = Task::fastest_run(&session, query, &options(None).resources)?;
    let fastest = fastest.perform(Evidence::default());
    let trace = fastest.trace?;
    let duration = trace.duration().to_string();
    answer.trace = Some(trace);
    assert_eq!(flaw_of(loaded, query, &answer), None);
    (fastest.verdict == Verdict::Satisfied).then_some(duration)
}

#[track_caller]
fn check(model: &str, query: &str, time: &str) {
    let loaded = read(&format!("{model}\nquery {{ {query} }}"));
    assert_eq!(least_time(&loaded).as_deref(), Some(time));
}

#[test]
fn the_fastest_run_is_not_the_shortest() {
    let model = "\
clock x;
process P() {
    state a, b, c, d { x <= 1 }, e; init a;
    trans a -> e { guard x >= 10; },
          a -> b { guard x >= 3; }, b -> c { guard x >= 4; assign x = 0; }, c -> d { }, d -> e { };
}
system P;";
    check(model, "E<> P.e", "4");
    check(model, "A[] not P.e", "4");
    check(model, "E<> P.e && x >= 5", "9");
    check(model, "E<> P.a", "0");
}

/// Cost annotations and the author's cost estimate do not apply to time: once, a run of 500 units
/// was reported.
#[test]
fn the_fastest_run_is_estimated_by_its_time() {
    let priced = "\
clock x;
process P() {
    state l0, l1, l2; init l0;
    trans l0 -> l2 { guard x >= 500; assign cost += 1000; },
          l0 -> l1 { },
          l1 -> l2 { guard x >= 1; assign cost += 1000; };
}
system P;";
    check(priced, "E<> P.l2", "1");
    let labelled = "\
clock x;
int remaining = 1000;
process P() {
    state l0, l1, l2; init l0;
    trans l0 -> l2 { guard x >= 500; assign remaining = 0; },
          l0 -> l1 { guard x <= 3; },
          l1 -> l2 { guard x >= 1; assign remaining = 0; };
}
system P;";
    check(labelled, "E<> P.l2", "1");
}

#[test]
fn a_time_that_is_only_approached_is_missed_by_less_than_one() {
    let model = "\
clock x, y;
process P() {
    state a, b, c; init a;
    trans a -> b { guard x > 2; assign x = 0; }, b -> c { guard x > 1 && y > 3; },
          a -> c { guard x >= 4; };
}
system P;";
    let loaded = read(&format!("{model}\nquery {{ E<> P.c }}"));
    let time = least_time(&loaded).expect("a proof");
    let (numerator, denominator) = time.split_once('/').expect("a fraction");
    let time = numerator.parse::<f64>().unwrap() / denominator.parse::<f64>().unwrap();
    assert!(time > 3.0 && time < 4.0, "{time}");
}

#[test]
fn no_run_of_random_models_is_faster() {
    let mut proven = 0;
    for seed in 0..300 {
        let network = generate(seed);
        let (text, query) = (network.to_xta(), network.query_text());
        let loaded = read(&format!("{text}\nquery {{ {query} }}"));
        let Some(time) = least_time(&loaded).filter(|time| time != "0") else { continue };
        let goal = match query.strip_prefix("E<>") {
            Some(goal) => format!("({goal})"),
            None => format!("!({})", query.strip_prefix("A[]").expect("a known form")),
        };
        let early = match time.split_once('/') {
            None => format!("since_start < {time}"),
            Some((numerator, denominator)) => {
                let whole = numerator.parse::<i64>().unwrap() / denominator.parse::<i64>().unwrap();
                format!("since_start <= {whole}")
            }
        };
        let text = format!("clock since_start;\n{text}\nquery {{ E<> {goal} && {early} }}");
        let (timed, abstraction) = (read(&text), Some(Abstraction::Maximum));
        let session = timed.session().expect("a correct model");
        let answer = session.verify(first_query(&timed), &options(abstraction), None);
        assert_ne!(answer.verdict, Verdict::Satisfied, "seed {seed}: faster than {time}");
        proven += usize::from(answer.verdict == Verdict::NotSatisfied);
    }
    assert!(proven >= 20, "{proven}");
}
