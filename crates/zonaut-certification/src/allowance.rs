//! The time and memory that a check may take: estimated from the header of a certificate, so that a
//! certificate that is too large to check is not written.

use crate::patience::Patience;
use std::io;
use std::time::{Duration, Instant};
use zonaut_engine::{CERTIFICATION_ALLOWANCE, default_memory_limit};

/// The number of nodes without clocks that can be checked in a second, and the number of zone
/// entries that halves it: twice the rate that was measured with 2 to 10 clocks.
const NODES_PER_SECOND: (f64, f64) = (400_000.0, 32.0);

/// The minimal time limit of a check.
const LEAST_TIME: Duration = Duration::from_secs(1);

/// The time limit of a check after a search of duration `searched`.
pub(crate) fn time_to_check(searched: Duration) -> Duration {
    searched.saturating_mul(CERTIFICATION_ALLOWANCE).max(LEAST_TIME)
}

/// The allowance of a check. Estimates its time and memory from the counts that a certificate
/// announces.
#[derive(Debug)]
pub(crate) struct Allowance {
    /// The start of the search.
    began: Instant,
    /// Whether the time of the check is limited by that of the search.
    is_limited_by_search: bool,
    patience: Patience,
    /// The start of the current line, up to the length of a count.
    line: Vec<u8>,
    clocks: u64,
    /// The bytes that were passed.
    length: u64,
    /// The memory limit, once the number of nodes is known.
    memory: Option<u64>,
    is_decided: bool,
    /// The reason why the certificate is refused, if it is.
    pub(crate) refusal: Option<String>,
}

/// The reason for certificates that cannot be checked in memory.
const TOO_LARGE: &str = "too large to check in memory";

/// An upper bound of the length of a line up to its count.
const BEGINNING: usize = 32;

impl Allowance {
    pub(crate) fn new(is_limited_by_search: bool, patience: Patience) -> Self {
        let (began, line) = (Instant::now(), Vec::new());
        Self {
            began,
            is_limited_by_search,
            patience,
            line,
            clocks: 0,
            length: 0,
            memory: None,
            is_decided: false,
            refusal: None,
        }
    }

    /// Reads the next part of the certificate.
    ///
    /// # Errors
    /// If the check would exceed the limits.
    pub(crate) fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length = self.length.saturating_add(bytes.len() as u64);
        if self.is_decided {
            return self.pass_nodes();
        }
        for &byte in bytes {
            if byte == b'\n' {
                self.line_ends()?;
            } else if self.line.len() < BEGINNING {
                self.line.push(byte);
            }
            if self.is_decided {
                break;
            }
        }
        Ok(())
    }

    /// Refuses more bytes than can be checked in memory.
    fn pass_nodes(&mut self) -> io::Result<()> {
        if !self.is_too_large(self.length) {
            return Ok(());
        }
        self.refusal = Some(TOO_LARGE.to_owned());
        Err(io::Error::other(TOO_LARGE))
    }

    fn line_ends(&mut self) -> io::Result<()> {
        let line = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        let mut words = line.split(' ');
        let keyword = words.next();
        let mut count = || words.next().and_then(|word| word.parse().ok());
        match (keyword, count(), count()) {
            (Some("clocks"), Some(clocks), _) => self.clocks = clocks,
            (Some("nodes"), Some(nodes), _) => {
                self.is_decided = true;
                let rows = self.clocks.saturating_add(1);
                let bytes = nodes.saturating_mul(rows).saturating_mul(rows).saturating_mul(8);
                self.refusal = self.refuse(nodes, bytes);
            }
            (Some("packed"), _, Some(nodes)) => {
                self.is_decided = true;
                self.refusal = self.refuse(nodes, self.length);
            }
            _ => {}
        }
        match &self.refusal {
            Some(why) => Err(io::Error::other(why.clone())),
            None => Ok(()),
        }
    }

    /// The reason why this number of nodes, or of bytes in memory, is too large, if it is.
    fn refuse(&mut self, nodes: u64, bytes: u64) -> Option<String> {
        let usual = self.is_limited_by_search.then(|| time_to_check(self.began.elapsed()));
        let time = usual.into_iter().chain(self.patience.left()).min();
        let rows = self.clocks.saturating_add(1);
        let entries = rows.saturating_mul(rows);
        let (most, half) = NODES_PER_SECOND;
        if let Some(seconds) = time.map(|time| time.as_secs_f64())
            && nodes as f64 * (1.0 + entries as f64 / half) > most * seconds
        {
            return Some(format!("too large to check in {} s", shortened(seconds)));
        }
        self.memory = self.patience.memory.or_else(default_memory_limit);
        self.is_too_large(bytes).then(|| TOO_LARGE.to_owned())
    }

    fn is_too_large(&self, bytes: u64) -> bool {
        self.memory.is_some_and(|memory| bytes > memory / 2)
    }
}

