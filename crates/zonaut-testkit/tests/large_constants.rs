//! Constants between 2^26 and 2^30 - 1: the answers are those in a larger unit of time.

use zonaut_base::Id;
use zonaut_certify::check;
use zonaut_engine::{
    Abstraction, Answer, Evidence, Resources, Session, Strategy, TraceWish, Verdict, VerifyOptions,
};
use zonaut_model::{CLOCK_LIMIT, Expression, Model, QueryId, core_text};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::generate::generate;

/// The factor of the constants, which are small in random networks.
const FACTOR: i32 = 1 << 26;

/// The state limit of an exploration.
const STATES: usize = 300;

/// The answer, with a verified certificate.
fn answer(model: &Model, options: &VerifyOptions) -> Answer {
    let query = QueryId::from_index(0);
    let mut certificate = Vec::new();
    let evidence = Evidence { certificate: Some(&mut certificate), ..Evidence::default() };
    let session = Session::of_model(model.clone());
    let answer = session.verify_with_certificate(query, options, evidence);
    if answer.certificate.is_some() {
        let core = core_text::write(model, Some(&model.queries[query].kind));
        let checked = check(&core, &certificate, &zonaut_certify::Limits::default());
        assert!(checked.is_ok(), "{checked:?} {core}");
    }
    answer
}

/// The greatest constant of a model.
fn greatest(model: &Model) -> i32 {
    let constant = |e: &Expression| match *e {
        Expression::Constant(value) => value.saturating_abs(),
        _ => 0,
    };
    model.expressions.iter().map(constant).max().unwrap_or(0)
}

/// The part of an answer that does not depend on the unit of time: the verdict, without numbers in
/// error messages, and the counts.
fn compared(answer: &Answer) -> (String, Option<usize>, [usize; 5]) {
    let s = &answer.statistics;
    let counts = [s.explored, s.generated, s.covered, s.evicted, s.stored];
    let verdict = format!("{:?}", answer.verdict).replace(|c: char| c.is_ascii_digit(), "");
    (verdict, answer.depth, counts)
}

fn options(strategy: &str, abstraction: Option<Abstraction>) -> VerifyOptions {
    let strategy: Strategy = strategy.parse().expect("a strategy");
    let resources = Resources { states: Some(STATES), ..Resources::default() };
    let trace = TraceWish::Some;
    VerifyOptions { strategy, abstraction, trace, resources, ..VerifyOptions::default() }
}

#[test]
fn a_smaller_unit_of_time_changes_neither_answers_nor_counts() {
    let abstractions = Abstraction::ALL.into_iter().map(Some);
    let blind = abstractions.map(|abstraction| options("bfs", abstraction));
    let guided = ["astar(hl)", "greedy(hu)", "astar(rd)", "greedy(sum(du, hamming))"];
    let guided = guided.into_iter().map(|strategy| options(strategy, None));
    let all: Vec<VerifyOptions> = blind.chain(guided).collect();
    let (mut decided, mut large) = (0, 0);
    for seed in 0..250 {
        let specification = generate(seed);
        let Some(scaled) = specification.scaled(FACTOR) else { continue };
        let (small, scaled) = (specification.to_model(), scaled.to_model());
        if greatest(&scaled) > CLOCK_LIMIT {
            continue;
        }
        large += usize::from(greatest(&scaled) >= FACTOR);
        for options in &all {
            let (expected, found) = (answer(&small, options), answer(&scaled, options));
            let (expected, found) = (compared(&expected), compared(&found));
            assert_eq!(found, expected, "{seed} {}", options.strategy);
            decided += usize::from(!expected.0.starts_with("Unknown"));
        }
    }
    assert!(decided > 1_000 && large > 100, "{decided} {large}");
}

/// Waits a little less than the greatest constant in `l0`, and exactly that long in `l1`.
fn waiting() -> String {
    format!(
        "process P() {{ clock x, y; state l0 {{ x <= {CLOCK_LIMIT} }}, l1 {{ x <= {CLOCK_LIMIT} }}, \
         goal; urgent goal; init l0; \
         trans l0 -> l1 {{ guard x >= {} && x < {CLOCK_LIMIT}; assign y = {CLOCK_LIMIT}, x = 0; }}, \
         l1 -> goal {{ guard x >= {CLOCK_LIMIT}; assign x = 0; }}; }} system P;",
        CLOCK_LIMIT - 1
    )
}

#[test]
fn the_greatest_constant_is_exact() {
    let queries = [
        (format!("E<> P.l1 and P.y == {CLOCK_LIMIT} and P.x == 0"), true),
        (format!("E<> P.l1 and P.y <= {}", CLOCK_LIMIT - 1), false),
        (format!("E<> P.l0 and P.x > {} and P.x < {CLOCK_LIMIT}", CLOCK_LIMIT - 1), true),
        (format!("E<> P.l0 and P.y > {CLOCK_LIMIT}"), false),
        (format!("E<> P.goal and P.y > {CLOCK_LIMIT}"), true),
        (format!("E<> P.goal and P.y <= {CLOCK_LIMIT}"), false),
        (format!("E<> P.l1 and P.y - P.x < {CLOCK_LIMIT}"), false),
        (format!("E<> P.l1 and P.y - P.x >= {CLOCK_LIMIT}"), true),
    ];
    for (query, is_reachable) in queries {
        let (model, _) = model_of(&waiting(), &[&query]).expect("a correct model");
        let expected = if is_reachable { Verdict::Satisfied } else { Verdict::NotSatisfied };
        let mut decided = 0;
        for abstraction in Abstraction::ALL {
            let answer = answer(&model, &options("bfs", Some(abstraction)));
            if !matches!(answer.verdict, Verdict::Unknown(_)) {
                assert_eq!(answer.verdict, expected, "{query} {abstraction:?}");
                decided += 1;
            }
        }
        // Two abstractions are sound with clock differences.
        assert_eq!(decided, if query.contains(" - ") { 2 } else { 5 }, "{query}");
    }
}

#[test]
fn a_run_of_very_many_large_delays_is_exact() {
    let rounds = 300;
    let text = format!(
        "process P() {{ clock x; int[0,{rounds}] n; state a {{ x <= {CLOCK_LIMIT} }}, b; init a; \
         trans a -> a {{ guard x >= {CLOCK_LIMIT} && n < {rounds}; assign x = 0, n = n + 1; }}, \
         a -> b {{ guard n == {rounds} && x > 0; }}; }} system P;"
    );
    let (model, _) = model_of(&text, &["E<> P.b"]).expect("a correct model");
    for abstraction in Abstraction::ALL {
        let answer = answer(
            &model,
            &VerifyOptions { resources: Resources::default(), ..options("bfs", Some(abstraction)) },
        );
        assert_eq!(answer.verdict, Verdict::Satisfied);
        let duration = answer.trace.expect("a run").duration();
        // The last guard is `> 0`, so one more unit is needed.
        let whole = i64::from(CLOCK_LIMIT) * rounds + 1;
        assert_eq!((duration.numerator, duration.denominator), (whole, 1), "{abstraction:?}");
    }
}
