//! Why actions that data allows to move together do not.

use crate::domain::{DataDomain, LazyDomain, Obstacle, Pair};
use crate::graph::{Ending, Lazy};
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
            machine: graph.network().machine(),
            values: Vec::new(),
            key: Vec::new(),
            constraints: Vec::new(),
            effects: Vec::new(),
            zone: Zone::origin(1),
        }
    }
}

/// What stands in the way of actions whose clock guards hold somewhere.
enum Arrival {
    /// The invariant of a process, by its data.
    Data(ProcessId),
    /// Invariants, by the clocks that the actions set.
    Effects,
    /// Clocks that are as they were before.
    Clocks,
}

impl<W: Width, D, C, F> Lazy<'_, W, D, C, F>
where
    D: LazyDomain<W, Label = u32> + DataDomain,
    C: LazyDomain<W>,
    F: Frontier<SymbolicState<W>, Step>,
{
    /// Makes the draft of a node have in sight why these actions, which data allows, cannot be
    /// taken from its state.
    pub(crate) fn block_joint(
        &mut self,
        node: NodeId,
        state: &SymbolicState<W>,
        participants: &[ActionId],
        draft: &mut <Pair<D, C> as LazyDomain<W>>::Draft,
    ) -> Result<(), Ending> {
        self.block(node, Obstacle::Guards(participants), draft);
        let (arrival, buffers) = self.obstructed(node, state, participants)?;
        let Buffers { key, constraints, .. } = &*buffers;
        match arrival {
            None => self.block(node, Obstacle::Clocks(constraints), draft),
            Some(Arrival::Data(process)) => {
                self.block(node, Obstacle::Invariant(participants, key, process), draft);
            }
            Some(Arrival::Effects) => {
                self.block(node, Obstacle::Passage(participants, key), draft);
            }
            Some(Arrival::Clocks) => {
                self.block(node, Obstacle::Passage(participants, key), draft);
                self.block(node, Obstacle::Clocks(constraints), draft);
            }
        }
        self.buffers = Some(buffers);
        Ok(())
    }

    /// Makes the draft of a node have in sight what data has to do with where these actions, whose
    /// guards hold somewhere, lead to, and with whether they do.
    pub(crate) fn block_data(
        &mut self,
        node: NodeId,
        state: &SymbolicState<W>,
        participants: &[ActionId],
        draft: &mut <Pair<D, C> as LazyDomain<W>>::Draft,
    ) -> Result<(), Ending> {
        #[cfg(feature = "faults")]
        if crate::faults::Fault::ArrivalForgotten.is_selected() {
            return Ok(());
        }
        let (arrival, buffers) = self.obstructed(node, state, participants)?;
        let key = &buffers.key;
        let obstacle = match arrival {
            Some(Arrival::Data(process)) => Obstacle::Invariant(participants, key, process),
            _ => Obstacle::Passage(participants, key),
        };
        self.block(node, obstacle, draft);
        self.buffers = Some(buffers);
        Ok(())
    }

    /// What stands in the way, and the buffers with what is known of it, which have to be given back.
    fn obstructed(
        &mut self,
        node: NodeId,
        state: &SymbolicState<W>,
        participants: &[ActionId],
    ) -> Result<(Option<Arrival>, Box<Buffers<W>>), Ending> {
        let mut buffers = self.buffers.take().expect("invariant: given back after each use");
        match self.obstruct(node, state, participants, &mut buffers) {
            Ok(arrival) => Ok((arrival, buffers)),
            Err(error) => Err(Ending::of(error.into(), Some(node), None)),
        }
    }

    /// Finds what stands in the way, with the constraints that cannot hold together and the key of
    /// the target in the buffers; no arrival if it is the guards.
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
        let frame = self.store.exact(node, &self.places).frame;
        let positions =
            constraints.iter().map(|c| (frame.position(c.x), frame.position(c.y), c.bound));
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
