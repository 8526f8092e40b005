//! Explanations of deadlocks: why no transition is enabled at the end of a run.

use std::io::{self, Write};
use zonaut_console::one_line;
use zonaut_engine::{Session, Trace};
use zonaut_trace::edge_text;

/// Maximum number of transitions that are explained.
const MOST: usize = 20;

/// Writes why each transition from the last locations of a run is disabled; nothing if one of them
/// is enabled.
pub(crate) fn write_reasons(
    session: &Session,
    trace: &Trace,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Ok(mut simulator) = session.simulator() else { return Ok(()) };
    for step in &trace.steps {
        let state = &step.state;
        if simulator.take_to(&step.edges, &state.locations, &state.variables).is_none() {
            return Ok(());
        }
    }
    if !simulator.choices().is_empty() {
        return Ok(());
    }
    let Ok(disabled) = simulator.obstacles() else { return Ok(()) };
    if disabled.is_empty() {
        return writeln!(out, "  no process can move: no edge leaves these locations");
    }
    writeln!(out, "  no process can move:")?;
    for transition in disabled.iter().take(MOST) {
        let edges: Vec<String> = transition.edges.iter().map(edge_text).collect();
        writeln!(out, "    {}: {}", edges.join(" | "), one_line(&transition.why))?;
    }
    match disabled.len().checked_sub(MOST) {
        Some(more) if more > 0 => writeln!(out, "    and {more} more"),
        _ => Ok(()),
    }
}
