//! Reasons for which transitions are disabled.
//!
//! Explorations do not need them; users who inspect a state do, and so do lazy searches, which
//! record why a step is disabled. So they are computed apart from firing, without its
//! optimisations.

use crate::constraints::constrain;
use crate::fire::Fired;
use crate::graph::ZoneGraph;
use crate::state::SymbolicState;
use crate::successors::Scratch;
use std::ops::ControlFlow;
use zonaut_base::Id;
use zonaut_compile::{ActionId, Constraint, LocationFlags};
use zonaut_dbm::{Width, Zone};
use zonaut_discrete::{Broadcast, Candidate};
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{ChannelId, ProcessId};

/// Actions that cannot be taken together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The actions, the sender's first; a single one if it has no partner.
    pub participants: Vec<ActionId>,
    /// The reason.
    pub obstacle: Obstacle,
}

/// A reason for which actions are disabled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// The data guard is false.
    DataGuard,
    /// This process is in a committed location, and does not take part.
    Committed(ProcessId),
    /// The channel has no enabled partner.
    NoPartner(ChannelId),
    /// No valuation of the state satisfies this clock guard of the action together with the
    /// previous ones.
    ClockGuard(ActionId, Constraint),
    /// The data part of the invariant of this process's target location is false.
    DataInvariant(ProcessId),
    /// No arriving valuation satisfies this bound of the invariant of this process's target
    /// location together with the previous ones.
    ClockInvariant(ProcessId, Constraint),
    /// The required participants are never enabled at the same time.
    NoMoment,
    /// Wherever it is enabled, a transition of higher priority is enabled, too.
    Priority,
}

