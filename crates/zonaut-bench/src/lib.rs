//! Benchmark suites: each run is measured in a separate process, one after the other by default.
//!
//! A [suite](Options::suite) names models, strategies and other tools. The crate expands it to
//! jobs, executes them, collects the results and resources of each run in a table, and prints
//! tables, comparisons and plots. Our own runs execute this program: the crate does not know how an
//! answer is found.

mod comparison;
mod job;
mod measure;
mod median;
mod plot;
mod published;
mod suite;
mod svg;
mod table;

pub use table::TableFormat;

use comparison::{Comparison, compare};
use job::{Job, Jobs};
use measure::{Measurement, measure};
use median::{Spread, median, spread};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use suite::{Reference, Suite};
use zonaut_console::{Console, Interrupt, Status, in_order, one_line, write_file};

/// The suite to measure, and the destinations of the results.
#[derive(Clone, Debug)]
pub struct Options {
    /// The suite, in TOML.
    pub suite: PathBuf,
    /// The format of the table.
    pub format: TableFormat,
    /// The file for the table, instead of the output.
    pub output: Option<PathBuf>,
    /// The directory for plots.
    pub svg: Option<PathBuf>,
    /// The file in which finished rows are stored and from which they are resumed.
    pub resume: Option<PathBuf>,
    /// A substring of the names of the runs to measure.
    pub only: Option<String>,
    /// Whether commands that the suite names may be run.
    pub allow_commands: bool,
    /// The number of runs side by side.
    pub threads: NonZeroUsize,
}

/// One line of the table.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
struct Row {
    /// A key that identifies the measurement: equal keys are measured once.
    key: String,
    name: String,
    tool: String,
    strategy: Option<String>,
    abstraction: Option<String>,
    #[serde(flatten)]
    measurement: Measurement,
    /// Absent for a single sample.
    #[serde(default)]
    spread: Option<Spread>,
    reference: Option<Reference>,
    /// Absent if no other tool completed the same run.
    #[serde(default)]
    comparison: Option<Comparison>,
}

/// Measures a suite and prints the table.
///
/// # Errors
/// Fails if the output, or the file of finished rows, cannot be written.
pub fn run(options: &Options, console: &mut Console<'_>) -> io::Result<Status> {
    let path = one_line(&options.suite.display().to_string());
    // Generated models are deleted after the measurements.
    let folder = tempfile::tempdir()?;
    let read = Suite::read(&options.suite).and_then(|suite| {
        let jobs = Jobs::of(&suite, &options.suite, folder.path());
        Ok((suite, jobs.map_err(|error| one_line(&error))?))
    });
    let (suite, found) = match read {
        Ok(read) => read,
        Err(error) => {
            console.complain(&format!("error: {path}: {}", error.trim_end()));
            return Ok(Status::WrongInput);
        }
    };
    if !options.allow_commands
        && let Some(command) = found.jobs.iter().find_map(Job::command)
    {
        let command = one_line(&command);
        console.complain(&format!("error: {path}: the suite runs a command: `{command}`"));
        console.complain("  = help: look at its commands, and allow them with --allow-commands");
        return Ok(Status::WrongInput);
    }
    for note in &found.notes {
        console.complain(&format!("note: {}", one_line(note)));
    }
    let wanted = |job: &&Job| options.only.as_ref().is_none_or(|text| job.name.contains(text));
    let jobs: Vec<&Job> = found.jobs.iter().filter(wanted).collect();
    let cancelled = Arc::default();
    let interrupt = Interrupt::watch(&cancelled);
    let mut rows = rows(&jobs, options, &interrupt, console)?;
    compare(&mut rows);
    let text = table::print(suite.title.as_deref(), &rows, options.format)?;
    let broken = rows.iter().any(|row| row.measurement.is_broken() && row.tool == job::OURS);
    let mut status = if broken { Status::Bug } else { Status::Success };
    status = status.or_worse(interrupt.status().unwrap_or(Status::Success));
    if let Some(folder) = &options.svg {
        let title = suite.title.as_deref().unwrap_or(&path);
        status = draw(folder, title, &rows, console).or_worse(status);
    }
    match &options.output {
        Some(path) => Ok(write_file(path, &text, console).or_worse(status)),
        None => console.out.write_all(text.as_bytes()).map(|()| status),
    }
}

