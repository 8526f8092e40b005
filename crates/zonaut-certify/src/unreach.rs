//! Certificates of kind `unreach`: a set of zones that is closed under everything the network can
//! do and in which the formula holds nowhere.
//!
//! By induction every reachable state is in the set: the initial states are, and with a state all
//! those after one transition and a delay. A node stands for the valuations of its zone, or, with
//! constants, for all valuations below one of its zone; see [`crate::simulation`].

mod nodes;

use crate::Limits;
use crate::Refusal::Rejected;
use crate::cartesian;
use crate::certificate::Lines;
use crate::clocks::{Clocks, Region, outside_of_all};
use crate::formula::holds_somewhere;
use crate::network::{Network, Offer, State};
use crate::refusal::{Refusal, Trouble};
use crate::simulation::Simulation;
use crate::zone::{Atom, Effect, Zone, images};
use nodes::{Nodes, read};
use std::collections::BTreeMap;

/// Where a transition of a discrete state leads, as far as clocks have no say.
struct Arrival<'s> {
    state: State,
    effects: Vec<Effect>,
    /// Nothing where a condition on data fails.
    invariant: Option<Vec<Atom>>,
    /// When time stops there; not evaluated before a valuation arrives.
    urgency: Option<Option<Vec<Vec<Atom>>>>,
    /// The nodes that have this discrete state.
    candidates: &'s [usize],
}

/// Checks the body of a certificate: that no state where the part `goal` of the formula holds, as
/// it stands or negated, can be reached, and none where the model fails. Says how many nodes there
/// are.
pub(crate) fn check(
    network: &mut Network<'_>,
    goal: (usize, bool),
    lines: &mut Lines<'_>,
    limits: &Limits,
) -> Result<usize, Refusal> {
    let nodes = read(network, lines, limits)?;
    let mut checker = Checker { network, nodes: &nodes };
    for (id, invariant) in nodes.invariants.iter().enumerate() {
        let checked = cartesian::check(checker.network, goal, invariant);
        checked.map_err(|trouble| trouble.refusal(&format!("invariant {id}")))?;
    }
    checker.check_start().map_err(|trouble| trouble.refusal("the initial state"))?;
    for (state, members) in &nodes.groups {
        checker.check_group(goal, state, members)?;
    }
    Ok(nodes.count)
}

struct Checker<'n, 'c, 's> {
    network: &'n mut Network<'c>,
    nodes: &'s Nodes,
}

impl<'s> Checker<'_, '_, 's> {
    fn check_start(&mut self) -> Result<(), Trouble> {
        let clocks = self.network.core.clocks.len() - 1;
        let initial = self.network.core.clocks.iter().enumerate().skip(1);
        let effects: Vec<_> = initial.map(|(k, clock)| Effect::Set(k, clock.initial)).collect();
        let simulation = self.nodes.simulate.then(|| Simulation::blind(clocks));
        let anything = Region { zone: Zone::all(clocks), simulation };
        let state = self.network.initial();
        let mut arrival = self.arrival(state, effects)?;
        let regions = self.arrive(&mut arrival, &anything)?;
        if regions.is_empty() {
            return Err(Trouble::rejected("an invariant is violated"));
        }
        for region in regions {
            if !self.is_covered(&region, &arrival, &[])? {
                return Err(Trouble::rejected("no node covers it"));
            }
        }
        Ok(())
    }

    /// Checks all nodes with the same discrete state.
    fn check_group(
        &mut self,
        goal: (usize, bool),
        state: &State,
        members: &[usize],
    ) -> Result<(), Refusal> {
        let mut offers = None;
        let mut arrivals = BTreeMap::new();
        for &node in members {
            let Some(region) = &self.nodes.regions[node] else { continue };
            let place = format!("node {node}");
            if let Some(&reason) = self.nodes.reasons.get(&node) {
                let invariant = &self.nodes.invariants[reason];
                if !invariant.contains(self.network.core, &state.locations, &state.cells) {
                    return Err(Rejected(format!("{place}: it is not inside its invariant")));
                }
                continue;
            }
            if holds_somewhere(self.network, state, goal, region.clone())
                .map_err(|trouble| trouble.refusal(&place))?
            {
                return Err(Rejected(format!("{place}: the formula can hold")));
            }
            if offers.is_none() {
                let found = self.network.offers(state);
                offers = Some(found.map_err(|trouble| trouble.refusal(&place))?);
            }
            let offers = offers.as_deref().unwrap_or_default();
            self.check_node((node, region), state, offers, &mut arrivals)?;
        }
        Ok(())
    }

