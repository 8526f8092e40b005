//! The successors of a symbolic state, with their transitions: all candidates, fired.

#[cfg(test)]
mod tests;

use crate::abstraction::Widening;
use crate::active_clocks::{ActiveClocks, ActiveClocksTable};
use crate::constraints::{ZoneConstraint, constrain};
use crate::delay::delay_except;
use crate::fire::{Fired, fail};
use crate::graph::{StepError, Transition, ZoneGraph};
use crate::part::Parts;
use crate::precedence::Precedence;
use crate::state::SymbolicState;
use crate::zone_step_cache::ZoneStepCache;
use std::ops::ControlFlow;
use std::sync::Arc;
use zonaut_compile::{ClockRow, Step, row_of};
use zonaut_dbm::{Bound, Emptied, Narrow, Row, Width, Zone};
use zonaut_discrete::{Candidate, DiscreteScratch};
use zonaut_model::interpret::{ClockEffect, RunTimeError};

/// The source of a clock that the zone before does not have. Static analysis keeps every clock
/// whose value matters later active, so this does not occur; no zone has such a row, so a violation
/// would be detected.
const MISSING: Row = Row(u16::MAX);

/// The number of rows above which zone operations are metered.
const MANY_ROWS: usize = 32;

/// An approximate upper bound on the work of splitting a zone.
const STEPS_PER_SPLIT: u32 = 1 << 12;

/// The working memory of one worker.
#[derive(Clone, Debug)]
pub struct Scratch<W: Width = Narrow> {
    pub(crate) active_clocks: ActiveClocksTable,
    pub(crate) zone_step_cache: ZoneStepCache<W>,
    pub(crate) discrete: DiscreteScratch,
    pub(crate) active: Arc<ActiveClocks>,
    pub(crate) target: Arc<ActiveClocks>,
    /// By row over all clocks, the row and the constant whose sum is its value. Between uses every
    /// row maps to itself.
    symbols: Vec<(u32, i32)>,
    pub(crate) images: Vec<(Row, i32)>,
    pub(crate) widening: Widening,
    pub(crate) parts: Vec<Zone<W>>,
    /// Buffers that are taken out while they are in use.
    zones: Vec<Zone<W>>,
    pub(crate) transition: Transition<W>,
    pub(crate) successor: SymbolicState<W>,
    /// The numbers of the visited parts of this state's successors.
    pub(crate) numbers: Parts,
    /// The enabled transitions of the state that is being expanded, if priorities exclude others.
    pub(crate) precedences: Vec<Precedence<W>>,
}

impl<W: Width> AsMut<DiscreteScratch> for Scratch<W> {
    #[inline]
    fn as_mut(&mut self) -> &mut DiscreteScratch {
        &mut self.discrete
    }
}

impl<W: Width> Scratch<W> {
    pub(crate) fn new(graph: &ZoneGraph<'_, W>) -> Self {
        let clocks = graph.network().clock_count();
        let mut active_clocks = ActiveClocksTable::new(graph.network().process_count());
        let active = active_clocks.of(graph.bounds(), &graph.network().initial);
        let widening = Widening::new(graph.abstraction(), graph.bounds());
        Self {
            active_clocks,
            zone_step_cache: ZoneStepCache::new(!widening.may_split()),
            discrete: DiscreteScratch::new(graph.network(), graph.meter()),
            active: Arc::clone(&active),
            target: active,
            symbols: (0..=clocks as u32).map(|row| (row, 0)).collect(),
            images: Vec::new(),
            widening,
            parts: Vec::new(),
            zones: Vec::new(),
            transition: Transition::default(),
            successor: SymbolicState::buffer(),
            numbers: Parts::default(),
            precedences: Vec::new(),
        }
    }

    /// Prepares the expansion of `state`.
    pub(crate) fn leave(&mut self, graph: &ZoneGraph<'_, W>, state: &SymbolicState<W>) {
        self.numbers.restart();
        self.zone_step_cache.leave();
        self.discrete.leave(&state.values);
        self.active = self.active_clocks.of(graph.bounds, &state.values);
    }

    /// A copy of `zone` in a buffer, to be returned with [`Scratch::release`].
    pub(crate) fn copy_of(&mut self, zone: &Zone<W>) -> Zone<W> {
        let mut copy = self.zones.pop().unwrap_or_else(|| Zone::origin(1));
        copy.assign_from(zone);
        copy
    }

