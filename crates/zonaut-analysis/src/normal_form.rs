//! Negation normal form: conditions as trees of conjunctions and disjunctions over literals.
//!
//! [`NormalForm`] is that of a formula, whose literals are conditions on data, clock constraints
//! and `deadlock`. [`Condition`] continues into the expressions and splits them into tests on data;
//! quantifiers and conditional expressions are unrolled up to a limit.
//!
//! # The claim
//! A formula holds in a state if and only if its normal form does, provided that evaluation does
//! not fail. The order of the parts is preserved.

use std::ops::RangeInclusive;
use zonaut_model::{
    ClockConstraint, Expression, ExpressionId, Expressions, Formula, LocalId, Model, PlaceIndex,
    QuantifierKind, UnaryOperator,
};

/// An atomic formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Literal<'f> {
    /// A condition on data and locations.
    Data(ExpressionId),
    /// A clock constraint.
    Clock(&'f ClockConstraint),
    /// No transition is enabled, now or after any delay.
    Deadlock,
}

/// A formula in negation normal form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NormalForm<'f> {
    /// A literal, or its negation.
    Literal {
        /// The literal.
        literal: Literal<'f>,
        /// Whether it is negated.
        negated: bool,
    },
    /// A conjunction; true if it is empty.
    All(Vec<NormalForm<'f>>),
    /// A disjunction; false if it is empty.
    Any(Vec<NormalForm<'f>>),
}

impl<'f> NormalForm<'f> {
    /// The normal form of a formula.
    #[must_use]
    pub fn new(formula: &'f Formula) -> Self {
        Self::of(formula, false)
    }

    fn of(formula: &'f Formula, negated: bool) -> Self {
        match formula {
            Formula::Data(data) => Self::Literal { literal: Literal::Data(*data), negated },
            Formula::Clock(clock) => Self::Literal { literal: Literal::Clock(clock), negated },
            Formula::Deadlock => Self::Literal { literal: Literal::Deadlock, negated },
            Formula::Not(inner) => Self::of(inner, !negated),
            Formula::And(parts) | Formula::Or(parts) => {
                let is_conjunction = matches!(formula, Formula::And(_)) != negated;
                let parts = parts.iter().map(|part| Self::of(part, negated)).collect();
                if is_conjunction { Self::All(parts) } else { Self::Any(parts) }
            }
        }
    }

    /// Calls `visit` with every literal, in order, and whether it is negated.
    pub fn for_each_literal(&self, visit: &mut impl FnMut(Literal<'f>, bool)) {
        match self {
            Self::Literal { literal, negated } => visit(*literal, *negated),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().for_each(|part| part.for_each_literal(visit));
            }
        }
    }
}

/// A connective of expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Connective {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// The operands of a left-leaning chain of one connective, from left to right; the expression
/// itself if it is not such a chain.
#[must_use]
pub fn operands(
    expressions: &Expressions,
    id: ExpressionId,
    connective: Connective,
) -> Vec<ExpressionId> {
    let mut operands = Vec::new();
    let mut left = id;
    while let (Expression::And(inner, right), Connective::And)
    | (Expression::Or(inner, right), Connective::Or) = (&expressions[left], connective)
    {
        operands.push(*right);
        left = *inner;
    }
    operands.push(left);
    operands.reverse();
    operands
}

/// Values of temporary storage that are fixed around an evaluation: those of select variables and
/// of quantifiers that were unrolled.
pub type Bindings = Vec<(LocalId, Binding)>;

/// The value of a bound variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Binding {
    /// One value.
    Value(i32),
    /// Any value from the first to the last one.
    Any(i32, i32),
}

/// A condition in negation normal form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A single test.
    Test(Test),
    /// A conjunction; true if it is empty.
    All(Vec<Condition>),
    /// A disjunction; false if it is empty.
    Any(Vec<Condition>),
}

/// A test on data and locations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Test {
    /// The kind of the test.
    pub kind: TestKind,
    /// The values of bound variables.
    pub bindings: Bindings,
}

/// The kind of a test.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TestKind {
    /// The expression is not zero or, if `negated`, is zero.
    Holds {
        /// The expression.
        expression: ExpressionId,
        /// Whether the test is for zero.
        negated: bool,
    },
    /// The indices select the element at this offset from the root.
    Chooses {
        /// The indices.
        indices: Vec<PlaceIndex>,
        /// The offset.
        displacement: u32,
    },
}

