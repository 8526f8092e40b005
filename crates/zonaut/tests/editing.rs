//! `zonaut lsp` and `zonaut watch`, as editors and users run them.

#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use support::Bench;

const LAMP: &str = "clock x; process Lamp() { state off, on { x <= 5 }; init off; trans \
    off -> on { assign x = 0; }, on -> off { guard x == 5; }; } system Lamp;\n";

fn message(body: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

/// Sends bytes to a server, ends its input, and returns its exit code and output.
fn served(input: &[u8]) -> (Option<i32>, String) {
    let bench = Bench::new();
    let mut command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.args(["lsp", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().expect("the binary can be run");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A server that ends early closes the pipe.
    let _ = stdin.write_all(input);
    drop(stdin);
    let mut output = Vec::new();
    child.stdout.take().expect("a pipe").read_to_end(&mut output).expect("output");
    (child.wait().expect("an end").code(), String::from_utf8(output).expect("UTF-8"))
}

const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
const SHUTDOWN: &str = r#"{"jsonrpc":"2.0","id":9,"method":"shutdown"}"#;
const EXIT: &str = r#"{"jsonrpc":"2.0","method":"exit"}"#;

#[test]
fn the_server_speaks_over_standard_streams() {
    let words = [INITIALIZE, SHUTDOWN, EXIT].map(message).concat();
    let (code, output) = served(words.as_bytes());
    assert_eq!(code, Some(0));
    assert!(output.contains("hoverProvider"), "{output}");
    assert_eq!(output.matches("Content-Length: ").count(), 2, "{output}");
}

#[test]
fn a_body_that_is_no_message_is_skipped() {
    let broken = message("{ this is not JSON");
    let binary = message("\u{0}\u{1}");
    let words = [message(INITIALIZE), broken, binary, message(SHUTDOWN), message(EXIT)].concat();
    let (code, output) = served(words.as_bytes());
    assert_eq!(code, Some(0));
    assert_eq!(output.matches("a message was ignored").count(), 2, "{output}");
    assert!(output.contains("\"id\":9"), "{output}");
}

#[test]
fn garbage_ends_the_server() {
    assert_eq!(served(b"GET / HTTP/1.1\r\n\r\n").0, Some(2));
    assert_eq!(served(b"Content-Length: 99999999999999999999\r\n\r\n").0, Some(2));
    assert_eq!(served(&[0xff; 10_000]).0, Some(2));
    assert_eq!(served(b"").0, Some(1), "the protocol asks for an error without `shutdown`");
    assert_eq!(served(message(INITIALIZE).as_bytes()).0, Some(1));
    assert_eq!(served(message(EXIT).as_bytes()).0, Some(1));
}

fn watching(bench: &Bench, words: &[&str]) -> Child {
    let mut command: Command = bench.command(env!("CARGO_BIN_EXE_zonaut"));
    command.arg("watch").args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary can be run")
}

#[test]
fn a_changed_model_is_checked_again() {
    let bench = Bench::new();
    bench.write("lamp.xta", LAMP);
    bench.write("lamp.q", "E<> Lamp.on && x > 5\nA[] x >= 0\n");
    let mut child = watching(&bench, &["lamp.xta", "--checks", "3"]);
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = |word: &str| {
        let found = lines.by_ref().map_while(Result::ok).find(|line| line.contains(word));
        found.unwrap_or_else(|| panic!("a line with {word}"))
    };
    assert!(next("E<>").contains("not satisfied"));
    assert!(next("A[]").contains("satisfied"));
    next("2 queries");
    bench.write("lamp.xta", LAMP.replace("x <= 5", "x <= 50"));
    assert!(!next("E<>").contains("not satisfied"));
    next("2 queries");
    bench.write("lamp.q", "E<> Lamp.on && x > 50\n");
    assert!(next("E<>").contains("not satisfied"));
    assert_eq!(child.wait().expect("an end").code(), Some(1));
}

#[test]
fn a_watched_model_may_be_wrong_for_a_while() {
    let bench = Bench::new();
    bench.write("lamp.xta", LAMP.replace("clock x;", "clock"));
    bench.write("lamp.q", "E<> Lamp.on\n");
    let mut child = watching(&bench, &["lamp.xta", "--checks", "2"]);
    let mut errors = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let found = errors.by_ref().map_while(Result::ok).find(|line| line.starts_with("error"));
    assert!(found.is_some());
    bench.write("lamp.xta", LAMP);
    let mut output = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut output).expect("text");
    assert!(output.contains("satisfied"), "{output}");
    assert_eq!(child.wait().expect("an end").code(), Some(0));
}

#[test]
fn watching_ends_with_a_signal() {
    let bench = Bench::new();
    bench.write("lamp.xta", LAMP);
    let mut child = watching(&bench, &["lamp.xta", "-q", "E<> Lamp.on"]);
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    assert!(lines.next().expect("a line").expect("text").contains("satisfied"));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    assert_eq!(bench.run(&["watch", "-"]).code, Some(2));
    assert_eq!(bench.run(&["watch", "none.xta", "--checks", "1"]).code, Some(2));
}
