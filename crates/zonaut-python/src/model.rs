//! Models with their queries.

use crate::failure::{diagnostics_json, failure, input_failure, json, misuse};
use crate::job::{Job, Outcome, Progress};
use crate::options::{
    CheckRequest, LoadRequest, OptimizeRequest, TraceRequest, combination, parse,
};
use crate::simulator::Simulator;
use crate::trace::Trace;
use pyo3::prelude::*;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use zonaut_certification::{
    Certification, CheckResult, CheckedFiles, CheckerAnswer, Patience, core_file,
};
use zonaut_draw::draw_template;
use zonaut_engine::report::{
    AnswerRecord, DiagnosticRecord, ExplorationRecord, OptimumRecord, Summary, UnsupportedRecord,
    optimum_name,
};
use zonaut_engine::{
    Answer, CertificateRequest, Diagnostic, Format, Loaded, MemoryWatch, Panicked, QueryId,
    QueryKind, QuerySource, Reason, Refusal, Resources, Session, Severity, Task, Verdict,
    VerifyOptions, load, load_text, load_text_asking,
};

/// A model without errors, with its queries.
#[pyclass(frozen, module = "zonaut._zonaut")]
pub(crate) struct Model {
    name: String,
    loaded: Loaded,
    session: Session,
}

/// A query as written.
#[derive(Serialize)]
struct QueryRecord<'q> {
    formula: &'q str,
    comment: &'q str,
}

/// The record of an answer with the positions of its problems.
#[derive(Serialize)]
struct CheckRecord<'a> {
    #[serde(flatten)]
    answer: AnswerRecord<'a>,
    /// The unsupported features that the query needs.
    unsupported: Vec<UnsupportedRecord>,
    /// The run-time error of the model.
    failure: Option<DiagnosticRecord>,
    /// The parts of the formula that the last state of the run decides.
    decided: Vec<String>,
}

/// The record of an optimisation without a search.
#[derive(Serialize)]
struct UnsearchedRecord<'a> {
    formula: &'a str,
    verdict: &'static str,
    reason: Option<String>,
    unsupported: Vec<UnsupportedRecord>,
    failure: Option<DiagnosticRecord>,
}

/// The number of runs that were found, and why there may be more below the limit.
#[derive(Serialize)]
struct TracesRecord {
    found: usize,
    reason: Option<String>,
}

/// The result of checking a certificate.
#[derive(Serialize)]
struct CertificateRecord {
    accepted: bool,
    answer: &'static str,
    reason: Option<String>,
    kind: Option<String>,
    text: Option<String>,
}

impl Model {
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    pub(crate) fn query_id(&self, index: usize) -> PyResult<QueryId> {
        let query = self.session.queries().nth(index).map(|(id, _)| id);
        query.ok_or_else(|| misuse("option", format!("there is no query with index {index}")))
    }

    fn new(name: String, loaded: Loaded) -> PyResult<Self> {
        match loaded.session() {
            Some(session) => Ok(Self { name, loaded, session }),
            None => Err(failure("model", &diagnostics_json(&loaded.sources, &loaded.diagnostics))),
        }
    }

    /// Refuses a model that has a query with an error.
    fn without_damage(self) -> PyResult<Self> {
        let is_damaged = |kind: &QueryKind| *kind == QueryKind::Damaged;
        if !self.session.queries().any(|(_, query)| is_damaged(&query.kind)) {
            return Ok(self);
        }
        let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
        let errors: Vec<_> = self.loaded.diagnostics.iter().filter(is_error).cloned().collect();
        Err(failure("query", &diagnostics_json(&self.loaded.sources, &errors)))
    }
}

#[pymethods]
impl Model {
    /// Reads a model, and its queries from another file if that is given.
    #[staticmethod]
    fn load(
        py: Python<'_>,
        path: PathBuf,
        queries: Option<PathBuf>,
        options: &str,
    ) -> PyResult<Self> {
        let options = parse::<LoadRequest>(options)?.options()?;
        let queries = queries.map_or(QuerySource::WithModel, QuerySource::File);
        let name = path.display().to_string();
        let loaded = py.detach(move || {
            let _memory = MemoryWatch::start(&options.resources);
            load(&path, &queries, &options)
        });
        Self::new(name, loaded.map_err(|error| input_failure(&error))?)
    }

    /// The model of a text. Its queries are the embedded ones, or these formulas.
    #[staticmethod]
    fn parse(
        py: Python<'_>,
        name: String,
        text: &str,
        formulas: Option<Vec<String>>,
        options: &str,
    ) -> PyResult<Self> {
        let request: LoadRequest = parse(options)?;
        let options = request.options()?;
        let is_strict = formulas.is_some() && !request.keeps_damage;
        let shown = name.clone();
        let loaded = py.detach(move || match formulas {
            Some(formulas) => load_text_asking(&shown, text, &formulas, &options),
            None => load_text(&shown, text, &options),
        });
        let model = Self::new(name, loaded)?;
        if is_strict { model.without_damage() } else { Ok(model) }
    }

