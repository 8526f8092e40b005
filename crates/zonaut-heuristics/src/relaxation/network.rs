//! The compiled model of the relaxation: which value satisfies which test, which test enables which
//! action, which action produces which values.

use super::clock_classes::ClockClasses;
use crate::weights::Participant;
use zonaut_analysis::normal_form::{Bindings, Test};
use zonaut_analysis::{Meaning, VariableId, Variables};
use zonaut_base::{Held, Id, define_id};
use zonaut_model::{ChannelId, ClockConstraint, ExpressionId, PlaceIndex, ProcessId};

define_id!(
    /// The fact that a variable has a value. The facts of a variable are consecutive: by value if
    /// its range is small, else in the order of discovery.
    pub(crate) struct FactId
);
define_id!(
    /// A node of the condition graph: first tests, then gates, then actions. An action is true once
    /// its process can be at its source and its guard can hold.
    pub(crate) struct PropositionId
);
define_id!(
    /// An edge with the values of its select variables and its channel.
    pub(crate) struct RelaxedActionId
);
define_id!(
    /// A part of the effect of an action that depends on the values of variables.
    pub(crate) struct EffectId
);

/// Ranges of at most this size, and locations, have one fact for each value.
pub(crate) const DENSE: u64 = 1024;

/// The number of values of a larger range that are distinguished; beyond it all values count as
/// reached.
pub(crate) const WIDE: u32 = 128;

/// Maximum number of tuples for which results are tabulated.
pub(crate) const TABLE: u64 = 1024;

/// Lists by key, in contiguous memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    starts: Vec<u32>,
    elements: Vec<u32>,
}

impl Lists {
    /// The lists of `count` keys with these entries, in the order given.
    pub(crate) fn new(count: usize, entries: &[(u32, u32)]) -> Self {
        let mut starts = vec![0; count + 1];
        for &(key, _) in entries {
            starts[key as usize + 1] += 1;
        }
        for key in 0..count {
            starts[key + 1] += starts[key];
        }
        let mut next = starts.clone();
        let mut elements = vec![0; entries.len()];
        for &(key, element) in entries {
            elements[next[key as usize] as usize] = element;
            next[key as usize] += 1;
        }
        Self { starts, elements }
    }

    #[inline]
    pub(crate) fn of(&self, key: usize) -> &[u32] {
        &self.elements[self.starts[key] as usize..self.starts[key + 1] as usize]
    }

    /// The number of keys.
    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.starts.capacity() + self.elements.capacity()) * size_of::<u32>()
    }
}

/// The space of facts.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) variables: Variables,
    /// The first fact of each variable, followed by those of clocks, and the number of all facts.
    pub(crate) first: Vec<u32>,
    pub(crate) is_dense: Vec<bool>,
    /// The least value of each variable.
    low: Vec<i32>,
}

impl Facts {
    /// The facts of variables, and of clocks with their classes.
    pub(crate) fn new(variables: Variables, classes: &ClockClasses) -> Self {
        let mut first = vec![0];
        let (mut is_dense, mut low) = (Vec::new(), Vec::new());
        let mut end = 0_u32;
        for index in 0..variables.len() {
            let variable = VariableId::from_index(index);
            let size = variables.domain(variable).size;
            let is_process = matches!(variables.meaning(variable), Meaning::Process(_));
            let dense = size <= DENSE || is_process;
            is_dense.push(dense);
            low.push(variables.domain(variable).low);
            // One more fact for "any value" if not all values have one.
            end += if dense { size as u32 } else { WIDE + 1 };
            first.push(end);
        }
        for clock in 0..classes.len() {
            is_dense.push(true);
            low.push(0);
            end += classes.count(clock);
            first.push(end);
        }
        Self { variables, first, is_dense, low }
    }

    pub(crate) fn len(&self) -> usize {
        self.first[self.count()] as usize
    }

    /// The number of variables and clocks.
    pub(crate) fn count(&self) -> usize {
        self.first.len() - 1
    }

