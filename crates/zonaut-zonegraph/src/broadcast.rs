//! Broadcasts: every process with an enabled receiving action takes part with one of them, so each
//! process either takes one or stays out where all its guards fail.

use crate::constraints::{Piece, constrain, cut_out_of_all};
use crate::delay::{add_clock_guards, clock_guards};
use crate::enabled::{Enabled, Offer};
use crate::graph::{Transition, ZoneGraph};
use crate::state::SymbolicState;
use crate::successors::{Departure, Scratch, Visit, fail};
use std::ops::ControlFlow;
use zonaut_compile::{ActionId, Constraint};
use zonaut_dbm::Zone;
use zonaut_model::interpret::RunTimeError;

/// The receiving actions of one process with their clock guards.
type Group = Vec<(ActionId, Vec<Constraint>)>;

/// A broadcast for which it is being decided who takes part.
#[derive(Clone, Copy)]
struct Gathering<'b> {
    state: &'b SymbolicState,
    enabled: &'b Enabled,
    groups: &'b [Group],
}

impl ZoneGraph<'_> {
    /// Visits what the broadcast `send` leads to.
    pub(crate) fn broadcast(
        &self,
        (state, enabled): (&SymbolicState, &Enabled),
        send: Offer,
        transition: &mut Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        transition.restart(&[send.action]);
        let mut receivers = std::mem::take(&mut scratch.receivers);
        receivers.clear();
        receivers.extend(enabled.receivers_of(self.network, send));
        let is_timed = |&action: &ActionId| self.network.action(action).guard.constrains_clocks();
        let flow = if receivers.iter().any(is_timed) {
            self.gather_all((state, enabled), &receivers, transition, scratch, visit)
        } else {
            let Scratch { source, machine, .. } = &mut *scratch;
            let Transition { participants, before, .. } = &mut *transition;
            match add_clock_guards(self.network, participants, source, machine, before) {
                Err(error) => fail(transition, error.into(), scratch, visit),
                Ok(()) => self.choose((state, enabled), &receivers, transition, scratch, visit),
            }
        };
        scratch.receivers = receivers;
        flow
    }

    /// Takes a broadcast whose receivers have no clock guards: each process takes part.
    fn choose(
        &self,
        (state, enabled): (&SymbolicState, &Enabled),
        receivers: &[ActionId],
        partial: &mut Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let process = |action: ActionId| self.network.action(action).process;
        let Some(&first) = receivers.first() else {
            if enabled.committed_rule_allows(self.network, &partial.participants) {
                return self.take_if_possible(state, partial, scratch, visit);
            }
            return ControlFlow::Continue(());
        };
        let is_other = |&action: &ActionId| process(action) != process(first);
        let own = receivers.iter().position(is_other).unwrap_or(receivers.len());
        let (own, others) = receivers.split_at(own);
        for &receiver in own {
            partial.participants.push(receiver);
            let flow = self.choose((state, enabled), others, partial, scratch, visit);
            partial.participants.pop();
            flow?;
        }
        ControlFlow::Continue(())
    }

    /// Takes a broadcast of which some receiver has a clock guard.
    fn gather_all(
        &self,
        (state, enabled): (&SymbolicState, &Enabled),
        receivers: &[ActionId],
        transition: &mut Transition,
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let groups = match self.groups_of(receivers, scratch) {
            Ok(groups) => groups,
            Err(error) => return fail(transition, error.into(), scratch, visit),
        };
        let Scratch { source, machine, .. } = &mut *scratch;
        let Transition { participants, before, .. } = &mut *transition;
        if let Err(error) = add_clock_guards(self.network, participants, source, machine, before) {
            return fail(transition, error.into(), scratch, visit);
        }
        let mut zone = scratch.copy_of(&state.zone);
        let mut flow = ControlFlow::Continue(());
        if constrain(&mut zone, &scratch.frame, &transition.before).is_ok() {
            let gathering = Gathering { state, enabled, groups: &groups };
            flow = self.gather(&gathering, (transition, &zone), scratch, visit);
        }
        scratch.release(zone);
        flow
    }

    /// The receiving actions, one group for each process, with their clock guards.
    fn groups_of(
        &self,
        receivers: &[ActionId],
        scratch: &mut Scratch,
    ) -> Result<Vec<Group>, RunTimeError> {
        let mut groups: Vec<Group> = Vec::new();
        let mut last = None;
        for &receiver in receivers {
            let Scratch { source, machine, .. } = &mut *scratch;
            let guards = clock_guards(self.network, &[receiver], source, machine)?;
            let process = self.network.action(receiver).process;
            if last.replace(process) != Some(process) {
                groups.push(Vec::new());
            }
            groups.last_mut().expect("invariant: just pushed").push((receiver, guards));
        }
        Ok(groups)
    }

    /// Decides for the first of the groups who takes part, then for the others, then moves.
    fn gather(
        &self,
        gathering: &Gathering<'_>,
        (partial, zone): (&mut Transition, &Zone),
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let Some((group, groups)) = gathering.groups.split_first() else {
            if gathering.enabled.committed_rule_allows(self.network, &partial.participants) {
                let from = Departure::Part(zone);
                return self.take(gathering.state, from, partial, scratch, visit);
            }
            return ControlFlow::Continue(());
        };
        let rest = Gathering { groups, ..*gathering };
        let decided = partial.before.len();
        for (receiver, guards) in group {
            let mut inside = scratch.copy_of(zone);
            let mut flow = ControlFlow::Continue(());
            if constrain(&mut inside, &scratch.frame, guards).is_ok() {
                partial.participants.push(*receiver);
                partial.before.extend(guards);
                flow = self.gather(&rest, (partial, &inside), scratch, visit);
                partial.participants.pop();
                partial.before.truncate(decided);
            }
            scratch.release(inside);
            flow?;
        }
        if group.iter().any(|(_, guards)| guards.is_empty()) {
            return ControlFlow::Continue(());
        }
        let mut outside = vec![Piece { zone: zone.clone(), constraints: Vec::new() }];
        for (_, guards) in group {
            outside = cut_out_of_all(outside, &scratch.frame, guards);
        }
        for piece in outside {
            partial.before.extend(piece.constraints);
            let flow = self.gather(&rest, (partial, &piece.zone), scratch, visit);
            partial.before.truncate(decided);
            flow?;
        }
        ControlFlow::Continue(())
    }
}
