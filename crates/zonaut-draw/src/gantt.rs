//! Gantt charts.

use crate::axis::Axis;
use crate::geometry::{Point, Rect};
use crate::picture::{COLOURS, Picture};
use crate::text;
use std::collections::HashMap;
use zonaut_trace::{Chart, Row, Stay, Trace};

/// The height of a row and of the bar in it.
const ROW: (f64, f64) = (28.0, 20.0);
/// Bars that are not wider than this are invisible and merged with the next one.
const NARROWEST: f64 = 0.4;
/// The classes of the colours with numbers in models, in UPPAAL's order: red, green, blue, purple,
/// grey, orange, yellow, pink, brown and cyan.
const NUMBERED: [usize; 10] = [8, 2, 0, 5, 7, 1, 4, 3, 9, 6];

/// A Gantt chart of a run. Overlapping bars of a row are stacked. The attributes `data-left` and
/// `data-right` of the picture are the positions of the beginning and of the end of the run.
#[must_use]
pub fn draw_gantt(trace: &Trace, chart: &Chart) -> Picture {
    let axis = Axis::with_names(trace, chart.rows.iter().map(|row| row.process.as_str()));
    let mut picture = Picture::new("Gantt chart");
    let rows: Vec<(&Row, Vec<Vec<&Stay>>)> =
        chart.rows.iter().map(|row| (row, row.lanes())).collect();
    let height = |lanes: usize| ROW.0 + (lanes - 1) as f64 * ROW.1;
    let heights = rows.iter().map(|(_, lanes)| height(lanes.len()));
    axis.draw(heights.sum::<f64>() + 10.0, &mut picture);
    let mut top = 6.0;
    for (row, lanes) in rows {
        let bottom = top + height(lanes.len());
        let mut colours = HashMap::new();
        for (number, lane) in lanes.into_iter().enumerate() {
            let top = top + number as f64 * ROW.1;
            for Bar { label, colour, left, right } in bars(&lane, &axis) {
                let next = colours.len();
                let colour = match colour {
                    Some(number) => NUMBERED[number.rem_euclid(NUMBERED.len() as i32) as usize],
                    None => *colours.entry(label).or_insert(next) % COLOURS,
                };
                let area = Rect { left, top, right, bottom: top + ROW.1 };
                let class = format!("f{colour} bar");
                if text::width(label) + 6.0 <= area.width() {
                    picture.rect(area, &class);
                    let middle = Point::new(f64::midpoint(left, right), top + 14.0);
                    picture.text(middle, "mid", label);
                } else {
                    picture.titled_rect(area, &class, label);
                }
            }
        }
        let name = text::fitted(&row.process, axis.name_room());
        picture.text(Point::new(8.0, top + 14.0), "lane", &name);
        top = bottom;
    }
    picture
}

/// A bar with its position.
struct Bar<'c> {
    label: &'c str,
    colour: Option<i32>,
    left: f64,
    right: f64,
}

/// The bars of a lane: a location with the time span of the stay. A stay without a visible width is
/// merged with the next one; after an invisible absence of a process, two bars are adjacent.
fn bars<'c>(lane: &[&'c Stay], axis: &Axis) -> Vec<Bar<'c>> {
    let mut bars: Vec<Bar<'_>> = Vec::new();
    for stay in lane {
        let (mut left, right) = (axis.x(stay.from.to_f64()), axis.x(stay.to.to_f64()));
        let (label, colour) = (stay.location.as_str(), stay.colour);
        let is_narrow = |last: &mut Bar<'_>| last.right - last.left < NARROWEST;
        if let Some(narrow) = bars.pop_if(|last| is_narrow(last) && last.right == left) {
            left = narrow.left;
        }
        bars.push(Bar { label, colour, left, right });
    }
    bars.retain(|bar| bar.right - bar.left >= NARROWEST);
    bars
}
