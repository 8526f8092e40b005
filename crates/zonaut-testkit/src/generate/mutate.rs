//! Random mutations of networks.

use crate::random::Random;
use crate::specification::{EdgeSpecification, Specification, Update, Value};
use zonaut_model::{LocationKind, Relation};

/// Applies one random mutation. Some find nothing to change.
pub(super) fn mutate(specification: &mut Specification, random: &mut Random) {
    match random.below(8) {
        0 | 1 => change_bound(specification, random),
        2 | 3 => change_strictness(specification, random),
        4 => toggle_reset(specification, random),
        5 => add_edge(specification, random),
        6 => drop_atom(specification, random),
        _ => change_kind(specification, random),
    }
    admit_start(specification);
}

/// Removes the invariants of initial locations that do not hold where all clocks are 0: such a
/// network would be refused instead of explored.
fn admit_start(specification: &mut Specification) {
    for process in &mut specification.processes {
        process.locations[0].invariant.retain(|atom| match (atom.relation, &atom.bound) {
            (Relation::Less, Value::Constant(bound)) => *bound > 0,
            (Relation::LessEqual, Value::Constant(bound)) => *bound >= 0,
            _ => false,
        });
    }
}

/// Calls `change` with a random edge.
fn with_edge(
    specification: &mut Specification,
    random: &mut Random,
    change: impl FnOnce(&mut EdgeSpecification, &mut Random),
) {
    let process = random.below(specification.processes.len());
    let edges = &mut specification.processes[process].edges;
    if !edges.is_empty() {
        let position = random.below(edges.len());
        change(&mut edges[position], random);
    }
}

/// Calls `change` with a random clock constraint.
fn with_atom(
    specification: &mut Specification,
    random: &mut Random,
    change: impl Fn(&mut crate::specification::Atom, &mut Random),
) {
    let mut count = 0;
    specification.for_each_atom_mut(&mut |_| count += 1);
    if count > 0 {
        let chosen = random.below(count);
        let mut now = 0;
        specification.for_each_atom_mut(&mut |atom| {
            if now == chosen {
                change(atom, random);
            }
            now += 1;
        });
    }
}

fn change_bound(specification: &mut Specification, random: &mut Random) {
    with_atom(specification, random, |atom, random| {
        if let Value::Constant(bound) = &mut atom.bound {
            *bound = (*bound + random.choose(&[-1, 1])).max(0);
        }
    });
}

fn change_strictness(specification: &mut Specification, random: &mut Random) {
    with_atom(specification, random, |atom, _| {
        atom.relation = match atom.relation {
            Relation::Less => Relation::LessEqual,
            Relation::LessEqual => Relation::Less,
            Relation::Equal => Relation::GreaterEqual,
            Relation::GreaterEqual => Relation::Greater,
            Relation::Greater => Relation::GreaterEqual,
        };
    });
}

fn toggle_reset(specification: &mut Specification, random: &mut Random) {
    let clock = random.below(specification.clocks.len());
    with_edge(specification, random, |edge, _| {
        let before = edge.updates.len();
        edge.updates.retain(|update| !matches!(update, Update::Reset(reset, _) if *reset == clock));
        if edge.updates.len() == before {
            edge.updates.push(Update::Reset(clock, Value::Constant(0)));
        }
    });
}

/// Copies an edge, with random source and target.
fn add_edge(specification: &mut Specification, random: &mut Random) {
    let process = random.below(specification.processes.len());
    let process = &mut specification.processes[process];
    if !process.edges.is_empty() {
        let mut edge = random.choose(&process.edges);
        edge.source = random.below(process.locations.len());
        edge.target = random.below(process.locations.len());
        process.edges.push(edge);
    }
}

fn drop_atom(specification: &mut Specification, random: &mut Random) {
    with_edge(specification, random, |edge, random| {
        if !edge.guard.is_empty() {
            let position = random.below(edge.guard.len());
            edge.guard.remove(position);
        }
    });
}

fn change_kind(specification: &mut Specification, random: &mut Random) {
    let process = random.below(specification.processes.len());
    let locations = &mut specification.processes[process].locations;
    let location = random.below(locations.len());
    locations[location].kind = random.choose(&[LocationKind::Ordinary, LocationKind::Urgent]);
}
