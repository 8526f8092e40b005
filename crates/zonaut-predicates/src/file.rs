//! Reading and writing of predicate abstractions.
//!
//! A file holds the literals and the cubes of all parts. It is valid only for the same model and
//! goal, which the caller identifies by a fingerprint. Everything that look-ups rely on is checked,
//! so that no file leads to a panic.

use crate::difference::Difference;
use crate::index::{Index, Member};
use crate::literals::{Literals, insert};
use crate::part::Part;
use crate::part_distances::{PartDistances, Parts, Sums};
use crate::share::Counting;
use crate::table::{Domains, Table};
use crate::vocabulary::{DataPredicate, Layout, Predicates, Source};
use std::io::{self, Read, Write};
use std::sync::Arc;
use zonaut_base::{ArchiveMark, ArchiveReader, ArchiveWriter, Held, LoadError, narrow};
use zonaut_compile::{BoundsTable, ClockRow};
use zonaut_dbm::{ConstantBound, Width};
use zonaut_model::Model;
use zonaut_space::Estimate;

const MARK: &ArchiveMark = b"zonaut predicat2";

impl<W: Width, const IS_SHARED: bool> PartDistances<W, IS_SHARED> {
    /// Writes the abstraction. `fingerprint` identifies the model, the goal and the options.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(&self, fingerprint: &[u8], out: &mut dyn Write) -> io::Result<()> {
        let mut out = ArchiveWriter::new(out, MARK, fingerprint)?;
        out.number(u64::from(self.0.far == Estimate::DeadEnd))?;
        out.number(self.0.alternatives.len() as u64)?;
        for parts in &self.0.alternatives {
            out.number(parts.apart.len() as u64)?;
            for abstractions in &parts.apart {
                out.number(abstractions.len() as u64)?;
                abstractions.iter().try_for_each(|part| write_part(part, &mut out))?;
            }
            out.number(u64::from(parts.near.is_some()))?;
            parts.near.iter().try_for_each(|part| write_part(part, &mut out))?;
        }
        out.finish()
    }

    /// Reads an abstraction that was saved with the same fingerprint.
    ///
    /// # Errors
    /// If reading fails, or the file is malformed.
    pub fn load(
        model: &Model,
        bounds: &BoundsTable,
        fingerprint: &[u8],
        from: &mut dyn Read,
    ) -> Result<Self, LoadError> {
        let mut from = ArchiveReader::new(from, MARK, fingerprint)?;
        let far = if from.number()? == 1 { Estimate::DeadEnd } else { Estimate::Last };
        let mut alternatives = Vec::new();
        for _ in 0..from.number()? {
            let mut apart = Vec::new();
            for _ in 0..from.number()? {
                let count = from.number()?;
                let parts_of = (0..count).map(|_| read_part(model, &mut from));
                apart.push(parts_of.collect::<Result<Vec<_>, _>>()?);
            }
            let has_near = truth(from.number()?)?;
            let near = has_near.then(|| read_part(model, &mut from)).transpose()?;
            alternatives.push(Parts { apart, near });
        }
        from.finish()?;
        let unit = if IS_SHARED { Counting::Shares } else { Counting::Own }.unit();
        Ok(Self(Sums::with(model, bounds, alternatives, unit, far)))
    }
}

fn write_part(part: &Part, out: &mut ArchiveWriter<'_>) -> io::Result<()> {
    let Literals { predicates, domains, rows, .. } = &part.literals;
    out.number(part.horizon.map_or(0, |horizon| u64::from(horizon) + 1))?;
    out.list(&domains.low, |&low| u64::from(low.cast_unsigned()))?;
    out.list(&domains.size, |&size| u64::from(size))?;
    out.list(rows, |&row| u64::from(row))?;
    out.number(predicates.data.len() as u64)?;
    for predicate in &predicates.data {
        write_table(&predicate.holds, out)?;
        write_table(&predicate.fails, out)?;
    }
    out.list(&predicates.clocks, |d| u64::from(d.x))?;
    out.list(&predicates.clocks, |d| u64::from(d.y))?;
    out.list(&predicates.clocks, |d| u64::from(d.bound.encoded().cast_unsigned()))?;
    let members = part.index.members();
    out.number(members.len() as u64)?;
    for (elements, member) in members {
        out.number(u64::from(member.distance))?;
        out.list(&elements, |&element| u64::from(element))?;
    }
    Ok(())
}

fn write_table(table: &Table, out: &mut ArchiveWriter<'_>) -> io::Result<()> {
    out.list(&table.inputs, |(variable, _)| u64::from(*variable))?;
    out.list(&table.may, |&may| u64::from(may))?;
    out.list(&table.must, |&must| u64::from(must))
}

