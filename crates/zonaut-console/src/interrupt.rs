//! Signals: the first one cancels a search, the second one ends the process.

use crate::status::Status;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The signals received so far.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    signal: Arc<AtomicUsize>,
    statistics: Arc<AtomicBool>,
}

impl Interrupt {
    /// Sets `cancelled` on interruption and termination. A second signal ends the process at once.
    /// If signals cannot be handled, they end the process as usual.
    #[must_use]
    pub fn watch(cancelled: &Arc<AtomicBool>) -> Self {
        let interrupt = Self::default();
        #[cfg(unix)]
        {
            use signal_hook::{consts, flag};
            let ending =
                [(consts::SIGINT, Status::Interrupted), (consts::SIGTERM, Status::Terminated)];
            for (signal, status) in ending {
                // In this order: the first signal finds the flag unset, and sets it.
                let code = i32::from(status.code());
                let _ = flag::register_conditional_shutdown(signal, code, Arc::clone(cancelled));
                let _ = flag::register(signal, Arc::clone(cancelled));
                let number = signal.unsigned_abs() as usize;
                let _ = flag::register_usize(signal, Arc::clone(&interrupt.signal), number);
            }
            let _ = flag::register(consts::SIGUSR1, Arc::clone(&interrupt.statistics));
        }
        #[cfg(not(unix))]
        let _ = cancelled;
        interrupt
    }

    /// The exit status after a signal, if there was one.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        match self.signal.load(Ordering::Relaxed) {
            0 => None,
            #[cfg(unix)]
            signal if signal == signal_hook::consts::SIGTERM as usize => Some(Status::Terminated),
            _ => Some(Status::Interrupted),
        }
    }

    /// Whether the user requests the statistics now.
    #[must_use]
    pub fn wants_statistics(&self) -> bool {
        self.statistics.swap(false, Ordering::Relaxed)
    }
}
