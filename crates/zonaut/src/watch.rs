//! `zonaut watch`: checks the queries again whenever a file of the model changes.

use crate::arguments::VerifyArguments;
use crate::verify;
use clap::Args;
use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;
use zonaut_console::{Console, Interrupt, Status, one_line};
use zonaut_engine::{QuerySource, is_standard_input};
use zonaut_serve::{FileStamps, Watched};

/// The period in which the files are looked at.
const PERIOD: Duration = Duration::from_millis(150);

/// Check queries again whenever the model or its query file changes.
///
/// Takes the options of `verify` and prints a line for each query. A change during a check takes
/// effect when the check ends. Ends with Ctrl-C.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut watch train-gate.xml
  zonaut watch fischer.xta -q 'A[] P1.cs + P2.cs <= 1' --time 10")]
pub(crate) struct WatchArguments {
    /// End after this many checks, with the exit code of the last one.
    #[arg(long, value_name = "COUNT")]
    checks: Option<NonZeroUsize>,
    #[command(flatten)]
    verify: VerifyArguments,
}

pub(crate) fn run(arguments: &WatchArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let input = &arguments.verify.input;
    if is_standard_input(&input.model) {
        console.complain("error: standard input cannot be watched");
        console.complain("  = help: give the path of a file");
        return Ok(Status::WrongInput);
    }
    if arguments.verify.distribution.is_used() {
        console.complain("error: `watch` uses neither other processes nor checkpoints");
        console.complain("  = help: `zonaut verify` does");
        return Ok(Status::WrongInput);
    }
    let queries = match &input.queries {
        Some(path) => QuerySource::File(path.clone()),
        None => QuerySource::WithModel,
    };
    let watched = Watched { model: input.model.clone(), queries };
    let shown = one_line(&input.model.display().to_string());
    let ended = Arc::new(AtomicBool::new(false));
    let interrupt = Interrupt::watch(&ended);
    let mut checks = 0;
    loop {
        let stamps = watched.stamps();
        let status = verify::run(&arguments.verify, &[], console)?;
        console.out.flush()?;
        checks += 1;
        if let Some(status) = interrupt.status() {
            return Ok(status);
        }
        if arguments.checks.is_some_and(|most| checks >= most.get()) {
            return Ok(status);
        }
        if let Some(status) = wait_for_change(&watched, &stamps, &interrupt) {
            return Ok(status);
        }
        console.complain(&format!("{shown} has changed"));
    }
}

/// Waits until a file has changed and the model exists. Returns the exit status after a signal.
fn wait_for_change(
    watched: &Watched,
    before: &FileStamps,
    interrupt: &Interrupt,
) -> Option<Status> {
    loop {
        thread::sleep(PERIOD);
        let status = interrupt.status();
        if status.is_some() {
            return status;
        }
        // Editors replace a file in two steps: for a moment there is none.
        if watched.stamps() != *before && watched.model.is_file() {
            return None;
        }
    }
}
