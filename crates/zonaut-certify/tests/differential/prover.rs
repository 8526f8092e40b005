//! A naive prover: breadth-first search with the checker's own successors.

use crate::clocks::{Clocks, Region};
use crate::core::Core;
use crate::core::State;
use crate::formula::{Condition, holds_somewhere};
use crate::network::Network;
use crate::refusal::Trouble;
use crate::simulation::{Constants, Simulation};
use crate::zone::{Atom, Bound, Effect, Zone, images};
use zonaut_testkit::random::Random;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Covering {
    /// Zones widened with the largest constant, compared by inclusion.
    Inclusion,
    /// Exact zones, compared by simulation.
    Simulation,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    Nothing,
    Goal,
    Failure,
    TooMuch,
}

/// The result of an exploration.
pub(super) struct Explored {
    pub(super) found: Found,
    nodes: Vec<(State, Zone)>,
    /// Whether the goal holds in a node.
    goals: Vec<bool>,
    initial: State,
    covering: Covering,
    largest: i64,
}

const NODES: usize = 400;

/// The largest number in a text, except for the default range of integers: an upper bound of all
/// constants of the network.
fn largest_number(core: &str) -> i64 {
    let words = core.split(|c: char| !c.is_ascii_digit());
    let numbers = words.filter_map(|word| word.parse::<i64>().ok());
    numbers.filter(|n| ![32767, 32768].contains(n)).max().unwrap_or(0)
}

fn has_differences(core: &str) -> bool {
    let clocks = core.lines().filter(|line| line.contains("-clock "));
    clocks.filter_map(|line| line.split(" ; ").nth(3)).any(|right| right != "-")
}

/// Explores the whole state space, including successors of goals.
pub(super) fn explore(text: &str, covering: Covering) -> Explored {
    let core = Core::read(text).unwrap();
    let mut network = Network::new(&core, 1_000_000);
    let initial = network.core.initial();
    let mut explored = Explored {
        found: Found::Nothing,
        nodes: Vec::new(),
        goals: Vec::new(),
        initial: initial.clone(),
        covering,
        largest: largest_number(text) * 2 + 4,
    };
    let exact = has_differences(text);
    if exact && covering == Covering::Simulation {
        explored.found = Found::TooMuch;
        return explored;
    }
    match explored.run(&mut network, &initial, exact) {
        Ok(()) => {}
        Err(Trouble::RunTime(_)) if explored.found == Found::Goal => {}
        Err(Trouble::RunTime(_)) => explored.found = Found::Failure,
        Err(trouble) => panic!("{trouble:?}\n{text}"),
    }
    explored
}

impl Explored {
    fn simulation(&self, size: usize) -> Simulation {
        Simulation(vec![Constants { lower: self.largest, upper: self.largest }; size])
    }

    fn run(
        &mut self,
        network: &mut Network<'_>,
        start: &State,
        exact: bool,
    ) -> Result<(), Trouble> {
        let size = network.core.clocks.len();
        let positive = network.core.query == "possibly";
        let effects: Vec<_> =
            (1..size).map(|k| Effect::Set(k, network.core.clocks[k].initial)).collect();
        let goal = Condition { part: network.core.roots[0], positive };
        self.enter(network, start, &effects, &Zone::all(size), exact)?;
        let mut next = 0;
        while next < self.nodes.len() {
            if self.nodes.len() > NODES {
                self.found = Found::TooMuch;
                return Ok(());
            }
            let (state, zone) = self.nodes[next].clone();
            let region = Region { zone, simulation: None };
            let holds = holds_somewhere(network, &state, goal, region.clone())?;
            self.goals.push(holds);
            if holds {
                self.found = Found::Goal;
            }
            let offers = network.offers(&state)?;
            for transition in network.transitions(&state, &offers, &region)? {
                let (target, effects) = network.act(&state, &offers, &transition.offers)?;
                self.enter(network, &target, &effects, &transition.clocks.zone, exact)?;
            }
            next += 1;
        }
        Ok(())
    }

