//! The domain of value sets: explicit sets of a few values, and intervals for more.

use crate::arithmetic;
use crate::domain::{Applied, Domain, Limited, Truth};
use crate::failure::FailureKinds;
use crate::interval::range_of;
use crate::overlay::Overlay;
use zonaut_model::interpret::{ErrorKind, apply, apply_unary};
use zonaut_model::interval::{Interval, hull, of_range};
use zonaut_model::{BinaryOperator, LocationId, Model, ProcessId, Range, Storage, UnaryOperator};

/// A set of values. Not empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ValueSet {
    /// These values, ascending.
    Few(Vec<i32>),
    /// Any value of an interval.
    Between(Interval),
}

impl ValueSet {
    /// The set of one value.
    #[must_use]
    pub fn only(value: i32) -> Self {
        Self::Few(vec![value])
    }

    /// The interval around the set.
    #[must_use]
    pub fn hull(&self) -> Interval {
        match self {
            Self::Between(interval) => *interval,
            Self::Few(values) => {
                let end = |value: Option<&i32>| value.map_or(0, |&value| i64::from(value));
                (end(values.first()), end(values.last()))
            }
        }
    }

    /// Whether a value is in the set.
    #[must_use]
    pub fn contains(&self, value: i32) -> bool {
        match self {
            Self::Few(values) => values.binary_search(&value).is_ok(),
            Self::Between((low, high)) => (*low..=*high).contains(&i64::from(value)),
        }
    }
}

/// The initial contents of storage; the law is that of [`Contents`](crate::interval::Contents).
pub trait SetContents {
    /// The content of an address.
    fn of(&mut self, address: Storage) -> ValueSet;
    /// Whether a process is in a location.
    fn at(&mut self, process: ProcessId, location: LocationId) -> ValueSet;
}

/// The domain of value sets.
#[derive(Clone, Debug)]
pub struct ValueSets<'m, C> {
    model: &'m Model,
    /// The initial contents of storage.
    pub contents: C,
    /// Maximum number of values of an explicit set.
    most: usize,
}

/// Number of rounds of loops that are unrolled.
const UNROLLING: u32 = 512;
/// Number of expressions that are walked.
const PATIENCE: u64 = 1 << 16;

impl<'m, C: SetContents> ValueSets<'m, C> {
    /// The domain of sets of at most `most` values, which is not 0, over storage with these
    /// contents.
    pub fn new(model: &'m Model, contents: C, most: usize) -> Self {
        Self { model, contents, most: most.max(1) }
    }

    /// The content of an address.
    pub fn content(&mut self, memory: &Overlay<ValueSet>, address: Storage) -> ValueSet {
        match memory.get(address) {
            Some(stored) => stored.clone(),
            None => self.contents.of(address),
        }
    }

    /// The set of these values; `None` if there are none.
    fn collected(&self, mut values: Vec<i32>) -> Option<ValueSet> {
        values.sort_unstable();
        values.dedup();
        match (values.first(), values.last()) {
            (Some(&low), Some(&high)) if values.len() > self.most => {
                Some(ValueSet::Between((i64::from(low), i64::from(high))))
            }
            (Some(_), _) => Some(ValueSet::Few(values)),
            _ => None,
        }
    }

    /// The explicit set of the values of an interval, if they are few.
    fn of_interval(&self, interval: Interval) -> ValueSet {
        if interval.1 - interval.0 < self.most as i64 {
            ValueSet::Few(arithmetic::numbers(interval).collect())
        } else {
            ValueSet::Between(interval)
        }
    }

    fn applied(&self, applied: &Applied<Interval>) -> Applied<ValueSet> {
        let value = applied.value.map(|interval| self.of_interval(interval));
        Applied { value, failures: applied.failures }
    }

    fn results(&self, results: impl Iterator<Item = Result<i32, ErrorKind>>) -> Applied<ValueSet> {
        let (mut values, mut failures) = (Vec::new(), FailureKinds::NONE);
        for result in results {
            match result {
                Ok(value) => values.push(value),
                Err(kind) => failures = failures.and(FailureKinds::only(kind.into())),
            }
        }
        Applied { value: self.collected(values), failures }
    }

    fn joined(&self, one: ValueSet, other: ValueSet) -> ValueSet {
        match (one, other) {
            (ValueSet::Few(mut values), ValueSet::Few(others)) => {
                values.extend(others);
                self.collected(values).unwrap_or(ValueSet::Few(Vec::new()))
            }
            (one, other) => self.of_interval(hull(one.hull(), other.hull())),
        }
    }
}

