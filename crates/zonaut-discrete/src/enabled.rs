//! Actions that the data of a state allows, and the rules by which they synchronise.
//!
//! The set of evaluated expressions determines run-time errors, so it is part of the semantics: the
//! data guards of all actions that leave the current locations, internal ones only if the committed
//! rule allows them, and, if the data guard holds, the index of the channel and the bounds of
//! clocks. Expressions that cannot fail are evaluated on demand.

use zonaut_base::Id;
use zonaut_compile::{ActionId, CompiledNetwork, LocationFlags, Machine};
use zonaut_model::ChannelId;
use zonaut_model::interpret::RunTimeError;

/// An action with its channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    pub(crate) action: ActionId,
    pub(crate) channel: ChannelId,
}

/// The actions whose data guards hold in one state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Enabled {
    pub(crate) internal: Vec<ActionId>,
    pub(crate) sends: Vec<Offer>,
    /// In process order.
    pub(crate) receives: Vec<Offer>,
    /// By channel, whether an enabled action sends on it.
    is_offered: Vec<bool>,
    /// The processes in committed locations.
    committed: Vec<usize>,
}

impl Enabled {
    /// Finds the enabled actions of the state with these `values`.
    pub(crate) fn collect(
        &mut self,
        network: &CompiledNetwork,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<(), RunTimeError> {
        network.pay_for_actions(machine)?;
        self.find_committed(network, values);
        self.internal.clear();
        self.sends.clear();
        self.receives.clear();
        for process in 0..network.process_count() {
            let location = network.location(process, values);
            if self.committed.is_empty() || self.committed.contains(&process) {
                for &action in &location.internal {
                    if guard_holds(network, action, values, machine)? {
                        self.internal.push(action);
                    }
                }
            }
            for &action in &location.sends {
                if let Some(offer) = offer(network, action, values, machine)? {
                    self.sends.push(offer);
                }
            }
        }
        if self.sends.is_empty() && !network.receiving_may_fail() {
            return Ok(());
        }
        self.is_offered.resize(network.channel_count(), false);
        self.is_offered.fill(false);
        self.sends.iter().for_each(|send| self.is_offered[send.channel.index()] = true);
        for process in 0..network.process_count() {
            let location = network.location(process, values);
            for &action in &location.receives {
                let wanted = network.may_name_any(action, &self.is_offered);
                if (wanted || network.may_fail(action))
                    && let Some(offer) = offer(network, action, values, machine)?
                    && wanted
                {
                    self.receives.push(offer);
                }
            }
        }
        Ok(())
    }

    fn find_committed(&mut self, network: &CompiledNetwork, values: &[i32]) {
        self.committed.clear();
        if network.location_flags(values).include(LocationFlags::COMMITTED) {
            let is_committed =
                |&p: &usize| network.location_flags_of(p, values).include(LocationFlags::COMMITTED);
            self.committed.extend((0..network.process_count()).filter(is_committed));
        }
    }

    /// The processes in committed locations.
    pub(crate) fn committed(&self) -> &[usize] {
        &self.committed
    }

    /// Whether these actions may synchronise under the committed rule.
    pub(crate) fn committed_rule_allows(
        &self,
        network: &CompiledNetwork,
        participants: &[ActionId],
    ) -> bool {
        may_move(network, &self.committed, participants)
    }

    /// The receiving actions on `channel` of other processes than `sender`'s.
    pub(crate) fn receivers_of<'e>(
        &'e self,
        network: &'e CompiledNetwork,
        sender: Offer,
    ) -> impl Iterator<Item = ActionId> + 'e {
        let own = network.action(sender.action).process;
        self.receives
            .iter()
            .filter(move |offer| offer.channel == sender.channel)
            .map(|offer| offer.action)
            .filter(move |&action| network.action(action).process != own)
    }
}

/// Whether these actions may synchronise if these processes are in committed locations.
#[must_use]
pub fn may_move(network: &CompiledNetwork, committed: &[usize], participants: &[ActionId]) -> bool {
    let process = |&action: &ActionId| network.action(action).process.index();
    committed.is_empty() || participants.iter().any(|action| committed.contains(&process(action)))
}

fn offer(
    network: &CompiledNetwork,
    action: ActionId,
    values: &mut [i32],
    machine: &mut Machine,
) -> Result<Option<Offer>, RunTimeError> {
    if !guard_holds(network, action, values, machine)? {
        return Ok(None);
    }
    let channel = network.channel(action, values, machine)?;
    Ok(channel.map(|channel| Offer { action, channel }))
}

/// Whether the data guard holds; if it does, the bounds of clocks are evaluated too, because they
/// may fail.
fn guard_holds(
    network: &CompiledNetwork,
    action: ActionId,
    values: &mut [i32],
    machine: &mut Machine,
) -> Result<bool, RunTimeError> {
    let guard = &network.action(action).guard;
    let holds = network.data_holds(guard, values, machine)?;
    if holds && guard.has_computed_constraints() {
        network.for_each_constraint(guard, values, machine, |_| {})?;
    }
    Ok(holds)
}
