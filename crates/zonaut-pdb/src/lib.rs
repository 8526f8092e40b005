//! Abstractions of models by leaving parts out, and databases of their distances.
mod access;
mod backward;
mod child;
mod database;
mod exploration;
mod failure;
pub mod faults;
mod mapping;
mod partners;
mod pattern;
mod roots;
mod skeleton;
mod symbols;
mod weaken;

pub use child::{Child, STUB};
pub use database::{Database, Distance, Size};
pub use exploration::Unexplorable;
pub use pattern::Pattern;
pub use symbols::{IdSet, Symbols};
