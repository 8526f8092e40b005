//! Certificates of kind `reach`: a run, replayed with exact rational numbers.
//!
//! The replay follows a single valuation. It shares the rules of synchronisation with the
//! zone-based checks, but no zone operations.

use crate::certificate::Lines;
use crate::clocks::{Clocks, Point};
use crate::core::{Core, State};
use crate::formula::{Condition, holds_somewhere};
use crate::network::{Network, Offer, Passage};
use crate::refusal::{Evaluated, Refusal, Trouble, require};

/// The end of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// In a state where the formula holds.
    Goal,
    /// In a state where the model fails at run time.
    Fails,
}

/// The largest denominator.
const LARGEST_DENOMINATOR: i128 = 1 << 60;

/// All grains together are less than this fraction of a grain unit. A comparison involves the
/// grains of at most four values.
pub(crate) const GRAINS: i128 = 16;

/// A run being replayed.
pub(crate) struct Run<'n, 'c> {
    pub(crate) network: &'n mut Network<'c>,
    pub(crate) state: State,
    pub(crate) point: Point,
    /// The number of grains in a unit of delay; 1 without grains.
    grain: i128,
    /// The sum of the distances of delays from whole units, in grains.
    grains: i128,
}

/// A replayed run.
pub(crate) struct Replayed {
    pub(crate) end: End,
    /// The number of its lines.
    pub(crate) steps: usize,
    /// The clock valuation at its end.
    pub(crate) point: Point,
    /// The common denominator of their values.
    pub(crate) denominator: i128,
}

/// Checks the body of a certificate: it is a run, and ends as stated. `goal` holds at its end;
/// without one, the certificate can only prove a run-time error. Returns the number of lines, too.
pub(crate) fn check(
    network: &mut Network<'_>,
    goal: Option<Condition>,
    lines: &mut Lines<'_>,
) -> Result<(End, usize), Refusal> {
    let Replayed { end, steps, .. } = replay(network, goal, lines, 1)?;
    match lines.next()? {
        None => Ok((end, steps)),
        Some(_) => Err(lines.malformed("text behind the end of the run")),
    }
}

/// Replays the run that the next lines describe.
///
/// If `grain` is not 1, delays are `delay WHOLE GRAINS`. Grains stand for infinitesimals: they are
/// so small and so few that every comparison has the same result for any smaller grain. A
/// difference of values is a multiple of the unit plus a number of grains that is less than a part
/// of it; so its sign is that of the multiple, or that of the grains if the multiple is zero,
/// however small the grains are. Hence there are real runs arbitrarily close to the run without
/// grains.
pub(crate) fn replay(
    network: &mut Network<'_>,
    goal: Option<Condition>,
    lines: &mut Lines<'_>,
    grain: i128,
) -> Result<Replayed, Refusal> {
    let mut run = Run::before_start(network, lines, grain)?;
    let denominator = run.point.denominator();
    match run.enter() {
        Err(Trouble::RunTime(_)) if next_is(lines, "fails")? => {
            return Ok(Replayed { end: End::Fails, steps: 0, point: run.point, denominator });
        }
        entered => entered.at("the initial state")?,
    }
    let mut steps = 0;
    while let Some(words) = lines.next()? {
        match run.line(goal, lines, &words).at(format_args!("line {}", lines.number))? {
            None => steps += 1,
            Some(end) => return Ok(Replayed { end, steps, point: run.point, denominator }),
        }
    }
    lines.number += 1;
    Err(lines.malformed("the run has no end"))
}

/// Whether the next line is this keyword.
fn next_is(lines: &mut Lines<'_>, word: &str) -> Result<bool, Refusal> {
    Ok(lines.next()?.is_some_and(|words| words == [word]))
}

/// A participant: process, edge, and the values of `select` variables.
pub(crate) type Participant = (usize, usize, Vec<i64>);

