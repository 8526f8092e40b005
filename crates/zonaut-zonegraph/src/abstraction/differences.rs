//! Constraints on clock differences: extrapolation by single clocks would merge valuations that
//! they distinguish, so zones are split on them first (J. Bengtsson, W. Yi: "On clock difference
//! constraints and termination in reachability analysis of timed automata", DOI
//! 10.1007/978-3-540-39893-6_28).

use crate::active_clocks::ActiveClocks;
use zonaut_compile::{BoundedDifference, BoundsTable, row_of};
use zonaut_dbm::{Bound, Row, Width, Zone};

/// Whether model and goal compare clock differences; the more demanding case is greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Differences {
    /// No clock differences are compared.
    Absent,
    /// Some clock differences are compared.
    Present,
}

impl Differences {
    /// The class of the model and goal of `bounds`.
    #[must_use]
    pub fn of(bounds: &BoundsTable) -> Self {
        match bounds.differences() {
            [] => Self::Absent,
            _ => Self::Present,
        }
    }
}

/// The greatest number of parts of a split zone.
const MOST_PARTS: usize = 1 << 12;

/// The differences between clocks that are active.
pub(super) fn active_differences<'w>(
    differences: &'w [BoundedDifference],
    active: &'w ActiveClocks,
) -> impl Iterator<Item = ActiveDifference> + 'w {
    differences.iter().filter_map(|&bounded| {
        let x = active.position_if_active(row_of(bounded.x))?;
        let y = active.position_if_active(row_of(bounded.y))?;
        Some(ActiveDifference { x, y, bounded })
    })
}

/// Splits `zone` until every part lies on one side of every difference with each of its constants;
/// returns false if that needs too many parts.
pub(super) fn split<W: Width>(
    differences: &[ActiveDifference],
    zone: &Zone<W>,
    parts: &mut Vec<Zone<W>>,
) -> bool {
    parts.clear();
    parts.push(zone.clone());
    for difference in differences {
        for part in std::mem::take(parts) {
            difference.split(part, parts);
            if parts.len() > MOST_PARTS {
                return false;
            }
        }
    }
    true
}

/// A constraint of a zone.
type Side<W> = (Row, Row, Bound<W>);

/// A clock difference with the positions of its clocks in a zone.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActiveDifference {
    x: Row,
    y: Row,
    pub(super) bounded: BoundedDifference,
}

impl ActiveDifference {
    pub(super) fn inside<W: Width>(&self, constant: i32) -> Side<W> {
        (self.x, self.y, self.bounded.bound(constant).into())
    }

    pub(super) fn outside<W: Width>(&self, constant: i32) -> Side<W> {
        (self.y, self.x, self.bounded.bound(constant).negated().into())
    }

    /// Adds the parts of `zone` between the constants; stops once the number of parts exceeds the
    /// limit.
    fn split<W: Width>(&self, zone: Zone<W>, parts: &mut Vec<Zone<W>>) {
        let mut rest = zone;
        let BoundedDifference { low, high, .. } = self.bounded;
        // The cutting constants are contiguous, starting at the least difference in the zone.
        let least = rest.bound(self.y, self.x);
        let first = if least.is_infinite() { low.into() } else { -least.value() - 1 };
        let first = first.clamp(low.into(), i64::from(high) + 1);
        for constant in (first..=high.into()).map(|constant| constant as i32) {
            let (x, y, bound) = self.inside(constant);
            if rest.bound(x, y) <= bound || parts.len() > MOST_PARTS {
                break;
            }
            let mut inside = rest.clone();
            if inside.constrain(x, y, bound).is_ok() {
                parts.push(inside);
                let (y, x, bound) = self.outside(constant);
                let kept = rest.constrain(y, x, bound);
                debug_assert!(kept.is_ok(), "the zone goes beyond the constant");
            }
        }
        parts.push(rest);
    }

    /// The sides of the constants next to `part`, which lies on one side of each.
    pub(super) fn sides<W: Width>(&self, part: &Zone<W>) -> [Option<Side<W>>; 2] {
        let BoundedDifference { low, high, is_strict, .. } = self.bounded;
        let most = part.bound(self.x, self.y);
        // The least constant that bounds the part from above.
        let above = most.value() + i64::from(is_strict && !most.is_strict());
        let above = above.max(low.into());
        let is_inside = !most.is_infinite() && above <= high.into();
        let above = is_inside.then_some(above as i32);
        let below = above.map_or(high, |constant| constant - 1);
        [above.map(|constant| self.inside(constant)), (below >= low).then(|| self.outside(below))]
    }
}
