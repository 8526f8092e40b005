//! Queries from the page: progress lines during a search, a line with the answer at the end. A
//! search is cancelled when its page disconnects.

use crate::explorer::Explorer;
use crate::request::Request;
use crate::response::{Response, begin_lines};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use zonaut_base::one_line;
use zonaut_certification::Certified;
use zonaut_engine::{
    Answer, CertificateRequest, Diagnostic, Panicked, Running, Session, Severity, TraceWish,
    Verdict, VerifyOptions, load_text_asking,
};

/// Maximum length of a formula.
const MOST_CHARACTERS: usize = 4096;
/// Maximum number of concurrent searches.
const MOST_SEARCHES: usize = 2;
/// Period of progress lines and of checks for a disconnected page.
const PERIOD: Duration = Duration::from_millis(100);
/// Maximum time to wait for the end of a connection.
const LOOK: Duration = Duration::from_millis(1);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    query: String,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Progress(ProgressData),
    Answer(Box<AnswerData>),
    Wrong(String),
}

#[derive(Serialize)]
struct ProgressData {
    explored: usize,
    stored: usize,
    waiting: usize,
    memory_bytes: usize,
    seconds: f64,
}

#[derive(Serialize)]
struct AnswerData {
    verdict: &'static str,
    reason: Option<String>,
    explored: usize,
    stored: usize,
    seconds: f64,
    strategy: String,
    /// The values of `sup`, `inf` and `bounds`, a line each.
    values: Vec<String>,
    /// The number of transitions of the witness or counterexample.
    transitions: Option<usize>,
    /// The path of that run, if it can be stepped through.
    path: Option<Vec<usize>>,
    /// The delay in each state.
    delays: Vec<String>,
    /// Each of its transitions in one line.
    titles: Vec<String>,
    /// The parts of the formula that decide it at the end of that run.
    parts: Vec<String>,
    /// The reason why the answer is not certified; absent if it is.
    uncertified: Option<String>,
}

/// A permit to run a search, released when it is dropped.
struct SearchPermit<'e>(&'e AtomicUsize);

impl<'e> SearchPermit<'e> {
    fn take(searches: &'e AtomicUsize) -> Option<Self> {
        let before = searches.fetch_add(1, Ordering::Relaxed);
        let permit = Self(searches);
        (before < MOST_SEARCHES).then_some(permit)
    }
}

impl Drop for SearchPermit<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Answers a query until its page disconnects or the server stops.
pub(crate) fn answer(
    explorer: &Explorer,
    request: &Request,
    stream: &TcpStream,
    ended: &AtomicBool,
) -> io::Result<()> {
    let asked = match serde_json::from_slice::<Asked>(&request.body) {
        Ok(asked) if asked.query.chars().count() <= MOST_CHARACTERS => asked,
        Ok(_) => return Response::plain(400, "the formula is too long").write(stream),
        Err(_) => return Response::plain(400, "the request has no valid query").write(stream),
    };
    let Some(_permit) = SearchPermit::take(&explorer.searches) else {
        return Response::plain(503, "too many searches are running").write(stream);
    };
    let mut out = begin_lines(stream)?;
    let session = match with_query(explorer, &asked.query) {
        Ok(session) => session,
        Err(why) => return write(&mut out, &Line::Wrong(why)),
    };
    let Some((id, _)) = session.queries().next() else {
        return write(&mut out, &Line::Wrong("no query".to_owned()));
    };
    let resources = explorer.subject.resources.clone();
    let options = VerifyOptions { trace: TraceWish::Some, resources, ..VerifyOptions::default() };
    let mut attempt = explorer.subject.certifier.begin(None, &options.resources);
    // If the search fails, the connection ends without an answer.
    let failed = |panicked: Panicked| io::Error::other(panicked.to_string());
    let answer = match attempt.take_file() {
        Some(sink) => {
            let wanted = CertificateRequest { sink, closing: attempt.closing() };
            let running = session.start_verify_with_certificate(id, &options, wanted);
            follow(&running, stream, ended, &mut out);
            let answered = running.join().map_err(failed)?;
            attempt.give_back(answered.sink);
            answered.result
        }
        None => {
            let running = session.start_verify(id, &options);
            follow(&running, stream, ended, &mut out);
            running.join().map_err(failed)?
        }
    };
    let certified = attempt.finish(&session, id, &answer);
    let described = described(explorer, &session, &answer, &certified);
    write(&mut out, &Line::Answer(Box::new(described)))
}