    fn enter(
        &mut self,
        network: &mut Network<'_>,
        state: &State,
        effects: &[Effect],
        zone: &Zone,
        exact: bool,
    ) -> Result<(), Trouble> {
        let Some(invariant) = network.invariant(state)? else { return Ok(()) };
        let images = images(zone.size, effects);
        let mut region = Region { zone: zone.moved(&images)?, simulation: None };
        if !region.meet_all(&invariant)? {
            return Ok(());
        }
        let regions = match network.passage(state)? {
            None => vec![region],
            Some(passage) => region.delayed(&invariant, &passage)?,
        };
        for mut region in regions {
            if self.covering == Covering::Inclusion && !exact {
                region.zone = widened(&region.zone, self.largest);
            }
            let simulation = self.simulation(zone.size);
            let is_known = self.nodes.iter().any(|(known, zone)| {
                known == state
                    && match self.covering {
                        Covering::Inclusion => zone.includes(&region.zone),
                        Covering::Simulation => simulation.covers(zone, &region.zone).unwrap(),
                    }
            });
            if !is_known {
                self.nodes.push((state.clone(), region.zone));
            }
        }
        Ok(())
    }

    /// The discrete states of all nodes.
    pub(super) fn states(&self) -> Vec<State> {
        self.nodes.iter().map(|(state, _)| state.clone()).collect()
    }

    /// The body of a certificate with all nodes.
    pub(super) fn body(&self) -> String {
        self.body_of(&self.nodes)
    }

    fn body_of(&self, nodes: &[(State, Zone)]) -> String {
        let size = nodes.first().map_or(1, |(_, zone)| zone.size);
        let (mut text, mut bounds) = ("abs incl\n".to_owned(), String::new());
        if self.covering == Covering::Simulation {
            let largest = self.largest;
            let table: String = (1..size).map(|x| format!(" {x}:{largest}:{largest}")).collect();
            text = format!("abs lu\nbounds 0{table}\n");
            bounds = " 0".to_owned();
        }
        text.push_str(&format!("nodes {}\n", nodes.len()));
        for (id, (state, zone)) in nodes.iter().enumerate() {
            let locations: Vec<String> = state.locations.iter().map(usize::to_string).collect();
            let differing =
                (0..state.cells.len()).filter(|&k| state.cells[k] != self.initial.cells[k]);
            let values: Vec<String> =
                differing.map(|k| format!("{k}={}", state.cells[k])).collect();
            let values = if values.is_empty() { "-".to_owned() } else { values.join(",") };
            let atoms: String = zone.atoms().into_iter().map(written).collect();
            text.push_str(&format!("node {id} {} {values}{bounds}{atoms}\n", locations.join(",")));
        }
        text
    }

    /// Bodies as a wrong prover might write them: goals or nodes removed, bounds tightened.
    pub(super) fn false_bodies(&self, seed: u64) -> Vec<String> {
        if self.found != Found::Goal || self.goals.len() != self.nodes.len() {
            return Vec::new();
        }
        let mut random = Random::new(seed);
        let mut kept: Vec<_> = self.nodes.clone();
        let mut flags = self.goals.iter();
        kept.retain(|_| !flags.next().unwrap());
        let mut bodies = vec![self.body(), self.body_of(&kept)];
        for _ in 0..4 {
            let mut fewer = kept.clone();
            if !fewer.is_empty() {
                fewer.remove(random.below(fewer.len()));
            }
            bodies.push(self.body_of(&fewer));
        }
        for _ in 0..4 {
            let mut tighter = self.nodes.clone();
            for (_, zone) in &mut tighter {
                let atoms = zone.atoms();
                if atoms.is_empty() {
                    continue;
                }
                let mut atom = atoms[random.below(atoms.len())];
                let strict = random.below(2) == 0;
                let shift = if strict { 0 } else { 1 };
                atom.bound = Bound::new(atom.bound.value() - shift, strict).unwrap();
                let before = zone.clone();
                if !zone.meet(atom).unwrap() {
                    *zone = before;
                }
            }
            bodies.push(self.body_of(&tighter));
        }
        bodies
    }
}

fn written(atom: Atom) -> String {
    let equal = if atom.bound.is_strict() { "" } else { "=" };
    format!(" {}-{}<{equal}{}", atom.x, atom.y, atom.bound.value())
}

/// The zone, extrapolated with the largest constant.
fn widened(zone: &Zone, largest: i64) -> Zone {
    let above = Bound::new(largest, false).unwrap();
    let below = Bound::new(-largest, true).unwrap();
    let kept = |atom: Atom| match atom.bound {
        bound if bound > above => None,
        bound if bound < below => Some(Atom { bound: below, ..atom }),
        _ => Some(atom),
    };
    let atoms: Vec<Atom> = zone.atoms().into_iter().filter_map(kept).collect();
    let mut widened = Zone::all(zone.size);
    assert!(widened.meet_all(&atoms).unwrap());
    widened
}
