//! Who synchronises with whom.

use super::{Layers, NONE};
use crate::relaxation::network::{Network, Side};
use zonaut_base::Id;

/// One side of a channel: the first action that can be taken there, and the first of another
/// process. For every process one of them is a partner, if there is any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    action: u32,
    process: u32,
    other: u32,
}

impl Ready {
    pub(super) const NOBODY: Self = Self { action: NONE, process: NONE, other: NONE };

    fn partner_of(self, process: u32) -> u32 {
        if self.process == process { self.other } else { self.action }
    }

    /// Adds an action; says whether somebody who found no partner here may find one now.
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
    /// Finds out which of the actions that are ready can be taken: internal ones and announcements
    /// at once, the others with a partner in another process.
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
                if faulty!(NobodyJoins) {
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

    /// Starts the actions on the other side that found no partner before.
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
