//! Spilling: its option, and its beginning and end.

use crate::arguments::VerifyArguments;
use std::sync::Arc;
use zonaut_cluster::SpillFolder;
use zonaut_console::{Console, Status, one_line};
use zonaut_engine::{Answer, Order, QueryKind, Reason, Session, Strategy, Verdict, VerifyOptions};

/// The folder of a search with `--spill`. Its files are removed at the end.
pub(crate) struct Spilled(Option<Arc<SpillFolder>>);

impl Drop for Spilled {
    fn drop(&mut self) {
        // A search that was stopped may leave its memory, and a reference, to the system.
        if let Some(folder) = &self.0 {
            folder.remove();
        }
    }
}

impl Spilled {
    /// Opens the folder, if there is one.
    ///
    /// # Errors
    /// The exit status, after a message.
    pub(crate) fn begin(
        arguments: &VerifyArguments,
        session: &Session,
        options: &mut VerifyOptions,
        console: &mut Console<'_>,
    ) -> Result<Self, Status> {
        let Some(path) = &arguments.spill else { return Ok(Self(None)) };
        if let Err(Refusal { error, help }) = check(arguments, session, options) {
            console.complain(&format!("error: {error}"));
            console.complain(&format!("  = help: {help}"));
            return Err(Status::WrongInput);
        }
        if matches!(options.strategy, Strategy::Auto { .. }) {
            options.strategy = Strategy::Blind(Order::BreadthFirst);
            options.threads = arguments.threads;
        }
        match SpillFolder::open(path) {
            Ok(folder) => {
                let folder = Arc::new(folder);
                options.spill = Some(Arc::clone(&folder) as _);
                Ok(Self(Some(folder)))
            }
            Err(error) => {
                console.complain(&format!("error: {}", one_line(&error.to_string())));
                Err(Status::WrongInput)
            }
        }
    }

    /// The bytes that were written, if there is a folder.
    pub(crate) fn bytes(&self) -> Option<u64> {
        self.0.as_ref().map(|folder| folder.written())
    }

    /// Tells why a search ended early.
    pub(crate) fn report(&self, answer: &Answer, console: &mut Console<'_>) {
        let is_stopped = matches!(answer.verdict, Verdict::Unknown(Reason::Stopped(_)));
        let failure = self.0.as_ref().and_then(|folder| folder.failure());
        if let Some(failure) = failure.filter(|_| is_stopped) {
            console.complain(&format!("error: {}", one_line(failure)));
        }
    }
}

/// The reason for which a search cannot spill.
struct Refusal {
    error: &'static str,
    help: &'static str,
}

fn check(
    arguments: &VerifyArguments,
    session: &Session,
    options: &VerifyOptions,
) -> Result<(), Refusal> {
    let is_suited =
        |kind: &QueryKind| matches!(kind, QueryKind::Possibly(_) | QueryKind::Always(_));
    if !session.queries().all(|(_, query)| is_suited(&query.kind)) {
        let error = "`--spill` is for `E<>` and `A[]` queries";
        return Err(Refusal { error, help: "give them with -q" });
    }
    if matches!(options.strategy, Strategy::Lazy(_)) {
        let error = "lazy searches change stored states, so `--spill` is not for them";
        return Err(Refusal { error, help: "give another strategy, or no `--strategy`" });
    }
    // Only if the system does not tell how much memory is available.
    if options.resources.memory.is_none() {
        let error = "`--spill` needs a memory limit";
        return Err(Refusal { error, help: "give it with --memory" });
    }
    let is_parallel = arguments.threads.is_some_and(|threads| threads.get() > 1);
    if is_parallel && !arguments.search.explores_in_layers() {
        let error = "with several threads, `--spill` needs the strategy `bfs`";
        return Err(Refusal { error, help: "give it, or one thread" });
    }
    Ok(())
}
