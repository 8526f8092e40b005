//! Numbers that are kept between runs.
//!
//! An archive is a mark of its format, a fingerprint of what it is about, numbers and lists of them,
//! and a sum that finds accidents. Whoever reads one checks whatever else the numbers are relied on
//! for, so that no file leads to a panic.

use std::fmt;
use std::io::{self, Read, Write};

/// Lists are read in pieces of this many elements, so that a wrong length in a file does not make
/// room for more than the file holds.
const PIECE: usize = 1 << 16;

/// The mark at the beginning of an archive. The number at its end changes with the format, and with
/// whatever makes earlier contents wrong.
pub type ArchiveMark = [u8; 16];

/// Why an archive cannot be read.
#[derive(Debug)]
pub enum LoadError {
    /// The file cannot be read.
    Io(io::Error),
    /// The file is no archive of this kind and version.
    Format,
    /// The file is about something else.
    Other,
    /// The file contradicts itself.
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

/// Each number changes all later sums, so that exchanged ones are found too.
fn added(sum: u64, number: u64) -> u64 {
    (sum.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Writes an archive.
pub struct ArchiveWriter<'w> {
    out: &'w mut dyn Write,
    sum: u64,
}

impl<'w> ArchiveWriter<'w> {
    /// Begins an archive about what the fingerprint stands for.
    ///
    /// # Errors
    /// Where writing fails.
    pub fn new(out: &'w mut dyn Write, mark: &ArchiveMark, fingerprint: &[u8]) -> io::Result<Self> {
        out.write_all(mark)?;
        let mut this = Self { out, sum: 0 };
        this.list(fingerprint, |&byte| u64::from(byte))?;
        Ok(this)
    }

    /// Writes a number.
    ///
    /// # Errors
    /// Where writing fails.
    pub fn number(&mut self, number: u64) -> io::Result<()> {
        self.sum = added(self.sum, number);
        self.out.write_all(&number.to_le_bytes())
    }

    /// Writes a list, and how long it is.
    ///
    /// # Errors
    /// Where writing fails.
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

    /// Writes the sum, at the end.
    ///
    /// # Errors
    /// Where writing fails.
    pub fn finish(self) -> io::Result<()> {
        self.out.write_all(&self.sum.to_le_bytes())
    }
}

/// Reads an archive.
pub struct ArchiveReader<'r> {
    from: &'r mut dyn Read,
    sum: u64,
}

impl<'r> ArchiveReader<'r> {
    /// Begins to read an archive about what the fingerprint stands for.
    ///
    /// # Errors
    /// Where reading fails, or the file is another one.
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
    /// Where reading fails.
    pub fn number(&mut self) -> Result<u64, LoadError> {
        let mut bytes = [0; 8];
        self.from.read_exact(&mut bytes)?;
        let number = u64::from_le_bytes(bytes);
        self.sum = added(self.sum, number);
        Ok(number)
    }

    /// Reads a list of numbers that `decode` understands.
    ///
    /// # Errors
    /// Where reading fails, and what `decode` says.
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

    /// Reads the sum, at the end.
    ///
    /// # Errors
    /// Where it is not the sum of what was read.
    pub fn finish(mut self) -> Result<(), LoadError> {
        let sum = self.sum;
        if self.number()? == sum { Ok(()) } else { Err(LoadError::Damaged) }
    }
}

/// A number that has to fit into a smaller type.
///
/// # Errors
/// Where it does not.
pub fn narrow<T: TryFrom<u64>>(number: u64) -> Result<T, LoadError> {
    T::try_from(number).map_err(|_| LoadError::Damaged)
}
