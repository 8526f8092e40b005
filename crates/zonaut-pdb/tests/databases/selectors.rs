//! The symbols that selectors keep.

use crate::check::Problem;
use zonaut_pdb::{AbstractModel, Inputs, Pattern, cone, error_path_pattern};
use zonaut_testkit::generate::generate;

/// A controller that needs an input, which a sensor polls, and an irrelevant process.
const PLANT: &str = "int[0,1] input; int[0,1] polled; int[0,1] other; clock x;
    process Controller() { state off, on; init off; trans off -> on { guard polled == 1 && x >= 2; }; }
    process Sensor() { state poll; init poll; trans poll -> poll { assign polled := input, x := 0; }; }
    process Input() { state s; init s; trans s -> s { guard input == 0; assign input := 1; }; }
    process Other() { state s; init s; trans s -> s { assign other := 1 - other; }; }
    system Controller, Sensor, Input, Other;";

fn kept(pattern: impl Fn(&Problem) -> Pattern) -> String {
    let problem = Problem::of_text(PLANT, "E<> Controller.on");
    let abstract_model = AbstractModel::new(&problem.model, &problem.goal, &pattern(&problem));
    let names = abstract_model
        .processes
        .iter()
        .map(|&process| problem.model.processes[process].name.clone());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn an_error_path_pattern_keeps_the_moving_processes_without_inputs() {
    let error_path = |inputs| kept(|p| error_path_pattern(&p.model, &p.goal, inputs));
    assert_eq!(error_path(Inputs::Dropped), "Controller Sensor");
    assert_eq!(error_path(Inputs::Kept), "Controller Sensor Input");
    // Only the right side of an assignment needs the input.
    assert_eq!(error_path(Inputs::Direct), "Controller Sensor");
}

#[test]
fn a_cone_grows_with_its_depth() {
    let cone = |depth| kept(|p| cone(&p.model, &p.goal, depth));
    assert_eq!(cone(0), "Controller");
    assert_eq!(cone(1), "Controller");
    assert_eq!(cone(2), "Controller Sensor");
    assert_eq!(cone(4), "Controller Sensor Input");
}

#[test]
fn selected_patterns_never_break_the_shortest_length() {
    for seed in 0..150 {
        let model = generate(seed).to_model();
        if model.has_priorities() || model.has_rates() {
            continue;
        }
        let problem = Problem::of_model(model);
        let patterns = [
            error_path_pattern(&problem.model, &problem.goal, Inputs::Dropped),
            error_path_pattern(&problem.model, &problem.goal, Inputs::Direct),
            cone(&problem.model, &problem.goal, 1),
        ];
        for pattern in patterns {
            assert_eq!(problem.verdict(pattern.dropped()), Ok(()), "seed {seed}");
        }
    }
}
