//! Clock constraints in guards and invariants, which are conjunctions, and in formulas of queries,
//! which are arbitrary.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Code, HybridEquation, Truth};
use zonaut_base::Span;
use zonaut_model::{ClockConstraint, Condition, ExpressionId, Formula, Rate, Relation};
use zonaut_syntax::tree;

/// The conjuncts of a guard or an invariant, by kind.
#[derive(Debug, Default)]
pub(crate) struct Conjunction {
    pub(crate) data: Option<(Code, Span)>,
    pub(crate) clocks: Vec<(ClockConstraint, Span)>,
    pub(crate) rates: Vec<(Rate, Span)>,
    pub(crate) cost_rates: Vec<(ExpressionId, Span)>,
    pub(crate) hybrid_rates: Vec<(HybridEquation, Span)>,
}

impl<'a> Lowering<'a> {
    /// Lowers a guard or an invariant.
    pub(crate) fn conjunction_of(
        &mut self,
        parts: &[tree::ExpressionId],
        place: &str,
    ) -> Conjunction {
        let mut conjunction = Conjunction::default();
        for &part in parts {
            let span = self.span_of(part);
            let truth = self.without_effects(span, place, |this| {
                this.warning_about_meta(span, place, |this| {
                    let operand = this.operand(part);
                    this.truth(operand, span)
                })
            });
            match truth {
                Some(truth) => self.add_conjunct(truth, None, &mut conjunction),
                None => self.record_loss(span),
            }
        }
        conjunction
    }

    /// Adds the conjuncts of `more`.
    pub(crate) fn join(&mut self, all: &mut Conjunction, more: Conjunction) {
        if let Some((code, span)) = more.data {
            self.add_data(code, span, None, all);
        }
        all.clocks.extend(more.clocks);
        all.rates.extend(more.rates);
        all.cost_rates.extend(more.cost_rates);
    }

    /// Adds `condition imply truth`.
    fn add_conjunct(&mut self, truth: Truth, condition: Option<Code>, all: &mut Conjunction) {
        match truth {
            Truth::Data(code, span) => self.add_data(code, span, condition, all),
            Truth::Clock(mut constraint, span) => {
                if condition != Some(Code::Constant(0)) {
                    constraint.condition = run_time_part(condition);
                    all.clocks.push((constraint, span));
                }
            }
            Truth::Rate(mut rate, span) => {
                if condition != Some(Code::Constant(0)) {
                    rate.condition = run_time_part(condition);
                    all.rates.push((rate, span));
                }
            }
            Truth::HybridRate(mut equation, span) => {
                if condition != Some(Code::Constant(0)) {
                    equation.condition = run_time_part(condition);
                    all.hybrid_rates.push((equation, span));
                }
            }
            Truth::CostRate(rate, span) if run_time_part(condition).is_none() => {
                if condition != Some(Code::Constant(0)) {
                    all.cost_rates.push((rate, span));
                }
            }
            Truth::CostRate(_, span) => {
                let message = "the cost rate cannot be conditional";
                let help = "write it as a conjunct of its own, with a conditional value";
                self.error(codes::RATE_HERE, span, message, help);
            }
            Truth::And(parts) => {
                for part in parts {
                    self.add_conjunct(part, condition, all);
                }
            }
            Truth::Or(parts) => self.add_disjunction(parts, condition, all),
            Truth::ClockDiffers(_, span) => {
                let message = "a guard or invariant cannot exclude a single clock value";
                let help = "use two edges, one with `<` and one with `>`";
                self.error(codes::CLOCK_INEQUALITY, span, message, help);
            }
            Truth::Not(inner) => {
                if let Some(span) = inner.span() {
                    let help = "write `x' == e` as a conjunct of its own";
                    self.error(codes::RATE_HERE, span, "a rate cannot be negated", help);
                }
            }
            Truth::Deadlock(span) => {
                let message = "`deadlock` is only allowed in queries";
                self.error(codes::DEADLOCK_HERE, span, message, "ask for deadlocks in a query");
            }
        }
    }

