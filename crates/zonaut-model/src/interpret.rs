//! The reference interpreter: expressions and functions over concrete values.
//!
//! It is written for clarity, not for speed. The front end folds constants with it, and tests
//! compare the engine's compiled code with it.

use crate::{
    Argument, BinaryOperator, CLOCK_LIMIT, ClockId, Condition, Expression, ExpressionId, Function,
    FunctionId, LocalId, LocationId, Model, Parameter, Place, PlaceIndex, QuantifierKind, Range,
    Statement, Storage, UnaryOperator, ValueOf,
};
use std::fmt;
use zonaut_base::{Id, IndexVec, Meter, StopReason};

/// A run-time error of an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ErrorKind {
    /// A stored value is outside the range of its variable.
    Range(i64, Range),
    /// An array index is outside its range.
    Index(i32, Range),
    /// Division or remainder by zero.
    Division,
    /// Shift by less than 0 or more than 31.
    Shift(i32),
    /// A power with a negative exponent.
    Exponent(i32),
    /// A value that does not fit 32 bits.
    Overflow,
    /// A clock set to a negative value.
    NegativeClock(i32),
    /// A clock set to, or compared with, a value beyond [`CLOCK_LIMIT`].
    ClockLimit(i32),
    /// A price below zero.
    NegativeCost(i32),
    /// A function with a result ended without `return`.
    MissingReturn,
    /// An `assert` that does not hold.
    Assertion,
    /// A floating-point operation without a value, such as the root of a negative number.
    NotANumber,
    /// Parameters for which a distribution is not defined.
    Distribution,
    /// An exponential rate that is not positive, or a weight that is negative.
    NegativeRate,
    /// Weights of branches of which none is positive.
    NoWeight,
    /// The step budget is exhausted; perhaps an endless loop.
    Budget,
    /// No error of the model: the meter has stopped the work that this evaluation is part of.
    Stopped(StopReason),
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Range(value, range) => {
                write!(f, "the value {value} is outside the range {range}")
            }
            Self::Index(value, range) => {
                write!(f, "the index {value} is outside the range {range}")
            }
            Self::Division => f.write_str("division by zero"),
            Self::Shift(by) => write!(f, "shift by {by}, which is not in [0,31]"),
            Self::Exponent(by) => write!(f, "the exponent {by} is negative"),
            Self::Overflow => f.write_str("the value does not fit 32 bits"),
            Self::NegativeClock(value) => write!(f, "a clock is set to the negative value {value}"),
            Self::ClockLimit(value) => {
                write!(f, "{value} is beyond the limit of clock values, which is {CLOCK_LIMIT}")
            }
            Self::NegativeCost(value) => {
                write!(f, "the cost is changed by {value}, which is negative")
            }
            Self::MissingReturn => f.write_str("the function ends without returning a value"),
            Self::Assertion => f.write_str("the assertion does not hold"),
            Self::NotANumber => f.write_str("the result is not a number"),
            Self::Distribution => f.write_str("the distribution has no such parameters"),
            Self::NegativeRate => f.write_str("the rate or weight is negative"),
            Self::NoWeight => f.write_str("the weights of the branches sum to 0"),
            Self::Budget => f.write_str("too many steps: perhaps an endless loop"),
            Self::Stopped(why) => why.fmt(f),
        }
    }
}

/// A run-time error and the expression whose evaluation failed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RunTimeError {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The expression whose evaluation failed.
    pub expression: ExpressionId,
}

/// An effect of an update on a clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClockEffect {
    /// Sets it to a number, which is not negative.
    Set(ClockId, i32),
    /// Sets the first to the value of the second.
    Copy(ClockId, ClockId),
}

/// The default step budget of one evaluation.
pub const DEFAULT_BUDGET: u64 = 10_000_000;

