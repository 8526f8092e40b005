//! The features of examined models and queries, counted for reports.

use std::fmt;
use zonaut_model::{Formula, Model, QueryKind};

/// A feature that an answer may depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Feature {
    /// `deadlock` in a formula.
    Deadlock,
    /// Transitions of different priority.
    Priorities,
    /// `meta` variables.
    Meta,
    /// `A<> p`
    Eventually,
    /// `E[] p`
    PossiblyAlways,
    /// `p --> q`
    LeadsTo,
    /// `sup{p}: e`
    Supremum,
    /// `inf{p}: e`
    Infimum,
    /// Constants far too large for the region oracle.
    LargeConstants,
    /// A model and a query that were printed and read by the front end.
    Reread,
}

impl Feature {
    /// All features, with their names.
    pub const ALL: [(&str, Self); 10] = [
        ("deadlock", Self::Deadlock),
        ("priorities", Self::Priorities),
        ("meta", Self::Meta),
        ("A<>", Self::Eventually),
        ("E[]", Self::PossiblyAlways),
        ("-->", Self::LeadsTo),
        ("sup", Self::Supremum),
        ("inf", Self::Infimum),
        ("large constants", Self::LargeConstants),
        ("read as text", Self::Reread),
    ];
}

/// The number of answered queries with each feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features([u64; Feature::ALL.len()]);

impl Features {
    /// Counts a query that has a feature.
    pub fn count(&mut self, feature: Feature) {
        self.0[feature as usize] += 1;
    }

    /// Counts a query of a model, with all features that it has.
    pub fn count_query(&mut self, model: &Model, query: &QueryKind) {
        if model.has_priorities() {
            self.count(Feature::Priorities);
        }
        if model.cells.iter().any(|cell| cell.meta) {
            self.count(Feature::Meta);
        }
        if formulas(query).into_iter().flatten().any(Formula::mentions_deadlock) {
            self.count(Feature::Deadlock);
        }
        let kinds: &[Feature] = match query {
            QueryKind::Eventually(_) => &[Feature::Eventually],
            QueryKind::PossiblyAlways(_) => &[Feature::PossiblyAlways],
            QueryKind::LeadsTo(..) => &[Feature::LeadsTo],
            QueryKind::Supremum(..) => &[Feature::Supremum],
            QueryKind::Infimum(..) => &[Feature::Infimum],
            QueryKind::Bounds(..) => &[Feature::Supremum, Feature::Infimum],
            _ => &[],
        };
        kinds.iter().for_each(|&kind| self.count(kind));
    }

    /// The number of queries with a feature.
    #[must_use]
    pub fn of(&self, feature: Feature) -> u64 {
        self.0[feature as usize]
    }

    /// Adds other counts.
    pub fn add(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(count, more)| *count += more);
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = Feature::ALL.iter().filter(|(_, feature)| self.of(*feature) > 0);
        let words: Vec<String> =
            counted.map(|(name, feature)| format!("{name} {}", self.of(*feature))).collect();
        f.write_str(&words.join(", "))
    }
}

fn formulas(query: &QueryKind) -> [Option<&Formula>; 2] {
    match query {
        QueryKind::LeadsTo(from, to) => [Some(from), Some(to)],
        QueryKind::Possibly(formula)
        | QueryKind::Always(formula)
        | QueryKind::PossiblyAlways(formula)
        | QueryKind::Eventually(formula)
        | QueryKind::Supremum(formula, _)
        | QueryKind::Infimum(formula, _)
        | QueryKind::Bounds(formula, _) => [Some(formula), None],
        QueryKind::Statistical(_) | QueryKind::Unsupported(_) | QueryKind::Damaged => [None, None],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_the_features() {
        for (position, (_, feature)) in Feature::ALL.into_iter().enumerate() {
            assert_eq!(feature as usize, position);
        }
    }
}
