//! Certificates of kind `reach`: a run, replayed with exact numbers.
//!
//! The interpreter follows one valuation and shares nothing with zones but the rules of which edges
//! act together.

use crate::Refusal::Rejected;
use crate::certificate::Lines;
use crate::clocks::{Clocks, Point};
use crate::formula::holds_somewhere;
use crate::network::{Network, Offer, State};
use crate::refusal::{Refusal, Trouble};

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// In a state where the formula holds.
    Goal,
    /// In a state where the model fails at run time.
    Fails,
}

/// The largest denominator.
const LARGEST_DENOMINATOR: i128 = 1 << 60;

/// A run being replayed.
struct Run<'n, 'c> {
    network: &'n mut Network<'c>,
    state: State,
    point: Point,
}

/// Checks the body of a certificate: that it is a run, and that it ends as it says. The formula is
/// the part `goal` of the query's, as it stands or negated. Also says how many lines there are.
pub(crate) fn check(
    network: &mut Network<'_>,
    goal: (usize, bool),
    lines: &mut Lines<'_>,
) -> Result<(End, usize), Refusal> {
    let word = lines.expect_one("denom")?;
    let denominator: i128 = lines.natural(word)?;
    if !(1..=LARGEST_DENOMINATOR).contains(&denominator) {
        return Err(lines.malformed("the denominator is out of range"));
    }
    let initial: Vec<i64> = network.core.clocks.iter().map(|clock| clock.initial).collect();
    let (state, point) = (network.initial(), Point::new(&initial, denominator));
    let mut run = Run { network, state, point };
    if !run.invariant_holds().map_err(|trouble| trouble.refusal("the initial state"))? {
        return Err(Rejected("the initial state violates an invariant".to_owned()));
    }
    let mut steps = 0;
    while let Some(words) = lines.next()? {
        let place = format!("line {}", lines.number);
        let end = match words[..] {
            ["delay", delay] => {
                run.delay(lines.natural(delay)?).map_err(|trouble| trouble.refusal(&place))?;
                steps += 1;
                continue;
            }
            ["act", _, ..] => {
                let participants = participants(lines, &words[1..])?;
                run.act(&participants).map_err(|trouble| trouble.refusal(&place))?;
                steps += 1;
                continue;
            }
            ["goal"] => {
                let point = run.point.clone();
                let holds = holds_somewhere(run.network, &run.state, goal, point)
                    .map_err(|trouble| trouble.refusal(&place))?;
                if !holds {
                    return Err(Rejected(format!("{place}: the formula does not hold")));
                }
                End::Goal
            }
            ["fails"] => {
                run.fails(&place)?;
                End::Fails
            }
            _ => return Err(lines.malformed("an unknown keyword in a run")),
        };
        if lines.next()?.is_some() {
            return Err(lines.malformed("text behind the end of the run"));
        }
        return Ok((end, steps));
    }
    lines.number += 1;
    Err(lines.malformed("the run has no end"))
}

/// A participant: process, edge, and the values of `select` variables.
type Participant = (usize, usize, Vec<i64>);

/// Reads participants, each written `PROCESS.EDGE` or `PROCESS.EDGE:VALUE,VALUE`.
fn participants(lines: &Lines<'_>, words: &[&str]) -> Result<Vec<Participant>, Refusal> {
    let participant = |word: &&str| {
        let (edge, select) = word.split_once(':').map_or((*word, None), |(e, s)| (e, Some(s)));
        let (process, edge) = edge.split_once('.')?;
        let values = select.into_iter().flat_map(|select| select.split(','));
        let values: Option<Vec<i64>> = values.map(|value| value.parse().ok()).collect();
        Some((process.parse().ok()?, edge.parse().ok()?, values?))
    };
    let all: Option<_> = words.iter().map(participant).collect();
    all.ok_or_else(|| lines.malformed("a participant is written PROCESS.EDGE:VALUE,VALUE"))
}

impl Run<'_, '_> {
    fn invariant_holds(&mut self) -> Result<bool, Trouble> {
        match self.network.invariant(&self.state)? {
            Some(atoms) => self.point.meet_all(&atoms),
            None => Ok(false),
        }
    }

    /// Lets time pass. Invariants are convex and hold before, so it is enough that they hold after.
    fn delay(&mut self, delay: i128) -> Result<(), Trouble> {
        if delay == 0 {
            return Ok(());
        }
        let Some(urgent) = self.network.urgency(&self.state)? else {
            return Err(Trouble::rejected("time passes in an urgent or committed location"));
        };
        if urgent.iter().any(|atoms| self.point.meets_within(atoms, delay)) {
            return Err(Trouble::rejected("time passes although an urgent channel is enabled"));
        }
        self.point.elapse(delay)?;
        if !self.invariant_holds()? {
            return Err(Trouble::rejected("the delay violates an invariant"));
        }
        Ok(())
    }

    /// Takes the transition of exactly these participants.
    fn act(&mut self, participants: &[Participant]) -> Result<(), Trouble> {
        let offers = self.network.offers(&self.state)?;
        let transitions = self.network.transitions(&self.state, &offers, &self.point)?;
        let is_named = |(&k, wanted): (&usize, &Participant)| {
            let Offer { process, edge, select, .. } = &offers[k];
            (*process, *edge) == (wanted.0, wanted.1) && *select == wanted.2
        };
        let found = transitions.iter().find(|transition| {
            transition.offers.len() == participants.len()
                && transition.offers.iter().zip(participants).all(is_named)
        });
        let found = found.ok_or_else(|| Trouble::rejected("there is no such transition"))?;
        let (state, effects) = self.network.act(&self.state, &offers, &found.offers)?;
        self.state = state;
        self.point.apply(&effects);
        if !self.invariant_holds()? {
            return Err(Trouble::rejected("the transition violates an invariant of its target"));
        }
        Ok(())
    }

    /// Checks that the model fails here: that an edge cannot be evaluated, or that a transition
    /// fails, or leads to a state whose edges cannot be evaluated.
    fn fails(&mut self, place: &str) -> Result<(), Refusal> {
        match self.evaluate_everything() {
            Err(Trouble::RunTime(_)) => Ok(()),
            Err(trouble) => Err(trouble.refusal(place)),
            Ok(()) => Err(Rejected(format!("{place}: the model does not fail here"))),
        }
    }

    fn evaluate_everything(&mut self) -> Result<(), Trouble> {
        let offers = self.network.offers(&self.state)?;
        let (start, point) = (self.state.clone(), self.point.clone());
        for transition in self.network.transitions(&start, &offers, &point)? {
            let (state, effects) = self.network.act(&start, &offers, &transition.offers)?;
            self.state = state;
            self.point = point.clone();
            self.point.apply(&effects);
            if self.invariant_holds()? {
                self.network.offers(&self.state)?;
            }
        }
        Ok(())
    }
}
