//! Expressions, conditions and updates under construction.

use crate::{
    BinaryOperator, CellId, ClockConstraint, ClockId, Condition, Expression, ExpressionId, Formula,
    LocationId, Model, Place, PlaceIndex, ProcessId, Relation, Storage, UnaryOperator, ValueOf,
};
use std::ops::{Add, Mul, Neg, Rem, Sub};
use zonaut_base::Id;

/// An integer variable of a network under construction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variable(pub(super) CellId);

/// An array of integers of a network under construction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Array {
    pub(super) first: CellId,
    pub(super) size: u32,
}

/// A clock of a network under construction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockHandle(pub(super) ClockId);

/// An integer expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term(Form);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Form {
    Constant(i32),
    Read(Cell),
    At(ProcessId, LocationId),
    Unary(UnaryOperator, Box<Form>),
    Binary(BinaryOperator, Box<Form>, Box<Form>),
    And(Box<Form>, Box<Form>),
    Or(Box<Form>, Box<Form>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Cell {
    Variable(Variable),
    Element(Array, Box<Form>),
}

impl Cell {
    fn place(&self, model: &mut Model) -> Place<Storage> {
        match self {
            Self::Variable(variable) => Place::fixed(Storage::Cell(variable.0)),
            Self::Element(array, index) => match **index {
                Form::Constant(value) if (0..array.size.cast_signed()).contains(&value) => {
                    let cell = CellId::from_index(array.first.index() + value as usize);
                    Place::fixed(Storage::Cell(cell))
                }
                _ => {
                    let value = index.push(model);
                    let index = PlaceIndex { value, low: 0, size: array.size, stride: 1 };
                    Place { root: Storage::Cell(array.first), indices: vec![index] }
                }
            },
        }
    }
}

impl Form {
    fn push(&self, model: &mut Model) -> ExpressionId {
        let expression = match self {
            Self::Constant(value) => Expression::Constant(*value),
            Self::Read(cell) => Expression::Read(cell.place(model)),
            Self::At(process, location) => Expression::At(*process, *location),
            Self::Unary(operator, inner) => Expression::Unary(*operator, inner.push(model)),
            Self::Binary(operator, left, right) => {
                let left = left.push(model);
                Expression::Binary(*operator, left, right.push(model))
            }
            Self::And(left, right) => {
                let left = left.push(model);
                Expression::And(left, right.push(model))
            }
            Self::Or(left, right) => {
                let left = left.push(model);
                Expression::Or(left, right.push(model))
            }
        };
        model.expressions.push(expression)
    }
}

impl Term {
    pub(super) fn push(&self, model: &mut Model) -> ExpressionId {
        self.0.push(model)
    }

    pub(super) fn at(process: ProcessId, location: LocationId) -> Self {
        Self(Form::At(process, location))
    }

    fn binary(self, operator: BinaryOperator, other: impl Into<Self>) -> Self {
        Self(Form::Binary(operator, Box::new(self.0), Box::new(other.into().0)))
    }

    /// `self < other`
    #[must_use]
    pub fn less(self, other: impl Into<Self>) -> Self {
        self.binary(BinaryOperator::Less, other)
    }

    /// `self <= other`
    #[must_use]
    pub fn at_most(self, other: impl Into<Self>) -> Self {
        self.binary(BinaryOperator::LessEqual, other)
    }

    /// `self == other`
    #[must_use]
    pub fn equals(self, other: impl Into<Self>) -> Self {
        self.binary(BinaryOperator::Equal, other)
    }

    /// `self != other`
    #[must_use]
    pub fn differs(self, other: impl Into<Self>) -> Self {
        self.binary(BinaryOperator::NotEqual, other)
    }

    /// `self >= other`
    #[must_use]
    pub fn at_least(self, other: impl Into<Self>) -> Self {
        self.binary(BinaryOperator::GreaterEqual, other)
    }

    /// `self > other`
    #[must_use]
    pub fn greater(self, other: impl Into<Self>) -> Self {
        self.binary(BinaryOperator::Greater, other)
    }

    /// `self && other`
    #[must_use]
    pub fn and(self, other: impl Into<Self>) -> Self {
        Self(Form::And(Box::new(self.0), Box::new(other.into().0)))
    }

    /// `self || other`
    #[must_use]
    pub fn or(self, other: impl Into<Self>) -> Self {
        Self(Form::Or(Box::new(self.0), Box::new(other.into().0)))
    }

    /// `!self`
    #[must_use]
    pub fn negated(self) -> Self {
        Self(Form::Unary(UnaryOperator::Not, Box::new(self.0)))
    }
}

impl From<i32> for Term {
    fn from(value: i32) -> Self {
        Self(Form::Constant(value))
    }
}

impl From<Variable> for Term {
    fn from(variable: Variable) -> Self {
        Self(Form::Read(Cell::Variable(variable)))
    }
}

macro_rules! arithmetic {
    ($($trait:ident $method:ident $operator:ident),*) => {$(
        impl<T: Into<Term>> $trait<T> for Term {
            type Output = Term;
            fn $method(self, other: T) -> Term {
                self.binary(BinaryOperator::$operator, other)
            }
        }
        impl<T: Into<Term>> $trait<T> for Variable {
            type Output = Term;
            fn $method(self, other: T) -> Term {
                self.term().binary(BinaryOperator::$operator, other)
            }
        }
    )*};
}
arithmetic!(Add add Add, Sub sub Subtract, Mul mul Multiply, Rem rem Remainder);

impl Neg for Term {
    type Output = Self;
    fn neg(self) -> Self {
        Self(Form::Unary(UnaryOperator::Negate, Box::new(self.0)))
    }
}

impl Variable {
    /// The value of the variable.
    #[must_use]
    pub fn term(self) -> Term {
        self.into()
    }

    /// Assigns a value to the variable.
    #[must_use]
    pub fn set(self, value: impl Into<Term>) -> Update {
        Update(Effect::Set(Cell::Variable(self), value.into()))
    }
}

impl Array {
    /// The value of an element.
    #[must_use]
    pub fn element(self, index: impl Into<Term>) -> Term {
        Term(Form::Read(Cell::Element(self, Box::new(index.into().0))))
    }

    /// Assigns a value to an element.
    #[must_use]
    pub fn set(self, index: impl Into<Term>, value: impl Into<Term>) -> Update {
        Update(Effect::Set(Cell::Element(self, Box::new(index.into().0)), value.into()))
    }
}

/// An update of an edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Update(Effect);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Effect {
    Set(Cell, Term),
    SetClock(ClockHandle, Term),
    CopyClock(ClockHandle, ClockHandle),
    AddCost(Term),
}

