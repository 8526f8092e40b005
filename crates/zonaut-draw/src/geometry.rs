//! Points and rectangles of the drawing plane: x to the right, y downwards.

/// A point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    pub(crate) const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    pub(crate) fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    /// The point at the distance `length` from here towards `other`; this point if they coincide.
    pub(crate) fn towards(self, other: Self, length: f64) -> Self {
        let distance = self.distance(other);
        if distance == 0.0 {
            return self;
        }
        let share = length / distance;
        Self::new(self.x + (other.x - self.x) * share, self.y + (other.y - self.y) * share)
    }

    pub(crate) fn moved(self, x: f64, y: f64) -> Self {
        Self::new(self.x + x, self.y + y)
    }
}

/// A rectangle with its sides along the axes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Rect {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Rect {
    pub(crate) fn around(point: Point, radius: f64) -> Self {
        Self {
            left: point.x - radius,
            top: point.y - radius,
            right: point.x + radius,
            bottom: point.y + radius,
        }
    }

    /// Whether they have an area in common.
    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// The smallest rectangle with both in it.
    pub(crate) fn joined(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    pub(crate) fn width(self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(self) -> f64 {
        self.bottom - self.top
    }
}
