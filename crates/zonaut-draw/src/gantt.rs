//! Gantt charts.

use crate::axis::Axis;
use crate::geometry::{Point, Rect};
use crate::picture::{COLOURS, Number, Picture};
use crate::text;
use std::collections::HashMap;
use zonaut_trace::{Chart, Row, Stay, Trace};

/// The height of a row and of the bar in it.
const ROW: (f64, f64) = (28.0, 20.0);
/// Bars that are not wider than this are invisible and drawn as ticks.
const NARROWEST: f64 = 0.4;
/// The classes of the colours with numbers in models, in UPPAAL's order: red, green, blue, purple,
/// grey, orange, yellow, pink, brown and cyan.
const NUMBERED: [usize; 10] = [8, 2, 0, 5, 7, 1, 4, 3, 9, 6];

/// A Gantt chart of a run. Overlapping bars of a row are stacked. Stays without a visible width are
/// ticks, with their locations in the tooltip; if a row ends with such a stay, its location is
/// written behind the end. The attributes `data-left` and `data-right` of the picture are the
/// positions of the beginning and of the end of the run.
#[must_use]
pub fn draw_gantt(trace: &Trace, chart: &Chart) -> Picture {
    draw(&Axis::with_names(trace, chart.rows.iter().map(|row| row.process.as_str())), chart)
}

/// The locations of all processes by step: each state has a column of the same width with its number
/// below, so that states in which no time passes are visible. The attribute `data-by-step` of the
/// picture marks such charts.
#[must_use]
pub fn draw_locations_by_step(trace: &Trace) -> Picture {
    let stepped = trace.by_steps();
    let chart = Chart::of_locations(&stepped);
    draw(&Axis::new(&stepped).by_step(), &chart)
}

fn draw(axis: &Axis, chart: &Chart) -> Picture {
    let mut picture = Picture::new("Gantt chart");
    let rows: Vec<(&Row, Vec<Vec<&Stay>>)> =
        chart.rows.iter().map(|row| (row, row.lanes())).collect();
    let height = |lanes: usize| ROW.0 + (lanes - 1) as f64 * ROW.1;
    let heights = rows.iter().map(|(_, lanes)| height(lanes.len()));
    axis.draw(heights.sum::<f64>() + 10.0, &mut picture);
    let mut top = 6.0;
    let mut colours = Colours::default();
    for (row, lanes) in rows {
        let bottom = top + height(lanes.len());
        for (number, lane) in lanes.into_iter().enumerate() {
            let top = top + number as f64 * ROW.1;
            draw_lane(&mut picture, &lane, top, axis, &mut colours);
        }
        let name = text::fitted(&row.process, axis.name_room());
        picture.text(Point::new(8.0, top + 14.0), "lane", &name);
        top = bottom;
    }
    picture
}

/// One colour for each name, in all rows.
#[derive(Default)]
struct Colours<'c>(HashMap<&'c str, usize>);

impl<'c> Colours<'c> {
    fn of(&mut self, stay: &'c Stay) -> usize {
        let next = self.0.len();
        match stay.colour {
            Some(number) => NUMBERED[number.rem_euclid(NUMBERED.len() as i32) as usize],
            None => *self.0.entry(stay.location.as_str()).or_insert(next) % COLOURS,
        }
    }
}

fn draw_lane<'c>(
    picture: &mut Picture,
    lane: &[&'c Stay],
    top: f64,
    axis: &Axis,
    colours: &mut Colours<'c>,
) {
    let mut instants: Vec<Instant<'c>> = Vec::new();
    for stay in lane {
        let (left, right) = (axis.x(stay.from.to_f64()), axis.x(stay.to.to_f64()));
        let colour = colours.of(stay);
        if right - left < NARROWEST {
            match instants.last_mut().filter(|last| left - last.x < NARROWEST) {
                Some(last) => last.names.push(&stay.location),
                None => instants.push(Instant { x: left, names: vec![&stay.location] }),
            }
            continue;
        }
        let area = Rect { left, top, right, bottom: top + ROW.1 };
        let class = format!("f{colour} bar");
        if text::width(&stay.location) + 6.0 <= area.width() {
            picture.rect(area, &class);
            let middle = Point::new(f64::midpoint(left, right), top + 14.0);
            picture.text(middle, "mid", &stay.location);
        } else {
            picture.titled_rect(area, &class, &stay.location);
        }
    }
    let ends_now = lane.last().is_some_and(|stay| stay.to == stay.from);
    let last = instants.len();
    for (number, instant) in instants.iter().enumerate() {
        instant.draw(picture, top);
        if let Some(name) = instant.names.last().filter(|_| ends_now && number + 1 == last) {
            let name = text::fitted(name, axis.final_room());
            picture.text(Point::new(instant.x + 8.0, top + 14.0), "final", &name);
        }
    }
}

/// Locations that a process passes at one moment.
struct Instant<'c> {
    x: f64,
    names: Vec<&'c str>,
}

impl Instant<'_> {
    fn draw(&self, picture: &mut Picture, top: f64) {
        let title = text::escaped(&self.names.join(" \u{2192} "));
        let [x, upper, lower] = [self.x, top - 1.5, top + ROW.1 + 1.5].map(Number);
        let [left, right] = [self.x - 3.0, self.x + 3.0].map(Number);
        picture.draw(format_args!(
            "<path class=\"instant\" d=\"M{x} {upper}V{lower}M{left} {upper}H{right}M{left} \
             {lower}H{right}\"><title>{title}</title></path>"
        ));
    }
}
