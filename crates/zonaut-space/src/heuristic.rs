//! Heuristics: estimates of the remaining distance to a goal.

/// The value of a heuristic for a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Estimate<V> {
    /// The estimated distance to the nearest goal.
    Distance(V),
    /// Neither a goal nor a run-time error is reachable: the state may be dropped.
    DeadEnd,
    /// No goal seems reachable, but a run-time error may be, or the heuristic is not certain: the
    /// state is expanded after all others.
    Last,
}

/// The transition by which a state was reached.
#[derive(Debug)]
pub struct Arrival<'a, S, Step> {
    /// The state before the step.
    pub parent: &'a S,
    /// The step just taken.
    pub step: Step,
}

impl<S, Step: Copy> Clone for Arrival<'_, S, Step> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, Step: Copy> Copy for Arrival<'_, S, Step> {}

/// A heuristic. Evaluated once for each inserted node that is not a goal; never for covered states.
///
/// Laws:
/// - It is deterministic: equal arguments give equal estimates.
/// - A state reported as [`Estimate::DeadEnd`] is one: neither a goal nor an error is reachable.
///
/// A heuristic belongs to one worker at a time: it owns its working memory, and may move to another
/// thread between two evaluations.
pub trait Heuristic<S, Step, V = u32>: Send {
    /// The estimate of `state`; `arrival` is absent for initial states.
    fn estimate(&mut self, state: &S, arrival: Option<Arrival<'_, S, Step>>) -> Estimate<V>;

    /// The name used in strategies.
    fn name(&self) -> &'static str;
}

/// A heuristic that exposes the values its estimates depend on, so that estimates can be cached.
///
/// Laws:
/// - Equal keys have equal estimates.
/// - All keys of one heuristic have the same length.
pub trait CacheableHeuristic<S, Step, V = u32>: Heuristic<S, Step, V> {
    /// Writes the values that the estimate of `state` depends on over `into`.
    fn read(&mut self, state: &S, arrival: Option<Arrival<'_, S, Step>>, into: &mut Vec<i32>);
}

/// States with a discrete part, for heuristics that depend on it alone.
pub trait DiscretePart {
    /// The location of every process, then the content of every cell.
    fn values(&self) -> &[i32];
}

/// Marks admissible heuristics.
///
/// Law: an estimate never exceeds the true remaining distance or cost, and no goal is reachable
/// from a state with the estimate [`Estimate::Last`].
pub trait Admissible {}

/// An admissible heuristic, as searches for shortest paths require; implemented for all types that
/// are both.
pub trait AdmissibleHeuristic<S, Step, V = u32>: Heuristic<S, Step, V> + Admissible {}

impl<S, Step, V, H: Heuristic<S, Step, V> + Admissible + ?Sized> AdmissibleHeuristic<S, Step, V>
    for H
{
}

impl<H: Admissible + ?Sized> Admissible for Box<H> {}
impl<H: Admissible + ?Sized> Admissible for &mut H {}

impl<S, Step, V, H: Heuristic<S, Step, V> + ?Sized> Heuristic<S, Step, V> for Box<H> {
    fn estimate(&mut self, state: &S, arrival: Option<Arrival<'_, S, Step>>) -> Estimate<V> {
        (**self).estimate(state, arrival)
    }
    fn name(&self) -> &'static str {
        (**self).name()
    }
}

impl<S, Step, V, H: Heuristic<S, Step, V> + ?Sized> Heuristic<S, Step, V> for &mut H {
    fn estimate(&mut self, state: &S, arrival: Option<Arrival<'_, S, Step>>) -> Estimate<V> {
        (**self).estimate(state, arrival)
    }
    fn name(&self) -> &'static str {
        (**self).name()
    }
}
