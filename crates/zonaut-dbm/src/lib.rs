//! Zones of clock valuations as difference bound matrices.
//!
//! A [`Zone`] is a convex set of valuations of finitely many clocks, given by a [`Bound`] for every
//! difference of two clocks. This crate identifies clocks by their row in a matrix only; the caller
//! maps rows to the clocks of a model. Zones are the symbolic part of the states that the zone
//! graph explores.
//!
//! Invariants:
//!
//! * A zone is always canonical and non-empty. Operations that can empty a zone return [`Emptied`]
//!   instead.
//! * Arithmetic never wraps. Bounds outside the documented range ([`Bound`]) saturate so that zones
//!   grow, and [`Zone::is_within_range`] detects when that could begin.
//! * The bounds of a zone are [`Narrow`] or [`Wide`], by a type parameter. Constants of a model,
//!   for which no width is chosen yet, are [`ConstantBound`]s.
//! * Slices that are indexed by clock (bounds for extrapolation, names, sources) have an entry for
//!   the reference clock at index 0, so that index and row agree.
//!
//! The reference for the matrices is: D. L. Dill, "Timing assumptions and verification of
//! finite-state concurrent systems" (DOI 10.1007/3-540-52148-8_17).
//!
//! ```
//! use zonaut_dbm::{Bound, Row, Emptied, Zone};
//!
//! # fn main() -> Result<(), Emptied> {
//! let (x, y) = (Row(1), Row(2));
//! let mut zone: Zone = Zone::origin(3);
//! zone.delay();
//! zone.constrain(x, Row::ZERO, Bound::le(5))?;
//! zone.reset(y, 0);
//! zone.delay();
//! zone.constrain(Row::ZERO, y, Bound::lt(-2))?;
//! assert_eq!(zone.display(&["0", "x", "y"]).to_string(), "y > 2 && x - y <= 5 && y <= x");
//! assert_eq!(zone.constrain(x, Row::ZERO, Bound::le(2)), Err(Emptied));
//! # Ok(())
//! # }
//! ```

mod bound;
mod closure;
mod constant;
mod display;
mod extrapolation;
#[cfg(feature = "faults")]
pub mod faults;
mod federation;
mod image;
mod inclusion;
mod operations;
mod pinned;
mod reduction;
mod remap;
mod row;
mod simulation;
mod stopped;
mod summary;
mod width;
mod zone;

pub use bound::Bound;
pub use constant::ConstantBound;
pub use extrapolation::{ALWAYS_EXACT, NO_BOUND};
pub use federation::Federation;
pub use inclusion::includes_slices;
pub use row::Row;
pub use simulation::{alu_includes_slices, row_outside_alu};
pub use summary::SummaryOf;
pub use width::{Narrow, Wide, Width};
pub use zone::{Emptied, Zone};
