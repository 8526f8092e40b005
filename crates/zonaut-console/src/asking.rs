//! Execution of queries with a progress display.

use crate::console::Console;
use crate::interrupt::Interrupt;
use crate::progress_line::ProgressLine;
use std::collections::BTreeMap;
use std::time::Duration;
use zonaut_engine::{
    Answer, CertificateRequest, CertificateSink, MemoryWatch, Progress, QueryBatch, QueryId,
    Refusal, Resources, Running, Session, Snapshot, Task, Trace, Verdict, VerifyOptions,
    WithCertificate,
};

/// The time between two looks at the progress.
const PERIOD: Duration = Duration::from_millis(5);

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
    /// The progress of the last search.
    samples: Vec<Snapshot>,
    _memory: MemoryWatch,
}

/// A run of minimal time, if proven.
#[derive(Clone, Debug)]
pub struct Fastest {
    /// The run.
    pub trace: Trace,
    /// Whether no run takes less time, or only by less than one unit if the infimum is not
    /// attained. `false` if a limit ended the search.
    pub is_proven: bool,
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

    /// Answers a query and shows the progress of the search.
    pub fn answer(&mut self, query: QueryId, console: &mut Console<'_>) -> Answer {
        if let Some(batch) = self.take_batch(query) {
            let answers = self.answer_batch(batch, console);
            self.known.extend(answers);
        }
        if let Some(answer) = self.known.remove(&query) {
            return answer;
        }
        let running = self.session.start_verify(query, self.options);
        self.follow(running, self.line_about(query), console)
    }

    /// Answers a query, writes its certificate, and shows the progress of the search.
    pub fn answer_with_certificate<W: CertificateSink + Send + 'static>(
        &mut self,
        query: QueryId,
        request: CertificateRequest<W>,
        console: &mut Console<'_>,
    ) -> WithCertificate<Answer, W> {
        let running = self.session.start_verify_with_certificate(query, self.options, request);
        self.follow(running, self.line_about(query), console)
    }

    /// The batch that `query` belongs to, if it can share an exploration with others. Each is returned
    /// once.
    pub fn take_batch(&mut self, query: QueryId) -> Option<QueryBatch> {
        if self.shared.len() < 2 || !self.shared.contains(&query) {
            return None;
        }
        let shared = self.shared.iter().copied();
        let batch = QueryBatch::among(self.session, shared, self.options);
        if batch.queries().count() < 2 || !batch.queries().any(|other| other == query) {
            return None;
        }
        self.shared.clear();
        Some(batch)
    }

    /// Answers the queries of a batch and shows the progress of the search.
    pub fn answer_batch(
        &mut self,
        batch: QueryBatch,
        console: &mut Console<'_>,
    ) -> Vec<(QueryId, Answer)> {
        let line = self.line_about_batch(&batch);
        self.follow(batch.start(), line, console)
    }

    /// Answers the queries of a batch, writes their certificates, and shows the progress.
    pub fn answer_batch_with_certificates<W: CertificateSink + Send + 'static>(
        &mut self,
        batch: QueryBatch,
        request: CertificateRequest<W>,
        console: &mut Console<'_>,
    ) -> WithCertificate<Vec<(QueryId, Answer)>, W> {
        let line = self.line_about_batch(&batch);
        self.follow(batch.start_with_certificates(request), line, console)
    }

    fn line_about_batch(&self, batch: &QueryBatch) -> ProgressLine {
        match (self.is_silent, batch.queries().count()) {
            (true, _) => ProgressLine::silent(self.interrupt),
            (false, count) => self.shown_line(&format!("{count} queries")),
        }
    }

    /// A progress line with `phase` about `query`, shown until it is dropped.
    #[must_use]
    pub fn phase(&self, query: QueryId, phase: &str) -> ProgressLine {
        let mut line = self.line_about(query);
        line.say(phase);
        line
    }

    /// Samples of the progress of the last search.
    #[must_use]
    pub fn samples(&self) -> &[Snapshot] {
        &self.samples
    }

    /// Performs a task that is not about a query, and shows the progress.
    pub fn perform(&mut self, task: Task, console: &mut Console<'_>) -> Answer {
        self.follow(task.start(), ProgressLine::new("", self.interrupt), console)
    }

    /// A run of minimal time to the goal of `query`, which the run `found` decides, within these
    /// limits.
    pub fn fastest_run(
        &mut self,
        query: QueryId,
        found: Trace,
        resources: &Resources,
        console: &mut Console<'_>,
    ) -> Fastest {
        let Some(task) = Task::fastest_run(self.session, query, resources) else {
            return Fastest { trace: found, is_proven: false };
        };
        let answer = self.follow(task.start(), ProgressLine::silent(self.interrupt), console);
        let is_proven = answer.verdict == Verdict::Satisfied && answer.trace.is_some();
        Fastest { trace: answer.trace.unwrap_or(found), is_proven }
    }

    /// At most `most` different runs that decide an `E<>` or `A[]` query, shortest first.
    ///
    /// # Errors
    /// If reachability does not decide the query.
    pub fn several_runs(
        &mut self,
        query: QueryId,
        most: usize,
        options: &VerifyOptions,
        console: &mut Console<'_>,
    ) -> Result<Answer, Refusal> {
        let task = Task::several_runs(self.session, query, most, options)?;
        Ok(self.follow(task.start(), ProgressLine::silent(self.interrupt), console))
    }

    /// Waits for the result of a question and shows its progress. A panic is continued here.
    fn follow<T>(
        &mut self,
        running: Running<T>,
        mut line: ProgressLine,
        console: &mut Console<'_>,
    ) -> T {
        self.samples.clear();
        loop {
            let is_finished = running.wait(PERIOD);
            let now = running.poll();
            let before = self.samples.last().map_or(Progress::default(), |last| last.progress);
            if now.progress != before {
                self.samples.push(now);
            }
            if is_finished {
                return running.join().unwrap_or_else(|panicked| panicked.resume());
            }
            match now.sample {
                Some(sample) => line.update_sample(&sample, now.elapsed, console),
                None => line.update(&now, console),
            }
        }
    }

    fn line_about(&self, query: QueryId) -> ProgressLine {
        match self.is_silent {
            true => ProgressLine::silent(self.interrupt),
            false => self.shown_line(&self.session.model().queries[query].text),
        }
    }

    fn shown_line(&self, title: &str) -> ProgressLine {
        ProgressLine::new(title, self.interrupt).with_limit(self.options.resources.time)
    }
}
