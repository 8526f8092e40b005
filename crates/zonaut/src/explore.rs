//! `zonaut explore`: explores all reachable states and lists unreachable locations and edges.

use crate::arguments::ExploreArguments;
use crate::deadlock::{reasons, write_reasons};
use crate::loading::{load_input_within, with_problems_shown};
use crate::render::Renderer;
use crate::reports::{Page, capital, moment, states};
use crate::search_arguments::TraceName;
use crate::verify::TraceWriter;
use std::io;
use std::path::Path;
use zonaut_console::{
    Asking, Console, Interrupt, Status, format_seconds, format_size, one_line, status_of,
};
use zonaut_engine::report::ExplorationRecord;
use zonaut_engine::{Session, Task, TraceEdge, Verdict};
use zonaut_report::{Dead, Tone};
use zonaut_trace::edge_text;

pub(crate) fn run(arguments: &ExploreArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let mut options = arguments.search.options(TraceName::None);
    if arguments.threads.get() > 1 && !arguments.search.explores_in_layers() {
        console
            .complain("error: only the strategies `auto` and `bfs` explore with several threads");
        console.complain("  = help: give one of them, or no `--threads`");
        return Ok(Status::WrongInput);
    }
    options.threads = Some(arguments.threads);
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
        write_text(&session, &record, console)?;
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
        ("time", format_seconds(record.seconds)),
        (reached, locations.len().to_string()),
        (taken, edges.len().to_string()),
    ];
    let lists = [
        (never(["Unreachable locations", "Locations not reached yet"]), locations),
        (never(["Edges never taken", "Edges not taken yet"]), edges),
    ];
    let found = match (record.deadlock.is_some(), verdict) {
        (_, Verdict::Error(_)) => "run-time error",
        (true, _) => "deadlock",
        (false, _) if record.complete => "explored",
        (false, _) => "incomplete",
    };
    let unreached: Vec<(&str, &str)> =
        record.unreached_locations.iter().map(|it| (it.process, it.location)).collect();
    let untaken: Vec<&TraceEdge> = record.untaken_edges.iter().map(|it| it.edge).collect();
    let dead = Dead::of(session.labels(), &unreached, &untaken);
    let finding = finding(record);
    let finding = finding.trim_start_matches(['!', '?', '\u{2713}', '\u{2717}', ' ']);
    let blocked = record.deadlock.and_then(|trace| reasons(session, trace));
    let blocked = blocked.map(|lines| capital(&lines.join("\n")));
    let covered = covered_all(record).filter(|_| record.deadlock.is_some());
    let size =
        format!("{} explored in {}", states(record.explored), format_seconds(record.seconds));
    let covered = covered.map(|it| format!("{}.", capital(it)));
    let remarks: Vec<String> = blocked.into_iter().chain(covered).chain([size]).collect();
    let remarks = remarks.join("\n");
    Page {
        query: "",
        verdict: found,
        summary: &format!("{}.", capital(finding)),
        is_schedule: false,
        index: None,
        dead: &dead,
        tone: if covered_all(record).is_some() && record.deadlock.is_none() {
            Tone::Good
        } else {
            Tone::Open
        },
        reason: record.reason.as_deref().or(Some(&remarks)),
        certificate: "nothing to certify",
        is_certified: false,
        facts: &facts,
        lists: &lists,
        charts: &[],
        plots: &[],
        trace: record.trace.or(record.deadlock),
    }
    .write(session, None, target, console)
}

/// The finding, in one line: a failure, a deadlock, or dead parts of the model.
fn finding(record: &ExplorationRecord<'_>) -> String {
    let count = |number: usize, one: &str, many: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {many}"),
    };
    if let Some(trace) = record.trace {
        return format!("\u{2717} a run-time error is reachable, {}", moment(trace));
    }
    let (locations, edges) = (record.unreached_locations.len(), record.untaken_edges.len());
    let [unreached, untaken] = match record.complete {
        true => [
            count(locations, "unreachable location", "unreachable locations"),
            count(edges, "edge never taken", "edges never taken"),
        ],
        false => [
            count(locations, "location not reached yet", "locations not reached yet"),
            count(edges, "edge not taken yet", "edges not taken yet"),
        ],
    };
    let deadlock =
        record.deadlock.map(|trace| format!("\u{2717} a deadlock is reachable, {}", moment(trace)));
    let unreached = Some(unreached).filter(|_| locations > 0);
    let untaken = Some(untaken).filter(|_| edges > 0);
    let mark = if deadlock.is_none() { "! " } else { "" };
    let found: Vec<String> = [deadlock, unreached, untaken].into_iter().flatten().collect();
    match (found.is_empty(), record.complete) {
        (false, _) => format!("{mark}{}", found.join(", ")),
        (true, true) => format!("\u{2713} {COVERED}"),
        (true, false) => "? every location was reached, and every edge was taken".to_owned(),
    }
}

/// The finding of a complete exploration that meets every part of the model.
const COVERED: &str = "every location is reachable, and every edge is taken in some run";

/// The sentence about a complete exploration that meets every part of the model.
fn covered_all(record: &ExplorationRecord<'_>) -> Option<&'static str> {
    let is_all = record.unreached_locations.is_empty() && record.untaken_edges.is_empty();
    (record.complete && is_all).then_some(COVERED)
}

fn write_text(
    session: &Session,
    record: &ExplorationRecord<'_>,
    console: &mut Console<'_>,
) -> io::Result<()> {
    let (colour, width) = (console.colours_results, console.width);
    let out = &mut *console.out;
    writeln!(out, "{}", finding(record))?;
    if let Some(covered) = covered_all(record).filter(|_| record.deadlock.is_some()) {
        writeln!(out, "{covered}")?;
    }
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
    let traces = TraceWriter { session, colour, width };
    if let Some(trace) = record.trace {
        traces.write(trace, &[], out)?;
    }
    if let Some(trace) = record.deadlock {
        writeln!(out, "the run to the deadlock:")?;
        traces.write(trace, &[], out)?;
        write_reasons(session, trace, out)?;
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
