//! The compiled network: flat tables without strings or lookups by name.

use crate::code::{CodeRef, Machine, Op, Program};
use crate::condition::{ClockRow, CompiledCondition, CompiledUpdates, Constraint};
use crate::location_flags::LocationFlags;
use crate::packing::Packing;
use crate::rate::CompiledRate;
use crate::sampling::{CompiledNumber, SamplingTables, TimeUse};
use crate::step::StepNames;
use crate::translate::Translator;
use zonaut_base::{Held, Id, IndexVec, Meter, StopReason, define_id};
use zonaut_model::interpret::{ClockEffect, DEFAULT_BUDGET, RunTimeError};
use zonaut_model::statistical::RealId;
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
    /// The source location.
    pub source: LocationId,
    /// The target location.
    pub target: LocationId,
    /// The guard.
    pub guard: CompiledCondition,
    channel: Option<ChannelRef>,
    updates: CompiledUpdates,
    may_fail: bool,
}

/// A channel, possibly selected at run time.
#[derive(Clone, Copy, Debug)]
enum ChannelRef {
    Fixed(ChannelId),
    /// One of `count` channels from the first on, at an offset that code computes.
    Displaced {
        first: ChannelId,
        count: u32,
        code: CodeRef,
    },
}

/// A location with its outgoing actions.
#[derive(Clone, Debug)]
pub struct CompiledLocation {
    /// Normal, urgent or committed.
    pub kind: LocationKind,
    /// The invariant.
    pub invariant: CompiledCondition,
    pub(crate) rates: Box<[CompiledRate]>,
    /// Actions without synchronisation.
    pub internal: Box<[ActionId]>,
    /// Actions that send.
    pub sends: Box<[ActionId]>,
    /// Actions that receive.
    pub receives: Box<[ActionId]>,
}

/// The priority of a transition: that of its channel, then that of its highest process. An enabled
/// transition of higher priority disables those of lower priority.
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

/// The priorities of a network, if they distinguish any two transitions.
#[derive(Clone, Debug)]
struct Priorities {
    channels: Box<[u32]>,
    /// The priority of transitions without a channel.
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

/// The quantity of a clock that is added to those of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// The duration of a run.
    Time,
    /// The duration of a run plus the costs of its transitions.
    Cost,
}

/// The reason why a model cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// An edge has more combinations of select values than the limit.
    TooManyActions(ProcessId, EdgeId),
    /// The meter stopped the compilation.
    Stopped(StopReason),
}

/// Maximum number of actions of a network.
pub const ACTION_LIMIT: usize = 1 << 20;

/// Number of actions beyond which enumerating them is counted as work.
const MANY_ACTIONS: usize = 1 << 10;

/// A network in the form that exploration runs on.
#[derive(Clone, Debug)]
pub struct CompiledNetwork {
    pub(crate) program: Program,
    actions: IndexVec<ActionId, Action>,
    /// The locations of all processes, in the order of processes.
    locations: Box<[CompiledLocation]>,
    /// The flags of each of them.
    location_flags: Box<[LocationFlags]>,
    /// For each process, the index of its first location.
    first_location: Box<[u32]>,
    /// The packing of the values of a state.
    pub packing: Packing,
    /// The values of the initial state: locations, followed by cells.
    pub initial: Box<[i32]>,
    /// The initial values of the clocks.
    pub initial_clocks: Box<[i32]>,
    transient: Box<[(u32, i32)]>,
    before_update: CompiledUpdates,
    after_update: CompiledUpdates,
    broadcast: Box<[bool]>,
    urgent: Box<[bool]>,
    receiving_may_fail: bool,
    priorities: Option<Priorities>,
    /// The rate of the clocks relative to time.
    scale: i32,
    /// The quantity of the last clock, if it is not one of the model.
    measure: Option<Measure>,
    names: StepNames,
    /// The tables of stochastic semantics, if the network is compiled for sampling.
    pub(crate) sampling: Option<Box<SamplingTables>>,
}

impl CompiledNetwork {
    /// Compiles `model`; this work counts on `meter`, later evaluations on the meters of their
    /// machines. Queries are compiled separately, by [`Translation`].
    ///
    /// # Errors
    /// Fails if select variables produce too many actions, or if the meter stops.
    pub fn new(model: &Model, meter: &Meter) -> Result<Self, CompileError> {
        Self::translated(Translator::new(model), meter)
    }

    /// Compiles `model` for the sampling of runs: with floating point, exponential rates, weights
    /// and any rates of clocks. The values of clocks are in the memory of the machine.
    ///
    /// # Errors
    /// Fails if select variables produce too many actions, or if the meter stops.
    pub fn for_sampling(model: &Model, meter: &Meter) -> Result<Self, CompileError> {
        Self::translated(Translator::with_reals(model), meter)
    }

