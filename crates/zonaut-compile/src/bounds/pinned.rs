//! A clock with larger bounds wherever its present value may still matter for a condition.

use super::ClockBounds;
use super::clock_writes::AllClockWrites;
#[cfg(feature = "faults")]
use crate::faults::Fault;
use zonaut_analysis::known::{Valuation, ask};
use zonaut_base::{Id, IndexVec};
use zonaut_model::interval::Interval;
use zonaut_model::{CellId, Formula, LocationId, Model, Process, ProcessId};

/// A clock that has larger bounds in every state from which a state of a condition may be reachable
/// without setting it.
///
/// Such a state has all its locations in [`PinnedClock::locations`]: a path from it to the condition
/// leads each process, by edges that do not set the clock, to a location in which the condition may
/// hold. So the bounds flow backwards like all others: a transition that does not set the clock, to
/// a state in which they apply, starts in one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PinnedClock {
    /// The clock, and its bounds in these states.
    pub(super) bounds: ClockBounds,
    locations: IndexVec<ProcessId, IndexVec<LocationId, bool>>,
    /// The locations in which the condition may hold.
    #[cfg(feature = "faults")]
    of_condition: IndexVec<ProcessId, IndexVec<LocationId, bool>>,
}

impl PinnedClock {
    /// The clock of `bounds` for the values that it has where `condition` holds; `None` if it is
    /// copied from another clock, whose values would matter as well.
    pub(super) fn new(model: &Model, condition: &Formula, bounds: ClockBounds) -> Option<Self> {
        let writes = AllClockWrites::new(model);
        if writes.copies().any(|(target, _)| target == bounds.clock) {
            return None;
        }
        #[cfg(feature = "faults")]
        let mut of_condition = IndexVec::new();
        let locations = model.processes.iter_enumerated().map(|(process, definition)| {
            let may_hold = |at| {
                let located = Located { process, at };
                ask(model, located, |walk| Some(walk.formula(condition)))
                    .answer
                    .is_none_or(|truth| truth.may_hold())
            };
            let here: IndexVec<LocationId, bool> =
                definition.locations.ids().map(may_hold).collect();
            #[cfg(feature = "faults")]
            of_condition.push(here.clone());
            let sets = |edge: usize| writes.edges[process][edge].killed.contains(&bounds.clock);
            flown_back(definition, here, &sets)
        });
        let locations = locations.collect();
        Some(Self {
            bounds,
            locations,
            #[cfg(feature = "faults")]
            of_condition,
        })
    }

    /// The bounds in a location vector; `None` if they do not apply there.
    pub(super) fn bounds_in(&self, locations: &[i32]) -> Option<ClockBounds> {
        #[cfg(feature = "faults")]
        if Fault::PinnedWithoutFlow.is_selected() && !are_all_in(&self.of_condition, locations) {
            // The clock stays active, without a bound.
            let unbounded = ClockBounds { lower: -1, upper: -1, ..self.bounds };
            return are_all_in(&self.locations, locations).then_some(unbounded);
        }
        are_all_in(&self.locations, locations).then_some(self.bounds)
    }
}

/// Whether each process is in one of its locations in `sets`.
fn are_all_in(sets: &IndexVec<ProcessId, IndexVec<LocationId, bool>>, locations: &[i32]) -> bool {
    let mut processes = sets.iter().zip(locations);
    processes.all(|(own, &location)| own[LocationId::from_index(location as usize)])
}

/// The locations from which one of `here` is reachable by edges that do not set the clock.
fn flown_back(
    process: &Process,
    mut here: IndexVec<LocationId, bool>,
    sets: &dyn Fn(usize) -> bool,
) -> IndexVec<LocationId, bool> {
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (position, edge) in process.edges.iter().enumerate() {
            if here[edge.target] && !here[edge.source] && !sets(position) {
                here[edge.source] = true;
                changed = true;
            }
        }
    }
    here
}

/// A valuation that is known for the location of one process.
struct Located {
    process: ProcessId,
    at: LocationId,
}

impl Valuation for Located {
    fn cell(&self, _: CellId) -> Option<Interval> {
        None
    }

    fn location(&self, process: ProcessId) -> Option<LocationId> {
        (process == self.process).then_some(self.at)
    }
}
