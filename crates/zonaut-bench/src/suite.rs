//! Suites: what to measure.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A file that says what to measure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Suite {
    pub(super) title: Option<String>,
    /// The name of the environment variable with the folder of the models; without it they are
    /// relative to the suite.
    pub(super) models_from: Option<String>,
    #[serde(default)]
    pub(super) limits: Limits,
    /// What runs do that do not say otherwise.
    #[serde(default)]
    pub(super) defaults: Defaults,
    /// Other tools to measure beside ours, in every run that has what they need.
    #[serde(default)]
    pub(super) peer: Vec<Peer>,
    pub(super) run: Vec<Entry>,
}

/// What one run may use.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Limits {
    /// Seconds.
    pub(super) time: u64,
    /// A size such as `2G`.
    pub(super) memory: String,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: 60, memory: "2G".to_owned() }
    }
}

/// What runs do that do not say otherwise. `{name}` in a path is the name of the run.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Defaults {
    pub(super) model: Option<String>,
    pub(super) queries: Option<String>,
    pub(super) explore: bool,
    pub(super) trace: Option<String>,
    pub(super) strategies: Option<Vec<String>>,
    pub(super) abstractions: Vec<String>,
    pub(super) seeds: Vec<u64>,
    /// The strategies that seeds matter to; without it, all.
    pub(super) seeded: Option<Vec<String>>,
    pub(super) repetitions: Option<u32>,
}

/// Runs of one model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// How it is called in the table; without it, the model or family.
    pub(super) name: Option<String>,
    pub(super) model: Option<String>,
    /// A family with its parameters, as for `zonaut generate`.
    pub(super) family: Option<String>,
    pub(super) queries: Option<String>,
    #[serde(default)]
    pub(super) formulas: Vec<String>,
    /// Explore everything instead of answering queries.
    pub(super) explore: Option<bool>,
    pub(super) trace: Option<String>,
    /// Any words that `--strategy` understands.
    pub(super) strategies: Option<Vec<String>>,
    /// Without it, the default of each model.
    pub(super) abstractions: Option<Vec<String>>,
    /// One run for each, of which the medians are shown.
    pub(super) seeds: Option<Vec<u64>>,
    /// How often each run is repeated; the medians are shown.
    pub(super) repetitions: Option<u32>,
    #[serde(default)]
    pub(super) define: BTreeMap<String, i64>,
    pub(super) limits: Option<Limits>,
    pub(super) reference: Option<Reference>,
    /// Reference numbers by strategy.
    #[serde(default)]
    pub(super) published: BTreeMap<String, Reference>,
    /// The command whose output is the model for other tools.
    pub(super) peer_model: Option<Vec<String>>,
    /// Other tools to measure in this run instead of those of the suite.
    #[serde(default)]
    pub(super) peer: Vec<Peer>,
}

/// Numbers to show beside ours.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reference {
    /// Where they are from.
    pub(super) source: Option<String>,
    pub(super) transitions: Option<u64>,
    pub(super) explored: Option<u64>,
    pub(super) stored: Option<u64>,
    pub(super) seconds: Option<f64>,
    pub(super) megabytes: Option<f64>,
}

/// Another tool: its program and arguments, run without a shell.
///
/// In its words `{model}` is the model that we read, `{peer_model}` the output of the run's
/// `peer_model`, and `{env:NAME}` an environment variable; where that is not set, or the run has
/// no such model, the tool is not measured.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Peer {
    pub(super) name: String,
    pub(super) command: Vec<String>,
    /// The words before its numbers of explored and stored states in its output.
    pub(super) explored: Option<String>,
    pub(super) stored: Option<String>,
}

impl Suite {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        toml::from_str(&text).map_err(|error| error.to_string())
    }
}

impl Entry {
    pub(super) fn name(&self) -> String {
        let parts = [&self.name, &self.family, &self.model];
        parts.into_iter().flatten().next().cloned().unwrap_or_default()
    }

    /// The numbers to show beside a run with this strategy.
    pub(super) fn reference(&self, strategy: &str) -> Option<Reference> {
        self.published.get(strategy).or(self.reference.as_ref()).cloned()
    }
}
