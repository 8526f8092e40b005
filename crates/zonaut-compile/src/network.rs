//! The compiled network: flat tables, no strings, nothing looked up by name.

use crate::code::{CodeRef, Machine, Op, Program};
use crate::concerns::Concerns;
use crate::condition::{ClockRow, CompiledCondition, CompiledUpdates, Constraint};
use crate::packing::Packing;
use crate::rate::CompiledRate;
use crate::step::StepNames;
use crate::translate::Translator;
use std::sync::Arc;
use zonaut_base::{Held, Id, IndexVec, Meter, StopReason, define_id};
use zonaut_model::interpret::{ClockEffect, DEFAULT_BUDGET, RunTimeError};
use zonaut_model::{
    CellId, ChannelId, Direction, EdgeId, ExpressionId, LocationId, LocationKind, Model, Place,
    ProcessId, Select,
};

define_id!(
    /// An edge with chosen values for its select variables.
    pub struct ActionId
);

/// An edge with chosen values for its select variables.
#[derive(Clone, Debug)]
pub struct Action {
    /// The process.
    pub process: ProcessId,
    /// The edge in the model.
    pub edge: EdgeId,
    /// The values of the select variables.
    pub select: Box<[i32]>,
    /// Where it starts.
    pub source: LocationId,
    /// Where it leads.
    pub target: LocationId,
    /// When it can be taken.
    pub guard: CompiledCondition,
    channel: Option<ChannelRef>,
    updates: CompiledUpdates,
    may_fail: bool,
}

/// A channel, perhaps chosen at run time.
#[derive(Clone, Copy, Debug)]
enum ChannelRef {
    Fixed(ChannelId),
    /// One of `count` channels from the first on, displaced by what code computes.
    Displaced {
        first: ChannelId,
        count: u32,
        code: CodeRef,
    },
}

/// A location with the actions that leave it.
#[derive(Clone, Debug)]
pub struct CompiledLocation {
    /// How urgent it is.
    pub kind: LocationKind,
    /// What holds here.
    pub invariant: CompiledCondition,
    pub(crate) rates: Box<[CompiledRate]>,
    /// Actions without synchronisation.
    pub internal: Box<[ActionId]>,
    /// Actions that send.
    pub sends: Box<[ActionId]>,
    /// Actions that receive.
    pub receives: Box<[ActionId]>,
}

/// How early a transition goes: the priority of its channel, then that of its highest process.
/// Where a higher one is possible, a lower one is not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Priority {
    channel: u32,
    process: u32,
}

impl Priority {
    /// The priority of the channel alone.
    #[must_use]
    pub fn of_channel(self) -> u32 {
        self.channel
    }
}

/// The priorities of a network in which they distinguish any two transitions.
#[derive(Clone, Debug)]
struct Priorities {
    channels: Box<[u32]>,
    /// That of transitions without a channel.
    internal: u32,
    processes: Box<[u32]>,
}

impl Priorities {
    fn new(model: &Model) -> Option<Self> {
        model.has_priorities().then(|| Self {
            channels: model.channels.iter().map(|channel| channel.priority).collect(),
            internal: model.default_priority,
            processes: model.processes.iter().map(|process| process.priority).collect(),
        })
    }
}

/// What a clock measures that is not one of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// How long a run takes.
    Time,
    /// The same, and what its transitions cost.
    Cost,
}

/// Why a model cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// An edge has more combinations of select values than the limit.
    TooManyActions(ProcessId, EdgeId),
    /// It has to end before it is done.
    Stopped(StopReason),
}

/// The most actions that a network may have.
pub const ACTION_LIMIT: usize = 1 << 20;

/// Going through the actions of a network with more than this takes time that counts.
const MANY_ACTIONS: usize = 1 << 10;

