//! What guides promise, checked on every reachable state.

use crate::goals::Task;
use crate::space::{FAR, Space};
use zonaut_base::Id;
use zonaut_heuristics::{AbstractStep, GraphDistance, Guide, Invariants, Maximum, Relaxation};
use zonaut_model::{Direction, QueryId};
use zonaut_space::Estimate;
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::replay::goal_of;

/// The estimate as a number; absent where the guide sees no way.
fn number(estimate: Estimate<u32>) -> Option<u32> {
    match estimate {
        Estimate::Distance(value) => Some(value),
        Estimate::DeadEnd | Estimate::Last => None,
    }
}

/// What is wrong with a guide that should be admissible and consistent, with reliable dead ends.
fn flaw_of_admissible(space: &Space, guide: &mut dyn Guide) -> Option<String> {
    let estimates: Vec<_> = space.values.iter().map(|values| guide.estimate(values)).collect();
    for (state, &estimate) in estimates.iter().enumerate() {
        let distance = space.distance[state];
        if number(estimate).map_or(distance != FAR, |value| value > distance) {
            return Some(format!("state {state}: {estimate:?}, but the distance is {distance}"));
        }
        for &next in &space.successors[state] {
            let least = number(estimates[next]).map(|after| after + 1);
            if let Some(least) = least
                && number(estimate).is_none_or(|value| value > least)
            {
                return Some(format!("{state} to {next}: {estimate:?}, then {}", least - 1));
            }
        }
        let is_alive = distance != FAR || space.may_fail[state];
        if estimate == Estimate::DeadEnd && is_alive {
            return Some(format!("state {state} is no dead end"));
        }
    }
    None
}

/// What is wrong with `hl`.
pub(crate) fn flaw_of_lower(task: &Task, space: &Space) -> Option<String> {
    flaw_of_admissible(space, &mut Relaxation::new(&task.model, &task.goal).lower())
}

/// What is wrong with `dl`.
pub(crate) fn flaw_of_distance(task: &Task, space: &Space) -> Option<String> {
    let relaxation = Relaxation::new(&task.model, &task.goal);
    let mut guide = GraphDistance::<Maximum>::new(&task.model, &task.goal, &relaxation);
    flaw_of_admissible(space, &mut guide)
}

/// What is wrong with the invariants around dead ends: nothing leads out of them, no goal is inside,
/// and nothing fails.
pub(crate) fn flaw_of_invariants(task: &Task, space: &Space) -> Option<String> {
    let mut invariants = Invariants::new(&task.model, &task.goal);
    space.values.iter().find_map(|values| {
        let invariant = invariants.around(values)?;
        if !invariant.contains(values) {
            return Some(format!("{values:?} is not in its own {invariant:?}"));
        }
        let inside = |state: &usize| invariant.contains(&space.values[*state]);
        (0..space.values.len()).filter(|state| inside(state)).find_map(|state| {
            let leaves = space.successors[state].iter().any(|next| !inside(next));
            let is_dead = space.distance[state] == FAR && !space.may_fail[state];
            (leaves || !is_dead).then(|| format!("state {state} does not belong in {invariant:?}"))
        })
    })
}

/// What is wrong with `hu`: it sees a way where `hl` does, is not below it, and its way can be taken.
pub(crate) fn flaw_of_upper(task: &Task, space: &Space) -> Option<String> {
    let relaxation = Relaxation::new(&task.model, &task.goal);
    let (mut lower, mut upper) = (relaxation.lower(), relaxation.upper());
    space.values.iter().find_map(|values| {
        let (low, high) = (lower.estimate(values), upper.estimate(values));
        match (low, high) {
            (Estimate::Distance(low), Estimate::Distance(high)) => {
                if low > high {
                    return Some(format!("{values:?}: {low} is above {high}"));
                }
                let Some(path) = upper.path(values) else {
                    return Some(format!("{values:?}: no way"));
                };
                if path.len() > high as usize {
                    return Some(format!("{values:?}: {} steps for {high}", path.len()));
                }
                flaw_of_path(task, values, &path)
            }
            _ if low == high => None,
            _ => Some(format!("{values:?}: {low:?} and {high:?}")),
        }
    })
}

/// Whether some step starts where its process has not come to, or lacks a partner.
fn flaw_of_path(task: &Task, values: &[i32], path: &[AbstractStep]) -> Option<String> {
    let processes = task.model.processes.len();
    let mut reached: Vec<Vec<i32>> = values[..processes].iter().map(|&l| vec![l]).collect();
    for (position, step) in path.iter().enumerate() {
        let mut targets = Vec::new();
        for &(process, edge) in &step.edges {
            let edge = &task.model.processes[process].edges[edge];
            if !reached[process.index()].contains(&(edge.source.index() as i32)) {
                return Some(format!("{values:?}, step {position}: {step:?} starts too early"));
            }
            targets.push((process.index(), edge.target.index() as i32));
            let label = edge.synchronisation.as_ref();
            let is_alone = step.edges.len() == 1;
            let needs_partner = label.is_some_and(|label| {
                label.direction == Direction::Receive
                    || step.channel.is_some_and(|id| !task.model.channels[id].broadcast)
            });
            if is_alone && needs_partner {
                return Some(format!("{values:?}, step {position}: {step:?} has no partner"));
            }
        }
        targets.into_iter().for_each(|(process, target)| reached[process].push(target));
    }
    None
}

/// What is wrong with `hl` where clocks are set to or compared with values beyond their limit: that
/// fails, so that there are no dead ends before.
pub(crate) fn flaw_of_large_clocks() -> Option<String> {
    ["assign x = v;", "guard x >= v;", "assign y[0] = v + 1;"].into_iter().find_map(|label| {
        let text = format!(
            "int[0,2000000000] v = 1100000000; clock x, y[2];
            process P() {{ state a, b; init a; trans a -> b {{ {label} }}; }} system P;"
        );
        let (model, _) = model_of(&text, &["E<> v == 1"]).expect("a valid model");
        let query = &model.queries[QueryId::from_index(0)].kind;
        let goal = goal_of(query).expect("a reachability query");
        let estimate = Relaxation::new(&model, &goal).lower().estimate(&[0, 1_100_000_000]);
        (estimate != Estimate::Last).then(|| format!("{label} {estimate:?}"))
    })
}
