//! Certificate files: written completely or not at all.

use crate::allowance::Allowance;
use crate::patience::Patience;
use crate::pipe::Pipe;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// A file that a certificate is written to. A file that is not finished is removed.
#[derive(Debug)]
pub struct CertificateFile {
    opened: Option<Output>,
    allowance: Option<Allowance>,
}

/// The destination of the text.
#[derive(Debug)]
enum Output {
    File(BufWriter<File>, Destination),
    /// A pipe or a device, which cannot be replaced atomically.
    InPlace(BufWriter<Pipe>),
}

#[derive(Debug)]
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
    /// limits of `patience` are rejected before their nodes are written; if `is_limited_by_search`, also those
    /// whose check would take longer than three times the search.
    pub(crate) fn temporary(is_limited_by_search: bool, patience: Patience) -> Self {
        Self { opened: None, allowance: Some(Allowance::new(is_limited_by_search, patience)) }
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
        Ok(Self { opened: Some(output), allowance: None })
    }

    /// The reason why this certificate was rejected, if it was.
    pub(crate) fn refusal(&self) -> Option<&str> {
        self.allowance.as_ref()?.refusal.as_deref()
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
        if let Some(allowance) = &mut self.allowance {
            allowance.pass(bytes)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_certificate_leaves_the_old_file_unchanged() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let target = folder.path().join("c.cert");
        fs::write(&target, "old")?;
        let mut file = CertificateFile::at(&target, Patience::default())?;
        file.write_all(b"half")?;
        drop(file);
        assert_eq!(fs::read_to_string(&target)?, "old");
        assert_eq!(fs::read_dir(folder.path())?.count(), 1);
        let mut file = CertificateFile::at(&target, Patience::default())?;
        file.write_all(b"whole")?;
        assert!(matches!(file.finish(), Ok(Written::Kept(path)) if path.ends_with("c.cert")));
        assert_eq!(fs::read_to_string(&target)?, "whole");
        assert_eq!(fs::read_dir(folder.path())?.count(), 1);
        Ok(())
    }

    /// An existing symbolic link must not redirect the certificate to another file.
    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_is_replaced_and_not_followed() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (target, other) = (folder.path().join("c.cert"), folder.path().join("precious"));
        fs::write(&other, "precious")?;
        for pointed_to in [&other, &folder.path().join("nowhere")] {
            std::os::unix::fs::symlink(pointed_to, &target)?;
            let mut file = CertificateFile::at(&target, Patience::default())?;
            file.write_all(b"whole")?;
            assert!(matches!(file.finish(), Ok(Written::Kept(_))));
            assert!(fs::symlink_metadata(&target)?.is_file());
            assert_eq!(fs::read_to_string(&target)?, "whole");
            assert_eq!(fs::read_to_string(&other)?, "precious");
            fs::remove_file(&target)?;
        }
        assert!(!folder.path().join("nowhere").exists());
        Ok(())
    }
}
