//! Refinement of storage by conditions that hold or do not hold.
//!
//! Only conditions without effects are used, so that the storage they have read is unchanged:
//! comparisons of a place without computed indices, and combinations of them by `!`, `&&` and `||`.

use super::Walk;
use crate::domain::{Domain, Truth};
use zonaut_model::{BinaryOperator, Expression, ExpressionId, Model, Storage, UnaryOperator};

impl<D: Domain> Walk<'_, D> {
    /// Continues with the assumption that `condition`, which was evaluated just before, holds or
    /// does not hold; `None` if that is impossible.
    pub fn assume(&mut self, condition: ExpressionId, holds: bool) -> Option<()> {
        if !D::LEARNS || !is_pure(self.model, condition) {
            return Some(());
        }
        self.learn(condition, holds)
    }

    fn learn(&mut self, id: ExpressionId, holds: bool) -> Option<()> {
        match self.model.expressions[id] {
            Expression::Unary(UnaryOperator::Not, inner) => self.learn(inner, !holds),
            Expression::And(..) | Expression::Or(..) => self.learn_chain(id, holds),
            Expression::Binary(operator, left, right) if operator.is_comparison() => {
                let operator = if holds { operator } else { opposite(operator) };
                self.compare(left, operator, right)?;
                self.compare(right, mirrored(operator), left)
            }
            Expression::Read(_) => {
                let operator = if holds { BinaryOperator::NotEqual } else { BinaryOperator::Equal };
                let zero = self.domain.constant(0);
                match self.read_address(id) {
                    Some(address) => {
                        self.domain.restrict(&mut self.memory, address, operator, &zero)
                    }
                    None => Some(()),
                }
            }
            _ => Some(()),
        }
    }

    /// A conjunction that holds has parts that hold, and a disjunction that fails has parts that
    /// fail. In the converse case, one of them decides, which is known if only one is undecided.
    fn learn_chain(&mut self, id: ExpressionId, holds: bool) -> Option<()> {
        let model = self.model;
        let is_and = matches!(model.expressions[id], Expression::And(..));
        let mut parts = Vec::new();
        let mut left = id;
        while let (Expression::And(inner, right), true) | (Expression::Or(inner, right), false) =
            (&model.expressions[left], is_and)
        {
            parts.push(*right);
            left = *inner;
        }
        parts.push(left);
        if is_and == holds {
            return parts.into_iter().rev().try_for_each(|part| self.learn(part, holds));
        }
        if let [right, left] = parts[..] {
            let innocent = if is_and { Truth::Holds } else { Truth::Fails };
            let value = self.value(left)?;
            if self.domain.truth(&value) == innocent {
                return self.learn(right, holds);
            }
        }
        Some(())
    }

    /// Removes from the place that `id` reads, if it is one, the contents that satisfy the
    /// comparison with no value of `other`.
    fn compare(
        &mut self,
        id: ExpressionId,
        operator: BinaryOperator,
        other: ExpressionId,
    ) -> Option<()> {
        let Some(address) = self.read_address(id) else { return Some(()) };
        let other = self.value(other)?;
        self.domain.restrict(&mut self.memory, address, operator, &other)
    }

    fn read_address(&self, id: ExpressionId) -> Option<Storage> {
        match &self.model.expressions[id] {
            Expression::Read(place) if place.is_fixed() => match place.root {
                Storage::Constant(_) => None,
                address => Some(address),
            },
            _ => None,
        }
    }
}

fn opposite(operator: BinaryOperator) -> BinaryOperator {
    use BinaryOperator as B;
    match operator {
        B::Less => B::GreaterEqual,
        B::LessEqual => B::Greater,
        B::Equal => B::NotEqual,
        B::NotEqual => B::Equal,
        B::GreaterEqual => B::Less,
        B::Greater => B::LessEqual,
        other => other,
    }
}

fn mirrored(operator: BinaryOperator) -> BinaryOperator {
    use BinaryOperator as B;
    match operator {
        B::Less => B::Greater,
        B::LessEqual => B::GreaterEqual,
        B::GreaterEqual => B::LessEqual,
        B::Greater => B::Less,
        other => other,
    }
}

/// Whether evaluating an expression has no effect, by a simple syntactic check.
fn is_pure(model: &Model, id: ExpressionId) -> bool {
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        let expression = &model.expressions[id];
        let changes = matches!(
            expression,
            Expression::Assign { .. }
                | Expression::CopyContent(..)
                | Expression::Call(..)
                | Expression::AssignClock(..)
                | Expression::CopyClock(..)
                | Expression::AddCost(_)
                // It binds a variable, which a comparison outside may read.
                | Expression::Quantifier { .. }
        );
        if changes {
            return false;
        }
        expression.for_each_child(|child| open.push(child));
    }
    true
}
