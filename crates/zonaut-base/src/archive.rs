//! Archives: files of numbers that are kept between runs, such as pattern databases.
//!
//! An archive consists of a format mark, a fingerprint of its subject, numbers and lists of
//! numbers, and a checksum that detects accidental damage. The reader of an archive validates every
//! value that it relies on beyond that, so that no file leads to a panic.

use std::fmt;
use std::io::{self, Read, Write};

/// Number of elements that are allocated at a time when a list is read, so that a wrong length in a
/// file never allocates much more than the file holds.
const PIECE: usize = 1 << 16;

/// The mark at the beginning of an archive. The version number at its end is raised with every
/// change of the format and with every change that invalidates earlier contents.
pub type ArchiveMark = [u8; 16];

/// The reason why an archive cannot be loaded.
#[derive(Debug)]
pub enum LoadError {
    /// The file cannot be read.
    Io(io::Error),
    /// The file is not an archive of this kind and version.
    Format,
    /// The fingerprint differs: the archive belongs to another subject.
    Other,
    /// The contents are inconsistent.
    Damaged,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Format => f.write_str("the file is no database of this version"),
            Self::Other => f.write_str("the database is about another model or query"),
            Self::Damaged => f.write_str("the database is damaged"),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Damaged,
            _ => Self::Io(error),
        }
    }
}

/// The checksum after one more number. Each number affects all later sums, so that swapped numbers
/// are detected too.
fn added(sum: u64, number: u64) -> u64 {
    (sum.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A writer of an archive.
pub struct ArchiveWriter<'w> {
    out: &'w mut dyn Write,
    sum: u64,
}

impl<'w> ArchiveWriter<'w> {
    /// Begins an archive for the subject with this fingerprint.
    ///
    /// # Errors
    /// Fails if writing fails.
    pub fn new(out: &'w mut dyn Write, mark: &ArchiveMark, fingerprint: &[u8]) -> io::Result<Self> {
        out.write_all(mark)?;
        let mut this = Self { out, sum: 0 };
        this.list(fingerprint, |&byte| u64::from(byte))?;
        Ok(this)
    }

    /// Writes a number.
    ///
    /// # Errors
    /// Fails if writing fails.
    pub fn number(&mut self, number: u64) -> io::Result<()> {
        self.sum = added(self.sum, number);
        self.out.write_all(&number.to_le_bytes())
    }

    /// Writes a list, preceded by its length.
    ///
    /// # Errors
    /// Fails if writing fails.
    pub fn list<T>(&mut self, list: &[T], encode: impl Fn(&T) -> u64) -> io::Result<()> {
        self.number(list.len() as u64)?;
        let mut buffer = Vec::with_capacity(8 * list.len().min(PIECE));
        for piece in list.chunks(PIECE) {
            buffer.clear();
            for number in piece.iter().map(&encode) {
                self.sum = added(self.sum, number);
                buffer.extend(number.to_le_bytes());
            }
            self.out.write_all(&buffer)?;
        }
        Ok(())
    }

    /// Writes the checksum, which ends the archive.
    ///
    /// # Errors
    /// Fails if writing fails.
    pub fn finish(self) -> io::Result<()> {
        self.out.write_all(&self.sum.to_le_bytes())
    }
}

/// A reader of an archive.
pub struct ArchiveReader<'r> {
    from: &'r mut dyn Read,
    sum: u64,
}

impl<'r> ArchiveReader<'r> {
    /// Begins to read an archive for the subject with this fingerprint.
    ///
    /// # Errors
    /// Fails if reading fails, or if mark or fingerprint differ.
    pub fn new(
        from: &'r mut dyn Read,
        mark: &ArchiveMark,
        fingerprint: &[u8],
    ) -> Result<Self, LoadError> {
        let mut found = ArchiveMark::default();
        from.read_exact(&mut found).map_err(|_| LoadError::Format)?;
        if &found != mark {
            return Err(LoadError::Format);
        }
        let mut this = Self { from, sum: 0 };
        if this.list(narrow::<u8>)? != fingerprint {
            return Err(LoadError::Other);
        }
        Ok(this)
    }

    /// Reads a number.
    ///
    /// # Errors
    /// Fails if reading fails.
    pub fn number(&mut self) -> Result<u64, LoadError> {
        let mut bytes = [0; 8];
        self.from.read_exact(&mut bytes)?;
        let number = u64::from_le_bytes(bytes);
        self.sum = added(self.sum, number);
        Ok(number)
    }

    /// Reads a list; `decode` turns each number into an element.
    ///
    /// # Errors
    /// Fails if reading fails or `decode` fails.
    pub fn list<T>(
        &mut self,
        decode: impl Fn(u64) -> Result<T, LoadError>,
    ) -> Result<Vec<T>, LoadError> {
        let mut left = narrow::<usize>(self.number()?)?;
        let (mut list, mut buffer) = (Vec::new(), Vec::new());
        while left > 0 {
            let piece = left.min(PIECE);
            buffer.resize(8 * piece, 0);
            self.from.read_exact(&mut buffer)?;
            for chunk in buffer.chunks_exact(8) {
                let mut bytes = [0; 8];
                bytes.copy_from_slice(chunk);
                let number = u64::from_le_bytes(bytes);
                self.sum = added(self.sum, number);
                list.push(decode(number)?);
            }
            left -= piece;
        }
        Ok(list)
    }

    /// Reads the checksum, which ends the archive.
    ///
    /// # Errors
    /// Fails if the checksum differs from that of the numbers read.
    pub fn finish(mut self) -> Result<(), LoadError> {
        let sum = self.sum;
        if self.number()? == sum { Ok(()) } else { Err(LoadError::Damaged) }
    }
}

/// Converts a number to a narrower type.
///
/// # Errors
/// Fails if the number does not fit.
pub fn narrow<T: TryFrom<u64>>(number: u64) -> Result<T, LoadError> {
    T::try_from(number).map_err(|_| LoadError::Damaged)
}
