//! The laws of merged automata, checked on every reachable state.

use crate::goals::Task;
use zonaut_base::Id;
use zonaut_heuristics::{DiscreteHeuristic, Relaxation};
use zonaut_merge::{Merged, Merging, Work};
use zonaut_model::QueryId;
use zonaut_space::{Estimate, Meter};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::replay::goal_of;
use zonaut_testkit::world::World;

/// P is committed, and Q is enabled nevertheless: its partner is committed, too, and not merged
/// yet.
pub(crate) fn committed_partner() -> Task {
    let text = "chan c, d;
        process P() { state a, b; commit a; init a; trans a -> b { sync d!; }; }
        process Q() { state a, b, end; init a; trans a -> b { sync c!; }, b -> end { sync d?; }; }
        process R() { state a, b; commit a; init a; trans a -> b { sync c?; }; }
        system P, Q, R;";
    let (model, _) = model_of(text, &["E<> Q.end"]).expect("a correct model");
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a goal");
    Task { model, goal }
}

/// Q receives the value that P has written in the same transition.
pub(crate) fn handed_over() -> Task {
    let text = "chan c; int[0,1] given, taken;
        process P() { state a, b; init a; trans a -> b { sync c!; assign given := 1; }; }
        process Q() {
            state a, b, end; init a;
            trans a -> b { guard given <= 1; sync c?; assign taken := given; },
                b -> end { guard taken == 1; };
        }
        system P, Q;";
    let (model, _) = model_of(text, &["E<> Q.end"]).expect("a correct model");
    let goal = goal_of(&model.queries[QueryId::from_index(0)].kind).expect("a goal");
    Task { model, goal }
}

/// The tested parameters of merging.
pub(crate) const KINDS: [Merging; 5] = [
    Merging { locations: 50, variables: 0 },
    Merging { locations: 3, variables: 0 },
    Merging { locations: 1, variables: 0 },
    Merging { locations: 50, variables: 6 },
    Merging { locations: 6, variables: 3 },
];

pub(crate) fn heuristic(task: &Task, merging: Merging) -> Merged {
    let relaxation = Relaxation::new(&task.model, &task.goal);
    let work = Work { meter: &Meter::default(), is_enough: &|_, _| false };
    Merged::new(&task.model, &task.goal, merging, &relaxation, work)
        .expect("the default meter never stops")
}

/// The first violation of the laws of the heuristic: it is admissible and consistent, and its dead
/// ends are dead.
pub(crate) fn flaw(task: &Task, world: &World, merging: Merging) -> Option<String> {
    let mut heuristic = heuristic(task, merging);
    if let Some(flaw) = world.flaw_of_admissible(|state| heuristic.estimate(&state.values)) {
        return Some(format!("{merging:?}: {flaw}"));
    }
    let estimates: Vec<_> = world.states.iter().map(|s| heuristic.estimate(&s.values)).collect();
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
