//! Problems of a document for the client.

use crate::analysis::Analysis;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Range as PositionRange,
};
use zonaut_engine::{Diagnostic as Problem, Severity};

/// The name of this server in messages.
pub(crate) const SOURCE: &str = "zonaut";

/// The problems of the analysed document, without those of its model if it is a list of queries.
pub(crate) fn diagnostics(analysis: &Analysis) -> Vec<Diagnostic> {
    let own = |problem: &&Problem| problem.span().file == analysis.own;
    let problems = analysis.loaded.diagnostics.iter().filter(own);
    let mut all: Vec<Diagnostic> = problems.map(|problem| converted(analysis, problem)).collect();
    if let Some(reason) = &analysis.missing_model {
        all.push(Diagnostic {
            severity: Some(DiagnosticSeverity::Information),
            ..plain(PositionRange::default(), format!("no model: {reason}"))
        });
    }
    if let Err(error) = &analysis.settings {
        all.push(plain(PositionRange::default(), format!("{error}; the settings do not apply")));
    }
    // Constants of the settings have places in no document.
    let is_elsewhere = |problem: &&Problem| analysis.file(problem.span().file).is_none();
    for problem in analysis.loaded.diagnostics.iter().filter(is_elsewhere) {
        let message = format!("in the settings of this folder: {}", problem.message);
        all.push(plain(PositionRange::default(), message));
    }
    all
}

/// A problem of a document as a whole.
pub(crate) fn plain(range: PositionRange, message: String) -> Diagnostic {
    Diagnostic {
        range,
        severity: Some(DiagnosticSeverity::Warning),
        source: Some(SOURCE.to_owned()),
        message: message.into(),
        ..Diagnostic::default()
    }
}

fn converted(analysis: &Analysis, problem: &Problem) -> Diagnostic {
    let main = &problem.labels[0];
    let mut message = problem.message.clone();
    if !main.text.is_empty() {
        message.push_str(&format!(" ({})", main.text));
    }
    if let Some(help) = &problem.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let related = problem.labels[1..].iter().filter_map(|label| {
        let location = analysis.location(label.span)?;
        Some(DiagnosticRelatedInformation { location, message: label.text.clone() })
    });
    let related: Vec<DiagnosticRelatedInformation> = related.collect();
    Diagnostic {
        severity: Some(match problem.severity {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
        }),
        code: Some(problem.code.to_owned().into()),
        related_information: (!related.is_empty()).then_some(related),
        ..plain(analysis.range(main.span), message)
    }
}
