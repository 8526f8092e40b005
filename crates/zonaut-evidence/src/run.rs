//! Runs in certificates: delays and transitions.

use crate::Hashed;
use std::io::{self, Write};
use zonaut_base::Id;
use zonaut_compile::{ActionId, CompiledNetwork};
use zonaut_concrete::ConcreteRun;

/// Writes a run without its end. A transition that fails at run time is not taken: the run ends in
/// the state before it.
pub(super) fn write_run(
    network: &CompiledNetwork,
    run: &ConcreteRun,
    out: &mut Hashed<'_>,
) -> io::Result<()> {
    writeln!(out, "denom {}", run.denominator)?;
    let taken = run.steps.len().saturating_sub(usize::from(run.fails));
    for (position, step) in run.steps[..taken].iter().enumerate() {
        write_stay(run, position, step.delay, out)?;
        write_transition(network, "act", &step.participants, out)?;
    }
    match run.steps.get(taken) {
        Some(failing) => write_stay(run, taken, failing.delay, out),
        None => write_stay(run, taken, run.last_delay, out),
    }
}

/// Writes the delay after the given number of transitions, and the moment in it from which a
/// formula is avoided.
fn write_stay(
    run: &ConcreteRun,
    transitions: usize,
    delay: i64,
    out: &mut Hashed<'_>,
) -> io::Result<()> {
    let mut rest = delay;
    if let Some(moment) = run.moment.filter(|moment| moment.transitions == transitions) {
        write_delay(moment.delay, out)?;
        writeln!(out, "begin")?;
        rest -= moment.delay;
    }
    write_delay(rest, out)
}

fn write_delay(numerator: i64, out: &mut Hashed<'_>) -> io::Result<()> {
    match numerator {
        0 => Ok(()),
        _ => writeln!(out, "delay {numerator}"),
    }
}

/// Writes a line about the transition of these participants.
pub(super) fn write_transition(
    network: &CompiledNetwork,
    keyword: &str,
    participants: &[ActionId],
    out: &mut Hashed<'_>,
) -> io::Result<()> {
    write!(out, "{keyword}")?;
    for &action in participants {
        let action = network.action(action);
        write!(out, " {}.{}", action.process.index(), action.edge.index())?;
        let values: Vec<String> = action.select.iter().map(i32::to_string).collect();
        if !values.is_empty() {
            write!(out, ":{}", values.join(","))?;
        }
    }
    writeln!(out)
}
