//! Footprints: the storage that an evaluation may read and write, that it certainly writes, and the
//! data flow.
//!
//! A value consists of an interval and the set of symbols that it is computed from, including
//! control dependencies. Elements of arrays are distinguished as far as the declared ranges of
//! indices permit. Conditions are never decided here, so that the result does not depend on values:
//! all branches are walked.

use crate::arithmetic;
use crate::domain::{Applied, Domain, Limited, Truth};
use crate::interval::{Contents, Declared};
use crate::overlay::Overlay;
use crate::symbols::{IdSet, Symbols};
use crate::walk::Walk;
use std::collections::BTreeSet;
use zonaut_model::interval::{Interval, TRUTH, hull, of_range, only};
use zonaut_model::{
    BinaryOperator, ClockId, LocalId, LocationId, Model, ProcessId, Range, Storage, UnaryOperator,
};

/// The storage that an evaluation may access: an over-approximation.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Footprint {
    /// Symbols that may be read, even after they were written.
    pub reads: Symbols,
    /// Symbols that may be written.
    pub writes: Symbols,
    /// Temporary storage that may be read or written.
    pub locals: IdSet<LocalId>,
    /// Temporary storage that may be read before it is written.
    pub needed_locals: IdSet<LocalId>,
    /// Temporary storage that may be written.
    pub written_locals: IdSet<LocalId>,
    /// Clocks that may be set to the value of another one: target, then source.
    pub copies: BTreeSet<(ClockId, ClockId)>,
}

impl Footprint {
    /// Adds the footprint of another evaluation.
    pub fn extend(&mut self, other: &Self) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.locals.extend(&other.locals);
        self.needed_locals.extend(&other.needed_locals);
        self.written_locals.extend(&other.written_locals);
        self.copies.extend(&other.copies);
    }
}

/// The origins of a value: contents from before the evaluation.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Sources {
    symbols: Symbols,
    locals: IdSet<LocalId>,
}

impl Sources {
    fn extend(&mut self, other: &Self) {
        self.symbols.extend(&other.symbols);
        self.locals.extend(&other.locals);
    }
}

/// A number with its origins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Traced {
    values: Interval,
    from: Sources,
}

/// The writes so far, with their origins.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Trail {
    stored: Overlay<Traced>,
    /// By clock, the origins of its value.
    clocks: Vec<(ClockId, Sources)>,
    /// The symbols that were written on every path to this point.
    written: Symbols,
    written_locals: IdSet<LocalId>,
    /// The control dependencies of this point.
    control: Sources,
}

/// The domain of footprints.
#[derive(Clone, Debug)]
pub struct Footprints<'m> {
    declared: Declared<'m>,
    /// The footprint so far.
    pub found: Footprint,
}

/// A walk that computes a footprint.
pub type FootprintWalk<'m> = Walk<'m, Footprints<'m>>;

/// Number of rounds of loops that are unrolled: elements with few bound indices are distinguished.
const UNROLLING: u32 = 64;
/// Number of expressions that are walked.
const PATIENCE: u64 = 1 << 14;

impl<'m> Footprints<'m> {
    /// A walk over expressions of `model`.
    #[must_use]
    pub fn walk(model: &'m Model) -> FootprintWalk<'m> {
        let domain = Self { declared: Declared(model), found: Footprint::default() };
        Walk::new(model, domain, Trail::default())
    }

    fn content(&mut self, memory: &Trail, address: Storage) -> Traced {
        memory.stored.get(address).cloned().unwrap_or_else(|| self.initial(address))
    }

    fn initial(&mut self, address: Storage) -> Traced {
        let mut from = Sources::default();
        match address {
            Storage::Cell(cell) => from.symbols.cells.insert(cell),
            Storage::Local(local) => from.locals.insert(local),
            Storage::Constant(_) => false,
        };
        Traced { values: self.declared.of(address), from }
    }

    fn note(&mut self, address: Storage, is_write: bool) {
        match address {
            Storage::Cell(cell) if is_write => self.found.writes.cells.insert(cell),
            Storage::Cell(cell) => self.found.reads.cells.insert(cell),
            Storage::Local(local) => {
                if is_write {
                    self.found.written_locals.insert(local);
                }
                self.found.locals.insert(local)
            }
            Storage::Constant(_) => false,
        };
    }
}

impl Trail {
    /// For each written cell and clock, the symbols from which its new content is computed, its old
    /// content included; unwritten ones are omitted.
    pub fn flows(&self) -> impl Iterator<Item = (Symbols, &Symbols)> {
        let cells = self.stored.iter().filter_map(|(address, traced)| match address {
            Storage::Cell(cell) => {
                let mut target = Symbols::default();
                target.cells.insert(cell);
                Some((target, &traced.from.symbols))
            }
            _ => None,
        });
        let clocks = self.clocks.iter().map(|(clock, from)| {
            let mut target = Symbols::default();
            target.clocks.insert(*clock);
            (target, &from.symbols)
        });
        cells.chain(clocks)
    }

