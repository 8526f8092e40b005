//! Running tasks: each has a thread, which never touches Python objects.

use crate::command_line::STACK_BYTES;
use crate::failure::{json, misuse};
use crate::trace::Trace;
use pyo3::prelude::*;
use serde::Serialize;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use zonaut_engine::report::ImprovementRecord;
use zonaut_engine::{Panicked, Running, Snapshot};

/// The time between two looks at the progress of a search.
const PERIOD: Duration = Duration::from_millis(5);

/// The result of a task: a record, and the runs that it contains.
#[pyclass(frozen, module = "zonaut._zonaut")]
#[derive(Clone)]
pub(crate) struct Outcome {
    /// The record as a JSON object.
    #[pyo3(get)]
    record: String,
    runs: Vec<(String, Trace)>,
}

impl Outcome {
    pub(crate) fn new(record: String, runs: Vec<(String, Trace)>) -> Self {
        Self { record, runs }
    }
}

#[pymethods]
impl Outcome {
    /// The run of this name, if there is one.
    fn run(&self, name: &str) -> Option<Trace> {
        self.runs.iter().find(|(key, _)| key == name).map(|(_, run)| run.clone())
    }
}

/// The progress of a task.
#[derive(Clone, Default)]
struct State {
    snapshot: Snapshot,
    improvements: Vec<ImprovementRecord>,
    end: Option<Result<Outcome, String>>,
}

/// The data that a job and its thread share.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
}

impl Shared {
    /// No code panics while it holds this lock, so the state is consistent.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The receiver of the progress of a job, on its thread.
pub(crate) struct Progress<'s>(&'s Shared);

impl Progress<'_> {
    /// Waits for a running task and passes its progress on.
    pub(crate) fn follow<T>(&self, running: Running<T>) -> Result<T, Panicked> {
        loop {
            let is_finished = running.wait(PERIOD);
            let found = running.take_improvements();
            let mut state = self.0.state();
            state.snapshot = running.poll();
            let record = found.iter().map(|it| ImprovementRecord::of(&it.improvement, it.elapsed));
            state.improvements.extend(record);
            drop(state);
            if is_finished {
                return running.join();
            }
        }
    }
}

/// The record of the progress of a task.
#[derive(Serialize)]
struct ProgressRecord {
    seconds: f64,
    explored: usize,
    stored: usize,
    waiting: usize,
    memory_bytes: usize,
    cost: Option<i64>,
    lower_bound: Option<i64>,
    improvements: Vec<ImprovementRecord>,
}

/// A task that runs on a thread of its own. Dropping it cancels the task.
#[pyclass(frozen, module = "zonaut._zonaut")]
pub(crate) struct Job {
    shared: Arc<Shared>,
    cancelled: Arc<AtomicBool>,
}

impl Job {
    /// Starts `work`, which ends soon after `cancelled` is set.
    pub(crate) fn start(
        cancelled: &Arc<AtomicBool>,
        work: impl FnOnce(&Progress<'_>) -> Result<Outcome, Panicked> + Send + 'static,
    ) -> PyResult<Self> {
        let shared = Arc::<Shared>::default();
        let on_thread = Arc::clone(&shared);
        let builder = thread::Builder::new().name("zonaut job".into()).stack_size(STACK_BYTES);
        let started = builder.spawn(move || {
            let result = panic::catch_unwind(AssertUnwindSafe(|| work(&Progress(&on_thread))));
            let end = match result {
                Ok(Ok(outcome)) => Ok(outcome),
                Ok(Err(panicked)) => Err(panicked.to_string()),
                Err(_) => Err("a bug in Zonaut: a task has panicked".to_owned()),
            };
            on_thread.state().end = Some(end);
            on_thread.ended.notify_all();
        });
        started.map_err(|error| misuse("internal", format!("no thread: {error}")))?;
        Ok(Self { shared, cancelled: Arc::clone(cancelled) })
    }
}

#[pymethods]
impl Job {
    /// Waits for the end of the task, at most this many seconds. Returns whether it has ended.
    fn wait(&self, py: Python<'_>, seconds: f64) -> bool {
        let timeout = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        py.detach(|| {
            let state = self.shared.state();
            let waited =
                self.shared.ended.wait_timeout_while(state, timeout, |state| state.end.is_none());
            waited.unwrap_or_else(PoisonError::into_inner).0.end.is_some()
        })
    }

    /// The progress as a JSON object.
    fn progress(&self) -> String {
        let State { snapshot, improvements, .. } = self.shared.state().clone();
        json(&ProgressRecord {
            seconds: snapshot.elapsed.as_secs_f64(),
            explored: snapshot.progress.explored,
            stored: snapshot.progress.stored,
            waiting: snapshot.progress.waiting,
            memory_bytes: snapshot.progress.bytes,
            cost: snapshot.incumbent.map(|cost| cost.value()),
            lower_bound: snapshot.lower_bound.map(|bound| bound.value()),
            improvements,
        })
    }

    /// Cancels the task.
    fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The result of a task that has ended.
    fn result(&self) -> PyResult<Outcome> {
        match self.shared.state().end.clone() {
            Some(Ok(outcome)) => Ok(outcome),
            Some(Err(bug)) => Err(misuse("internal", bug)),
            None => Err(misuse("internal", "the task has not ended")),
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.cancel();
    }
}
