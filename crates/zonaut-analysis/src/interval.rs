//! The interval domain, with possible failures.

use crate::arithmetic;
use crate::domain::{Applied, Domain, Limited, Truth};
use crate::overlay::Overlay;
use crate::walk::Walk;
use std::fmt::Debug;
use zonaut_model::interval::{Interval, TRUTH, hull, of_range, only};
use zonaut_model::{
    BinaryOperator, ExpressionId, LocationId, Model, ProcessId, Range, Storage, UnaryOperator,
};

/// The initial contents of storage.
///
/// Law: the content of every cell and constant is in its interval, and so is that of temporary
/// storage that is read before it is written; a process is at a location that it may be at.
pub trait Contents {
    /// The content of an address.
    fn of(&mut self, address: Storage) -> Interval;

    /// Whether a process is in a location.
    fn at(&mut self, _process: ProcessId, _location: LocationId) -> Interval {
        TRUTH
    }

    /// Called with the value of each expression.
    fn evaluated(&mut self, _expression: ExpressionId, _value: Interval) {}
}

/// Contents in which every address has any value of its declared range.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'m>(pub &'m Model);

impl Contents for Declared<'_> {
    fn of(&mut self, address: Storage) -> Interval {
        match address {
            Storage::Constant(constant) => only(self.0.constants[constant]),
            _ => of_range(range_of(self.0, address)),
        }
    }
}

/// The range of an address.
#[must_use]
pub fn range_of(model: &Model, address: Storage) -> Range {
    match address {
        Storage::Cell(cell) => model.cells[cell].range,
        Storage::Local(local) => model.locals[local].range,
        Storage::Constant(constant) => {
            let value = model.constants[constant];
            Range { low: value, high: value }
        }
    }
}

/// The domain of intervals.
#[derive(Clone, Debug)]
pub struct Intervals<'m, C> {
    model: &'m Model,
    /// The initial contents of storage.
    pub contents: C,
    unrolling: u32,
    patience: u64,
}

/// A walk over intervals in which every address has any value of its declared range.
#[must_use]
pub fn declared_walk(model: &Model) -> Walk<'_, Intervals<'_, Declared<'_>>> {
    Walk::new(model, Intervals::new(model, Declared(model)), Overlay::default())
}

/// Number of rounds of loops that are unrolled.
const UNROLLING: u32 = 512;
/// Number of expressions that are walked.
const PATIENCE: u64 = 1 << 16;

impl<'m, C: Contents> Intervals<'m, C> {
    /// The domain over storage with these contents.
    pub fn new(model: &'m Model, contents: C) -> Self {
        Self { model, contents, unrolling: UNROLLING, patience: PATIENCE }
    }

    /// Sets the number of rounds of loops that are unrolled.
    #[must_use]
    pub fn with_unrolling(mut self, rounds: u32) -> Self {
        self.unrolling = rounds;
        self
    }

    /// Sets the number of expressions that are walked.
    #[must_use]
    pub fn with_patience(mut self, expressions: u64) -> Self {
        self.patience = expressions;
        self
    }

    /// The content of an address.
    pub fn content(&mut self, memory: &Overlay<Interval>, address: Storage) -> Interval {
        match memory.get(address) {
            Some(stored) => *stored,
            None => self.contents.of(address),
        }
    }
}

impl<C: Contents> Domain for Intervals<'_, C> {
    type Value = Interval;
    type Memory = Overlay<Interval>;
    type Scope = ();
    const LEARNS: bool = true;

    fn constant(&mut self, value: i32) -> Interval {
        only(value)
    }

    fn between(&mut self, low: i32, high: i32) -> Option<Interval> {
        Some((i64::from(low), i64::from(high)))
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Interval) -> Applied<Interval> {
        arithmetic::unary(operator, *operand)
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &Interval,
        right: &Interval,
    ) -> Applied<Interval> {
        arithmetic::binary(operator, *left, *right)
    }

    fn sum(&mut self, value: &Interval, count: u64) -> Applied<Interval> {
        arithmetic::sum(*value, count)
    }

    fn truth(&self, value: &Interval) -> Truth {
        arithmetic::truth(*value)
    }

    fn limit(&mut self, value: &Interval, range: Range) -> Limited<Interval> {
        arithmetic::limit(*value, range)
    }

    fn span(&self, value: &Interval) -> (i32, i32) {
        (value.0 as i32, value.1 as i32)
    }

    fn join(&mut self, one: Interval, other: Interval) -> Interval {
        hull(one, other)
    }

    fn load(&mut self, memory: &Overlay<Interval>, address: Storage) -> Option<Interval> {
        Some(self.content(memory, address))
    }

    fn store(&mut self, memory: &mut Overlay<Interval>, address: Storage, value: Interval) {
        memory.insert(address, value);
    }

    fn store_perhaps(&mut self, memory: &mut Overlay<Interval>, address: Storage, value: Interval) {
        let before = self.content(memory, address);
        memory.insert(address, hull(before, value));
    }

    fn restrict(
        &mut self,
        memory: &mut Overlay<Interval>,
        address: Storage,
        operator: BinaryOperator,
        other: &Interval,
    ) -> Option<()> {
        let content = self.content(memory, address);
        let left = arithmetic::restrict(content, operator, *other)?;
        if left != content {
            memory.insert(address, left);
        }
        Some(())
    }

    fn at(&mut self, process: ProcessId, location: LocationId) -> Option<Interval> {
        Some(self.contents.at(process, location))
    }

    fn join_memory(&mut self, into: &mut Overlay<Interval>, other: Overlay<Interval>) {
        into.merge(other, |address, one, other| {
            let mut content = |known: Option<Interval>| match known {
                Some(known) => known,
                None => self.contents.of(address),
            };
            hull(content(one), content(other))
        });
    }

    /// Contents that grow become their declared range.
    fn widen(&mut self, before: &Overlay<Interval>, after: &mut Overlay<Interval>) -> bool {
        let mut has_grown = false;
        let (model, contents) = (self.model, &mut self.contents);
        after.merge(before.clone(), |address, after, before| {
            let before = before.unwrap_or_else(|| contents.of(address));
            let both = after.map_or(before, |after| hull(after, before));
            if both == before {
                return before;
            }
            has_grown = true;
            hull(both, of_range(range_of(model, address)))
        });
        has_grown
    }

    fn scope(&self, _memory: &Overlay<Interval>) {}

    fn unrolling(&self) -> u32 {
        self.unrolling
    }

    fn patience(&self) -> u64 {
        self.patience
    }

    fn evaluated(&mut self, expression: ExpressionId, value: &Interval) {
        self.contents.evaluated(expression, *value);
    }
}
