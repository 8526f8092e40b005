//! Every injected fault changes the least cost of some network of tasks.

#![cfg(feature = "faults")]

use std::thread;
use std::time::Duration;
use zonaut_base::{Id, Meter, StopReason};
use zonaut_cost::{Combination, CostOrder, Costing, Infimum, OptimizationOutcome};
use zonaut_families::{JobShop, Operation};
use zonaut_model::{QueryId, QueryKind};
use zonaut_oracle::front_end::model_of;
use zonaut_oracle::random::Random;
use zonaut_scheduling::faults::{Fault, select};
use zonaut_scheduling::{Beams, Helpers, ScheduleSearch, TaskHeuristic};
use zonaut_search::{Crew, Task};
use zonaut_testkit::priced::shops::random_shop;

/// A thread for each task; the calling one begins last, so that the others teach it clauses.
struct Hesitant;

impl Crew for Hesitant {
    fn run(&self, first: &mut dyn FnMut(), others: Vec<Task<'_>>) -> Result<(), StopReason> {
        thread::scope(|scope| {
            others.into_iter().for_each(|task| _ = scope.spawn(task));
            thread::sleep(Duration::from_millis(5));
            first();
        });
        Ok(())
    }
}

/// The least costs of a network of tasks over points; none of another model.
fn costs(text: &str, query: &str) -> Vec<Option<Infimum>> {
    let (model, _) = model_of(text, &[query]).expect("a correct model");
    let QueryKind::Possibly(goal) = &model.queries[QueryId::from_index(0)].kind else {
        unreachable!("a goal to reach")
    };
    let costing = Costing::of(&model, Combination::Sum).expect("understood");
    let points = ScheduleSearch::new(&model, goal, costing, &Meter::default()).expect("small");
    let Ok(points) = points else { return Vec::new() };
    let by_beams = points.schedule(Beams { widest: 2, ..Beams::default() }, &mut ());
    // A search in one order takes long where many orders of uses are possible.
    if model.processes.len() > LARGE {
        let helpers = Helpers { crew: &Hesitant, count: 1 };
        let beams = Beams { widest: 2, ..Beams::default() };
        let by_team = points.schedule_with(beams, helpers, &mut ());
        return [by_beams, by_team].map(|found| found.best.map(|best| best.cost)).to_vec();
    }
    let by_points = [
        points.optimise(CostOrder::LeastTotal, TaskHeuristic::Automatic, &mut ()),
        points.optimise(
            CostOrder::BestDepthFirst { total: 1, work: 0 },
            TaskHeuristic::Automatic,
            &mut (),
        ),
        by_beams,
    ];
    // A search that fails gives no answer.
    let answers = by_points
        .into_iter()
        .filter(|found| !matches!(found.ending, OptimizationOutcome::Failed { .. }));
    answers.map(|found| found.best.map(|best| best.cost)).collect()
}

/// The greatest number of processes of which orders of exploration are compared.
const LARGE: usize = 5;

