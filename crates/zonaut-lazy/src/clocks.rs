//! Domains for clocks.

mod eager;
mod interpolant;
mod lower_upper;
mod zone;

pub use eager::Eager;
pub use lower_upper::LowerUpper;
pub use zone::ZoneInterpolation;
