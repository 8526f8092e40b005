//! Where every process is, over time.

use crate::axis::Axis;
use crate::geometry::{Point, Rect};
use crate::picture::{COLOURS, Picture};
use crate::text;
use std::collections::HashMap;
use zonaut_trace::{Chart, Row, Trace};

/// The height of a row and of the bar in it.
const ROW: (f64, f64) = (28.0, 20.0);
/// Bars that are not wider are drawn as part of the next one: nobody could see them.
const NARROWEST: f64 = 0.4;

/// A Gantt chart of a run. The attributes `data-left` and `data-right` of the picture say where the
/// run begins and ends.
#[must_use]
pub fn draw_gantt(trace: &Trace, chart: &Chart) -> Picture {
    let axis = Axis::new(trace);
    let mut picture = Picture::new("locations over time");
    axis.draw(chart.rows.len() as f64 * ROW.0 + 10.0, &mut picture);
    for (position, row) in chart.rows.iter().enumerate() {
        let top = position as f64 * ROW.0 + 6.0;
        let name = text::fitted(&row.process, axis.name_room());
        picture.text(Point::new(8.0, top + 14.0), "", &name);
        let mut colours = HashMap::new();
        for (location, left, right) in bars(row, &axis) {
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

/// The bars of a process: a location with the stretch for which the process is there. What takes no
/// visible time gives way to what comes after it; where a process was elsewhere for no visible time,
/// it was not away.
fn bars<'c>(row: &'c Row, axis: &Axis) -> Vec<(&'c str, f64, f64)> {
    let mut bars: Vec<(&str, f64, f64)> = Vec::new();
    for stay in &row.stays {
        let (here, mut left, right) = (stay.location.as_str(), axis.x(stay.from), axis.x(stay.to));
        if let Some(narrow) = bars.pop_if(|last| last.2 - last.1 < NARROWEST && last.2 == left) {
            left = narrow.1;
            if let Some(same) = bars.pop_if(|before| before.0 == here && before.2 == left) {
                left = same.1;
            }
        }
        bars.push((here, left, right));
    }
    bars.retain(|bar| bar.2 - bar.1 >= NARROWEST);
    bars
}
