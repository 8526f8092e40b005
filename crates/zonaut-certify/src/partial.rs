//! Discrete states of which some cells are not known.
//!
//! A partial state stands for all states with the same locations and the same content of the cells
//! that are known; the others may hold any number of a range: their own, or a part of it. What the
//! network can do there is what it can do in one of them, or more.
//!
//! **Evaluation.** A question is evaluated once for all contents, as ranges ([`crate::span`]). Where
//! that leaves it open, the contents of the cell to blame are cut into halves, and it is evaluated
//! for each. So the contents fall into parts, in each of which evaluation takes the same way and
//! gives the same answer for all; and since single numbers leave nothing open, this ends. A failure
//! in a part is a failure in all its states. Nothing is asked of two edges at once but where they
//! act together, so that parts do not multiply. Where a condition of a guard or an invariant compares
//! two unknown contents with each other, there may be as many parts as contents: then it may hold,
//! everywhere, but is not certain.
//!
//! **Soundness.** Let s be one of the states.
//!
//! * Each offer of s is among the possible offers: its edge was evaluated for a part that holds s.
//!   An offer that every part has is certain, and s has it. So a transition of s has offers that are
//!   possible, and a process stays out of a broadcast only where its certain offers fail.
//! * The updates of a transition are evaluated for the parts in which all its offers are there, so
//!   in one that holds s. What cells hold then is in their ranges; where that is not one number, the
//!   cell is not known any more, and may hold anything in the range of all parts that lead to states
//!   that are otherwise the same.
//! * Only certain offers stop time. More valuations in a delay do no harm to what is shown.

use crate::core::State;
use crate::machine::Machine;
use crate::network::{Network, Offer, Passage, combinations};
use crate::refusal::Trouble;
use crate::span::{MANY_PARTS, Span};
use crate::zone::{Atom, Effect};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// A discrete state of which some cells are not known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Partial {
    /// Cells that are not known have their initial content here, which means nothing.
    state: State,
    /// The cells that are not known, ascending.
    unknown: Vec<usize>,
    /// For each of them, the least and the greatest number that it may hold.
    ranges: Vec<(i64, i64)>,
}

impl From<State> for Partial {
    fn from(state: State) -> Self {
        Self { state, unknown: Vec::new(), ranges: Vec::new() }
    }
}

impl Partial {
    /// A state with the initial contents in the cells that are not known, ascending, which may hold
    /// these.
    pub(crate) fn new(state: State, contents: Vec<(usize, (i64, i64))>) -> Self {
        let (unknown, ranges) = contents.into_iter().unzip();
        Self { state, unknown, ranges }
    }

    /// The state, with other contents where they are not known.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// The cells that are not known, ascending.
    pub(crate) fn unknown(&self) -> &[usize] {
        &self.unknown
    }

    /// The state, if all of it is known.
    pub(crate) fn exact(&self) -> Option<&State> {
        self.unknown.is_empty().then_some(&self.state)
    }

    /// The same state as if the contents of these cells, ascending, were not known; nothing if others
    /// are not.
    pub(crate) fn without(&self, network: &Network<'_>, cells: &[usize]) -> Option<State> {
        let is_within = self.unknown.iter().all(|cell| cells.binary_search(cell).is_ok());
        is_within.then(|| {
            let mut state = self.state.clone();
            cells.iter().for_each(|&cell| state.cells[cell] = network.core.cells[cell].initial);
            state
        })
    }

    /// Whether all contents of the cells that are not known in `larger` are possible there.
    pub(crate) fn is_within(&self, larger: &Self) -> bool {
        let mut cells = larger.unknown.iter().zip(&larger.ranges);
        cells.all(|(&cell, &(low, high))| {
            let (least, most) = self.contents(cell);
            low <= least && most <= high
        })
    }

    /// What a cell may hold.
    fn contents(&self, cell: usize) -> (i64, i64) {
        match self.unknown.binary_search(&cell) {
            Ok(position) => self.ranges[position],
            Err(_) => (self.state.cells[cell], self.state.cells[cell]),
        }
    }

    /// Makes all contents possible that are possible in another state, which is otherwise the same.
    fn widen(&mut self, other: &Self) {
        for ((low, high), (least, most)) in self.ranges.iter_mut().zip(&other.ranges) {
            (*low, *high) = ((*low).min(*least), (*high).max(*most));
        }
    }
}

/// The contents of unknown cells, by cell.
type Part = BTreeMap<usize, (i64, i64)>;

/// The most parts that the contents fall into for one question.
const PARTS: usize = 1 << 15;

