//! Random networks without clocks that pass data within and between processes.

use crate::goals::Task;
use zonaut_base::Id;
use zonaut_model::builder::{Array, ChannelHandle, NetworkBuilder, Term, Update, Variable};
use zonaut_model::{LocationId, ProcessId, QueryId, Range};
use zonaut_testkit::random::Random;
use zonaut_testkit::replay::goal_of;

/// The symbols of guards and updates.
struct Symbols {
    variables: Vec<Variable>,
    array: Array,
    /// Two binary channels, then two broadcast channels.
    channels: [ChannelHandle; 4],
}

/// The network of a seed.
pub(crate) fn task(seed: u64) -> Task {
    let mut random = Random::new(seed);
    let mut network = NetworkBuilder::new();
    let symbols = symbols(&mut network, &mut random);
    let mut places = Vec::new();
    for k in 0..random.between(2, 3) {
        let process = network.process(&format!("P{k}"));
        let count = random.between(1, 3);
        let locations: Vec<_> =
            (0..count).map(|l| network.location(process, &format!("l{l}"))).collect();
        for _ in 0..random.between(2, 4) {
            edge(&mut network, &symbols, process, &locations, &mut random);
        }
        places.push((process, random.choose(&locations)));
    }
    let mut goal = comparison(&symbols, &mut random);
    if random.chance(60) {
        goal = goal.and(comparison(&symbols, &mut random));
    }
    if random.chance(40) {
        let (process, location) = random.choose(&places);
        let here = network.at(process, location);
        goal = if random.chance(50) { goal.and(here) } else { goal.or(here.negated()) };
    }
    network.possibly("E<> goal", goal);
    let model = network.finish().expect("a valid network");
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a goal");
    Task { model, goal }
}

fn symbols(network: &mut NetworkBuilder, random: &mut Random) -> Symbols {
    let variable = |k: i32, network: &mut NetworkBuilder, random: &mut Random| {
        let small = Range { low: 0, high: 3 };
        let range = if random.chance(25) { Range::DEFAULT_INTEGER } else { small };
        network.integer(&format!("v{k}"), range, 0)
    };
    Symbols {
        variables: (0..4).map(|k| variable(k, network, random)).collect(),
        array: network.integers("a", Range { low: 0, high: 3 }, &[0, 1]),
        channels: [
            network.channel("c0"),
            network.channel("c1"),
            network.broadcast_channel("b0"),
            network.broadcast_channel("b1"),
        ],
    }
}

fn edge(
    network: &mut NetworkBuilder,
    symbols: &Symbols,
    process: ProcessId,
    locations: &[LocationId],
    random: &mut Random,
) {
    let (source, target) = (random.choose(locations), random.choose(locations));
    let mut edge = network.edge(process, source, target);
    for _ in 0..random.below(3) {
        edge = edge.guard(comparison(symbols, random));
    }
    let channel = random.choose(&symbols.channels);
    let index = random.choose(&symbols.variables) % 2;
    let first = symbols.channels[2 * random.below(2)];
    edge = match random.below(8) {
        0 | 1 => edge.send(channel),
        2 | 3 => edge.receive(channel),
        4 => edge.send_among(first, 2, index),
        5 => edge.receive_among(first, 2, index),
        _ => edge,
    };
    for _ in 0..random.between(1, 3) {
        edge = edge.update(update(symbols, random));
    }
}

fn update(symbols: &Symbols, random: &mut Random) -> Update {
    let value = value(symbols, random);
    if random.chance(15) {
        return symbols.array.set(random.choose(&symbols.variables) % 2, value);
    }
    random.choose(&symbols.variables).set(value)
}

/// A value from 0 to 3, or one more in rare cases.
fn value(symbols: &Symbols, random: &mut Random) -> Term {
    let v = random.choose(&symbols.variables);
    let w = random.choose(&symbols.variables);
    match random.below(20) {
        0..=5 => v.term(),
        6..=9 => (v + 1) % 4,
        10..=13 => (v + w) % 4,
        14..=16 => Term::from(random.between(0, 3)),
        17 | 18 => symbols.array.element(v % 2),
        _ => (v * w) % 5,
    }
}

fn comparison(symbols: &Symbols, random: &mut Random) -> Term {
    let left = value(symbols, random);
    let right = if random.chance(60) {
        Term::from(random.between(0, 3))
    } else {
        random.choose(&symbols.variables).term()
    };
    match random.below(4) {
        0 | 1 => left.equals(right),
        2 => left.differs(right),
        _ => left.at_most(right),
    }
}
