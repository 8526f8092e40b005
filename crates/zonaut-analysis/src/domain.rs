//! The interface of abstract domains in which the walk interprets expressions.

use crate::failure::FailureKinds;
use std::fmt::Debug;
use zonaut_model::{
    BinaryOperator, ClockId, ExpressionId, LocationId, ProcessId, Range, Storage, UnaryOperator,
};

/// The three-valued truth of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Truth {
    /// It holds.
    Holds,
    /// It fails to hold.
    Fails,
    /// It may hold or not.
    Either,
}

impl Truth {
    /// The truth of the negation.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Holds => Self::Fails,
            Self::Fails => Self::Holds,
            Self::Either => Self::Either,
        }
    }

    /// The truth of a conjunction, whose second part is evaluated only if the first holds.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fails, _) | (_, Self::Fails) => Self::Fails,
            (Self::Holds, Self::Holds) => Self::Holds,
            _ => Self::Either,
        }
    }

    /// Whether it may hold.
    #[must_use]
    pub fn may_hold(self) -> bool {
        self != Self::Fails
    }
}

/// The result of an operation on abstract operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applied<V> {
    /// The values of all successful applications; `None` if none succeeds.
    pub value: Option<V>,
    /// The possible failures.
    pub failures: FailureKinds,
}

impl<V> Applied<V> {
    /// A result that cannot fail.
    pub const fn safe(value: V) -> Self {
        Self { value: Some(value), failures: FailureKinds::NONE }
    }
}

/// The part of a value within a range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limited<V> {
    /// The part inside; `None` if it is empty.
    pub inside: Option<V>,
    /// Whether a part may be outside.
    pub may_exceed: bool,
}

/// An abstract domain: the representation of values and of storage during an evaluation.
///
/// A value stands for a set of integers, a memory for a set of contents of all storage. `γ` is that
/// set (the concretisation) in the laws below.
///
/// # Laws
/// The walk is sound if an abstract operation contains every concrete outcome:
///
/// 1. `v ∈ γ(constant(v))`, and `v ∈ γ(between(low, high))` for every `low ≤ v ≤ high`.
/// 2. If `a ∈ γ(left)` and `b ∈ γ(right)`, then `interpret::apply(operator, a, b)` is in the value
///    of `binary(operator, left, right)`, or its kind of failure is among the failures; `unary`
///    alike.
/// 3. `truth(v)` is `Holds` only if `0 ∉ γ(v)`, and `Fails` only if `γ(v) ⊆ {0}`.
/// 4. `limit(v, range).inside` contains every element of `γ(v)` in the range, and `may_exceed` is
///    set if there are others.
/// 5. `span(v)` encloses `γ(v)`; `may_be(v, n)` is true for every `n ∈ γ(v)`.
/// 6. `sum(v, n)` contains the sum of every `n` elements of `γ(v)`, or fails with an overflow if
///    some partial sum does.
/// 7. `join` and `join_memory` contain both. `widen(before, after)` contains both too, and every
///    sequence of widenings is finite.
/// 8. `restrict` keeps every content that satisfies the comparison with some element of `γ(other)`.
/// 9. `load` returns the content, and after `store` the content is the stored value: certainly, or
///    possibly in addition to the content before.
///
/// The tests of this crate compare every domain with the interpreter, on random programs and on all
/// contents of a memory. Domains are created once for many evaluations; their operations are called
/// once for every expression.
pub trait Domain {
    /// The abstraction of an integer.
    type Value: Clone + Debug;
    /// The abstraction of storage.
    type Memory: Clone + Debug;
    /// The control dependencies of the current point of evaluation.
    type Scope;
    /// Whether the walk records possible failures; otherwise it only ends there.
    const TAKES_DOWN_FAILURES: bool = true;
    /// Whether conditions refine storage, so that [`Domain::restrict`] is called.
    const LEARNS: bool = false;

    /// A number.
    fn constant(&mut self, value: i32) -> Self::Value;

    /// Any number from `low` to `high`, which is not smaller; `None` to end the evaluation here.
    fn between(&mut self, low: i32, high: i32) -> Option<Self::Value>;

    /// Applies a prefix operator.
    fn unary(&mut self, operator: UnaryOperator, operand: &Self::Value) -> Applied<Self::Value>;

