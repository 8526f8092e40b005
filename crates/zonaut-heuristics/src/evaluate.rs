//! Evaluation over sets of values: every variable is given each of its values in turn, but only
//! when it is read.
//!
//! A *run* evaluates expressions concretely. When it reads a variable for the first time, a value
//! is chosen from the variable's set and kept for the rest of the run. [`Evaluator::for_each_run`]
//! repeats the run for every sequence of choices, last choice first, so that `a[i]` branches over
//! the values of `i` and then over those of the one element that is read. The runs are exactly the
//! evaluations of all tuples of values, without those that differ only in what is not read.
//!
//! The reference is `zonaut_model::interpret`; a property test compares the two.

mod control;
#[cfg(test)]
mod tests;

use crate::formula::{Binding, Bindings, ChosenIndex, Test, TestKind};
use crate::interval::clock_limit;
use crate::variables::{VariableId, Variables};
use std::ops::ControlFlow;
use zonaut_base::{Id, Meter};
use zonaut_model::interpret::{apply, apply_unary, offset};
use zonaut_model::{
    BinaryOperator, Expression, ExpressionId, LocalId, Model, Place, PlaceIndex, Range, Storage,
    ValueOf,
};

/// The sets that values are chosen from.
pub(crate) trait ValueSets {
    /// The number of values to choose from; absent where the set is too large to go through.
    fn count(&self, variable: VariableId) -> Option<u32>;
    /// One of them.
    fn value(&self, variable: VariableId, position: u32) -> i32;
}

/// Why a run ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// A run-time error of the model.
    Failed,
    /// A set that is too large was read, or the budget is spent.
    Unknown,
}

/// What came of all runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Runs {
    /// There was a run for every sequence of choices; some `failed` or not.
    Complete { failed: bool },
    /// A run asked for no more.
    Stopped,
    /// Not all runs were made.
    Unknown,
}

/// The value of something, or why it has none.
pub(crate) type Outcome<T> = Result<T, Stop>;

/// A value chosen for a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// What was chosen for: a variable or, from [`Evaluator::first_local`] on, working storage.
    slot: u32,
    /// Which value it was.
    pub(crate) position: u32,
    count: u32,
}

/// How long one question may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Limits {
    /// The most runs.
    pub(crate) runs: u32,
    /// The most steps of all of them together.
    pub(crate) steps: u32,
}

impl Limits {
    /// For questions that are asked once.
    pub(crate) const PREPARATION: Self = Self { runs: 4096, steps: 1 << 17 };
    /// For questions that are asked of every state.
    pub(crate) const STATE: Self = Self { runs: 512, steps: 1 << 14 };
}

/// The machine.
#[derive(Clone, Debug)]
pub(crate) struct Evaluator<'m> {
    model: &'m Model,
    variables: Variables,
    limits: Limits,
    /// What each variable holds in this run, where `known` is the number of the run.
    values: Vec<i32>,
    known: Vec<u64>,
    run: u64,
    locals: Vec<i32>,
    free: Vec<(LocalId, i32, i32)>,
    /// The variables written in this run.
    written: Vec<VariableId>,
    is_written: Vec<u64>,
    choices: Vec<Choice>,
    /// How many of the choices this run has come to.
    passed: usize,
    steps: u32,
    spine: Vec<ExpressionId>,
    meter: Meter,
    /// The steps of the last question, which the meter is told of before the next one.
    owed: u32,
}

impl<'m> Evaluator<'m> {
    pub(crate) fn new(model: &'m Model, variables: Variables, limits: Limits) -> Self {
        let slots = variables.len() + model.locals.len();
        Self {
            model,
            limits,
            values: vec![0; variables.len()],
            known: vec![0; slots],
            run: 0,
            locals: vec![0; model.locals.len()],
            free: Vec::new(),
            written: Vec::new(),
            is_written: vec![0; variables.len()],
            variables,
            choices: Vec::new(),
            passed: 0,
            steps: 0,
            spine: Vec::new(),
            meter: Meter::default(),
            owed: 0,
        }
    }

    /// The same, counting on `meter`. When it stops, nothing is known of any question.
    pub(crate) fn metered(self, meter: &Meter) -> Self {
        Self { meter: meter.clone(), ..self }
    }

    /// Counts what it takes to go through an array.
    fn pay_for_content(&self, length: u32) -> Outcome<()> {
        self.meter.spend(length).map_err(|_| Stop::Unknown)
    }

