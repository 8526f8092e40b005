//! Drawings of zones: the valuations of two clocks as an area, with the clock values of a run.

use crate::axis::{decimal, tick};
use crate::geometry::{Point, Rect};
use crate::picture::{Number, Picture};
use crate::polygon::{HalfPlane, Polygon, Side};
use crate::text;
use std::fmt::Write as _;
use zonaut_dbm::{Bound, Row, Width, Zone};

/// The side of the plot, and the margins for numbers.
const PLOT: f64 = 300.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 28.0;
/// The least extent of the plane that is shown, in time units.
const LEAST: f64 = 4.0;

/// The content of a drawing for one state.
#[derive(Clone, Copy, Debug)]
pub struct ZoneView<'z, W: Width> {
    /// The valuations in which the run may be.
    pub zone: &'z Zone<W>,
    /// The valuations in which the next transition is enabled.
    pub leaving: Option<&'z Zone<W>>,
    /// The clocks of the horizontal and of the vertical axis, with their names.
    pub clocks: [(Row, &'z str); 2],
    /// The values of both clocks at the arrival and at the departure of the run.
    pub stay: [[f64; 2]; 2],
}

/// A drawing of two clocks: the zone as an area, with strict sides dashed, and the stay of the run
/// as a line with a dot at its end.
#[must_use]
pub fn draw_zone<W: Width>(view: &ZoneView<'_, W>) -> Picture {
    let window = Window::of(view);
    let [right, up] = view.clocks.map(|(_, name)| name);
    let mut picture = Picture::new(&format!("zone of {right} and {up}"));
    window.draw_grid(&mut picture);
    let area = area(view.zone, view.clocks.map(|(clock, _)| clock), window.size);
    window.draw_area(&area, "area", &mut picture);
    if let Some(leaving) = view.leaving {
        let part = self::area(leaving, view.clocks.map(|(clock, _)| clock), window.size);
        window.draw_area(&part, "leave", &mut picture);
    }
    window.draw_sides(&area, &mut picture);
    let [from, to] = view.stay.map(|[x, y]| window.point(x, y));
    picture.line(from, to, "way");
    picture.circle(to, 4.5, "stand");
    picture.text(Point::new(LEFT + PLOT / 2.0, TOP + PLOT + 34.0), "mid", right);
    picture.text(Point::new(6.0, TOP - 14.0), "", &text::fitted(up, PLOT));
    picture.resize(LEFT + PLOT + 20.0, TOP + PLOT + 44.0);
    picture
}

/// The visible part of the plane: from 0 to `size` in both directions.
struct Window {
    size: f64,
}

impl Window {
    fn of<W: Width>(view: &ZoneView<'_, W>) -> Self {
        let [x, y] = view.clocks.map(|(clock, _)| clock);
        let pairs =
            [(x, Row::ZERO), (Row::ZERO, x), (y, Row::ZERO), (Row::ZERO, y), (x, y), (y, x)];
        let bounds = pairs.iter().map(|&(a, b)| view.zone.bound(a, b));
        let finite = bounds.filter(|bound| !bound.is_infinite());
        let largest = finite.map(|bound| bound.value().unsigned_abs() as f64).fold(0.0, f64::max);
        let largest = view.stay.iter().flatten().copied().fold(largest, f64::max);
        Self { size: (largest * 1.2 + 1.0).max(LEAST) }
    }

    fn point(&self, x: f64, y: f64) -> Point {
        let scale = PLOT / self.size;
        Point::new(LEFT + x * scale, TOP + PLOT - y * scale)
    }

    fn draw_grid(&self, picture: &mut Picture) {
        // Bounds of clocks are integers: finer ticks would be noise.
        let step = tick(self.size).max(1.0);
        let mut number = 0.0;
        while number * step <= self.size {
            let value = number * step;
            let (below, beside) = (self.point(value, 0.0), self.point(0.0, value));
            picture.line(below, self.point(value, self.size), "grid");
            picture.line(beside, self.point(self.size, value), "grid");
            picture.text(below.moved(0.0, 14.0), "mid note", &decimal(value));
            picture.text(beside.moved(-6.0, 4.0), "end note", &decimal(value));
            number += 1.0;
        }
        let corner = self.point(0.0, self.size);
        let frame =
            Rect { left: corner.x, top: corner.y, right: corner.x + PLOT, bottom: corner.y + PLOT };
        picture.rect(frame, "axis");
    }

    fn draw_area(&self, area: &Polygon, class: &str, picture: &mut Picture) {
        let mut points = String::new();
        for &((x, y), _) in &area.0 {
            let at = self.point(x, y);
            let _ = write!(points, "{},{} ", Number(at.x), Number(at.y));
        }
        let points = points.trim_end();
        picture.draw(format_args!("<polygon class=\"{class}\" points=\"{points}\"/>"));
    }

    fn draw_sides(&self, area: &Polygon, picture: &mut Picture) {
        let next = area.0.iter().cycle().skip(1);
        for (&((x, y), side), &((to_x, to_y), _)) in area.0.iter().zip(next) {
            let class = match side {
                Side::Open => continue,
                Side::Weak => "side",
                Side::Strict => "side strict",
            };
            picture.line(self.point(x, y), self.point(to_x, to_y), class);
        }
    }
}

/// The valuations of two clocks in a zone, up to `size`.
fn area<W: Width>(zone: &Zone<W>, [x, y]: [Row; 2], size: f64) -> Polygon {
    let side = |bound: Bound<W>| if is_drawn_strict(bound) { Side::Strict } else { Side::Weak };
    let half = |from: Row, to: Row, a: f64, b: f64| {
        let bound = zone.bound(from, to);
        let plane = HalfPlane { a, b, c: bound.value() as f64, side: side(bound) };
        (!bound.is_infinite()).then_some(plane)
    };
    let halves = [
        half(x, Row::ZERO, 1.0, 0.0),
        half(Row::ZERO, x, -1.0, 0.0),
        half(y, Row::ZERO, 0.0, 1.0),
        half(Row::ZERO, y, 0.0, -1.0),
        half(x, y, 1.0, -1.0),
        half(y, x, -1.0, 1.0),
    ];
    let halves = halves.into_iter().flatten();
    halves.fold(Polygon::window(size), |polygon, half| polygon.clipped(&half))
}

fn is_drawn_strict<W: Width>(bound: Bound<W>) -> bool {
    #[cfg(feature = "faults")]
    if crate::faults::Fault::StrictSidesSolid.is_selected() {
        return false;
    }
    bound.is_strict()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use zonaut_dbm::Wide;

    const SIZE: f64 = 12.0;

    fn zones() -> impl Strategy<Value = Zone<Wide>> {
        let constraint = (0..3_usize, 0..3_usize, -6..10_i32, any::<bool>());
        prop::collection::vec(constraint, 0..5).prop_filter_map("empty", |constraints| {
            let mut zone = Zone::universe(3);
            for (x, y, value, is_strict) in constraints {
                let bound = if is_strict { Bound::lt(value) } else { Bound::le(value) };
                if x != y {
                    zone.constrain(Row::from_index(x), Row::from_index(y), bound).ok()?;
                }
            }
            Some(zone)
        })
    }

    /// Whether a point is strictly inside a convex polygon with corners in counterclockwise order.
    fn is_inside(polygon: &Polygon, (px, py): (f64, f64)) -> bool {
        let next = polygon.0.iter().cycle().skip(1);
        let sides = polygon.0.iter().zip(next).map(|(&(from, _), &(to, _))| (from, to));
        let sides: Vec<_> = sides.filter(|(from, to)| from != to).collect();
        let is_left = |&((x, y), (nx, ny)): &((f64, f64), (f64, f64))| {
            (nx - x) * (py - y) - (ny - y) * (px - x) > 1e-9
        };
        sides.len() > 2 && sides.iter().all(is_left)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_area_is_the_zone(zone in zones()) {
            let polygon = area(&zone, [Row(1), Row(2)], SIZE);
            // Points that are on no bound: thirds with differences that are thirds.
            for x in 0..36_i64 {
                for y in 0..36_i64 {
                    if x % 3 == 0 || y % 3 == 0 || x % 3 == y % 3 {
                        continue;
                    }
                    let point = (x as f64 / 3.0, y as f64 / 3.0);
                    prop_assert_eq!(is_inside(&polygon, point), zone.contains(&[0, x, y], 3));
                }
            }
        }

        #[test]
        fn exactly_strict_sides_are_outside(zone in zones()) {
            let polygon = area(&zone, [Row(1), Row(2)], SIZE);
            let next = polygon.0.iter().cycle().skip(1);
            for (&((x, y), side), &((nx, ny), _)) in polygon.0.iter().zip(next) {
                // The corners of zones are integers, so midpoints of sides are halves.
                let (mx, my) = ((x + nx) as i64, (y + ny) as i64);
                let is_point = (x, y) == (nx, ny);
                if is_point || side == Side::Open {
                    continue;
                }
                prop_assert_eq!(zone.contains(&[0, mx, my], 2), side == Side::Weak);
            }
        }
    }
}
