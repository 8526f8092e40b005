//! Certificates of kind `unreach`: a set of zones that is closed under everything the network can
//! do and in which the formula holds nowhere.
//!
//! By induction every reachable state is in the set: the initial states are, and with a state all
//! those after one transition and a delay. A node stands for the valuations of its zone, or, with
//! constants, for all valuations below one of its zone; see [`crate::simulation`].

use crate::Limits;
use crate::cartesian;
use crate::certificate::Lines;
use crate::clocks::{Clocks, Region};
use crate::core::State;
use crate::formula::holds_somewhere;
use crate::network::{Network, Offer, Passage, Transition};
use crate::nodes::{Nodes, read};
use crate::refusal::{Evaluated, Refusal, Trouble, require};
use crate::simulation::Simulation;
use crate::zone::{Atom, Effect, Zone, images};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Where a transition of a discrete state leads, as far as clocks have no say.
struct Arrival<'s> {
    state: State,
    effects: Vec<Effect>,
    /// Nothing where a condition on data fails.
    invariant: Option<Vec<Atom>>,
    /// How time passes there; not evaluated before a valuation arrives.
    passage: Option<Option<Passage>>,
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
    check_within(network, goal, lines, (limits, None))
}

/// The same for states that satisfy the atom `within`, if there is one, and so do all states on the
/// way to them.
pub(crate) fn check_within(
    network: &mut Network<'_>,
    goal: (usize, bool),
    lines: &mut Lines<'_>,
    (limits, within): (&Limits, Option<Atom>),
) -> Result<usize, Refusal> {
    let mut nodes = read(network, lines, limits, &mut |_, _, _| Ok(false))?;
    nodes.confine(within)?;
    let is_all = lines.is_at_end();
    lines.require(is_all, "text behind the set")?;
    for (id, invariant) in nodes.invariants.iter().enumerate() {
        cartesian::check(network, goal, invariant).at(&format!("invariant {id}"))?;
    }
    check_closed(network, &nodes, &mut |network, state, region| {
        let holds = holds_somewhere(network, state, goal, region.clone())?;
        require(!holds, "the formula can hold")
    })?;
    Ok(nodes.regions.len())
}

/// What is asked of every node besides: of its discrete state and its valuations.
pub(crate) type Question<'q> =
    dyn FnMut(&mut Network<'_>, &State, &Region) -> Result<(), Trouble> + 'q;

/// Checks that every reachable state is in a node, that nothing fails at run time, and `question`
/// of every node that is not closed by a reason. Reasons have to be checked besides.
pub(crate) fn check_closed(
    network: &mut Network<'_>,
    nodes: &Nodes,
    question: &mut Question<'_>,
) -> Result<(), Refusal> {
    let mut checker = Checker { network, nodes };
    checker.check_start().at("the initial state")?;
    for (state, members) in &nodes.groups {
        checker.check_group(question, state, members)?;
    }
    Ok(())
}

/// The valuations that the clocks have at first, before the invariants are considered.
pub(crate) fn initial_zone(network: &Network<'_>) -> Result<Zone, Trouble> {
    let size = network.core.clocks.len();
    let initial = network.core.clocks.iter().enumerate().skip(1);
    let effects: Vec<_> = initial.map(|(k, clock)| Effect::Set(k, clock.initial)).collect();
    Zone::all(size).moved(&images(size, &effects))
}

struct Checker<'n, 'c, 's> {
    network: &'n mut Network<'c>,
    nodes: &'s Nodes,
}

impl<'s> Checker<'_, '_, 's> {
    fn check_start(&mut self) -> Result<(), Trouble> {
        let size = self.network.core.clocks.len();
        let measure = self.network.core.measure.map(|measure| measure.clock);
        let initial = self.network.core.clocks.iter().enumerate().skip(1);
        // What is paid is at least what a run costs, and may be anything more.
        let initial = initial.filter(|(clock, _)| Some(*clock) != measure);
        let effects: Vec<_> = initial.map(|(k, clock)| Effect::Set(k, clock.initial)).collect();
        let blind = Simulation::blind(size);
        let initially = measure.map_or(blind.clone(), |clock| blind.with_equal(clock));
        let simulation = self.nodes.simulate.then_some(initially);
        let anything = Region { zone: Zone::all(size), simulation };
        let state = self.network.core.initial();
        let mut arrival = self.arrival(state, effects)?;
        let regions = self.arrive(&mut arrival, &anything)?;
        let is_empty = regions.is_empty() && self.nodes.within.is_none();
        require(!is_empty, "an invariant is violated")?;
        self.require_cover(&regions, &arrival, &[])
    }

