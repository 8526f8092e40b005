//! Urgency: the conditions under which time stops.

use crate::enabled::Enabled;
use crate::scratch::clock_guards;
use zonaut_compile::{CompiledNetwork, Constraint, LocationFlags, Machine};
use zonaut_model::interpret::RunTimeError;

/// The conditions under which time stops in a discrete state; `C` is the time domain's type of
/// clock constraints.
#[derive(Clone, Debug)]
pub enum Urgency<C = Constraint> {
    /// Time is bounded by invariants only.
    Free,
    /// Time stops at once.
    Now,
    /// Time stops as soon as one of these conjunctions of clock constraints holds.
    When(Vec<Vec<C>>),
}

impl<C: From<Constraint>> Urgency<C> {
    /// The urgency of the state with these `values`, whose locations have these `location_flags`.
    pub(crate) fn of(
        network: &CompiledNetwork,
        location_flags: LocationFlags,
        values: &mut [i32],
        machine: &mut Machine,
        enabled: &mut Enabled,
    ) -> Result<Self, RunTimeError> {
        if location_flags.include(LocationFlags::URGENT) {
            return Ok(Self::Now);
        }
        if !network.has_urgent_channels() {
            return Ok(Self::Free);
        }
        enabled.collect(network, values, machine)?;
        let mut conditions = Vec::new();
        for &send in enabled.sends.iter().filter(|send| network.is_urgent(send.channel)) {
            if network.is_broadcast(send.channel) {
                conditions.push(clock_guards(network, &[send.action], values, machine)?);
                continue;
            }
            for receiver in enabled.receivers_of(network, send) {
                let pair = [send.action, receiver];
                conditions.push(clock_guards(network, &pair, values, machine)?);
            }
        }
        if conditions.iter().any(Vec::is_empty) {
            return Ok(Self::Now);
        }
        Ok(if conditions.is_empty() { Self::Free } else { Self::When(conditions) })
    }
}