    /// The name of the source.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The text of the model.
    fn text(&self) -> &str {
        self.loaded.sources.file(self.loaded.document.file).text()
    }

    /// The queries as a JSON list.
    fn queries(&self) -> String {
        let entries = self.loaded.query_entries();
        let queries = self.session.queries().map(|(_, query)| QueryRecord {
            formula: &query.text,
            comment: entries
                .iter()
                .find(|entry| entry.index == query.index)
                .map_or("", |entry| entry.comment.as_str()),
        });
        json(&queries.collect::<Vec<_>>())
    }

    /// Whether the queries are part of the text of the model.
    fn has_own_queries(&self) -> bool {
        std::ptr::eq(self.loaded.query_entries(), &self.loaded.document.queries.entries[..])
    }

    /// The warnings, and the errors of queries, as a JSON list.
    fn diagnostics(&self) -> String {
        diagnostics_json(&self.loaded.sources, &self.loaded.diagnostics)
    }

    /// Sizes and features as a JSON object.
    fn summary(&self) -> String {
        json(&Summary::of(&self.session))
    }

    /// The names of the templates.
    fn templates(&self) -> Vec<String> {
        self.loaded.document.templates.iter().map(|one| one.name.text.to_string()).collect()
    }

    /// The names of the processes.
    fn processes(&self) -> Vec<String> {
        self.session.model().processes.iter().map(|one| one.name.clone()).collect()
    }

    /// The digest of the model and of a query, as in certificates.
    #[pyo3(signature = (query))]
    fn digest(&self, query: Option<usize>) -> PyResult<String> {
        let query = query.map(|index| self.query_id(index)).transpose()?;
        Ok(self.session.digest(query))
    }

    /// The model in another format: `xta`, `xml`, `dot` or `svg`.
    fn converted(&self, format: &str) -> PyResult<String> {
        let format = Format::of_extension(format);
        let format = format.ok_or_else(|| misuse("option", "a format is xta, xml, dot or svg"))?;
        Ok(format.print(&self.loaded.document))
    }

    /// A drawing of a template as SVG.
    fn drawn(&self, template: &str) -> PyResult<String> {
        let document = &self.loaded.document;
        let found = document.templates.iter().find(|one| *one.name.text == *template);
        let unknown = || {
            let names = self.templates().join(", ");
            misuse("option", format!("there is no template `{template}`; there are {names}"))
        };
        Ok(draw_template(document, found.ok_or_else(unknown)?).standalone())
    }

    /// Starts to answer a query.
    fn check(&self, query: usize, options: &str) -> PyResult<Job> {
        let request: CheckRequest = parse(options)?;
        let (id, options) = (self.query_id(query)?, request.options()?);
        let question = Question { session: self.session.clone(), id };
        Job::start(&Arc::clone(&options.resources.cancelled), move |progress| {
            question.check(&request, &options, progress)
        })
    }

    /// Starts to search an optimal run to the goal of a query.
    fn optimize(&self, query: usize, options: &str) -> PyResult<Job> {
        let request: OptimizeRequest = parse(options)?;
        let options = request.options()?;
        let question = Question { session: self.session.clone(), id: self.query_id(query)? };
        let task = match Task::optimize(&question.session, question.id, &options) {
            Ok(task) => Ok(task),
            Err(Refusal::NoGoal) => {
                return Err(misuse("option", "the query has no goal: ask `E<> goal`"));
            }
            Err(refusal) => Err(Verdict::from(refusal)),
        };
        Job::start(&Arc::clone(&options.resources.cancelled), move |progress| {
            let task = match task {
                Ok(task) => task,
                Err(verdict) => return Ok(question.unsearched(&verdict)),
            };
            let _memory = MemoryWatch::start(&options.resources);
            let certifier = request.certifier();
            let mut attempt = certifier.begin(request.certificate.as_deref(), &options.resources);
            let answer = match attempt.take_file() {
                Some(sink) => {
                    let wanted = CertificateRequest { sink, closing: attempt.closing() };
                    let found = progress.follow(task.start_with_certificate(wanted))?;
                    attempt.give_back(found.sink);
                    found.result
                }
                None => progress.follow(task.start())?,
            };
            let Question { session, id } = &question;
            let certified = attempt.finish(session, *id, &answer);
            let certificate = certified.certification.record();
            let record = OptimumRecord::of(session, *id, &answer, options.strategy, &certificate);
            let Some(record) = record else {
                return Ok(question.unsearched(&answer.verdict));
            };
            let record =
                record.with_certification(certified.time.as_secs_f64(), certified.memory_bytes());
            let record = OptimumRecord { trace: None, ..record };
            Ok(Outcome::new(json(&record), question.runs(&answer)))
        })
    }

