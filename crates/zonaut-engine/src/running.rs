//! Running questions: a handle starts a search on a thread of its own, reads its progress, cancels
//! it and receives its result.
//!
//! *Laws.* A handle ends: after [`cancel`](Running::cancel) the search stops at its next look at the
//! meter, and a panic of the search becomes an error of [`join`](Running::join). Dropping a handle
//! cancels its question and waits for the thread, so that no search outlives its handle. Cancelling
//! one question does not affect another, even if both have the same options. A handle never changes
//! a result: the search, its limits and its counts are those of the methods of [`Session`].

use crate::answer::{Answer, QueryBatch};
use crate::explore::Exploration;
use crate::optimize::{NotOptimized, OptimizeEvent, OptimizeOptions, Optimized};
use crate::resources::Resources;
use crate::session::Session;
use crate::verify::{CertificateSink, Evidence, VerifyOptions};
use std::any::Any;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use zonaut_cost::{Improvement, Infimum};
use zonaut_model::QueryId;
use zonaut_portfolio::LowestEstimate;
use zonaut_space::Progress;

/// The stack size of a search: large formulas are evaluated recursively. Only the used part takes
/// memory.
const STACK_BYTES: usize = 256 << 20;

/// A running question with a result of type `T`.
///
/// ```
/// use std::time::Duration;
/// use zonaut_engine::{LoadOptions, Verdict, VerifyOptions, load_text};
///
/// let text = "process P() { state a, b; init a; trans a -> b { }; } system P; query { E<> P.b }";
/// let session = load_text("p.xta", text, &LoadOptions::default()).session().expect("a model");
/// let (id, _) = session.queries().next().expect("a query");
/// let running = session.start_verify(id, &VerifyOptions::default());
/// while !running.wait(Duration::from_millis(100)) {
///     println!("{} explored", running.poll().progress.explored);
/// }
/// let answer = running.join().expect("no panic");
/// assert_eq!(answer.verdict, Verdict::Satisfied);
/// ```
#[must_use = "a question is cancelled when its handle is dropped"]
pub struct Running<T> {
    shared: Arc<Shared<T>>,
    /// The thread of the search; `None` after its end, or if no thread could be started.
    worker: Option<JoinHandle<()>>,
}

/// The progress of a running question.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Snapshot {
    /// The time since the start, or until the end.
    pub elapsed: Duration,
    /// The statistics that the search reported last; initially zero.
    pub progress: Progress,
    /// The lowest estimate of its heuristic so far, if it has one.
    pub lowest: Option<u32>,
    /// The cost of the incumbent of an optimisation.
    pub incumbent: Option<Infimum>,
    /// The lower bound of the cost of all runs in an optimisation, once it is known.
    pub lower_bound: Option<Infimum>,
}

/// An improvement of the incumbent, with the time since the start.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimedImprovement {
    /// The time since the start.
    pub elapsed: Duration,
    /// The improvement.
    pub improvement: Improvement,
}

/// The panic of a search: a bug of Zonaut.
pub struct Panicked(Box<dyn Any + Send>);

/// The request for a certificate.
#[derive(Debug)]
pub struct CertificateRequest<W> {
    /// Receives the certificate, if the query is decided.
    pub sink: W,
    /// The time limit for expanding pruned states for the certificate, as in [`Evidence::closing`].
    pub closing: Option<Duration>,
}

/// An answer, with the receiver of its certificate.
#[derive(Debug)]
pub struct AnswerWithCertificate<W> {
    /// The answer; it tells whether the certificate was written.
    pub answer: Answer,
    /// The receiver of the certificate.
    pub sink: W,
}

/// The answers to a batch of queries, with the receiver of their certificates.
#[derive(Debug)]
pub struct BatchWithCertificates<S> {
    /// The answers.
    pub answers: Vec<(QueryId, Answer)>,
    /// The receiver of the certificates.
    pub sink: S,
}

/// The data that a handle and its search share.
struct Shared<T> {
    state: Mutex<State<T>>,
    /// Notified at the end and at improvements.
    changed: Condvar,
    start: Instant,
    /// Set to cancel the search.
    abandoned: Arc<AtomicBool>,
}

struct State<T> {
    snapshot: Snapshot,
    /// Improvements that were not taken yet.
    improvements: Vec<TimedImprovement>,
    is_finished: bool,
    /// The result, until it is taken.
    result: Option<Result<T, Panicked>>,
}

