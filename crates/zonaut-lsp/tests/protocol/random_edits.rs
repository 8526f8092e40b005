//! Random edits keep the state of the server equal to that of a fresh one.
//!
//! A client applies random edits to a model and to its queries. After each of them, the answers of the
//! server about diagnostics, names and symbols must be those of a server that opens the resulting
//! texts. `ZONAUT_EDITS` sets the number of edits, which is 60 by default; many are divided among
//! clients that work at the same time, each with a server and random choices of its own.

use crate::support::Client;
use lsp_server::RequestId;
use serde_json::{Value, json};
use std::fs;

const DEFAULT_EDITS: i32 = 60;

/// The number of edits from which on there are several clients.
const MANY_EDITS: i32 = 1_000;

/// The number of clients of many edits.
const CLIENTS: i32 = 8;

const URI: &str = "file:///models/random.xta";
const QUERIES: &str = "file:///models/random.q";

/// The generator of Steele, Lea and Flood (doi 10.1145/2660193.2660195).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % bound.max(1) as u64) as usize
    }
}

/// Pieces of text that edits insert.
const PIECES: [&str; 28] = [
    "x",
    "1",
    ";",
    "{",
    "}",
    "(",
    ")",
    "\n",
    "\r\n",
    " ",
    "int y;\n",
    "clock z;",
    "process Q() { ",
    "// note\n",
    "/*",
    "*/",
    "ä",
    "𝄞",
    "P.",
    "const int N = 2;",
    "E<> ",
    "A[] not deadlock\n",
    "state s;",
    "trans a -> b { };",
    "\"",
    "&&",
    "system P;",
    "",
];

/// A document of the client, with its version.
struct Mirror {
    uri: &'static str,
    original: String,
    text: String,
    version: i32,
}

impl Mirror {
    /// The position of an offset, counted from the start of the text.
    fn position(&self, offset: usize) -> Value {
        let (mut line, mut character) = (0, 0);
        let mut rest = self.text[..offset].chars().peekable();
        while let Some(found) = rest.next() {
            let next = rest.peek().copied().or_else(|| self.text[offset..].chars().next());
            match found {
                '\n' => (line, character) = (line + 1, 0),
                '\r' if next != Some('\n') => (line, character) = (line + 1, 0),
                '\r' => {}
                other => character += other.len_utf16(),
            }
        }
        json!({ "line": line, "character": character })
    }

    /// A random offset that a position can denote: not between `\r` and `\n`.
    fn offset(&self, random: &mut Random) -> usize {
        let mut offset = random.below(self.text.len() + 1);
        while !self.text.is_char_boundary(offset)
            || (offset > 0 && self.text[..offset].ends_with('\r'))
        {
            offset -= 1;
        }
        offset
    }

    /// Applies one random edit, and returns it for the server.
    fn edit(&mut self, random: &mut Random) -> Value {
        if random.below(25) == 0 {
            self.text = self.original.clone();
            return json!({ "text": self.text });
        }
        let start = self.offset(random);
        let mut end = match random.below(3) {
            0 => self.offset(random),
            1 => (start + random.below(12)).min(self.text.len()),
            _ => start,
        };
        while !self.text.is_char_boundary(end) || (end > 0 && self.text[..end].ends_with('\r')) {
            end -= 1;
        }
        let (mut start, mut end) = (start.min(end), start.max(end));
        // Large deletions are rare, so that some model is left.
        if end - start > 40 && random.below(10) > 0 {
            end = start;
        }
        let piece = match random.below(4) {
            0 => {
                let (a, b) = (self.offset(random), self.offset(random));
                self.text[a.min(b)..a.max(b)].chars().take(60).collect()
            }
            _ => PIECES[random.below(PIECES.len())].to_owned(),
        };
        let mut range = json!({ "start": self.position(start), "end": self.position(end) });
        if random.below(20) == 0 {
            // A position behind the last line is the end of the text.
            (start, end) = (self.text.len(), self.text.len());
            let far = json!({ "line": 1_000_000, "character": 7 });
            range = json!({ "start": far, "end": far });
        }
        self.text.replace_range(start..end, &piece);
        json!({ "range": range, "text": piece })
    }

