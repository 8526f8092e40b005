//! Certificates of searches and of run-time errors. `zonaut-evidence` writes their formats.

use crate::answer::Unwritten;
use crate::reasons::NamedReasons;
use std::io::{self, Write};
use zonaut_concrete::{ConcreteRun, Destination, NoRun, concretise};
use zonaut_dbm::Width;
use zonaut_evidence::{Hashed, SetWriter, Subject};
use zonaut_portfolio::{ReachabilityTask, Searched};
use zonaut_search::Outcome;
use zonaut_space::PassedStore;
use zonaut_zonegraph::{Step, SymbolicState, ZoneGraph};

/// Writes the certificate of an answer, if it has one: a run, or the store of an exhausted search.
pub(crate) fn write<W: Width>(
    subject: &Subject<'_>,
    task: &ReachabilityTask<'_, W>,
    searched: &Searched<'_, W>,
    run: Option<&ConcreteRun>,
    out: &mut dyn Write,
) -> Option<io::Result<()>> {
    match (&searched.report.outcome, run) {
        (Outcome::Exhausted, _) => Some(match &searched.proof {
            Some(proof) => subject.write_labels(proof.as_ref(), task.graph.network().meter(), out),
            None => write_unreach(subject, task, searched, out),
        }),
        (Outcome::Reached { .. }, Some(run)) => {
            Some(subject.write_reach(task.graph.network(), run, out))
        }
        (Outcome::Failed { steps, .. }, run) if run.is_some() || steps.is_empty() => {
            subject.write_failure(task.graph.network(), run, out)
        }
        _ => None,
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
    let written = subject.write_failure(graph.network(), run.as_ref(), out)?;
    Some(written.map_err(Unwritten::Failed))
}

/// Writes the explored states as an inductive invariant, with the reasons for nodes that were not
/// expanded.
fn write_unreach<W: Width>(
    subject: &Subject<'_>,
    task: &ReachabilityTask<'_, W>,
    searched: &Searched<'_, W>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Searched { store, reasons, report, .. } = searched;
    let mut out = Hashed::new(out, task.graph.network().meter());
    subject.begin(subject.kind("unreach", "nodeadlock"), &mut out)?;
    let mut named = NamedReasons::default();
    let mut state = SymbolicState::buffer();
    for (position, node) in store.live_nodes().enumerate() {
        if !report.nodes.is_expanded(node) {
            store.load(node, &mut state);
            named.add(position, &state.values, reasons);
        }
    }
    let set = SetWriter { model: subject.model, graph: task.graph };
    let mut invariants = Vec::new();
    named.write_invariants(subject.model, &mut invariants)?;
    set.write_store(store, task.comparison, &invariants, &mut out)?;
    named.write(&mut out)?;
    out.finish()
}
