//! Deadlock test at the end of a run, by trying every instant at which some guard can change.

use super::{Player, exact};
use std::ops::ControlFlow;

impl Player<'_> {
    /// Whether no transition is enabled now, nor after any delay. A transition that fails counts as
    /// enabled.
    ///
    /// The relevant bounds are learnt during the test: an edge is tried only where its guard holds,
    /// and only then are the invariants of its target evaluated. The result is valid once no new
    /// bound was learnt, since an instant can be unreachable because time stops at one that was not
    /// tried.
    pub(super) fn is_deadlocked(&mut self) -> bool {
        self.machine.clocks.forget_bounds();
        let mut known = Vec::new();
        loop {
            let is_possible = self.something_happens(&known);
            let changes = self.machine.clocks.all_changes(&self.state.clocks);
            if changes == known {
                return !is_possible;
            }
            known = changes;
        }
    }

    /// Whether a transition is enabled now, after one of the delays `changes`, or between them.
    fn something_happens(&mut self, changes: &[i128]) -> bool {
        let mut later = self.state.clone();
        let after = changes.last().map_or(exact::UNIT, |last| last + exact::UNIT);
        let mut before = 0;
        let mut instants = vec![(0, false)];
        for &change in changes {
            instants.extend([((before + change) / 2, true), (change, false)]);
            before = change;
        }
        instants.push((after, true));
        for (delay, is_between) in instants {
            for (value, &now) in later.clocks.iter_mut().zip(&self.state.clocks) {
                *value = now + delay;
            }
            if self.machine.look(&later).is_err() {
                return true;
            }
            // Time stops as soon as an urgent synchronisation is enabled; one that is enabled
            // between two changes is enabled directly after the first.
            let stops = self.machine.urgent_synchronisation_is_enabled();
            if is_between && stops || !matches!(self.machine.invariant_holds(&later), Ok(true)) {
                return false;
            }
            if self.machine.for_each_step(&later, |_, _, _| ControlFlow::Break(())).is_break() {
                return true;
            }
            if !self.machine.time_may_pass(&later) {
                return false;
            }
        }
        false
    }
}
