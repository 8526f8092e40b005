//! Heuristics that depend on the discrete part of a state only.

use zonaut_analysis::VariableId;
use zonaut_base::Id;
use zonaut_space::{Admissible, Arrival, CacheableHeuristic, DiscretePart, Estimate, Heuristic};

/// A heuristic that depends on the discrete part of a state only: the location of every process,
/// followed by the value of every cell. Heuristics that also depend on zones or steps implement
/// [`Heuristic`] themselves.
///
/// Law: equal arguments give equal estimates. [`Estimate::DeadEnd`] is returned only for states
/// from which neither a goal nor a run-time error is reachable. A heuristic that is also
/// [`Admissible`] is never above the number of steps to the nearest goal state, or their weight,
/// and returns [`Estimate::Last`] only for states from which no goal is reachable.
pub trait DiscreteHeuristic: Send {
    /// The estimated distance to the goal.
    fn estimate(&mut self, values: &[i32]) -> Estimate<u32>;

    /// The variables that estimates depend on, ascending: states that agree on them have equal
    /// estimates.
    fn reads(&self) -> &[VariableId];

    /// The name in strategy expressions.
    fn name(&self) -> &'static str;

    /// The memory of the heuristic in bytes.
    fn bytes(&self) -> usize {
        0
    }
}

/// The adapter that turns a heuristic on discrete parts into a [`Heuristic`] on states.
#[derive(Clone, Debug)]
pub struct Discrete<G>(pub G);

impl<G: Admissible> Admissible for Discrete<G> {}

impl<S: DiscretePart, Step, G: DiscreteHeuristic> Heuristic<S, Step> for Discrete<G> {
    fn estimate(&mut self, state: &S, _arrival: Option<Arrival<'_, S, Step>>) -> Estimate<u32> {
        self.0.estimate(state.values())
    }

    fn name(&self) -> &'static str {
        self.0.name()
    }
}

impl<S: DiscretePart, Step, G: DiscreteHeuristic> CacheableHeuristic<S, Step> for Discrete<G> {
    fn read(&mut self, state: &S, _arrival: Option<Arrival<'_, S, Step>>, into: &mut Vec<i32>) {
        let (values, reads) = (state.values(), self.0.reads());
        into.clear();
        if reads.len() == values.len() {
            into.extend_from_slice(values);
        } else {
            into.extend(reads.iter().map(|variable| values[variable.index()]));
        }
    }
}
