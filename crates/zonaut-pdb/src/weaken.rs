//! Weakening of conditions by removing dropped symbols.
//!
//! # The claim
//! Let `e` be a condition that evaluates without failure. In a positive position the weakened one
//! holds wherever `e` holds; in a negative position (below an odd number of negations) it fails
//! wherever `e` fails. In both cases it evaluates without failure.
//!
//! *Proof*, by induction. An expression that reads no dropped symbol stays, or is a constant; a
//! constant is true in a positive position and false in a negative one. Conjunction and disjunction
//! are monotone, and negation exchanges the positions. As for failures: if an expression is
//! changed, only parts that cannot fail are kept, because evaluation may now reach parts that it
//! skipped before.

use crate::access::Accesses;
use crate::failure::Failures;
use crate::faults::{Clause, is_disabled};
use std::cell::OnceCell;
use zonaut_analysis::Symbols;
use zonaut_analysis::normal_form::{Connective, operands};
use zonaut_base::IndexVec;
use zonaut_model::{
    ClockConstraint, Condition, Expression, ExpressionId, Expressions, Formula, Model, Place,
    QuantifierKind, UnaryOperator,
};

/// The result of weakening a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Weak {
    /// It reads no dropped symbol and is unchanged.
    Same(ExpressionId),
    /// It is weaker than before.
    Less(ExpressionId),
    /// It is a constant.
    Constant(bool),
}

/// The polarity of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Position {
    Positive,
    Negative,
}

impl Position {
    fn opposite(self) -> Self {
        match self {
            Self::Positive => Self::Negative,
            Self::Negative => Self::Positive,
        }
    }

    /// The constant that replaces a dropped condition.
    fn dropped(self) -> Weak {
        Weak::Constant(self == Self::Positive || is_disabled(Clause::Polarity))
    }
}

/// The removal of dropped symbols from conditions; new expressions are appended to the arena.
pub(crate) struct Weakening<'a> {
    model: &'a Model,
    dropped: &'a Symbols,
    failures: &'a Failures<'a>,
    /// Whether evaluating an expression reads a dropped symbol, computed on demand.
    touched: IndexVec<ExpressionId, OnceCell<bool>>,
    /// The expressions of the model, and those that are new.
    pub(crate) expressions: Expressions,
    /// Whether guards that can fail have to be dropped in any case: the abstract model evaluates
    /// guards that the original does not evaluate while another process is committed.
    evaluates_more: bool,
}

impl<'a> Weakening<'a> {
    pub(crate) fn new(model: &'a Model, dropped: &'a Symbols, failures: &'a Failures<'a>) -> Self {
        let touched = model.expressions.iter().map(|_| OnceCell::new()).collect();
        let mut locations = model.processes.iter().flat_map(|process| &process.locations);
        let evaluates_more =
            locations.any(|location| location.kind == zonaut_model::LocationKind::Committed);
        let expressions = model.expressions.clone();
        Self { model, dropped, failures, touched, expressions, evaluates_more }
    }

    /// Whether evaluating `id` reads a dropped symbol.
    pub(crate) fn is_touched(&self, id: ExpressionId) -> bool {
        let reads = || Accesses::new(self.model).of(id).reads;
        *self.touched[id].get_or_init(|| reads().meets(self.dropped))
    }

    /// Whether the element of `place` depends on a dropped symbol, or its selection may fail.
    pub(crate) fn is_uncertain<Root>(&self, place: &Place<Root>, may_fail: bool) -> bool {
        place.indices.iter().any(|index| self.is_touched(index.value))
            || (may_fail && self.failures.indices_fail(place))
    }

    /// Whether guards may be evaluated in the abstract model that are not evaluated in the
    /// original.
    pub(crate) fn evaluates_more(&self) -> bool {
        self.evaluates_more
    }

    /// The guard or invariant without dropped symbols, and whether it was weakened.
    pub(crate) fn condition(&mut self, condition: &Condition) -> (Condition, bool) {
        if is_disabled(Clause::Conjuncts) && condition.data.is_some_and(|id| self.is_touched(id)) {
            // Wrong on purpose: dropped symbols keep their initial values.
            return (condition.clone(), false);
        }
        let clocks = condition.clocks.iter();
        let is_touched = condition.data.is_some_and(|id| self.is_touched(id));
        let drops_failing =
            (is_touched || self.evaluates_more) && !is_disabled(Clause::FailingGuard);
        let mut is_weaker = false;
        let data = condition.data.and_then(|data| {
            let conjuncts = operands(&self.model.expressions, data, Connective::And);
            let mut kept = Vec::new();
            for conjunct in conjuncts {
                if drops_failing && self.failures.may_fail(conjunct) {
                    is_weaker = true;
                    continue;
                }
                match self.weaken(conjunct, Position::Positive) {
                    Weak::Same(id) => kept.push(id),
                    Weak::Less(id) => {
                        is_weaker = true;
                        kept.push(id);
                    }
                    Weak::Constant(holds) => {
                        is_weaker = true;
                        if !holds {
                            kept.push(self.expressions.push(Expression::Constant(0)));
                        }
                    }
                }
            }
            if is_weaker { self.chain(kept, Expression::And) } else { Some(data) }
        });
        let mut kept = Vec::new();
        for constraint in clocks {
            let fails = (drops_failing || is_weaker) && self.failures.constraint_fails(constraint);
            if self.constraint_is_touched(constraint) || fails {
                is_weaker = true;
            } else {
                kept.push(constraint.clone());
            }
        }
        (Condition { data, clocks: kept }, is_weaker)
    }

