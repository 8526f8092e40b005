//! How many steps evaluations take: beyond a limit they fail.
//!
//! Counted is what the interpreter counts and what compiled code counts, whichever is more: every
//! expression, the operands of a chain twice, every turn of a quantifier or a loop, every call.
//! Loops without a known number of turns are not counted here, for they can fail in any case.

use zonaut_base::IndexVec;
use zonaut_model::interpret::DEFAULT_BUDGET;
use zonaut_model::{Expression, ExpressionId, FunctionId, Model, Statement};

/// For each expression, whether evaluating it may take more steps than are allowed.
pub(super) fn beyond_budget(model: &Model) -> IndexVec<ExpressionId, bool> {
    let mut steps = Steps {
        expressions: model.expressions.iter().map(|_| 0).collect(),
        functions: model.functions.iter().map(|_| 0).collect(),
    };
    // A function may be called by an expression that comes before its body. Calls go deeper in each
    // round, and there is no recursion.
    while steps.count(model) {}
    steps.expressions.iter().map(|&count| count > DEFAULT_BUDGET).collect()
}

/// The most steps that are known so far.
struct Steps {
    expressions: IndexVec<ExpressionId, u64>,
    functions: IndexVec<FunctionId, u64>,
}

impl Steps {
    /// Counts once more, and says whether a function takes longer than was known.
    fn count(&mut self, model: &Model) -> bool {
        for (id, expression) in model.expressions.iter_enumerated() {
            let mut inside = 0u64;
            expression.for_each_child(|child| {
                inside = inside.saturating_add(self.expressions[child]);
            });
            let all = match expression {
                Expression::Quantifier { low, high, .. } => repeated(*low, *high, inside),
                Expression::Call(function, _) => inside.saturating_add(self.functions[*function]),
                _ => inside,
            };
            self.expressions[id] = all.saturating_add(2);
        }
        let mut is_changed = false;
        for (id, function) in model.functions.iter_enumerated() {
            let count = self.body(&function.body);
            is_changed |= count > self.functions[id];
            self.functions[id] = count;
        }
        is_changed
    }

    fn body(&self, body: &[Statement]) -> u64 {
        let of = |id: &ExpressionId| self.expressions[*id];
        let count = |statement: &Statement| match statement {
            Statement::Expression(id) | Statement::Assert(id) | Statement::Return(Some(id)) => {
                of(id)
            }
            Statement::If(condition, yes, no) => {
                of(condition).saturating_add(self.body(yes).max(self.body(no))).saturating_add(1)
            }
            Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                of(condition).saturating_add(self.body(body))
            }
            Statement::Iterate { low, high, body, .. } => repeated(*low, *high, self.body(body)),
            Statement::Return(None) => 0,
            Statement::ReturnContent { source, .. } => {
                source.indices.iter().map(|index| of(&index.value)).fold(0, u64::saturating_add)
            }
        };
        body.iter().map(count).fold(1, u64::saturating_add)
    }
}

/// The steps of a loop whose body takes so many.
fn repeated(low: i32, high: i32, body: u64) -> u64 {
    let turns = (i64::from(high) - i64::from(low) + 1).max(0).unsigned_abs();
    turns.saturating_mul(body.saturating_add(1))
}
