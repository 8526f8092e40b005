//! Validation rejects damaged models and accepts those of the builder.

use zonaut_base::Id;
use zonaut_model::builder::{Claim, NetworkBuilder, Update};
use zonaut_model::{
    CellId, Expression, ExpressionId, LocationId, Model, Place, PlaceIndex, Range, Storage,
};

fn network() -> NetworkBuilder {
    let mut network = NetworkBuilder::new();
    let n = network.integer("n", Range { low: 0, high: 3 }, 1);
    let a = network.integers("a", Range { low: 0, high: 3 }, &[0, 1, 2]);
    let b = network.boolean("b", 1);
    let x = network.clock("x");
    let y = network.clock("y");
    let c = network.channel("c");
    let d = network.broadcast_channel("d");
    let p = network.process("P");
    let v = network.local_integer(p, "v", Range { low: -3, high: 3 }, 0);
    let s = network.location(p, "s");
    let t = network.urgent_location(p, "t");
    let u = network.committed_location(p, "u");
    network.initial(p, t);
    network.invariant(p, s, x.less(n + 1));
    network.edge(p, s, t).guard(a.element(n).at_least(-v.term())).send(c).update(y.copy_from(x));
    network
        .edge(p, t, u)
        .guard(b.term().negated().or(n.term().equals(v)))
        .receive_among(c, 2, n)
        .update(a.set(0, n % 2))
        .uncontrollable();
    network.edge(p, u, s).send(d).update(Update::add_cost(3)).update(x.set(n - 1));
    network.always("A[] not deadlock", Claim::Not(Box::new(Claim::Deadlock)));
    network.leads_to("P.s --> x > 3", network.at(p, s), x.greater(3).minus(y));
    network.eventually("A<> P.t", network.at(p, t));
    network.possibly_always("E[] P.t", network.at(p, t));
    network
}

fn check(damage: impl FnOnce(&mut Model), expected: &str) {
    let mut model = network().finish().expect("the network is right");
    damage(&mut model);
    let problems = model.validate().expect_err("the model is broken");
    let found = problems.iter().any(|problem| problem.message.contains(expected));
    assert!(found, "{problems:?}");
}

#[test]
fn models_of_the_builder_are_valid() {
    let model = network().finish().expect("the network is right");
    let process = model.processes.iter().next().expect("a process");
    assert_eq!(process.initial.index(), 1);
    assert_eq!(process.edges.len(), 3);
    assert_eq!(model.queries.len(), 4);
}

#[test]
fn damaged_models_are_rejected() {
    let beyond = ExpressionId::from_index(9999);
    check(|model| model.cells[CellId::from_index(0)].initial = 7, "initial value");
    check(
        |model| model.cells[CellId::from_index(0)].range = Range { low: 3, high: 1 },
        "range is empty",
    );
    check(|model| _ = model.expressions.push(Expression::AddCost(beyond)), "child");
    check(|model| model.before_update.push(beyond), "expression does not exist");
    check(
        |model| {
            let value = model.expressions.push(Expression::Constant(0));
            let indices = vec![PlaceIndex { value, low: 0, size: 9, stride: 1 }];
            let root = Storage::Cell(CellId::from_index(0));
            model.expressions.push(Expression::Read(Place { root, indices }));
        },
        "beyond its storage",
    );
    check(
        |model| {
            let process = model.processes.ids().next().expect("a process");
            model.processes[process].initial = LocationId::from_index(9);
        },
        "initial location",
    );
    check(
        |model| {
            let process = model.processes.ids().next().expect("a process");
            model.processes[process].edges.iter_mut().for_each(|edge| {
                edge.target = LocationId::from_index(9);
            });
        },
        "locations does not exist",
    );
}
