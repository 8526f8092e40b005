//! How zones are made finitely many.

#[cfg(test)]
mod tests;

use crate::frame::Frame;
use zonaut_base::Id;
use zonaut_compile::{BoundedDifference, BoundsTable, ClockRow, row_of};
use zonaut_dbm::{Bound, Clock, Zone};

/// An abstraction of zones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abstraction {
    /// None: zones are exact, and exploration may not end.
    Exact,
    /// Extrapolation with the greatest constant of each clock.
    Maximum,
    /// Extrapolation with lower and upper bounds.
    LowerUpper,
    /// The coarser extrapolation with lower and upper bounds.
    LowerUpperPlus,
    /// Exact zones, compared by the simulation that lower and upper bounds induce.
    Simulation,
}

impl Abstraction {
    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "none",
            Self::Maximum => "m",
            Self::LowerUpper => "lu",
            Self::LowerUpperPlus => "lu+",
            Self::Simulation => "alu",
        }
    }

    /// All abstractions.
    pub const ALL: [Self; 5] =
        [Self::Exact, Self::Maximum, Self::LowerUpper, Self::LowerUpperPlus, Self::Simulation];
}

/// How clock differences in model and goal are respected: extrapolation by single clocks would
/// confuse valuations that they distinguish.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Differences {
    /// There are none.
    Absent,
    /// Zones are split on them before extrapolation with maximal constants (J. Bengtsson, W. Yi:
    /// "On clock difference constraints and termination in reachability analysis of timed
    /// automata", DOI 10.1007/978-3-540-39893-6_28).
    Split,
}

/// Widens zones according to an abstraction.
#[derive(Clone, Debug)]
pub(crate) struct Widening {
    abstraction: Abstraction,
    differences: Vec<BoundedDifference>,
    maximum: Vec<i32>,
}

/// How the differences in `bounds` have to be respected.
pub(crate) fn classify(bounds: &BoundsTable) -> Differences {
    match bounds.differences() {
        [] => Differences::Absent,
        _ => Differences::Split,
    }
}

impl Widening {
    pub(crate) fn new(abstraction: Abstraction, bounds: &BoundsTable) -> Self {
        Self { abstraction, differences: bounds.differences().to_vec(), maximum: Vec::new() }
    }

    /// Whether zones may be split, which takes time.
    pub(crate) fn may_split(&self) -> bool {
        self.abstraction == Abstraction::Maximum && !self.differences.is_empty()
    }

    /// Widens `zone` in place, or, where it is split on clock differences, leaves its parts in
    /// `parts`, widened. Whether it was split.
    pub(crate) fn widen(&mut self, frame: &Frame, zone: &mut Zone, parts: &mut Vec<Zone>) -> bool {
        match self.abstraction {
            Abstraction::Exact | Abstraction::Simulation => return false,
            Abstraction::LowerUpper => {
                zone.extrapolate_lu(&frame.lower, &frame.upper);
                return false;
            }
            Abstraction::LowerUpperPlus => {
                zone.extrapolate_lu_plus(&frame.lower, &frame.upper);
                return false;
            }
            Abstraction::Maximum => {}
        }
        self.maximum.clear();
        self.maximum.extend(frame.lower.iter().zip(&frame.upper).map(|(&l, &u)| l.max(u)));
        if self.differences.is_empty() {
            zone.extrapolate_m(&self.maximum);
            return false;
        }
        self.split_and_widen(frame, zone, parts)
    }

    /// The same with clock differences. A zone that extrapolation leaves alone stays whole, as
    /// those are finitely many; one of too many parts stays exact.
    fn split_and_widen(&self, frame: &Frame, zone: &Zone, parts: &mut Vec<Zone>) -> bool {
        let mut whole = zone.clone();
        whole.extrapolate_m(&self.maximum);
        let differences: Vec<Active> = self.active(frame).collect();
        if whole == *zone || !split(&differences, zone, parts) {
            parts.clear();
            return false;
        }
        for part in parts {
            let sides: Vec<_> = differences.iter().flat_map(|d| d.sides(part)).collect();
            part.extrapolate_m(&self.maximum);
            for (x, y, bound) in sides.into_iter().flatten() {
                let kept = part.constrain(x, y, bound);
                debug_assert!(kept.is_ok(), "a widened part still meets its side");
            }
        }
        true
    }

    /// The differences between clocks that are active.
    fn active<'w>(&'w self, frame: &'w Frame) -> impl Iterator<Item = Active> + 'w {
        self.differences.iter().filter_map(|&bounded| {
            let x = frame.position_if_active(row_of(bounded.x))?;
            let y = frame.position_if_active(row_of(bounded.y))?;
            Some(Active { x, y, bounded })
        })
    }
}

/// The most parts that a zone is split into.
const MOST_PARTS: usize = 1 << 12;

/// Splits `zone` until every part lies on one side of every difference with each of its constants;
/// gives up, and says so, where that needs too many parts.
fn split(differences: &[Active], zone: &Zone, parts: &mut Vec<Zone>) -> bool {
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
type Side = (Clock, Clock, Bound);

/// A clock difference with the positions of its clocks in a zone.
#[derive(Clone, Copy, Debug)]
struct Active {
    x: Clock,
    y: Clock,
    bounded: BoundedDifference,
}

impl Active {
    fn inside(&self, constant: i32) -> Side {
        (self.x, self.y, self.bounded.bound(constant))
    }

    fn outside(&self, constant: i32) -> Side {
        (self.y, self.x, self.bounded.bound(constant).negated())
    }

    /// Adds the parts of `zone` between the constants, unless they are too many, of which those
    /// added then are enough to see.
    fn split(&self, zone: Zone, parts: &mut Vec<Zone>) {
        let mut rest = zone;
        // The constants that cut follow each other, from the least difference in the zone on.
        let least = rest.bound(self.y, self.x);
        let first = if least.is_infinite() { self.bounded.low } else { -least.value() - 1 };
        for constant in first.max(self.bounded.low)..=self.bounded.high {
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
    fn sides(&self, part: &Zone) -> [Option<Side>; 2] {
        let BoundedDifference { low, high, is_strict, .. } = self.bounded;
        let most = part.bound(self.x, self.y);
        // The least constant that the part is inside of.
        let above = match most.is_infinite() {
            true => None,
            false => Some((most.value() + i32::from(is_strict && !most.is_strict())).max(low)),
        };
        let above = above.filter(|&constant| constant <= high);
        let below = above.map_or(high, |constant| constant - 1);
        [above.map(|constant| self.inside(constant)), (below >= low).then(|| self.outside(below))]
    }
}

/// The names of the clocks of a zone, for display; `names` are those of the network.
pub fn zone_names<'n>(
    rows: &[ClockRow],
    names: impl Fn(zonaut_model::ClockId) -> &'n str,
) -> Vec<&'n str> {
    let name = |&row: &ClockRow| match row {
        0 => "0",
        row => names(Id::from_index(row as usize - 1)),
    };
    rows.iter().map(name).collect()
}
