//! A folder with the checkpoints of a search.
//!
//! Each checkpoint adds a file with the new nodes of each worker and replaces the files of marks. The
//! manifest lists all files with their sizes and digests. It is written last, to a temporary file that
//! replaces the one before, and everything is flushed to the disk in this order; so the folder has
//! the last whole checkpoint at any time. Files that the manifest does not list are left from a write
//! that did not end, and are removed.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zonaut_base::StopReason;
use zonaut_search::{Keeper, SavedPart, SavedSearch, SavedWorker};

/// The version of the format.
const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";
pub(crate) const LOCK: &str = "lock";
/// Checkpoints take at most this part of the time of the search.
const LARGEST_SHARE: u32 = 20;

/// The search that a folder belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Subject {
    /// The version of the program.
    pub version: String,
    /// The digest of the model and the query.
    pub digest: String,
    /// The options that matter.
    pub options: String,
    /// The words of the command line after its name, without those about workers and checkpoints.
    pub words: Vec<String>,
    /// The working directory of the command, to which file names are relative.
    pub directory: String,
}

/// The reason for which a folder cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FolderError(String);

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FolderError {}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    subject: Subject,
    /// The number of resumed runs before.
    generation: u64,
    /// The number of checkpoints of this run before.
    sequence: u64,
    workers: Vec<WorkerFiles>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct WorkerFiles {
    nodes: Vec<FileRecord>,
    marks: FileRecord,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct FileRecord {
    name: String,
    bytes: u64,
    sha256: String,
}

/// A saved search and what it belongs to.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The search that was saved.
    pub subject: Subject,
    /// Its states.
    pub search: SavedSearch,
}

/// A folder with checkpoints, locked for one process.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    subject: Subject,
    every: Duration,
    state: Mutex<State>,
    _lock: File,
}

#[derive(Debug)]
struct State {
    manifest: Option<Manifest>,
    generation: u64,
    last: Instant,
    took: Duration,
    written: u64,
    failure: Option<String>,
}

impl State {
    /// The number of the next checkpoint of this run.
    fn next_sequence(&self) -> u64 {
        self.manifest.as_ref().map_or(0, |manifest| manifest.sequence + 1)
    }
}

/// The name of a file of one checkpoint of one run.
fn file_name(kind: &str, generation: u64, sequence: u64, worker: usize) -> String {
    format!("{kind}-{generation}-{sequence}-{worker}")
}

impl Folder {
    /// The subject of the checkpoint in a folder, which is not locked for that.
    ///
    /// # Errors
    /// If there is no checkpoint, or one of another format.
    pub fn subject(path: &Path) -> Result<Subject, FolderError> {
        read_manifest(path).map(|manifest| manifest.subject)
    }

    /// Creates a folder, or takes an empty one, for the checkpoints of a new search.
    ///
    /// # Errors
    /// If it has a checkpoint, another process uses it, or it cannot be written.
    pub fn create(path: &Path, subject: Subject, every: Duration) -> Result<Self, FolderError> {
        let shown = path.display();
        fs::create_dir_all(path).map_err(|error| wrong(path, "cannot be created", &error))?;
        let lock = lock(path)?;
        if path.join(MANIFEST).exists() {
            return Err(FolderError(format!(
                "{shown} has a checkpoint; continue it with `zonaut resume {shown}`, or remove the \
                 folder"
            )));
        }
        Ok(Self::new(path, subject, every, 0, lock))
    }

