//! Queries about samples of random runs, in typed form.

use crate::statistical::{Real, RealId};
use crate::{ExpressionId, Formula};

/// A query about a sample of random runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatisticalQuery {
    /// The probability that a run satisfies a path formula.
    Probability(Experiment),
    /// Whether the probability is at least, or at most, a given one.
    Hypothesis {
        /// The runs and the path formula.
        experiment: Experiment,
        /// Whether the probability shall be at least the given one; otherwise at most.
        at_least: bool,
        /// The given probability, in [0, 1].
        probability: Real,
    },
    /// Whether the first probability is at least the second.
    Comparison(Experiment, Experiment),
    /// The expectation of the greatest or the least value of a run.
    Expectation {
        /// The length and the number of runs.
        bound: RunBound,
        /// Whether the greatest value of each run counts; otherwise the least one.
        greatest: bool,
        /// The value.
        value: Observed,
    },
    /// The values of expressions along runs.
    Simulation {
        /// The length and the number of runs.
        bound: RunBound,
        /// The values.
        values: Vec<Observed>,
        /// The filter of runs.
        filter: Option<RunFilter>,
    },
}

/// Runs of bounded length, and the path formula that each satisfies or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Experiment {
    /// The length and the number of runs.
    pub bound: RunBound,
    /// The formula.
    pub path: PathFormula,
}

/// The length and the number of runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunBound {
    /// The quantity that bounds a run.
    pub measure: RunMeasure,
    /// Its greatest value, evaluated at the start of a run.
    pub limit: RealId,
    /// The position of the limit, for errors.
    pub at: ExpressionId,
    /// The number of runs, if written; not 0.
    pub runs: Option<u32>,
}

/// The quantity that bounds a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunMeasure {
    /// The time since the start of the run.
    Time,
    /// The number of transitions.
    Steps,
    /// The value of an expression, such as a clock.
    Value(RealId),
}

/// A formula about a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathFormula {
    /// Some state satisfies the formula.
    Eventually(Formula),
    /// All states satisfy the formula.
    Always(Formula),
    /// Some state satisfies the second formula, and all states before it the first.
    Until(Formula, Formula),
}

/// A value that is observed along runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Observed {
    /// A number.
    Number(RealId),
    /// 1 where the formula holds, else 0.
    Truth(Formula),
}

/// The filter of a simulation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunFilter {
    /// The number of satisfying runs after which the simulation ends; not 0.
    pub count: Option<u32>,
    /// A run satisfies the filter if it reaches a state with this.
    pub formula: Formula,
}

impl StatisticalQuery {
    /// Its bounds of runs.
    pub fn bounds(&self) -> impl Iterator<Item = &RunBound> {
        let (first, second) = match self {
            Self::Probability(experiment) | Self::Hypothesis { experiment, .. } => {
                (&experiment.bound, None)
            }
            Self::Comparison(one, other) => (&one.bound, Some(&other.bound)),
            Self::Expectation { bound, .. } | Self::Simulation { bound, .. } => (bound, None),
        };
        std::iter::once(first).chain(second)
    }

    /// Its state formulas.
    #[must_use]
    pub fn formulas(&self) -> Vec<&Formula> {
        fn of_path(path: &PathFormula) -> Vec<&Formula> {
            match path {
                PathFormula::Eventually(p) | PathFormula::Always(p) => vec![p],
                PathFormula::Until(p, q) => vec![p, q],
            }
        }
        fn of_value(value: &Observed) -> Option<&Formula> {
            match value {
                Observed::Number(_) => None,
                Observed::Truth(formula) => Some(formula),
            }
        }
        match self {
            Self::Probability(experiment) | Self::Hypothesis { experiment, .. } => {
                of_path(&experiment.path)
            }
            Self::Comparison(one, other) => {
                of_path(&one.path).into_iter().chain(of_path(&other.path)).collect()
            }
            Self::Expectation { value, .. } => of_value(value).into_iter().collect(),
            Self::Simulation { values, filter, .. } => {
                let filter = filter.iter().map(|filter| &filter.formula);
                values.iter().filter_map(of_value).chain(filter).collect()
            }
        }
    }

    /// Its numbers: limits, measures and observed values.
    #[must_use]
    pub fn numbers(&self) -> Vec<RealId> {
        let mut numbers: Vec<RealId> = Vec::new();
        for bound in self.bounds() {
            numbers.push(bound.limit);
            if let RunMeasure::Value(value) = bound.measure {
                numbers.push(value);
            }
        }
        let values = match self {
            Self::Expectation { value, .. } => std::slice::from_ref(value),
            Self::Simulation { values, .. } => values,
            _ => &[],
        };
        numbers.extend(values.iter().filter_map(|value| match value {
            Observed::Number(number) => Some(*number),
            Observed::Truth(_) => None,
        }));
        numbers
    }
}
