//! Which expressions can fail at run time, judged by the declared ranges alone.
//!
//! An interval for every expression is found from the ranges of what it reads; an operation can
//! fail where the intervals of its operands allow it. Everything that can really fail is found;
//! some of what is found cannot.
//!
//! What counts is what `zonaut_model::interpret` and compiled code check: operators, indices, the
//! ranges of everything that is stored (parameters and results of functions included), the values
//! that clocks are set to and compared with, the end of a function without a result, assertions,
//! and the number of steps of an evaluation.

mod steps;

use crate::access::for_each_statement;
use crate::faults::{Clause, is_left_out};
use zonaut_base::IndexVec;
use zonaut_model::interval::{ALL, Combined, Interval, TRUTH, combine, hull, of_range, only};
use zonaut_model::{
    Argument, CLOCK_LIMIT, ClockConstraint, Condition, Expression, ExpressionId, Formula, Function,
    FunctionId, Location, Model, Parameter, Place, PlaceIndex, QuantifierKind, Statement, Storage,
    UnaryOperator,
};

/// What can fail in a model.
#[derive(Clone, Debug)]
pub(crate) struct Failures {
    intervals: IndexVec<ExpressionId, Interval>,
    expressions: IndexVec<ExpressionId, bool>,
    anywhere: bool,
}

impl Failures {
    /// Analyses `model` and its goal.
    pub(crate) fn new(model: &Model, goal: &Formula) -> Self {
        let mut analysis = Analysis {
            model,
            intervals: IndexVec::new(),
            own: IndexVec::new(),
            functions: IndexVec::new(),
        };
        let too_long = steps::beyond_budget(model);
        for (id, expression) in model.expressions.iter_enumerated() {
            let (interval, fails) = analysis.judge(expression);
            analysis.intervals.push(interval);
            analysis.own.push(fails || too_long[id]);
        }
        for function in &model.functions {
            let fails = analysis.function_fails(function);
            analysis.functions.push(fails);
        }
        let Analysis { intervals, own, functions, .. } = analysis;
        let mut this = Self { intervals, expressions: IndexVec::new(), anywhere: false };
        for (id, expression) in model.expressions.iter_enumerated() {
            let mut fails = own[id];
            expression.for_each_child(|child| fails |= this.expressions[child]);
            if let Expression::Call(function, _) = expression {
                fails |= functions[*function];
            }
            this.expressions.push(fails);
        }
        this.anywhere = this.network_fails(model) || this.formula_fails(goal);
        this
    }

    /// Whether evaluating `id` can fail.
    pub(crate) fn may_fail(&self, id: ExpressionId) -> bool {
        self.expressions[id]
    }

    /// Whether anything in the network or in the goal can fail.
    pub(crate) fn anywhere(&self) -> bool {
        self.anywhere
    }

    /// Whether an index is never out of range.
    pub(crate) fn index_fits(&self, index: &PlaceIndex) -> bool {
        fits(self.intervals[index.value], index)
    }

    /// Whether some of these indices can fail or be out of range.
    pub(crate) fn indices_fail<Root>(&self, place: &Place<Root>) -> bool {
        let fails = |index: &PlaceIndex| {
            self.expressions[index.value] || !fits(self.intervals[index.value], index)
        };
        place.indices.iter().any(fails)
    }

    /// Whether evaluating a clock constraint can fail.
    pub(crate) fn constraint_fails(&self, constraint: &ClockConstraint) -> bool {
        constraint.condition.is_some_and(|id| self.may_fail(id))
            || self.may_fail(constraint.bound)
            || !is_within(self.intervals[constraint.bound], (-clock_limit(), clock_limit()))
            || self.indices_fail(&constraint.left)
            || constraint.right.as_ref().is_some_and(|right| self.indices_fail(right))
    }

    fn condition_fails(&self, condition: &Condition) -> bool {
        condition.data.is_some_and(|id| self.may_fail(id))
            || condition.clocks.iter().any(|c| self.constraint_fails(c))
    }

    fn network_fails(&self, model: &Model) -> bool {
        let hooks = model.before_update.iter().chain(&model.after_update);
        hooks.into_iter().any(|&id| self.may_fail(id))
            || model.processes.iter().any(|process| {
                process.locations.iter().any(|location| self.location_fails(location))
                    || process.edges.iter().any(|edge| {
                        self.condition_fails(&edge.guard)
                            || edge.updates.iter().any(|&id| self.may_fail(id))
                            || edge
                                .synchronisation
                                .as_ref()
                                .is_some_and(|sync| self.indices_fail(&sync.channel))
                    })
            })
    }

