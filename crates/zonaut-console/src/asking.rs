//! Asking, with the progress shown.

use crate::console::Console;
use crate::held_memory::MemoryWatch;
use crate::interrupt::Interrupt;
use crate::progress_line::ProgressLine;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;
use zonaut_engine::{
    Answer, Evidence, Exploration, Progress, QueryId, Session, SharedQuestions, VerifyOptions,
};

/// The least time between two samples of the progress.
const SAMPLE: Duration = Duration::from_millis(5);

/// How a search stood at some moment.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// How long it had worked.
    pub elapsed: Duration,
    /// What it had done.
    pub progress: Progress,
    /// The lowest estimate that its guide had given, if it has one.
    pub lowest: Option<u32>,
}

/// What is asked, how, and what may end it.
pub struct Asking<'a> {
    session: &'a Session,
    options: &'a VerifyOptions,
    interrupt: &'a Interrupt,
    /// The queries that are going to be asked and may share an exploration.
    shared: Vec<QueryId>,
    /// Answers to queries that are still to be asked.
    known: BTreeMap<QueryId, Answer>,
    is_silent: bool,
    /// Progress as it was shown.
    samples: Vec<Sample>,
    _memory: MemoryWatch,
}

impl<'a> Asking<'a> {
    /// Asks each query on its own.
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

    /// Lets those of `queries` share one exploration that can. All of them are going to be asked.
    #[must_use]
    pub fn sharing(self, queries: impl IntoIterator<Item = QueryId>) -> Self {
        Self { shared: queries.into_iter().collect(), ..self }
    }

    /// The model.
    #[must_use]
    pub fn session(&self) -> &'a Session {
        self.session
    }

    /// How queries are answered.
    #[must_use]
    pub fn options(&self) -> &'a VerifyOptions {
        self.options
    }

    /// Answers a query, gives the evidence that is wanted, and shows how the search goes on.
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
        let certificate = evidence.certificate.map(|out| out as &mut dyn Write);
        let closing = evidence.closing;
        let lowest = Some(&lowest);
        let evidence = Evidence { listener: Some(&mut listener), certificate, closing, lowest };
        self.session.verify_with_certificate(query, self.options, evidence)
    }

    /// A line that says `phase` about `query` until it is dropped.
    #[must_use]
    pub fn phase(&self, query: QueryId, phase: &str) -> ProgressLine {
        let mut line = self.line_about(query);
        line.say(phase);
        line
    }

    /// How the last search that did not share an exploration went on, now and then.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Explores everything, and shows how that goes on.
    pub fn explore(&self, console: &mut Console<'_>) -> Exploration {
        let mut line = ProgressLine::new("", self.interrupt);
        let mut listener = |now: &_, elapsed| line.update(now, elapsed, console);
        self.session.explore(self.options, Some(&mut listener))
    }

    /// Answers `query` together with others, once, if it is among several that can share.
    fn answer_shared(&mut self, query: QueryId, console: &mut Console<'_>) {
        if !self.shared.contains(&query) {
            return;
        }
        let shared =
            SharedQuestions::among(self.session, self.shared.iter().copied(), self.options);
        if shared.queries().count() < 2 || !shared.queries().any(|other| other == query) {
            return;
        }
        self.shared.clear();
        let mut line = self.line_about(query);
        let mut listener = |now: &_, elapsed| line.update(now, elapsed, console);
        self.known.extend(shared.answer(self.options, Some(&mut listener)));
    }

    fn line_about(&self, query: QueryId) -> ProgressLine {
        match self.is_silent {
            true => ProgressLine::silent(self.interrupt),
            false => ProgressLine::new(&self.session.model().queries[query].text, self.interrupt),
        }
    }
}
