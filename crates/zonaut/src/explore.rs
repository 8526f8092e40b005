//! `zonaut explore`: everything that can be reached, and what never is.

use crate::arguments::ExploreArguments;
use crate::loading::{load_input, with_problems_shown};
use crate::render::Renderer;
use crate::search_arguments::TraceName;
use serde::Serialize;
use std::io;
use zonaut_console::{
    Console, Interrupt, ProgressLine, Status, described_reason, format_size, one_line, status_of,
};
use zonaut_engine::{Exploration, Session, Span, Trace, TraceEdge, Verdict};
use zonaut_trace::{edge_text, write_trace};

/// The JSON object of an exploration.
#[derive(Serialize)]
struct Record<'a> {
    /// Whether everything was explored.
    complete: bool,
    reason: Option<String>,
    strategy: String,
    abstraction: Option<&'static str>,
    differences: Option<&'static str>,
    explored: usize,
    stored: usize,
    generated: usize,
    seconds: f64,
    memory_bytes: usize,
    unreached_locations: Vec<LocationRecord<'a>>,
    untaken_edges: Vec<EdgeRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a Trace>,
}

#[derive(Serialize)]
struct LocationRecord<'a> {
    process: &'a str,
    location: &'a str,
    place: String,
}

#[derive(Serialize)]
struct EdgeRecord<'a> {
    #[serde(flatten)]
    edge: &'a TraceEdge,
    place: String,
}

pub(crate) fn run(arguments: &ExploreArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let Some(loaded) = with_problems_shown(load_input(&arguments.input), console) else {
        return Ok(Status::WrongInput);
    };
    let Some(session) = loaded.session() else { return Ok(Status::WrongInput) };
    let options = arguments.search.options(TraceName::None);
    let interrupt = Interrupt::watch(&options.resources.cancelled);
    let explored = {
        let mut line = ProgressLine::new("", &interrupt);
        let mut listener = |now: &_, elapsed| line.update(now, elapsed, console);
        session.explore(&options, Some(&mut listener))
    };
    let report = Report { session: &session, explored: &explored };
    if arguments.json {
        report.write_json(console)?;
    } else {
        report.write_text(console)?;
    }
    if let Verdict::Error(error) = &explored.verdict {
        let renderer = Renderer { sources: session.sources(), colour: console.colour };
        let diagnostic = session.diagnostic_of(error);
        console.complain(renderer.render(&diagnostic).trim_end_matches('\n'));
    }
    Ok(interrupt.status().unwrap_or_else(|| status_of(&explored.verdict)))
}

/// What there is to tell.
struct Report<'a> {
    session: &'a Session,
    explored: &'a Exploration,
}

impl Report<'_> {
    fn is_complete(&self) -> bool {
        self.explored.verdict == Verdict::Satisfied
    }

    fn reason(&self) -> Option<String> {
        described_reason(self.session, &self.explored.verdict)
    }

    fn place(&self, span: Span) -> String {
        let place = self.session.sources().position(span);
        format!("{}:{}:{}", place.file, place.line, place.column)
    }

    fn write_json(&self, console: &mut Console<'_>) -> io::Result<()> {
        let explored = self.explored;
        let locations = explored.unreached.iter().map(|unreached| LocationRecord {
            process: &unreached.process,
            location: &unreached.location,
            place: self.place(unreached.place),
        });
        let edges = explored
            .untaken
            .iter()
            .map(|untaken| EdgeRecord { edge: &untaken.edge, place: self.place(untaken.place) });
        let record = Record {
            complete: self.is_complete(),
            reason: self.reason(),
            strategy: explored.strategy.to_string(),
            abstraction: explored.abstraction.map(|abstraction| abstraction.name()),
            differences: explored.differences,
            explored: explored.statistics.explored,
            stored: explored.statistics.stored,
            generated: explored.statistics.generated,
            seconds: explored.seconds,
            memory_bytes: explored.statistics.bytes,
            unreached_locations: locations.collect(),
            untaken_edges: edges.collect(),
            trace: explored.trace.as_ref(),
        };
        serde_json::to_writer(&mut *console.out, &record)?;
        writeln!(console.out)
    }

    fn write_text(&self, console: &mut Console<'_>) -> io::Result<()> {
        let explored = self.explored;
        let out = &mut *console.out;
        let ending = match self.reason() {
            None => "everything was explored".to_owned(),
            Some(reason) => format!("not everything was explored: {}", one_line(&reason)),
        };
        writeln!(out, "{ending}")?;
        if let Some(abstraction) = explored.abstraction {
            let numbers = &explored.statistics;
            writeln!(
                out,
                "{} explored, {} stored, {} generated, {:.3} s, {}, {}, {}",
                numbers.explored,
                numbers.stored,
                numbers.generated,
                explored.seconds,
                format_size(numbers.bytes as u64),
                explored.strategy,
                abstraction.name(),
            )?;
        }
        if let Some(how) = explored.differences {
            writeln!(out, "clock differences: {how}")?;
        }
        if let Some(trace) = &explored.trace {
            write_trace(out, trace)?;
        }
        // What a stopped search has not seen may well be reachable.
        let never = if self.is_complete() { "never" } else { "not yet" };
        if !explored.unreached.is_empty() {
            writeln!(out, "locations {never} reached:")?;
        }
        for unreached in &explored.unreached {
            let name = one_line(&format!("{}.{}", unreached.process, unreached.location));
            writeln!(out, "  {name}  ({})", one_line(&self.place(unreached.place)))?;
        }
        if !explored.untaken.is_empty() {
            writeln!(out, "edges {never} taken:")?;
        }
        for untaken in &explored.untaken {
            let place = one_line(&self.place(untaken.place));
            writeln!(out, "  {}  ({place})", edge_text(&untaken.edge))?;
        }
        Ok(())
    }
}
