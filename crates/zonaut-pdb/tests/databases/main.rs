//! Databases never say more than the truth.

mod check;
mod clauses;
mod partial;
mod random_networks;
mod saved;
