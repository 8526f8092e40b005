//! The zone graph as a transition system.

use crate::abstraction::{Abstraction, Differences, Widening};
use crate::active_clocks::ActiveClocks;
use crate::constraints::ZoneConstraint;
use crate::state::SymbolicState;
use crate::successors::Scratch;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use zonaut_base::Meter;
use zonaut_compile::{ActionId, BoundsTable, ClockRow, CompiledNetwork, Step};
use zonaut_dbm::{Bound, Narrow, Wide, Width};
use zonaut_model::interpret::{ClockEffect, ErrorKind, RunTimeError};
use zonaut_space::{StopReason, Successor, TransitionSystem};

/// An error of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepError {
    /// The model fails at run time.
    RunTime(RunTimeError),
    /// Clock values leave the range in which zones are exact.
    ClockRange,
    /// The initial state violates an invariant.
    InitialInvariant,
    /// The search was stopped; the model is not at fault.
    Stopped(StopReason),
}

impl From<RunTimeError> for StepError {
    fn from(error: RunTimeError) -> Self {
        match error.kind {
            ErrorKind::Stopped(why) => Self::Stopped(why),
            _ => Self::RunTime(error),
        }
    }
}

/// The full description of a transition to a successor.
#[derive(Clone, Debug, Default)]
pub struct Transition<W: Width = Narrow> {
    /// The actions taken, the sender's first, receivers in system order. Empty for an initial
    /// state.
    pub participants: Vec<ActionId>,
    /// Constraints on the valuation before: guards, and negated guards of receivers that do not
    /// take part.
    pub before: Vec<ZoneConstraint<W>>,
    /// The clock effects, in order.
    pub effects: Vec<ClockEffect>,
    /// Constraints on the valuation after the updates: invariants, and the part of a split zone.
    pub arrival: Vec<ZoneConstraint<W>>,
    /// Whether time may pass before the next transition.
    pub delayed: bool,
    /// The rows of the clocks that are stopped then, ascending.
    pub stopped: Vec<ClockRow>,
    /// Constraints on the valuation after the delay, if they differ from those before it; see
    /// [`Transition::departure`].
    pub leaving: Option<Vec<ZoneConstraint<W>>>,
    /// Whether clocks determine when an urgent synchronisation ends the delay. Then the constraints
    /// describe one part of the successor, and depend on the zone before.
    pub is_until_urgent: bool,
}

impl<W: Width> Transition<W> {
    /// Constraints on the valuation after the delay.
    #[must_use]
    pub fn departure(&self) -> &[ZoneConstraint<W>] {
        self.leaving.as_deref().unwrap_or(&self.arrival)
    }

    /// Resets everything but these participants.
    pub(crate) fn restart(&mut self, participants: &[ActionId]) {
        self.participants.clear();
        // Copying a slice of unknown length is slower than copying the one or two participants of
        // most transitions.
        match *participants {
            [action] => self.participants.push(action),
            [sender, receiver] => self.participants.extend([sender, receiver]),
            _ => self.participants.extend_from_slice(participants),
        }
        self.before.clear();
        self.forget_outcome();
    }

    /// Resets the description of the target.
    pub(crate) fn forget_outcome(&mut self) {
        self.effects.clear();
        self.arrival.clear();
        self.leaving = None;
        self.stopped.clear();
        self.delayed = false;
        self.is_until_urgent = false;
    }
}

/// The zone graph of a network.
#[derive(Clone, Debug)]
pub struct ZoneGraph<'n, W: Width = Narrow> {
    pub(crate) network: &'n CompiledNetwork,
    pub(crate) bounds: &'n BoundsTable,
    meter: Meter,
    abstraction: Abstraction,
    differences: Differences,
    /// Whether bounds of zones can become too large to be exact.
    pub(crate) may_leave_range: bool,
    /// Whether extrapolation prevents that.
    pub(crate) keeps_range: bool,
    width: PhantomData<W>,
}

/// The reason for which a zone graph would be unsound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsound {
    /// The abstraction does not respect the clock differences of model and goal.
    Differences,
    /// Some constant is too large for bounds of this width.
    Constants,
}

