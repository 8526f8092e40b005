//! Suites of runs, measured: each run in a process of its own, one after the other.
//!
//! A [suite](Options::suite) names models, strategies and other tools. Here they become jobs, jobs
//! become rows of a table with what each run gave and used, and rows become text, comparisons and
//! pictures. Runs of our own are runs of this program: nothing here knows how an answer is found.

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
use std::path::{Path, PathBuf};
use std::sync::Arc;
use suite::{Reference, Suite};
use zonaut_console::{Console, Interrupt, Status, one_line, write_file};

/// What to measure, and where the results go.
#[derive(Clone, Debug)]
pub struct Options {
    /// The suite, in TOML.
    pub suite: PathBuf,
    /// How the table is printed.
    pub format: TableFormat,
    /// The file for the table, instead of the output.
    pub output: Option<PathBuf>,
    /// The folder for pictures.
    pub svg: Option<PathBuf>,
    /// The file in which finished rows are kept, and found again.
    pub resume: Option<PathBuf>,
    /// What the names of the runs that are measured contain.
    pub only: Option<String>,
    /// Whether commands that the suite names may be run.
    pub allow_commands: bool,
}

/// One line of the table.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
struct Row {
    /// What was measured, in full: the same key is not measured twice.
    key: String,
    name: String,
    tool: String,
    strategy: Option<String>,
    abstraction: Option<String>,
    #[serde(flatten)]
    measurement: Measurement,
    /// Absent where there is one sample.
    #[serde(default)]
    spread: Option<Spread>,
    reference: Option<Reference>,
    /// Absent where no other tool did the same.
    #[serde(default)]
    comparison: Option<Comparison>,
}

/// Measures a suite and shows the table.
///
/// # Errors
/// Where the output, or the file of finished rows, cannot be written.
pub fn run(options: &Options, console: &mut Console<'_>) -> io::Result<Status> {
    let path = one_line(&options.suite.display().to_string());
    // Generated models live as long as the measurements.
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
    let mut rows = rows(&jobs, options.resume.as_deref(), &interrupt, console)?;
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

/// Writes the pictures into `folder`, which is made if there is none.
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

/// Measures everything that is not in the file of finished rows yet. A signal ends the run under
/// way, which does not count, and leaves the others out.
fn rows(
    jobs: &[&Job],
    resume: Option<&Path>,
    interrupt: &Interrupt,
    console: &mut Console<'_>,
) -> io::Result<Vec<Row>> {
    let finished = match resume {
        Some(path) => read_rows(path)?,
        None => Vec::new(),
    };
    let mut rows = Vec::new();
    for (position, job) in jobs.iter().enumerate() {
        if let Some(row) = finished.iter().find(|row| row.key == job.key) {
            // What is published may have been corrected since.
            rows.push(Row { reference: job.reference.clone(), ..row.clone() });
            continue;
        }
        let title = format!("[{}/{}] {}", position + 1, jobs.len(), job.title());
        console.complain(&one_line(&title));
        let row = row(job, interrupt);
        if interrupt.status().is_some() {
            let missing = jobs.len() - position;
            console.complain(&format!("interrupted: {missing} of {} runs are missing", jobs.len()));
            break;
        }
        if let Some(path) = resume {
            append(path, &row)?;
        }
        rows.push(row);
    }
    Ok(rows)
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
    /// Whether the run ended by itself with an answer.
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

/// The rows of an earlier run; a last line that was cut off is ignored.
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