/// Applies an infix operator.
///
/// # Errors
/// If the operator has no value for these operands, or one that does not fit 32 bits.
pub fn apply(operator: BinaryOperator, left: i32, right: i32) -> Result<i32, ErrorKind> {
    use BinaryOperator as B;
    let (a, b) = (i64::from(left), i64::from(right));
    let shift = || u32::try_from(right).ok().filter(|&by| by < 32).ok_or(ErrorKind::Shift(right));
    let value = match operator {
        B::Add => a + b,
        B::Subtract => a - b,
        B::Multiply => a * b,
        B::Divide => a.checked_div(b).ok_or(ErrorKind::Division)?,
        B::Remainder => a.checked_rem(b).ok_or(ErrorKind::Division)?,
        B::Power => {
            let exponent = u32::try_from(right).map_err(|_| ErrorKind::Exponent(right))?;
            i64::from(left.checked_pow(exponent).ok_or(ErrorKind::Overflow)?)
        }
        B::ShiftLeft => a << shift()?,
        B::ShiftRight => a >> shift()?,
        B::Minimum => a.min(b),
        B::Maximum => a.max(b),
        B::BitAnd => a & b,
        B::BitOr => a | b,
        B::BitXor => a ^ b,
        B::Less => i64::from(a < b),
        B::LessEqual => i64::from(a <= b),
        B::Equal => i64::from(a == b),
        B::NotEqual => i64::from(a != b),
        B::GreaterEqual => i64::from(a >= b),
        B::Greater => i64::from(a > b),
    };
    i32::try_from(value).map_err(|_| ErrorKind::Overflow)
}

/// Applies a prefix operator.
///
/// # Errors
/// If the value does not fit 32 bits.
pub fn apply_unary(operator: UnaryOperator, operand: i32) -> Result<i32, ErrorKind> {
    match operator {
        UnaryOperator::Negate => operand.checked_neg().ok_or(ErrorKind::Overflow),
        UnaryOperator::Not => Ok(i32::from(operand == 0)),
    }
}

/// Returns `value` if a clock can be set to it.
///
/// # Errors
/// If it is negative or beyond [`CLOCK_LIMIT`].
pub fn clock_value(value: i32) -> Result<i32, ErrorKind> {
    if value < 0 { Err(ErrorKind::NegativeClock(value)) } else { clock_bound(value) }
}

/// Returns `value` if a clock or a difference of clocks can be compared with it.
///
/// # Errors
/// If its magnitude is beyond [`CLOCK_LIMIT`].
pub fn clock_bound(value: i32) -> Result<i32, ErrorKind> {
    let is_within = (-CLOCK_LIMIT..=CLOCK_LIMIT).contains(&value);
    if is_within { Ok(value) } else { Err(ErrorKind::ClockLimit(value)) }
}

/// An evaluator for the expressions of one model, with the state it works on.
#[derive(Clone, Debug)]
pub struct Interpreter<'m> {
    model: &'m Model,
    /// The values of the cells.
    pub cells: Vec<i32>,
    /// The location vector; may be empty if no evaluated expression reads it.
    pub locations: Vec<LocationId>,
    /// Effects on clocks, in order.
    pub clock_effects: Vec<ClockEffect>,
    /// The sum of the prices that were added to the cost.
    pub cost: i64,
    locals: Vec<i32>,
    steps_left: u64,
    meter: Meter,
}

type Outcome<T> = Result<T, RunTimeError>;

enum Flow {
    Next,
    /// The returned number; absent for `void` and for arrays and structs.
    Return(Option<i32>),
}

impl<'m> Interpreter<'m> {
    /// An interpreter in the initial state, with `budget` steps for each evaluation.
    #[must_use]
    pub fn new(model: &'m Model, budget: u64) -> Self {
        Self {
            model,
            cells: model.initial_cells(),
            locations: Vec::new(),
            clock_effects: Vec::new(),
            cost: 0,
            locals: vec![0; model.locals.len()],
            steps_left: budget,
            meter: Meter::default(),
        }
    }

    /// The same interpreter with its steps counted on `meter` as well.
    #[must_use]
    pub fn metered(self, meter: &Meter) -> Self {
        Self { meter: meter.clone(), ..self }
    }

    /// Sets a local, for example a `select` variable.
    pub fn set_local(&mut self, local: LocalId, value: i32) {
        self.locals[local.index()] = value;
    }

    /// The value of a local.
    #[must_use]
    pub fn local(&self, local: LocalId) -> i32 {
        self.locals[local.index()]
    }

    /// Resets the step budget to `budget`.
    pub fn refill(&mut self, budget: u64) {
        self.steps_left = budget;
    }

    /// Whether the data part of `condition` holds.
    ///
    /// # Errors
    /// If evaluation fails.
    pub fn data_holds(&mut self, condition: &Condition) -> Outcome<bool> {
        condition.data.map_or(Ok(true), |data| self.holds(data))
    }

    /// Whether `expression` holds.
    ///
    /// # Errors
    /// If evaluation fails.
    pub fn holds(&mut self, expression: ExpressionId) -> Outcome<bool> {
        Ok(self.evaluate(expression)? != 0)
    }

