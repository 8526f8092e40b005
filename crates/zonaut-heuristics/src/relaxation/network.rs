//! The model, prepared for being relaxed many times: which value satisfies which test, which test
//! enables which action, which action produces which values.

use super::clock_classes::ClockClasses;
use crate::weights::Participant;
use zonaut_analysis::normal_form::{Bindings, Test};
use zonaut_analysis::{Meaning, VariableId, Variables};
use zonaut_base::{Held, Id, define_id};
use zonaut_model::{ChannelId, ClockConstraint, ExpressionId, PlaceIndex, ProcessId};

define_id!(
    /// That a variable has a value. The facts of a variable follow one another: by value where its
    /// range is small, else in the order of discovery.
    pub(crate) struct FactId
);
define_id!(
    /// Something that becomes true: first tests, then gates, then actions. An action is true once
    /// its process can be at its source and its guard can hold.
    pub(crate) struct PropositionId
);
define_id!(
    /// An edge with the values of its select variables and its channel.
    pub(crate) struct RelaxedActionId
);
define_id!(
    /// A part of what an action does that depends on the values of variables.
    pub(crate) struct EffectId
);

/// Ranges of this size at most, and locations, have one fact for each value.
pub(crate) const DENSE: u64 = 1024;

/// How many values of a larger range are told apart; beyond them all values count as reached.
pub(crate) const WIDE: u32 = 128;

/// The most tuples for which results are computed beforehand.
pub(crate) const TABLE: u64 = 1024;

/// Lists by key, in one piece of memory.
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
    /// The first fact of each variable, clocks behind all others, and the end of all.
    pub(crate) first: Vec<u32>,
    pub(crate) is_dense: Vec<bool>,
    /// The least value of each variable.
    low: Vec<i32>,
}

impl Facts {
    /// The facts of variables, and of clocks that have so many classes each.
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
            // One more fact for "any value" where not all values have one.
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

    /// The variable that stands for a clock of the classes.
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

/// How a test is looked at.
#[derive(Clone, Debug)]
pub(crate) enum Leaf {
    /// By the facts of one variable that satisfy it.
    Facts,
    /// By a table over the values of several variables.
    Table(Table<bool>),
    /// By evaluation.
    Evaluated { test: Test, inputs: Vec<VariableId> },
}

/// Something for every tuple of values.
#[derive(Clone, Debug)]
pub(crate) struct Table<T> {
    pub(crate) inputs: Vec<TableInput>,
    /// What belongs to each tuple.
    pub(crate) rows: Vec<T>,
}

/// A variable by whose value the rows of a table are found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableInput {
    pub(crate) variable: VariableId,
    /// How far apart the rows of neighbouring values are.
    pub(crate) stride: u32,
}

/// One way to take part in a transition.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    /// Whose edge it is; absent for the updates around every transition.
    pub(crate) participant: Option<Participant>,
    pub(crate) channel: Option<(ChannelId, Side)>,
    /// No transition with it counts less.
    pub(crate) weight: u32,
    /// The target location and what is assigned whatever the variables hold.
    pub(crate) constants: Vec<Constant>,
    /// What depends on variables.
    pub(crate) effects: std::ops::Range<u32>,
    /// Whether a part that depends on nothing fails.
    pub(crate) fails: bool,
}

/// A value that an action always produces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant {
    pub(crate) variable: VariableId,
    pub(crate) value: i32,
    /// Its fact, where the range is small.
    pub(crate) fact: Option<FactId>,
}

/// A side of a synchronisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// Sends on a binary channel.
    Send,
    /// Sends on a broadcast channel, alone if need be.
    Announce,
    /// Receives.
    Receive,
}

/// Updates that belong together, because they read or write what another of them writes.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub(crate) action: RelaxedActionId,
    /// The variables that are read.
    pub(crate) inputs: Vec<Input>,
    /// Parts of the guard that speak of nothing but the inputs.
    pub(crate) filters: Vec<Test>,
    pub(crate) updates: Vec<ExpressionId>,
    pub(crate) bindings: Bindings,
    /// What may be written.
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

/// What an effect does to one tuple.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) written: Vec<(VariableId, i32)>,
    pub(crate) fails: bool,
}

/// Something that may fail where a process is.
#[derive(Clone, Debug)]
pub(crate) struct Hazard {
    /// Where it is evaluated; everywhere if absent.
    pub(crate) at: Option<FactId>,
    pub(crate) bindings: Bindings,
    /// What is evaluated, in order.
    pub(crate) steps: Vec<HazardStep>,
}

/// A step of an evaluation that may fail.
#[derive(Clone, Debug)]
pub(crate) enum HazardStep {
    /// Ends the evaluation where the expression is zero.
    Requires(ExpressionId),
    /// Evaluates an expression.
    Value(ExpressionId),
    /// Evaluates a clock constraint.
    Constraint(ClockConstraint),
    /// Evaluates indices.
    Indices(Vec<PlaceIndex>),
}

/// The prepared model.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) facts: Facts,
    pub(crate) leaves: Vec<Leaf>,
    /// How many parts of each node are missing at first.
    pub(crate) missing: Vec<u32>,
    pub(crate) parents: Lists,
    pub(crate) children: Lists,
    pub(crate) goal: Goal,
    pub(crate) first_action: u32,
    pub(crate) actions: Vec<Action>,
    pub(crate) effects: Vec<Effect>,
    /// The effects that read what the same transition may have written, in the order of execution.
    pub(crate) ordered: Vec<EffectId>,
    /// Whether an effect is among them.
    pub(crate) is_ordered: Vec<bool>,
    /// The leaves that a fact satisfies alone.
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
    /// The actions that belong to every transition.
    pub(crate) always: Vec<RelaxedActionId>,
    pub(crate) hazards: Vec<Hazard>,
    /// What is told apart of clocks.
    pub(crate) classes: ClockClasses,
    /// The variables that anything depends on, ascending.
    pub(crate) reads: Vec<VariableId>,
    /// Whether every transition counts one.
    pub(crate) has_units: bool,
    /// The memory of all this.
    pub(crate) _held: Held,
}

/// The goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goal {
    /// It always holds, as far as this abstraction sees.
    Holds,
    /// It never holds.
    Never,
    /// It holds when this proposition is true.
    Proposition(PropositionId),
}

impl Network {
    /// Whether nothing can ever fail.
    pub(crate) fn is_safe(&self) -> bool {
        let effects_are_safe = self.effects.iter().all(|effect| !effect.may_fail);
        self.hazards.is_empty() && effects_are_safe && self.actions.iter().all(|a| !a.fails)
    }

    #[inline]
    pub(crate) fn action_of(&self, node: usize) -> Option<usize> {
        node.checked_sub(self.first_action as usize)
    }

    /// The process of an action; none for the updates around every transition.
    pub(crate) fn process_of(&self, action: usize) -> Option<ProcessId> {
        self.actions[action].participant.map(|participant| participant.process)
    }

    /// The number of the process of an action; one that no process has for those without.
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
