//! The heuristic `merge`: all automata merged into one, and the look-up of states in it.

use crate::atom::{Atoms, UnreducedAutomaton, chosen_cells};
use crate::automaton::{Automaton, DEAD, Transition, UNREACHED, is_removed};
use crate::effect::Effects;
use crate::goal::Alternatives;
use crate::label::{FactorId, LabelTable, Role};
use crate::pair::{choose, close, total};
use crate::product::product;
use crate::shrink::blocks;
use zonaut_analysis::action::Action;
use zonaut_analysis::{Reachable, VariableId, Variables};
use zonaut_base::{Held, Id, IndexVec};
use zonaut_heuristics::{DiscreteHeuristic, Relaxation};
use zonaut_model::{CellId, Formula, Model};
use zonaut_space::{Admissible, Estimate, Meter, StopReason};

/// The parameters of merging.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Merging {
    /// Maximum number of locations that an automaton keeps before it is multiplied.
    pub locations: usize,
    /// The number of variables that become automata of their own.
    pub variables: usize,
}

impl Default for Merging {
    fn default() -> Self {
        Self { locations: 50, variables: 5 }
    }
}

/// The limits of merging.
#[derive(Clone, Copy)]
pub struct Work<'w> {
    /// The meter that cancels it.
    pub meter: &'w Meter,
    /// Whether this number of states and bytes, of all automata together, suffices: then the
    /// current automata are merged no further, and the estimate is the maximum of their distances.
    pub is_enough: &'w dyn Fn(usize, usize) -> bool,
}

/// The look-up of a state of the network in an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    /// By a variable: its values are `low..`, and each has a state.
    Variable { position: u32, low: i32, states: Vec<u32> },
    /// By the states of two other nodes.
    Pair { left: u32, right: u32, width: u32, states: Vec<u32> },
}

/// The heuristic `merge`: the distance in the product of all automata, with merged locations.
#[derive(Debug)]
pub struct Merged {
    pub(crate) nodes: Vec<Node>,
    pub(crate) roots: Vec<Root>,
    /// The estimate for states that reach no goal.
    pub(crate) far: Estimate<u32>,
    /// The state of each node, during an estimate.
    states: Vec<u32>,
    reads: Vec<VariableId>,
    _held: Held,
}

/// A node whose automaton was not merged into another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Root {
    pub(crate) node: u32,
    /// The distances by state.
    pub(crate) distances: Vec<u32>,
}

impl Admissible for Merged {}

impl Merged {
    /// Merges the automata of a model for the goal of this relaxation.
    ///
    /// # Errors
    /// The reason of the meter to stop.
    pub fn new(
        model: &Model,
        goal: &Formula,
        merging: Merging,
        relaxation: &Relaxation<'_>,
        work: Work<'_>,
    ) -> Result<Self, StopReason> {
        let mut builder = Builder::new(model, goal, merging, work)?;
        while builder.is_open()
            && !builder.is_enough()
            && let Some((first, second)) = choose(&builder.automata, &builder.labels)
        {
            builder.merge(first, second)?;
        }
        // Run-time errors are ignored here, so a dead end requires a proof that none can occur.
        let is_safe = relaxation.never_fails() || faulty!(ErrorsForgotten);
        let far = if is_safe { Estimate::DeadEnd } else { Estimate::Last };
        Ok(builder.finish(far))
    }

    /// A heuristic with these nodes.
    pub(crate) fn with(nodes: Vec<Node>, roots: Vec<Root>, far: Estimate<u32>, held: Held) -> Self {
        let variable = |node: &Node| match node {
            Node::Variable { position, .. } => Some(VariableId::from_index(*position as usize)),
            Node::Pair { .. } => None,
        };
        let mut reads: Vec<VariableId> = nodes.iter().filter_map(variable).collect();
        reads.sort_unstable();
        let states = vec![0; nodes.len()];
        Self { nodes, roots, far, states, reads, _held: held }
    }

    /// The number of states of the remaining automata.
    #[must_use]
    pub fn size(&self) -> usize {
        self.roots.iter().map(|root| root.distances.len()).sum()
    }

    /// Whether all relevant automata were merged into one.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.roots.len() <= 1
    }

    /// Finds the states of all nodes; returns the first of them that is dead or unreachable.
    fn locate(&mut self, values: &[i32]) -> Option<u32> {
        for (number, node) in self.nodes.iter().enumerate() {
            self.states[number] = match node {
                Node::Variable { position, low, states } => {
                    let offset = values[*position as usize].wrapping_sub(*low);
                    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
                    states.get(offset).copied().unwrap_or(UNREACHED)
                }
                Node::Pair { left, right, width, states } => {
                    let (a, b) = (self.states[*left as usize], self.states[*right as usize]);
                    if is_removed(a) || is_removed(b) {
                        a.max(b).max(DEAD)
                    } else {
                        states[(a * width + b) as usize]
                    }
                }
            };
            if is_removed(self.states[number]) {
                // Unreachable states do not occur, and a dead end stays a dead end.
                return Some(self.states[number]);
            }
        }
        None
    }
}

