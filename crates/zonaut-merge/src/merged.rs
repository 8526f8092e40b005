//! The guide: all automata merged into one, and the way of a state into it.

use crate::atom::{Atoms, Raw, chosen_cells};
use crate::automaton::{Automaton, DEAD, Transition, UNREACHED, is_nowhere};
use crate::goal::Alternatives;
use crate::label::{FactorId, Labels, Role};
use crate::pair::{choose, close, total};
use crate::product::product;
use crate::shrink::blocks;
use zonaut_analysis::action::Action;
use zonaut_analysis::{Reachable, VariableId, Variables};
use zonaut_base::{Held, Id, IndexVec};
use zonaut_heuristics::{Guide, Relaxation};
use zonaut_model::{CellId, Formula, Model};
use zonaut_space::{Admissible, Estimate, Meter, StopReason};

/// How far automata are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Merging {
    /// The most locations that an automaton keeps before it is multiplied.
    pub locations: usize,
    /// How many variables become automata of their own.
    pub variables: usize,
}

impl Default for Merging {
    fn default() -> Self {
        Self { locations: 50, variables: 4 }
    }
}

/// How a state of the network is found in an automaton.
#[derive(Clone, Debug)]
enum Node {
    /// By a variable: its values are `low..`, and each has a state.
    Variable { position: u32, low: i32, states: Vec<u32> },
    /// By the states of two other nodes.
    Pair { left: u32, right: u32, width: u32, states: Vec<u32> },
}

/// The guide `merge`: the distance in the product of all automata, with merged locations.
#[derive(Debug)]
pub struct Merged {
    nodes: Vec<Node>,
    /// By state of the last node.
    distances: Vec<u32>,
    /// What is said where no goal can be reached.
    far: Estimate<u32>,
    /// The state of each node, while an estimate is made.
    states: Vec<u32>,
    reads: Vec<VariableId>,
    _held: Held,
}

impl Admissible for Merged {}

impl Merged {
    /// Merges the automata of a model for the goal that the relaxation was made for.
    ///
    /// # Errors
    /// Where the meter stops.
    pub fn new(
        (model, goal): (&Model, &Formula),
        merging: Merging,
        relaxation: &Relaxation<'_>,
        meter: &Meter,
    ) -> Result<Self, StopReason> {
        let mut builder = Builder::new(model, goal, merging, meter)?;
        while builder.is_open()
            && let Some((first, second)) = choose(&builder.automata, &builder.labels)
        {
            builder.merge(first, second)?;
        }
        // Errors are not looked at here, so it must be known that there are none.
        let is_safe = relaxation.never_fails() || faulty!(ErrorsForgotten);
        let far = if is_safe { Estimate::DeadEnd } else { Estimate::Last };
        Ok(builder.finish(far))
    }

    /// How many states the last product has.
    #[must_use]
    pub fn size(&self) -> usize {
        self.distances.len()
    }

    /// The state of the last node.
    fn locate(&mut self, values: &[i32]) -> u32 {
        for (number, node) in self.nodes.iter().enumerate() {
            self.states[number] = match node {
                Node::Variable { position, low, states } => {
                    let offset = values[*position as usize].wrapping_sub(*low);
                    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
                    states.get(offset).copied().unwrap_or(UNREACHED)
                }
                Node::Pair { left, right, width, states } => {
                    let (a, b) = (self.states[*left as usize], self.states[*right as usize]);
                    if is_nowhere(a) || is_nowhere(b) {
                        a.max(b).max(DEAD)
                    } else {
                        states[(a * width + b) as usize]
                    }
                }
            };
            if is_nowhere(self.states[number]) {
                // What is never reached does not matter, and nothing leads away from a dead end.
                return self.states[number];
            }
        }
        self.states.last().copied().unwrap_or(UNREACHED)
    }
}

impl Guide for Merged {
    fn estimate(&mut self, values: &[i32]) -> Estimate<u32> {
        match self.locate(values) {
            UNREACHED => Estimate::Distance(0),
            DEAD => self.far,
            state => Estimate::Distance(self.distances[state as usize]),
        }
    }

    fn reads(&self) -> &[VariableId] {
        &self.reads
    }

    fn name(&self) -> &'static str {
        "merge"
    }

    fn bytes(&self) -> usize {
        let node = |node: &Node| match node {
            Node::Variable { states, .. } | Node::Pair { states, .. } => states.capacity(),
        };
        (self.nodes.iter().map(node).sum::<usize>() + self.distances.capacity()) * size_of::<u32>()
    }
}

/// About how much memory a state or a transition takes while automata are merged, in bytes.
const BYTES: usize = 24;

struct Builder<'m> {
    merging: Merging,
    labels: Labels,
    /// By node; absent where it was merged into another one.
    automata: Vec<Option<Automaton>>,
    nodes: Vec<Node>,
    meter: &'m Meter,
    held: Held,
}

