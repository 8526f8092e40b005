//! Databases in files.
//!
//! A file holds what was found, not how states are mapped: it is read together with the same model,
//! goal and child, which the fingerprint of the caller stands for. Everything else in it is checked,
//! so that a damaged file is refused and never misleads a search into a panic.

use crate::child::Child;
use crate::database::{Database, Size, Table};
use std::fmt;
use std::io::{self, Read, Write};
use zonaut_compile::BoundsTable;
use zonaut_dbm::Bound;
use zonaut_model::Model;

const MAGIC: &[u8; 16] = b"zonaut database1";

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

impl Database {
    /// Writes the database. `fingerprint` stands for the model, the goal and the child.
    ///
    /// # Errors
    /// Where writing fails.
    pub fn save(&self, fingerprint: &[u8], out: &mut dyn Write) -> io::Result<()> {
        out.write_all(MAGIC)?;
        write_list(out, fingerprint, |&byte| u64::from(byte))?;
        let Size { explored, keys, states, goals, zones } = self.size;
        let numbers = [explored, keys, states, goals, zones].map(|n| n as u64);
        let horizon = self.horizon.map_or(0, |horizon| u64::from(horizon) + 1);
        let table = &self.table;
        for number in
            numbers.into_iter().chain([u64::from(self.is_complete), horizon, table.words as u64])
        {
            out.write_all(&number.to_le_bytes())?;
        }
        write_list(out, &table.keys, |&key| key)?;
        for list in [&table.first, &table.distances, &table.zones, &table.dimensions] {
            write_list(out, list, |&n| u64::from(n))?;
        }
        write_list(out, &table.bounds, |&bound| u64::from(bound.encoded() as u32))
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
        if read_list(from, narrow::<u8>)? != fingerprint {
            return Err(LoadError::Other);
        }
        let mut numbers = [0u64; 8];
        for number in &mut numbers {
            *number = read_number(from)?;
        }
        let [explored, keys, states, goals, zones, is_complete, horizon, words] = numbers;
        let size = |n: u64| usize::try_from(n).map_err(|_| LoadError::Damaged);
        let horizon = horizon.checked_sub(1).map(narrow::<u32>).transpose()?;
        let table = Table {
            words: size(words)?,
            keys: read_list(from, Ok)?,
            first: read_list(from, narrow)?,
            distances: read_list(from, narrow)?,
            zones: read_list(from, narrow)?,
            dimensions: read_list(from, narrow)?,
            bounds: read_list(from, decode)?,
            ..Table::default()
        };
        let size = Size {
            explored: size(explored)?,
            keys: size(keys)?,
            states: size(states)?,
            goals: size(goals)?,
            zones: size(zones)?,
        };
        if !is_consistent(&table) {
            return Err(LoadError::Damaged);
        }
        let database =
            Self::with_table(parent, bounds, child, (table, size, is_complete == 1, horizon));
        database.filter(Self::fits_child).ok_or(LoadError::Damaged)
    }
}

fn write_list<T>(out: &mut dyn Write, list: &[T], encode: impl Fn(&T) -> u64) -> io::Result<()> {
    out.write_all(&(list.len() as u64).to_le_bytes())?;
    let mut buffer = Vec::with_capacity(8 * list.len().min(PIECE));
    for piece in list.chunks(PIECE) {
        buffer.clear();
        buffer.extend(piece.iter().flat_map(|element| encode(element).to_le_bytes()));
        out.write_all(&buffer)?;
    }
    Ok(())
}

fn read_number(from: &mut dyn Read) -> Result<u64, LoadError> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn read_list<T>(
    from: &mut dyn Read,
    decode: impl Fn(u64) -> Result<T, LoadError>,
) -> Result<Vec<T>, LoadError> {
    let mut left = usize::try_from(read_number(from)?).map_err(|_| LoadError::Damaged)?;
    let (mut list, mut buffer) = (Vec::new(), Vec::new());
    while left > 0 {
        let piece = left.min(PIECE);
        buffer.resize(8 * piece, 0);
        from.read_exact(&mut buffer)?;
        for chunk in buffer.chunks_exact(8) {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(chunk);
            list.push(decode(u64::from_le_bytes(bytes))?);
        }
        left -= piece;
    }
    Ok(list)
}

fn narrow<T: TryFrom<u64>>(number: u64) -> Result<T, LoadError> {
    T::try_from(number).map_err(|_| LoadError::Damaged)
}

fn decode(number: u64) -> Result<Bound, LoadError> {
    Bound::try_from_encoded(narrow::<u32>(number)? as i32).ok_or(LoadError::Damaged)
}

/// Whether the lists fit each other, and every zone is canonical and not empty.
fn is_consistent(table: &Table) -> bool {
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

fn is_canonical(dimension: usize, bounds: &[Bound]) -> bool {
    let entry = |i: usize, j: usize| bounds[i * dimension + j];
    let all = || 0..dimension;
    all().all(|i| entry(i, i) == Bound::ZERO && entry(0, i) <= Bound::ZERO)
        && all().all(|i| all().all(|k| all().all(|j| entry(i, j) <= entry(i, k) + entry(k, j))))
}
