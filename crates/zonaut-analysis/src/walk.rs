//! The walk: expressions and statements interpreted in any domain.
//!
//! It follows `zonaut_model::interpret` step by step: the same order, the same checks, the same
//! expressions in errors. If a condition is undecided, both branches are walked and joined. Loops
//! are unrolled as long as the domain allows it, and then iterated until a fixpoint is reached.
//!
//! # The claim
//! Let a concrete content be one of those that the memory stands for. If the interpreter succeeds
//! on it, then its value is in the value of the walk, and the resulting content is in the memory.
//! If it fails, then its failure is among those of the walk. So if the walk has no value, every
//! evaluation fails; and if it has no failure, none does.

mod assumption;
mod choice;
mod function;
mod network;
mod place;
mod shortcut;

pub use place::Displacements;

use crate::domain::{Applied, Domain, Truth};
use crate::failure::{Failure, FailureKind, Failures};
use zonaut_model::interpret::DEFAULT_BUDGET;
use zonaut_model::{
    BinaryOperator, CLOCK_LIMIT, Expression, ExpressionId, Model, Place, Range, Storage, ValueOf,
};

/// The greatest number that clocks can be set to and compared with.
fn clock_limit() -> i32 {
    #[cfg(feature = "faults")]
    if crate::faults::Fault::ClockLimitForgotten.is_selected() {
        return i32::MAX;
    }
    CLOCK_LIMIT
}

/// The memory at the returns of a function, and the returned number, if it returns one.
type Returned<D> = (<D as Domain>::Memory, Option<<D as Domain>::Value>);

/// An interpreter over a domain.
#[derive(Clone, Debug)]
pub struct Walk<'m, D: Domain> {
    model: &'m Model,
    /// The domain.
    pub domain: D,
    /// The memory.
    pub memory: D::Memory,
    failures: Failures,
    /// The join over the returns of the current function.
    returned: Option<Returned<D>>,
    /// The number of `return` statements reached.
    returns: u64,
    /// The remaining number of rounds of loops that are unrolled.
    unrolling: u32,
    /// An upper bound of the steps of the interpreter.
    steps: u64,
    budget: u64,
    /// The remaining number of expressions that are walked.
    patience: u64,
    /// The symbols that occur in functions, computed on demand.
    named: Option<Box<shortcut::FunctionSymbols>>,
    spine: Vec<ExpressionId>,
}

impl<'m, D: Domain> Walk<'m, D> {
    /// A walk over expressions of `model` that starts with this memory.
    pub fn new(model: &'m Model, domain: D, memory: D::Memory) -> Self {
        Self {
            model,
            domain,
            memory,
            failures: Failures::new(),
            returned: None,
            returns: 0,
            unrolling: 0,
            steps: 0,
            budget: DEFAULT_BUDGET,
            patience: 0,
            named: None,
            spine: Vec::new(),
        }
    }

