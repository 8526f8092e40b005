//! Options from Python, as JSON objects.

use crate::failure::misuse;
use pyo3::PyErr;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;
use zonaut_certification::{Certifier, Policy};
use zonaut_console::most_similar;
use zonaut_engine::strategy::CostStrategy;
use zonaut_engine::{
    Abstraction, Combination, Comparison, Dialect, LoadOptions, OptimizeOptions, Order, Parameters,
    Resources, SamplerOptions, SamplingOptions, Strategy, SymmetryWish, TraceWish, VerifyOptions,
    default_memory_limit,
};

/// Options of a type, from a JSON object. An exception names the wrong option.
pub(crate) fn parse<T: DeserializeOwned + Default>(text: &str) -> Result<T, PyErr> {
    serde_json::from_str(text).map_err(|error| {
        let options: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
        let wrong = options.into_iter().find_map(|(name, value)| {
            let alone = Value::from(Map::from_iter([(name.clone(), value)]));
            let error = serde_json::from_value::<T>(alone).err()?.to_string();
            Some(unknown_option(&error).unwrap_or_else(|| format!("`{name}`: {error}")))
        });
        misuse("option", wrong.unwrap_or_else(|| error.to_string()))
    })
}

/// The message about an option that serde does not know, with a suggestion.
fn unknown_option(error: &str) -> Option<String> {
    let mut names = error.strip_prefix("unknown field `")?.split('`').step_by(2);
    let name = names.next()?;
    // The parameters of statistical queries are options of their own in Python.
    let (nested, known): (Vec<&str>, Vec<&str>) = names.partition(|name| *name == "sampling");
    let sampling = SAMPLING.iter().filter(|_| !nested.is_empty());
    let known: Vec<&str> = known.into_iter().chain(sampling.copied()).collect();
    let help = match most_similar(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the options are {}", known.join(", ")),
    };
    Some(format!("unknown option `{name}`; {help}"))
}

/// The options of loading a model.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LoadRequest {
    /// Constants to be replaced.
    defines: Vec<(String, i64)>,
    old_syntax: bool,
    timeout: Option<f64>,
    memory: Option<u64>,
    /// Whether formulas may have errors, which are exceptions when they are checked.
    pub(crate) keeps_damage: bool,
}

impl LoadRequest {
    pub(crate) fn options(&self) -> Result<LoadOptions, PyErr> {
        let mut options = LoadOptions::default();
        options.parse.dialect = self.old_syntax.then_some(Dialect::Old);
        options.lower.defines = self.defines.clone();
        let limits = Limits { timeout: self.timeout, memory: self.memory, states: None };
        options.resources = limits.resources()?;
        Ok(options)
    }
}

/// The limits of a task.
#[derive(Clone, Copy, Debug, Default)]
struct Limits {
    timeout: Option<f64>,
    memory: Option<u64>,
    states: Option<usize>,
}

impl Limits {
    fn resources(self) -> Result<Resources, PyErr> {
        let time = self.timeout.map(Duration::try_from_secs_f64).transpose();
        let time = time.map_err(|_| misuse("option", "`timeout` is not a number of seconds"))?;
        let memory = self.memory.or_else(default_memory_limit);
        let memory = memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        Ok(Resources { time, memory, states: self.states, ..Resources::default() })
    }
}

/// The requested run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TraceRequest {
    /// None.
    None,
    /// The run that the search finds.
    #[default]
    Some,
    /// A run with the fewest transitions.
    Shortest,
    /// A run of minimal duration.
    Fastest,
}

/// The policy of certification.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CertifyRequest {
    Always,
    #[default]
    Auto,
    Never,
}

impl CertifyRequest {
    fn certifier(self) -> Certifier {
        let policy = match self {
            Self::Always => Policy::Always,
            Self::Auto => Policy::Auto,
            Self::Never => Policy::Never,
        };
        Certifier {
            policy,
            checker: zonaut::checker(),
            advice: "; `certify=\"always\"` waits for it",
        }
    }
}

/// The names of the parameters of statistical queries.
const SAMPLING: [&str; 10] = [
    "alpha",
    "beta",
    "epsilon",
    "lower_delta",
    "upper_delta",
    "u0",
    "u1",
    "histogram",
    "integration_step",
    "run_steps",
];

/// The parameters of statistical queries, with the names of the command line; absent ones have its
/// defaults.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SamplingRequest {
    alpha: Option<f64>,
    beta: Option<f64>,
    epsilon: Option<f64>,
    lower_delta: Option<f64>,
    upper_delta: Option<f64>,
    u0: Option<f64>,
    u1: Option<f64>,
    histogram: Option<usize>,
    integration_step: Option<f64>,
    run_steps: Option<u64>,
}

impl SamplingRequest {
    fn options(self) -> SamplingOptions {
        let SamplingOptions { parameters, sampler, .. } = SamplingOptions::default();
        SamplingOptions {
            parameters: Parameters {
                alpha: self.alpha.unwrap_or(parameters.alpha),
                beta: self.beta.unwrap_or(parameters.beta),
                epsilon: self.epsilon.unwrap_or(parameters.epsilon),
                lower_delta: self.lower_delta.unwrap_or(parameters.lower_delta),
                upper_delta: self.upper_delta.unwrap_or(parameters.upper_delta),
                lower_ratio: self.u0.unwrap_or(parameters.lower_ratio),
                upper_ratio: self.u1.unwrap_or(parameters.upper_ratio),
            },
            buckets: self.histogram,
            sampler: SamplerOptions {
                integration_step: self.integration_step.unwrap_or(sampler.integration_step),
                step_limit: self.run_steps.unwrap_or(sampler.step_limit),
            },
        }
    }
}

