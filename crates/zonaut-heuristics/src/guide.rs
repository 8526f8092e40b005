//! Guides: estimates from the discrete part of a state.

use zonaut_analysis::VariableId;
use zonaut_base::Id;
use zonaut_space::{Admissible, Arrival, CacheableHeuristic, DiscretePart, Estimate, Heuristic};

/// A guide that looks at the discrete part of a state alone: the location of every process, then
/// the content of every cell. Guides that look at zones or steps are [`Heuristic`]s themselves.
///
/// Law: the same question gives the same answer. [`Estimate::DeadEnd`] is said only of states from
/// which neither a goal nor a run-time error can be reached. A guide that is also
/// [`Admissible`] is never above the number of steps to the nearest goal state, or what they count,
/// and says [`Estimate::Last`] only of states from which no goal can be reached.
pub trait Guide {
    /// How far the goal seems to be.
    fn estimate(&mut self, values: &[i32]) -> Estimate<u32>;

    /// The variables that estimates depend on, ascending: states that agree on them have equal
    /// estimates.
    fn reads(&self) -> &[VariableId];

    /// The name that strategies use.
    fn name(&self) -> &'static str;

    /// The bytes that it keeps.
    fn bytes(&self) -> usize {
        0
    }
}

/// A guide for states of which it sees the discrete part.
#[derive(Clone, Debug)]
pub struct Discrete<G>(pub G);

impl<G: Admissible> Admissible for Discrete<G> {}

impl<S: DiscretePart, Step, G: Guide> Heuristic<S, Step> for Discrete<G> {
    fn estimate(&mut self, state: &S, _arrival: Option<Arrival<'_, S, Step>>) -> Estimate<u32> {
        self.0.estimate(state.values())
    }

    fn name(&self) -> &'static str {
        self.0.name()
    }
}

impl<S: DiscretePart, Step, G: Guide> CacheableHeuristic<S, Step> for Discrete<G> {
    fn read(&self, state: &S, _arrival: Option<Arrival<'_, S, Step>>, into: &mut Vec<i32>) {
        let (values, reads) = (state.values(), self.0.reads());
        into.clear();
        if reads.len() == values.len() {
            into.extend_from_slice(values);
        } else {
            into.extend(reads.iter().map(|variable| values[variable.index()]));
        }
    }
}
