//! Cartesian invariants around dead ends: products of value sets that no transition leaves.
//!
//! If the layers reach a fixpoint without the goal and without a failure, the last one is a
//! cartesian invariant: every value that a step can produce from values in the sets is in them. A
//! checker that knows nothing of layers can verify this edge by edge, and then every state inside
//! is a dead end. The relaxation used for it is coarser than that of the heuristics in one point,
//! so that the check stays simple: only the updates that come first in a transition rely on the
//! guard of their edge.

use super::compile::{CompileInput, Guards};
use super::layers::Layers;
use super::network::Network;
use super::{Machine, Relaxation};
use crate::weights::Units;
use std::collections::BTreeSet;
use zonaut_analysis::VariableId;
use zonaut_base::Id;
use zonaut_model::{Formula, Model};
use zonaut_space::{Estimate, Meter, StopReason};
use zonaut_strategy::Precision;

/// Approximate maximum number of evaluations that the check of an invariant may need.
const EVALUATIONS: u64 = 1 << 18;

/// A set of values for each variable of a discrete state: the locations of every process, followed
/// by the contents of every cell.
///
/// Law: the goal holds in no state inside, no evaluation fails in any of them at run time, and no
/// transition leads out of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CartesianInvariant {
    sets: Vec<Vec<(i32, i32)>>,
}

impl CartesianInvariant {
    /// By variable, the values as disjoint ranges from the first to the last value, ascending.
    #[must_use]
    pub fn sets(&self) -> &[Vec<(i32, i32)>] {
        &self.sets
    }

    /// Whether a state is inside.
    #[must_use]
    pub fn contains(&self, values: &[i32]) -> bool {
        let is_in = |value: i32| move |&(low, high): &(i32, i32)| low <= value && value <= high;
        self.sets.iter().zip(values).all(|(set, &value)| set.iter().any(is_in(value)))
    }
}

/// The computation of invariants around dead ends.
#[derive(Clone, Debug)]
pub struct Invariants<'m>(Machine<'m>);

impl<'m> Invariants<'m> {
    /// Prepares a model and a goal.
    #[must_use]
    pub fn new(model: &'m Model, goal: &Formula) -> Self {
        Self::metered(model, goal, &Meter::default())
            .expect("invariant: the default meter never stops")
    }

    /// Prepares a model and a goal, with a meter.
    ///
    /// # Errors
    /// The meter stopped before the model was prepared.
    pub fn metered(model: &'m Model, goal: &Formula, meter: &Meter) -> Result<Self, StopReason> {
        let guards = Guards::SeenByFirst;
        let relaxation = Relaxation::prepare(
            CompileInput { model, goal, guards, weights: &Units, precision: Precision::default() },
            meter,
        )?;
        Ok(Self(Machine::new(&relaxation, false)))
    }

    /// A cartesian invariant around a state; `None` if the goal or a failure is reachable in the
    /// relaxation, or if the sets are so large that a check would take long.
    pub fn around(&mut self, values: &[i32]) -> Option<CartesianInvariant> {
        let Machine { network, layers, .. } = match self.0.estimate(values) {
            Estimate::DeadEnd => &self.0,
            Estimate::Distance(_) | Estimate::Last => return None,
        };
        if !layers.is_exact() || evaluations(network, layers) > EVALUATIONS {
            return None;
        }
        let variables = (0..network.facts.variables.len()).map(VariableId::from_index);
        let sets = variables.map(|variable| layers.sets.ranges(variable)).collect();
        Some(CartesianInvariant { sets })
    }
}

/// The number of tuples of values that are inputs of the updates of all actions together, each
/// action as a whole.
fn evaluations(network: &Network, layers: &Layers) -> u64 {
    let tuples = |action: usize| {
        let effects = network.actions[action].effects.clone();
        let inputs = effects.flat_map(|effect| &network.effects[effect as usize].inputs);
        let variables: BTreeSet<VariableId> = inputs.map(|input| input.variable).collect();
        let counts = variables.into_iter().map(|v| u64::from(layers.sets.count(v, true)));
        counts.fold(1, u64::saturating_mul)
    };
    (0..network.actions.len()).map(tuples).fold(0, u64::saturating_add)
}
