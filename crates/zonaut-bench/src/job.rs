//! Expansion of a suite to single runs of single tools.

use crate::suite::{Entry, Limits, Peer, Reference, Suite, Task};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fmt, fs};
use zonaut_console::OwnProgram;
use zonaut_families::{AircraftLanding, Generated, JobShop};

/// Runs of one tool that differ in their seeds only.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) tool: String,
    pub(crate) strategy: Option<String>,
    pub(crate) abstraction: Option<String>,
    /// A preparation that is not measured.
    pub(crate) preparation: Option<Preparation>,
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    /// The additional arguments of each sample; at least one sample.
    pub(crate) samples: Vec<Vec<OsString>>,
    pub(crate) limits: Limits,
    pub(crate) reference: Option<Reference>,
    pub(crate) output: Output,
}

/// The format of the output of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    /// JSON lines of our own tool.
    Ours,
    /// Numbers that follow these words.
    Words { explored: Option<String>, stored: Option<String> },
}

/// A command whose output is written to a file.
#[derive(Clone, Debug)]
pub(crate) struct Preparation {
    pub(crate) program: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) file: PathBuf,
}

/// The name of our own tool in tables.
pub(crate) const OURS: &str = "zonaut";

impl Job {
    /// The command of a suite that it executes; `None` for runs of our own tool.
    pub(crate) fn command(&self) -> Option<String> {
        let of_peer = (self.output != Output::Ours).then(|| self.program.to_string_lossy());
        let prepared = self.preparation.as_ref().map(|first| first.program.clone());
        prepared.or_else(|| of_peer.map(Into::into))
    }

    /// A title for progress messages.
    pub(crate) fn title(&self) -> String {
        let parts = [Some(&self.name), Some(&self.tool), self.strategy.as_ref()];
        let parts = parts.into_iter().chain([self.abstraction.as_ref()]).flatten();
        parts.cloned().collect::<Vec<_>>().join(" ")
    }
}

/// The runs of a suite in order, and the omitted ones with reasons.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    pub(crate) jobs: Vec<Job>,
    pub(crate) notes: Vec<String>,
}

impl Jobs {
    /// The runs of the suite at `path`. Generated models are written into `folder`.
    pub(crate) fn of(suite: &Suite, path: &Path, folder: &Path) -> Result<Self, String> {
        let base = match &suite.models_from {
            None => path.parent().map(Path::to_owned).unwrap_or_default(),
            Some(name) => environment(name)
                .map(PathBuf::from)
                .ok_or_else(|| format!("the environment variable {name} is not set"))?,
        };
        let mut found = Self::default();
        for (position, entry) in suite.run.iter().enumerate() {
            let generated = folder.join(format!("{position}.xta"));
            let model = model_file(suite, entry, &base, &generated)?;
            let task = entry.task(&suite.defaults)?;
            let planning = Planning { suite, entry, base: &base, model: &model, task };
            found.jobs.extend(planning.our_jobs()?);
            let peer_model = folder.join(format!("{position}.peer"));
            let peers = if entry.peer.is_empty() { &suite.peer } else { &entry.peer };
            for peer in peers {
                match planning.peer_job(peer, &peer_model)? {
                    Planned::Job(job) => found.jobs.push(*job),
                    Planned::Unset(variable) => {
                        let note = format!("{} is not measured: {variable} is not set", peer.name);
                        if !found.notes.contains(&note) {
                            found.notes.push(note);
                        }
                    }
                    Planned::WithoutModel => {}
                }
            }
        }
        Ok(found)
    }
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The file of the model; that of a family is generated first.
fn model_file(
    suite: &Suite,
    entry: &Entry,
    base: &Path,
    generated: &Path,
) -> Result<PathBuf, String> {
    let by_default = || suite.defaults.model.as_ref().filter(|_| entry.family.is_none());
    let model = entry.model.as_ref().or_else(by_default);
    let family = match (model, &entry.family) {
        (Some(model), None) => return Ok(file(base, model, &entry.name())),
        (None, Some(family)) => family,
        _ => return Err(format!("`{}` needs either a model or a family", entry.name())),
    };
    let words: Vec<String> = family.split_whitespace().map(str::to_owned).collect();
    let (name, parameters) = words.split_first().ok_or("an empty family")?;
    let write = |text: &Generated| {
        fs::write(generated, text.text()).map_err(|error| error.to_string())?;
        Ok(generated.to_owned())
    };
    if let ("jobshop", [path]) = (name.as_str(), parameters) {
        return write(&shop(&file(base, path, &entry.name()))?);
    }
    if let ("airland", [path, runways]) = (name.as_str(), parameters) {
        return write(&landings(&file(base, path, &entry.name()), runways)?);
    }
    let found = zonaut_families::find(name).ok_or(format!("unknown family `{name}`"))?;
    write(&found.generate_from_words(parameters).map_err(|error| error.to_string())?)
}

/// The model of the job shop in a file.
fn shop(path: &Path) -> Result<Generated, String> {
    let fail = |error: &dyn fmt::Display| format!("{}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| fail(&error))?;
    Ok(JobShop::read(&text).map_err(|error| fail(&error))?.generate())
}

/// The model of the aircraft landing problem in a file, with this number of runways.
fn landings(path: &Path, runways: &str) -> Result<Generated, String> {
    let fail = |error: &dyn fmt::Display| format!("{}: {error}", path.display());
    let runways = runways.parse().map_err(|_| fail(&"the number of runways is not a number"))?;
    let text = fs::read_to_string(path).map_err(|error| fail(&error))?;
    Ok(AircraftLanding::read(&text, runways).map_err(|error| fail(&error))?.generate())
}

/// The file that a suite names, as a path that cannot be parsed as an option.
fn file(base: &Path, path: &str, name: &str) -> PathBuf {
    let file = base.join(path.replace("{name}", name));
    if file.to_string_lossy().starts_with('-') { Path::new(".").join(file) } else { file }
}

/// The decision whether another tool is measured in a run.
enum Planned {
    Job(Box<Job>),
    /// Not measured: this environment variable is not set.
    Unset(String),
    /// Not measured: the run has no model for this tool.
    WithoutModel,
}

/// The runs of one entry of a suite.
struct Planning<'a> {
    suite: &'a Suite,
    entry: &'a Entry,
    base: &'a Path,
    model: &'a Path,
    task: Task,
}

impl Planning<'_> {
    fn limits(&self) -> Limits {
        self.entry.limits.clone().unwrap_or_else(|| self.suite.limits.clone())
    }