    fn translated(mut translator: Translator<'_>, meter: &Meter) -> Result<Self, CompileError> {
        let model = translator.model;
        let (actions, weights) = (IndexVec::new(), Vec::new());
        let mut table = ActionTable { actions, weights, held: meter.hold(), meter };
        let (mut locations, mut first_location) = (Vec::new(), Vec::new());
        for (process, definition) in model.processes.iter_enumerated() {
            first_location.push(locations.len() as u32);
            let first_action = table.actions.len();
            for edge in definition.edges.ids() {
                table.add(&mut translator, process, edge)?;
            }
            let mut leaving = vec![OutgoingActions::default(); definition.locations.len()];
            for id in (first_action..table.actions.len()).map(ActionId::from_index) {
                let Action { edge, source, .. } = table.actions[id];
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
        let actions = table.actions;
        let sampling = translator
            .has_reals()
            .then(|| Box::new(SamplingTables::new(&mut translator, table.weights)));
        let before_update = CompiledUpdates::new(&mut translator, &model.before_update);
        let after_update = CompiledUpdates::new(&mut translator, &model.after_update);
        let count = model.processes.len();
        let starts = model.processes.iter().map(|process| process.initial.index() as i32);
        let transient = model.cells.iter_enumerated().filter(|(_, cell)| cell.meta);
        let receiving = locations.iter().flat_map(|location: &CompiledLocation| &location.receives);
        let receiving_may_fail = receiving.into_iter().any(|&id| actions[id].may_fail);
        Ok(Self {
            names: StepNames::new(actions.len()),
            sampling,
            receiving_may_fail,
            scale: 1,
            measure: None,
            actions,
            location_flags: locations.iter().map(LocationFlags::of).collect(),
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
        })
    }

    /// The network in which all clocks run `scale` times as fast as time, a positive number: all
    /// values they are compared with and set to are multiplied by it, also those that are computed
    /// at run time. The caller ensures that they stay in range
    /// ([`BoundsTable::scaled`](crate::BoundsTable::scaled)).
    #[must_use]
    pub fn scaled(mut self, scale: i32) -> Self {
        self.initial_clocks.iter_mut().for_each(|value| *value *= scale);
        self.scale = scale;
        self
    }

    /// The network with one more clock, the last one, which measures runs: the model neither reads
    /// nor sets it.
    #[must_use]
    pub fn with_measure(mut self, measure: Measure) -> Self {
        self.initial_clocks = self.initial_clocks.iter().copied().chain([0]).collect();
        self.measure = Some(measure);
        self
    }

    /// The network in which some cells that are not part of the stored state keep their values from
    /// one transition to the next. The code that loads a stored state restores them.
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

    /// The rate of the clocks relative to time.
    #[must_use]
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// The names of steps.
    #[must_use]
    pub fn names(&self) -> &StepNames {
        &self.names
    }

    /// The packing of the values of a state of `model`.
    #[must_use]
    pub fn packing_of(model: &Model) -> Packing {
        let locations = model.processes.iter().map(|process| {
            let high = process.locations.len() as i32 - 1;
            (zonaut_model::Range { low: 0, high }, None)
        });
        let cells = model.cells.iter().map(|cell| (cell.range, cell.meta.then_some(cell.initial)));
        Packing::new(locations.chain(cells))
    }

    /// Counts the memory of actions and code on `meter`, until the result is dropped.
    pub fn hold(&self, meter: &Meter) -> Held {
        let mut held = meter.hold();
        held.set(bytes(&self.program, &self.actions));
        held
    }

    /// Counts an enumeration of all actions as work, if they are many.
    ///
    /// # Errors
    /// The meter has stopped.
    #[inline]
    pub fn pay_for_actions(&self, machine: &Machine) -> Result<(), RunTimeError> {
        match self.actions.len() {
            0..MANY_ACTIONS => Ok(()),
            many => machine.spend(many),
        }
    }

    /// Fresh working memory for evaluations, which count on `meter`.
    #[must_use]
    pub fn machine(&self, meter: &Meter) -> Machine {
        Machine::new(&self.program, DEFAULT_BUDGET, meter)
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

    /// All locations, in the order of processes.
    pub(crate) fn locations(&self) -> impl Iterator<Item = &CompiledLocation> {
        self.locations.iter()
    }

    /// The union of the flags of all locations of the state with these `values`.
    #[must_use]
    #[inline]
    pub fn location_flags(&self, values: &[i32]) -> LocationFlags {
        let locations = self.first_location.iter().zip(values);
        let location_flags =
            locations.map(|(&first, &value)| self.location_flags[(first + value as u32) as usize]);
        location_flags.fold(LocationFlags::NONE, |all, location_flags| all | location_flags)
    }

    /// The flags of the location of process number `process`.
    #[must_use]
    #[inline]
    pub fn location_flags_of(&self, process: usize, values: &[i32]) -> LocationFlags {
        self.location_flags[(self.first_location[process] + values[process] as u32) as usize]
    }

    /// Like [`CompiledNetwork::location_flags`]; also collects the processes whose locations have
    /// some of the flags `what`, ascending.
    #[inline]
    pub fn flagged_processes(
        &self,
        values: &[i32],
        what: LocationFlags,
        into: &mut Vec<u32>,
    ) -> LocationFlags {
        into.clear();
        let mut all = LocationFlags::NONE;
        for (process, (&first, &value)) in (0..).zip(self.first_location.iter().zip(values)) {
            let location_flags = self.location_flags[(first + value as u32) as usize];
            all = all | location_flags;
            if location_flags.include(what) {
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

    /// The priority of the joint transition of these actions, the sender's first, in the state with
    /// these `values`.
    ///
    /// # Errors
    /// Fails if the index of the channel cannot be evaluated or is out of range.
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

    /// Whether the data part of `condition` holds in the state with these `values`. Conditions have
    /// no side effects: the values are only borrowed mutably for the evaluator.
    ///
    /// # Errors
    /// Fails if evaluation fails.
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
    /// Fails if evaluation fails.
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
        self.location_flags
            .iter()
            .any(|location_flags| location_flags.include(LocationFlags::RATES))
    }

    /// Calls `visit` with the row of every clock that is stopped in the state with these `values`,
    /// once for each location that stops it.
    ///
    /// # Errors
    /// Fails if a rate cannot be evaluated, or is neither 0 nor 1.
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

    /// The channel that `action` synchronises on; `None` for an internal one.
    ///
    /// # Errors
    /// Fails if the index of the channel cannot be evaluated or is out of range.
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

    /// Whether `action` can synchronise, in some state, on one of the channels for which
    /// `is_wanted` is set.
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

    /// Whether `action` can synchronise on `channel` in some state.
    #[must_use]
    #[inline]
    pub fn may_name(&self, action: ActionId, channel: ChannelId) -> bool {
        match self.actions[action].channel {
            None => false,
            Some(ChannelRef::Fixed(fixed)) => fixed == channel,
            Some(ChannelRef::Displaced { first, count, .. }) => {
                (first.index()..first.index() + count as usize).contains(&channel.index())
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

    /// Takes the joint transition of these actions, the sender's first: executes their updates in
    /// order, between those around every transition, and moves to the target locations. The effects
    /// on clocks are left in `machine.clock_effects`.
    ///
    /// # Errors
    /// Fails if an update fails; the values are then meaningless.
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

/// Scales the value that a clock is set to.
fn scale_effect(effect: &mut ClockEffect, scale: i32) {
    if let ClockEffect::Set(_, value) = effect {
        *value *= scale;
    }
}

/// The compilation of further expressions, those of queries.
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
        Self { translator: Translator::new(model) }
    }

    /// Starts with the functions of `model`, for the sampling of runs.
    #[must_use]
    pub fn for_sampling(model: &'m Model) -> Self {
        Self { translator: Translator::with_reals(model) }
    }

    /// Compiles a floating-point expression; `at` is its position for errors.
    pub fn number(&mut self, number: RealId, at: ExpressionId) -> CompiledNumber {
        let is_timed = TimeUse::of(self.translator.model).real(number);
        CompiledNumber { code: self.translator.real_expression(number, at), is_timed }
    }

    /// Compiles a condition.
    pub fn condition(&mut self, condition: &zonaut_model::Condition) -> CompiledCondition {
        CompiledCondition::new(&mut self.translator, condition)
    }

    /// Ends the compilation.
    #[must_use]
    pub fn finish(self) -> CompiledQuery {
        CompiledQuery { program: self.translator.program }
    }
}

impl CompiledQuery {
    /// Fresh working memory for evaluations, which count on `meter`.
    #[must_use]
    pub fn machine(&self, meter: &Meter) -> Machine {
        Machine::new(&self.program, DEFAULT_BUDGET, meter)
    }

    /// Whether the data part of `condition` holds.
    ///
    /// # Errors
    /// Fails if evaluation fails.
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
    /// Fails if evaluation fails.
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

/// The outgoing actions of a location, by synchronisation.
#[derive(Clone, Default)]
struct OutgoingActions {
    internal: Vec<ActionId>,
    sends: Vec<ActionId>,
    receives: Vec<ActionId>,
}

impl OutgoingActions {
    fn add(&mut self, direction: Option<Direction>, action: ActionId) {
        match direction {
            None => self.internal.push(action),
            Some(Direction::Send) => self.sends.push(action),
            Some(Direction::Receive) => self.receives.push(action),
        }
    }
}

/// The number of meter steps for adding an action, besides its code.
const STEPS_PER_ACTION: u32 = 16;

/// The actions of a network that is being compiled.
struct ActionTable<'m> {
    actions: IndexVec<ActionId, Action>,
    /// The weights of the actions, if the network is compiled for sampling.
    weights: Vec<Option<CodeRef>>,
    /// The memory of actions and code.
    held: Held,
    meter: &'m Meter,
}

impl ActionTable<'_> {
    /// Adds one action for each combination of select values of an edge.
    fn add(
        &mut self,
        translator: &mut Translator<'_>,
        process: ProcessId,
        edge: EdgeId,
    ) -> Result<(), CompileError> {
        let definition = &translator.model.processes[process].edges[edge];
        let sizes = definition.select.iter().map(|s| u64::try_from(size(s)).unwrap_or(0));
        let combinations = sizes.fold(1u64, u64::saturating_mul);
        if combinations.saturating_add(self.actions.len() as u64) > ACTION_LIMIT as u64 {
            return Err(CompileError::TooManyActions(process, edge));
        }
        let mut values: Vec<i32> = definition.select.iter().map(|select| select.low).collect();
        let mut code = translator.program.ops.len();
        for _ in 0..combinations {
            let bindings = definition.select.iter().map(|select| select.binder);
            translator.bindings = bindings.zip(values.iter().copied()).collect();
            let guard = CompiledCondition::new(translator, &definition.guard);
            let synchronisation = definition.synchronisation.as_ref();
            let channel = synchronisation.map(|sync| channel_ref(translator, &sync.channel));
            let updates = CompiledUpdates::new(translator, &definition.updates);
            if translator.has_reals() {
                let weight = translator.model.statistical.weights.get(&(process, edge));
                self.weights.push(weight.map(|w| translator.real_expression(w.value, w.at)));
            }
            let may_fail =
                guard.may_fail() || matches!(channel, Some(ChannelRef::Displaced { .. }));
            self.actions.push(Action {
                process,
                edge,
                select: values.clone().into(),
                source: definition.source,
                target: definition.target,
                guard,
                channel,
                updates,
                may_fail,
            });
            next_combination(&definition.select, &mut values);
            let (now, before) = (translator.program.ops.len(), code);
            code = now;
            self.held.set(bytes(&translator.program, &self.actions));
            let steps = u32::try_from(now - before).unwrap_or(u32::MAX);
            let spent = self.meter.spend(steps.saturating_add(STEPS_PER_ACTION));
            spent.map_err(CompileError::Stopped)?;
        }
        translator.bindings.clear();
        Ok(())
    }
}

/// The memory of code and actions, in bytes.
fn bytes(program: &Program, actions: &IndexVec<ActionId, Action>) -> usize {
    program.ops.len() * size_of::<(Op, ExpressionId)>() + actions.len() * size_of::<Action>()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_models::model_of;
    use std::sync::Arc;
    use zonaut_model::interpret::ErrorKind;

    /// A network with one edge whose update runs a long loop.
    fn network() -> CompiledNetwork {
        let text = "int v; void f() { for (i : int[1,99999]) { v = v; } }\n\
                    process P() { state a; init a; trans a -> a { assign f(); }; } system P;";
        CompiledNetwork::new(&model_of(text, "E<> true").0, &Meter::default()).expect("few actions")
    }

    #[test]
    fn threads_share_a_network_and_count_on_meters_of_their_own() {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<CompiledNetwork>();
        let network = Arc::new(network());
        let stopping = Meter::new(|_| Some(StopReason::Cancelled));
        let run = |meter: Meter| {
            let network = Arc::clone(&network);
            std::thread::spawn(move || {
                let (mut values, mut machine) = (network.initial.to_vec(), network.machine(&meter));
                network.take(&[ActionId::from_index(0)], &mut values, &mut machine)
            })
        };
        let (stopped, finished) = (run(stopping), run(Meter::default()));
        let error = stopped.join().expect("no panic").expect_err("the meter stops it");
        assert_eq!(error.kind, ErrorKind::Stopped(StopReason::Cancelled));
        assert_eq!(finished.join().expect("no panic"), Ok(()));
    }

    #[test]
    fn the_memory_of_a_network_counts_while_a_question_holds_it() {
        let (network, meter) = (network(), Meter::new(|_| None));
        let held = network.hold(&meter);
        assert!(meter.held() >= size_of::<Action>());
        drop(held);
        assert_eq!(meter.held(), 0);
    }
}
