//! Bug reports: a panic is reported with the information that is needed to fix it.

use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex};

/// Calls `work`. If it panics, prints a request for a bug report on standard error and returns
/// `None`.
pub fn guarded<T>(words: &[OsString], work: impl FnOnce() -> T) -> Option<T> {
    let found: Arc<Mutex<Option<String>>> = Arc::default();
    let seen = Arc::clone(&found);
    let previous = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if let Ok(mut slot) = seen.lock() {
            // The first panic is the cause; a panic of a thread is propagated by the thread that
            // joins it.
            slot.get_or_insert_with(|| info.to_string());
        }
    }));
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    panic::set_hook(previous);
    let found = found.lock().ok().and_then(|mut slot| slot.take());
    match result {
        Ok(value) => Some(value),
        Err(_) => {
            eprint!("{}", report(words, &found.unwrap_or_default()));
            None
        }
    }
}

fn report(words: &[OsString], panic: &str) -> String {
    let words: Vec<String> = words.iter().skip(1).map(|w| format!("{w:?}")).collect();
    format!(
        "error: internal error. This is a bug in Zonaut, not in your model.\nPlease report it \
         with the model and these lines:\n  version   {}\n  arguments \
         {}\n  {}\n",
        env!("CARGO_PKG_VERSION"),
        words.join(" "),
        panic.replace('\n', "\n  "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_nothing_and_a_value_passes() {
        assert_eq!(guarded(&[], || 7), Some(7));
        assert_eq!(guarded::<i32>(&[], || panic!("on purpose")), None);
    }

    #[test]
    fn a_bug_report_has_the_command_and_the_position() {
        let words = ["zonaut", "check", "a b.xml"].map(OsString::from);
        let text = report(&words, "panicked at x.rs:1:2:\nindex out of bounds");
        assert!(text.contains("arguments \"check\" \"a b.xml\""), "{text}");
        assert!(text.contains("x.rs:1:2:\n  index out of bounds"), "{text}");
    }
}
