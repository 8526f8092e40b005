//! The working memory of the discrete semantics, and the operations of one step.

use crate::enabled::Enabled;
use crate::urgency::Urgency;
use zonaut_base::Meter;
use zonaut_compile::{
    ActionId, ClockRow, CompiledNetwork, Constraint, LocationFlags, Machine, Priority,
};
use zonaut_model::interpret::RunTimeError;

/// The working memory of one worker. All operations need the network that it was made for.
#[derive(Clone, Debug)]
pub struct DiscreteScratch {
    /// The evaluator, with the clock effects and the cost of the transition taken last.
    pub machine: Machine,
    /// The values of the state that is left.
    pub(crate) source: Vec<i32>,
    pub(crate) enabled: Enabled,
    urgent: Enabled,
    /// The processes with an invariant in the state that is entered.
    bounded: Vec<u32>,
    /// The receivers of a broadcast, and the participating ones, taken out while they are in use.
    pub(crate) receivers: Vec<ActionId>,
    pub(crate) participants: Vec<ActionId>,
}

/// A receiving action with its clock guards.
#[derive(Clone, Debug)]
pub struct Receiver<C> {
    /// The action.
    pub action: ActionId,
    /// Its clock guards.
    pub guards: Vec<C>,
}

impl AsMut<Self> for DiscreteScratch {
    #[inline]
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

impl DiscreteScratch {
    /// Fresh working memory for steps of `network`, which count on `meter`.
    #[must_use]
    pub fn new(network: &CompiledNetwork, meter: &Meter) -> Self {
        Self {
            machine: network.machine(meter),
            source: Vec::new(),
            enabled: Enabled::default(),
            urgent: Enabled::default(),
            bounded: Vec::new(),
            receivers: Vec::new(),
            participants: Vec::new(),
        }
    }

    /// Prepares steps from the state with these `values`.
    #[inline]
    pub fn leave(&mut self, values: &[i32]) {
        self.source.clear();
        self.source.extend_from_slice(values);
    }

    /// The processes in committed locations, of the state whose candidates were visited last.
    #[must_use]
    pub fn committed(&self) -> &[usize] {
        self.enabled.committed()
    }

    /// Adds the clock guards of all `participants`, in the state that is left.
    ///
    /// # Errors
    /// If a bound cannot be evaluated.
    #[inline]
    pub fn add_clock_guards<C: From<Constraint>>(
        &mut self,
        network: &CompiledNetwork,
        participants: &[ActionId],
        into: &mut Vec<C>,
    ) -> Result<(), RunTimeError> {
        add_clock_guards(network, participants, &mut self.source, &mut self.machine, into)
    }

    /// The receiving actions of a broadcast with their clock guards, in one group for each process;
    /// the actions of a process follow each other in `receivers`.
    ///
    /// # Errors
    /// If a bound cannot be evaluated.
    pub fn receiver_groups<C: From<Constraint>>(
        &mut self,
        network: &CompiledNetwork,
        receivers: &[ActionId],
    ) -> Result<Vec<Vec<Receiver<C>>>, RunTimeError> {
        let process = |action: ActionId| network.action(action).process;
        let groups = receivers.chunk_by(|&one, &other| process(one) == process(other));
        let mut receiver = |&action: &ActionId| {
            let guards = clock_guards(network, &[action], &mut self.source, &mut self.machine)?;
            Ok(Receiver { action, guards })
        };
        groups.map(|group| group.iter().map(&mut receiver).collect()).collect()
    }

    /// The priority of the joint transition of `participants`, in the state that is left.
    ///
    /// # Errors
    /// If the index of the channel cannot be evaluated.
    pub fn priority(
        &mut self,
        network: &CompiledNetwork,
        participants: &[ActionId],
    ) -> Result<Priority, RunTimeError> {
        network.priority(participants, &mut self.source, &mut self.machine)
    }

    /// Takes the joint transition of `participants` from the state that is left; `target` becomes
    /// the values after it. Its clock effects and its cost stay in the machine.
    ///
    /// # Errors
    /// If an update fails; `target` is then meaningless.
    #[inline]
    pub fn take(
        &mut self,
        network: &CompiledNetwork,
        participants: &[ActionId],
        target: &mut Vec<i32>,
    ) -> Result<(), RunTimeError> {
        target.clone_from(&self.source);
        network.take(participants, target, &mut self.machine)
    }

    /// Adds the clock constraints of all invariants of the state with these `values`,
    /// if their data parts hold; returns the flags of its locations then.
    ///
    /// # Errors
    /// If an invariant cannot be evaluated.
    #[inline]
    pub fn add_invariants<C: From<Constraint>>(
        &mut self,
        network: &CompiledNetwork,
        values: &mut [i32],
        into: &mut Vec<C>,
    ) -> Result<Option<LocationFlags>, RunTimeError> {
        let Self { machine, bounded, .. } = self;
        let location_flags = network.flagged_processes(values, LocationFlags::INVARIANT, bounded);
        for &process in &*bounded {
            let invariant = &network.location(process as usize, values).invariant;
            if !network.data_holds(invariant, values, machine)? {
                return Ok(None);
            }
            network.for_each_constraint(invariant, values, machine, |c| into.push(c.into()))?;
        }
        Ok(Some(location_flags))
    }

    /// The urgency of the state with these `values`, whose locations have these `location_flags`.
    ///
    /// # Errors
    /// If a guard or the index of a channel cannot be evaluated.
    #[inline]
    pub fn urgency<C: From<Constraint>>(
        &mut self,
        network: &CompiledNetwork,
        location_flags: LocationFlags,
        values: &mut [i32],
    ) -> Result<Urgency<C>, RunTimeError> {
        Urgency::of(network, location_flags, values, &mut self.machine, &mut self.urgent)
    }

    /// Adds the rows of the clocks that are stopped in the state with these `values`, ascending.
    ///
    /// # Errors
    /// If a rate cannot be evaluated, or is neither 0 nor 1.
    pub fn add_stopped(
        &mut self,
        network: &CompiledNetwork,
        values: &mut [i32],
        into: &mut Vec<ClockRow>,
    ) -> Result<(), RunTimeError> {
        network.for_each_stopped(values, &mut self.machine, |row| into.push(row))?;
        into.sort_unstable();
        into.dedup();
        Ok(())
    }
}

/// The clock guards of all `participants` in the state with these `values`.
pub(crate) fn clock_guards<C: From<Constraint>>(
    network: &CompiledNetwork,
    participants: &[ActionId],
    values: &mut [i32],
    machine: &mut Machine,
) -> Result<Vec<C>, RunTimeError> {
    let mut all = Vec::new();
    add_clock_guards(network, participants, values, machine, &mut all)?;
    Ok(all)
}

#[inline]
fn add_clock_guards<C: From<Constraint>>(
    network: &CompiledNetwork,
    participants: &[ActionId],
    values: &mut [i32],
    machine: &mut Machine,
    into: &mut Vec<C>,
) -> Result<(), RunTimeError> {
    for &action in participants {
        let guard = &network.action(action).guard;
        network.for_each_constraint(guard, values, machine, |c| into.push(c.into()))?;
    }
    Ok(())
}
