//! The error path pattern (`rd`): a choice of symbols by one relaxed path to the goal.
//!
//! The pattern keeps the processes that move on the relaxed path, the symbols they change there,
//! and the symbols that the guards and invariants of these processes read; the closure removes
//! those that depend on the rest (S. Kupferschmid, J. Hoffmann, K. G. Larsen: "Fast Directed Model
//! Checking via Russian Doll Abstraction", DOI 10.1007/978-3-540-78800-3_15, Section 4).
//!
//! The paper's footnote 7 omits steps from the path that are relevant through other variables only,
//! and reports better results. Here this is applied to processes. An *input* is a process that no
//! other process influences: it waits for no clock and no partner, and reads only symbols that it
//! alone writes. It can take its few steps at any time, so that a distance without them is only a
//! few steps smaller; but it multiplies the states of all processes that read it. So inputs are
//! dropped, unless the goal refers to them. The footnote as printed is available, too
//! ([`Inputs::Direct`]).

use crate::access::{Access, Accesses};
use crate::pattern::Pattern;
use zonaut_analysis::Symbols;
use zonaut_base::Id;
use zonaut_heuristics::{AbstractStep, Participant, Relaxation};
use zonaut_model::{Formula, Model, Process, ProcessId};
use zonaut_space::{Meter, StopReason};
use zonaut_strategy::Inputs;

/// The pattern for `goal`; it keeps the whole model if the relaxation has no path to the goal.
#[must_use]
pub fn error_path_pattern(model: &Model, goal: &Formula, inputs: Inputs) -> Pattern {
    metered_error_path_pattern(model, goal, inputs, &Meter::default())
        .expect("invariant: the default meter never stops")
}

/// The pattern for `goal`, with a meter.
///
/// # Errors
/// The meter stopped before a path was found.
pub fn metered_error_path_pattern(
    model: &Model,
    goal: &Formula,
    inputs: Inputs,
    meter: &Meter,
) -> Result<Pattern, StopReason> {
    let locations = model.processes.iter().map(|process| process.initial.index() as i32);
    let values: Vec<i32> = locations.chain(model.initial_cells()).collect();
    let mut upper = Relaxation::metered(model, goal, meter)?.upper();
    let path = match inputs {
        Inputs::Dropped | Inputs::Kept => upper.path(&values),
        Inputs::Direct => upper.direct_path(&values),
    };
    meter.poll(0)?;
    let Some(path) = path else {
        return Ok(Pattern::dropping(model, &Symbols::default()));
    };
    let accesses = Accesses::new(model);
    let of_goal = accesses.of_formula(goal);
    let mut kept = of_goal.clone();
    for step in &path {
        add_step(model, &accesses, step, &mut kept);
    }
    if inputs == Inputs::Dropped {
        for input in inputs_of(model, &accesses, &of_goal) {
            kept.processes.remove(input);
        }
    }
    for process in kept.processes.clone().iter() {
        let definition = &model.processes[process];
        for location in &definition.locations {
            kept.extend(&accesses.of_condition(&location.invariant));
        }
        for edge in &definition.edges {
            kept.extend(&accesses.of_condition(&edge.guard));
            if let Some(sync) = &edge.synchronisation {
                kept.extend(&accesses.of_channel(sync));
            }
        }
    }
    Ok(Pattern::keeping(model, &kept))
}

/// Adds the processes that move in a step, and the symbols that it changes.
fn add_step(model: &Model, accesses: &Accesses<'_>, step: &AbstractStep, kept: &mut Symbols) {
    for &Participant { process, edge } in &step.edges {
        kept.processes.insert(process);
        let updates = &model.processes[process].edges[edge].updates;
        updates.iter().for_each(|&update| {
            kept.extend(&accesses.of(update).writes);
        });
    }
    kept.cells.extend(&step.writes.iter().copied().collect());
    kept.channels.extend(&step.channel.into_iter().collect());
}

/// The processes that no other process influences, and that the goal does not refer to.
fn inputs_of(model: &Model, accesses: &Accesses<'_>, of_goal: &Symbols) -> Vec<ProcessId> {
    let accesses_of = |process: &Process| {
        let mut all = Access::default();
        for location in &process.locations {
            all.reads.extend(&accesses.of_condition(&location.invariant));
        }
        for edge in &process.edges {
            all.reads.extend(&accesses.of_condition(&edge.guard));
            edge.updates.iter().for_each(|&update| all.extend(&accesses.of(update)));
        }
        all
    };
    let all: Vec<Access> = model.processes.iter().map(accesses_of).collect();
    let is_input = |process: ProcessId| {
        let own = &all[process.index()];
        let others = all.iter().enumerate().filter(|&(other, _)| other != process.index());
        let is_silent =
            model.processes[process].edges.iter().all(|edge| edge.synchronisation.is_none());
        is_silent
            && own.reads.clocks.is_empty()
            && own.writes.clocks.is_empty()
            && !of_goal.processes.contains(process)
            && !own.writes.meets(of_goal)
            && others.into_iter().all(|(_, other)| !other.writes.meets(&own.reads))
    };
    model.processes.ids().filter(|&process| is_input(process)).collect()
}
