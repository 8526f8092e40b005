//! The split of a model into groups of processes.
//!
//! An effect of one process may interact with a condition of another process if the condition reads
//! a symbol that is computed, through any number of updates, from a symbol that the effect writes.
//! The two sides of a channel also interact. Groups are merged greedily: the two groups with the
//! most interactions become one, as long as the result is not too large.

use std::collections::BTreeMap;
use zonaut_analysis::Symbols;
use zonaut_analysis::footprint::Footprints;
use zonaut_base::Id;
use zonaut_model::ClockConstraint;
use zonaut_model::{Condition, Edge, ExpressionId, Formula, Model, ProcessId};

/// The groups, each with its processes ascending.
pub(crate) fn groups(model: &Model, bound: Option<usize>) -> Vec<Vec<ProcessId>> {
    let Some(bound) = bound else { return vec![model.processes.ids().collect()] };
    let interactions = interactions(model);
    let mut groups: Vec<Vec<ProcessId>> = model.processes.ids().map(|p| vec![p]).collect();
    loop {
        let mut best: Option<(u32, usize, usize)> = None;
        for (i, one) in groups.iter().enumerate() {
            for (j, other) in groups.iter().enumerate().skip(i + 1) {
                let pairs =
                    one.iter().flat_map(|&p| other.iter().map(move |&q| (p.min(q), p.max(q))));
                let count: u32 =
                    pairs.map(|pair| interactions.get(&pair).copied().unwrap_or(0)).sum();
                let fits = one.len() + other.len() <= bound && count > 0;
                if fits && best.is_none_or(|(most, ..)| count > most) {
                    best = Some((count, i, j));
                }
            }
        }
        let Some((_, i, j)) = best else { return groups };
        let other = groups.remove(j);
        groups[i].extend(other);
        groups[i].sort_unstable();
    }
}

/// The effects and conditions of a process.
#[derive(Default)]
struct Profile {
    /// For each edge, the symbols that may depend on its updates.
    effects: Vec<Symbols>,
    /// For each condition, the symbols that it reads.
    conditions: Vec<Symbols>,
}

/// The number of possible interactions of each pair of processes, the smaller one first.
fn interactions(model: &Model) -> BTreeMap<(ProcessId, ProcessId), u32> {
    let flows = flows(model);
    let profiles: Vec<Profile> =
        model.processes.ids().map(|process| profile(model, process, &flows)).collect();
    let mut counts = BTreeMap::new();
    for p in model.processes.ids() {
        for q in model.processes.ids().filter(|&q| q > p) {
            let (one, other) = (&profiles[p.index()], &profiles[q.index()]);
            let count = between(one, other) + between(other, one) + synchronisations(model, p, q);
            if count > 0 {
                counts.insert((p, q), count);
            }
        }
    }
    counts
}

fn between(acting: &Profile, asking: &Profile) -> u32 {
    let pairs = acting.effects.iter().flat_map(|e| asking.conditions.iter().map(move |c| (e, c)));
    pairs.filter(|(effect, condition)| effect.meets(condition)).count() as u32
}

fn synchronisations(model: &Model, p: ProcessId, q: ProcessId) -> u32 {
    let fits = |a: &Edge, b: &Edge| match (&a.synchronisation, &b.synchronisation) {
        (Some(a), Some(b)) => {
            let last = |root: usize, extent: usize| root + extent;
            let (i, j) = (a.channel.root.index(), b.channel.root.index());
            a.direction != b.direction
                && i <= last(j, b.channel.extent())
                && j <= last(i, a.channel.extent())
        }
        _ => false,
    };
    let (p, q) = (&model.processes[p].edges, &model.processes[q].edges);
    p.iter().flat_map(|a| q.iter().map(move |b| (a, b))).filter(|(a, b)| fits(a, b)).count() as u32
}

/// The data flow of updates: the targets, and the symbols that they are computed from.
fn flows(model: &Model) -> Vec<(Symbols, Symbols)> {
    let edges = model.processes.iter().flat_map(|process| &process.edges);
    let updates = edges.flat_map(|edge| &edge.updates);
    let hooks = model.before_update.iter().chain(&model.after_update);
    updates
        .chain(hooks)
        .map(|&update| {
            let mut walk = Footprints::walk(model);
            walk.evaluate(update);
            (walk.domain.found.writes, walk.domain.found.reads)
        })
        .collect()
}

fn profile(model: &Model, process: ProcessId, flows: &[(Symbols, Symbols)]) -> Profile {
    let definition = &model.processes[process];
    let mut profile = Profile::default();
    for edge in &definition.edges {
        let mut walk = Footprints::walk(model);
        edge.updates.iter().for_each(|&update| {
            walk.evaluate(update);
        });
        let mut reached = walk.domain.found.writes;
        while flows.iter().any(|(to, from)| from.meets(&reached) && reached.extend(to)) {}
        if !reached.is_empty() {
            profile.effects.push(reached);
        }
        profile.conditions.push(reads(model, &edge.guard));
    }
    let invariants = definition.locations.iter().map(|location| reads(model, &location.invariant));
    profile.conditions.extend(invariants);
    profile.conditions.retain(|condition| !condition.is_empty());
    profile
}

/// The symbols that a condition reads, including its clocks.
fn reads(model: &Model, condition: &Condition) -> Symbols {
    let mut walk = Footprints::walk(model);
    let mut evaluate = |id: ExpressionId| {
        walk.evaluate(id);
    };
    condition.data.into_iter().for_each(&mut evaluate);
    let mut clocks = Vec::new();
    for ClockConstraint { left, right, bound, condition, .. } in &condition.clocks {
        condition.iter().chain([bound]).copied().for_each(&mut evaluate);
        for place in std::iter::once(left).chain(right) {
            place.indices.iter().for_each(|index| evaluate(index.value));
            clocks.extend(place.elements());
        }
    }
    let mut reads = walk.domain.found.reads;
    for clock in clocks {
        reads.clocks.insert(clock);
    }
    reads
}

/// The disjuncts of a goal, each with distances of its own.
pub(crate) fn alternatives(model: &Model, goal: &Formula) -> Vec<Formula> {
    let all = disjuncts(model, goal);
    if all.is_empty() || all.len() > ALTERNATIVES { vec![goal.clone()] } else { all }
}

/// The maximal number of disjuncts with distances of their own.
const ALTERNATIVES: usize = 8;

fn disjuncts(model: &Model, goal: &Formula) -> Vec<Formula> {
    use zonaut_analysis::normal_form::{Connective, operands};
    match goal {
        Formula::Or(parts) => parts.iter().flat_map(|part| disjuncts(model, part)).collect(),
        Formula::Data(data) => operands(&model.expressions, *data, Connective::Or)
            .into_iter()
            .map(Formula::Data)
            .collect(),
        Formula::Not(inner) => match &**inner {
            Formula::Not(inner) => disjuncts(model, inner),
            Formula::And(parts) => {
                let negated = |part: &Formula| Formula::Not(Box::new(part.clone()));
                parts.iter().flat_map(|part| disjuncts(model, &negated(part))).collect()
            }
            _ => vec![goal.clone()],
        },
        _ => vec![goal.clone()],
    }
}
