//! Broadcasts to receivers with clock guards: every process with an enabled receiving action takes
//! part with one of them, so each process either takes one or does not take part if all its guards
//! fail.

use crate::constraints::{Piece, ZoneConstraint, constrain, cut_out_of_all};
use crate::fire::{Fired, fail};
use crate::graph::{Transition, ZoneGraph};
use crate::state::SymbolicState;
use crate::successors::{Departure, Scratch, Visit};
use std::ops::ControlFlow;
use zonaut_compile::ActionId;
use zonaut_dbm::{Width, Zone};
use zonaut_discrete::{Broadcast, Receiver, may_move};
use zonaut_model::interpret::RunTimeError;

/// The receiving actions of one process with their clock guards.
type Group<W> = Vec<Receiver<ZoneConstraint<W>>>;

/// A broadcast whose receivers are being determined.
#[derive(Clone, Copy)]
struct Gathering<'b, W: Width> {
    committed: &'b [usize],
    groups: &'b [Group<W>],
}

/// The visitor of a transition with all its participants, the valuations from which they take it,
/// and the scratch.
pub(crate) type Gathered<'v, W> =
    dyn FnMut(&mut Transition<W>, &Zone<W>, &mut Scratch<W>) -> ControlFlow<(), Fired> + 'v;

impl<W: Width> ZoneGraph<'_, W> {
    /// Takes a broadcast, from each part of the zone of `state` with its own set of participating
    /// receivers.
    pub(crate) fn gather_all(
        &self,
        state: &SymbolicState<W>,
        broadcast: Broadcast<'_>,
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let zone = scratch.copy_of(&state.zone);
        let mut take =
            |transition: &mut Transition<W>, part: &Zone<W>, scratch: &mut Scratch<W>| {
                if self.network.has_priorities() {
                    return self.take_where_highest(part, transition, scratch, visit);
                }
                self.take(Departure::Part(part), transition, scratch, visit)
            };
        let gathered = self.for_each_receiver_set(&zone, broadcast, transition, scratch, &mut take);
        scratch.release(zone);
        gathered.unwrap_or_else(|error| {
            transition.forget_outcome();
            fail(self, transition, error.into(), scratch, visit)
        })
    }

    /// The sets of participants in a broadcast, one for each part of the zone of `state`, whether or
    /// not the transition is enabled there.
    ///
    /// # Errors
    /// If a guard cannot be evaluated, or the meter stops.
    pub fn receiver_sets(
        &self,
        state: &SymbolicState<W>,
        broadcast: Broadcast<'_>,
        scratch: &mut Scratch<W>,
    ) -> Result<Vec<Vec<ActionId>>, RunTimeError> {
        let mut transition = std::mem::take(&mut scratch.transition);
        let mut all = Vec::new();
        let mut add = |transition: &mut Transition<W>, _: &Zone<W>, _: &mut Scratch<W>| {
            if !all.contains(&transition.participants) {
                all.push(transition.participants.clone());
            }
            ControlFlow::Continue(Fired::Led)
        };
        let zone = &state.zone;
        let done = self.for_each_receiver_set(zone, broadcast, &mut transition, scratch, &mut add);
        scratch.transition = transition;
        done.map(|_| all)
    }

    /// Calls `visit` for every part of `zone` in which a broadcast has one set of participants, and
    /// in which all their guards hold.
    pub(crate) fn for_each_receiver_set(
        &self,
        zone: &Zone<W>,
        broadcast: Broadcast<'_>,
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Gathered<'_, W>,
    ) -> Result<ControlFlow<(), Fired>, RunTimeError> {
        let Broadcast { sender, receivers, committed } = broadcast;
        transition.restart(&[sender]);
        let groups = scratch.discrete.receiver_groups(self.network, receivers)?;
        let Transition { participants, before, .. } = &mut *transition;
        scratch.discrete.add_clock_guards(self.network, participants, before)?;
        let mut zone = scratch.copy_of(zone);
        let mut flow = Ok(ControlFlow::Continue(Fired::Blocked));
        if constrain(&mut zone, &scratch.active, &transition.before).is_ok() {
            let gathering = Gathering { committed, groups: &groups };
            flow = self.gather(&gathering, transition, &zone, scratch, visit);
        }
        scratch.release(zone);
        flow
    }

    /// Chooses the participant of the first group, then of the others, then takes the transition.
    fn gather(
        &self,
        gathering: &Gathering<'_, W>,
        partial: &mut Transition<W>,
        zone: &Zone<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Gathered<'_, W>,
    ) -> Result<ControlFlow<(), Fired>, RunTimeError> {
        let Some((group, groups)) = gathering.groups.split_first() else {
            if may_move(self.network, gathering.committed, &partial.participants) {
                // Results of the other alternatives, including errors, are discarded.
                partial.forget_outcome();
                return Ok(visit(partial, zone, scratch));
            }
            return Ok(ControlFlow::Continue(Fired::Blocked));
        };
        scratch.discrete.machine.spend(group.len() * zone.dim())?;
        let rest = Gathering { groups, ..*gathering };
        let decided = partial.before.len();
        let mut fired = Fired::Blocked;
        for Receiver { action, guards } in group {
            let mut inside = scratch.copy_of(zone);
            let mut flow = ControlFlow::Continue(Fired::Blocked);
            if constrain(&mut inside, &scratch.active, guards).is_ok() {
                partial.participants.push(*action);
                partial.before.extend(guards);
                flow = self.gather(&rest, partial, &inside, scratch, visit)?;
                partial.participants.pop();
                partial.before.truncate(decided);
            }
            scratch.release(inside);
            let ControlFlow::Continue(led) = flow else { return Ok(flow) };
            fired = fired.or(led);
        }
        if group.iter().any(|receiver| receiver.guards.is_empty()) {
            return Ok(ControlFlow::Continue(fired));
        }
        let mut outside = vec![Piece { zone: zone.clone(), constraints: Vec::new() }];
        for Receiver { guards, .. } in group {
            scratch.discrete.machine.spend(outside.len())?;
            outside = cut_out_of_all(outside, &scratch.active, guards);
        }
        for piece in outside {
            partial.before.extend(piece.constraints);
            let flow = self.gather(&rest, partial, &piece.zone, scratch, visit)?;
            partial.before.truncate(decided);
            let ControlFlow::Continue(led) = flow else { return Ok(flow) };
            fired = fired.or(led);
        }
        Ok(ControlFlow::Continue(fired))
    }
}
