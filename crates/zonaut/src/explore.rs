//! `zonaut explore`: explores all reachable states and lists unreachable locations and edges.

use crate::arguments::ExploreArguments;
use crate::loading::{load_input_within, with_problems_shown};
use crate::render::Renderer;
use crate::reports::{Page, states};
use crate::search_arguments::TraceName;
use crate::verify::trace_text;
use std::io;
use std::path::Path;
use zonaut_console::{Asking, Console, Interrupt, Status, format_size, one_line, status_of};
use zonaut_engine::report::ExplorationRecord;
use zonaut_engine::{Session, Task, Verdict};
use zonaut_report::Tone;
use zonaut_trace::edge_text;

pub(crate) fn run(arguments: &ExploreArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let options = arguments.search.options(TraceName::None);
    let loaded = load_input_within(&arguments.input, &options.resources);
    let loaded = match with_problems_shown(loaded, console) {
        Ok(loaded) => loaded,
        Err(status) => return Ok(status),
    };
    let Some(session) = loaded.session() else { return Ok(Status::WrongInput) };
    let interrupt = Interrupt::watch(&options.resources.cancelled);
    let task = Task::explore(&session, &options);
    let explored = Asking::new(&session, &options, &interrupt).perform(task, console);
    let record = ExplorationRecord::of(&session, &explored);
    if arguments.json {
        serde_json::to_writer(&mut *console.out, &record)?;
        writeln!(console.out)?;
    } else {
        write_text(&record, console)?;
    }
    let mut written = Status::Success;
    if let Some(path) = &arguments.report {
        written = write_page(&session, &record, &explored.verdict, path, console);
    }
    if let Verdict::Error(error) = &explored.verdict {
        let renderer = Renderer { sources: session.sources(), colour: console.colour };
        let diagnostic = session.diagnostic_of(error);
        console.complain(renderer.render(&diagnostic).trim_end_matches('\n'));
    }
    let status = status_of(&explored.verdict).or_worse(written);
    Ok(interrupt.status().unwrap_or(status))
}

/// Writes the report of an exploration, with a run to a deadlock or a run-time error.
fn write_page(
    session: &Session,
    record: &ExplorationRecord<'_>,
    verdict: &Verdict,
    target: &Path,
    console: &mut Console<'_>,
) -> Status {
    let locations = record.unreached_locations.iter();
    let locations: Vec<String> =
        locations.map(|it| format!("{}.{}  ({})", it.process, it.location, it.place)).collect();
    let edges = record.untaken_edges.iter();
    let edges: Vec<String> =
        edges.map(|it| format!("{}  ({})", edge_text(it.edge), it.place)).collect();
    let never = |what: [&'static str; 2]| what[usize::from(!record.complete)];
    let reached = never(["unreachable locations", "locations not reached yet"]);
    let taken = never(["edges never taken", "edges not taken yet"]);
    let facts = [
        ("strategy", record.strategy.to_string()),
        ("explored", states(record.explored)),
        ("stored", states(record.stored)),
        ("time", format!("{:.3} s", record.seconds)),
        (reached, locations.len().to_string()),
        (taken, edges.len().to_string()),
    ];
    let lists = [
        (never(["Unreachable locations", "Locations not reached yet"]), locations),
        (never(["Edges never taken", "Edges not taken yet"]), edges),
    ];
    let found = match (record.deadlock.is_some(), verdict) {
        (_, Verdict::Error(_)) => "a run-time error is reachable",
        (true, _) => "a deadlock is reachable",
        (false, _) if record.complete => "the whole state space was explored",
        (false, _) => "the exploration is incomplete",
    };
    Page {
        query: "reachable states",
        verdict: found,
        tone: if record.complete && record.deadlock.is_none() { Tone::Good } else { Tone::Open },
        reason: record.reason.as_deref(),
        certificate: "nothing to certify",
        facts: &facts,
        lists: &lists,
        charts: &[],
        trace: record.trace.or(record.deadlock),
    }
    .write(session, None, target, console)
}

fn write_text(record: &ExplorationRecord<'_>, console: &mut Console<'_>) -> io::Result<()> {
    let (colour, width) = (console.colours_results, console.width);
    let out = &mut *console.out;
    match &record.reason {
        None => writeln!(out, "the whole state space was explored")?,
        Some(reason) => writeln!(out, "the exploration is incomplete: {}", one_line(reason))?,
    }
    if let Some(abstraction) = record.abstraction {
        writeln!(
            out,
            "{} explored, {} stored, {} generated, {:.3} s, {}, {}, {abstraction}",
            record.explored,
            record.stored,
            record.generated,
            record.seconds,
            format_size(record.memory_bytes as u64),
            record.strategy,
        )?;
    }
    if let Some(how) = record.differences {
        writeln!(out, "clock differences: {how}")?;
    }
    if let Some(trace) = record.trace {
        trace_text(trace, colour, width).write(out)?;
    }
    if let Some(trace) = record.deadlock {
        writeln!(out, "a deadlock is reachable:")?;
        trace_text(trace, colour, width).write(out)?;
    }
    // An incomplete exploration does not prove unreachability.
    let [unreached, untaken] = match record.complete {
        true => ["unreachable locations", "edges never taken"],
        false => ["locations not reached yet", "edges not taken yet"],
    };
    if !record.unreached_locations.is_empty() {
        writeln!(out, "{unreached}:")?;
    }
    for unreached in &record.unreached_locations {
        let name = one_line(&format!("{}.{}", unreached.process, unreached.location));
        writeln!(out, "  {name}  ({})", one_line(&unreached.place))?;
    }
    if !record.untaken_edges.is_empty() {
        writeln!(out, "{untaken}:")?;
    }
    for untaken in &record.untaken_edges {
        writeln!(out, "  {}  ({})", edge_text(untaken.edge), one_line(&untaken.place))?;
    }
    Ok(())
}
