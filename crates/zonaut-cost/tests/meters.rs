//! All work for a least cost counts on the meter of its caller, and ends when the meter stops.

use zonaut_base::{Id, Meter};
use zonaut_concrete::NoRun;
use zonaut_cost::{
    Combination, CostOrder, Costing, Estimates, Failure, Nothing, Zones, resources, run_along,
};
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_space::StopReason;

/// A meter whose callback never stops, so that it counts.
fn counting() -> Meter {
    Meter::new(|_| None)
}

/// A meter that has stopped.
fn stopped() -> Meter {
    let meter = Meter::new(|_| Some(StopReason::TimeLimit));
    assert_eq!(meter.poll(0), Err(StopReason::TimeLimit));
    meter
}

/// Two processes on long paths, each step of which evaluates a loop.
fn long_loops(rounds: u32) -> Model {
    let text = "const int ROUNDS = {rounds}; int[0,20] n, m; clock x;
        int next(int k) { int i = 0; while (i < ROUNDS) { i++; } return k + i - ROUNDS + 1; }
        process P() { state a, b; init a; trans
            a -> a { guard n < 20; assign n = next(n); }, a -> b { guard n == 20; }; }
        process Q() { state a, b; init a; trans
            a -> a { guard m < 20 && x >= 1; assign m = next(m), x = 0; },
            a -> b { guard m == 20; }; }
        system P, Q;";
    let text = text.replace("{rounds}", &rounds.to_string());
    model_of(&text, &["E<> P.b && Q.b"]).expect("a correct model").0
}

fn goal(model: &Model) -> &Formula {
    match &model.queries[QueryId::from_index(0)].kind {
        QueryKind::Possibly(goal) => goal,
        _ => unreachable!("a goal to reach"),
    }
}

const SMALLER: Estimates = Estimates { smaller: true, ..Estimates::NONE };

#[test]
fn searches_in_smaller_networks_count() {
    let (model, costing) = (long_loops(20_000), Costing::TIME);
    let spent = |estimates| {
        let meter = counting();
        let zones = Zones::new(&model, goal(&model), costing, &meter).expect("small");
        let before = meter.spent();
        zones.totals_along(&model, goal(&model), estimates, &[]).expect("small");
        meter.spent() - before
    };
    let (without, with) = (spent(Estimates::NONE), spent(SMALLER));
    // The smaller network has 20 loops of 20,000 rounds at least.
    assert!(with > without + 400_000, "{without} {with}");
}

#[test]
fn searches_in_smaller_networks_end_with_the_meter() {
    let model = long_loops(20_000);
    let polls = std::sync::atomic::AtomicU32::new(0);
    let meter = Meter::new(move |_| {
        let number = polls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        (number >= 1).then_some(StopReason::TimeLimit)
    });
    let zones = Zones::new(&model, goal(&model), Costing::TIME, &meter).expect("small");
    let _ = zones.totals_along(&model, goal(&model), SMALLER, &[]);
    assert_eq!(meter.stopped(), Some(StopReason::TimeLimit));
    let spent = meter.spent();
    assert!(spent < 100_000, "{spent}");
}

/// A chain of locations in which a lock is held, so that the look-ahead takes long.
fn chain(length: usize) -> Model {
    let locations: Vec<String> = (0..=length).map(|k| format!("l{k}")).collect();
    let edges: Vec<String> = (0..length)
        .map(|k| match k % 2 {
            0 => format!("l{k} -> l{} {{ guard s == 0; assign s = 1, x = 0; }}", k + 1),
            _ => format!("l{k} -> l{} {{ guard x >= 1; assign s = 0; }}", k + 1),
        })
        .collect();
    let text = format!(
        "int[0,1] s; process P() {{ clock x; state {}; init l0; trans {}; }} system P;",
        locations.join(", "),
        edges.join(", ")
    );
    model_of(&text, &[&format!("E<> P.l{length}")]).expect("a correct model").0
}

#[test]
fn the_preparation_of_estimates_counts_and_ends_with_the_meter() {
    let model = chain(200);
    let meter = counting();
    let found = resources(&model, goal(&model), Costing::TIME, &meter).expect("never stops");
    assert_eq!(found[0].finding, Ok(100));
    assert!(meter.spent() > 20_000, "{}", meter.spent());
    let stopping = resources(&model, goal(&model), Costing::TIME, &stopped());
    assert_eq!(stopping, Err(StopReason::TimeLimit));
    let meter = Meter::new(|_| Some(StopReason::TimeLimit));
    let zones = Zones::new(&model, goal(&model), Costing::TIME, &meter).expect("small");
    let order = CostOrder::LeastTotal;
    let found = zones.optimise_with(&model, goal(&model), order, Estimates::ALL, &mut ());
    assert_eq!(found.err(), Some(Failure::Stopped(StopReason::TimeLimit)));
}

#[test]
fn the_run_of_a_solution_counts_and_ends_with_the_meter() {
    let model = long_loops(2_000);
    let costing = Costing::of(&model, Combination::Sum).expect("understood");
    let zones = Zones::new(&model, goal(&model), costing, &Meter::default()).expect("small");
    let found = zones.optimise(CostOrder::LeastCost, Nothing, &mut ()).expect("small");
    let best = found.best.expect("a path");
    let meter = counting();
    run_along(&model, goal(&model), costing, &best, &meter).expect("a run");
    assert!(meter.spent() > 80_000, "{}", meter.spent());
    let run = run_along(&model, goal(&model), costing, &best, &stopped());
    assert_eq!(run.err(), Some(NoRun::Stopped(StopReason::TimeLimit)));
}
