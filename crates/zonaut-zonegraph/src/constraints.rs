//! Conjunctions of clock constraints: intersection with zones and subtraction from zones.

#[cfg(test)]
mod tests;

use crate::active_clocks::ActiveClocks;
use zonaut_compile::Constraint;
use zonaut_dbm::{Bound, Emptied, Width, Zone};

/// A constraint on the clocks of a zone of some width.
pub type ZoneConstraint<W> = Constraint<Bound<W>>;

/// Keeps the part of `zone` in which all `constraints` hold.
pub fn constrain<W: Width>(
    zone: &mut Zone<W>,
    active: &ActiveClocks,
    constraints: &[ZoneConstraint<W>],
) -> Result<(), Emptied> {
    for constraint in constraints {
        let (x, y) = (active.position(constraint.x), active.position(constraint.y));
        zone.constrain(x, y, constraint.bound)?;
    }
    Ok(())
}

/// Whether each of `constraints` holds somewhere in `zone`. A necessary test for their conjunction.
pub(crate) fn may_hold<W: Width>(
    zone: &Zone<W>,
    active: &ActiveClocks,
    constraints: &[ZoneConstraint<W>],
) -> bool {
    constraints.iter().all(|constraint| {
        let (x, y) = (active.position(constraint.x), active.position(constraint.y));
        zone.intersects_constraint(x, y, constraint.bound)
    })
}

/// Whether each of `constraints` holds everywhere in `zone`.
pub(crate) fn hold_everywhere<W: Width>(
    zone: &Zone<W>,
    active: &ActiveClocks,
    constraints: &[ZoneConstraint<W>],
) -> bool {
    constraints.iter().all(|constraint| {
        let (x, y) = (active.position(constraint.x), active.position(constraint.y));
        zone.bound(x, y) <= constraint.bound
    })
}

/// A part of a zone, with the constraints that cut it out.
#[derive(Clone, Debug)]
pub(crate) struct Piece<W: Width> {
    pub(crate) zone: Zone<W>,
    pub(crate) constraints: Vec<ZoneConstraint<W>>,
}

/// Splits `piece` into the part where all `constraints` hold, which is dropped, and disjoint parts
/// where some constraint fails, which are added to `outside`: the k-th of those satisfies the first
/// k constraints and not the next one.
pub(crate) fn cut_out<W: Width>(
    piece: Piece<W>,
    active: &ActiveClocks,
    constraints: &[ZoneConstraint<W>],
    outside: &mut Vec<Piece<W>>,
) {
    let mut rest = piece;
    for constraint in constraints {
        let opposite =
            Constraint { x: constraint.y, y: constraint.x, bound: constraint.bound.negated() };
        let mut failing = rest.clone();
        if constrain(&mut failing.zone, active, &[opposite]).is_ok() {
            failing.constraints.push(opposite);
            outside.push(failing);
        }
        if constrain(&mut rest.zone, active, &[*constraint]).is_err() {
            return;
        }
        rest.constraints.push(*constraint);
    }
}

/// The parts of `pieces` where the conjunction `constraints` fails.
pub(crate) fn cut_out_of_all<W: Width>(
    pieces: Vec<Piece<W>>,
    active: &ActiveClocks,
    constraints: &[ZoneConstraint<W>],
) -> Vec<Piece<W>> {
    let mut outside = Vec::new();
    for piece in pieces {
        cut_out(piece, active, constraints, &mut outside);
    }
    outside
}

/// The values of all clocks of a network at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Valuation<'v> {
    /// The values, in units of one over `unit`.
    pub clocks: &'v [i64],
    /// The number of units in one unit of time.
    pub unit: i64,
}

impl Valuation<'_> {
    /// Whether a constraint holds.
    #[must_use]
    pub fn satisfies(self, constraint: Constraint) -> bool {
        let Constraint { x, y, bound } = constraint;
        let value = |row: u32| row.checked_sub(1).map_or(0, |clock| self.clocks[clock as usize]);
        let (difference, limit) = (value(x) - value(y), i64::from(bound.value()) * self.unit);
        if bound.is_strict() { difference < limit } else { difference <= limit }
    }
}
