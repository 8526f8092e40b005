//! A model that can be asked.

use crate::load::Loaded;
use crate::prepared::Prepared;
use crate::resources::ProgressListener;
use crate::verify::{Answer, Evidence, VerifyOptions, verify, verify_with_certificate};
use zonaut_base::{Diagnostic, Span};
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{Formula, Model, Origin, Query, QueryId, core_text};
use zonaut_trace::{Labels, SymbolicTrace, Trace};
use zonaut_zonegraph::Abstraction;

/// A model without errors, with its queries and the way back to the user's text.
#[derive(Clone, Copy, Debug)]
pub struct Session<'l> {
    pub(crate) model: &'l Model,
    pub(crate) origin: &'l Origin,
}

impl Loaded {
    /// The model, ready to be asked; absent where there is an error.
    #[must_use]
    pub fn session(&self) -> Option<Session<'_>> {
        self.model.as_ref().map(|model| Session { model, origin: &self.origin })
    }

    /// The model with what its author wrote, for the formats of runs; absent where there is an
    /// error.
    #[must_use]
    pub fn labels(&self) -> Option<Labels<'_>> {
        let model = self.model.as_ref()?;
        Some(Labels { model, origin: &self.origin, document: &self.document })
    }
}

impl<'l> Session<'l> {
    /// The model.
    #[must_use]
    pub fn model(&self) -> &'l Model {
        self.model
    }

    /// The queries in order.
    pub fn queries(&self) -> impl Iterator<Item = (QueryId, &'l Query)> + use<'l> {
        let queries = &self.model.queries;
        queries.ids().map(move |id| (id, &queries[id]))
    }

    /// Answers one of the queries.
    pub fn verify<'o>(
        &self,
        query: QueryId,
        options: &'o VerifyOptions,
        listener: Option<&'o mut ProgressListener<'o>>,
    ) -> Answer {
        verify(self.model, self.origin, query, options, listener)
    }

    /// Answers one of the queries and writes a certificate of the answer. What is explored does
    /// not depend on it.
    pub fn verify_with_certificate<'o>(
        &self,
        query: QueryId,
        options: &'o VerifyOptions,
        evidence: Evidence<'o>,
    ) -> Answer {
        verify_with_certificate(self.model, self.origin, query, options, evidence)
    }

    /// The symbolic states along a run of the model; a transition at its end that fails is left
    /// out. Nothing if its clocks leave the range of exact zones.
    #[must_use]
    pub fn symbolic_trace(&self, trace: &Trace) -> Option<SymbolicTrace> {
        let prepared = Prepared::new(self.model, &Formula::truth(), Some(Abstraction::Exact));
        let prepared = prepared.ok()?;
        SymbolicTrace::along(trace, self.model, &prepared.graph().ok()?)
    }

    /// The model and one of the queries, or none, as the text that checkers of certificates read.
    #[must_use]
    pub fn core_text(&self, query: Option<QueryId>) -> String {
        core_text::write(self.model, query.map(|query| &self.model.queries[query].kind))
    }

    /// Where a model failed at run time.
    #[must_use]
    pub fn place_of(&self, error: &RunTimeError) -> Span {
        self.origin.expressions[error.expression]
    }

    /// A failure at run time as a diagnostic at the expression that failed.
    pub fn diagnostic_of(&self, error: &RunTimeError) -> Diagnostic {
        Diagnostic::error(RUN_TIME_ERROR, self.place_of(error), error.kind.to_string())
    }
}

/// The code of failures at run time.
const RUN_TIME_ERROR: &str = "TA1000";
