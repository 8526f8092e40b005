//! Certificates of kind `unreach`: an inductive set of symbolic states that contains the initial
//! states, is closed under transitions and delays, and does not intersect the formula.
//!
//! By induction the set contains every reachable state. A node represents the valuations of its
//! zone or, with LU constants, all valuations below one of its zone ([`crate::simulation`]). With
//! unknown cells it represents all their contents ([`crate::partial`]).

use crate::Limits;
use crate::cartesian;
use crate::certificate::Lines;
use crate::clocks::{Clocks, Region};
use crate::core::{Core, State};
use crate::formula::{Condition, may_hold_somewhere};
use crate::groups::Members;
use crate::network::{Network, Offer, Passage, Transition};
use crate::nodes::{Nodes, read};
use crate::partial::Partial;
use crate::refusal::{Evaluated, Refusal, Trouble, require};
use crate::simulation::Simulation;
use crate::zone::{Atom, Effect, Zone, images};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The discrete target of a transition.
struct Arrival<'s> {
    state: Partial,
    /// The value of each clock afterwards, by its old values.
    images: Vec<(usize, i64)>,
    /// The constants of the last region that arrived, before and after.
    simulation: Option<(Arc<Simulation>, Arc<Simulation>)>,
    /// The possible clock atoms of the invariants; empty if a data condition fails.
    invariants: Vec<Vec<Atom>>,
    /// The conditions under which time passes there; evaluated when the first valuation arrives.
    passage: Option<Option<Passage>>,
    /// The nodes that include this discrete state.
    candidates: Members<'s>,
    /// The position of the last of them that covered a region: successors of neighbouring nodes
    /// are often covered by neighbours.
    last: usize,
}

impl Arrival<'_> {
    /// The valuations of `region` after the transition.
    fn moved(&mut self, region: &Region) -> Result<Region, Trouble> {
        let zone = region.zone.moved(&self.images)?;
        let Some(before) = &region.simulation else { return Ok(Region { zone, simulation: None }) };
        let known = self.simulation.take().filter(|(known, _)| Arc::ptr_eq(known, before));
        let moved = || (Arc::clone(before), Arc::new(before.moved(&self.images)));
        let (before, after) = known.unwrap_or_else(moved);
        self.simulation = Some((before, Arc::clone(&after)));
        Ok(Region { zone, simulation: Some(after) })
    }
}

/// Checks the body of a certificate: no state where `goal` holds is reachable, and no run-time
/// error is. Returns the number of nodes.
pub(crate) fn check(
    network: &mut Network<'_>,
    goal: Condition,
    lines: &mut Lines<'_>,
    limits: &Limits,
) -> Result<usize, Refusal> {
    check_within(network, goal, None, lines, limits)
}

/// The same for states that satisfy the atom `within`, if given, and are reached through such
/// states only.
pub(crate) fn check_within(
    network: &mut Network<'_>,
    goal: Condition,
    within: Option<Atom>,
    lines: &mut Lines<'_>,
    limits: &Limits,
) -> Result<usize, Refusal> {
    let mut nodes = read(network, lines, limits, &mut |_, _, _| Ok(false))?;
    nodes.confine(within)?;
    let is_all = lines.is_at_end();
    lines.require(is_all, "text behind the set")?;
    cartesian::check_all(network, goal, &nodes.invariants)?;
    Checker { network, nodes: &nodes }.check_start().at("the initial state")?;
    let partial: Vec<_> = nodes.partial.iter().collect();
    let unsafe_group = |network: &mut Network<'_>, number: usize| {
        let question: &mut PartialNodeCheck<'_> = &mut |network, state, region| {
            let holds = may_hold_somewhere(network, state, goal, region.clone())?;
            require(!holds, "the formula can hold")
        };
        let mut checker = Checker { network, nodes: &nodes };
        match number.checked_sub(nodes.groups.len()) {
            None => {
                let state = nodes.groups.state(number).into();
                checker.check_group(question, &state, &nodes.groups.members(number))
            }
            Some(number) => {
                let (state, members) = partial[number];
                checker.check_group(question, state, &members[..].into())
            }
        }
    };
    let count = nodes.groups.len() + partial.len();
    first_refusal(network.core, count, limits, &unsafe_group).map_or(Ok(nodes.regions.len()), Err)
}

/// The number of discrete states that a thread checks at a time.
const CHUNK: usize = 64;

