//! Lower bounds of what a way costs that goes through a state.

use crate::infimum::Infimum;

/// An estimate of what is left, added to what is spent.
///
/// The *sum* is estimated: where what is left depends on when something began, adding the least of
/// what is spent to the least of what is left would forget all time that has passed since.
///
/// Laws:
/// - No goal that is reached by way of `state`, which costs `cost`, costs less than the answer; where
///   there is none, no goal is reached by way of it.
/// - It is not below `cost`.
/// - The same question gives the same answer, unless a better run became known in between.
pub trait Estimate<S> {
    /// The least that a goal costs which is reached by way of `state`, or nothing if there is none.
    fn total(&mut self, state: &S, cost: Infimum) -> Option<Infimum>;

    /// What decides between states of equal totals: less is tried first. Of the state asked for last.
    fn weight(&self) -> u64 {
        0
    }

    /// What all processes have to do before they are where the goal wants them, added up, whether or
    /// not they can do it at the same time. Of the state asked for last.
    fn work(&self) -> i64 {
        0
    }

    /// What the author of the model says of the order: less is tried first. Of the state asked for
    /// last.
    fn rank(&self) -> i64 {
        0
    }
}

/// The estimate that knows nothing: what is spent is spent.
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