impl<T> Shared<T> {
    /// No code panics while it holds this lock, so the state is consistent.
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, progress: &Progress, lowest: Option<u32>) {
        let mut state = self.state();
        state.snapshot.progress = *progress;
        state.snapshot.lowest = lowest;
    }

    fn report_event(&self, event: OptimizeEvent, elapsed: Duration) {
        let mut state = self.state();
        match event {
            OptimizeEvent::Improved(improvement) => {
                state.snapshot.incumbent = Some(improvement.cost);
                state.snapshot.lower_bound = Some(improvement.lower_bound);
                state.improvements.push(TimedImprovement { elapsed, improvement });
                self.changed.notify_all();
            }
            OptimizeEvent::Progress { now, best, lower_bound } => {
                state.snapshot.progress = now;
                state.snapshot.incumbent = best;
                state.snapshot.lower_bound = Some(lower_bound);
            }
        }
    }

    fn finish(&self, result: Result<T, Panicked>) {
        let mut state = self.state();
        state.snapshot.elapsed = self.start.elapsed();
        state.result = Some(result);
        state.is_finished = true;
        self.changed.notify_all();
    }
}

impl<T: Send + 'static> Running<T> {
    /// Starts `work` on a thread of its own. It gets the resources with the cancellation of the
    /// handle, and the state to report to.
    fn start(
        resources: &Resources,
        work: impl FnOnce(Resources, &Shared<T>) -> T + Send + 'static,
    ) -> Self {
        let abandoned = Arc::new(AtomicBool::new(false));
        let resources = Resources { abandoned: Arc::clone(&abandoned), ..resources.clone() };
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                snapshot: Snapshot::default(),
                improvements: Vec::new(),
                is_finished: false,
                result: None,
            }),
            changed: Condvar::new(),
            start: Instant::now(),
            abandoned,
        });
        let once = Arc::new(Mutex::new(Some(work)));
        let run = {
            let shared = Arc::clone(&shared);
            move || {
                let work = once.lock().ok().and_then(|mut work| work.take());
                let Some(work) = work else { return };
                let result = panic::catch_unwind(AssertUnwindSafe(|| work(resources, &shared)));
                shared.finish(result.map_err(Panicked));
            }
        };
        let builder = || thread::Builder::new().name("search".into());
        let worker = builder().stack_size(STACK_BYTES).spawn(run.clone());
        let worker = worker.or_else(|_| builder().spawn(run.clone())).ok();
        if worker.is_none() {
            // Without any thread, the question is answered before this function returns.
            run();
        }
        Self { shared, worker }
    }
}

impl<T> Running<T> {
    /// The progress now, or at the end.
    #[must_use]
    pub fn poll(&self) -> Snapshot {
        let state = self.shared.state();
        let elapsed = match state.is_finished {
            true => state.snapshot.elapsed,
            false => self.shared.start.elapsed(),
        };
        Snapshot { elapsed, ..state.snapshot }
    }

    /// The improvements of an optimisation since the last call, in their order.
    #[must_use]
    pub fn take_improvements(&self) -> Vec<TimedImprovement> {
        std::mem::take(&mut self.shared.state().improvements)
    }

    /// Whether the question has ended, so that [`join`](Self::join) returns at once.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.shared.state().is_finished
    }

    /// Waits until the question has ended, an improvement can be taken, or `timeout` has passed.
    /// Returns whether the question has ended.
    pub fn wait(&self, timeout: Duration) -> bool {
        let state = self.shared.state();
        if state.is_finished || !state.improvements.is_empty() {
            return state.is_finished;
        }
        let waited = self.shared.changed.wait_timeout(state, timeout);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_finished
    }

    /// Cancels the question: its result says that it was cancelled, unless it has ended before.
    pub fn cancel(&self) {
        self.shared.abandoned.store(true, Ordering::Relaxed);
    }

    /// Waits for the result.
    ///
    /// # Errors
    /// If the search panicked.
    pub fn join(mut self) -> Result<T, Panicked> {
        self.end();
        let result = self.shared.state().result.take();
        result.unwrap_or_else(|| Err(Panicked(Box::new("the search has no result"))))
    }

    /// Waits for the end of the thread. Its panics are caught and part of the result.
    fn end(&mut self) {
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        self.cancel();
        self.end();
    }
}

