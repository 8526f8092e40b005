//! The explorer over real sockets: its responses, and the requests it refuses.

use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use zonaut_certification::{Certifier, CheckerProgram, Policy};
use zonaut_engine::{LoadOptions, Loaded, QuerySource, Resources, load, load_text};
use zonaut_serve::{Server, Subject, Watched};

const GATE: &str = "clock x, y; int[0,9] n; chan go;
    process P() { state a { x <= 3 }, b, never { y <= 1 }; init a;
        trans a -> b { guard x > 1; assign n = n + 1, y = 0; }, b -> a { sync go!; assign x = 0; },
              a -> never { guard n == 7; }, a -> b { guard x > 3; }; }
    process Q() { state q; init q; trans q -> q { sync go?; }; }
    system P, Q;
    query { E<> P.b and n == 2
    }";

/// A counter with too many states for a search to finish.
const ENDLESS: &str = "int[0,30000] a, b, c;
    process P() { state s; init s; trans s -> s { guard a < 30000; assign a = a + 1; },
        s -> s { guard b < 30000; assign b = b + 1; }, s -> s { guard c < 30000; assign c = c + 1; }; }
    system P;
    query { E<> a + b + c == 90000
    }";

/// A server that runs until this is dropped.
struct Running {
    port: u16,
    token: String,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn new(name: &str, model: &str) -> Self {
        let options = LoadOptions::default();
        let loaded = load_text(name, model, &options);
        Self::serving(loaded, options, None)
    }

    fn serving(loaded: Loaded, options: LoadOptions, watched: Option<Watched>) -> Self {
        let resources = Resources { memory: Some(1 << 28), ..Resources::default() };
        let checker = CheckerProgram { path: "none".into(), arguments: Vec::new() };
        let certifier = Certifier { policy: Policy::Never, checker, advice: "" };
        let subject = Subject { loaded, options, resources, certifier, watched };
        let server = Server::bind(subject).expect("a port");
        let url = server.url();
        let (address, token) = url.split_once("/#").expect("a secret");
        let port = address.strip_prefix("http://127.0.0.1:").expect("the loopback address");
        let (port, token) = (port.parse().expect("a port"), token.to_owned());
        let ended = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&ended);
        let thread = thread::spawn(move || server.run(&end).expect("a server that runs"));
        Self { port, token, ended, thread: Some(thread) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream
    }

    /// Sends bytes and reads until the server closes.
    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // A server that refuses early may close before everything is sent.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        String::from_utf8(all).expect("text")
    }

    fn request(&self, path: &str, headers: &[(&str, &str)], body: &str) -> String {
        let mut text = format!("POST {path} HTTP/1.1\r\n");
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        format!("{text}Content-Length: {}\r\n\r\n{body}", body.len())
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        vec![
            ("Host", format!("127.0.0.1:{}", self.port)),
            ("Origin", format!("http://127.0.0.1:{}", self.port)),
            ("Content-Type", "application/json".to_owned()),
            ("X-Zonaut-Token", self.token.clone()),
        ]
    }

    /// A request like that of the page, with one header replaced or removed.
    fn changed(&self, name: &'static str, value: Option<&str>) -> String {
        let mut headers = self.headers();
        headers.retain(|(other, _)| *other != name);
        headers.extend(value.map(|value| (name, value.to_owned())));
        let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
        self.send(self.request("/api/model", &headers, "{}").as_bytes())
    }

    fn ask(&self, path: &str, body: &Value) -> String {
        let headers = self.headers();
        let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
        self.request(path, &headers, &body.to_string())
    }

    /// The status and the body of the response to the page.
    fn post(&self, path: &str, body: &Value) -> (u16, String) {
        let answer = self.send(self.ask(path, body).as_bytes());
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        (status(head), body.to_owned())
    }

    fn json(&self, path: &str, body: &Value) -> Value {
        let (status, text) = self.post(path, body);
        assert_eq!(status, 200, "{text}");
        serde_json::from_str(&text).expect("JSON")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0)
}