impl<'c> Network<'c> {
    /// Evaluates in parts of the contents that are not known, in each of which the answer is the
    /// same for all. Gives the different answers.
    pub(crate) fn each<T: Ord>(
        &mut self,
        partial: &Partial,
        mut evaluate: impl FnMut(&mut Self) -> Result<T, Trouble>,
    ) -> Result<BTreeSet<T>, Trouble> {
        let contents = partial.unknown.iter().copied().zip(partial.ranges.iter().copied());
        let whole: Part = contents.collect();
        let (mut open, mut parts, mut answers) = (vec![whole], 0, BTreeSet::new());
        while let Some(part) = open.pop() {
            parts += 1;
            if parts > PARTS {
                return Err(Trouble::undecided(MANY_PARTS));
            }
            self.enter(&partial.state);
            choose(&mut self.machine, &part);
            let answer = evaluate(self);
            self.machine.contents.clear();
            match answer {
                Err(Trouble::Open(cell)) => open.extend(halves(part, cell)?),
                Err(trouble) => return Err(trouble),
                Ok(answer) => {
                    answers.insert(answer);
                }
            }
        }
        Ok(answers)
    }

    /// The offers that are possible.
    pub(crate) fn possible_offers(&mut self, partial: &Partial) -> Result<Vec<Offer>, Trouble> {
        if let Some(state) = partial.exact() {
            return self.offers(state);
        }
        let mut offers = Vec::new();
        for (process, edge) in self.leaving(&partial.state) {
            for select in combinations(&self.core.processes[process].edges[edge])? {
                let evaluate = |network: &mut Self| network.offer(process, edge, select.clone());
                let found = self.each(partial, evaluate)?;
                let is_one = found.len() == 1;
                let found = found.into_iter().flatten();
                let found: BTreeSet<Offer> = found
                    .map(|offer| Offer { is_certain: is_one && offer.is_certain, ..offer })
                    .collect();
                offers.extend(found);
            }
        }
        Ok(offers)
    }

    /// Where a transition leads, and what it does to clocks.
    pub(crate) fn outcomes(
        &mut self,
        partial: &Partial,
        offers: &[Offer],
        participants: &[usize],
    ) -> Result<Vec<(Partial, Vec<Effect>)>, Trouble> {
        let outcomes = self.each(partial, |network| {
            for offer in participants.iter().map(|&position| &offers[position]) {
                if !partial.unknown.is_empty() && !network.has(offer)? {
                    return Ok(None);
                }
            }
            let locations = network.carry_out(&partial.state, offers, participants)?;
            let Machine { state, contents, effects, .. } = &network.machine;
            let mut state = State { locations, cells: state.cells.clone() };
            let contents: Vec<_> =
                contents.iter().map(|(&cell, span)| (cell, span.ends())).collect();
            for &(cell, _) in &contents {
                state.cells[cell] = network.core.cells[cell].initial;
            }
            Ok(Some((Partial::new(state, contents), effects.clone())))
        })?;
        let mut joined: BTreeMap<(State, Vec<usize>, Vec<Effect>), Partial> = BTreeMap::new();
        for (target, effects) in outcomes.into_iter().flatten() {
            let what_is_same = (target.state.clone(), target.unknown.clone(), effects);
            match joined.entry(what_is_same) {
                Entry::Occupied(mut other) => other.get_mut().widen(&target),
                Entry::Vacant(place) => {
                    place.insert(target);
                }
            }
        }
        Ok(joined.into_iter().map(|((_, _, effects), target)| (target, effects)).collect())
    }

    /// Whether an offer is there, in the state that was entered.
    fn has(&mut self, offer: &Offer) -> Result<bool, Trouble> {
        let found = self.offer(offer.process, offer.edge, offer.select.clone())?;
        Ok(found.is_some_and(|found| found.atoms == offer.atoms && found.label == offer.label))
    }

    /// The clock parts that the invariants can have; none where a condition on data fails always.
    pub(crate) fn invariants(&mut self, partial: &Partial) -> Result<Vec<Vec<Atom>>, Trouble> {
        let found = self.each(partial, |network| {
            let locations = network.locations(&partial.state);
            network.test(locations.map(|location| &location.invariant))
        })?;
        Ok(found.into_iter().flatten().map(|(atoms, _)| atoms).collect())
    }

    /// How time passes, or longer than it does.
    pub(crate) fn longest_passage(
        &mut self,
        partial: &Partial,
    ) -> Result<Option<Passage>, Trouble> {
        if let Some(state) = partial.exact() {
            return self.passage(state);
        }
        let urgent = self.urgency_by(&partial.state, |network| {
            let mut offers = network.possible_offers(partial)?;
            offers.retain(|offer| offer.is_certain);
            Ok(offers)
        })?;
        Ok(urgent.map(|urgent| Passage { urgent, stopped: Vec::new(), free: None }))
    }
}

/// Puts contents into the state of a machine.
fn choose(machine: &mut Machine<'_>, part: &Part) {
    for (&cell, &(low, high)) in part {
        if low == high {
            machine.state.cells[cell] = low;
        } else {
            machine.contents.insert(cell, Span::of_cell((low, high), cell));
        }
    }
}

/// The halves of a part by the content of a cell.
fn halves(part: Part, cell: usize) -> Result<[Part; 2], Trouble> {
    let Some(&(low, high)) = part.get(&cell).filter(|(low, high)| low < high) else {
        return Err(Trouble::Open(cell));
    };
    let middle = low + (high - low) / 2;
    let (mut lower, mut upper) = (part.clone(), part);
    lower.insert(cell, (low, middle));
    upper.insert(cell, (middle + 1, high));
    Ok([lower, upper])
}