    /// The value of `bound`, with which clocks are compared.
    ///
    /// # Errors
    /// If evaluation fails or the value is beyond [`CLOCK_LIMIT`].
    pub fn clock_bound(&mut self, bound: ExpressionId) -> Outcome<i32> {
        let value = self.evaluate(bound)?;
        clock_bound(value).map_err(at(bound))
    }

    /// The value of `id`. Recursion follows nesting, which the parser limits, but not the left
    /// spine of a chain, which may be very long.
    ///
    /// # Errors
    /// If evaluation fails.
    pub fn evaluate(&mut self, id: ExpressionId) -> Outcome<i32> {
        self.step(id)?;
        let model = self.model;
        match &model.expressions[id] {
            Expression::Constant(value) => Ok(*value),
            Expression::Read(place) => {
                let address = self.address(id, place)?;
                Ok(self.load(address))
            }
            Expression::At(process, location) => {
                Ok(i32::from(self.locations[process.index()] == *location))
            }
            Expression::Unary(operator, operand) => {
                let operand = self.evaluate(*operand)?;
                apply_unary(*operator, operand).map_err(at(id))
            }
            Expression::Binary(..) | Expression::And(..) | Expression::Or(..) => {
                self.evaluate_chain(id)
            }
            Expression::Conditional(condition, yes, no) => {
                let chosen = if self.holds(*condition)? { *yes } else { *no };
                self.evaluate(chosen)
            }
            Expression::Quantifier { kind, binder, low, high, body } => {
                self.quantify(id, *kind, *binder, *low..=*high, *body)
            }
            Expression::SameContent(left, right, length) => {
                let (left, right) = (self.address(id, left)?, self.address(id, right)?);
                self.steps(id, *length)?;
                let same = |k| self.load(offset(left, k)) == self.load(offset(right, k));
                Ok(i32::from((0..*length as usize).all(same)))
            }
            Expression::Assign { place, operator, value, result } => {
                self.assign(id, place, *operator, *value, *result)
            }
            Expression::CopyContent(target, source, length) => {
                let (target, source) = (self.address(id, target)?, self.address(id, source)?);
                self.copy(id, target, source, *length)?;
                Ok(0)
            }
            Expression::Call(function, arguments) => self.call(id, *function, arguments),
            Expression::AssignClock(place, value) => {
                let clock = self.element(id, &place.indices, place.root)?;
                let value = clock_value(self.evaluate(*value)?).map_err(at(id))?;
                self.clock_effects.push(ClockEffect::Set(clock, value));
                Ok(0)
            }
            Expression::CopyClock(target, source) => {
                let target = self.element(id, &target.indices, target.root)?;
                let source = self.element(id, &source.indices, source.root)?;
                self.clock_effects.push(ClockEffect::Copy(target, source));
                Ok(0)
            }
            Expression::AddCost(value) => {
                let value = self.evaluate(*value)?;
                if value < 0 {
                    return Err(at(id)(ErrorKind::NegativeCost(value)));
                }
                self.cost += i64::from(value);
                Ok(0)
            }
            Expression::Sequence(parts) => {
                let mut last = 0;
                for part in parts {
                    last = self.evaluate(*part)?;
                }
                Ok(last)
            }
        }
    }

    /// The element that `indices` select, counted from `root`.
    ///
    /// # Errors
    /// If the evaluation of an index fails or its value is out of range.
    pub fn element<I: Id>(
        &mut self,
        at: ExpressionId,
        indices: &[PlaceIndex],
        root: I,
    ) -> Outcome<I> {
        Ok(I::from_index(root.index() + self.displacement(at, indices)?))
    }

    fn displacement(&mut self, id: ExpressionId, indices: &[PlaceIndex]) -> Outcome<usize> {
        let mut sum = 0;
        for index in indices {
            let value = self.evaluate(index.value)?;
            let position = i64::from(value) - i64::from(index.low);
            if position < 0 || position >= i64::from(index.size) {
                let high = index.low.wrapping_add(index.size as i32).wrapping_sub(1);
                let range = Range { low: index.low, high };
                return Err(at(id)(ErrorKind::Index(value, range)));
            }
            sum += position as usize * index.stride as usize;
        }
        Ok(sum)
    }

    fn address(&mut self, id: ExpressionId, place: &Place<Storage>) -> Outcome<Storage> {
        Ok(offset(place.root, self.displacement(id, &place.indices)?))
    }