/// The options of answering a query or of an exploration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CheckRequest {
    strategy: String,
    seed: u64,
    threads: Option<NonZeroUsize>,
    abstraction: Option<String>,
    store: Option<String>,
    symmetry: bool,
    pub(crate) trace: TraceRequest,
    timeout: Option<f64>,
    memory: Option<u64>,
    states: Option<usize>,
    databases: Option<PathBuf>,
    explain: bool,
    sampling: SamplingRequest,
    certify: CertifyRequest,
    pub(crate) certificate: Option<PathBuf>,
}

impl Default for CheckRequest {
    fn default() -> Self {
        Self {
            strategy: "auto".to_owned(),
            seed: 0,
            threads: None,
            abstraction: None,
            store: None,
            symmetry: true,
            trace: TraceRequest::default(),
            timeout: None,
            memory: None,
            states: None,
            databases: None,
            explain: false,
            sampling: SamplingRequest::default(),
            certify: CertifyRequest::default(),
            certificate: None,
        }
    }
}

impl CheckRequest {
    pub(crate) fn options(&self) -> Result<VerifyOptions, PyErr> {
        let strategy: Strategy = parsed(&self.strategy)?;
        let is_exhaustive =
            matches!(strategy, Strategy::Auto { .. } | Strategy::Blind(Order::BreadthFirst));
        let uses_threads = is_exhaustive || zonaut_engine::is_asynchronous(&strategy);
        if self.threads.is_some_and(|threads| threads.get() > 1) && !uses_threads {
            let message = "this strategy uses one thread";
            return Err(misuse("option", message));
        }
        let abstraction = self.abstraction.as_deref().map(|name| {
            let names = Abstraction::ALL.map(Abstraction::name).join(", ");
            let wrong = || misuse("option", format!("`abstraction` is one of {names}"));
            Abstraction::named(name).ok_or_else(wrong)
        });
        let comparison = self.store.as_deref().map(|name| match name {
            "exact" => Ok(Comparison::Equality),
            "inclusion" => Ok(Comparison::Inclusion),
            "simulation" => Ok(Comparison::Simulation),
            _ => Err(misuse("option", "`store` is one of exact, inclusion, simulation")),
        });
        let limits = Limits { timeout: self.timeout, memory: self.memory, states: self.states };
        Ok(VerifyOptions {
            strategy,
            seed: self.seed,
            threads: self.threads,
            sampling: self.sampling.options(),
            abstraction: abstraction.transpose()?,
            comparison: comparison.transpose()?,
            symmetry: match self.symmetry {
                true => SymmetryWish::Use,
                false => SymmetryWish::Ignore,
            },
            trace: match self.trace {
                TraceRequest::None => TraceWish::None,
                TraceRequest::Some | TraceRequest::Fastest => TraceWish::Some,
                TraceRequest::Shortest => TraceWish::Shortest,
            },
            resources: limits.resources()?,
            databases: self.databases.clone(),
            explain: self.explain,
            distribution: None,
            spill: None,
        })
    }

    pub(crate) fn certifier(&self) -> Certifier {
        self.certify.certifier()
    }
}

/// The options of an optimisation.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OptimizeRequest {
    strategy: Option<String>,
    seed: u64,
    rates: Option<String>,
    threads: Option<NonZeroUsize>,
    timeout: Option<f64>,
    memory: Option<u64>,
    states: Option<usize>,
    certify: CertifyRequest,
    pub(crate) certificate: Option<PathBuf>,
}

impl OptimizeRequest {
    pub(crate) fn options(&self) -> Result<OptimizeOptions, PyErr> {
        let strategy = match &self.strategy {
            Some(text) => parsed(text)?,
            None => CostStrategy::default(),
        };
        let limits = Limits { timeout: self.timeout, memory: self.memory, states: self.states };
        Ok(OptimizeOptions {
            strategy,
            seed: self.seed,
            rates: combination(self.rates.as_deref())?,
            threads: self.threads,
            resources: limits.resources()?,
        })
    }

    pub(crate) fn certifier(&self) -> Certifier {
        self.certify.certifier()
    }
}

/// The combination of rates with this name; their sum without one.
pub(crate) fn combination(name: Option<&str>) -> Result<Combination, PyErr> {
    let wrong = || misuse("option", "`rates` is one of sum, min, max");
    match name {
        None => Ok(Combination::default()),
        Some(name) => Combination::ALL.into_iter().find(|one| one.name() == name).ok_or_else(wrong),
    }
}

/// A strategy from its text.
fn parsed<T: std::str::FromStr<Err = E>, E: std::fmt::Display>(text: &str) -> Result<T, PyErr> {
    text.parse().map_err(|error: E| misuse("option", format!("`strategy`: {error}")))
}
