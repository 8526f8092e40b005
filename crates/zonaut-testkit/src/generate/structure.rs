//! Networks with a random structure.

use super::knobs::Knobs;
use crate::random::Random;
use crate::specification::{
    Atom, ChannelPriority, ChannelSpecification, ClockSpecification, Comparison, EdgeSpecification,
    Function, Label, LocationSpecification, Operator, ProcessSpecification, QuerySpecification,
    Specification, Update, Value, VariableSpecification,
};
use zonaut_model::{Direction, LocationKind, Relation};

/// The largest value of every variable.
const LARGEST_VALUE: i32 = 3;

/// A random network.
pub(super) fn network(knobs: &Knobs, random: &mut Random) -> Specification {
    let mut builder = Builder { knobs, random, clocks: Vec::new(), channels: Vec::new() };
    builder.network()
}

struct Builder<'k> {
    knobs: &'k Knobs,
    random: &'k mut Random,
    clocks: Vec<ClockSpecification>,
    channels: Vec<ChannelSpecification>,
}

impl Builder<'_> {
    fn network(&mut self) -> Specification {
        self.clocks = (0..self.knobs.clocks).map(|_| self.clock()).collect();
        self.channels = (0..self.knobs.channels).map(|_| self.channel()).collect();
        let variables = (0..self.knobs.variables)
            .map(|_| VariableSpecification {
                high: LARGEST_VALUE,
                initial: if self.random.chance(80) { 0 } else { self.random.between(0, 3) },
                meta: false,
            })
            .collect();
        let processes: Vec<_> = (0..self.knobs.processes).map(|p| self.process(p)).collect();
        let query = self.query(&processes);
        Specification {
            clocks: self.clocks.clone(),
            variables,
            channels: self.channels.clone(),
            processes,
            query,
        }
    }

    fn clock(&mut self) -> ClockSpecification {
        let is_local = self.random.chance(40);
        ClockSpecification { owner: is_local.then(|| self.random.below(self.knobs.processes)) }
    }

    fn channel(&mut self) -> ChannelSpecification {
        ChannelSpecification {
            broadcast: self.random.chance(self.knobs.broadcast),
            urgent: self.random.chance(self.knobs.urgent_channel),
            size: self.random.chance(self.knobs.language).then_some(2),
            priority: ChannelPriority::Same,
        }
    }

    /// The clocks that a process may use.
    fn visible(&self, process: usize) -> Vec<usize> {
        let is_visible = |&clock: &usize| self.clocks[clock].owner.is_none_or(|o| o == process);
        (0..self.clocks.len()).filter(is_visible).collect()
    }

    fn process(&mut self, position: usize) -> ProcessSpecification {
        let clocks = self.visible(position);
        let count = self.random.between(2, self.knobs.locations as i32) as usize;
        let locations = (0..count).map(|l| self.location(&clocks, l == 0)).collect();
        // A chain through all locations, so that each is reachable if the guards allow it.
        let mut ends: Vec<(usize, usize)> = (1..count).map(|l| (l - 1, l)).collect();
        for _ in 0..self.random.below(self.knobs.more_edges + 1) {
            ends.push((self.random.below(count), self.random.below(count)));
        }
        let edges = ends
            .into_iter()
            .map(|(source, target)| self.edge(&clocks, position, source, target))
            .collect();
        ProcessSpecification { locations, edges, rises: false }
    }

    fn location(&mut self, clocks: &[usize], is_initial: bool) -> LocationSpecification {
        let mut location = LocationSpecification::default();
        let roll = self.random.below(100);
        if roll < self.knobs.urgent {
            location.kind = LocationKind::Urgent;
        } else if roll < self.knobs.urgent + self.knobs.committed {
            location.kind = LocationKind::Committed;
        }
        if !clocks.is_empty() && self.random.chance(self.knobs.invariant) {
            location.invariant.push(self.upper_bound(clocks));
            if self.random.chance(12) {
                location.invariant.push(self.upper_bound(clocks));
            }
        }
        // The initial state must satisfy its invariants: all clocks are 0.
        if is_initial {
            location.invariant.iter_mut().for_each(admit_zero);
        } else if !clocks.is_empty() && self.random.chance(6) {
            let relation = self.relation(&[Relation::GreaterEqual, Relation::Greater]);
            location.invariant.push(self.atom(clocks, relation));
        }
        if !is_initial && self.random.chance(self.knobs.data_invariant) {
            location.data = self.comparison(false);
        }
        location
    }

    fn upper_bound(&mut self, clocks: &[usize]) -> Atom {
        let relation = self.relation(&[Relation::LessEqual, Relation::Less]);
        self.atom(clocks, relation)
    }

    /// The first relation or, with the probability of strict ones, the second.
    fn relation(&mut self, choices: &[Relation; 2]) -> Relation {
        choices[usize::from(self.random.chance(self.knobs.strict))]
    }

    fn atom(&mut self, clocks: &[usize], relation: Relation) -> Atom {
        let left = self.random.choose(clocks);
        let others: Vec<usize> = clocks.iter().copied().filter(|&clock| clock != left).collect();
        let is_difference = !others.is_empty() && self.random.chance(self.knobs.difference);
        let right = is_difference.then(|| self.random.choose(&others));
        // Upper bounds of 0 would block a network rather than test it.
        let lowest = match relation {
            _ if is_difference => -self.knobs.largest,
            Relation::Less | Relation::LessEqual if self.random.chance(85) => 1,
            _ => 0,
        };
        let bound = if self.random.chance(self.knobs.computed) {
            self.value(false)
        } else {
            Value::Constant(self.random.between(lowest, self.knobs.largest))
        };
        Atom { left, right, relation, bound }
    }

    fn edge(
        &mut self,
        clocks: &[usize],
        process: usize,
        source: usize,
        target: usize,
    ) -> EdgeSpecification {
        let mut edge = EdgeSpecification { source, target, ..EdgeSpecification::default() };
        if self.random.chance(self.knobs.language) {
            edge.select = Some(self.random.between(0, 2));
        }
        let selects = edge.select.is_some();
        if !self.channels.is_empty() && self.random.chance(self.knobs.label) {
            edge.synchronisation = Some(self.label(process, selects));
        }
        let guard =
            if self.is_negated(&edge) { self.knobs.negated_guard } else { self.knobs.guard };
        for _ in 0..2 {
            if !clocks.is_empty() && self.random.chance(guard) {
                let relation = self.guard_relation();
                edge.guard.push(self.atom(clocks, relation));
            }
        }
        if self.random.chance(self.knobs.data) {
            edge.data = self.comparison(selects);
        }
        for &clock in clocks {
            if self.random.chance(self.knobs.reset) {
                edge.updates.push(self.reset(clock, clocks, selects));
            }
        }
        if self.random.chance(self.knobs.data) {
            let update = self.set(selects);
            let place = self.random.below(edge.updates.len() + 1);
            update.into_iter().for_each(|update| edge.updates.insert(place, update));
        }
        edge
    }

    fn guard_relation(&mut self) -> Relation {
        match self.random.below(10) {
            0..4 => self.relation(&[Relation::LessEqual, Relation::Less]),
            4..8 => self.relation(&[Relation::GreaterEqual, Relation::Greater]),
            _ => Relation::Equal,
        }
    }

    fn is_negated(&self, edge: &EdgeSpecification) -> bool {
        edge.synchronisation.as_ref().is_some_and(|label| {
            let channel = self.channels[label.channel];
            channel.urgent || (channel.broadcast && label.direction == Direction::Receive)
        })
    }

    /// Even processes mostly send, odd ones mostly receive, so that partners meet.
    fn label(&mut self, process: usize, selects: bool) -> Label {
        let channel = self.random.below(self.channels.len());
        let sends = self.random.chance(if process.is_multiple_of(2) { 75 } else { 25 });
        let index = self.channels[channel].size.map(|size| self.index(size as i32, selects));
        let direction = if sends { Direction::Send } else { Direction::Receive };
        Label { channel, index, direction }
    }

    /// An index below `size`, or occasionally one that may be too large.
    fn index(&mut self, size: i32, selects: bool) -> Value {
        if self.random.chance(40) {
            return Value::Constant(self.random.between(0, size - 1));
        }
        match self.value(selects) {
            Value::Constant(number) => Value::Constant(number % size),
            value if self.random.chance(8) => value,
            value => Value::Remainder(Box::new(value), size),
        }
    }

    fn reset(&mut self, clock: usize, clocks: &[usize], selects: bool) -> Update {
        if self.random.chance(self.knobs.copy) {
            return Update::Copy(clock, self.random.choose(clocks));
        }
        let value = if !self.random.chance(self.knobs.reset_to_number) {
            Value::Constant(0)
        } else if self.random.chance(self.knobs.computed) {
            self.value(selects)
        } else {
            Value::Constant(self.random.between(1, self.knobs.largest))
        };
        Update::Reset(clock, value)
    }

    fn set(&mut self, selects: bool) -> Option<Update> {
        if self.random.chance(self.knobs.language) {
            let index = self.index(3, selects);
            return Some(Update::SetElement(index, self.small_value(selects)));
        }
        let variable = self.variable()?;
        Some(Update::Set(variable, self.small_value(selects)))
    }

    fn variable(&mut self) -> Option<usize> {
        (self.knobs.variables > 0).then(|| self.random.below(self.knobs.variables))
    }

    /// A number in the range of a variable, or occasionally one that may be too large.
    fn small_value(&mut self, selects: bool) -> Value {
        let value = self.value(selects);
        match value {
            Value::Constant(_) | Value::Variable(_) | Value::Selected => value,
            _ if self.random.chance(8) => value,
            _ => Value::Remainder(Box::new(value), LARGEST_VALUE + 1),
        }
    }

    fn value(&mut self, selects: bool) -> Value {
        if selects && self.random.chance(40) {
            return Value::Selected;
        }
        let Some(variable) = self.variable() else {
            return Value::Constant(self.random.between(0, LARGEST_VALUE));
        };
        let variable = Value::Variable(variable);
        if self.random.chance(self.knobs.language) {
            let function = self.random.choose(&[Function::Clip, Function::Triangle]);
            return match self.random.below(3) {
                0 => Value::Element(Box::new(Value::Remainder(Box::new(variable), 3))),
                _ => Value::Call(function, Box::new(variable)),
            };
        }
        match self.random.below(6) {
            0 | 1 => Value::Constant(self.random.between(0, LARGEST_VALUE)),
            2 | 3 => variable,
            _ => {
                let number = Value::Constant(self.random.between(1, 2));
                Value::Sum(Box::new(variable), Box::new(number))
            }
        }
    }

    fn comparison(&mut self, selects: bool) -> Option<Comparison> {
        let left = if selects && self.random.chance(30) {
            Value::Selected
        } else if self.random.chance(self.knobs.language) {
            self.value(selects)
        } else {
            Value::Variable(self.variable()?)
        };
        let operator = self.random.choose(&[
            Operator::Equal,
            Operator::NotEqual,
            Operator::LessEqual,
            Operator::Greater,
        ]);
        let right = if self.random.chance(25) {
            self.value(selects)
        } else {
            Value::Constant(self.random.between(0, 2))
        };
        Some(Comparison { left, operator, right })
    }

    fn query(&mut self, processes: &[ProcessSpecification]) -> QuerySpecification {
        let main = self.random.below(processes.len());
        let last = processes[main].locations.len() - 1;
        let goal = if self.random.chance(75) { last } else { 1 + self.random.below(last) };
        let mut locations = vec![(main, goal)];
        if processes.len() > 1 && self.random.chance(self.knobs.goal_partner) {
            let partner = (main + 1) % processes.len();
            locations.push((partner, self.random.below(processes[partner].locations.len())));
        }
        let all: Vec<usize> = (0..self.clocks.len()).collect();
        let mut atoms = Vec::new();
        for _ in 0..2 {
            if self.random.chance(self.knobs.goal_clock) {
                let relation = self.guard_relation();
                let mut atom = self.atom(&all, relation);
                if !matches!(atom.bound, Value::Constant(_)) {
                    atom.bound = Value::Constant(self.random.between(0, self.knobs.largest));
                }
                atoms.push(atom);
            }
        }
        let data =
            if self.random.chance(self.knobs.data / 3) { self.comparison(false) } else { None };
        let possibly = self.random.chance(60);
        let mut somewhere = |chance: usize| {
            self.random.chance(chance).then(|| {
                let process = self.random.below(processes.len());
                (process, self.random.below(processes[process].locations.len()))
            })
        };
        let elsewhere = somewhere(10).filter(|place| !locations.contains(place));
        let elsewhere = elsewhere.into_iter().collect();
        let alternative = somewhere(5).filter(|&(_, location)| location > 0);
        let deadlock = None;
        QuerySpecification { possibly, locations, atoms, data, elsewhere, alternative, deadlock }
    }
}

/// Weakens an upper bound so that it holds where all clocks are 0.
fn admit_zero(atom: &mut Atom) {
    atom.bound = match atom.bound {
        Value::Constant(bound) => Value::Constant(bound.max(1)),
        _ => Value::Constant(2),
    };
}