    /// Evaluates a left-leaning chain of operators from its innermost operand outwards.
    fn evaluate_chain(&mut self, id: ExpressionId) -> Outcome<i32> {
        let model = self.model;
        let mut spine = vec![id];
        let mut left = left_operand(&model.expressions, id);
        while let Some(inner) =
            left.filter(|&inner| left_operand(&model.expressions, inner).is_some())
        {
            spine.push(inner);
            left = left_operand(&model.expressions, inner);
        }
        let mut value = self.evaluate(left.expect("invariant: a chain has a left operand"))?;
        for &link in spine.iter().rev() {
            self.step(link)?;
            value = match model.expressions[link] {
                Expression::And(_, right) => i32::from(value != 0 && self.holds(right)?),
                Expression::Or(_, right) => i32::from(value != 0 || self.holds(right)?),
                Expression::Binary(operator, _, right) => {
                    apply(operator, value, self.evaluate(right)?).map_err(at(link))?
                }
                _ => value,
            };
        }
        Ok(value)
    }

    fn quantify(
        &mut self,
        id: ExpressionId,
        kind: QuantifierKind,
        binder: LocalId,
        values: std::ops::RangeInclusive<i32>,
        body: ExpressionId,
    ) -> Outcome<i32> {
        let mut sum = 0;
        for value in values {
            self.set_local(binder, value);
            let value = self.evaluate(body)?;
            match kind {
                QuantifierKind::ForAll if value == 0 => return Ok(0),
                QuantifierKind::Exists if value != 0 => return Ok(1),
                QuantifierKind::ForAll | QuantifierKind::Exists => {}
                QuantifierKind::Sum => {
                    sum = apply(BinaryOperator::Add, sum, value).map_err(at(id))?;
                }
            }
        }
        Ok(if kind == QuantifierKind::ForAll { 1 } else { sum })
    }

    fn assign(
        &mut self,
        id: ExpressionId,
        place: &Place<Storage>,
        operator: Option<BinaryOperator>,
        value: ExpressionId,
        result: ValueOf,
    ) -> Outcome<i32> {
        let address = self.address(id, place)?;
        let value = self.evaluate(value)?;
        let before = self.load(address);
        let after = match operator {
            Some(operator) => apply(operator, before, value).map_err(at(id))?,
            None => value,
        };
        self.store(id, address, after)?;
        Ok(if result == ValueOf::Before { before } else { after })
    }

    fn call(
        &mut self,
        id: ExpressionId,
        function: FunctionId,
        arguments: &[Argument],
    ) -> Outcome<i32> {
        let model = self.model;
        let function = &model.functions[function];
        let mut values = Vec::new();
        for (argument, parameter) in arguments.iter().zip(&function.parameters) {
            match argument {
                Argument::Value(value) => values.push(self.evaluate(*value)?),
                Argument::Content(place) => {
                    let source = self.address(id, place)?;
                    self.steps(id, parameter.length)?;
                    let length = parameter.length as usize;
                    values.extend((0..length).map(|k| self.load(offset(source, k))));
                }
            }
        }
        let targets = function.parameters.iter().flat_map(|parameter| addresses(*parameter));
        for (target, value) in targets.zip(values) {
            self.store(id, target, value)?;
        }
        self.run_function(id, function)
    }

    fn run_function(&mut self, id: ExpressionId, function: &Function) -> Outcome<i32> {
        match (self.run(id, &function.body)?, function.result) {
            (Flow::Next, Some(_)) => Err(at(id)(ErrorKind::MissingReturn)),
            (Flow::Return(Some(value)), Some(result)) => {
                self.store(id, Storage::Local(result.first), value)?;
                Ok(value)
            }
            // `ReturnContent` has stored arrays and structs in the storage of the result.
            (Flow::Return(None), Some(_)) | (_, None) => Ok(0),
        }
    }

    /// Runs statements of the function that the expression `call` calls.
    fn run(&mut self, call: ExpressionId, body: &[Statement]) -> Outcome<Flow> {
        for statement in body {
            if let Flow::Return(value) = self.run_statement(call, statement)? {
                return Ok(Flow::Return(value));
            }
        }
        Ok(Flow::Next)
    }