    /// The variable that represents a clock of the classes.
    pub(crate) fn clock(&self, clock: usize) -> VariableId {
        VariableId::from_index(self.variables.len() + clock)
    }

    /// The least value of a variable.
    #[inline]
    pub(crate) fn low(&self, variable: VariableId) -> i32 {
        self.low[variable.index()]
    }

    /// A value that an action always produces.
    pub(crate) fn constant(&self, variable: VariableId, value: i32) -> Constant {
        let is_dense = self.is_dense[variable.index()];
        let fact = is_dense.then(|| self.dense(variable, value));
        Constant { variable, value, fact }
    }

    /// The variable that a fact is about.
    pub(crate) fn variable_of(&self, fact: u32) -> VariableId {
        VariableId::from_index(self.first.partition_point(|&first| first <= fact) - 1)
    }

    /// The fact of a value in the range of a variable whose range is small.
    #[inline]
    pub(crate) fn dense(&self, variable: VariableId, value: i32) -> FactId {
        let offset = value.wrapping_sub(self.low(variable));
        FactId::from_index(self.first[variable.index()] as usize + offset as usize)
    }
}

/// The representation of a test.
#[derive(Clone, Debug)]
pub(crate) enum Leaf {
    /// The facts of one variable that satisfy it.
    Facts,
    /// A table over the values of several variables.
    Table(Table<bool>),
    /// An expression that is evaluated.
    Evaluated { test: Test, inputs: Vec<VariableId> },
}

/// A table with one row for every tuple of values.
#[derive(Clone, Debug)]
pub(crate) struct Table<T> {
    pub(crate) inputs: Vec<TableInput>,
    /// The rows.
    pub(crate) rows: Vec<T>,
}

/// A variable that indexes the rows of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableInput {
    pub(crate) variable: VariableId,
    /// The distance of the rows of neighbouring values.
    pub(crate) stride: u32,
}

/// The part of one edge in a transition.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    /// The process and its edge; `None` for the updates around every transition.
    pub(crate) participant: Option<Participant>,
    pub(crate) channel: Option<(ChannelId, Side)>,
    /// A lower bound of the weights of all transitions that contain it.
    pub(crate) weight: u32,
    /// The target location and all assignments of constants.
    pub(crate) constants: Vec<Constant>,
    /// The effects that depend on variables.
    pub(crate) effects: std::ops::Range<u32>,
    /// Whether a constant part fails.
    pub(crate) fails: bool,
}

/// A value that an action always produces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant {
    pub(crate) variable: VariableId,
    pub(crate) value: i32,
    /// Its fact, if the range is small.
    pub(crate) fact: Option<FactId>,
}

/// A side of a synchronisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// Sends on a binary channel.
    Send,
    /// Sends on a broadcast channel; needs no receiver.
    Announce,
    /// Receives.
    Receive,
}

/// A group of updates, connected by variables that one of them writes and another one reads or
/// writes.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub(crate) action: RelaxedActionId,
    /// The variables that are read.
    pub(crate) inputs: Vec<Input>,
    /// Parts of the guard that contain only the inputs.
    pub(crate) filters: Vec<Test>,
    pub(crate) updates: Vec<ExpressionId>,
    pub(crate) bindings: Bindings,
    /// The variables that may be written.
    pub(crate) outputs: Vec<VariableId>,
    /// Whether the evaluation fails for some values.
    pub(crate) may_fail: bool,
    pub(crate) table: Option<Table<Row>>,
}

/// A variable that an effect reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Input {
    pub(crate) variable: VariableId,
    /// Whether another part of the same transition may have written it.
    pub(crate) fresh: bool,
}

/// The result of an effect for one tuple.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) written: Vec<(VariableId, i32)>,
    pub(crate) fails: bool,
}

