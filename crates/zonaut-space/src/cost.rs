//! What ways cost.

use std::fmt::Debug;

use crate::TransitionSystem;

/// What is added up along a way: its number of steps, or its price.
///
/// Laws:
/// - [`ZERO`](Self::ZERO) is the least cost, and neutral for [`plus`](Self::plus).
/// - Adding is associative and monotone, so a sum is never below its parts.
pub trait Cost: Copy + Ord + Debug {
    /// What nothing costs.
    const ZERO: Self;

    /// The sum; beyond the greatest cost it is that.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// About how much it is, for progress.
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

/// What the states and steps of a system cost.
///
/// Law: ways do not become cheaper: what a state costs is never below what its parent does.
pub trait Pricing<Ts: TransitionSystem + ?Sized> {
    /// How costs are counted.
    type Cost: Cost;

    /// Whether states contain their costs, so that covering compares them without being told.
    fn is_in_states(&self) -> bool {
        false
    }

    /// What it costs to be in an initial state.
    fn of_initial(&self, state: &Ts::State) -> Self::Cost;

    /// What it costs to be in `state`, which costs `cost`, where the goal holds in it: no less.
    ///
    /// # Errors
    /// Where the goal cannot be evaluated.
    fn at_goal(&mut self, cost: Self::Cost, state: &Ts::State) -> Result<Self::Cost, Ts::Error> {
        let _ = state;
        Ok(cost)
    }

    /// What it costs to be in `state`, after `step` from a state that costs `before`.
    fn after(&self, before: Self::Cost, step: Ts::Step, state: &Ts::State) -> Self::Cost;
}

/// Every step costs one: the cost of a state is its depth.
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
