//! Conjunctions of clock constraints applied to zones, and cutting them out of zones.

#[cfg(test)]
mod tests;

use crate::frame::Frame;
use zonaut_compile::Constraint;
use zonaut_dbm::{Emptied, Zone};

/// Keeps the part of `zone` in which all `constraints` hold.
pub(crate) fn constrain(
    zone: &mut Zone,
    frame: &Frame,
    constraints: &[Constraint],
) -> Result<(), Emptied> {
    for constraint in constraints {
        let (x, y) = (frame.position(constraint.x), frame.position(constraint.y));
        zone.constrain(x, y, constraint.bound)?;
    }
    Ok(())
}

/// Whether each of `constraints` holds somewhere in `zone`. A cheap test: they need not hold
/// together.
pub(crate) fn may_hold(zone: &Zone, frame: &Frame, constraints: &[Constraint]) -> bool {
    constraints.iter().all(|constraint| {
        let (x, y) = (frame.position(constraint.x), frame.position(constraint.y));
        zone.intersects_constraint(x, y, constraint.bound)
    })
}

/// A part of a zone, with the constraints that cut it out.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) zone: Zone,
    pub(crate) constraints: Vec<Constraint>,
}

/// Splits `piece` into the part where all `constraints` hold, which is dropped, and disjoint parts
/// where some constraint fails, which are added to `outside`: the k-th of those satisfies the first
/// k constraints and not the next one.
pub(crate) fn cut_out(
    piece: Piece,
    frame: &Frame,
    constraints: &[Constraint],
    outside: &mut Vec<Piece>,
) {
    let mut rest = piece;
    for constraint in constraints {
        let opposite =
            Constraint { x: constraint.y, y: constraint.x, bound: constraint.bound.negated() };
        let mut failing = rest.clone();
        if constrain(&mut failing.zone, frame, &[opposite]).is_ok() {
            failing.constraints.push(opposite);
            outside.push(failing);
        }
        if constrain(&mut rest.zone, frame, &[*constraint]).is_err() {
            return;
        }
        rest.constraints.push(*constraint);
    }
}

/// The parts of `pieces` where the conjunction `constraints` fails.
pub(crate) fn cut_out_of_all(
    pieces: Vec<Piece>,
    frame: &Frame,
    constraints: &[Constraint],
) -> Vec<Piece> {
    let mut outside = Vec::new();
    for piece in pieces {
        cut_out(piece, frame, constraints, &mut outside);
    }
    outside
}
