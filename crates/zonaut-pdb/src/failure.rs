//! Possible run-time errors, by the declared ranges only.
//!
//! Every expression is evaluated over the intervals of the symbols it reads. The analysis finds
//! every error that can occur, and possibly some that cannot.

use crate::faults::{Clause, is_disabled};
use std::cell::OnceCell;
use zonaut_analysis::interval::{Declared, Intervals, declared_walk};
use zonaut_analysis::{Failure, FailureKind, Walk};
use zonaut_base::IndexVec;
use zonaut_model::interval::{Interval, TRUTH, only};
use zonaut_model::{
    ClockConstraint, Direction, Edge, Expression, ExpressionId, Formula, Location, Model, Place,
};

/// The possible run-time errors of a model.
#[derive(Clone, Debug)]
pub(crate) struct Failures<'m> {
    model: &'m Model,
    /// By expression, whether evaluating it can fail, computed on demand.
    expressions: IndexVec<ExpressionId, OnceCell<bool>>,
}

type DeclaredWalk<'m> = Walk<'m, Intervals<'m, Declared<'m>>>;

impl<'m> Failures<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        Self { model, expressions: model.expressions.iter().map(|_| OnceCell::new()).collect() }
    }

    /// Whether evaluating `id` can fail.
    pub(crate) fn may_fail(&self, id: ExpressionId) -> bool {
        *self.expressions[id].get_or_init(|| self.fails(|walk| walk.evaluate(id).map(|_| ())))
    }

    /// Whether some of these indices can fail or be out of range.
    pub(crate) fn indices_fail<Root>(&self, place: &Place<Root>) -> bool {
        self.fails(|walk| walk.displacements(&place.indices).map(|_| ()))
    }

    /// Whether evaluating a clock constraint can fail.
    pub(crate) fn constraint_fails(&self, constraint: &ClockConstraint) -> bool {
        self.fails(|walk| walk.constraint(constraint))
    }

    /// Whether anything in the network or in the goal can fail.
    pub(crate) fn anywhere(&self, goal: &Formula) -> bool {
        let model = self.model;
        let hooks = [&model.before_update, &model.after_update];
        hooks.into_iter().any(|updates| self.fails(|walk| walk.update(updates)))
            || model.processes.iter().any(|process| {
                process.locations.iter().any(|location| self.location_fails(location))
                    || process.edges.iter().any(|edge| self.edge_fails(edge))
            })
            || self.fails(|walk| {
                walk.formula(goal);
                Some(())
            })
    }

    /// Whether the guard, the choice of the channel or the updates of an edge can fail.
    fn edge_fails(&self, edge: &Edge) -> bool {
        // Other participants may change the tested variables before the updates run.
        let receives = |direction| direction == Direction::Receive;
        let is_first = self.model.before_update.is_empty()
            && !edge.synchronisation.as_ref().is_some_and(|sync| receives(sync.direction));
        self.fails(|walk| {
            walk.select(&edge.select)?;
            let before = walk.memory.clone();
            if !walk.condition(&edge.guard)?.may_hold() {
                return None;
            }
            if let Some(data) = edge.guard.data {
                walk.assume(data, true)?;
            }
            if let Some(synchronisation) = &edge.synchronisation {
                walk.channel(synchronisation)?;
            }
            if !is_first {
                walk.memory = before;
            }
            walk.update(&edge.updates)
        })
    }

    /// Whether an invariant can fail, or an expression of rates and prices of the location.
    fn location_fails(&self, location: &Location) -> bool {
        let is_wrong = |id: ExpressionId, right: Interval| {
            self.may_fail(id)
                || declared_walk(self.model)
                    .evaluate(id)
                    .is_some_and(|values| !is_within(values, right))
        };
        self.fails(|walk| walk.condition(&location.invariant).map(|_| ()))
            || location.cost_rate.is_some_and(|id| is_wrong(id, (0, only(i32::MAX).1)))
            || location.rates.iter().any(|rate| {
                self.indices_fail(&rate.clock)
                    || rate.condition.is_some_and(|id| self.may_fail(id))
                    || is_wrong(rate.rate, TRUTH)
            })
    }

    /// Whether an evaluation can fail.
    fn fails(&self, evaluate: impl FnOnce(&mut DeclaredWalk<'m>) -> Option<()>) -> bool {
        let mut walk = declared_walk(self.model);
        evaluate(&mut walk);
        walk.failures().iter().any(|failure| !self.is_forgotten(failure))
    }

    /// Whether the clause that covers this failure is disabled.
    fn is_forgotten(&self, failure: &Failure) -> bool {
        let is_call = || matches!(self.model.expressions[failure.expression], Expression::Call(..));
        match failure.kind {
            FailureKind::ClockLimit => is_disabled(Clause::ClockLimit),
            FailureKind::Range => is_disabled(Clause::ReturnRange) && is_call(),
            _ => false,
        }
    }
}

fn is_within(values: Interval, range: Interval) -> bool {
    range.0 <= values.0 && values.1 <= range.1
}
