//! The progress line of a search on a terminal.

use crate::console::Console;
use crate::interrupt::Interrupt;
use crate::memory_size::format_size;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;
use zonaut_base::one_line;
use zonaut_engine::{Progress, SampleProgress, Snapshot};

/// Period of updates of the line.
const PERIOD: Duration = Duration::from_millis(100);

/// A line on standard error that is erased when the search ends. Shown on terminals only.
pub struct ProgressLine {
    bar: ProgressBar,
    interrupt: Interrupt,
    drawn: Duration,
    is_silent: bool,
    /// The time limit, which tells how far a search may still go.
    limit: Option<Duration>,
}

impl ProgressLine {
    /// A line that is not shown.
    #[must_use]
    pub fn silent(interrupt: &Interrupt) -> Self {
        let mut line = Self::new("", interrupt);
        line.is_silent = true;
        line
    }

    /// A line about `title`; a signal can request statistics.
    #[must_use]
    pub fn new(title: &str, interrupt: &Interrupt) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_prefix(one_line(title));
        let (drawn, is_silent, limit) = (Duration::ZERO, false, None);
        Self { bar, interrupt: interrupt.clone(), drawn, is_silent, limit }
    }

    /// The same line for a search with this time limit.
    #[must_use]
    pub fn with_limit(mut self, limit: Option<Duration>) -> Self {
        self.limit = limit;
        self
    }

    /// Shows that `phase` is running, without counts.
    pub fn say(&mut self, phase: &str) {
        if !self.is_silent && !self.bar.is_hidden() {
            self.bar.set_message(format!("{}  {}", one_line(phase), self.bar.prefix()));
            self.bar.tick();
        }
    }

    /// Shows the progress of the search, at most once per period.
    pub fn update(&mut self, now: &Snapshot, console: &mut Console<'_>) {
        let limit = self.limit;
        let estimate = now.lowest.map_or(String::new(), |it| format!(", best estimate {it}"));
        let describe = || format!("{}{estimate}", describe(&now.progress, now.elapsed, limit));
        self.show(describe, now.elapsed, console);
    }

    /// Shows the progress of a sample of random runs.
    pub fn update_sample(
        &mut self,
        now: &SampleProgress,
        elapsed: Duration,
        console: &mut Console<'_>,
    ) {
        self.show(|| describe_sample(now, elapsed), elapsed, console);
    }

    /// Shows the progress, preceded by the result known so far.
    pub fn update_known(
        &mut self,
        known: impl Fn() -> String,
        now: &Progress,
        elapsed: Duration,
        console: &mut Console<'_>,
    ) {
        let limit = self.limit;
        let describe = || format!("{}, {}", known(), describe(now, elapsed, limit));
        self.show(describe, elapsed, console);
    }

    /// Writes other output without interference with the line.
    pub fn suspended<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    fn show(
        &mut self,
        describe: impl Fn() -> String,
        elapsed: Duration,
        console: &mut Console<'_>,
    ) {
        if self.is_silent {
            return;
        }
        if self.interrupt.wants_statistics() {
            self.bar.suspend(|| console.complain(&describe()));
        }
        if self.bar.is_hidden() || elapsed < self.drawn + PERIOD {
            return;
        }
        self.drawn = elapsed;
        self.bar.set_message(format!("{}  {}", describe(), self.bar.prefix()));
        self.bar.tick();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The progress of a search, on one line: the phase, the time and its limit, the explored ones of
/// the states that are known to need exploration, and the memory.
fn describe(now: &Progress, elapsed: Duration, limit: Option<Duration>) -> String {
    let seconds = elapsed.as_secs_f64();
    let limit = limit.map_or(String::new(), |limit| format!("of {} ", limit.as_secs_f64()));
    let (time, memory) = (format!("{seconds:.1} {limit}s"), format_size(now.bytes as u64));
    if now.explored == 0 {
        // A heuristic is prepared before the first state is explored.
        return format!("preparing {time}: {memory}");
    }
    let rate = if seconds > 0.0 { now.explored as f64 / seconds } else { 0.0 };
    let known = now.explored + now.waiting;
    format!("searching {time}: {} of {known} states, {rate:.0}/s, {memory}", now.explored)
}

/// The progress of a sample, on one line.
fn describe_sample(now: &SampleProgress, elapsed: Duration) -> String {
    let interval = now.interval.filter(|(low, high)| low.is_finite() && high.is_finite());
    let interval =
        interval.map_or(String::new(), |(low, high)| format!(", in [{low:.4}, {high:.4}]"));
    format!("sampling {:.1} s: {} runs{interval}", elapsed.as_secs_f64(), now.runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_shows_its_interval_so_far() {
        let describe = |interval| {
            describe_sample(&SampleProgress { runs: 120, interval }, Duration::from_millis(1500))
        };
        assert_eq!(describe(Some((0.25, 0.5))), "sampling 1.5 s: 120 runs, in [0.2500, 0.5000]");
        assert_eq!(describe(None), "sampling 1.5 s: 120 runs");
        assert_eq!(describe(Some((f64::NEG_INFINITY, f64::INFINITY))), "sampling 1.5 s: 120 runs");
    }

    #[test]
    fn the_line_says_what_is_done_and_how_far() {
        let now = Progress { explored: 500, stored: 400, waiting: 30, bytes: 2048, depth: 7 };
        let after = Duration::from_millis(2500);
        let text = describe(&now, after, None);
        assert_eq!(text, "searching 2.5 s: 500 of 530 states, 200/s, 2.0 KB");
        let text = describe(&now, after, Some(Duration::from_secs(60)));
        assert_eq!(text, "searching 2.5 of 60 s: 500 of 530 states, 200/s, 2.0 KB");
        let now = Progress { bytes: 2048, ..Progress::default() };
        assert_eq!(describe(&now, after, None), "preparing 2.5 s: 2.0 KB");
    }
}
