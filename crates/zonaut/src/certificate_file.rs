//! Certificate files: written completely or not at all.

use crate::patience::Patience;
use crate::pipe::Pipe;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempPath;
use zonaut_console::default_memory_limit;

/// The number of nodes without clocks that can be checked in a second, and the number of zone
/// entries that halves it: twice the rate that was measured with 2 to 10 clocks.
const NODES_PER_SECOND: (f64, f64) = (400_000.0, 32.0);

/// The minimal time limit of a check.
const LEAST_TIME: Duration = Duration::from_secs(1);

/// The time limit of a check after a search of duration `searched`.
pub(crate) fn time_to_check(searched: Duration) -> Duration {
    searched.max(LEAST_TIME)
}

/// A file that a certificate is written to. Unless [`CertificateFile::finish`] is called, it is
/// removed.
pub(crate) struct CertificateFile {
    opened: Option<Output>,
    budget: Option<Budget>,
}

/// The destination of the text.
enum Output {
    File(BufWriter<File>, Destination),
    /// A pipe or a device, which cannot be replaced atomically.
    InPlace(BufWriter<Pipe>),
}

enum Destination {
    /// A temporary file for a check. It is created with the first byte, so that a killed search
    /// leaves no file behind.
    Temporary(TempPath),
    /// A temporary file that is renamed to the user's file when it is complete.
    Beside(TempPath, PathBuf),
}

/// A complete certificate.
pub(crate) enum Written {
    /// In a temporary file that is removed with this value.
    Temporary(TempPath),
    /// In the user's file.
    Kept(PathBuf),
    /// In a pipe or device that cannot be read back.
    Gone,
}

impl CertificateFile {
    /// A file for a check, readable by its owner only. Certificates whose check would exceed the
    /// limits of `patience` are rejected before their nodes are written; if `is_hasty`, also those
    /// whose check would take longer than the search.
    pub(crate) fn temporary(is_hasty: bool, patience: Patience) -> Self {
        Self { opened: None, budget: Some(Budget::new(is_hasty, patience)) }
    }

    /// A file that is renamed to `target` when complete, or the pipe or device at `target`, written
    /// within the limits of `patience`.
    pub(crate) fn at(target: &Path, patience: Patience) -> io::Result<Self> {
        let output = match fs::metadata(target) {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => {
                Output::InPlace(BufWriter::new(Pipe::open(target, patience)?))
            }
            // A symbolic link is replaced; its target is not changed.
            Ok(_) | Err(_) => beside_target(target)?,
        };
        Ok(Self { opened: Some(output), budget: None })
    }

    /// The reason why this certificate was rejected, if it was.
    pub(crate) fn refusal(&self) -> Option<&str> {
        self.budget.as_ref()?.refusal.as_deref()
    }

    /// Moves the complete certificate to its destination.
    pub(crate) fn finish(self) -> io::Result<Written> {
        let (mut out, destination) = match self.opened {
            None => return Err(io::Error::other("it is empty")),
            Some(Output::File(out, destination)) => (out, destination),
            Some(Output::InPlace(mut out)) => {
                out.flush()?;
                out.get_mut().finish()?;
                return Ok(Written::Gone);
            }
        };
        out.flush()?;
        Ok(match destination {
            Destination::Temporary(path) => Written::Temporary(path),
            Destination::Beside(path, target) => {
                // A full disk may be detected only here.
                out.get_ref().sync_all()?;
                path.persist(&target).map_err(|error| error.error)?;
                Written::Kept(target)
            }
        })
    }
}

fn temporary() -> io::Result<Output> {
    let file = tempfile::Builder::new().prefix("zonaut-").suffix(".cert").tempfile()?;
    let (file, path) = file.into_parts();
    Ok(Output::File(BufWriter::new(file), Destination::Temporary(path)))
}

fn beside_target(target: &Path) -> io::Result<Output> {
    let (file, path) = zonaut_engine::atomic_temp_file(target)?.into_parts();
    Ok(Output::File(BufWriter::new(file), Destination::Beside(path, target.to_owned())))
}

impl Write for CertificateFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(budget) = &mut self.budget {
            budget.pass(bytes)?;
        }
        if self.opened.is_none() {
            self.opened = Some(temporary()?);
        }
        match &mut self.opened {
            None => Ok(0),
            Some(Output::File(out, _)) => out.write(bytes),
            Some(Output::InPlace(out)) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.opened {
            None => Ok(()),
            Some(Output::File(out, _)) => out.flush(),
            Some(Output::InPlace(out)) => out.flush(),
        }
    }
}

/// Estimates the time of a check from the counts that a certificate announces.
struct Budget {
    /// The start of the search.
    began: Instant,
    /// Whether the check may take at most as long as the search.
    is_hasty: bool,
    patience: Patience,
    /// The start of the current line, up to the length of a count.
    line: Vec<u8>,
    clocks: u64,
    is_decided: bool,
    refusal: Option<String>,
}

