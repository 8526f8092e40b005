//! Running tasks: a handle starts a search on a thread of its own, reads its progress, cancels it
//! and receives its result.
//!
//! *Laws.* A handle ends: after [`cancel`](Running::cancel) the search stops at its next look at the
//! meter, and a panic of the search becomes an error of [`join`](Running::join). Dropping a handle
//! cancels its task and waits for the thread, so that no search outlives its handle. Cancelling
//! one task does not affect another, even if both have the same options. A handle never changes
//! a result: the search, its limits and its counts are those of [`Task::perform`].

use crate::answer::{Answer, QueryBatch};
use crate::resources::{Resources, SampleProgress, SearchEvent};
use crate::session::Session;
use crate::task::Task;
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

/// A running task with a result of type `T`.
///
/// ```
/// use std::time::Duration;
/// use zonaut_engine::{LoadOptions, Task, Verdict, VerifyOptions, load_text};
///
/// let text = "process P() { state a, b; init a; trans a -> b { }; } system P; query { E<> P.b }";
/// let session = load_text("p.xta", text, &LoadOptions::default()).session().expect("a model");
/// let (id, _) = session.queries().next().expect("a query");
/// let task = Task::of_query(&session, id, &VerifyOptions::default()).expect("a supported query");
/// let running = task.start();
/// while !running.wait(Duration::from_millis(100)) {
///     println!("{} explored", running.poll().progress.explored);
/// }
/// let answer = running.join().expect("no panic");
/// assert_eq!(answer.verdict, Verdict::Satisfied);
/// ```
#[must_use = "a task is cancelled when its handle is dropped"]
pub struct Running<T> {
    shared: Arc<Shared<T>>,
    /// The thread of the search; `None` after its end, or if no thread could be started.
    worker: Option<JoinHandle<()>>,
}

/// The progress of a running task.
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
    /// The progress of a statistical query.
    pub sample: Option<SampleProgress>,
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

/// A result with the receiver of its certificates.
#[derive(Debug)]
pub struct WithCertificate<T, W> {
    /// The result; it tells whether the certificates were written.
    pub result: T,
    /// The receiver of the certificates.
    pub sink: W,
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
    fn new() -> Self {
        Self {
            state: Mutex::new(State {
                snapshot: Snapshot::default(),
                improvements: Vec::new(),
                is_finished: false,
                result: None,
            }),
            changed: Condvar::new(),
            start: Instant::now(),
            abandoned: Arc::default(),
        }
    }

