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
use crate::network::Network;
use crate::nodes::{Nodes, read};
use crate::refusal::{Evaluated, Refusal, Trouble, require};
use crate::stay::{Aim, Stay, plain};
use crate::unreach::{check_closed, initial_zone};
use crate::zone::{Zone, images};
use std::collections::BTreeMap;

/// The nodes in which the formula is avoided, with their ranks.
struct Stays {
    nodes: Nodes,
    ranks: BTreeMap<usize, u64>,
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
    let is_more = lines.is_at("set");
    lines.require(!is_more, "there is another set")?;
    lines.require(ranks.len() == nodes.regions.len(), "every node that stays has a rank")?;
    let size = nodes.regions.len() + reached.as_ref().map_or(0, |nodes| nodes.regions.len());
    let stays = Stays { nodes, ranks };
    for (state, members) in &stays.nodes.groups {
        for &node in members {
            stays.check_node(network, aim, (state, node)).at(&format!("node {node}"))?;
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

    /// Checks that no run stays for good in a node, and that transitions lead to smaller ranks.
    fn check_node(
        &self,
        network: &mut Network<'_>,
        aim: Aim,
        (state, node): (&State, usize),
    ) -> Result<(), Trouble> {
        let Some(region) = &self.nodes.regions[node] else { return Ok(()) };
        let Some(stay) = network.stay(state, aim.avoided)? else { return Ok(()) };
        network.ends(state, &stay)?.require_none(&region.zone)?;
        let offers = network.offers(state)?;
        let rank = self.ranks.get(&node).copied();
        for transition in network.transitions(state, &offers, region)? {
            let (target, effects) = network.act(state, &offers, &transition.offers)?;
            let Some(stay) = network.stay(&target, aim.avoided)? else { continue };
            let mut landed = transition.clocks.moved(&images(region.zone.size, &effects))?.zone;
            if landed.meet_all(&stay.invariant)? {
                self.require_cover(&stay, &target, &landed, rank)?;
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
