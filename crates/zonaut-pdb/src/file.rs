//! Databases in files.
//!
//! A file holds what was found, not how states are mapped: it is read together with the same model,
//! goal and child, which the fingerprint of the caller stands for. A sum at the end finds accidents;
//! and whatever else the contents are relied on for is checked, so that no file leads to a panic.

use crate::child::Child;
use crate::database::{Contents, Database, Size, Table};
use std::fmt;
use std::io::{self, Read, Write};
use zonaut_compile::BoundsTable;
use zonaut_dbm::{Bound, Width};
use zonaut_model::Model;

/// The number at its end changes with the format, and with the construction of children: a database
/// that was built by a wrong one must not be used any more.
const MAGIC: &[u8; 16] = b"zonaut database3";

/// Lists are read in pieces of this many elements, so that a wrong length in a file does not make
/// room for more than the file holds.
const PIECE: usize = 1 << 16;

/// Why a database cannot be read.
#[derive(Debug)]
pub enum LoadError {
    /// The file cannot be read.
    Io(io::Error),
    /// The file is no database of this version.
    Format,
    /// The file is about another model or another goal.
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

impl<W: Width> Database<W> {
    /// Writes the database. `fingerprint` stands for the model, the goal and the child.
    ///
    /// # Errors
    /// Where writing fails.
    pub fn save(&self, fingerprint: &[u8], out: &mut dyn Write) -> io::Result<()> {
        let out = &mut Summing { inner: out, sum: 0 };
        out.inner.write_all(MAGIC)?;
        out.list(fingerprint, |&byte| u64::from(byte))?;
        let Size { explored, keys, states, goals, zones } = self.size;
        let numbers = [explored, keys, states, goals, zones].map(|n| n as u64);
        let horizon = self.horizon.map_or(0, |horizon| u64::from(horizon) + 1);
        let table = &self.table;
        for number in
            numbers.into_iter().chain([u64::from(self.is_complete), horizon, table.words as u64])
        {
            out.number(number)?;
        }
        out.list(&table.keys, |&key| key)?;
        for list in [&table.first, &table.distances, &table.zones, &table.dimensions] {
            out.list(list, |&n| u64::from(n))?;
        }
        out.list(&table.bounds, |&bound| bound.encoded() as u64)?;
        out.inner.write_all(&out.sum.to_le_bytes())
    }

    /// Reads a database that was saved with the same fingerprint.
    ///
    /// # Errors
    /// Where reading fails, or the file is not what it should be.
    pub fn load(
        parent: &Model,
        bounds: &BoundsTable,
        child: &Child,
        fingerprint: &[u8],
        from: &mut dyn Read,
    ) -> Result<Self, LoadError> {
        let mut magic = [0; MAGIC.len()];
        from.read_exact(&mut magic).map_err(|_| LoadError::Format)?;
        if &magic != MAGIC {
            return Err(LoadError::Format);
        }
        let from = &mut Summing { inner: from, sum: 0 };
        if from.list(narrow::<u8>)? != fingerprint {
            return Err(LoadError::Other);
        }
        let mut numbers = [0u64; 8];
        for number in &mut numbers {
            *number = from.number()?;
        }
        let [explored, keys, states, goals, zones, is_complete, horizon, words] = numbers;
        let size = |n: u64| usize::try_from(n).map_err(|_| LoadError::Damaged);
        let horizon = horizon.checked_sub(1).map(narrow::<u32>).transpose()?;
        let table = Table {
            words: size(words)?,
            keys: from.list(Ok)?,
            first: from.list(narrow)?,
            distances: from.list(narrow)?,
            zones: from.list(narrow)?,
            dimensions: from.list(narrow)?,
            bounds: from.list(decode)?,
            ..Table::default()
        };
        let size = Size {
            explored: size(explored)?,
            keys: size(keys)?,
            states: size(states)?,
            goals: size(goals)?,
            zones: size(zones)?,
        };
        let sum = from.sum;
        if from.number()? != sum || !is_consistent(&table) {
            return Err(LoadError::Damaged);
        }
        let contents = Contents { table, size, is_complete: is_complete == 1, horizon };
        let database = Self::with_table(parent, bounds, child, contents);
        database.filter(Self::fits_child).ok_or(LoadError::Damaged)
    }
}

/// Reads or writes numbers and sums them up.
struct Summing<'f, F: ?Sized> {
    inner: &'f mut F,
    sum: u64,
}