    /// No code panics while it holds this lock, so the state is consistent.
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, event: SearchEvent, lowest: Option<u32>, elapsed: Duration) {
        let mut state = self.state();
        match event {
            SearchEvent::Improved(improvement) => {
                state.snapshot.incumbent = Some(improvement.cost);
                state.snapshot.lower_bound = Some(improvement.lower_bound);
                state.improvements.push(TimedImprovement { elapsed, improvement });
                self.changed.notify_all();
            }
            SearchEvent::Sampled(progress) => state.snapshot.sample = Some(progress),
            SearchEvent::Progress { now, bounds } => {
                state.snapshot.progress = now;
                state.snapshot.lowest = lowest;
                state.snapshot.incumbent = bounds.and_then(|bounds| bounds.incumbent);
                state.snapshot.lower_bound = bounds.map(|bounds| bounds.lower_bound);
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
    /// handle, and receivers of its progress.
    fn start(
        resources: &Resources,
        work: impl FnOnce(Resources, Evidence<'_>) -> T + Send + 'static,
    ) -> Self {
        Self::start_sharing(resources, |resources, shared| {
            let lowest = LowestEstimate::default();
            let mut listener = |event, elapsed| shared.report(event, lowest.get(), elapsed);
            let (listener, lowest) = (Some(&mut listener as &mut _), Some(&lowest));
            work(resources, Evidence { listener, lowest, ..Evidence::default() })
        })
    }

    /// Starts `work`, which reports to the state that it shares with the handle.
    fn start_sharing(
        resources: &Resources,
        work: impl FnOnce(Resources, &Shared<T>) -> T + Send + 'static,
    ) -> Self {
        let shared = Arc::new(Shared::new());
        let abandoned = Arc::clone(&shared.abandoned);
        let resources = Resources { abandoned, ..resources.clone() };
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
            // Without any thread, the task is performed before this function returns.
            run();
        }
        Self { shared, worker }
    }
}

impl<T: Send + 'static, W: CertificateSink + Send + 'static> Running<WithCertificate<T, W>> {
    /// Starts `work` as [`start`](Self::start) does, with a receiver of certificates.
    fn start_with_certificate(
        resources: &Resources,
        request: CertificateRequest<W>,
        work: impl FnOnce(Resources, Evidence<'_>) -> T + Send + 'static,
    ) -> Self {
        Self::start(resources, move |resources, evidence| {
            let CertificateRequest { mut sink, closing } = request;
            let certificate = Some(&mut sink as &mut dyn CertificateSink);
            let result = work(resources, Evidence { certificate, closing, ..evidence.shortened() });
            WithCertificate { result, sink }
        })
    }
}

impl<T> Running<T> {
    /// The handle of a task that has ended with this result.
    fn ended(result: T) -> Self {
        let shared = Arc::new(Shared::new());
        shared.finish(Ok(result));
        Self { shared, worker: None }
    }

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

    /// Whether the task has ended, so that [`join`](Self::join) returns at once.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.shared.state().is_finished
    }

    /// Waits until the task has ended, an improvement can be taken, or `timeout` has passed.
    /// Returns whether the task has ended.
    pub fn wait(&self, timeout: Duration) -> bool {
        let state = self.shared.state();
        if state.is_finished || !state.improvements.is_empty() {
            return state.is_finished;
        }
        let waited = self.shared.changed.wait_timeout(state, timeout);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_finished
    }

    /// Cancels the task: its result says that it was cancelled, unless it has ended before.
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
    /// Starts to answer a query; the answer to a rejected one has the reasons.
    pub fn start_verify(&self, query: QueryId, options: &VerifyOptions) -> Running<Answer> {
        match Task::of_query(self, query, options) {
            Ok(task) => task.start(),
            Err(refusal) => Running::ended(Answer::refused(refusal, options)),
        }
    }

    /// The same, which also writes a certificate of the answer.
    pub fn start_verify_with_certificate<W: CertificateSink + Send + 'static>(
        &self,
        query: QueryId,
        options: &VerifyOptions,
        request: CertificateRequest<W>,
    ) -> Running<WithCertificate<Answer, W>> {
        match Task::of_query(self, query, options) {
            Ok(task) => task.start_with_certificate(request),
            Err(refusal) => {
                let (result, sink) = (Answer::refused(refusal, options), request.sink);
                Running::ended(WithCertificate { result, sink })
            }
        }
    }
}

impl Task {
    /// Starts the task.
    pub fn start(self) -> Running<Answer> {
        Running::start(&self.options.resources.clone(), |resources, evidence| {
            self.within(resources).perform(evidence)
        })
    }

    /// Starts the task, which also writes a certificate of its answer.
    pub fn start_with_certificate<W: CertificateSink + Send + 'static>(
        self,
        request: CertificateRequest<W>,
    ) -> Running<WithCertificate<Answer, W>> {
        let resources = self.options.resources.clone();
        Running::start_with_certificate(&resources, request, |resources, evidence| {
            self.within(resources).perform(evidence)
        })
    }
}

impl QueryBatch {
    /// Starts to answer all queries of the batch.
    pub fn start(self) -> Running<Vec<(QueryId, Answer)>> {
        Running::start(&self.options.resources.clone(), |resources, evidence| {
            self.within(resources).answer(evidence)
        })
    }

    /// Starts to answer all queries of the batch and to write certificates of the answers.
    pub fn start_with_certificates<W: CertificateSink + Send + 'static>(
        self,
        request: CertificateRequest<W>,
    ) -> Running<WithCertificate<Vec<(QueryId, Answer)>, W>> {
        let resources = self.options.resources.clone();
        Running::start_with_certificate(&resources, request, |resources, evidence| {
            self.within(resources).answer(evidence)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_send<T: Send>() {}

    #[test]
    fn handles_and_results_can_be_sent_to_threads() {
        is_send::<Running<Answer>>();
        is_send::<Running<WithCertificate<Answer, Vec<u8>>>>();
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
        let running = Running::start_sharing(&Resources::default(), |resources, shared| {
            let (cost, lower_bound) = (Infimum::attained(7), Infimum::attained(2));
            let found = Improvement { cost, lower_bound, explored: 3 };
            shared.report(SearchEvent::Improved(found), None, Duration::from_secs(1));
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
