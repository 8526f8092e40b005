//! Symmetry of scalar sets: of all states that differ by a permutation of elements, one is explored.
//!
//! # The claim
//! Elements of a scalar set are only assigned, compared for equality, used as indices and listed. So
//! a permutation of the elements acts on states: it moves processes, cells and clocks that elements
//! number, and renames elements that cells hold. Where nothing tells elements apart, it maps the
//! transitions of a state to those of its image: it is an *automorphism*. Hence a state has a run to
//! a symmetric goal if and only if its image has one, of the same length, and covering one state by
//! the image of another is as sound as covering it by the other.
//!
//! [`Symmetry::of`] finds the sets whose elements nothing tells apart, and says why it leaves the
//! others alone. [`SymmetricGraph`] is the zone graph in which every state is replaced by a
//! *representative* of its images. Representatives need not be unique: where two images of one state
//! have different ones, both are explored. What is said of a representative by a guide holds for the
//! state itself: both are as far from the goal.
//!
//! A path of representatives is no path of the zone graph. [`SymmetricGraph::unfold`] gives the path
//! that it stands for: each step is renamed by all permutations that were applied before it.
//!
//! The initial state need not be symmetric: a permutation maps its runs to those of its image.
//!
//! Reference: M. Hendriks, G. Behrmann, K. Larsen, P. Niebert, F. Vaandrager, *Adding symmetry
//! reduction to Uppaal*, FORMATS 2003, doi:10.1007/978-3-540-40903-8_5. There, clocks are compared by
//! the order of their resets; here by what the zone says of their difference, so that clocks may be
//! set to any value.

mod coordinates;
#[cfg(feature = "faults")]
pub mod faults;
mod graph;
mod permutation;
mod refusal;
mod representative;
mod symmetry;

pub use graph::{SymmetricGoal, SymmetricGraph, SymmetricScratch};
pub use permutation::Permutation;
pub use refusal::{Refusal, Why};
pub use symmetry::Symmetry;