impl<F: ?Sized> Summing<'_, F> {
    /// Each number changes all later sums, so that exchanged ones are found too.
    fn add(&mut self, number: u64) {
        self.sum = (self.sum.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Summing<'_, dyn Write + '_> {
    fn number(&mut self, number: u64) -> io::Result<()> {
        self.add(number);
        self.inner.write_all(&number.to_le_bytes())
    }

    fn list<T>(&mut self, list: &[T], encode: impl Fn(&T) -> u64) -> io::Result<()> {
        self.number(list.len() as u64)?;
        let mut buffer = Vec::with_capacity(8 * list.len().min(PIECE));
        for piece in list.chunks(PIECE) {
            buffer.clear();
            for number in piece.iter().map(&encode) {
                self.add(number);
                buffer.extend(number.to_le_bytes());
            }
            self.inner.write_all(&buffer)?;
        }
        Ok(())
    }
}

impl Summing<'_, dyn Read + '_> {
    fn number(&mut self) -> Result<u64, LoadError> {
        let mut bytes = [0; 8];
        self.inner.read_exact(&mut bytes)?;
        let number = u64::from_le_bytes(bytes);
        self.add(number);
        Ok(number)
    }

    fn list<T>(
        &mut self,
        decode: impl Fn(u64) -> Result<T, LoadError>,
    ) -> Result<Vec<T>, LoadError> {
        let mut left = usize::try_from(self.number()?).map_err(|_| LoadError::Damaged)?;
        let (mut list, mut buffer) = (Vec::new(), Vec::new());
        while left > 0 {
            let piece = left.min(PIECE);
            buffer.resize(8 * piece, 0);
            self.inner.read_exact(&mut buffer)?;
            for chunk in buffer.chunks_exact(8) {
                let mut bytes = [0; 8];
                bytes.copy_from_slice(chunk);
                let number = u64::from_le_bytes(bytes);
                self.add(number);
                list.push(decode(number)?);
            }
            left -= piece;
        }
        Ok(list)
    }
}

fn narrow<T: TryFrom<u64>>(number: u64) -> Result<T, LoadError> {
    T::try_from(number).map_err(|_| LoadError::Damaged)
}

fn decode<W: Width>(number: u64) -> Result<Bound<W>, LoadError> {
    Bound::try_from_encoded(number as i64).ok_or(LoadError::Damaged)
}

/// Whether the lists fit each other, and every zone is canonical and not empty.
fn is_consistent<W: Width>(table: &Table<W>) -> bool {
    let (keys, entries) = (table.dimensions.len(), table.distances.len());
    let lengths = table.words.checked_mul(keys) == Some(table.keys.len())
        && table.first.len() == keys + 1
        && table.zones.len() == entries
        && table.first.is_sorted()
        && table.first.first() == Some(&0)
        && table.first.last().is_some_and(|&last| last as usize == entries)
        && (table.words > 0 || keys <= 1);
    lengths
        && (0..keys).all(|key| {
            let dimension = table.dimensions[key] as usize;
            let entries = table.first[key] as usize..table.first[key + 1] as usize;
            let zones = entries.map(|entry| table.zones[entry] as usize);
            dimension > 0
                && dimension <= usize::from(u16::MAX)
                && zones.into_iter().all(|start| {
                    let bounds = table.bounds.get(start..start + dimension * dimension);
                    bounds.is_some_and(|bounds| is_canonical(dimension, bounds))
                })
        })
}

fn is_canonical<W: Width>(dimension: usize, bounds: &[Bound<W>]) -> bool {
    let entry = |i: usize, j: usize| bounds[i * dimension + j];
    let all = || 0..dimension;
    all().all(|i| entry(i, i) == Bound::ZERO && entry(0, i) <= Bound::ZERO)
        && all().all(|i| all().all(|k| all().all(|j| entry(i, j) <= entry(i, k) + entry(k, j))))
}
