//! `zonaut bench`: a suite of runs, each in a process of its own, one after the other.

mod measure;
mod suite;
mod table;

pub(crate) use table::TableFormat;

use crate::arguments::BenchArguments;
use crate::clean::one_line;
use crate::console::Console;
use crate::convert::write_file;
use crate::status::Status;
use measure::{Measurement, measure};
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use suite::{Job, Reference, Suite};

/// One line of the table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Row {
    /// What was measured, in full: the same key is not measured twice.
    key: String,
    name: String,
    tool: String,
    strategy: Option<String>,
    abstraction: Option<String>,
    #[serde(flatten)]
    measurement: Measurement,
    reference: Option<Reference>,
}

pub(crate) fn run(arguments: &BenchArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let path = one_line(&arguments.suite.display().to_string());
    let suite = match Suite::read(&arguments.suite) {
        Ok(suite) => suite,
        Err(error) => {
            console.complain(&format!("error: {path}: {}", error.trim_end()));
            return Ok(Status::WrongInput);
        }
    };
    // Generated models live as long as the measurements.
    let folder = tempfile::tempdir()?;
    let jobs = match suite.jobs(&arguments.suite, folder.path()) {
        Ok(jobs) => jobs,
        Err(error) => {
            console.complain(&format!("error: {path}: {}", one_line(&error)));
            return Ok(Status::WrongInput);
        }
    };
    let wanted = |job: &&Job| arguments.only.as_ref().is_none_or(|text| job.name.contains(text));
    let jobs: Vec<&Job> = jobs.iter().filter(wanted).collect();
    let finished = match &arguments.resume {
        Some(path) => read_rows(path)?,
        None => Vec::new(),
    };
    let mut rows = Vec::new();
    for (position, job) in jobs.iter().enumerate() {
        if let Some(row) = finished.iter().find(|row| row.key == job.key) {
            rows.push(row.clone());
            continue;
        }
        let title = format!("[{}/{}] {}", position + 1, jobs.len(), job.title());
        console.complain(&one_line(&title));
        let row = row(job);
        if let Some(path) = &arguments.resume {
            append(path, &row)?;
        }
        rows.push(row);
    }
    let text = table::print(suite.title.as_deref(), &rows, arguments.format)?;
    let broken = rows.iter().any(|row| row.measurement.is_broken());
    let status = if broken { Status::Bug } else { Status::Success };
    match &arguments.output {
        Some(path) => Ok(write_file(path, &text, console).or_worse(status)),
        None => console.out.write_all(text.as_bytes()).map(|()| status),
    }
}

fn row(job: &Job) -> Row {
    Row {
        key: job.key.clone(),
        name: job.name.clone(),
        tool: job.tool.clone(),
        strategy: job.strategy.clone(),
        abstraction: job.abstraction.clone(),
        measurement: measure(job),
        reference: job.reference.clone(),
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