impl<'n, W: Width> ZoneGraph<'n, W> {
    /// The zone graph of `network` under `abstraction`; all work on it counts on `meter`.
    ///
    /// # Errors
    /// If clock differences make the abstraction unsound: then only exact zones, or maximal
    /// constants with zones split on the differences, are sound. If a constant of model or goal is
    /// outside the range of bounds of this width.
    pub fn new(
        network: &'n CompiledNetwork,
        bounds: &'n BoundsTable,
        abstraction: Abstraction,
        meter: &Meter,
    ) -> Result<Self, Unsound> {
        let differences = Differences::of(bounds);
        if !abstraction.respects(differences) {
            return Err(Unsound::Differences);
        }
        if bounds.greatest_constant() > Bound::<W>::MAX_CONSTANT {
            return Err(Unsound::Constants);
        }
        let keeps_range = differences == Differences::Absent && Self::keeps_range(network, bounds);
        Ok(Self {
            network,
            bounds,
            meter: meter.clone(),
            abstraction,
            differences,
            may_leave_range: !abstraction.properties().leaves_constants_only || !keeps_range,
            keeps_range,
            width: PhantomData,
        })
    }

    /// Whether zones of this width whose bounds are constants of model and goal always stay exact.
    #[must_use]
    pub fn keeps_range(network: &CompiledNetwork, bounds: &BoundsTable) -> bool {
        let rows = network.clock_count() + 1;
        // Subtracted zones have bounds that are sums along paths.
        let longest = if bounds.subtracts_zones() { rows * rows } else { rows };
        bounds.greatest() <= Bound::<W>::max_extrapolated_constant(longest)
    }

    /// Whether zones may be split on clock differences.
    #[must_use]
    pub fn splits_zones(&self) -> bool {
        Widening::new(self.abstraction, self.bounds).may_split()
    }

    /// The same graph without abstraction. Its bounds grow with the length of runs, so they are
    /// wide.
    pub fn with_exact_zones(&self) -> ZoneGraph<'n, Wide> {
        ZoneGraph {
            network: self.network,
            bounds: self.bounds,
            meter: self.meter.clone(),
            abstraction: Abstraction::Exact,
            differences: self.differences,
            may_leave_range: true,
            keeps_range: ZoneGraph::<Wide>::keeps_range(self.network, self.bounds),
            width: PhantomData,
        }
    }

    /// The same graph with zones that are exact unless they would leave their range; `None` if
    /// clock differences are compared.
    pub fn with_zones_in_range(&self) -> Option<Self> {
        let is_sound = self.differences == Differences::Absent;
        let abstraction = Abstraction::Simulation;
        is_sound.then(|| Self { abstraction, may_leave_range: true, ..self.clone() })
    }

    /// Calls `read` with the actions that `step` takes, the sender's first, receivers in system
    /// order; without actions if the state itself could not be evaluated.
    pub fn read_step<T>(&self, step: Step, read: impl FnOnce(&[ActionId]) -> T) -> T {
        self.network.names().read(step, read)
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &'n CompiledNetwork {
        self.network
    }

    /// The meter of all work on this graph.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// The abstraction.
    #[must_use]
    pub fn abstraction(&self) -> Abstraction {
        self.abstraction
    }

    /// The class of clock differences that model and goal compare.
    #[must_use]
    pub fn differences(&self) -> Differences {
        self.differences
    }

    /// The clocks of a state's zone: row 0 is the reference clock, the others are ascending.
    #[must_use]
    pub fn rows(&self, state: &SymbolicState<W>) -> Vec<ClockRow> {
        self.active_clocks(state).rows
    }

    /// The clocks of a state's zone, with their bounds.
    pub fn active_clocks(&self, state: &SymbolicState<W>) -> ActiveClocks {
        ActiveClocks::new(self.bounds, &state.values[..self.network.process_count()])
    }

    /// The bounds of clocks.
    #[must_use]
    pub fn bounds(&self) -> &'n BoundsTable {
        self.bounds
    }
}

impl<W: Width> TransitionSystem for ZoneGraph<'_, W> {
    type State = SymbolicState<W>;
    type Step = Step;
    type Error = StepError;
    type Scratch = Scratch<W>;

    fn scratch(&self) -> Scratch<W> {
        Scratch::new(self)
    }

    fn for_each_initial(
        &self,
        scratch: &mut Scratch<W>,
        mut visit: impl FnMut(Result<&mut SymbolicState<W>, StepError>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_initial(scratch, &mut |_, _, state| visit(state))
    }

    fn for_each_successor(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
        mut visit: impl FnMut(Successor<'_, Self>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_successors(state, scratch, &mut |step, _, target| match target {
            Ok(target) => visit(Successor::State(step, target)),
            Err(error) => visit(Successor::Error(step, error)),
        })
    }

    fn stopped_by(error: &StepError) -> Option<StopReason> {
        match error {
            StepError::Stopped(why) => Some(*why),
            StepError::RunTime(_) | StepError::ClockRange | StepError::InitialInvariant => None,
        }
    }
}