    /// Whether the old value of a clock is lost on every path to the end.
    #[must_use]
    pub fn is_overwritten(&self, clock: ClockId) -> bool {
        let known = self.clocks.binary_search_by_key(&clock, |entry| entry.0);
        self.written.clocks.contains(clock)
            && known.is_ok_and(|position| !self.clocks[position].1.symbols.clocks.contains(clock))
    }

    /// The symbols that are certainly written if the evaluation ends.
    #[must_use]
    pub fn written(&self) -> &Symbols {
        &self.written
    }

    /// Temporary storage that is certainly written if the evaluation ends.
    #[must_use]
    pub fn written_locals(&self) -> &IdSet<LocalId> {
        &self.written_locals
    }

    fn flow_to(&mut self, clock: ClockId, from: &Sources, replaces: bool) {
        match self.clocks.binary_search_by_key(&clock, |entry| entry.0) {
            Ok(position) => {
                let known = &mut self.clocks[position].1;
                if replaces {
                    known.clone_from(from);
                } else {
                    known.extend(from);
                }
            }
            Err(position) => {
                let mut all = from.clone();
                if !replaces {
                    all.symbols.clocks.insert(clock);
                }
                self.clocks.insert(position, (clock, all));
            }
        }
    }
}

fn union(mut one: Sources, other: &Sources) -> Sources {
    one.extend(other);
    one
}

impl Domain for Footprints<'_> {
    type Value = Traced;
    type Memory = Trail;
    type Scope = Sources;

    fn constant(&mut self, value: i32) -> Traced {
        Traced { values: only(value), from: Sources::default() }
    }

    fn between(&mut self, low: i32, high: i32) -> Option<Traced> {
        Some(Traced { values: (i64::from(low), i64::from(high)), from: Sources::default() })
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Traced) -> Applied<Traced> {
        let applied = arithmetic::unary(operator, operand.values);
        let from = operand.from.clone();
        Applied {
            value: applied.value.map(|values| Traced { values, from }),
            failures: applied.failures,
        }
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &Traced,
        right: &Traced,
    ) -> Applied<Traced> {
        let applied = arithmetic::binary(operator, left.values, right.values);
        let from = union(left.from.clone(), &right.from);
        Applied {
            value: applied.value.map(|values| Traced { values, from }),
            failures: applied.failures,
        }
    }

    fn sum(&mut self, value: &Traced, count: u64) -> Applied<Traced> {
        let applied = arithmetic::sum(value.values, count);
        let from = value.from.clone();
        Applied {
            value: applied.value.map(|values| Traced { values, from }),
            failures: applied.failures,
        }
    }

    fn truth(&self, _value: &Traced) -> Truth {
        Truth::Either
    }

    fn limit(&mut self, value: &Traced, range: Range) -> Limited<Traced> {
        let limited = arithmetic::limit(value.values, range);
        let from = value.from.clone();
        Limited {
            inside: limited.inside.map(|values| Traced { values, from }),
            may_exceed: limited.may_exceed,
        }
    }

    fn span(&self, value: &Traced) -> (i32, i32) {
        (value.values.0 as i32, value.values.1 as i32)
    }

    fn join(&mut self, one: Traced, other: Traced) -> Traced {
        Traced { values: hull(one.values, other.values), from: union(one.from, &other.from) }
    }

    fn influenced(&mut self, mut value: Traced, by: &Traced) -> Traced {
        value.from.extend(&by.from);
        value
    }

    fn load(&mut self, memory: &Trail, address: Storage) -> Option<Traced> {
        self.note(address, false);
        let content = self.content(memory, address);
        self.found.needed_locals.extend(&content.from.locals);
        Some(content)
    }

