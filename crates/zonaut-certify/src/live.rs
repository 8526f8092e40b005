//! Certificates of kind `live`: no maximal run avoids a formula.
//!
//! Every node of the set *stays* has a rank. The checks are: a run that avoids the formula is
//! inside a node from its beginning on; every transition leads to nodes of smaller rank; and no run
//! may stay in a node forever. A run that avoids the formula would therefore have finitely many
//! transitions, and would stay forever in the node of its last state, a contradiction.
//!
//! If such a run may begin in any reachable state where a formula holds, a set *reached* contains
//! all reachable states, as in [`crate::unreach`].
//!
//! With LU constants a node stands for all valuations below one of its zone ([`crate::simulation`]). A
//! run is then followed, with equal delays and transitions, by valuations above its own. Where the
//! constants respect the atoms of the formula in both directions, that avoids the formula at the same
//! instants, and stays forever where the run does ([`crate::stay`]).

use crate::Limits;
use crate::certificate::Lines;
use crate::clocks::{Clocks, Region};
use crate::core::State;
use crate::formula::{Condition, holding};
use crate::network::{Network, Offer};
use crate::nodes::{Nodes, read};
use crate::refusal::{Evaluated, Refusal, Trouble, require};
use crate::simulation::Simulation;
use crate::stay::{Ends, Objective, Stay};
use crate::unreach::{check_closed, initial_zone};
use crate::zone::{Atom, Effect, images};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;
use std::sync::Arc;

/// The nodes in which the formula is avoided, with their ranks.
struct Stays<'t> {
    nodes: Nodes<'t>,
    ranks: BTreeMap<usize, u64>,
}

/// The data shared by all nodes of a discrete state.
struct Group {
    ends: Ends,
    offers: Rc<[Offer]>,
    /// The targets of transitions, by the offers that take part.
    arrivals: BTreeMap<Vec<usize>, Arrival>,
}

/// The target of a transition.
struct Arrival {
    state: State,
    effects: Vec<Effect>,
    /// `None` if a data condition of the invariant fails.
    invariant: Option<Vec<Atom>>,
    /// Evaluated when a valuation enters the target: conditions of a state that no run enters may
    /// fail.
    stay: Option<Stay>,
}

/// Checks the body of a certificate; returns the number of nodes.
pub(crate) fn check(
    network: &mut Network<'_>,
    objective: Objective,
    lines: &mut Lines<'_>,
    limits: &Limits,
) -> Result<usize, Refusal> {
    let reached = match objective.begin {
        None => None,
        Some(_) => Some(read_set(network, lines, limits, "reached")?.0),
    };
    let (nodes, ranks) = read_set(network, lines, limits, "stays")?;
    let is_all = lines.is_at_end();
    lines.require(is_all, "text behind the last set")?;
    lines.require(ranks.len() == nodes.regions.len(), "every node that stays has a rank")?;
    // A node with constants stands for more valuations than its zone has.
    let is_simulated = nodes.simulate || !reached.as_ref().is_some_and(|nodes| nodes.simulate);
    lines.require(is_simulated, "`abs lu` in `set reached` requires `abs lu` in `set stays`")?;
    let size = nodes.regions.len() + reached.as_ref().map_or(0, |nodes| nodes.regions.len());
    let stays = Stays { nodes, ranks };
    for (state, members) in stays.nodes.groups.iter() {
        let mut group = None;
        for &node in members {
            let checked = stays.check_node(network, objective, &state, node, &mut group);
            checked.at(format_args!("node {node}"))?;
        }
    }
    match (objective.begin, &reached) {
        (Some(begin), Some(reached)) => {
            check_closed(network, reached, &mut |network, state, region| {
                let Some(stay) = network.stay(state, objective.avoided)? else { return Ok(()) };
                for beginning in holding(network, state, Condition::holds(begin), region.clone())? {
                    stays.require_cover(&stay, state, &beginning, None)?;
                }
                Ok(())
            })?;
        }
        _ => stays.check_start(network, objective).at("the initial state")?,
    }
    Ok(size)
}

/// Reads a set of this name, with the ranks of its nodes.
fn read_set<'t>(
    network: &mut Network<'_>,
    lines: &mut Lines<'t>,
    limits: &Limits,
    name: &str,
) -> Result<(Nodes<'t>, BTreeMap<usize, u64>), Refusal> {
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
    lines.require(nodes.is_exact(), "these nodes have no reasons and no unknown cells")?;
    Ok((nodes, ranks))
}

impl Stays<'_> {
    /// Checks that the runs begin inside nodes.
    fn check_start(&self, network: &mut Network<'_>, objective: Objective) -> Result<(), Trouble> {
        let state = network.core.initial();
        let zone = initial_zone(network)?;
        let stay = network.stay(&state, objective.avoided)?;
        let violated = || Trouble::rejected("an invariant is violated");
        let stay = stay.ok_or_else(violated)?;
        let equal = || Arc::new(Simulation::equal(network.core.clocks.len()));
        let mut landed = Region { zone, simulation: self.nodes.simulate.then(equal) };
        if !landed.meet_all(&stay.invariant)? {
            return Err(violated());
        }
        self.require_cover(&stay, &state, &landed, None)
    }

    /// Checks that no run stays in a node forever, and that transitions lead to smaller ranks. Data
    /// shared by all nodes of a discrete state are computed with the first of them.
    fn check_node(
        &self,
        network: &mut Network<'_>,
        objective: Objective,
        state: &State,
        node: usize,
        group: &mut Option<Group>,
    ) -> Result<(), Trouble> {
        let Some(region) = &self.nodes.regions.get(node) else { return Ok(()) };
        if group.is_none() {
            let Some(stay) = network.stay(state, objective.avoided)? else { return Ok(()) };
            let (ends, offers) = (network.ends(state, &stay)?, network.offers(state)?);
            *group = Some(Group { ends, offers, arrivals: BTreeMap::new() });
        }
        let Some(Group { ends, offers, arrivals }) = group else { return Ok(()) };
        ends.require_none(region)?;
        let rank = self.ranks.get(&node).copied();
        for transition in network.transitions(state, offers, region)? {
            let arrival = match arrivals.entry(transition.offers.clone()) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let (state, effects) = network.act(state, offers, &transition.offers)?;
                    let invariant = network.invariant(&state)?;
                    entry.insert(Arrival { state, effects, invariant, stay: None })
                }
            };
            let Some(invariant) = &arrival.invariant else { continue };
            let images = images(region.zone.size, &arrival.effects);
            let mut landed = transition.clocks.moved(&images)?;
            if !landed.meet_all(invariant)? {
                continue;
            }
            if arrival.stay.is_none() {
                arrival.stay = network.stay(&arrival.state, objective.avoided)?;
            }
            let Some(stay) = &arrival.stay else { continue };
            self.require_cover(stay, &arrival.state, &landed, rank)?;
        }
        Ok(())
    }

    /// Requires that nodes contain all valuations that a run reaches from `landed` while it avoids
    /// the formula; their ranks are smaller than `below`, if given.
    fn require_cover(
        &self,
        stay: &Stay,
        state: &State,
        landed: &Region,
        below: Option<u64>,
    ) -> Result<(), Trouble> {
        let candidates = self.nodes.of(state).iter().copied();
        let is_smaller = |node: &usize| below.is_none_or(|rank| self.ranks[node] < rank);
        let candidates: Vec<usize> = candidates.filter(is_smaller).collect();
        for region in stay.reached(landed)? {
            let is_covered = self.nodes.are_covering(&region, &candidates)?;
            require(is_covered, "no node of smaller rank covers where a run may go")?;
        }
        Ok(())
    }
}