/// Maximum number of copies of a test that quantifiers and conditional expressions may produce.
const COPIES: i64 = 1024;

impl Condition {
    /// The condition that always holds.
    pub const TRUE: Self = Self::All(Vec::new());

    /// The condition on data and locations that every state with `formula` satisfies: conditions on
    /// clocks and deadlocks count as true, negated or not.
    #[must_use]
    pub fn of_formula(model: &Model, formula: &Formula) -> Self {
        Self::of_normal_form(&model.expressions, &NormalForm::new(formula))
    }

    fn of_normal_form(expressions: &Expressions, form: &NormalForm<'_>) -> Self {
        let all = |parts: &[NormalForm<'_>]| {
            parts.iter().map(|part| Self::of_normal_form(expressions, part)).collect()
        };
        match form {
            NormalForm::Literal { literal: Literal::Data(data), negated } => {
                Self::of_expression(expressions, *data, *negated, &Bindings::new())
            }
            NormalForm::Literal { .. } => Self::TRUE,
            NormalForm::All(parts) => Self::All(all(parts)),
            NormalForm::Any(parts) => Self::Any(all(parts)),
        }
    }

    fn joined(parts: Vec<Self>, conjunction: bool) -> Self {
        if conjunction { Self::All(parts) } else { Self::Any(parts) }
    }

    /// The condition that `id` is not zero or, if `negated`, is zero.
    #[must_use]
    pub fn of_expression(
        expressions: &Expressions,
        id: ExpressionId,
        negated: bool,
        bindings: &Bindings,
    ) -> Self {
        Splitting { expressions, bindings, copies: COPIES }.of(id, negated)
    }

    /// The conjuncts of the outermost conjunctions.
    #[must_use]
    pub fn conjuncts(&self) -> Vec<&Self> {
        match self {
            Self::All(parts) => parts.iter().flat_map(Self::conjuncts).collect(),
            Self::Test(_) | Self::Any(_) => vec![self],
        }
    }
}

/// The splitting of an expression into tests.
#[derive(Clone, Copy)]
struct Splitting<'e> {
    expressions: &'e Expressions,
    bindings: &'e Bindings,
    /// The number of copies that may still be made.
    copies: i64,
}

impl Splitting<'_> {
    fn of(self, id: ExpressionId, negated: bool) -> Condition {
        let halved = Self { copies: self.copies / 2, ..self };
        match self.expressions[id] {
            Expression::Constant(value) if (value != 0) != negated => Condition::All(Vec::new()),
            Expression::Constant(_) => Condition::Any(Vec::new()),
            Expression::Unary(UnaryOperator::Not, inner) => self.of(inner, !negated),
            Expression::And(..) | Expression::Or(..) => {
                let is_and = matches!(self.expressions[id], Expression::And(..));
                let connective = if is_and { Connective::And } else { Connective::Or };
                let operands = operands(self.expressions, id, connective);
                let parts = operands.into_iter().map(|operand| self.of(operand, negated));
                Condition::joined(parts.collect(), is_and != negated)
            }
            Expression::Conditional(condition, yes, no) if halved.copies > 0 => {
                let chosen = |holds: bool, side| {
                    Condition::All(vec![halved.of(condition, !holds), halved.of(side, negated)])
                };
                Condition::Any(vec![chosen(true, yes), chosen(false, no)])
            }
            Expression::Quantifier { kind, binder, low, high, body }
                if kind != QuantifierKind::Sum
                    && i64::from(high) - i64::from(low) < self.copies =>
            {
                let parts = self.unrolled(binder, low..=high, body, negated);
                Condition::joined(parts, (kind == QuantifierKind::ForAll) != negated)
            }
            _ => Condition::Test(Test {
                kind: TestKind::Holds { expression: id, negated },
                bindings: self.bindings.clone(),
            }),
        }
    }

    fn unrolled(
        self,
        binder: LocalId,
        values: RangeInclusive<i32>,
        body: ExpressionId,
        negated: bool,
    ) -> Vec<Condition> {
        let size = (i64::from(*values.end()) - i64::from(*values.start()) + 1).max(1);
        let instance = |value| {
            let mut bindings = self.bindings.clone();
            bindings.retain(|(local, _)| *local != binder);
            bindings.push((binder, Binding::Value(value)));
            let copies = self.copies / size;
            let inside = Splitting { expressions: self.expressions, bindings: &bindings, copies };
            inside.of(body, negated)
        };
        values.map(instance).collect()
    }
}
