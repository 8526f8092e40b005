//! Networks that are known to be hard for model checkers, with random constants.

use crate::random::Random;
use crate::specification::{
    Atom, ChannelPriority, ChannelSpecification, ClockSpecification, Comparison, EdgeSpecification,
    Function, Label, LocationSpecification, Operator, ProcessSpecification, QuerySpecification,
    Specification, Update, Value, VariableSpecification,
};
use zonaut_model::Direction;
use zonaut_model::Relation::{self, Equal, Greater, GreaterEqual, Less, LessEqual};

/// One of the patterns.
pub fn random(random: &mut Random) -> Specification {
    match random.below(10) {
        0 => {
            let rounds = random.below(4);
            nested_fractions(rounds)
        }
        1 | 2 => drift(random),
        3 => tight_window(random),
        4 => differences(random),
        5 | 6 => reset_loop(random),
        7 => message(random),
        _ => two_arrivals(random),
    }
}

/// Each round needs an instant between two others that are closer together than before, so no fixed
/// grid of fractions suffices for all rounds. The goal is reachable.
#[must_use]
pub fn nested_fractions(rounds: usize) -> Specification {
    let (x, y) = (0, 1);
    let mut edges = vec![
        edge(0, 1, &[(y, Greater, 0), (y, Less, 1)], &[x]),
        edge(1, 2, &[(x, Greater, 0), (x, Less, 1)], &[y]),
    ];
    for round in 0..rounds {
        let first = 2 + 2 * round;
        edges.push(edge(first, first + 1, &[(x, Greater, 1), (y, Less, 1)], &[x]));
        edges.push(edge(first + 1, first + 2, &[(x, Greater, 0), (y, Less, 1)], &[y]));
    }
    let locations = vec![LocationSpecification::default(); 3 + 2 * rounds];
    single(2, ProcessSpecification { locations, edges, rises: false })
}

/// The difference of two clocks grows in a loop, and is needed after one of them has exceeded its
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
        edge(0, 0, &[(x, Equal, period)], &[x]),
        edge(0, 1, &[(y, after, late), (x, test, rest)], &[]),
    ];
    let mut locations = vec![LocationSpecification::default(); 2];
    locations[0].invariant.push(atom(x, upper, period));
    single(2, ProcessSpecification { locations, edges, rises: false })
}

/// An invariant and a guard that leave a single instant, or none.
fn tight_window(random: &mut Random) -> Specification {
    let x = 0;
    let end = random.between(1, 3);
    let upper = random.choose(&[Less, LessEqual]);
    let lower = random.choose(&[Greater, GreaterEqual]);
    let edges = vec![
        edge(0, 1, &[(1, random.choose(&[Less, LessEqual]), end)], &[1]),
        edge(1, 2, &[(x, lower, end)], &[]),
    ];
    let mut locations = vec![LocationSpecification::default(); 3];
    locations[1].invariant.push(atom(x, upper, end));
    single(2, ProcessSpecification { locations, edges, rises: false })
}

/// A loop resets one clock while the other continues, and both are needed: zones that differ only
/// in the difference of the clocks must not cover each other.
fn reset_loop(random: &mut Random) -> Specification {
    let (x, y) = (0, 1);
    let again = random.between(0, 3);
    let (low, high) = (random.between(0, 3), random.between(0, 2));
    let mut edges = vec![edge(0, 0, &[(x, lower(random), again)], &[x])];
    if random.chance(40) {
        edges[0].guard.clear();
    }
    let leave = edge(0, 1, &[(x, upper(random), high), (y, lower(random), low)], &[]);
    edges.insert(random.below(2), leave);
    edges.push(edge(1, 2, &[(y, upper(random), low)], &[]));
    if random.chance(50) {
        edges[2].guard.clear();
    }
    let locations = vec![LocationSpecification::default(); 3];
    single(2, ProcessSpecification { locations, edges, rises: false })
}

/// Two paths reach a location at the same date, with and without a reset, and it is left at the
/// same date: covering depends on single bounds and their strictness.
fn two_arrivals(random: &mut Random) -> Specification {
    let (x, y) = (0, 1);
    let date = random.between(0, 3);
    let near = |random: &mut Random| (date + random.choose(&[-1, 0, 0, 0, 1])).max(0);
    let (first, second, last) = (near(random), near(random), near(random));
    let mut edges = vec![
        edge(0, 1, &[(random.choose(&[x, x, y]), lower(random), first)], &[y]),
        edge(0, 1, &[(x, lower(random), second)], &[]),
    ];
    if random.chance(30) {
        edges[1].guard.clear();
    }
    if random.chance(40) {
        edges.swap(0, 1);
    }
    let rest = random.between(0, date + 1);
    let end = random.choose(&[x, x, x, y]);
    edges.push(edge(1, 2, &[(end, upper(random), last), (y, lower(random), rest)], &[]));
    let locations = vec![LocationSpecification::default(); 3];
    single(2, ProcessSpecification { locations, edges, rises: false })
}

