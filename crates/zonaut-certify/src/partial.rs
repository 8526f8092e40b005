//! Partial states: discrete states with unknown cells.
//!
//! A partial state represents all states with the same locations and the same content of the known
//! cells; an unknown cell may hold any number of a range: its own, or a part of it. The transitions
//! of a partial state over-approximate those of the states that it represents.
//!
//! **Evaluation.** An expression is evaluated once for all contents, with interval arithmetic
//! ([`crate::span`]). If that leaves the result open, the range of the responsible cell is
//! bisected, and the expression is evaluated for each half. So the contents are partitioned such
//! that evaluation takes the same path and gives the same result for all contents of a part; since
//! single numbers leave nothing open, this terminates. A failure in a part is a failure in all its
//! states. Two edges are evaluated together only if they synchronise, so that the number of parts
//! does not multiply. A guard or an invariant that compares two unknown contents with each other
//! may need as many parts as there are contents: then it is taken as possible everywhere, and
//! certain nowhere.
//!
//! **Soundness.** Let s be one of the represented states.
//!
//! * Each offer of s is among the possible offers: its edge was evaluated for a part that contains
//!   s. An offer that every part has is certain, and s has it. So a transition of s consists of
//!   possible offers, and a process is not in the receivers of a broadcast only where its certain
//!   offers fail.
//! * The updates of a transition are evaluated for the parts in which all its offers exist, so for
//!   one that contains s. The contents of cells afterwards are in the computed ranges; a cell whose
//!   range is not one number becomes unknown, and may hold any number of the ranges of all parts
//!   that lead to otherwise equal states.
//! * Only certain offers stop time. Additional valuations in a delay are sound.

use crate::core::State;
use crate::machine::Machine;
use crate::network::{Network, Offer, Passage, combinations};
use crate::refusal::Trouble;
use crate::span::{MANY_PARTS, Span};
use crate::zone::{Atom, Effect};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A discrete state with unknown cells.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Partial {
    /// Unknown cells have their initial content here, which is ignored.
    state: State,
    /// The unknown cells, ascending.
    unknown: Vec<usize>,
    /// The least and the greatest content of each unknown cell.
    ranges: Vec<(i64, i64)>,
}

impl From<State> for Partial {
    fn from(state: State) -> Self {
        Self { state, unknown: Vec::new(), ranges: Vec::new() }
    }
}

impl Partial {
    /// A partial state. `contents` are the unknown cells, ascending, with their ranges; `state` has
    /// the initial contents there.
    pub(crate) fn new(state: State, contents: Vec<(usize, (i64, i64))>) -> Self {
        let (unknown, ranges) = contents.into_iter().unzip();
        Self { state, unknown, ranges }
    }

    /// The state; the contents of unknown cells are to be ignored.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// The unknown cells, ascending.
    pub(crate) fn unknown(&self) -> &[usize] {
        &self.unknown
    }

    /// The state, if all cells are known.
    pub(crate) fn exact(&self) -> Option<&State> {
        self.unknown.is_empty().then_some(&self.state)
    }

    /// The known part of this state if these cells, ascending, are treated as unknown; `None` if
    /// other cells are unknown.
    pub(crate) fn without(&self, network: &Network<'_>, cells: &[usize]) -> Option<State> {
        let is_within = self.unknown.iter().all(|cell| cells.binary_search(cell).is_ok());
        is_within.then(|| {
            let mut state = self.state.clone();
            cells.iter().for_each(|&cell| state.cells[cell] = network.core.cells[cell].initial);
            state
        })
    }

    /// Whether `larger` allows all contents of its unknown cells that this state has.
    pub(crate) fn is_within(&self, larger: &Self) -> bool {
        let mut cells = larger.unknown.iter().zip(&larger.ranges);
        cells.all(|(&cell, &(low, high))| {
            let (least, most) = self.contents(cell);
            low <= least && most <= high
        })
    }

    /// The range of contents of a cell.
    fn contents(&self, cell: usize) -> (i64, i64) {
        match self.unknown.binary_search(&cell) {
            Ok(position) => self.ranges[position],
            Err(_) => (self.state.cells[cell], self.state.cells[cell]),
        }
    }