    /// Checks that every transition leads from a node into nodes.
    fn check_node(
        &mut self,
        (node, region): (usize, &Region),
        state: &State,
        offers: &[Offer],
        arrivals: &mut BTreeMap<Vec<usize>, Arrival<'s>>,
    ) -> Result<(), Refusal> {
        let transitions = self.network.transitions(state, offers, region);
        let transitions =
            transitions.map_err(|trouble| trouble.refusal(&format!("node {node}")))?;
        let hints = self.nodes.hints.get(&node).map_or(&[][..], Vec::as_slice);
        for transition in transitions {
            let covered = (|| {
                if !arrivals.contains_key(&transition.offers) {
                    let (target, effects) = self.network.act(state, offers, &transition.offers)?;
                    let arrival = self.arrival(target, effects)?;
                    arrivals.insert(transition.offers.clone(), arrival);
                }
                let Some(arrival) = arrivals.get_mut(&transition.offers) else { return Ok(false) };
                for piece in self.arrive(arrival, &transition.clocks)? {
                    if !self.is_covered(&piece, arrival, hints)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            })();
            let name = || {
                let names = transition.offers.iter().map(|&k| self.name(&offers[k]));
                format!("node {node}, transition {}", names.collect::<Vec<_>>().join(" "))
            };
            if !covered.map_err(|trouble: Trouble| trouble.refusal(&name()))? {
                return Err(Rejected(format!("{}: no node covers where it leads", name())));
            }
        }
        Ok(())
    }

    fn name(&self, offer: &Offer) -> String {
        let process = &self.network.core.processes[offer.process].name;
        let select: String = offer.select.iter().map(|value| format!(",{value}")).collect();
        format!("{process}.{}{select}", offer.edge)
    }

    fn arrival(&mut self, state: State, effects: Vec<Effect>) -> Result<Arrival<'s>, Trouble> {
        let invariant = self.network.invariant(&state)?;
        let candidates = self.nodes.groups.get(&state).map_or(&[][..], Vec::as_slice);
        Ok(Arrival { state, effects, invariant, urgency: None, candidates })
    }

    /// The valuations reached from `region` by a transition and a delay.
    fn arrive(
        &mut self,
        arrival: &mut Arrival<'_>,
        region: &Region,
    ) -> Result<Vec<Region>, Trouble> {
        let Some(invariant) = &arrival.invariant else { return Ok(Vec::new()) };
        let images = images(region.zone.clocks(), &arrival.effects);
        let mut region = region.moved(&images)?;
        if !region.meet_all(invariant)? {
            return Ok(Vec::new());
        }
        if arrival.urgency.is_none() {
            arrival.urgency = Some(self.network.urgency(&arrival.state)?);
        }
        match arrival.urgency.as_ref().and_then(Option::as_ref) {
            None => Ok(vec![region]),
            Some(urgent) => region.delayed(invariant, urgent),
        }
    }

    /// Whether nodes cover `region`: one of them, those hinted at first, or several together.
    fn is_covered(
        &self,
        region: &Region,
        arrival: &Arrival<'_>,
        hints: &[usize],
    ) -> Result<bool, Trouble> {
        let hinted = hints.iter().filter(|hint| arrival.candidates.binary_search(hint).is_ok());
        for node in hinted.chain(arrival.candidates) {
            if self.covers(*node, region)? {
                return Ok(true);
            }
        }
        self.are_covering(region, arrival.candidates)
    }

    /// Whether a node covers `region`.
    ///
    /// With constants: valuations below those of `region`, up to the constants that hold there, have
    /// to be below them up to the node's constants too, which must therefore be no larger.
    fn covers(&self, node: usize, region: &Region) -> Result<bool, Trouble> {
        let Some(cover) = &self.nodes.regions[node] else { return Ok(false) };
        match (&cover.simulation, &region.simulation) {
            (None, None) => Ok(cover.zone.includes(&region.zone)),
            (Some(large), Some(small)) => {
                Ok(small.is_finer_than(large) && large.covers(&cover.zone, &region.zone)?)
            }
            _ => Ok(false),
        }
    }

    /// Whether several nodes together cover `region`: what is left without one of them is covered
    /// by the others.
    fn are_covering(&self, region: &Region, candidates: &[usize]) -> Result<bool, Trouble> {
        let simulation = &region.simulation;
        let mut left = vec![region.zone.clone()];
        for &node in candidates {
            let Some(cover) = &self.nodes.regions[node] else { continue };
            if let (Some(small), Some(large)) = (simulation, &cover.simulation)
                && !small.is_finer_than(large)
            {
                continue;
            }
            let open = self.not_covered(node, left, simulation)?;
            left = outside_of_all(open, &cover.zone.atoms())?;
            // Parts that lie outside of the zone may still be below valuations of it.
            left = self.not_covered(node, left, simulation)?;
            if left.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Those of `zones` that `node` does not cover.
    fn not_covered(
        &self,
        node: usize,
        zones: Vec<Zone>,
        simulation: &Option<Simulation>,
    ) -> Result<Vec<Zone>, Trouble> {
        let mut open = Vec::new();
        for zone in zones {
            let part = Region { zone, simulation: simulation.clone() };
            if !self.covers(node, &part)? {
                open.push(part.zone);
            }
        }
        Ok(open)
    }
}
