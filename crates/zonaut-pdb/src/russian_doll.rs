//! Choosing what to keep by one way to the goal in the monotonicity abstraction.
//!
//! Kept are the processes that move on the way, what they change there, and what the guards and
//! invariants of these processes read; the closure takes out again what depends on the rest
//! (S. Kupferschmid, J. Hoffmann, K. G. Larsen: "Fast Directed Model Checking via Russian Doll
//! Abstraction", DOI 10.1007/978-3-540-78800-3_15, Section 4).
//!
//! The paper's footnote 7 leaves out of the way what matters through other variables only, and finds
//! that better. Here this is said of the processes themselves. An *input* is a process that nothing
//! else influences: it waits for no clock and no partner, and reads only what it alone writes. It can
//! do its few steps at any time, so that a distance without them is only a few steps smaller; but it
//! multiplies the states of everything that reads it. So inputs are left out, unless the goal speaks
//! of them. The footnote as it is printed can be had, too ([`Inputs::Direct`]).

use crate::access::{Access, Accesses};
use crate::pattern::Pattern;
use zonaut_analysis::Symbols;
use zonaut_base::Id;
use zonaut_heuristics::{AbstractStep, Participant, Relaxation};
use zonaut_model::{Formula, Model, Process, ProcessId};
use zonaut_space::{Meter, StopReason};

/// Whether processes that nothing else influences are kept.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Inputs {
    /// Only where the goal speaks of them.
    #[default]
    Dropped,
    /// Where they move on the way.
    Kept,
    /// Where they move on the way without what only the right sides of assignments ask for, as do all
    /// others: the paper's footnote 7.
    Direct,
}

/// The pattern for `goal`; all of the model where no way leads to the goal.
#[must_use]
pub fn russian_doll(model: &Model, goal: &Formula, inputs: Inputs) -> Pattern {
    metered_russian_doll(model, goal, inputs, &Meter::default())
        .expect("invariant: the default meter never stops")
}

/// The same, counting on `meter`.
///
/// # Errors
/// Where the meter stops before there is a way.
pub fn metered_russian_doll(
    model: &Model,
    goal: &Formula,
    inputs: Inputs,
    meter: &Meter,
) -> Result<Pattern, StopReason> {
    let locations = model.processes.iter().map(|process| process.initial.index() as i32);
    let values: Vec<i32> = locations.chain(model.initial_cells()).collect();
    let mut upper = Relaxation::metered(model, goal, meter)?.upper();
    let way = match inputs {
        Inputs::Dropped | Inputs::Kept => upper.path(&values),
        Inputs::Direct => upper.direct_path(&values),
    };
    meter.look(0)?;
    let Some(way) = way else {
        return Ok(Pattern::dropping(model, &Symbols::default()));
    };
    let accesses = Accesses::new(model);
    let of_goal = accesses.of_formula(goal);
    let mut kept = of_goal.clone();
    for step in &way {
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

/// Adds who moves in a step, and what is changed.
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

/// The processes that nothing else influences, and that the goal does not speak of.
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
