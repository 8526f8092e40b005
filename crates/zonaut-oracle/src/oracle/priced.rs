//! Least costs, reduced to reachability.
//!
//! Time is measured by an additional clock that is never set, prices by an additional cell that is
//! cut off above the cost in question. A claim about costs thereby becomes a reachability query:
//! decided in integer time if no bound is strict, by regions otherwise. Without strict bounds, a
//! cost below an integer is at most one less.

use super::{Limits, Verdict, integer_time, is_closed, is_diagonal_free, region};
use zonaut_model::{
    BinaryOperator, Cell, CellId, CellKind, Clock, ClockConstraint, ClockId, Expression,
    ExpressionId, Formula, Model, Place, QueryKind, Range, Relation, Storage, ValueOf,
};

/// A claim about the cost of reaching a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The goal is unreachable.
    Unreachable,
    /// The minimal cost.
    Least(i32),
    /// The infimum of costs, which no run attains.
    Infimum(i32),
}

/// Whether a claim about `E<> p` is true in a model whose cost rate is `rate`, 0 or 1, and whose
/// prices are paid by updates of edges; `None` if it cannot be decided.
#[must_use]
pub fn is_true(
    model: &Model,
    query: &QueryKind,
    rate: i32,
    claim: Claim,
    limits: Limits,
) -> Option<bool> {
    let QueryKind::Possibly(goal) = query else { return None };
    let reaches = |value: i32, relation| {
        let (metered, query) = Metered::new(model, value + 1)?.ask(goal, rate, relation, value);
        reachable(&metered, &query, limits)
    };
    match claim {
        Claim::Unreachable => reachable(model, query, limits).map(|is_reachable| !is_reachable),
        Claim::Least(value) => {
            let is_cheaper = match is_closed(model, query) {
                true if value == 0 => false,
                true => reaches(value - 1, Relation::LessEqual)?,
                false => reaches(value, Relation::Less)?,
            };
            Some(reaches(value, Relation::LessEqual)? && !is_cheaper)
        }
        Claim::Infimum(value) => {
            Some(!reaches(value, Relation::LessEqual)? && reaches(value + 1, Relation::Less)?)
        }
    }
}

fn reachable(model: &Model, query: &QueryKind, limits: Limits) -> Option<bool> {
    let verdict = match is_closed(model, query) {
        true => integer_time(model, query, limits),
        false if is_diagonal_free(model, query) => region(model, query, limits),
        false => return None,
    };
    match verdict {
        Verdict::Decided(answer) if answer.failure.is_some() && answer.goal.is_none() => None,
        verdict => verdict.is_reachable(),
    }
}

/// A model with a clock for time and a cell for prices.
pub(super) struct Metered {
    pub(super) model: Model,
    time: ClockId,
    pub(super) paid: CellId,
}

impl Metered {
    /// Prices are cut off at `most`. `None` if a price is paid elsewhere than in the update of an
    /// edge.
    pub(super) fn new(model: &Model, most: i32) -> Option<Self> {
        let mut model = model.clone();
        let time = model.clocks.push(Clock { name: "#time".into(), owner: None, initial: 0 });
        let range = Range { low: 0, high: most.max(0) };
        let paid = model.cells.push(Cell {
            name: "#paid".into(),
            owner: None,
            range,
            initial: 0,
            meta: false,
            kind: CellKind::Integer,
        });
        let mut metered = Self { model, time, paid };
        metered.replace_prices(range.high).then_some(metered)
    }

    /// Replaces payments by assignments; returns whether all could be replaced.
    fn replace_prices(&mut self, most: i32) -> bool {
        let is_price = |(_, e): &(ExpressionId, &Expression)| matches!(e, Expression::AddCost(_));
        let prices = self.model.expressions.iter_enumerated().filter(is_price).count();
        let mut replaced = 0;
        let mut processes = std::mem::take(&mut self.model.processes);
        for process in processes.iter_mut() {
            for edge in process.edges.iter_mut() {
                for update in &mut edge.updates {
                    if let Expression::AddCost(price) = self.model.expressions[*update] {
                        *update = self.pay(price, most);
                        replaced += 1;
                    }
                }
            }
        }
        self.model.processes = processes;
        prices == replaced
    }

    fn push(&mut self, expression: Expression) -> ExpressionId {
        self.model.expressions.push(expression)
    }

    fn paid(&mut self) -> ExpressionId {
        self.push(Expression::Read(Place::fixed(Storage::Cell(self.paid))))
    }

    fn pay(&mut self, price: ExpressionId, most: i32) -> ExpressionId {
        let paid = self.paid();
        let most = self.push(Expression::Constant(most));
        let sum = self.push(Expression::Binary(BinaryOperator::Add, paid, price));
        let value = self.push(Expression::Binary(BinaryOperator::Minimum, sum, most));
        let place = Place::fixed(Storage::Cell(self.paid));
        let result = ValueOf::After;
        self.push(Expression::Assign { place, operator: None, value, result })
    }

    /// The query whether the goal is reachable with a cost that compares to `value` as given.
    fn ask(
        mut self,
        goal: &Formula,
        rate: i32,
        relation: Relation,
        value: i32,
    ) -> (Model, QueryKind) {
        let value = self.push(Expression::Constant(value));
        let paid = self.paid();
        let cheap = if rate == 0 {
            let operator = match relation {
                Relation::Less => BinaryOperator::Less,
                _ => BinaryOperator::LessEqual,
            };
            Formula::Data(self.push(Expression::Binary(operator, paid, value)))
        } else {
            let bound = self.push(Expression::Binary(BinaryOperator::Subtract, value, paid));
            let (left, right) = (Place::fixed(self.time), None);
            Formula::Clock(ClockConstraint { condition: None, left, right, relation, bound })
        };
        (self.model, QueryKind::Possibly(Formula::And(vec![goal.clone(), cheap])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front_end::model_of;
    use zonaut_base::Id;
    use zonaut_model::QueryId;

    fn check(guard: &str, truths: [bool; 4]) {
        let text = format!(
            "clock x; process P() {{ state a, b; init a; \
             trans a -> b {{ guard {guard}; assign cost += 10; }}; }} system P;"
        );
        let (model, _) = model_of(&text, &["E<> P.b"]).expect("correct");
        let query = &model.queries[QueryId::from_index(0)].kind;
        let claims = [Claim::Least(14), Claim::Infimum(14), Claim::Least(13), Claim::Infimum(13)];
        let judged =
            claims.map(|claim| is_true(&model, query, 1, claim, Limits::default()) == Some(true));
        assert_eq!(judged, truths);
        let free = is_true(&model, query, 0, Claim::Least(10), Limits::default());
        assert_eq!(free, Some(true));
        let never = is_true(&model, query, 1, Claim::Unreachable, Limits::default());
        assert_eq!(never, Some(false));
    }

    #[test]
    fn attained_and_approached_costs_are_distinguished() {
        check("x >= 4", [true, false, false, false]);
        check("x > 4", [false, true, false, false]);
        check("x > 3 && x < 4", [false, false, false, true]);
    }
}