    /// The formula without dropped symbols: it holds whenever the given one does.
    pub(crate) fn formula(&mut self, formula: &Formula) -> Formula {
        self.formula_in(formula, Position::Positive)
    }

    fn formula_in(&mut self, formula: &Formula, position: Position) -> Formula {
        let constant =
            |holds| if holds { Formula::And(Vec::new()) } else { Formula::Or(Vec::new()) };
        let dropped = constant(position.dropped() == Weak::Constant(true));
        match formula {
            Formula::Data(id) => match self.weaken(*id, position) {
                Weak::Same(id) | Weak::Less(id) => Formula::Data(id),
                Weak::Constant(holds) => constant(holds),
            },
            Formula::Clock(constraint) if self.constraint_is_touched(constraint) => dropped,
            Formula::Clock(constraint) => Formula::Clock(constraint.clone()),
            // Deadlocks of the original are not visible in the abstract model.
            Formula::Deadlock => dropped,
            Formula::Not(inner) => {
                Formula::Not(Box::new(self.formula_in(inner, position.opposite())))
            }
            Formula::And(parts) => {
                Formula::And(parts.iter().map(|part| self.formula_in(part, position)).collect())
            }
            Formula::Or(parts) => {
                Formula::Or(parts.iter().map(|part| self.formula_in(part, position)).collect())
            }
        }
    }

    fn constraint_is_touched(&self, constraint: &ClockConstraint) -> bool {
        Accesses::new(self.model).of_constraint(constraint).meets(self.dropped)
    }

    fn weaken(&mut self, id: ExpressionId, position: Position) -> Weak {
        if !self.is_touched(id) {
            return Weak::Same(id);
        }
        match self.model.expressions[id] {
            Expression::And(..) => {
                let parts = operands(&self.model.expressions, id, Connective::And);
                self.weaken_all(parts, position, false)
            }
            Expression::Or(..) => {
                let parts = operands(&self.model.expressions, id, Connective::Or);
                self.weaken_all(parts, position, true)
            }
            Expression::Unary(UnaryOperator::Not, inner) => {
                match self.weaken_part(inner, position.opposite()) {
                    Weak::Same(id) | Weak::Less(id) => {
                        Weak::Less(self.expressions.push(Expression::Unary(UnaryOperator::Not, id)))
                    }
                    Weak::Constant(holds) => Weak::Constant(!holds),
                }
            }
            Expression::Quantifier { kind, binder, low, high, body }
                if kind != QuantifierKind::Sum =>
            {
                match self.weaken_part(body, position) {
                    Weak::Same(body) | Weak::Less(body) => {
                        let weaker = Expression::Quantifier { kind, binder, low, high, body };
                        Weak::Less(self.expressions.push(weaker))
                    }
                    Weak::Constant(_) => position.dropped(),
                }
            }
            _ => position.dropped(),
        }
    }

    /// A part of an expression that changes: it is kept only if it cannot fail.
    fn weaken_part(&mut self, id: ExpressionId, position: Position) -> Weak {
        if !self.is_touched(id) && self.failures.may_fail(id) {
            return position.dropped();
        }
        self.weaken(id, position)
    }

    /// All parts of a disjunction or a conjunction.
    fn weaken_all(
        &mut self,
        parts: Vec<ExpressionId>,
        position: Position,
        is_disjunction: bool,
    ) -> Weak {
        let mut kept = Vec::new();
        for part in parts {
            match self.weaken_part(part, position) {
                Weak::Same(id) | Weak::Less(id) => kept.push(id),
                Weak::Constant(holds) if holds == is_disjunction => return Weak::Constant(holds),
                Weak::Constant(_) => {}
            }
        }
        let join = if is_disjunction { Expression::Or } else { Expression::And };
        self.chain(kept, join).map_or(Weak::Constant(!is_disjunction), Weak::Less)
    }

    fn chain(
        &mut self,
        parts: Vec<ExpressionId>,
        join: fn(ExpressionId, ExpressionId) -> Expression,
    ) -> Option<ExpressionId> {
        parts.into_iter().reduce(|left, right| self.expressions.push(join(left, right)))
    }
}
