//! What merged automata promise, checked on every reachable state.

use crate::goals::Task;
use zonaut_heuristics::{Guide, Relaxation};
use zonaut_merge::{Merged, Merging};
use zonaut_space::{Estimate, Meter};
use zonaut_testkit::world::World;

/// What is merged how far.
pub(crate) const KINDS: [Merging; 5] = [
    Merging { locations: 50, variables: 0 },
    Merging { locations: 3, variables: 0 },
    Merging { locations: 1, variables: 0 },
    Merging { locations: 50, variables: 6 },
    Merging { locations: 6, variables: 3 },
];

pub(crate) fn guide(task: &Task, merging: Merging) -> Merged {
    let relaxation = Relaxation::new(&task.model, &task.goal);
    Merged::new((&task.model, &task.goal), merging, &relaxation, &Meter::default())
        .expect("the default meter never stops")
}

/// What is wrong with the guide: it is admissible and consistent, and its dead ends are dead.
pub(crate) fn flaw(task: &Task, world: &World, merging: Merging) -> Option<String> {
    let mut guide = guide(task, merging);
    if let Some(flaw) = world.flaw_of_admissible(|state| guide.estimate(&state.values)) {
        return Some(format!("{merging:?}: {flaw}"));
    }
    let estimates: Vec<_> = world.states.iter().map(|s| guide.estimate(&s.values)).collect();
    let number = |estimate| match estimate {
        Estimate::Distance(value) => Some(value),
        Estimate::DeadEnd | Estimate::Last => None,
    };
    world.successors.iter().enumerate().find_map(|(state, successors)| {
        successors.iter().find_map(|&next| {
            let least = number(estimates[next])? + 1;
            let is_high = number(estimates[state]).is_none_or(|value| value > least);
            is_high.then(|| format!("{merging:?}: {state} to {next} by more than one"))
        })
    })
}
