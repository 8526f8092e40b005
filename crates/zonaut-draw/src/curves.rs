//! Charts of several quantities over time, as curves.

use crate::axis::{decimal, tick};
use crate::geometry::Point;
use crate::picture::{COLOURS, Number, Picture};
use crate::text;
use std::fmt::Write as _;

const WIDTH: f64 = 1000.0;
/// The size of the plot, and the margins for numbers.
const LEFT: f64 = 84.0;
const TOP: f64 = 12.0;
const HEIGHT: f64 = 220.0;
/// Height of a line of the legend.
const LINE: f64 = 18.0;
/// Maximum number of points of a curve: more are not distinguishable.
const MOST: usize = 500;

/// A quantity over time.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// The label in the legend.
    pub name: String,
    /// Times and values; times do not decrease, and nothing is negative.
    pub points: Vec<(f64, f64)>,
}

/// Curves in one chart, each with a colour and a line in the legend, over a common time axis in
/// `unit`.
#[must_use]
pub fn draw_curves(label: &str, unit: &str, curves: &[Curve]) -> Picture {
    let mut picture = Picture::new(label);
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let greatest = |numbers: &mut dyn Iterator<Item = f64>| {
        let most = numbers.filter(|number| number.is_finite()).fold(0.0, f64::max);
        if most > 0.0 { most } else { 1.0 }
    };
    let end = greatest(&mut all().map(|&(time, _)| time));
    let top = greatest(&mut all().map(|&(_, value)| value));
    let right = WIDTH - 24.0;
    let at = |time: f64, value: f64| {
        let (x, y) = ((time / end).clamp(0.0, 1.0), (value / top).clamp(0.0, 1.0));
        Point::new(LEFT + (right - LEFT) * x, TOP + HEIGHT * (1.0 - y))
    };
    for (number, value) in ticks(top) {
        picture.line(at(0.0, value), at(end, value), "grid");
        picture.text(at(0.0, value).moved(-8.0, 4.0), "end note", &number);
    }
    for (number, time) in ticks(end) {
        picture.line(at(time, 0.0), at(time, top), "grid");
        picture.text(at(time, 0.0).moved(0.0, 16.0), "mid note", &format!("{number}{unit}"));
    }
    let mut below = TOP + HEIGHT + 24.0;
    // Curves without points keep their colours, which are the same in other charts of the same
    // series.
    let drawn = curves.iter().enumerate().filter(|(_, curve)| !curve.points.is_empty());
    for (number, curve) in drawn {
        let colour = number % COLOURS;
        let path = path(&thinned(&curve.points), at);
        picture.draw(format_args!("<path class=\"curve s{colour}\" d=\"{path}\"/>"));
        below += LINE;
        let from = Point::new(LEFT, below - 4.0);
        let sample = format!("M{} {}h24", Number(from.x), Number(from.y));
        picture.draw(format_args!("<path class=\"curve s{colour}\" d=\"{sample}\"/>"));
        let name = text::fitted(&curve.name, right - LEFT - 32.0);
        picture.text(Point::new(LEFT + 32.0, below), "", &name);
    }
    picture.resize(WIDTH, below + 10.0);
    picture
}

/// Round numbers up to `end`, as texts and values.
fn ticks(end: f64) -> impl Iterator<Item = (String, f64)> {
    let step = tick(end);
    let values = (0..=20).map(move |number| f64::from(number) * step);
    values.take_while(move |&value| value <= end * (1.0 + 1e-9)).map(|v| (decimal(v), v))
}

/// The points thinned to a distinguishable number, including the first and the last.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let step = points.len().div_ceil(MOST).max(1);
    let last = points.last().filter(|_| points.len() % step != 1 && step > 1);
    points.iter().step_by(step).chain(last).copied().collect()
}

/// The path of a curve; a dot for a single point, by the round line caps.
fn path(points: &[(f64, f64)], at: impl Fn(f64, f64) -> Point) -> String {
    let mut path = String::new();
    for (number, &(time, value)) in points.iter().enumerate() {
        let sign = if number == 0 { 'M' } else { 'L' };
        let Point { x, y } = at(time, value);
        // Writing to a string does not fail.
        let _ = write!(path, "{sign}{} {}", Number(x), Number(y));
    }
    if points.len() == 1 {
        path.push_str("h0");
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, points: &[(f64, f64)]) -> Curve {
        Curve { name: name.to_owned(), points: points.to_vec() }
    }

    #[test]
    fn curves_share_their_axes_and_have_a_legend() {
        let picture = draw_curves(
            "explored",
            " s",
            &[
                curve("bfs", &[(0.0, 0.0), (2.0, 100.0)]),
                curve("<dfs>", &[(0.0, 0.0), (1.0, 50.0)]),
            ],
        );
        let text = picture.inline();
        assert_eq!(text.matches("class=\"curve s").count(), 4);
        assert!(text.contains(">bfs<") && text.contains(">&lt;dfs&gt;<"), "{text}");
        // The first curve ends in the upper right corner, the second one in the middle.
        assert!(text.contains("L976 12\"") && text.contains("L530 122\""), "{text}");
    }

    #[test]
    fn long_curves_are_thinned_and_end_where_they_end() {
        let points: Vec<(f64, f64)> = (0..12_345).map(|n| (f64::from(n), 1.0)).collect();
        let thin = thinned(&points);
        assert!(thin.len() <= MOST + 2, "{}", thin.len());
        assert_eq!((thin.first(), thin.last()), (points.first(), points.last()));
        for count in [0, 1, 2, 499, 500, 501, 1000, 1001] {
            let points = &points[..count];
            assert_eq!(thinned(points).last(), points.last(), "{count}");
        }
    }

    #[test]
    fn a_single_point_is_a_dot() {
        let text = draw_curves("estimate", " s", &[curve("astar", &[(1.0, 3.0)])]).inline();
        assert!(text.contains("M976 12h0\""), "{text}");
    }

    #[test]
    fn nothing_to_draw_is_an_empty_chart() {
        let text = draw_curves("stored", "", &[curve("bfs", &[])]).inline();
        assert!(!text.contains("class=\"curve") && !text.contains("NaN"), "{text}");
        let second =
            draw_curves("x", "", &[curve("bfs", &[]), curve("dfs", &[(1.0, 1.0)])]).inline();
        assert!(second.contains("curve s1") && !second.contains("curve s0"), "{second}");
    }
}
