//! Lowering of queries about samples of random runs.

use crate::codes;
use crate::lowering::Lowering;
use crate::operand::{Operand, RealCode};
use zonaut_model::statistical::Real;
use zonaut_model::{
    Experiment, Expression, Formula, Observed, PathFormula, RunBound, RunFilter, RunMeasure,
    StatisticalQuery,
};
use zonaut_syntax::tree;

impl<'a> Lowering<'a> {
    pub(crate) fn statistical_query(
        &mut self,
        written: &'a tree::StatisticalQuery,
    ) -> Option<StatisticalQuery> {
        Some(match written {
            tree::StatisticalQuery::Probability(experiment) => {
                StatisticalQuery::Probability(self.experiment(experiment)?)
            }
            tree::StatisticalQuery::Hypothesis { experiment, at_least, probability } => {
                let experiment = self.experiment(experiment);
                let probability = self.probability(*probability)?;
                StatisticalQuery::Hypothesis {
                    experiment: experiment?,
                    at_least: *at_least,
                    probability,
                }
            }
            tree::StatisticalQuery::Comparison(one, other) => {
                let (one, other) = (self.experiment(one), self.experiment(other));
                StatisticalQuery::Comparison(one?, other?)
            }
            tree::StatisticalQuery::Expectation { bound, greatest, value } => {
                let (bound, value) = (self.run_bound(bound), self.observed(value.id));
                StatisticalQuery::Expectation { bound: bound?, greatest: *greatest, value: value? }
            }
            tree::StatisticalQuery::Simulation { bound, values, filter } => {
                let bound = self.run_bound(bound);
                let values: Vec<Option<Observed>> =
                    values.iter().map(|value| self.observed(value.id)).collect();
                let filter = match filter {
                    None => None,
                    Some(tree::RunFilter { count, formula }) => {
                        let count = match count {
                            None => None,
                            Some(count) => Some(self.run_count(*count)?),
                        };
                        Some(RunFilter { count, formula: self.run_formula(*formula)? })
                    }
                };
                let values = values.into_iter().collect::<Option<_>>()?;
                StatisticalQuery::Simulation { bound: bound?, values, filter }
            }
        })
    }

    fn experiment(&mut self, written: &'a tree::Experiment) -> Option<Experiment> {
        let bound = self.run_bound(&written.bound);
        let path = match &written.path {
            tree::PathFormula::Eventually(p) => PathFormula::Eventually(self.run_formula(*p)?),
            tree::PathFormula::Always(p) => PathFormula::Always(self.run_formula(*p)?),
            tree::PathFormula::Until(p, q) => {
                let (p, q) = (self.run_formula(*p), self.run_formula(*q));
                PathFormula::Until(p?, q?)
            }
        };
        Some(Experiment { bound: bound?, path })
    }

    /// A state formula of a run. A run shows one state after the other, not what follows a state,
    /// so `deadlock` has no meaning in it.
    fn run_formula(&mut self, id: tree::ExpressionId) -> Option<Formula> {
        let formula = self.formula(id)??;
        if formula.mentions_deadlock() {
            let help = "ask `E<> deadlock`, or compare with the locations that have no way out";
            let message = "`deadlock` cannot be observed along a run";
            self.error(codes::STATISTICAL_QUERY, self.span_of(id), message, help);
            return None;
        }
        Some(formula)
    }

    fn run_bound(&mut self, written: &'a tree::RunBound) -> Option<RunBound> {
        let measure = match &written.measure {
            tree::RunMeasure::Time => Some(RunMeasure::Time),
            tree::RunMeasure::Steps => Some(RunMeasure::Steps),
            tree::RunMeasure::Expression(id) => self.real(*id).map(RunMeasure::Value),
        };
        let limit = self.real(written.limit);
        let at = self.push(Expression::Constant(0), self.span_of(written.limit));
        let runs = match written.runs {
            None => None,
            Some(runs) => Some(self.run_count(runs)?),
        };
        Some(RunBound { measure: measure?, limit: limit?, at, runs })
    }

    /// A number of runs.
    fn run_count(&mut self, id: tree::ExpressionId) -> Option<u32> {
        let number = self.constant_number(id)?;
        if let Ok(count @ 1..) = u32::try_from(number) {
            return Some(count);
        }
        let message = format!("{number} is not a number of runs");
        let help = "write a number of at least 1";
        self.error(codes::STATISTICAL_QUERY, self.span_of(id), message, help);
        None
    }

    /// A probability that is known before the model runs.
    fn probability(&mut self, id: tree::ExpressionId) -> Option<Real> {
        let span = self.span_of(id);
        let operand = self.operand(id);
        let code = self.real_operand(operand, span)?;
        if let RealCode::Constant(value) = code
            && (0.0..=1.0).contains(&value)
        {
            return Some(Real::new(value));
        }
        let message = "a probability is compared with a constant between 0 and 1";
        let help = "write a number such as `0.95`";
        self.error(codes::STATISTICAL_QUERY, span, message, help);
        None
    }

    fn observed(&mut self, id: tree::ExpressionId) -> Option<Observed> {
        let span = self.span_of(id);
        match self.operand(id) {
            Operand::Truth(truth) => Some(Observed::Truth(self.formula_of(truth))),
            operand => {
                let code = self.real_operand(operand, span)?;
                Some(Observed::Number(self.real_of(code)))
            }
        }
    }
}
