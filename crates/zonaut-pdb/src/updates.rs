//! Updates, split into parts that can be dropped one by one.
//!
//! A list of updates is split as finely as possible, so that a pattern that drops the targets of
//! one part keeps the others. Parts are not independent, however, if one leaves a value in
//! temporary storage that another one reads: the choice between two structs, or the array that a
//! function returns, is copied to temporary storage first, and to the variable by a separate part.
//! Such parts form one [`Unit`]: a value that any of them reads may flow into any of their targets,
//! and they are kept or dropped together.
//!
//! Parameters and variables of a function are not passed from part to part: a call fills them
//! before it reads them. So only temporary storage is relevant that a part may read before it
//! writes it.

use crate::access::{Access, Accesses};
use crate::faults::{Clause, is_disabled};
use zonaut_model::{Expression, ExpressionId, Model};

/// Parts of updates that are kept or dropped together.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// The parts, each with its position among all parts of the updates.
    pub(crate) parts: Vec<(usize, ExpressionId)>,
    /// The symbols they read and write.
    pub(crate) access: Access,
}

/// The units of a sequence of updates.
pub(crate) fn units(accesses: &Accesses<'_>, updates: &[ExpressionId]) -> Vec<Unit> {
    let model = accesses.model();
    let parts: Vec<ExpressionId> =
        updates.iter().flat_map(|&update| parts_of(model, update)).collect();
    let all: Vec<Access> = parts.iter().map(|&part| accesses.of(part)).collect();
    let group = groups(&all);
    let mut units: Vec<Option<Unit>> = vec![None; parts.len()];
    for (position, access) in all.into_iter().enumerate() {
        let unit = units[group[position]]
            .get_or_insert_with(|| Unit { parts: Vec::new(), access: Access::default() });
        unit.parts.push((position, parts[position]));
        unit.access.extend(&access);
    }
    units.into_iter().flatten().collect()
}

/// The units of the updates of every transition.
pub(crate) fn units_of_hooks(accesses: &Accesses<'_>) -> Vec<Unit> {
    let model = accesses.model();
    let mut all = units(accesses, &model.before_update);
    all.extend(units(accesses, &model.after_update));
    all
}

/// For each part, the first part of its unit.
fn groups(all: &[Access]) -> Vec<usize> {
    let mut group: Vec<usize> = (0..all.len()).collect();
    if is_disabled(Clause::Temporaries) {
        return group;
    }
    for reader in 0..all.len() {
        let mut wanted = all[reader].locals_needed.clone();
        for writer in (0..reader).rev() {
            if !wanted.meets(&all[writer].locals_written) {
                continue;
            }
            let (one, other) = (group[reader], group[writer]);
            let (first, last) = (one.min(other), one.max(other));
            group.iter_mut().filter(|g| **g == last).for_each(|g| *g = first);
            for local in all[writer].locals_overwritten.iter() {
                wanted.remove(local);
            }
        }
    }
    group
}

/// The parts of an update, in order of execution.
fn parts_of(model: &Model, update: ExpressionId) -> Vec<ExpressionId> {
    let (mut parts, mut open) = (Vec::new(), vec![update]);
    while let Some(id) = open.pop() {
        match &model.expressions[id] {
            Expression::Sequence(inner) => open.extend(inner.iter().rev()),
            _ => parts.push(id),
        }
    }
    parts
}
