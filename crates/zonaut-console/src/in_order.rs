//! Independent jobs side by side, whose results arrive in their order.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Performs `work` for each of the `jobs` with this many threads. `receive` is called on the calling
/// thread in the order of the jobs, as soon as a result and all before it are known; after a break,
/// no further job begins, and results are dropped.
///
/// # Errors
/// The first error of `receive`.
///
/// # Panics
/// If `work` panics.
pub fn in_order<J: Sync, R: Send>(
    threads: NonZeroUsize,
    jobs: &[J],
    work: impl Fn(&J) -> R + Sync,
    mut receive: impl FnMut(R) -> io::Result<ControlFlow<()>>,
) -> io::Result<()> {
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (send, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..threads.get().min(jobs.len()) {
            let (send, next, is_over, work) = (send.clone(), &next, &is_over, &work);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let position = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(position) else { return };
                    // After an error, the result has no receiver.
                    let _ = send.send((position, work(job)));
                }
            });
        }
        drop(send);
        let (mut waiting, mut due, mut ended) = (BTreeMap::new(), 0, Ok(()));
        for (position, result) in results {
            waiting.insert(position, result);
            while let Some(result) = waiting.remove(&due) {
                due += 1;
                if is_over.load(Ordering::Relaxed) {
                    continue;
                }
                ended = receive(result).map(|flow| {
                    is_over.store(flow.is_break(), Ordering::Relaxed);
                });
                if ended.is_err() {
                    is_over.store(true, Ordering::Relaxed);
                }
            }
        }
        ended
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threads(count: usize) -> NonZeroUsize {
        NonZeroUsize::new(count).expect("not 0")
    }

    #[test]
    fn results_arrive_in_the_order_of_the_jobs() {
        let jobs: Vec<u64> = (0..200).collect();
        for count in [1, 2, 7, 300] {
            let mut received = Vec::new();
            let work = |job: &u64| {
                (0..job % 9).for_each(|_| thread::yield_now());
                2 * job
            };
            let result = in_order(threads(count), &jobs, work, |result| {
                received.push(result);
                Ok(ControlFlow::Continue(()))
            });
            assert!(result.is_ok());
            assert!(received.iter().copied().eq((0..200).map(|job| 2 * job)), "{received:?}");
        }
    }

    #[test]
    fn a_break_or_an_error_ends_the_jobs() {
        let jobs: Vec<usize> = (0..1000).collect();
        let begun = AtomicUsize::new(0);
        let work = |&job: &usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            thread::yield_now();
            job
        };
        let mut received = 0;
        let broken = in_order(threads(2), &jobs, work, |_| {
            received += 1;
            Ok(if received == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        assert!(broken.is_ok());
        assert_eq!(received, 3);
        let failed = in_order(threads(2), &jobs, work, |job| match job {
            2 => Err(io::Error::other("full")),
            _ => Ok(ControlFlow::Continue(())),
        });
        assert_eq!(failed.map_err(|error| error.to_string()), Err("full".to_owned()));
    }
}
