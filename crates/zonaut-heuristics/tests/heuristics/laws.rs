//! The laws of heuristics, checked on every reachable state.

use crate::goals::Task;
use crate::weights::{Same, SomeWeights};
use zonaut_analysis::footprint::Footprints;
use zonaut_base::Id;
use zonaut_heuristics::{
    AbstractStep, Compared, DiscreteHeuristic, GraphDistance, Hamming, Interference, Invariants,
    Maximum, Participant, Precision, Relaxation, Units, Weights,
};
use zonaut_model::{Direction, Expression, Model, QueryId};
use zonaut_space::{Estimate, Meter};
use zonaut_testkit::front_end::model_of;
use zonaut_testkit::replay::goal_of;
use zonaut_testkit::world::{FAR, World};

/// The estimate as a number; `None` if the heuristic finds no path.
fn number(estimate: Estimate<u32>) -> Option<u32> {
    match estimate {
        Estimate::Distance(value) => Some(value),
        Estimate::DeadEnd | Estimate::Last => None,
    }
}

/// The first violation of admissibility, consistency or reliable dead ends by a heuristic.
fn flaw_of_admissible(
    space: &World,
    weights: &dyn Weights,
    heuristic: &mut dyn DiscreteHeuristic,
) -> Option<String> {
    let distances = space.distance_by(weights);
    let estimates: Vec<_> = space.values().map(|values| heuristic.estimate(values)).collect();
    for (state, &estimate) in estimates.iter().enumerate() {
        let distance = distances[state];
        if number(estimate).map_or(distance != FAR, |value| value > distance) {
            return Some(format!("state {state}: {estimate:?}, but the distance is {distance}"));
        }
        for (&next, step) in space.successors[state].iter().zip(&space.participants[state]) {
            let least = number(estimates[next]).map(|after| after + weights.of(step));
            if let Some(least) = least
                && number(estimate).is_none_or(|value| value > least)
            {
                return Some(format!("{state} to {next}: {estimate:?}, after it {least}"));
            }
        }
        let is_alive = distance != FAR || space.may_fail[state];
        if estimate == Estimate::DeadEnd && is_alive {
            return Some(format!("state {state} is no dead end"));
        }
    }
    None
}

/// The first violation of the laws of `hl`.
pub(crate) fn flaw_of_lower(task: &Task, space: &World) -> Option<String> {
    flaw_of_admissible(space, &Units, &mut Relaxation::new(&task.model, &task.goal).lower())
}

/// The first violation of the laws of `hl` with a more precise abstraction: it is admissible, and
/// not below `hl`.
pub(crate) fn flaw_of_precision(task: &Task, space: &World) -> Option<String> {
    let mut plain = Relaxation::new(&task.model, &task.goal).lower();
    let by = |clocks, values| Precision { clocks, values };
    [by(true, false), by(false, true), by(true, true)].into_iter().find_map(|precision| {
        let relaxation =
            Relaxation::with_precision(&task.model, &task.goal, precision, &Meter::default())
                .expect("the default meter never stops");
        let (mut heuristic, classes) = (relaxation.lower(), relaxation.classes());
        let mut state = 0;
        let flaw = space.flaw_of_admissible(|symbolic| {
            let mut values = symbolic.values.clone();
            values.extend(classes.clocks().enumerate().map(|(number, clock)| {
                let (least, is_exclusive) = space.least(state, clock);
                classes.class(number, least, is_exclusive)
            }));
            state += 1;
            let (found, least) = (heuristic.estimate(&values), plain.estimate(&symbolic.values));
            // No distance is that large: the flaw is visible.
            match number(found) < number(least)
                && number(least).is_some()
                && number(found).is_some()
            {
                true => Estimate::Distance(FAR),
                false => found,
            }
        });
        flaw.map(|flaw| format!("{precision:?}: {flaw}"))
    })
}

/// Whether two edges interfere, by the definition.
fn interfere(model: &Model, one: Participant, other: Participant) -> bool {
    let touched = |Participant { process, edge }: Participant| {
        let edge = &model.processes[process].edges[edge];
        let mut walk = Footprints::walk(model);
        for &id in edge.guard.data.iter().chain(&edge.updates) {
            walk.evaluate(id);
        }
        for constraint in &edge.guard.clocks {
            walk.constraint(constraint);
        }
        if let Some(label) = &edge.synchronisation {
            walk.channel(label);
        }
        (walk.domain.found.reads, walk.domain.found.writes)
    };
    let channels = |Participant { process, edge }: Participant| {
        let label = &model.processes[process].edges[edge].synchronisation;
        label.as_ref().map_or(0..0, |label| {
            let first = label.channel.root.index();
            first..first + label.channel.extent() + 1
        })
    };
    let ((read, written), (others_read, others_written)) = (touched(one), touched(other));
    let (mut own, others) = (channels(one), channels(other));
    one.process == other.process
        || written.meets(&others_written)
        || written.meets(&others_read)
        || read.meets(&others_written)
        || own.any(|channel| others.contains(&channel))
}

