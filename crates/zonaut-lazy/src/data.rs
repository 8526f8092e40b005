//! Domains for data.

mod explicit;
mod facts;
mod forward;
mod layout;
mod meaning;
mod memo;
mod others;
mod questions;
mod steps;
mod visible;

pub use explicit::Explicit;
pub use facts::CellRange;
pub(crate) use layout::Layout;
pub use questions::Precision;
pub use visible::Visible;