    fn add_data(&mut self, code: Code, span: Span, condition: Option<Code>, all: &mut Conjunction) {
        let code = match condition {
            None => code,
            Some(condition) => {
                let negative = self.fold_not(condition, span);
                self.fold_or(negative.boolean(), code.number(), span)
            }
        };
        if matches!(code, Code::Constant(value) if value != 0) {
            return;
        }
        all.data = Some(match all.data {
            None => (code, span),
            Some((before, first)) => {
                let whole = first.to(span);
                let both = self.fold_and(before.number(), code.number(), whole);
                (both, whole)
            }
        });
    }

    /// Adds a disjunction: if clocks occur in one disjunct only, that disjunct becomes conditional.
    fn add_disjunction(
        &mut self,
        parts: Vec<Truth>,
        condition: Option<Code>,
        all: &mut Conjunction,
    ) {
        let mut condition = condition;
        let mut clock_parts = Vec::new();
        for part in parts {
            let Truth::Data(code, span) = part else {
                clock_parts.push(part);
                continue;
            };
            let negative = self.fold_not(code, span);
            condition = Some(match condition {
                None => negative,
                Some(before) => self.fold_and(before.boolean(), negative.boolean(), span),
            });
        }
        if let [_, second, ..] = clock_parts.as_slice()
            && let Some(span) = second.span()
        {
            let message = "a guard or invariant cannot be a disjunction of clock constraints";
            let help = "use one edge for each alternative";
            self.error(codes::CLOCK_DISJUNCTION, span, message, help);
            return;
        }
        for part in clock_parts {
            self.add_conjunct(part, condition, all);
        }
    }

    /// The condition of a conjunction without rates.
    pub(crate) fn condition_of(&mut self, conjunction: Conjunction) -> Condition {
        let rates = conjunction.rates.iter().map(|(_, span)| *span);
        let rates = rates.chain(conjunction.cost_rates.iter().map(|(_, span)| *span));
        for span in rates.chain(conjunction.hybrid_rates.iter().map(|(_, span)| *span)) {
            let help = "rates belong in invariants";
            self.error(codes::RATE_HERE, span, "a rate cannot be set here", help);
        }
        Condition {
            data: conjunction.data.map(|(code, span)| self.expression_of(code, span)),
            clocks: conjunction.clocks.into_iter().map(|(constraint, _)| constraint).collect(),
        }
    }

    /// The formula of a query.
    pub(crate) fn formula_of(&mut self, truth: Truth) -> Formula {
        match truth {
            Truth::Data(code, span) => Formula::Data(self.expression_of(code, span)),
            Truth::Clock(constraint, _) => Formula::Clock(constraint),
            Truth::ClockDiffers(constraint, _) => {
                let less = ClockConstraint { relation: Relation::Less, ..constraint.clone() };
                let greater = ClockConstraint { relation: Relation::Greater, ..constraint };
                Formula::Or(vec![Formula::Clock(less), Formula::Clock(greater)])
            }
            Truth::Deadlock(_) => Formula::Deadlock,
            Truth::Not(inner) => Formula::Not(Box::new(self.formula_of(*inner))),
            Truth::And(parts) => {
                Formula::And(parts.into_iter().map(|part| self.formula_of(part)).collect())
            }
            Truth::Or(parts) => {
                Formula::Or(parts.into_iter().map(|part| self.formula_of(part)).collect())
            }
            Truth::Rate(_, span) | Truth::CostRate(_, span) | Truth::HybridRate(_, span) => {
                let help = "rates belong in invariants";
                self.error(codes::RATE_HERE, span, "a query cannot refer to rates", help);
                Formula::truth()
            }
        }
    }
}

fn run_time_part(condition: Option<Code>) -> Option<ExpressionId> {
    match condition {
        Some(Code::Run(id)) => Some(id),
        Some(Code::Constant(_)) | None => None,
    }
}