/// The first difference between the context of edges and a search through all pairs.
pub(crate) fn flaw_of_context(task: &Task, _: &World) -> Option<String> {
    let model = &task.model;
    let edges: Vec<Participant> = model
        .processes
        .iter_enumerated()
        .flat_map(|(process, p)| p.edges.ids().map(move |edge| Participant { process, edge }))
        .collect();
    let mut interference = Interference::new(model);
    edges.iter().take(6).find_map(|&start| {
        let mut levels = vec![255; edges.len()];
        let mut open: Vec<usize> =
            edges.iter().position(|&edge| edge == start).into_iter().collect();
        open.iter().for_each(|&edge| levels[edge] = 0);
        for level in 1.. {
            let reached = |edge: &usize| {
                levels[*edge] == 255
                    && open.iter().any(|&o| interfere(model, edges[o], edges[*edge]))
            };
            let next: Vec<usize> = (0..edges.len()).filter(reached).collect();
            next.iter().for_each(|&edge| levels[edge] = level);
            if next.is_empty() {
                break;
            }
            open = next;
        }
        edges.iter().zip(&levels).find_map(|(&edge, &level)| {
            let found = interference.level(&[start], &[edge]);
            (found != level).then(|| format!("{start:?} to {edge:?}: {found}, but {level}"))
        })
    })
}

/// The relaxation for transitions with weights.
fn weighted<'m>(task: &'m Task, weights: &dyn Weights) -> Relaxation<'m> {
    Relaxation::weighted(&task.model, &task.goal, weights, &Meter::default())
        .expect("the default meter never stops")
}

/// The first violation of the laws of `hl` for transitions with weights.
pub(crate) fn flaw_of_weighted_lower(task: &Task, space: &World) -> Option<String> {
    SomeWeights::ALL.iter().find_map(|weights| {
        let relaxation = weighted(task, weights);
        let (mut lower, mut upper) = (relaxation.lower(), relaxation.upper());
        let flaw = flaw_of_admissible(space, weights, &mut lower);
        flaw.map(|flaw| format!("{weights:?}: {flaw}")).or_else(|| {
            let mut is_below = |values: &&Vec<i32>| {
                number(upper.estimate(values)) < number(lower.estimate(values))
            };
            let values = space.values().find(&mut is_below);
            values.map(|values| format!("{weights:?}: hu is below hl: {values:?}"))
        })
    })
}

/// The first violation of the laws of `dl` for transitions with weights.
pub(crate) fn flaw_of_weighted_distance(task: &Task, space: &World) -> Option<String> {
    let relaxation = Relaxation::new(&task.model, &task.goal);
    SomeWeights::ALL.iter().find_map(|weights| {
        let (model, goal) = (&task.model, &task.goal);
        let mut heuristic = GraphDistance::<Maximum>::weighted(model, goal, &relaxation, weights);
        flaw_of_admissible(space, weights, &mut heuristic)
    })
}

/// The first violation of the laws of `hl` for equal weights of all transitions: it is at most the
/// multiple of `hl` in steps, with the same dead ends; and it is equal to it if no process pays
/// alone for the values it reads, as in models without synchronisations.
pub(crate) fn flaw_of_multiples(task: &Task, space: &World) -> Option<String> {
    let mut edges = task.model.processes.iter().flat_map(|process| &process.edges);
    let has_hooks = !task.model.before_update.is_empty() || !task.model.after_update.is_empty();
    let is_alone = edges.all(|edge| edge.synchronisation.is_none()) && !has_hooks;
    let mut lower = Relaxation::new(&task.model, &task.goal).lower();
    [1, 3].into_iter().find_map(|weight| {
        let mut multiple = weighted(task, &Same(weight)).lower();
        space.values().find_map(|values| {
            let (steps, found) = (lower.estimate(values), multiple.estimate(values));
            let is_right = match (steps, found) {
                (Estimate::Distance(steps), Estimate::Distance(found)) => {
                    found == steps * weight || !is_alone && found < steps * weight
                }
                _ => steps == found,
            };
            (!is_right).then(|| format!("{values:?} by {weight}: {steps:?}, {found:?}"))
        })
    })
}

/// The first violation of the declared reads of heuristics: other variables may have any values.
pub(crate) fn flaw_of_reading(task: &Task, space: &World) -> Option<String> {
    let (model, goal) = (&task.model, &task.goal);
    let relaxation = Relaxation::new(model, goal);
    let mut heuristics: [Box<dyn DiscreteHeuristic + '_>; 4] = [
        Box::new(relaxation.lower()),
        Box::new(relaxation.upper()),
        Box::new(GraphDistance::<Maximum>::new(model, goal, &relaxation)),
        Box::new(Hamming::new(model, goal)),
    ];
    heuristics.iter_mut().find_map(|heuristic| {
        let reads: Vec<usize> = heuristic.reads().iter().map(|variable| variable.index()).collect();
        let others = space.values().skip(1).chain(space.values());
        space.values().zip(others).find_map(|(values, other)| {
            let mut mixed = other.clone();
            reads.iter().for_each(|&read| mixed[read] = values[read]);
            let (expected, found) = (heuristic.estimate(values), heuristic.estimate(&mixed));
            let name = heuristic.name();
            (expected != found)
                .then(|| format!("{name}: {values:?} {expected:?}, {mixed:?} {found:?}"))
        })
    })
}

