//! Pattern databases as guides: which part is kept, what building may cost, and where they are kept.

use super::Guiding;
use crate::answer::Reason;
use crate::beside::beside;
use crate::search::Watcher;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use zonaut_dbm::Width;
use zonaut_model::core_text;
use zonaut_pdb::{Child, Database, Pattern, Unexplorable, cone, metered_russian_doll};
use zonaut_space::{Meter, Observer, Progress, StopReason};
use zonaut_strategy::{PatternGuide, Selector};
use zonaut_zonegraph::{Step, SymbolicState};

/// Raised with every change of what the databases of a model hold.
const REVISION: u32 = 2;

impl Guiding<'_> {
    /// The database that `guide` describes, read or built. Where a limit ends building, it is
    /// partial.
    pub(super) fn database<W: Width>(
        &self,
        guide: &PatternGuide,
        observer: Watcher<'_, W>,
    ) -> Result<Database<W>, Reason> {
        let meter = observer.meter();
        let pattern = self.pattern(guide.selector, &meter)?;
        let child = Child::new(self.model, self.formula, &pattern);
        let kept = self.folder.map(|folder| Kept::new(folder, &self.fingerprint(guide)));
        let found = kept.as_ref().and_then(|kept| kept.load(self, &child));
        let database = match found {
            Some(database) => database,
            None => {
                let database = self.build(guide, &child, observer)?;
                // A database that cannot be kept serves this search all the same.
                if let Some(kept) = kept.filter(|_| database.is_complete())
                    && let Err(error) = kept.save(&database)
                {
                    let path = kept.path.display();
                    let warning = format!("the database {path} cannot be kept: {error}");
                    self.warnings.borrow_mut().push(warning);
                }
                database
            }
        };
        self.account.count(&database, &meter);
        Ok(database)
    }

    fn build<W: Width>(
        &self,
        guide: &PatternGuide,
        child: &Child,
        observer: Watcher<'_, W>,
    ) -> Result<Database<W>, Reason> {
        let mut budget = Budget::new(guide, observer);
        let built = Database::build(self.model, self.bounds, child, &mut budget);
        built.map_err(|why| {
            let what = match why {
                Unexplorable::TooManyActions => "a database of too many select combinations",
                Unexplorable::ClockRange => "a database of clock values that are not exact",
                Unexplorable::Stopped(why) => return Reason::Stopped(why),
            };
            Reason::Unsuited(what.to_owned())
        })
    }

    fn pattern(&self, selector: Selector, meter: &Meter) -> Result<Pattern, Reason> {
        match selector {
            Selector::RussianDoll { inputs } => {
                let doll = metered_russian_doll(self.model, self.formula, inputs, meter);
                doll.map_err(Reason::Stopped)
            }
            Selector::Cone { layers } => Ok(cone(self.model, self.formula, layers)),
        }
    }

    /// What the database depends on, as a digest: program, model, query and selector. The program
    /// includes the revision of what databases hold, so that none with a mistake outlives it.
    fn fingerprint(&self, guide: &PatternGuide) -> String {
        let unlimited =
            PatternGuide { states: u32::MAX, seconds: None, megabytes: None, ..guide.clone() };
        let version = format!("{}.{REVISION}", env!("CARGO_PKG_VERSION"));
        let core = core_text::write(self.model, Some(&self.query.kind));
        zonaut_evidence::digest_of(format!("{version}\n{unlimited}\n{core}").as_bytes())
    }
}

/// The file of one database.
struct Kept {
    path: PathBuf,
    fingerprint: Vec<u8>,
}

impl Kept {
    fn new(folder: &Path, fingerprint: &str) -> Self {
        let path = folder.join(format!("{fingerprint}.zpdb"));
        Self { path, fingerprint: fingerprint.as_bytes().to_vec() }
    }

    /// The database in the file, if there is one and it is whole; otherwise it is built anew.
    fn load<W: Width>(&self, guiding: &Guiding<'_>, child: &Child) -> Option<Database<W>> {
        let mut file = BufReader::new(File::open(&self.path).ok()?);
        let Guiding { model, bounds, .. } = guiding;
        Database::load(model, bounds, child, &self.fingerprint, &mut file).ok()
    }

    /// Writes the file beside its place first, so that nobody reads half of it.
    fn save<W: Width>(&self, database: &Database<W>) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut out = BufWriter::new(beside(&self.path)?);
        database.save(&self.fingerprint, &mut out)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Ends the building of a database at its own limits, and where the query ends.
struct Budget<'o, W: Width> {
    states: usize,
    bytes: Option<usize>,
    deadline: Option<Instant>,
    query: Watcher<'o, W>,
}

impl<'o, W: Width> Budget<'o, W> {
    fn new(guide: &PatternGuide, query: Watcher<'o, W>) -> Self {
        let time = guide.seconds.map(|seconds| Duration::from_secs(seconds.into()));
        Self {
            states: guide.states as usize,
            bytes: guide.megabytes.map(|megabytes| megabytes as usize * (1 << 20)),
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            query,
        }
    }
}

impl<W: Width> Observer<SymbolicState<W>, Step> for Budget<'_, W> {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        self.query.progress(now)?;
        let reached = if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(StopReason::TimeLimit)
        } else if self.bytes.is_some_and(|limit| now.bytes >= limit) {
            Some(StopReason::MemoryLimit)
        } else if now.explored >= self.states {
            Some(StopReason::NodeLimit)
        } else {
            None
        };
        reached.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }

    fn meter(&self) -> Meter {
        self.query.meter()
    }
}
