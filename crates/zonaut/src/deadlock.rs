//! Explanations of deadlocks: why no transition is enabled at the end of a run.

use std::io::{self, Write};
use zonaut_console::one_line;
use zonaut_engine::{Session, Trace};
use zonaut_trace::{edge_text, split_location};

/// Maximum number of transitions that are explained.
const MOST: usize = 20;

/// A heading, then the reason why each transition from the last locations of a run is disabled;
/// `None` if one of them is enabled.
pub(crate) fn reasons(session: &Session, trace: &Trace) -> Option<Vec<String>> {
    let mut simulator = session.simulator().ok()?;
    for step in &trace.steps {
        let state = &step.state;
        simulator.take_to(&step.edges, &state.locations, &state.variables)?;
    }
    if !simulator.choices().is_empty() {
        return None;
    }
    let disabled = simulator.obstacles().ok()?;
    if disabled.is_empty() {
        return Some(vec!["no process can move: no edge leaves these locations".to_owned()]);
    }
    let mut lines = vec!["no process can move:".to_owned()];
    lines.extend(final_locations(session, trace));
    for transition in disabled.iter().take(MOST) {
        let edges: Vec<String> = transition.edges.iter().map(edge_text).collect();
        lines.push(format!("{}: {}", edges.join(" | "), one_line(&transition.why)));
    }
    let more = disabled.len().saturating_sub(MOST);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    Some(lines)
}

/// The last locations of processes that no edge leaves, in one line.
fn final_locations(session: &Session, trace: &Trace) -> Option<String> {
    let state = trace.steps.last().map_or(&trace.start, |step| &step.state);
    let processes = session.model().processes.iter().zip(&state.locations);
    let ended = processes.filter(|(process, place)| {
        let (_, name) = split_location(place);
        process.edges.iter().all(|edge| process.locations[edge.source].name != name)
    });
    let places: Vec<String> = ended.map(|(_, place)| one_line(place)).collect();
    match places.as_slice() {
        [] => None,
        [place] => Some(format!("{place}: no edge leaves this location")),
        _ => Some(format!("{}: no edge leaves these locations", places.join(", "))),
    }
}

/// Writes the reasons of a deadlock at the end of a run; nothing if it is none.
pub(crate) fn write_reasons(
    session: &Session,
    trace: &Trace,
    out: &mut dyn Write,
) -> io::Result<()> {
    let lines = reasons(session, trace).unwrap_or_default();
    lines.iter().enumerate().try_for_each(|(number, line)| match number {
        0 => writeln!(out, "  {line}"),
        _ => writeln!(out, "    {line}"),
    })
}