impl<T> fmt::Debug for Running<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("now", &self.poll())
            .field("is_finished", &self.is_finished())
            .finish_non_exhaustive()
    }
}

impl Panicked {
    /// Continues the panic on this thread.
    pub fn resume(self) -> ! {
        panic::resume_unwind(self.0)
    }

    /// The message of the panic.
    #[must_use]
    pub fn message(&self) -> &str {
        let text = self.0.downcast_ref::<&str>().copied();
        text.or_else(|| self.0.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
    }
}

impl fmt::Debug for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Panicked").field(&self.message()).finish()
    }
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a bug in Zonaut: {}", self.message())
    }
}

impl std::error::Error for Panicked {}

impl Session {
    /// Starts to answer a query.
    pub fn start_verify(&self, query: QueryId, options: &VerifyOptions) -> Running<Answer> {
        let (session, options) = (self.clone(), options.clone());
        Running::start(&options.resources.clone(), move |resources, shared| {
            let options = VerifyOptions { resources, ..options };
            session.verify_reporting(query, &options, shared, None)
        })
    }

    /// Starts to answer a query and to write a certificate of the answer.
    pub fn start_verify_with_certificate<W: CertificateSink + Send + 'static>(
        &self,
        query: QueryId,
        options: &VerifyOptions,
        request: CertificateRequest<W>,
    ) -> Running<AnswerWithCertificate<W>> {
        let (session, options) = (self.clone(), options.clone());
        Running::start(&options.resources.clone(), move |resources, shared| {
            let options = VerifyOptions { resources, ..options };
            let CertificateRequest { mut sink, closing } = request;
            let request =
                CertificateRequest { sink: &mut sink as &mut dyn CertificateSink, closing };
            let answer = session.verify_reporting(query, &options, shared, Some(request));
            AnswerWithCertificate { answer, sink }
        })
    }

    /// Starts to search for an optimal run to the goal of an `E<>` query.
    pub fn start_optimize(
        &self,
        query: QueryId,
        options: &OptimizeOptions,
    ) -> Running<Result<Optimized, NotOptimized>> {
        let (session, options) = (self.clone(), options.clone());
        Running::start(&options.resources.clone(), move |resources, shared| {
            let options = OptimizeOptions { resources, ..options };
            let mut listener = |event, elapsed| shared.report_event(event, elapsed);
            session.optimize(query, &options, &mut listener)
        })
    }

    /// Starts to explore all reachable states.
    pub fn start_explore(&self, options: &VerifyOptions) -> Running<Exploration> {
        let (session, options) = (self.clone(), options.clone());
        Running::start(&options.resources.clone(), move |resources, shared| {
            let options = VerifyOptions { resources, ..options };
            let mut listener = |now: &Progress, _: Duration| shared.report(now, None);
            session.explore(&options, Some(&mut listener))
        })
    }

    fn verify_reporting<T>(
        &self,
        query: QueryId,
        options: &VerifyOptions,
        shared: &Shared<T>,
        request: Option<CertificateRequest<&mut dyn CertificateSink>>,
    ) -> Answer {
        let lowest = LowestEstimate::default();
        let mut listener = |now: &Progress, _: Duration| shared.report(now, lowest.get());
        let (certificate, closing) = match request {
            Some(CertificateRequest { sink, closing }) => {
                (Some(sink as &mut dyn CertificateSink), closing)
            }
            None => (None, None),
        };
        let (listener, lowest) = (Some(&mut listener as &mut _), Some(&lowest));
        self.verify_with_certificate(
            query,
            options,
            Evidence { listener, certificate, closing, lowest },
        )
    }
}

impl QueryBatch {
    /// Starts to answer all queries of the batch.
    pub fn start(self, options: &VerifyOptions) -> Running<Vec<(QueryId, Answer)>> {
        let options = options.clone();
        Running::start(&options.resources.clone(), move |resources, shared| {
            let options = VerifyOptions { resources, ..options };
            self.answer_reporting(&options, shared, None)
        })
    }

