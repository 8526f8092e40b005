//! The model on display: it is read again when its file changes.
//!
//! The page asks once a second. The server compares the time and the size of the files it was
//! started with; the page names no file.

use crate::Watched;
use crate::ask::described_error;
use crate::explorer::Explorer;
use crate::response::Response;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;
use zonaut_base::one_line;
use zonaut_engine::{QuerySource, Severity, load};

/// The explorer of the newest version of a model without errors.
pub(crate) struct Display {
    current: RwLock<Arc<Explorer>>,
    /// The explorer before the current one, and its version: traces of it are taken again.
    previous: Mutex<Option<(u64, Arc<Explorer>)>>,
    seen: Mutex<Seen>,
}

/// The version of the files that was read last.
struct Seen {
    version: u64,
    stamps: FileStamps,
    problem: Option<String>,
}

/// A path in an earlier version of the model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OldPath {
    version: u64,
    path: Vec<usize>,
}

#[derive(Serialize)]
struct WatchData {
    version: u64,
    /// The errors of the newest version, if it has some; the one before is on display then.
    problem: Option<String>,
}

impl Display {
    pub(crate) fn new(explorer: Explorer) -> Self {
        let stamps = explorer.subject.watched.as_ref().map(Watched::stamps).unwrap_or_default();
        let seen = Mutex::new(Seen { version: 1, stamps, problem: None });
        Self { current: RwLock::new(Arc::new(explorer)), previous: Mutex::default(), seen }
    }

    pub(crate) fn current(&self) -> Arc<Explorer> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes a trace of the version before in the current one, as far as it works.
    pub(crate) fn follow(&self, body: &[u8]) -> Response {
        let Ok(old) = serde_json::from_slice::<OldPath>(body) else {
            return Response::plain(400, "the request has no valid path");
        };
        let previous = self.previous.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let source = previous.filter(|(version, _)| *version == old.version);
        let source = source.map_or_else(|| self.current(), |(_, explorer)| explorer);
        match source.recorded(&old.path) {
            Ok(run) => self.current().follow_recorded(&run),
            Err(why) => Response::plain(400, &why),
        }
    }

    /// Reads the model again if a file has changed, and reports the version on display.
    pub(crate) fn watch(&self) -> Response {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let explorer = self.current();
        if let Some(watched) = &explorer.subject.watched {
            let now = watched.stamps();
            if now != seen.stamps {
                seen.stamps = now;
                match reloaded(&explorer, watched) {
                    Ok(next) => {
                        let mut previous =
                            self.previous.lock().unwrap_or_else(PoisonError::into_inner);
                        *previous = Some((seen.version, Arc::clone(&explorer)));
                        seen.version += 1;
                        seen.problem = None;
                        let mut current =
                            self.current.write().unwrap_or_else(PoisonError::into_inner);
                        *current = Arc::new(next);
                    }
                    Err(problem) => seen.problem = Some(problem),
                }
            }
        }
        Response::json(&WatchData { version: seen.version, problem: seen.problem.clone() })
    }
}

/// The times and sizes of files, which change when the files do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileStamps(Vec<Option<(SystemTime, u64)>>);

impl Watched {
    /// The stamps of the model and of its query file now.
    #[must_use]
    pub fn stamps(&self) -> FileStamps {
        let stamp = |path: &Path| {
            let file = fs::metadata(path).ok()?;
            Some((file.modified().ok()?, file.len()))
        };
        let beside = self.model.with_extension("q");
        let queries = match &self.queries {
            QuerySource::File(path) => path.as_path(),
            _ => beside.as_path(),
        };
        FileStamps(vec![stamp(&self.model), stamp(queries)])
    }
}

/// The explorer of the changed model, or its first errors.
fn reloaded(explorer: &Explorer, watched: &Watched) -> Result<Explorer, String> {
    let subject = &explorer.subject;
    let loaded = load(&watched.model, &watched.queries, &subject.options)
        .map_err(|error| one_line(&error.to_string()))?;
    let errors = loaded.diagnostics.iter().filter(|it| it.severity == Severity::Error);
    let errors: Vec<String> = errors.take(3).map(described_error).collect();
    if !errors.is_empty() {
        return Err(errors.join("; "));
    }
    let next = crate::Subject { loaded, ..subject.clone() };
    Explorer::new(next).ok_or_else(|| "the model has errors".to_owned())
}
