//! Conditional evaluation and quantifiers.

use super::Walk;
use crate::domain::{Domain, Truth};
use zonaut_model::{
    BinaryOperator, ExpressionId, LocalId, QuantifierKind, Range, Statement, Storage,
};

impl<D: Domain> Walk<'_, D> {
    /// The truth value of a conjunction or disjunction: `decisive` is the value of the left side
    /// that decides it.
    pub(super) fn short_circuit(
        &mut self,
        condition: ExpressionId,
        left: &D::Value,
        right: ExpressionId,
        decisive: Truth,
    ) -> Option<D::Value> {
        let truth = self.domain.truth(left);
        if truth == decisive {
            return self.truth_value(left);
        }
        if truth != Truth::Either {
            let right = self.value(right)?;
            let value = self.truth_value(&right)?;
            return Some(self.domain.influenced(value, left));
        }
        let decided = self.domain.constant(i32::from(decisive == Truth::Holds));
        let scope = self.domain.scope(&self.memory);
        self.domain.decide(&mut self.memory, left);
        let before = self.memory.clone();
        let is_decided = decisive == Truth::Holds;
        let right = match self.assume(condition, !is_decided) {
            Some(()) => self.value(right),
            None => None,
        };
        let after = std::mem::replace(&mut self.memory, before);
        let value = match (right, self.assume(condition, is_decided)) {
            (None, without) => without.map(|()| decided)?,
            (Some(right), without) => {
                let right = self.truth_value(&right)?;
                match without {
                    None => {
                        self.memory = after;
                        right
                    }
                    Some(()) => {
                        self.domain.join_memory(&mut self.memory, after);
                        self.domain.leave(&mut self.memory, scope);
                        self.domain.join(decided, right)
                    }
                }
            }
        };
        Some(self.domain.influenced(value, left))
    }

    /// The value of one of two expressions.
    pub(super) fn choose_value(
        &mut self,
        condition: ExpressionId,
        yes: ExpressionId,
        no: ExpressionId,
    ) -> Option<D::Value> {
        let decision = self.value(condition)?;
        let value = match self.domain.truth(&decision) {
            Truth::Holds => self.value(yes)?,
            Truth::Fails => self.value(no)?,
            Truth::Either => {
                let scope = self.domain.scope(&self.memory);
                self.domain.decide(&mut self.memory, &decision);
                let before = self.memory.clone();
                let yes = self.assume(condition, true).and_then(|()| self.value(yes));
                let after_yes = std::mem::replace(&mut self.memory, before);
                let no = self.assume(condition, false).and_then(|()| self.value(no));
                match (yes, no) {
                    (Some(yes), Some(no)) => {
                        self.domain.join_memory(&mut self.memory, after_yes);
                        self.domain.leave(&mut self.memory, scope);
                        self.domain.join(yes, no)
                    }
                    (Some(yes), None) => {
                        self.memory = after_yes;
                        yes
                    }
                    (None, no) => no?,
                }
            }
        };
        Some(self.domain.influenced(value, &decision))
    }

    /// Runs one of two bodies; `None` if the end of neither is reached.
    pub(super) fn choose_body(
        &mut self,
        condition: ExpressionId,
        yes: &[Statement],
        no: &[Statement],
    ) -> Option<()> {
        let decision = self.value(condition)?;
        match self.domain.truth(&decision) {
            Truth::Holds => return self.run(yes),
            Truth::Fails => return self.run(no),
            Truth::Either => {}
        }
        let (scope, returns) = (self.domain.scope(&self.memory), self.returns);
        self.domain.decide(&mut self.memory, &decision);
        let before = self.memory.clone();
        let yes = self.assume(condition, true).and_then(|()| self.run(yes));
        let after_yes = std::mem::replace(&mut self.memory, before);
        let no = self.assume(condition, false).and_then(|()| self.run(no));
        match (yes, no) {
            (Some(()), Some(())) => {
                self.domain.join_memory(&mut self.memory, after_yes);
                // Statements after a `return` in one branch are executed only after the other.
                if self.returns == returns {
                    self.domain.leave(&mut self.memory, scope);
                }
            }
            (Some(()), None) => self.memory = after_yes,
            (None, no) => no?,
        }
        Some(())
    }

    pub(super) fn quantify(
        &mut self,
        id: ExpressionId,
        kind: QuantifierKind,
        binder: LocalId,
        values: Range,
        body: ExpressionId,
    ) -> Option<D::Value> {
        let Range { low, high } = values;
        if low > high {
            return Some(self.domain.constant(i32::from(kind == QuantifierKind::ForAll)));
        }
        let count = values.size();
        if count > u64::from(self.unrolling) {
            return self.quantify_together(id, kind, binder, values, body);
        }
        self.unrolling -= count as u32;
        if kind == QuantifierKind::Sum {
            let mut sum = self.domain.constant(0);
            for value in low..=high {
                self.bind(binder, value);
                let term = self.value(body)?;
                let applied = self.domain.binary(BinaryOperator::Add, &sum, &term);
                sum = self.succeed(id, applied)?;
            }
            return Some(sum);
        }
        // Sequentially, like a chain of `&&` or `||`: an instance that decides ends it.
        let decisive = if kind == QuantifierKind::ForAll { Truth::Fails } else { Truth::Holds };
        let mut ends = None;
        let mut all = self.domain.constant(i32::from(kind == QuantifierKind::ForAll));
        for value in low..=high {
            self.bind(binder, value);
            let Some(instance) = self.value(body) else {
                self.memory = ends?;
                let decided = self.domain.constant(i32::from(kind == QuantifierKind::Exists));
                return Some(self.domain.influenced(decided, &all));
            };
            let operator = match kind {
                QuantifierKind::Exists => BinaryOperator::BitOr,
                QuantifierKind::ForAll | QuantifierKind::Sum => BinaryOperator::BitAnd,
            };
            let truth = self.domain.truth(&instance);
            let instance = self.truth_value(&instance)?;
            all = self.domain.binary(operator, &all, &instance).value?;
            if truth == decisive {
                break;
            }
            if truth == Truth::Either {
                self.end_here(&mut ends);
            }
        }
        self.reach(ends);
        Some(all)
    }

    /// All instances of a quantifier together, in any order and number.
    fn quantify_together(
        &mut self,
        id: ExpressionId,
        kind: QuantifierKind,
        binder: LocalId,
        values: Range,
        body: ExpressionId,
    ) -> Option<D::Value> {
        let mut instances: Option<D::Value> = None;
        loop {
            let (before, steps) = (self.memory.clone(), self.steps);
            let instance = self.domain.between(values.low, values.high)?;
            self.domain.store(&mut self.memory, Storage::Local(binder), instance);
            let value = self.value(body)?;
            instances = Some(match instances {
                None => value,
                Some(others) => self.domain.join(others, value),
            });
            if !self.domain.widen(&before, &mut self.memory) {
                self.repeat_steps(steps, values.size());
                break;
            }
        }
        let instances = instances?;
        if kind == QuantifierKind::Sum {
            let applied = self.domain.sum(&instances, values.size());
            return self.succeed(id, applied);
        }
        self.truth_value(&instances)
    }

    /// Counts the steps since `before` `count` times.
    pub(super) fn repeat_steps(&mut self, before: u64, count: u64) {
        let once = self.steps - before;
        self.steps = self.steps.saturating_add(once.saturating_mul(count));
    }

    /// Binds temporary storage to a number, for example that of a select variable.
    pub fn bind(&mut self, binder: LocalId, value: i32) {
        let value = self.domain.constant(value);
        self.domain.store(&mut self.memory, Storage::Local(binder), value);
    }

    /// Records that evaluation may end here, or continue.
    pub(super) fn end_here(&mut self, ends: &mut Option<D::Memory>) {
        match ends {
            None => *ends = Some(self.memory.clone()),
            Some(ends) => self.domain.join_memory(ends, self.memory.clone()),
        }
    }

    /// Joins recorded ends of evaluation with the current memory.
    pub(super) fn reach(&mut self, ends: Option<D::Memory>) {
        if let Some(ends) = ends {
            self.domain.join_memory(&mut self.memory, ends);
        }
    }
}
