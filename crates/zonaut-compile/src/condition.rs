//! Compiled conditions and updates: common forms directly, others as code.

use crate::code::{CodeRef, Machine, Program};
use crate::sampling::{RealConstraint, TimeUse};
use crate::translate::Translator;
use zonaut_analysis::normal_form::{Connective, operands};
use zonaut_base::Id;
use zonaut_dbm::{Bound, ConstantBound, Width};
use zonaut_model::interpret::{ClockEffect, RunTimeError, clock_bound, clock_value};
use zonaut_model::{
    BinaryOperator, CLOCK_LIMIT, ClockConstraint, ClockId, Condition, Expression, ExpressionId,
    Place, Relation, Storage, ValueOf,
};

// The limit of evaluation is the limit of zones.
const _: () = assert!(CLOCK_LIMIT == ConstantBound::MAX);

/// A row of the clock matrix over all clocks of the network: 0 is the reference clock, and clock
/// `c` is row `c + 1`.
pub type ClockRow = u32;

/// The row of a clock.
#[must_use]
pub fn row_of(clock: ClockId) -> ClockRow {
    clock.index() as u32 + 1
}

/// A constraint `x - y` within a bound: a constant in the tables of a network, and a bound of the
/// width of zones during exploration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Constraint<B = ConstantBound> {
    /// The clock.
    pub x: ClockRow,
    /// The clock that is subtracted.
    pub y: ClockRow,
    /// The bound on the difference.
    pub bound: B,
}

impl Constraint {
    /// The constraint on clocks that run `scale` times as fast.
    #[must_use]
    pub fn scaled(self, scale: i32) -> Self {
        let value = self.bound.value() * scale;
        let is_strict = self.bound.is_strict();
        let bound = if is_strict { ConstantBound::lt(value) } else { ConstantBound::le(value) };
        Self { bound, ..self }
    }

    /// The constraints equivalent to `x - y relation value`, one or two.
    fn of(x: ClockRow, y: ClockRow, relation: Relation, value: i32) -> [Option<Self>; 2] {
        let upper = |bound| Some(Self { x, y, bound });
        let lower = |bound| Some(Self { x: y, y: x, bound });
        match relation {
            Relation::Less => [upper(ConstantBound::lt(value)), None],
            Relation::LessEqual => [upper(ConstantBound::le(value)), None],
            Relation::Equal => [upper(ConstantBound::le(value)), lower(ConstantBound::le(-value))],
            Relation::GreaterEqual => [lower(ConstantBound::le(-value)), None],
            Relation::Greater => [lower(ConstantBound::lt(-value)), None],
        }
    }
}

impl<W: Width> From<Constraint> for Constraint<Bound<W>> {
    #[inline]
    fn from(constraint: Constraint) -> Self {
        Self { x: constraint.x, y: constraint.y, bound: constraint.bound.into() }
    }
}

/// A test of data.
#[derive(Clone, Copy, Debug)]
enum Test {
    /// Compares a value of the state with a constant.
    Compare(u32, BinaryOperator, i32),
    /// Whether the value of code is not zero.
    Code(CodeRef),
}

/// A clock, possibly selected at run time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ClockRef {
    Fixed(ClockRow),
    Displaced(ClockRow, CodeRef),
}

impl ClockRef {
    pub(crate) fn new(translator: &mut Translator<'_>, place: &Place<ClockId>) -> Self {
        let root = row_of(place.root);
        match translator.constant_displacement(&place.indices) {
            Some(displacement) => Self::Fixed(root + displacement as u32),
            None => Self::Displaced(root, translator.displacement(&place.indices)),
        }
    }

    /// The row of the clock in the state.
    pub(crate) fn row(
        self,
        program: &Program,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<ClockRow, RunTimeError> {
        match self {
            Self::Fixed(row) => Ok(row),
            Self::Displaced(row, code) => {
                Ok(row + program.run(code, values, machine)?.unsigned_abs())
            }
        }
    }
}

/// A clock constraint that depends on data.
#[derive(Clone, Copy, Debug)]
struct DynamicConstraint {
    condition: Option<CodeRef>,
    left: ClockRef,
    right: ClockRef,
    relation: Relation,
    bound: CodeRef,
    blame: ExpressionId,
}

/// A conjunction of tests on data and of clock constraints.
#[derive(Clone, Debug, Default)]
pub struct CompiledCondition {
    tests: Box<[Test]>,
    fixed: Box<[Constraint]>,
    dynamic: Box<[DynamicConstraint]>,
    /// Whether the data part changes while time passes: floating point depends on clocks.
    is_timed: bool,
}

impl CompiledCondition {
    pub(crate) fn new(translator: &mut Translator<'_>, condition: &Condition) -> Self {
        let mut tests = Vec::new();
        if let Some(data) = condition.data {
            conjuncts(translator, data, &mut tests);
        }
        let (mut fixed, mut dynamic) = (Vec::new(), Vec::new());
        for constraint in &condition.clocks {
            compile_constraint(translator, constraint, &mut fixed, &mut dynamic);
        }
        let is_timed = translator.has_reals()
            && condition.data.is_some_and(|data| TimeUse::of(translator.model).expression(data));
        Self { tests: tests.into(), fixed: fixed.into(), dynamic: dynamic.into(), is_timed }
    }

