//! Guides: estimates of the way that remains.

/// What a heuristic says of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Estimate<V> {
    /// The goal is about this far away.
    Distance(V),
    /// No goal can be reached from here, and nothing goes wrong on the way: the state may be dropped.
    DeadEnd,
    /// A goal seems out of reach, but a step may go wrong, or the guide is not sure: the state
    /// waits until nothing else is left.
    Last,
}

/// How a state was reached.
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

/// A guide. Asked once for each inserted node that is not a goal; covered states never pay for it.
///
/// Laws:
/// - The same question gives the same answer.
/// - A state reported as [`Estimate::DeadEnd`] is one: neither a goal nor an error can be reached.
pub trait Heuristic<S, Step, V = u32> {
    /// How far the goal seems to be from `state`; `arrival` is absent for initial states.
    fn estimate(&mut self, state: &S, arrival: Option<Arrival<'_, S, Step>>) -> Estimate<V>;

    /// The name that strategies use.
    fn name(&self) -> &'static str;
}

/// A guide that knows what its estimates depend on, so that they can be remembered.
///
/// Laws:
/// - Equal readings have equal estimates.
/// - All readings of one guide have equally many numbers.
pub trait CacheableHeuristic<S, Step, V = u32>: Heuristic<S, Step, V> {
    /// Writes over `into` what the estimate of `state` depends on.
    fn read(&self, state: &S, arrival: Option<Arrival<'_, S, Step>>, into: &mut Vec<i32>);
}

/// States with a discrete part, for guides that look at nothing else.
pub trait DiscretePart {
    /// The location of every process, then the content of every cell.
    fn values(&self) -> &[i32];
}

/// Marks guides that never mislead.
///
/// Law: an estimate is never above the true remaining distance or cost, and a state that is to come
/// last has no goal before it.
pub trait Admissible {}

/// A guide that keeps the guarantee of a shortest path; implemented for all that are both.
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
