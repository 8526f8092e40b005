//! Runs as people read them.

use crate::trace::{Continuation, Trace, TraceEdge, TraceState, TraceStep};
use std::fmt::Display;
use std::io::{self, Write};
use zonaut_base::one_line;

/// Writes a run: the first state in full, then what changes from step to step.
///
/// # Errors
/// Those of `out`.
pub fn write_trace(out: &mut dyn Write, trace: &Trace) -> io::Result<()> {
    writeln!(out, "  start")?;
    write_state(out, &trace.start)?;
    let repeated = match trace.continuation {
        Some(Continuation::Repeats { from }) => Some(from),
        Some(Continuation::Diverges | Continuation::Blocked) | None => None,
    };
    let mut before = &trace.start;
    for (position, step) in trace.steps.iter().enumerate() {
        if repeated == Some(position) {
            writeln!(out, "  loop")?;
        }
        writeln!(out, "  delay {}", step.delay)?;
        let fails = trace.fails && position + 1 == trace.steps.len();
        write_step(out, position + 1, step, before, fails)?;
        before = &step.state;
    }
    // The delay behind the last transition of a loop is the one that the next round begins with.
    if trace.last_delay.numerator > 0 && repeated.is_none() {
        writeln!(out, "  delay {}", trace.last_delay)?;
    }
    match trace.continuation {
        Some(Continuation::Repeats { .. }) => writeln!(out, "  and from `loop` on for ever"),
        Some(Continuation::Diverges) => writeln!(out, "  time passes for ever"),
        Some(Continuation::Blocked) => {
            writeln!(out, "  nothing can happen any more, and time passes as far as it may")
        }
        None => Ok(()),
    }
}

/// Writes a state in full.
fn write_state(out: &mut dyn Write, state: &TraceState) -> io::Result<()> {
    write_list(out, state.locations.iter().map(|location| one_line(location)))?;
    write_list(out, assignments(&state.variables))?;
    write_list(out, assignments(&state.clocks))
}

fn write_step(
    out: &mut dyn Write,
    number: usize,
    step: &TraceStep,
    before: &TraceState,
    fails: bool,
) -> io::Result<()> {
    for (position, edge) in step.edges.iter().enumerate() {
        let number = if position == 0 { format!("{number}.") } else { String::new() };
        writeln!(out, "  {number:<4}{}", edge_text(edge))?;
    }
    if step.edges.is_empty() {
        writeln!(out, "  {:<4}finding out what is enabled", format!("{number}."))?;
    }
    if fails {
        return writeln!(out, "      fails");
    }
    let pairs = before.variables.iter().zip(&step.state.variables);
    let changes = pairs.filter(|(old, new)| old.1 != new.1);
    let change = |((name, old), (_, new)): (&(String, i32), &(String, i32))| {
        format!("{}: {old} -> {new}", one_line(name))
    };
    write_list(out, changes.map(change))?;
    write_list(out, assignments(&step.state.clocks))
}

/// An edge with its labels, and the values chosen for its select variables.
#[must_use]
pub fn edge_text(edge: &TraceEdge) -> String {
    let process = one_line(&edge.process);
    let labels = [&edge.guard, &edge.synchronisation, &edge.updates].map(|label| one_line(label));
    let mut text = format!(
        "{process}.{} -> {process}.{} {{ {} }}",
        one_line(&edge.source),
        one_line(&edge.target),
        labels.map(|label| label.trim().to_owned()).join("; ").trim_end(),
    );
    if !edge.select.is_empty() {
        let values: Vec<String> = assignments(&edge.select).collect();
        text.push_str(&format!(" with {}", values.join(", ")));
    }
    text
}

fn assignments<V: Display>(values: &[(String, V)]) -> impl Iterator<Item = String> {
    values.iter().map(|(name, value)| format!("{} = {value}", one_line(name)))
}

/// Writes items with commas between them; nothing if there are none.
///
/// # Errors
/// Those of `out`.
pub fn write_list(out: &mut dyn Write, items: impl Iterator<Item = String>) -> io::Result<()> {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        return Ok(());
    }
    writeln!(out, "      {}", items.join(", "))
}
