//! The transitions and delays of a network: the rules of `docs/SEMANTICS.md`, sections 5 to 7 and
//! 9.1.
//!
//! The rules are the same for one valuation and for a zone, so they are written once, for any
//! [`Clocks`].

use crate::clocks::{Clocks, limited, outside_of_all};
use crate::code::Code;
use crate::core::{Comparison, Constraint, Core, Edge, Location, OffsetRef, State, Test};
use crate::deadlock::Future;
use crate::machine::{Machine, blame, clock_bound, displaced};
use crate::refusal::Trouble;
use crate::zone::{Atom, Bound, Effect, images};
use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

/// An edge with values for its `select` variables whose data guards hold.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Offer {
    pub(crate) process: usize,
    pub(crate) edge: usize,
    pub(crate) select: Vec<i64>,
    /// The clock part of its guard.
    pub(crate) atoms: Vec<Atom>,
    /// The channel it synchronises on, and whether it sends.
    pub(crate) label: Option<(usize, bool)>,
    /// Whether its data guards hold for all contents of unknown cells.
    pub(crate) is_certain: bool,
}

/// A transition: the offers that take part, the initiator first and receivers in system order, and
/// the valuations at which their guards hold, before the invariants of the target are considered.
#[derive(Clone, Debug)]
pub(crate) struct Transition<C> {
    pub(crate) offers: Vec<usize>,
    pub(crate) clocks: C,
}

impl<C> Transition<C> {
    /// The same transition, split into `parts` of its valuations.
    pub(crate) fn split(self, parts: Vec<C>) -> impl Iterator<Item = Self> {
        parts.into_iter().map(move |clocks| Self { offers: self.offers.clone(), clocks })
    }
}

/// The conditions under which time passes in a state.
#[derive(Clone, Debug)]
pub(crate) struct Passage {
    /// Conjunctions of atoms that must not hold before the end of a delay.
    pub(crate) urgent: Vec<Vec<Atom>>,
    /// The stopped clocks, ascending.
    pub(crate) stopped: Vec<usize>,
    /// The cost clock, if it is among them because time is free.
    pub(crate) free: Option<usize>,
}

/// The maximal number of `select` combinations of one edge, and of receiver sets of one broadcast.
const COMBINATIONS: usize = 1 << 20;

/// The maximal number of `select` combinations that are kept for the next evaluation of an edge.
const KEPT_COMBINATIONS: usize = 1 << 8;

/// The transition relation of a network, with its interpreter.
pub(crate) struct Network<'c> {
    pub(crate) core: &'c Core,
    pub(crate) machine: Machine<'c>,
    /// The state whose offers were wanted last, and these.
    offered: Option<(State, Rc<[Offer]>)>,
    /// The state whose future was wanted last, and this; `None` inside if it has a run-time error.
    pub(crate) foreseen: Option<(State, Option<Rc<Future>>)>,
    has_rates: bool,
    has_urgent_channels: bool,
    has_priorities: bool,
}

impl<'c> Network<'c> {
    pub(crate) fn new(core: &'c Core, budget: u64) -> Self {
        Self {
            core,
            machine: Machine::new(core, budget),
            offered: None,
            foreseen: None,
            has_rates: core.has_rates(),
            has_urgent_channels: core.channels.iter().any(|channel| channel.urgent),
            has_priorities: core.has_priorities(),
        }
    }

    /// Prepares the evaluation of conditions in `state`.
    pub(crate) fn enter(&mut self, state: &State) {
        self.machine.state.clone_from(state);
    }

