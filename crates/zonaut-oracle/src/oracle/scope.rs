//! The classes of models for which the oracles are exact.

use zonaut_base::Id;
use zonaut_model::{
    ChannelId, ClockConstraint, Condition, Direction, Edge, Formula, Model, QueryKind, Relation,
    Synchronisation,
};

/// Whether neither model nor query compares two clocks with each other.
#[must_use]
pub fn is_diagonal_free(model: &Model, query: &QueryKind) -> bool {
    let is_single = |constraint: &ClockConstraint| constraint.right.is_none();
    let mut query_is_free = true;
    for formula in formulas(query) {
        formula.for_each_constraint(&mut |constraint| query_is_free &= is_single(constraint));
    }
    query_is_free && conditions(model).all(|condition| condition.clocks.iter().all(is_single))
}

/// The state formulas of a query.
pub(super) fn formulas(query: &QueryKind) -> impl Iterator<Item = &Formula> {
    let (one, other) = match query {
        QueryKind::Possibly(formula)
        | QueryKind::Always(formula)
        | QueryKind::PossiblyAlways(formula)
        | QueryKind::Eventually(formula)
        | QueryKind::Supremum(formula, _)
        | QueryKind::Infimum(formula, _)
        | QueryKind::Bounds(formula, _) => (Some(formula), None),
        QueryKind::LeadsTo(from, to) => (Some(from), Some(to)),
        QueryKind::Statistical(_) | QueryKind::Unsupported(_) | QueryKind::Damaged => (None, None),
    };
    one.into_iter().chain(other)
}

/// Whether integer delays decide the query: every bound is non-strict (in the query, with the
/// polarity in which it is searched), and no clock guard is negated by a broadcast or by urgency.
#[must_use]
pub fn is_closed(model: &Model, query: &QueryKind) -> bool {
    let goal_is_closed = match query {
        QueryKind::Possibly(formula) => formula_is_closed(formula, true),
        QueryKind::Always(formula) => formula_is_closed(formula, false),
        _ => false,
    };
    goal_is_closed
        && conditions(model)
            .all(|condition| condition.clocks.iter().all(|atom| is_non_strict(atom.relation)))
        && edges(model).all(|edge| edge.guard.clocks.is_empty() || !is_negated(model, edge))
}

fn edges(model: &Model) -> impl Iterator<Item = &Edge> {
    model.processes.iter().flat_map(|process| &process.edges)
}

fn conditions(model: &Model) -> impl Iterator<Item = &Condition> {
    let locations = model.processes.iter().flat_map(|process| &process.locations);
    locations.map(|location| &location.invariant).chain(edges(model).map(|edge| &edge.guard))
}

fn is_non_strict(relation: Relation) -> bool {
    matches!(relation, Relation::LessEqual | Relation::Equal | Relation::GreaterEqual)
}

fn formula_is_closed(formula: &Formula, positive: bool) -> bool {
    match formula {
        Formula::Data(_) => true,
        Formula::Clock(atom) => {
            let strict = matches!(atom.relation, Relation::Less | Relation::Greater);
            if positive { !strict } else { strict }
        }
        Formula::Deadlock => false,
        Formula::Not(inner) => formula_is_closed(inner, !positive),
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().all(|part| formula_is_closed(part, positive))
        }
    }
}

/// Whether some rule depends on the guard of the edge being false.
fn is_negated(model: &Model, edge: &Edge) -> bool {
    let Some(synchronisation) = &edge.synchronisation else { return false };
    channels(synchronisation).any(|channel| {
        let channel = &model.channels[channel];
        channel.urgent || (channel.broadcast && synchronisation.direction == Direction::Receive)
    })
}

fn channels(synchronisation: &Synchronisation) -> impl Iterator<Item = ChannelId> {
    let place = &synchronisation.channel;
    (0..=place.extent()).map(|k| ChannelId::from_index(place.root.index() + k))
}
