//! Charts of clocks and variables over time, each in a lane of its own.

use crate::axis::Axis;
use crate::geometry::Point;
use crate::picture::{COLOURS, Number, Picture};
use crate::text;
use std::fmt::Write as _;
use zonaut_trace::{Trace, TraceState};

/// The height of a lane and of the curve in it.
const LANE: (f64, f64) = (44.0, 30.0);
/// Space above the first lane, for its greatest value.
const ABOVE: f64 = 8.0;
/// Minimum distance of the numbers in a lane.
const BETWEEN: f64 = 24.0;
/// Maximum number of lanes.
const MOST: usize = 60;
/// The size of curves in bytes after which no further lane is drawn: long runs have long curves,
/// and a page has to stay small.
const MOST_BYTES: usize = 250_000;

/// The clocks of a run over time; `None` if there are none. The attributes `data-left` and
/// `data-right` of the picture are the positions of the beginning and of the end of the run.
#[must_use]
pub fn draw_clocks(trace: &Trace) -> Option<Picture> {
    let values = |state: &TraceState, clock: usize| state.clocks[clock].1.to_f64();
    let delays: Vec<f64> = trace
        .steps
        .iter()
        .map(|step| step.delay)
        .chain([trace.last_delay])
        .map(|d| d.to_f64())
        .collect();
    let lane = |clock: usize| {
        let stays = states(trace).zip(&delays);
        let stays =
            stays.map(|(state, delay)| (values(state, clock), values(state, clock) + delay));
        Lane { name: &trace.start.clocks[clock].0, stays: stays.collect() }
    };
    draw("clocks over time", trace, (0..trace.start.clocks.len()).map(lane).collect())
}

/// The variables that change in a run, over time; `None` if there are none. The attributes
/// `data-left` and `data-right` of the picture are the positions of the beginning and of the end of
/// the run.
#[must_use]
pub fn draw_variables(trace: &Trace) -> Option<Picture> {
    let changing = (0..trace.start.variables.len()).filter(|&variable| {
        let first = trace.start.variables[variable].1;
        states(trace).any(|state| state.variables[variable].1 != first)
    });
    let lane = |variable: usize| {
        let values = states(trace).map(|state| f64::from(state.variables[variable].1));
        let name = &trace.start.variables[variable].0;
        Lane { name, stays: values.map(|value| (value, value)).collect() }
    };
    draw("variables over time", trace, changing.map(lane).collect())
}

fn states(trace: &Trace) -> impl Iterator<Item = &TraceState> {
    [&trace.start].into_iter().chain(trace.steps.iter().map(|step| &step.state))
}

/// A curve: for each stay its value at the arrival and at the departure.
struct Lane<'t> {
    name: &'t str,
    stays: Vec<(f64, f64)>,
}

fn draw(label: &str, trace: &Trace, mut lanes: Vec<Lane<'_>>) -> Option<Picture> {
    if lanes.is_empty() {
        return None;
    }
    let axis = Axis::new(trace);
    let mut bytes = 0;
    let has_room = |lane: &&Lane<'_>| {
        let is_small = bytes < MOST_BYTES;
        bytes += lane.path(&axis, |value| value).len();
        is_small
    };
    let drawn = lanes.iter().take(MOST).take_while(has_room).count();
    let left_out = lanes.len() - drawn;
    lanes.truncate(drawn);
    let mut picture = Picture::new(label);
    let height = ABOVE + lanes.len() as f64 * LANE.0 + 4.0;
    let rest = if left_out > 0 { 18.0 } else { 0.0 };
    axis.draw(height + rest, &mut picture);
    for (number, lane) in lanes.iter().enumerate() {
        lane.draw(number, &axis, &mut picture);
    }
    if left_out > 0 {
        let note = format!("{left_out} more not drawn");
        picture.text(Point::new(8.0, height + 10.0), "lane note", &note);
    }
    Some(picture)
}

impl Lane<'_> {
    fn draw(&self, number: usize, axis: &Axis, picture: &mut Picture) {
        let base = ABOVE + number as f64 * LANE.0 + LANE.0 - 4.0;
        let values = || self.stays.iter().flat_map(|&(from, to)| [from, to]);
        let least = values().fold(0.0, f64::min);
        let most = values().fold(least, f64::max);
        let range = if most > least { most - least } else { 1.0 };
        let y = |value: f64| base - LANE.1 * (value - least) / range;
        let colour = number % COLOURS;
        let path = self.path(axis, y);
        picture.draw(format_args!("<path class=\"curve s{colour}\" d=\"{path}\"/>"));
        self.draw_values(axis, y, picture);
        let name = text::fitted(self.name, axis.name_room());
        picture.text(Point::new(8.0, base - 8.0), "lane", &name);
    }

    /// The curve, with a point only where its direction changes.
    fn path(&self, axis: &Axis, y: impl Fn(f64) -> f64) -> String {
        let mut path = String::new();
        let mut last: Option<f64> = None;
        let count = self.stays.len();
        for (position, (&(from, to), (left, right))) in
            self.stays.iter().zip(axis.stays()).enumerate()
        {
            if last != Some(from) {
                let letter = if last.is_none() { 'M' } else { 'L' };
                let _ = write!(path, "{letter}{} {}", Number(left), Number(y(from)));
            }
            let goes_on = self.stays.get(position + 1).is_some_and(|next| next.0 == to);
            let turns =
                self.stays.get(position + 1).is_some_and(|next| (next.0 == next.1) != (from == to));
            if !goes_on || turns || position + 1 == count {
                let _ = write!(path, "L{} {}", Number(right), Number(y(to)));
            }
            last = Some(to);
        }
        path
    }

    /// The number of stays up to the last one in which time passes, and the value after them if it
    /// differs: the last transitions take no time, so that no line shows it.
    fn final_instant(&self, axis: &Axis) -> (usize, Option<f64>) {
        let passed = axis.stays().take(self.stays.len()).collect::<Vec<_>>();
        let lasting = passed.iter().rposition(|(left, right)| right > left).map_or(0, |at| at + 1);
        let before = match lasting {
            0 => self.stays.first().map(|stay| stay.0),
            count => Some(self.stays[count - 1].1),
        };
        let value = self.stays.last().map(|stay| stay.1).filter(|&value| before != Some(value));
        (lasting, value)
    }

    /// Writes the greatest value before each reset of a clock, and each value of a variable, as far
    /// as they fit. A value that is assigned at the end is written behind it.
    fn draw_values(&self, axis: &Axis, y: impl Fn(f64) -> f64, picture: &mut Picture) {
        let mut free_from = axis.x(0.0) - 4.0;
        let (lasting, last) = self.final_instant(axis);
        let lines = if last.is_some() { lasting } else { self.stays.len() };
        let stays = self.stays.iter().zip(axis.stays()).take(lines).enumerate();
        for (position, (&(_, to), (_, right))) in stays {
            let is_last = position + 1 == lines;
            let changes = is_last || self.stays[position + 1].0 != to;
            let shown = crate::axis::decimal(to);
            let half = text::width(&shown) / 2.0;
            if changes && right - half * 2.0 - 4.0 > free_from {
                let at = Point::new(right - half - 2.0, y(to) - 3.0);
                picture.text(at, "mid note", &shown);
                free_from = right + BETWEEN;
            }
        }
        if let (Some(value), Some((_, end))) = (last, axis.stays().last()) {
            let shown = text::fitted(&crate::axis::decimal(value), axis.final_room());
            picture.text(Point::new(end + 8.0, y(value) + 4.0), "final", &shown);
        }
    }
}
