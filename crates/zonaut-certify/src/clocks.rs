//! What is known about the clocks: one valuation, or a zone of them.

use crate::network::Passage;
use crate::refusal::Trouble;
use crate::simulation::Simulation;
use crate::zone::{Atom, Effect, Zone};

/// A set of clock valuations that can be cut by atoms.
pub(crate) trait Clocks: Clone {
    /// Keeps the valuations that satisfy `atom` and says whether any is left. If none is, the set
    /// is of no further use.
    fn meet(&mut self, atom: Atom) -> Result<bool, Trouble>;

    /// The valuations that are not in `zone`, which was computed from atoms that
    /// [`Clocks::require_both`] was asked about.
    fn outside_zone(self, zone: &Zone) -> Result<Vec<Self>, Trouble>;

    /// Refuses what stands for valuations that some of `atoms` tell apart, as they stand or negated.
    fn require_both(&self, atoms: &[Atom]) -> Result<(), Trouble>;

    /// Keeps the valuations that satisfy all of `atoms` and says whether any is left.
    fn meet_all(&mut self, atoms: &[Atom]) -> Result<bool, Trouble> {
        for &atom in atoms {
            if !self.meet(atom)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The valuations that fail one of `atoms`: the k-th part satisfies the first k atoms and not
    /// the next one.
    fn outside(self, atoms: &[Atom]) -> Result<Vec<Self>, Trouble> {
        let (mut parts, mut rest) = (Vec::new(), self);
        for (position, &atom) in atoms.iter().enumerate() {
            let mut failing = rest.clone();
            if failing.meet(atom.negated())? {
                parts.push(failing);
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

    /// Lets time pass for all clocks but those `stopped`.
    pub(crate) fn elapse(&mut self, stopped: &[usize], delay: i128) -> Result<(), Trouble> {
        let clocks = self.values.iter_mut().enumerate().skip(1);
        for (_, value) in clocks.filter(|(clock, _)| stopped.binary_search(clock).is_err()) {
            let later = value.checked_add(delay).filter(|later| (0..=LARGEST).contains(later));
            *value = later.ok_or_else(|| Trouble::undecided("a clock value is too large"))?;
        }
        Ok(())
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

    /// Whether all of `atoms` hold together at some instant of the next `delay`, its end excepted.
    pub(crate) fn meets_within(&self, atoms: &[Atom], stopped: &[usize], delay: i128) -> bool {
        self.first_instant(atoms, stopped, Some(delay)).is_some()
    }

    /// The first instant from now on, and before the end of `delay` if there is one, at which all of
    /// `atoms` hold together, and whether it is open: then they hold at once after it, but not there.
    ///
    /// Differences of clocks of which both run, or none, do not change. A bound on any other
    /// difference is a bound on the instant, so the instants form an interval; it has a point if its
    /// ends are in order, or are one and the same closed end.
    pub(crate) fn first_instant(
        &self,
        atoms: &[Atom],
        stopped: &[usize],
        delay: Option<i128>,
    ) -> Option<(i128, bool)> {
        let runs = |clock: usize| clock != 0 && stopped.binary_search(&clock).is_err();
        // A start, and whether it is open; an end, and whether it is closed. So the greatest start
        // is the strongest one, and the least end.
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

    fn outside_zone(self, zone: &Zone) -> Result<Vec<Self>, Trouble> {
        self.outside(&zone.atoms())
    }

    fn require_both(&self, _: &[Atom]) -> Result<(), Trouble> {
        Ok(())
    }
}

/// A zone, and up to which constants its valuations stand for others.
///
/// Without constants a zone stands for itself. With constants it stands for all valuations below
/// one of its own. So it is cut only with atoms that the constants respect, or else a valuation that
/// it stands for could satisfy the atom while none of the zone does; without the cut it stands for
/// more than it has to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Region {
    pub(crate) zone: Zone,
    pub(crate) simulation: Option<Simulation>,
}

impl Region {
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

    /// The valuations after every clock has got the value that `images` says.
    pub(crate) fn moved(&self, images: &[(usize, i64)]) -> Result<Self, Trouble> {
        let simulation = self.simulation.as_ref().map(|simulation| simulation.moved(images));
        Ok(Self { zone: self.zone.moved(images)?, simulation })
    }

    /// Whether all valuations are in `cover`.
    ///
    /// With constants: valuations below those of this region, up to the constants that hold here,
    /// have to be below them up to the cover's constants too, which must therefore be no larger.
    pub(crate) fn is_covered_by(&self, cover: &Self) -> Result<bool, Trouble> {
        match (&self.simulation, &cover.simulation) {
            (Some(small), Some(large)) => {
                Ok(small.is_finer_than(large) && large.covers(&cover.zone, &self.zone)?)
            }
            _ => Ok(cover.zone.includes(&self.zone)),
        }
    }

    /// Parts of the region that together with `cover` have all its valuations.
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
            // A part that lies outside of the zone may still be below valuations of it.
            if !part.is_covered_by(cover)? {
                parts.push(part);
            }
        }
        Ok(parts)
    }

    /// The valuations after any delay through which `invariant`, which holds now, keeps holding,
    /// and which no conjunction that is urgent stops. Time stops where such a conjunction holds.
    ///
    /// The valuations in some conjunction do not move. The others are cut into convex parts. On the
    /// line of time through a valuation, a part and a conjunction are two intervals without a
    /// common point. So if the part's future meets the conjunction in some g, then every valuation
    /// of the part on this line lies before g, and no valuation after g is reached from the part;
    /// if it meets none, nothing stops. What is to be taken away are the valuations strictly later
    /// than one where the future meets the conjunction.
    ///
    /// Where clocks stand still, there may be more valuations in the result, and nothing that is
    /// urgent ends a delay that has begun: what is closed under more is closed. A cost that is
    /// independent of the clocks is the same all along the line of time, and changes nothing.
    pub(crate) fn delayed(
        mut self,
        invariant: &[Atom],
        passage: &Passage,
    ) -> Result<Vec<Self>, Trouble> {
        let Passage { urgent, stopped: still, free } = passage;
        // What is urgent whatever the clocks say stops time for all valuations, also for those that
        // the zone stands for: no comparison is made.
        if urgent.iter().any(Vec::is_empty) {
            return Ok(vec![self]);
        }
        // At every instant of a delay some atom of each conjunction fails. For the valuations that
        // the zone stands for to delay no further than its own, it has to fail there too.
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

/// The part of `future` that no conjunction of `urgent` lies before.
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

/// The parts of `sets` that fail one of `atoms`.
pub(crate) fn outside_of_all<C: Clocks>(sets: Vec<C>, atoms: &[Atom]) -> Result<Vec<C>, Trouble> {
    let mut parts = Vec::new();
    for set in sets {
        parts.extend(set.outside(atoms)?);
    }
    limited(parts, PARTS, MANY_PARTS)
}

/// The same parts, if they are not too many.
pub(crate) fn limited<C>(parts: Vec<C>, most: usize, many: &str) -> Result<Vec<C>, Trouble> {
    if parts.len() > most { Err(Trouble::undecided(many)) } else { Ok(parts) }
}

/// The most parts that a zone is cut into.
pub(crate) const PARTS: usize = 10_000;
pub(crate) const MANY_PARTS: &str = "a zone falls into too many parts";

impl Clocks for Region {
    fn meet(&mut self, atom: Atom) -> Result<bool, Trouble> {
        let respects = |simulation: &Simulation| simulation.respects(atom);
        if self.simulation.as_ref().is_none_or(respects) { self.zone.meet(atom) } else { Ok(true) }
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
