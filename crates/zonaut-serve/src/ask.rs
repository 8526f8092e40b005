//! Queries from the page: progress lines during a search, a line with the answer at the end. A
//! search is cancelled when its page disconnects.

use crate::explorer::Explorer;
use crate::request::Request;
use crate::response::{Response, begin_lines};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use zonaut_base::one_line;
use zonaut_engine::{
    Answer, Progress, Resources, Session, Severity, TraceWish, Verdict, VerifyOptions,
    load_text_asking,
};

/// Maximum length of a formula.
const MOST_CHARACTERS: usize = 4096;
/// Maximum number of concurrent searches.
const MOST_SEARCHES: usize = 2;
/// Period of progress lines and of checks for a disconnected page.
const PERIOD: Duration = Duration::from_millis(100);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    query: String,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Progress(ProgressData),
    Answer(AnswerData),
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
    /// The delay in each state, if it is an integer.
    delays: Vec<Option<i64>>,
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
    ended: &Arc<AtomicBool>,
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
    let cancelled = Arc::new(AtomicBool::new(false));
    let resources =
        Resources { cancelled: Arc::clone(&cancelled), ..explorer.subject.resources.clone() };
    let options = VerifyOptions { trace: TraceWish::Some, resources, ..VerifyOptions::default() };
    let is_done = AtomicBool::new(false);
    let found = thread::scope(|scope| {
        scope.spawn(|| watch(stream, [&is_done, ended], &cancelled));
        let found = search(&session, &options, &mut out);
        is_done.store(true, Ordering::Relaxed);
        found
    });
    let Some(answer) = found else { return write(&mut out, &Line::Wrong("no query".to_owned())) };
    write(&mut out, &Line::Answer(described(explorer, &session, &answer)))
}

/// The model with one query, or the errors in it.
fn with_query(explorer: &Explorer, query: &str) -> Result<Session, String> {
    let file = explorer.session.sources().file(explorer.session.labels().document.file);
    let formulas = [query.to_owned()];
    let options = &explorer.subject.options;
    let loaded = load_text_asking(file.name(), file.text(), &formulas, options);
    let errors = loaded.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let messages: Vec<String> = errors.map(|found| one_line(&found.message)).collect();
    match loaded.session() {
        Some(session) if messages.is_empty() => Ok(session),
        _ => Err(messages.join("; ")),
    }
}

fn search(session: &Session, options: &VerifyOptions, out: &mut impl Write) -> Option<Answer> {
    let (id, _) = session.queries().next()?;
    let mut next = PERIOD;
    let cancelled = Arc::clone(&options.resources.cancelled);
    let mut listener = |now: &Progress, elapsed: Duration| {
        if elapsed < next {
            return;
        }
        next = elapsed + PERIOD;
        let line = Line::Progress(ProgressData {
            explored: now.explored,
            stored: now.stored,
            waiting: now.waiting,
            memory_bytes: now.bytes,
            seconds: elapsed.as_secs_f64(),
        });
        if write(out, &line).is_err() {
            cancelled.store(true, Ordering::Relaxed);
        }
    };
    Some(session.verify(id, options, Some(&mut listener)))
}

/// Waits for the end of a search, and cancels it if its page disconnects or the server stops.
fn watch(stream: &TcpStream, [is_done, ended]: [&AtomicBool; 2], cancelled: &AtomicBool) {
    let quiet = Some(PERIOD / 5);
    if stream.set_read_timeout(quiet).is_err() {
        return;
    }
    while !is_done.load(Ordering::Relaxed) {
        let is_gone = match stream.peek(&mut [0]) {
            // The page sends nothing after its request: further bytes are ignored.
            Ok(count) => {
                thread::sleep(PERIOD / 5);
                count == 0
            }
            Err(error) => {
                let waits = [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut];
                !waits.contains(&error.kind())
            }
        };
        if is_gone || ended.load(Ordering::Relaxed) {
            cancelled.store(true, Ordering::Relaxed);
            return;
        }
    }
}

fn described(explorer: &Explorer, session: &Session, answer: &Answer) -> AnswerData {
    let trace = answer.trace.as_ref();
    let reason = match &answer.verdict {
        Verdict::Satisfied | Verdict::NotSatisfied => None,
        verdict => session.reason_of(verdict).map(|why| one_line(&why)),
    };
    let delays = trace.iter().flat_map(|trace| {
        let delays = trace.steps.iter().map(|step| step.delay).chain([trace.last_delay]);
        delays.map(|delay| (delay.denominator == 1).then_some(delay.numerator))
    });
    AnswerData {
        verdict: answer.verdict.name(),
        reason,
        explored: answer.statistics.explored,
        stored: answer.statistics.stored,
        seconds: answer.seconds,
        strategy: answer.strategy.to_string(),
        values: answer.values.iter().map(|found| one_line(&found.to_string())).collect(),
        transitions: trace.map(|trace| trace.steps.len()),
        path: trace.and_then(|trace| explorer.path_of(trace)),
        delays: delays.collect(),
    }
}

fn write(out: &mut impl Write, line: &Line) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")?;
    out.flush()
}