/// An evaluation that may fail at a location.
#[derive(Clone, Debug)]
pub(crate) struct Hazard {
    /// The location at which it is evaluated; everywhere if `None`.
    pub(crate) at: Option<FactId>,
    pub(crate) bindings: Bindings,
    /// The evaluations, in order.
    pub(crate) steps: Vec<HazardStep>,
}

/// A step of an evaluation that may fail.
#[derive(Clone, Debug)]
pub(crate) enum HazardStep {
    /// Ends the evaluation if the expression is zero.
    Requires(ExpressionId),
    /// Evaluates an expression.
    Value(ExpressionId),
    /// Evaluates a clock constraint.
    Constraint(ClockConstraint),
    /// Evaluates indices.
    Indices(Vec<PlaceIndex>),
}

/// The compiled model.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) facts: Facts,
    pub(crate) leaves: Vec<Leaf>,
    /// The initial number of missing parts of each node.
    pub(crate) missing: Vec<u32>,
    pub(crate) parents: Lists,
    pub(crate) children: Lists,
    pub(crate) goal: Goal,
    pub(crate) first_action: u32,
    pub(crate) actions: Vec<Action>,
    pub(crate) effects: Vec<Effect>,
    /// The effects that read variables that the same transition may have written, in the order of
    /// execution.
    pub(crate) ordered: Vec<EffectId>,
    /// By effect, whether it is among them.
    pub(crate) is_ordered: Vec<bool>,
    /// The leaves that are satisfied by a single fact.
    pub(crate) leaves_of_fact: Lists,
    /// The leaves with a table, by variable.
    pub(crate) tables_of: Lists,
    /// The leaves that are evaluated, by variable.
    pub(crate) evaluated_of: Lists,
    /// The effects, by variable that is read.
    pub(crate) effects_of: Lists,
    /// The actions of each channel.
    pub(crate) senders: Lists,
    pub(crate) receivers: Lists,
    pub(crate) is_broadcast: Vec<bool>,
    /// The actions of updates around every transition.
    pub(crate) always: Vec<RelaxedActionId>,
    pub(crate) hazards: Vec<Hazard>,
    /// The classes of clock values that are distinguished.
    pub(crate) classes: ClockClasses,
    /// The variables that the estimate depends on, ascending.
    pub(crate) reads: Vec<VariableId>,
    /// Whether every transition has weight 1.
    pub(crate) has_units: bool,
    /// The memory of the network.
    pub(crate) _held: Held,
}

/// The goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goal {
    /// It always holds in this abstraction.
    Holds,
    /// It never holds.
    Never,
    /// It holds when this proposition is true.
    Proposition(PropositionId),
}

impl Network {
    /// Whether no evaluation can fail.
    pub(crate) fn is_safe(&self) -> bool {
        let effects_are_safe = self.effects.iter().all(|effect| !effect.may_fail);
        self.hazards.is_empty() && effects_are_safe && self.actions.iter().all(|a| !a.fails)
    }

    #[inline]
    pub(crate) fn action_of(&self, node: usize) -> Option<usize> {
        node.checked_sub(self.first_action as usize)
    }

    /// The process of an action; `None` for the updates around every transition.
    pub(crate) fn process_of(&self, action: usize) -> Option<ProcessId> {
        self.actions[action].participant.map(|participant| participant.process)
    }

    /// The index of the process of an action; an unused index for actions without a process.
    #[inline]
    pub(crate) fn process_number(&self, action: u32) -> u32 {
        self.process_of(action as usize).map_or(u32::MAX, |process| process.index() as u32)
    }

    pub(crate) fn bytes(&self) -> usize {
        let lists = [
            &self.parents,
            &self.children,
            &self.leaves_of_fact,
            &self.tables_of,
            &self.evaluated_of,
            &self.effects_of,
            &self.senders,
            &self.receivers,
        ];
        lists.iter().map(|list| list.bytes()).sum::<usize>()
            + self.actions.len() * size_of::<Action>()
            + self.effects.len() * size_of::<Effect>()
            + self.leaves.len() * size_of::<Leaf>()
    }
}
