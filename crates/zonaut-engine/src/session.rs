//! Sessions: a loaded model with its queries.

use crate::answer::{Answer, Reason, Verdict};
use crate::load::Loaded;
use crate::optimize::{CostMeasure, OptimizeOptions};
use crate::optimum_certificate::measure;
use crate::prepared::Prepared;
use crate::resources::SearchListener;
use crate::task::{Refusal, Task};
use crate::unsupported::Unsupported;
use crate::verify::{Evidence, VerifyOptions};
use std::sync::{Arc, OnceLock};
use zonaut_base::{Diagnostic, Id, Meter, SourceFile, SourceMap, Span};
use zonaut_compile::{CompileError, CompiledNetwork};
use zonaut_cost::Combination;
use zonaut_model::interpret::RunTimeError;
use zonaut_model::{
    Formula, LocationId, Model, Origin, ProcessId, Query, QueryId, QueryKind, core_text,
};
use zonaut_syntax::tree::Document;
use zonaut_syntax::{ParseOptions, parse_model};
use zonaut_trace::{Namer, SourceLabels, SymbolicTrace, Trace};
use zonaut_zonegraph::Abstraction;

/// A model without errors, with its queries and the source positions of its elements. It owns its
/// data, so that it can be stored and sent to threads; clones share them.
#[derive(Clone, Debug)]
pub struct Session {
    pub(crate) model: Arc<Model>,
    pub(crate) origin: Arc<Origin>,
    document: Arc<Document>,
    sources: Arc<SourceMap>,
    /// The compiled model, once a question has needed it.
    network: Arc<OnceLock<Arc<CompiledNetwork>>>,
}

impl Loaded {
    /// The session of the model; `None` if it has an error.
    #[must_use]
    pub fn session(&self) -> Option<Session> {
        let model = Arc::clone(self.model.as_ref()?);
        Some(Session {
            model,
            origin: Arc::clone(&self.origin),
            document: Arc::clone(&self.document),
            sources: Arc::clone(&self.sources),
            network: Arc::default(),
        })
    }
}

