//! When transitions are possible: their guards hold, and after their updates the invariants of the
//! target do. What negates that, priorities and deadlocks, starts from here.

use crate::clocks::Clocks;
use crate::core::State;
use crate::network::{Network, Offer, Transition};
use crate::refusal::Trouble;
use crate::zone::{Atom, Zone};

/// When the transitions of a discrete state are possible.
pub(crate) struct Moments {
    /// The transitions, with the valuations at which they are possible.
    pub(crate) all: Vec<Transition<Zone>>,
    /// The atoms that this was computed from.
    pub(crate) atoms: Vec<Atom>,
}

impl Network<'_> {
    /// When the transitions of `state` are possible, among the valuations `within`, before
    /// priorities are considered. One that fails at run time counts as possible where its guards
    /// hold.
    pub(crate) fn moments(
        &mut self,
        state: &State,
        offers: &[Offer],
        within: &Zone,
    ) -> Result<Moments, Trouble> {
        let mut atoms: Vec<Atom> = offers.iter().flat_map(|offer| offer.atoms.clone()).collect();
        let mut all = Vec::new();
        for mut transition in self.unordered_transitions(state, offers, within)? {
            let arrival = match self.arrival_atoms(state, offers, &transition.offers) {
                Ok(None) => continue,
                Ok(Some(arrival)) => arrival,
                Err(Trouble::RunTime(_)) => Vec::new(),
                Err(trouble) => return Err(trouble),
            };
            if transition.clocks.meet_all(&arrival)? {
                all.push(transition);
            }
            atoms.extend(arrival);
        }
        Ok(Moments { all, atoms })
    }

    /// Takes from every transition the valuations at which one of higher priority is possible.
    pub(crate) fn highest<C: Clocks>(
        &mut self,
        (state, offers): (&State, &[Offer]),
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

    /// The priority of the channel, then that of the highest process.
    fn priority(&self, offers: &[Offer], participants: &[usize]) -> (u32, Option<u32>) {
        let channel = offers[participants[0]].label.map(|(channel, _)| channel);
        let processes =
            participants.iter().map(|&k| self.core.processes[offers[k].process].priority);
        let channel = channel.map(|channel| self.core.channels[channel].priority);
        (channel.unwrap_or(self.core.default_priority), processes.max())
    }
}