impl Update {
    /// Adds to the cost.
    #[must_use]
    pub fn add_cost(price: impl Into<Term>) -> Self {
        Self(Effect::AddCost(price.into()))
    }

    pub(super) fn push(&self, model: &mut Model) -> ExpressionId {
        let expression = match &self.0 {
            Effect::Set(cell, value) => {
                let place = cell.place(model);
                let value = value.push(model);
                Expression::Assign { place, operator: None, value, result: ValueOf::After }
            }
            Effect::SetClock(clock, value) => {
                Expression::AssignClock(Place::fixed(clock.0), value.push(model))
            }
            Effect::CopyClock(target, source) => {
                Expression::CopyClock(Place::fixed(target.0), Place::fixed(source.0))
            }
            Effect::AddCost(price) => Expression::AddCost(price.push(model)),
        };
        model.expressions.push(expression)
    }
}

/// A clock, or the difference of two, compared with an integer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClockTest {
    left: ClockHandle,
    right: Option<ClockHandle>,
    relation: Relation,
    bound: Term,
}

impl ClockHandle {
    fn test(self, relation: Relation, bound: impl Into<Term>) -> ClockTest {
        ClockTest { left: self, right: None, relation, bound: bound.into() }
    }

    /// `x < bound`
    #[must_use]
    pub fn less(self, bound: impl Into<Term>) -> ClockTest {
        self.test(Relation::Less, bound)
    }

