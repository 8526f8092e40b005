//! Suites: the specification of measurements.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A suite file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Suite {
    pub(crate) title: Option<String>,
    /// The name of the environment variable with the directory of the models; without it they are
    /// relative to the suite.
    pub(crate) models_from: Option<String>,
    #[serde(default)]
    pub(crate) limits: Limits,
    /// The default settings of runs.
    #[serde(default)]
    pub(crate) defaults: Defaults,
    /// Other tools to measure besides ours, in every run with the models they need.
    #[serde(default)]
    pub(crate) peer: Vec<Peer>,
    pub(crate) run: Vec<Entry>,
}

/// The resource limits of one run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Limits {
    /// The time limit in seconds.
    pub(crate) time: u64,
    /// A size such as `2G`.
    pub(crate) memory: String,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: 60, memory: "2G".to_owned() }
    }
}

/// The default settings of runs. `{name}` in a path is the name of the run.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Defaults {
    pub(crate) model: Option<String>,
    pub(crate) queries: Option<String>,
    pub(crate) explore: bool,
    pub(crate) optimize: bool,
    pub(crate) trace: Option<String>,
    pub(crate) strategies: Option<Vec<String>>,
    pub(crate) abstractions: Vec<String>,
    pub(crate) seeds: Vec<u64>,
    /// The strategies that depend on seeds; all of them if absent.
    pub(crate) seeded: Option<Vec<String>>,
    pub(crate) repetitions: Option<u32>,
}

/// Runs of one model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Its name in the table; by default the model or family.
    pub(crate) name: Option<String>,
    pub(crate) model: Option<String>,
    /// A family with its parameters, as for `zonaut generate`; the file of a job shop is relative
    /// to the directory of models.
    pub(crate) family: Option<String>,
    pub(crate) queries: Option<String>,
    #[serde(default)]
    pub(crate) formulas: Vec<String>,
    /// Explore the whole state space instead of answering queries.
    pub(crate) explore: Option<bool>,
    /// Find a cheapest run instead of any.
    pub(crate) optimize: Option<bool>,
    pub(crate) trace: Option<String>,
    /// Strategy expressions, as for `--strategy`.
    pub(crate) strategies: Option<Vec<String>>,
    /// By default, that of each model.
    pub(crate) abstractions: Option<Vec<String>>,
    /// One run for each seed; the table shows the medians.
    pub(crate) seeds: Option<Vec<u64>>,
    /// The number of repetitions of each run; the table shows the medians.
    pub(crate) repetitions: Option<u32>,
    #[serde(default)]
    pub(crate) define: BTreeMap<String, i64>,
    pub(crate) limits: Option<Limits>,
    pub(crate) reference: Option<Reference>,
    /// Reference numbers by strategy.
    #[serde(default)]
    pub(crate) published: BTreeMap<String, Reference>,
    /// The command whose output is the model for other tools.
    pub(crate) peer_model: Option<Vec<String>>,
    /// Other tools to measure in this run instead of those of the suite.
    #[serde(default)]
    pub(crate) peer: Vec<Peer>,
}

/// Published numbers for comparison.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reference {
    /// Their source.
    pub(crate) source: Option<String>,
    pub(crate) transitions: Option<u64>,
    pub(crate) explored: Option<u64>,
    pub(crate) stored: Option<u64>,
    pub(crate) seconds: Option<f64>,
    pub(crate) megabytes: Option<f64>,
    /// The cost of the best solution.
    pub(crate) cost: Option<u64>,
    /// The cost of the first solution, and the number of states explored until it was found.
    pub(crate) first_cost: Option<u64>,
    pub(crate) first_explored: Option<u64>,
}

/// The command of our own tool that a run executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Task {
    Verify,
    Explore,
    Optimize,
}

impl Task {
    pub(crate) const fn command(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Explore => "explore",
            Self::Optimize => "optimize",
        }
    }

    /// The default strategy.
    pub(crate) const fn strategy(self) -> &'static str {
        match self {
            Self::Verify | Self::Explore => "bfs",
            Self::Optimize => "auto",
        }
    }
}

/// Another tool: its program and arguments, executed without a shell.
///
/// In its words `{model}` is the model that we read, `{peer_model}` the output of the run's
/// `peer_model`, and `{env:NAME}` an environment variable; if that is not set, or the run has no
/// such model, the tool is not measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) command: Vec<String>,
    /// The words before its numbers of explored and stored states in its output.
    pub(crate) explored: Option<String>,
    pub(crate) stored: Option<String>,
}

impl Suite {
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        toml::from_str(&text).map_err(|error| error.to_string())
    }
}

impl Entry {
    pub(crate) fn name(&self) -> String {
        let parts = [&self.name, &self.family, &self.model];
        parts.into_iter().flatten().next().cloned().unwrap_or_default()
    }

    /// The command for this entry.
    pub(crate) fn task(&self, defaults: &Defaults) -> Result<Task, String> {
        let explores = self.explore.unwrap_or(defaults.explore);
        let optimizes = self.optimize.unwrap_or(defaults.optimize);
        match (explores, optimizes) {
            (true, true) => Err(format!("`{}` cannot explore and optimize at once", self.name())),
            (true, false) => Ok(Task::Explore),
            (false, true) => Ok(Task::Optimize),
            (false, false) => Ok(Task::Verify),
        }
    }

    /// The published numbers for a run with this strategy.
    pub(crate) fn reference(&self, strategy: &str) -> Option<Reference> {
        self.published.get(strategy).or(self.reference.as_ref()).cloned()
    }
}