/// A network in the form that exploration runs on.
#[derive(Clone, Debug)]
pub struct CompiledNetwork {
    program: Program,
    actions: IndexVec<ActionId, Action>,
    /// The locations of all processes, one process after the other.
    locations: Box<[CompiledLocation]>,
    /// For each of them, what has to be looked at.
    concerns: Box<[Concerns]>,
    /// For each process, where its locations start.
    first_location: Box<[u32]>,
    /// How the values of a state are packed.
    pub packing: Packing,
    /// The values of the initial state: locations, then cells.
    pub initial: Box<[i32]>,
    /// The first values of the clocks.
    pub initial_clocks: Box<[i32]>,
    transient: Box<[(u32, i32)]>,
    before_update: CompiledUpdates,
    after_update: CompiledUpdates,
    broadcast: Box<[bool]>,
    urgent: Box<[bool]>,
    receiving_may_fail: bool,
    priorities: Option<Priorities>,
    /// How many times as fast as time the clocks run.
    scale: i32,
    /// What the last clock measures, if it is not one of the model.
    measure: Option<Measure>,
    names: StepNames,
    /// The memory of actions and code.
    _held: Arc<Held>,
}

impl CompiledNetwork {
    /// Compiles `model`. Queries are compiled apart, by [`Translation`].
    ///
    /// # Errors
    /// Where select variables make too many actions.
    pub fn new(model: &Model) -> Result<Self, CompileError> {
        Self::metered(model, &Meter::default())
    }

    /// Compiles `model`; this work and all evaluations count on `meter`.
    ///
    /// # Errors
    /// Where select variables make too many actions, and where the meter stops.
    pub fn metered(model: &Model, meter: &Meter) -> Result<Self, CompileError> {
        let mut translator = Translator::new(model, meter);
        let mut held = meter.hold();
        let mut actions = IndexVec::new();
        let (mut locations, mut first_location) = (Vec::new(), Vec::new());
        for (process, definition) in model.processes.iter_enumerated() {
            first_location.push(locations.len() as u32);
            let first_action = actions.len();
            for edge in definition.edges.ids() {
                add_actions(&mut translator, (process, edge), &mut actions, &mut held)?;
            }
            let mut leaving = vec![Leaving::default(); definition.locations.len()];
            for id in (first_action..actions.len()).map(ActionId::from_index) {
                let Action { edge, source, .. } = actions[id];
                let side = definition.edges[edge].synchronisation.as_ref();
                leaving[source.index()].add(side.map(|sync| sync.direction), id);
            }
            for (location, leaving) in definition.locations.iter().zip(leaving) {
                let invariant = CompiledCondition::new(&mut translator, &location.invariant);
                let rates = location.rates.iter();
                let rates = rates.filter_map(|rate| CompiledRate::new(&mut translator, rate));
                locations.push(CompiledLocation {
                    kind: location.kind,
                    invariant,
                    rates: rates.collect(),
                    internal: leaving.internal.into(),
                    sends: leaving.sends.into(),
                    receives: leaving.receives.into(),
                });
            }
        }
        let before_update = CompiledUpdates::new(&mut translator, &model.before_update);
        let after_update = CompiledUpdates::new(&mut translator, &model.after_update);
        let count = model.processes.len();
        let starts = model.processes.iter().map(|process| process.initial.index() as i32);
        let transient = model.cells.iter_enumerated().filter(|(_, cell)| cell.meta);
        let receiving = locations.iter().flat_map(|location: &CompiledLocation| &location.receives);
        let receiving_may_fail = receiving.into_iter().any(|&id| actions[id].may_fail);
        Ok(Self {
            names: StepNames::new(actions.len()),
            receiving_may_fail,
            scale: 1,
            measure: None,
            actions,
            concerns: locations.iter().map(Concerns::of).collect(),
            locations: locations.into(),
            first_location: first_location.into(),
            packing: Self::packing_of(model),
            initial: starts.chain(model.initial_cells()).collect(),
            initial_clocks: model.clocks.iter().map(|clock| clock.initial).collect(),
            transient: transient.map(|(id, c)| ((count + id.index()) as u32, c.initial)).collect(),
            before_update,
            after_update,
            broadcast: model.channels.iter().map(|channel| channel.broadcast).collect(),
            urgent: model.channels.iter().map(|channel| channel.urgent).collect(),
            priorities: Priorities::new(model),
            program: translator.program,
            _held: Arc::new(held),
        })
    }

