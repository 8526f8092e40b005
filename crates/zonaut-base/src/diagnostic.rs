//! Diagnostics: problems of an input as data. Rendering them is the task of the front ends.

use crate::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The input has a meaning, though perhaps not the intended one.
    Warning,
    /// The input has no meaning.
    Error,
}

/// A marked span with an optional remark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The span.
    pub span: Span,
    /// The remark; empty if the message suffices.
    pub text: String,
}

/// One problem: its span, its description and advice on how to fix it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub struct Diagnostic {
    /// A stable code such as `TA0104`.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// The marked spans; the first is the main one.
    pub labels: Vec<Label>,
    /// Advice on how to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message.into())
    }

    /// A warning at `span`.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message.into())
    }

    fn new(severity: Severity, code: &'static str, span: Span, message: String) -> Self {
        let labels = vec![Label { span, text: String::new() }];
        Self { code, severity, message, labels, help: None }
    }

    /// This diagnostic with a remark at its main span.
    pub fn with_remark(mut self, text: impl Into<String>) -> Self {
        self.labels[0].text = text.into();
        self
    }

    /// This diagnostic with a second span.
    pub fn with_label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// This diagnostic with advice.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The main span.
    #[must_use]
    pub fn span(&self) -> Span {
        self.labels[0].span
    }
}

/// The problems found in one run, without duplicates: each pair of span and code occurs once. At most
/// [`Diagnostics::KEPT`] of each severity are kept.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    seen: std::collections::BTreeSet<(Span, &'static str, String)>,
    errors: usize,
}

impl Diagnostics {
    /// The most errors that are kept, and the most warnings.
    pub const KEPT: usize = 2_000;

    /// Adds a problem unless the same one was reported at the same span: a template is lowered once
    /// for each of its instances, but contains the error once. Beyond [`KEPT`](Self::KEPT) problems
    /// of a severity, further ones are dropped.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        let kept = if is_error { self.errors } else { self.list.len() - self.errors };
        if kept >= Self::KEPT {
            return;
        }
        let key = (diagnostic.span(), diagnostic.code, diagnostic.message.clone());
        if self.seen.insert(key) {
            self.errors += usize::from(is_error);
            self.list.push(diagnostic);
        }
    }

    /// Whether any diagnostic is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The number of errors that are kept.
    #[must_use]
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Whether further problems may have been dropped.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.errors.max(self.list.len() - self.errors) >= Self::KEPT
    }

    /// The problems in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Adds all of `others`.
    pub fn extend(&mut self, others: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in others {
            self.report(diagnostic);
        }
    }

    /// The problems, ordered by span.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(Diagnostic::span);
        self.list
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileId, Id};

    #[test]
    fn the_same_mistake_is_reported_once() {
        let span = Span { file: FileId::from_index(0), start: 1, end: 2 };
        let mut all = Diagnostics::default();
        all.report(Diagnostic::error("TA0001", span, "a"));
        all.report(Diagnostic::error("TA0001", span, "a").with_help("twice"));
        all.report(Diagnostic::warning("TA0002", span, "a"));
        assert_eq!((all.iter().count(), all.error_count()), (2, 1));
    }

    #[test]
    fn very_many_warnings_leave_room_for_errors() {
        let span = |at| Span { file: FileId::from_index(0), start: at, end: at + 1 };
        let mut all = Diagnostics::default();
        for at in 0..3 * Diagnostics::KEPT as u32 {
            all.report(Diagnostic::warning("TA0002", span(at), "a"));
        }
        assert!(all.is_full() && !all.has_errors());
        all.report(Diagnostic::error("TA0001", span(0), "a"));
        assert_eq!((all.iter().count(), all.error_count()), (Diagnostics::KEPT + 1, 1));
    }
}