    /// Sets the number of steps of each evaluation.
    #[must_use]
    pub fn with_budget(mut self, budget: u64) -> Self {
        self.budget = budget;
        self
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The possible failures of all evaluations.
    pub fn failures(&self) -> &Failures {
        &self.failures
    }

    /// Starts again with this memory.
    pub fn restart(&mut self, memory: D::Memory) {
        self.memory = memory;
        self.failures.clear();
        self.spine.clear();
        self.returned = None;
    }

    /// The value of an expression; `None` if its evaluation never ends without failure.
    pub fn evaluate(&mut self, id: ExpressionId) -> Option<D::Value> {
        self.begin();
        let value = self.value(id);
        if self.steps > self.budget {
            self.fail(FailureKind::Budget, id);
        }
        value
    }

    /// Resets the state of the walk for an evaluation.
    fn begin(&mut self) {
        self.unrolling = self.domain.unrolling();
        self.patience = self.domain.patience();
        self.steps = 0;
    }

    fn fail(&mut self, kind: FailureKind, expression: ExpressionId) {
        if D::TAKES_DOWN_FAILURES {
            self.failures.insert(Failure { kind, expression });
        }
    }

    fn step(&mut self) -> Option<()> {
        self.steps = self.steps.saturating_add(1);
        self.patience = self.patience.saturating_sub(1);
        self.domain.step()
    }

    /// The recursion follows nesting, but not the left spine of a chain, which may be very long.
    fn value(&mut self, id: ExpressionId) -> Option<D::Value> {
        self.step()?;
        let model = self.model;
        let value = match &model.expressions[id] {
            Expression::Constant(value) => self.domain.constant(*value),
            Expression::Read(place) => self.read(id, place)?,
            Expression::At(process, location) => self.domain.at(*process, *location)?,
            Expression::Unary(operator, operand) => {
                let operand = self.value(*operand)?;
                let applied = self.domain.unary(*operator, &operand);
                self.succeed(id, applied)?
            }
            Expression::Binary(..) | Expression::And(..) | Expression::Or(..) => {
                return self.chain(id);
            }
            Expression::Conditional(condition, yes, no) => {
                self.choose_value(*condition, *yes, *no)?
            }
            Expression::Quantifier { kind, binder, low, high, body } => {
                let values = Range { low: *low, high: *high };
                self.quantify(id, *kind, *binder, values, *body)?
            }
            Expression::SameContent(left, right, length) => self.same(id, left, right, *length)?,
            Expression::Assign { place, operator, value, result } => {
                self.assign(id, place, *operator, *value, *result)?
            }
            Expression::CopyContent(target, source, length) => {
                self.copy(id, target, source, *length)?;
                self.domain.constant(0)
            }
            Expression::Call(function, arguments) => self.call(id, *function, arguments)?,
            Expression::AssignClock(..) | Expression::CopyClock(..) => {
                self.clock_effect(id)?;
                self.domain.constant(0)
            }
            Expression::AddCost(value) => {
                let value = self.value(*value)?;
                let prices = Range { low: 0, high: i32::MAX };
                self.limit(id, &value, prices, FailureKind::NegativeCost)?;
                self.domain.constant(0)
            }
            Expression::Sequence(parts) => {
                let mut last = None;
                for part in parts {
                    last = Some(self.value(*part)?);
                }
                last?
            }
        };
        self.domain.evaluated(id, &value);
        Some(value)
    }

    /// The values of an operation; its failures are recorded.
    fn succeed(&mut self, id: ExpressionId, applied: Applied<D::Value>) -> Option<D::Value> {
        if !applied.failures.is_empty() {
            applied.failures.iter().for_each(|kind| self.fail(kind, id));
        }
        applied.value
    }

    /// The part of a value that is in a range; values outside are failures.
    fn limit(
        &mut self,
        id: ExpressionId,
        value: &D::Value,
        range: Range,
        kind: FailureKind,
    ) -> Option<D::Value> {
        let limited = self.domain.limit(value, range);
        if limited.may_exceed {
            self.fail(kind, id);
        }
        limited.inside
    }

    /// Evaluates a left-leaning chain from its innermost operand outwards.
    fn chain(&mut self, id: ExpressionId) -> Option<D::Value> {
        let model = self.model;
        let bottom = self.spine.len();
        let mut innermost = id;
        while let Expression::Binary(_, left, _)
        | Expression::And(left, _)
        | Expression::Or(left, _) = model.expressions[innermost]
        {
            self.spine.push(innermost);
            innermost = left;
        }
        let mut value = self.value(innermost);
        while self.spine.len() > bottom {
            let link = self.spine.pop().expect("invariant: the spine is not empty here");
            value = value.and_then(|left| self.link(link, left));
        }
        value
    }

    /// The value of an operation whose left operand has this value.
    fn link(&mut self, id: ExpressionId, left: D::Value) -> Option<D::Value> {
        self.steps = self.steps.saturating_add(1);
        let value = match self.model.expressions[id] {
            Expression::And(inner, right) => {
                self.short_circuit(inner, &left, right, Truth::Fails)?
            }
            Expression::Or(inner, right) => {
                self.short_circuit(inner, &left, right, Truth::Holds)?
            }
            Expression::Binary(operator, _, right) => {
                let right = self.value(right)?;
                let applied = self.domain.binary(operator, &left, &right);
                self.succeed(id, applied)?
            }
            _ => left,
        };
        self.domain.evaluated(id, &value);
        Some(value)
    }

    /// The truth value of a number.
    fn truth_value(&mut self, value: &D::Value) -> Option<D::Value> {
        let zero = self.domain.constant(0);
        self.domain.binary(BinaryOperator::NotEqual, value, &zero).value
    }

    fn same(
        &mut self,
        id: ExpressionId,
        left: &Place<Storage>,
        right: &Place<Storage>,
        length: u32,
    ) -> Option<D::Value> {
        self.domain.pay(length)?;
        let (left, right) = (self.chosen(id, left)?, self.chosen(id, right)?);
        let mut all = self.domain.constant(1);
        for k in 0..length as usize {
            let (one, other) = (self.load(&left, k)?, self.load(&right, k)?);
            let equal = self.domain.binary(BinaryOperator::Equal, &one, &other).value?;
            all = self.domain.binary(BinaryOperator::BitAnd, &all, &equal).value?;
            if self.domain.truth(&equal) == Truth::Fails {
                break;
            }
        }
        Some(all)
    }

    fn assign(
        &mut self,
        id: ExpressionId,
        place: &Place<Storage>,
        operator: Option<BinaryOperator>,
        value: ExpressionId,
        result: ValueOf,
    ) -> Option<D::Value> {
        let target = self.chosen(id, place)?;
        let value = self.value(value)?;
        let needs_before = operator.is_some() || result == ValueOf::Before;
        let before = if needs_before { Some(self.load(&target, 0)?) } else { None };
        let after = match (operator, &before) {
            (Some(operator), Some(before)) => {
                let applied = self.domain.binary(operator, before, &value);
                self.succeed(id, applied)?
            }
            _ => value,
        };
        let stored = self.store(id, &target, 0, after)?;
        Some(before.filter(|_| result == ValueOf::Before).unwrap_or(stored))
    }

    fn copy(
        &mut self,
        id: ExpressionId,
        target: &Place<Storage>,
        source: &Place<Storage>,
        length: u32,
    ) -> Option<()> {
        self.domain.pay(length)?;
        let (target, source) = (self.chosen(id, target)?, self.chosen(id, source)?);
        // Everything is read before anything is written: the places may overlap.
        let content: Option<Vec<D::Value>> =
            (0..length as usize).map(|k| self.load(&source, k)).collect();
        for (k, value) in content?.into_iter().enumerate() {
            self.store(id, &target, k, value)?;
        }
        Some(())
    }

    fn clock_effect(&mut self, id: ExpressionId) -> Option<()> {
        let model = self.model;
        match &model.expressions[id] {
            Expression::AssignClock(place, value) => {
                let clocks = self.chosen(id, place)?;
                let value = self.value(*value)?;
                let positive = Range { low: 0, high: i32::MAX };
                let value = self.limit(id, &value, positive, FailureKind::NegativeClock)?;
                let limit = Range { low: 0, high: clock_limit() };
                let value = self.limit(id, &value, limit, FailureKind::ClockLimit)?;
                let value = clocks.influence(&mut self.domain, value);
                self.domain.set_clock(&mut self.memory, &clocks.elements(0), &value);
            }
            Expression::CopyClock(target, source) => {
                let (target, source) = (self.chosen(id, target)?, self.chosen(id, source)?);
                let (to, from) = (target.elements(0), source.elements(0));
                self.domain.copy_clock(&mut self.memory, &to, &from);
            }
            _ => {}
        }
        Some(())
    }
}