/// Reads participants, each written `PROCESS.EDGE` or `PROCESS.EDGE:VALUE,VALUE`.
pub(crate) fn participants(lines: &Lines<'_>, words: &[&str]) -> Result<Vec<Participant>, Refusal> {
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

/// Whether the offers with the numbers `taken` are exactly these participants.
pub(crate) fn are_named(offers: &[Offer], taken: &[usize], participants: &[Participant]) -> bool {
    let is_named = |(&k, wanted): (&usize, &Participant)| {
        let Offer { process, edge, select, .. } = &offers[k];
        (*process, *edge) == (wanted.0, wanted.1) && *select == wanted.2
    };
    taken.len() == participants.len() && taken.iter().zip(participants).all(is_named)
}

impl<'n, 'c> Run<'n, 'c> {
    /// The run before its first step; reads the denominator of its delays.
    pub(crate) fn start(
        network: &'n mut Network<'c>,
        lines: &mut Lines<'_>,
    ) -> Result<Self, Refusal> {
        let mut run = Self::before_start(network, lines, 1)?;
        run.enter().at("the initial state")?;
        Ok(run)
    }

    /// The same without entering the initial state, where the model may fail.
    fn before_start(
        network: &'n mut Network<'c>,
        lines: &mut Lines<'_>,
        grain: i128,
    ) -> Result<Self, Refusal> {
        let word = lines.expect_one("denom")?;
        let denominator: i128 = lines.natural(word)?;
        let is_in_range = (1..=LARGEST_DENOMINATOR / grain).contains(&denominator);
        lines.require(is_in_range, "the denominator is out of range")?;
        let denominator = denominator * grain;
        let initial: Vec<i64> = network.core.clocks.iter().map(|clock| clock.initial).collect();
        let (state, point) = (network.core.initial(), Point::new(&initial, denominator));
        Ok(Self { network, state, point, grain, grains: 0 })
    }

    /// Enters the initial state.
    fn enter(&mut self) -> Result<(), Trouble> {
        let holds = self.invariant_holds()?;
        require(holds, "an invariant is violated")
    }

    /// Follows a line; returns the end of the run if it is the last line.
    fn line(
        &mut self,
        goal: Option<Condition>,
        lines: &Lines<'_>,
        words: &[&str],
    ) -> Result<Option<End>, Trouble> {
        match *words {
            ["delay", delay] if self.grain == 1 => self.delay(lines.natural(delay)?)?,
            ["delay", whole, grains] if self.grain > 1 => {
                let whole: i64 = lines.natural(whole)?;
                let wrong = |_| lines.malformed("grains are a number");
                let grains: i32 = grains.parse().map_err(wrong)?;
                let rate = self.network.core.cost_rates.as_ref().map(|all| all.at(&self.state));
                let scale = i128::from(self.network.core.scale().max(rate.unwrap_or(1)));
                self.grains += i128::from(grains.unsigned_abs()) * scale;
                lines.require(self.grains < self.grain / GRAINS, "there are too many grains")?;
                let delay = i128::from(whole) * self.grain + i128::from(grains);
                lines.require(delay >= 0, "a delay is negative")?;
                self.delay(delay)?;
            }
            ["act", _, ..] => self.act(&participants(lines, &words[1..])?)?,
            ["goal"] => {
                let none = || lines.malformed("the query is not about single states");
                let goal = goal.ok_or_else(none)?;
                let point = self.point.clone();
                let holds = holds_somewhere(self.network, &self.state, goal, point)?;
                require(holds, "the formula does not hold")?;
                return Ok(Some(End::Goal));
            }
            ["fails"] => match self.evaluate_everything() {
                Err(Trouble::RunTime(_)) => return Ok(Some(End::Fails)),
                Err(trouble) => return Err(trouble),
                Ok(()) => return Err(Trouble::rejected("the model does not fail here")),
            },
            _ => return Err(lines.malformed("an unknown keyword in a run").into()),
        }
        Ok(None)
    }

    fn invariant_holds(&mut self) -> Result<bool, Trouble> {
        match self.network.invariant(&self.state)? {
            Some(atoms) => {
                // If a rate cannot be evaluated, the model fails on entering the state.
                self.network.stopped(&self.state)?;
                self.point.meet_all(&atoms)
            }
            None => Ok(false),
        }
    }

    /// Delays. Invariants are convex and hold before, so it suffices that they hold afterwards.
    pub(crate) fn delay(&mut self, delay: i128) -> Result<(), Trouble> {
        if delay == 0 {
            return Ok(());
        }
        let scaled = delay.checked_mul(i128::from(self.network.core.scale()));
        let delay = scaled.ok_or_else(|| Trouble::undecided("a delay is too large"))?;
        let Some(Passage { urgent, stopped, .. }) = self.network.passage(&self.state)? else {
            return Err(Trouble::rejected("time passes in an urgent or committed location"));
        };
        let is_urgent = urgent.iter().any(|atoms| self.point.meets_within(atoms, &stopped, delay));
        require(!is_urgent, "time passes although an urgent channel is enabled")?;
        self.point.elapse(&stopped, delay)?;
        let Core { measure, cost_rates, .. } = self.network.core;
        if let (Some(measure), Some(rates)) = (measure, cost_rates) {
            let paid = delay.checked_mul(i128::from(rates.at(&self.state)));
            let is_small = paid.is_some_and(|paid| self.point.add(measure.clock, paid));
            require(is_small, "the cost is too large")?;
        }
        require(self.invariant_holds()?, "the delay violates an invariant")
    }

    /// Takes the transition of exactly these participants.
    pub(crate) fn act(&mut self, participants: &[Participant]) -> Result<(), Trouble> {
        let offers = self.network.offers(&self.state)?;
        let transitions = self.network.transitions(&self.state, &offers, &self.point)?;
        let found = transitions
            .iter()
            .find(|transition| are_named(&offers, &transition.offers, participants));
        let found = found.ok_or_else(|| Trouble::rejected("there is no such transition"))?;
        let holds = self.take(&offers, &found.offers)?;
        require(holds, "the transition violates an invariant of its target")
    }

    /// Executes a transition; returns whether the invariants of its target hold.
    fn take(&mut self, offers: &[Offer], participants: &[usize]) -> Result<bool, Trouble> {
        let (state, effects) = self.network.act(&self.state, offers, participants)?;
        self.state = state;
        self.point.apply(&effects);
        self.invariant_holds()
    }

    /// Checks for a run-time error here: an edge that cannot be evaluated, a transition that fails,
    /// or one that leads to a state whose edges cannot be evaluated.
    fn evaluate_everything(&mut self) -> Result<(), Trouble> {
        let offers = self.network.offers(&self.state)?;
        let start = (self.state.clone(), self.point.clone());
        for transition in self.network.transitions(&start.0, &offers, &start.1)? {
            (self.state, self.point) = start.clone();
            if self.take(&offers, &transition.offers)? {
                self.network.offers(&self.state)?;
            }
        }
        Ok(())
    }
}
