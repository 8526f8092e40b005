//! Failures as exceptions.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use serde::Serialize;
use zonaut_engine::report::{DiagnosticRecord, PlaceRecord};
use zonaut_engine::{Diagnostic, InputError, SourceMap};

pyo3::create_exception!(
    _zonaut,
    Failure,
    PyException,
    "A failure: its kind, and a JSON list of diagnostics. The Python sources raise typed exceptions instead."
);

/// A diagnostic with its excerpt of the source.
#[derive(Serialize)]
struct ShownDiagnostic {
    #[serde(flatten)]
    record: DiagnosticRecord,
    snippet: String,
}

/// The diagnostics of these sources as a JSON list.
pub(crate) fn diagnostics_json(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let shown = diagnostics.iter().map(|diagnostic| ShownDiagnostic {
        record: DiagnosticRecord::of(sources, diagnostic),
        snippet: zonaut::rendered(sources, diagnostic),
    });
    json(&shown.collect::<Vec<_>>())
}

/// The exception of a file that could not be read.
pub(crate) fn input_failure(error: &InputError) -> PyErr {
    let record = DiagnosticRecord::of_input_error(error);
    let snippet = format!("{}: {}", record.place.file, record.message);
    failure("input", &json(&[ShownDiagnostic { record, snippet }]))
}

/// The exception of wrong diagnostics of a kind.
pub(crate) fn failure(kind: &'static str, diagnostics: &str) -> PyErr {
    Failure::new_err((kind, diagnostics.to_owned()))
}

/// The exception of a wrong argument or another problem without a position.
pub(crate) fn misuse(kind: &'static str, message: impl Into<String>) -> PyErr {
    let message = message.into();
    let record = DiagnosticRecord {
        code: "",
        severity: "error",
        message: message.clone(),
        place: PlaceRecord { file: String::new(), line: None, column: None, path: None },
        help: None,
        related: Vec::new(),
    };
    failure(kind, &json(&[ShownDiagnostic { record, snippet: message }]))
}

/// A value as JSON. All values of this crate can be written: their maps have text as keys.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
