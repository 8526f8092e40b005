//! Simulators: paths through symbolic states.

use crate::failure::{json, misuse};
use crate::trace::Trace;
use crate::zone::Zone;
use pyo3::prelude::*;
use serde::Serialize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use zonaut_engine::{Session, TraceEdge};

/// A path through the symbolic states of a model, with a current position.
#[pyclass(frozen, module = "zonaut._zonaut")]
pub(crate) struct Simulator {
    session: Session,
    inner: Mutex<zonaut_engine::Simulator>,
}

/// The current state.
#[derive(Serialize)]
struct StateRecord {
    locations: Vec<String>,
    variables: Vec<(String, i32)>,
    zone: String,
}

/// An enabled or a disabled transition.
#[derive(Serialize)]
struct TransitionRecord<'t> {
    edges: &'t [TraceEdge],
    /// The reason why it is disabled, or fails.
    why: Option<String>,
}

impl Simulator {
    pub(crate) fn new(session: &Session) -> PyResult<Self> {
        let simulator = session.simulator().map_err(|verdict| {
            let why = session.reason_of(&verdict).unwrap_or_default();
            misuse("model", format!("the model cannot be simulated: {why}"))
        })?;
        Ok(Self { session: session.clone(), inner: Mutex::new(simulator) })
    }

    /// No code panics while it holds this lock, so the path is consistent.
    fn inner(&self) -> MutexGuard<'_, zonaut_engine::Simulator> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Simulator {
    /// The current state as a JSON object.
    fn state(&self) -> String {
        let state = self.inner().state();
        let (locations, variables) = (state.locations, state.variables);
        json(&StateRecord { locations, variables, zone: state.zone })
    }

    /// The enabled transitions as a JSON list.
    fn enabled(&self) -> String {
        let inner = self.inner();
        let choices = inner.choices().iter().map(|choice| TransitionRecord {
            edges: &choice.edges,
            why: choice.failure.as_ref().and_then(|verdict| self.session.reason_of(verdict)),
        });
        json(&choices.collect::<Vec<_>>())
    }

    /// The disabled transitions as a JSON list.
    fn disabled(&self) -> PyResult<String> {
        let obstacles = self.inner().obstacles().map_err(|verdict| {
            let why = self.session.reason_of(&verdict).unwrap_or_default();
            misuse("model", format!("a guard cannot be evaluated: {why}"))
        })?;
        let records = obstacles
            .iter()
            .map(|one| TransitionRecord { edges: &one.edges, why: Some(one.why.clone()) });
        Ok(json(&records.collect::<Vec<_>>()))
    }

    /// Takes an enabled transition. Returns whether there is one with this number.
    fn take(&self, choice: usize) -> bool {
        self.inner().take(choice)
    }

    /// Moves to a position of the path. Returns whether it exists.
    fn go_to(&self, position: usize) -> bool {
        self.inner().go_to(position)
    }

    /// The number of transitions before the current state.
    #[getter]
    fn position(&self) -> usize {
        self.inner().position()
    }

    /// The number of transitions of the path.
    #[getter]
    fn length(&self) -> usize {
        self.inner().len()
    }

    /// The zone of the current state.
    fn zone(&self) -> Zone {
        let inner = self.inner();
        let (zone, clocks) = inner.zone();
        Zone::new(zone.clone(), clocks)
    }

    /// A run along the path to the current state; `None` if clocks leave the range of exact zones.
    fn trace(&self) -> Option<Trace> {
        let trace = self.inner().trace()?;
        Some(Trace::new(&self.session, None, &trace))
    }
}