    /// `x <= bound`
    #[must_use]
    pub fn at_most(self, bound: impl Into<Term>) -> ClockTest {
        self.test(Relation::LessEqual, bound)
    }

    /// `x == bound`
    #[must_use]
    pub fn equals(self, bound: impl Into<Term>) -> ClockTest {
        self.test(Relation::Equal, bound)
    }

    /// `x >= bound`
    #[must_use]
    pub fn at_least(self, bound: impl Into<Term>) -> ClockTest {
        self.test(Relation::GreaterEqual, bound)
    }

    /// `x > bound`
    #[must_use]
    pub fn greater(self, bound: impl Into<Term>) -> ClockTest {
        self.test(Relation::Greater, bound)
    }

    /// Resets the clock to 0.
    #[must_use]
    pub fn reset(self) -> Update {
        self.set(0)
    }

    /// Sets the clock to an integer.
    #[must_use]
    pub fn set(self, value: impl Into<Term>) -> Update {
        Update(Effect::SetClock(self, value.into()))
    }

    /// Sets the clock to the value of another clock.
    #[must_use]
    pub fn copy_from(self, source: Self) -> Update {
        Update(Effect::CopyClock(self, source))
    }
}

impl ClockTest {
    /// The same constraint on the difference to another clock: `x < 5` becomes `x - y < 5`.
    #[must_use]
    pub fn minus(mut self, right: ClockHandle) -> Self {
        self.right = Some(right);
        self
    }

    fn push(&self, model: &mut Model) -> ClockConstraint {
        ClockConstraint {
            condition: None,
            left: Place::fixed(self.left.0),
            right: self.right.map(|right| Place::fixed(right.0)),
            relation: self.relation,
            bound: self.bound.push(model),
        }
    }
}

/// A conjunct of a guard or of an invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Test {
    /// A condition on data.
    Data(Term),
    /// A condition on clocks.
    Clock(ClockTest),
}

impl From<Term> for Test {
    fn from(term: Term) -> Self {
        Self::Data(term)
    }
}

impl From<ClockTest> for Test {
    fn from(test: ClockTest) -> Self {
        Self::Clock(test)
    }
}

impl Test {
    pub(super) fn conjunction(tests: &[Self], model: &mut Model) -> Condition {
        let mut condition = Condition::default();
        for test in tests {
            match test {
                Self::Clock(test) => condition.clocks.push(test.push(model)),
                Self::Data(term) => {
                    let data = term.push(model);
                    condition.data = Some(match condition.data {
                        None => data,
                        Some(before) => model.expressions.push(Expression::And(before, data)),
                    });
                }
            }
        }
        condition
    }
}

/// A state formula of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// A condition that could also be a conjunct of a guard.
    Test(Test),
    /// No transition is enabled, now or after any delay.
    Deadlock,
    /// The negation.
    Not(Box<Claim>),
    /// The conjunction.
    All(Vec<Claim>),
    /// The disjunction.
    Some(Vec<Claim>),
}

impl<T: Into<Test>> From<T> for Claim {
    fn from(test: T) -> Self {
        Self::Test(test.into())
    }
}

impl Claim {
    pub(super) fn formula(&self, model: &mut Model) -> Formula {
        match self {
            Self::Test(Test::Data(term)) => Formula::Data(term.push(model)),
            Self::Test(Test::Clock(test)) => Formula::Clock(test.push(model)),
            Self::Deadlock => Formula::Deadlock,
            Self::Not(inner) => Formula::Not(Box::new(inner.formula(model))),
            Self::All(parts) => {
                Formula::And(parts.iter().map(|part| part.formula(model)).collect())
            }
            Self::Some(parts) => {
                Formula::Or(parts.iter().map(|part| part.formula(model)).collect())
            }
        }
    }
}