    /// What counts its steps.
    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    /// The model.
    pub(crate) fn model(&self) -> &'m Model {
        self.model
    }

    /// Calls `attempt` for every sequence of choices, until it breaks.
    pub(crate) fn for_each_run(
        &mut self,
        bindings: &Bindings,
        attempt: impl FnMut(&mut Self) -> Outcome<ControlFlow<()>>,
    ) -> Runs {
        if self.meter.spend(self.owed).is_err() {
            return Runs::Unknown;
        }
        let runs = self.all_runs(bindings, attempt);
        self.owed = 1 + self.limits.steps - self.steps;
        runs
    }

    fn all_runs(
        &mut self,
        bindings: &Bindings,
        mut attempt: impl FnMut(&mut Self) -> Outcome<ControlFlow<()>>,
    ) -> Runs {
        self.free.clear();
        for &(local, binding) in bindings {
            match binding {
                Binding::Value(value) => self.locals[local.index()] = value,
                Binding::Any(low, high) => self.free.push((local, low, high)),
            }
        }
        self.choices.clear();
        self.steps = self.limits.steps;
        let mut failed = false;
        for _ in 0..self.limits.runs {
            self.begin();
            match attempt(self) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => return Runs::Stopped,
                Err(Stop::Failed) => failed = true,
                Err(Stop::Unknown) => return Runs::Unknown,
            }
            if !self.advance() {
                return Runs::Complete { failed };
            }
        }
        Runs::Unknown
    }

    fn begin(&mut self) {
        self.run += 1;
        self.passed = 0;
        self.written.clear();
    }

    /// Turns to the next sequence of choices, if there is one.
    fn advance(&mut self) -> bool {
        // Choices that the run did not come to cannot exist: a run repeats the one before up to
        // the choice that changed.
        while let Some(last) = self.choices.last_mut() {
            if last.position + 1 < last.count {
                last.position += 1;
                return true;
            }
            self.choices.pop();
        }
        false
    }

    /// What was chosen in this run, variables only.
    pub(crate) fn choices(&self) -> impl Iterator<Item = (VariableId, u32)> {
        let variables = self.variables.len();
        let chosen = self.choices.iter().filter(move |choice| (choice.slot as usize) < variables);
        chosen.map(|choice| (VariableId::from_index(choice.slot as usize), choice.position))
    }

    /// What this run wrote.
    pub(crate) fn written(&self) -> impl Iterator<Item = (VariableId, i32)> {
        self.written.iter().map(|&variable| (variable, self.values[variable.index()]))
    }

    fn choose(&mut self, slot: usize, count: Option<u32>) -> Outcome<u32> {
        if let Some(choice) = self.choices.get(self.passed) {
            debug_assert_eq!(choice.slot as usize, slot, "a run repeats the one before");
            self.passed += 1;
            return Ok(choice.position);
        }
        let count = count.filter(|&count| count > 0).ok_or(Stop::Unknown)?;
        self.choices.push(Choice { slot: slot as u32, position: 0, count });
        self.passed += 1;
        Ok(0)
    }

    /// Whether the test holds.
    pub(crate) fn test<S: ValueSets>(&mut self, sets: &S, test: &Test) -> Outcome<bool> {
        match &test.kind {
            TestKind::Holds { expression, negated } => {
                Ok((self.evaluate(sets, *expression)? != 0) != *negated)
            }
            TestKind::Chooses { indices, displacement } => {
                Ok(self.chosen(sets, indices)? == *displacement as usize)
            }
        }
    }

    fn chosen<S: ValueSets>(&mut self, sets: &S, indices: &[ChosenIndex]) -> Outcome<usize> {
        let mut sum = 0;
        for index in indices {
            let value = self.evaluate(sets, index.value)?;
            sum += position(value, index.low, index.size)? * index.stride as usize;
        }
        Ok(sum)
    }

    /// The element that the indices choose.
    pub(crate) fn displacement<S: ValueSets>(
        &mut self,
        sets: &S,
        indices: &[PlaceIndex],
    ) -> Outcome<usize> {
        let mut sum = 0;
        for index in indices {
            let value = self.evaluate(sets, index.value)?;
            sum += position(value, index.low, index.size)? * index.stride as usize;
        }
        Ok(sum)
    }

    /// The value of an expression.
    pub(crate) fn evaluate<S: ValueSets>(&mut self, sets: &S, id: ExpressionId) -> Outcome<i32> {
        self.steps = self.steps.checked_sub(1).ok_or(Stop::Unknown)?;
        let model = self.model;
        match &model.expressions[id] {
            Expression::Constant(value) => Ok(*value),
            Expression::Read(place) => {
                let address = self.address(sets, place)?;
                self.load(sets, address)
            }
            Expression::At(process, location) => {
                let variable = self.variables.process(*process);
                Ok(i32::from(self.read(sets, variable)? == location.index() as i32))
            }
            Expression::Unary(operator, operand) => {
                let operand = self.evaluate(sets, *operand)?;
                apply_unary(*operator, operand).map_err(|_| Stop::Failed)
            }
            Expression::Binary(..) | Expression::And(..) | Expression::Or(..) => {
                self.chain(sets, id)
            }
            Expression::Conditional(condition, yes, no) => {
                let chosen = if self.evaluate(sets, *condition)? != 0 { *yes } else { *no };
                self.evaluate(sets, chosen)
            }
            Expression::Sequence(parts) => {
                let mut last = 0;
                for part in parts {
                    last = self.evaluate(sets, *part)?;
                }
                Ok(last)
            }
            Expression::Assign { place, operator, value, result } => {
                self.assign(sets, place, (*operator, *value, *result))
            }
            Expression::AssignClock(place, value) => {
                self.displacement(sets, &place.indices)?;
                let value = self.evaluate(sets, *value)?;
                if (0..=clock_limit()).contains(&i64::from(value)) {
                    Ok(0)
                } else {
                    Err(Stop::Failed)
                }
            }
            Expression::CopyClock(target, source) => {
                self.displacement(sets, &target.indices)?;
                self.displacement(sets, &source.indices)?;
                Ok(0)
            }
            Expression::AddCost(value) => {
                if self.evaluate(sets, *value)? < 0 {
                    Err(Stop::Failed)
                } else {
                    Ok(0)
                }
            }
            Expression::Quantifier { .. }
            | Expression::SameContent(..)
            | Expression::CopyContent(..)
            | Expression::Call(..) => self.evaluate_aggregate(sets, id),
        }
    }

    /// Evaluates a left-leaning chain, which may be very long, from its innermost operand outwards.
    fn chain<S: ValueSets>(&mut self, sets: &S, id: ExpressionId) -> Outcome<i32> {
        let model = self.model;
        let bottom = self.spine.len();
        let mut innermost = id;
        while let Some(left) = left_operand(&model.expressions[innermost]) {
            self.spine.push(innermost);
            innermost = left;
        }
        let mut value = self.evaluate(sets, innermost);
        while self.spine.len() > bottom {
            let link = self.spine.pop().expect("invariant: the spine is not empty here");
            value = match (&model.expressions[link], value) {
                (_, Err(stop)) => Err(stop),
                (Expression::And(..), Ok(0)) => Ok(0),
                (Expression::And(_, right), Ok(_)) | (Expression::Or(_, right), Ok(0)) => {
                    self.evaluate(sets, *right).map(|right| i32::from(right != 0))
                }
                (Expression::Or(..), Ok(_)) => Ok(1),
                (Expression::Binary(operator, _, right), Ok(left)) => {
                    let right = self.evaluate(sets, *right);
                    right.and_then(|r| apply(*operator, left, r).map_err(|_| Stop::Failed))
                }
                (_, Ok(value)) => Ok(value),
            };
        }
        value
    }

    fn assign<S: ValueSets>(
        &mut self,
        sets: &S,
        place: &Place<Storage>,
        (operator, value, result): (Option<BinaryOperator>, ExpressionId, ValueOf),
    ) -> Outcome<i32> {
        let address = self.address(sets, place)?;
        let value = self.evaluate(sets, value)?;
        let needs_before = operator.is_some() || result == ValueOf::Before;
        let before = if needs_before { self.load(sets, address)? } else { 0 };
        let after = match operator {
            Some(operator) => apply(operator, before, value).map_err(|_| Stop::Failed)?,
            None => value,
        };
        self.store(address, after)?;
        Ok(if result == ValueOf::Before { before } else { after })
    }

    fn address<S: ValueSets>(&mut self, sets: &S, place: &Place<Storage>) -> Outcome<Storage> {
        if place.is_fixed() {
            return Ok(place.root);
        }
        Ok(offset(place.root, self.displacement(sets, &place.indices)?))
    }

    fn load<S: ValueSets>(&mut self, sets: &S, address: Storage) -> Outcome<i32> {
        match address {
            Storage::Cell(cell) => self.read(sets, self.variables.cell(cell)),
            Storage::Constant(constant) => Ok(self.model.constants[constant]),
            Storage::Local(local) => {
                if !self.free.is_empty() {
                    self.choose_local(local)?;
                }
                Ok(self.locals[local.index()])
            }
        }
    }

    fn read<S: ValueSets>(&mut self, sets: &S, variable: VariableId) -> Outcome<i32> {
        let slot = variable.index();
        if self.known[slot] != self.run {
            let position = self.choose(slot, sets.count(variable))?;
            self.values[slot] = sets.value(variable, position);
            self.known[slot] = self.run;
        }
        Ok(self.values[slot])
    }

    /// Gives working storage a value where it is free and has none in this run.
    fn choose_local(&mut self, local: LocalId) -> Outcome<()> {
        let Some(&(_, low, high)) = self.free.iter().find(|(free, ..)| *free == local) else {
            return Ok(());
        };
        let slot = self.variables.len() + local.index();
        if self.known[slot] != self.run {
            let size = i64::from(high) - i64::from(low) + 1;
            let position = self.choose(slot, u32::try_from(size).ok())?;
            self.locals[local.index()] = low + position as i32;
            self.known[slot] = self.run;
        }
        Ok(())
    }

    fn store(&mut self, address: Storage, value: i32) -> Outcome<()> {
        let within = |range: Range| {
            if range.contains(i64::from(value)) { Ok(()) } else { Err(Stop::Failed) }
        };
        match address {
            Storage::Cell(cell) => {
                within(self.model.cells[cell].range)?;
                let variable = self.variables.cell(cell);
                self.values[variable.index()] = value;
                self.known[variable.index()] = self.run;
                if self.is_written[variable.index()] != self.run {
                    self.is_written[variable.index()] = self.run;
                    self.written.push(variable);
                }
            }
            Storage::Local(local) => {
                within(self.model.locals[local].range)?;
                self.locals[local.index()] = value;
            }
            Storage::Constant(_) => {}
        }
        Ok(())
    }

    /// Evaluates the bound of a clock constraint, and the clocks it is about.
    pub(crate) fn constraint<S: ValueSets>(
        &mut self,
        sets: &S,
        constraint: &zonaut_model::ClockConstraint,
    ) -> Outcome<()> {
        if let Some(condition) = constraint.condition
            && self.evaluate(sets, condition)? == 0
        {
            return Ok(());
        }
        self.displacement(sets, &constraint.left.indices)?;
        if let Some(right) = &constraint.right {
            self.displacement(sets, &right.indices)?;
        }
        let bound = self.evaluate(sets, constraint.bound)?;
        let limit = clock_limit();
        let is_within = (-limit..=limit).contains(&i64::from(bound));
        if is_within { Ok(()) } else { Err(Stop::Failed) }
    }
}

fn position(value: i32, low: i32, size: u32) -> Outcome<usize> {
    let position = i64::from(value) - i64::from(low);
    if (0..i64::from(size)).contains(&position) { Ok(position as usize) } else { Err(Stop::Failed) }
}

fn left_operand(expression: &Expression) -> Option<ExpressionId> {
    match expression {
        Expression::Binary(_, left, _) | Expression::And(left, _) | Expression::Or(left, _) => {
            Some(*left)
        }
        _ => None,
    }
}

/// One value for each variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exactly<'v>(pub(crate) &'v [i32]);

impl ValueSets for Exactly<'_> {
    fn count(&self, _: VariableId) -> Option<u32> {
        Some(1)
    }
    fn value(&self, variable: VariableId, _: u32) -> i32 {
        self.0[variable.index()]
    }
}

/// Every value of the declared range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Everything<'v>(pub(crate) &'v Variables);

impl ValueSets for Everything<'_> {
    fn count(&self, variable: VariableId) -> Option<u32> {
        u32::try_from(self.0.domain(variable).size)
            .ok()
            .filter(|&size| size <= Limits::PREPARATION.runs)
    }
    fn value(&self, variable: VariableId, position: u32) -> i32 {
        self.0.domain(variable).low + position as i32
    }
}
