//! Whether time may pass at a clock valuation.

use super::clocks::Clocks;
use super::machine::Machine;
use super::state::State;
use zonaut_model::{Direction, LocationKind};

impl<C: Clocks> Machine<'_, C> {
    /// Whether urgency allows a delay from `state`, which must be the one last looked at: no
    /// process is in an urgent or committed location, and no synchronisation on an urgent channel
    /// is enabled. Invariants are checked in the state after the delay.
    #[must_use]
    pub fn time_may_pass(&self, state: &State<C::Value>) -> bool {
        !self.is_somewhere(state, LocationKind::Urgent)
            && !self.is_somewhere(state, LocationKind::Committed)
            && !self.urgent_synchronisation_is_enabled()
    }

    /// Whether the guards of a sender, and for a binary channel of a receiver in another process,
    /// hold on some urgent channel. Invariants of the target are not considered.
    #[must_use]
    pub fn urgent_synchronisation_is_enabled(&self) -> bool {
        self.offers.iter().any(|sender| {
            let Some((channel, Direction::Send)) = sender.synchronisation else { return false };
            let properties = &self.model.channels[channel];
            properties.urgent && (properties.broadcast || self.has_partner(sender.process, channel))
        })
    }

    fn has_partner(
        &self,
        sender: zonaut_model::ProcessId,
        channel: zonaut_model::ChannelId,
    ) -> bool {
        self.offers.iter().any(|offer| {
            offer.process != sender && offer.synchronisation == Some((channel, Direction::Receive))
        })
    }

    /// Whether any channel is urgent.
    #[must_use]
    pub fn has_urgent_channels(&self) -> bool {
        self.model.channels.iter().any(|channel| channel.urgent)
    }
}
