//! The loop of the server: messages in order, analyses after a pause, results of searches.

use crate::checks::{Checks, Finished};
use crate::diagnostics::{diagnostics, plain};
use crate::documents::{Document, Documents};
use crate::folder::{FindSettings, FolderSettings};
use crate::requests;
use crossbeam_channel::RecvTimeoutError;
use lsp_server::{
    Connection, ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError,
};
use lsp_types::{
    CancelParams, Diagnostic, DidCloseTextDocumentParams, DidOpenTextDocumentParams, Id,
    InitializeParams, PublishDiagnosticsParams, Range as PositionRange, Uri,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};
use zonaut_engine::{Resources, TraceWish, VerifyOptions, default_memory_limit};

/// The pause after the last edit before a document is analysed.
const PAUSE: Duration = Duration::from_millis(15);
/// The period in which running searches are looked at.
const PERIOD: Duration = Duration::from_millis(20);
/// The default time limit of a check, in seconds.
const DEFAULT_SECONDS: f64 = 60.0;

/// The edits of a document. The types of the protocol would take a range that is no range for the
/// whole document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Changes {
    text_document: ChangedDocument,
    content_changes: Vec<Change>,
}

#[derive(Deserialize)]
struct ChangedDocument {
    uri: Uri,
    version: i32,
}

/// A replaced range, or the whole text.
#[derive(Deserialize)]
struct Change {
    range: Option<PositionRange>,
    text: String,
}

/// How a connection ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The client shut the server down before it ended the connection.
    Orderly,
    /// The client ended the connection without that.
    Abrupt,
}

/// The state of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Fresh,
    Ready,
    ShutDown,
}

/// The settings of the client, as initialisation options or configuration.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Settings {
    /// The time limit of a check, in seconds.
    time_limit: Option<f64>,
    /// The memory limit of a check, in megabytes.
    memory_limit: Option<f64>,
}

impl Settings {
    /// The limits of a check: those of the client, else those of the folder, else the defaults.
    fn resources(&self, folder: &Resources) -> Resources {
        let positive = |value: &f64| value.is_finite() && *value > 0.0;
        let seconds = |value: f64| Duration::try_from_secs_f64(value).ok();
        let time = self.time_limit.filter(positive).and_then(seconds).or(folder.time);
        let memory = self.memory_limit.filter(positive).map(|megabytes| (megabytes * 1e6) as usize);
        let default = || default_memory_limit().map(|bytes| (bytes / 2) as usize);
        Resources {
            time: time.or_else(|| seconds(DEFAULT_SECONDS)),
            memory: memory.or(folder.memory).or_else(default),
            states: folder.states,
            ..Resources::default()
        }
    }
}

/// The client's features that change the behaviour of the server.
#[derive(Clone, Copy, Debug, Default)]
struct ClientFeatures {
    refreshes_lenses: bool,
    refreshes_inlays: bool,
}

/// The state of one connection.
pub(crate) struct Server<'c> {
    connection: &'c Connection,
    phase: Phase,
    pub(crate) documents: Documents,
    pub(crate) checks: Checks,
    settings: Settings,
    client: ClientFeatures,
    /// Messages that were received, but not handled yet.
    queue: VecDeque<Message>,
    /// The documents to analyse, and when.
    pending: BTreeMap<String, (Uri, Instant)>,
    next_request: i32,
}

/// Serves one client until it ends the connection. `find` gives the settings of models.
#[must_use]
pub fn serve(connection: &Connection, find: FindSettings) -> Ending {
    let mut server = Server {
        connection,
        phase: Phase::Fresh,
        documents: Documents::new(find),
        checks: Checks::default(),
        settings: Settings::default(),
        client: ClientFeatures::default(),
        queue: VecDeque::new(),
        pending: BTreeMap::new(),
        next_request: 1,
    };
    server.run()
}

/// The answer to a request: now, or later by a search.
pub(crate) enum Reply {
    Now(Value),
    Later,
}

/// An error of a request.
#[derive(Debug)]
pub(crate) struct RequestError {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl RequestError {
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { code: ErrorCode::RequestFailed, message: message.into() }
    }
}

/// The parameters of a request.
pub(crate) fn parameters<P: DeserializeOwned>(params: Value) -> Result<P, RequestError> {
    serde_json::from_value(params).map_err(|error| RequestError {
        code: ErrorCode::InvalidParams,
        message: error.to_string(),
    })
}

