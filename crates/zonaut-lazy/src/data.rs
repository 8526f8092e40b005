//! Domains for data.

mod explicit;
mod layout;
mod meaning;
mod memo;
mod others;
mod questions;
mod steps;
mod visible;

pub use explicit::Explicit;
pub(crate) use layout::Layout;
pub use visible::Visible;
