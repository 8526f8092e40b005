//! The symbolic states along a path.
//!
//! Steps name transitions independently of the zones in which they were found. Widened zones
//! determine the transitions a run can take, by simulation, but not the splits of its zones: the
//! part of a stay that ends at an urgent synchronisation depends on the zone. So the transitions
//! are taken again with exact zones, and if one leads to several parts, they are tried one after
//! the other.

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

/// A symbolic state on a path, with the transition that reached it; without a state if that failed.
pub(super) struct Visited {
    pub(super) transition: Transition<Wide>,
    pub(super) state: Option<SymbolicState<Wide>>,
}

impl Visited {
    /// Whether it is a moment during a delay, without a transition.
    pub(super) fn is_a_moment(&self) -> bool {
        self.transition.participants.is_empty() && self.state.is_some()
    }
}

/// The range of events during which each state of `path` lasts: moments during a delay are no
/// states of their own.
pub(super) fn stays_of(path: &[Visited]) -> Vec<Range<usize>> {
    let arrivals = path.iter().enumerate().filter(|(at, it)| *at == 0 || !it.is_a_moment());
    let arrivals: Vec<usize> = arrivals.map(|(at, _)| at).chain([path.len()]).collect();
    arrivals.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// The least work to enumerate the successors of a state.
pub(super) const STEPS_PER_STATE: u32 = 16;

/// A path through `exact`, a graph without widened zones, with the transitions named by `steps`, to
/// `destination`.
pub(super) fn exact_path(
    exact: &ZoneGraph<'_, Wide>,
    steps: &[Step],
    destination: Destination<'_>,
) -> Result<Vec<Visited>, NoRun> {
    accepted_path(exact, steps, destination, &mut |_| true)
}

/// The first such path that `accepts` accepts.
pub(super) fn accepted_path(
    exact: &ZoneGraph<'_, Wide>,
    steps: &[Step],
    destination: Destination<'_>,
    accepts: &mut dyn FnMut(&[Visited]) -> bool,
) -> Result<Vec<Visited>, NoRun> {
    let mut scratch = exact.scratch();
    let mut why = NoRun::Spurious;
    let mut chosen: Vec<Visited> = Vec::new();
    let mut open = vec![starts(exact, &mut scratch)];
    // There is always one list more than there are choices: the candidates for the next one.
    while let Some(candidates) = open.last_mut() {
        exact.meter().spend(STEPS_PER_STATE).map_err(NoRun::Stopped)?;
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
            if accepts(&chosen) {
                return Ok(chosen);
            }
            chosen.pop();
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

/// The successors of `state` by the transition of `step`, and whether all their clock values are in
/// range. The alternatives to try first come last: the failing one, then the part that the step
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
