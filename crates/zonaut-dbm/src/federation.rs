//! Federations: finite unions of zones, which need not be convex and may be empty.

use crate::{Bound, Narrow, Row, Width, Zone};

/// A finite union of zones over the same clocks.
///
/// The empty federation is the empty set. Zones may overlap unless an operation guarantees
/// otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Federation<W: Width = Narrow> {
    zones: Vec<Zone<W>>,
}

impl<W: Width> From<Zone<W>> for Federation<W> {
    fn from(zone: Zone<W>) -> Federation<W> {
        Federation { zones: vec![zone] }
    }
}

impl<W: Width> Zone<W> {
    /// The valuations of this zone that are not in `other`, as disjoint zones.
    ///
    /// The constraints of `other` are processed one after the other; the part that violates a
    /// constraint is split off.
    pub fn subtract(&self, other: &Zone<W>) -> Federation<W> {
        debug_assert_eq!(self.dim, other.dim);
        if self.is_separated_from(other) {
            return Federation::from(self.clone());
        }
        let mut zones = Vec::new();
        let mut rest = self.clone();
        for (x, y, b) in other.minimal_constraints() {
            let mut piece = rest.clone();
            if piece.constrain(y, x, b.negated()).is_ok() {
                zones.push(piece);
            }
            if rest.constrain(x, y, b).is_err() {
                break;
            }
        }
        Federation { zones }
    }
}

impl<W: Width> Federation<W> {
    /// The empty set.
    pub fn empty() -> Federation<W> {
        Federation::default()
    }

    /// Whether it contains no valuation.
    pub fn is_empty(&self) -> bool {
        self.zones.is_empty()
    }

    /// The zones of the union.
    pub fn zones(&self) -> &[Zone<W>] {
        &self.zones
    }

    /// The zones of the union, by value.
    pub fn into_zones(self) -> Vec<Zone<W>> {
        self.zones
    }

    /// Adds a zone, unless one zone of the federation includes it; drops the zones it includes.
    ///
    /// Returns whether the zone was added.
    pub fn add(&mut self, zone: Zone<W>) -> bool {
        if self.zones.iter().any(|old| old.includes(&zone)) {
            return false;
        }
        self.zones.retain(|old| !zone.includes(old));
        self.zones.push(zone);
        true
    }

    /// Removes the valuations of a zone. Disjoint zones stay disjoint.
    pub fn subtract_zone(&mut self, zone: &Zone<W>) {
        let zones = std::mem::take(&mut self.zones);
        self.zones = zones.iter().flat_map(|old| old.subtract(zone).zones).collect();
    }

    /// Removes the valuations of another federation. Disjoint zones stay disjoint.
    pub fn subtract(&mut self, other: &Federation<W>) {
        other.zones.iter().for_each(|zone| self.subtract_zone(zone));
    }

    /// Whether every valuation of a zone is in the union, possibly covered by several zones
    /// together.
    pub fn includes_zone(&self, zone: &Zone<W>) -> bool {
        let mut rest = Federation::from(zone.clone());
        rest.subtract(self);
        rest.is_empty()
    }

    /// Whether every valuation of another federation is in this one.
    pub fn includes(&self, other: &Federation<W>) -> bool {
        other.zones.iter().all(|zone| self.includes_zone(zone))
    }

    /// Keeps the valuations that are in a zone too.
    pub fn intersect_zone(&mut self, zone: &Zone<W>) {
        self.zones.retain_mut(|old| old.intersect(zone).is_ok());
    }

    /// Keeps the valuations with `x - y` below `b`.
    pub fn constrain(&mut self, x: Row, y: Row, b: Bound<W>) {
        self.zones.retain_mut(|old| old.constrain(x, y, b).is_ok());
    }

    /// Adds the valuations reached by letting time pass.
    pub fn delay(&mut self) {
        self.change_each(Zone::delay);
    }

    /// Adds the valuations from which the federation is reached by letting time pass.
    pub fn past(&mut self) {
        self.change_each(Zone::past);
    }

    /// Widens every zone, then drops those that another one includes.
    fn change_each(&mut self, change: impl Fn(&mut Zone<W>)) {
        for mut zone in std::mem::take(&mut self.zones) {
            change(&mut zone);
            self.add(zone);
        }
    }

    /// Whether a valuation is in the union; see [`Zone::contains`].
    pub fn contains(&self, numerators: &[i64], denominator: i64) -> bool {
        self.zones.iter().any(|zone| zone.contains(numerators, denominator))
    }
}
