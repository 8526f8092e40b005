//! Networks that have fooled model checkers, with random constants.

use crate::random::Random;
use crate::specification::{
    Atom, ClockSpecification, EdgeSpecification, LocationSpecification, ProcessSpecification,
    QuerySpecification, Specification, Update, Value,
};
use zonaut_model::Relation::{self, Equal, Greater, GreaterEqual, Less, LessEqual};

/// One of the patterns.
pub fn random(random: &mut Random) -> Specification {
    match random.below(5) {
        0 => {
            let rounds = random.below(4);
            nested_fractions(rounds)
        }
        1 => drift(random),
        2 => tight_window(random),
        3 => differences(random),
        _ => drift(random),
    }
}

/// Each round needs an instant between two others that are closer together than before, so no grid
/// of fractions suffices for all rounds. The goal can be reached.
#[must_use]
pub fn nested_fractions(rounds: usize) -> Specification {
    let (x, y) = (0, 1);
    let mut edges = vec![
        edge((0, 1), &[(y, Greater, 0), (y, Less, 1)], &[x]),
        edge((1, 2), &[(x, Greater, 0), (x, Less, 1)], &[y]),
    ];
    for round in 0..rounds {
        let first = 2 + 2 * round;
        edges.push(edge((first, first + 1), &[(x, Greater, 1), (y, Less, 1)], &[x]));
        edges.push(edge((first + 1, first + 2), &[(x, Greater, 0), (y, Less, 1)], &[y]));
    }
    let locations = vec![LocationSpecification::default(); 3 + 2 * rounds];
    single(2, ProcessSpecification { locations, edges })
}

/// The distance of two clocks grows by a loop, and is needed after one of them has passed its
/// constants.
fn drift(random: &mut Random) -> Specification {
    let (x, y) = (0, 1);
    let period = random.between(1, 2);
    let late = random.between(period, 3 * period + 2);
    let upper = random.choose(&[LessEqual, LessEqual, Less]);
    let test = random.choose(&[Less, LessEqual, Greater, Equal]);
    let rest = random.between(0, period);
    let after = random.choose(&[GreaterEqual, Greater, Equal]);
    let edges = vec![
        edge((0, 0), &[(x, Equal, period)], &[x]),
        edge((0, 1), &[(y, after, late), (x, test, rest)], &[]),
    ];
    let mut locations = vec![LocationSpecification::default(); 2];
    locations[0].invariant.push(atom(x, upper, period));
    single(2, ProcessSpecification { locations, edges })
}

/// An invariant and a guard that leave one instant, or none.
fn tight_window(random: &mut Random) -> Specification {
    let x = 0;
    let end = random.between(1, 3);
    let upper = random.choose(&[Less, LessEqual]);
    let lower = random.choose(&[Greater, GreaterEqual]);
    let edges = vec![
        edge((0, 1), &[(1, random.choose(&[Less, LessEqual]), end)], &[1]),
        edge((1, 2), &[(x, lower, end)], &[]),
    ];
    let mut locations = vec![LocationSpecification::default(); 3];
    locations[1].invariant.push(atom(x, upper, end));
    single(2, ProcessSpecification { locations, edges })
}

/// Two differences that are always equal and that plain extrapolation forgets (P. Bouyer, *Forward
/// analysis of updatable timed automata*, Formal Methods in System Design 24, 2004,
/// doi:10.1023/B:FORM.0000026093.21513.31).
fn differences(random: &mut Random) -> Specification {
    let (x1, x2, x3, x4) = (0, 1, 2, 3);
    let edges = vec![
        edge((0, 1), &[(x3, LessEqual, random.between(2, 3))], &[x1, x3]),
        edge((1, 2), &[(x2, Equal, 3)], &[x2]),
        edge((2, 3), &[(x1, Equal, 2)], &[x1]),
        edge((3, 2), &[(x2, Equal, 2)], &[x2]),
        edge((2, 4), &[(x1, Equal, random.between(2, 3))], &[x1]),
        EdgeSpecification {
            source: 4,
            target: 5,
            guard: vec![
                difference(x2, x1, random.choose(&[Greater, GreaterEqual]), 2),
                difference(x4, x3, random.choose(&[Less, LessEqual]), random.between(1, 2)),
            ],
            ..EdgeSpecification::default()
        },
    ];
    let locations = vec![LocationSpecification::default(); 6];
    single(4, ProcessSpecification { locations, edges })
}

/// A network of one process; the goal is its last location.
fn single(clocks: usize, process: ProcessSpecification) -> Specification {
    let goal = process.locations.len() - 1;
    Specification {
        clocks: vec![ClockSpecification { owner: None }; clocks],
        variables: Vec::new(),
        channels: Vec::new(),
        processes: vec![process],
        query: QuerySpecification {
            possibly: true,
            locations: vec![(0, goal)],
            atoms: Vec::new(),
            data: None,
        },
    }
}

fn edge(
    (source, target): (usize, usize),
    guard: &[(usize, Relation, i32)],
    resets: &[usize],
) -> EdgeSpecification {
    EdgeSpecification {
        source,
        target,
        guard: guard.iter().map(|&(clock, relation, c)| atom(clock, relation, c)).collect(),
        updates: resets.iter().map(|&clock| Update::Reset(clock, Value::Constant(0))).collect(),
        ..EdgeSpecification::default()
    }
}

fn atom(left: usize, relation: Relation, bound: i32) -> Atom {
    Atom { left, right: None, relation, bound: Value::Constant(bound) }
}

fn difference(left: usize, right: usize, relation: Relation, bound: i32) -> Atom {
    Atom { left, right: Some(right), relation, bound: Value::Constant(bound) }
}
