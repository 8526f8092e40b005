//! Suites: what to measure.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// A file that says what to measure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Suite {
    pub(super) title: Option<String>,
    /// The name of the environment variable with the folder of the models; without it they are
    /// relative to the suite.
    models_from: Option<String>,
    #[serde(default)]
    limits: Limits,
    run: Vec<Entry>,
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

/// Runs of one model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// How it is called in the table; without it, the model or family.
    name: Option<String>,
    model: Option<PathBuf>,
    /// A family with its parameters, as for `zonaut generate`.
    family: Option<String>,
    queries: Option<PathBuf>,
    #[serde(default)]
    formulas: Vec<String>,
    /// Explore everything instead of answering queries.
    #[serde(default)]
    explore: bool,
    trace: Option<String>,
    #[serde(default = "default_strategies")]
    strategies: Vec<String>,
    /// Without it, the default of each model.
    #[serde(default)]
    abstractions: Vec<String>,
    #[serde(default)]
    define: BTreeMap<String, i64>,
    limits: Option<Limits>,
    reference: Option<Reference>,
    /// Other tools to measure beside ours.
    #[serde(default)]
    peer: Vec<Peer>,
}

fn default_strategies() -> Vec<String> {
    vec!["bfs".to_owned()]
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

/// Another tool: its program and arguments, run without a shell. `{model}` is replaced.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Peer {
    name: String,
    command: Vec<String>,
}

/// One run of one tool.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) key: String,
    pub(super) name: String,
    pub(super) tool: String,
    pub(super) strategy: Option<String>,
    pub(super) abstraction: Option<String>,
    pub(super) program: OsString,
    pub(super) arguments: Vec<OsString>,
    pub(super) limits: Limits,
    pub(super) reference: Option<Reference>,
}

/// The name of our own tool in tables.
pub(super) const OURS: &str = "zonaut";

impl Job {
    /// Whether it is our own tool, whose output we can read.
    pub(super) fn is_ours(&self) -> bool {
        self.tool == OURS
    }

    /// What is measured, for people.
    pub(super) fn title(&self) -> String {
        let parts = [Some(&self.name), Some(&self.tool), self.strategy.as_ref()];
        let parts = parts.into_iter().chain([self.abstraction.as_ref()]).flatten();
        parts.cloned().collect::<Vec<_>>().join(" ")
    }
}

impl Suite {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        toml::from_str(&text).map_err(|error| error.to_string())
    }

    /// The runs, in order. Generated models are written into `folder`.
    pub(super) fn jobs(&self, path: &Path, folder: &Path) -> Result<Vec<Job>, String> {
        let base = match &self.models_from {
            None => path.parent().map(Path::to_owned).unwrap_or_default(),
            Some(name) => std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
                .ok_or_else(|| format!("the environment variable {name} is not set"))?,
        };
        let mut jobs = Vec::new();
        for (position, entry) in self.run.iter().enumerate() {
            let model = entry.model_file(&base, &folder.join(format!("{position}.xta")))?;
            let limits = entry.limits.as_ref().unwrap_or(&self.limits);
            entry.add_jobs(&base, &model, limits, &mut jobs)?;
        }
        Ok(jobs)
    }
}

impl Entry {
    fn name(&self) -> String {
        let model = || self.model.as_ref().map(|path| path.display().to_string());
        self.name.clone().or_else(|| self.family.clone()).or_else(model).unwrap_or_default()
    }

    /// The file of the model; that of a family is written first.
    fn model_file(&self, base: &Path, generated: &Path) -> Result<PathBuf, String> {
        let family = match (&self.model, &self.family) {
            (Some(model), None) => return Ok(base.join(model)),
            (None, Some(family)) => family,
            _ => return Err(format!("`{}` needs either a model or a family", self.name())),
        };
        let words: Vec<String> = family.split_whitespace().map(str::to_owned).collect();
        let (name, parameters) = words.split_first().ok_or("an empty family")?;
        let found = zonaut_families::find(name).ok_or(format!("there is no family `{name}`"))?;
        let text = found.generate_from_words(parameters).map_err(|error| error.to_string())?;
        fs::write(generated, text.text()).map_err(|error| error.to_string())?;
        Ok(generated.to_owned())
    }

    fn add_jobs(
        &self,
        base: &Path,
        model: &Path,
        limits: &Limits,
        jobs: &mut Vec<Job>,
    ) -> Result<(), String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let abstractions = self.abstractions.iter().cloned().map(Some);
        let mut abstractions: Vec<Option<String>> = abstractions.collect();
        if abstractions.is_empty() {
            abstractions.push(None);
        }
        for strategy in &self.strategies {
            for abstraction in &abstractions {
                let mut job = Job {
                    key: String::new(),
                    name: self.name(),
                    tool: OURS.to_owned(),
                    strategy: Some(strategy.clone()),
                    abstraction: abstraction.clone(),
                    program: program.clone().into(),
                    arguments: Vec::new(),
                    limits: limits.clone(),
                    reference: self.reference.clone(),
                };
                job.arguments = self.our_arguments(base, model, &job);
                job.key = key(&job, model);
                jobs.push(job);
            }
        }
        for peer in &self.peer {
            let Some((program, arguments)) = peer.command.split_first() else {
                return Err(format!("the peer `{}` has no command", peer.name));
            };
            let filled = |word: &String| word.replace("{model}", &model.display().to_string());
            let mut job = Job {
                key: String::new(),
                name: self.name(),
                tool: peer.name.clone(),
                strategy: None,
                abstraction: None,
                program: program.into(),
                arguments: arguments.iter().map(|word| filled(word).into()).collect(),
                limits: limits.clone(),
                reference: None,
            };
            job.key = key(&job, model);
            jobs.push(job);
        }
        Ok(())
    }

    fn our_arguments(&self, base: &Path, model: &Path, job: &Job) -> Vec<OsString> {
        let mut words: Vec<OsString> =
            vec![if self.explore { "explore" } else { "verify" }.into(), model.into()];
        if let Some(queries) = &self.queries {
            words.push(base.join(queries).into());
        }
        let mut option = |name: &str, value: &str| words.extend([name.into(), value.into()]);
        for formula in &self.formulas {
            option("--query", formula);
        }
        for (name, value) in &self.define {
            option("--define", &format!("{name}={value}"));
        }
        if let Some(trace) = self.trace.as_deref().filter(|_| !self.explore) {
            option("--trace", trace);
        }
        if !self.explore {
            // The search is measured, not the check of its answer.
            option("--certify", "never");
        }
        option("--strategy", job.strategy.as_deref().unwrap_or("bfs"));
        if let Some(abstraction) = &job.abstraction {
            option("--abstraction", abstraction);
        }
        option("--time", &job.limits.time.to_string());
        option("--memory", &job.limits.memory);
        words.push("--json".into());
        words
    }
}

/// What tells a run from every other, wherever the generated model lies.
fn key(job: &Job, model: &Path) -> String {
    let words = job.arguments.iter().filter(|word| *word != model.as_os_str());
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    format!("{} | {} | {}", job.name, job.tool, words.join(" "))
}
