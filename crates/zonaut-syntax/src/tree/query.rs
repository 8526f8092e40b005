//! Syntax trees of queries.

use super::{ExpressionId, Expressions};
use crate::Flawless;
use zonaut_base::Span;

/// The queries of one file, with their expressions.
#[derive(Clone, Debug, Default)]
pub struct Queries {
    /// All expressions of the queries.
    pub expressions: Expressions,
    /// The entries, in order, headings included.
    pub entries: Vec<QueryEntry>,
}

/// One entry of a query list.
#[derive(Clone, Debug)]
pub struct QueryEntry {
    /// Its number among the queries, from 1, as `verifyta` counts; 0 for headings.
    pub index: u32,
    /// The parsed query; absent for headings, comments, and text with an error.
    pub query: Option<Flawless<Query>>,
    /// The formula as written, without surrounding blanks.
    pub text: String,
    /// The comment of the query.
    pub comment: String,
    /// Options of the query, as key and value.
    pub options: Vec<(String, String)>,
    /// The expected outcome, if the file has one.
    pub expect: Option<Expectation>,
    /// The position of the formula.
    pub span: Span,
}

impl QueryEntry {
    /// Whether the entry is a heading or a comment, without a formula.
    #[must_use]
    pub fn is_heading(&self) -> bool {
        self.query.is_none() && self.text.is_empty()
    }
}

/// A parsed query.
#[derive(Clone, Debug)]
pub enum Query {
    /// `E<> p`
    Possibly(ExpressionId),
    /// `A[] p`
    Always(ExpressionId),
    /// `E[] p`
    PossiblyAlways(ExpressionId),
    /// `A<> p`
    Eventually(ExpressionId),
    /// `p --> q`
    LeadsTo(ExpressionId, ExpressionId),
    /// `sup{p}: e, ...`
    Supremum(Option<ExpressionId>, Vec<WrittenExpression>),
    /// `inf{p}: e, ...`
    Infimum(Option<ExpressionId>, Vec<WrittenExpression>),
    /// `bounds{p}: e, ...`
    Bounds(Option<ExpressionId>, Vec<WrittenExpression>),
    /// A query about a sample of random runs.
    Statistical(StatisticalQuery),
    /// A query of a kind that Zonaut recognises but does not support, with the name of the kind.
    Unsupported(&'static str),
}

/// A query about a sample of random runs.
#[derive(Clone, Debug)]
pub enum StatisticalQuery {
    /// `Pr[bound](path)`
    Probability(Experiment),
    /// `Pr[bound](path) >= p`, or with `<=`
    Hypothesis {
        /// The runs and the path formula.
        experiment: Experiment,
        /// Whether the relation is `>=`.
        at_least: bool,
        /// The probability that is compared.
        probability: ExpressionId,
    },
    /// `Pr[bound](path) >= Pr[bound](path)`
    Comparison(Experiment, Experiment),
    /// `E[bound](max: e)`, or with `min`
    Expectation {
        /// The length and the number of runs.
        bound: RunBound,
        /// Whether the greatest value of each run counts; otherwise the least one.
        greatest: bool,
        /// The value.
        value: WrittenExpression,
    },
    /// `simulate[bound]{e, ...}`
    Simulation {
        /// The length and the number of runs.
        bound: RunBound,
        /// The values.
        values: Vec<WrittenExpression>,
        /// The filter of runs.
        filter: Option<RunFilter>,
    },
}

/// Runs of bounded length, and the path formula that each satisfies or not.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The length and the number of runs.
    pub bound: RunBound,
    /// The formula.
    pub path: PathFormula,
}

/// The length and the number of runs.
#[derive(Clone, Debug)]
pub struct RunBound {
    /// The quantity that bounds a run.
    pub measure: RunMeasure,
    /// Its greatest value.
    pub limit: ExpressionId,
    /// The number of runs, if written.
    pub runs: Option<ExpressionId>,
}

/// The quantity that bounds a run.
#[derive(Clone, Debug)]
pub enum RunMeasure {
    /// The time since the start of the run.
    Time,
    /// The number of transitions.
    Steps,
    /// A clock, or another expression.
    Expression(ExpressionId),
}

/// A formula about a run.
#[derive(Clone, Debug)]
pub enum PathFormula {
    /// `<> p`
    Eventually(ExpressionId),
    /// `[] p`
    Always(ExpressionId),
    /// `p U q`
    Until(ExpressionId, ExpressionId),
}

/// The filter of a simulation, `: count : p`.
#[derive(Clone, Debug)]
pub struct RunFilter {
    /// The number of satisfying runs after which the simulation ends, if written.
    pub count: Option<ExpressionId>,
    /// A run satisfies the filter if it reaches a state with this.
    pub formula: ExpressionId,
}

/// An expression of a query, with its text.
#[derive(Clone, Debug)]
pub struct WrittenExpression {
    /// The expression.
    pub id: ExpressionId,
    /// Its text from the first token to the last, with character references decoded. The span of
    /// the expression covers the references themselves.
    pub text: String,
}

/// The outcome that a file expects of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// The outcome's word: `success`, `failure`, `maybe_true`, ...
    pub outcome: String,
    /// The kind of value, if given.
    pub kind: Option<String>,
    /// The value, if given.
    pub value: Option<String>,
}