    pub(crate) fn location(&self, state: &State, process: usize) -> &'c Location {
        &self.core.processes[process].locations[state.locations[process]]
    }

    /// The locations of all processes.
    pub(crate) fn locations<'s>(
        &self,
        state: &'s State,
    ) -> impl Iterator<Item = &'c Location> + use<'s, 'c> {
        let places = self.core.processes.iter().zip(&state.locations);
        places.map(|(process, &location)| &process.locations[location])
    }

    pub(crate) fn is_committed(&self, state: &State) -> bool {
        self.locations(state).any(|location| location.committed)
    }

    fn edge(&self, offer: &Offer) -> &'c Edge {
        &self.core.processes[offer.process].edges[offer.edge]
    }

    /// The atoms of a clock constraint in the current state.
    pub(crate) fn atoms(&mut self, constraint: &'c Constraint) -> Result<Vec<Atom>, Trouble> {
        let mut atoms = Vec::new();
        self.add_atoms(constraint, &mut atoms)?;
        Ok(atoms)
    }

    fn add_atoms(
        &mut self,
        constraint: &'c Constraint,
        atoms: &mut Vec<Atom>,
    ) -> Result<(), Trouble> {
        let comparison = match constraint.evaluated.get() {
            Some(&comparison) => comparison,
            None => {
                let comparison = self.comparison(constraint)?;
                if constraint.is_constant {
                    constraint.evaluated.get_or_init(|| comparison);
                }
                comparison
            }
        };
        let Some(Comparison { x, y, value }) = comparison else { return Ok(()) };
        let value = value * self.core.scale();
        if let Some(strict) = constraint.upper {
            atoms.push(Atom { x, y, bound: Bound::new(value, strict)? });
        }
        if let Some(strict) = constraint.lower {
            atoms.push(Atom { x: y, y: x, bound: Bound::new(-value, strict)? });
        }
        Ok(())
    }

    /// Evaluates a clock constraint in the current state; `None` if its condition fails.
    fn comparison(&mut self, constraint: &'c Constraint) -> Result<Option<Comparison>, Trouble> {
        if !self.machine.holds(&constraint.condition)? {
            return Ok(None);
        }
        let clocks = 1..self.core.clocks.len();
        let x = self.place(&constraint.left, clocks.clone())?;
        let y = constraint.right.as_ref().map_or(Ok(0), |right| self.place(right, clocks))?;
        let value = clock_bound(self.machine.evaluate(&constraint.bound)?)?;
        Ok(Some(Comparison { x, y, value }))
    }

    /// Evaluates a reference to one of the `existing` clocks or channels.
    pub(crate) fn place(
        &mut self,
        place: &'c OffsetRef,
        existing: Range<usize>,
    ) -> Result<usize, Trouble> {
        let displacement = self.machine.evaluate(&place.displacement)?;
        let found = displaced(place.first, displacement, existing);
        found.map_err(|trouble| blame(trouble, &place.displacement))
    }

    /// The clock atoms of tests, and whether their data conditions hold for all contents of unknown
    /// cells; `None` if one of them fails. Constraints before the first failing one are evaluated
    /// whatever the clocks.
    pub(crate) fn test(
        &mut self,
        tests: impl IntoIterator<Item = &'c Test>,
    ) -> Result<Option<(Vec<Atom>, bool)>, Trouble> {
        let (mut atoms, mut is_certain) = (Vec::new(), true);
        for test in tests {
            for data in &test.data {
                match self.machine.run(data)?.known_truth()? {
                    Some(false) => return Ok(None),
                    Some(true) => {}
                    None => {
                        is_certain = false;
                        self.machine.assume(data);
                    }
                }
            }
            for constraint in &test.clocks {
                self.add_atoms(constraint, &mut atoms)?;
            }
        }
        Ok(Some((atoms, is_certain)))
    }

    /// The clock atoms of the invariants of `state`; `None` if a data condition fails.
    pub(crate) fn invariant(&mut self, state: &State) -> Result<Option<Vec<Atom>>, Trouble> {
        self.enter(state);
        let locations = self.locations(state);
        let tested = self.test(locations.map(|location| &location.invariant))?;
        Ok(tested.map(|(atoms, _)| atoms))
    }

    /// The edges from the locations of `state` whose data guards hold. Internal edges that
    /// committed locations disable are not evaluated.
    pub(crate) fn offers(&mut self, state: &State) -> Result<Rc<[Offer]>, Trouble> {
        if let Some(offers) = self.offered_in(state) {
            return Ok(offers);
        }
        let offers: Rc<[Offer]> = self.evaluated_offers(state)?.into();
        self.offered = Some((state.clone(), Rc::clone(&offers)));
        Ok(offers)
    }

    /// The offers of `state`, if they were the last ones wanted.
    fn offered_in(&self, state: &State) -> Option<Rc<[Offer]>> {
        let known = self.offered.as_ref().filter(|(known, _)| known == state);
        known.map(|(_, offers)| Rc::clone(offers))
    }

    fn evaluated_offers(&mut self, state: &State) -> Result<Vec<Offer>, Trouble> {
        self.enter(state);
        let mut offers = Vec::new();
        for (process, edge) in self.leaving(state) {
            let definition = &self.core.processes[process].edges[edge];
            if definition.select.is_empty() {
                offers.extend(self.offer(process, edge, Vec::new())?);
                continue;
            }
            for select in &*combinations(definition)? {
                offers.extend(self.offer(process, edge, select.clone())?);
            }
        }
        Ok(offers)
    }

    /// The edges, by process, that leave the locations of `state` and are not disabled by committed
    /// locations.
    pub(crate) fn leaving(&self, state: &State) -> Vec<(usize, usize)> {
        let committed = self.is_committed(state);
        let mut leaving = Vec::new();
        for process in 0..state.locations.len() {
            let location = self.location(state, process);
            let edges = &self.core.processes[process].edges;
            let waits = |edge: usize| !location.committed && edges[edge].label.is_none();
            let all = location.leaving.iter().filter(|&&edge| !(committed && waits(edge)));
            leaving.extend(all.map(|&edge| (process, edge)));
        }
        leaving
    }

    /// The offer of an edge with these `select` values; `None` if a data guard fails.
    pub(crate) fn offer(
        &mut self,
        process: usize,
        edge: usize,
        select: Vec<i64>,
    ) -> Result<Option<Offer>, Trouble> {
        let definition = &self.core.processes[process].edges[edge];
        self.bind(definition, &select);
        let Some((atoms, is_certain)) = self.test([&definition.guard])? else { return Ok(None) };
        let label = match &definition.label {
            None => None,
            Some((place, sends)) => Some((self.place(place, 0..self.core.channels.len())?, *sends)),
        };
        Ok(Some(Offer { process, edge, select, atoms, label, is_certain }))
    }

    /// Carries out updates.
    pub(crate) fn run(&mut self, updates: &'c [Code]) -> Result<(), Trouble> {
        updates.iter().try_for_each(|update| self.machine.run(update).map(drop))
    }

    pub(crate) fn bind(&mut self, edge: &Edge, values: &[i64]) {
        for (select, &value) in edge.select.iter().zip(values) {
            self.machine.select(select.local, value);
        }
    }

    /// All transitions of `state` that are enabled at some of `clocks`.
    pub(crate) fn transitions<C: Clocks>(
        &mut self,
        state: &State,
        offers: &[Offer],
        clocks: &C,
    ) -> Result<Vec<Transition<C>>, Trouble> {
        let all = self.unordered_transitions(state, offers, clocks)?;
        if self.has_priorities { self.highest(state, offers, clocks, all) } else { Ok(all) }
    }

    /// The same before priorities.
    pub(crate) fn unordered_transitions<C: Clocks>(
        &self,
        state: &State,
        offers: &[Offer],
        clocks: &C,
    ) -> Result<Vec<Transition<C>>, Trouble> {
        let mut all = Vec::new();
        for (position, offer) in offers.iter().enumerate() {
            let is_receiver = matches!(offer.label, Some((_, false)));
            if is_receiver || !clocks.may_meet_each(&offer.atoms) {
                continue;
            }
            let mut clocks = clocks.clone();
            if !clocks.meet_all(&offer.atoms)? {
                continue;
            }
            let alone = Transition { offers: vec![position], clocks };
            match offer.label {
                Some((channel, _)) if self.core.channels[channel].broadcast => {
                    all.extend(receiver_sets(offers, alone, channel)?);
                }
                Some((channel, _)) => {
                    for (receiver, other) in offers.iter().enumerate() {
                        let can_receive = can_receive(other, offer, channel);
                        if !can_receive || !alone.clocks.may_meet_each(&other.atoms) {
                            continue;
                        }
                        let mut pair = alone.clone();
                        if pair.clocks.meet_all(&other.atoms)? {
                            pair.offers.push(receiver);
                            all.push(pair);
                        }
                    }
                }
                None => all.push(alone),
            }
        }
        // If a process is in a committed location, some participant must leave one.
        if self.is_committed(state) {
            let leaves = |&k: &usize| self.location(state, offers[k].process).committed;
            all.retain(|transition| transition.offers.iter().any(leaves));
        }
        Ok(all)
    }

    /// The transition in which these of `offers` take part, for a message.
    pub(crate) fn name(&self, offers: &[Offer], participants: &[usize]) -> String {
        let name = |&k: &usize| {
            let Offer { process, edge, select, .. } = &offers[k];
            let select: String = select.iter().map(|value| format!(",{value}")).collect();
            format!("{}.{edge}{select}", self.core.processes[*process].name)
        };
        participants.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    /// The atoms, over the valuations before the transition, under which the invariants of the
    /// target hold afterwards; `None` if a data condition fails.
    pub(crate) fn arrival_atoms(
        &mut self,
        state: &State,
        offers: &[Offer],
        participants: &[usize],
    ) -> Result<Option<Vec<Atom>>, Trouble> {
        let (target, effects) = self.act(state, offers, participants)?;
        let Some(invariant) = self.invariant(&target)? else { return Ok(None) };
        let images = images(self.core.clocks.len(), &effects);
        let before = |atom: Atom| {
            let ((x, a), (y, b)) = (images[atom.x], images[atom.y]);
            Ok(Atom { x, y, bound: atom.bound.plus(Bound::new(b - a, false)?)? })
        };
        invariant.into_iter().map(before).collect::<Result<_, _>>().map(Some)
    }

    /// Executes the updates of a transition.
    pub(crate) fn act(
        &mut self,
        state: &State,
        offers: &[Offer],
        participants: &[usize],
    ) -> Result<(State, Vec<Effect>), Trouble> {
        self.enter(state);
        let locations = self.carry_out(state, offers, participants)?;
        let cells = self.machine.state.cells.clone();
        Ok((State { locations, cells }, self.machine.effects.clone()))
    }

    /// The same in the state that was entered last; returns the locations after it.
    pub(crate) fn carry_out(
        &mut self,
        state: &State,
        offers: &[Offer],
        participants: &[usize],
    ) -> Result<Vec<usize>, Trouble> {
        self.machine.effects.clear();
        self.run(&self.core.before)?;
        let mut locations = state.locations.clone();
        for &position in participants {
            let offer = &offers[position];
            let edge = self.edge(offer);
            self.bind(edge, &offer.select);
            self.run(&edge.updates)?;
            locations[offer.process] = edge.target;
        }
        self.run(&self.core.after)?;
        self.machine.forget_meta();
        Ok(locations)
    }

    /// The stopped clocks of `state`, ascending: those that have the rate 0 in some current
    /// location.
    pub(crate) fn stopped(&mut self, state: &State) -> Result<Vec<usize>, Trouble> {
        if !self.has_rates {
            return Ok(Vec::new());
        }
        self.enter(state);
        let mut stopped = Vec::new();
        for rate in self.locations(state).flat_map(|location| &location.rates) {
            if !self.machine.holds(&rate.condition)? {
                continue;
            }
            let clock = self.place(&rate.clock, 1..self.core.clocks.len())?;
            match self.machine.evaluate(&rate.rate)? {
                0 => stopped.push(clock),
                1 => {}
                _ => return Err(blame(Trouble::RunTime("a rate is neither 0 nor 1"), &rate.rate)),
            }
        }
        stopped.sort_unstable();
        stopped.dedup();
        Ok(stopped)
    }

    /// The conditions under which time passes in `state`; `None` in urgent or committed locations.
    pub(crate) fn passage(&mut self, state: &State) -> Result<Option<Passage>, Trouble> {
        let mut stopped = self.stopped(state)?;
        let free = self.core.measure.filter(|measure| measure.rate == 0).map(|m| m.clock);
        // The cost clock is the last one, so the list stays ascending.
        stopped.extend(free);
        Ok(self.urgency(state)?.map(|urgent| Passage { urgent, stopped, free }))
    }

    /// The urgent conjunctions of `state`: atoms that must not hold together before the end of a
    /// delay. `None` in urgent or committed locations.
    pub(crate) fn urgency(&mut self, state: &State) -> Result<Option<Vec<Vec<Atom>>>, Trouble> {
        self.urgency_by(state, |network| match network.offered_in(state) {
            Some(offers) => Ok(offers),
            None => network.evaluated_offers(state).map(Rc::from),
        })
    }

    /// The same, for given offers of `state`.
    pub(crate) fn urgency_by(
        &mut self,
        state: &State,
        offers: impl FnOnce(&mut Self) -> Result<Rc<[Offer]>, Trouble>,
    ) -> Result<Option<Vec<Vec<Atom>>>, Trouble> {
        if self.locations(state).any(|location| location.urgent || location.committed) {
            return Ok(None);
        }
        if !self.has_urgent_channels {
            return Ok(Some(Vec::new()));
        }
        let offers = offers(self)?;
        let mut conjunctions = Vec::new();
        for sender in &*offers {
            let Some((channel, true)) = sender.label else { continue };
            let definition = &self.core.channels[channel];
            if definition.urgent && definition.broadcast {
                conjunctions.push(sender.atoms.clone());
            } else if definition.urgent {
                for receiver in offers.iter().filter(|other| can_receive(other, sender, channel)) {
                    conjunctions.push([&sender.atoms[..], &receiver.atoms].concat());
                }
            }
        }
        Ok(Some(conjunctions))
    }
}

