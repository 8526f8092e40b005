//! Models from text, and samples of their runs.

#![allow(dead_code, reason = "each test file uses a part of it")]

use zonaut_base::{Meter, SourceFile, SourceMap};
use zonaut_compile::CompiledNetwork;
use zonaut_lower::{LowerOptions, lower};
use zonaut_model::{Model, QueryKind, RunBound, StatisticalQuery};
use zonaut_sampling::estimate::Mean;
use zonaut_sampling::{Outcome, RunError, RunSubject, SampledQuery, Sampler, SamplerOptions};
use zonaut_syntax::{ParseOptions, parse_model, parse_query_text};

/// The number of runs of an experiment.
pub(crate) const RUNS: u64 = 10_000;

/// A model with one statistical query.
pub(crate) struct Experiment {
    pub(crate) model: Model,
    pub(crate) bound: RunBound,
    pub(crate) subject: RunSubject,
}

/// The model in XTA text with this query.
pub(crate) fn model_of(text: &str, query: &str) -> Model {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("model.xta", text));
    let (document, problems) = parse_model(&mut sources, file, &ParseOptions::default());
    assert!(!problems.has_errors(), "{problems:?}");
    let file = sources.add(SourceFile::new("query.q", query));
    let (queries, problems) = parse_query_text(&mut sources, file, &ParseOptions::default());
    assert!(!problems.has_errors(), "{problems:?}");
    let lowered = lower(&document, &[&queries], &LowerOptions::default());
    assert!(!lowered.diagnostics.has_errors(), "{:?}", lowered.diagnostics);
    lowered.model.expect("a correct model")
}

impl Experiment {
    pub(crate) fn new(text: &str, query: &str) -> Self {
        let model = model_of(text, query);
        let kind = model.queries.iter().next().expect("a query").kind.clone();
        let QueryKind::Statistical(kind) = kind else { unreachable!("{query} is not statistical") };
        let (bound, subject) = match *kind {
            StatisticalQuery::Probability(experiment) => {
                (experiment.bound, RunSubject::Path(experiment.path))
            }
            StatisticalQuery::Expectation { bound, greatest, value } => {
                (bound, RunSubject::Extreme { value, greatest })
            }
            StatisticalQuery::Simulation { bound, values, filter } => {
                let filter = filter.map(|filter| filter.formula);
                (bound, RunSubject::Trajectory { values, filter })
            }
            other => unreachable!("{other:?}"),
        };
        Self { model, bound, subject }
    }

    /// The outcomes of these runs.
    pub(crate) fn outcomes(
        &self,
        seed: u64,
        runs: std::ops::Range<u64>,
    ) -> Vec<Result<Outcome, RunError>> {
        let meter = Meter::default();
        let network = CompiledNetwork::for_sampling(&self.model, &meter).expect("few actions");
        let query = SampledQuery::new(&self.model, &self.bound, &self.subject);
        let mut sampler = Sampler::new(&network, SamplerOptions::default(), &meter);
        runs.map(|run| query.sample(&mut sampler, seed, run)).collect()
    }

    /// The outcome of the first run, with at most this number of steps.
    pub(crate) fn outcomes_within(&self, step_limit: u64) -> Vec<Result<Outcome, RunError>> {
        let meter = Meter::default();
        let network = CompiledNetwork::for_sampling(&self.model, &meter).expect("few actions");
        let query = SampledQuery::new(&self.model, &self.bound, &self.subject);
        let options = SamplerOptions { step_limit, ..SamplerOptions::default() };
        let mut sampler = Sampler::new(&network, options, &meter);
        vec![query.sample(&mut sampler, 0, 0)]
    }

    /// The share of runs that satisfy the formula.
    pub(crate) fn frequency(&self) -> f64 {
        self.frequency_of(RUNS)
    }

    /// The same for a number of runs.
    pub(crate) fn frequency_of(&self, runs: u64) -> f64 {
        let outcomes = self.outcomes(1, 0..runs).into_iter();
        let holds = outcomes.filter(|outcome| match outcome {
            Ok(Outcome::Path { holds, .. }) => *holds,
            other => unreachable!("{other:?}"),
        });
        holds.count() as f64 / runs as f64
    }

    /// The mean of the values, and their standard deviation.
    pub(crate) fn mean(&self) -> (f64, f64) {
        self.mean_of(RUNS)
    }

    /// The same for a number of runs.
    pub(crate) fn mean_of(&self, runs: u64) -> (f64, f64) {
        let mut mean = Mean::default();
        for outcome in self.outcomes(1, 0..runs) {
            let Ok(Outcome::Extreme(value)) = outcome else { unreachable!("{outcome:?}") };
            mean.add(value);
        }
        (mean.mean, mean.deviation())
    }
}
