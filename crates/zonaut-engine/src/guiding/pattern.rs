//! Pattern databases as guides: which part is kept, and what building may cost.

use super::Guiding;
use crate::resources::Resources;
use crate::strategy::{PatternGuide, Selector};
use crate::verify::Reason;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use zonaut_pdb::{Child, Database, Pattern, Unexplorable, cone, russian_doll};
use zonaut_space::{Observer, Progress, StopReason};
use zonaut_zonegraph::{Step, SymbolicState};

impl Guiding<'_> {
    /// Builds the database that `guide` describes. Where a limit ends that, it is partial.
    pub(super) fn database(&self, guide: &PatternGuide) -> Result<Database, Reason> {
        let pattern = self.pattern(guide.selector);
        let child = Child::new(self.model, self.formula, &pattern);
        let mut budget = Budget::new(guide, self.resources);
        let built = Database::build(self.model, self.bounds, &child, &mut budget);
        let database = built.map_err(|why| {
            Reason::Unsupported(
                match why {
                    Unexplorable::TooManyActions => "a database of too many select combinations",
                    Unexplorable::ClockRange => "a database of clock values that are not exact",
                }
                .to_owned(),
            )
        })?;
        self.meter.count(&database);
        Ok(database)
    }

    fn pattern(&self, selector: Selector) -> Pattern {
        match selector {
            Selector::RussianDoll { inputs } => russian_doll(self.model, self.formula, inputs),
            Selector::Cone { layers } => cone(self.model, self.formula, layers),
        }
    }
}

/// Ends the building of a database at its own limits and at those of the query.
struct Budget<'r> {
    states: Option<usize>,
    bytes: Option<usize>,
    deadline: Option<Instant>,
    resources: &'r Resources,
}

impl<'r> Budget<'r> {
    fn new(guide: &PatternGuide, resources: &'r Resources) -> Self {
        let own = guide.seconds.map(|seconds| Duration::from_secs(seconds.into()));
        let time = own.into_iter().chain(resources.time).min();
        let own = guide.megabytes.map(|megabytes| megabytes as usize * (1 << 20));
        Self {
            states: guide.states.map(|states| states as usize),
            bytes: own.into_iter().chain(resources.memory).min(),
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            resources,
        }
    }
}

impl Observer<SymbolicState, Step> for Budget<'_> {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        let reached = if self.resources.cancelled.load(Ordering::Relaxed) {
            Some(StopReason::Cancelled)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(StopReason::TimeLimit)
        } else if self.bytes.is_some_and(|limit| now.bytes >= limit) {
            Some(StopReason::MemoryLimit)
        } else if self.states.is_some_and(|limit| now.explored >= limit) {
            Some(StopReason::NodeLimit)
        } else {
            None
        };
        reached.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }
}
