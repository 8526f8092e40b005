//! Syntax trees of expressions, in an arena.

use super::TypeExpression;
use std::sync::Arc;
use zonaut_base::{IndexVec, Span, define_id};

define_id!(
    /// An expression of an [`Expressions`] arena.
    pub struct ExpressionId
);

/// The expressions of one document or query file; children have smaller ids than their parents.
pub type Expressions = IndexVec<ExpressionId, Expression>;

/// An identifier and its position.
#[derive(Clone, Debug)]
pub struct Name {
    /// The identifier.
    pub text: Arc<str>,
    /// Its position.
    pub span: Span,
}

/// An expression and its position.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The kind of expression, with its parts.
    pub kind: ExpressionKind,
    /// The whole expression.
    pub span: Span,
}

/// The kind of an expression, with its parts.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// A decimal literal that fits 32 bits, or 2147483648 directly under a minus sign.
    Integer(i64),
    /// A floating-point literal, as written.
    Float(Arc<str>),
    /// `true` or `false`.
    Boolean(bool),
    /// A string literal, without its quotes and with escapes as written.
    Text(Arc<str>),
    /// An identifier.
    Name(Arc<str>),
    /// `deadlock` (queries only).
    Deadlock,
    /// A prefix operator.
    Unary(UnaryOperator, ExpressionId),
    /// An infix operator. Chains lean to the left and may be very long.
    Binary(BinaryOperator, ExpressionId, ExpressionId),
    /// `condition ? yes : no`.
    Conditional(ExpressionId, ExpressionId, ExpressionId),
    /// An assignment.
    Assignment(AssignmentOperator, ExpressionId, ExpressionId),
    /// `++` or `--`.
    Step(StepOperator, ExpressionId),
    /// `array[index]`.
    Index(ExpressionId, ExpressionId),
    /// `value.field` or `process.name`.
    Field(ExpressionId, Name),
    /// `clock'`, the rate of a clock.
    Rate(ExpressionId),
    /// `function(arguments)`, or a process of a set such as `Train(3)`.
    Call(ExpressionId, Vec<ExpressionId>),
    /// `forall (i : T) body`, and likewise `exists` and `sum`.
    Quantifier(QuantifierKind, Box<Binder>, ExpressionId),
    /// `spawn T(arguments)`, which starts a process of a dynamic template.
    Spawn(Name, Vec<ExpressionId>),
    /// Several expressions, evaluated in order; the value is that of the last one (loop headers
    /// only).
    Sequence(Vec<ExpressionId>),
    /// Text that could not be parsed; an error has been reported for it.
    Damaged,
}

/// A name bound to the values of a type: in a quantifier, a `select`, or an iteration.
#[derive(Clone, Debug)]
pub struct Binder {
    /// The name.
    pub name: Name,
    /// The type whose values it takes.
    pub ty: TypeExpression,
}

/// The kind of a quantifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuantifierKind {
    /// `forall`
    ForAll,
    /// `exists`
    Exists,
    /// `sum`
    Sum,
}

/// A prefix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOperator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!` or `not`
    Not,
}

/// `++` and `--`, as prefix or postfix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepOperator {
    /// `++x`
    IncrementBefore,
    /// `--x`
    DecrementBefore,
    /// `x++`
    IncrementAfter,
    /// `x--`
    DecrementAfter,
}

/// An infix operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOperator {
    /// `**`
    Power,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<?`
    Minimum,
    /// `>?`
    Maximum,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `>`
    Greater,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&` or `and`
    And,
    /// `||` or `or`
    Or,
    /// `xor`
    Xor,
    /// `imply`
    Imply,
}

/// An assignment operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssignmentOperator {
    /// `=` or `:=`
    Set,
    /// `+=`
    Add,
    /// `-=`
    Subtract,
    /// `*=`
    Multiply,
    /// `/=`
    Divide,
    /// `%=`
    Remainder,
    /// `&=`
    BitAnd,
    /// `|=`
    BitOr,
    /// `^=`
    BitXor,
    /// `<<=`
    ShiftLeft,
    /// `>>=`
    ShiftRight,
}
