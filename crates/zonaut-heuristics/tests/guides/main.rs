//! Guides against the truth: distances in the whole space of small networks.

mod figures;
mod properties;
mod space;
