//! The host of heuristics: its clock, and files with databases.

use crate::atomic_temp_file::atomic_temp_file;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use zonaut_portfolio::{Environment, LowestEstimate};

/// The clock and the files of this machine.
pub(crate) struct Host<'f> {
    start: Instant,
    /// The folder of stored databases.
    folder: Option<&'f Path>,
    /// Receives the lowest estimate.
    lowest: Option<&'f LowestEstimate>,
}

impl<'f> Host<'f> {
    pub(crate) fn new(start: Instant, folder: Option<&'f Path>) -> Self {
        Self { start, folder, lowest: None }
    }

    /// The same host, which records the lowest estimate of heuristics.
    pub(crate) fn noting(self, lowest: Option<&'f LowestEstimate>) -> Self {
        Self { lowest, ..self }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.folder.map(|folder| folder.join(format!("{name}.zpdb")))
    }
}

impl Environment for Host<'_> {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn estimated(&self, estimate: u32) {
        if let Some(lowest) = self.lowest {
            lowest.note(estimate);
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

/// Writes to a temporary file first, so that readers never see a partial file.
fn keep(path: &Path, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut out = BufWriter::new(atomic_temp_file(path)?);
    write(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
