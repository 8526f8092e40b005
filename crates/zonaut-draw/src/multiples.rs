//! Small charts of one quantity beside each other, one for each series, with common axes.
//!
//! The axis of values is logarithmic, because quantities of different searches differ by orders of
//! magnitude; it begins at 0, which has the position of 1 on the logarithm of the value plus one.

use crate::axis::decimal;
use crate::curves::Curve;
use crate::geometry::{Point, Rect};
use crate::picture::{COLOURS, Number, Picture};
use crate::text;
use std::fmt::Write as _;

const WIDTH: f64 = 1000.0;
/// Maximum number of charts in a row.
const COLUMNS: usize = 4;
/// The size of a plot.
const HEIGHT: f64 = 130.0;
/// Room for numbers at the left, for a title above, and for numbers below.
const LEFT: f64 = 62.0;
const TITLE: f64 = 26.0;
const BELOW: f64 = 26.0;

/// A chart for each curve, with the same axes; that of `winner` is framed.
#[must_use]
pub fn draw_multiples(label: &str, unit: &str, curves: &[Curve], winner: Option<usize>) -> Picture {
    let mut picture = Picture::new(label);
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
    let end = points().map(|&(time, _)| finite(time)).fold(0.0, f64::max);
    let end = if end > 0.0 { end } else { 1.0 };
    let top = points().map(|&(_, value)| finite(value)).fold(1.0, f64::max);
    let columns = curves.len().clamp(1, COLUMNS);
    let column = WIDTH / columns as f64;
    let (inner, row) = (column - LEFT - 14.0, TITLE + HEIGHT + BELOW);
    for (number, curve) in curves.iter().enumerate() {
        let corner =
            Point::new((number % columns) as f64 * column, (number / columns) as f64 * row);
        let at = |time: f64, value: f64| {
            let x = (time / end).clamp(0.0, 1.0);
            let y = ((value + 1.0).ln() / (top + 1.0).ln()).clamp(0.0, 1.0);
            corner.moved(LEFT + inner * x, TITLE + HEIGHT * (1.0 - y))
        };
        if winner == Some(number) {
            let frame = Rect {
                left: corner.x + 2.0,
                top: corner.y + 2.0,
                right: corner.x + column - 2.0,
                bottom: corner.y + row - 2.0,
            };
            picture.rect(frame, "winner");
        }
        let mark = if winner == Some(number) { "\u{2713} " } else { "" };
        let name = text::fitted(&format!("{mark}{}", curve.name), inner + 40.0);
        picture.text(corner.moved(12.0, 17.0), "name", &name);
        let mut power = 1.0;
        while power <= top {
            picture.line(at(0.0, power), at(end, power), "grid");
            picture.text(at(0.0, power).moved(-6.0, 4.0), "end note", &decimal(power));
            power *= 10.0;
        }
        picture.line(at(0.0, 0.0), at(end, 0.0), "axis");
        picture.text(at(0.0, 0.0).moved(-6.0, 4.0), "end note", "0");
        picture.text(at(end, 0.0).moved(0.0, 16.0), "end note", &format!("{}{unit}", decimal(end)));
        // A sample between two polls may be later than the measured end.
        let last = curve.points.last().map_or(0.0, |&(time, _)| time);
        let mut path = String::new();
        for (position, &(time, value)) in curve.points.iter().enumerate() {
            let to = at(finite(time).min(last), finite(value));
            let command = if position == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{command}{} {}", Number(to.x), Number(to.y));
        }
        let colour = number % COLOURS;
        if !path.is_empty() {
            picture.draw(format_args!("<path class=\"curve s{colour}\" d=\"{path}\"/>"));
        }
        if curve.points.is_empty() {
            picture.text(at(end / 2.0, 0.0).moved(0.0, -10.0), "mid note", "none");
        }
        if let Some(&(time, value)) = curve.points.last() {
            picture.circle(at(time, value), 3.0, "dot");
            let shown = if value < 10.0 { decimal(value) } else { decimal(value.round()) };
            let (shift, class) = match time > end / 2.0 {
                true => (-7.0, "end note"),
                false => (7.0, "note"),
            };
            picture.text(at(time, value).moved(shift, -6.0), class, &shown);
        }
    }
    picture.resize(WIDTH, curves.len().div_ceil(columns).max(1) as f64 * row);
    picture
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_have_common_axes_and_one_winner() {
        let curve = |name: &str, end: f64, value: f64| Curve {
            name: name.to_owned(),
            points: vec![(0.0, 0.0), (2.0 * end, value), (end, value)],
        };
        let curves =
            [curve("bfs", 1.0, 1000.0), curve("<dfs>", 4.0, 10.0), curve("astar", 2.0, 9.0)];
        let picture = draw_multiples("explored", " s", &curves, Some(2)).inline();
        assert_eq!(picture.matches("class=\"winner\"").count(), 1);
        assert_eq!(picture.matches(">1000</text>").count(), 3 + 1, "a tick each, and one end");
        assert!(picture.contains("&lt;dfs&gt;") && picture.contains("8 s"), "{picture}");
        // No curve runs back in time.
        let (_, path) = picture.split_once("curve s0\" d=\"").expect("a curve");
        let path = path.split('"').next().expect("a path");
        let xs = path.split(['M', 'L']).filter_map(|it| it.split(' ').next()?.parse::<f64>().ok());
        assert!(xs.collect::<Vec<_>>().is_sorted(), "{path}");
        assert!(draw_multiples("nothing", "", &[], None).width() > 0.0);
    }
}