    /// Starts to explore all reachable states.
    fn explore(&self, options: &str) -> PyResult<Job> {
        let request: CheckRequest = parse(options)?;
        let (session, options) = (self.session.clone(), request.options()?);
        Job::start(&Arc::clone(&options.resources.cancelled), move |progress| {
            let _memory = MemoryWatch::start(&options.resources);
            let answer = progress.follow(Task::explore(&session, &options).start())?;
            let record = ExplorationRecord::of(&session, &answer);
            let record = ExplorationRecord { trace: None, deadlock: None, ..record };
            let deadlock = answer.coverage().and_then(|coverage| coverage.deadlock.as_ref());
            let runs = [("trace", answer.trace.as_ref()), ("deadlock", deadlock)];
            let run = |(name, run): (&str, Option<_>)| {
                Some((name.to_owned(), Trace::new(&session, None, run?)))
            };
            Ok(Outcome::new(json(&record), runs.into_iter().filter_map(run).collect()))
        })
    }

    /// Starts to search at most `limit` different runs that decide a query.
    fn traces(&self, query: usize, limit: usize, options: &str) -> PyResult<Job> {
        let request: CheckRequest = parse(options)?;
        let (session, options) = (self.session.clone(), request.options()?);
        let id = self.query_id(query)?;
        let task = match Task::several_runs(&session, id, limit, &options) {
            Ok(task) => task,
            Err(Refusal::NoGoal) => {
                let message = "only `E<>` and `A[]` queries have several runs";
                return Err(misuse("option", message));
            }
            Err(refusal) => {
                let why = session.reason_of(&Verdict::from(refusal)).unwrap_or_default();
                return Err(misuse("undecided", why));
            }
        };
        Job::start(&Arc::clone(&options.resources.cancelled), move |progress| {
            let _memory = MemoryWatch::start(&options.resources);
            let answer = progress.follow(task.start())?;
            let found = answer.runs().iter().enumerate();
            let runs = found.map(|(at, run)| (at.to_string(), Trace::new(&session, Some(id), run)));
            let runs: Vec<_> = runs.collect();
            let reason = session.reason_of(&answer.verdict);
            Ok(Outcome::new(json(&TracesRecord { found: runs.len(), reason }), runs))
        })
    }

    /// A simulator in the initial state.
    fn simulator(&self) -> PyResult<Simulator> {
        Simulator::new(&self.session)
    }

    /// Checks a certificate about a query with the independent checker; `rates` for that of a
    /// minimal cost. Returns a JSON object.
    #[pyo3(signature = (certificate, query, rates, is_of_cost))]
    fn verify_certificate(
        &self,
        py: Python<'_>,
        certificate: PathBuf,
        query: usize,
        rates: Option<&str>,
        is_of_cost: bool,
    ) -> PyResult<String> {
        let (id, rates) = (self.query_id(query)?, combination(rates)?);
        let core = match is_of_cost {
            true => self.session.core_text_of_cost(id, rates),
            false => self.session.core_text(Some(id)),
        };
        let result = py.detach(|| {
            let core = core_file(&core)?;
            let files = CheckedFiles { core: core.to_path_buf(), certificate, max_file_size: None };
            let patience = Patience::of(&Resources::default());
            zonaut::checker().check(&files, &patience)
        });
        let check = result.map_err(|error| misuse("internal", error.to_string()))?;
        match check.result {
            CheckResult::Answered(answer) => Ok(json(&CertificateRecord::of(answer))),
            CheckResult::NoAnswer => Err(misuse("internal", "the checker gave no answer")),
            CheckResult::Stopped(why) => Err(misuse("internal", why.to_string())),
        }
    }
}

/// A query of a model.
struct Question {
    session: Session,
    id: QueryId,
}

