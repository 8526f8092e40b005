//! The monotonicity abstraction: values that were reached stay reached.
//!
//! S. Kupferschmid, J. Hoffmann, H. Dierks, G. Behrmann: *Adapting an AI Planning Heuristic for
//! Directed Model Checking*, SPIN 2006, doi:10.1007/11691617_3.
//!
//! # The layers
//!
//! A state of the abstraction gives each process a set of locations and each cell a set of values.
//! Layer 0 is the state that is estimated. Layer k + 1 is layer k and everything that one step of
//! any action can produce from it:
//! * A condition is split into tests, connected by conjunctions and disjunctions; each test may
//!   hold for values of its own. Conditions on clocks, deadlocks, urgency, committed locations,
//!   priorities and invariants count as true.
//! * An internal edge, and the sender of a broadcast, is enabled when its process can be at its
//!   source and its guard can hold; the other edges also need an edge on the other side of the same
//!   channel in another process for which the same is true.
//! * Updates are grouped so that no group reads or writes a variable that another one writes. A
//!   group is run for all tuples of values of the variables it reads that satisfy those parts of
//!   the guard that contain these variables only; a variable that is read after it was written in
//!   the group has the written value. Variables that another participant of the transition may have
//!   written before have their values in layer k and those already in layer k + 1: groups that read
//!   such variables come last and in the order of execution.
//! * Values outside of declared ranges, and all other run-time errors, produce nothing, but are
//!   recorded.
//!
//! `hl` is the number of the first layer in which the goal can hold. `hu` goes backwards from there
//! and counts the steps that are needed to support it.
//!
//! # Why `hl` is admissible and consistent
//!
//! *One step.* Let a state t follow from s, and let every location and value of s be in layer k.
//! Each guard of the participants holds in s, so each of its conjuncts does, and of each
//! disjunction one part; hence all participants are enabled in layer k: a receiver's partner is the
//! sender, a binary sender's the receiver. A group of updates is run, among others, for the tuple
//! that the transition runs it for: a variable that no other participant wrote before has its value
//! of s, which is in layer k; one that was written before has its value of s or the value that an
//! earlier group wrote, which by induction over the order of execution is in layer k + 1 when the
//! group is run. Parts of the guard that filter tuples hold, since they contain only variables that
//! no other participant writes before. So t is in layer k + 1. Delays change no values.
//!
//! *Admissible.* By induction a goal state that is reachable in n steps is in layer n. The goal,
//! split into tests, can hold there. Sets that are too large to be enumerated count as all values,
//! and tests over them as true, which only enlarges layers.
//!
//! *Consistent.* The step from layer to layer is monotone: more values make no test fail, disable
//! no partner, and remove no tuple, and the closure of a large set is monotone as well. Groups are
//! run in a fixed order. So if t follows from s, then t is in layer 1 of s, and layer k of t is
//! contained in layer k + 1 of s: `hl(s) <= hl(t) + 1`.
//!
//! *Weights.* If transitions have weights, layers are numbered by accumulated weight, and `hl` is
//! the weight of the first layer in which the goal can hold: `layers/weighted.rs` has the proof.
//!
//! *Dead ends.* If a layer adds nothing, no later one does. Every evaluation in a run from s is one
//! with values of the last layer. If none of them fails and the goal cannot hold, the state is a
//! [dead end](Estimate::DeadEnd); if one may fail, the state is expanded [last](Estimate::Last).
//!
//! # Deviations from the paper
//!
//! No shortcut is taken for `v := v + 1`: sets hold single values, so that k increments take k
//! layers, which `hl` counts. Only sets of more than some hundred values become unlimited. Guards
//! filter the inputs of updates. Both make layers smaller, and `hl` larger.

mod clock_classes;
mod compile;
mod extract;
mod hull;
mod invariant;
mod layers;
mod network;
mod sets;
mod usefulness;

