//! Queries that were checked from the editor: running searches, verdicts, and whether these are
//! still about the text in the editor.
//!
//! A verdict belongs to a query by its text, and to a model by a fingerprint of its text. When the
//! model changes, the verdict is shown as stale; when the text of the query changes, the verdict
//! stays with the query at the same position of the list, as a stale one.

use crate::analysis::Analysis;
use lsp_server::RequestId;
use lsp_types::{CodeLens, Command, InlayHint, Label, Range as PositionRange, Uri};
use serde::Serialize;
use std::hash::{DefaultHasher, Hash, Hasher};
use zonaut_base::one_line;
use zonaut_draw::draw_sequence;
use zonaut_engine::{Answer, QueryEntry, QueryId, Running, Session, Trace, VerifyOptions};
use zonaut_trace::TraceText;

/// The commands that clients can execute.
pub(crate) const CHECK: &str = "zonaut.check";
/// Cancels a running check.
pub(crate) const CANCEL: &str = "zonaut.cancel";
/// Returns the trace of a checked query.
pub(crate) const SHOW_TRACE: &str = "zonaut.showTrace";
/// Returns a drawing of the automaton at a position.
pub(crate) const DRAW: &str = "zonaut.draw";

/// Maximum number of concurrent searches.
const MOST_RUNNING: usize = 4;
/// Maximum number of results; the oldest are forgotten first.
const MOST_RESULTS: usize = 500;

/// The result of a check for the client.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckRecord {
    query: String,
    verdict: &'static str,
    reason: Option<String>,
    seconds: f64,
    explored: usize,
    /// The values or estimates that the query asks for, a line each.
    values: Vec<String>,
    /// Whether `zonaut.showTrace` has a trace.
    has_trace: bool,
}

/// A trace for the client.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TraceRecord {
    query: String,
    text: String,
    svg: String,
}

struct Done {
    record: CheckRecord,
    trace: Option<Trace>,
    /// The parts of the formula that the last state decides.
    ending: Vec<String>,
}

enum Progress {
    Running { handle: Running<Answer>, session: Box<Session>, id: QueryId },
    Done(Box<Done>),
}

/// One checked query.
struct Check {
    uri: Uri,
    /// The position of the query in the list, from 0.
    ordinal: usize,
    query: String,
    fingerprint: u64,
    progress: Progress,
    /// Requests that are answered when the search ends.
    waiting: Vec<RequestId>,
}

/// A query of a document.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) uri: Uri,
    pub(crate) ordinal: usize,
}

/// A request and its result.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) request: RequestId,
    pub(crate) record: CheckRecord,
}

/// All checked queries, oldest first.
#[derive(Default)]
pub(crate) struct Checks {
    all: Vec<Check>,
}

/// The queries of an analysed document, without headings.
pub(crate) fn queries(analysis: &Analysis) -> impl Iterator<Item = &QueryEntry> {
    analysis.loaded.query_entries().iter().filter(|entry| !entry.is_heading())
}

/// A fingerprint of the model's text and of the constants that the folder sets.
fn fingerprint(analysis: &Analysis) -> u64 {
    let mut hasher = DefaultHasher::new();
    analysis.model().text.content().hash(&mut hasher);
    analysis.settings.as_ref().map(|settings| &settings.defines).ok().hash(&mut hasher);
    hasher.finish()
}

impl Checks {
    /// Whether a search is running.
    pub(crate) fn is_busy(&self) -> bool {
        self.all.iter().any(|check| matches!(check.progress, Progress::Running { .. }))
    }

