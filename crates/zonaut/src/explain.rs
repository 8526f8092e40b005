//! `zonaut explain`: why each step of a saved trace is possible, and what it changes.

use crate::arguments::definition;
use crate::limits::LimitArguments;
use crate::loading::{read, with_problems_shown};
use crate::render::input_error;
use crate::search_arguments::DelaysName;
use crate::verify::TraceWriter;
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};
use zonaut_console::{Console, Status, one_line, status_of, wants_old_syntax};
use zonaut_engine::{
    DelayChoice, QuerySource, Rational, RecordedRun, Session, Simulator, Trace, read_bytes,
};

/// The largest trace to read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Explain a saved trace: why each step is possible, and what it changes.
///
/// The trace is taken again in the model, which may have changed since: the first step that is not
/// possible any more ends the explanation, with the reason, and the exit code is 1.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut verify fischer.xta -q 'E<> P(1).critical' --trace --json > run.json
  zonaut explain fischer.xta run.json
  zonaut explain fischer.xta run.json --delays lenient")]
pub(crate) struct ExplainArguments {
    /// The model, in XML or XTA.
    model: PathBuf,
    /// The trace: JSON of `verify --trace --json`, `simulate` or `serve`, or UPPAAL's XML or .xtr;
    /// `-` is standard input.
    trace: PathBuf,
    /// The delays; by default those of the trace, or the earliest if it has none.
    #[arg(long, value_enum, value_name = "KIND")]
    delays: Option<DelaysName>,
    /// Print the trace as JSON, with its delays and values in this model.
    #[arg(long)]
    json: bool,
    /// Replace the value of a constant of the model, as in `N=5`.
    #[arg(long, short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    define: Vec<(String, i64)>,
    #[command(flatten)]
    limits: LimitArguments,
}

/// Reads a trace file as text.
pub(crate) fn read_trace(path: &Path, console: &mut Console<'_>) -> Result<String, Status> {
    let bytes = read_bytes(path, MAX_BYTES).map_err(|error| {
        console.complain(input_error(&error, console.colour).trim_end());
        Status::WrongInput
    })?;
    String::from_utf8(bytes).map_err(|_| {
        let shown = one_line(&path.display().to_string());
        console.complain(&format!("error: `{shown}` is not UTF-8"));
        Status::WrongInput
    })
}

pub(crate) fn run(arguments: &ExplainArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let options = arguments.limits.options(arguments.define.clone(), wants_old_syntax());
    let loaded = read(&arguments.model, &QuerySource::WithModel, &options);
    let loaded = match with_problems_shown(loaded, console) {
        Ok(loaded) => loaded,
        Err(status) => return Ok(status),
    };
    let Some(session) = loaded.session() else { return Ok(Status::WrongInput) };
    let text = match read_trace(&arguments.trace, console) {
        Ok(text) => text,
        Err(status) => return Ok(status),
    };
    let recorded = match RecordedRun::read(&text, session.model()) {
        Ok(recorded) => recorded,
        Err(why) => {
            let shown = one_line(&arguments.trace.display().to_string());
            console.complain(&format!("error: `{shown}` cannot be read: {}", one_line(&why)));
            console.complain("  = help: save traces with `zonaut verify MODEL --trace --json`");
            return Ok(Status::WrongInput);
        }
    };
    let mut simulator = match session.simulator() {
        Ok(simulator) => simulator,
        Err(verdict) => {
            let reason = session.reason_of(&verdict).unwrap_or_default();
            console.complain(&format!("error: {}", one_line(&reason)));
            return Ok(status_of(&verdict));
        }
    };
    let followed = simulator.follow(&recorded);
    let Some(trace) = timed(&simulator, &followed.delays, arguments.delays, console) else {
        console.complain("error: no run has this path");
        return Ok(Status::Undecided);
    };
    show(&session, &trace, arguments.json, console)?;
    let Some(obstacle) = followed.obstacle else { return Ok(Status::Success) };
    let step = followed.path.len() + 1;
    writeln!(
        console.out,
        "step {step} of {} is not possible: {}",
        recorded.steps.len(),
        one_line(&obstacle)
    )?;
    Ok(Status::NotSatisfied)
}

/// The run with the requested delays: those of the trace if they are possible, by default.
fn timed(
    simulator: &Simulator,
    delays: &[Option<Rational>],
    choice: Option<DelaysName>,
    console: &mut Console<'_>,
) -> Option<Trace> {
    if let Some(choice) = choice {
        return simulator.trace_choosing(choice.into());
    }
    if delays.iter().all(Option::is_none) {
        return simulator.trace_choosing(DelayChoice::Earliest);
    }
    // A delay before a step that is not possible does not count.
    let stays = &delays[..delays.len().min(simulator.position() + 1)];
    simulator.trace_staying(stays).or_else(|| {
        console.complain("note: the delays of the trace are not possible; the earliest are shown");
        simulator.trace_choosing(DelayChoice::Earliest)
    })
}

fn show(
    session: &Session,
    trace: &Trace,
    is_json: bool,
    console: &mut Console<'_>,
) -> io::Result<()> {
    if is_json {
        let text = serde_json::to_string_pretty(trace)?;
        return writeln!(console.out, "{text}");
    }
    let (colour, width) = (console.colours_results, console.width);
    TraceWriter { session, colour, width }.write_with_reasons(trace, &mut *console.out)
}
