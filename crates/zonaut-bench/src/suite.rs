//! Suites: what to measure.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A file that says what to measure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Suite {
    pub(crate) title: Option<String>,
    /// The name of the environment variable with the folder of the models; without it they are
    /// relative to the suite.
    pub(crate) models_from: Option<String>,
    #[serde(default)]
    pub(crate) limits: Limits,
    /// What runs do that do not say otherwise.
    #[serde(default)]
    pub(crate) defaults: Defaults,
    /// Other tools to measure beside ours, in every run that has what they need.
    #[serde(default)]
    pub(crate) peer: Vec<Peer>,
    pub(crate) run: Vec<Entry>,
}

/// What one run may use.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Limits {
    /// Seconds.
    pub(crate) time: u64,
    /// A size such as `2G`.
    pub(crate) memory: String,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: 60, memory: "2G".to_owned() }
    }
}

/// What runs do that do not say otherwise. `{name}` in a path is the name of the run.
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
    /// The strategies that seeds matter to; without it, all.
    pub(crate) seeded: Option<Vec<String>>,
    pub(crate) repetitions: Option<u32>,
}

/// Runs of one model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// How it is called in the table; without it, the model or family.
    pub(crate) name: Option<String>,
    pub(crate) model: Option<String>,
    /// A family with its parameters, as for `zonaut generate`; the file of a job shop lies where
    /// models do.
    pub(crate) family: Option<String>,
    pub(crate) queries: Option<String>,
    #[serde(default)]
    pub(crate) formulas: Vec<String>,
    /// Explore everything instead of answering queries.
    pub(crate) explore: Option<bool>,
    /// Look for a cheapest run instead of any.
    pub(crate) optimize: Option<bool>,
    pub(crate) trace: Option<String>,
    /// Any words that `--strategy` understands.
    pub(crate) strategies: Option<Vec<String>>,
    /// Without it, the default of each model.
    pub(crate) abstractions: Option<Vec<String>>,
    /// One run for each, of which the medians are shown.
    pub(crate) seeds: Option<Vec<u64>>,
    /// How often each run is repeated; the medians are shown.
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

/// Numbers to show beside ours.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reference {
    /// Where they are from.
    pub(crate) source: Option<String>,
    pub(crate) transitions: Option<u64>,
    pub(crate) explored: Option<u64>,
    pub(crate) stored: Option<u64>,
    pub(crate) seconds: Option<f64>,
    pub(crate) megabytes: Option<f64>,
    /// What the best run costs.
    pub(crate) cost: Option<u64>,
    /// What the first run costs, and how many states were explored until it was found.
    pub(crate) first_cost: Option<u64>,
    pub(crate) first_explored: Option<u64>,
}

/// What a run does with its model: a command of our own tool.
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

    /// The strategy of runs that name none.
    pub(crate) const fn strategy(self) -> &'static str {
        match self {
            Self::Verify | Self::Explore => "bfs",
            Self::Optimize => "auto",
        }
    }
}

/// Another tool: its program and arguments, run without a shell.
///
/// In its words `{model}` is the model that we read, `{peer_model}` the output of the run's
/// `peer_model`, and `{env:NAME}` an environment variable; where that is not set, or the run has
/// no such model, the tool is not measured.
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

    /// What is done with the model.
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

    /// The numbers to show beside a run with this strategy.
    pub(crate) fn reference(&self, strategy: &str) -> Option<Reference> {
        self.published.get(strategy).or(self.reference.as_ref()).cloned()
    }
}