/// Networks that were once answered wrongly over points.
const PITFALLS: [(&str, &str); 8] = [
    (
        "clock x, y; process P() { state a, b; init a; trans a -> b { guard x >= 600000000; }; } \
         process C() { state rest, work { y <= 2 }; init rest; \
         trans rest -> work { assign y = 0; }, work -> rest { guard y >= 2; }; } system P, C;",
        "E<> P.b",
    ),
    (
        "clock x; process P() { state idle, work { x <= 2 }, good, bad; init idle; trans \
         idle -> work { assign x = 0; }, work -> good { guard x >= 2; }, \
         work -> bad { guard x >= 2; }; } system P;",
        "E<> P.good",
    ),
    (
        "clock x, t; process P() { state wait, done; init wait; trans \
         wait -> done { guard x >= 5; }; } process D() { state l { t <= 5 }, m; init l; trans \
         m -> l { assign t = 0; }; } system P, D;",
        "E<> P.done",
    ),
    (
        "clock x, y; process P() { state a, b, done; init a; trans a -> b { }, \
         b -> done { guard x >= 4; }; } process C() { state rest, work { y <= 2 }; init rest; \
         trans rest -> work { assign y = 0; }, work -> rest { guard y >= 2; }; } system P, C;",
        "E<> P.done",
    ),
    (
        "int[0,1] s, own; clock x, y; process P() { state a, work { x <= 1 }, b, done; init a; \
         trans a -> work { assign x = 0, own = s; }, work -> b { guard x >= 1; }, \
         b -> done { guard own == 1; }; } process Q() { state a, b; init a; \
         trans a -> b { guard y >= 3; assign s = 1; }; } system P, Q;",
        "E<> P.done",
    ),
    // Only while the first task lasts are two members at work.
    (
        "int[0,3] n; clock x, y; process P() { state a, work { x <= 2 }, b; init a; \
         trans a -> work { assign x = 0, n += 2; }, work -> b { guard x >= 2; assign n -= 2; }; } \
         process Q() { state a, b, done; init a; trans a -> b { guard y >= 2 && n >= 2; }, \
         b -> done { }; } system P, Q;",
        "E<> Q.done",
    ),
    // A task that begins early is over early, and its process may not stay at its end.
    (
        "clock x, time; process P() { state a, work { x <= 2 }, b { time <= 3 }; init a; \
         trans a -> work { assign x = 0; }, work -> b { guard x >= 2; }; } \
         process Q() { state a, done; init a; trans a -> done { guard time >= 5; }; } system P, Q;",
        "E<> Q.done",
    ),
    // A task that need not begin has a deadline.
    (
        "clock x, y, time; process P() { state a, work { x <= 2 && time <= 3 }, b { time <= 3 }; init a; \
         trans a -> work { assign x = 0; }, work -> b { guard x >= 2; }; } \
         process Q() { state a, work { y <= 5 }, done; init a; trans a -> work { assign y = 0; }, \
         work -> done { guard y >= 5; }; } system P, Q;",
        "E<> Q.done",
    ),
];

/// The models, with their queries, that faults are to be noticed by.
fn models() -> Vec<(String, String)> {
    let mut models = Vec::new();
    let mut add = |text: String, query: &str| models.push((text, query.to_owned()));
    for (text, query) in PITFALLS {
        add(text.to_owned(), query);
    }
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut operation = || Operation {
            machine: random.below(3),
            length: u32::try_from(random.between(1, 6)).expect("positive"),
        };
        let jobs = (0..3).map(|_| (0..3).map(|_| operation()).collect()).collect();
        let generated = JobShop { machines: 3, jobs }.generate();
        add(generated.model, &generated.queries[0]);
    }
    // Shops with release dates and deadlines.
    for seed in 0..10 {
        let family = zonaut_families::find("random-window-shop").expect("a family");
        let generated = family.generate(&[3, 2, seed + 1]).expect("a shop");
        add(generated.model, &generated.queries[0]);
    }
    // Shops with conflicts between many orders of uses.
    for seed in ["1", "2", "3", "4", "5", "6", "7", "8"] {
        let family = zonaut_families::find("random-shop").expect("a family");
        let generated = family.generate_from_words(&["9", "8", seed]).expect("a shop");
        add(generated.model, &generated.queries[0]);
    }
    // Shops whose things are kept by processes and semaphores, with mistakes.
    for seed in 0..30 {
        let (text, query) = random_shop(seed);
        add(text, &query);
    }
    models
}

#[test]
fn every_fault_is_noticed() {
    select(None);
    let models = models();
    let right: Vec<_> = models.iter().map(|(text, query)| costs(text, query)).collect();
    // Whether a search adopts a wrong clause in time depends on the speed of threads; a test of teams,
    // whose searches take turns, notices it.
    let of_threads = |fault: &&Fault| **fault == Fault::LemmaBeyondLimit;
    for &fault in Fault::ALL.iter().filter(|fault| !of_threads(fault)) {
        select(Some(fault));
        let mut answers = models.iter().zip(&right);
        let is_noticed = answers.any(|((text, query), right)| costs(text, query) != *right);
        select(None);
        assert!(is_noticed, "{fault:?}");
    }
}