    pub(crate) fn release(&mut self, zone: Zone<W>) {
        self.zones.push(zone);
    }

    /// Computes for every clock of the target the source clock and the constant whose sum is its
    /// value after `effects`.
    pub(crate) fn find_images(&mut self, effects: &[ClockEffect]) {
        self.images.clear();
        if effects.iter().any(|effect| matches!(effect, ClockEffect::Copy(..))) {
            return self.find_images_of_copies(effects);
        }
        let Self { active, target, images, .. } = self;
        let unchanged = |&row: &u32| (active.position_if_active(row).unwrap_or(MISSING), 0);
        images.extend(target.rows.iter().map(unchanged));
        for effect in effects {
            if let ClockEffect::Set(clock, value) = *effect
                && let Some(x) = target.position_if_active(row_of(clock))
            {
                images[x.index()] = (Row::ZERO, value);
            }
        }
    }

    /// The same with clock copies, for which the order of effects matters.
    fn find_images_of_copies(&mut self, effects: &[ClockEffect]) {
        for effect in effects {
            match *effect {
                ClockEffect::Set(clock, value) => self.symbols[row_of(clock) as usize] = (0, value),
                ClockEffect::Copy(target, source) => {
                    self.symbols[row_of(target) as usize] = self.symbols[row_of(source) as usize];
                }
            }
        }
        for &row in &self.target.rows {
            let (source, value) = self.symbols[row as usize];
            self.images.push((self.active.position_if_active(source).unwrap_or(MISSING), value));
        }
        for effect in effects {
            let (ClockEffect::Set(clock, _) | ClockEffect::Copy(clock, _)) = *effect;
            self.symbols[row_of(clock) as usize] = (row_of(clock), 0);
        }
    }

    /// Adds the cost of the updates to the clock that measures costs; returns whether it is a
    /// constant.
    ///
    /// Zones have no upper bound on that clock ([`ZoneGraph::visit_initial`]), it is never reset,
    /// and it is never compared, so zones bound it from below only, by the least cost of a
    /// valuation, and covering compares costs.
    pub(crate) fn add_price(&mut self, row: ClockRow) -> bool {
        let position = self.target.position(row).index();
        match i32::try_from(self.successor.price) {
            Ok(price) if price <= Bound::<W>::MAX_CONSTANT => {
                self.images[position].1 = price;
                true
            }
            _ => false,
        }
    }

    /// The active clocks of the state that is being entered.
    pub(crate) fn target_active(&self) -> &ActiveClocks {
        &self.target
    }

    /// The zone over the clocks of the state with these `values` after `effects`.
    pub(crate) fn image_of(
        &mut self,
        graph: &ZoneGraph<'_, W>,
        zone: &Zone<W>,
        values: &[i32],
        effects: &[ClockEffect],
    ) -> Zone<W> {
        self.target = self.active_clocks.of(graph.bounds, values);
        self.find_images(effects);
        let mut image = Zone::origin(1);
        zone.image_into(&self.images, &mut image);
        image
    }

    /// Computes the zone of the successor before the delay.
    pub(crate) fn land(
        &mut self,
        from: Departure<'_, W>,
        transition: &Transition<W>,
    ) -> Result<(), Emptied> {
        match from {
            Departure::State(zone) if !transition.before.is_empty() => {
                let mut cut = self.copy_of(zone);
                let possible = constrain(&mut cut, &self.active, &transition.before);
                if possible.is_ok() {
                    cut.image_into(&self.images, &mut self.successor.zone);
                }
                self.release(cut);
                possible?;
            }
            Departure::State(zone) | Departure::Part(zone) => {
                zone.image_into(&self.images, &mut self.successor.zone);
            }
        }
        constrain(&mut self.successor.zone, &self.target, &transition.arrival)
    }

    /// Lets time pass while the invariant, which holds already, holds; some clocks are stopped.
    pub(crate) fn delay(&mut self, invariant: &[ZoneConstraint<W>], stopped: &[ClockRow]) {
        if !stopped.is_empty() {
            return delay_except(&mut self.successor.zone, &self.target, invariant, stopped);
        }
        // Lower bounds and differences hold before, and delay does not change that.
        let upper = invariant.iter().filter(|c| c.y == 0);
        let Self { successor, target, .. } = self;
        successor.zone.delay_within(upper.map(|c| (target.position(c.x), c.bound)));
    }

