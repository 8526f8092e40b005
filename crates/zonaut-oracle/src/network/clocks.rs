//! The interface between the transition relation and a representation of clock valuations.

use std::cmp::Ordering;
use zonaut_model::interpret::ClockEffect;
use zonaut_model::{ClockId, Relation};

/// A representation of clock valuations, with one value for each clock.
///
/// Law: valuations with the same representation satisfy the same constraints of the model, now and
/// after the same effects.
pub trait Clocks {
    /// The representation of the value of one clock.
    type Value: Copy + Eq + Default;

    /// The valuation in which every clock has the given value.
    fn start(&self, initial: &[i32], values: &mut Vec<Self::Value>);

    /// Whether `left - right` relates to `bound`; an absent `right` counts as 0.
    fn holds(
        &self,
        values: &[Self::Value],
        left: ClockId,
        right: Option<ClockId>,
        relation: Relation,
        bound: i32,
    ) -> bool;

    /// Applies the effect of an update.
    fn apply(&self, values: &mut [Self::Value], effect: ClockEffect);
}

/// Whether a value that compares to a bound by `ordering` satisfies the relation.
#[must_use]
pub fn compare(ordering: Ordering, relation: Relation) -> bool {
    match relation {
        Relation::Less => ordering.is_lt(),
        Relation::LessEqual => ordering.is_le(),
        Relation::Equal => ordering.is_eq(),
        Relation::GreaterEqual => ordering.is_ge(),
        Relation::Greater => ordering.is_gt(),
    }
}