    /// Extends the ranges by those of another state, which is otherwise equal.
    fn widen(&mut self, other: &Self) {
        for ((low, high), (least, most)) in self.ranges.iter_mut().zip(&other.ranges) {
            (*low, *high) = ((*low).min(*least), (*high).max(*most));
        }
    }
}

/// The ranges of unknown cells, by cell.
type Part = BTreeMap<usize, (i64, i64)>;

/// The maximal number of parts for one evaluation.
const PARTS: usize = 1 << 15;

impl<'c> Network<'c> {
    /// Evaluates for parts of the unknown contents; the result is the same for all contents of a
    /// part. Returns the distinct results.
    pub(crate) fn each<T: Ord>(
        &mut self,
        partial: &Partial,
        mut evaluate: impl FnMut(&mut Self) -> Result<T, Trouble>,
    ) -> Result<BTreeSet<T>, Trouble> {
        if partial.unknown.is_empty() {
            self.enter(&partial.state);
            return Ok(BTreeSet::from([evaluate(self)?]));
        }
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

    /// The offers that exist for some contents.
    pub(crate) fn possible_offers(&mut self, partial: &Partial) -> Result<Rc<[Offer]>, Trouble> {
        if let Some(state) = partial.exact() {
            return self.offers(state);
        }
        let mut offers = Vec::new();
        for (process, edge) in self.leaving(&partial.state) {
            for select in &*combinations(&self.core.processes[process].edges[edge])? {
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
        Ok(offers.into())
    }

    /// The targets of a transition, with its effects on clocks.
    pub(crate) fn outcomes(
        &mut self,
        partial: &Partial,
        offers: &[Offer],
        participants: &[usize],
    ) -> Result<Vec<(Partial, Vec<Effect>)>, Trouble> {
        if let Some(state) = partial.exact() {
            let (target, effects) = self.act(state, offers, participants)?;
            return Ok(vec![(target.into(), effects)]);
        }
        let outcomes = self.each(partial, |network| {
            for offer in participants.iter().map(|&position| &offers[position]) {
                if !network.has(offer)? {
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

    /// Whether an offer exists in the state that was entered last.
    fn has(&mut self, offer: &Offer) -> Result<bool, Trouble> {
        let found = self.offer(offer.process, offer.edge, offer.select.clone())?;
        Ok(found.is_some_and(|found| found.atoms == offer.atoms && found.label == offer.label))
    }

    /// The possible clock atoms of the invariants; empty if a data condition always fails.
    pub(crate) fn invariants(&mut self, partial: &Partial) -> Result<Vec<Vec<Atom>>, Trouble> {
        if let Some(state) = partial.exact() {
            return Ok(self.invariant(state)?.into_iter().collect());
        }
        let found = self.each(partial, |network| {
            let locations = network.locations(&partial.state);
            network.test(locations.map(|location| &location.invariant))
        })?;
        Ok(found.into_iter().flatten().map(|(atoms, _)| atoms).collect())
    }

    /// The conditions under which time passes for some contents; an over-approximation of delays.
    pub(crate) fn longest_passage(
        &mut self,
        partial: &Partial,
    ) -> Result<Option<Passage>, Trouble> {
        if let Some(state) = partial.exact() {
            return self.passage(state);
        }
        let urgent = self.urgency_by(&partial.state, |network| {
            let offers = network.possible_offers(partial)?;
            Ok(offers.iter().filter(|offer| offer.is_certain).cloned().collect())
        })?;
        Ok(urgent.map(|urgent| Passage { urgent, stopped: Vec::new(), free: None }))
    }
}

/// Sets the contents of unknown cells in a machine.
fn choose(machine: &mut Machine<'_>, part: &Part) {
    for (&cell, &(low, high)) in part {
        if low == high {
            machine.state.cells[cell] = low;
        } else {
            machine.contents.insert(cell, Span::of_cell(cell, low, high));
        }
    }
}

/// The halves of a part, bisected by the content of a cell.
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
