//! Abstractions of models by leaving parts out, and databases of their distances.
mod access;
mod backward;
mod child;
mod cone;
mod database;
mod exploration;
mod failure;
pub mod faults;
mod file;
mod mapping;
mod partners;
mod pattern;
mod roots;
mod russian_doll;
mod skeleton;
mod symbols;
mod text;
mod weaken;

pub use child::{Child, STUB};
pub use cone::cone;
pub use database::{Database, Distance, Size};
pub use exploration::Unexplorable;
pub use file::LoadError;
pub use pattern::Pattern;
pub use russian_doll::{Inputs, russian_doll};
pub use symbols::{IdSet, Symbols};
pub use text::{formula_text, model_text};
