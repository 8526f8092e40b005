//! Compilation of a model and a goal to a [`Network`].

mod dominance;
mod effects;
mod hazards;
mod location_values;
mod synchronisation;
mod timing;
mod weights;

use super::clock_classes::ClockClasses;
use super::network::{
    Action, Effect, EffectId, FactId, Facts, Goal, Hazard, Leaf, Lists, Network, PropositionId,
    RelaxedActionId, TABLE, Table, TableInput,
};
use crate::dependencies::{Dependencies, roots_of};
use crate::weights::Weights;
use location_values::LocationValues;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use synchronisation::Writers;
use timing::Timing;
use zonaut_analysis::normal_form::{Bindings, Condition, Test};
use zonaut_analysis::runs::{Choices, Everything, Limits, Outcome, RunWalk, Runs};
use zonaut_analysis::{Values, VariableId, Variables};

pub(super) use effects::perform;
pub(super) use hazards::undergo;

use zonaut_base::{Held, Id, Meter, StopReason};
use zonaut_model::{Formula, LocationId, Model, ProcessId};
use zonaut_strategy::Precision;

/// The updates that may rely on the guard of their edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Guards {
    /// All of them, except for variables that the same transition may have written before.
    SeenByAll,
    /// The first ones of a transition: those of initiators, unless there are updates
    /// before every transition.
    SeenByFirst,
}

/// The input of the compilation.
#[derive(Clone, Copy)]
pub(super) struct CompileInput<'a, 'm> {
    pub(super) model: &'m Model,
    pub(super) goal: &'a Formula,
    pub(super) guards: Guards,
    pub(super) weights: &'a dyn Weights,
    pub(super) precision: Precision,
}

/// Compiles the model.
pub(super) fn compile(input: CompileInput<'_, '_>, meter: &Meter) -> Result<Network, StopReason> {
    let CompileInput { model, goal, guards, weights, precision } = input;
    let timing = precision.clocks.then(|| Timing::new(model));
    let classes = timing.as_ref().map_or(ClockClasses::default(), |timing| timing.classes.clone());
    let variables = Variables::new(model);
    let dependencies = Dependencies { model, variables: &variables };
    let mut compiler = Compiler {
        model,
        guards,
        dependencies,
        facts: Facts::new(variables.clone(), &classes),
        runs: Runs::new(model, Limits::PREPARATION).metered(meter),
        held: meter.hold(),
        rows: 0,
        writers: Writers::new(model, dependencies),
        leaves: Vec::new(),
        leaf_of: BTreeMap::new(),
        location_leaves: BTreeMap::new(),
        fact_leaves: Vec::new(),
        gates: Vec::new(),
        actions: Vec::new(),
        action_parts: Vec::new(),
        effects: Vec::new(),
        always: Vec::new(),
        timing,
        location_values: None,
        here: None,
    };
    if precision.values {
        compiler.location_values = compiler.compute_location_values();
    }
    let goal_condition = compiler.node(&Condition::of_formula(model, goal));
    compiler.surrounding_updates();
    for process in model.processes.ids() {
        for edge in model.processes[process].edges.ids() {
            compiler.edge(process, edge);
        }
    }
    compiler.here = None;
    let has_units = weights.are_units();
    if !has_units {
        compiler.weigh(weights);
    }
    compiler.drop_dominated();
    let hazards = compiler.hazards(goal);
    // Evaluations that the meter has stopped make the network coarse and useless.
    meter.poll(0)?;
    let network = compiler.finish(goal_condition, hazards);
    Ok(Network { has_units, classes, ..network })
}

/// A node under construction; gates and actions are numbered separately until all leaves are known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    True,
    False,
    Leaf(u32),
    Gate(u32),
}

/// A gate over parts: a conjunction or a disjunction.
struct Gate {
    parts: Vec<Part>,
    needs_all: bool,
}

/// A location of a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct ProcessLocation {
    process: ProcessId,
    location: LocationId,
}

struct Compiler<'m> {
    model: &'m Model,
    guards: Guards,
    dependencies: Dependencies<'m>,
    facts: Facts,
    runs: Runs<'m>,
    writers: Writers,
    leaves: Vec<Leaf>,
    leaf_of: BTreeMap<(Test, Option<ProcessLocation>), Part>,
    /// The leaves of "a process can be at a location".
    location_leaves: BTreeMap<FactId, Part>,
    /// The pairs of a fact and a leaf that it satisfies.
    fact_leaves: Vec<(u32, u32)>,
    gates: Vec<Gate>,
    actions: Vec<Action>,
    action_parts: Vec<Vec<Part>>,
    effects: Vec<Effect>,
    always: Vec<RelaxedActionId>,
    /// The clock bounds, if clocks are distinguished.
    timing: Option<Timing<'m>>,
    /// The values of variables at locations, if they are distinguished.
    location_values: Option<LocationValues>,
    /// The source of the edge that is compiled.
    here: Option<ProcessLocation>,
    /// The memory of the network.
    held: Held,
    /// The number of rows of all tables.
    rows: usize,
}

