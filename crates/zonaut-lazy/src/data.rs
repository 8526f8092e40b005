//! Domains for data.

mod conditions;
mod explicit;
mod facts;
mod forward;
mod layout;
mod meaning;
mod memo;
mod others;
mod steps;
mod visible;

pub use conditions::Precision;
pub use explicit::Explicit;
pub use facts::CellRange;
pub(crate) use layout::Layout;
pub use visible::Visible;