/// The model in which some edges are disabled. They stay in it, because their writes determine the
/// order in which the relaxation runs the updates of a transition.
fn without(model: &Model, edges: &[Participant]) -> Model {
    let mut model = model.clone();
    let never = model.expressions.push(Expression::Constant(0));
    for edge in edges {
        model.processes[edge.process].edges[edge.edge].guard.data = Some(never);
    }
    model
}

/// The first violation of the laws of useless transitions. The goal in the model without the edges
/// of a transition is never farther than the relaxation estimates, which may remove more.
pub(crate) fn flaw_of_usefulness(task: &Task, space: &World) -> Option<String> {
    let relaxation = Relaxation::new(&task.model, &task.goal);
    let (mut lower, mut judge) = (relaxation.lower(), relaxation.usefulness(Compared::Lower));
    let states: Vec<&Vec<i32>> = space.values().collect();
    for (state, values) in states.iter().enumerate().take(30) {
        for (&next, edges) in space.successors[state].iter().zip(&space.participants[state]) {
            let Some(after) = number(lower.estimate(states[next])) else { continue };
            let found = number(judge.without(values, edges)).unwrap_or(FAR);
            let smaller = without(&task.model, edges);
            let naive = Relaxation::new(&smaller, &task.goal).lower().estimate(values);
            if found < number(naive).unwrap_or(FAR) {
                return Some(format!("{state} without {edges:?}: {found}, but {naive:?}"));
            }
            if judge.is_useless(values, edges, after) != (found <= after) {
                return Some(format!("{state} without {edges:?}: {found}, after it {after}"));
            }
        }
    }
    None
}

/// The first violation of the laws of `dl`.
pub(crate) fn flaw_of_distance(task: &Task, space: &World) -> Option<String> {
    let relaxation = Relaxation::new(&task.model, &task.goal);
    let mut heuristic = GraphDistance::<Maximum>::new(&task.model, &task.goal, &relaxation);
    flaw_of_admissible(space, &Units, &mut heuristic)
}

/// The first violation of the laws of invariants around dead ends: no transition leads out of them,
/// they contain no goal, and nothing fails inside.
pub(crate) fn flaw_of_invariants(task: &Task, space: &World) -> Option<String> {
    let mut invariants = Invariants::new(&task.model, &task.goal);
    space.values().find_map(|values| {
        let invariant = invariants.around(values)?;
        if !invariant.contains(values) {
            return Some(format!("{values:?} is not in its own {invariant:?}"));
        }
        let inside = |state: &usize| invariant.contains(&space.states[*state].values);
        (0..space.states.len()).filter(|state| inside(state)).find_map(|state| {
            let leaves = space.successors[state].iter().any(|next| !inside(next));
            let is_dead = space.distance[state] == FAR && !space.may_fail[state];
            (leaves || !is_dead).then(|| format!("state {state} does not belong in {invariant:?}"))
        })
    })
}

/// The first violation of the laws of `hu`: it finds a path whenever `hl` does, is not below it,
/// and its path is executable.
pub(crate) fn flaw_of_upper(task: &Task, space: &World) -> Option<String> {
    let relaxation = Relaxation::new(&task.model, &task.goal);
    let (mut lower, mut upper) = (relaxation.lower(), relaxation.upper());
    let model = &task.model;
    let is_small = model.before_update.is_empty()
        && model.after_update.is_empty()
        && model.cells.iter().all(|cell| cell.range.high - cell.range.low < 100);
    space.values().find_map(|values| {
        let (low, high) = (lower.estimate(values), upper.estimate(values));
        match (low, high) {
            (Estimate::Distance(low), Estimate::Distance(high)) => {
                if low > high {
                    return Some(format!("{values:?}: {low} is above {high}"));
                }
                let Some(path) = upper.path(values) else {
                    return Some(format!("{values:?}: no path"));
                };
                // Fewer only if single steps are not visible: large ranges, updates around every
                // step.
                if path.len() > high as usize || is_small && path.len() < high as usize {
                    return Some(format!("{values:?}: {} steps for {high}", path.len()));
                }
                flaw_of_path(task, values, &path)
            }
            _ if low == high => None,
            _ => Some(format!("{values:?}: {low:?} and {high:?}")),
        }
    })
}

/// The first step that starts at a location its process has not reached, or lacks a partner.
fn flaw_of_path(task: &Task, values: &[i32], path: &[AbstractStep]) -> Option<String> {
    let processes = task.model.processes.len();
    let mut reached: Vec<Vec<i32>> = values[..processes].iter().map(|&l| vec![l]).collect();
    for (position, step) in path.iter().enumerate() {
        let mut targets = Vec::new();
        for &Participant { process, edge } in &step.edges {
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

/// The first violation of the laws of `hl` if clocks are set to or compared with values beyond
/// their limit: that fails, so that no state before it is a dead end.
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