/// A survey whose first run indicates more runs than this is skipped: it would almost always be
/// aborted after that work, and it is too large for a table ([`TABLE`]) in any case.
const MOST_SURVEY_RUNS: u64 = Limits::PREPARATION.runs as u64;

/// Approximate memory of a test in bytes, and of an entry of a list, which exists twice while lists
/// are built.
const BYTES_PER_TEST: usize = 256;
const BYTES_PER_ENTRY: usize = 24;

/// The result of evaluations for all values of the declared ranges.
struct Survey {
    /// The variables that are read before they are written.
    inputs: BTreeSet<VariableId>,
    /// Whether the evaluation fails for some values, or may.
    may_fail: bool,
    /// Whether all evaluations were performed.
    is_complete: bool,
}

/// A single tuple of values.
struct Tuple<'t> {
    inputs: &'t [TableInput],
    values: &'t [i32],
}

impl Choices for Tuple<'_> {
    fn count(&self, variable: VariableId) -> Option<u32> {
        self.inputs.iter().any(|input| input.variable == variable).then_some(1)
    }
    fn value(&self, variable: VariableId, _: u32) -> i32 {
        let position = self.inputs.iter().position(|input| input.variable == variable);
        position.map_or(0, |position| self.values[position])
    }
}

impl<'m> Compiler<'m> {
    /// Reports the memory to the meter; returns whether to continue.
    fn may_go_on(&mut self) -> bool {
        let parts: usize = self.action_parts.last().map_or(0, Vec::len) * self.actions.len();
        let tests = self.leaves.len() + self.actions.len() + self.effects.len();
        let entries = self.fact_leaves.len() + parts;
        self.held.set(tests * BYTES_PER_TEST + entries * BYTES_PER_ENTRY + self.rows);
        self.runs.meter().spend(1).is_ok()
    }

    /// The node of a condition.
    fn node(&mut self, condition: &Condition) -> Part {
        match condition {
            Condition::Test(test) => self.leaf(test),
            Condition::All(parts) => {
                let parts = parts.iter().map(|part| self.node(part)).collect();
                self.gate(parts, true)
            }
            Condition::Any(parts) => {
                let parts = parts.iter().map(|part| self.node(part)).collect();
                self.gate(parts, false)
            }
        }
    }

    fn gate(&mut self, mut parts: Vec<Part>, needs_all: bool) -> Part {
        let (neutral, deciding) =
            if needs_all { (Part::True, Part::False) } else { (Part::False, Part::True) };
        if parts.contains(&deciding) {
            return deciding;
        }
        parts.retain(|part| *part != neutral);
        match parts[..] {
            [] => neutral,
            [single] => single,
            _ => {
                self.gates.push(Gate { parts, needs_all });
                Part::Gate(self.gates.len() as u32 - 1)
            }
        }
    }

    /// The leaf of a test; equal tests share one.
    fn leaf(&mut self, test: &Test) -> Part {
        let footprint = self.dependencies.footprint(roots_of(test));
        let mut test = test.clone();
        test.bindings.retain(|(local, _)| footprint.locals.contains(*local));
        let location_values = self.location_values.as_ref();
        let restricts = |here: &ProcessLocation| {
            location_values.is_some_and(|r| r.restricts(*here, &self.facts, &footprint.reads))
        };
        let key = (test, self.here.filter(restricts));
        if let Some(known) = self.leaf_of.get(&key) {
            return *known;
        }
        let part = self.new_leaf(&key.0, footprint.reads, key.1);
        self.may_go_on();
        self.leaf_of.insert(key, part);
        part
    }

    /// The leaf of a test over the values that its variables have at a location.
    fn new_leaf(
        &mut self,
        test: &Test,
        reads: BTreeSet<VariableId>,
        here: Option<ProcessLocation>,
    ) -> Part {
        let survey =
            self.survey(&test.bindings, reads, &mut |walk| walk.satisfies(test).map(|_| ()));
        let inputs: Vec<VariableId> = survey.inputs.into_iter().collect();
        let number = self.leaves.len() as u32;
        let Some(inputs_of_table) = self.table_inputs(&inputs) else {
            self.leaves.push(Leaf::Evaluated { test: test.clone(), inputs });
            return Part::Leaf(number);
        };
        let rows = self.truth_table(test, &inputs_of_table, here);
        self.rows += rows.len();
        if rows.iter().all(|&holds| holds) {
            return Part::True;
        }
        if !rows.contains(&true) {
            return Part::False;
        }
        if let [variable] = inputs[..] {
            let first = self.facts.first[variable.index()];
            let holding = (0_u32..).zip(&rows).filter(|(_, holds)| **holds);
            self.fact_leaves.extend(holding.map(|(offset, _)| (first + offset, number)));
            self.leaves.push(Leaf::Facts);
        } else {
            self.leaves.push(Leaf::Table(Table { inputs: inputs_of_table, rows }));
        }
        Part::Leaf(number)
    }

