//! Cached lookup tables of heuristics, stored between runs.

use super::HeuristicFactory;
use crate::task::NoSearch;
use std::fmt::Display;
use std::io::{self, Read, Write};
use zonaut_base::LoadError;
use zonaut_dbm::Width;
use zonaut_merge::Merged;
use zonaut_model::{QueryKind, core_text};
use zonaut_pdb::Database;
use zonaut_predicates::PartDistances;

/// Increased with every change of the contents of databases.
const REVISION: u32 = 3;

/// A lookup table that is expensive to build and can be stored.
pub(super) trait Kept: Sized {
    /// Whether no limit ended its construction: only complete tables are stored.
    fn is_complete(&self) -> bool;

    /// Writes it, with the fingerprint of its inputs.
    fn save(&self, fingerprint: &[u8], out: &mut dyn Write) -> io::Result<()>;
}

impl<W: Width> Kept for Database<W> {
    fn is_complete(&self) -> bool {
        self.is_complete()
    }
    fn save(&self, fingerprint: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.save(fingerprint, out)
    }
}

impl<W: Width, const IS_SHARED: bool> Kept for PartDistances<W, IS_SHARED> {
    fn is_complete(&self) -> bool {
        self.size().is_complete
    }
    fn save(&self, fingerprint: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.save(fingerprint, out)
    }
}

impl Kept for Merged {
    fn is_complete(&self) -> bool {
        self.is_complete()
    }
    fn save(&self, fingerprint: &[u8], out: &mut dyn Write) -> io::Result<()> {
        self.save(fingerprint, out)
    }
}

impl HeuristicFactory<'_> {
    /// The stored table of a heuristic, if it exists and is intact; otherwise it is built, and
    /// stored if it is complete. `unlimited` is the heuristic's description without its limits.
    pub(super) fn kept<T: Kept>(
        &self,
        unlimited: &dyn Display,
        load: impl FnOnce(&[u8], &mut dyn Read) -> Result<T, LoadError>,
        build: impl FnOnce() -> Result<T, NoSearch>,
    ) -> Result<T, NoSearch> {
        if !self.environment.keeps_databases() {
            return build();
        }
        let name = self.fingerprint(unlimited);
        let file = self.environment.open(&name);
        if let Some(found) = file.and_then(|mut file| load(name.as_bytes(), &mut file).ok()) {
            return Ok(found);
        }
        let built = build()?;
        // A table that cannot be stored still serves this search.
        if built.is_complete() {
            let write = &mut |out: &mut dyn Write| built.save(name.as_bytes(), out);
            if let Err(warning) = self.environment.keep(&name, write) {
                self.warnings.borrow_mut().push(warning);
            }
        }
        Ok(built)
    }

    /// A digest of the inputs of a database: program, model, query and heuristic. The program
    /// includes the revision of database contents, so that no database outlives a bug fix.
    fn fingerprint(&self, unlimited: &dyn Display) -> String {
        let version = format!("{}.{REVISION}", env!("CARGO_PKG_VERSION"));
        let core = core_text::write(self.model, Some(&QueryKind::Possibly(self.formula.clone())));
        self.environment.digest(&format!("{version}\n{unlimited}\n{core}"))
    }
}