/// A number is passed within one transition: the sender writes a value that a receiver reads, and
/// the goal needs the receiver's result.
fn message(random: &mut Random) -> Specification {
    let sent = random.between(1, 2);
    let made = sent + random.between(0, 1);
    let number = Value::Variable(0);
    let sum =
        |value: Value, more: i32| Value::Sum(Box::new(value), Box::new(Value::Constant(more)));
    let first = if random.chance(50) { Value::Constant(sent) } else { sum(number.clone(), sent) };
    let second = match made - sent {
        0 if random.chance(40) => Value::Call(Function::Clip, Box::new(number)),
        0 => number,
        more => sum(number, more),
    };
    let channel = ChannelSpecification {
        broadcast: random.chance(50),
        urgent: false,
        size: None,
        priority: ChannelPriority::Same,
    };
    let guard = [(0, lower(random), random.between(0, 2))];
    let mut sender = edge(0, random.below(2), &guard, &[]);
    let mut receiver = edge(0, random.below(2), &[], &[]);
    for (edge, direction, update) in [
        (&mut sender, Direction::Send, Update::Set(0, first)),
        (&mut receiver, Direction::Receive, Update::Set(1, second)),
    ] {
        edge.synchronisation = Some(Label { channel: 0, index: None, direction });
        edge.updates.push(update);
    }
    let is_made = Comparison {
        left: Value::Variable(1),
        operator: Operator::Equal,
        right: Value::Constant(made),
    };
    let mut query = QuerySpecification::possibly_at(1, receiver.target);
    let mut edges = vec![receiver];
    let mut locations = vec![LocationSpecification::default(); 2];
    if random.chance(50) {
        query.data = Some(is_made);
    } else {
        query.locations = vec![(1, 2)];
        let last = edge(edges[0].target, 2, &[], &[]);
        edges.push(EdgeSpecification { data: Some(is_made), ..last });
        locations.push(LocationSpecification::default());
    }
    let variable = VariableSpecification { high: 3, initial: 0, meta: false };
    Specification {
        clocks: vec![ClockSpecification { owner: None }],
        variables: vec![variable; 2],
        channels: vec![channel],
        processes: vec![
            ProcessSpecification {
                locations: vec![LocationSpecification::default(); 2],
                edges: vec![sender],
                rises: false,
            },
            ProcessSpecification { locations, edges, rises: false },
        ],
        query,
    }
}

fn lower(random: &mut Random) -> Relation {
    random.choose(&[GreaterEqual, GreaterEqual, Greater])
}

fn upper(random: &mut Random) -> Relation {
    random.choose(&[LessEqual, LessEqual, Equal, Less])
}

/// Two differences that are always equal and that plain extrapolation loses (P. Bouyer, *Forward
/// analysis of updatable timed automata*, Formal Methods in System Design 24, 2004,
/// doi:10.1023/B:FORM.0000026093.21513.31).
fn differences(random: &mut Random) -> Specification {
    let (x1, x2, x3, x4) = (0, 1, 2, 3);
    let edges = vec![
        edge(0, 1, &[(x3, LessEqual, random.between(2, 3))], &[x1, x3]),
        edge(1, 2, &[(x2, Equal, 3)], &[x2]),
        edge(2, 3, &[(x1, Equal, 2)], &[x1]),
        edge(3, 2, &[(x2, Equal, 2)], &[x2]),
        edge(2, 4, &[(x1, Equal, random.between(2, 3))], &[x1]),
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
    single(4, ProcessSpecification { locations, edges, rises: false })
}

/// A network of one process; the goal is its last location.
fn single(clocks: usize, process: ProcessSpecification) -> Specification {
    let goal = process.locations.len() - 1;
    Specification {
        clocks: vec![ClockSpecification { owner: None }; clocks],
        variables: Vec::new(),
        channels: Vec::new(),
        processes: vec![process],
        query: QuerySpecification::possibly_at(0, goal),
    }
}

fn edge(
    source: usize,
    target: usize,
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