#[test]
fn other_hosts_are_refused() {
    let server = Running::new("gate.xta", GATE);
    assert_eq!(status(&server.changed("Host", Some(&format!("localhost:{}", server.port)))), 200);
    let foreign = format!("evil.example:{}", server.port);
    for host in [Some(foreign.as_str()), Some("127.0.0.1"), Some("127.0.0.1:1"), Some(""), None] {
        assert_eq!(status(&server.changed("Host", host)), 403, "{host:?}");
    }
    let page = format!("GET / HTTP/1.1\r\nHost: {foreign}\r\n\r\n");
    assert_eq!(status(&server.send(page.as_bytes())), 403);
}

#[test]
fn foreign_origins_are_refused() {
    let server = Running::new("gate.xta", GATE);
    assert_eq!(status(&server.changed("Origin", None)), 200);
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"] {
        assert_eq!(status(&server.changed("Origin", Some(origin))), 403, "{origin}");
    }
    assert_eq!(status(&server.changed("Sec-Fetch-Site", Some("cross-site"))), 403);
    assert_eq!(status(&server.changed("Sec-Fetch-Site", Some("same-origin"))), 200);
    let headers = server.send(server.ask("/api/model", &json!({})).as_bytes()).to_lowercase();
    assert!(!headers.contains("access-control-"), "{headers}");
}