    fn repetitions(&self) -> usize {
        let repetitions = self.entry.repetitions.or(self.suite.defaults.repetitions);
        repetitions.unwrap_or(1).max(1) as usize
    }

    fn our_jobs(&self) -> Result<Vec<Job>, String> {
        let (entry, defaults) = (self.entry, &self.suite.defaults);
        let own = OwnProgram::current().map_err(|error| error.to_string())?;
        let by_default = vec![self.task.strategy().to_owned()];
        let strategies = entry.strategies.as_ref().or(defaults.strategies.as_ref());
        let abstractions = entry.abstractions.as_ref().unwrap_or(&defaults.abstractions);
        let mut abstractions: Vec<Option<&String>> = abstractions.iter().map(Some).collect();
        if abstractions.is_empty() {
            abstractions.push(None);
        }
        let mut jobs = Vec::new();
        for strategy in strategies.unwrap_or(&by_default) {
            for abstraction in &abstractions {
                let arguments = self.our_arguments(strategy, abstraction.map(String::as_str));
                let mut job = Job {
                    key: String::new(),
                    name: entry.name(),
                    tool: OURS.to_owned(),
                    strategy: Some(strategy.clone()),
                    abstraction: abstraction.cloned(),
                    preparation: None,
                    program: own.path.clone().into(),
                    arguments,
                    samples: self.samples(strategy),
                    limits: self.limits(),
                    reference: entry.reference(strategy),
                    output: Output::Ours,
                };
                job.key = key(&job, self.model);
                job.arguments.splice(0..0, own.arguments.iter().cloned());
                jobs.push(job);
            }
        }
        Ok(jobs)
    }

    /// The seeds of our runs, each with the wanted number of repetitions.
    fn samples(&self, strategy: &String) -> Vec<Vec<OsString>> {
        let defaults = &self.suite.defaults;
        let is_seeded = defaults.seeded.as_ref().is_none_or(|seeded| seeded.contains(strategy));
        let seeds = self.entry.seeds.as_ref().unwrap_or(&defaults.seeds);
        let mut once: Vec<Vec<OsString>> = seeds
            .iter()
            .filter(|_| is_seeded)
            .map(|seed| vec!["--seed".into(), seed.to_string().into()])
            .collect();
        if once.is_empty() {
            once.push(Vec::new());
        }
        let count = once.len() * self.repetitions();
        once.into_iter().cycle().take(count).collect()
    }