    /// Starts a search, or joins the one that is running for the same question.
    pub(crate) fn start(
        &mut self,
        analysis: &Analysis,
        asked: &Asked,
        options: &VerifyOptions,
        request: RequestId,
    ) -> Result<(), String> {
        let entry = queries(analysis).nth(asked.ordinal).ok_or("there is no such query")?;
        let fingerprint = fingerprint(analysis);
        let is_same = |check: &&mut Check| {
            check.uri == asked.uri && check.query == entry.text && check.fingerprint == fingerprint
        };
        if let Some(check) = self.all.iter_mut().find(is_same)
            && matches!(check.progress, Progress::Running { .. })
        {
            check.waiting.push(request);
            return Ok(());
        }
        if let Some(reason) = &analysis.missing_model {
            return Err(format!("no model: {reason}"));
        }
        let session = analysis.loaded.session().ok_or("the model has errors")?;
        let found = session.queries().find(|(id, _)| session.place_of_query(*id) == entry.span);
        let id = found.map(|(id, _)| id).ok_or("the query is not part of the model")?;
        let running = self.all.iter().filter(|it| matches!(it.progress, Progress::Running { .. }));
        if running.count() >= MOST_RUNNING {
            return Err(format!("{MOST_RUNNING} queries are being checked already"));
        }
        let handle = session.start_verify(id, options);
        let ordinal = asked.ordinal;
        self.all.retain(|check| {
            let is_replaced = check.query == entry.text || check.ordinal == ordinal;
            check.uri != asked.uri || !is_replaced || !check.waiting.is_empty()
        });
        if self.all.len() >= MOST_RESULTS {
            self.all.remove(0);
        }
        self.all.push(Check {
            uri: asked.uri.clone(),
            ordinal,
            query: entry.text.clone(),
            fingerprint,
            progress: Progress::Running { handle, session: Box::new(session), id },
            waiting: vec![request],
        });
        Ok(())
    }

    /// Cancels the search for a query; returns whether one was running.
    pub(crate) fn cancel(&mut self, analysis: &Analysis, asked: &Asked) -> bool {
        let current = self.of_query(analysis, &asked.uri, asked.ordinal);
        match current.map(|check| &check.progress) {
            Some(Progress::Running { handle, .. }) => {
                handle.cancel();
                true
            }
            _ => false,
        }
    }

    /// Cancels the search that a request waits for, if no other request does.
    pub(crate) fn cancel_request(&mut self, request: &RequestId) -> bool {
        for check in &mut self.all {
            let Progress::Running { handle, .. } = &check.progress else { continue };
            if check.waiting.contains(request) {
                check.waiting.retain(|waiting| waiting != request);
                if check.waiting.is_empty() {
                    handle.cancel();
                }
                return true;
            }
        }
        false
    }

    /// Forgets the checks of a closed document; its searches are cancelled. Returns the requests
    /// that waited for them.
    pub(crate) fn forget(&mut self, uri: &Uri) -> Vec<RequestId> {
        let mut waiting = Vec::new();
        for check in self.all.iter_mut().filter(|check| check.uri == *uri) {
            waiting.append(&mut check.waiting);
        }
        self.all.retain(|check| check.uri != *uri);
        waiting
    }

    /// Collects the results of searches that have ended.
    pub(crate) fn collect(&mut self) -> Vec<Finished> {
        let mut finished = Vec::new();
        for check in &mut self.all {
            let is_finished = match &check.progress {
                Progress::Running { handle, .. } => handle.is_finished(),
                Progress::Done(_) => false,
            };
            if !is_finished {
                continue;
            }
            let placeholder = Progress::Done(Box::new(failed(&check.query, "not finished")));
            let progress = std::mem::replace(&mut check.progress, placeholder);
            if let Progress::Running { handle, session, id } = progress {
                let done = match handle.join() {
                    Ok(answer) => done(&session, id, &check.query, answer),
                    Err(panicked) => failed(&check.query, &panicked.to_string()),
                };
                let record = &done.record;
                let requests = std::mem::take(&mut check.waiting).into_iter();
                finished
                    .extend(requests.map(|request| Finished { request, record: record.clone() }));
                check.progress = Progress::Done(Box::new(done));
            }
        }
        finished
    }

    /// The check that is shown at a query: that of its text or, if its text was changed, the one at
    /// its position.
    fn of_query(&self, analysis: &Analysis, uri: &Uri, ordinal: usize) -> Option<&Check> {
        let entry = queries(analysis).nth(ordinal)?;
        let mut own = self.all.iter().filter(|check| check.uri == *uri);
        let exact = own.clone().find(|check| check.query == entry.text);
        exact.or_else(|| {
            own.find(|check| {
                let moved = queries(analysis).any(|entry| entry.text == check.query);
                check.ordinal == ordinal && !moved
            })
        })
    }

    /// The trace of a checked query.
    pub(crate) fn trace(&self, analysis: &Analysis, asked: &Asked) -> Option<TraceRecord> {
        let check = self.of_query(analysis, &asked.uri, asked.ordinal)?;
        let Progress::Done(done) = &check.progress else { return None };
        let trace = done.trace.as_ref()?;
        let mut text = Vec::new();
        let written = TraceText { ending: &done.ending, ..TraceText::new(trace) };
        written.write(&mut text).ok()?;
        Some(TraceRecord {
            query: check.query.clone(),
            text: String::from_utf8_lossy(&text).into_owned(),
            svg: draw_sequence(trace).standalone(),
        })
    }