#[test]
fn the_token_is_needed_for_everything_about_the_model() {
    let server = Running::new("gate.xta", GATE);
    let wrong = "0".repeat(32);
    for token in [None, Some(""), Some(wrong.as_str()), Some(&server.token[1..])] {
        let answer = server.changed("X-Zonaut-Token", token);
        assert_eq!(status(&answer), 403, "{token:?}");
        assert!(!answer.contains("gate"), "{answer}");
    }
    assert_eq!(status(&server.changed("Content-Type", Some("text/plain"))), 403);
    let host = format!("127.0.0.1:{}", server.port);
    let page = server.send(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
    assert_eq!(status(&page), 200);
    assert!(!page.contains(&server.token) && !page.contains("gate.xta"), "{page}");
}

#[test]
fn the_page_may_only_connect_to_its_server() {
    let server = Running::new("gate.xta", GATE);
    let host = format!("127.0.0.1:{}", server.port);
    let page = server.send(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
    for header in [
        "Content-Security-Policy: default-src 'none';",
        "connect-src 'self';",
        "frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
        "Cache-Control: no-store",
    ] {
        assert!(page.contains(header), "{header}");
    }
    assert!(!page.contains("unsafe-inline") && !page.contains("unsafe-eval"));
    assert_eq!(page.matches("<script").count(), 1);
}

#[test]
fn oversized_and_malformed_requests_are_refused() {
    let server = Running::new("gate.xta", GATE);
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(100_000));
    assert_eq!(status(&server.send(long.as_bytes())), 431);
    let body = json!({ "query": "x".repeat(100_000) });
    assert_eq!(server.post("/api/ask", &body).0, 413);
    assert_eq!(server.post("/api/ask", &json!({ "query": "x".repeat(5000) })).0, 400);
    assert_eq!(server.post("/api/state", &json!({ "path": vec![0; 3000] })).0, 400);
    assert_eq!(server.post("/api/state", &json!({ "path": [99] })).0, 400);
    assert_eq!(server.post("/api/state", &json!({ "path": [-1] })).0, 400);
    assert_eq!(status(&server.send(b"\r\n\r\n")), 400);
}

#[test]
fn file_paths_are_never_served() {
    let server = Running::new("gate.xta", GATE);
    let host = format!("Host: 127.0.0.1:{}", server.port);
    for path in ["/etc/passwd", "/../../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd", "/api"] {
        let answer = server.send(format!("GET {path} HTTP/1.1\r\n{host}\r\n\r\n").as_bytes());
        assert_eq!(status(&answer), 404, "{path}");
    }
    let file = json!({ "path": [], "kind": "report", "file": "run.html" });
    assert_eq!(server.post("/api/save", &file).0, 400);
    assert_eq!(server.post("/api/state", &json!({ "path": "/etc/passwd" })).0, 400);
}

#[test]
fn the_number_of_connections_is_limited() {
    let server = Running::new("gate.xta", GATE);
    let held: Vec<TcpStream> = (0..16).map(|_| server.connect()).collect();
    thread::sleep(Duration::from_millis(300));
    let mut one_more = server.connect();
    assert_eq!(one_more.read(&mut [0]).unwrap_or(0), 0);
    drop(held);
    let begun = Instant::now();
    while server.send(server.ask("/api/model", &json!({})).as_bytes()).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(10), "the places are free again");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_state_has_choices_obstacles_and_pictures() {
    let server = Running::new("gate.xta", GATE);
    let model = server.json("/api/model", &json!({}));
    assert_eq!(model["name"], "gate.xta");
    assert_eq!(model["processes"][0]["locations"], json!(["a", "b", "never"]));
    assert!(model["templates"][0]["picture"].as_str().is_some_and(|it| it.starts_with("<svg")));
    let state = server.json("/api/state", &json!({ "path": [] }));
    assert_eq!(state["choices"].as_array().map(Vec::len), Some(1));
    let whys: Vec<&str> = state["obstacles"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["why"].as_str())
        .collect();
    assert!(whys.contains(&"the guard is false: `n == 7` (n = 0)"), "{whys:?}");
    assert!(whys.contains(&"the guard requires `x > 3`"), "{whys:?}");
    assert!(state["picture"].as_str().is_some_and(|it| it.contains("zone of x and y")));
    let turned = server.json("/api/state", &json!({ "path": [], "clocks": ["y", "x"] }));
    assert!(turned["picture"].as_str().is_some_and(|it| it.contains("zone of y and x")));
    let next = server.json("/api/state", &json!({ "path": [0, 0] }));
    assert_eq!(next["locations"], json!([0, 0]));
    assert_eq!(next["variables"], json!([["n", 1]]));
    assert_eq!(next["steps"].as_array().map(Vec::len), Some(2));
    assert_eq!(next["run"]["dates"], json!(["0", "2", "2", "2"]));
}

#[test]
fn every_state_of_the_graph_can_be_visited() {
    let server = Running::new("gate.xta", GATE);
    assert_eq!(server.post("/api/path", &json!({ "node": 0 })).0, 400, "there is no graph yet");
    let graph = server.json("/api/graph", &json!({}));
    let nodes = graph["nodes"].as_array().expect("a list");
    let picture = graph["picture"].as_str().expect("a picture");
    assert_eq!(picture.matches("<g data-n=").count(), nodes.len());
    assert!(nodes.len() > 10, "{graph}");
    for (number, node) in nodes.iter().enumerate() {
        let found = server.json("/api/path", &json!({ "node": number }));
        let state = server.json("/api/state", &json!({ "path": found["path"] }));
        assert_eq!(state["locations"], node["locations"], "{number}");
        assert_eq!(state["variables"], node["variables"], "{number}");
    }
    for wrong in [json!({ "node": nodes.len() }), json!({ "node": -1 }), json!({ "path": "/" })] {
        assert_eq!(server.post("/api/path", &wrong).0, 400, "{wrong}");
    }
    let few = server.json("/api/graph", &json!({ "most": 4 }));
    assert_eq!(few["nodes"].as_array().map(Vec::len), Some(4));
    assert_eq!(few["total"], json!(nodes.len()));
    assert_eq!(few["picture"].as_str().map(|it| it.matches("<g data-n=").count()), Some(4));
    assert_eq!(server.post("/api/graph", &json!({ "most": -1 })).0, 400);
    let endless = Running::new("endless.xta", ENDLESS).json("/api/graph", &json!({}));
    assert_eq!(endless["nodes"].as_array().map(Vec::len), Some(300));
    let about = endless["about"].as_str().expect("a text");
    assert!(about.ends_with("incomplete: more states exist"), "{about}");
}

#[test]
fn a_run_respects_requested_delays() {
    let server = Running::new("gate.xta", GATE);
    let state = server.json("/api/state", &json!({ "path": [0], "delays": [3, 4] }));
    assert_eq!(state["run"]["dates"], json!(["0", "3", "7"]));
    let never = server.json("/api/state", &json!({ "path": [0], "delays": [9] }));
    assert_eq!(never["run"], Value::Null);
    assert_eq!(never["locations"], json!([1, 0]));
}

#[test]
fn a_query_is_answered_with_a_run_that_can_be_walked_and_saved() {
    let server = Running::new("gate.xta", GATE);
    let (status, lines) = server.post("/api/ask", &json!({ "query": "E<> P.b and n == 2" }));
    assert_eq!(status, 200);
    let last: Value = serde_json::from_str(lines.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["answer"]["verdict"], "satisfied", "{lines}");
    assert_eq!(last["answer"]["uncertified"], "not requested", "{lines}");
    let titles = json!(["P: a \u{2192} b", "go: P \u{2192} Q", "P: a \u{2192} b"]);
    assert_eq!(last["answer"]["titles"], titles, "{lines}");
    let path = last["answer"]["path"].clone();
    assert_eq!(path.as_array().map(Vec::len), Some(3));
    let state = server.json("/api/state", &json!({ "path": path }));
    assert_eq!(state["variables"], json!([["n", 2]]));
    let trace = server.json("/api/save", &json!({ "path": path, "kind": "trace" }));
    assert_eq!(trace["steps"].as_array().map(Vec::len), Some(3));
    let (_, page) = server.post("/api/save", &json!({ "path": path, "kind": "report" }));
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("gate.xta"));
    let (_, wrong) = server.post("/api/ask", &json!({ "query": "E<> Q.nowhere" }));
    let wrong: Value = serde_json::from_str(wrong.trim()).expect("JSON");
    assert!(wrong["wrong"].as_str().is_some_and(|why| why.contains("nowhere")), "{wrong}");
}