    fn run_statement(&mut self, call: ExpressionId, statement: &Statement) -> Outcome<Flow> {
        match statement {
            Statement::Expression(expression) => {
                self.evaluate(*expression)?;
            }
            Statement::If(condition, yes, no) => {
                let chosen = if self.holds(*condition)? { yes } else { no };
                return self.run(call, chosen);
            }
            Statement::While(condition, body) => {
                while self.holds(*condition)? {
                    if let Flow::Return(value) = self.run(call, body)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::DoWhile(body, condition) => loop {
                if let Flow::Return(value) = self.run(call, body)? {
                    return Ok(Flow::Return(value));
                }
                if !self.holds(*condition)? {
                    break;
                }
            },
            Statement::Iterate { binder, low, high, body } => {
                for value in *low..=*high {
                    // The body may be empty, so the iteration itself counts as a step.
                    self.step(call)?;
                    self.set_local(*binder, value);
                    if let Flow::Return(value) = self.run(call, body)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::Return(value) => {
                let value = value.map(|value| self.evaluate(value)).transpose()?;
                return Ok(Flow::Return(value));
            }
            Statement::ReturnContent { source, target, at } => {
                let source = self.address(*at, source)?;
                self.steps(*at, target.length)?;
                for (k, address) in addresses(*target).enumerate() {
                    let value = self.load(offset(source, k));
                    self.store(*at, address, value)?;
                }
                return Ok(Flow::Return(None));
            }
            Statement::Assert(condition) => {
                if !self.holds(*condition)? {
                    return Err(at(*condition)(ErrorKind::Assertion));
                }
            }
        }
        Ok(Flow::Next)
    }

    fn copy(
        &mut self,
        id: ExpressionId,
        target: Storage,
        source: Storage,
        length: u32,
    ) -> Outcome<()> {
        self.steps(id, length)?;
        // All values are read before the first is written, because the places may overlap.
        let content: Vec<i32> =
            (0..length as usize).map(|k| self.load(offset(source, k))).collect();
        for (k, value) in content.into_iter().enumerate() {
            self.store(id, offset(target, k), value)?;
        }
        Ok(())
    }

    fn load(&self, address: Storage) -> i32 {
        match address {
            Storage::Cell(cell) => self.cells[cell.index()],
            Storage::Local(local) => self.locals[local.index()],
            Storage::Constant(constant) => self.model.constants[constant],
        }
    }

    fn store(&mut self, id: ExpressionId, address: Storage, value: i32) -> Outcome<()> {
        let (slot, range) = match address {
            Storage::Cell(cell) => (&mut self.cells[cell.index()], self.model.cells[cell].range),
            Storage::Local(local) => {
                (&mut self.locals[local.index()], self.model.locals[local].range)
            }
            Storage::Constant(_) => return Ok(()),
        };
        if !range.contains(i64::from(value)) {
            return Err(at(id)(ErrorKind::Range(i64::from(value), range)));
        }
        *slot = value;
        Ok(())
    }

    fn step(&mut self, id: ExpressionId) -> Outcome<()> {
        self.steps(id, 1)
    }

    fn steps(&mut self, id: ExpressionId, count: u32) -> Outcome<()> {
        let left = self.steps_left.checked_sub(u64::from(count));
        self.steps_left = left.ok_or_else(|| at(id)(ErrorKind::Budget))?;
        self.meter.spend(count).map_err(|why| at(id)(ErrorKind::Stopped(why)))
    }
}

/// The left operand, if `id` is a link of a left-leaning chain.
fn left_operand(
    expressions: &IndexVec<ExpressionId, Expression>,
    id: ExpressionId,
) -> Option<ExpressionId> {
    match expressions[id] {
        Expression::Binary(_, left, _) | Expression::And(left, _) | Expression::Or(left, _) => {
            Some(left)
        }
        _ => None,
    }
}

/// The address `distance` integers after `address`.
#[must_use]
pub fn offset(address: Storage, distance: usize) -> Storage {
    match address {
        Storage::Cell(cell) => Storage::Cell(Id::from_index(cell.index() + distance)),
        Storage::Local(local) => Storage::Local(Id::from_index(local.index() + distance)),
        Storage::Constant(constant) => {
            Storage::Constant(Id::from_index(constant.index() + distance))
        }
    }
}

fn addresses(parameter: Parameter) -> impl Iterator<Item = Storage> {
    (0..parameter.length as usize).map(move |k| offset(Storage::Local(parameter.first), k))
}

fn at(expression: ExpressionId) -> impl Fn(ErrorKind) -> RunTimeError {
    move |kind| RunTimeError { kind, expression }
}
