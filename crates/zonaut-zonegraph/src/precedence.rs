//! Priorities: a transition is enabled at a valuation only if no transition of strictly higher
//! priority is.
//!
//! So the constraints of all enabled transitions are collected before any is fired, and the
//! valuations that enable one of higher priority are subtracted from the zone of a lower one.
//! Transitions of higher priority that are themselves excluded by still higher ones make no
//! difference: where they would be enabled, a higher one is.

use crate::constraints::{Piece, ZoneConstraint, constrain, cut_out};
#[cfg(feature = "faults")]
use crate::faults::Fault;
use crate::fire::{Fired, fail};
use crate::graph::{Transition, ZoneGraph};
use crate::state::SymbolicState;
use crate::successors::{Departure, Scratch, Visit};
use std::ops::ControlFlow;
use zonaut_compile::Priority;
use zonaut_dbm::{Emptied, Width, Zone};
use zonaut_model::interpret::RunTimeError;

/// Whether the first priority excludes the second.
fn is_higher(one: Priority, other: Priority) -> bool {
    #[cfg(feature = "faults")]
    if Fault::PriorityOfChannelsOnly.is_selected() {
        return one.of_channel() > other.of_channel();
    }
    one > other
}

/// An enabled transition with its priority, as it may exclude others.
#[derive(Clone, Debug)]
pub(crate) struct Precedence<W: Width> {
    priority: Priority,
    /// The constraints under which it is enabled.
    constraints: Vec<ZoneConstraint<W>>,
}

impl<W: Width> ZoneGraph<'_, W> {
    /// Collects all enabled transitions of the discrete part of `state`, with their priorities.
    pub(crate) fn find_precedences(
        &self,
        state: &SymbolicState<W>,
        scratch: &mut Scratch<W>,
    ) -> Result<(), RunTimeError> {
        let mut all = std::mem::take(&mut scratch.precedences);
        all.clear();
        let mut failure = None;
        let found = self.for_each_enabled(state, scratch, &mut |enabled, scratch| match scratch
            .discrete
            .priority(self.network, enabled.participants)
        {
            Ok(priority) => {
                all.push(Precedence { priority, constraints: enabled.constraints.to_vec() });
                ControlFlow::Continue(())
            }
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        });
        scratch.precedences = all;
        failure.map_or(found.map(|_| ()), Err)
    }

    /// Takes a transition from the valuations of `zone`, in which the constraints before it hold,
    /// where no transition of higher priority is enabled.
    pub(crate) fn take_where_highest(
        &self,
        zone: &Zone<W>,
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let pieces = match self.pieces_where_highest(zone, transition, scratch) {
            Ok(pieces) => pieces,
            Err(error) => return fail(self, transition, error.into(), scratch, visit),
        };
        let decided = transition.before.len();
        let mut fired = Fired::Blocked;
        for piece in pieces {
            transition.before.extend(piece.constraints);
            let from = Departure::Part(&piece.zone);
            let flow = self.take(from, transition, scratch, visit);
            transition.before.truncate(decided);
            fired = fired.or(flow?);
        }
        ControlFlow::Continue(fired)
    }

    /// The parts of `zone` in which no transition of higher priority than `transition` is enabled.
    fn pieces_where_highest(
        &self,
        zone: &Zone<W>,
        transition: &Transition<W>,
        scratch: &mut Scratch<W>,
    ) -> Result<Vec<Piece<W>>, RunTimeError> {
        let Scratch { discrete, active, precedences, .. } = &mut *scratch;
        let own = discrete.priority(self.network, &transition.participants)?;
        let mut pieces = vec![Piece { zone: zone.clone(), constraints: Vec::new() }];
        for higher in precedences.iter().filter(|other| is_higher(other.priority, own)) {
            discrete.machine.spend(pieces.len() * zone.dim())?;
            #[cfg(feature = "faults")]
            if Fault::PriorityBlocksEverywhere.is_selected() {
                let mut met = zone.clone();
                if constrain(&mut met, active, &higher.constraints).is_ok() {
                    return Ok(Vec::new());
                }
            }
            for piece in std::mem::take(&mut pieces) {
                let mut met = piece.zone.clone();
                match constrain(&mut met, active, &higher.constraints) {
                    Ok(()) => cut_out(piece, active, &higher.constraints, &mut pieces),
                    Err(Emptied) => pieces.push(piece),
                }
            }
        }
        Ok(pieces)
    }

    /// Takes a transition from all valuations of `state` that satisfy the constraints before it,
    /// where no transition of higher priority is enabled.
    pub(crate) fn take_if_highest(
        &self,
        state: &SymbolicState<W>,
        transition: &mut Transition<W>,
        scratch: &mut Scratch<W>,
        visit: &mut Visit<'_, W>,
    ) -> ControlFlow<(), Fired> {
        let mut zone = scratch.copy_of(&state.zone);
        let mut flow = ControlFlow::Continue(Fired::Blocked);
        if constrain(&mut zone, &scratch.active, &transition.before).is_ok() {
            flow = self.take_where_highest(&zone, transition, scratch, visit);
        }
        scratch.release(zone);
        flow
    }
}