const COUNT: &str = "int[0,3] n; process P() { state a; init a; \
    trans a -> a { guard n < 3; assign n = n + 1; }; } system P;";

#[test]
fn values_are_part_of_the_answer() {
    let server = Running::new("count.xta", COUNT);
    let (_, lines) = server.post("/api/ask", &json!({ "query": "sup: n" }));
    let last: Value = serde_json::from_str(lines.lines().last().expect("a line")).expect("JSON");
    let values = last["answer"]["values"].as_array().expect("a list");
    assert_eq!(values.len(), 1, "{lines}");
    assert!(values[0].as_str().is_some_and(|text| text.contains('3')), "{lines}");
}

/// Begins a search and waits for its first line.
fn begin_search(server: &Running) -> Option<TcpStream> {
    let mut stream = server.connect();
    let request = server.ask("/api/ask", &json!({ "query": "E<> a + b + c == 90000" }));
    stream.write_all(request.as_bytes()).expect("a request");
    let mut seen = String::new();
    let mut chunk = [0; 4096];
    while !seen.contains("\"progress\"") {
        let count = stream.read(&mut chunk).expect("an answer");
        seen.push_str(&String::from_utf8_lossy(&chunk[..count]));
        if count == 0 {
            assert!(seen.starts_with("HTTP/1.1 503"), "{seen}");
            return None;
        }
    }
    Some(stream)
}

