//! Reasons for which transitions that the data allows are disabled.

use crate::domain::{DataDomain, LazyDomain, Obstacle, Pair};
use crate::graph::{Lazy, StopCause};
use zonaut_base::Id;
use zonaut_compile::{ActionId, Constraint, LocationFlags, Machine};
use zonaut_dbm::{Width, Zone};
use zonaut_model::ProcessId;
use zonaut_model::interpret::{ClockEffect, RunTimeError};
use zonaut_search::Frontier;
use zonaut_space::NodeId;
use zonaut_zonegraph::{Before, Step, SymbolicState, ZoneConstraint, ZoneGraph, constraint_before};

/// The working memory.
#[derive(Debug)]
pub(crate) struct Buffers<W: Width> {
    machine: Machine,
    values: Vec<i32>,
    key: Vec<u64>,
    constraints: Vec<ZoneConstraint<W>>,
    effects: Vec<ClockEffect>,
    zone: Zone<W>,
}

impl<W: Width> Buffers<W> {
    pub(crate) fn new(graph: &ZoneGraph<'_, W>) -> Self {
        Self {
            machine: graph.network().machine(graph.meter()),
            values: Vec::new(),
            key: Vec::new(),
            constraints: Vec::new(),
            effects: Vec::new(),
            zone: Zone::origin(1),
        }
    }
}

/// The reason for which actions are disabled although their clock guards are satisfiable.
enum Arrival {
    /// The data part of the invariant of a process.
    Data(ProcessId),
    /// Invariants, by the clocks that the actions set.
    Effects,
    /// Constraints on clocks that the actions do not change.
    Clocks,
}

impl<W: Width, D, C, F> Lazy<'_, W, D, C, F>
where
    D: LazyDomain<W, Label = u32> + DataDomain,
    C: LazyDomain<W>,
    F: Frontier<SymbolicState<W>, Step>,
{
    /// Strengthens the draft of a node so that it excludes these actions, which the data allows,
    /// but which are disabled in its state.
    pub(crate) fn block_joint(
        &mut self,
        node: NodeId,
        state: &SymbolicState<W>,
        participants: &[ActionId],
        draft: &mut <Pair<D, C> as LazyDomain<W>>::Draft,
    ) -> Result<(), StopCause> {
        self.block(node, Obstacle::Guards(participants), draft);
        let (arrival, buffers) = self.obstructed(node, state, participants)?;
        let Buffers { key, constraints, .. } = &*buffers;
        match arrival {
            None => self.block(node, Obstacle::Clocks(constraints), draft),
            Some(Arrival::Data(process)) => {
                self.block(node, Obstacle::Invariant(participants, key, process), draft);
            }
            Some(Arrival::Effects) => {
                self.block(node, Obstacle::Transition(participants, key), draft);
            }
            Some(Arrival::Clocks) => {
                self.block(node, Obstacle::Transition(participants, key), draft);
                self.block(node, Obstacle::Clocks(constraints), draft);
            }
        }
        self.buffers = Some(buffers);
        Ok(())
    }

    /// Strengthens the draft of a node by the data on which the target of these actions, whose
    /// guards are satisfiable, and their enabledness depend.
    pub(crate) fn block_data(
        &mut self,
        node: NodeId,
        state: &SymbolicState<W>,
        participants: &[ActionId],
        draft: &mut <Pair<D, C> as LazyDomain<W>>::Draft,
    ) -> Result<(), StopCause> {
        #[cfg(feature = "faults")]
        if crate::faults::Fault::ArrivalForgotten.is_selected() {
            return Ok(());
        }
        let (arrival, buffers) = self.obstructed(node, state, participants)?;
        let key = &buffers.key;
        let obstacle = match arrival {
            Some(Arrival::Data(process)) => Obstacle::Invariant(participants, key, process),
            _ => Obstacle::Transition(participants, key),
        };
        self.block(node, obstacle, draft);
        self.buffers = Some(buffers);
        Ok(())
    }

    /// The reason, and the buffers with its details, which have to be returned.
    fn obstructed(
        &mut self,
        node: NodeId,
        state: &SymbolicState<W>,
        participants: &[ActionId],
    ) -> Result<(Option<Arrival>, Box<Buffers<W>>), StopCause> {
        let mut buffers = self.buffers.take().expect("invariant: given back after each use");
        match self.obstruct(node, state, participants, &mut buffers) {
            Ok(arrival) => Ok((arrival, buffers)),
            Err(error) => Err(StopCause::of(error.into(), Some(node), None)),
        }
    }

    /// Finds the reason; the buffers receive the unsatisfiable constraints and the key of the
    /// target. `None` if the guards are the reason.
    fn obstruct(
        &self,
        node: NodeId,
        state: &SymbolicState<W>,
        participants: &[ActionId],
        buffers: &mut Buffers<W>,
    ) -> Result<Option<Arrival>, RunTimeError> {
        let network = self.graph.network();
        let Buffers { machine, values, key, constraints, effects, zone } = buffers;
        values.clone_from(&state.values);
        constraints.clear();
        for &action in participants {
            let guard = &network.action(action).guard;
            let push = |c: Constraint| constraints.push(c.into());
            network.for_each_constraint(guard, values, machine, push)?;
        }
        zone.assign_from(&state.zone);
        let active = self.store.exact(node, &self.cover_index).active;
        let positions =
            constraints.iter().map(|c| (active.position(c.x), active.position(c.y), c.bound));
        if zone.constrain_all(positions).is_err() {
            return Ok(None);
        }
        network.take(participants, values, machine)?;
        effects.clone_from(&machine.clock_effects);
        network.packing.pack(values, key);
        let mut is_impossible = false;
        for process in 0..network.process_count() {
            if !network.location_flags_of(process, values).include(LocationFlags::INVARIANT) {
                continue;
            }
            let invariant = &network.location(process, values).invariant;
            if !network.data_holds(invariant, values, machine)? {
                return Ok(Some(Arrival::Data(ProcessId::from_index(process))));
            }
            network.for_each_constraint(
                invariant,
                values,
                machine,
                |c| match constraint_before(c.into(), effects) {
                    Before::Where(before) => constraints.push(before),
                    Before::Always => {}
                    Before::Never => is_impossible = true,
                },
            )?;
        }
        Ok(Some(if is_impossible { Arrival::Effects } else { Arrival::Clocks }))
    }
}