/// Checks each of `count` elements, in several threads if there are many. Returns the refusal of
/// the first element that is refused.
fn first_refusal(
    core: &Core,
    count: usize,
    limits: &Limits,
    check: &(dyn Fn(&mut Network<'_>, usize) -> Result<(), Refusal> + Sync),
) -> Option<Refusal> {
    let next = AtomicUsize::new(0);
    let found: Mutex<Option<(usize, Refusal)>> = Mutex::new(None);
    // Chunks are taken in order, so that all elements before a refused one are checked.
    let work = || {
        let mut network = Network::new(core, limits.steps);
        loop {
            let first = next.fetch_add(CHUNK, Ordering::Relaxed);
            for element in first..count.min(first.saturating_add(CHUNK)) {
                if let Err(refusal) = check(&mut network, element) {
                    next.store(count, Ordering::Relaxed);
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    if found.as_ref().is_none_or(|&(before, _)| element < before) {
                        *found = Some((element, refusal));
                    }
                    return;
                }
            }
            if first >= count {
                return;
            }
        }
    };
    let threads = limits.threads.get().min(count.div_ceil(CHUNK).div_ceil(4));
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Without another thread this one does all the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.map(|(_, refusal)| refusal)
}

/// An additional check of every node, given its discrete state and its valuations.
pub(crate) type NodeCheck<'q> =
    dyn FnMut(&mut Network<'_>, &State, &Region) -> Result<(), Trouble> + 'q;

/// Checks that nodes contain every reachable state, that no run-time error is reachable, and
/// `question` for every node without a cartesian invariant. The invariants must be checked
/// separately.
pub(crate) fn check_closed(
    network: &mut Network<'_>,
    nodes: &Nodes<'_>,
    question: &mut NodeCheck<'_>,
) -> Result<(), Refusal> {
    let mut exactly =
        |network: &mut Network<'_>, state: &Partial, region: &Region| match state.exact() {
            Some(state) => question(network, state, region),
            None => Err(Trouble::undecided("unknown contents are not supported here")),
        };
    let mut checker = Checker { network, nodes };
    checker.check_start().at("the initial state")?;
    for (state, members) in nodes.groups.iter() {
        checker.check_group(&mut exactly, &state.into(), &members.into())?;
    }
    for (state, members) in &nodes.partial {
        checker.check_group(&mut exactly, state, &members[..].into())?;
    }
    Ok(())
}

/// An additional check of every node, which may have unknown cells.
type PartialNodeCheck<'q> =
    dyn FnMut(&mut Network<'_>, &Partial, &Region) -> Result<(), Trouble> + 'q;

/// The initial clock valuations, before invariants.
pub(crate) fn initial_zone(network: &Network<'_>) -> Result<Zone, Trouble> {
    let size = network.core.clocks.len();
    let initial = network.core.clocks.iter().enumerate().skip(1);
    let effects: Vec<_> = initial.map(|(k, clock)| Effect::Set(k, clock.initial)).collect();
    Zone::all(size).moved(&images(size, &effects))
}

struct Checker<'n, 'c, 's> {
    network: &'n mut Network<'c>,
    nodes: &'s Nodes<'s>,
}

impl<'s> Checker<'_, '_, 's> {
    fn check_start(&mut self) -> Result<(), Trouble> {
        let size = self.network.core.clocks.len();
        let measure = self.network.core.measure.map(|measure| measure.clock);
        let initial = self.network.core.clocks.iter().enumerate().skip(1);
        // The initial cost is only bounded below: a node contains all costs that are at least the
        // one paid.
        let initial = initial.filter(|(clock, _)| Some(*clock) != measure);
        let effects: Vec<_> = initial.map(|(k, clock)| Effect::Set(k, clock.initial)).collect();
        let blind = Simulation::blind(size);
        let initially = measure.map_or(blind.clone(), |clock| blind.with_equal(clock));
        let simulation = self.nodes.simulate.then(|| Arc::new(initially));
        let anything = Region { zone: Zone::all(size), simulation };
        let state = self.network.core.initial();
        let mut arrival = self.arrival(state.into(), &effects)?;
        let regions = self.arrive(&mut arrival, &anything)?;
        let is_empty = regions.is_empty() && self.nodes.within.is_none();
        require(!is_empty, "an invariant is violated")?;
        self.require_cover(&regions, &mut arrival, &[])
    }

    /// Checks all nodes with the same discrete state.
    fn check_group(
        &mut self,
        question: &mut PartialNodeCheck<'_>,
        state: &Partial,
        members: &Members<'_>,
    ) -> Result<(), Refusal> {
        let mut offers: Option<Rc<[Offer]>> = None;
        let mut arrivals = BTreeMap::new();
        let restriction = match (state.exact(), self.nodes.regions.are_packed()) {
            (Some(state), true) => {
                let invariant = self.network.invariant(state);
                invariant.at(format_args!("node {}", members.at(0)))?
            }
            _ => Some(Vec::new()),
        };
        // No reachable state violates a data condition of an invariant.
        let Some(restriction) = restriction else { return Ok(()) };
        for node in members.iter() {
            let place = format_args!("node {node}");
            let region = self.region(node, &restriction).at(place)?;
            let Some(region) = region else { continue };
            let transitions =
                self.transitions(question, state, node, &region, &mut offers).at(place)?;
            let Some(offers) = &offers else { continue };
            let hints = self.nodes.hints.get(&node).map_or(&[][..], Vec::as_slice);
            for transition in transitions {
                let checked =
                    self.check_transition(state, offers, &transition, &mut arrivals, hints);
                if checked.is_err() {
                    let names = self.network.name(offers, &transition.offers);
                    checked.at(format_args!("{place}, transition {names}"))?;
                }
            }
        }
        Ok(())
    }

    /// The region of a node, restricted to the atoms of its invariants where that is not done yet;
    /// `None` if it has no valuations.
    ///
    /// Covers are not restricted: a reachable valuation satisfies the invariants, and so does each
    /// one above it, as far as the constants of the node respect their atoms.
    fn region(&self, node: usize, invariant: &[Atom]) -> Result<Option<Region>, Trouble> {
        let Some(mut region) = self.nodes.regions.get(node) else { return Ok(None) };
        Ok(region.meet_all(invariant)?.then_some(region))
    }

    /// Checks a node by itself, and returns the transitions that must lead into nodes. The offers
    /// of its state are evaluated with the first node that needs them.
    fn transitions(
        &mut self,
        question: &mut PartialNodeCheck<'_>,
        state: &Partial,
        node: usize,
        region: &Region,
        offers: &mut Option<Rc<[Offer]>>,
    ) -> Result<Vec<Transition<Region>>, Trouble> {
        if let Some(&reason) = self.nodes.reasons.get(&node) {
            let invariant = &self.nodes.invariants[reason];
            let is_inside = |state| invariant.contains(self.network.core, state);
            require(state.exact().is_some_and(is_inside), "it is not inside its invariant")?;
            return Ok(Vec::new());
        }
        question(self.network, state, region)?;
        let offers = match offers {
            Some(offers) => offers,
            None => offers.insert(self.network.possible_offers(state)?),
        };
        self.network.transitions(state.state(), offers, region)
    }

    /// Checks that nodes cover the successors of a transition.
    fn check_transition(
        &mut self,
        state: &Partial,
        offers: &[Offer],
        transition: &Transition<Region>,
        arrivals: &mut BTreeMap<Vec<usize>, Vec<Arrival<'s>>>,
        hints: &[usize],
    ) -> Result<(), Trouble> {
        if !arrivals.contains_key(&transition.offers) {
            let outcomes = self.network.outcomes(state, offers, &transition.offers)?;
            let arrival =
                |(target, effects): (Partial, Vec<Effect>)| self.arrival(target, &effects);
            let new = outcomes.into_iter().map(arrival).collect::<Result<_, _>>()?;
            arrivals.insert(transition.offers.clone(), new);
        }
        for arrival in arrivals.get_mut(&transition.offers).into_iter().flatten() {
            let regions = self.arrive(arrival, &transition.clocks)?;
            self.require_cover(&regions, arrival, hints)?;
        }
        Ok(())
    }

    fn arrival(&mut self, state: Partial, effects: &[Effect]) -> Result<Arrival<'s>, Trouble> {
        let mut invariants = self.network.invariants(&state)?;
        invariants.iter_mut().for_each(|atoms| atoms.extend(self.nodes.within));
        let candidates = self.nodes.candidates(self.network, &state);
        let images = images(self.network.core.clocks.len(), effects);
        let (simulation, passage) = (None, None);
        Ok(Arrival { state, images, simulation, invariants, passage, candidates, last: 0 })
    }

    /// The valuations reached from `region` by a transition and a delay.
    fn arrive(
        &mut self,
        arrival: &mut Arrival<'_>,
        region: &Region,
    ) -> Result<Vec<Region>, Trouble> {
        let mut moved = Some(arrival.moved(region)?);
        let mut reached = Vec::new();
        for (position, invariant) in arrival.invariants.iter().enumerate() {
            let is_last = position + 1 == arrival.invariants.len();
            let region = if is_last { moved.take() } else { moved.clone() };
            let Some(mut region) = region else { break };
            if !region.meet_all(invariant)? {
                continue;
            }
            if arrival.passage.is_none() {
                arrival.passage = Some(self.network.longest_passage(&arrival.state)?);
            }
            match arrival.passage.as_ref().and_then(Option::as_ref) {
                None => reached.push(region),
                Some(passage) => reached.extend(region.delayed(invariant, passage)?),
            }
        }
        Ok(reached)
    }

    fn require_cover(
        &self,
        regions: &[Region],
        arrival: &mut Arrival<'_>,
        hints: &[usize],
    ) -> Result<(), Trouble> {
        for region in regions {
            let is_covered = self.is_covered(region, arrival, hints)?;
            require(is_covered, "no node covers where it leads")?;
        }
        Ok(())
    }

    /// Whether nodes cover `region`: one of them, the hinted ones first, or several together.
    fn is_covered(
        &self,
        region: &Region,
        arrival: &mut Arrival<'_>,
        hints: &[usize],
    ) -> Result<bool, Trouble> {
        for &node in hints.iter().filter(|&&hint| arrival.candidates.contains(hint)) {
            if self.nodes.regions.covers(node, region)? {
                return Ok(true);
            }
        }
        match self.nodes.cover(region, &arrival.candidates, arrival.last)? {
            Some(position) => {
                arrival.last = position;
                Ok(true)
            }
            None => self.nodes.are_covering_together(region, &arrival.candidates),
        }
    }
}