/// An upper bound of the length of a line up to its count.
const BEGINNING: usize = 32;

impl Budget {
    fn new(is_hasty: bool, patience: Patience) -> Self {
        let (began, line) = (Instant::now(), Vec::new());
        Self { began, is_hasty, patience, line, clocks: 0, is_decided: false, refusal: None }
    }

    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_decided {
            return Ok(());
        }
        for &byte in bytes {
            if byte == b'\n' {
                self.line_ends()?;
            } else if self.line.len() < BEGINNING {
                self.line.push(byte);
            }
        }
        Ok(())
    }

    fn line_ends(&mut self) -> io::Result<()> {
        let line = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        let mut words = line.split(' ');
        let keyword = words.next();
        let count = words.next().and_then(|word| word.parse().ok());
        match (keyword, count) {
            (Some("clocks"), Some(clocks)) => self.clocks = clocks,
            (Some("nodes"), Some(nodes)) => {
                self.is_decided = true;
                self.refusal = self.refuse(nodes);
            }
            _ => {}
        }
        match &self.refusal {
            Some(why) => Err(io::Error::other(why.clone())),
            None => Ok(()),
        }
    }

    /// The reason why this number of nodes is too large, if it is.
    fn refuse(&self, nodes: u64) -> Option<String> {
        let usual = self.is_hasty.then(|| time_to_check(self.began.elapsed()));
        let time = usual.into_iter().chain(self.patience.left()).min();
        let rows = self.clocks.saturating_add(1);
        let entries = rows.saturating_mul(rows);
        let (most, half) = NODES_PER_SECOND;
        if let Some(seconds) = time.map(|time| time.as_secs_f64())
            && nodes as f64 * (1.0 + entries as f64 / half) > most * seconds
        {
            return Some(format!("too large to check in {} s", shortened(seconds)));
        }
        let bytes = nodes.saturating_mul(entries).saturating_mul(8);
        let memory = self.patience.memory.or_else(default_memory_limit);
        let is_too_much = memory.is_some_and(|memory| bytes > memory / 2);
        is_too_much.then(|| "too large to check in memory".to_owned())
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
        let mut budget = Budget::new(true, Patience::default());
        let passed = text.as_bytes().chunks(length).try_for_each(|bytes| budget.pass(bytes));
        assert_eq!(passed.is_err(), budget.refusal.is_some());
        budget.refusal
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
        let refused = |is_hasty, patience: &Patience, nodes: u64| {
            let mut budget = Budget::new(is_hasty, patience.clone());
            let text = format!("clocks 3 x y z\nnodes {nodes}\n");
            let _ = budget.pass(text.as_bytes());
            budget.refusal
        };
        let (endless, many) = (Patience::default(), 1_000_000);
        assert_eq!(refused(false, &endless, many), None);
        let short = endless.within(Some(Duration::from_millis(2900)));
        let why = refused(false, &short, many).unwrap();
        assert!(why.starts_with("too large to check in 2"), "{why}");
        assert_eq!(refused(false, &short, many / 10), None);
        assert_eq!(refused(true, &endless, many).as_deref(), Some("too large to check in 1 s"));
        assert_eq!(refused(true, &endless, many / 5), None);
        let small = Patience { memory: Some(100 << 20), ..endless };
        assert_eq!(refused(false, &small, many).as_deref(), Some("too large to check in memory"));
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

    #[test]
    fn an_unfinished_certificate_leaves_the_old_file_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("c.cert");
        fs::write(&target, "old").unwrap();
        let mut file = CertificateFile::at(&target, Patience::default()).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(&target).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let mut file = CertificateFile::at(&target, Patience::default()).unwrap();
        file.write_all(b"whole").unwrap();
        assert!(matches!(file.finish(), Ok(Written::Kept(path)) if path.ends_with("c.cert")));
        assert_eq!(fs::read_to_string(&target).unwrap(), "whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// An existing symbolic link must not redirect the certificate to another file.
    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (target, other) = (folder.path().join("c.cert"), folder.path().join("precious"));
        fs::write(&other, "precious").unwrap();
        for pointed_to in [&other, &folder.path().join("nowhere")] {
            std::os::unix::fs::symlink(pointed_to, &target).unwrap();
            let mut file = CertificateFile::at(&target, Patience::default()).unwrap();
            file.write_all(b"whole").unwrap();
            assert!(matches!(file.finish(), Ok(Written::Kept(_))));
            assert!(fs::symlink_metadata(&target).unwrap().is_file());
            assert_eq!(fs::read_to_string(&target).unwrap(), "whole");
            assert_eq!(fs::read_to_string(&other).unwrap(), "precious");
            fs::remove_file(&target).unwrap();
        }
        assert!(!folder.path().join("nowhere").exists());
    }
}