    /// Checks all nodes with the same discrete state.
    fn check_group(
        &mut self,
        question: &mut Question<'_>,
        state: &State,
        members: &[usize],
    ) -> Result<(), Refusal> {
        let mut offers = Vec::new();
        let mut arrivals = BTreeMap::new();
        for &node in members {
            let place = format!("node {node}");
            let transitions = self.transitions(question, state, node, &mut offers).at(&place)?;
            let hints = self.nodes.hints.get(&node).map_or(&[][..], Vec::as_slice);
            for transition in transitions {
                let checked =
                    self.check_transition((state, &offers), &transition, &mut arrivals, hints);
                if checked.is_err() {
                    let names = transition.offers.iter().map(|&k| self.name(&offers[k]));
                    let names = names.collect::<Vec<_>>().join(" ");
                    checked.at(&format!("{place}, transition {names}"))?;
                }
            }
        }
        Ok(())
    }

    /// Checks a node by itself and gives the transitions that have to lead into nodes. The offers
    /// of its state are evaluated with the first node that needs them.
    fn transitions(
        &mut self,
        question: &mut Question<'_>,
        state: &State,
        node: usize,
        offers: &mut Vec<Offer>,
    ) -> Result<Vec<Transition<Region>>, Trouble> {
        let Some(region) = &self.nodes.regions[node] else { return Ok(Vec::new()) };
        if let Some(&reason) = self.nodes.reasons.get(&node) {
            let is_inside = self.nodes.invariants[reason].contains(self.network.core, state);
            require(is_inside, "it is not inside its invariant")?;
            return Ok(Vec::new());
        }
        question(self.network, state, region)?;
        if offers.is_empty() {
            *offers = self.network.offers(state)?;
        }
        self.network.transitions(state, offers, region)
    }

    /// Checks that a transition leads into nodes.
    fn check_transition(
        &mut self,
        (state, offers): (&State, &[Offer]),
        transition: &Transition<Region>,
        arrivals: &mut BTreeMap<Vec<usize>, Arrival<'s>>,
        hints: &[usize],
    ) -> Result<(), Trouble> {
        let arrival = match arrivals.entry(transition.offers.clone()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let (target, effects) = self.network.act(state, offers, &transition.offers)?;
                entry.insert(self.arrival(target, effects)?)
            }
        };
        let regions = self.arrive(arrival, &transition.clocks)?;
        self.require_cover(&regions, arrival, hints)
    }

    fn name(&self, offer: &Offer) -> String {
        let process = &self.network.core.processes[offer.process].name;
        let select: String = offer.select.iter().map(|value| format!(",{value}")).collect();
        format!("{process}.{}{select}", offer.edge)
    }

    fn arrival(&mut self, state: State, effects: Vec<Effect>) -> Result<Arrival<'s>, Trouble> {
        let mut invariant = self.network.invariant(&state)?;
        invariant.iter_mut().for_each(|atoms| atoms.extend(self.nodes.within));
        let candidates = self.nodes.of(&state);
        Ok(Arrival { state, effects, invariant, passage: None, candidates })
    }

    /// The valuations reached from `region` by a transition and a delay.
    fn arrive(
        &mut self,
        arrival: &mut Arrival<'_>,
        region: &Region,
    ) -> Result<Vec<Region>, Trouble> {
        let Some(invariant) = &arrival.invariant else { return Ok(Vec::new()) };
        let images = images(region.zone.size, &arrival.effects);
        let mut region = region.moved(&images)?;
        if !region.meet_all(invariant)? {
            return Ok(Vec::new());
        }
        if arrival.passage.is_none() {
            arrival.passage = Some(self.network.passage(&arrival.state)?);
        }
        match arrival.passage.as_ref().and_then(Option::as_ref) {
            None => Ok(vec![region]),
            Some(passage) => region.delayed(invariant, passage),
        }
    }

    fn require_cover(
        &self,
        regions: &[Region],
        arrival: &Arrival<'_>,
        hints: &[usize],
    ) -> Result<(), Trouble> {
        for region in regions {
            let is_covered = self.is_covered(region, arrival, hints)?;
            require(is_covered, "no node covers where it leads")?;
        }
        Ok(())
    }

    /// Whether nodes cover `region`: one of them, those hinted at first, or several together.
    fn is_covered(
        &self,
        region: &Region,
        arrival: &Arrival<'_>,
        hints: &[usize],
    ) -> Result<bool, Trouble> {
        let hinted = hints.iter().filter(|hint| arrival.candidates.binary_search(hint).is_ok());
        for &node in hinted {
            if let Some(cover) = &self.nodes.regions[node]
                && region.is_covered_by(cover)?
            {
                return Ok(true);
            }
        }
        self.nodes.are_covering(region, arrival.candidates)
    }
}