    /// Applies a binary operator.
    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &Self::Value,
        right: &Self::Value,
    ) -> Applied<Self::Value>;

    /// The sum of `count` values like this one.
    fn sum(&mut self, value: &Self::Value, count: u64) -> Applied<Self::Value>;

    /// Whether a value is different from zero.
    fn truth(&self, value: &Self::Value) -> Truth;

    /// The part of a value that is in a range.
    fn limit(&mut self, value: &Self::Value, range: Range) -> Limited<Self::Value>;

    /// The least and the greatest number that a value may be.
    fn span(&self, value: &Self::Value) -> (i32, i32);

    /// Whether a value may be this number, which is in its span.
    fn may_be(&self, _value: &Self::Value, _number: i32) -> bool {
        true
    }

    /// The join of two values.
    fn join(&mut self, one: Self::Value, other: Self::Value) -> Self::Value;

    /// The value with a dependency on another one: a condition or an index.
    fn influenced(&mut self, value: Self::Value, _by: &Self::Value) -> Self::Value {
        value
    }

    /// The content of an address; `None` if nothing is known and the evaluation ends here.
    fn load(&mut self, memory: &Self::Memory, address: Storage) -> Option<Self::Value>;

    /// Stores a value, which is in its range, at an address.
    fn store(&mut self, memory: &mut Self::Memory, address: Storage, value: Self::Value);

    /// Stores a value at an address, or leaves its content (a weak update).
    fn store_perhaps(&mut self, memory: &mut Self::Memory, address: Storage, value: Self::Value);

    /// Removes from an address the contents that satisfy the comparison with no value of `other`;
    /// `None` if nothing is left. May keep more.
    fn restrict(
        &mut self,
        _memory: &mut Self::Memory,
        _address: Storage,
        _operator: BinaryOperator,
        _other: &Self::Value,
    ) -> Option<()> {
        Some(())
    }

    /// Whether a process is in a location; `None` to end the evaluation here.
    fn at(&mut self, process: ProcessId, location: LocationId) -> Option<Self::Value>;

    /// Records that a clock is compared.
    fn read_clock(&mut self, _memory: &Self::Memory, _clock: ClockId) {}

    /// Records that one of these clocks is set.
    fn set_clock(&mut self, _memory: &mut Self::Memory, _clocks: &[ClockId], _value: &Self::Value) {
    }

    /// Records that one of the first clocks is set to the value of one of the second.
    fn copy_clock(&mut self, _memory: &mut Self::Memory, _to: &[ClockId], _from: &[ClockId]) {}

    /// The join of two memories.
    fn join_memory(&mut self, into: &mut Self::Memory, other: Self::Memory);

    /// Extends `after` by `before`, and possibly more, so that a loop reaches a fixpoint; returns
    /// whether it contains more than `before`.
    fn widen(&mut self, before: &Self::Memory, after: &mut Self::Memory) -> bool;

    /// The control dependencies of the current point of evaluation.
    fn scope(&self, memory: &Self::Memory) -> Self::Scope;

    /// Adds a control dependency: from here on, the evaluation depends on a condition.
    fn decide(&mut self, _memory: &mut Self::Memory, _condition: &Self::Value) {}

    /// Restores the control dependencies: both branches have joined.
    fn leave(&mut self, _memory: &mut Self::Memory, _scope: Self::Scope) {}

    /// The value as the result of a function that returns here.
    fn result(&mut self, _memory: &Self::Memory, value: Self::Value) -> Self::Value {
        value
    }

    /// The number of rounds of loops and quantifiers that are unrolled in an evaluation. The others
    /// are analysed together.
    fn unrolling(&self) -> u32;

    /// The number of expressions that are walked in an evaluation. After that, functions are not
    /// analysed: they may do anything.
    fn patience(&self) -> u64;

    /// Number of rounds of a loop with an undecided test after which a fixpoint is computed.
    fn undecided_rounds(&self) -> u32 {
        64
    }

    /// Called for each expression that is evaluated; `None` to end the evaluation here.
    fn step(&mut self) -> Option<()> {
        Some(())
    }

    /// Called for each array of `length` elements that is copied or compared; `None` to end the
    /// evaluation here.
    fn pay(&mut self, _length: u32) -> Option<()> {
        Some(())
    }

    /// Called with the value of each expression.
    fn evaluated(&mut self, _expression: ExpressionId, _value: &Self::Value) {}
}
