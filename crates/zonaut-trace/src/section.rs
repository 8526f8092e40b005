//! Charts that a model describes in its `gantt` section.
//!
//! During a delay, variables and locations are constant, so that a condition changes only when a
//! clock, or the difference of two, reaches the bound that it is compared with. A delay is split
//! there; between two splits a condition holds throughout or never, so that one instant in the
//! middle decides. Conditions that hold for zero time are not shown.

#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::gantt::{Chart, Row, Stay};
use crate::moment::{Moment, Unknown};
use crate::trace::{Rational, Trace};
use zonaut_model::interpret::{ErrorKind, RunTimeError};
use zonaut_model::{ChartBar, Formula, Model};

/// Maximum number of steps of all evaluations of one chart.
const BUDGET: u64 = 100_000_000;

impl Chart {
    /// The chart that `model` describes, of one of its runs, with the errors because of which bars
    /// are missing.
    #[must_use]
    pub fn of_section(model: &Model, trace: &Trace) -> (Self, Vec<RunTimeError>) {
        let bars = model.chart.iter().flat_map(|row| &row.bars);
        let mut found: Vec<Found<'_>> = bars.map(|bar| Found { bar, stays: Vec::new() }).collect();
        let failures = replay(model, trace, &mut found);
        let mut found = found.into_iter();
        let rows = model.chart.iter().map(|row| {
            let bars = found.by_ref().take(row.bars.len());
            let mut stays: Vec<Stay> = bars.flat_map(|bar| bar.stays).collect();
            stays.sort_by_key(|stay| stay.from);
            Row { process: row.name.clone(), stays }
        });
        let end = trace.dates().last().copied().unwrap_or(Rational::from(0));
        (Self { rows: rows.collect(), end }, failures)
    }
}

/// A bar of the chart, with the times at which it is shown.
struct Found<'m> {
    bar: &'m ChartBar,
    stays: Vec<Stay>,
}

/// Replays a run, and records the times at which each bar is shown. Returns the failures, without
/// duplicates.
fn replay(model: &Model, trace: &Trace, found: &mut [Found<'_>]) -> Vec<RunTimeError> {
    let mut failures: Vec<RunTimeError> = Vec::new();
    let Some(mut moment) = Moment::new(model, &trace.start, BUDGET) else { return failures };
    let later = trace.steps.iter().map(|step| &step.state);
    let states = [&trace.start].into_iter().chain(later);
    for (state, dates) in states.zip(trace.dates().windows(2)) {
        if dates[0] == dates[1] || moment.enter(state).is_none() {
            continue;
        }
        let (Ok(rates), arrival) = (moment.rates(), moment.clocks.clone()) else { continue };
        let span = DelaySpan { from: dates[0], to: dates[1], arrival, rates };
        for found in &mut *found {
            if let Err(error) = span.show(&mut moment, found)
                && !failures.contains(&error)
            {
                failures.push(error);
            }
        }
        if failures.iter().any(|error| error.kind == ErrorKind::Budget) {
            break;
        }
    }
    failures
}

/// A delay in one state.
struct DelaySpan {
    from: Rational,
    to: Rational,
    /// The values of clocks at the beginning, and their rates.
    arrival: Vec<Rational>,
    rates: Vec<Rational>,
}

impl DelaySpan {
    /// Records the times at which a bar is shown during the delay.
    fn show(&self, moment: &mut Moment<'_>, found: &mut Found<'_>) -> Result<(), RunTimeError> {
        let Found { bar, stays } = found;
        for pair in self.cuts(moment, &bar.condition).windows(2) {
            let elapsed = pair[0].halfway(pair[1]) - self.from;
            #[cfg(feature = "faults")]
            let elapsed = match Fault::AskedOnArrival.is_selected() {
                true => Rational::from(0),
                false => elapsed,
            };
            let clocks = self.arrival.iter().zip(&self.rates);
            moment.clocks = clocks.map(|(&value, &rate)| value + elapsed * rate).collect();
            match moment.holds(&bar.condition) {
                Ok(true) => {}
                Ok(false) | Err(Unknown::Deadlock) => continue,
                Err(Unknown::Failure(error)) => return Err(error),
            }
            let colour = Some(moment.interpreter.evaluate(bar.colour)?);
            let is_same = |last: &Stay| last.colour == colour;
            #[cfg(feature = "faults")]
            let is_same = |last: &Stay| is_same(last) || Fault::ColoursJoined.is_selected();
            match stays.last_mut() {
                Some(last) if last.to == pair[0] && is_same(last) => last.to = pair[1],
                _ => {
                    let location = bar.label.clone();
                    stays.push(Stay { location, from: pair[0], to: pair[1], colour });
                }
            }
        }
        Ok(())
    }

    /// The dates at which the condition may change, between the first and the last.
    fn cuts(&self, moment: &mut Moment<'_>, condition: &Formula) -> Vec<Rational> {
        let mut cuts = vec![self.from, self.to];
        condition.for_each_constraint(&mut |constraint| {
            // An evaluation that fails here is either not needed, or fails again when it is.
            let Ok(Some(comparison)) = moment.comparison(constraint) else { return };
            #[cfg(feature = "faults")]
            if Fault::CutsForgotten.is_selected()
                || (Fault::DifferencesForgotten.is_selected() && comparison.right.is_some())
            {
                return;
            }
            let missing = Rational::from(comparison.bound) - comparison.difference(&self.arrival);
            // Clocks run or stand still, so that differences change by 1, 0 or -1 per time unit.
            let rate = comparison.difference(&self.rates);
            let date = self.from + missing * rate;
            if rate != Rational::from(0) && self.from < date && date < self.to {
                cuts.push(date);
            }
        });
        cuts.sort();
        cuts.dedup();
        cuts
    }
}