/// The model with one query, or the errors in it.
fn with_query(explorer: &Explorer, query: &str) -> Result<Session, String> {
    let file = explorer.session.sources().file(explorer.session.labels().document.file);
    let formulas = [query.to_owned()];
    let options = &explorer.subject.options;
    let loaded = load_text_asking(file.name(), file.text(), &formulas, options);
    let errors = loaded.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let messages: Vec<String> = errors.map(described_error).collect();
    match loaded.session() {
        Some(session) if messages.is_empty() => Ok(session),
        _ => Err(messages.join("; ")),
    }
}

/// An error with its help, such as a similar name.
pub(crate) fn described_error(found: &Diagnostic) -> String {
    let help = found.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
    one_line(&format!("{}{help}", found.message))
}

/// Waits for the end of a search and sends its progress. Cancels it if its page disconnects or the
/// server stops.
fn follow<T: Send + 'static>(
    running: &Running<T>,
    stream: &TcpStream,
    ended: &AtomicBool,
    out: &mut impl Write,
) {
    let mut next = PERIOD;
    while !running.wait(PERIOD / 5) {
        if is_gone(stream) || ended.load(Ordering::Relaxed) {
            running.cancel();
        }
        let now = running.poll();
        if now.elapsed < next {
            continue;
        }
        next = now.elapsed + PERIOD;
        let line = Line::Progress(ProgressData {
            explored: now.progress.explored,
            stored: now.progress.stored,
            waiting: now.progress.waiting,
            memory_bytes: now.progress.bytes,
            seconds: now.elapsed.as_secs_f64(),
        });
        if write(out, &line).is_err() {
            running.cancel();
        }
    }
}

/// Whether the page has disconnected. It sends nothing after its request: further bytes are ignored.
fn is_gone(stream: &TcpStream) -> bool {
    if stream.set_read_timeout(Some(LOOK)).is_err() {
        return false;
    }
    match stream.peek(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => {
            let waits = [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut];
            !waits.contains(&error.kind())
        }
    }
}

fn described(
    explorer: &Explorer,
    session: &Session,
    answer: &Answer,
    certified: &Certified,
) -> AnswerData {
    let trace = answer.trace.as_ref();
    let reason = match &answer.verdict {
        Verdict::Satisfied | Verdict::NotSatisfied => None,
        verdict => session.reason_of(verdict).map(|why| one_line(&why)),
    };
    let delays = trace.iter().flat_map(|trace| {
        let delays = trace.steps.iter().map(|step| step.delay).chain([trace.last_delay]);
        delays.map(|delay| delay.to_string())
    });
    AnswerData {
        verdict: answer.verdict.name(),
        reason,
        explored: answer.statistics.explored,
        stored: answer.statistics.stored,
        seconds: answer.seconds,
        strategy: answer.strategy.to_string(),
        values: answer.values().iter().map(|found| one_line(&found.to_string())).collect(),
        transitions: trace.map(|trace| trace.steps.len()),
        path: trace.and_then(|trace| explorer.path_of(trace)),
        delays: delays.collect(),
        titles: trace.map_or_else(Vec::new, |trace| explorer.titles(trace)),
        parts: parts(session, answer),
        uncertified: certified.certification.reason().as_deref().map(one_line),
    }
}

/// The parts of the formula that the last state of the run decides.
fn parts(session: &Session, answer: &Answer) -> Vec<String> {
    let query = session.queries().next();
    let parts = query.zip(answer.trace.as_ref());
    let parts = parts.map(|((id, _), trace)| session.decided_parts(id, trace));
    parts.unwrap_or_default().iter().map(|part| one_line(part)).collect()
}

fn write(out: &mut impl Write, line: &Line) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")?;
    out.flush()
}
