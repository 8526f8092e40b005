//! Costs of paths.

use std::fmt::Debug;

use crate::TransitionSystem;

/// A cost that accumulates along a path: the number of its steps, or its price.
///
/// Laws:
/// - [`ZERO`](Self::ZERO) is the least cost, and neutral for [`plus`](Self::plus).
/// - Addition is associative and monotone, so a sum is never below its parts.
pub trait Cost: Copy + Ord + Debug + Send {
    /// The cost of the empty path.
    const ZERO: Self;

    /// The sum, saturating at the greatest cost.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// An approximation of the cost, for progress reports.
    fn about(self) -> u32;
}

/// Numbers of steps.
impl Cost for u32 {
    const ZERO: Self = 0;

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }

    #[inline]
    fn about(self) -> u32 {
        self
    }
}

/// Prices in whole units.
impl Cost for u64 {
    const ZERO: Self = 0;

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }

    fn about(self) -> u32 {
        u32::try_from(self).unwrap_or(u32::MAX)
    }
}

/// The cost model of a transition system.
///
/// Law: costs are monotone along paths: the cost of a state is never below that of its parent.
pub trait Pricing<Ts: TransitionSystem + ?Sized> {
    /// The type of costs.
    type Cost: Cost;

    /// Whether states contain their costs, so that covering compares them by itself.
    fn is_in_states(&self) -> bool {
        false
    }

    /// The cost of an initial state.
    fn of_initial(&self, state: &Ts::State) -> Self::Cost;

    /// The cost of `state` with the goal reached in it, given that it was reached at `cost`; at
    /// least `cost`.
    ///
    /// # Errors
    /// If the goal cannot be evaluated.
    fn at_goal(&mut self, cost: Self::Cost, state: &Ts::State) -> Result<Self::Cost, Ts::Error> {
        let _ = state;
        Ok(cost)
    }

    /// The cost of `state`, reached by `step` from a state of cost `before`.
    fn after(&self, before: Self::Cost, step: Ts::Step, state: &Ts::State) -> Self::Cost;
}

/// Unit cost per step: the cost of a state is its depth.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Steps;

impl<Ts: TransitionSystem + ?Sized> Pricing<Ts> for Steps {
    type Cost = u32;

    #[inline]
    fn of_initial(&self, _state: &Ts::State) -> u32 {
        0
    }

    #[inline]
    fn after(&self, before: u32, _step: Ts::Step, _state: &Ts::State) -> u32 {
        before.plus(1)
    }
}