/// Whether `other` can receive from `sender` on `channel`.
pub(crate) fn can_receive(other: &Offer, sender: &Offer, channel: usize) -> bool {
    other.label == Some((channel, false)) && other.process != sender.process
}

/// The transitions of a broadcast: every process with an enabled receiving edge takes part with one
/// of them. So each process takes one edge, or does not take part where all its guards fail; the
/// guards of offers that are not certain may fail anywhere.
fn receiver_sets<C: Clocks>(
    offers: &[Offer],
    alone: Transition<C>,
    channel: usize,
) -> Result<Vec<Transition<C>>, Trouble> {
    let sender = &offers[alone.offers[0]];
    let receivers: Vec<usize> =
        (0..offers.len()).filter(|&k| can_receive(&offers[k], sender, channel)).collect();
    let mut all = vec![alone];
    for group in receivers.chunk_by(|&a, &b| offers[a].process == offers[b].process) {
        let mut next = Vec::new();
        for partial in all {
            for &receiver in group {
                if !partial.clocks.may_meet_each(&offers[receiver].atoms) {
                    continue;
                }
                let mut joined = partial.clone();
                if joined.clocks.meet_all(&offers[receiver].atoms)? {
                    joined.offers.push(receiver);
                    next.push(joined);
                }
            }
            let mut outside = vec![partial.clocks.clone()];
            for &receiver in group.iter().filter(|&&receiver| offers[receiver].is_certain) {
                outside = outside_of_all(outside, &offers[receiver].atoms)?;
            }
            next.extend(partial.split(outside));
        }
        all = limited(next, COMBINATIONS, "a broadcast has too many combinations of receivers")?;
    }
    Ok(all)
}

/// All values of the `select` variables of an edge; the last variable changes fastest.
pub(crate) fn combinations(edge: &Edge) -> Result<Cow<'_, [Vec<i64>]>, Trouble> {
    if let Some(all) = edge.selections.get() {
        return Ok(all.into());
    }
    let mut all = vec![Vec::new()];
    for select in &edge.select {
        let size = usize::try_from(select.high - select.low + 1).unwrap_or(0);
        if size.saturating_mul(all.len()) > COMBINATIONS {
            return Err(Trouble::undecided("an edge has too many combinations of select values"));
        }
        let extended = |values: &Vec<i64>, value| [&values[..], &[value]].concat();
        all = all
            .iter()
            .flat_map(|values| (select.low..=select.high).map(|v| extended(values, v)))
            .collect();
    }
    if all.len() > KEPT_COMBINATIONS {
        return Ok(all.into());
    }
    Ok(edge.selections.get_or_init(|| all).into())
}

#[cfg(test)]
mod tests;
