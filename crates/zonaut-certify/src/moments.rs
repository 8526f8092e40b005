//! The valuations at which transitions are enabled: their guards hold, and the invariants of the
//! target hold after their updates. Priorities and deadlocks negate this condition.

use crate::clocks::Clocks;
use crate::core::State;
use crate::network::{Network, Offer, Transition, can_receive};
use crate::refusal::Trouble;
use crate::zone::{Atom, Zone};

/// The valuations at which the transitions of a discrete state are enabled.
pub(crate) struct Moments {
    /// The transitions, each with the valuations at which it is enabled.
    pub(crate) all: Vec<Transition<Zone>>,
    /// The atoms that they were computed from.
    pub(crate) atoms: Vec<Atom>,
}

/// The number of transitions that are tried one by one before all are considered together.
const LASTING: usize = 2;

impl Network<'_> {
    /// The valuations of `within` at which the transitions of `state` are enabled, before
    /// priorities. A transition that fails at run time counts as enabled where its guards hold.
    pub(crate) fn moments(
        &mut self,
        state: &State,
        offers: &[Offer],
        within: &Zone,
    ) -> Result<Moments, Trouble> {
        let mut atoms: Vec<Atom> = offers.iter().flat_map(|offer| offer.atoms.clone()).collect();
        let mut all = Vec::new();
        for mut transition in self.unordered_transitions(state, offers, within)? {
            let arrival = self.arrival_or_failure(state, offers, &transition.offers)?;
            let Some(arrival) = arrival else { continue };
            if transition.clocks.meet_all(&arrival)? {
                all.push(transition);
            }
            atoms.extend(arrival);
        }
        Ok(Moments { all, atoms })
    }

    /// The atoms under which the invariants of the target of a transition hold; `None` if a data
    /// condition of them fails. A transition that fails at run time needs none.
    fn arrival_or_failure(
        &mut self,
        state: &State,
        offers: &[Offer],
        participants: &[usize],
    ) -> Result<Option<Vec<Atom>>, Trouble> {
        match self.arrival_atoms(state, offers, participants) {
            Err(Trouble::RunTime(_)) => Ok(Some(Vec::new())),
            found => found,
        }
    }

    /// Whether one of the first transitions without broadcast is enabled, before priorities, at
    /// all valuations of `within`.
    pub(crate) fn has_lasting_transition(
        &mut self,
        state: &State,
        offers: &[Offer],
        within: &Zone,
    ) -> Result<bool, Trouble> {
        let lasts = |atoms: &[Atom]| atoms.iter().all(|&atom| within.satisfies(atom));
        let lasting: Vec<usize> = (0..offers.len()).filter(|&k| lasts(&offers[k].atoms)).collect();
        let mut transitions = Vec::new();
        for &first in &lasting {
            match offers[first].label {
                None => transitions.push(vec![first]),
                Some((channel, true)) if !self.core.channels[channel].broadcast => {
                    let receives = |&&k: &&usize| can_receive(&offers[k], &offers[first], channel);
                    transitions.extend(lasting.iter().filter(receives).map(|&k| vec![first, k]));
                }
                Some(_) => {}
            }
        }
        if self.is_committed(state) {
            let leaves = |&k: &usize| self.location(state, offers[k].process).committed;
            transitions.retain(|transition| transition.iter().any(leaves));
        }
        for transition in transitions.iter().take(LASTING) {
            let arrival = self.arrival_or_failure(state, offers, transition)?;
            if arrival.is_some_and(|atoms| lasts(&atoms)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes from every transition the valuations at which one of higher priority is enabled.
    pub(crate) fn highest<C: Clocks>(
        &mut self,
        state: &State,
        offers: &[Offer],
        clocks: &C,
        transitions: Vec<Transition<C>>,
    ) -> Result<Vec<Transition<C>>, Trouble> {
        let everything = Zone::all(self.core.clocks.len());
        let moments = self.moments(state, offers, &everything)?;
        clocks.require_both(&moments.atoms)?;
        let mut allowed = Vec::new();
        for transition in transitions {
            let own = self.priority(offers, &transition.offers);
            let mut parts = vec![transition.clocks.clone()];
            for higher in &moments.all {
                if self.priority(offers, &higher.offers) > own {
                    let mut outside = Vec::new();
                    for part in parts {
                        outside.extend(part.outside_zone(&higher.clocks)?);
                    }
                    parts = outside;
                }
            }
            allowed.extend(transition.split(parts));
        }
        Ok(allowed)
    }

    /// The priority of the channel, then that of the process with the highest priority.
    fn priority(&self, offers: &[Offer], participants: &[usize]) -> (u32, Option<u32>) {
        let channel = offers[participants[0]].label.map(|(channel, _)| channel);
        let processes =
            participants.iter().map(|&k| self.core.processes[offers[k].process].priority);
        let channel = channel.map(|channel| self.core.channels[channel].priority);
        (channel.unwrap_or(self.core.default_priority), processes.max())
    }
}
