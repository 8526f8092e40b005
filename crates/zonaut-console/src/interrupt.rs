//! Signals: the first one cancels a search, a later one ends the process.

use crate::status::Status;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The signals received so far.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    signal: Arc<AtomicUsize>,
    statistics: Arc<AtomicBool>,
    #[cfg(unix)]
    _handlers: Arc<handlers::Handlers>,
}

impl Interrupt {
    /// Sets `cancelled` on interruption and termination. A signal that comes some time later ends the
    /// process at once: the same request may arrive twice, for the process and for its group.
    /// If signals cannot be handled, they end the process as usual, and so they do after the last
    /// clone of this value was dropped.
    #[must_use]
    pub fn watch(cancelled: &Arc<AtomicBool>) -> Self {
        let interrupt = Self::default();
        #[cfg(unix)]
        let interrupt = {
            let handlers = handlers::Handlers::install(cancelled, &interrupt);
            Self { _handlers: Arc::new(handlers), ..interrupt }
        };
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

#[cfg(unix)]
mod handlers {
    //! Handlers of signals. A process may run many commands, one after the other or at the same
    //! time: handlers last as long as their command.

    use super::Interrupt;
    use crate::status::Status;
    use signal_hook::{SigId, consts, flag, low_level};
    use std::io::{self, Read};
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, OnceLock};
    use std::thread;
    use std::time::Duration;

    /// The time after the first signal from which another one ends the process.
    const INSISTENCE: Duration = Duration::from_millis(300);

    /// The installed handlers of one command.
    #[derive(Debug, Default)]
    pub(super) struct Handlers(Vec<SigId>);

    /// The number of commands with handlers.
    static COMMANDS: Mutex<usize> = Mutex::new(0);

    impl Handlers {
        pub(super) fn install(cancelled: &Arc<AtomicBool>, interrupt: &Interrupt) -> Self {
            let mut ids = Vec::new();
            let is_insistent = insistence(&mut ids).unwrap_or_else(|_| Arc::clone(cancelled));
            let ending =
                [(consts::SIGINT, Status::Interrupted), (consts::SIGTERM, Status::Terminated)];
            for (signal, status) in ending {
                // In this order: the first signal finds the flags unset, and sets one of them.
                let (code, condition) = (i32::from(status.code()), Arc::clone(&is_insistent));
                ids.push(flag::register_conditional_shutdown(signal, code, condition));
                ids.push(flag::register(signal, Arc::clone(cancelled)));
                let number = signal.unsigned_abs() as usize;
                ids.push(flag::register_usize(signal, Arc::clone(&interrupt.signal), number));
            }
            ids.push(flag::register(consts::SIGUSR1, Arc::clone(&interrupt.statistics)));
            let installed = Self(ids.into_iter().flatten().collect());
            if !installed.0.is_empty() {
                count(|commands| commands + 1);
            }
            installed
        }
    }

    impl Drop for Handlers {
        fn drop(&mut self) {
            if self.0.is_empty() {
                return;
            }
            for &id in &self.0 {
                low_level::unregister(id);
            }
            count(|commands| commands - 1);
        }
    }

    /// A flag that a thread sets some time after the first signal. The thread ends with the handlers.
    fn insistence(ids: &mut Vec<io::Result<SigId>>) -> io::Result<Arc<AtomicBool>> {
        let is_insistent = Arc::new(AtomicBool::new(false));
        let (mut first, writer) = UnixStream::pair()?;
        let flag = Arc::clone(&is_insistent);
        thread::Builder::new().name("signals".into()).spawn(move || {
            if first.read(&mut [0]).is_ok_and(|bytes| bytes > 0) {
                thread::sleep(INSISTENCE);
                flag.store(true, Ordering::Relaxed);
            }
        })?;
        ids.push(low_level::pipe::register(consts::SIGINT, writer.try_clone()?));
        ids.push(low_level::pipe::register(consts::SIGTERM, writer));
        Ok(is_insistent)
    }

    /// Changes the number of commands with handlers. Without any, signals end the process as usual.
    fn count(change: impl FnOnce(usize) -> usize) {
        static IDLE: OnceLock<Arc<AtomicBool>> = OnceLock::new();
        let idle = IDLE.get_or_init(|| {
            let idle = Arc::new(AtomicBool::new(false));
            for signal in [consts::SIGINT, consts::SIGTERM] {
                let _ = flag::register_conditional_default(signal, Arc::clone(&idle));
            }
            idle
        });
        let Ok(mut commands) = COMMANDS.lock() else { return };
        *commands = change(*commands);
        idle.store(*commands == 0, Ordering::SeqCst);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Each command of a process once left its handlers behind.
    #[test]
    fn handlers_last_as_long_as_their_command() {
        let cancelled = Arc::new(AtomicBool::new(false));
        let interrupt = Interrupt::watch(&cancelled);
        let clone = interrupt.clone();
        drop(interrupt);
        assert!(Arc::strong_count(&cancelled) > 1);
        signal_hook::low_level::raise(signal_hook::consts::SIGUSR1).expect("a signal");
        assert!(clone.wants_statistics());
        drop(clone);
        assert_eq!(Arc::strong_count(&cancelled), 1);
    }
}
