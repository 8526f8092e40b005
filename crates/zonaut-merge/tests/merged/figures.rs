//! The examples of the papers: merging is more precise than relaxation on some, and less on others.

use crate::goals::Task;
use crate::laws::{committed_partner, handed_over, heuristic};
use zonaut_base::Id;
use zonaut_heuristics::{DiscreteHeuristic, Relaxation};
use zonaut_merge::Merging;
use zonaut_model::QueryId;
use zonaut_model::builder::{NetworkBuilder, Term};
use zonaut_space::Estimate;
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::replay::goal_of;

fn finished(network: NetworkBuilder) -> Task {
    let model = network.finish().expect("a valid network");
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a goal");
    Task { model, goal }
}

fn initial(task: &Task) -> Vec<i32> {
    let locations = task.model.processes.iter().map(|process| process.initial.index() as i32);
    locations.chain(task.model.initial_cells()).collect()
}

fn estimate(task: &Task, merging: Merging, values: &[i32]) -> Estimate<u32> {
    heuristic(task, merging).estimate(values)
}

/// Automata that have to be served in sequence; each but the first has a wrong turn.
fn chain(count: usize) -> Task {
    let mut network = NetworkBuilder::new();
    let signals: Vec<_> = (1..count).map(|k| network.channel(&format!("a{k}"))).collect();
    let mut goal = None;
    for k in 0..count {
        let process = network.process(&format!("P{k}"));
        let bottom = network.location(process, "bottom");
        let middle = network.location(process, "middle");
        let top = network.location(process, "top");
        let astray = network.location(process, "astray");
        match k.checked_sub(1) {
            None => network.edge(process, bottom, middle),
            Some(before) => network.edge(process, bottom, middle).receive(signals[before]),
        };
        match signals.get(k) {
            Some(&signal) => network.edge(process, middle, top).send(signal),
            None => network.edge(process, middle, top),
        };
        network.edge(process, bottom, astray);
        let here = network.at(process, top);
        goal = Some(goal.map_or(here.clone(), |before| Term::and(before, here)));
    }
    network.possibly("E<> all at the top", goal.expect("a process"));
    finished(network)
}

#[test]
fn with_room_the_distance_is_exact_and_with_little_room_it_is_not_larger() {
    for count in 2..6 {
        let task = chain(count);
        let values = initial(&task);
        let exact = count as u32 + 1;
        for locations in [1, 2, 4, 8, 16, 50] {
            let merging = Merging { locations, variables: 0 };
            let Estimate::Distance(value) = estimate(&task, merging, &values) else {
                unreachable!("the goal is reachable")
            };
            assert!(value <= exact, "{locations}: {value}");
            assert!(locations < 50 || value == exact, "{value}");
        }
    }
}

#[test]
fn a_wrong_turn_is_a_dead_end() {
    let task = chain(4);
    for astray in 0..4 {
        let mut values = initial(&task);
        values[astray] = 3;
        assert_eq!(estimate(&task, Merging::default(), &values), Estimate::DeadEnd);
    }
}

/// Discs are moved between three pegs, never onto smaller ones. The relaxation counts one move for
/// each disc; the product also counts the moves of discs that block them.
fn hanoi(discs: usize) -> Task {
    let mut text = String::new();
    for disc in 0..discs {
        text += &format!("int[0,2] p{disc} = 0;\n");
    }
    let mut transitions = Vec::new();
    for disc in 0..discs {
        for (from, to) in [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)] {
            let free = (0..disc).map(|smaller| format!("p{smaller} == {}", 3 - from - to));
            let guard: Vec<String> =
                std::iter::once(format!("p{disc} == {from}")).chain(free).collect();
            let guard = guard.join(" && ");
            transitions.push(format!("s -> s {{ guard {guard}; assign p{disc} := {to}; }}"));
        }
    }
    text += &format!(
        "process Hand() {{ state s; init s; trans {}; }}\nsystem Hand;",
        transitions.join(",\n")
    );
    let wanted: Vec<String> = (0..discs).map(|disc| format!("p{disc} == 2")).collect();
    let query = format!("E<> {}", wanted.join(" && "));
    let (model, _) = model_of(&text, &[&query]).expect("a correct model");
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a goal");
    Task { model, goal }
}

#[test]
fn variables_as_automata_are_more_precise_than_the_relaxation() {
    let task = hanoi(3);
    let values = initial(&task);
    let merging = Merging { locations: 50, variables: 3 };
    assert_eq!(estimate(&task, merging, &values), Estimate::Distance(7));
    let lower = Relaxation::new(&task.model, &task.goal).lower().estimate(&values);
    let Estimate::Distance(lower) = lower else { unreachable!("the goal is reachable") };
    assert!(lower < 7, "{lower}");
    // Without variables the abstraction has one location only.
    let merging = Merging { locations: 50, variables: 0 };
    assert_eq!(estimate(&task, merging, &values), Estimate::Distance(0));
}

#[test]
fn a_partner_outside_may_be_committed() {
    let task = committed_partner();
    let values = initial(&task);
    assert_eq!(estimate(&task, Merging::default(), &values), Estimate::Distance(2));
}

/// A value that is copied from one variable to another one is not lost, and neither is a condition
/// on both.
#[test]
fn values_flow_between_variables() {
    let relay = |transitions: &str| {
        let text = format!(
            "int[0,1] a, b;
            process P() {{ state s, t; init s; trans s -> s {{ assign a := 1; }}, {transitions}; }}
            system P;"
        );
        let (model, _) = model_of(&text, &["E<> P.t"]).expect("a correct model");
        let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a goal");
        let task = Task { model, goal };
        let values = initial(&task);
        estimate(&task, Merging { locations: 50, variables: 2 }, &values)
    };
    let copied = relay("s -> s { guard a <= 1; assign b := a; }, s -> t { guard b == 1; }");
    assert_eq!(copied, Estimate::Distance(3));
    let compared = relay("s -> t { guard a > b; }");
    assert_eq!(compared, Estimate::Distance(2));
    let task = handed_over();
    let values = initial(&task);
    let merging = Merging { locations: 50, variables: 2 };
    assert_eq!(estimate(&task, merging, &values), Estimate::Distance(2));
}
