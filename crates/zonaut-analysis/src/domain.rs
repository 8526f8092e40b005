//! What a domain has to say for the walk to interpret expressions in it.

use crate::failure::FailureKinds;
use std::fmt::Debug;
use zonaut_model::{
    BinaryOperator, ClockId, ExpressionId, LocationId, ProcessId, Range, Storage, UnaryOperator,
};

/// What is known of a condition.
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

    /// What is known of both being true, where the second counts only if the first holds.
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

/// What an operation makes of its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applied<V> {
    /// Every value of an application that succeeds; absent if none does.
    pub value: Option<V>,
    /// How applications may fail.
    pub failures: FailureKinds,
}

impl<V> Applied<V> {
    /// A value that is there for sure.
    pub const fn safe(value: V) -> Self {
        Self { value: Some(value), failures: FailureKinds::NONE }
    }
}

/// A value and a range that it should be in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limited<V> {
    /// The part inside; absent if there is none.
    pub inside: Option<V>,
    /// Whether a part may be outside.
    pub may_exceed: bool,
}

/// A domain: what is known of values and of storage while an expression is evaluated.
///
/// A value stands for a set of integers, a memory for a set of contents of all storage. `γ` is that
/// set in the laws below.
///
/// # Laws
/// For the walk to be sound, an abstract operation has to hold every concrete outcome:
///
/// 1. `v ∈ γ(constant(v))`, and `v ∈ γ(between(low, high))` for every `low ≤ v ≤ high`.
/// 2. If `a ∈ γ(left)` and `b ∈ γ(right)`, then `interpret::apply(operator, a, b)` is in the value of
///    `binary(operator, left, right)`, or its kind of failure is among the failures; `unary` alike.
/// 3. `truth(v)` is `Holds` only if `0 ∉ γ(v)`, and `Fails` only if `γ(v) ⊆ {0}`.
/// 4. `limit(v, range).inside` holds every element of `γ(v)` in the range, and `may_exceed` is set if
///    there are others.
/// 5. `span(v)` encloses `γ(v)`; `may_be(v, n)` is true for every `n ∈ γ(v)`.
/// 6. `sum(v, n)` holds the sum of every `n` elements of `γ(v)`, or fails with an overflow where some
///    partial sum does.
/// 7. `join` and `join_memory` hold both. `widen(before, after)` holds both too, and every sequence of
///    widenings is finite.
/// 8. `restrict` leaves every content that compares as it is told with some element of `γ(other)`.
/// 9. `load` gives what is there, and after `store` it is there: for sure or perhaps, in addition to
///    what was there before.
///
/// The tests of this crate compare every domain with the interpreter, on random programs and on all
/// contents of a memory. Domains are made once for many evaluations; their operations are called
/// once for every expression.
pub trait Domain {
    /// What is known of an integer.
    type Value: Clone + Debug;
    /// What is known of storage.
    type Memory: Clone + Debug;
    /// What decided how far evaluation has come.
    type Scope;
    /// Whether the walk takes down what may fail; otherwise it only ends there.
    const TAKES_DOWN_FAILURES: bool = true;
    /// Whether conditions tell anything of storage, so that [`Domain::restrict`] is called.
    const LEARNS: bool = false;

    /// A number.
    fn constant(&mut self, value: i32) -> Self::Value;

    /// Any number from `low` to `high`, which is not smaller; absent where evaluation ends here.
    fn between(&mut self, low: i32, high: i32) -> Option<Self::Value>;

    /// Applies a prefix operator.
    fn unary(&mut self, operator: UnaryOperator, operand: &Self::Value) -> Applied<Self::Value>;

    /// Applies an infix operator.
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

    /// One value or the other.
    fn join(&mut self, one: Self::Value, other: Self::Value) -> Self::Value;

    /// The same value, which is what it is because of another one: a condition or an index.
    fn influenced(&mut self, value: Self::Value, _by: &Self::Value) -> Self::Value {
        value
    }

    /// The content of an address; absent where nothing can be said and evaluation ends here.
    fn load(&mut self, memory: &Self::Memory, address: Storage) -> Option<Self::Value>;

    /// Puts a value, which is in its range, at an address.
    fn store(&mut self, memory: &mut Self::Memory, address: Storage, value: Self::Value);

    /// Puts a value at an address or leaves what is there.
    fn store_perhaps(&mut self, memory: &mut Self::Memory, address: Storage, value: Self::Value);

    /// Takes out of an address what does not compare with any value of `other` like this; absent if
    /// nothing is left. May leave in as much as it likes.
    fn restrict(
        &mut self,
        _memory: &mut Self::Memory,
        _address: Storage,
        _operator: BinaryOperator,
        _other: &Self::Value,
    ) -> Option<()> {
        Some(())
    }

    /// Whether a process is in a location; absent where evaluation ends here.
    fn at(&mut self, process: ProcessId, location: LocationId) -> Option<Self::Value>;

    /// A clock is compared.
    fn read_clock(&mut self, _memory: &Self::Memory, _clock: ClockId) {}

    /// One of these clocks is set.
    fn set_clock(&mut self, _memory: &mut Self::Memory, _clocks: &[ClockId], _value: &Self::Value) {
    }

    /// One of the first clocks is set to the value of one of the second.
    fn copy_clock(&mut self, _memory: &mut Self::Memory, _to: &[ClockId], _from: &[ClockId]) {}

    /// What one memory or the other knows.
    fn join_memory(&mut self, into: &mut Self::Memory, other: Self::Memory);

    /// Makes `after` hold what is in `before` as well, and perhaps more, so that a loop comes to an
    /// end; whether it holds more than `before`.
    fn widen(&mut self, before: &Self::Memory, after: &mut Self::Memory) -> bool;

    /// What decided how far evaluation has come.
    fn scope(&self, memory: &Self::Memory) -> Self::Scope;

    /// From here on, evaluation goes one of two ways because of a condition.
    fn decide(&mut self, _memory: &mut Self::Memory, _condition: &Self::Value) {}

    /// Both ways came together again: what happens now happens on both.
    fn leave(&mut self, _memory: &mut Self::Memory, _scope: Self::Scope) {}

    /// The same value as the result of a function that returns here.
    fn result(&mut self, _memory: &Self::Memory, value: Self::Value) -> Self::Value {
        value
    }

    /// How many rounds of loops and quantifiers are looked at one by one in an evaluation. The
    /// others are looked at all together.
    fn unrolling(&self) -> u32;

    /// How many expressions are walked one by one in an evaluation. After that, what functions do is
    /// not looked at: they may do anything.
    fn patience(&self) -> u64;

    /// Rounds of a loop with an undecided test after which it is repeated until nothing changes.
    fn undecided_rounds(&self) -> u32 {
        64
    }

    /// An expression is evaluated; absent where evaluation ends here.
    fn step(&mut self) -> Option<()> {
        Some(())
    }

    /// So many elements of an array are gone through; absent where evaluation ends here.
    fn pay(&mut self, _length: u32) -> Option<()> {
        Some(())
    }

    /// An expression has a value.
    fn evaluated(&mut self, _expression: ExpressionId, _value: &Self::Value) {}
}