    /// Whether the data part changes while time passes: floating point depends on clocks.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.is_timed
    }

    /// Calls `visit` with every clock constraint that applies in the state, with bounds of any
    /// number; the condition is compiled for sampling.
    #[inline]
    pub(crate) fn for_each_real_constraint(
        &self,
        program: &Program,
        values: &mut [i32],
        machine: &mut Machine,
        mut visit: impl FnMut(RealConstraint),
    ) -> Result<(), RunTimeError> {
        self.fixed.iter().for_each(|&constraint| visit(constraint.into()));
        for constraint in &self.dynamic {
            if let Some(condition) = constraint.condition
                && program.run(condition, values, machine)? == 0
            {
                continue;
            }
            let x = constraint.left.row(program, values, machine)?;
            let y = constraint.right.row(program, values, machine)?;
            let bound = program.run_real(constraint.bound, values, machine)?;
            RealConstraint::of(x, y, constraint.relation, bound)
                .into_iter()
                .flatten()
                .for_each(&mut visit);
        }
        Ok(())
    }

    /// Whether it is always true.
    pub(crate) fn is_trivial(&self) -> bool {
        self.tests.is_empty() && !self.constrains_clocks()
    }

    /// Whether it has a clock constraint.
    #[must_use]
    pub fn constrains_clocks(&self) -> bool {
        !self.fixed.is_empty() || !self.dynamic.is_empty()
    }

    /// Whether some clock constraint is computed at run time, which can fail.
    #[must_use]
    pub fn has_computed_constraints(&self) -> bool {
        !self.dynamic.is_empty()
    }

    /// Whether evaluating it can fail.
    #[must_use]
    pub(crate) fn may_fail(&self) -> bool {
        self.has_computed_constraints() || self.tests.iter().any(|t| matches!(t, Test::Code(_)))
    }