impl Session {
    /// A session of a model that was built in code, without source text.
    #[must_use]
    pub fn of_model(model: Model) -> Self {
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("model", ""));
        let (document, _) = parse_model(&mut sources, file, &ParseOptions::default());
        Self {
            origin: Arc::new(Origin::unknown(&model)),
            model: Arc::new(model),
            document: Arc::new(document),
            sources: Arc::new(sources),
            network: Arc::default(),
        }
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The sources of the model and its queries.
    #[must_use]
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The model with the labels as written, for trace formats.
    #[must_use]
    pub fn labels(&self) -> SourceLabels<'_> {
        SourceLabels { model: &self.model, origin: &self.origin, document: &self.document }
    }

    /// The queries in order, including those with errors.
    pub fn queries(&self) -> impl Iterator<Item = (QueryId, &Query)> {
        self.model.queries.iter_enumerated()
    }

    /// The position of a query.
    #[must_use]
    pub fn place_of_query(&self, query: QueryId) -> Span {
        self.origin.queries[query]
    }

    /// Answers a query.
    pub fn verify<'l>(
        &self,
        query: QueryId,
        options: &VerifyOptions,
        listener: Option<&'l mut SearchListener<'l>>,
    ) -> Answer {
        self.verify_with_certificate(query, options, Evidence { listener, ..Evidence::default() })
    }

    /// Answers a query and writes a certificate of the answer. The exploration does not depend on
    /// it.
    pub fn verify_with_certificate(
        &self,
        query: QueryId,
        options: &VerifyOptions,
        evidence: Evidence<'_>,
    ) -> Answer {
        match Task::of_query(self, query, options) {
            Ok(task) => task.perform(evidence),
            Err(refusal) => Answer::refused(refusal, options),
        }
    }

    /// Searches for an optimal run to the goal of an `E<>` query.
    ///
    /// # Errors
    /// If the query has no goal, or needs unsupported features.
    pub fn optimize(&self, query: QueryId, options: &OptimizeOptions) -> Result<Answer, Refusal> {
        self.optimize_with_certificate(query, options, Evidence::default())
    }

    /// Searches for an optimal run to the goal of an `E<>` query and writes a certificate of the
    /// answer. The search does not depend on it.
    ///
    /// # Errors
    /// If the query has no goal, or needs unsupported features.
    pub fn optimize_with_certificate(
        &self,
        query: QueryId,
        options: &OptimizeOptions,
        evidence: Evidence<'_>,
    ) -> Result<Answer, Refusal> {
        Ok(Task::optimize(self, query, options)?.perform(evidence))
    }

    /// The symbolic states along a run of the model, without a failing transition at its end.
    /// Returns `None` if clocks leave the range of exact zones.
    #[must_use]
    pub fn symbolic_trace(&self, trace: &Trace) -> Option<SymbolicTrace> {
        let prepared = Prepared::new(self, &Formula::truth(), Some(Abstraction::Exact)).ok()?;
        SymbolicTrace::along(trace, &self.model, &prepared.graph().ok()?)
    }

    /// The parts of the formula of `query` that decide it in the last state of `trace`: see
    /// [`zonaut_trace::decided_parts`].
    #[must_use]
    pub fn decided_parts(&self, query: QueryId, trace: &Trace) -> Vec<String> {
        zonaut_trace::decided_parts(self.labels(), &self.sources, query, trace)
    }

    /// All unsupported features of the model and of one of the queries, or none, for a [core
    /// text](Self::core_text).
    #[must_use]
    pub fn unsupported(&self, query: Option<QueryId>) -> Vec<Unsupported> {
        let mut reasons = Unsupported::of_model(&self.model, &self.origin);
        if let Some(query) = query
            && !self.model.needed_reals_of(query).is_empty()
        {
            reasons.extend(Unsupported::of_query(&self.model, &self.origin, query));
        }
        reasons
    }

    /// The core text of the model and one of the queries, or none: the input of certificate
    /// checkers.
    #[must_use]
    pub fn core_text(&self, query: Option<QueryId>) -> String {
        core_text::write(&self.model, query.map(|query| &self.model.queries[query].kind))
    }

    /// The core text of the model and several queries that reachability decides: that of their
    /// conjunction.
    #[must_use]
    pub fn core_text_of_all(&self, queries: &[QueryId]) -> String {
        let queries: Vec<&Query> = queries.iter().map(|&id| &self.model.queries[id]).collect();
        core_text::write(&self.model, Some(&conjunction(&queries).kind))
    }

    /// The core text that the certificate of an answer to `query` refers to: with costs, if the
    /// answer is a least cost.
    #[must_use]
    pub fn core_text_of_answer(&self, query: QueryId, answer: &Answer) -> String {
        match answer.optimum().map(|optimum| optimum.measure) {
            Some(CostMeasure::Cost(rates)) if answer.verdict != Verdict::NotSatisfied => {
                self.core_text_of_cost(query, rates)
            }
            _ => self.core_text(Some(query)),
        }
    }

    /// The core text of the model and the optimal cost of a query, with these rates.
    #[must_use]
    pub fn core_text_of_cost(&self, query: QueryId, rates: Combination) -> String {
        core_text::write_measured(&self.model, &self.model.queries[query].kind, measure(rates))
    }

    /// The reason for an unknown verdict or an error; run-time errors with their position.
    #[must_use]
    pub fn reason_of(&self, verdict: &Verdict) -> Option<String> {
        match verdict {
            Verdict::Unknown(Reason::EvaluationBudget(error)) | Verdict::Error(error) => {
                Some(format!("{}: {}", self.place_text(self.place_of(error)), error.kind))
            }
            _ => match verdict.bug() {
                Some(bug) => Some(format!("a bug in Zonaut: {bug}")),
                None => verdict.reason(),
            },
        }
    }

    /// A position as file, line and column.
    #[must_use]
    pub fn place_text(&self, span: Span) -> String {
        let place = self.sources.position(span);
        format!("{}:{}:{}", place.file, place.line, place.column)
    }

    /// The position of a location in its template, as file, line and column.
    pub(crate) fn place_of_location(
        &self,
        process: ProcessId,
        location: LocationId,
    ) -> Option<String> {
        let name = &self.model.processes[process].template;
        let mut templates = self.document.templates.iter();
        let template = templates.find(|template| *template.name.text == **name)?;
        let location = template.locations.iter().nth(location.index())?;
        Some(self.place_text(location.span))
    }

    /// The digest of the core text, as in certificates.
    #[must_use]
    pub fn digest(&self, query: Option<QueryId>) -> String {
        format!("sha256:{}", zonaut_evidence::digest_of(self.core_text(query).as_bytes()))
    }

    /// The position of a run-time error.
    #[must_use]
    pub fn place_of(&self, error: &RunTimeError) -> Span {
        self.origin.expressions[error.expression]
    }

    /// A run-time error as a diagnostic at the expression that failed.
    pub fn diagnostic_of(&self, error: &RunTimeError) -> Diagnostic {
        Diagnostic::error(RUN_TIME_ERROR, self.place_of(error), error.kind.to_string())
    }

    /// The model and its source positions, to be changed; other clones of the session keep theirs.
    pub(crate) fn parts(&mut self) -> (&mut Model, &mut Origin) {
        self.network = Arc::default();
        (Arc::make_mut(&mut self.model), Arc::make_mut(&mut self.origin))
    }

    /// The compiled model. All questions share it; the first one compiles it, which counts on
    /// `meter`.
    pub(crate) fn network(&self, meter: &Meter) -> Result<Arc<CompiledNetwork>, CompileError> {
        if let Some(network) = self.network.get() {
            return Ok(Arc::clone(network));
        }
        let network = Arc::new(CompiledNetwork::new(&self.model, meter)?);
        Ok(Arc::clone(self.network.get_or_init(|| network)))
    }

    /// Converts runs to the user's names.
    pub(crate) fn namer(&self) -> Namer<'_> {
        Namer { model: &self.model, origin: &self.origin }
    }
}

/// The query that is satisfied exactly if no goal of these queries, which reachability decides, is
/// reachable; a single query is its own.
pub(crate) fn conjunction(queries: &[&Query]) -> Query {
    let part = |query: &&Query| match &query.kind {
        QueryKind::Always(formula) => formula.clone(),
        QueryKind::Possibly(formula) => Formula::Not(Box::new(formula.clone())),
        _ => Formula::truth(),
    };
    match queries {
        [one] => (*one).clone(),
        some => Query {
            index: some.first().map_or(0, |first| first.index),
            text: some.iter().map(|query| &*query.text).collect::<Vec<_>>().join("; "),
            kind: QueryKind::Always(Formula::And(some.iter().map(part).collect())),
        },
    }
}

/// The code of run-time errors.
const RUN_TIME_ERROR: &str = "TA1000";
