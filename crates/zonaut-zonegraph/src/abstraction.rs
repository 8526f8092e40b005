//! How zones are made finitely many.

#[cfg(test)]
mod tests;

use crate::frame::Frame;
use zonaut_base::Id;
use zonaut_compile::{BoundsTable, ClockRow, row_of};
use zonaut_dbm::{Bound, Zone};

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

/// A clock difference that a model or a goal compares with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Difference {
    x: ClockRow,
    y: ClockRow,
    bound: Bound,
}

/// How clock differences in model and goal are respected: extrapolation by single clocks would
/// confuse valuations that they distinguish.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Differences {
    /// There are none.
    Absent,
    /// Zones are split on them before extrapolation with maximal constants (J. Bengtsson, W. Yi:
    /// "On clock difference constraints and termination in reachability analysis of timed
    /// automata", DOI 10.1007/978-3-540-39893-6_28).
    Split,
    /// Some are bounded by a value computed at run time: zones stay exact.
    Exact,
}

/// Widens zones according to an abstraction.
#[derive(Clone, Debug)]
pub(crate) struct Widening {
    abstraction: Abstraction,
    differences: Vec<Difference>,
    maximum: Vec<i32>,
}

/// How the differences in `bounds` have to be respected.
pub(crate) fn classify(bounds: &BoundsTable) -> Differences {
    let all = bounds.differences();
    if all.is_empty() {
        Differences::Absent
    } else if all.iter().all(|(_, _, bound)| bound.is_some()) {
        Differences::Split
    } else {
        Differences::Exact
    }
}

impl Widening {
    pub(crate) fn new(abstraction: Abstraction, bounds: &BoundsTable) -> Self {
        let difference = |&(x, y, bound): &(_, _, Option<Bound>)| {
            bound.map(|bound| Difference { x: row_of(x), y: row_of(y), bound })
        };
        let differences = bounds.differences().iter().filter_map(difference).collect();
        Self { abstraction, differences, maximum: Vec::new() }
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
        self.split(frame, zone, parts);
        for part in parts {
            let sides = self.sides(frame, part);
            part.extrapolate_m(&self.maximum);
            for (x, y, bound) in sides {
                let kept = part.constrain(x, y, bound);
                debug_assert!(kept.is_ok(), "a widened part still meets its side");
            }
        }
        true
    }

    /// Splits `zone` until every part lies on one side of every difference.
    fn split(&self, frame: &Frame, zone: &Zone, parts: &mut Vec<Zone>) {
        parts.clear();
        parts.push(zone.clone());
        for (x, y, bound) in self.positions(frame) {
            for part in std::mem::take(parts) {
                let (mut inside, mut outside) = (part.clone(), part);
                if inside.constrain(x, y, bound).is_ok() {
                    parts.push(inside);
                }
                if outside.constrain(y, x, bound.negated()).is_ok() {
                    parts.push(outside);
                }
            }
        }
    }

    /// For every difference, the side on which `part` lies.
    fn sides(
        &self,
        frame: &Frame,
        part: &Zone,
    ) -> Vec<(zonaut_dbm::Clock, zonaut_dbm::Clock, Bound)> {
        let side = |(x, y, bound): (_, _, Bound)| {
            if part.intersects_constraint(x, y, bound) {
                (x, y, bound)
            } else {
                (y, x, bound.negated())
            }
        };
        self.positions(frame).map(side).collect()
    }

    /// The differences between clocks that are active.
    fn positions<'w>(
        &'w self,
        frame: &'w Frame,
    ) -> impl Iterator<Item = (zonaut_dbm::Clock, zonaut_dbm::Clock, Bound)> + 'w {
        self.differences.iter().filter_map(|difference| {
            let x = frame.position_if_active(difference.x)?;
            let y = frame.position_if_active(difference.y)?;
            Some((x, y, difference.bound))
        })
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