    /// The lenses of a document: check, cancel or show the trace of each query.
    pub(crate) fn lenses(&self, analysis: &Analysis, uri: &Uri) -> Vec<CodeLens> {
        let mut lenses = Vec::new();
        for (ordinal, entry) in queries(analysis).enumerate() {
            let check = self.of_query(analysis, uri, ordinal);
            let range = analysis.range(entry.span);
            let mut add = |title: String, command: &str| {
                let arguments =
                    vec![serde_json::json!({ "uri": uri.0.as_str(), "query": ordinal })];
                let command = command.to_owned();
                let command = Command::new(title, None, command, Some(arguments));
                lenses.push(CodeLens { range, command: Some(command), data: None });
            };
            match check.map(|check| (&check.progress, is_stale(check, analysis, entry))) {
                None => add("check".to_owned(), CHECK),
                Some((Progress::Running { handle, .. }, _)) => {
                    let explored = handle.poll().progress.explored;
                    add(format!("cancel ({explored} states explored)"), CANCEL);
                }
                Some((Progress::Done(done), stale)) => {
                    let verdict = summary(&done.record, stale);
                    add(format!("{verdict}: check again"), CHECK);
                    if done.trace.is_some() {
                        add("show trace".to_owned(), SHOW_TRACE);
                    }
                }
            }
        }
        lenses
    }

    /// The verdicts behind the queries of a document, or of a part of it.
    pub(crate) fn inlays(
        &self,
        analysis: &Analysis,
        uri: &Uri,
        part: PositionRange,
    ) -> Vec<InlayHint> {
        let mut hints = Vec::new();
        for (ordinal, entry) in queries(analysis).enumerate() {
            let position = analysis.range(entry.span).end;
            let Some(check) = self.of_query(analysis, uri, ordinal) else { continue };
            if position < part.start || position > part.end {
                continue;
            }
            let (label, tooltip) = match &check.progress {
                Progress::Running { .. } => ("checking".to_owned(), None),
                Progress::Done(done) => {
                    let stale = is_stale(check, analysis, entry);
                    (summary(&done.record, stale), details(&done.record))
                }
            };
            hints.push(InlayHint {
                position,
                label: Label::String(label),
                kind: None,
                text_edits: None,
                tooltip: tooltip.map(Into::into),
                padding_left: Some(true),
                padding_right: None,
                data: None,
            });
        }
        hints
    }
}

/// Whether the model or the query has changed since the check.
fn is_stale(check: &Check, analysis: &Analysis, entry: &QueryEntry) -> bool {
    check.query != entry.text || check.fingerprint != fingerprint(analysis)
}

/// A verdict in a few words.
fn summary(record: &CheckRecord, stale: bool) -> String {
    let verdict = match record.verdict {
        "satisfied" => "✓ satisfied",
        "not_satisfied" => "✗ not satisfied",
        "unknown" => "? unknown",
        other => other,
    };
    format!("{verdict}{}", if stale { " (stale)" } else { "" })
}

fn details(record: &CheckRecord) -> Option<String> {
    let lines = record.reason.iter().chain(&record.values).cloned();
    let effort = format!("{} states explored in {:.3} s", record.explored, record.seconds);
    Some(lines.chain([effort]).collect::<Vec<String>>().join("\n"))
}

fn done(session: &Session, id: QueryId, query: &str, answer: Answer) -> Done {
    let values = answer.values().iter().map(|found| one_line(&found.to_string()));
    let values = values.chain(answer.sample().map(|sample| one_line(&sample.to_string())));
    let record = CheckRecord {
        query: query.to_owned(),
        verdict: answer.verdict.name(),
        reason: session.reason_of(&answer.verdict).map(|why| one_line(&why)),
        seconds: answer.seconds,
        explored: answer.statistics.explored,
        values: values.collect(),
        has_trace: answer.trace.is_some(),
    };
    let ending = answer.trace.as_ref().map(|trace| session.decided_parts(id, trace));
    Done { record, ending: ending.unwrap_or_default(), trace: answer.trace }
}

fn failed(query: &str, reason: &str) -> Done {
    let record = CheckRecord {
        query: query.to_owned(),
        verdict: "error",
        reason: Some(reason.to_owned()),
        seconds: 0.0,
        explored: 0,
        values: Vec::new(),
        has_trace: false,
    };
    Done { record, trace: None, ending: Vec::new() }
}
