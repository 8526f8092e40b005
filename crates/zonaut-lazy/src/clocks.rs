//! Domains for clocks.

mod eager;
mod interpolant;
mod lower_upper;
mod zone;

pub use eager::Eager;
pub use lower_upper::LowerUpper;
pub use zone::ZoneInterpolation;

use zonaut_dbm::{Bound, Width};
use zonaut_model::interpret::ClockEffect;
use zonaut_zonegraph::{ZoneConstraint, origin};

/// What a constraint on clocks after effects says of clocks before them.
pub(crate) enum Before<W: Width> {
    /// This.
    Constraint(ZoneConstraint<W>),
    /// Nothing: it holds always.
    Always,
    /// That it never holds.
    Never,
}

/// What `constraint` on clocks after `effects` says of clocks before them.
pub(crate) fn before_effects_of<W: Width>(
    constraint: ZoneConstraint<W>,
    effects: &[ClockEffect],
) -> Before<W> {
    let ((x, ahead), (y, behind)) = (origin(constraint.x, effects), origin(constraint.y, effects));
    let bound = constraint.bound + Bound::le(behind - ahead);
    match x == y {
        false => Before::Constraint(ZoneConstraint { x, y, bound }),
        true if bound < Bound::ZERO => Before::Never,
        true => Before::Always,
    }
}
