//! Admissible sums of heuristics that share transitions, and caches of heuristics.

use crate::goals::Task;
use std::sync::Arc;
use zonaut_base::Id;
use zonaut_heuristics::{
    Compared, DiscreteHeuristic, EdgeGroups, Lower, Participant, Relaxation, Share, Sharing, UNIT,
    Weights, conjuncts,
};
use zonaut_model::{Formula, Model};
use zonaut_space::{Estimate, Meter};
use zonaut_testkit::world::{FAR, World};

/// The first difference between `hl` with a cache of layers and `hl` without.
pub(crate) fn flaw_of_layer_cache(task: &Task, space: &World) -> Option<String> {
    let relaxation = Relaxation::new(&task.model, &task.goal);
    let (mut heuristic, mut plain) = (relaxation.lower(), relaxation.usefulness(Compared::Lower));
    space.values().chain(space.values()).find_map(|values| {
        let (found, expected) = (heuristic.estimate(values), plain.without(values, &[]));
        (found != expected).then(|| format!("{values:?}: {found:?} for {expected:?}"))
    })
}

/// The edges that several heuristics consider: those of some processes each, and one all.
fn seen(model: &Model, count: usize) -> Vec<Vec<Participant>> {
    let edges = |sees: &dyn Fn(usize) -> bool| {
        let processes = model.processes.iter_enumerated();
        let those = processes.filter(|(process, _)| sees(process.index()));
        let own = those.flat_map(|(process, definition)| {
            definition.edges.ids().map(move |edge| Participant { process, edge })
        });
        own.collect()
    };
    (0..count).map(|i| edges(&|process| i == 0 || process % count == i)).collect()
}

/// The first violation of the laws of shares: those of a transition add up to a unit at most, and
/// further participants do not change them.
fn flaw_of_shares(shares: &[Share], space: &World) -> Option<String> {
    let steps = || space.participants.iter().flatten();
    let is_large =
        |step: &&Vec<Participant>| shares.iter().map(|share| share.of(step)).sum::<u32>() > UNIT;
    let differs = |step: &&Vec<Participant>| {
        step.iter().any(|&one| shares.iter().any(|share| share.of(&[one]) != share.of(step)))
    };
    let large = steps().find(is_large).map(|step| format!("{step:?} counts more than one"));
    large.or_else(|| {
        steps().find(differs).map(|step| format!("{step:?} counts more than its parts"))
    })
}

/// The first violation of admissibility by sums of `hl` that share transitions.
pub(crate) fn flaw_of_shared_sum(task: &Task, space: &World) -> Option<String> {
    let Task { model, goal } = task;
    // At least two parts: a goal without conjuncts occurs twice.
    let mut goals: Vec<Formula> = conjuncts(model, goal);
    goals.push(goal.clone());
    let edge_groups = Arc::new(EdgeGroups::new(model));
    let seen = seen(model, goals.len());
    Sharing::ALL.into_iter().find_map(|sharing| {
        let shares = sharing.among(&edge_groups, &seen);
        let part = |(goal, share): (&Formula, &Share)| {
            let relaxation = Relaxation::weighted(model, goal, share, &Meter::default());
            relaxation.expect("the default meter never stops").lower()
        };
        let mut parts: Vec<Lower<'_>> = goals.iter().zip(&shares).map(part).collect();
        let flaw = space.values().zip(&space.distance).find_map(|(values, &distance)| {
            let mut estimates = parts.iter_mut().map(|part| part.estimate(values));
            let sum = estimates.try_fold(0_u32, |sum, estimate| match estimate {
                Estimate::Distance(value) => Some(sum + value),
                Estimate::DeadEnd | Estimate::Last => None,
            });
            let sum = sum.map(|sum| sum.div_ceil(UNIT));
            let is_high = sum.map_or(distance != FAR, |sum| sum > distance);
            is_high.then(|| format!("{sharing:?}, {values:?}: {sum:?}, but {distance} are left"))
        });
        flaw.or_else(|| flaw_of_shares(&shares, space))
    })
}