impl<C: SetContents> Domain for ValueSets<'_, C> {
    type Value = ValueSet;
    type Memory = Overlay<ValueSet>;
    type Scope = ();
    const LEARNS: bool = true;

    fn constant(&mut self, value: i32) -> ValueSet {
        ValueSet::only(value)
    }

    fn between(&mut self, low: i32, high: i32) -> Option<ValueSet> {
        Some(self.of_interval((i64::from(low), i64::from(high))))
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &ValueSet) -> Applied<ValueSet> {
        match operand {
            ValueSet::Few(values) => {
                self.results(values.iter().map(|&value| apply_unary(operator, value)))
            }
            ValueSet::Between(interval) => self.applied(&arithmetic::unary(operator, *interval)),
        }
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &ValueSet,
        right: &ValueSet,
    ) -> Applied<ValueSet> {
        match (left, right) {
            (ValueSet::Few(left), ValueSet::Few(right)) => {
                let pairs = left.iter().flat_map(|&a| right.iter().map(move |&b| (a, b)));
                self.results(pairs.map(|(a, b)| apply(operator, a, b)))
            }
            _ => self.applied(&arithmetic::binary(operator, left.hull(), right.hull())),
        }
    }

    fn sum(&mut self, value: &ValueSet, count: u64) -> Applied<ValueSet> {
        self.applied(&arithmetic::sum(value.hull(), count))
    }

    fn truth(&self, value: &ValueSet) -> Truth {
        match value {
            ValueSet::Few(values) if values.as_slice() == [0] => Truth::Fails,
            ValueSet::Few(_) if !value.contains(0) => Truth::Holds,
            ValueSet::Few(_) => Truth::Either,
            ValueSet::Between(interval) => arithmetic::truth(*interval),
        }
    }

    fn limit(&mut self, value: &ValueSet, range: Range) -> Limited<ValueSet> {
        match value {
            ValueSet::Few(values) => {
                let inside: Vec<i32> =
                    values.iter().copied().filter(|&v| range.contains(i64::from(v))).collect();
                let may_exceed = inside.len() < values.len();
                Limited { inside: self.collected(inside), may_exceed }
            }
            ValueSet::Between(interval) => {
                let limited = arithmetic::limit(*interval, range);
                let inside = limited.inside.map(|interval| self.of_interval(interval));
                Limited { inside, may_exceed: limited.may_exceed }
            }
        }
    }

    fn span(&self, value: &ValueSet) -> (i32, i32) {
        let (low, high) = value.hull();
        (low as i32, high as i32)
    }

    fn may_be(&self, value: &ValueSet, number: i32) -> bool {
        value.contains(number)
    }

    fn join(&mut self, one: ValueSet, other: ValueSet) -> ValueSet {
        self.joined(one, other)
    }

    fn load(&mut self, memory: &Overlay<ValueSet>, address: Storage) -> Option<ValueSet> {
        Some(self.content(memory, address))
    }

    fn store(&mut self, memory: &mut Overlay<ValueSet>, address: Storage, value: ValueSet) {
        memory.insert(address, value);
    }

    fn store_perhaps(&mut self, memory: &mut Overlay<ValueSet>, address: Storage, value: ValueSet) {
        let before = self.content(memory, address);
        memory.insert(address, self.joined(before, value));
    }

    fn restrict(
        &mut self,
        memory: &mut Overlay<ValueSet>,
        address: Storage,
        operator: BinaryOperator,
        other: &ValueSet,
    ) -> Option<()> {
        let content = self.content(memory, address);
        let left = match (&content, other) {
            (ValueSet::Few(values), ValueSet::Few(others)) => {
                let holds = |&a: &i32| others.iter().any(|&b| apply(operator, a, b) == Ok(1));
                self.collected(values.iter().copied().filter(holds).collect())
            }
            _ => {
                let hull = arithmetic::restrict(content.hull(), operator, other.hull())?;
                let range = arithmetic::numbers(hull);
                self.limit(&content, Range { low: *range.start(), high: *range.end() }).inside
            }
        };
        memory.insert(address, left?);
        Some(())
    }

    fn at(&mut self, process: ProcessId, location: LocationId) -> Option<ValueSet> {
        Some(self.contents.at(process, location))
    }

    fn join_memory(&mut self, into: &mut Overlay<ValueSet>, other: Overlay<ValueSet>) {
        into.merge(other, |address, one, other| {
            let one = one.unwrap_or_else(|| self.contents.of(address));
            let other = other.unwrap_or_else(|| self.contents.of(address));
            self.joined(one, other)
        });
    }

    /// Contents that grow become their declared range.
    fn widen(&mut self, before: &Overlay<ValueSet>, after: &mut Overlay<ValueSet>) -> bool {
        let mut has_grown = false;
        after.merge(before.clone(), |address, after, before| {
            let before = before.unwrap_or_else(|| self.contents.of(address));
            let both = match after {
                Some(after) => self.joined(before.clone(), after),
                None => before.clone(),
            };
            if both == before {
                return before;
            }
            has_grown = true;
            let declared = of_range(range_of(self.model, address));
            self.of_interval(hull(both.hull(), declared))
        });
        has_grown
    }

    fn scope(&self, _memory: &Overlay<ValueSet>) {}

    fn unrolling(&self) -> u32 {
        UNROLLING
    }

    fn patience(&self) -> u64 {
        PATIENCE
    }
}