    /// Whether variables can have these values at a location.
    fn allows(&self, here: Option<ProcessLocation>, inputs: &[TableInput], values: &[i32]) -> bool {
        let (Some(here), Some(location_values)) = (here, &self.location_values) else {
            return true;
        };
        inputs.iter().zip(values).all(|(input, &value)| {
            !location_values::is_tracked(&self.facts, input.variable)
                || location_values.allows(here, self.facts.dense(input.variable, value))
        })
    }

    fn truth_table(
        &mut self,
        test: &Test,
        inputs: &[TableInput],
        here: Option<ProcessLocation>,
    ) -> Vec<bool> {
        let mut rows = Vec::new();
        for values in tuples(&self.facts.variables, inputs) {
            if !self.allows(here, inputs, &values) {
                rows.push(false);
                continue;
            }
            let tuple = Tuple { inputs, values: &values };
            let outcome = self.runs.for_each(&tuple, &test.bindings, |walk| {
                let holds = walk.satisfies(test)?;
                Some(if holds { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            });
            rows.push(!matches!(outcome, Outcome::Complete { .. }));
        }
        rows
    }

    /// Evaluates for all values of the declared ranges, up to a limit.
    fn survey(
        &mut self,
        bindings: &Bindings,
        reads: BTreeSet<VariableId>,
        attempt: &mut dyn FnMut(&mut RunWalk<'m, '_, Everything<'_>>) -> Option<()>,
    ) -> Survey {
        let mut inputs = BTreeSet::new();
        let everything = Everything(&self.facts.variables);
        let sizes = |variable| self.facts.variables.domain(variable).size;
        let mut is_first = true;
        let outcome = self.runs.for_each(&everything, bindings, |walk| {
            let done = attempt(walk);
            inputs.extend(walk.choices().map(|(variable, _)| variable));
            // The product of the numbers of choices along one run estimates the number of runs.
            if std::mem::take(&mut is_first)
                && inputs.iter().copied().map(sizes).fold(1, u64::saturating_mul) > MOST_SURVEY_RUNS
            {
                return Some(ControlFlow::Break(()));
            }
            done.map(ControlFlow::Continue)
        });
        match outcome {
            Outcome::Complete { failed } => Survey { inputs, may_fail: failed, is_complete: true },
            _ => Survey { inputs: reads, may_fail: true, is_complete: false },
        }
    }

    /// The inputs of a table with their strides; `None` if the table would be too large.
    fn table_inputs(&self, inputs: &[VariableId]) -> Option<Vec<TableInput>> {
        let mut stride = 1_u64;
        let mut result = Vec::new();
        for &variable in inputs {
            result.push(TableInput { variable, stride: stride as u32 });
            stride = stride.saturating_mul(self.facts.variables.domain(variable).size);
            if stride > TABLE {
                return None;
            }
        }
        Some(result)
    }

    fn finish(mut self, goal: Part, hazards: Vec<Hazard>) -> Network {
        let first_gate = self.leaves.len() as u32;
        // The goal has a gate of its own, so that exactly one node represents it.
        let goal_gate = first_gate + self.gates.len() as u32;
        let first_action = goal_gate + 1;
        let id = |part: &Part| match *part {
            Part::Leaf(leaf) => Some(leaf),
            Part::Gate(gate) => Some(first_gate + gate),
            Part::True | Part::False => None,
        };
        let mut missing = vec![1; self.leaves.len()];
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut add = |node: u32, parts: &[Part]| {
            edges.extend(parts.iter().filter_map(id).map(|child| (child, node)));
        };
        for (gate, node) in self.gates.iter().zip(first_gate..) {
            missing.push(if gate.needs_all { gate.parts.len() as u32 } else { 1 });
            add(node, &gate.parts);
        }
        missing.push(1);
        add(goal_gate, &[goal]);
        for (parts, node) in self.action_parts.iter().zip(first_action..) {
            missing.push(parts.len() as u32);
            add(node, parts);
        }
        let goal = match goal {
            Part::True => Goal::Holds,
            Part::False => Goal::Never,
            Part::Leaf(_) | Part::Gate(_) => {
                Goal::Proposition(PropositionId::from_index(goal_gate as usize))
            }
        };
        let nodes = missing.len();
        let reversed: Vec<(u32, u32)> = edges.iter().map(|&(child, node)| (node, child)).collect();
        let is_ordered: Vec<bool> =
            self.effects.iter().map(|effect| effect.inputs.iter().any(|i| i.fresh)).collect();
        let dependents = Dependents::new(&self.leaves, &self.effects);
        let variables = self.facts.count();
        let reads = self.reads(&dependents, &hazards);
        let network = Network {
            reads,
            classes: ClockClasses::default(),
            has_units: true,
            missing,
            parents: Lists::new(nodes, &edges),
            children: Lists::new(nodes, &reversed),
            goal,
            first_action,
            ordered: ordered(&is_ordered, &self.actions, &self.effects),
            is_ordered,
            leaves_of_fact: Lists::new(self.facts.len(), &self.fact_leaves),
            tables_of: Lists::new(variables, &dependents.tables),
            evaluated_of: Lists::new(variables, &dependents.evaluated),
            effects_of: Lists::new(variables, &dependents.effects),
            senders: synchronisation::members(self.model, &self.actions, false),
            receivers: synchronisation::members(self.model, &self.actions, true),
            is_broadcast: self.model.channels.iter().map(|c| c.broadcast).collect(),
            facts: self.facts,
            leaves: self.leaves,
            actions: self.actions,
            effects: self.effects,
            always: self.always,
            hazards,
            _held: Held::default(),
        };
        self.held.set(network.bytes());
        Network { _held: self.held, ..network }
    }
}

impl Compiler<'_> {
    /// The variables that a test, an effect or a hazard depends on.
    fn reads(&self, dependents: &Dependents, hazards: &[Hazard]) -> Vec<VariableId> {
        let mut all = BTreeSet::new();
        let watched = [&dependents.tables, &dependents.evaluated, &dependents.effects];
        for &(variable, _) in watched.into_iter().flatten() {
            all.insert(VariableId::from_index(variable as usize));
        }
        let facts = self.fact_leaves.iter().map(|(fact, _)| *fact);
        let places = hazards.iter().filter_map(|hazard| hazard.at).map(|fact| fact.index() as u32);
        all.extend(facts.chain(places).map(|fact| self.facts.variable_of(fact)));
        for hazard in hazards {
            all.extend(self.dependencies.footprint(hazards::roots(hazard)).reads);
        }
        all.into_iter().collect()
    }
}

/// The leaves and effects that depend on each variable.
#[derive(Default)]
struct Dependents {
    tables: Vec<(u32, u32)>,
    evaluated: Vec<(u32, u32)>,
    effects: Vec<(u32, u32)>,
}

impl Dependents {
    fn new(leaves: &[Leaf], effects: &[Effect]) -> Self {
        let mut all = Self::default();
        for (leaf, number) in leaves.iter().zip(0..) {
            match leaf {
                Leaf::Facts => {}
                Leaf::Table(table) => {
                    let inputs = table.inputs.iter();
                    all.tables.extend(inputs.map(|input| (input.variable.index() as u32, number)));
                }
                Leaf::Evaluated { inputs, .. } => {
                    let inputs = inputs.iter();
                    all.evaluated.extend(inputs.map(|input| (input.index() as u32, number)));
                }
            }
        }
        for (effect, number) in effects.iter().zip(0..) {
            let inputs = effect.inputs.iter();
            all.effects.extend(inputs.map(|input| (input.variable.index() as u32, number)));
        }
        all
    }
}

/// The effects that read variables that their own transition may have written, in the order of
/// execution: updates before every transition, senders and internal edges, receivers in system
/// order, updates after every transition.
fn ordered(is_ordered: &[bool], actions: &[Action], effects: &[Effect]) -> Vec<EffectId> {
    let mut all: Vec<EffectId> =
        (0..effects.len()).filter(|&e| is_ordered[e]).map(EffectId::from_index).collect();
    all.sort_by_key(|effect| {
        let action = &actions[effects[effect.index()].action.index()];
        let receives = matches!(action.channel, Some((_, super::network::Side::Receive)));
        let stage = match action.participant {
            None => 2,
            Some(_) => i32::from(receives),
        };
        (stage, action.participant, *effect)
    });
    all
}

/// All tuples of values; the first input varies fastest.
fn tuples(variables: &Variables, inputs: &[TableInput]) -> impl Iterator<Item = Vec<i32>> + use<> {
    let domains: Vec<_> = inputs.iter().map(|input| variables.domain(input.variable)).collect();
    let count: u64 = domains.iter().map(|domain| domain.size).product();
    (0..count).map(move |mut rest| {
        let value = |domain: &Values| {
            let position = rest % domain.size;
            rest /= domain.size;
            domain.low + position as i32
        };
        domains.iter().map(value).collect()
    })
}
