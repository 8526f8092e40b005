//! Where every process is, over time.

use crate::axis::Axis;
use crate::geometry::{Point, Rect};
use crate::picture::{COLOURS, Picture};
use crate::text;
use std::collections::HashMap;
use zonaut_trace::{Trace, TraceState};

/// The height of a row and of the bar in it.
const ROW: (f64, f64) = (28.0, 20.0);
/// Bars that are not wider are drawn as part of the next one: nobody could see them.
const NARROWEST: f64 = 0.4;

/// A Gantt chart of the locations of every process. The attributes `data-left` and `data-right` of
/// the picture say where the run begins and ends.
#[must_use]
pub fn draw_gantt(trace: &Trace) -> Picture {
    let processes = trace.start.locations.iter().map(|location| split(location).0);
    let axis = Axis::new(trace);
    let mut picture = Picture::new("locations over time");
    axis.draw(trace.start.locations.len() as f64 * ROW.0 + 10.0, &mut picture);
    for (row, process) in processes.enumerate() {
        let top = row as f64 * ROW.0 + 6.0;
        let name = text::fitted(process, axis.name_room());
        picture.text(Point::new(8.0, top + 14.0), "", &name);
        let mut colours = HashMap::new();
        for (location, left, right) in bars(trace, &axis, row) {
            let next = colours.len();
            let colour = *colours.entry(location).or_insert(next) % COLOURS;
            let area = Rect { left, top, right, bottom: top + ROW.1 };
            picture.rect(area, &format!("f{colour}"));
            if text::width(location) + 6.0 <= area.width() {
                let middle = Point::new(f64::midpoint(left, right), top + 14.0);
                picture.text(middle, "mid", location);
            }
        }
    }
    picture
}

/// The process and the location of a place such as `Train(2).Cross`.
pub(crate) fn split(place: &str) -> (&str, &str) {
    place.rsplit_once('.').unwrap_or((place, ""))
}

/// The bars of a process: a location with the stretch for which the process is there.
fn bars<'t>(trace: &'t Trace, axis: &Axis, row: usize) -> Vec<(&'t str, f64, f64)> {
    let location = |state: &'t TraceState| state.locations.get(row).map_or("", |at| split(at).1);
    let states = [&trace.start].into_iter().chain(trace.steps.iter().map(|step| &step.state));
    let mut bars: Vec<(&str, f64, f64)> = Vec::new();
    for (state, (left, right)) in states.zip(axis.stays()) {
        let here = location(state);
        match bars.last_mut() {
            Some(last) if last.0 == here => last.2 = right,
            // What took no visible time gives way to what comes after it.
            Some(last) if last.2 - last.1 < NARROWEST => *last = (here, last.1, right),
            _ => bars.push((here, left, right)),
        }
    }
    bars.retain(|bar| bar.2 - bar.1 >= NARROWEST);
    // Where a process was elsewhere for no visible time, it was not away.
    bars.dedup_by(|later, earlier| {
        let is_same = later.0 == earlier.0;
        if is_same {
            earlier.2 = later.2;
        }
        is_same
    });
    bars
}
