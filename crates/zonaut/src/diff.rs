//! `zonaut diff`: two saved traces side by side.

use crate::explain::read_trace;
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};
use zonaut_console::{Console, Status, one_line};
use zonaut_trace::{Trace, saved_trace, write_difference};

/// The width without a terminal.
const COLUMNS: usize = 120;

/// Compare two traces side by side.
///
/// Transitions that both traces have are aligned: `=` marks equal steps, `~` steps with other delays
/// or values, `<` and `>` steps of one trace only. The exit code is 1 if the traces differ.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut verify fischer.xta -q 'E<> P(1).critical' --trace shortest --json > short.json
  zonaut verify fischer.xta -q 'E<> P(1).critical' --trace fastest --json > fast.json
  zonaut diff short.json fast.json")]
pub(crate) struct DiffArguments {
    /// The first trace, as JSON of `verify --trace --json`, `simulate` or `serve`.
    first: PathBuf,
    /// The second trace.
    second: PathBuf,
}

pub(crate) fn run(arguments: &DiffArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let mut traces = Vec::new();
    for path in [&arguments.first, &arguments.second] {
        match load(path, console) {
            Ok(trace) => traces.push((path.display().to_string(), trace)),
            Err(status) => return Ok(status),
        }
    }
    let [(first, left), (second, right)] = &traces[..] else { return Ok(Status::WrongInput) };
    let width = console.width.unwrap_or(COLUMNS);
    write_difference([(first, left), (second, right)], width, &mut *console.out)?;
    Ok(if left == right { Status::Success } else { Status::NotSatisfied })
}

fn load(path: &Path, console: &mut Console<'_>) -> Result<Trace, Status> {
    let text = read_trace(path, console)?;
    saved_trace(&text).map_err(|why| {
        let shown = one_line(&path.display().to_string());
        console.complain(&format!("error: `{shown}` cannot be read: {}", one_line(&why)));
        console.complain("  = help: `zonaut explain MODEL TRACE --json` converts other formats");
        Status::WrongInput
    })
}
