//! Zones in which one clock is exact, and pumping loops that increase it.

#[cfg(feature = "faults")]
use crate::faults::Fault;
use zonaut_dbm::{ALWAYS_EXACT, Bound, Row, Wide, Zone};

/// The parts of `zone` in each of which every clock is either at most its greatest constant, by its
/// row, or above it. If a clock other than `watched` is above, its value is abstracted: no test
/// depends on it before it is reset, so all valuations that differ in it alone can do the same at
/// the same moments, with the same values of the watched clock.
pub(super) fn regular_parts(zone: Zone<Wide>, maxima: &[i32], watched: Row) -> Vec<Zone<Wide>> {
    let mut parts = vec![zone];
    for (x, &greatest) in (1..).map(Row::from_index).zip(&maxima[1..]) {
        let mut split = Vec::with_capacity(parts.len());
        for part in parts {
            let mut below = part.clone();
            if below.constrain(x, Row::ZERO, Bound::le(greatest)).is_ok() {
                split.push(below);
            }
            let mut above = part;
            if above.constrain(Row::ZERO, x, Bound::lt(-i64::from(greatest))).is_err() {
                continue;
            }
            let is_watched = x == watched;
            #[cfg(feature = "faults")]
            let is_watched = is_watched && !Fault::WatchedForgotten.is_selected();
            if !is_watched {
                above.free(x);
                let kept = above.constrain(Row::ZERO, x, Bound::lt(-i64::from(greatest)));
                debug_assert!(kept.is_ok(), "a free clock can have any value");
            }
            split.push(above);
        }
        parts = split;
    }
    parts
}

/// Whether the clock `x` exceeds its greatest constant in all of `zone`.
pub(super) fn is_above(zone: &Zone<Wide>, x: Row, greatest: i32) -> bool {
    zone.bound(Row::ZERO, x) <= Bound::lt(-i64::from(greatest))
}

/// Whether the path from `before` to `after` pumps `x` without bound: for each valuation before there
/// is one after in which `x` is greater by at least one, clocks that exceed their greatest constants
/// (by row, `maxima`) in all of `before` exceed them too, and all others have the same values.
/// `x` exceeds its greatest constant in both zones and is not set in between.
///
/// The valuation after can do the same as the one before, at the same moments, and `x` keeps its
/// distance. So it rises by as much again in the next round, and in each round after it.
pub(super) fn pumps(before: &Zone<Wide>, after: &Zone<Wide>, x: Row, maxima: &[i32]) -> bool {
    let growth = 1;
    #[cfg(feature = "faults")]
    let growth = if Fault::PumpWithoutGrowth.is_selected() { 0 } else { growth };
    let rows = || (0..before.dim()).map(Row::from_index);
    let grown: Vec<(Row, i32)> = rows().map(|y| (y, if y == x { growth } else { 0 })).collect();
    let mut raised = before.clone();
    before.image_into(&grown, &mut raised);
    let constant = |y: Row| match maxima[y.index()] {
        _ if y == Row::ZERO => 0,
        greatest if y == x || is_above(before, y, greatest) => greatest,
        _ => ALWAYS_EXACT,
    };
    let upper: Vec<i32> = rows().map(constant).collect();
    let mut lower = upper.clone();
    lower[x.index()] = ALWAYS_EXACT;
    raised.included_in_alu(after, &lower, &upper)
}

/// The zone without the upper bounds of `x`.
pub(super) fn without_upper_bounds(zone: &Zone<Wide>, x: Row) -> Zone<Wide> {
    let mut raised = zone.clone();
    raised.free(x);
    for y in (0..zone.dim()).map(Row::from_index).filter(|&y| y != x) {
        let kept = raised.constrain(y, x, zone.bound(y, x));
        debug_assert!(kept.is_ok(), "the zone before is in it");
    }
    raised
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Row = Row(1);
    const Y: Row = Row(2);

    /// Both clocks run together from 0 up to `end`.
    fn diagonal(end: i64) -> Zone<Wide> {
        let mut zone = Zone::origin(3);
        zone.delay();
        zone.constrain(X, Row::ZERO, Bound::le(end)).expect("not empty");
        zone
    }

    #[test]
    fn a_clock_above_its_constant_is_abstracted_unless_it_is_watched() {
        let parts = regular_parts(diagonal(9), &[0, 3, 5], X);
        assert_eq!(parts.len(), 3);
        let last = &parts[2];
        assert!(is_above(last, X, 3) && last.bound(X, Row::ZERO) == Bound::le(9));
        assert!(last.bound(Y, Row::ZERO).is_infinite() && last.bound(Y, X).is_infinite());
        assert!(parts[0].bound(X, Y) == Bound::ZERO && parts[1].bound(X, Y) == Bound::ZERO);
    }

    #[test]
    fn a_loop_pumps_a_clock_only_if_all_its_bounds_rise() {
        let mut low = diagonal(9);
        low.reset(Y, 0);
        let mut high = diagonal(10);
        high.reset(Y, 0);
        assert!(pumps(&low, &high, X, &[0, -1, 5]) && !pumps(&low, &low, X, &[0, -1, 5]));
        // The difference is unchanged, although the greatest value rises.
        assert!(!pumps(&diagonal(9), &diagonal(10), X, &[0, -1, 5]));
    }

    #[test]
    fn a_clock_above_its_constant_need_not_return() {
        let above = |end: i64| {
            let mut zone = diagonal(end);
            zone.constrain(Row::ZERO, Y, Bound::lt(-5)).expect("not empty");
            zone
        };
        assert!(pumps(&above(9), &above(10), X, &[0, 5, 5]));
        assert!(!pumps(&above(9), &above(10), X, &[0, 5, 6]));
    }

    #[test]
    fn lower_bounds_stay_when_upper_bounds_go() {
        let mut zone = diagonal(9);
        zone.constrain(Row::ZERO, X, Bound::lt(-4)).expect("not empty");
        let raised = without_upper_bounds(&zone, X);
        assert!(raised.includes(&zone) && raised.bound(X, Y).is_infinite());
        assert_eq!(raised.bound(Row::ZERO, X), Bound::lt(-4));
        assert_eq!(raised.bound(Y, X), Bound::ZERO);
    }
}