impl<'m> Builder<'m> {
    fn new(
        model: &Model,
        goal: &Formula,
        merging: Merging,
        meter: &'m Meter,
    ) -> Result<Self, StopReason> {
        let goal = Alternatives::new(model, goal);
        let factors = chosen_cells(model, &goal, merging.variables, merging.locations);
        let (reachable, actions) = (Reachable::new(model), Action::all(model));
        let mut atoms = Atoms {
            model,
            reachable: &reachable,
            actions: &actions,
            goal: &goal,
            labels: Labels::default(),
            meter,
        };
        let action_labels = atoms.action_labels(&factors)?;
        let raws: Vec<Raw> =
            model.processes.ids().map(|process| atoms.process(process, &action_labels)).collect();
        let variables: Vec<Automaton> =
            factors.iter_enumerated().map(|(factor, &cell)| atoms.variable(factor, cell)).collect();
        let mut this = Self {
            merging,
            labels: atoms.labels,
            automata: Vec::new(),
            nodes: Vec::new(),
            meter,
            held: meter.hold(),
        };
        this.add_processes(raws);
        this.add_variables(model, &factors, variables);
        Ok(this)
    }

    fn add_processes(&mut self, raws: Vec<Raw>) {
        let role = |t: &Transition| self.labels[t.label].role;
        let roles: Vec<Vec<Role>> =
            raws.iter().map(|raw| raw.transitions.iter().map(role).collect()).collect();
        for (number, raw) in raws.into_iter().enumerate() {
            let others = roles.iter().enumerate().filter(|(other, _)| *other != number);
            let outside: Vec<Role> = others.flat_map(|(_, roles)| roles).copied().collect();
            let (automaton, states) = self.settle(raw, outside);
            let position = number as u32;
            self.nodes.push(Node::Variable { position, low: 0, states });
            self.automata.push(Some(automaton));
        }
    }

    fn add_variables(
        &mut self,
        model: &Model,
        factors: &IndexVec<FactorId, CellId>,
        automata: Vec<Automaton>,
    ) {
        let variables = Variables::new(model);
        for (&cell, automaton) in factors.iter().zip(automata) {
            let position = variables.cell(cell).index() as u32;
            let states = (0..automaton.len() as u32).collect();
            self.nodes.push(Node::Variable { position, low: model.cells[cell].range.low, states });
            self.automata.push(Some(automaton));
        }
    }

    /// Whether the goal seems within reach so far.
    fn is_open(&self) -> bool {
        self.automata.iter().flatten().all(|automaton| automaton.initial.is_some())
    }

    /// Leaves out what cannot happen and merges states; by state before, the state afterwards.
    fn settle(&mut self, raw: Raw, mut outside: Vec<Role>) -> (Automaton, Vec<u32>) {
        outside.sort_unstable();
        outside.dedup();
        let labels = &mut self.labels;
        let closed = raw
            .transitions
            .into_iter()
            .filter_map(|t| Some(Transition { label: close(t.label, labels, &outside)?, ..t }));
        let (automaton, mut map) = Automaton::new(&raw.traits, raw.initial, closed.collect());
        let blocks = blocks(&automaton, &self.labels, self.merging.locations);
        for state in map.iter_mut().filter(|state| !is_nowhere(**state)) {
            *state = blocks[*state as usize];
        }
        (automaton.merged(&blocks), map)
    }

    /// Replaces two automata by their product.
    fn merge(&mut self, first: usize, second: usize) -> Result<(), StopReason> {
        let (Some(left), Some(right)) = (self.automata[first].take(), self.automata[second].take())
        else {
            return Ok(());
        };
        let Some(whole) = product(&left, &right, &mut self.labels, self.meter)? else {
            return Ok(());
        };
        self.held
            .set((whole.traits.len() + whole.transitions.len()) * BYTES + total(&self.automata));
        self.meter.look(0)?;
        let outside = self.automata.iter().flatten().flat_map(|a| a.roles(&self.labels));
        let outside: Vec<Role> = outside.collect();
        let raw =
            Raw { traits: whole.traits, initial: whole.initial, transitions: whole.transitions };
        let (automaton, states) = self.settle(raw, outside);
        let (left, right_node) = (first as u32, second as u32);
        let width = right.len() as u32;
        self.nodes.push(Node::Pair { left, right: right_node, width, states });
        self.automata.push(Some(automaton));
        Ok(())
    }

    /// The last automaton, or the one without hope, is the one that counts.
    fn finish(mut self, far: Estimate<u32>) -> Merged {
        let hopeless = |a: &Option<Automaton>| a.as_ref().is_some_and(|a| a.initial.is_none());
        let root = self.automata.iter().position(hopeless).or(self.automata.len().checked_sub(1));
        let distances = root
            .and_then(|root| {
                self.nodes.truncate(root + 1);
                self.automata[root].take()
            })
            .map(|automaton| automaton.distances)
            .unwrap_or_default();
        let states = vec![0; self.nodes.len()];
        let variable = |node: &Node| match node {
            Node::Variable { position, .. } => Some(VariableId::from_index(*position as usize)),
            Node::Pair { .. } => None,
        };
        let mut reads: Vec<VariableId> = self.nodes.iter().filter_map(variable).collect();
        reads.sort_unstable();
        let mut held = self.held;
        held.set(self.nodes.len() * BYTES);
        Merged { nodes: self.nodes, distances, far, states, reads, _held: held }
    }
}
