//! Plots of samples of random runs: histograms, cumulative curves with their confidence bands, and
//! trajectories.

use crate::axis::{decimal, tick};
use crate::geometry::{Point, Rect};
use crate::picture::{COLOURS, Number, Picture};
use crate::text;
use std::fmt::Write as _;

const WIDTH: f64 = 1000.0;
/// The size of the plot, and the margins for numbers.
const LEFT: f64 = 84.0;
const TOP: f64 = 12.0;
const HEIGHT: f64 = 220.0;
/// Height of a line of the legend, and of the title of the horizontal axis.
const LINE: f64 = 18.0;
/// Maximum number of points of a trajectory: the others are not distinguishable.
const MOST: usize = 2_000;

/// A histogram.
#[derive(Clone, PartialEq, Debug)]
pub struct Histogram {
    /// The left end of the first bucket.
    pub first: f64,
    /// The width of a bucket.
    pub width: f64,
    /// The number of values in each bucket.
    pub counts: Vec<u64>,
    /// Whether each bucket holds one integer, which stands below the middle of its bar.
    pub is_discrete: bool,
}

/// A point of a cumulative curve.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BandPoint {
    /// The horizontal position.
    pub at: f64,
    /// The lower end of the band.
    pub low: f64,
    /// The value.
    pub value: f64,
    /// The upper end of the band.
    pub high: f64,
}

/// The values of one expression in several runs, drawn in one colour.
#[derive(Clone, PartialEq, Debug)]
pub struct Trajectories {
    /// The label in the legend.
    pub name: String,
    /// For each run, dates and values: linear between points, jumps at equal dates.
    pub runs: Vec<Vec<(f64, f64)>>,
}

/// The mapping from numbers to the drawing plane.
struct Frame {
    left: f64,
    right: f64,
    bottom: f64,
    top: f64,
}

impl Frame {
    /// A frame that contains all of these points; those that are not finite do not count.
    fn around(points: impl Iterator<Item = (f64, f64)>) -> Self {
        let infinite = f64::INFINITY;
        let mut frame = Self { left: infinite, right: -infinite, bottom: infinite, top: -infinite };
        for (x, y) in points.filter(|(x, y)| x.is_finite() && y.is_finite()) {
            (frame.left, frame.right) = (frame.left.min(x), frame.right.max(x));
            (frame.bottom, frame.top) = (frame.bottom.min(y), frame.top.max(y));
        }
        if frame.left > frame.right {
            return Self { left: 0.0, right: 1.0, bottom: 0.0, top: 1.0 };
        }
        if frame.left == frame.right {
            frame.right += 1.0;
        }
        if frame.bottom == frame.top {
            frame.top += 1.0;
        }
        frame
    }

    fn at(&self, x: f64, y: f64) -> Point {
        let share =
            |value: f64, low: f64, high: f64| ((value - low) / (high - low)).clamp(0.0, 1.0);
        let (x, y) = (share(x, self.left, self.right), share(y, self.bottom, self.top));
        Point::new(LEFT + (WIDTH - 24.0 - LEFT) * x, TOP + HEIGHT * (1.0 - y))
    }

    /// Draws the grid with its numbers, and the titles of both axes.
    fn draw(&self, titles: [&str; 2], picture: &mut Picture) {
        let steps = [tick(self.right - self.left), tick(self.top - self.bottom)];
        self.draw_with_steps(steps, titles, picture);
    }

    /// The same with these distances of ticks on the horizontal and on the vertical axis.
    fn draw_with_steps(
        &self,
        [step, rise]: [f64; 2],
        [title, quantity]: [&str; 2],
        picture: &mut Picture,
    ) {
        if !quantity.is_empty() {
            picture.text(Point::new(LEFT, TOP - 3.0), "note", quantity);
        }
        for value in ticks(self.bottom, self.top, rise) {
            picture.line(self.at(self.left, value), self.at(self.right, value), "grid");
            picture.text(self.at(self.left, value).moved(-8.0, 4.0), "end note", &decimal(value));
        }
        for value in ticks(self.left, self.right, step) {
            picture.line(self.at(value, self.bottom), self.at(value, self.top), "grid");
            let below = self.at(value, self.bottom).moved(0.0, 16.0);
            picture.text(below, "mid note", &decimal(value));
        }
        // At the left it is visible where a narrow box scrolls the plot.
        let below = Point::new(LEFT, TOP + HEIGHT + 18.0 + LINE);
        picture.text(below, "note", &text::fitted(title, WIDTH - LEFT - 24.0));
    }

    fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let mut path = String::new();
        for (x, y) in points {
            let sign = if path.is_empty() { 'M' } else { 'L' };
            let Point { x, y } = self.at(x, y);
            // Writing to a string does not fail.
            let _ = write!(path, "{sign}{} {}", Number(x), Number(y));
        }
        path
    }
}

/// The distance of ticks up to `length` on an axis of integers.
fn whole(length: f64) -> f64 {
    tick(length).max(1.0).ceil()
}

/// The multiples of `step` from `low` to `high`.
fn ticks(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let first = (low / step - 1e-9).ceil();
    let values = (0..=20).map(move |number| (first + f64::from(number)) * step);
    values.take_while(move |&value| value <= high + step * 1e-9)
}

/// The height of a plot with the title of its axis.
const PLOT: f64 = TOP + HEIGHT + 24.0 + LINE;

/// The number of values in each bucket.
#[must_use]
pub fn draw_histogram(label: &str, axis: &str, histogram: &Histogram) -> Picture {
    let Histogram { first, width, counts, is_discrete } = histogram;
    let mut picture = Picture::new(label);
    let start = if *is_discrete { first - width / 2.0 } else { *first };
    let end = start + width * counts.len() as f64;
    let most = counts.iter().copied().max().unwrap_or(1) as f64;
    let frame = Frame::around([(start, 0.0), (end, most)].into_iter());
    // Counts are integers, and so are the values of discrete buckets.
    let step = match is_discrete {
        true => whole(frame.right - frame.left),
        false => tick(frame.right - frame.left),
    };
    let steps = [step, whole(frame.top - frame.bottom)];
    frame.draw_with_steps(steps, [axis, "runs"], &mut picture);
    for (number, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let left = start + width * number as f64;
        let (from, to) = (frame.at(left, count as f64), frame.at(left + width, 0.0));
        let bar = Rect { left: from.x, top: from.y, right: to.x, bottom: to.y };
        let title = match is_discrete {
            true => format!("{}: {count}", decimal(left + width / 2.0)),
            false => format!("{} to {}: {count}", decimal(left), decimal(left + width)),
        };
        picture.titled_rect(bar, "bar f0", &title);
    }
    picture.resize(WIDTH, PLOT);
    picture
}

/// A curve with the band around it.
#[must_use]
pub fn draw_band(label: &str, axis: &str, points: &[BandPoint]) -> Picture {
    let mut picture = Picture::new(label);
    let corners = points.iter().flat_map(|p| [(p.at, 0.0), (p.at, p.high)]);
    let frame = Frame::around(corners);
    frame.draw([axis, "probability"], &mut picture);
    let upper = points.iter().map(|point| (point.at, point.high));
    let lower = points.iter().rev().map(|point| (point.at, point.low));
    let area = frame.path(upper.chain(lower));
    if !area.is_empty() {
        picture.draw(format_args!("<path class=\"f0\" d=\"{area}Z\"/>"));
        let curve = frame.path(points.iter().map(|point| (point.at, point.value)));
        picture.draw(format_args!("<path class=\"curve s0\" d=\"{curve}\"/>"));
    }
    picture.resize(WIDTH, PLOT);
    picture
}

/// The values of expressions along runs, each expression with a colour and a line in the legend.
#[must_use]
pub fn draw_trajectories(label: &str, all: &[Trajectories]) -> Picture {
    let mut picture = Picture::new(label);
    let points = all.iter().flat_map(|one| &one.runs).flatten();
    let frame = Frame::around(points.clone().copied());
    let is_discrete = points.map(|&(_, value)| value).all(|value| value.fract() == 0.0);
    let rise = match is_discrete {
        true => whole(frame.top - frame.bottom),
        false => tick(frame.top - frame.bottom),
    };
    frame.draw_with_steps([tick(frame.right - frame.left), rise], ["time", ""], &mut picture);
    let mut below = PLOT;
    for (number, Trajectories { name, runs }) in all.iter().enumerate() {
        let colour = number % COLOURS;
        for run in runs {
            let path = frame.path(thinned(run));
            picture.draw(format_args!("<path class=\"curve s{colour}\" d=\"{path}\"/>"));
        }
        below += LINE;
        let (from, to) = (Point::new(LEFT, below - 4.0), Point::new(LEFT + 24.0, below - 4.0));
        picture.line(from, to, &format!("curve s{colour}"));
        let name = text::fitted(name, WIDTH - 24.0 - LEFT - 32.0);
        picture.text(Point::new(LEFT + 32.0, below), "", &name);
    }
    picture.resize(WIDTH, below + 10.0);
    picture
}

