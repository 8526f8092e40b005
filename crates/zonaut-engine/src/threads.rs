//! The threads of a search with several workers.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use zonaut_search::{Crew, Task};
use zonaut_space::{Meter, StopReason};

/// The stack size of a worker: large formulas are evaluated recursively. Only the used part takes
/// memory.
pub(crate) const STACK_BYTES: usize = 256 << 20;

/// The number of steps that a worker counts before it reports them to the meter of the question.
const STEPS_PER_REPORT: u32 = 1 << 14;

/// Threads of this process, one for each task.
pub(crate) struct Threads;

impl Crew for Threads {
    fn run(&self, first: &mut dyn FnMut(), others: Vec<Task<'_>>) -> Result<(), StopReason> {
        thread::scope(|scope| {
            let mut gates = Vec::new();
            for task in others {
                let (open, gate) = mpsc::channel::<()>();
                let wait = move || {
                    // The gate stays closed if a later thread cannot be started.
                    if gate.recv().is_ok() {
                        task();
                    }
                };
                let builder = thread::Builder::new().name("worker".into()).stack_size(STACK_BYTES);
                builder.spawn_scoped(scope, wait).map_err(|_| StopReason::MemoryLimit)?;
                gates.push(open);
            }
            for gate in &gates {
                // The thread waits for it.
                let _ = gate.send(());
            }
            first();
            Ok(())
        })
    }

    fn measured(&self, wait: &mut dyn FnMut()) -> Duration {
        let begun = Instant::now();
        wait();
        begun.elapsed()
    }
}

/// The meter of one worker. It reports to the common one now and then: workers that count on one
/// meter would wait for each other's memory accesses.
pub(crate) fn worker_meter(common: &Meter) -> Meter {
    let common = common.clone();
    Meter::new(move |_| common.spend(STEPS_PER_REPORT).err())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn tasks_run_at_the_same_time() {
        let (barrier, ended) = (Barrier::new(3), AtomicUsize::new(0));
        let work = || {
            barrier.wait();
            ended.fetch_add(1, Ordering::Relaxed);
        };
        let others: Vec<Task<'_>> = vec![Box::new(work), Box::new(work)];
        assert_eq!(Threads.run(&mut || work(), others), Ok(()));
        assert_eq!(ended.into_inner(), 3);
    }

    #[test]
    fn workers_stop_with_the_common_meter() {
        let common = Meter::new(|_| Some(StopReason::TimeLimit));
        let worker = worker_meter(&common);
        let stopped = (0..100).find_map(|_| worker.spend(STEPS_PER_REPORT / 4).err());
        assert_eq!(stopped, Some(StopReason::TimeLimit));
        assert_eq!(worker_meter(&Meter::default()).spend(10 * STEPS_PER_REPORT), Ok(()));
    }
}
