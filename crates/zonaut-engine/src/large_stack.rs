//! A thread with a large stack, as a second defence against deeply nested inputs.

use std::panic;
use std::sync::Mutex;
use std::thread;

const STACK_BYTES: usize = 64 << 20;

/// The result of `work` on a thread with a stack of 64 MB. The front end limits nesting and needs
/// far less; a panic is propagated. If the stack cannot be allocated, `work` runs on the current
/// thread.
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let once = Mutex::new(Some(work));
    let run = || {
        let work = once.lock().ok().and_then(|mut work| work.take());
        work.expect("invariant: the work is done once")()
    };
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("front end".into()).stack_size(STACK_BYTES);
        match builder.spawn_scoped(scope, run) {
            Ok(worker) => worker.join().unwrap_or_else(|payload| panic::resume_unwind(payload)),
            Err(_) => run(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(remaining: u32) -> u32 {
        let here = std::hint::black_box([remaining; 16]);
        if remaining == 0 { 0 } else { depth(here[3] - 1) + 1 }
    }

    #[test]
    fn deep_recursion_fits() {
        assert_eq!(on_large_stack(|| depth(100_000)), 100_000);
    }

    #[test]
    fn a_panic_is_passed_on() {
        let result = panic::catch_unwind(|| on_large_stack(|| panic!("on purpose")));
        assert_eq!(result.unwrap_err().downcast_ref::<&str>(), Some(&"on purpose"));
    }
}