fn read_part(model: &Model, from: &mut ArchiveReader<'_>) -> Result<Part, LoadError> {
    let horizon = from.number()?.checked_sub(1).map(narrow::<u32>).transpose()?;
    let low = from.list(|low| Ok(narrow::<u32>(low)?.cast_signed()))?;
    let size = from.list(narrow::<u32>)?;
    let variables = model.processes.len() + model.cells.len();
    let domains = Domains { low, size };
    if domains.low.len() != variables || domains.size.len() != variables {
        return Err(LoadError::Damaged);
    }
    let rows = read_rows(model, from)?;
    let mut data = Vec::new();
    for _ in 0..from.number()? {
        let (holds, fails) = (read_table(&domains, from)?, read_table(&domains, from)?);
        data.push(DataPredicate { source: Source::Values, holds, fails });
    }
    let predicates = Predicates { data, clocks: read_differences(&rows, from)? };
    let layout = Layout::new(model, &predicates);
    let literals = Literals { predicates, layout, domains: Arc::new(domains), rows };
    let (index, differences) = read_cubes(&literals, from)?;
    Ok(Part::new(literals, index, differences, horizon, Held::default()))
}

/// The clock rows of a part: ascending, the reference clock first.
fn read_rows(model: &Model, from: &mut ArchiveReader<'_>) -> Result<Vec<ClockRow>, LoadError> {
    let rows = from.list(narrow::<ClockRow>)?;
    let is_sorted = rows.is_sorted_by(|a, b| a < b);
    let are_clocks = rows.iter().all(|&row| row as usize <= model.clocks.len());
    let is_right = rows.first() == Some(&0) && is_sorted && are_clocks;
    if is_right { Ok(rows) } else { Err(LoadError::Damaged) }
}

fn read_table(domains: &Domains, from: &mut ArchiveReader<'_>) -> Result<Table, LoadError> {
    let variables = from.list(narrow::<u32>)?;
    let (may, must) = (from.list(truth)?, from.list(truth)?);
    let (mut inputs, mut rows) = (Vec::new(), 1_u32);
    for variable in variables {
        let size = domains.size.get(variable as usize).copied().unwrap_or(0);
        inputs.push((variable, rows));
        rows = rows.checked_mul(size).filter(|&rows| rows > 0).ok_or(LoadError::Damaged)?;
    }
    let fits = may.len() == rows as usize && must.len() == rows as usize;
    if fits { Ok(Table { inputs, may, must }) } else { Err(LoadError::Damaged) }
}

fn truth(number: u64) -> Result<bool, LoadError> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(LoadError::Damaged),
    }
}

fn read_differences(
    rows: &[ClockRow],
    from: &mut ArchiveReader<'_>,
) -> Result<Vec<Difference>, LoadError> {
    let (x, y) = (from.list(narrow::<ClockRow>)?, from.list(narrow::<ClockRow>)?);
    let bounds = from.list(|bound| read_bound(narrow::<u32>(bound)?.cast_signed()))?;
    if x.len() != y.len() || x.len() != bounds.len() {
        return Err(LoadError::Damaged);
    }
    let all = x.into_iter().zip(y).zip(bounds);
    let all: Vec<_> = all.map(|((x, y), bound)| Difference { x, y, bound }).collect();
    let is_known = |row: ClockRow| rows.binary_search(&row).is_ok();
    let are_known = all.iter().all(|d| d.x != d.y && is_known(d.x) && is_known(d.y));
    if are_known { Ok(all) } else { Err(LoadError::Damaged) }
}

/// The bound that was encoded.
fn read_bound(encoded: i32) -> Result<ConstantBound, LoadError> {
    let value = encoded >> 1;
    if value.unsigned_abs() > ConstantBound::MAX.unsigned_abs() {
        return Err(LoadError::Damaged);
    }
    let is_strict = encoded & 1 == 0;
    Ok(if is_strict { ConstantBound::lt(value) } else { ConstantBound::le(value) })
}

/// The index of all cubes, and their clock differences.
fn read_cubes(
    literals: &Literals,
    from: &mut ArchiveReader<'_>,
) -> Result<(Index, Vec<Vec<Difference>>), LoadError> {
    let (mut index, mut differences) = (Index::default(), Vec::new());
    for number in 0..narrow::<u32>(from.number()?)? {
        let distance = narrow(from.number()?)?;
        let elements = from.list(narrow::<u32>)?;
        let is_sorted = elements.is_sorted_by(|a, b| a < b);
        if !is_sorted || elements.last().is_some_and(|&last| last >= literals.layout.end()) {
            return Err(LoadError::Damaged);
        }
        let mut bits = vec![0; literals.layout.words()];
        elements.iter().for_each(|&element| insert(&mut bits, element));
        differences.push(literals.differences(&bits));
        index.insert(elements.into_iter(), Member { number, distance });
    }
    Ok((index, differences))
}