impl Server<'_> {
    fn run(&mut self) -> Ending {
        loop {
            if !self.receive() {
                return self.ending();
            }
            while let Some(message) = self.queue.pop_front() {
                if let Message::Notification(it) = &message
                    && it.method == "exit"
                {
                    return self.ending();
                }
                self.handle(message);
                // Later messages may cancel requests that are still waiting.
                self.receive_more();
            }
            self.work();
        }
    }

    fn ending(&self) -> Ending {
        if self.phase == Phase::ShutDown { Ending::Orderly } else { Ending::Abrupt }
    }

    /// Waits for a message or the time of the next work; `false` if the connection has ended.
    fn receive(&mut self) -> bool {
        let next = self.pending.values().map(|(_, when)| *when).min();
        let poll = self.checks.is_busy().then(|| Instant::now() + PERIOD);
        let until = next.into_iter().chain(poll).min();
        let received = match until {
            None => self.connection.receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(until) => self.connection.receiver.recv_deadline(until),
        };
        match received {
            Ok(message) => {
                self.enqueue(message);
                self.receive_more();
                true
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        }
    }

    fn receive_more(&mut self) {
        while let Ok(message) = self.connection.receiver.try_recv() {
            self.enqueue(message);
        }
    }

    /// Adds a message to the queue. A cancellation takes effect at once.
    fn enqueue(&mut self, message: Message) {
        match message {
            Message::Notification(it) if it.method == "$/cancelRequest" => {
                if let Ok(cancelled) = serde_json::from_value::<CancelParams>(it.params) {
                    let id = match cancelled.id {
                        Id::Int(number) => RequestId::from(number),
                        Id::String(text) => RequestId::from(text),
                    };
                    self.cancel(&id);
                }
            }
            message => self.queue.push_back(message),
        }
    }

    fn cancel(&mut self, id: &RequestId) {
        let is_cancelled = |it: &Message| matches!(it, Message::Request(it) if it.id == *id);
        let waiting = self.queue.iter().position(is_cancelled);
        if let Some(position) = waiting {
            self.queue.remove(position);
        } else if !self.checks.cancel_request(id) {
            return;
        }
        let error = RequestError {
            code: ErrorCode::RequestCanceled,
            message: "cancelled by the client".to_owned(),
        };
        self.respond(id.clone(), Err(error));
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Request(request) => self.request(request),
            Message::Notification(notification) => self.notification(notification),
            // The server asks for refreshes only, whose results are empty.
            Message::Response(_) => {}
        }
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let result = match (self.phase, method.as_str()) {
            (Phase::Fresh, "initialize") => self.initialize(params),
            (Phase::Fresh, _) => Err(RequestError {
                code: ErrorCode::ServerNotInitialized,
                message: "the server is not initialised".to_owned(),
            }),
            (Phase::ShutDown, _) | (_, "initialize") => Err(RequestError {
                code: ErrorCode::InvalidRequest,
                message: "this request is not allowed now".to_owned(),
            }),
            (Phase::Ready, "shutdown") => {
                self.phase = Phase::ShutDown;
                Ok(Reply::Now(Value::Null))
            }
            (Phase::Ready, _) => self.guarded(&method, params, &id),
        };
        match result {
            Ok(Reply::Now(value)) => self.respond(id, Ok(value)),
            Ok(Reply::Later) => self.refresh(),
            Err(error) => self.respond(id, Err(error)),
        }
    }

    /// The reply to a request; a panic is a bug of one answer and does not end the server.
    fn guarded(
        &mut self,
        method: &str,
        params: Value,
        id: &RequestId,
    ) -> Result<Reply, RequestError> {
        let answer = AssertUnwindSafe(|| requests::answer(self, method, params, id));
        panic::catch_unwind(answer).unwrap_or_else(|_| {
            let message = format!("a bug in Zonaut: {method} failed");
            Err(RequestError { code: ErrorCode::InternalError, message })
        })
    }

    fn initialize(&mut self, params: Value) -> Result<Reply, RequestError> {
        let params: InitializeParams = parameters(params)?;
        let workspace = params.capabilities.workspace.unwrap_or_default();
        self.client = ClientFeatures {
            refreshes_lenses: workspace.code_lens.and_then(|it| it.refresh_support) == Some(true),
            refreshes_inlays: workspace.inlay_hint.and_then(|it| it.refresh_support) == Some(true),
        };
        if let Some(options) = params.initialization_options {
            self.settings = serde_json::from_value(options).unwrap_or_default();
        }
        self.phase = Phase::Ready;
        Ok(Reply::Now(requests::capabilities()))
    }

    fn respond(&self, id: RequestId, result: Result<Value, RequestError>) {
        let response_result = result.map_err(|error| ResponseError {
            code: error.code as i32,
            message: error.message,
            data: None,
        });
        self.send(Response { id, response_result });
    }

    /// Sends a message. A client that is gone is noticed when the next message is received.
    fn send(&self, message: impl Into<Message>) {
        let _ = self.connection.sender.send(message.into());
    }

    fn notification(&mut self, notification: Notification) {
        if self.phase != Phase::Ready {
            return;
        }
        let Notification { method, params } = notification;
        // Malformed notifications cannot be answered; they are ignored.
        match method.as_str() {
            "textDocument/didOpen" => {
                if let Ok(it) = serde_json::from_value::<DidOpenTextDocumentParams>(params) {
                    let it = it.text_document;
                    let opened = Document::new(it.uri, it.language_id.into(), it.version, it.text);
                    self.documents.open(opened);
                    self.analyse_all();
                }
            }
            "textDocument/didChange" => {
                if let Ok(it) = serde_json::from_value::<Changes>(params) {
                    self.change(&it);
                }
            }
            "textDocument/didClose" => {
                if let Ok(it) = serde_json::from_value::<DidCloseTextDocumentParams>(params) {
                    self.close(&it.text_document.uri);
                }
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.documents.forget_analyses();
                self.analyse_all();
            }
            "workspace/didChangeConfiguration" => {
                let settings = params.get("settings").and_then(|it| it.get("zonaut"));
                let settings = settings.cloned().map(serde_json::from_value);
                if let Some(Ok(settings)) = settings {
                    self.settings = settings;
                }
            }
            _ => {}
        }
    }

    fn change(&mut self, params: &Changes) {
        let document = &params.text_document;
        let affected = self.documents.edit(&document.uri, document.version, |text| {
            for change in &params.content_changes {
                text.replace(change.range, &change.text);
            }
        });
        let when = Instant::now() + PAUSE;
        for uri in affected {
            self.pending.insert(uri.0.as_str().to_owned(), (uri, when));
        }
    }

    fn close(&mut self, uri: &Uri) {
        if self.documents.close(uri).is_none() {
            return;
        }
        self.pending.remove(uri.0.as_str());
        for request in self.checks.forget(uri) {
            self.respond(request, Err(RequestError::failed("the document was closed")));
        }
        self.publish(uri.clone(), None, Vec::new());
        self.analyse_all();
    }

    /// Analyses all open documents as soon as no message is waiting.
    fn analyse_all(&mut self) {
        let now = Instant::now();
        for document in self.documents.iter() {
            let uri = document.uri.clone();
            self.pending.insert(uri.0.as_str().to_owned(), (uri, now));
        }
    }

    /// The work between messages: analyses that are due, and results of searches.
    fn work(&mut self) {
        let now = Instant::now();
        let due = self.pending.values().filter(|(_, when)| *when <= now);
        let due: Vec<Uri> = due.map(|(uri, _)| uri.clone()).collect();
        for uri in due {
            self.pending.remove(uri.0.as_str());
            self.diagnose(&uri);
        }
        let finished = self.checks.collect();
        if !finished.is_empty() {
            self.refresh();
        }
        for Finished { request, record } in finished {
            let record = serde_json::to_value(record);
            let error = |why: serde_json::Error| RequestError::failed(why.to_string());
            self.respond(request, record.map_err(error));
        }
    }

    /// Publishes the diagnostics of a document, with its version.
    fn diagnose(&mut self, uri: &Uri) {
        let documents = &mut self.documents;
        let analysis = panic::catch_unwind(AssertUnwindSafe(|| documents.analysis(uri)));
        let problems = match analysis {
            Ok(Some(Ok(analysis))) => diagnostics(&analysis),
            Ok(Some(Err(reason))) => vec![plain(lsp_types::Range::default(), reason)],
            Ok(None) => Vec::new(),
            Err(_) => {
                let message = "a bug in Zonaut: this document could not be analysed".to_owned();
                vec![plain(lsp_types::Range::default(), message)]
            }
        };
        let version = self.documents.get(uri).map(|document| document.version);
        if version.is_some() {
            self.publish(uri.clone(), version, problems);
        }
    }

    fn publish(&self, uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        let params = PublishDiagnosticsParams { uri, diagnostics, version };
        self.send(Notification::new("textDocument/publishDiagnostics".to_owned(), params));
    }

    /// Asks the client to request lenses and inlays again.
    fn refresh(&mut self) {
        let ClientFeatures { refreshes_lenses, refreshes_inlays } = self.client;
        let methods = [
            ("workspace/codeLens/refresh", refreshes_lenses),
            ("workspace/inlayHint/refresh", refreshes_inlays),
        ];
        for (method, _) in methods.into_iter().filter(|(_, supported)| *supported) {
            let id = RequestId::from(format!("zonaut-{}", self.next_request));
            self.next_request += 1;
            self.send(Request { id, method: method.to_owned(), params: Value::Null });
        }
    }

    /// The options of a check with the settings of this folder.
    pub(crate) fn options(&self, folder: &FolderSettings) -> VerifyOptions {
        let resources = self.settings.resources(&folder.options.resources);
        VerifyOptions { trace: TraceWish::Some, resources, ..folder.options.clone() }
    }
}