    /// Widens the zone of the successor; leaves its parts in `parts` if it is split.
    ///
    /// # Errors
    /// If the meter stops.
    pub(crate) fn widen(&mut self) -> Result<(), StepError> {
        let Self { successor, target, widening, parts, discrete, .. } = self;
        if widening.may_split() {
            discrete.machine.meter().spend(STEPS_PER_SPLIT).map_err(StepError::Stopped)?;
        }
        widening.widen(target, &mut successor.zone, parts);
        Ok(())
    }

    /// Meters the computation of a zone with the clocks of the target, if it is large.
    #[inline]
    pub(crate) fn pay_for_zone(&self) -> Result<(), RunTimeError> {
        match self.target.rows.len() {
            0..MANY_ROWS => Ok(()),
            rows => self.discrete.machine.spend(rows * rows),
        }
    }
}

/// A visitor of successors with their transitions.
pub type Visit<'v, W = Narrow> = dyn FnMut(Step, &Transition<W>, Result<&mut SymbolicState<W>, StepError>) -> ControlFlow<()>
    + 'v;

/// The valuations that a transition starts from.
#[derive(Clone, Copy)]
pub(crate) enum Departure<'d, W: Width> {
    /// The valuations of a state that satisfy the constraints before the transition.
    State(&'d Zone<W>),
    /// A whole zone, in which the constraints before the transition hold already.
    Part(&'d Zone<W>),
}

impl<W: Width> ZoneGraph<'_, W> {
    /// Visits the initial states with their transitions.
    pub fn visit_initial(
        &self,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<()> {
        scratch.numbers.restart();
        scratch.successor.price = 0;
        let network = self.network;
        scratch.successor.values.clear();
        scratch.successor.values.extend(&network.initial);
        scratch.target = scratch.active_clocks.of(self.bounds, &scratch.successor.values);
        let value = |&row: &u32| match row {
            0 => (Row::ZERO, 0),
            // Over-estimating the cost of a run is allowed, so the initial cost is unbounded above.
            row if Some(row) == network.measuring_row() => (Row(1), 0),
            row => (Row::ZERO, network.initial_clocks[row as usize - 1]),
        };
        scratch.images.clear();
        scratch.images.extend(scratch.target.rows.iter().map(value));
        let mut transition = Transition::default();
        let from = Departure::Part(&Zone::universe(2));
        match self.arrive(from, &mut transition, scratch, visit)? {
            Fired::Led => ControlFlow::Continue(()),
            Fired::Blocked => {
                let nothing = StepError::InitialInvariant;
                as_flow(fail(self, &transition, nothing, scratch, visit))
            }
        }
    }

    /// Visits the candidate transitions of `state`, in a fixed order.
    ///
    /// # Errors
    /// If a guard or the index of a channel cannot be evaluated: then no candidate is visited. If
    /// the meter stops: then some candidates may be missing.
    pub fn for_each_candidate(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
        visit: impl FnMut(Candidate<'_>, &mut Scratch<W>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, RunTimeError> {
        if self.network.has_priorities() {
            self.find_precedences(state, scratch)?;
        }
        self.for_each_unordered(state, scratch, visit)
    }

    /// The same without regard to priorities, which are applied when a candidate is fired.
    pub(crate) fn for_each_unordered(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
        visit: impl FnMut(Candidate<'_>, &mut Scratch<W>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, RunTimeError> {
        scratch.leave(self, state);
        zonaut_discrete::for_each_candidate(self.network, scratch, visit)
    }

    /// Visits the successors of `state` with their transitions.
    pub fn visit_successors(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<()> {
        let mut transition = std::mem::take(&mut scratch.transition);
        let visited = self.for_each_candidate(state, scratch, |candidate, scratch| {
            as_flow(self.carry_out(state, candidate, &mut transition, scratch, visit))
        });
        scratch.transition = transition;
        visited.unwrap_or_else(|error| {
            as_flow(fail(self, &Transition::default(), error.into(), scratch, visit))
        })
    }
}

/// Whether to continue, regardless of the result.
fn as_flow(flow: ControlFlow<(), Fired>) -> ControlFlow<()> {
    match flow {
        ControlFlow::Continue(_) => ControlFlow::Continue(()),
        ControlFlow::Break(()) => ControlFlow::Break(()),
    }
}