/// Seconds, with one decimal if there are few.
fn shortened(seconds: f64) -> String {
    let digits = usize::from(seconds.fract() >= 0.05 && seconds < 10.0);
    format!("{seconds:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a text in pieces of this length; returns the reason of its rejection.
    fn check(text: &str, length: usize) -> Option<String> {
        let mut allowance = Allowance::new(true, Patience::default());
        let passed = text.as_bytes().chunks(length).try_for_each(|bytes| allowance.pass(bytes));
        assert_eq!(passed.is_err(), allowance.refusal.is_some());
        allowance.refusal
    }

    #[test]
    fn sets_of_too_many_nodes_are_refused_before_the_first() {
        let long = "long".repeat(100);
        let text = |n: u64| format!("tacert 1\nclocks 2 x {long}\nabs incl\nnodes {n}\nnode 0");
        for length in [1, 3, 7, 1000] {
            assert_eq!(check(&text(200_000), length), None);
            let refusal = check(&text(2_000_000_000), length).unwrap();
            assert!(refusal.starts_with("too large to check in 1 s"), "{refusal}");
        }
        assert_eq!(check("tacert 1\nkind reach\ndelay 5\ngoal\n", 4), None);
    }

    #[test]
    fn checks_beyond_the_limits_are_not_started() {
        let refused = |is_limited_by_search, patience: &Patience, nodes: u64| {
            let mut allowance = Allowance::new(is_limited_by_search, patience.clone());
            let text = format!("clocks 3 x y z\nnodes {nodes}\n");
            let _ = allowance.pass(text.as_bytes());
            allowance.refusal
        };
        let (endless, many) = (Patience::default(), 1_000_000);
        assert_eq!(refused(false, &endless, many), None);
        let packed = |patience: &Patience, length: usize| {
            let mut allowance = Allowance::new(false, patience.clone());
            let _ = allowance.pass(b"clocks 3 x y z\npacked 9 1000000\n");
            let _ = (0..length).try_for_each(|_| allowance.pass(&[10; 1 << 20]));
            allowance.refusal
        };
        let short = endless.within(Some(Duration::from_millis(2900)));
        let why = refused(false, &short, many).unwrap();
        assert!(why.starts_with("too large to check in 2"), "{why}");
        assert_eq!(refused(false, &short, many / 10), None);
        assert_eq!(refused(true, &endless, many).as_deref(), Some("too large to check in 1 s"));
        assert_eq!(refused(true, &endless, many / 5), None);
        assert!(packed(&short, 0).is_some_and(|why| why.starts_with("too large to check in 2")));
        let small = Patience { memory: Some(100 << 20), ..endless };
        assert_eq!(refused(false, &small, many).as_deref(), Some("too large to check in memory"));
        assert_eq!(packed(&small, 49), None);
        assert_eq!(packed(&small, 51).as_deref(), Some("too large to check in memory"));
        assert_eq!(refused(false, &small, many / 10), None);
    }

    #[test]
    fn nodes_of_many_clocks_take_longer() {
        let refused = |clocks: usize, nodes: u64| {
            check(&format!("clocks {clocks}{}\nnodes {nodes}\n", " x".repeat(clocks)), 100)
        };
        for (clocks, few, many) in
            [(0, 380_000, 400_000), (2, 300_000, 320_000), (10, 80_000, 90_000)]
        {
            assert_eq!(refused(clocks, few), None, "{clocks}");
            assert!(refused(clocks, many).is_some(), "{clocks}");
        }
    }
}