    fn store(&mut self, memory: &mut Trail, address: Storage, mut value: Traced) {
        self.note(address, true);
        value.from.extend(&memory.control);
        match address {
            Storage::Cell(cell) => memory.written.cells.insert(cell),
            Storage::Local(local) => memory.written_locals.insert(local),
            Storage::Constant(_) => false,
        };
        memory.stored.insert(address, value);
    }

    fn store_perhaps(&mut self, memory: &mut Trail, address: Storage, mut value: Traced) {
        self.note(address, true);
        value.from.extend(&memory.control);
        let before = self.content(memory, address);
        let both = self.join(before, value);
        memory.stored.insert(address, both);
    }

    fn at(&mut self, process: ProcessId, _location: LocationId) -> Option<Traced> {
        self.found.reads.processes.insert(process);
        let mut from = Sources::default();
        from.symbols.processes.insert(process);
        Some(Traced { values: TRUTH, from })
    }

    fn read_clock(&mut self, _memory: &Trail, clock: ClockId) {
        self.found.reads.clocks.insert(clock);
    }

    fn set_clock(&mut self, memory: &mut Trail, clocks: &[ClockId], value: &Traced) {
        let from = union(value.from.clone(), &memory.control);
        for &clock in clocks {
            self.found.writes.clocks.insert(clock);
            memory.flow_to(clock, &from, clocks.len() == 1);
        }
        if let [clock] = clocks {
            memory.written.clocks.insert(*clock);
        }
    }

    fn copy_clock(&mut self, memory: &mut Trail, to: &[ClockId], from: &[ClockId]) {
        let mut sources = memory.control.clone();
        for &clock in from {
            self.found.reads.clocks.insert(clock);
            match memory.clocks.binary_search_by_key(&clock, |entry| entry.0) {
                Ok(position) => {
                    sources.extend(&memory.clocks[position].1);
                }
                Err(_) => {
                    sources.symbols.clocks.insert(clock);
                }
            }
        }
        for &clock in to {
            self.found.copies.extend(from.iter().map(|&source| (clock, source)));
            self.found.writes.clocks.insert(clock);
            memory.flow_to(clock, &sources, to.len() == 1);
        }
        if let [clock] = to {
            memory.written.clocks.insert(*clock);
        }
    }

    fn join_memory(&mut self, into: &mut Trail, other: Trail) {
        into.stored.merge(other.stored, |address, one, other| {
            let one = one.unwrap_or_else(|| self.initial(address));
            let other = other.unwrap_or_else(|| self.initial(address));
            self.join(one, other)
        });
        // On a path that does not write a clock, it keeps its value.
        for (clock, from) in &mut into.clocks {
            if other.clocks.binary_search_by_key(clock, |entry| entry.0).is_err() {
                from.symbols.clocks.insert(*clock);
            }
        }
        for (clock, from) in &other.clocks {
            into.flow_to(*clock, from, false);
        }
        into.written.keep_within(&other.written);
        into.written_locals.keep_within(&other.written_locals);
        into.control.extend(&other.control);
    }

    fn widen(&mut self, before: &Trail, after: &mut Trail) -> bool {
        self.join_memory(after, before.clone());
        let mut has_grown = after.clocks != before.clocks || after.control != before.control;
        let declared = self.declared;
        for (address, traced) in after.stored.iter_mut() {
            let mut known = before.stored.get(address).cloned();
            let known = known.get_or_insert_with(|| self.initial(address));
            if known != traced {
                has_grown = true;
                if known.values != traced.values {
                    let range = of_range(crate::interval::range_of(declared.0, address));
                    traced.values = hull(traced.values, range);
                }
            }
        }
        has_grown
    }

    fn scope(&self, memory: &Trail) -> Sources {
        memory.control.clone()
    }

    fn decide(&mut self, memory: &mut Trail, condition: &Traced) {
        memory.control.extend(&condition.from);
    }

    fn leave(&mut self, memory: &mut Trail, scope: Sources) {
        memory.control = scope;
    }

    fn result(&mut self, memory: &Trail, mut value: Traced) -> Traced {
        value.from.extend(&memory.control);
        value
    }

    fn unrolling(&self) -> u32 {
        UNROLLING
    }

    fn patience(&self) -> u64 {
        PATIENCE
    }

    fn undecided_rounds(&self) -> u32 {
        0
    }
}
