//! Which actions the data of a state allows, and which of them can move together.
//!
//! Order and extent of evaluation matter for run-time errors, so they are part of the semantics:
//! data guards are evaluated in the state before the transition; internal actions only of processes
//! that may move under the committed rule; a receiving action only where an enabled sending one is
//! on a channel that it may name; the index of a channel only where the data guard holds.

use zonaut_base::Id;
use zonaut_compile::{ActionId, CompiledNetwork, Machine};
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{ChannelId, LocationKind};

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
    /// Whether some process is in a committed location.
    pub(crate) committed: bool,
    /// By process, whether it is in a committed location.
    is_committed: Vec<bool>,
}

impl Enabled {
    /// Finds the enabled actions of the state with these `values`.
    pub(crate) fn collect(
        &mut self,
        network: &CompiledNetwork,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<(), RunTimeError> {
        self.find_committed(network, values);
        self.internal.clear();
        self.sends.clear();
        self.receives.clear();
        for process in 0..network.process_count() {
            let location = network.location(process, values);
            if !self.committed || self.is_committed[process] {
                for &action in &location.internal {
                    if network.data_holds(&network.action(action).guard, values, machine)? {
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
        if self.sends.is_empty() {
            return Ok(());
        }
        for process in 0..network.process_count() {
            let location = network.location(process, values);
            for &action in &location.receives {
                let wanted = self.sends.iter().any(|send| network.may_name(action, send.channel));
                if wanted && let Some(offer) = offer(network, action, values, machine)? {
                    self.receives.push(offer);
                }
            }
        }
        Ok(())
    }

    fn find_committed(&mut self, network: &CompiledNetwork, values: &[i32]) {
        self.is_committed.clear();
        let kind = |process| network.location(process, values).kind;
        let processes = 0..network.process_count();
        self.is_committed.extend(processes.map(|p| kind(p) == LocationKind::Committed));
        self.committed = self.is_committed.contains(&true);
    }

    /// Whether these actions may move together under the committed rule.
    pub(crate) fn committed_rule_allows(
        &self,
        network: &CompiledNetwork,
        participants: &[ActionId],
    ) -> bool {
        let leaves = |&action: &ActionId| self.is_committed[network.action(action).process.index()];
        !self.committed || participants.iter().any(leaves)
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

fn offer(
    network: &CompiledNetwork,
    action: ActionId,
    values: &mut [i32],
    machine: &mut Machine,
) -> Result<Option<Offer>, RunTimeError> {
    if !network.data_holds(&network.action(action).guard, values, machine)? {
        return Ok(None);
    }
    let channel = network.channel(action, values, machine)?;
    Ok(channel.map(|channel| Offer { action, channel }))
}
