//! Execution of queries with a progress display.

use crate::console::Console;
use crate::held_memory::MemoryWatch;
use crate::interrupt::Interrupt;
use crate::progress_line::ProgressLine;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;
use zonaut_engine::{
    Answer, CertificateSink, Evidence, Exploration, Progress, QueryBatch, QueryId, Session,
    VerifyOptions,
};

/// The least time between two samples of the progress.
const SAMPLE: Duration = Duration::from_millis(5);

/// A sample of the progress of a search.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The elapsed time.
    pub elapsed: Duration,
    /// The progress.
    pub progress: Progress,
    /// The least estimate of its heuristic so far, if it has one.
    pub lowest: Option<u32>,
}

/// The queries to be answered, the options, and the interrupt that can cancel them.
pub struct Asking<'a> {
    session: &'a Session,
    options: &'a VerifyOptions,
    interrupt: &'a Interrupt,
    /// The queries that may share an exploration.
    shared: Vec<QueryId>,
    /// Answers to queries that are requested later.
    known: BTreeMap<QueryId, Answer>,
    is_silent: bool,
    /// The samples of the last search.
    samples: Vec<Sample>,
    _memory: MemoryWatch,
}

impl<'a> Asking<'a> {
    /// Answers each query on its own.
    #[must_use]
    pub fn new(session: &'a Session, options: &'a VerifyOptions, interrupt: &'a Interrupt) -> Self {
        let (shared, known) = (Vec::new(), BTreeMap::new());
        let (is_silent, samples) = (false, Vec::new());
        Self {
            session,
            options,
            interrupt,
            shared,
            known,
            is_silent,
            samples,
            _memory: MemoryWatch::start(&options.resources),
        }
    }

    /// Shows no progress.
    #[must_use]
    pub fn silent(self) -> Self {
        Self { is_silent: true, ..self }
    }

    /// Enables sharing of one exploration by those of `queries` that support it. All of them must
    /// be answered later.
    #[must_use]
    pub fn sharing(self, queries: impl IntoIterator<Item = QueryId>) -> Self {
        Self { shared: queries.into_iter().collect(), ..self }
    }

    /// The model.
    #[must_use]
    pub fn session(&self) -> &'a Session {
        self.session
    }

    /// The options of verification.
    #[must_use]
    pub fn options(&self) -> &'a VerifyOptions {
        self.options
    }

    /// Answers a query, produces the wanted evidence, and shows the progress of the search.
    pub fn answer(
        &mut self,
        query: QueryId,
        evidence: Evidence<'_>,
        console: &mut Console<'_>,
    ) -> Answer {
        if evidence.certificate.is_none() {
            self.answer_shared(query, console);
            if let Some(answer) = self.known.remove(&query) {
                return answer;
            }
        }
        let mut line = self.line_about(query);
        let samples = &mut self.samples;
        samples.clear();
        let lowest = Cell::new(None);
        let mut listener = |now: &Progress, elapsed: Duration| {
            let is_due = samples.last().is_none_or(|last| elapsed >= last.elapsed + SAMPLE);
            if is_due {
                samples.push(Sample { elapsed, progress: *now, lowest: lowest.get() });
            }
            line.update(now, elapsed, console);
        };
        let certificate = evidence.certificate.map(|out| out as &mut dyn CertificateSink);
        let closing = evidence.closing;
        let lowest = Some(&lowest);
        let evidence = Evidence { listener: Some(&mut listener), certificate, closing, lowest };
        self.session.verify_with_certificate(query, self.options, evidence)
    }

    /// A progress line with `phase` about `query`, shown until it is dropped.
    #[must_use]
    pub fn phase(&self, query: QueryId, phase: &str) -> ProgressLine {
        let mut line = self.line_about(query);
        line.say(phase);
        line
    }

    /// Samples of the progress of the last search that did not share an exploration.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Explores the whole state space, and shows the progress.
    pub fn explore(&self, console: &mut Console<'_>) -> Exploration {
        let mut line = ProgressLine::new("", self.interrupt);
        let mut listener = |now: &_, elapsed| line.update(now, elapsed, console);
        self.session.explore(self.options, Some(&mut listener))
    }

    /// Answers `query` together with others, once, if it is among several that can share an
    /// exploration.
    fn answer_shared(&mut self, query: QueryId, console: &mut Console<'_>) {
        if !self.shared.contains(&query) {
            return;
        }
        let shared = QueryBatch::among(self.session, self.shared.iter().copied(), self.options);
        if shared.queries().count() < 2 || !shared.queries().any(|other| other == query) {
            return;
        }
        self.shared.clear();
        let mut line = self.line_about(query);
        let mut listener = |now: &_, elapsed| line.update(now, elapsed, console);
        let evidence = Evidence { listener: Some(&mut listener), ..Evidence::default() };
        self.known.extend(shared.answer(self.options, evidence));
    }

    fn line_about(&self, query: QueryId) -> ProgressLine {
        match self.is_silent {
            true => ProgressLine::silent(self.interrupt),
            false => ProgressLine::new(&self.session.model().queries[query].text, self.interrupt),
        }
    }
}
