//! Expressions over integers, with effects.

use crate::{ClockId, FunctionId, LocalId, LocationId, Place, ProcessId, Storage};
use zonaut_base::{IndexVec, define_id};

define_id!(
    /// An expression of a model.
    pub struct ExpressionId
);

/// The expressions of a model; children have smaller ids than their parents.
pub type Expressions = IndexVec<ExpressionId, Expression>;

/// An expression. Its value is a 32-bit integer; truth values are 0 and 1, and any other number
/// counts as true in a condition. Arithmetic that leaves 32 bits is a run-time error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression {
    /// A number.
    Constant(i32),
    /// The content of a place.
    Read(Place<Storage>),
    /// Whether a process is in a location (queries only).
    At(ProcessId, LocationId),
    /// A prefix operator.
    Unary(UnaryOperator, ExpressionId),
    /// An infix operator; both sides are evaluated, left first. Chains lean to the left and may be
    /// very long.
    Binary(BinaryOperator, ExpressionId, ExpressionId),
    /// Conjunction; the right side is evaluated only if the left one holds. Leans to the left.
    And(ExpressionId, ExpressionId),
    /// Disjunction; the right side is evaluated only if the left one fails. Leans to the left.
    Or(ExpressionId, ExpressionId),
    /// `condition ? yes : no`; only the chosen side is evaluated.
    Conditional(ExpressionId, ExpressionId, ExpressionId),
    /// A quantifier over `low..=high`, ascending; `ForAll` and `Exists` stop at the first value
    /// that decides them. The domain is empty if `low > high`.
    Quantifier {
        /// The kind of quantifier.
        kind: QuantifierKind,
        /// The storage of the bound variable.
        binder: LocalId,
        /// The first value.
        low: i32,
        /// The last value.
        high: i32,
        /// The quantified expression.
        body: ExpressionId,
    },
    /// Whether `length` integers from one place on equal those of another (1 or 0).
    SameContent(Place<Storage>, Place<Storage>, u32),
    /// Stores `value`, or `old operator value`, in `place`, with range check.
    Assign {
        /// The assigned place.
        place: Place<Storage>,
        /// The operator of a compound assignment. A compound assignment evaluates the place once,
        /// before the value.
        operator: Option<BinaryOperator>,
        /// The right side.
        value: ExpressionId,
        /// The value of the assignment as an expression.
        result: ValueOf,
    },
    /// Copies `length` integers from the second place to the first, with range check. Value 0.
    CopyContent(Place<Storage>, Place<Storage>, u32),
    /// Calls a function. The value is its result, or 0.
    Call(FunctionId, Vec<Argument>),
    /// Sets a clock to an integer, which must not be negative. Value 0.
    AssignClock(Place<ClockId>, ExpressionId),
    /// Sets the first clock to the value of the second. Value 0.
    CopyClock(Place<ClockId>, Place<ClockId>),
    /// Adds to the cost, which must not decrease. Value 0.
    AddCost(ExpressionId),
    /// Evaluates all in order; the value is the last one's. Not empty.
    Sequence(Vec<ExpressionId>),
}

/// An argument that a parameter is bound to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A value.
    Value(ExpressionId),
    /// The content of an array or struct, copied.
    Content(Place<Storage>),
}

/// The value of an assignment as an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueOf {
    /// The content before (`x++`).
    Before,
    /// The content after (`x = 1`, `++x`).
    After,
}

/// A prefix operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOperator {
    /// The negative.
    Negate,
    /// 1 for 0, and 0 for everything else.
    Not,
}

/// An infix operator on integers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOperator {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient, truncated towards zero; by zero a run-time error.
    Divide,
    /// Remainder with the sign of the left side; by zero a run-time error.
    Remainder,
    /// Power; a negative exponent is a run-time error.
    Power,
    /// Shift to the left; by less than 0 or more than 31 a run-time error.
    ShiftLeft,
    /// Arithmetic shift to the right; by less than 0 or more than 31 a run-time error.
    ShiftRight,
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
    /// Bitwise conjunction.
    BitAnd,
    /// Bitwise disjunction.
    BitOr,
    /// Bitwise exclusive disjunction.
    BitXor,
    /// Whether the left side is smaller.
    Less,
    /// Whether the left side is not larger.
    LessEqual,
    /// Whether both are equal.
    Equal,
    /// Whether they differ.
    NotEqual,
    /// Whether the left side is not smaller.
    GreaterEqual,
    /// Whether the left side is larger.
    Greater,
}

impl BinaryOperator {
    /// All operators.
    pub const ALL: [Self; 19] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Remainder,
        Self::Power,
        Self::ShiftLeft,
        Self::ShiftRight,
        Self::Minimum,
        Self::Maximum,
        Self::BitAnd,
        Self::BitOr,
        Self::BitXor,
        Self::Less,
        Self::LessEqual,
        Self::Equal,
        Self::NotEqual,
        Self::GreaterEqual,
        Self::Greater,
    ];

    /// Whether the value is 0 or 1.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        use BinaryOperator as B;
        matches!(
            self,
            B::Less | B::LessEqual | B::Equal | B::NotEqual | B::GreaterEqual | B::Greater
        )
    }
}

/// The kind of a quantifier.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QuantifierKind {
    /// 1 if the body holds for every value.
    ForAll,
    /// 1 if the body holds for some value.
    Exists,
    /// The sum of the body over all values.
    Sum,
}