    fn change(&mut self, client: &mut Client, random: &mut Random) {
        let changes: Vec<Value> = (0..=random.below(3)).map(|_| self.edit(random)).collect();
        self.version += 1;
        client.change(self.uri, self.version, &Value::from(changes));
    }
}

/// Asks a server about a document, without waiting for the answers.
fn ask(client: &mut Client, uri: &str, at: &Value) -> Vec<RequestId> {
    let document = json!({ "textDocument": { "uri": uri } });
    let position = json!({ "textDocument": { "uri": uri }, "position": at });
    let requests = [
        ("textDocument/documentSymbol", &document),
        ("textDocument/semanticTokens/full", &document),
        ("textDocument/codeLens", &document),
        ("textDocument/hover", &position),
        ("textDocument/completion", &position),
    ];
    requests.map(|(method, params)| client.ask(method, params.clone())).to_vec()
}

/// The answers to requests.
fn answers(client: &mut Client, requests: &[RequestId]) -> Vec<Value> {
    let answers = requests.iter().map(|id| client.answer(id));
    answers.map(|answer| answer.unwrap_or_else(|code| json!(code))).collect()
}

/// The memory that this process holds, in kilobytes; 0 where the system does not tell.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

#[test]
fn random_edits_keep_the_state_of_a_fresh_server() {
    let edits = std::env::var("ZONAUT_EDITS").ok().and_then(|count| count.parse().ok());
    let edits: i32 = edits.unwrap_or(DEFAULT_EDITS);
    if edits < MANY_EDITS {
        return check(34, edits);
    }
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (from, to) = (edits / CLIENTS * client, edits / CLIENTS * (client + 1));
            let to = if client + 1 == CLIENTS { edits } else { to };
            scope.spawn(move || check(34 + u64::from(client.unsigned_abs()), to - from));
        }
    });
}

/// Applies this many edits that a seed determines, and compares the answers after each of them.
fn check(seed: u64, edits: i32) {
    let family = zonaut_families::find("train-gate").expect("a family");
    let generated = family.generate(&[3]).expect("a model");
    let formulas = "// The gate\nA[] not deadlock\nE<> Train(0).Cross\n".to_owned();
    let mirror = |uri, text: String| Mirror { uri, original: text.clone(), text, version: 1 };
    let mut documents = [mirror(URI, generated.model), mirror(QUERIES, formulas)];
    let (mut client, mut fresh) = (Client::new(), Client::new());
    for document in &documents {
        client.open(document.uri, &document.text);
    }
    documents.iter().for_each(|document| drop(client.diagnostics(document.uri, 1)));
    let mut random = Random(seed);
    for edit in 0..edits {
        if edit % (edits / 10).max(1_000) == 0 {
            eprintln!("client {seed}: {edit} edits, {} kB", memory());
        }
        // Diagnostics come after a pause, and have the version of their document alone: every tenth
        // edit changes both documents, the queries last, so that their versions are unique.
        let is_diagnosed = edit % 10 == 0;
        let changed = random.below(5) / 4;
        let both = [0, 1].into_iter().filter(|index| is_diagnosed || *index == changed);
        both.for_each(|index| documents[index].change(&mut client, &mut random));
        for document in &documents {
            let text = &document.text;
            let params = json!({
                "uri": document.uri, "languageId": "xta", "version": edit, "text": text
            });
            fresh.notify("textDocument/didOpen", json!({ "textDocument": params }));
        }
        // Both servers work on all requests at the same time.
        let requests = documents.each_ref().map(|document| {
            let at = document.position(document.offset(&mut random));
            [&mut client, &mut fresh].map(|server| ask(server, document.uri, &at))
        });
        for (document, [old, new]) in documents.iter().zip(&requests) {
            let (old, new) = (answers(&mut client, old), answers(&mut fresh, new));
            assert_eq!(old, new, "after edit {edit} of {}:\n{}", document.uri, document.text);
            if is_diagnosed {
                let old = client.diagnostics(document.uri, document.version);
                let new = fresh.diagnostics(document.uri, edit);
                assert_eq!(old, new, "after edit {edit} of {}:\n{}", document.uri, document.text);
            }
        }
        client.forget();
        fresh.forget();
    }
    eprintln!("client {seed}: {edits} edits, {} kB", memory());
    client.finish();
    fresh.finish();
}
