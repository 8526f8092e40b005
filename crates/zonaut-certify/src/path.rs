//! Paths: transitions, and all valuations that take them.
//!
//! Every step is exact, so that each valuation at the end is that of a run along the transitions,
//! with some delays. What holds of the supremum of these valuations holds of what can be reached.

use crate::certificate::Lines;
use crate::clocks::{Clocks, MANY_PARTS, PARTS, Region, limited};
use crate::core::State;
use crate::deadlock::{Future, Stuck};
use crate::network::Network;
use crate::reach::{Participant, are_named, participants};
use crate::refusal::{Evaluated, Refusal, Trouble, require};
use crate::simulation::Simulation;
use crate::unreach::initial_zone;
use crate::zone::{Atom, Zone, images};

/// Exactly these valuations: comparisons that do not respect the order are refused.
#[derive(Clone)]
pub(crate) struct Ordered(Region);

impl Clocks for Ordered {
    fn meet(&mut self, atom: Atom) -> Result<bool, Trouble> {
        self.0.require(atom)?;
        self.0.zone.meet(atom)
    }

    fn outside_zone(self, zone: &Zone) -> Result<Vec<Self>, Trouble> {
        Ok(self.0.outside_zone(zone)?.into_iter().map(Self).collect())
    }

    fn require_both(&self, atoms: &[Atom]) -> Result<(), Trouble> {
        self.0.require_both(atoms)
    }
}

impl Stuck for Ordered {
    fn stuck(self, future: &Future, wanted: bool) -> Result<Vec<Self>, Trouble> {
        Ok(self.0.stuck(future, wanted)?.into_iter().map(Self).collect())
    }
}

impl Ordered {
    pub(crate) fn zone(&self) -> &Zone {
        &self.0.zone
    }
}

/// Where a path has come to.
#[derive(Clone)]
pub(crate) struct Path {
    pub(crate) state: State,
    /// The valuations there, after any delay: the union of these zones.
    pub(crate) zones: Vec<Zone>,
    /// The order that all comparisons have to respect, so that valuations above these take the same
    /// transitions; nothing where that does not matter.
    pub(crate) order: Option<Simulation>,
}

impl Path {
    /// The path without transitions.
    pub(crate) fn start(network: &mut Network<'_>) -> Result<Self, Trouble> {
        if network.core.has_rates() {
            return Err(Trouble::undecided("values where clocks may stand still"));
        }
        let (state, zone) = (network.core.initial(), initial_zone(network)?);
        let mut path = Self { state, zones: Vec::new(), order: None };
        path.zones = path.delayed(network, vec![zone])?;
        require(!path.zones.is_empty(), "an invariant is violated")?;
        Ok(path)
    }

    /// Goes on by the transitions that are read; says how many there are.
    pub(crate) fn follow(
        &mut self,
        network: &mut Network<'_>,
        lines: &mut Lines<'_>,
    ) -> Result<usize, Refusal> {
        let mut length = 0;
        while lines.is_at("act") {
            let words = lines.expect("act")?;
            let participants = participants(lines, &words)?;
            self.act(network, &participants).at(&format!("line {}", lines.number))?;
            length += 1;
        }
        Ok(length)
    }

    /// Leaves the valuations that satisfy all of `atoms`.
    pub(crate) fn confine(&mut self, atoms: &[Atom]) -> Result<(), Trouble> {
        let mut kept = Vec::new();
        for mut zone in std::mem::take(&mut self.zones) {
            if zone.meet_all(atoms)? {
                kept.push(zone);
            }
        }
        self.zones = kept;
        require(!self.zones.is_empty(), "no valuation is left")
    }

    /// Valuations, in the order.
    pub(crate) fn ordered(&self, zone: Zone) -> Ordered {
        Ordered(Region { zone, simulation: self.order.clone() })
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
            let valuations = self.ordered(zone.clone());
            for transition in network.transitions(&self.state, &offers, &valuations)? {
                if are_named(&offers, &transition.offers, participants) {
                    let (state, effects) = network.act(&self.state, &offers, &transition.offers)?;
                    let Region { zone, simulation } =
                        transition.clocks.0.moved(&images(zone.size, &effects))?;
                    landed.push(zone);
                    target = Some((state, simulation));
                }
            }
        }
        let target = target.ok_or_else(|| Trouble::rejected("there is no such transition"))?;
        (self.state, self.order) = target;
        self.zones = self.delayed(network, limited(landed, PARTS, MANY_PARTS)?)?;
        require(!self.zones.is_empty(), "the transition violates an invariant of its target")
    }

    /// What the valuations of `landed` that satisfy the invariants come to by delay.
    fn delayed(&self, network: &mut Network<'_>, landed: Vec<Zone>) -> Result<Vec<Zone>, Trouble> {
        let Some(invariant) = network.invariant(&self.state)? else { return Ok(Vec::new()) };
        let passage = network.passage(&self.state)?;
        let mut zones: Vec<Zone> = Vec::new();
        for zone in landed {
            let mut landed = self.ordered(zone);
            if !landed.meet_all(&invariant)? {
                continue;
            }
            let delayed = match &passage {
                None => vec![landed.0],
                // That the invariant respects the order was required of it just now.
                Some(passage) => landed.0.delayed(&invariant, passage)?,
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
