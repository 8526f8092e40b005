//! Zones of clock valuations as difference bound matrices.
//!
//! A [`Zone`] is a convex set of valuations of finitely many clocks, given by a [`Bound`] for
//! every difference of two clocks. This crate knows clocks by their row in a matrix only; which
//! clock of which model a row stands for is the caller's business.
//!
//! Invariants:
//!
//! * A zone is canonical and non-empty, always. Operations that can empty a zone return
//!   [`Emptied`] instead.
//! * Arithmetic never wraps. Bounds outside the documented range ([`Bound`]) saturate so that
//!   zones grow, and [`Zone::is_within_range`] tells when that could begin.
//! * The bounds of a zone are [`Narrow`] or [`Wide`], by a type parameter. What has no width yet,
//!   a constant of a model, is a [`ConstantBound`].
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