/// Writes the plots into `folder`, which is created if needed.
fn draw(folder: &Path, title: &str, rows: &[Row], console: &mut Console<'_>) -> Status {
    if let Err(error) = fs::create_dir_all(folder) {
        let shown = one_line(&folder.display().to_string());
        console.complain(&format!("error: `{shown}` cannot be made: {error}"));
        return Status::WrongInput;
    }
    let plots = plot::plots(title, rows).into_iter();
    plots.fold(Status::Success, |status, (name, text)| {
        write_file(&folder.join(name), &text, console).or_worse(status)
    })
}

/// Measures everything that is not in the file of finished rows yet. A signal cancels the current
/// runs, which are discarded, and all later ones.
fn rows(
    jobs: &[&Job],
    options: &Options,
    interrupt: &Interrupt,
    console: &mut Console<'_>,
) -> io::Result<Vec<Row>> {
    let resume = options.resume.as_deref();
    let finished = match resume {
        Some(path) => read_rows(path)?,
        None => Vec::new(),
    };
    let is_alone = options.threads.get() == 1;
    let title = |position: usize| {
        let title = format!("[{}/{}] {}", position + 1, jobs.len(), jobs[position].title());
        one_line(&title)
    };
    let measured = |&position: &usize| {
        let job = jobs[position];
        match finished.iter().find(|row| row.key == job.key) {
            // The published numbers may have been corrected since.
            Some(row) => Measured::Known(Row { reference: job.reference.clone(), ..row.clone() }),
            None => Measured::New(row(job, interrupt)),
        }
    };
    let is_new = |position: usize| finished.iter().all(|row| row.key != jobs[position].key);
    let mut rows = Vec::new();
    let mut receive = |measured: Measured, position: usize, console: &mut Console<'_>| {
        if matches!(measured, Measured::New(_)) && interrupt.status().is_some() {
            let missing = jobs.len() - position;
            console.complain(&format!("interrupted: {missing} of {} runs are missing", jobs.len()));
            return Ok::<_, io::Error>(ControlFlow::Break(()));
        }
        let row = match measured {
            Measured::Known(row) => row,
            Measured::New(row) => {
                if let Some(path) = resume {
                    append(path, &row)?;
                }
                row
            }
        };
        rows.push(row);
        Ok(ControlFlow::Continue(()))
    };
    let positions: Vec<usize> = (0..jobs.len()).collect();
    if is_alone {
        for position in positions {
            if is_new(position) {
                console.complain(&title(position));
            }
            if receive(measured(&position), position, console)?.is_break() {
                break;
            }
        }
        return Ok(rows);
    }
    let mut position = 0;
    in_order(options.threads, &positions, measured, |measured| {
        if is_new(position) {
            console.complain(&title(position));
        }
        position += 1;
        receive(measured, position - 1, console)
    })?;
    Ok(rows)
}

/// A row of the table.
enum Measured {
    /// From the file of finished rows.
    Known(Row),
    /// Measured now.
    New(Row),
}

fn row(job: &Job, interrupt: &Interrupt) -> Row {
    let samples = measure(job, interrupt);
    Row {
        key: job.key.clone(),
        name: job.name.clone(),
        tool: job.tool.clone(),
        strategy: job.strategy.clone(),
        abstraction: job.abstraction.clone(),
        measurement: median(&samples),
        spread: spread(&samples),
        reference: job.reference.clone(),
        comparison: None,
    }
}

impl Row {
    /// Whether the run ended normally with an answer.
    fn is_decided(&self) -> bool {
        matches!(self.measurement.exit_code, Some(0 | 1))
    }
}

#[cfg(test)]
impl Row {
    fn named(name: &str, tool: &str) -> Self {
        let (key, name, tool) = (name.to_owned(), name.to_owned(), tool.to_owned());
        Self { key, name, tool, ..Self::default() }
    }
}

/// The rows of an earlier run; a truncated last line is ignored.
fn read_rows(path: &Path) -> io::Result<Vec<Row>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn append(path: &Path, row: &Row) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{}", serde_json::to_string(row)?)
}
