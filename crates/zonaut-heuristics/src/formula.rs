//! Conditions as trees of conjunctions and disjunctions over tests that are looked at one by one.

use zonaut_model::{
    Expression, ExpressionId, Expressions, Formula, LocalId, Model, PlaceIndex, QuantifierKind,
    UnaryOperator,
};

/// Values of working storage that are fixed around an evaluation: those of select variables and of
/// quantifiers that were unrolled.
pub(crate) type Bindings = Vec<(LocalId, Binding)>;

/// What a bound variable holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Binding {
    /// One value.
    Value(i32),
    /// Any value from the first to the last one.
    Any(i32, i32),
}

/// A condition in negation normal form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    /// A single test.
    Test(Test),
    /// All of them; holds if there are none.
    All(Vec<Condition>),
    /// One of them; fails if there are none.
    Any(Vec<Condition>),
}

/// A test on data and locations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Test {
    pub(crate) kind: TestKind,
    pub(crate) bindings: Bindings,
}

/// What is tested.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum TestKind {
    /// The expression is not zero or, where `negated`, is zero.
    Holds { expression: ExpressionId, negated: bool },
    /// The indices choose the element at this distance from the root.
    Chooses { indices: Vec<ChosenIndex>, displacement: u32 },
}

/// A computed index, comparable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ChosenIndex {
    pub(crate) value: ExpressionId,
    pub(crate) low: i32,
    pub(crate) size: u32,
    pub(crate) stride: u32,
}

impl From<PlaceIndex> for ChosenIndex {
    fn from(index: PlaceIndex) -> Self {
        let PlaceIndex { value, low, size, stride } = index;
        Self { value, low, size, stride }
    }
}

/// How many copies of a test quantifiers and conditional expressions may make of it.
const COPIES: i64 = 1024;

impl Condition {
    /// The condition that always holds.
    pub(crate) const TRUE: Self = Self::All(Vec::new());

    /// The condition on data and locations that every state with `formula` satisfies: what it says
    /// of clocks and of deadlocks counts as true, negated or not.
    pub(crate) fn of_formula(model: &Model, formula: &Formula) -> Self {
        Self::of_part(&model.expressions, formula, false)
    }

    fn of_part(expressions: &Expressions, formula: &Formula, negated: bool) -> Self {
        match formula {
            Formula::Data(id) => Self::of_expression(expressions, *id, negated, &Bindings::new()),
            Formula::Clock(_) | Formula::Deadlock => Self::TRUE,
            Formula::Not(inner) => Self::of_part(expressions, inner, !negated),
            Formula::And(parts) | Formula::Or(parts) => {
                let parts = parts.iter().map(|part| Self::of_part(expressions, part, negated));
                Self::joined(parts.collect(), matches!(formula, Formula::And(_)) != negated)
            }
        }
    }

    fn joined(parts: Vec<Self>, conjunction: bool) -> Self {
        if conjunction { Self::All(parts) } else { Self::Any(parts) }
    }

    /// The condition that `id` is not zero or, where `negated`, is zero.
    pub(crate) fn of_expression(
        expressions: &Expressions,
        id: ExpressionId,
        negated: bool,
        bindings: &Bindings,
    ) -> Self {
        Splitting { expressions, bindings, copies: COPIES }.of(id, negated)
    }

    /// The conjuncts of the outermost conjunctions.
    pub(crate) fn conjuncts(&self) -> Vec<&Self> {
        match self {
            Self::All(parts) => parts.iter().flat_map(Self::conjuncts).collect(),
            Self::Test(_) | Self::Any(_) => vec![self],
        }
    }
}

/// Cuts an expression into tests.
#[derive(Clone, Copy)]
struct Splitting<'e> {
    expressions: &'e Expressions,
    bindings: &'e Bindings,
    /// How many copies may still be made of what is inside.
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
                let operands = spine(self.expressions, id, is_and);
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
                let parts = self.unrolled((binder, low, high), body, negated);
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
        (binder, low, high): (LocalId, i32, i32),
        body: ExpressionId,
        negated: bool,
    ) -> Vec<Condition> {
        let size = (i64::from(high) - i64::from(low) + 1).max(1);
        let instance = |value| {
            let mut bindings = self.bindings.clone();
            bindings.retain(|(local, _)| *local != binder);
            bindings.push((binder, Binding::Value(value)));
            let copies = self.copies / size;
            let inside = Splitting { expressions: self.expressions, bindings: &bindings, copies };
            inside.of(body, negated)
        };
        (low..=high).map(instance).collect()
    }
}

/// The operands of a chain of one connective, from left to right.
fn spine(expressions: &Expressions, id: ExpressionId, is_and: bool) -> Vec<ExpressionId> {
    let mut operands = Vec::new();
    let mut left = id;
    loop {
        match expressions[left] {
            Expression::And(inner, right) if is_and => (left, _) = (inner, operands.push(right)),
            Expression::Or(inner, right) if !is_and => (left, _) = (inner, operands.push(right)),
            _ => break,
        }
    }
    operands.push(left);
    operands.reverse();
    operands
}
