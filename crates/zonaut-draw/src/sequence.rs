//! A sequence chart of a run.
//!
//! Each process has a vertical lane. Each step is a row: an arrow from the sender to each receiver
//! with the name of the channel, or a dot for an internal transition, and below it the target
//! locations. Dates are at the left of rows with a delay.

use crate::geometry::{Point, Rect};
use crate::picture::{Number, Picture};
use crate::text::{self, escaped};
use std::collections::HashMap;
use zonaut_trace::{Continuation, Trace, TraceState, TraceStep, split_location};

/// Minimum and maximum width of a lane.
const LANE: (f64, f64) = (84.0, 220.0);
/// Height of the row of a step.
const ROW: f64 = 46.0;
/// Height of the row of names.
const HEAD: f64 = 34.0;
/// Height of a location.
const PILL: f64 = 18.0;

/// A sequence chart of a run. Rows are groups with the number of their step as `data-s`; the start
/// has the number 0.
#[must_use]
pub fn draw_sequence(trace: &Trace) -> Picture {
    Chart::new(trace).draw()
}

/// The channel of a synchronisation such as `go!`.
fn channel(synchronisation: &str) -> &str {
    synchronisation.trim().trim_end_matches(['!', '?']).trim()
}

struct Chart<'t> {
    trace: &'t Trace,
    /// The lane of each process.
    lanes: HashMap<&'t str, usize>,
    width: f64,
    left: f64,
    dates: Vec<String>,
}

impl<'t> Chart<'t> {
    fn new(trace: &'t Trace) -> Self {
        let processes = trace.start.locations.iter().map(|place| split_location(place).0);
        let places = trace.steps.iter().flat_map(|step| &step.state.locations);
        let places = trace.start.locations.iter().chain(places);
        let widest = places.flat_map(|place| <[&str; 2]>::from(split_location(place)));
        let messages = trace.steps.iter().filter_map(|step| step.edges.first());
        let messages = messages.map(|edge| channel(&edge.synchronisation));
        let widest = widest.chain(messages).map(text::width).fold(0.0, f64::max);
        let dates: Vec<String> = trace.dates().iter().map(ToString::to_string).collect();
        let left = text::widest(&dates) + 28.0;
        Self {
            trace,
            lanes: processes.enumerate().map(|(lane, name)| (name, lane)).collect(),
            width: (widest + 20.0).clamp(LANE.0, LANE.1),
            left,
            dates,
        }
    }

    fn x(&self, lane: usize) -> f64 {
        self.left + (lane as f64 + 0.5) * self.width
    }

    fn draw(&self) -> Picture {
        let mut picture = Picture::new("sequence chart of the run");
        let count = self.trace.start.locations.len();
        let bottom = HEAD + (self.trace.steps.len() + 1) as f64 * ROW;
        for lane in 0..count {
            let x = self.x(lane);
            picture.line(Point::new(x, HEAD), Point::new(x, bottom), "grid");
        }
        self.draw_start(&mut picture);
        let mut before = &self.trace.start;
        for (position, step) in self.trace.steps.iter().enumerate() {
            self.draw_step(position + 1, step, before, &mut picture);
            before = &step.state;
        }
        let width = self.left + count as f64 * self.width + 14.0;
        if let Some(Continuation::Repeats { from }) = self.trace.continuation {
            let y = HEAD + (from + 1) as f64 * ROW;
            picture.line(Point::new(self.left + 6.0, y), Point::new(width - 14.0, y), "cover");
            picture.text(Point::new(8.0, y + 1.0), "note", "loop");
        }
        self.draw_names(width, &mut picture);
        picture.resize(width, bottom + 8.0);
        picture
    }

    /// The names above the lanes, drawn last: a page can keep them visible while it scrolls.
    fn draw_names(&self, width: f64, picture: &mut Picture) {
        picture.draw(format_args!("<g class=\"heads\">"));
        picture.rect(Rect { left: 0.0, top: 0.0, right: width, bottom: HEAD - 4.0 }, "page");
        for (lane, place) in self.trace.start.locations.iter().enumerate() {
            let name = text::fitted(split_location(place).0, self.width - 6.0);
            picture.text(Point::new(self.x(lane), 20.0), "mid name", &name);
        }
        picture.draw(format_args!("</g>"));
    }

    fn draw_start(&self, picture: &mut Picture) {
        picture.draw(format_args!("<g data-s=\"0\">"));
        picture.text(Point::new(8.0, HEAD + 34.0), "note", "0");
        for (lane, place) in self.trace.start.locations.iter().enumerate() {
            self.draw_location(lane, split_location(place).1, HEAD + 20.0, picture);
        }
        picture.draw(format_args!("</g>"));
    }

    fn draw_step(
        &self,
        number: usize,
        step: &TraceStep,
        before: &TraceState,
        picture: &mut Picture,
    ) {
        let top = HEAD + number as f64 * ROW;
        picture.draw(format_args!("<g data-s=\"{number}\">"));
        if step.delay.numerator > 0 {
            picture.text(Point::new(8.0, top + 16.0), "note", &self.dates[number]);
        }
        self.draw_message(step, top + 14.0, picture);
        let pairs = before.locations.iter().zip(&step.state.locations).enumerate();
        let takes_part =
            |place: &str| step.edges.iter().any(|edge| edge.process == split_location(place).0);
        for (lane, (old, new)) in pairs {
            if old != new || takes_part(new) {
                self.draw_location(lane, split_location(new).1, top + 22.0, picture);
            }
        }
        picture.draw(format_args!("</g>"));
    }

    /// The arrows of a synchronisation, or the dot of an internal transition.
    fn draw_message(&self, step: &TraceStep, y: f64, picture: &mut Picture) {
        let Some((first, others)) = step.edges.split_first() else { return };
        let Some(&from) = self.lanes.get(first.process.as_str()) else { return };
        let channel = channel(&first.synchronisation);
        let from = self.x(from);
        picture.circle(Point::new(from, y), 3.0, "point");
        let reached: Vec<f64> = others
            .iter()
            .filter_map(|edge| self.lanes.get(edge.process.as_str()))
            .map(|&lane| self.x(lane))
            .collect();
        for &to in &reached {
            let back = if to > from { -7.0 } else { 7.0 };
            let [a, b, y0, c] = [from, to, y, to + back].map(Number);
            let (up, down) = (Number(y - 3.5), Number(y + 3.5));
            picture.draw(format_args!(
                "<path class=\"arrow\" d=\"M{a} {y0}H{b}M{c} {up}L{b} {y0}L{c} {down}\"/>"
            ));
        }
        if channel.is_empty() {
            return;
        }
        let nearest =
            reached.iter().copied().min_by(|a, b| (a - from).abs().total_cmp(&(b - from).abs()));
        let room = nearest.map_or(self.width, |to| (to - from).abs()) - 14.0;
        let middle = nearest.map_or(from, |to| f64::midpoint(from, to));
        let (x, y, shown) =
            (Number(middle), Number(y - 4.0), escaped(&text::fitted(channel, room)));
        picture.draw(format_args!("<text class=\"mid sync\" x=\"{x}\" y=\"{y}\">{shown}</text>"));
    }

    fn draw_location(&self, lane: usize, location: &str, top: f64, picture: &mut Picture) {
        let shown = text::fitted(location, self.width - 16.0);
        let (x, half) = (self.x(lane), text::width(&shown) / 2.0 + 5.0);
        picture.rect(Rect { left: x - half, top, right: x + half, bottom: top + PILL }, "pill");
        picture.text(Point::new(x, top + 13.0), "mid", &shown);
    }
}
