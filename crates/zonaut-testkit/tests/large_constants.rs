//! Constants between 2^26 and 2^30 - 1: the same answers, only in a smaller unit of time.

use zonaut_base::Id;
use zonaut_certify::check;
use zonaut_engine::{
    Abstraction, Answer, Evidence, Resources, Strategy, TraceWish, VerifyOptions,
    verify_with_certificate,
};
use zonaut_model::{CLOCK_LIMIT, Expression, Model, Origin, QueryId, core_text};
use zonaut_testkit::generate::generate;

/// What multiplies the constants, of which random networks have small ones.
const FACTOR: i32 = 1 << 26;

/// States after which an exploration is given up.
const STATES: usize = 300;

/// The answer, whose certificate is checked.
fn answer(model: &Model, options: &VerifyOptions) -> Answer {
    let (origin, query) = (Origin::nowhere(model), QueryId::from_index(0));
    let mut certificate = Vec::new();
    let evidence = Evidence { certificate: Some(&mut certificate), ..Evidence::default() };
    let answer = verify_with_certificate(model, &origin, query, options, evidence);
    if answer.certificate.is_some() {
        let core = core_text::write(model, Some(&model.queries[query].kind));
        let text = String::from_utf8(certificate).expect("text");
        let checked = check(&core, &text, &zonaut_certify::Limits::default());
        assert!(checked.is_ok(), "{checked:?} {core}\n{text}");
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

/// What has to be the same whatever the unit of time is: the verdict, without numbers in the
/// message of an error, and the counts.
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
