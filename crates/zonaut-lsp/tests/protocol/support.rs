//! A client in memory for the tests.

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use zonaut_lsp::{Ending, FindSettings, serve};

/// The longest time to wait for a message, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client with a server of its own on a thread.
pub(crate) struct Client {
    connection: Connection,
    server: Option<JoinHandle<Ending>>,
    next: i32,
    /// Messages that were received while another one was waited for.
    kept: VecDeque<Message>,
}

/// The result of a request, or its error code.
pub(crate) type Answer = Result<Value, i32>;

impl Client {
    /// A client whose server is not initialised.
    pub(crate) fn fresh() -> Self {
        Self::fresh_with(|| Box::new(|_| Ok(None)))
    }

    /// The same for a server that finds settings of folders.
    pub(crate) fn fresh_with(find: impl FnOnce() -> FindSettings + Send + 'static) -> Self {
        let (connection, other) = Connection::memory();
        let server = thread::spawn(move || serve(&other, find()));
        Self { connection, server: Some(server), next: 1, kept: VecDeque::new() }
    }

    /// A client with an initialised server.
    pub(crate) fn new() -> Self {
        Self::fresh().initialised()
    }

    /// A client with an initialised server that finds settings of folders.
    pub(crate) fn with_settings(find: impl FnOnce() -> FindSettings + Send + 'static) -> Self {
        Self::fresh_with(find).initialised()
    }

    fn initialised(self) -> Self {
        let mut client = self;
        let workspace = json!({ "codeLens": { "refreshSupport": true }, "inlayHint": { "refreshSupport": true } });
        let answer = client.request(
            "initialize",
            json!({ "processId": null, "rootUri": null, "capabilities": { "workspace": workspace } }),
        );
        assert!(answer.expect("an answer")["capabilities"]["hoverProvider"] == json!(true));
        client.notify("initialized", json!({}));
        client
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        let message = Notification { method: method.to_owned(), params };
        self.connection.sender.send(message.into()).expect("a running server");
    }

    /// Sends a request and returns its id.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> RequestId {
        let id = RequestId::from(self.next);
        self.next += 1;
        let message = Request { id: id.clone(), method: method.to_owned(), params };
        self.connection.sender.send(message.into()).expect("a running server");
        id
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Answer {
        let id = self.ask(method, params);
        self.answer(&id)
    }

    /// The answer to a request that was sent.
    pub(crate) fn answer(&mut self, id: &RequestId) -> Answer {
        let message = self.wait(|message| matches!(message, Message::Response(it) if it.id == *id));
        let Message::Response(Response { response_result, .. }) = message else {
            unreachable!("a response was waited for");
        };
        response_result.map_err(|error| error.code)
    }

    /// The next message that fits; others are kept.
    fn wait(&mut self, fits: impl Fn(&Message) -> bool) -> Message {
        if let Some(position) = self.kept.iter().position(&fits) {
            return self.kept.remove(position).expect("a position of the queue");
        }
        loop {
            let message = self.connection.receiver.recv_timeout(PATIENCE).expect("a message");
            if fits(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    /// Waits for a notification or a request of the server.
    pub(crate) fn wait_for(&mut self, method: &str) -> Value {
        let message = self.wait(|message| match message {
            Message::Notification(it) => it.method == method,
            Message::Request(it) => it.method == method,
            Message::Response(_) => false,
        });
        match message {
            Message::Notification(it) => it.params,
            Message::Request(it) => it.params,
            Message::Response(_) => Value::Null,
        }
    }

    /// The diagnostics of a version of a document; those of earlier ones are dropped.
    pub(crate) fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let message = self.wait(|message| match message {
            Message::Notification(it) => {
                it.method == "textDocument/publishDiagnostics"
                    && it.params["uri"] == json!(uri)
                    && it.params["version"] == json!(version)
            }
            _ => false,
        });
        let Message::Notification(it) = message else { unreachable!("a notification") };
        it.params["diagnostics"].as_array().expect("a list").clone()
    }

    /// Drops the messages that were received and not waited for.
    pub(crate) fn forget(&mut self) {
        self.kept.clear();
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let language = if uri.ends_with(".q") { "uppaal-queries" } else { "xta" };
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the whole text.
    pub(crate) fn replace(&mut self, uri: &str, version: i32, text: &str) {
        self.change(uri, version, &json!([{ "text": text }]));
    }

    pub(crate) fn change(&mut self, uri: &str, version: i32, changes: &Value) {
        let document = json!({ "uri": uri, "version": version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
    }

    /// A request about the first occurrence of `word` in `text`, behind `|` in it.
    pub(crate) fn at(&mut self, method: &str, uri: &str, text: &str, word: &str) -> Answer {
        self.request(method, position_of(uri, text, word))
    }

    pub(crate) fn command(&mut self, command: &str, argument: &Value) -> Answer {
        let params = json!({ "command": command, "arguments": [argument] });
        self.request("workspace/executeCommand", params)
    }

    /// Ends the connection as the protocol wants.
    pub(crate) fn finish(mut self) {
        assert_eq!(self.request("shutdown", Value::Null), Ok(Value::Null));
        self.notify("exit", Value::Null);
        let server = self.server.take().expect("one server");
        assert_eq!(server.join().expect("no panic"), Ending::Orderly);
    }
}

/// The position of `|` in `word`, which occurs in `text` without it.
pub(crate) fn position_of(uri: &str, text: &str, word: &str) -> Value {
    let plain = word.replacen('|', "", 1);
    let start = text.find(&plain).expect("the word is in the text");
    let offset = start + word.find('|').expect("a mark");
    let line = text[..offset].matches('\n').count();
    let before = &text[text[..offset].rfind('\n').map_or(0, |end| end + 1)..offset];
    let character = before.encode_utf16().count();
    json!({
        "textDocument": { "uri": uri },
        "position": { "line": line, "character": character }
    })
}
