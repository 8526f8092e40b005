//! The examples of the paper.

use zonaut_heuristics::{GraphDistance, Guide, Maximum, Relaxation, Total};
use zonaut_model::builder::NetworkBuilder;
use zonaut_model::{Formula, Model, QueryId, QueryKind};
use zonaut_base::Id;
use zonaut_space::Estimate;

/// Figure 2: automata that have to be served in a row; in each but the first there is a turn that
/// leads astray.
fn chain(count: usize) -> Model {
    let mut network = NetworkBuilder::new();
    let signals: Vec<_> = (1..count).map(|k| network.channel(&format!("a{k}"))).collect();
    let mut goal = None;
    for k in 0..count {
        let process = network.process(&format!("P{k}"));
        let bottom = network.location(process, "bottom");
        let top = if k == 0 {
            let top = network.location(process, "top");
            // The first one sends without waiting for anybody.
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
    match &model.queries[QueryId::from_index(0)].kind {
        QueryKind::Possibly(goal) => goal.clone(),
        other => panic!("{other:?}"),
    }
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
        assert_eq!(relaxation.lower().estimate(&values), Estimate::AtLeast(n));
        assert_eq!(relaxation.upper().estimate(&values), Estimate::AtLeast(n));
        let mut dl = GraphDistance::<Maximum>::new(&model, &goal, &relaxation);
        assert_eq!(dl.estimate(&values), Estimate::AtLeast(2));
        let mut du = GraphDistance::<Total>::new(&model, &goal, &relaxation);
        assert_eq!(du.estimate(&values), Estimate::AtLeast(2 * n - 1));
    }
}