#[test]
fn a_search_is_cancelled_when_its_page_disconnects() {
    let server = Running::new("endless.xta", ENDLESS);
    let [first, second] = [1, 2].map(|_| begin_search(&server).expect("a place"));
    assert!(begin_search(&server).is_none(), "two searches at once are the most");
    drop(first);
    second.shutdown(Shutdown::Both).expect("a connection");
    let begun = Instant::now();
    while begin_search(&server).is_none() {
        assert!(begun.elapsed() < Duration::from_secs(10), "the searches go on without a page");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn searches_are_cancelled_when_the_server_stops() {
    let server = Running::new("endless.xta", ENDLESS);
    let mut search = begin_search(&server).expect("a place");
    drop(server);
    let mut rest = String::new();
    search.read_to_string(&mut rest).expect("an end");
    assert!(rest.contains("cancelled"), "{rest}");
}

#[test]
fn names_are_text_and_never_markup() {
    let hostile = "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;'\u{202e}";
    let model = format!(
        "<nta><template><name>P</name><location id=\"a\" x=\"0\" y=\"0\"><name>a</name>\
         <label kind=\"comments\">{hostile}</label></location><init ref=\"a\"/>\
         <transition><source ref=\"a\"/><target ref=\"a\"/>\
         <label kind=\"comments\">{hostile}</label></transition></template>\
         <system>system P;</system><queries><query><formula>E&lt;&gt; P.a</formula>\
         <comment>{hostile}</comment></query></queries></nta>"
    );
    let server = Running::new("</script><b>\u{1b}[31m.xml", &model);
    let text = server.post("/api/model", &json!({})).1;
    let data: Value = serde_json::from_str(&text).expect("JSON");
    let picture = data["templates"][0]["picture"].as_str().expect("a picture");
    assert!(!picture.contains("<img") && !picture.contains("<script"), "{picture}");
    let name = data["name"].as_str().expect("a name");
    assert!(!name.contains('\u{1b}'), "{name:?}");
    let state = server.post("/api/state", &json!({ "path": [0] })).1;
    let data: Value = serde_json::from_str(&state).expect("JSON");
    let sequence = data["run"]["sequence"].as_str().expect("a picture");
    assert!(!sequence.contains("<img") && !sequence.contains("<script"), "{sequence}");
    let page = server.post("/api/save", &json!({ "path": [0], "kind": "report" })).1;
    assert!(!page.contains("<img") && !page.contains("<b>"), "{page}");
}

#[test]
fn delays_have_the_bounds_of_invariants_and_guards() {
    let server = Running::new("gate.xta", GATE);
    let state = server.json("/api/state", &json!({ "path": [] }));
    assert_eq!(state["most"], 3, "{state}");
    assert_eq!(state["choices"][0]["delay"]["to"], 3, "{state}");
    let next = server.json("/api/state", &json!({ "path": [0] }));
    assert_eq!(next["most"], Value::Null, "{next}");
    assert_eq!(next["choices"][0]["delay"], json!({ "from": "0", "to": null }), "{next}");
    // A committed location lets no time pass.
    let text = "process P() { state a, b; commit a; init a; trans a -> b { }; } system P;";
    let state = Running::new("now.xta", text).json("/api/state", &json!({ "path": [] }));
    assert_eq!(state["most"], 0, "{state}");
    assert_eq!(state["choices"][0]["delay"], json!({ "from": "0", "to": 0 }), "{state}");
}

#[test]
fn the_source_is_shown_with_the_lines_of_edges() {
    let server = Running::new("gate.xta", GATE);
    let model = server.json("/api/model", &json!({}));
    let source = model["source"].as_str().expect("a text");
    let state = server.json("/api/state", &json!({ "path": [] }));
    let line = state["choices"][0]["edges"][0]["line"].as_u64().expect("a line") as usize;
    let shown = source.lines().nth(line - 1).expect("a line");
    assert!(shown.contains("trans a -> b"), "{line}: {shown}");
}

#[test]
fn the_model_is_read_again_when_its_file_changes() {
    let folder = std::env::temp_dir().join(format!("zonaut-serve-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("gate.xta");
    fs::write(&path, GATE).expect("a file");
    let options = LoadOptions::default();
    let loaded = load(&path, &QuerySource::WithModel, &options).expect("a model");
    let watched = Watched { model: path.clone(), queries: QuerySource::WithModel };
    let server = Running::serving(loaded, options, Some(watched));
    let now = server.json("/api/watch", &json!({}));
    assert_eq!((&now["version"], &now["problem"]), (&json!(1), &Value::Null));
    fs::write(&path, GATE.replace("x <= 3", "x <= nothing")).expect("a file");
    let broken = server.json("/api/watch", &json!({}));
    assert_eq!(broken["version"], 1);
    assert!(broken["problem"].as_str().is_some_and(|it| it.contains("nothing")), "{broken}");
    let state = server.json("/api/state", &json!({ "path": [] }));
    assert_eq!(state["most"], 3, "the version before stays on display");
    fs::write(&path, GATE.replace("x <= 3 }", "x <= 2000 }")).expect("a file");
    let healed = server.json("/api/watch", &json!({}));
    assert_eq!((&healed["version"], &healed["problem"]), (&json!(2), &Value::Null), "{healed}");
    let state = server.json("/api/state", &json!({ "path": [] }));
    assert_eq!(state["most"], 2000, "{state}");
    let found = server.json("/api/follow", &json!({ "version": 1, "path": [0, 0] }));
    assert_eq!(found["path"], json!([0, 0]), "{found}");
    let _ = fs::remove_dir_all(&folder);
}

#[test]
fn a_misspelt_name_is_answered_with_a_suggestion() {
    let server = Running::new("gate.xta", "process Gate() { state shut; init shut; } system Gate;");
    let (_, lines) = server.post("/api/ask", &json!({ "query": "E<> Gat.shut" }));
    assert!(lines.contains("Gate"), "{lines}");
}

const DRAWN: &str = "<nta><declaration>clock x; int n;</declaration><template><name>P</name>\
    <location id=\"a\" x=\"0\" y=\"0\"><name>a</name></location>\
    <location id=\"b\" x=\"200\" y=\"0\"><name>b</name></location><init ref=\"a\"/>\
    <transition><source ref=\"a\"/><target ref=\"b\"/>\
    <label kind=\"guard\" x=\"5\" y=\"6\">x &gt;= 2</label><nail x=\"90\" y=\"40\"/></transition>\
    </template><system>system P;</system></nta>";

/// A server of a model in a file of its own folder.
fn serving_file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf, Running) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    fs::write(&path, text).expect("a file");
    let (options, queries) = (LoadOptions::default(), QuerySource::WithModel);
    let loaded = load(&path, &queries, &options).expect("a model");
    let watched = Some(Watched { model: path.clone(), queries });
    let server = Running::serving(loaded, options, watched);
    (folder, path, server)
}

#[test]
fn a_change_is_written_to_the_opened_file_only() {
    let (folder, path, server) = serving_file("p.xml", DRAWN);
    let labels = server.json("/api/labels", &json!({ "template": 0, "edge": 0 }));
    assert_eq!(labels["labels"][1], json!(["guard", "x >= 2"]));
    let edge = json!({ "template": 0, "edge": 0, "labels": [["guard", "x < 3 && n == 0"]] });
    assert_eq!(server.post("/api/edit", &json!({ "change": { "edge": edge } })).0, 200);
    let expected = DRAWN.replace("x &gt;= 2", "x &lt; 3 &amp;&amp; n == 0");
    assert_eq!(fs::read_to_string(&path).expect("a file"), expected);
    assert_eq!(server.json("/api/watch", &json!({}))["version"], 2);
    let location = json!({ "template": 0, "location": 1, "invariant": "x <= 9" });
    assert_eq!(server.post("/api/edit", &json!({ "change": { "location": location } })).0, 200);
    assert_eq!(server.json("/api/watch", &json!({}))["version"], 3);
    let moves = json!([{ "template": 0, "location": 1, "x": 10, "y": -20 }]);
    let picture = server.post("/api/drawing", &json!({ "template": 0, "moves": moves })).1;
    assert!(picture.starts_with("<svg"), "{picture}");
    assert_eq!(server.post("/api/edit", &json!({ "change": { "positions": moves } })).0, 200);
    let text = fs::read_to_string(&path).expect("a file");
    assert!(text.contains("id=\"b\" x=\"210\" y=\"-20\"") && !text.contains("nail"), "{text}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1, "no other file remains");
}

#[test]
fn a_change_with_errors_or_of_an_old_text_is_refused() {
    let (_folder, path, server) = serving_file("p.xml", DRAWN);
    let part = |text: &str| json!({ "change": { "part": { "index": 0, "text": text } } });
    let (status, why) = server.post("/api/edit", &part("clock x; int n = m;"));
    assert_eq!(status, 422);
    assert!(why.contains("not saved") && why.contains('m'), "{why}");
    assert_eq!(fs::read_to_string(&path).expect("a file"), DRAWN);
    fs::write(&path, DRAWN.replace("int n", "int k, n")).expect("a file");
    let (status, why) = server.post("/api/edit", &part("clock x; int n, m;"));
    assert_eq!(status, 409);
    assert!(why.contains("changed meanwhile"), "{why}");
    assert!(fs::read_to_string(&path).expect("a file").contains("int k, n"));
    let mut insisting = part("clock x; int n, m;");
    insisting["overwrites"] = json!(true);
    assert_eq!(server.post("/api/edit", &insisting).0, 200);
    assert!(fs::read_to_string(&path).expect("a file").contains("int n, m"));
}

#[test]
fn changes_name_no_files_and_are_limited() {
    let (folder, path, server) = serving_file("p.xta", GATE);
    let other = folder.path().join("other.xta");
    for body in [
        json!({ "change": { "source": GATE }, "file": other }),
        json!({ "change": { "source": GATE }, "path": "/etc/passwd" }),
        json!({ "change": { "file": "/etc/passwd" } }),
        json!({ "change": { "edge": { "template": 9, "edge": 0, "labels": [] } } }),
        json!({ "change": { "edge": { "template": 0, "edge": 0, "labels": [["onclick", "x"]] } } }),
        json!({ "change": { "positions": [{ "template": 0, "location": 0, "x": 999_999, "y": 0 }] } }),
        json!({ "change": { "positions": [{ "template": 0, "location": 0, "x": 1, "y": 0 }] } }),
        json!({ "source": GATE }),
    ] {
        assert_eq!(server.post("/api/edit", &body).0, 400, "{body}");
    }
    assert!(!other.exists());
    assert_eq!(fs::read_to_string(&path).expect("a file"), GATE);
    let huge = json!({ "change": { "source": "x".repeat(9 << 20) } });
    assert_eq!(server.post("/api/edit", &huge).0, 413);
    for path in ["/api/drawing", "/api/labels", "/api/follow", "/api/open"] {
        assert_eq!(server.post(path, &json!({ "file": "/etc/passwd" })).0, 400, "{path}");
    }
    // A model without a file cannot be changed.
    let memory = Running::new("gate.xta", GATE);
    let change = json!({ "change": { "source": GATE } });
    assert_eq!(memory.post("/api/edit", &change).0, 400);
    assert!(memory.json("/api/source", &json!({}))["fixed"].is_string());
}

/// The addresses of all requests, from the source of the server, so that none is forgotten.
fn endpoints() -> Vec<&'static str> {
    let routes = include_str!("../src/lib.rs").split("(\"POST\", \"").skip(1);
    let routes: Vec<&str> = routes.filter_map(|rest| rest.split('"').next()).collect();
    assert!(routes.len() >= 13 && routes.contains(&"/api/ask"), "{routes:?}");
    routes
}

#[test]
fn no_request_takes_a_body_without_bound() {
    let server = Running::new("gate.xta", GATE);
    for path in endpoints() {
        let mut headers = server.headers();
        headers.push(("Content-Length", "99999999".to_owned()));
        let headers: Vec<(&str, &str)> = headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
        let lines = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let head = format!("POST {path} HTTP/1.1\r\n{}\r\n", lines.collect::<String>());
        assert_eq!(status(&server.send(head.as_bytes())), 413, "{path}");
        // A method that only reads has no effect on the model.
        let head = head.replace("POST", "GET").replace("99999999", "0");
        assert_eq!(status(&server.send(head.as_bytes())), 404, "{path}");
    }
}

#[test]
fn every_request_needs_the_token_and_the_origin() {
    let (_folder, path, server) = serving_file("p.xml", DRAWN);
    let body = json!({ "change": { "source": "" }, "overwrites": true }).to_string();
    for path in endpoints() {
        for (name, value) in [
            ("X-Zonaut-Token", "0".repeat(32)),
            ("Host", "attacker.example".to_owned()),
            ("Origin", "http://attacker.example".to_owned()),
            ("Content-Type", "text/plain".to_owned()),
        ] {
            let mut headers = server.headers();
            headers.retain(|(other, _)| *other != name);
            headers.push((name, value));
            let headers: Vec<(&str, &str)> =
                headers.iter().map(|(n, v)| (*n, v.as_str())).collect();
            let answer = server.send(server.request(path, &headers, &body).as_bytes());
            assert_eq!(status(&answer), 403, "{path} {name}");
        }
    }
    assert_eq!(fs::read_to_string(&path).expect("a file"), DRAWN);
}

#[test]
fn traces_are_saved_and_opened_in_every_format() {
    let server = Running::new("gate.xta", GATE);
    let delays = json!(["5/2", null, null]);
    for kind in ["trace", "xtr", "xml"] {
        let saving = json!({ "path": [0, 0], "delays": delays, "kind": kind });
        let (status, text) = server.post("/api/save", &saving);
        assert_eq!(status, 200, "{kind}");
        let found = server.json("/api/open", &json!({ "text": text }));
        assert_eq!((&found["path"], &found["total"]), (&json!([0, 0]), &json!(2)), "{kind}");
        if kind == "trace" {
            assert_eq!(found["delays"][0], "5/2");
        }
    }
    assert_eq!(server.post("/api/open", &json!({ "text": "/etc/passwd" })).0, 400);
    let state = server.json("/api/state", &json!({ "path": [0], "delays": ["5/2"] }));
    assert_eq!(state["run"]["dates"], json!(["0", "5/2", "5/2"]));
}

#[test]
fn a_trace_is_followed_into_a_changed_file() {
    let (_folder, path, server) = serving_file("p.xta", GATE);
    // The order of edges changes, so that indices of choices do.
    let changed =
        GATE.replace("trans a -> b { guard x > 1;", "trans a -> never { }, a -> b { guard x > 1;");
    fs::write(&path, &changed).expect("a file");
    assert_eq!(server.json("/api/watch", &json!({}))["version"], 2);
    let found = server.json("/api/follow", &json!({ "version": 1, "path": [0, 0] }));
    assert_eq!(found["path"].as_array().map(Vec::len), Some(2), "{found}");
    assert_eq!(found["obstacle"], Value::Null);
    let state = server.json("/api/state", &json!({ "path": found["path"] }));
    assert_eq!(state["variables"], json!([["n", 1]]));
    fs::write(&path, GATE.replace("guard x > 1;", "guard x > 3;")).expect("a file");
    assert_eq!(server.json("/api/watch", &json!({}))["version"], 3);
    let found = server.json("/api/follow", &json!({ "version": 2, "path": found["path"] }));
    assert_eq!((&found["path"], &found["total"]), (&json!([]), &json!(2)));
    let why = found["obstacle"].as_str().expect("a reason");
    assert!(why.contains("the guard requires `x > 3`"), "{why}");
}
