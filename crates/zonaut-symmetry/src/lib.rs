//! Symmetry reduction for scalar sets: of all states that differ by a permutation of elements, one
//! representative is explored.
//!
//! # Soundness
//! Elements of a scalar set are only assigned, compared for equality, used as indices and iterated
//! over. So a permutation of the elements acts on states: it moves processes, cells and clocks that
//! elements index, and renames elements that cells hold. If the model does not distinguish
//! elements, the permutation maps the transitions of a state to those of its image: it is an
//! *automorphism*. Hence a state has a run to a symmetric goal if and only if its image has one, of
//! the same length, and covering one state by the image of another is as sound as covering it by
//! the other.
//!
//! [`Symmetry::of`] finds the scalar sets whose elements the model does not distinguish, and gives
//! the reason for each set it excludes. [`SymmetricGraph`] is the zone graph, or another
//! [`SymbolicSystem`], in which every state is replaced by a *representative* of its orbit. Representatives need not be unique: if two
//! images of one state have different ones, both are explored. The estimate of a heuristic for a
//! representative holds for the state itself: both have the same distance to the goal.
//!
//! A path of representatives is not a path of the system. [`SymmetricGraph::unfold`] computes
//! the corresponding path: each step is renamed by all permutations that were applied before it.
//!
//! The initial state need not be symmetric: a permutation maps its runs to those of its image.
//!
//! Reference: M. Hendriks, G. Behrmann, K. Larsen, P. Niebert, F. Vaandrager, *Adding symmetry
//! reduction to Uppaal*, FORMATS 2003, doi:10.1007/978-3-540-40903-8_5. There, clocks are ordered
//! by their resets; here by the bounds of the zone on their difference, so that clocks may be set
//! to any value.

mod coordinates;
#[cfg(feature = "faults")]
pub mod faults;
mod graph;
mod permutation;
mod refusal;
mod representative;
mod symmetry;

pub use graph::{SymbolicSystem, SymmetricGoal, SymmetricGraph, SymmetricScratch};
pub use permutation::Permutation;
pub use refusal::{Refusal, Why};
pub use symmetry::Symmetry;
