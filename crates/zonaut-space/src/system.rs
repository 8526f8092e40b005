//! State spaces and goals.

use std::fmt::Debug;
use std::ops::ControlFlow;
use zonaut_base::StopReason;

/// A transition system given by its initial states and its successor relation.
///
/// Laws:
/// - Initial states and successors come in a fixed order: the same state gives the same steps with
///   the same targets in every call, regardless of earlier uses of the scratch.
/// - The steps that leave one state are pairwise different, so that a run can be replayed from its
///   list of steps alone.
/// - A visitor that breaks is not called again, and the break is returned.
pub trait TransitionSystem {
    /// An owned state; searches reuse it as a buffer.
    type State: Clone;
    /// The label of an edge: an id, never a string.
    type Step: Copy + Eq + Debug;
    /// A run-time error of a step.
    type Error;
    /// The working memory of one worker.
    type Scratch;

    /// Fresh working memory.
    fn scratch(&self) -> Self::Scratch;

    /// Visits the initial states, or the error that computing one raised.
    ///
    /// The visitor may overwrite the state it is given.
    fn for_each_initial(
        &self,
        scratch: &mut Self::Scratch,
        visit: impl FnMut(Result<&mut Self::State, Self::Error>) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Visits the target of every step that leaves `state`. Called once for each expanded node.
    ///
    /// The visitor may overwrite the state it is given.
    fn for_each_successor(
        &self,
        state: &Self::State,
        scratch: &mut Self::Scratch,
        visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// The reason to stop the search, if `error` reports an aborted step rather than a run-time
    /// error of the model.
    fn stopped_by(error: &Self::Error) -> Option<StopReason> {
        let _ = error;
        None
    }
}

/// The result of a step.
pub enum Successor<'s, Ts: TransitionSystem + ?Sized> {
    /// The step leads to a state.
    State(Ts::Step, &'s mut Ts::State),
    /// The step is enabled, and taking it raises an error.
    Error(Ts::Step, Ts::Error),
}

/// The set of states that a search looks for. Evaluated once for each inserted node.
///
/// Law: it is compatible with the covering of the store: if it holds in a state, it holds in every
/// state that covers it.
pub trait Goal<Ts: TransitionSystem + ?Sized> {
    /// Whether the goal holds in some valuation of `state`, or the error of its evaluation.
    fn holds_in(&mut self, state: &Ts::State) -> Result<bool, Ts::Error>;
}

/// The empty goal: no state satisfies it, so everything is explored.
#[derive(Clone, Copy, Default, Debug)]
pub struct EmptyGoal;

impl<Ts: TransitionSystem + ?Sized> Goal<Ts> for EmptyGoal {
    fn holds_in(&mut self, _state: &Ts::State) -> Result<bool, Ts::Error> {
        Ok(false)
    }
}

/// The goal given by a predicate on states.
#[derive(Clone, Copy, Debug)]
pub struct PredicateGoal<F>(pub F);

impl<Ts: TransitionSystem + ?Sized, F: FnMut(&Ts::State) -> bool> Goal<Ts> for PredicateGoal<F> {
    fn holds_in(&mut self, state: &Ts::State) -> Result<bool, Ts::Error> {
        Ok((self.0)(state))
    }
}

impl<Ts: TransitionSystem + ?Sized, G: Goal<Ts> + ?Sized> Goal<Ts> for &mut G {
    fn holds_in(&mut self, state: &Ts::State) -> Result<bool, Ts::Error> {
        (**self).holds_in(state)
    }
}

impl<Ts: TransitionSystem + ?Sized, G: Goal<Ts> + ?Sized> Goal<Ts> for Box<G> {
    fn holds_in(&mut self, state: &Ts::State) -> Result<bool, Ts::Error> {
        (**self).holds_in(state)
    }
}
