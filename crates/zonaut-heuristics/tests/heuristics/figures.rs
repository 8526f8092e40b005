//! The examples of the paper.

use zonaut_base::Id;
use zonaut_heuristics::{DiscreteHeuristic, GraphDistance, Maximum, Precision, Relaxation, Total};
use zonaut_model::builder::NetworkBuilder;
use zonaut_model::{Formula, Model, QueryId, Range};
use zonaut_space::{Estimate, Meter};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::replay::goal_of;
use zonaut_testkit::world::World;

/// Figure 2: automata that have to be served in sequence; each but the first has a wrong turn.
fn chain(count: usize) -> Model {
    let mut network = NetworkBuilder::new();
    let signals: Vec<_> = (1..count).map(|k| network.channel(&format!("a{k}"))).collect();
    let mut goal = None;
    for k in 0..count {
        let process = network.process(&format!("P{k}"));
        let bottom = network.location(process, "bottom");
        let top = if k == 0 {
            let top = network.location(process, "top");
            // The first one sends without waiting.
            match signals.first() {
                Some(&signal) => network.edge(process, bottom, top).send(signal),
                None => network.edge(process, bottom, top),
            };
            top
        } else {
            let middle = network.location(process, "middle");
            let top = network.location(process, "top");
            let astray = network.location(process, "astray");
            network.edge(process, bottom, middle).receive(signals[k - 1]);
            match signals.get(k) {
                Some(&signal) => network.edge(process, middle, top).send(signal),
                None => network.edge(process, middle, top),
            };
            network.edge(process, bottom, astray);
            top
        };
        let here = network.at(process, top);
        goal = Some(match goal {
            None => here,
            Some(before) => zonaut_model::builder::Term::and(before, here),
        });
    }
    network.possibly("E<> all at the top", goal.expect("at least one process"));
    network.finish().expect("a valid network")
}

fn goal(model: &Model) -> Formula {
    goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a goal")
}

fn initial(model: &Model) -> Vec<i32> {
    let locations = model.processes.iter().map(|process| process.initial.index() as i32);
    locations.chain(model.initial_cells()).collect()
}

#[test]
fn relaxations_are_exact_where_automata_are_served_in_a_row() {
    for count in 2..8 {
        let model = chain(count);
        let goal = goal(&model);
        let relaxation = Relaxation::new(&model, &goal);
        let values = initial(&model);
        let n = count as u32;
        assert_eq!(relaxation.lower().estimate(&values), Estimate::Distance(n));
        assert_eq!(relaxation.upper().estimate(&values), Estimate::Distance(n));
        let mut dl = GraphDistance::<Maximum>::new(&model, &goal, &relaxation);
        assert_eq!(dl.estimate(&values), Estimate::Distance(2));
        let mut du = GraphDistance::<Total>::new(&model, &goal, &relaxation);
        assert_eq!(du.estimate(&values), Estimate::Distance(2 * n - 1));
    }
}

#[test]
fn a_wrong_turn_is_a_dead_end_for_relaxations_alone() {
    let model = chain(4);
    let goal = goal(&model);
    let relaxation = Relaxation::new(&model, &goal);
    for astray in 1..4 {
        let mut values = initial(&model);
        values[astray] = 3;
        assert_eq!(relaxation.lower().estimate(&values), Estimate::DeadEnd);
        assert_eq!(relaxation.upper().estimate(&values), Estimate::DeadEnd);
    }
    // A signal that was sent too early is missing later: graph distances do not detect it.
    let mut values = initial(&model);
    values[0] = 1;
    assert_eq!(relaxation.lower().estimate(&values), Estimate::DeadEnd);
    let mut dl = GraphDistance::<Maximum>::new(&model, &goal, &relaxation);
    assert_eq!(dl.estimate(&values), Estimate::Distance(2));
}

/// Figure 3: a process runs in a cycle of three edges and sends on one of them; another process
/// needs the signal `count` times.
fn circle(count: usize) -> Model {
    let mut network = NetworkBuilder::new();
    let signal = network.channel("a");
    let round = network.process("Round");
    let places: Vec<_> = (0..3).map(|k| network.location(round, &format!("p{k}"))).collect();
    network.edge(round, places[0], places[1]);
    network.edge(round, places[1], places[2]);
    network.edge(round, places[2], places[0]).send(signal);
    let waiting = network.process("Waiting");
    let stages: Vec<_> = (0..=count).map(|k| network.location(waiting, &format!("s{k}"))).collect();
    for pair in stages.windows(2) {
        network.edge(waiting, pair[0], pair[1]).receive(signal);
    }
    let last = network.at(waiting, stages[count]);
    network.possibly("E<> Waiting at its end", last);
    network.finish().expect("a valid network")
}

