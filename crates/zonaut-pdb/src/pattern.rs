//! Patterns: sets of dropped symbols, and their closure.
//!
//! # The closure
//! A set of dropped symbols is closed if no transition of the network can change a kept symbol
//! without a counterpart in the abstract model. Four rules determine the closure:
//!
//! 1. Symbols that an edge of a dropped process writes are dropped: the abstract model does not
//!    know when the edge is taken.
//! 2. Symbols that the updates of every transition write are dropped with any process: they run in
//!    its transitions too.
//! 3. Symbols that an update writes that reads a dropped symbol are dropped, be it read for the
//!    value, for an index, or to decide what is written, directly or through temporary storage
//!    (`updates.rs`): the abstract model does not know what is written where.
//! 4. A clock whose rate some location sets is dropped.
//!
//! Two differences from the definition of the paper (Definition 2 of S. Kupferschmid, J. Hoffmann,
//! K. G. Larsen: "Fast Directed Model Checking via Russian Doll Abstraction", DOI
//! 10.1007/978-3-540-78800-3_15): actions need no closure, since an action with both sides kept
//! stays in any case; and a symbol may be a part of an array, since an update that writes both kept
//! and dropped elements stays, and its writes to dropped ones have no effect.

use crate::access::Accesses;
use crate::updates::{Unit, units, units_of_hooks};
use zonaut_analysis::Symbols;
use zonaut_model::{ExpressionId, Formula, Model};

/// A closed set of dropped symbols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    dropped: Symbols,
}

impl Pattern {
    /// The pattern that drops `wished` and its closure.
    #[must_use]
    pub fn dropping(model: &Model, wished: &Symbols) -> Self {
        let accesses = Accesses::new(model);
        Self { dropped: closed(model, &accesses, wished.clone()) }
    }

    /// The pattern that keeps `wished`, as far as the closure allows, and nothing else. Channels
    /// follow the processes.
    #[must_use]
    pub fn keeping(model: &Model, wished: &Symbols) -> Self {
        let dropped = Symbols {
            processes: model.processes.ids().filter(|&p| !wished.processes.contains(p)).collect(),
            cells: model.cells.ids().filter(|&c| !wished.cells.contains(c)).collect(),
            clocks: model.clocks.ids().filter(|&x| !wished.clocks.contains(x)).collect(),
            channels: Default::default(),
        };
        Self::dropping(model, &dropped)
    }

    /// The dropped symbols.
    #[must_use]
    pub fn dropped(&self) -> &Symbols {
        &self.dropped
    }
}

/// The updates of every transition.
pub(crate) fn hooks(model: &Model) -> impl Iterator<Item = ExpressionId> + '_ {
    model.before_update.iter().chain(&model.after_update).copied()
}

fn closed(model: &Model, accesses: &Accesses<'_>, mut dropped: Symbols) -> Symbols {
    let is_owned = |owner: Option<_>, dropped: &Symbols| {
        owner.is_some_and(|process| dropped.processes.contains(process))
    };
    let cells = model.cells.iter_enumerated().filter(|(_, cell)| is_owned(cell.owner, &dropped));
    let cells = cells.map(|(id, _)| id).collect();
    let clocks = model.clocks.iter_enumerated().filter(|(_, x)| is_owned(x.owner, &dropped));
    let clocks = clocks.map(|(id, _)| id).collect();
    dropped.cells.extend(&cells);
    dropped.clocks.extend(&clocks);
    let mut kept = Vec::new();
    for (process, definition) in model.processes.iter_enumerated() {
        for location in &definition.locations {
            for rate in &location.rates {
                dropped.clocks.extend(&rate.clock.elements().collect());
            }
        }
        for edge in &definition.edges {
            for Unit { access, .. } in units(accesses, &edge.updates) {
                if !dropped.processes.contains(process) {
                    kept.push(access);
                } else if !crate::faults::is_disabled(crate::faults::Clause::Writes) {
                    dropped.extend(&access.writes);
                }
            }
        }
    }
    for Unit { access, .. } in units_of_hooks(accesses) {
        if !dropped.processes.is_empty()
            && !crate::faults::is_disabled(crate::faults::Clause::Hooks)
        {
            dropped.extend(&access.writes);
        }
        kept.push(access);
    }
    let mut is_changed = !crate::faults::is_disabled(crate::faults::Clause::Flow);
    while std::mem::take(&mut is_changed) {
        for access in &kept {
            if access.reads.meets(&dropped) {
                is_changed |= dropped.extend(&access.writes);
            }
        }
    }
    dropped
}

/// The symbols that conditions and the goal read, and those that flow there. All others can be
/// dropped without loss: no condition is weakened by it.
pub(crate) fn observed(model: &Model, goal: &Formula) -> Symbols {
    let accesses = Accesses::new(model);
    let mut observed = accesses.of_formula(goal);
    let mut updates = units_of_hooks(&accesses);
    for definition in &model.processes {
        for location in &definition.locations {
            observed.extend(&accesses.of_condition(&location.invariant));
        }
        for edge in &definition.edges {
            observed.extend(&accesses.of_condition(&edge.guard));
            if let Some(sync) = &edge.synchronisation {
                observed.extend(&accesses.of_channel(sync));
            }
            updates.extend(units(&accesses, &edge.updates));
        }
    }
    let mut is_changed = true;
    while std::mem::take(&mut is_changed) {
        for Unit { access, .. } in &updates {
            if access.writes.meets(&observed) {
                is_changed |= observed.extend(&access.reads);
            }
        }
    }
    observed
}
