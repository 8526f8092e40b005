//! Symbolic paths: sequences of transitions, with all valuations that can follow them.
//!
//! Every step is exact, so each valuation at the end is reached by a run along the transitions,
//! with some delays. Suprema of these valuations are therefore suprema of reachable values.

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
use std::sync::Arc;

/// A set of exact valuations that refuses comparisons which do not respect the order.
#[derive(Clone)]
pub(crate) struct Ordered(Region);

impl Clocks for Ordered {
    fn meet(&mut self, atom: Atom) -> Result<bool, Trouble> {
        self.0.require(atom)?;
        self.0.zone.meet(atom)
    }

    /// Always true, because [`Clocks::meet`] refuses comparisons.
    fn may_meet(&self, _: Atom) -> bool {
        true
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

/// The end of a path.
#[derive(Clone)]
pub(crate) struct Path {
    pub(crate) state: State,
    /// The valuations at the end, after any delay: the union of these zones.
    pub(crate) zones: Vec<Zone>,
    /// The order that all comparisons must respect, so that valuations above these can take the
    /// same transitions; `None` if any comparison is allowed.
    pub(crate) order: Option<Arc<Simulation>>,
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

    /// Extends the path by the transitions that are read; returns their number.
    pub(crate) fn follow(
        &mut self,
        network: &mut Network<'_>,
        lines: &mut Lines<'_>,
    ) -> Result<usize, Refusal> {
        let mut length = 0;
        while lines.is_at("act") {
            let words = lines.expect("act")?;
            let participants = participants(lines, &words)?;
            self.act(network, &participants).at(format_args!("line {}", lines.number))?;
            length += 1;
        }
        Ok(length)
    }

    /// Keeps the valuations that satisfy all of `atoms`.
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

    /// The valuations of a zone, with the order of the path.
    pub(crate) fn ordered(&self, zone: Zone) -> Ordered {
        Ordered(Region { zone, simulation: self.order.clone() })
    }

    /// Extends the path by the transition of exactly these participants and any delay.
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

    /// The valuations reached by delays from the valuations of `landed` that satisfy the
    /// invariants.
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
                // The invariant was required to respect the order above.
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
