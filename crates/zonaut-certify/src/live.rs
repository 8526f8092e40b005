//! Certificates of kind `live`: no maximal run avoids a formula.
//!
//! Every node of the set *stays* has a rank. The checks are that a run that avoids the formula is in
//! a node from its beginning on, that with every transition it comes to nodes of smaller rank, and
//! that it may stay for good nowhere. So it would have finitely many transitions, and its last stay
//! would be in a node; there it could stay for good. So there is no such run.
//!
//! Where it may begin at any moment at which a formula holds, a set *reached* has all states that
//! can be reached, as in [`crate::unreach`].

use crate::Limits;
use crate::certificate::Lines;
use crate::clocks::Clocks;
use crate::core::State;
use crate::formula::holding;
use crate::network::{Network, Offer};
use crate::nodes::{Nodes, read};
use crate::refusal::{Evaluated, Refusal, Trouble, require};
use crate::stay::{Aim, Ends, Stay, plain};
use crate::unreach::{check_closed, initial_zone};
use crate::zone::{Effect, Zone, images};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The nodes in which the formula is avoided, with their ranks.
struct Stays {
    nodes: Nodes,
    ranks: BTreeMap<usize, u64>,
}

/// What is the same for all nodes of a discrete state.
struct Group {
    ends: Ends,
    offers: Vec<Offer>,
    /// By the offers that take part, where transitions lead.
    arrivals: BTreeMap<Vec<usize>, Arrival>,
}

/// Where a transition leads.
struct Arrival {
    state: State,
    effects: Vec<Effect>,
    /// Nothing where a condition of the invariant on data fails.
    stay: Option<Stay>,
}

/// Checks the body of a certificate, and says how many nodes there are.
pub(crate) fn check(
    network: &mut Network<'_>,
    aim: Aim,
    lines: &mut Lines<'_>,
    limits: &Limits,
) -> Result<usize, Refusal> {
    let reached = match aim.begin {
        None => None,
        Some(_) => Some(read_set(network, lines, limits, "reached")?.0),
    };
    let (nodes, ranks) = read_set(network, lines, limits, "stays")?;
    let is_all = lines.is_at_end();
    lines.require(is_all, "text behind the last set")?;
    lines.require(ranks.len() == nodes.regions.len(), "every node that stays has a rank")?;
    let size = nodes.regions.len() + reached.as_ref().map_or(0, |nodes| nodes.regions.len());
    let stays = Stays { nodes, ranks };
    for (state, members) in &stays.nodes.groups {
        let mut group = None;
        for &node in members {
            let checked = stays.check_node(network, aim, (state, node), &mut group);
            checked.at(&format!("node {node}"))?;
        }
    }
    match (aim.begin, &reached) {
        (Some(begin), Some(reached)) => {
            check_closed(network, reached, &mut |network, state, region| {
                let Some(stay) = network.stay(state, aim.avoided)? else { return Ok(()) };
                for beginning in holding(network, state, (begin, true), region.clone())? {
                    stays.require_cover(&stay, state, &beginning.zone, None)?;
                }
                Ok(())
            })?;
        }
        _ => stays.check_start(network, aim).at("the initial state")?,
    }
    Ok(size)
}

/// Reads a set of this name, with the ranks of its nodes.
fn read_set(
    network: &mut Network<'_>,
    lines: &mut Lines<'_>,
    limits: &Limits,
    name: &str,
) -> Result<(Nodes, BTreeMap<usize, u64>), Refusal> {
    let found = lines.expect_one("set")?;
    lines.require(found == name, "this is not the set that is expected here")?;
    let mut ranks = BTreeMap::new();
    let nodes = read(network, lines, limits, &mut |lines, count, words| match *words {
        ["rank", node, rank] if name == "stays" => {
            let before = ranks.insert(lines.one_of("node", count, node)?, lines.natural(rank)?);
            lines.require(before.is_none(), "there are two ranks for one node")?;
            Ok(true)
        }
        _ => Ok(false),
    })?;
    lines.require(nodes.is_plain(), "these nodes are compared by inclusion, without reasons")?;
    Ok((nodes, ranks))
}

impl Stays {
    /// Checks that runs begin in nodes.
    fn check_start(&self, network: &mut Network<'_>, aim: Aim) -> Result<(), Trouble> {
        let state = network.core.initial();
        let zone = initial_zone(network)?;
        let stay = network.stay(&state, aim.avoided)?;
        let violated = || Trouble::rejected("an invariant is violated");
        let stay = stay.ok_or_else(violated)?;
        let mut landed = zone;
        if !landed.meet_all(&stay.invariant)? {
            return Err(violated());
        }
        self.require_cover(&stay, &state, &landed, None)
    }

    /// Checks that no run stays for good in a node, and that transitions lead to smaller ranks. What
    /// is the same for all nodes of a discrete state is evaluated with the first.
    fn check_node(
        &self,
        network: &mut Network<'_>,
        aim: Aim,
        (state, node): (&State, usize),
        group: &mut Option<Group>,
    ) -> Result<(), Trouble> {
        let Some(region) = &self.nodes.regions[node] else { return Ok(()) };
        if group.is_none() {
            let Some(stay) = network.stay(state, aim.avoided)? else { return Ok(()) };
            let (ends, offers) = (network.ends(state, &stay)?, network.offers(state)?);
            *group = Some(Group { ends, offers, arrivals: BTreeMap::new() });
        }
        let Some(Group { ends, offers, arrivals }) = group else { return Ok(()) };
        ends.require_none(&region.zone)?;
        let rank = self.ranks.get(&node).copied();
        for transition in network.transitions(state, offers, region)? {
            let arrival = match arrivals.entry(transition.offers.clone()) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let (state, effects) = network.act(state, offers, &transition.offers)?;
                    let stay = network.stay(&state, aim.avoided)?;
                    entry.insert(Arrival { state, effects, stay })
                }
            };
            let Some(stay) = &arrival.stay else { continue };
            let images = images(region.zone.size, &arrival.effects);
            let mut landed = transition.clocks.zone.moved(&images)?;
            if landed.meet_all(&stay.invariant)? {
                self.require_cover(stay, &arrival.state, &landed, rank)?;
            }
        }
        Ok(())
    }

    /// Requires that what a run comes to from `landed`, while it avoids the formula, is in nodes, of
    /// smaller rank than `below` if there is one.
    fn require_cover(
        &self,
        stay: &Stay,
        state: &State,
        landed: &Zone,
        below: Option<u64>,
    ) -> Result<(), Trouble> {
        let candidates = self.nodes.of(state).iter().copied();
        let is_smaller = |node: &usize| below.is_none_or(|rank| self.ranks[node] < rank);
        let candidates: Vec<usize> = candidates.filter(is_smaller).collect();
        for zone in stay.reached(landed)? {
            let is_covered = self.nodes.are_covering(&plain(zone), &candidates)?;
            require(is_covered, "no node of smaller rank covers where a run may go")?;
        }
        Ok(())
    }
}