    /// Whether an invariant can fail, or what sets rates and prices while the location is current.
    fn location_fails(&self, location: &Location) -> bool {
        self.condition_fails(&location.invariant)
            || location.cost_rate.is_some_and(|id| self.may_fail(id) || self.intervals[id].0 < 0)
            || location.rates.iter().any(|rate| {
                self.indices_fail(&rate.clock)
                    || rate.condition.is_some_and(|id| self.may_fail(id))
                    || self.may_fail(rate.rate)
                    || !is_within(self.intervals[rate.rate], TRUTH)
            })
    }

    fn formula_fails(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Data(id) => self.may_fail(*id),
            Formula::Clock(constraint) => self.constraint_fails(constraint),
            Formula::Deadlock => false,
            Formula::Not(inner) => self.formula_fails(inner),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().any(|part| self.formula_fails(part))
            }
        }
    }
}

/// The greatest value that clocks can be set to and compared with.
fn clock_limit() -> i64 {
    i64::from(if is_left_out(Clause::ClockLimit) { i32::MAX } else { CLOCK_LIMIT })
}

fn is_within(value: Interval, range: Interval) -> bool {
    range.0 <= value.0 && value.1 <= range.1
}

fn fits(value: Interval, index: &PlaceIndex) -> bool {
    let low = i64::from(index.low);
    low <= value.0 && value.1 < low + i64::from(index.size)
}

struct Analysis<'m> {
    model: &'m Model,
    intervals: IndexVec<ExpressionId, Interval>,
    /// Whether the operation itself can fail, its operands and callees apart.
    own: IndexVec<ExpressionId, bool>,
    functions: IndexVec<FunctionId, bool>,
}

