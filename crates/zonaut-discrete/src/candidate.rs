//! Candidate transitions of a state, determined by locations and data alone.
//!
//! Clocks are evaluated later: firing a candidate yields its successor states, or none if a clock
//! guard or an invariant of the target excludes it.

use crate::enabled::{Enabled, Offer};
use crate::scratch::DiscreteScratch;
use std::ops::ControlFlow;
use zonaut_compile::{ActionId, CompiledNetwork};
use zonaut_model::interpret::RunTimeError;

/// Actions whose data guards hold and which may synchronise.
#[derive(Clone, Copy, Debug)]
pub enum Candidate<'c> {
    /// These actions, the sender's first, receivers in system order.
    Joint(&'c [ActionId]),
    /// A broadcast some of whose receivers have clock guards, so that clocks decide which take
    /// part: every process with one of its actions, unless all their guards fail.
    Broadcast(Broadcast<'c>),
}

/// A sender with all actions that may receive.
#[derive(Clone, Copy, Debug)]
pub struct Broadcast<'c> {
    /// The sending action.
    pub sender: ActionId,
    /// The actions that may receive, in system order.
    pub receivers: &'c [ActionId],
    /// The processes of which one must take part; if empty, there is no such requirement.
    pub committed: &'c [usize],
}

/// The visitor of each candidate, with the working memory to fire it.
type Offered<'o, S> = dyn FnMut(Candidate<'_>, &mut S) -> ControlFlow<()> + 'o;

/// Visits the candidate transitions of the state that is [left](DiscreteScratch::leave), in a fixed
/// order, without regard to priorities. `S` is the working memory of the time domain.
///
/// # Errors
/// If a guard or the index of a channel cannot be evaluated: then no candidate is visited. If the
/// meter stops: then some candidates may be missing.
#[inline]
pub fn for_each_candidate<S: AsMut<DiscreteScratch>>(
    network: &CompiledNetwork,
    scratch: &mut S,
    mut visit: impl FnMut(Candidate<'_>, &mut S) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, RunTimeError> {
    let discrete = scratch.as_mut();
    let mut enabled = std::mem::take(&mut discrete.enabled);
    let collected = enabled.collect(network, &mut discrete.source, &mut discrete.machine);
    let flow = collected.map(|()| offer_all(network, &enabled, scratch, &mut visit));
    let discrete = scratch.as_mut();
    discrete.enabled = enabled;
    if flow == Ok(ControlFlow::Continue(())) {
        discrete.machine.spend(0)?;
    }
    flow
}

fn offer_all<S: AsMut<DiscreteScratch>>(
    network: &CompiledNetwork,
    enabled: &Enabled,
    scratch: &mut S,
    visit: &mut impl FnMut(Candidate<'_>, &mut S) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for action in &enabled.internal {
        visit(Candidate::Joint(std::slice::from_ref(action)), scratch)?;
    }
    for &send in &enabled.sends {
        // The scan visits every receiver. The caller learns at the end that candidates are missing.
        if scratch.as_mut().machine.spend(enabled.receives.len()).is_err() {
            return ControlFlow::Continue(());
        }
        if network.is_broadcast(send.channel) {
            offer_broadcast(network, enabled, send, scratch, visit)?;
            continue;
        }
        for receiver in enabled.receivers_of(network, send) {
            let pair = [send.action, receiver];
            if enabled.committed_rule_allows(network, &pair) {
                visit(Candidate::Joint(&pair), scratch)?;
            }
        }
    }
    ControlFlow::Continue(())
}

fn offer_broadcast<S: AsMut<DiscreteScratch>>(
    network: &CompiledNetwork,
    enabled: &Enabled,
    send: Offer,
    scratch: &mut S,
    visit: &mut Offered<'_, S>,
) -> ControlFlow<()> {
    let mut receivers = std::mem::take(&mut scratch.as_mut().receivers);
    receivers.clear();
    receivers.extend(enabled.receivers_of(network, send));
    let is_timed = |&action: &ActionId| network.action(action).guard.constrains_clocks();
    let flow = if receivers.iter().any(is_timed) {
        let (sender, committed) = (send.action, enabled.committed());
        let broadcast = Broadcast { sender, receivers: &receivers, committed };
        visit(Candidate::Broadcast(broadcast), scratch)
    } else {
        let mut participants = std::mem::take(&mut scratch.as_mut().participants);
        participants.clear();
        participants.push(send.action);
        let mut choice = Choice { network, enabled, participants: &mut participants };
        let flow = choice.offer(&receivers, scratch, visit);
        scratch.as_mut().participants = participants;
        flow
    };
    scratch.as_mut().receivers = receivers;
    flow
}

/// A broadcast whose receivers have no clock guards, so that each process takes part, while one
/// action is chosen for each.
struct Choice<'c> {
    network: &'c CompiledNetwork,
    enabled: &'c Enabled,
    participants: &'c mut Vec<ActionId>,
}

impl Choice<'_> {
    fn offer<S: AsMut<DiscreteScratch>>(
        &mut self,
        receivers: &[ActionId],
        scratch: &mut S,
        visit: &mut Offered<'_, S>,
    ) -> ControlFlow<()> {
        let process = |action: ActionId| self.network.action(action).process;
        let Some(&first) = receivers.first() else {
            if scratch.as_mut().machine.spend(self.participants.len()).is_err() {
                return ControlFlow::Continue(());
            }
            if self.enabled.committed_rule_allows(self.network, self.participants) {
                return visit(Candidate::Joint(self.participants), scratch);
            }
            return ControlFlow::Continue(());
        };
        let is_other = |&action: &ActionId| process(action) != process(first);
        let own = receivers.iter().position(is_other).unwrap_or(receivers.len());
        let (own, others) = receivers.split_at(own);
        for &receiver in own {
            self.participants.push(receiver);
            let flow = self.offer(others, scratch, visit);
            self.participants.pop();
            flow?;
        }
        ControlFlow::Continue(())
    }
}
