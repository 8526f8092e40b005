//! Small charts of one quantity, one for each series, with common axes.
//!
//! The axis of values is logarithmic, because quantities of different searches differ by orders of
//! magnitude; it begins at 0, which has the position of 1 on the logarithm of the value plus one.

use crate::axis::decimal;
use crate::curves::Curve;
use crate::geometry::{Point, Rect};
use crate::picture::{COLOURS, Number, Picture};
use crate::text;
use std::fmt::Write as _;

/// The width of a chart.
const WIDTH: f64 = 320.0;
/// The height of its plot.
const HEIGHT: f64 = 130.0;
/// Room for numbers at the left, for a title above, and for numbers below.
const LEFT: f64 = 62.0;
const TITLE: f64 = 38.0;
const BELOW: f64 = 26.0;

/// A chart for each curve, with the same axes; that of `winner` is framed.
#[must_use]
pub fn draw_multiples(
    label: &str,
    unit: &str,
    curves: &[Curve],
    winner: Option<usize>,
) -> Vec<Picture> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let end = points().map(|&(time, _)| finite(time)).fold(0.0, f64::max);
    let axes = Axes {
        end: if end > 0.0 { end } else { 1.0 },
        top: points().map(|&(_, value)| finite(value)).fold(1.0, f64::max),
        unit,
    };
    let charts = curves.iter().enumerate();
    let chart = |(number, curve): (usize, &Curve)| {
        let mut picture = Picture::new(&format!("{label}: {}", curve.name));
        let is_winner = winner == Some(number);
        if is_winner {
            let (right, bottom) = (WIDTH - 2.0, TITLE + HEIGHT + BELOW - 2.0);
            picture.rect(Rect { left: 2.0, top: 2.0, right, bottom }, "winner");
        }
        let mark = if is_winner { "\u{2713} " } else { "" };
        let name = text::fitted(&format!("{mark}{}", curve.name), WIDTH - 24.0);
        picture.text(Point::new(12.0, 17.0), "name", &name);
        axes.draw(&mut picture);
        axes.draw_curve(curve, number % COLOURS, &mut picture);
        picture.resize(WIDTH, TITLE + HEIGHT + BELOW);
        picture
    };
    charts.map(chart).collect()
}

/// The axes of all charts of one quantity.
struct Axes<'u> {
    /// The time at the right end.
    end: f64,
    /// The value at the upper end.
    top: f64,
    /// The unit of time.
    unit: &'u str,
}

impl Axes<'_> {
    fn at(&self, time: f64, value: f64) -> Point {
        let x = (time / self.end).clamp(0.0, 1.0);
        let y = ((value + 1.0).ln() / (self.top + 1.0).ln()).clamp(0.0, 1.0);
        Point::new(LEFT + (WIDTH - LEFT - 14.0) * x, TITLE + HEIGHT * (1.0 - y))
    }

    fn draw(&self, picture: &mut Picture) {
        let end = self.end;
        let mut power = 1.0;
        while power <= self.top {
            picture.line(self.at(0.0, power), self.at(end, power), "grid");
            picture.text(self.at(0.0, power).moved(-6.0, 4.0), "end note", &decimal(power));
            power *= 10.0;
        }
        picture.line(self.at(0.0, 0.0), self.at(end, 0.0), "axis");
        // Beside many powers of ten, the numbers 0 and 1 are at the same height.
        if self.at(0.0, 0.0).y - self.at(0.0, 1.0).y >= 12.0 {
            picture.text(self.at(0.0, 0.0).moved(-6.0, 4.0), "end note", "0");
        }
        let rounded = if end < 100.0 { (end * 10.0).round() / 10.0 } else { end.round() };
        let shown = format!("{}{}", decimal(rounded), self.unit);
        picture.text(self.at(end, 0.0).moved(0.0, 16.0), "end note", &shown);
    }

    fn draw_curve(&self, curve: &Curve, colour: usize, picture: &mut Picture) {
        let Some(&(last, value)) = curve.points.last() else {
            picture.text(self.at(self.end / 2.0, 0.0).moved(0.0, -10.0), "mid note", "none");
            return;
        };
        // A sample between two polls may be later than the measured end.
        let mut path = String::new();
        for (position, &(time, value)) in curve.points.iter().enumerate() {
            let to = self.at(finite(time).min(last), finite(value));
            let command = if position == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{command}{} {}", Number(to.x), Number(to.y));
        }
        picture.draw(format_args!("<path class=\"curve s{colour}\" d=\"{path}\"/>"));
        picture.circle(self.at(last, value), 3.0, "dot");
        let tenths = (value * 10.0).round() / 10.0;
        let shown = decimal(if value < 10.0 { tenths } else { value.round() });
        let (shift, class) = match last > self.end / 2.0 {
            true => (-7.0, "end note"),
            false => (7.0, "note"),
        };
        picture.text(self.at(last, value).moved(shift, -6.0), class, &shown);
    }
}

/// The number, or 0 if it is not finite.
fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
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
        let pictures = draw_multiples("explored", " s", &curves, Some(2));
        assert_eq!(pictures.len(), 3);
        let picture: String = pictures.iter().map(Picture::inline).collect();
        assert_eq!(picture.matches("class=\"winner\"").count(), 1);
        assert_eq!(picture.matches(">1000</text>").count(), 3 + 1, "a tick each, and one end");
        assert!(picture.contains("&lt;dfs&gt;") && picture.contains("8 s"), "{picture}");
        // No curve runs back in time.
        let (_, path) = picture.split_once("curve s0\" d=\"").expect("a curve");
        let path = path.split('"').next().expect("a path");
        let xs = path.split(['M', 'L']).filter_map(|it| it.split(' ').next()?.parse::<f64>().ok());
        assert!(xs.collect::<Vec<_>>().is_sorted(), "{path}");
        assert!(draw_multiples("nothing", "", &[], None).is_empty());
        // Numbers of the axis do not overlap.
        let zeros = |value: f64| {
            let pictures = draw_multiples("explored", " s", &[curve("bfs", 1.0, value)], None);
            pictures[0].inline().matches(">0</text>").count()
        };
        assert_eq!([zeros(99.0), zeros(1e6)], [1, 0]);
    }
}
