//! Diagnostics as records.

use crate::feature::Feature;
use crate::input::InputError;
use crate::unsupported::Unsupported;
use serde::Serialize;
use zonaut_base::{Diagnostic, Label, Severity, SourceMap, Span};

/// A diagnostic with its places as files, lines and columns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DiagnosticRecord {
    /// A stable code such as `TA0104`.
    pub code: &'static str,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The message.
    pub message: String,
    /// The position.
    #[serde(flatten)]
    pub place: PlaceRecord,
    /// Advice how to fix it.
    pub help: Option<String>,
    /// Related positions.
    pub related: Vec<RelatedRecord>,
}

/// A position in a file. Line and column are `None` if the file could not be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PlaceRecord {
    /// The file, as the user named it.
    pub file: String,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1, in characters.
    pub column: Option<u32>,
    /// The path of the element in a structured file.
    pub path: Option<String>,
}

/// A related position of a diagnostic.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RelatedRecord {
    /// The reason why it is shown.
    pub message: String,
    /// The position.
    #[serde(flatten)]
    pub place: PlaceRecord,
}

/// An unsupported feature that a query needs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct UnsupportedRecord {
    /// The feature.
    pub feature: Feature,
    /// Its name, with details of the query.
    pub name: String,
    /// The position of its first use.
    #[serde(flatten)]
    pub place: PlaceRecord,
    /// Advice what to do instead.
    pub instead: &'static str,
}

impl UnsupportedRecord {
    /// The record of an unsupported feature, with its position in these sources.
    #[must_use]
    pub fn of(sources: &SourceMap, reason: &Unsupported) -> Self {
        Self {
            feature: reason.feature,
            name: reason.name.clone(),
            place: PlaceRecord::of(sources, reason.place),
            instead: reason.instead,
        }
    }
}

impl PlaceRecord {
    /// The record of a position in these sources.
    #[must_use]
    pub fn of(sources: &SourceMap, span: Span) -> Self {
        let position = sources.position(span);
        Self {
            file: position.file.to_owned(),
            line: Some(position.line),
            column: Some(position.column),
            path: position.path.map(str::to_owned),
        }
    }
}

/// The name of a severity in reports.
#[must_use]
pub fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

impl DiagnosticRecord {
    /// The record of a diagnostic in one of these sources.
    #[must_use]
    pub fn of(sources: &SourceMap, diagnostic: &Diagnostic) -> Self {
        let place = |label: &Label| PlaceRecord::of(sources, label.span);
        let related =
            |label: &Label| RelatedRecord { message: label.text.clone(), place: place(label) };
        Self {
            code: diagnostic.code,
            severity: severity_name(diagnostic.severity),
            message: diagnostic.message.clone(),
            place: place(&diagnostic.labels[0]),
            help: diagnostic.help.clone(),
            related: diagnostic.labels[1..].iter().map(related).collect(),
        }
    }

    /// The record of a file that could not be read.
    #[must_use]
    pub fn of_input_error(error: &InputError) -> Self {
        Self {
            code: error.code(),
            severity: severity_name(Severity::Error),
            message: error.to_string(),
            place: PlaceRecord {
                file: error.path().display().to_string(),
                line: None,
                column: None,
                path: None,
            },
            help: error.help().map(str::to_owned),
            related: Vec::new(),
        }
    }
}