    /// Reads the checkpoint in a folder, to continue it there.
    ///
    /// # Errors
    /// If there is no whole checkpoint, another process uses the folder, or the checkpoint belongs to
    /// another model, other options or another version.
    pub fn resume(
        path: &Path,
        subject: &Subject,
        every: Duration,
    ) -> Result<(Self, Saved), FolderError> {
        let lock = lock(path)?;
        let manifest = read_manifest(path)?;
        let kept = &manifest.subject;
        let shown = path.display();
        if kept.version != subject.version {
            let (kept, here) = (&kept.version, &subject.version);
            return Err(FolderError(format!(
                "the checkpoint in {shown} is of version {kept}, and this is {here}"
            )));
        }
        if kept.digest != subject.digest {
            return Err(FolderError(format!(
                "the model or the query has changed since the checkpoint in {shown} was written"
            )));
        }
        if kept.options != subject.options {
            return Err(FolderError(format!(
                "the checkpoint in {shown} has the options `{}`, and this search has `{}`",
                kept.options, subject.options
            )));
        }
        let mut workers = Vec::new();
        for files in &manifest.workers {
            let nodes = files.nodes.iter().map(|record| read_file(path, record));
            let nodes = nodes.collect::<Result<_, _>>()?;
            workers.push(SavedWorker { nodes, marks: read_file(path, &files.marks)? });
        }
        let saved = Saved { subject: manifest.subject.clone(), search: SavedSearch { workers } };
        let folder = Self::new(path, manifest.subject, every, manifest.generation + 1, lock);
        Ok((folder, saved))
    }

    fn new(path: &Path, subject: Subject, every: Duration, generation: u64, lock: File) -> Self {
        let state = State {
            manifest: None,
            generation,
            last: Instant::now(),
            took: Duration::ZERO,
            written: 0,
            failure: None,
        };
        Self { path: path.to_owned(), subject, every, state: Mutex::new(state), _lock: lock }
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The reason for which a checkpoint could not be written or read, if one could not.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    /// The number of checkpoints that were written.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.state().written
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, state: &mut State, parts: &[SavedPart]) -> io::Result<()> {
        let (generation, sequence) = (state.generation, state.next_sequence());
        let mut workers = match &state.manifest {
            Some(manifest) => manifest.workers.clone(),
            None => vec![WorkerFiles::default(); parts.len()],
        };
        for (index, (files, part)) in workers.iter_mut().zip(parts).enumerate() {
            let name = |kind| file_name(kind, generation, sequence, index);
            files.nodes.push(write_file(&self.path, name("nodes"), &part.nodes)?);
            files.marks = write_file(&self.path, name("marks"), &part.marks)?;
        }
        flush_folder(&self.path)?;
        let subject = self.subject.clone();
        let manifest = Manifest { format: FORMAT, subject, generation, sequence, workers };
        let text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::other)?;
        let _ = write_file(&self.path, format!("{MANIFEST}.new"), &text)?;
        fs::rename(self.path.join(format!("{MANIFEST}.new")), self.path.join(MANIFEST))?;
        flush_folder(&self.path)?;
        self.remove_others(&manifest);
        state.manifest = Some(manifest);
        Ok(())
    }

    /// Removes the files of a checkpoint that could not be written: a full disk needs the space.
    fn remove_attempt(&self, state: &State, workers: usize) {
        let (generation, sequence) = (state.generation, state.next_sequence());
        let names = ["nodes", "marks"].into_iter().flat_map(|kind| {
            (0..workers).map(move |worker| file_name(kind, generation, sequence, worker))
        });
        for name in names.chain(std::iter::once(format!("{MANIFEST}.new"))) {
            let _ = fs::remove_file(self.path.join(name));
        }
    }

    /// Removes files of earlier checkpoints that the manifest does not list. Those that cannot be
    /// removed are in the way of nothing.
    fn remove_others(&self, manifest: &Manifest) {
        let listed = |name: &str| {
            let mut all = manifest
                .workers
                .iter()
                .flat_map(|files| files.nodes.iter().chain(std::iter::once(&files.marks)));
            all.any(|record| record.name == name)
        };
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_ours = name.starts_with("nodes-") || name.starts_with("marks-");
            if is_ours && !listed(&name) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl Keeper for Folder {
    fn is_due(&self) -> bool {
        let state = self.state();
        let since = state.last.elapsed();
        since >= self.every && since >= state.took * LARGEST_SHARE
    }

    fn keep(&self, parts: &[SavedPart]) -> Result<(), StopReason> {
        let begun = Instant::now();
        let mut state = self.state();
        let written = self.write(&mut state, parts);
        (state.last, state.took) = (Instant::now(), begun.elapsed());
        match written {
            Ok(()) => {
                state.written += 1;
                Ok(())
            }
            Err(error) => {
                self.remove_attempt(&state, parts.len());
                let FolderError(text) = wrong(&self.path, "cannot take a checkpoint", &error);
                state.failure = Some(text);
                Err(StopReason::Cancelled)
            }
        }
    }

    fn refuse(&self) {
        let text = format!("the checkpoint in {} cannot be read", self.path.display());
        self.state().failure = Some(text);
    }
}

pub(crate) fn wrong(path: &Path, what: &str, error: &io::Error) -> FolderError {
    FolderError(format!("{} {what}: {error}", path.display()))
}

/// Locks a folder against other processes, for as long as the file is open.
pub(crate) fn lock(path: &Path) -> Result<File, FolderError> {
    let file = File::options().create(true).append(true).open(path.join(LOCK));
    let file = file.map_err(|error| wrong(path, "cannot be locked", &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(FolderError(format!("another process uses {}", path.display())))
        }
        Err(TryLockError::Error(error)) => Err(wrong(path, "cannot be locked", &error)),
    }
}

fn read_manifest(path: &Path) -> Result<Manifest, FolderError> {
    let shown = path.display();
    let text = match fs::read(path.join(MANIFEST)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(FolderError(format!("{shown} has no checkpoint")));
        }
        Err(error) => return Err(wrong(path, "cannot be read", &error)),
    };
    let format = serde_json::from_slice::<serde_json::Value>(&text);
    let format = format.ok().and_then(|value| value.get("format")?.as_u64());
    match format {
        Some(format) if format != u64::from(FORMAT) => Err(FolderError(format!(
            "the checkpoint in {shown} has format {format}, and this program reads format {FORMAT}"
        ))),
        _ => serde_json::from_slice(&text)
            .map_err(|error| FolderError(format!("the manifest in {shown} is damaged: {error}"))),
    }
}

