//! What guides need of the machine: its clock, and files.

use crate::beside::beside;
use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use zonaut_quest::Environment;

/// The machine, since some moment.
pub(crate) struct Outside<'f> {
    start: Instant,
    /// The folder in which databases are kept.
    folder: Option<&'f Path>,
    /// Where the lowest estimate is noted.
    lowest: Option<&'f Cell<Option<u32>>>,
}

impl<'f> Outside<'f> {
    pub(crate) fn new(start: Instant, folder: Option<&'f Path>) -> Self {
        Self { start, folder, lowest: None }
    }

    /// The same, with a place where the lowest estimate of guides is noted.
    pub(crate) fn noting(self, lowest: Option<&'f Cell<Option<u32>>>) -> Self {
        Self { lowest, ..self }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.folder.map(|folder| folder.join(format!("{name}.zpdb")))
    }
}

impl Environment for Outside<'_> {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn estimated(&self, estimate: u32) {
        if let Some(lowest) = self.lowest {
            lowest.set(Some(lowest.get().map_or(estimate, |known| known.min(estimate))));
        }
    }

    fn digest(&self, text: &str) -> String {
        zonaut_evidence::digest_of(text.as_bytes())
    }

    fn keeps_databases(&self) -> bool {
        self.folder.is_some()
    }

    fn open(&self, name: &str) -> Option<Box<dyn Read>> {
        let file = File::open(self.path(name)?).ok()?;
        Some(Box::new(BufReader::new(file)))
    }

    fn keep(
        &self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), String> {
        let Some(path) = self.path(name) else { return Ok(()) };
        let kept = keep(&path, write);
        kept.map_err(|error| format!("the database {} cannot be written: {error}", path.display()))
    }
}

/// Writes the file beside its place first, so that nobody reads half of it.
fn keep(path: &Path, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut out = BufWriter::new(beside(path)?);
    write(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
