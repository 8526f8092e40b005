//! Reading of untrusted files: only regular files or descriptors passed to this process, and never
//! more bytes than the limit.

use std::fmt;
use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use zonaut_base::StopReason;

/// The default limit of the size of a file: 256 MB.
pub const DEFAULT_MAX_FILE_BYTES: u64 = 256 << 20;

/// Positions are 32-bit numbers, and a decoded text can be three times as long as its file.
const ADDRESSABLE_BYTES: u64 = (u32::MAX / 3) as u64;

/// A file that could not be read, so that no position in it can be reported.
#[derive(Debug)]
pub struct InputError {
    path: PathBuf,
    kind: InputErrorKind,
}

/// The reason why a file could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum InputErrorKind {
    /// An error of the operating system.
    Io(io::Error),
    /// Not a regular file, but for example a folder or a device.
    NotAFile(&'static str),
    /// Larger than the limit, in bytes.
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// Compressed.
    Compressed,
    /// Standard input, which can be read only once.
    ReadTwice,
    /// A limit on time or memory was reached while reading.
    Stopped(StopReason),
}

impl InputError {
    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.kind {
            InputErrorKind::Io(_) => "TA0001",
            InputErrorKind::NotAFile(_) => "TA0002",
            InputErrorKind::TooLarge { .. } => "TA0003",
            InputErrorKind::Compressed => "TA0004",
            InputErrorKind::ReadTwice => "TA0009",
            InputErrorKind::Stopped(_) => "TA0010",
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The reason why it could not be read.
    #[must_use]
    pub fn kind(&self) -> &InputErrorKind {
        &self.kind
    }

    /// Advice how to fix it.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self.kind {
            InputErrorKind::Io(_) if is_formula(&self.path) => Some("give formulas with -q"),
            InputErrorKind::Io(_) => None,
            InputErrorKind::NotAFile(_) => Some("give the path of a regular file"),
            InputErrorKind::TooLarge { .. } => Some("raise the limit with --max-file-size"),
            InputErrorKind::Compressed => Some("decompress it first"),
            InputErrorKind::ReadTwice => {
                Some("name a file for one of them, or give queries with -q")
            }
            InputErrorKind::Stopped(_) => {
                Some("raise the limit, or make constants that are cheaper to compute")
            }
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            InputErrorKind::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                write!(f, "there is no such file")
            }
            InputErrorKind::Io(error) => write!(f, "the file cannot be read: {error}"),
            InputErrorKind::NotAFile(what) => write!(f, "this is {what}, not a file"),
            InputErrorKind::TooLarge { limit } => {
                write!(f, "the file is larger than the limit of {limit} bytes")
            }
            InputErrorKind::Compressed => write!(f, "the file is compressed with gzip"),
            InputErrorKind::ReadTwice => {
                write!(f, "standard input cannot be both the model and its queries")
            }
            InputErrorKind::Stopped(why) => {
                write!(f, "the model could not be read within the limits: {why}")
            }
        }
    }
}

impl std::error::Error for InputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            InputErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// Whether the path looks like a formula that was passed in place of a file.
fn is_formula(path: &Path) -> bool {
    let name = path.to_string_lossy();
    ["E<>", "A[]", "A<>", "E[]", "-->"].iter().any(|sign| name.contains(sign))
}

/// The path that means standard input.
const STANDARD_INPUT: &str = "-";

/// Whether `path` means standard input.
#[must_use]
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
}

/// The display name of an input.
pub(crate) fn name_of_input(path: &Path) -> String {
    match is_standard_input(path) {
        true => "<stdin>".to_owned(),
        false => path.display().to_string(),
    }
}

/// The error for a second read of standard input.
pub(crate) fn read_twice(path: &Path) -> InputError {
    InputError { path: path.to_owned(), kind: InputErrorKind::ReadTwice }
}

/// The error for a read of `path` that a limit stopped.
pub(crate) fn stopped(path: &Path, why: StopReason) -> InputError {
    InputError { path: path.to_owned(), kind: InputErrorKind::Stopped(why) }
}

/// The bytes of the regular file at `path` or of standard input, at most `limit` of them.
///
/// # Errors
/// If there is no such file, it is not a regular file, or it is larger than the limit.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, InputError> {
    let error = |kind| InputError { path: path.to_owned(), kind };
    let failed = |why| error(InputErrorKind::Io(why));
    let limit = limit.min(ADDRESSABLE_BYTES);
    let mut bytes = Vec::new();
    // Reads one byte more than allowed: a file can grow, and some special files report no length.
    let read = match is_standard_input(path) {
        true => io::stdin().lock().take(limit + 1).read_to_end(&mut bytes),
        false => open(path, limit)?.take(limit + 1).read_to_end(&mut bytes),
    };
    read.map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(error(InputErrorKind::TooLarge { limit }));
    }
    if bytes.starts_with(&[0x1F, 0x8B]) {
        return Err(error(InputErrorKind::Compressed));
    }
    Ok(bytes)
}

fn open(path: &Path, limit: u64) -> Result<File, InputError> {
    let error = |kind| InputError { path: path.to_owned(), kind };
    let failed = |why| error(InputErrorKind::Io(why));
    let allowed = |kind| if is_descriptor(path) { Ok(()) } else { regular(kind) };
    // Checked before opening: opening a pipe blocks until it has a writer.
    allowed(fs::metadata(path).map_err(failed)?.file_type()).map_err(error)?;
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    allowed(metadata.file_type()).map_err(error)?;
    if metadata.len() > limit {
        return Err(error(InputErrorKind::TooLarge { limit }));
    }
    Ok(file)
}

/// Whether `path` names a descriptor that the parent process opened, as shells do for `<(command)`.
/// It may be a pipe, because opening it does not block.
fn is_descriptor(path: &Path) -> bool {
    path == Path::new("/dev/stdin")
        || path.parent().is_some_and(|folder| {
            folder == Path::new("/dev/fd") || folder == Path::new("/proc/self/fd")
        })
}

fn regular(kind: FileType) -> Result<(), InputErrorKind> {
    if kind.is_file() {
        return Ok(());
    }
    Err(InputErrorKind::NotAFile(if kind.is_dir() { "a folder" } else { special(kind) }))
}

#[cfg(unix)]
fn special(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn special(_: FileType) -> &'static str {
    "something else"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_inherited_descriptors_may_be_pipes() {
        for path in ["/dev/stdin", "/dev/fd/63", "/proc/self/fd/11"] {
            assert!(is_descriptor(Path::new(path)), "{path}");
        }
        for path in ["/dev/zero", "/dev/fd/3/x", "stdin", "fd/3", "/"] {
            assert!(!is_descriptor(Path::new(path)), "{path}");
        }
    }
}