impl DiscreteHeuristic for Merged {
    fn estimate(&mut self, values: &[i32]) -> Estimate<u32> {
        match self.locate(values) {
            Some(UNREACHED) => Estimate::Distance(0),
            Some(_) => self.far,
            None => {
                let distance = |root: &Root| {
                    let state = self.states[root.node as usize];
                    root.distances[state as usize]
                };
                Estimate::Distance(self.roots.iter().map(distance).max().unwrap_or(0))
            }
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
        let distances: usize = self.roots.iter().map(|root| root.distances.capacity()).sum();
        (self.nodes.iter().map(node).sum::<usize>() + distances) * size_of::<u32>()
    }
}

/// Approximate memory of a state or a transition while automata are merged, in bytes.
const BYTES: usize = 24;

struct Builder<'m> {
    merging: Merging,
    labels: LabelTable,
    /// By node; `None` if it was merged into another one.
    automata: Vec<Option<Automaton>>,
    nodes: Vec<Node>,
    work: Work<'m>,
    held: Held,
}

impl<'m> Builder<'m> {
    fn new(
        model: &Model,
        goal: &Formula,
        merging: Merging,
        work: Work<'m>,
    ) -> Result<Self, StopReason> {
        let meter = work.meter;
        let goal = Alternatives::new(model, goal);
        let factors = chosen_cells(model, &goal, merging.variables, merging.locations);
        let (reachable, actions) = (Reachable::new(model), Action::all(model));
        let mut labels = LabelTable::default();
        let effects = Effects { model, reachable: &reachable, factors: &factors, meter };
        let action_labels = effects.labels(&actions, &mut labels)?;
        let atoms = Atoms { model, reachable: &reachable, actions: &actions, goal: &goal };
        let raws: Vec<UnreducedAutomaton> =
            model.processes.ids().map(|process| atoms.process(process, &action_labels)).collect();
        let variables: Vec<Automaton> =
            factors.iter_enumerated().map(|(factor, &cell)| atoms.variable(factor, cell)).collect();
        let mut this = Self {
            merging,
            labels,
            automata: Vec::new(),
            nodes: Vec::new(),
            work,
            held: meter.hold(),
        };
        this.add_processes(raws);
        this.add_variables(model, &factors, variables);
        Ok(this)
    }

    fn add_processes(&mut self, raws: Vec<UnreducedAutomaton>) {
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

    /// Whether the goal may still be reachable.
    fn is_open(&self) -> bool {
        self.automata.iter().flatten().all(|automaton| automaton.initial.is_some())
    }

    /// Whether to stop with the current automata.
    fn is_enough(&self) -> bool {
        let states = self.automata.iter().flatten().map(Automaton::len).sum();
        (self.work.is_enough)(states, total(&self.automata) * BYTES)
    }

    /// Removes impossible transitions and merges states; returns the map from old to new states.
    fn settle(&mut self, raw: UnreducedAutomaton, mut outside: Vec<Role>) -> (Automaton, Vec<u32>) {
        outside.sort_unstable();
        outside.dedup();
        let labels = &mut self.labels;
        let closed = raw
            .transitions
            .into_iter()
            .filter_map(|t| Some(Transition { label: close(t.label, labels, &outside)?, ..t }));
        let (automaton, mut map) = Automaton::new(&raw.traits, raw.initial, closed.collect());
        let blocks = blocks(&automaton, &self.labels, self.merging.locations);
        for state in map.iter_mut().filter(|state| !is_removed(**state)) {
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
        let Some(whole) = product(&left, &right, &mut self.labels, self.work.meter)? else {
            return Ok(());
        };
        self.held
            .set((whole.traits.len() + whole.transitions.len() + total(&self.automata)) * BYTES);
        self.work.meter.poll(0)?;
        let outside = self.automata.iter().flatten().flat_map(|a| a.roles(&self.labels));
        let outside: Vec<Role> = outside.collect();
        let raw = UnreducedAutomaton {
            traits: whole.traits,
            initial: whole.initial,
            transitions: whole.transitions,
        };
        let (automaton, states) = self.settle(raw, outside);
        let (left, right_node) = (first as u32, second as u32);
        let width = right.len() as u32;
        self.nodes.push(Node::Pair { left, right: right_node, width, states });
        self.automata.push(Some(automaton));
        Ok(())
    }

    /// The heuristic of the remaining automata, or of the one that cannot reach the goal.
    fn finish(mut self, far: Estimate<u32>) -> Merged {
        let hopeless = |a: &Option<Automaton>| a.as_ref().is_some_and(|a| a.initial.is_none());
        if let Some(hopeless) = self.automata.iter().position(hopeless) {
            self.nodes.truncate(hopeless + 1);
            self.automata.truncate(hopeless + 1);
            self.automata[..hopeless].fill(None);
        }
        let left = self.automata.into_iter().enumerate();
        let root = |(node, automaton): (usize, Option<Automaton>)| {
            Some(Root { node: node as u32, distances: automaton?.distances })
        };
        let roots = left.filter_map(root).collect();
        let mut held = self.held;
        held.set(self.nodes.len() * BYTES);
        Merged::with(self.nodes, roots, far, held)
    }
}