impl Analysis<'_> {
    /// The values of an expression whose children were judged before, and whether it can fail
    /// itself.
    fn judge(&self, expression: &Expression) -> (Interval, bool) {
        match expression {
            Expression::Constant(value) => (only(*value), false),
            Expression::Read(place) => (self.content(place, 1), self.index_fails(place)),
            Expression::Unary(UnaryOperator::Negate, operand) => {
                let (low, high) = self.intervals[*operand];
                outcome(Combined::fitting((-high, -low)))
            }
            Expression::Binary(operator, left, right) => {
                outcome(combine(*operator, self.intervals[*left], self.intervals[*right]))
            }
            Expression::Conditional(_, yes, no) => {
                (hull(self.intervals[*yes], self.intervals[*no]), false)
            }
            Expression::Quantifier { kind: QuantifierKind::Sum, low, high, body, .. } => {
                let count = (i64::from(*high) - i64::from(*low) + 1).max(0);
                let (least, most) = self.intervals[*body];
                let all = (least.min(0).saturating_mul(count), most.max(0).saturating_mul(count));
                outcome(Combined::fitting(all))
            }
            Expression::Assign { place, operator, value, .. } => {
                let (value, fails) = match operator {
                    None => (self.intervals[*value], false),
                    Some(operator) => {
                        let before = self.content(place, 1);
                        outcome(combine(*operator, before, self.intervals[*value]))
                    }
                };
                let stored = self.is_stored(value, place, 1);
                (hull(value, self.content(place, 1)), fails || !stored || self.index_fails(place))
            }
            Expression::CopyContent(target, source, length) => {
                let stored = self.is_stored(self.content(source, *length), target, *length);
                ((0, 0), !stored || self.index_fails(target) || self.index_fails(source))
            }
            Expression::SameContent(left, right, _) => {
                (TRUTH, self.index_fails(left) || self.index_fails(right))
            }
            Expression::Call(function, arguments) => self.call(*function, arguments),
            Expression::AssignClock(place, value) => {
                let is_possible = is_within(self.intervals[*value], (0, clock_limit()));
                ((0, 0), !is_possible || self.index_fails(place))
            }
            Expression::CopyClock(target, source) => {
                ((0, 0), self.index_fails(target) || self.index_fails(source))
            }
            Expression::AddCost(value) => ((0, 0), self.intervals[*value].0 < 0),
            Expression::Sequence(parts) => {
                (parts.last().map_or((0, 0), |&last| self.intervals[last]), false)
            }
            Expression::At(..)
            | Expression::And(..)
            | Expression::Or(..)
            | Expression::Unary(UnaryOperator::Not, _)
            | Expression::Quantifier { .. } => (TRUTH, false),
        }
    }

    fn call(&self, function: FunctionId, arguments: &[Argument]) -> (Interval, bool) {
        let function = &self.model.functions[function];
        let mut fails = false;
        for (argument, parameter) in arguments.iter().zip(&function.parameters) {
            let target = Place::fixed(Storage::Local(parameter.first));
            fails |= match argument {
                Argument::Value(value) => !self.is_stored(self.intervals[*value], &target, 1),
                Argument::Content(place) => {
                    let values = self.content(place, parameter.length);
                    !self.is_stored(values, &target, parameter.length) || self.index_fails(place)
                }
            };
        }
        let result = function.result.map_or((0, 0), |result| {
            self.content(&Place::fixed(Storage::Local(result.first)), result.length)
        });
        (result, fails)
    }

    /// Whether the body of a function can fail, or what it returns does not fit its result.
    fn function_fails(&self, function: &Function) -> bool {
        let mut fails = function.result.is_some() && !always_returns(&function.body);
        for_each_statement(&function.body, &mut |statement| {
            fails |= match statement {
                Statement::Expression(id) => self.walk_fails(*id),
                Statement::Return(Some(id)) => {
                    self.walk_fails(*id)
                        || function.result.is_some_and(|result| !self.is_returned(*id, result))
                }
                Statement::If(condition, ..) => self.walk_fails(*condition),
                Statement::ReturnContent { source, target, .. } => {
                    let values = self.content(source, target.length);
                    let place = Place::fixed(Storage::Local(target.first));
                    source.indices.iter().any(|index| self.walk_fails(index.value))
                        || self.index_fails(source)
                        || !self.is_stored(values, &place, target.length)
                }
                // A loop may run for too long.
                Statement::While(..) | Statement::DoWhile(..) | Statement::Assert(_) => true,
                // How long it runs is counted where the function is called.
                Statement::Iterate { .. } | Statement::Return(None) => false,
            };
        });
        fails
    }

    /// Whether a number that is returned fits the range of the result.
    fn is_returned(&self, value: ExpressionId, result: Parameter) -> bool {
        let place = Place::fixed(Storage::Local(result.first));
        is_left_out(Clause::ReturnRange) || self.is_stored(self.intervals[value], &place, 1)
    }

    /// Whether `id`, anything inside, or a function called there can fail.
    fn walk_fails(&self, id: ExpressionId) -> bool {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let expression = &self.model.expressions[id];
            let callee = match expression {
                Expression::Call(function, _) => self.functions[*function],
                _ => false,
            };
            if self.own[id] || callee {
                return true;
            }
            expression.for_each_child(|child| open.push(child));
        }
        false
    }

    fn index_fails<Root>(&self, place: &Place<Root>) -> bool {
        place.indices.iter().any(|index| !fits(self.intervals[index.value], index))
    }

    /// Every value that `length` integers from `place` on can have.
    fn content(&self, place: &Place<Storage>, length: u32) -> Interval {
        let ranges = (0..place.extent() + length.max(1) as usize)
            .map(|distance| self.declared(zonaut_model::interpret::offset(place.root, distance)));
        ranges.reduce(hull).unwrap_or(ALL)
    }

    /// Whether these values fit every integer of the place.
    fn is_stored(&self, value: Interval, place: &Place<Storage>, length: u32) -> bool {
        (0..place.extent() + length.max(1) as usize)
            .map(|distance| self.declared(zonaut_model::interpret::offset(place.root, distance)))
            .all(|range| is_within(value, range))
    }

    fn declared(&self, storage: Storage) -> Interval {
        match storage {
            Storage::Cell(cell) => of_range(self.model.cells[cell].range),
            Storage::Local(local) => of_range(self.model.locals[local].range),
            Storage::Constant(constant) => only(self.model.constants[constant]),
        }
    }
}

/// The values of an operation, and whether it can fail.
fn outcome(combined: Combined) -> (Interval, bool) {
    (combined.values, combined.may_fail)
}

/// Whether a body with a result cannot end without one.
pub(crate) fn always_returns(body: &[Statement]) -> bool {
    match body.last() {
        Some(Statement::Return(_) | Statement::ReturnContent { .. }) => true,
        Some(Statement::If(_, yes, no)) => always_returns(yes) && always_returns(no),
        _ => false,
    }
}
