//! Themes of random networks: queries and features beyond the reachability of locations.

use super::{generate, meta};
use crate::random::Random;
use crate::specification::{
    Atom, ChannelPriority, EdgeSpecification, ProcessSpecification, Specification, Value,
};
use zonaut_model::Relation;

/// The theme of a random network.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Theme {
    /// Reachability of locations: the networks as they are generated.
    Reachability,
    /// Reachability of deadlocks.
    Deadlock,
    /// Reachability of locations and deadlocks, with priorities.
    Priorities,
    /// Reachability of locations, with `meta` variables.
    Meta,
}

impl Theme {
    /// All themes, with their names.
    pub const ALL: [(&str, Self); 4] = [
        ("networks", Self::Reachability),
        ("deadlock", Self::Deadlock),
        ("priorities", Self::Priorities),
        ("meta", Self::Meta),
    ];

    /// The network of a seed.
    #[must_use]
    pub fn network(self, seed: u64) -> Specification {
        let mut specification = self.plain(seed);
        let mut random = Random::new(seed ^ 0xdead);
        match self {
            Self::Reachability | Self::Meta => {}
            Self::Deadlock => {
                keep_moving(&mut specification, &mut random);
                ask_for_deadlock(&mut specification, &mut random);
            }
            Self::Priorities => {
                give_priorities(&mut specification, &mut random);
                if random.chance(20) {
                    keep_moving(&mut specification, &mut random);
                    ask_for_deadlock(&mut specification, &mut random);
                }
            }
        }
        specification
    }

    /// The network that is modified. A single process has no use for priorities.
    fn plain(self, seed: u64) -> Specification {
        if self == Self::Meta {
            return meta::network(seed);
        }
        let specification = generate(seed);
        if self != Self::Priorities || specification.processes.len() > 1 {
            return specification;
        }
        let mut others = Random::new(seed ^ 0x2f);
        std::iter::repeat_with(|| generate(others.bits()))
            .find(|other| other.processes.len() > 1)
            .unwrap_or(specification)
    }
}

/// The network of a seed with alternating themes: three of five seeds have the generated network,
/// one has more edges and a query for deadlocks, and one has priorities.
#[must_use]
pub fn varied(seed: u64) -> Specification {
    let themes = [Theme::Reachability, Theme::Deadlock, Theme::Priorities];
    themes[[0, 0, 0, 1, 2][Random::new(seed ^ 0x7a1e).below(5)]].network(seed)
}

/// Adds a loop, with or without a guard, to most locations without an outgoing edge: most random
/// networks deadlock early.
fn keep_moving(specification: &mut Specification, random: &mut Random) {
    let clocks = specification.clocks.clone();
    for (position, process) in specification.processes.iter_mut().enumerate() {
        let is_visible = |&clock: &usize| clocks[clock].owner.is_none_or(|o| o == position);
        let visible: Vec<usize> = (0..clocks.len()).filter(is_visible).collect();
        for location in 0..process.locations.len() {
            if random.chance(if leaves(process, location) { 15 } else { 85 }) {
                process.edges.push(loop_edge(location, &visible, random));
            }
        }
    }
}

fn leaves(process: &ProcessSpecification, location: usize) -> bool {
    process.edges.iter().any(|edge| edge.source == location && edge.synchronisation.is_none())
}

fn loop_edge(location: usize, clocks: &[usize], random: &mut Random) -> EdgeSpecification {
    let mut edge =
        EdgeSpecification { source: location, target: location, ..EdgeSpecification::default() };
    if !clocks.is_empty() && random.chance(50) {
        let relations =
            [Relation::Less, Relation::LessEqual, Relation::GreaterEqual, Relation::Greater];
        edge.guard.push(Atom {
            left: random.choose(clocks),
            right: None,
            relation: random.choose(&relations),
            bound: Value::Constant(random.between(0, 3)),
        });
    }
    edge
}

/// Makes the goal `deadlock`, alone or in conjunction with the former goal.
fn ask_for_deadlock(specification: &mut Specification, random: &mut Random) {
    let query = &mut specification.query;
    query.deadlock = Some(random.chance(88));
    if random.chance(70) {
        query.locations.clear();
        query.elsewhere.clear();
        query.alternative = None;
        query.data = None;
    }
    if random.chance(60) {
        query.atoms.clear();
    }
}

/// Assigns priorities to channels and processes, such that they distinguish some transitions.
fn give_priorities(specification: &mut Specification, random: &mut Random) {
    for process in specification.processes.iter_mut().skip(1) {
        process.rises = random.chance(50);
    }
    for channel in &mut specification.channels {
        channel.priority = random.choose(&[
            ChannelPriority::Low,
            ChannelPriority::Same,
            ChannelPriority::High,
            ChannelPriority::High,
        ]);
    }
    let differs = specification.process_priorities().any(|level| level > 0);
    if !differs && let Some(last) = specification.processes.iter_mut().skip(1).last() {
        last.rises = true;
    }
}
