//! A folder with the spilled states of a search.
//!
//! A file loses its name as soon as it is open, if the system allows it, so that its space is free
//! when the process ends, however it ends. Other systems keep the names, and the next search in the
//! folder replaces the files.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use zonaut_base::StopReason;
use zonaut_search::{SpillFile, SpillFiles};

use crate::folder::{FolderError, LOCK, lock, wrong};

/// The beginning of the names of files.
const NAME: &str = "spilled-";

/// A folder for spilled states, locked for one process.
#[derive(Debug)]
pub struct SpillFolder {
    path: PathBuf,
    /// Whether it was created for this search.
    is_new: bool,
    lock: Mutex<Option<File>>,
    files: AtomicUsize,
    shared: Arc<Shared>,
}

/// The state of a folder that its files share.
#[derive(Debug)]
struct Shared {
    path: PathBuf,
    bytes: AtomicU64,
    failure: OnceLock<String>,
}

impl Shared {
    fn fail(&self, what: &str, error: &io::Error) {
        self.failure.get_or_init(|| wrong(&self.path, what, error).to_string());
    }
}

impl SpillFolder {
    /// Opens a folder, or creates it, and removes what an earlier search has left there.
    ///
    /// # Errors
    /// If another process uses it, or it cannot be written.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let is_new = !path.exists();
        fs::create_dir_all(path).map_err(|error| wrong(path, "cannot be created", &error))?;
        let lock = lock(path)?;
        let folder = Self {
            path: path.to_owned(),
            is_new,
            lock: Mutex::new(Some(lock)),
            files: AtomicUsize::new(0),
            shared: Arc::new(Shared {
                path: path.to_owned(),
                bytes: AtomicU64::new(0),
                failure: OnceLock::new(),
            }),
        };
        folder.remove_files();
        Ok(folder)
    }

    /// The reason for which states could not be written or read, if they could not.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.shared.failure.get().map(String::as_str)
    }

    /// The bytes that were written.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.shared.bytes.load(Ordering::Relaxed)
    }

    /// Removes all files, and the folder if it was created for this search. Files that are open
    /// remain readable where they have no names.
    pub fn remove(&self) {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = lock.take() {
            self.remove_files();
            let _ = fs::remove_file(self.path.join(LOCK));
            drop(lock);
            if self.is_new {
                // Other files may be there now.
                let _ = fs::remove_dir(&self.path);
            }
        }
    }

    fn remove_files(&self) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(NAME) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl Drop for SpillFolder {
    fn drop(&mut self) {
        self.remove();
    }
}

impl SpillFiles for SpillFolder {
    fn create(&self) -> Result<Arc<dyn SpillFile>, StopReason> {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(format!("{NAME}{number}"));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        match file {
            Ok(file) => {
                if cfg!(unix) {
                    let _ = fs::remove_file(&path);
                }
                let (end, shared) = (Mutex::new(0), Arc::clone(&self.shared));
                Ok(Arc::new(Appended { file, end, shared }))
            }
            Err(error) => {
                self.shared.fail("cannot be written", &error);
                Err(StopReason::MemoryLimit)
            }
        }
    }

    fn has_failed(&self) -> bool {
        self.shared.failure.get().is_some()
    }
}

/// A file of spilled states.
#[derive(Debug)]
struct Appended {
    file: File,
    /// The number of bytes that were appended.
    end: Mutex<u64>,
    shared: Arc<Shared>,
}

impl SpillFile for Appended {
    fn append(&self, bytes: &[u8]) -> Result<u64, StopReason> {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        match write_at(&self.file, *end, bytes) {
            Ok(()) => {
                let at = *end;
                *end += bytes.len() as u64;
                self.shared.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                Ok(at)
            }
            Err(error) => {
                self.shared.fail("cannot be written", &error);
                Err(StopReason::MemoryLimit)
            }
        }
    }

    fn read(&self, at: u64, into: &mut [u8]) -> Result<(), StopReason> {
        read_at(&self.file, at, into).map_err(|error| {
            self.shared.fail("cannot be read", &error);
            StopReason::MemoryLimit
        })
    }
}

#[cfg(unix)]
fn write_at(file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(unix)]
fn read_at(file: &File, at: u64, into: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, into, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut at: u64, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, at)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => (at, bytes) = (at + written as u64, &bytes[written..]),
        }
    }
    Ok(())
}

#[cfg(windows)]
fn read_at(file: &File, mut at: u64, mut into: &mut [u8]) -> io::Result<()> {
    while !into.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, into, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => (at, into) = (at + read as u64, &mut into[read..]),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &Path) -> Vec<String> {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn appended_bytes_are_read_back_and_nothing_is_left() {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path().join("s");
        let folder = SpillFolder::open(&path).expect("a folder");
        let files = [folder.create().expect("a file"), folder.create().expect("a file")];
        let mut ends = Vec::new();
        for number in 0..10_u8 {
            for (index, file) in files.iter().enumerate() {
                ends.push((index, number, file.append(&[number + index as u8; 50])));
            }
        }
        for (index, number, at) in ends {
            let mut read = [0; 50];
            assert_eq!(files[index].read(at.expect("space"), &mut read), Ok(()));
            assert_eq!(read, [number + index as u8; 50]);
        }
        assert_eq!((folder.written(), folder.has_failed()), (1_000, false));
        folder.remove();
        assert!(!path.exists());
    }

    #[test]
    fn a_failed_read_is_named() {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = SpillFolder::open(temporary.path()).expect("a folder");
        let file = folder.create().expect("a file");
        let _ = file.append(&[7; 10]);
        let mut read = [1; 20];
        assert_eq!(file.read(0, &mut read), Err(StopReason::MemoryLimit));
        assert!(folder.has_failed());
        assert!(folder.failure().is_some_and(|why| why.contains("cannot be read")));
    }

    #[test]
    fn one_process_uses_a_folder_and_replaces_what_a_killed_one_has_left() {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path();
        fs::write(path.join("spilled-0"), "left").expect("a file");
        fs::write(path.join("lock"), "").expect("a file");
        fs::write(path.join("other"), "mine").expect("a file");
        let folder = SpillFolder::open(path).expect("a folder");
        let refused = SpillFolder::open(path).expect_err("a refusal").to_string();
        assert!(refused.contains("another process uses"), "{refused}");
        drop(folder);
        assert_eq!(names(path), ["other"]);
        let _ = SpillFolder::open(path).expect("a folder");
    }
}
