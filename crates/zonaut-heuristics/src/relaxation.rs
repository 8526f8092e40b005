//! The monotonicity abstraction: what was reached stays reached.
//!
//! S. Kupferschmid, J. Hoffmann, H. Dierks, G. Behrmann: *Adapting an AI Planning Heuristic for
//! Directed Model Checking*, SPIN 2006, doi:10.1007/11691617_3.
//!
//! # The layers
//!
//! A state of the abstraction gives each process a set of locations and each cell a set of values.
//! Layer 0 is the state asked about. Layer k + 1 is layer k and everything that one step of any
//! action can produce from it:
//! * A condition is cut into tests, connected by conjunctions and disjunctions; each test may hold
//!   for values of its own. What is said of clocks, of deadlocks, of urgency, committed locations,
//!   priorities and invariants counts as true.
//! * An internal edge, and the sender of a broadcast, can be taken when its process can be at its
//!   source and its guard can hold; the other edges also need an edge on the other side of the same
//!   channel in another process for which the same is true.
//! * Updates are grouped so that no group reads or writes what another one writes. A group is run
//!   for all tuples of values of the variables it reads that satisfy those parts of the guard that
//!   speak of these variables alone; what is read after it was written in the group is what was
//!   written. Variables that another participant of the transition may have written before are
//!   taken from layer k and from what is already in layer k + 1: groups that read such variables
//!   come last and in the order of execution.
//! * Values outside of declared ranges, and all other run-time errors, produce nothing, but are
//!   remembered.
//!
//! `hl` is the number of the first layer in which the goal can hold. `hu` goes back from there and
//! counts the steps that are needed to support it.
//!
//! # Why `hl` is admissible and consistent
//!
//! *One step.* Let a state t follow from s, and let every location and value of s be in layer k.
//! Each guard of the participants holds in s, so each of its conjuncts does, and of each
//! disjunction one part; hence all participants can be taken in layer k: a receiver's partner is
//! the sender, a binary sender's the receiver. A group of updates is run, among others, for the
//! tuple that the transition runs it for: a variable that no other participant wrote before has its
//! value of s, which is in layer k; one that was written before has its value of s or what an
//! earlier group wrote, which by induction over the order of execution is in layer k + 1 when the
//! group is run. Parts of the guard that filter tuples hold, since they speak only of variables
//! that no other participant writes before. So t is in layer k + 1. Delays change no values.
//!
//! *Admissible.* By induction a goal state that n steps lead to is in layer n. The goal, cut into
//! tests, can hold there. What is too large to be gone through counts as true, or as everything,
//! which only adds to layers.
//!
//! *Consistent.* The step from layer to layer is monotone: more values make no test fail, forbid no
//! partner, and take away no tuple, and the closure of a large set is monotone as well. Groups are
//! run in a fixed order. So if t follows from s, then t is in layer 1 of s, and layer k of t is
//! contained in layer k + 1 of s: `hl(s) <= hl(t) + 1`.
//!
//! *Weights.* Where transitions do not count one each, layers are numbered by what they count, and
//! `hl` is the count of the first layer in which the goal can hold: `layers/weighted.rs` has the
//! proof.
//!
//! *Dead ends.* Where a layer adds nothing, no later one does. Every evaluation that a run from s
//! can make is one with values of the last layer. If none of them fails and the goal cannot hold,
//! the state is a [dead end](Estimate::DeadEnd) for good; if one may fail, it has to
//! [wait](Estimate::Last).
//!
//! # Where it differs from the paper
//!
//! No shortcut is taken for `v := v + 1`: sets hold single values, so that k increments take k
//! layers and `hl` sees it. Only sets of more than some hundred values become unlimited. Guards
//! filter the values that updates work on. Both make layers smaller, and `hl` larger.

mod clock_classes;
mod compile;
mod extract;
mod hull;
mod invariant;
mod layers;
mod network;
mod sets;
mod usefulness;

use crate::guide::Guide;
use crate::weights::{Participant, Units, Weights};
use compile::{Commission, Guards};
use extract::Extraction;
use layers::{Layers, Reached};
use network::Network;
use std::sync::Arc;
use zonaut_analysis::VariableId;
use zonaut_analysis::runs::{Limits, Runs};
use zonaut_model::{CellId, ChannelId, Formula, Model};
use zonaut_space::{Admissible, Estimate, Meter, StopReason};

