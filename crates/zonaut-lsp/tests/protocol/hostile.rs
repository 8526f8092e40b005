//! Clients that do not keep to the protocol, and documents that are damaged or huge.

use crate::support::Client;
use lsp_server::{Connection, Message, Notification};
use serde_json::{Value, json};
use std::thread;
use zonaut_lsp::{Ending, serve};

const URI: &str = "file:///models/p.xta";
const MODEL: &str = "clock x; process P() { state a, b; init a; trans a -> b { guard x > 1; }; } \
    system P; query { E<> P.b }";

/// All requests about positions and documents.
const METHODS: [&str; 13] = [
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/documentSymbol",
    "textDocument/formatting",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/codeLens",
    "textDocument/inlayHint",
];

/// Parameters that fit every method.
fn parameters(uri: &str, line: u64, character: u64) -> Value {
    let position = json!({ "line": line, "character": character });
    json!({
        "textDocument": { "uri": uri },
        "position": position,
        "range": { "start": position, "end": { "line": 0, "character": 0 } },
        "context": { "includeDeclaration": true },
        "newName": "other",
        "options": { "tabSize": 0, "insertSpaces": true },
    })
}

/// Whether the server still answers.
fn is_alive(client: &mut Client) -> bool {
    client.open("file:///alive.xta", MODEL);
    let hover = client.at("textDocument/hover", "file:///alive.xta", MODEL, "clock |x");
    hover.is_ok_and(|found| found["contents"]["value"].as_str().unwrap_or("").contains("clock x"))
}

#[test]
fn wrong_positions_are_answered() {
    let mut client = Client::new();
    client.open(URI, MODEL);
    let most = u64::from(u32::MAX);
    for method in METHODS {
        for (line, character) in [(0, 10_000), (most, most), (1, 0), (0, most), (most, 0)] {
            // An error is an answer, too.
            let _ = client.request(method, parameters(URI, line, character));
            let _ = client.request(method, parameters("file:///closed.xta", line, character));
        }
        let above = parameters(URI, u64::MAX, u64::MAX);
        let takes_position = client.request(method, above.clone());
        let ignores_it = ["documentSymbol", "formatting", "full", "codeLens"];
        if !ignores_it.iter().any(|word| method.ends_with(word)) {
            assert_eq!(takes_position, Err(-32602), "{method}");
        }
    }
    assert!(is_alive(&mut client));
    client.finish();
}

#[test]
fn malformed_parameters_are_errors() {
    let mut client = Client::new();
    for method in METHODS.into_iter().chain(["workspace/executeCommand"]) {
        for params in
            [Value::Null, json!([]), json!({}), json!("text"), json!({ "textDocument": 1 })]
        {
            assert_eq!(client.request(method, params.clone()), Err(-32602), "{method} {params}");
        }
    }
    for method in ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose"] {
        client.notify(method, json!({ "textDocument": { "uri": "no uri at all" } }));
        client.notify(method, Value::Null);
    }
    client.notify("workspace/didChangeConfiguration", json!({ "settings": { "zonaut": 3 } }));
    client.notify("no/such/notification", json!(1));
    assert_eq!(client.request("no/such/request", Value::Null), Err(-32601));
    assert!(is_alive(&mut client));
    client.finish();
}

#[test]
fn edits_out_of_range_are_clamped() {
    let mut client = Client::new();
    client.open(URI, "int x;\n");
    let range = |a: u32, b: u32, c: u32, d: u32| json!({ "start": { "line": a, "character": b }, "end": { "line": c, "character": d } });
    let most = u32::MAX;
    let changes = json!([
        { "range": range(9, 9, 9, 9), "text": "int y;\n" },
        { "range": range(1, 4, 0, 4), "text": "z, " },
        { "range": range(0, most, most, most), "text": " = 𝄞" },
    ]);
    client.change(URI, 2, &changes);
    let problems = client.diagnostics(URI, 2);
    assert!(problems.iter().any(|it| it["code"] == json!("TA0101")), "{problems:?}");
    // A document that is not open is not changed.
    client.change("file:///closed.xta", 5, &json!([{ "text": "" }]));
    client.change(URI, 3, &json!([]));
    client.change(URI, 4, &json!([{ "text": "process P() { state a; init a; } system P;" }]));
    assert_eq!(client.diagnostics(URI, 4), Vec::<Value>::new());
    client.finish();
}