    /// The same network in which all clocks run `scale` times as fast as time, a positive number:
    /// what they are compared with and set to is so many times as large, also where it is computed
    /// at run time. The caller knows that it all stays in range
    /// ([`BoundsTable::scaled`](crate::BoundsTable::scaled)).
    #[must_use]
    pub fn scaled(mut self, scale: i32) -> Self {
        self.initial_clocks.iter_mut().for_each(|value| *value *= scale);
        self.scale = scale;
        self
    }

    /// The same network with one more clock, the last one, which measures runs: nothing in the model
    /// reads or sets it.
    #[must_use]
    pub fn with_measure(mut self, measure: Measure) -> Self {
        self.initial_clocks = self.initial_clocks.iter().copied().chain([0]).collect();
        self.measure = Some(measure);
        self
    }

    /// The same network in which some cells that are outside the stored state keep their values from
    /// one transition to the next. Who loads a stored state gives them back.
    #[must_use]
    pub fn with_kept(mut self, cells: &[CellId]) -> Self {
        let count = self.process_count();
        let is_kept =
            |position: u32| cells.iter().any(|cell| count + cell.index() == position as usize);
        let transient = self.transient.iter().copied();
        self.transient = transient.filter(|&(position, _)| !is_kept(position)).collect();
        self
    }

    /// The row of the clock that measures runs, if there is one.
    #[must_use]
    #[inline]
    pub fn measuring_row(&self) -> Option<ClockRow> {
        self.measure.map(|_| self.initial_clocks.len() as ClockRow)
    }

    /// The row of the clock to which the prices of transitions are added, if there is one.
    #[must_use]
    #[inline]
    pub fn cost_row(&self) -> Option<ClockRow> {
        self.measuring_row().filter(|_| self.measure == Some(Measure::Cost))
    }

    /// How many times as fast as time the clocks run.
    #[must_use]
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// The names of steps.
    #[must_use]
    pub fn names(&self) -> &StepNames {
        &self.names
    }

    /// How the values of a state of `model` are packed.
    #[must_use]
    pub fn packing_of(model: &Model) -> Packing {
        let locations = model.processes.iter().map(|process| {
            let high = process.locations.len() as i32 - 1;
            (zonaut_model::Range { low: 0, high }, None)
        });
        let cells = model.cells.iter().map(|cell| (cell.range, cell.meta.then_some(cell.initial)));
        Packing::new(locations.chain(cells))
    }