/// The points thinned to a distinguishable number, including the first and the last.
fn thinned(points: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> + '_ {
    let step = points.len().div_ceil(MOST).max(1);
    let last = points.last().filter(|_| step > 1);
    points.iter().step_by(step).chain(last).copied()
}

/// Pictures with headings, one below the other.
#[must_use]
pub fn stack(label: &str, pictures: &[(String, Picture)]) -> Picture {
    let mut stacked = Picture::new(label);
    let mut height = 0.0;
    for (heading, picture) in pictures {
        stacked.text(Point::new(LEFT, height + 20.0), "head", heading);
        stacked.place(Point::new(0.0, height + 28.0), picture);
        height += 40.0 + picture.height();
    }
    stacked.resize(WIDTH, height);
    stacked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_the_heights_of_their_counts() {
        let counts = vec![1, 0, 4];
        let histogram = Histogram { first: -2.0, width: 2.0, counts, is_discrete: false };
        let text = draw_histogram("h", "<time>", &histogram).inline();
        assert_eq!(text.matches("class=\"bar f0\"").count(), 2);
        assert!(text.contains("-2 to 0: 1") && text.contains("2 to 4: 4"), "{text}");
        assert!(text.contains("height=\"55\"") && text.contains("height=\"220\""), "{text}");
        assert!(text.contains("&lt;time&gt;"), "{text}");
    }

    #[test]
    fn integers_stand_below_the_middle_of_their_bars() {
        let histogram =
            Histogram { first: 1.0, width: 1.0, counts: vec![2, 0, 4], is_discrete: true };
        let text = draw_histogram("h", "waiting", &histogram).inline();
        assert!(text.contains("<title>1: 2</title>") && text.contains("<title>3: 4</title>"));
        assert!(!text.contains(".5</text>"), "{text}");
        // Three bars of equal width, with 2 in the middle of the plot.
        let middle = f64::midpoint(LEFT, WIDTH - 24.0);
        assert!(text.contains(&format!("x=\"{middle}\" y=\"248\">2</text>")), "{text}");
    }

    #[test]
    fn the_band_surrounds_its_curve() {
        let point =
            |at: f64, value: f64| BandPoint { at, low: value - 0.25, value, high: value + 0.25 };
        let text = draw_band("b", "time", &[point(0.0, 0.25), point(4.0, 0.75)]).inline();
        assert!(text.contains("M84 122L976 12L976 122L84 232Z"), "{text}");
        assert!(text.contains("M84 177L976 67\""), "{text}");
    }

    #[test]
    fn trajectories_have_one_colour_for_each_expression() {
        let run = vec![(0.0, -1.0), (1.0, -1.0), (1.0, 3.0)];
        let one = Trajectories { name: "a < b".to_owned(), runs: vec![run.clone(), run] };
        let other = Trajectories { name: "x".to_owned(), runs: vec![vec![(0.0, f64::NAN)]] };
        let text = draw_trajectories("t", &[one, other]).inline();
        assert_eq!(text.matches("curve s0").count(), 3);
        assert_eq!(text.matches("curve s1").count(), 2);
        assert!(text.contains(">a &lt; b<") && !text.contains("NaN"), "{text}");
    }

    #[test]
    fn trajectories_of_integers_have_ticks_at_integers() {
        let text = |values: [f64; 2]| {
            let run = vec![(0.0, values[0]), (8.0, values[1])];
            draw_trajectories("t", &[Trajectories { name: "n".to_owned(), runs: vec![run] }])
                .inline()
        };
        assert!(text([0.0, 3.5]).contains(">0.5</text>"));
        let discrete = text([0.0, 3.0]);
        assert!(discrete.contains(">3</text>") && !discrete.contains(".5</text>"), "{discrete}");
    }

    #[test]
    fn empty_samples_are_empty_plots() {
        let histogram =
            Histogram { first: 0.0, width: 0.0, counts: Vec::new(), is_discrete: false };
        let pictures = [
            ("h".to_owned(), draw_histogram("h", "", &histogram)),
            ("b".to_owned(), draw_band("b", "", &[])),
            ("t".to_owned(), draw_trajectories("t", &[])),
        ];
        let text = stack("all", &pictures).standalone();
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
}