impl<W: Width> ZoneGraph<'_, W> {
    /// The reason for each action that leaves the locations of `state` and is disabled, or disabled
    /// with these partners.
    ///
    /// # Errors
    /// If a guard, an index or an invariant cannot be evaluated.
    pub fn obstacles(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
    ) -> Result<Vec<Blocked>, RunTimeError> {
        let mut all = Vec::new();
        let mut is_candidate = vec![false; self.network.actions().len()];
        let mut candidates: Vec<(Vec<ActionId>, bool)> = Vec::new();
        let flow = self.for_each_candidate(state, scratch, |candidate, scratch| {
            let (participants, everybody) = match candidate {
                Candidate::Joint(participants) => (participants.to_vec(), participants),
                Candidate::Broadcast(Broadcast { sender, receivers, .. }) => {
                    (vec![sender], receivers)
                }
            };
            let all = participants.iter().chain(everybody);
            all.for_each(|action| is_candidate[action.index()] = true);
            let fired =
                self.fire(state, candidate, scratch, &mut |_, _, _| ControlFlow::Continue(()));
            let is_blocked = fired == ControlFlow::Continue(Fired::Blocked);
            candidates.push((participants, is_blocked));
            ControlFlow::Continue(())
        })?;
        debug_assert_eq!(flow, ControlFlow::Continue(()));
        for (participants, _) in candidates.into_iter().filter(|(_, is_blocked)| *is_blocked) {
            let obstacle = self.obstacle(state, &participants, scratch)?;
            all.push(Blocked { participants, obstacle });
        }
        for process in 0..self.network.process_count() {
            let location = self.network.location(process, &state.values);
            let actions = [&location.internal, &location.sends, &location.receives];
            for &action in actions.into_iter().flatten() {
                if !is_candidate[action.index()] {
                    let obstacle = self.obstacle_alone(state, action, scratch)?;
                    all.push(Blocked { participants: vec![action], obstacle });
                }
            }
        }
        Ok(all)
    }

    /// The reason for which these participants of a blocked candidate are disabled in `state`.
    fn obstacle(
        &self,
        state: &SymbolicState<W>,
        participants: &[ActionId],
        scratch: &mut Scratch<W>,
    ) -> Result<Obstacle, RunTimeError> {
        let mut zone = state.zone.clone();
        for &action in participants {
            let mut guards: Vec<Constraint> = Vec::new();
            scratch.discrete.add_clock_guards(self.network, &[action], &mut guards)?;
            for guard in guards {
                if constrain(&mut zone, &scratch.active, &[guard.into()]).is_err() {
                    return Ok(Obstacle::ClockGuard(action, guard));
                }
            }
        }
        let mut values = Vec::new();
        scratch.discrete.take(self.network, participants, &mut values)?;
        let effects = std::mem::take(&mut scratch.discrete.machine.clock_effects);
        let arrived = scratch.image_of(self, &zone, &values, &effects);
        scratch.discrete.machine.clock_effects = effects;
        self.violated_invariant(arrived, &mut values, scratch)
    }

    /// The first bound of an invariant that no valuation of `zone` satisfies, over the target
    /// clocks in `scratch`.
    fn violated_invariant(
        &self,
        mut zone: Zone<W>,
        values: &mut [i32],
        scratch: &mut Scratch<W>,
    ) -> Result<Obstacle, RunTimeError> {
        for process in 0..self.network.process_count() {
            if !self.network.location_flags_of(process, values).include(LocationFlags::INVARIANT) {
                continue;
            }
            let id = ProcessId::from_index(process);
            let invariant = &self.network.location(process, values).invariant;
            if !self.network.data_holds(invariant, values, &mut scratch.discrete.machine)? {
                return Ok(Obstacle::DataInvariant(id));
            }
            let mut bounds = Vec::new();
            let machine = &mut scratch.discrete.machine;
            self.network.for_each_constraint(invariant, values, machine, |c| bounds.push(c))?;
            for bound in bounds {
                if constrain(&mut zone, scratch.target_active(), &[bound.into()]).is_err() {
                    return Ok(Obstacle::ClockInvariant(id, bound));
                }
            }
        }
        Ok(if self.network.has_priorities() { Obstacle::Priority } else { Obstacle::NoMoment })
    }

    /// The reason for which an action is part of no candidate.
    fn obstacle_alone(
        &self,
        state: &SymbolicState<W>,
        action: ActionId,
        scratch: &mut Scratch<W>,
    ) -> Result<Obstacle, RunTimeError> {
        let network = self.network;
        let mut values = state.values.clone();
        let guard = &network.action(action).guard;
        if !network.data_holds(guard, &mut values, &mut scratch.discrete.machine)? {
            return Ok(Obstacle::DataGuard);
        }
        let channel = network.channel(action, &mut values, &mut scratch.discrete.machine)?;
        let committed = scratch.discrete.committed();
        let own = network.action(action).process.index();
        match (channel, committed.first()) {
            (Some(channel), None) => Ok(Obstacle::NoPartner(channel)),
            (Some(channel), Some(_)) if committed.contains(&own) => {
                Ok(Obstacle::NoPartner(channel))
            }
            (_, Some(&process)) => Ok(Obstacle::Committed(ProcessId::from_index(process))),
            // The channel of such an action is unknown, or the action is internal and enabled.
            (None, None) => Ok(Obstacle::NoMoment),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abstraction::Abstraction;
    use zonaut_base::Meter;
    use zonaut_compile::{BoundsTable, CompiledNetwork};
    use zonaut_model::Formula;
    use zonaut_space::TransitionSystem;
    use zonaut_testkit::front_end::model_of;

    /// Checks the obstacles in the initial state, as the edge of the first participant and a word.
    fn check(text: &str, expected: &[(usize, &str)]) {
        let (model, _) = model_of(text, &[]).unwrap_or_else(|e| panic!("{e:?}"));
        let network = CompiledNetwork::new(&model, &Meter::default()).expect("few actions");
        let bounds = BoundsTable::new(&model, &Formula::truth());
        let graph: ZoneGraph<'_> =
            ZoneGraph::new(&network, &bounds, Abstraction::Exact, &Meter::default())
                .expect("sound");
        let mut scratch = graph.scratch();
        let mut initial = None;
        let _ = graph.visit_initial(&mut scratch, &mut |_, _, state| {
            initial = state.ok().cloned();
            ControlFlow::Break(())
        });
        let initial = initial.expect("an initial state");
        let found = graph.obstacles(&initial, &mut scratch).expect("no failure");
        let found: Vec<(usize, String)> = found
            .into_iter()
            .map(|blocked| {
                let edge = network.action(blocked.participants[0]).edge.index();
                let word = format!("{:?}", blocked.obstacle);
                (edge, word.split('(').next().unwrap_or_default().to_owned())
            })
            .collect();
        let expected: Vec<_> =
            expected.iter().map(|&(edge, word)| (edge, word.to_owned())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn every_kind_of_obstacle_is_named() {
        let edges = "a -> b { guard v == 1; }, a -> b { guard x > 2 && x < 3; }, \
             a -> c { }, a -> d { }, a -> b { sync m!; }, a -> a { }";
        let text = format!(
            "clock x; int v; chan m; process P() {{ state a {{ x <= 2 }}, b, c {{ v == 1 }}, \
             d {{ x > 5 }}; init a; trans {edges}; }} system P;"
        );
        let expected = [
            (1, "ClockGuard"),
            (2, "DataInvariant"),
            (3, "ClockInvariant"),
            (0, "DataGuard"),
            (4, "NoPartner"),
        ];
        check(&text, &expected);
    }

    #[test]
    fn a_committed_process_goes_first() {
        let text = "chan m; process P() { state a, b; init a; trans a -> b { }, a -> b { sync m!; }; } \
            process Q() { state a, b; commit a; init a; trans a -> b { }; } \
            process R() { state a, b; init a; trans a -> b { sync m?; }; } system P, Q, R;";
        check(text, &[(0, "Committed"), (1, "Committed"), (0, "Committed")]);
    }

    #[test]
    fn receivers_of_a_broadcast_need_no_partner() {
        let text = "broadcast chan m; clock x; process P() { state a { x <= 1 }, b; init a; \
            trans a -> b { sync m!; }, a -> b { guard x > 1; sync m!; }; } \
            process Q() { state a, b; init a; trans a -> b { guard x > 5; sync m?; }; } \
            system P, Q;";
        check(text, &[(1, "ClockGuard")]);
    }
}
