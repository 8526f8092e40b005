//! Diagnostics as other programs read them.

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
    /// What is wrong.
    pub message: String,
    /// Where it is.
    #[serde(flatten)]
    pub place: PlaceRecord,
    /// How to mend it.
    pub help: Option<String>,
    /// Further places.
    pub related: Vec<RelatedRecord>,
}

/// A place in a file. Line and column are absent where the file could not be read.
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

/// A second place of a diagnostic.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RelatedRecord {
    /// Why it is shown.
    pub message: String,
    /// Where it is.
    #[serde(flatten)]
    pub place: PlaceRecord,
}

/// A part of the language that keeps a query from being answered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct UnsupportedRecord {
    /// The part.
    pub feature: Feature,
    /// Its name, more exactly where the query says more.
    pub name: String,
    /// The first place that needs it.
    #[serde(flatten)]
    pub place: PlaceRecord,
    /// What to do instead.
    pub instead: &'static str,
}

impl UnsupportedRecord {
    /// The record of a reason with its place in these sources.
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
    /// The record of a place in these sources.
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
    /// The record of a problem in one of these sources.
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
