//! Certificates of kind `lasso`: a maximal run that avoids a formula.
//!
//! A run with exact delays leads to a valuation where it may stay forever, or into a node. From all
//! valuations of a node the same transition is enabled, and after it some delay leads into a node
//! again. So every valuation of a node has a run with infinitely many transitions. No run needs to
//! repeat the same valuations: fractional parts may have to converge.

use crate::Limits;
use crate::certificate::Lines;
use crate::clocks::{Clocks, Region};
use crate::core::State;
use crate::deadlock::without;
use crate::formula::{Condition, holds_somewhere};
use crate::network::Network;
use crate::nodes::{Nodes, read};
use crate::reach::{Participant, Run, are_named, participants};
use crate::refusal::{Evaluated, Refusal, Trouble, require};
use crate::stay::{Objective, Stay};
use crate::zone::images;
use std::collections::BTreeMap;

/// The last part of a maximal run.
enum End {
    /// It stays in its last state forever.
    Stays,
    /// It visits nodes forever.
    Repeats,
}

/// A run that avoids a formula, from its start or from a later state.
struct Lasso<'n, 'c> {
    run: Run<'n, 'c>,
    objective: Objective,
    /// The stay in the current state; `None` before the run begins to avoid the formula.
    stay: Option<Stay>,
}

/// Checks the body of a certificate; returns the number of steps and nodes.
pub(crate) fn check(
    network: &mut Network<'_>,
    objective: Objective,
    lines: &mut Lines<'_>,
    limits: &Limits,
) -> Result<usize, Refusal> {
    let mut lasso = Lasso { run: Run::start(network, lines)?, objective, stay: None };
    if objective.begin.is_none() {
        lasso.confine().at("the initial state")?;
    }
    let mut size = 0;
    loop {
        let Some(words) = lines.next()? else {
            lines.number += 1;
            return Err(lines.malformed("the run has no end"));
        };
        match lasso.line(lines, &words).at(format_args!("line {}", lines.number))? {
            None => size += 1,
            Some(End::Stays) => {
                let is_all = lines.next()?.is_none();
                lines.require(is_all, "text behind the end of the run")?;
                return Ok(size);
            }
            Some(End::Repeats) => break,
        }
    }
    let mut takes = BTreeMap::new();
    let nodes = read(lasso.run.network, lines, limits, &mut |lines, count, words| match *words {
        ["take", node, _, ..] => {
            let node = lines.one_of("node", count, node)?;
            let before = takes.insert(node, participants(lines, &words[2..])?);
            lines.require(before.is_none(), "there are two transitions for one node")?;
            Ok(true)
        }
        _ => Ok(false),
    })?;
    let is_all = lines.is_at_end();
    lines.require(is_all, "text behind the last set")?;
    lines.require(nodes.is_plain(), "these nodes are compared by inclusion, without reasons")?;
    lines.require(takes.len() == nodes.regions.len(), "every node has a transition")?;
    let Run { state, point, .. } = &lasso.run;
    let regions = nodes.of(state).iter().filter_map(|&node| nodes.regions.get(node));
    let is_inside = |region: Region| point.clone().meet_all(&region.zone.atoms());
    let inside = regions.map(is_inside).collect::<Result<Vec<_>, _>>().at("the end of the run")?;
    require(inside.contains(&true), "it is in no node").at("the end of the run")?;
    let mut round = Round { network: lasso.run.network, avoided: objective.avoided, nodes: &nodes };
    for (state, members) in nodes.groups.iter() {
        for &node in members {
            round.check_node(&state, node, &takes[&node]).at(format_args!("node {node}"))?;
        }
    }
    Ok(size + nodes.regions.len())
}

impl Lasso<'_, '_> {
    /// Follows a line; returns the end of the run if it is the last line.
    fn line(&mut self, lines: &Lines<'_>, words: &[&str]) -> Result<Option<End>, Trouble> {
        match *words {
            ["delay", delay] => {
                let delay: i128 = lines.natural(delay)?;
                let before = self.run.point.clone();
                self.run.delay(delay)?;
                if let Some(stay) = &self.stay {
                    stay.require_avoiding(&before, delay)?;
                }
            }
            ["act", _, ..] => {
                self.run.act(&participants(lines, &words[1..])?)?;
                if self.stay.is_some() {
                    self.confine()?;
                }
            }
            ["begin"] if self.stay.is_none() => {
                let Some(begin) = self.objective.begin else { return Ok(None) };
                let Run { network, state, point, .. } = &mut self.run;
                let holds =
                    holds_somewhere(network, state, Condition::holds(begin), point.clone())?;
                require(holds, "it does not begin here")?;
                self.confine()?;
            }
            ["stays"] if self.stay.is_some() => {
                if let Some(stay) = &self.stay {
                    let Run { network, state, point, .. } = &mut self.run;
                    network.ends(state, stay)?.require_at(point)?;
                }
                return Ok(Some(End::Stays));
            }
            ["repeats"] if self.stay.is_some() => return Ok(Some(End::Repeats)),
            _ => return Err(lines.malformed("an unknown keyword in a run").into()),
        }
        Ok(None)
    }

    /// Starts or continues to avoid the formula.
    fn confine(&mut self) -> Result<(), Trouble> {
        let Run { network, state, point, .. } = &mut self.run;
        let stay = network.stay(state, self.objective.avoided)?;
        let stay = stay.ok_or_else(|| Trouble::rejected("an invariant is violated"))?;
        stay.require_avoiding(point, 0)?;
        self.stay = Some(stay);
        Ok(())
    }
}

/// Nodes that a run visits forever.
struct Round<'n, 'c, 's> {
    network: &'n mut Network<'c>,
    avoided: Condition,
    nodes: &'s Nodes<'s>,
}

impl Round<'_, '_, '_> {
    /// Checks that the transition of these participants is enabled in all of a node, and that a
    /// delay after it leads into nodes.
    fn check_node(
        &mut self,
        state: &State,
        node: usize,
        participants: &[Participant],
    ) -> Result<(), Trouble> {
        let Some(region) = &self.nodes.regions.get(node) else { return Ok(()) };
        let network = &mut *self.network;
        let Some(stay) = network.stay(state, self.avoided)? else { return Ok(()) };
        stay.require_none_avoided(&region.zone)?;
        let offers = network.offers(state)?;
        let mut transitions = network.transitions(state, &offers, region)?;
        transitions.retain(|transition| are_named(&offers, &transition.offers, participants));
        let parts: Vec<_> = transitions.iter().map(|t| t.clocks.zone.clone()).collect();
        let left = without(vec![region.zone.clone()], &parts)?;
        require(left.is_empty(), "the transition is not possible in all of it")?;
        let Some(first) = transitions.first() else { return Ok(()) };
        let (target, effects) = network.act(state, &offers, &first.offers)?;
        let stay = network.stay(&target, self.avoided)?;
        let stay = stay.ok_or_else(|| Trouble::rejected("an invariant is violated"))?;
        let stops = network.stops(&target)?;
        let targets = self.nodes.of(&target).iter().filter_map(|&n| self.nodes.regions.get(n));
        let goals: Vec<_> = targets.map(|region| region.zone).collect();
        for part in parts {
            let landed = part.moved(&images(part.size, &effects))?;
            let violating = landed.clone().outside(&stay.invariant)?;
            require(violating.is_empty(), "an invariant of the target is violated")?;
            stay.require_none_avoided(&landed)?;
            stay.require_delay_into(&landed, goals.clone(), stops.clone())?;
        }
        Ok(())
    }
}