use crate::discrete_heuristic::DiscreteHeuristic;
use crate::weights::{Participant, Units, Weights};
use compile::{CompileInput, Guards};
use extract::Extraction;
use layers::{Layers, Reached};
use network::Network;
use std::sync::Arc;
use zonaut_analysis::VariableId;
use zonaut_analysis::runs::{Limits, Runs};
use zonaut_model::{CellId, ChannelId, Formula, Model};
use zonaut_space::{Admissible, Estimate, Meter, StopReason};
use zonaut_strategy::Precision;

/// A model and a goal, prepared for relaxation. It is prepared once and shared by all heuristics
/// that use it.
#[derive(Clone, Debug)]
pub struct Relaxation<'m> {
    model: &'m Model,
    network: Arc<Network>,
    meter: Meter,
}

impl<'m> Relaxation<'m> {
    /// Prepares a model and a goal.
    #[must_use]
    pub fn new(model: &'m Model, goal: &Formula) -> Self {
        Self::metered(model, goal, &Meter::default())
            .expect("invariant: the default meter never stops")
    }

    /// Prepares a model and a goal. The preparation and all heuristics count on `meter`; after it
    /// has stopped, heuristics return no information.
    ///
    /// # Errors
    /// The meter stopped before the model was prepared.
    pub fn metered(model: &'m Model, goal: &Formula, meter: &Meter) -> Result<Self, StopReason> {
        Self::weighted(model, goal, &Units, meter)
    }

    /// Prepares a model and a goal for transitions with weights: `hl` and `hu` are sums of weights.
    ///
    /// # Errors
    /// The meter stopped before the model was prepared.
    pub fn weighted(
        model: &'m Model,
        goal: &Formula,
        weights: &dyn Weights,
        meter: &Meter,
    ) -> Result<Self, StopReason> {
        let (guards, precision) = (Guards::SeenByAll, Precision::default());
        Self::prepare(CompileInput { model, goal, guards, weights, precision }, meter)
    }

    /// Prepares a model and a goal with a more precise abstraction. Heuristics then expect the
    /// classes of clocks behind the values of a state, as described by [`Self::classes`].
    ///
    /// # Errors
    /// The meter stopped before the model was prepared.
    pub fn with_precision(
        model: &'m Model,
        goal: &Formula,
        precision: Precision,
        meter: &Meter,
    ) -> Result<Self, StopReason> {
        let guards = Guards::SeenByAll;
        Self::prepare(CompileInput { model, goal, guards, weights: &Units, precision }, meter)
    }

    /// The classes of clock values that the abstraction distinguishes.
    #[must_use]
    pub fn classes(&self) -> &ClockClasses {
        &self.network.classes
    }

    fn prepare(input: CompileInput<'_, 'm>, meter: &Meter) -> Result<Self, StopReason> {
        let network = compile::compile(input, meter)?;
        Ok(Self { model: input.model, network: Arc::new(network), meter: meter.clone() })
    }

    /// Whether no state of the model can fail at run time, by the declared ranges. Then a state
    /// from which the goal is unreachable is a dead end.
    #[must_use]
    pub fn never_fails(&self) -> bool {
        self.network.is_safe()
    }

    /// The heuristic `hl`.
    #[must_use]
    pub fn lower(&self) -> Lower<'m> {
        let layers = Layers::with_cache(&self.network);
        Lower(Machine { layers, ..Machine::new(self, false) })
    }

    /// The heuristic `hu`.
    #[must_use]
    pub fn upper(&self) -> Upper<'m> {
        Upper { machine: Machine::new(self, true), extraction: Extraction::new(&self.network) }
    }

    /// The size of the prepared model in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.network.bytes()
    }
}

pub use clock_classes::ClockClasses;
pub use invariant::{CartesianInvariant, Invariants};
pub use usefulness::{Compared, Usefulness};

/// A step of a relaxed path to the goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractStep {
    /// The layer that enables it, from 0; steps of one layer are independent.
    pub layer: u32,
    /// The edges that act together; a sender comes before its receiver.
    pub edges: Vec<Participant>,
    /// The channel of the synchronisation.
    pub channel: Option<ChannelId>,
    /// The cells that their guards, channel indices and updates may read, ascending.
    pub reads: Vec<CellId>,
    /// The cells that their updates may write, ascending.
    pub writes: Vec<CellId>,
}

