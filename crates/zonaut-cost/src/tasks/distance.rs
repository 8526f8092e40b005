//! Lengths of time and shortest distances, exact or bounded from below.

/// A length of time, a date as a bound sees it, or a cost; never an index or a marker.
pub type Span = i64;

/// The largest finite distance. A larger sum counts as this one, which is still a lower bound of it.
pub const FARTHEST: Span = Span::MAX / 4;

/// A shortest distance, or the fact that no path exists.
///
/// A finite distance stays finite: sums are capped at [`FARTHEST`], which differs from
/// [`Distance::NEVER`]. Marker and number share one word, because tables of distances are large.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Distance(Span);

impl Distance {
    /// No path exists. Greater than every finite distance.
    pub const NEVER: Self = Self(Span::MAX);
    /// The empty path.
    pub const ZERO: Self = Self(0);

    /// The distance of a path that goes on for `span`, which is not negative.
    #[must_use]
    pub fn plus(self, span: Span) -> Self {
        #[cfg(feature = "faults")]
        if crate::faults::Fault::EstimateSaturates.is_selected()
            && self.0.saturating_add(span) >= (1 << 30) - 1
        {
            return Self::NEVER;
        }
        match self {
            Self::NEVER => Self::NEVER,
            Self(length) => Self(length.saturating_add(span).min(FARTHEST)),
        }
    }

    /// The length of a shortest path, or nothing if no path exists.
    #[must_use]
    pub fn finite(self) -> Option<Span> {
        (self != Self::NEVER).then_some(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finite_distance_never_becomes_the_marker() {
        let mut distance = Distance::ZERO;
        for span in [0, 1, (1 << 30) - 1, 1 << 30, FARTHEST, Span::MAX, Span::MAX] {
            distance = distance.plus(span);
            assert!(distance.finite().is_some(), "{span}");
            assert!(distance < Distance::NEVER);
        }
        assert_eq!(distance.finite(), Some(FARTHEST));
        assert_eq!(Distance::NEVER.plus(0), Distance::NEVER);
        assert_eq!(Distance::NEVER.finite(), None);
    }
}
