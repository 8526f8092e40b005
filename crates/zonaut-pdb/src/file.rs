//! Databases in files.
//!
//! A file holds the distances, not the mapping of states: it is read together with the same model,
//! goal and abstract model, which the fingerprint of the caller identifies. Every value that the
//! code relies on is validated, so that no file leads to a panic.

use crate::abstract_model::AbstractModel;
use crate::database::{Contents, Database, Size, Table};
use std::io::{self, Read, Write};
use zonaut_base::{ArchiveMark, ArchiveReader, ArchiveWriter, LoadError, narrow};
use zonaut_compile::BoundsTable;
use zonaut_dbm::{Bound, Width};
use zonaut_model::Model;

/// The format mark. The number at its end is raised with every change of the format and of the
/// abstraction: a database that was built by an incorrect one must not be used any more.
const MARK: &ArchiveMark = b"zonaut database3";

impl<W: Width> Database<W> {
    /// Writes the database. `fingerprint` identifies the model, the goal and the abstract model.
    ///
    /// # Errors
    /// Fails if writing fails.
    pub fn save(&self, fingerprint: &[u8], out: &mut dyn Write) -> io::Result<()> {
        let mut out = ArchiveWriter::new(out, MARK, fingerprint)?;
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
        out.finish()
    }

    /// Reads a database that was saved with the same fingerprint.
    ///
    /// # Errors
    /// Fails if reading fails, or if the file is invalid.
    pub fn load(
        original: &Model,
        bounds: &BoundsTable,
        abstract_model: &AbstractModel,
        fingerprint: &[u8],
        from: &mut dyn Read,
    ) -> Result<Self, LoadError> {
        let mut from = ArchiveReader::new(from, MARK, fingerprint)?;
        let mut numbers = [0u64; 8];
        for number in &mut numbers {
            *number = from.number()?;
        }
        let [explored, keys, states, goals, zones, is_complete, horizon, words] = numbers;
        let size = narrow::<usize>;
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
        from.finish()?;
        if !is_consistent(&table) {
            return Err(LoadError::Damaged);
        }
        let contents = Contents { table, size, is_complete: is_complete == 1, horizon };
        let database = Self::with_table(original, bounds, abstract_model, contents);
        database.filter(Self::fits_abstract_model).ok_or(LoadError::Damaged)
    }
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
