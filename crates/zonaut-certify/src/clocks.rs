//! Sets of clock valuations: a single valuation, or a zone.

use crate::network::Passage;
use crate::refusal::Trouble;
use crate::simulation::Simulation;
use crate::zone::{Atom, Effect, Matrix, Zone};
use std::sync::Arc;

/// A set of clock valuations that can be intersected with atoms.
pub(crate) trait Clocks: Clone {
    /// Keeps the valuations that satisfy `atom`; returns whether the result is non-empty. An empty
    /// set must not be used any further.
    fn meet(&mut self, atom: Atom) -> Result<bool, Trouble>;

    /// Whether some valuation may satisfy `atom`. If not, [`Clocks::meet`] returns false.
    fn may_meet(&self, atom: Atom) -> bool;

    /// Whether some valuations may satisfy each of `atoms`, by itself.
    fn may_meet_each(&self, atoms: &[Atom]) -> bool {
        atoms.iter().all(|&atom| self.may_meet(atom))
    }

    /// The valuations outside `zone`. The atoms that `zone` was computed from must have passed
    /// [`Clocks::require_both`].
    fn outside_zone(self, zone: &Zone) -> Result<Vec<Self>, Trouble>;

    /// Refuses a set whose simulation does not respect some of `atoms` or their negations.
    fn require_both(&self, atoms: &[Atom]) -> Result<(), Trouble>;

    /// Keeps the valuations that satisfy all of `atoms`; returns whether the result is non-empty.
    fn meet_all(&mut self, atoms: &[Atom]) -> Result<bool, Trouble> {
        for &atom in atoms {
            if !self.meet(atom)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The valuations that violate one of `atoms`, as disjoint parts: the k-th part satisfies the
    /// first k atoms and violates the next one.
    fn outside(self, atoms: &[Atom]) -> Result<Vec<Self>, Trouble> {
        let (mut parts, mut rest) = (Vec::new(), self);
        for (position, &atom) in atoms.iter().enumerate() {
            if rest.may_meet(atom.negated()) {
                let mut failing = rest.clone();
                if failing.meet(atom.negated())? {
                    parts.push(failing);
                }
            }
            if position + 1 == atoms.len() || !rest.meet(atom)? {
                break;
            }
        }
        Ok(parts)
    }
}

/// One valuation. Values are whole numbers over a common denominator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Point {
    denominator: i128,
    /// By clock; clock 0 has the value 0.
    values: Vec<i128>,
}

/// The largest numerator and denominator: products with clock constants fit easily.
const LARGEST: i128 = 1 << 80;

impl Point {
    pub(crate) fn new(initial: &[i64], denominator: i128) -> Self {
        let values = initial.iter().map(|&value| i128::from(value) * denominator).collect();
        Self { denominator, values }
    }

    pub(crate) fn denominator(&self) -> i128 {
        self.denominator
    }

    /// The value of a clock, over the denominator.
    pub(crate) fn value(&self, clock: usize) -> i128 {
        self.values[clock]
    }

    fn holds(&self, atom: Atom) -> bool {
        let difference = self.values[atom.x] - self.values[atom.y];
        let bound = i128::from(atom.bound.value()) * self.denominator;
        if atom.bound.is_strict() { difference < bound } else { difference <= bound }
    }

    /// Delays; the clocks `stopped` keep their values.
    pub(crate) fn elapse(&mut self, stopped: &[usize], delay: i128) -> Result<(), Trouble> {
        let clocks = self.values.iter_mut().enumerate().skip(1);
        for (_, value) in clocks.filter(|(clock, _)| stopped.binary_search(clock).is_err()) {
            let later = value.checked_add(delay).filter(|later| (0..=LARGEST).contains(later));
            *value = later.ok_or_else(|| Trouble::undecided("a clock value is too large"))?;
        }
        Ok(())
    }

    /// Adds to a clock a whole number of its units; returns whether the value stays in range.
    pub(crate) fn add(&mut self, clock: usize, amount: i128) -> bool {
        let sum = self.values[clock].checked_add(amount).filter(|sum| *sum <= LARGEST);
        self.values[clock] = sum.unwrap_or(LARGEST);
        sum.is_some()
    }

    pub(crate) fn apply(&mut self, effects: &[Effect]) {
        for &effect in effects {
            match effect {
                Effect::Set(clock, value) => {
                    self.values[clock] = i128::from(value) * self.denominator;
                }
                Effect::Copy(target, source) => self.values[target] = self.values[source],
                Effect::Add(clock, value) => {
                    self.values[clock] += i128::from(value) * self.denominator;
                }
            }
        }
    }

    /// Whether all of `atoms` hold together at some instant of the next `delay`, excluding its end.
    pub(crate) fn meets_within(&self, atoms: &[Atom], stopped: &[usize], delay: i128) -> bool {
        self.first_instant(atoms, stopped, Some(delay)).is_some()
    }