impl Question {
    /// Answers the query, certifies the answer and searches the requested run.
    fn check(
        &self,
        request: &CheckRequest,
        options: &VerifyOptions,
        progress: &Progress<'_>,
    ) -> Result<Outcome, Panicked> {
        let Self { session, id } = self;
        let begun = Instant::now();
        let _memory = MemoryWatch::start(&options.resources);
        let certifier = request.certifier();
        let mut attempt = certifier.begin(request.certificate.as_deref(), &options.resources);
        let mut answer = match attempt.take_file() {
            Some(sink) => {
                let wanted = CertificateRequest { sink, closing: attempt.closing() };
                let running = session.start_verify_with_certificate(*id, options, wanted);
                let answered = progress.follow(running)?;
                attempt.give_back(answered.sink);
                answered.result
            }
            None => progress.follow(session.start_verify(*id, options))?,
        };
        let certified = attempt.finish(session, *id, &answer);
        if request.trace == TraceRequest::Fastest {
            let left = options.resources.left_after(begun.elapsed());
            self.make_faster(&mut answer, &left, progress)?;
        }
        if let Certification::Undelivered(why) = &certified.certification {
            answer.warnings.push(why.clone());
        }
        let decided = answer.trace.as_ref().map(|run| session.decided_parts(*id, run));
        let record = CheckRecord {
            answer: AnswerRecord { trace: None, ..certified.record(session, *id, &answer) },
            unsupported: self.unsupported(&answer.verdict),
            failure: self.failure(&answer.verdict),
            decided: decided.unwrap_or_default(),
        };
        Ok(Outcome::new(json(&record), self.runs(&answer)))
    }

    /// Replaces the run of an answer by one of minimal time.
    fn make_faster(
        &self,
        answer: &mut Answer,
        left: &Resources,
        progress: &Progress<'_>,
    ) -> Result<(), Panicked> {
        let is_decided = matches!(answer.verdict, Verdict::Satisfied | Verdict::NotSatisfied);
        let task = Task::fastest_run(&self.session, self.id, left);
        let Some(task) = task.filter(|_| is_decided && answer.trace.is_some()) else {
            return Ok(());
        };
        let fastest = progress.follow(task.start())?;
        if fastest.verdict != Verdict::Satisfied || fastest.trace.is_none() {
            answer.warnings.push("a faster run may exist".to_owned());
        }
        if let Some(trace) = fastest.trace {
            answer.depth = Some(trace.steps.len());
            answer.trace = Some(trace);
        }
        Ok(())
    }

    /// The runs of an answer: its own, and those of values.
    fn runs(&self, answer: &Answer) -> Vec<(String, Trace)> {
        let run = |trace| Trace::new(&self.session, Some(self.id), trace);
        let own = answer.trace.iter().map(|trace| ("trace".to_owned(), run(trace)));
        let values = answer.values().iter().enumerate().filter_map(|(index, found)| {
            Some((format!("values/{index}"), run(found.run.as_ref()?)))
        });
        own.chain(values).collect()
    }

    /// The result of an optimisation without a search.
    fn unsearched(&self, verdict: &Verdict) -> Outcome {
        let record = UnsearchedRecord {
            formula: &self.session.model().queries[self.id].text,
            verdict: optimum_name(verdict),
            reason: self.session.reason_of(verdict),
            unsupported: self.unsupported(verdict),
            failure: self.failure(verdict),
        };
        Outcome::new(json(&record), Vec::new())
    }

    /// The unsupported features because of which there is no verdict.
    fn unsupported(&self, verdict: &Verdict) -> Vec<UnsupportedRecord> {
        let record = |reason| UnsupportedRecord::of(self.session.sources(), reason);
        match verdict {
            Verdict::Unknown(Reason::Unsupported(reasons)) => reasons.iter().map(record).collect(),
            _ => Vec::new(),
        }
    }

    /// The position of an error of the model.
    fn failure(&self, verdict: &Verdict) -> Option<DiagnosticRecord> {
        let sources = self.session.sources();
        match verdict {
            Verdict::Error(error) => {
                Some(DiagnosticRecord::of(sources, &self.session.diagnostic_of(error)))
            }
            Verdict::CostOverflow(diagnostic) | Verdict::Unknown(Reason::Costs(diagnostic)) => {
                Some(DiagnosticRecord::of(sources, diagnostic))
            }
            _ => None,
        }
    }
}

impl CertificateRecord {
    fn of(answer: CheckerAnswer) -> Self {
        let rejected = |answer, reason| Self {
            accepted: false,
            answer,
            reason: Some(reason),
            kind: None,
            text: None,
        };
        match answer {
            CheckerAnswer::Accepted(proof) => Self {
                accepted: true,
                answer: "accepted",
                reason: None,
                kind: Some(proof.kind),
                text: Some(proof.text),
            },
            CheckerAnswer::Rejected { reason } => rejected("rejected", reason),
            CheckerAnswer::Malformed { reason } | CheckerAnswer::Unreadable { reason } => {
                rejected("malformed", reason)
            }
            CheckerAnswer::WrongModel { reason } => rejected("wrong_model", reason),
            CheckerAnswer::Undecided { reason } => rejected("undecided", reason),
        }
    }
}
