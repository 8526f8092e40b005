//! The edges that are enabled at a clock valuation.

use super::clocks::Clocks;
use super::machine::Machine;
use super::prepared::{Atom, BoundRef, ClockRef, location_of};
use super::state::State;
use zonaut_base::Id;
use zonaut_model::interpret::{RunTimeError, clock_bound};
use zonaut_model::{ChannelId, ClockId, Direction, EdgeId, LocationKind, ProcessId};

/// An edge that takes part in a step, with the values of its `select` variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Participant {
    /// The process.
    pub process: ProcessId,
    /// Its edge.
    pub edge: EdgeId,
    /// The values of the edge's `select` variables, in order.
    pub select: Vec<i32>,
}

/// An edge whose guard holds in the state last looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offer {
    /// The process.
    pub process: ProcessId,
    /// Its edge.
    pub edge: EdgeId,
    /// The offset of the values of its `select` variables.
    pub(super) select: usize,
    /// The channel and direction of its synchronisation.
    pub synchronisation: Option<(ChannelId, Direction)>,
}

impl<C: Clocks> Machine<'_, C> {
    /// Finds the edges whose guards hold in `state`, in order of processes and edges.
    ///
    /// Guards, bounds and channel indices of all edges that leave the current locations are
    /// evaluated, whether or not there is a partner: an edge whose data guard holds and whose bound
    /// or channel index fails is a run-time error there. Only internal edges that committed
    /// locations disable are not evaluated.
    ///
    /// # Errors
    /// If an evaluation fails.
    pub fn look(&mut self, state: &State<C::Value>) -> Result<(), RunTimeError> {
        self.offers.clear();
        self.select_values.clear();
        self.load(state);
        let only_committed = self.is_somewhere(state, LocationKind::Committed);
        for process in self.model.processes.ids() {
            let location = location_of(&state.locations, process);
            let definition = &self.model.processes[process];
            let is_excluded =
                only_committed && definition.locations[location].kind != LocationKind::Committed;
            for position in 0..self.prepared[process].leaving[location].len() {
                let edge = self.prepared[process].leaving[location][position];
                if is_excluded && definition.edges[edge].synchronisation.is_none() {
                    continue;
                }
                self.look_at_edge(state, process, edge)?;
            }
        }
        Ok(())
    }

    /// The edges found by the last [`Self::look`].
    #[must_use]
    pub fn offers(&self) -> &[Offer] {
        &self.offers
    }

    /// A copy of the offer that stays valid after the next [`Self::look`].
    #[must_use]
    pub fn participant(&self, offer: Offer) -> Participant {
        let count = self.model.processes[offer.process].edges[offer.edge].select.len();
        let select = self.select_values[offer.select..offer.select + count].to_vec();
        Participant { process: offer.process, edge: offer.edge, select }
    }

    fn look_at_edge(
        &mut self,
        state: &State<C::Value>,
        process: ProcessId,
        edge: EdgeId,
    ) -> Result<(), RunTimeError> {
        let select = &self.model.processes[process].edges[edge].select;
        if select.iter().any(|variable| variable.low > variable.high) {
            return Ok(());
        }
        let mut values: Vec<i32> = select.iter().map(|variable| variable.low).collect();
        loop {
            self.look_at_instance(state, process, edge, &values)?;
            // The next combination; the innermost variable changes fastest.
            let Some(position) = (0..values.len()).rfind(|&k| values[k] < select[k].high) else {
                return Ok(());
            };
            values[position] += 1;
            for k in position + 1..values.len() {
                values[k] = select[k].low;
            }
        }
    }

    fn look_at_instance(
        &mut self,
        state: &State<C::Value>,
        process: ProcessId,
        edge: EdgeId,
        values: &[i32],
    ) -> Result<(), RunTimeError> {
        let definition = &self.model.processes[process].edges[edge];
        for (variable, &value) in definition.select.iter().zip(values) {
            self.interpreter.set_local(variable.binder, value);
        }
        if !self.data_holds(self.prepared[process].guards[edge].data)? {
            return Ok(());
        }
        let enabled = self.guard_clocks_hold(state, process, edge)?;
        let synchronisation = match &definition.synchronisation {
            None => None,
            Some(synchronisation) => {
                let place = &synchronisation.channel;
                let channel = self.resolve(&place.indices, place.root)?;
                Some((channel, synchronisation.direction))
            }
        };
        if enabled {
            let select = self.select_values.len();
            self.select_values.extend_from_slice(values);
            self.offers.push(Offer { process, edge, select, synchronisation });
        }
        Ok(())
    }

    /// Whether the clock part of a guard holds. Every bound is evaluated, so that errors do not
    /// depend on clock values.
    fn guard_clocks_hold(
        &mut self,
        state: &State<C::Value>,
        process: ProcessId,
        edge: EdgeId,
    ) -> Result<bool, RunTimeError> {
        let mut all = true;
        for position in 0..self.prepared[process].guards[edge].atoms.len() {
            let atom = self.prepared[process].guards[edge].atoms[position];
            all &= self.atom_holds(&atom, &state.clocks)?;
        }
        Ok(all)
    }

    /// Whether a clock constraint holds.
    pub(super) fn atom_holds(
        &mut self,
        atom: &Atom<'_>,
        clocks: &[C::Value],
    ) -> Result<bool, RunTimeError> {
        if !self.data_holds(atom.condition)? {
            return Ok(true);
        }
        let left = self.clock(atom, &atom.left)?;
        let right = match &atom.right {
            None => None,
            Some(right) => Some(self.clock(atom, right)?),
        };
        let bound = self.bound(atom)?;
        Ok(self.clocks.holds(clocks, left, right, atom.relation, bound))
    }

    /// The bound of a constraint in the current state.
    pub(super) fn bound(&mut self, atom: &Atom<'_>) -> Result<i32, RunTimeError> {
        let value = match atom.bound {
            BoundRef::Constant(value) => value,
            BoundRef::Computed(expression) => self.evaluate(expression)?,
        };
        clock_bound(value).map_err(|kind| RunTimeError { kind, expression: atom.at })
    }

    /// The clock of a constraint in the current state.
    pub(super) fn clock(
        &mut self,
        atom: &Atom<'_>,
        clock: &ClockRef<'_>,
    ) -> Result<ClockId, RunTimeError> {
        match clock {
            ClockRef::Fixed(clock) => Ok(*clock),
            ClockRef::Computed(place) => {
                self.interpreter.element(atom.at, &place.indices, place.root)
            }
        }
    }

    /// The channel selected by `indices`; an index out of range is reported at its own expression.
    fn resolve(
        &mut self,
        indices: &[zonaut_model::PlaceIndex],
        root: ChannelId,
    ) -> Result<ChannelId, RunTimeError> {
        match indices.first() {
            None => Ok(root),
            Some(first) => self.interpreter.element(first.value, indices, root),
        }
    }

    /// The offers of one process, as a range.
    pub(super) fn offers_of(&self, process: ProcessId) -> std::ops::Range<usize> {
        let first = self.offers.partition_point(|o| o.process.index() < process.index());
        let end = self.offers.partition_point(|o| o.process.index() <= process.index());
        first..end
    }
}