/// The forward pass with its memory.
#[derive(Clone, Debug)]
struct Machine<'m> {
    network: Arc<Network>,
    runs: Runs<'m>,
    layers: Layers,
}

impl<'m> Machine<'m> {
    fn new(relaxation: &Relaxation<'m>, records: bool) -> Self {
        let network = Arc::clone(&relaxation.network);
        let layers = Layers::new(&network, records);
        let runs = Runs::new(relaxation.model, Limits::STATE).metered(&relaxation.meter);
        Self { network, runs, layers }
    }

    fn estimate(&mut self, values: &[i32]) -> Estimate<u32> {
        match self.layers.build(&self.network, &mut self.runs, values) {
            Reached::Goal(layer) => Estimate::Distance(layer + u32::from(faulty!(LayersFromOne))),
            Reached::Unknown => Estimate::Distance(0),
            Reached::Fixpoint { .. } if faulty!(ErrorsForgotten) => Estimate::DeadEnd,
            Reached::Fixpoint { may_fail: true } => Estimate::Last,
            Reached::Fixpoint { may_fail: false } => {
                let fails = self.layers.meets_hazard(&self.network, &mut self.runs);
                if fails { Estimate::Last } else { Estimate::DeadEnd }
            }
        }
    }

    /// Whether the layers are not those of the last state, so that they contain no path.
    fn is_stopped(&self) -> bool {
        self.runs.meter().stopped().is_some()
    }

    fn bytes(&self) -> usize {
        self.network.bytes() + self.layers.bytes()
    }
}

/// `hl`: the number of layers before the goal can hold, or their weight. Admissible and consistent.
#[derive(Clone, Debug)]
pub struct Lower<'m>(Machine<'m>);

impl Admissible for Lower<'_> {}

impl DiscreteHeuristic for Lower<'_> {
    fn estimate(&mut self, values: &[i32]) -> Estimate<u32> {
        self.0.estimate(values)
    }

    fn reads(&self) -> &[VariableId] {
        &self.0.network.reads
    }

    fn name(&self) -> &'static str {
        "hl"
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// `hu`: the number of steps of one relaxed path to the goal, or their weight. Not admissible; its
/// dead ends are those of `hl`.
#[derive(Clone, Debug)]
pub struct Upper<'m> {
    machine: Machine<'m>,
    extraction: Extraction,
}

impl Upper<'_> {
    /// A relaxed path from a state to the goal, in an executable order; `None` if the relaxation
    /// has no path. Its length is the estimate, or less if values of large ranges or updates around
    /// every transition are needed.
    pub fn path(&mut self, values: &[i32]) -> Option<Vec<AbstractStep>> {
        self.has_path(values).then(|| {
            let Machine { network, layers, runs } = &self.machine;
            self.extraction.path(network, layers, runs.model())
        })
    }

    /// The steps of the relaxed path that are required by a guard or by the goal, without those
    /// that are needed only because an assignment reads a variable that they write. In general it
    /// is not a path.
    pub fn direct_path(&mut self, values: &[i32]) -> Option<Vec<AbstractStep>> {
        self.has_path(values).then(|| {
            let Machine { network, layers, runs } = &self.machine;
            self.extraction.direct_path(network, layers, runs.model())
        })
    }

    fn has_path(&mut self, values: &[i32]) -> bool {
        let estimate = self.machine.estimate(values);
        matches!(estimate, Estimate::Distance(_)) && !self.machine.is_stopped()
    }
}

impl DiscreteHeuristic for Upper<'_> {
    fn estimate(&mut self, values: &[i32]) -> Estimate<u32> {
        match self.machine.estimate(values) {
            Estimate::Distance(least) if !self.machine.is_stopped() => {
                let Machine { network, layers, .. } = &self.machine;
                Estimate::Distance(self.extraction.length(network, layers, least))
            }
            other => other,
        }
    }

    fn reads(&self) -> &[VariableId] {
        &self.machine.network.reads
    }

    fn name(&self) -> &'static str {
        "hu"
    }

    fn bytes(&self) -> usize {
        self.machine.bytes() + self.extraction.bytes()
    }
}
