//! Random programs: models as text, with functions, structs, arrays and side effects.
//!
//! The networks of [`crate::generate`] are built directly and test the treatment of time. Programs
//! are read by the front end and test the treatment of expressions: order of evaluation,
//! temporaries, copies, ranges and failures, in lowering, in the engine, in heuristics and pattern
//! databases. Domains are small, so that the naive explorer of [`crate::tree`] can enumerate them.

mod branches;
mod conditions;
mod expressions;
mod functions;
mod knobs;
mod network;
mod numbers;
mod parameters;
mod shrink;
mod statements;
mod value_type;
mod writer;

use crate::random::Random;
use knobs::Knobs;
pub(crate) use shrink::parsed;
pub use shrink::shrink;
use writer::Writer;

/// A family of programs that share a feature.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stratum {
    /// Structs and arrays: returned, passed, selected, copied and compared.
    Aggregates,
    /// Side effects in every operand.
    Effects,
    /// Ranges, indices, divisors and shifts that often fail.
    Failures,
    /// Clocks that functions set, with computed bounds.
    Clocks,
    /// Numbers at the limits of clocks and of 32 bits.
    Limits,
    /// Value parameters of templates that are assigned, bound, partly bound and free.
    Parameters,
    /// Branches with guards and synchronisations of their own.
    Branches,
}

impl Stratum {
    /// All strata, with their names.
    pub const ALL: [(&'static str, Self); 7] = [
        ("aggregates", Self::Aggregates),
        ("effects", Self::Effects),
        ("failures", Self::Failures),
        ("clocks", Self::Clocks),
        ("limits", Self::Limits),
        ("parameters", Self::Parameters),
        ("branches", Self::Branches),
    ];
}

/// A model and its query, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The model.
    pub text: String,
    /// The query.
    pub query: String,
}

/// The program of a seed within a stratum.
#[must_use]
pub fn generate(stratum: Stratum, seed: u64) -> Program {
    let mut random = Random::new(seed ^ 0x7e47);
    let knobs = Knobs::of(stratum, &mut random);
    Writer::new(random, knobs).program()
}
