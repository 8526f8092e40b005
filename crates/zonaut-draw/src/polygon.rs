//! Convex polygons as intersections of half-planes, with the kind of each side.

/// The kind of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// The border of the window: the area continues.
    Open,
    /// A non-strict bound: the side belongs to the area.
    Weak,
    /// A strict bound: the side does not belong to the area.
    Strict,
}

/// The points `(x, y)` with `a * x + b * y <= c`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct HalfPlane {
    pub(crate) a: f64,
    pub(crate) b: f64,
    pub(crate) c: f64,
    pub(crate) side: Side,
}

impl HalfPlane {
    /// The distance of a point from the border, in units of the coefficients; negative inside.
    fn excess(&self, x: f64, y: f64) -> f64 {
        self.a * x + self.b * y - self.c
    }
}

/// A convex area: its corners in order, each with the side from it to the next.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Polygon(pub(crate) Vec<((f64, f64), Side)>);

impl Polygon {
    /// The square from `(0, 0)` to `(size, size)`.
    pub(crate) fn window(size: f64) -> Self {
        let corners = [(0.0, 0.0), (size, 0.0), (size, size), (0.0, size)];
        Self(corners.map(|corner| (corner, Side::Open)).to_vec())
    }

    /// The intersection with a half-plane, including its border. After I. E. Sutherland and G. W.
    /// Hodgman (DOI 10.1145/360767.360802).
    pub(crate) fn clipped(&self, half: &HalfPlane) -> Self {
        const TOLERANCE: f64 = 1e-9;
        let mut left = Vec::with_capacity(self.0.len() + 1);
        let next = self.0.iter().cycle().skip(1);
        for (&(corner, side), &(other, _)) in self.0.iter().zip(next) {
            let (here, there) = (half.excess(corner.0, corner.1), half.excess(other.0, other.1));
            let (is_in, other_in) = (here <= TOLERANCE, there <= TOLERANCE);
            let crossing = || {
                let share = here / (here - there);
                (corner.0 + (other.0 - corner.0) * share, corner.1 + (other.1 - corner.1) * share)
            };
            match (is_in, other_in) {
                (true, true) => left.push((corner, along(half, here, there, side))),
                // A corner on the border is itself the point of intersection.
                (true, false) if here.abs() <= TOLERANCE => left.push((corner, half.side)),
                (true, false) => left.extend([(corner, side), (crossing(), half.side)]),
                (false, true) if there.abs() > TOLERANCE => left.push((crossing(), side)),
                (false, _) => {}
            }
        }
        Self(left)
    }
}

/// The kind of a side that stays: that of the bound if it coincides with one, the stricter of two.
fn along(half: &HalfPlane, here: f64, there: f64, side: Side) -> Side {
    let is_along = here.abs() < 1e-9 && there.abs() < 1e-9;
    match (is_along, half.side, side) {
        (true, Side::Strict, _) | (true, _, Side::Strict) => Side::Strict,
        (true, Side::Weak, _) => Side::Weak,
        _ => side,
    }
}
