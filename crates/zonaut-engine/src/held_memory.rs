//! The resident memory of processes, and a watch over that of this process.

use crate::resources::Resources;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Memory that processes may hold beyond a limit: the program itself, the model, and the reserve of
/// the allocator. The counted memory of states is limited without it.
const ALLOWANCE: u64 = 30 << 20;
/// Period of the watch.
const PERIOD: Duration = Duration::from_millis(5);

/// The resident memory of a process; `None` if it has ended, or if the system does not report it.
#[must_use]
pub fn held_memory(process: u32) -> Option<u64> {
    resident(&fs::read_to_string(format!("/proc/{process}/status")).ok()?)
}

/// The resident memory in the text of `/proc/PID/status`.
fn resident(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Whether processes that hold `bytes` together exceed a limit.
#[must_use]
pub fn is_beyond(bytes: u64, limit: u64) -> bool {
    bytes > limit.saturating_add(ALLOWANCE)
}

/// A watch that cancels work beyond its memory limit, independent of the memory it counts itself:
/// sets [`Resources::exhausted`] while this process holds too much, until this value is dropped. If
/// the system does not report the memory of a process, nothing is watched.
#[must_use]
pub struct MemoryWatch {
    /// The watch ends when this sender is dropped.
    _alive: mpsc::Sender<()>,
}

impl MemoryWatch {
    /// Starts a watch for these resources.
    pub fn start(resources: &Resources) -> Self {
        let (alive, ended) = mpsc::channel();
        let exhausted = Arc::clone(&resources.exhausted);
        let limit = resources.memory.map(|bytes| bytes as u64);
        if let Some(limit) = limit.filter(|_| held_memory(std::process::id()).is_some()) {
            // If no thread is available, the counted memory is still limited.
            let _ = thread::Builder::new().name("memory".into()).spawn(move || {
                while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                    let held = held_memory(std::process::id()).unwrap_or(0);
                    exhausted.store(is_beyond(held, limit), Ordering::Relaxed);
                }
            });
        }
        Self { _alive: alive }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_parsed() {
        assert_eq!(resident("VmPeak:\t 9 kB\nVmRSS:\t  1204 kB\n"), Some(1204 << 10));
        assert_eq!(resident("VmRSS:\t 12 MB\n"), None);
        assert_eq!(resident(""), None);
    }
}
