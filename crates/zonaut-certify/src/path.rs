//! Paths: transitions, and all valuations that take them.
//!
//! Every step is exact, so that each valuation at the end is that of a run along the transitions,
//! with some delays. What holds of the supremum of these valuations holds of what can be reached.

use crate::clocks::{Clocks, MANY_PARTS, PARTS, Region, limited};
use crate::core::State;
use crate::network::Network;
use crate::reach::{Participant, are_named};
use crate::refusal::{Trouble, require};
use crate::stay::plain;
use crate::unreach::initial_zone;
use crate::zone::{Zone, images};

/// Where a path has come to.
#[derive(Clone)]
pub(crate) struct Path {
    pub(crate) state: State,
    /// The valuations there, after any delay: the union of these zones.
    pub(crate) zones: Vec<Zone>,
}

impl Path {
    /// The path without transitions.
    pub(crate) fn start(network: &mut Network<'_>) -> Result<Self, Trouble> {
        if network.core.has_rates() {
            return Err(Trouble::undecided("values where clocks may stand still"));
        }
        let (state, zone) = (network.core.initial(), initial_zone(network)?);
        let mut path = Self { state, zones: Vec::new() };
        path.zones = path.delayed(network, vec![zone])?;
        require(!path.zones.is_empty(), "an invariant is violated")?;
        Ok(path)
    }

    /// Goes on by the transition of exactly these participants and any delay.
    pub(crate) fn act(
        &mut self,
        network: &mut Network<'_>,
        participants: &[Participant],
    ) -> Result<(), Trouble> {
        let offers = network.offers(&self.state)?;
        let (mut target, mut landed) = (None, Vec::new());
        for zone in &self.zones {
            for transition in network.transitions(&self.state, &offers, &plain(zone.clone()))? {
                if are_named(&offers, &transition.offers, participants) {
                    let (state, effects) = network.act(&self.state, &offers, &transition.offers)?;
                    landed.push(transition.clocks.zone.moved(&images(zone.size, &effects))?);
                    target = Some(state);
                }
            }
        }
        self.state = target.ok_or_else(|| Trouble::rejected("there is no such transition"))?;
        self.zones = self.delayed(network, limited(landed, PARTS, MANY_PARTS)?)?;
        require(!self.zones.is_empty(), "the transition violates an invariant of its target")
    }

    /// What the valuations of `landed` that satisfy the invariants come to by delay.
    fn delayed(&self, network: &mut Network<'_>, landed: Vec<Zone>) -> Result<Vec<Zone>, Trouble> {
        let Some(invariant) = network.invariant(&self.state)? else { return Ok(Vec::new()) };
        let passage = network.passage(&self.state)?;
        let mut zones: Vec<Zone> = Vec::new();
        for mut zone in landed {
            if !zone.meet_all(&invariant)? {
                continue;
            }
            let delayed = match &passage {
                None => vec![plain(zone)],
                Some(passage) => plain(zone).delayed(&invariant, passage)?,
            };
            for Region { zone, .. } in delayed {
                if !zones.iter().any(|known| known.includes(&zone)) {
                    zones.retain(|known| !zone.includes(known));
                    zones.push(zone);
                }
            }
        }
        limited(zones, PARTS, MANY_PARTS)
    }
}