fn digest_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read_file(folder: &Path, record: &FileRecord) -> Result<Vec<u8>, FolderError> {
    let damaged = |why: &str| {
        let shown = folder.display();
        FolderError(format!("the checkpoint in {shown} is damaged: `{}` {why}", record.name))
    };
    if record.name.contains(['/', '\\']) {
        return Err(damaged("is not a file of the folder"));
    }
    let mut bytes = Vec::new();
    let file = File::open(folder.join(&record.name)).map_err(|_| damaged("is missing"))?;
    let read = file.take(record.bytes.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|_| damaged("cannot be read"))?;
    if bytes.len() as u64 != record.bytes {
        return Err(damaged("has another length"));
    }
    if digest_of(&bytes) != record.sha256 {
        return Err(damaged("has another content"));
    }
    Ok(bytes)
}

fn write_file(folder: &Path, name: String, bytes: &[u8]) -> io::Result<FileRecord> {
    let mut file = File::create(folder.join(&name))?;
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(FileRecord { name, bytes: bytes.len() as u64, sha256: digest_of(bytes) })
}

/// Flushes the names of the files in a folder.
fn flush_folder(folder: &Path) -> io::Result<()> {
    match cfg!(unix) {
        true => File::open(folder)?.sync_all(),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject() -> Subject {
        Subject {
            version: "1".to_owned(),
            digest: "d".to_owned(),
            options: "bfs".to_owned(),
            words: vec!["m.xta".to_owned()],
            directory: "/".to_owned(),
        }
    }

    fn part(number: u8) -> SavedPart {
        SavedPart { nodes: vec![number; 100], marks: vec![number, 1] }
    }

    fn folder_with_two_checkpoints() -> (tempfile::TempDir, PathBuf) {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path().join("c");
        let folder = Folder::create(&path, subject(), Duration::ZERO).expect("a folder");
        assert!(folder.is_due());
        assert_eq!(folder.keep(&[part(1), part(2)]), Ok(()));
        assert_eq!(folder.keep(&[part(3), part(4)]), Ok(()));
        assert_eq!(folder.written(), 2);
        (temporary, path)
    }

    fn resume(path: &Path, subject: &Subject) -> Result<Saved, String> {
        let resumed = Folder::resume(path, subject, Duration::ZERO);
        resumed.map(|(_, saved)| saved).map_err(|error| error.to_string())
    }

    #[test]
    fn a_checkpoint_has_all_nodes_and_the_last_marks() {
        let (_temporary, path) = folder_with_two_checkpoints();
        let saved = resume(&path, &subject()).expect("a checkpoint");
        let worker = |first: u8, second: u8| SavedWorker {
            nodes: vec![vec![first; 100], vec![second; 100]],
            marks: vec![second, 1],
        };
        assert_eq!(saved.search.workers, [worker(1, 3), worker(2, 4)]);
        // Marks of the first checkpoint are removed.
        let files = fs::read_dir(&path).expect("a folder").count();
        assert_eq!(files, 4 + 2 + 2);
    }

    #[test]
    fn a_resumed_search_replaces_all_files_at_once() {
        let (_temporary, path) = folder_with_two_checkpoints();
        let (folder, _) = Folder::resume(&path, &subject(), Duration::ZERO).expect("a checkpoint");
        assert_eq!(folder.keep(&[part(5)]), Ok(()));
        drop(folder);
        let saved = resume(&path, &subject()).expect("a checkpoint");
        assert_eq!(saved.search.workers.len(), 1);
        assert_eq!(fs::read_dir(&path).expect("a folder").count(), 2 + 2);
    }

    #[test]
    fn a_write_that_did_not_end_changes_nothing() {
        let (_temporary, path) = folder_with_two_checkpoints();
        let before = resume(&path, &subject()).expect("a checkpoint").search;
        fs::write(path.join("nodes-0-2-0"), "half").expect("a file");
        fs::write(path.join("manifest.json.new"), "{").expect("a file");
        assert_eq!(resume(&path, &subject()).expect("a checkpoint").search, before);
    }

    #[test]
    fn damage_and_differences_are_named() {
        let (_temporary, path) = folder_with_two_checkpoints();
        let refused = |subject: Subject| resume(&path, &subject).expect_err("a refusal");
        assert!(refused(Subject { version: "2".into(), ..subject() }).contains("version 1"));
        assert!(refused(Subject { digest: "e".into(), ..subject() }).contains("model"));
        assert!(refused(Subject { options: "x".into(), ..subject() }).contains("options `bfs`"));
        let file = path.join("nodes-0-1-1");
        let content = fs::read(&file).expect("a file");
        for (damaged, why) in [
            (&content[..99], "another length"),
            (&[&content[..], &[4]].concat()[..], "another length"),
            (&[&content[..99], &[5]].concat()[..], "another content"),
        ] {
            fs::write(&file, damaged).expect("a file");
            let refused = refused(subject());
            assert!(refused.contains(why) && refused.contains("nodes-0-1-1"), "{refused}");
        }
        fs::remove_file(&file).expect("a file");
        assert!(refused(subject()).contains("is missing"));
        fs::write(path.join(MANIFEST), "{\"format\": 2}").expect("a file");
        assert!(refused(subject()).contains("format 2"));
        fs::write(path.join(MANIFEST), "{").expect("a file");
        assert!(refused(subject()).contains("damaged"));
        fs::remove_file(path.join(MANIFEST)).expect("a file");
        assert!(refused(subject()).contains("no checkpoint"));
    }

    #[test]
    fn one_process_uses_a_folder_and_a_new_search_needs_an_empty_one() {
        let (_temporary, path) = folder_with_two_checkpoints();
        let create = || Folder::create(&path, subject(), Duration::ZERO);
        let refused = create().expect_err("a refusal").to_string();
        assert!(refused.contains("zonaut resume"), "{refused}");
        let (_folder, _) = Folder::resume(&path, &subject(), Duration::ZERO).expect("a checkpoint");
        let refused = create().expect_err("a refusal").to_string();
        assert!(refused.contains("another process"), "{refused}");
    }
}