#[test]
fn huge_documents_are_refused_with_a_note() {
    let mut client = Client::new();
    let huge = format!("int x; // {}", "y".repeat(9 << 20));
    client.open(URI, &huge);
    let problems = client.diagnostics(URI, 1);
    assert_eq!(problems.len(), 1);
    assert!(problems[0]["message"].as_str().unwrap_or("").contains("larger than"));
    for method in METHODS {
        let _ = client.request(method, parameters(URI, 0, 5));
    }
    client.replace(URI, 2, MODEL);
    assert_eq!(client.diagnostics(URI, 2), Vec::<Value>::new());
    client.finish();
}

#[test]
fn damaged_documents_are_analysed() {
    let mut client = Client::new();
    let deep = "(".repeat(100_000);
    let texts = [
        String::new(),
        "\u{feff}".to_owned(),
        "\0\u{1}\u{7f}".to_owned(),
        "<nta".to_owned(),
        "<nta><declaration>int x</declaration>".to_owned(),
        format!("int x = {deep};"),
        format!("process P() {{ {}", "state a; ".repeat(5_000)),
        "system P;".to_owned(),
        "\r\r\n\n\r".to_owned(),
        "process 𝄞() { }".to_owned(),
        "const int a[2000000000] = { 1 }; int f() { while (true) { } return 1; } const int N = f();"
            .to_owned(),
    ];
    for (version, text) in texts.iter().enumerate() {
        for uri in [URI, "file:///models/p.q", "file:///models/p2.xml"] {
            client.open(uri, text);
            for method in METHODS {
                for (line, character) in [(0, 0), (0, 9), (1, 0)] {
                    let _ = client.request(method, parameters(uri, line, character));
                }
            }
        }
        assert!(is_alive(&mut client), "{version}");
    }
    client.finish();
}

#[test]
fn waiting_requests_are_cancelled() {
    let mut client = Client::new();
    client.open(URI, MODEL);
    // The requests wait in the queue while the first documents are analysed.
    let ids: Vec<_> =
        (0..50).map(|_| client.ask("textDocument/codeLens", parameters(URI, 0, 0))).collect();
    for id in &ids {
        client.notify("$/cancelRequest", json!({ "id": id }));
        client.notify("$/cancelRequest", json!({ "id": "unknown" }));
        client.notify("$/cancelRequest", json!({}));
    }
    for id in &ids {
        let answer = client.answer(id);
        assert!(matches!(answer, Ok(_) | Err(-32800)), "{answer:?}");
    }
    client.finish();
}

#[test]
fn the_phases_of_the_protocol_are_kept() {
    let mut client = Client::fresh();
    assert_eq!(client.request("textDocument/hover", parameters(URI, 0, 0)), Err(-32002));
    client.open(URI, MODEL);
    assert_eq!(client.request("initialize", json!({ "capabilities": 3 })), Err(-32602));
    let empty = json!({ "capabilities": {} });
    assert!(client.request("initialize", empty.clone()).is_ok());
    assert_eq!(client.request("initialize", empty), Err(-32600));
    // The document was opened too early: it does not exist.
    let hover = client.request("textDocument/hover", parameters(URI, 0, 6));
    assert_eq!(hover, Ok(Value::Null));
    assert_eq!(client.request("shutdown", Value::Null), Ok(Value::Null));
    assert_eq!(client.request("textDocument/hover", parameters(URI, 0, 0)), Err(-32600));
    client.notify("exit", Value::Null);
}

#[test]
fn a_client_that_vanishes_ends_the_server() {
    let (client, server) = Connection::memory();
    let running = thread::spawn(move || serve(&server, Box::new(|_| Ok(None))));
    drop(client);
    assert_eq!(running.join().expect("no panic"), Ending::Abrupt);
    let (client, server) = Connection::memory();
    let running = thread::spawn(move || serve(&server, Box::new(|_| Ok(None))));
    let exit = Notification { method: "exit".to_owned(), params: Value::Null };
    client.sender.send(Message::Notification(exit)).expect("a server");
    assert_eq!(running.join().expect("no panic"), Ending::Abrupt);
}
