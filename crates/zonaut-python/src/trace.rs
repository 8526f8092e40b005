//! Runs of a model.

use crate::failure::{json, misuse};
use crate::model::Model;
use crate::options::combination;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::Arc;
use zonaut_draw::{Picture, draw_clocks, draw_gantt, draw_sequence, draw_variables};
use zonaut_engine::{DelayChoice, QueryId, Rational, Session, SymbolicTrace};
use zonaut_trace::{Chart, TraceText, write_xml_trace};

/// A run of a model, with the query that it decides.
#[pyclass(frozen, module = "zonaut._zonaut")]
#[derive(Clone)]
pub(crate) struct Trace {
    session: Session,
    query: Option<QueryId>,
    trace: Arc<zonaut_engine::Trace>,
}

/// A run with the values that its record leaves out.
#[derive(Deserialize)]
struct Stored {
    trace: zonaut_engine::Trace,
    last_clocks: Vec<Rational>,
}

#[derive(Serialize)]
struct StoredRef<'t> {
    trace: &'t zonaut_engine::Trace,
    last_clocks: &'t [Rational],
}

/// A bar of a chart.
#[derive(Serialize)]
struct BarRecord<'c> {
    row: &'c str,
    label: &'c str,
    start: Rational,
    end: Rational,
}

impl Trace {
    pub(crate) fn new(
        session: &Session,
        query: Option<QueryId>,
        trace: &zonaut_engine::Trace,
    ) -> Self {
        Self { session: session.clone(), query, trace: Arc::new(trace.clone()) }
    }

    /// The symbolic states along the run.
    fn symbolic(&self) -> PyResult<SymbolicTrace> {
        let symbolic = self.session.symbolic_trace(&self.trace);
        symbolic.ok_or_else(|| misuse("option", "clock values exceed the range of exact zones"))
    }

    fn chart_of(&self, rows: Option<&str>, rates: Option<&str>) -> PyResult<Chart> {
        let model = self.session.model();
        let usual = if model.chart.is_empty() { "process" } else { "gantt" };
        match rows.unwrap_or(usual) {
            "process" => Ok(Chart::of_work(model, &self.trace)),
            "location" => Ok(Chart::of_locations(&self.trace)),
            "resource" => {
                let rates = combination(rates)?;
                let resources =
                    self.query.map_or_else(Vec::new, |query| self.session.resources(query, rates));
                let held = resources.iter().map(|one| (one.name.as_str(), &one.held[..]));
                Ok(Chart::of_resources(model, &self.trace, held))
            }
            "gantt" if !model.chart.is_empty() => Ok(Chart::of_section(model, &self.trace).0),
            "gantt" => Err(misuse("option", "the model has no gantt section")),
            _ => Err(misuse("option", "`rows` is one of process, location, resource, gantt")),
        }
    }
}

/// The text that `write` writes.
fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> PyResult<String> {
    let mut bytes = Vec::new();
    write(&mut bytes).map_err(|error| misuse("internal", error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[pymethods]
impl Trace {
    /// The run as a JSON object.
    fn json(&self) -> String {
        json(&*self.trace)
    }

    /// The run as JSON for [`restored`](Self::restored).
    fn stored(&self) -> String {
        json(&StoredRef { trace: &self.trace, last_clocks: &self.trace.last_clocks })
    }

    /// The stored run of a model.
    #[staticmethod]
    fn restored(model: &Model, query: Option<usize>, stored: &str) -> PyResult<Self> {
        let stored: Stored = serde_json::from_str(stored)
            .map_err(|error| misuse("option", format!("this is no stored run: {error}")))?;
        let trace = zonaut_engine::Trace { last_clocks: stored.last_clocks, ..stored.trace };
        let query = query.map(|query| model.query_id(query)).transpose()?;
        Ok(Self::new(model.session(), query, &trace))
    }

    /// The number of the query among those of the model, from 0.
    #[getter]
    fn query(&self) -> Option<usize> {
        let query = self.query?;
        self.session.queries().position(|(id, _)| id == query)
    }

    /// The dates at which the states are reached, and the date of the end.
    fn dates(&self) -> Vec<String> {
        self.trace.dates().iter().map(ToString::to_string).collect()
    }

    /// The duration of the run.
    fn duration(&self) -> String {
        self.trace.duration().to_string()
    }

    /// The run with the same transitions and other delays: `earliest` or `lenient`. Returns `None` if
    /// it leaves no choice.
    fn retimed(&self, delays: &str) -> PyResult<Option<Self>> {
        let choice = match delays {
            "earliest" => DelayChoice::Earliest,
            "lenient" => DelayChoice::Lenient,
            _ => return Err(misuse("option", "`delays` is one of earliest, lenient")),
        };
        let found = self.session.retimed(self.query, &self.trace, choice);
        Ok(found.map(|trace| Self::new(&self.session, self.query, &trace)))
    }

    /// The run as a table for terminals.
    fn text(&self, width: usize) -> PyResult<String> {
        let query = self.query;
        let ending = query.map(|query| self.session.decided_parts(query, &self.trace));
        let ending = ending.unwrap_or_default();
        let text = TraceText { ending: &ending, width, ..TraceText::new(&self.trace) };
        written(|out| text.write(out))
    }

    /// The zone of every state, as constraints.
    fn zones(&self) -> PyResult<Vec<String>> {
        Ok(self.symbolic()?.zones(self.session.model()))
    }

    /// The run as an `.xtr` file.
    fn xtr(&self) -> PyResult<String> {
        let symbolic = self.symbolic()?;
        written(|out| symbolic.write_xtr(out))
    }

    /// The run as an XML trace.
    fn xml(&self) -> PyResult<String> {
        let symbolic = self.symbolic()?;
        written(|out| write_xml_trace(self.session.labels(), &symbolic, out))
    }

    /// The bars of a Gantt chart as a JSON list.
    #[pyo3(signature = (rows, rates))]
    fn bars(&self, rows: Option<&str>, rates: Option<&str>) -> PyResult<String> {
        let chart = self.chart_of(rows, rates)?;
        let bars = chart.rows.iter().flat_map(|row| {
            row.stays.iter().map(|stay| BarRecord {
                row: &row.process,
                label: &stay.location,
                start: stay.from,
                end: stay.to,
            })
        });
        Ok(json(&bars.collect::<Vec<_>>()))
    }

    /// A Gantt chart as SVG.
    #[pyo3(signature = (rows, rates))]
    fn gantt(&self, rows: Option<&str>, rates: Option<&str>) -> PyResult<String> {
        let chart = self.chart_of(rows, rates)?;
        Ok(draw_gantt(&self.trace, &chart).standalone())
    }

    /// A picture of this kind as SVG; `None` if the run has nothing to show in it.
    fn picture(&self, kind: &str) -> PyResult<Option<String>> {
        let drawn = match kind {
            "sequence" => Some(draw_sequence(&self.trace)),
            "clocks" => draw_clocks(&self.trace),
            "variables" => draw_variables(&self.trace),
            _ => {
                return Err(misuse("option", "a picture is one of sequence, clocks, variables"));
            }
        };
        Ok(drawn.as_ref().map(Picture::standalone))
    }
}