    fn our_arguments(&self, strategy: &str, abstraction: Option<&str>) -> Vec<OsString> {
        let (entry, defaults) = (self.entry, &self.suite.defaults);
        let mut words: Vec<OsString> = vec![self.task.command().into(), self.model.into()];
        let is_default_model = entry.model.is_none() && entry.family.is_none();
        let by_default = defaults.queries.as_ref().filter(|_| is_default_model);
        if let Some(queries) = entry.queries.as_ref().or(by_default) {
            words.push(file(self.base, queries, &entry.name()).into());
        }
        let mut option = |name: &str, value: &str| words.extend([name.into(), value.into()]);
        for formula in &entry.formulas {
            option("--query", formula);
        }
        for (name, value) in &entry.define {
            option("--define", &format!("{name}={value}"));
        }
        let trace = entry.trace.as_ref().or(defaults.trace.as_ref());
        if let Some(trace) = trace.filter(|_| self.task == Task::Verify) {
            option("--trace", trace);
        }
        if self.task != Task::Explore {
            // The measurement covers the search, not the check of its certificate.
            option("--certify", "never");
        }
        option("--strategy", strategy);
        if self.task == Task::Verify {
            option("--threads", "1");
        }
        if let Some(abstraction) = abstraction {
            option("--abstraction", abstraction);
        }
        let limits = self.limits();
        option("--time", &limits.time.to_string());
        option("--memory", &limits.memory);
        words.push("--json".into());
        words
    }

    /// The run of another tool, whose model is written to `file` if it has one of its own.
    fn peer_job(&self, peer: &Peer, file: &Path) -> Result<Planned, String> {
        let needs_model = peer.command.iter().any(|word| word.contains("{peer_model}"));
        let preparation = match &self.entry.peer_model {
            None if needs_model => return Ok(Planned::WithoutModel),
            None => None,
            Some(command) => match filled(command) {
                Err(variable) => return Ok(Planned::Unset(variable)),
                Ok(command) => {
                    let (program, arguments) = split(&command, "peer_model")?;
                    Some(Preparation { program, arguments, file: file.to_owned() })
                }
            },
        };
        let words = match filled(&peer.command) {
            Err(variable) => return Ok(Planned::Unset(variable)),
            Ok(words) => words.into_iter().map(|word| {
                let word = word.replace("{model}", &self.model.display().to_string());
                word.replace("{peer_model}", &file.display().to_string())
            }),
        };
        let (program, arguments) = split(&words.collect::<Vec<_>>(), &peer.name)?;
        let (name, samples) = (self.entry.name(), vec![Vec::new(); self.repetitions()]);
        let written = peer.command.join(" ");
        Ok(Planned::Job(Box::new(Job {
            key: format!("{name} | {} | {written} x{}", peer.name, samples.len()),
            name,
            tool: peer.name.clone(),
            strategy: None,
            abstraction: None,
            preparation,
            program: program.into(),
            arguments: arguments.into_iter().map(OsString::from).collect(),
            samples,
            limits: self.limits(),
            reference: None,
            output: Output::Words { explored: peer.explored.clone(), stored: peer.stored.clone() },
        })))
    }
}

/// The words with environment variables substituted, or the name of one that is not set.
fn filled(words: &[String]) -> Result<Vec<String>, String> {
    let fill = |word: &String| {
        let mut text = String::new();
        let mut rest = word.as_str();
        while let Some((before, after)) = rest.split_once("{env:") {
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            text += before;
            text += &environment(name).ok_or(name)?;
            rest = after;
        }
        Ok(text + rest)
    };
    words.iter().map(fill).collect()
}

fn split(words: &[String], what: &str) -> Result<(String, Vec<String>), String> {
    let (program, arguments) =
        words.split_first().ok_or_else(|| format!("`{what}` has no command"))?;
    Ok((program.clone(), arguments.to_vec()))
}