    /// Starts to answer all queries of the batch and to write certificates of the answers.
    pub fn start_with_certificates<S: CertificateSink + Send + 'static>(
        self,
        options: &VerifyOptions,
        request: CertificateRequest<S>,
    ) -> Running<BatchWithCertificates<S>> {
        let options = options.clone();
        Running::start(&options.resources.clone(), move |resources, shared| {
            let options = VerifyOptions { resources, ..options };
            let CertificateRequest { mut sink, closing } = request;
            let request =
                CertificateRequest { sink: &mut sink as &mut dyn CertificateSink, closing };
            let answers = self.answer_reporting(&options, shared, Some(request));
            BatchWithCertificates { answers, sink }
        })
    }

    fn answer_reporting<T>(
        &self,
        options: &VerifyOptions,
        shared: &Shared<T>,
        request: Option<CertificateRequest<&mut dyn CertificateSink>>,
    ) -> Vec<(QueryId, Answer)> {
        let lowest = LowestEstimate::default();
        let mut listener = |now: &Progress, _: Duration| shared.report(now, lowest.get());
        let (certificate, closing) = match request {
            Some(CertificateRequest { sink, closing }) => {
                (Some(sink as &mut dyn CertificateSink), closing)
            }
            None => (None, None),
        };
        let (listener, lowest) = (Some(&mut listener as &mut _), Some(&lowest));
        self.answer(options, Evidence { listener, certificate, closing, lowest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_send<T: Send>() {}

    #[test]
    fn handles_and_results_can_be_sent_to_threads() {
        is_send::<Running<Answer>>();
        is_send::<Running<Exploration>>();
        is_send::<Running<Result<Optimized, NotOptimized>>>();
        is_send::<Running<AnswerWithCertificate<Vec<u8>>>>();
        is_send::<Panicked>();
    }

    #[test]
    fn a_panic_is_an_error_of_join() {
        let running: Running<u32> =
            Running::start(&Resources::default(), |_, _| panic::panic_any("on purpose"));
        while !running.wait(Duration::from_secs(1)) {}
        assert!(running.is_finished());
        assert_eq!(running.poll().progress, Progress::default());
        assert_eq!(running.join().unwrap_err().message(), "on purpose");
        let running: Running<u32> =
            Running::start(&Resources::default(), |_, _| panic::panic_any("x".repeat(2)));
        let panicked = running.join().unwrap_err();
        assert_eq!(panicked.to_string(), "a bug in Zonaut: xx");
        let resumed = panic::catch_unwind(AssertUnwindSafe(|| panicked.resume()));
        assert_eq!(resumed.unwrap_err().downcast_ref::<String>().unwrap(), "xx");
    }

    #[test]
    fn dropping_a_handle_cancels_and_waits() {
        let ended = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&ended);
        let running = Running::start(&Resources::default(), move |resources, _| {
            while !resources.abandoned.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
            seen.store(true, Ordering::Relaxed);
        });
        assert!(!running.wait(Duration::from_millis(5)));
        drop(running);
        assert!(ended.load(Ordering::Relaxed));
    }

    #[test]
    fn the_flag_of_the_caller_is_not_set() {
        let resources = Resources::default();
        let running = Running::start(&resources, |_, _| ());
        running.cancel();
        assert!(running.join().is_ok());
        assert!(!resources.cancelled.load(Ordering::Relaxed));
    }

    #[test]
    fn waiting_ends_with_an_improvement() {
        let running = Running::start(&Resources::default(), |resources, shared| {
            let (cost, lower_bound) = (Infimum::attained(7), Infimum::attained(2));
            let found = Improvement { cost, lower_bound, explored: 3 };
            shared.report_event(OptimizeEvent::Improved(found), Duration::from_secs(1));
            while !resources.abandoned.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
        });
        let begun = Instant::now();
        while running.poll().incumbent.is_none() {
            assert!(!running.wait(Duration::from_secs(100)));
        }
        assert!(begun.elapsed() < Duration::from_secs(50));
        let improvements = running.take_improvements();
        assert_eq!(improvements.len(), 1);
        assert_eq!(improvements[0].improvement.cost, Infimum::attained(7));
        assert!(running.take_improvements().is_empty());
        running.cancel();
        assert!(running.join().is_ok());
    }

    #[test]
    fn deep_recursion_fits() {
        fn depth(remaining: u32) -> u32 {
            let here = std::hint::black_box([remaining; 16]);
            if remaining == 0 { 0 } else { depth(here[3] - 1) + 1 }
        }
        let running = Running::start(&Resources::default(), |_, _| depth(100_000));
        assert_eq!(running.join().unwrap(), 100_000);
    }
}
