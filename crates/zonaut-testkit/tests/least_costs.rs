//! Least costs with their certificates: the independent checker accepts true claims, and no others.

use zonaut_certify::{Claim, Limits, Refusal, check, seal};
use zonaut_engine::{
    Answer, Combination, Evidence, Id, OptimizeOptions, QueryId, Session, Verdict,
};
use zonaut_families::{JobShop, Operation, find};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::generate::generate;
use zonaut_testkit::priced::Priced;
use zonaut_testkit::random::Random;

/// An optimisation of the first query, and its certificate without the seal.
fn certified(session: &Session, options: &OptimizeOptions) -> Option<(Answer, String)> {
    let id = QueryId::from_index(0);
    let mut bytes = Vec::new();
    let evidence = Evidence { certificate: Some(&mut bytes), ..Evidence::default() };
    let found = session.optimize_with_certificate(id, options, evidence).ok()?;
    if !matches!(found.verdict, Verdict::Satisfied | Verdict::NotSatisfied) {
        return None;
    }
    assert!(matches!(found.certificate, Some(Ok(()))), "{:?}", found.certificate);
    let mut text = String::from_utf8(bytes).expect("text");
    text.truncate(text.rfind("end ").expect("a last line"));
    Some((found, text))
}

/// The checker's answer about a certificate for a result of these options.
fn answer(session: &Session, found: &Answer, body: &str) -> Result<Claim, Refusal> {
    let core = session.core_text_of_answer(QueryId::from_index(0), found);
    check(&core, &seal(body.to_owned()), &Limits::default()).map(|accepted| accepted.claim)
}

/// The claim that the certificate of an optimisation must prove.
fn claim(found: &Answer) -> Claim {
    match found.cost() {
        None => Claim::NotSatisfied,
        Some(cost) if cost.is_attained() => Claim::LeastCost(cost.value()),
        Some(cost) => Claim::CostInfimum(cost.value()),
    }
}

#[track_caller]
fn check_text(model: &str, query: &str, expected: Claim) {
    let (model, _) = model_of(model, &[query]).expect("a correct model");
    let session = Session::of_model(model);
    let options = OptimizeOptions::default();
    let (found, body) = certified(&session, &options).expect("optimised");
    assert_eq!(answer(&session, &found, &body), Ok(expected), "{body}");
}

/// A random priced model with a goal.
fn random_session(seed: u64) -> Option<Session> {
    Priced::of(&generate(seed), seed).map(|priced| Session::of_model(priced.model))
}

#[test]
fn no_other_cost_is_certified() {
    let mut tried = 0;
    for seed in 0..150 {
        let Some(session) = random_session(seed) else { continue };
        let Some((found, body)) = certified(&session, &OptimizeOptions::default()) else {
            continue;
        };
        let Some(cost) = found.cost() else { continue };
        tried += 1;
        let how = if cost.is_attained() { "attained" } else { "approached" };
        let line = format!("\ncost {} {how}\n", cost.value());
        for (value, how) in [
            (cost.value() + 1, how),
            ((cost.value() - 1).max(0), how),
            (cost.value(), if cost.is_attained() { "approached" } else { "attained" }),
        ] {
            let other = body.replace(&line, &format!("\ncost {value} {how}\n"));
            let is_other = other != body;
            let given = answer(&session, &found, &other);
            assert!(!is_other || given.is_err(), "seed {seed}: {given:?}\n{other}");
        }
    }
    assert!(tried > 50, "{tried} costs");
}

#[test]
fn a_set_without_one_of_its_nodes_proves_no_other_claim() {
    let (mut rejected, mut accepted) = (0, 0);
    for seed in 0..120 {
        let Some(session) = random_session(seed) else { continue };
        let Some((found, body)) = certified(&session, &OptimizeOptions::default()) else {
            continue;
        };
        let lines: Vec<&str> = body.lines().collect();
        let nodes: Vec<usize> =
            (0..lines.len()).filter(|&k| lines[k].starts_with("node ")).collect();
        let Some(&last) = nodes.last().filter(|_| found.cost().is_some() && nodes.len() > 1) else {
            continue;
        };
        let mut fewer = lines.clone();
        fewer.remove(last);
        let announced = format!("nodes {}", nodes.len());
        let fewer = fewer.join("\n").replace(&announced, &format!("nodes {}", nodes.len() - 1));
        let fewer = format!("{fewer}\n");
        match answer(&session, &found, &fewer) {
            // A node that others cover together is redundant.
            Ok(shown) => {
                assert_eq!(shown, claim(&found), "seed {seed}");
                accepted += 1;
            }
            Err(_) => rejected += 1,
        }
    }
    assert!(rejected > 10 * accepted, "{rejected} rejected, {accepted} accepted");
}