    /// What counts the work on this network.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        &self.program.meter
    }

    /// Counts that all actions are gone through, where they are many.
    ///
    /// # Errors
    /// When the work has to end.
    #[inline]
    pub fn pay_for_actions(&self, machine: &Machine) -> Result<(), RunTimeError> {
        match self.actions.len() {
            0..MANY_ACTIONS => Ok(()),
            many => machine.spend(many),
        }
    }

    /// Fresh working memory for evaluation.
    #[must_use]
    pub fn machine(&self) -> Machine {
        Machine::new(&self.program, DEFAULT_BUDGET)
    }

    /// The number of processes.
    #[must_use]
    pub fn process_count(&self) -> usize {
        self.first_location.len()
    }

    /// The number of clocks, without the reference clock.
    #[must_use]
    pub fn clock_count(&self) -> usize {
        self.initial_clocks.len()
    }

    /// The action of `id`.
    #[must_use]
    #[inline]
    pub fn action(&self, id: ActionId) -> &Action {
        &self.actions[id]
    }

    /// All actions.
    #[must_use]
    pub fn actions(&self) -> &IndexVec<ActionId, Action> {
        &self.actions
    }

    /// The location of process number `process` in the state with these `values`.
    #[must_use]
    #[inline]
    pub fn location(&self, process: usize, values: &[i32]) -> &CompiledLocation {
        &self.locations[self.first_location[process] as usize + values[process] as usize]
    }

    /// What has to be looked at in the locations of the state with these `values`, together.
    #[must_use]
    #[inline]
    pub fn concerns(&self, values: &[i32]) -> Concerns {
        let locations = self.first_location.iter().zip(values);
        let concerns =
            locations.map(|(&first, &value)| self.concerns[(first + value as u32) as usize]);
        concerns.fold(Concerns::NONE, |all, concerns| all | concerns)
    }

    /// What has to be looked at in the location of process number `process`.
    #[must_use]
    #[inline]
    pub fn concerns_of(&self, process: usize, values: &[i32]) -> Concerns {
        self.concerns[(self.first_location[process] + values[process] as u32) as usize]
    }

    /// Like [`CompiledNetwork::concerns`], with the processes whose locations have some of `what`
    /// to be looked at, ascending.
    #[inline]
    pub fn concerned(&self, values: &[i32], what: Concerns, into: &mut Vec<u32>) -> Concerns {
        into.clear();
        let mut all = Concerns::NONE;
        for (process, (&first, &value)) in (0..).zip(self.first_location.iter().zip(values)) {
            let concerns = self.concerns[(first + value as u32) as usize];
            all = all | concerns;
            if concerns.include(what) {
                into.push(process);
            }
        }
        all
    }

    /// Whether every enabled receiver takes part in a synchronisation on `channel`.
    #[must_use]
    #[inline]
    pub fn is_broadcast(&self, channel: ChannelId) -> bool {
        self.broadcast[channel.index()]
    }

    /// Whether time stops while a synchronisation on `channel` is enabled.
    #[must_use]
    #[inline]
    pub fn is_urgent(&self, channel: ChannelId) -> bool {
        self.urgent[channel.index()]
    }

    /// Whether any channel is urgent.
    #[must_use]
    pub fn has_urgent_channels(&self) -> bool {
        self.urgent.contains(&true)
    }

    /// Whether priorities distinguish any two transitions.
    #[must_use]
    #[inline]
    pub fn has_priorities(&self) -> bool {
        self.priorities.is_some()
    }

    /// How early these actions, the sender's first, go together in the state with these `values`.
    ///
    /// # Errors
    /// Where the index of the channel cannot be evaluated or is out of range.
    pub fn priority(
        &self,
        participants: &[ActionId],
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<Priority, RunTimeError> {
        let Some(priorities) = &self.priorities else { return Ok(Priority::default()) };
        let channel = match participants.first() {
            Some(&first) => self.channel(first, values, machine)?,
            None => None,
        };
        let of_process = |&id: &ActionId| priorities.processes[self.actions[id].process.index()];
        Ok(Priority {
            channel: channel.map_or(priorities.internal, |id| priorities.channels[id.index()]),
            process: participants.iter().map(of_process).max().unwrap_or(0),
        })
    }

    /// Whether the data part of `condition` holds in the state with these `values`. Conditions
    /// have no side effects: the values are only borrowed mutably for the evaluator.
    ///
    /// # Errors
    /// Where evaluation fails.
    #[inline]
    pub fn data_holds(
        &self,
        condition: &CompiledCondition,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<bool, RunTimeError> {
        condition.data_holds(&self.program, values, machine)
    }

    /// Calls `visit` with every clock constraint of `condition` that applies.
    ///
    /// # Errors
    /// Where evaluation fails.
    #[inline]
    pub fn for_each_constraint(
        &self,
        condition: &CompiledCondition,
        values: &mut [i32],
        machine: &mut Machine,
        mut visit: impl FnMut(Constraint),
    ) -> Result<(), RunTimeError> {
        if self.scale == 1 {
            return condition.for_each_constraint(&self.program, values, machine, visit);
        }
        let scale = self.scale;
        condition.for_each_constraint(&self.program, values, machine, |c| visit(c.scaled(scale)))
    }

    /// Whether some location may stop a clock.
    #[must_use]
    pub fn has_rates(&self) -> bool {
        self.concerns.iter().any(|concerns| concerns.include(Concerns::RATES))
    }

    /// Calls `visit` with the row of every clock that stands still in the state with these
    /// `values`, once for each location that stops it.
    ///
    /// # Errors
    /// Where a rate cannot be evaluated, or is neither 0 nor 1.
    pub fn for_each_stopped(
        &self,
        values: &mut [i32],
        machine: &mut Machine,
        mut visit: impl FnMut(ClockRow),
    ) -> Result<(), RunTimeError> {
        for process in 0..self.process_count() {
            for rate in &self.location(process, values).rates {
                if let Some(row) = rate.stopped(&self.program, values, machine)? {
                    visit(row);
                }
            }
        }
        Ok(())
    }

    /// The channel that `action` synchronises on; absent for an internal one.
    ///
    /// # Errors
    /// Where the index of the channel cannot be evaluated or is out of range.
    #[inline]
    pub fn channel(
        &self,
        action: ActionId,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<Option<ChannelId>, RunTimeError> {
        match self.actions[action].channel {
            None => Ok(None),
            Some(ChannelRef::Fixed(channel)) => Ok(Some(channel)),
            Some(ChannelRef::Displaced { first, code, .. }) => {
                let displacement = self.program.run(code, values, machine)? as usize;
                Ok(Some(ChannelId::from_index(first.index() + displacement)))
            }
        }
    }

    /// Whether `action` can synchronise, in some state, on one of the channels that
    /// `is_wanted` tells of.
    #[must_use]
    #[inline]
    pub fn may_name_any(&self, action: ActionId, is_wanted: &[bool]) -> bool {
        match self.actions[action].channel {
            None => false,
            Some(ChannelRef::Fixed(fixed)) => is_wanted[fixed.index()],
            Some(ChannelRef::Displaced { first, count, .. }) => {
                is_wanted[first.index()..][..count as usize].contains(&true)
            }
        }
    }

    /// The number of channels.
    #[must_use]
    pub fn channel_count(&self) -> usize {
        self.broadcast.len()
    }

    /// Whether evaluating the guard or the channel of `action` can fail.
    #[must_use]
    #[inline]
    pub fn may_fail(&self, action: ActionId) -> bool {
        self.actions[action].may_fail
    }

    /// Whether evaluating the guard or the channel of some receiving action can fail.
    #[must_use]
    #[inline]
    pub fn receiving_may_fail(&self) -> bool {
        self.receiving_may_fail
    }

    /// Takes the actions of one transition together, the sender's first: carries their updates out
    /// in order, between those that frame every transition, and moves to the target locations.
    /// What happens to clocks is left in `machine.clock_effects`.
    ///
    /// # Errors
    /// Where an update fails; the values are then of no use.
    pub fn take(
        &self,
        participants: &[ActionId],
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<(), RunTimeError> {
        machine.clock_effects.clear();
        machine.cost = 0;
        for &(position, reset) in &self.transient {
            values[position as usize] = reset;
        }
        self.before_update.run(&self.program, values, machine)?;
        for &id in participants {
            self.actions[id].updates.run(&self.program, values, machine)?;
        }
        for &id in participants {
            let action = &self.actions[id];
            values[action.process.index()] = action.target.index() as i32;
        }
        self.after_update.run(&self.program, values, machine)?;
        for &(position, reset) in &self.transient {
            values[position as usize] = reset;
        }
        if self.scale != 1 {
            machine.clock_effects.iter_mut().for_each(|effect| scale_effect(effect, self.scale));
        }
        Ok(())
    }
}

/// Makes a clock that is set run so many times as fast.
fn scale_effect(effect: &mut ClockEffect, scale: i32) {
    if let ClockEffect::Set(_, value) = effect {
        *value *= scale;
    }
}

/// Compiles further expressions, those of queries, against a model.
pub struct Translation<'m> {
    translator: Translator<'m>,
}

/// Expressions compiled after the network, with a program of their own.
#[derive(Clone, Debug)]
pub struct CompiledQuery {
    pub(crate) program: Program,
}

impl<'m> Translation<'m> {
    /// Starts with the functions of `model`.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        Self::metered(model, &Meter::default())
    }

    /// The same; all evaluations count on `meter`.
    #[must_use]
    pub fn metered(model: &'m Model, meter: &Meter) -> Self {
        Self { translator: Translator::new(model, meter) }
    }

    /// Compiles a condition.
    pub fn condition(&mut self, condition: &zonaut_model::Condition) -> CompiledCondition {
        CompiledCondition::new(&mut self.translator, condition)
    }

    /// The end of compilation.
    #[must_use]
    pub fn finish(self) -> CompiledQuery {
        CompiledQuery { program: self.translator.program }
    }
}

impl CompiledQuery {
    /// Fresh working memory for evaluation.
    #[must_use]
    pub fn machine(&self) -> Machine {
        Machine::new(&self.program, DEFAULT_BUDGET)
    }

    /// Whether the data part of `condition` holds.
    ///
    /// # Errors
    /// Where evaluation fails.
    pub fn data_holds(
        &self,
        condition: &CompiledCondition,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<bool, RunTimeError> {
        condition.data_holds(&self.program, values, machine)
    }

    /// Calls `visit` with every clock constraint of `condition` that applies.
    ///
    /// # Errors
    /// Where evaluation fails.
    pub fn for_each_constraint(
        &self,
        condition: &CompiledCondition,
        values: &mut [i32],
        machine: &mut Machine,
        visit: impl FnMut(Constraint),
    ) -> Result<(), RunTimeError> {
        condition.for_each_constraint(&self.program, values, machine, visit)
    }
}

/// The actions that leave a location, by what they synchronise on.
#[derive(Clone, Default)]
struct Leaving {
    internal: Vec<ActionId>,
    sends: Vec<ActionId>,
    receives: Vec<ActionId>,
}

impl Leaving {
    fn add(&mut self, direction: Option<Direction>, action: ActionId) {
        match direction {
            None => self.internal.push(action),
            Some(Direction::Send) => self.sends.push(action),
            Some(Direction::Receive) => self.receives.push(action),
        }
    }
}

/// What it takes to add an action, besides its code.
const STEPS_PER_ACTION: u32 = 16;

/// Adds one action for each combination of select values.
fn add_actions(
    translator: &mut Translator<'_>,
    (process, edge): (ProcessId, EdgeId),
    actions: &mut IndexVec<ActionId, Action>,
    held: &mut Held,
) -> Result<(), CompileError> {
    let definition = &translator.model.processes[process].edges[edge];
    let sizes = definition.select.iter().map(|s| u64::try_from(size(s)).unwrap_or(0));
    let combinations = sizes.fold(1u64, u64::saturating_mul);
    if combinations.saturating_add(actions.len() as u64) > ACTION_LIMIT as u64 {
        return Err(CompileError::TooManyActions(process, edge));
    }
    let mut values: Vec<i32> = definition.select.iter().map(|select| select.low).collect();
    let mut code = translator.program.ops.len();
    for _ in 0..combinations {
        let bindings = definition.select.iter().map(|select| select.binder);
        translator.bindings = bindings.zip(values.iter().copied()).collect();
        let guard = CompiledCondition::new(translator, &definition.guard);
        let channel =
            definition.synchronisation.as_ref().map(|sync| channel_ref(translator, &sync.channel));
        let updates = CompiledUpdates::new(translator, &definition.updates);
        let (source, target) = (definition.source, definition.target);
        let may_fail = guard.may_fail() || matches!(channel, Some(ChannelRef::Displaced { .. }));
        actions.push(Action {
            process,
            edge,
            select: values.clone().into(),
            source,
            target,
            guard,
            channel,
            updates,
            may_fail,
        });
        next_combination(&definition.select, &mut values);
        let (now, before) = (translator.program.ops.len(), code);
        code = now;
        held.set(now * size_of::<(Op, ExpressionId)>() + actions.len() * size_of::<Action>());
        let steps = u32::try_from(now - before).unwrap_or(u32::MAX);
        let meter = &translator.program.meter;
        meter.spend(steps.saturating_add(STEPS_PER_ACTION)).map_err(CompileError::Stopped)?;
    }
    translator.bindings.clear();
    Ok(())
}

fn size(select: &Select) -> i64 {
    i64::from(select.high) - i64::from(select.low) + 1
}

/// The next combination in lexicographic order; the last one is followed by the first.
fn next_combination(select: &[Select], values: &mut [i32]) {
    for (select, value) in select.iter().zip(values).rev() {
        if *value < select.high {
            *value += 1;
            return;
        }
        *value = select.low;
    }
}

fn channel_ref(translator: &mut Translator<'_>, place: &Place<ChannelId>) -> ChannelRef {
    match translator.constant_displacement(&place.indices) {
        Some(displacement) => {
            ChannelRef::Fixed(ChannelId::from_index(place.root.index() + displacement))
        }
        None => ChannelRef::Displaced {
            first: place.root,
            count: place.extent() as u32 + 1,
            code: translator.displacement(&place.indices),
        },
    }
}
