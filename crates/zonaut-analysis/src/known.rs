//! Partial valuations that record their reads.
//!
//! Some cells are known, or known to be in an interval; the others may have any value of their
//! range. An evaluation on the known part holds for every valuation that agrees with it, and so for
//! every valuation that agrees with the part of it that was read ([`Answer::read`]): the walk
//! depends on nothing else. [`minimal`] removes unnecessary symbols from that part, one cell after
//! the other, which is interpolation for variable assignments (T. Tóth, I. Majzik: "Lazy
//! reachability checking for timed automata with discrete variables", DOI
//! 10.1007/978-3-319-94111-0_14, Algorithm 2).

use crate::domain::Truth;
use crate::failure::Failures;
use crate::interval::{Contents, Declared, Intervals};
use crate::overlay::Overlay;
use crate::symbols::Symbols;
use crate::walk::Walk;
use zonaut_model::interval::{Interval, TRUTH, only};
use zonaut_model::{CellId, LocationId, Model, ProcessId, Storage};

/// A partial valuation.
pub trait Valuation {
    /// The interval of a cell; `None` if nothing is known of it.
    fn cell(&self, cell: CellId) -> Option<Interval>;
    /// The location of a process, if it is known.
    fn location(&self, process: ProcessId) -> Option<LocationId>;
}

impl<P: Valuation> Valuation for &P {
    fn cell(&self, cell: CellId) -> Option<Interval> {
        P::cell(self, cell)
    }
    fn location(&self, process: ProcessId) -> Option<LocationId> {
        P::location(self, process)
    }
}

/// A valuation restricted to some symbols.
#[derive(Clone, Copy, Debug)]
pub struct Restricted<'v, P> {
    /// The valuation.
    pub valuation: &'v P,
    /// The visible symbols.
    pub to: &'v Symbols,
}

impl<P: Valuation> Valuation for Restricted<'_, P> {
    fn cell(&self, cell: CellId) -> Option<Interval> {
        self.to.cells.contains(cell).then(|| self.valuation.cell(cell)).flatten()
    }
    fn location(&self, process: ProcessId) -> Option<LocationId> {
        self.to.processes.contains(process).then(|| self.valuation.location(process)).flatten()
    }
}

/// Contents by a partial valuation, and the symbols of it that were read.
#[derive(Clone, Debug)]
pub struct Known<'m, P> {
    declared: Declared<'m>,
    valuation: P,
    read: Symbols,
}

impl<P: Valuation> Contents for Known<'_, P> {
    fn of(&mut self, address: Storage) -> Interval {
        if let Storage::Cell(cell) = address
            && let Some(numbers) = self.valuation.cell(cell)
        {
            self.read.cells.insert(cell);
            return numbers;
        }
        self.declared.of(address)
    }

    fn at(&mut self, process: ProcessId, location: LocationId) -> Interval {
        let Some(known) = self.valuation.location(process) else { return TRUTH };
        self.read.processes.insert(process);
        only(i32::from(known == location))
    }
}

/// A walk over a partial valuation.
pub type PartialWalk<'m, P> = Walk<'m, Intervals<'m, Known<'m, P>>>;

/// The result of an evaluation, and the symbols it depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer<T> {
    /// The result; `None` if evaluation fails for every valuation that agrees.
    pub answer: Option<T>,
    /// The possible failures for valuations that agree.
    pub failures: Failures,
    /// The known symbols that were read: every valuation that agrees on them has this result, and
    /// these failures at most.
    pub read: Symbols,
}

impl Answer<Truth> {
    /// Whether every valuation that agrees falsifies the condition, without a failure.
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        self.answer == Some(Truth::Fails) && self.failures.is_empty()
    }
}

/// Evaluates `question` on `valuation`.
pub fn ask<'m, P: Valuation, T>(
    model: &'m Model,
    valuation: P,
    question: impl FnOnce(&mut PartialWalk<'m, P>) -> Option<T>,
) -> Answer<T> {
    let known = Known { declared: Declared(model), valuation, read: Symbols::default() };
    let mut walk = Walk::new(model, Intervals::new(model, known), Overlay::default());
    let answer = question(&mut walk);
    let failures = walk.failures().clone();
    Answer { answer, failures, read: walk.domain.contents.read }
}

/// A subset of `read` for which `is_enough` holds, as it does for `read` itself, and for which it
/// fails as soon as any symbol is removed.
pub fn minimal(read: &Symbols, mut is_enough: impl FnMut(&Symbols) -> bool) -> Symbols {
    let mut kept = read.clone();
    for process in read.processes.iter() {
        kept.processes.remove(process);
        if !is_enough(&kept) {
            kept.processes.insert(process);
        }
    }
    for cell in read.cells.iter() {
        kept.cells.remove(cell);
        if !is_enough(&kept) {
            kept.cells.insert(cell);
        }
    }
    kept
}
