//! Certificates of searches and of run-time errors. `zonaut-evidence` writes their formats.

use crate::answer::Unwritten;
use crate::reasons::NamedReasons;
use std::io::{self, Write};
use zonaut_concrete::{ConcreteRun, Destination, NoRun, concretise};
use zonaut_dbm::Width;
use zonaut_evidence::{Hashed, SetForm, SetWriter, StoredSet, Subject};
use zonaut_portfolio::{Finished, Passed, ReachabilityTask, States, ZoneOutcome};
use zonaut_search::Outcome;
use zonaut_space::PassedStore;
use zonaut_zonegraph::{Step, SymbolicState, ZoneGraph};

/// Writes the certificate of a path to a goal or to a run-time error, if there is one, to the output
/// that `open` returns.
pub(crate) fn write_run<'w, W: Width>(
    subject: &Subject<'_>,
    graph: &ZoneGraph<'_, W>,
    outcome: &ZoneOutcome,
    run: Option<&ConcreteRun>,
    open: impl FnOnce() -> io::Result<&'w mut dyn Write>,
) -> Option<io::Result<()>> {
    let mut out = match open() {
        Ok(out) => out,
        Err(error) => return Some(Err(error)),
    };
    match (outcome, run) {
        (Outcome::Reached { .. }, Some(run)) => Some(subject.write_reach(graph, run, &mut out)),
        (Outcome::Failed { steps, .. }, run) if run.is_some() || steps.is_empty() => {
            subject.write_failure(graph, run, &mut out)
        }
        _ => None,
    }
}

/// Writes the certificate of an exhausted search.
pub(crate) fn write_set<W: Width>(
    subject: &Subject<'_>,
    finished: &Finished<'_, W>,
    form: SetForm,
    out: &mut dyn Write,
) -> io::Result<()> {
    match &finished.states {
        States::Lazy { proof: Some(proof), .. } => {
            subject.write_labels(proof.as_ref(), finished.task.graph.meter(), out)
        }
        States::Eager(passed) => write_unreach(subject, finished.task, passed, form, out),
        States::Lazy { proof: None, .. } | States::Unjoined(_) | States::Dropped => {
            Err(io::Error::other("the search left no proof"))
        }
    }
}

/// Writes the certificate of a run-time error at the end of `steps`, if the model raises it.
pub(crate) fn write_failure_after<W: Width>(
    subject: &Subject<'_>,
    graph: &ZoneGraph<'_, W>,
    steps: &[Step],
    out: &mut dyn Write,
) -> Option<Result<(), Unwritten>> {
    let run = match concretise(graph, steps, Destination::Failure) {
        Ok(run) => Some(run),
        Err(NoRun::Spurious) if steps.is_empty() => None,
        Err(NoRun::Stopped(why)) => return Some(Err(Unwritten::Stopped(why))),
        Err(NoRun::Spurious | NoRun::ClockRange) => return None,
    };
    let written = subject.write_failure(graph, run.as_ref(), out)?;
    Some(written.map_err(Unwritten::from))
}

/// Writes the explored states as an inductive invariant, with the reasons for nodes that were not
/// expanded.
fn write_unreach<W: Width>(
    subject: &Subject<'_>,
    task: ReachabilityTask<'_, W>,
    passed: &Passed<'_, W>,
    form: SetForm,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Passed { store, reasons, nodes, .. } = passed;
    let mut out = Hashed::new(out, task.graph.meter());
    subject.begin(subject.kind("unreach", "nodeadlock"), &mut out)?;
    let mut named = NamedReasons::default();
    let mut state = SymbolicState::buffer();
    let order = store.grouped_nodes();
    for (position, &node) in order.iter().enumerate() {
        if !nodes.is_expanded(node) {
            store.load(node, &mut state);
            named.add(position, &state.values, reasons);
        }
    }
    let set = SetWriter { model: subject.model, graph: task.graph, form };
    let mut invariants = Vec::new();
    named.write_invariants(subject.model, &mut invariants)?;
    let states =
        StoredSet { store, nodes: &order, comparison: task.comparison, before: &invariants };
    set.write_set(states, &mut out)?;
    named.write(&mut out)?;
    out.finish()
}
