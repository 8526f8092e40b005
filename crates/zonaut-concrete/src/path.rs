//! The symbolic states along a path.
//!
//! Steps name transitions, whatever the zones were in which they were found. Zones that were widened
//! tell which transitions a run can take, by simulation, but not where its zones are cut: which part
//! of a stay ends at an urgent synchronisation depends on the zone. So the transitions are taken once
//! more with exact zones, and where one leads to several parts, one after the other is tried.

use super::{Destination, NoRun};
use std::ops::ControlFlow;
use std::ops::Range;
use zonaut_compile::ActionId;
use zonaut_compile::Step;
use zonaut_dbm::Wide;
use zonaut_space::TransitionSystem;
use zonaut_zonegraph::Scratch;
use zonaut_zonegraph::SymbolicState;
use zonaut_zonegraph::ZoneGoal;
use zonaut_zonegraph::{StepError, Transition, ZoneGraph};

/// One symbolic state on a path, with how it was reached; no state where that failed.
pub(super) struct Visited {
    pub(super) transition: Transition<Wide>,
    pub(super) state: Option<SymbolicState<Wide>>,
}

impl Visited {
    /// Whether nothing happens there: a moment during a delay.
    pub(super) fn is_a_moment(&self) -> bool {
        self.transition.participants.is_empty() && self.state.is_some()
    }
}

/// The events of each state of `path` during which it lasts: moments during a delay are no states
/// of their own.
pub(super) fn stays_of(path: &[Visited]) -> Vec<Range<usize>> {
    let arrivals = path.iter().enumerate().filter(|(at, it)| *at == 0 || !it.is_a_moment());
    let arrivals: Vec<usize> = arrivals.map(|(at, _)| at).chain([path.len()]).collect();
    arrivals.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// What it takes to go through the successors of a state, at least.
pub(super) const STEPS_PER_STATE: u32 = 16;

/// A path through `exact`, a graph without widened zones, with the transitions that `steps` name, to
/// `destination`.
pub(super) fn exact_path(
    exact: &ZoneGraph<'_, Wide>,
    steps: &[Step],
    destination: Destination<'_>,
) -> Result<Vec<Visited>, NoRun> {
    let mut scratch = exact.scratch();
    let mut why = NoRun::Spurious;
    let mut chosen: Vec<Visited> = Vec::new();
    let mut open = vec![starts(exact, &mut scratch)];
    // There is always one list more than there are choices: the candidates for the next one.
    while let Some(candidates) = open.last_mut() {
        exact.network().meter().spend(STEPS_PER_STATE).map_err(NoRun::Stopped)?;
        let Some(visited) = candidates.pop() else {
            open.pop();
            chosen.pop();
            continue;
        };
        match (steps.get(chosen.len()), &visited.state) {
            (Some(&step), Some(state)) => {
                let (found, is_within_range) = successors_by(exact, state, step, &mut scratch);
                open.push(found);
                if !is_within_range {
                    why = NoRun::ClockRange;
                }
            }
            (None, _) if may_end(exact, &visited, destination) => {}
            _ => continue,
        }
        chosen.push(visited);
        if chosen.len() == steps.len() + 1 {
            return Ok(chosen);
        }
    }
    Err(why)
}

/// The initial states, the last one first.
pub(super) fn starts(graph: &ZoneGraph<'_, Wide>, scratch: &mut Scratch<Wide>) -> Vec<Visited> {
    let mut all = Vec::new();
    let _ = graph.visit_initial(scratch, &mut |_, transition, state| {
        if let Ok(state) = state {
            all.push(Visited { transition: transition.clone(), state: Some(state.clone()) });
        }
        ControlFlow::Continue(())
    });
    all.reverse();
    all
}

/// Whether a path may end here.
fn may_end(graph: &ZoneGraph<'_, Wide>, last: &Visited, destination: Destination<'_>) -> bool {
    match (destination, &last.state) {
        (Destination::Goal(goal), Some(state)) => {
            matches!(ZoneGoal::new(graph, goal).witness(state), Ok(Some(_)))
        }
        (Destination::Goal(_) | Destination::Anywhere, None) => false,
        (Destination::Anywhere | Destination::Failure, _) => true,
    }
}

/// What the transition of `step` leads to from `state`, and whether the clock values of all of it
/// are in range. What is to be tried first comes last: the failing, then the very part that the step
/// names, which is the right one unless zones were widened, then the others in order.
pub(super) fn successors_by(
    graph: &ZoneGraph<'_, Wide>,
    state: &SymbolicState<Wide>,
    step: Step,
    scratch: &mut Scratch<Wide>,
) -> (Vec<Visited>, bool) {
    let wanted: Vec<ActionId> = graph.read_step(step, <[_]>::to_vec);
    let (mut found, mut is_within_range) = (Vec::new(), true);
    let _ = graph.visit_successors(state, scratch, &mut |at, transition, target| {
        if transition.participants != wanted {
            return ControlFlow::Continue(());
        }
        if matches!(target, Err(StepError::ClockRange)) {
            is_within_range = false;
            return ControlFlow::Continue(());
        }
        let state = target.ok().map(|target| target.clone());
        found.push((at, Visited { transition: transition.clone(), state }));
        ControlFlow::Continue(())
    });
    found.reverse();
    found.sort_by_key(|(at, visited)| (visited.state.is_none(), *at == step));
    (found.into_iter().map(|(_, visited)| visited).collect(), is_within_range)
}
