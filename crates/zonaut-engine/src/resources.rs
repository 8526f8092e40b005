//! The limits of a search, and the watch that enforces them.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use zonaut_cost::{Improvement, Infimum};
use zonaut_space::{Meter, Observer, Progress, StopReason};

/// The limits of a query.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// The time, counted from the start of each query: for the answer and for its evidence.
    pub time: Option<Duration>,
    /// The memory of states, heuristics and the compiled model, in bytes.
    pub memory: Option<usize>,
    /// The number of states to explore.
    pub states: Option<usize>,
    /// Set from elsewhere to stop the search.
    pub cancelled: Arc<AtomicBool>,
    /// Set by the handle of a [running question](crate::Running) to stop that question alone.
    pub abandoned: Arc<AtomicBool>,
    /// Set from elsewhere when memory runs out, whatever is counted of it here.
    pub exhausted: Arc<AtomicBool>,
    /// Set from elsewhere when the process ends after the next query: where that is stopped, what
    /// it holds is left to the system, which is faster than to free it.
    pub is_last: Arc<AtomicBool>,
}

impl Resources {
    /// The same for what goes on `after` the query began: with what is left of its time.
    #[must_use]
    pub fn left_after(&self, after: Duration) -> Self {
        Self { time: self.time.map(|time| time.saturating_sub(after)), ..self.clone() }
    }
}

/// A meter of work that begins now and may use these resources.
pub(crate) fn meter_from_now(resources: &Resources) -> Meter {
    let end = resources.time.and_then(|time| Instant::now().checked_add(time));
    meter(resources, Arc::new(Mutex::new(end)))
}

/// A meter of the work on the incumbent of a search that has ended. It may take the time of the
/// search once more: the other limits and a cancellation have ended the search, and would end this
/// work at once.
pub(crate) fn incumbent_meter(resources: &Resources) -> Meter {
    meter_from_now(&Resources { time: resources.time, ..Resources::default() })
}

/// An event of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SearchEvent {
    /// Progress.
    Progress {
        /// The statistics so far.
        now: Progress,
        /// The bounds of the minimal cost so far, in an optimisation.
        bounds: Option<CostBounds>,
    },
    /// An optimisation has a better incumbent.
    Improved(Improvement),
    /// Runs were sampled.
    Sampled(SampleProgress),
}

/// The progress of a statistical query.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SampleProgress {
    /// The number of runs.
    pub runs: u64,
    /// The ends of the confidence interval so far, if the query estimates a number.
    pub interval: Option<(f64, f64)>,
}

/// The bounds of a minimal cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CostBounds {
    /// The cost of the incumbent, if a run was found.
    pub incumbent: Option<Infimum>,
    /// The lower bound of the cost of all runs.
    pub lower_bound: Infimum,
}

/// Receives the events of a search, with the time since its start.
pub type SearchListener<'l> = dyn FnMut(SearchEvent, Duration) + 'l;

/// Watches everything that is done for a task: ends it at its limits and passes events on.
pub(crate) struct Watch<'w> {
    states: Option<usize>,
    start: Instant,
    /// When everything has to end.
    deadline: Arc<Mutex<Option<Instant>>>,
    meter: Meter,
    listener: Option<&'w mut SearchListener<'w>>,
}

impl<'w> Watch<'w> {
    /// Watches what was begun at `start`.
    pub(crate) fn new(
        resources: &Resources,
        start: Instant,
        listener: Option<&'w mut SearchListener<'w>>,
    ) -> Self {
        let end = resources.time.and_then(|time| start.checked_add(time));
        let deadline = Arc::new(Mutex::new(end));
        let meter = meter(resources, Arc::clone(&deadline));
        Self { states: resources.states, start, deadline, meter, listener }
    }

    /// Ends what is watched after `time` from now on, if it does not end before. What was the end
    /// can be [restored](Self::restore).
    pub(crate) fn limit(&mut self, time: Option<Duration>) -> Option<Instant> {
        let before = self.deadline.lock().map_or(None, |deadline| *deadline);
        let end = time.and_then(|time| Instant::now().checked_add(time));
        self.restore(before.into_iter().chain(end).min());
        before
    }

    pub(crate) fn restore(&mut self, end: Option<Instant>) {
        if let Ok(mut deadline) = self.deadline.lock() {
            *deadline = end;
        }
    }

    /// Subtracts states that were explored in an earlier round from those that may be explored.
    pub(crate) fn count_earlier(&mut self, explored: usize) {
        self.states = self.states.map(|limit| limit.saturating_sub(explored));
    }

    /// The meter that counts the work.
    pub(crate) fn work(&self) -> &Meter {
        &self.meter
    }

    /// A meter of work on another thread, with a count of its own and the same limits.
    pub(crate) fn meter_beside(&self, resources: &Resources) -> Meter {
        let ask = limits(resources, Arc::clone(&self.deadline));
        let here = self.meter.clone();
        Meter::new(move |bytes| ask(bytes.saturating_add(here.held())))
    }

    /// The limit of the number of states to explore.
    pub(crate) fn states(&self) -> Option<usize> {
        self.states
    }

    /// Passes an event on.
    pub(crate) fn report(&mut self, event: SearchEvent) {
        if let Some(listener) = &mut self.listener {
            listener(event, self.start.elapsed());
        }
    }

    /// Passes progress on, and ends the search at its limits.
    pub(crate) fn look(
        &mut self,
        now: &Progress,
        bounds: Option<CostBounds>,
    ) -> ControlFlow<StopReason> {
        self.report(SearchEvent::Progress { now: *now, bounds });
        match self.meter.poll(now.bytes) {
            Err(why) => ControlFlow::Break(why),
            Ok(()) if self.states.is_some_and(|limit| now.explored >= limit) => {
                ControlFlow::Break(StopReason::NodeLimit)
            }
            Ok(()) => ControlFlow::Continue(()),
        }
    }
}

/// A meter of work that ends at a deadline.
fn meter(resources: &Resources, deadline: Arc<Mutex<Option<Instant>>>) -> Meter {
    let ask = limits(resources, deadline);
    match resources.is_last.load(Ordering::Relaxed) {
        true => Meter::of_last_work(ask),
        false => Meter::new(ask),
    }
}

/// The reason to stop work that holds this many bytes, if there is one. The only place where work
/// looks at the clock of the machine.
fn limits(
    resources: &Resources,
    deadline: Arc<Mutex<Option<Instant>>>,
) -> impl Fn(usize) -> Option<StopReason> + Send + Sync + 'static {
    let (cancelled, memory) = (Arc::clone(&resources.cancelled), resources.memory);
    let abandoned = Arc::clone(&resources.abandoned);
    let exhausted = Arc::clone(&resources.exhausted);
    move |bytes| {
        let deadline = deadline.lock().map_or(None, |deadline| *deadline);
        if cancelled.load(Ordering::Relaxed) || abandoned.load(Ordering::Relaxed) {
            Some(StopReason::Cancelled)
        } else if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(StopReason::TimeLimit)
        } else if memory.is_some_and(|limit| bytes >= limit) || exhausted.load(Ordering::Relaxed) {
            Some(StopReason::MemoryLimit)
        } else {
            None
        }
    }
}

impl<S, Step> Observer<S, Step> for Watch<'_> {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        self.look(now, None)
    }

    fn meter(&self) -> Meter {
        self.meter.clone()
    }
}