#[test]
fn the_bridge_and_shops_up_to_four_by_four_are_certified() {
    let bridge = find("bridge").expect("a family").generate(&[]).expect("defaults");
    check_text(&bridge.model, &bridge.queries[0], Claim::LeastCost(60));
    for (seed, jobs, machines) in [(1, 2, 2), (2, 3, 3), (3, 4, 3), (4, 3, 4), (5, 4, 4)] {
        let mut random = Random::new(seed);
        let mut operation = |machine| Operation {
            machine,
            length: u32::try_from(random.between(1, 9)).expect("positive"),
        };
        let row = |first: usize| (0..machines).map(move |k| (first + k) % machines);
        let jobs = (0..jobs).map(|job| row(job).map(&mut operation).collect()).collect();
        let generated = JobShop { machines, jobs }.generate();
        let (model, _) = model_of(&generated.model, &[&generated.queries[0]]).expect("correct");
        let session = Session::of_model(model);
        let options = OptimizeOptions::default();
        let (found, body) = certified(&session, &options).expect("optimised");
        let shown = answer(&session, &found, &body);
        assert_eq!(shown, Ok(claim(&found)), "{machines} machines");
    }
}

/// A process with clocks x and y.
fn process(locations: &str, edges: &str) -> String {
    format!("clock x, y; process P() {{ state {locations}; init a; trans {edges}; }} system P;")
}

const RATE_ONE: &str = "a { cost' == 1 }, b { cost' == 1 }, end { cost' == 1 }";

#[test]
fn strict_and_closed_bounds_are_distinguished() {
    let strict = process(RATE_ONE, "a -> end { guard x > 4; assign cost += 10; }");
    check_text(&strict, "E<> P.end", Claim::CostInfimum(14));
    let closed = process(RATE_ONE, "a -> end { guard x >= 4; assign cost += 10; }");
    check_text(&closed, "E<> P.end", Claim::LeastCost(14));
    let empty = process(
        "a { x < 2 && cost' == 1 }, b { cost' == 1 }, end { cost' == 1 }",
        "a -> end { guard x >= 2; assign cost += 1; }, a -> b { assign cost += 20; }, b -> end { }",
    );
    check_text(&empty, "E<> P.end", Claim::LeastCost(20));
    check_text(
        &process("a, b, end", "a -> b { assign cost += 3; }, b -> end { guard x > 7; }"),
        "E<> P.end",
        Claim::LeastCost(3),
    );
    check_text(&process(RATE_ONE, "a -> b { }"), "E<> P.end", Claim::NotSatisfied);
    check_text(&process("a, end", "a -> end { }"), "E<> P.end", Claim::LeastCost(0));
}

#[test]
fn consecutive_strict_bounds_approach_their_sum() {
    let locations = "a { cost' == 2 }, b { cost' == 2 }, end { cost' == 2 }";
    let edges = "a -> b { guard x > 1; assign y = 0; }, b -> end { guard y > 2 && x < 4; }";
    check_text(&process(locations, edges), "E<> P.end", Claim::CostInfimum(6));
    check_text(&process(locations, edges), "E<> P.end && x > 3", Claim::CostInfimum(6));
}

#[test]
fn rates_are_combined_by_the_requested_measure() {
    let text = "clock x; process P(const int r) { state a { cost' == r }, b { cost' == r }; init a; \
        trans a -> b { guard x >= 3; }; } A = P(2); B = P(5); system A, B;";
    let (model, _) = model_of(text, &["E<> A.b && B.b"]).expect("a correct model");
    let session = Session::of_model(model);
    for (rates, cost) in
        [(Combination::Sum, 21), (Combination::Least, 6), (Combination::Greatest, 15)]
    {
        let options = OptimizeOptions { rates, ..OptimizeOptions::default() };
        let (found, body) = certified(&session, &options).expect("optimised");
        assert_eq!(found.cost().map(|cost| cost.value()), Some(cost));
        let shown = answer(&session, &found, &body);
        assert_eq!(shown, Ok(Claim::LeastCost(cost)));
        // The measure is part of the query: a certificate for one measure proves nothing about
        // another one.
        for other in Combination::ALL.into_iter().filter(|other| *other != rates) {
            let core = session.core_text_of_cost(QueryId::from_index(0), other);
            let shown = check(&core, &seal(body.clone()), &Limits::default());
            assert!(matches!(shown, Err(Refusal::WrongModel { .. })), "{shown:?}");
        }
    }
}

#[test]
fn urgency_ends_delays_even_without_cost_rates() {
    let text = "urgent chan go; clock x; int[0,3] n; \
        process P() { state a, b, end; init a; \
            trans a -> b { guard n == 1; sync go!; assign cost += 2; }, \
                  b -> end { guard x > 5; assign cost += 1; }, \
                  b -> end { guard x <= 5; assign cost += 7; }; } \
        process Q() { state s; init s; \
            trans s -> s { sync go?; }, s -> s { guard x <= 3 && n == 0; assign n = 1; }; } \
        process R() { state u; init u; trans u -> u { guard n == 1 && x > 4; assign cost += 1; }; } \
        system P, Q, R;";
    check_text(text, "E<> P.end", Claim::LeastCost(3));
}