    /// The first instant at which all of `atoms` hold together, now or later, and before the end of
    /// `delay` if one is given. The flag is true if the instant is excluded: the atoms hold
    /// directly after it, not at it.
    ///
    /// The difference of two clocks is constant if both run or both are stopped. A bound on any
    /// other difference is a bound on the instant, so the instants form an interval; it is
    /// non-empty if its start is before its end, or both are the same closed end.
    pub(crate) fn first_instant(
        &self,
        atoms: &[Atom],
        stopped: &[usize],
        delay: Option<i128>,
    ) -> Option<(i128, bool)> {
        let runs = |clock: usize| clock != 0 && stopped.binary_search(&clock).is_err();
        // `start` carries whether it is excluded, `end` whether it is included: the greatest start
        // and the least end are then the strongest ones.
        let (mut start, mut end) = ((0, false), (delay.unwrap_or(i128::MAX), false));
        for &atom in atoms {
            let bound = i128::from(atom.bound.value()) * self.denominator;
            let strict = atom.bound.is_strict();
            let room = bound - (self.values[atom.x] - self.values[atom.y]);
            match (runs(atom.x), runs(atom.y)) {
                (true, false) => end = end.min((room, !strict)),
                (false, true) => start = start.max((-room, strict)),
                _ if self.holds(atom) => {}
                _ => return None,
            }
        }
        let ((first, is_open), (last, is_closed)) = (start, end);
        let is_met = first < last || (first == last && !is_open && is_closed);
        is_met.then_some(start)
    }
}

impl Clocks for Point {
    fn meet(&mut self, atom: Atom) -> Result<bool, Trouble> {
        Ok(self.holds(atom))
    }

    fn may_meet(&self, atom: Atom) -> bool {
        self.holds(atom)
    }

    fn outside_zone(self, zone: &Zone) -> Result<Vec<Self>, Trouble> {
        self.outside(&zone.atoms())
    }

    fn require_both(&self, _: &[Atom]) -> Result<(), Trouble> {
        Ok(())
    }
}

/// A zone, with the LU constants of the simulation under which it is closed downwards.
///
/// Without constants a zone represents itself. With constants it represents all valuations below
/// one of its own. So it is intersected only with atoms that the constants respect: otherwise a
/// valuation that it represents could satisfy the atom while no valuation of the zone does.
/// Skipping the intersection is sound, since the region then represents more valuations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Region {
    pub(crate) zone: Zone,
    pub(crate) simulation: Option<Arc<Simulation>>,
}

impl Region {
    /// Whether the constants, if there are any, respect an atom.
    fn respects(&self, atom: Atom) -> bool {
        self.simulation.as_ref().is_none_or(|simulation| simulation.respects(atom))
    }

    /// Refuses an atom that the constants do not respect.
    pub(crate) fn require(&self, atom: Atom) -> Result<(), Trouble> {
        match &self.simulation {
            Some(simulation) if !simulation.respects(atom) => Err(Trouble::rejected(format!(
                "the constants of the clocks {} and {} do not respect a comparison with {}",
                atom.x,
                atom.y,
                atom.bound.value()
            ))),
            _ => Ok(()),
        }
    }

    /// The valuations after each clock has taken the value given by `images`.
    pub(crate) fn moved(&self, images: &[(usize, i64)]) -> Result<Self, Trouble> {
        let moved = |simulation: &Arc<Simulation>| Arc::new(simulation.moved(images));
        let simulation = self.simulation.as_ref().map(moved);
        Ok(Self { zone: self.zone.moved(images)?, simulation })
    }

    /// Whether `cover` contains all valuations of this region.
    ///
    /// With constants, the valuations below this region under its own constants must be below the
    /// cover under the cover's constants, which must therefore be no larger.
    pub(crate) fn is_covered_by(&self, cover: &Self) -> Result<bool, Trouble> {
        self.is_within(&cover.zone, cover.simulation.as_ref())
    }

    /// The same for a cover with this matrix and these constants.
    pub(crate) fn is_within(
        &self,
        cover: &impl Matrix,
        simulation: Option<&Arc<Simulation>>,
    ) -> Result<bool, Trouble> {
        match (&self.simulation, simulation) {
            (Some(small), Some(large)) => {
                Ok(small.is_finer_than(large) && large.covers(cover, &self.zone)?)
            }
            _ => Ok(self.zone.is_within(cover)),
        }
    }

    /// Parts of the region that, together with `cover`, contain all its valuations.
    pub(crate) fn not_covered_by(self, cover: &Self) -> Result<Vec<Self>, Trouble> {
        if self.is_covered_by(cover)? {
            return Ok(Vec::new());
        }
        if let (Some(small), Some(large)) = (&self.simulation, &cover.simulation)
            && !small.is_finer_than(large)
        {
            return Ok(vec![self]);
        }
        let mut parts = Vec::new();
        for zone in self.zone.outside(&cover.zone.atoms())? {
            let part = Self { zone, simulation: self.simulation.clone() };
            // A part outside the zone can still be below valuations of the zone.
            if !part.is_covered_by(cover)? {
                parts.push(part);
            }
        }
        Ok(parts)
    }