/// A model and a goal, prepared for being relaxed. It is prepared once, and used by as many guides
/// as there are.
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

    /// The same; preparing and all guides count on `meter`. Once it stops, guides know nothing.
    ///
    /// # Errors
    /// Where the meter stops before the model is prepared.
    pub fn metered(model: &'m Model, goal: &Formula, meter: &Meter) -> Result<Self, StopReason> {
        Self::weighted(model, goal, &Units, meter)
    }

    /// The same where transitions count as `weights` say: `hl` and `hu` are sums of weights.
    ///
    /// # Errors
    /// Where the meter stops before the model is prepared.
    pub fn weighted(
        model: &'m Model,
        goal: &Formula,
        weights: &dyn Weights,
        meter: &Meter,
    ) -> Result<Self, StopReason> {
        let (guards, sight) = (Guards::SeenByAll, Sight::default());
        Self::prepare(Commission { model, goal, guards, weights, sight }, meter)
    }

    /// The same where more is told apart. Guides want the classes of clocks behind the values of a
    /// state then, as [`Self::classes`] says.
    ///
    /// # Errors
    /// Where the meter stops before the model is prepared.
    pub fn seeing(
        model: &'m Model,
        goal: &Formula,
        sight: Sight,
        meter: &Meter,
    ) -> Result<Self, StopReason> {
        let guards = Guards::SeenByAll;
        Self::prepare(Commission { model, goal, guards, weights: &Units, sight }, meter)
    }

    /// What is told apart of clocks.
    #[must_use]
    pub fn classes(&self) -> &ClockClasses {
        &self.network.classes
    }

    fn prepare(order: Commission<'_, 'm>, meter: &Meter) -> Result<Self, StopReason> {
        let network = compile::compile(order, meter)?;
        Ok(Self { model: order.model, network: Arc::new(network), meter: meter.clone() })
    }

    /// Whether no state of the model can fail at run time, as far as declared ranges tell. Then a
    /// state from which the goal cannot be reached is a dead end.
    #[must_use]
    pub fn never_fails(&self) -> bool {
        self.network.is_safe()
    }

    /// The guide `hl`.
    #[must_use]
    pub fn lower(&self) -> Lower<'m> {
        let layers = Layers::remembering(&self.network);
        Lower(Machine { layers, ..Machine::new(self, false) })
    }

    /// The guide `hu`.
    #[must_use]
    pub fn upper(&self) -> Upper<'m> {
        Upper { machine: Machine::new(self, true), extraction: Extraction::new(&self.network) }
    }

    /// The bytes of the prepared model.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.network.bytes()
    }
}

pub use clock_classes::ClockClasses;
pub use compile::Sight;
pub use invariant::{CartesianInvariant, Invariants};
pub use usefulness::{Compared, Usefulness};

/// A step of a way to the goal in the abstraction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbstractStep {
    /// The layer that enables it, from 0; steps of one layer need nothing of each other.
    pub layer: u32,
    /// The edges that act together; a sender comes before its receiver.
    pub edges: Vec<Participant>,
    /// What they synchronise on.
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

    /// Whether the layers are not those of the last state, so that no way can be read from them.
    fn is_stopped(&self) -> bool {
        self.runs.meter().stopped().is_some()
    }

    fn bytes(&self) -> usize {
        self.network.bytes() + self.layers.bytes()
    }
}

/// `hl`: the number of layers before the goal can hold, or what they count. Admissible and consistent.
#[derive(Clone, Debug)]
pub struct Lower<'m>(Machine<'m>);

impl Admissible for Lower<'_> {}

impl Guide for Lower<'_> {
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

/// `hu`: the number of steps of one way to the goal in the abstraction, or what they count. Not admissible; its dead
/// ends are those of `hl`.
#[derive(Clone, Debug)]
pub struct Upper<'m> {
    machine: Machine<'m>,
    extraction: Extraction,
}

impl Upper<'_> {
    /// A way from a state to the goal in the abstraction, in an order in which it can be taken;
    /// absent where there is none. It has as many steps as the estimate says, or fewer where values
    /// of large ranges or updates around every transition are needed.
    pub fn path(&mut self, values: &[i32]) -> Option<Vec<AbstractStep>> {
        self.has_way(values).then(|| {
            let Machine { network, layers, runs } = &self.machine;
            self.extraction.path(network, layers, runs.model())
        })
    }

    /// The steps of that way that some guard or the goal asks for: those are left out that are needed
    /// only because an assignment reads what they write. In general it is no way.
    pub fn direct_path(&mut self, values: &[i32]) -> Option<Vec<AbstractStep>> {
        self.has_way(values).then(|| {
            let Machine { network, layers, runs } = &self.machine;
            self.extraction.direct_path(network, layers, runs.model())
        })
    }

    fn has_way(&mut self, values: &[i32]) -> bool {
        let estimate = self.machine.estimate(values);
        matches!(estimate, Estimate::Distance(_)) && !self.machine.is_stopped()
    }
}

impl Guide for Upper<'_> {
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
