//! Locations in which guards and invariants bound clocks from both sides.

use std::collections::BTreeSet;
use zonaut_base::{Id, IndexVec};
use zonaut_model::{LocationId, Process, ProcessId};

/// The locations in which it matters also where guards and invariants fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TwoSidedLocations {
    /// Absent for all locations.
    some: Option<BTreeSet<(ProcessId, LocationId)>>,
}

impl TwoSidedLocations {
    /// No location.
    #[must_use]
    pub fn none() -> Self {
        Self { some: Some(BTreeSet::new()) }
    }

    /// All locations.
    #[must_use]
    pub fn all() -> Self {
        Self { some: None }
    }

    /// Adds the locations of a discrete state, which come first in its `values`; whether one of them
    /// is new.
    pub fn add_state(&mut self, processes: usize, values: &[i32]) -> bool {
        let Some(some) = &mut self.some else { return false };
        let locations = values[..processes].iter().enumerate();
        locations.fold(false, |is_new, (process, &location)| {
            let location = LocationId::from_index(usize::try_from(location).unwrap_or_default());
            some.insert((ProcessId::from_index(process), location)) | is_new
        })
    }

    fn contains(&self, process: ProcessId, location: LocationId) -> bool {
        self.some.as_ref().is_none_or(|some| some.contains(&(process, location)))
    }

    /// The tests of a process that bound from both sides.
    pub(super) fn of_process(&self, process: ProcessId, definition: &Process) -> TwoSidedTests {
        let at = |location| self.contains(process, location);
        let guards: IndexVec<LocationId, bool> = definition.locations.ids().map(at).collect();
        let mut invariants = guards.clone();
        // A transition is possible only where the invariant of its target holds after it. Bounds of
        // that invariant flow back over the updates like all others.
        for edge in definition.edges.iter().filter(|edge| guards[edge.source]) {
            invariants[edge.target] = true;
        }
        TwoSidedTests { guards, invariants }
    }
}

/// The tests of one process that bound from both sides.
pub(super) struct TwoSidedTests {
    /// By location, whether the guards of the edges that leave it do.
    pub(super) guards: IndexVec<LocationId, bool>,
    /// By location, whether its invariant does.
    pub(super) invariants: IndexVec<LocationId, bool>,
}