/// A unique key of a run, independent of the location of the generated model.
fn key(job: &Job, model: &Path) -> String {
    let samples = job.samples.iter().flatten();
    let words = job.arguments.iter().filter(|word| *word != model.as_os_str());
    let words = words.chain(samples).map(|word| word.to_string_lossy().into_owned());
    let mut words: Vec<String> = words.collect();
    if job.samples.len() > 1 {
        words.push(format!("x{}", job.samples.len()));
    }
    format!("{} | {} | {}", job.name, job.tool, words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(suite: &str) -> Result<Jobs, String> {
        let folder = tempfile::tempdir().unwrap();
        let suite: Suite = toml::from_str(suite).unwrap();
        Jobs::of(&suite, Path::new("suites/s.toml"), folder.path())
    }

    #[test]
    fn unspecified_settings_are_the_defaults() {
        let jobs = check(
            "[defaults]\nmodel = \"m/{name}.xta\"\nqueries = \"m/{name}.q\"\ntrace = \"some\"\n\
             strategies = [\"bfs\", \"astar(hl)\"]\nseeds = [1, 2]\n\
             seeded = [\"bfs\", \"dfs\"]\nrepetitions = 2\n\
             [[run]]\nname = \"m1\"\npublished.\"astar(hl)\" = { explored = 7 }\n\
             [[run]]\nfamily = \"fischer 3\"\nseeds = []\nstrategies = [\"dfs\"]\n",
        );
        let jobs = jobs.unwrap().jobs;
        assert_eq!(jobs.len(), 3);
        let samples: Vec<usize> = jobs.iter().map(|job| job.samples.len()).collect();
        assert_eq!(samples, [4, 2, 2]);
        let words: Vec<_> = jobs[0].arguments.iter().map(|word| word.to_string_lossy()).collect();
        assert!(words.starts_with(&["verify".into(), "suites/m/m1.xta".into()]), "{words:?}");
        assert!(words.contains(&"suites/m/m1.q".into()) && words.contains(&"some".into()));
        assert_eq!(jobs[0].reference, None);
        assert_eq!(jobs[1].reference.as_ref().unwrap().explored, Some(7));
        assert!(jobs[2].arguments.iter().all(|word| !word.to_string_lossy().contains(".q")));
    }

    #[test]
    fn runs_may_look_for_cheapest_runs() {
        let suite = |more: &str| {
            format!("[defaults]\noptimize = true\n[[run]]\nfamily = \"bridge\"\n{more}")
        };
        let jobs = check(&suite("published.auto = { cost = 60 }\n")).unwrap().jobs;
        let words: Vec<_> = jobs[0].arguments.iter().map(|word| word.to_string_lossy()).collect();
        assert_eq!((&*words[0], words.len()), ("optimize", 11), "{words:?}");
        assert!(words.contains(&"auto".into()) && words.contains(&"never".into()), "{words:?}");
        assert_eq!(jobs[0].reference.as_ref().unwrap().cost, Some(60));
        assert!(check(&suite("explore = true\n")).unwrap_err().contains("at once"));
        let missing = suite("").replace("bridge", "jobshop no-such-shop");
        assert!(check(&missing).unwrap_err().contains("suites/no-such-shop"));
        let missing = suite("").replace("bridge", "airland no-such-file 2");
        assert!(check(&missing).unwrap_err().contains("suites/no-such-file"));
        let wrong = suite("").replace("bridge", "airland no-such-file two");
        assert!(check(&wrong).unwrap_err().contains("number of runways"));
    }

    #[test]
    fn an_absent_tool_is_omitted_with_a_note() {
        let suite = "[[peer]]\nname = \"T\"\ncommand = [\"{env:ZONAUT_NOT_SET}/t\"]\n\
                     [[run]]\nfamily = \"fischer 3\"\n[[run]]\nfamily = \"fischer 4\"\n";
        let jobs = check(suite).unwrap();
        assert_eq!(jobs.jobs.len(), 2);
        assert_eq!(jobs.notes, ["T is not measured: ZONAUT_NOT_SET is not set"]);
    }

    #[test]
    fn a_tool_with_models_of_its_own_is_measured_where_there_is_one() {
        let suite = "[[peer]]\nname = \"T\"\ncommand = [\"t\", \"{peer_model}\"]\n\
                     [[run]]\nfamily = \"fischer 3\"\npeer_model = [\"gen\", \"3\"]\n\
                     [[run]]\nfamily = \"fischer 4\"\n";
        let jobs = check(suite).unwrap().jobs;
        let tools: Vec<&str> = jobs.iter().map(|job| job.tool.as_str()).collect();
        assert_eq!(tools, ["zonaut", "T", "zonaut"]);
        let preparation = jobs[1].preparation.as_ref().unwrap();
        assert_eq!(
            (preparation.program.as_str(), &preparation.arguments[..]),
            ("gen", &["3".to_owned()][..])
        );
        assert_eq!(jobs[1].arguments, [preparation.file.as_os_str()]);
        assert_eq!(jobs[1].key, "fischer 3 | T | t {peer_model} x1");
    }
}
