//! The time axis of the charts of a run.

use crate::geometry::Point;
use crate::picture::Picture;
use crate::text;
use zonaut_trace::{Trace, split_location};

/// The width of a chart.
const WIDTH: f64 = 1000.0;
/// Maximum width of names at the left.
const NAMES: f64 = 190.0;
/// The height of the axis with its numbers.
pub(crate) const HEIGHT: f64 = 26.0;

/// The mapping from dates to positions in a chart.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    left: f64,
    right: f64,
    /// The date at the right end.
    end: f64,
    /// The width of the names of locations and of the values behind the end.
    finals: f64,
    /// The dates at which the states are reached, and the end.
    pub(crate) dates: Vec<f64>,
    /// Whether the axis counts states instead of time.
    counts_states: bool,
}

impl Axis {
    /// The axis for a run. Charts of one run have the same axis, so that they can be stacked.
    pub(crate) fn new(trace: &Trace) -> Self {
        Self::with_names(trace, [])
    }

    /// The axis for a run, with room for further names at the left.
    pub(crate) fn with_names<'n>(
        trace: &'n Trace,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        let dates: Vec<f64> = trace.dates().iter().map(|date| date.to_f64()).collect();
        let end = dates.last().copied().unwrap_or(0.0);
        let start = &trace.start;
        let processes = start.locations.iter().map(|place| split_location(place).0);
        let clocks = start.clocks.iter().map(|(name, _)| name.as_str());
        let variables = start.variables.iter().map(|(name, _)| name.as_str());
        let names = processes.chain(clocks).chain(variables).chain(names);
        let widest = names.map(text::width).fold(0.0, f64::max).min(NAMES);
        let finals = final_instants(trace).map(text::width);
        let values = final_values(trace).into_iter().map(|value| text::width(&decimal(value)));
        let finals = finals.chain(values).fold(0.0, f64::max).min(NAMES);
        Self {
            left: widest + 24.0,
            right: WIDTH - 24.0 - finals,
            finals,
            // A run without delays has all of its dates at the left end.
            end: if end > 0.0 { end } else { 1.0 },
            dates,
            counts_states: false,
        }
    }

    /// The same axis for states that last one time unit each, numbered in the middle of their stay.
    pub(crate) fn by_step(self) -> Self {
        Self { counts_states: true, ..self }
    }

    /// The width of the column of names.
    pub(crate) fn name_room(&self) -> f64 {
        self.left - 20.0
    }

    /// The width of the column of locations that are entered, and values that are assigned, at the
    /// end.
    pub(crate) fn final_room(&self) -> f64 {
        self.finals
    }

    pub(crate) fn x(&self, date: f64) -> f64 {
        self.left + (self.right - self.left) * (date / self.end)
    }

    /// The stay in each state, from its arrival to its departure.
    pub(crate) fn stays(&self) -> impl Iterator<Item = (f64, f64)> {
        self.dates.windows(2).map(|pair| (self.x(pair[0]), self.x(pair[1])))
    }

    /// Draws the axis below a chart of height `bottom`, and sets the size of the picture.
    pub(crate) fn draw(&self, bottom: f64, picture: &mut Picture) {
        let (step, shift) = match self.counts_states {
            true => (tick(self.end).max(1.0).ceil(), 0.5),
            false => (tick(self.end), 0.0),
        };
        let mut number = 0.0;
        while number * step <= self.end * (1.0 + 1e-9) {
            let x = self.x(number * step);
            picture.line(Point::new(x, 4.0), Point::new(x, bottom), "grid");
            let shown = decimal(number * step);
            if number * step + shift <= self.end {
                let x = self.x(number * step + shift);
                picture.text(Point::new(x, bottom + 14.0), "mid note", &shown);
            }
            number += 1.0;
        }
        if self.counts_states {
            picture.note("by-step", 1.0);
        }
        picture.line(Point::new(self.left, bottom), Point::new(self.right, bottom), "axis");
        let title = if self.counts_states { "step" } else { "time" };
        picture.text(Point::new(12.0, bottom + 14.0), "lane note", title);
        picture.note("left", self.x(0.0));
        picture.note("right", self.x(self.end));
        picture.resize(WIDTH, bottom + HEIGHT);
    }
}

/// The locations that are entered at the end of a run and in which no time passes.
fn final_instants(trace: &Trace) -> impl Iterator<Item = &str> {
    let ends_now = trace.last_delay.numerator == 0;
    let last = trace.steps.iter().rposition(|step| step.delay.numerator > 0).unwrap_or(0);
    let moved = trace.steps[last..].iter().flat_map(|step| &step.edges);
    let moved: Vec<&str> = moved.map(|edge| edge.process.as_str()).collect();
    let places = trace.steps.last().into_iter().flat_map(|step| &step.state.locations);
    let places = places.filter(move |_| ends_now).map(|place| split_location(place));
    places.filter(move |(process, _)| moved.contains(process)).map(|(_, location)| location)
}

/// The values that are assigned at the end of a run and with which no time passes.
fn final_values(trace: &Trace) -> Vec<f64> {
    let Some(end) = trace.steps.last().filter(|_| trace.last_delay.numerator == 0) else {
        return Vec::new();
    };
    let last = trace.steps.iter().rposition(|step| step.delay.numerator > 0);
    let before = match last {
        Some(at) if at > 0 => &trace.steps[at - 1].state,
        _ => &trace.start,
    };
    let delay = last.map_or(0.0, |at| trace.steps[at].delay.to_f64());
    let variables = end.state.variables.iter().zip(&before.variables);
    let variables = variables.map(|((_, new), (_, old))| (f64::from(*old), f64::from(*new)));
    let clocks = end.state.clocks.iter().zip(&before.clocks);
    let clocks = clocks.map(|((_, new), (_, old))| (old.to_f64() + delay, new.to_f64()));
    let changed = variables.chain(clocks).filter(|(old, new)| old != new);
    changed.map(|(_, new)| new).collect()
}

/// The distance of ticks up to `end`: a round number that gives at most ten ticks.
pub(crate) fn tick(end: f64) -> f64 {
    let mut step = 10_f64.powf((end / 10.0).log10().floor());
    for factor in [2.0, 2.5, 2.0] {
        if end / step > 10.0 {
            step *= factor;
        }
    }
    step
}

/// A number without trailing zeros.
pub(crate) fn decimal(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_some_ticks_at_round_numbers_and_not_too_many() {
        for end in [0.01, 0.3, 1.0, 7.0, 10.0, 42.0, 99.0, 101.0, 12_345.0, 1e9] {
            let ticks = end / tick(end);
            assert!((4.0..=10.001).contains(&ticks), "{end}: {ticks}");
        }
        assert_eq!((tick(10.0), tick(42.0), tick(100.0)), (1.0, 5.0, 10.0));
        assert_eq!(
            (decimal(2.5), decimal(40.0), decimal(0.0)),
            ("2.5".into(), "40".into(), "0".into())
        );
    }
}
