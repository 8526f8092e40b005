//! Matching of synchronisation partners.

use super::{Layers, NONE};
use crate::relaxation::network::{Network, Side};
use zonaut_base::Id;

/// One side of a channel: the first enabled action, and the first enabled one of another process.
/// For every process one of them is a partner, if there is a partner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    action: u32,
    process: u32,
    other: u32,
}

impl Ready {
    pub(super) const EMPTY: Self = Self { action: NONE, process: NONE, other: NONE };

    fn partner_of(self, process: u32) -> u32 {
        if self.process == process { self.other } else { self.action }
    }

    /// Adds an action; returns whether an action without a partner may have one now.
    fn add(&mut self, action: u32, process: u32) -> bool {
        if self.action == NONE {
            (self.action, self.process) = (action, process);
            return true;
        }
        let is_other = self.other == NONE && self.process != process;
        if is_other {
            self.other = action;
        }
        is_other
    }
}

impl Layers {
    /// Determines the enabled ones of the ready actions: internal ones and broadcasts at once, the
    /// others with a partner in another process.
    pub(super) fn match_partners(&mut self, network: &Network) {
        for position in 0..self.ready.len() {
            let action = self.ready[position];
            let Some((channel, side)) = network.actions[action as usize].channel else {
                self.start(action, NONE);
                continue;
            };
            let channel = channel.index();
            let process = network.process_number(action);
            let receives = side == Side::Receive;
            let (own, across) = if receives {
                (&mut self.receiving[channel], self.sending[channel])
            } else {
                (&mut self.sending[channel], self.receiving[channel])
            };
            let is_new = own.add(action, process);
            if side == Side::Announce {
                self.start(action, NONE);
                if faulty!(NoReceiverJoins) {
                    continue;
                }
            }
            if across.partner_of(process) == NONE {
                continue;
            }
            self.start(action, across.partner_of(process));
            if is_new {
                self.call_waiting(network, side, action);
            }
        }
        self.ready.clear();
    }

    /// Starts the actions on the other side that had no partner before.
    fn call_waiting(&mut self, network: &Network, side: Side, action: u32) {
        let Some((channel, _)) = network.actions[action as usize].channel else { return };
        let channel = channel.index();
        let others = if side == Side::Receive {
            network.senders.of(channel)
        } else {
            network.receivers.of(channel)
        };
        let process = network.process_number(action);
        for &other in others {
            let is_ready = self.nodes[(network.first_action + other) as usize].missing == 0;
            if is_ready && network.process_number(other) != process {
                self.start(other, action);
            }
        }
    }

    fn start(&mut self, action: u32, partner: u32) {
        if !self.is_fired[action as usize] && !self.is_forbidden[action as usize] {
            self.is_fired[action as usize] = true;
            self.partner[action as usize] = partner;
            self.firing.push(action);
        }
    }
}