#[test]
fn repeated_steps_are_underestimated() {
    for count in 1..6 {
        let model = circle(count);
        let relaxation = Relaxation::new(&model, &goal(&model));
        // Each signal takes three steps in fact; in the abstraction the cycle is completed once.
        let estimate = Estimate::Distance(count as u32 + 2);
        assert_eq!(relaxation.lower().estimate(&initial(&model)), estimate);
        assert_eq!(relaxation.upper().estimate(&initial(&model)), estimate);
    }
}

/// A counter that one edge increases, with the goal 40.
fn counter(range: Range) -> Model {
    let mut network = NetworkBuilder::new();
    let v = network.integer("v", range, 0);
    let process = network.process("P");
    let only = network.location(process, "l");
    network.edge(process, only, only).update(v.set(v + 1));
    network.possibly("E<> v == 40", v.term().equals(40));
    network.finish().expect("a valid network")
}

#[test]
fn increments_are_counted_one_by_one() {
    for range in [Range { low: 0, high: 60 }, Range::DEFAULT_INTEGER] {
        let model = counter(range);
        let relaxation = Relaxation::new(&model, &goal(&model));
        for start in [0, 10, 39, 40] {
            let estimate = Estimate::Distance(40 - start as u32);
            assert_eq!(relaxation.lower().estimate(&[0, start]), estimate);
            assert_eq!(relaxation.upper().estimate(&[0, start]), estimate);
        }
    }
}

#[test]
fn a_state_before_an_error_waits_for_the_others() {
    let model = counter(Range { low: 0, high: 60 });
    let relaxation = Relaxation::new(&model, &goal(&model));
    assert_eq!(relaxation.lower().estimate(&[0, 41]), Estimate::Last);
    assert!(!relaxation.never_fails());
}

/// The estimate of `hl` and the true distance at the start of the Towers of Hanoi.
fn towers(discs: u32) -> (Estimate<u32>, u32) {
    let family = zonaut_families::find("hanoi").expect("a known family");
    let generated = family.generate(&[discs]).expect("right parameters");
    let (model, _) = model_of(&generated.model, &[&generated.queries[0]]).expect("a valid model");
    let goal = goal(&model);
    let space = World::new(&model, &goal).expect("a small space");
    (Relaxation::new(&model, &goal).lower().estimate(&space.states[0].values), space.distance[0])
}

#[test]
fn the_towers_of_hanoi_grow_faster_than_their_estimate() {
    for discs in 3..6 {
        let (estimate, distance) = towers(discs);
        assert_eq!(distance, (1 << discs) - 1);
        let Estimate::Distance(value) = estimate else { unreachable!("the goal is reachable") };
        assert!((discs..=2 * discs).contains(&value), "{discs} discs: {value}");
    }
}

/// Whether a more precise abstraction makes `hl` larger in some state of a family, and nowhere
/// smaller.
fn is_larger(name: &str, parameters: &[u32], precision: Precision) -> bool {
    let family = zonaut_families::find(name).expect("a known family");
    let generated = family.generate(parameters).expect("right parameters");
    generated.queries.iter().any(|query| {
        let (model, _) = model_of(&generated.model, &[query]).expect("a valid model");
        let goal = goal(&model);
        let Some(space) = World::new(&model, &goal) else { return false };
        let relaxation = Relaxation::with_precision(&model, &goal, precision, &Meter::default());
        let relaxation = relaxation.expect("the default meter never stops");
        let (mut plain, mut precise) = (Relaxation::new(&model, &goal).lower(), relaxation.lower());
        let classes = relaxation.classes();
        let mut is_larger = false;
        for (state, values) in space.values().enumerate() {
            let mut seen = values.clone();
            seen.extend(classes.clocks().enumerate().map(|(number, clock)| {
                let (least, is_exclusive) = space.least(state, clock);
                classes.class(number, least, is_exclusive)
            }));
            let far = |estimate| match estimate {
                Estimate::Distance(value) => value,
                Estimate::DeadEnd | Estimate::Last => u32::MAX,
            };
            let (less, more) = (far(plain.estimate(values)), far(precise.estimate(&seen)));
            assert!(less <= more, "{name}: {values:?} {less} {more}");
            is_larger |= less < more;
        }
        is_larger
    })
}

#[test]
fn more_precision_makes_hl_larger_if_time_matters() {
    let precision = Precision { clocks: true, values: true };
    assert!(is_larger("critical-region", &[2], precision));
    assert!(is_larger("csmacd", &[2, 20, 5], precision));
}
