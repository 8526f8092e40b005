//! The symbolic states along a path.
//!
//! A path of widened zones tells which transitions a run can take, by simulation, but not where
//! its zones are cut: which part of a stay ends at an urgent synchronisation depends on the zone.
//! So the same transitions are taken once more with exact zones.

use super::NoRun;
use crate::goal::{CompiledGoal, ZoneGoal};
use crate::graph::{Step, StepError, Transition, ZoneGraph};
use crate::state::SymbolicState;
use crate::successors::{Scratch, Visit};
use std::ops::ControlFlow;
use zonaut_space::TransitionSystem;

/// One symbolic state on a path, with how it was reached; no state where that failed.
pub(super) struct Visited {
    pub(super) transition: Transition,
    pub(super) state: Option<SymbolicState>,
}

/// The initial states.
pub(super) fn starts(graph: &ZoneGraph<'_>, scratch: &mut Scratch) -> Vec<Visited> {
    let mut all = Vec::new();
    let _ = graph.visit_initial(scratch, &mut |_, transition, state| {
        if let Ok(state) = state {
            all.push(Visited { transition: transition.clone(), state: Some(state.clone()) });
        }
        ControlFlow::Continue(())
    });
    all
}

/// The path that `steps` name from `start` on.
pub(super) fn walk(
    graph: &ZoneGraph<'_>,
    start: Visited,
    steps: &[Step],
    scratch: &mut Scratch,
) -> Option<Vec<Visited>> {
    let mut path = vec![start];
    for &step in steps {
        let state = path.last()?.state.as_ref()?;
        path.push(follow(graph, state, step, scratch)?);
    }
    Some(path)
}

/// The successor of `state` that `step` names.
fn follow(
    graph: &ZoneGraph<'_>,
    state: &SymbolicState,
    step: Step,
    scratch: &mut Scratch,
) -> Option<Visited> {
    let mut found = None;
    let visit: &mut Visit<'_> =
        &mut |at: Step, transition: &Transition, target: Result<&mut SymbolicState, StepError>| {
            if at != step {
                return ControlFlow::Continue(());
            }
            let state = target.ok().map(|target| target.clone());
            found = Some(Visited { transition: transition.clone(), state });
            ControlFlow::Break(())
        };
    let _ = graph.visit_successors(state, scratch, visit);
    found
}

/// A path through `exact`, a graph without widened zones, with the transitions of `path`, which
/// ends where `goal` holds. Where a transition leads to several parts of a zone, one after the other
/// is tried.
pub(super) fn exact_path(
    exact: &ZoneGraph<'_>,
    path: &[Visited],
    goal: Option<&CompiledGoal>,
) -> Result<Vec<Visited>, NoRun> {
    let mut scratch = exact.scratch();
    let mut why = NoRun::Spurious;
    let mut chosen: Vec<Visited> = Vec::new();
    let mut open = vec![starts(exact, &mut scratch)];
    // There is always one list more than there are choices: the candidates for the next one.
    while let Some(candidates) = open.last_mut() {
        let Some(visited) = candidates.pop() else {
            open.pop();
            chosen.pop();
            continue;
        };
        match (path.get(chosen.len() + 1), &visited.state) {
            (Some(next), Some(state)) => {
                let (found, is_within_range) = successors_like(exact, state, next, &mut scratch);
                open.push(found);
                if !is_within_range {
                    why = NoRun::ClockRange;
                }
            }
            (None, _) if may_end(exact, &visited, goal) => {}
            _ => continue,
        }
        chosen.push(visited);
        if chosen.len() == path.len() {
            return Ok(chosen);
        }
    }
    Err(why)
}

/// Whether `goal` holds somewhere in the last state of a path.
fn may_end(graph: &ZoneGraph<'_>, last: &Visited, goal: Option<&CompiledGoal>) -> bool {
    match (goal, &last.state) {
        (Some(goal), Some(state)) => {
            matches!(ZoneGoal::new(graph, goal).witness(state), Ok(Some(_)))
        }
        _ => true,
    }
}

/// The successors of `state` by the transition of `wanted`, the last one first, and whether the
/// clock values of all of them are in range.
fn successors_like(
    graph: &ZoneGraph<'_>,
    state: &SymbolicState,
    wanted: &Visited,
    scratch: &mut Scratch,
) -> (Vec<Visited>, bool) {
    let (mut found, mut is_within_range) = (Vec::new(), true);
    let _ = graph.visit_successors(state, scratch, &mut |_, transition, target| {
        if transition.participants != wanted.transition.participants {
            return ControlFlow::Continue(());
        }
        is_within_range &= !matches!(target, Err(StepError::ClockRange));
        if target.is_err() == wanted.state.is_none() {
            let state = target.ok().map(|target| target.clone());
            found.push(Visited { transition: transition.clone(), state });
        }
        ControlFlow::Continue(())
    });
    found.reverse();
    (found, is_within_range)
}
