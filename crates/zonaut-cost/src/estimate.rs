//! Lower bounds of the cost of paths through a state.

use crate::infimum::Infimum;

/// A lower bound of the cost so far plus the cost ahead.
///
/// The *sum* is estimated: where the cost ahead depends on when a stay began, the least cost so far plus
/// the least cost ahead would not count the time that has passed since.
///
/// Laws:
/// - Admissible: no goal that is reached through `state`, which costs `cost`, costs less than the
///   answer; without an answer, no goal is reached through it.
/// - It is not below `cost`.
/// - The same question gives the same answer, unless a better run became known in between.
pub trait Estimate<S>: Send {
    /// A lower bound of the cost of a goal through `state`, or nothing if no goal is reachable.
    fn total(&mut self, state: &S, cost: Infimum) -> Option<Infimum>;

    /// The tie-breaker between states of equal totals: less is tried first. Of the last state.
    fn weight(&self) -> u64 {
        0
    }

    /// The sum of the work ahead of all processes, as if none of it could be done in parallel. Of the
    /// last state.
    fn work(&self) -> i64 {
        0
    }

    /// The rank by the author's label: less is tried first. Of the last state.
    fn rank(&self) -> i64 {
        0
    }
}

/// The trivial estimate: the cost so far.
#[derive(Clone, Copy, Default, Debug)]
pub struct Nothing;

impl<S> Estimate<S> for Nothing {
    fn total(&mut self, _state: &S, cost: Infimum) -> Option<Infimum> {
        Some(cost)
    }
}

impl<S, E: Estimate<S> + ?Sized> Estimate<S> for Box<E> {
    fn total(&mut self, state: &S, cost: Infimum) -> Option<Infimum> {
        (**self).total(state, cost)
    }
    fn weight(&self) -> u64 {
        (**self).weight()
    }
    fn work(&self) -> i64 {
        (**self).work()
    }
    fn rank(&self) -> i64 {
        (**self).rank()
    }
}
