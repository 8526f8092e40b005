//! The cone of influence: a choice of symbols by syntactic influence on the goal, in layers.
//!
//! Layer 0 consists of the symbols that the goal reads. Layer n + 1 consists of the symbols that
//! may change layer n: for a process, the symbols that its guards, invariants and channels read,
//! and its synchronisation partners; for a cell or a clock, the processes that write it and the
//! symbols from which the written value is computed
//! (K. Qian, A. Nymeyer, S. Susanto: "Abstraction-guided model checking using symbolic IDA* and
//! heuristic synthesis", DOI 10.1007/11562436_21).

use crate::access::{Access, Accesses};
use crate::pattern::Pattern;
use crate::updates::units;
use zonaut_analysis::Symbols;
use zonaut_model::{Formula, Model, ProcessId};

/// The pattern that keeps the layers up to `depth`.
#[must_use]
pub fn cone(model: &Model, goal: &Formula, depth: u32) -> Pattern {
    let accesses = Accesses::new(model);
    let influences: Vec<Influence> =
        model.processes.ids().map(|process| Influence::new(model, &accesses, process)).collect();
    let mut kept = accesses.of_formula(goal);
    for _ in 0..depth {
        let before = kept.clone();
        for influence in &influences {
            influence.add_to(&before, &mut kept);
        }
        if kept == before {
            break;
        }
    }
    Pattern::keeping(model, &kept)
}

/// The symbols that a process depends on and those that it changes.
struct Influence {
    process: ProcessId,
    /// The symbols that its conditions read, with its partners.
    needs: Symbols,
    /// Its updates.
    updates: Vec<Access>,
}

impl Influence {
    fn new(model: &Model, accesses: &Accesses<'_>, process: ProcessId) -> Self {
        let definition = &model.processes[process];
        let (mut needs, mut updates) = (Symbols::default(), Vec::new());
        for location in &definition.locations {
            needs.extend(&accesses.of_condition(&location.invariant));
        }
        for edge in &definition.edges {
            needs.extend(&accesses.of_condition(&edge.guard));
            if let Some(sync) = &edge.synchronisation {
                needs.extend(&accesses.of_channel(sync));
                needs.channels.extend(&edge.channels().collect());
            }
            updates.extend(units(accesses, &edge.updates).into_iter().map(|unit| unit.access));
        }
        Self { process, needs, updates }
    }

    /// Adds the contribution of the process to the next layer after `known`.
    fn add_to(&self, known: &Symbols, next: &mut Symbols) {
        if known.processes.contains(self.process) {
            next.extend(&self.needs);
        }
        if known.channels.meets(&self.needs.channels) {
            next.processes.insert(self.process);
        }
        for update in &self.updates {
            if update.writes.meets(known) {
                next.processes.insert(self.process);
                next.extend(&update.reads);
            }
        }
    }
}