    /// The valuations after any delay during which `invariant`, which holds now, continues to hold,
    /// and which no urgent conjunction stops. Time stops where such a conjunction holds.
    ///
    /// Valuations in some conjunction do not delay. The others are split into convex parts. On the
    /// time line through a valuation, a part and a conjunction are two disjoint intervals. So if
    /// the future of the part meets the conjunction in some g, then every valuation of the part on
    /// this line is before g, and no valuation after g is reached from the part; if it meets no
    /// conjunction, nothing stops time. The valuations to be removed are those strictly later than
    /// one where the future meets the conjunction.
    ///
    /// With stopped clocks the result may be larger, and urgency does not end a delay that has
    /// begun: a set closed under more steps is closed. A cost that is independent of the clocks is
    /// constant along the time line and changes nothing.
    pub(crate) fn delayed(
        mut self,
        invariant: &[Atom],
        passage: &Passage,
    ) -> Result<Vec<Self>, Trouble> {
        let Passage { urgent, stopped: still, free } = passage;
        if urgent.is_empty() {
            self.zone.elapse(still);
            return Ok(if self.meet_all(invariant)? { vec![self] } else { Vec::new() });
        }
        // An urgent synchronisation without a clock guard stops time for all valuations, including
        // those that the zone represents: no comparison has to be respected.
        if urgent.iter().any(Vec::is_empty) {
            return Ok(vec![self]);
        }
        // At every instant of a delay some atom of each conjunction fails. It must fail for the
        // represented valuations too, or else they could delay further than those of the zone.
        for &atom in urgent.iter().flatten() {
            self.require(atom.negated())?;
        }
        let (mut stopped, mut moving) = (Vec::new(), vec![self.zone.clone()]);
        for conjunction in urgent {
            let mut inside = self.zone.clone();
            if inside.meet_all(conjunction)? {
                stopped.push(inside);
            }
            moving = outside_of_all(moving, conjunction)?;
        }
        let mut reached = stopped;
        for mut future in moving {
            future.elapse(still);
            self.zone = future;
            if !self.meet_all(invariant)? {
                continue;
            }
            let is_line = match (free, &still[..]) {
                (_, []) => true,
                (Some(cost), [one]) if cost == one => self.zone.is_independent(*cost)?,
                _ => false,
            };
            if is_line {
                reached.extend(until(&self.zone, urgent, still)?);
            } else {
                reached.push(self.zone.clone());
            }
        }
        let simulation = self.simulation;
        Ok(reached.into_iter().map(|zone| Self { zone, simulation: simulation.clone() }).collect())
    }
}

/// The part of `future` before every conjunction of `urgent`.
fn until(future: &Zone, urgent: &[Vec<Atom>], still: &[usize]) -> Result<Vec<Zone>, Trouble> {
    let mut parts = vec![future.clone()];
    for conjunction in urgent {
        let mut met = future.clone();
        if met.meet_all(conjunction)? {
            parts = outside_of_all(parts, &met.later(still)?.atoms())?;
        }
    }
    Ok(parts)
}

/// The parts of `sets` that violate one of `atoms`.
pub(crate) fn outside_of_all<C: Clocks>(sets: Vec<C>, atoms: &[Atom]) -> Result<Vec<C>, Trouble> {
    let mut parts = Vec::new();
    for set in sets {
        parts.extend(set.outside(atoms)?);
    }
    limited(parts, PARTS, MANY_PARTS)
}

/// Returns `parts`, or refuses if there are more than `most`.
pub(crate) fn limited<C>(parts: Vec<C>, most: usize, many: &str) -> Result<Vec<C>, Trouble> {
    if parts.len() > most { Err(Trouble::undecided(many)) } else { Ok(parts) }
}

/// The maximal number of parts that a zone is split into.
pub(crate) const PARTS: usize = 10_000;
pub(crate) const MANY_PARTS: &str = "a zone falls into too many parts";

impl Clocks for Region {
    fn meet(&mut self, atom: Atom) -> Result<bool, Trouble> {
        if self.respects(atom) { self.zone.meet(atom) } else { Ok(true) }
    }

    fn may_meet(&self, atom: Atom) -> bool {
        !self.respects(atom) || self.zone.may_meet(atom)
    }

    fn outside_zone(self, zone: &Zone) -> Result<Vec<Self>, Trouble> {
        let parts = limited(self.zone.outside_zone(zone)?, PARTS, MANY_PARTS)?;
        let simulation = &self.simulation;
        let part = |zone| Self { zone, simulation: simulation.clone() };
        Ok(parts.into_iter().map(part).collect())
    }

    fn require_both(&self, atoms: &[Atom]) -> Result<(), Trouble> {
        for &atom in atoms {
            self.require(atom)?;
            self.require(atom.negated())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
