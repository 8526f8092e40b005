//! The context shared by all parsers of one document: arena, diagnostics, interned names, limits.

use crate::codes;
use crate::limits::Limits;
use crate::tree::{Expression, ExpressionId, ExpressionKind, Expressions};
use std::collections::HashSet;
use std::sync::Arc;
use zonaut_base::{Diagnostic, Diagnostics, Severity, Span};

/// The shared state of reading one document or one list of queries.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) limits: Limits,
    pub(crate) expressions: Expressions,
    pub(crate) diagnostics: Diagnostics,
    names: HashSet<Arc<str>>,
    items: u32,
    errors: u32,
    stopped: bool,
}

impl Context {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            expressions: Expressions::default(),
            diagnostics: Diagnostics::default(),
            names: HashSet::new(),
            items: 0,
            errors: 0,
            stopped: false,
        }
    }

    /// The one shared copy of `text`.
    pub(crate) fn intern(&mut self, text: &str) -> Arc<str> {
        if let Some(name) = self.names.get(text) {
            return Arc::clone(name);
        }
        let name: Arc<str> = Arc::from(text);
        self.names.insert(Arc::clone(&name));
        name
    }

    /// The number of errors reported so far.
    pub(crate) fn error_count(&self) -> u32 {
        self.errors
    }

    /// Whether a limit was exceeded, so that reading must end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Stops reading, after a limit was exceeded and reported.
    pub(crate) fn stop(&mut self) {
        self.stopped = true;
    }

    #[cold]
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.stopped {
            return;
        }
        let span = diagnostic.span();
        self.errors += u32::from(diagnostic.severity == Severity::Error);
        self.diagnostics.report(diagnostic);
        if self.errors >= self.limits.errors {
            let message = "too many errors; the rest of the file was not read";
            self.diagnostics.report(Diagnostic::error(codes::TOO_MANY_ERRORS, span, message));
            self.stopped = true;
        }
    }

    /// Counts an item of the document; reading stops if there are more than the limit allows.
    pub(crate) fn count(&mut self, span: Span) {
        self.items += 1;
        if self.items > self.limits.items && !self.stopped {
            let message =
                format!("more than {} names, types, operators and statements", self.limits.items);
            let place = Span { start: span.end, ..span };
            self.report(Diagnostic::error(codes::TOO_MANY_ITEMS, place, message));
            self.stopped = true;
        }
    }

    /// Adds an expression.
    pub(crate) fn push(&mut self, kind: ExpressionKind, span: Span) -> ExpressionId {
        self.count(span);
        self.expressions.push(Expression { kind, span })
    }
}