    /// Whether the data part holds.
    #[inline]
    pub(crate) fn data_holds(
        &self,
        program: &Program,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<bool, RunTimeError> {
        for test in &self.tests {
            let holds = match *test {
                Test::Compare(position, operator, constant) => {
                    compare(operator, values[position as usize], constant)
                }
                Test::Code(code) => program.run(code, values, machine)? != 0,
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Calls `visit` with every clock constraint that applies in the state.
    #[inline]
    pub(crate) fn for_each_constraint(
        &self,
        program: &Program,
        values: &mut [i32],
        machine: &mut Machine,
        mut visit: impl FnMut(Constraint),
    ) -> Result<(), RunTimeError> {
        self.fixed.iter().copied().for_each(&mut visit);
        for constraint in &self.dynamic {
            for atom in constraint.evaluate(program, values, machine)?.into_iter().flatten() {
                visit(atom);
            }
        }
        Ok(())
    }
}

impl DynamicConstraint {
    fn evaluate(
        &self,
        program: &Program,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<[Option<Constraint>; 2], RunTimeError> {
        if let Some(condition) = self.condition
            && program.run(condition, values, machine)? == 0
        {
            return Ok([None, None]);
        }
        let x = self.left.row(program, values, machine)?;
        let y = self.right.row(program, values, machine)?;
        let value = clock_bound(program.run(self.bound, values, machine)?)
            .map_err(|kind| RunTimeError { kind, expression: self.blame })?;
        Ok(Constraint::of(x, y, self.relation, value))
    }
}

/// Splits a conjunction into its parts.
fn conjuncts(translator: &mut Translator<'_>, data: ExpressionId, tests: &mut Vec<Test>) {
    for part in operands(&translator.model.expressions, data, Connective::And) {
        if translator.constant(part).is_some_and(|value| value != 0) {
            continue;
        }
        let test = comparison(translator, part);
        tests.push(test.unwrap_or_else(|| Test::Code(translator.expression(part))));
    }
}

/// A comparison of a variable with a constant, if `id` is one.
fn comparison(translator: &Translator<'_>, id: ExpressionId) -> Option<Test> {
    let expressions = &translator.model.expressions;
    match expressions[id] {
        Expression::Binary(operator, left, right) if operator.is_comparison() => {
            let constant = translator.constant(right)?;
            Some(Test::Compare(variable(translator, left)?, operator, constant))
        }
        Expression::At(process, location) => {
            let location = location.index() as i32;
            Some(Test::Compare(process.index() as u32, BinaryOperator::Equal, location))
        }
        Expression::Unary(zonaut_model::UnaryOperator::Not, operand) => {
            Some(Test::Compare(variable(translator, operand)?, BinaryOperator::Equal, 0))
        }
        Expression::Read(_) => {
            Some(Test::Compare(variable(translator, id)?, BinaryOperator::NotEqual, 0))
        }
        _ => None,
    }
}

/// The position of the variable that `id` reads, if its address is fixed.
fn variable(translator: &Translator<'_>, id: ExpressionId) -> Option<u32> {
    match &translator.model.expressions[id] {
        Expression::Read(Place { root: Storage::Cell(cell), indices }) => {
            let displacement = translator.constant_displacement(indices)? as u32;
            Some(translator.cell_position(*cell) + displacement)
        }
        _ => None,
    }
}

fn compile_constraint(
    translator: &mut Translator<'_>,
    constraint: &ClockConstraint,
    fixed: &mut Vec<Constraint>,
    dynamic: &mut Vec<DynamicConstraint>,
) {
    let condition = match constraint.condition {
        None => None,
        Some(condition) => match translator.constant(condition) {
            Some(0) => return,
            Some(_) => None,
            None => Some(translator.expression(condition)),
        },
    };
    let left = ClockRef::new(translator, &constraint.left);
    let right = match &constraint.right {
        Some(clock) => ClockRef::new(translator, clock),
        None => ClockRef::Fixed(0),
    };
    let value = translator.constant(constraint.bound);
    let small = value.filter(|&value| clock_bound(value).is_ok());
    if let (None, ClockRef::Fixed(x), ClockRef::Fixed(y), Some(value)) =
        (condition, left, right, small)
    {
        fixed.extend(Constraint::of(x, y, constraint.relation, value).into_iter().flatten());
        return;
    }
    let bound = if translator.has_reals() {
        translator.number_expression(constraint.bound)
    } else {
        translator.expression(constraint.bound)
    };
    let (relation, blame) = (constraint.relation, constraint.bound);
    dynamic.push(DynamicConstraint { condition, left, right, relation, bound, blame });
}

#[inline]
fn compare(operator: BinaryOperator, left: i32, right: i32) -> bool {
    match operator {
        BinaryOperator::Less => left < right,
        BinaryOperator::LessEqual => left <= right,
        BinaryOperator::Equal => left == right,
        BinaryOperator::GreaterEqual => left >= right,
        BinaryOperator::Greater => left > right,
        _ => left != right,
    }
}

/// An update.
#[derive(Clone, Copy, Debug)]
enum Effect {
    /// Stores a constant that is in range.
    Set(u32, i32),
    /// Sets a clock to a constant that is in range.
    SetClock(ClockId, i32),
    /// Sets a clock of a sampled run to a constant.
    SetRealClock(ClockId, i32),
    /// Runs code.
    Code(CodeRef),
}

/// A list of updates.
#[derive(Clone, Debug, Default)]
pub struct CompiledUpdates {
    effects: Box<[Effect]>,
}

impl CompiledUpdates {
    pub(crate) fn new(translator: &mut Translator<'_>, updates: &[ExpressionId]) -> Self {
        let effects = updates.iter().map(|&update| Effect::new(translator, update)).collect();
        Self { effects }
    }

    /// Executes the updates; effects on clocks are appended to the machine's list.
    #[inline]
    pub(crate) fn run(
        &self,
        program: &Program,
        values: &mut [i32],
        machine: &mut Machine,
    ) -> Result<(), RunTimeError> {
        for effect in &self.effects {
            match *effect {
                Effect::Set(position, value) => values[position as usize] = value,
                Effect::SetClock(clock, value) => {
                    machine.clock_effects.push(ClockEffect::Set(clock, value));
                }
                Effect::SetRealClock(clock, value) => machine.set_real_clock(clock, value),
                Effect::Code(code) => {
                    program.run(code, values, machine)?;
                }
            }
        }
        Ok(())
    }
}

impl Effect {
    fn new(translator: &mut Translator<'_>, update: ExpressionId) -> Self {
        match &translator.model.expressions[update] {
            Expression::Assign {
                place: Place { root: Storage::Cell(cell), indices },
                operator: None,
                value,
                result: ValueOf::After | ValueOf::Before,
            } => {
                let position = translator
                    .constant_displacement(indices)
                    .map(|d| translator.cell_position(*cell) as usize + d);
                if let (Some(position), Some(value)) = (position, translator.constant(*value))
                    && translator.program.state_ranges[position].contains(i64::from(value))
                {
                    return Self::Set(position as u32, value);
                }
            }
            Expression::AssignClock(Place { root, indices }, value) => {
                let displacement = translator.constant_displacement(indices);
                if let (Some(displacement), Some(value)) =
                    (displacement, translator.constant(*value))
                    && clock_value(value).is_ok()
                {
                    let clock = ClockId::from_index(root.index() + displacement);
                    return match translator.has_reals() {
                        true => Self::SetRealClock(clock, value),
                        false => Self::SetClock(clock, value),
                    };
                }
            }
            _ => {}
        }
        Self::Code(translator.expression(update))
    }
}
