//! Staying in a discrete state while a formula is avoided: how long a run may delay, and where it
//! may stay forever.
//!
//! A maximal run has infinitely many transitions, or time diverges in its last state, or its last
//! state is a deadlock (no transition is enabled, now or after any delay) and time passes as far as
//! it may (`docs/SEMANTICS.md`, section 9.4).

use crate::clocks::{Clocks, Point, Region};
use crate::core::State;
use crate::deadlock::{Future, Stuck, without};
use crate::formula::{Condition, holding};
use crate::network::{Network, Passage};
use crate::refusal::{Trouble, require};
use crate::zone::{Atom, Zone};
use std::cell::RefCell;
use std::rc::Rc;

/// The maximal runs that decide a query.
#[derive(Clone, Copy)]
pub(crate) struct Objective {
    /// The condition that they avoid.
    pub(crate) avoided: Condition,
    /// The formula that holds when they begin to avoid it; `None` if they begin initially.
    pub(crate) begin: Option<usize>,
}

/// A stay of a run in a discrete state.
pub(crate) struct Stay {
    pub(crate) invariant: Vec<Atom>,
    /// The conditions under which time passes; `None` if it does not.
    passage: Option<Passage>,
    /// The avoided valuations, among those that satisfy the invariant.
    avoided: Vec<Zone>,
    /// All atoms that decide whether a valuation is avoided.
    atoms: Vec<Atom>,
}

/// A zone, with all atoms that it was intersected with.
#[derive(Clone)]
struct Recorded {
    zone: Zone,
    atoms: Rc<RefCell<Vec<Atom>>>,
}

impl Recorded {
    fn part(&self, zone: Zone) -> Self {
        Self { zone, atoms: Rc::clone(&self.atoms) }
    }
}

impl Clocks for Recorded {
    fn meet(&mut self, atom: Atom) -> Result<bool, Trouble> {
        self.atoms.borrow_mut().push(atom);
        self.zone.meet(atom)
    }

    /// Each atom is met, so that it is recorded.
    fn may_meet(&self, _: Atom) -> bool {
        true
    }

    fn outside_zone(self, zone: &Zone) -> Result<Vec<Self>, Trouble> {
        let parts = self.zone.clone().outside_zone(zone)?;
        Ok(parts.into_iter().map(|zone| self.part(zone)).collect())
    }

    fn require_both(&self, atoms: &[Atom]) -> Result<(), Trouble> {
        self.atoms.borrow_mut().extend(atoms);
        Ok(())
    }
}

impl Stuck for Recorded {
    fn stuck(self, future: &Future, wanted: bool) -> Result<Vec<Self>, Trouble> {
        if !future.always_happens()? {
            self.require_both(future.atoms())?;
        }
        let parts = plain(self.zone.clone()).stuck(future, wanted)?;
        Ok(parts.into_iter().map(|region| self.part(region.zone)).collect())
    }
}

/// The valuations at which a run may stay forever.
pub(crate) struct Ends {
    /// The enabled transitions and the avoided valuations; `None` if they cannot be evaluated,
    /// which is a run-time error and not the end of a run.
    future: Option<Future>,
    /// The avoided valuations, and those that stop time.
    obstacles: Vec<Zone>,
    /// All atoms that decide whether a valuation is avoided or stops time.
    atoms: Vec<Atom>,
    /// Whether the invariant bounds delays, or none is possible.
    is_bounded: bool,
}

/// A zone without constants.
pub(crate) fn plain(zone: Zone) -> Region {
    Region { zone, simulation: None }
}

impl Network<'_> {
    /// The stay in `state` of a run that avoids a formula; `None` if a data condition of the
    /// invariant fails.
    pub(crate) fn stay(
        &mut self,
        state: &State,
        avoided: Condition,
    ) -> Result<Option<Stay>, Trouble> {
        let Some(invariant) = self.invariant(state)? else { return Ok(None) };
        let passage = self.passage(state)?;
        let is_still = passage.as_ref().is_some_and(|passage| !passage.stopped.is_empty());
        if is_still {
            return Err(Trouble::undecided("maximal runs where clocks stand still"));
        }
        let mut patient = Zone::all(self.core.clocks.len());
        if !patient.meet_all(&invariant)? {
            return Ok(None);
        }
        let atoms = Rc::new(RefCell::new(Vec::new()));
        let everywhere = Recorded { zone: patient, atoms: Rc::clone(&atoms) };
        let avoided = holding(self, state, avoided, everywhere)?;
        let avoided = avoided.into_iter().map(|recorded| recorded.zone).collect();
        let atoms = atoms.take();
        Ok(Some(Stay { invariant, passage, avoided, atoms }))
    }

    /// The valuations of `state` at which a run with this stay may stay forever.
    pub(crate) fn ends(&mut self, state: &State, stay: &Stay) -> Result<Ends, Trouble> {
        let mut future = self.future(state)?;
        if let Some(future) = &mut future {
            future.moments.extend(stay.avoided.iter().cloned());
        }
        let stops = self.stops(state)?.unwrap_or_default();
        let obstacles = [&stops[..], &stay.avoided].concat();
        let bounds_time = |atom: &Atom| atom.x != 0 && atom.y == 0;
        let is_bounded = stay.passage.is_none() || stay.invariant.iter().any(bounds_time);
        let urgent = stay.passage.iter().flat_map(|passage| passage.urgent.iter().flatten());
        let atoms = stay.atoms.iter().chain(urgent).copied().collect();
        Ok(Ends { future, obstacles, atoms, is_bounded })
    }
}

impl Stay {
    /// The valuations reached by delays from `landed`, where the invariant holds, before an avoided
    /// valuation is met.
    ///
    /// The avoided part of `landed` is dropped, and the rest is split into convex parts. On the
    /// time line through a valuation, such a part and an avoided zone are two disjoint intervals.
    /// If some valuation g of the avoided zone is in the future of the part, then all of the part
    /// on this line is before g, and g and all later valuations are reached through g only. For any
    /// other later valuation, no avoided valuation lies between it and the part.
    ///
    /// With constants, a run from a valuation that `landed` stands for is followed by one from the
    /// valuation above it, with equal delays. Its constants have to respect all atoms of the avoided
    /// formula as they stand and negated; then the formula holds at the same instants of both.
    pub(crate) fn reached(&self, landed: &Region) -> Result<Vec<Region>, Trouble> {
        landed.require_both(&self.atoms)?;
        let region = |zone| Region { zone, simulation: landed.simulation.clone() };
        let mut all = Vec::new();
        for part in without(vec![landed.zone.clone()], &self.avoided)? {
            let Some(passage) = &self.passage else {
                all.push(region(part));
                continue;
            };
            let mut future = part.clone();
            future.elapse(&[]);
            let mut behind = Vec::new();
            for avoided in &self.avoided {
                let mut met = future.clone();
                if met.meet_all(&avoided.atoms())? {
                    met.elapse(&[]);
                    behind.push(met);
                }
            }
            let delayed = region(part).delayed(&self.invariant, passage)?;
            let delayed = delayed.into_iter().map(|region| region.zone).collect();
            all.extend(without(delayed, &behind)?.into_iter().map(region));
        }
        Ok(all)
    }

    /// Requires that none of `zone` is avoided.
    pub(crate) fn require_none_avoided(&self, zone: &Zone) -> Result<(), Trouble> {
        for avoided in &self.avoided {
            let is_met = zone.clone().meet_all(&avoided.atoms())?;
            require(!is_met, "what is to be avoided can hold")?;
        }
        Ok(())
    }

    /// Requires that no instant of the next `delay` is avoided, its ends included.
    pub(crate) fn require_avoiding(&self, point: &Point, delay: i128) -> Result<(), Trouble> {
        let mut end = point.clone();
        end.elapse(&[], delay)?;
        for avoided in &self.avoided {
            let atoms = avoided.atoms();
            let is_met = point.meets_within(&atoms, &[], delay) || end.clone().meet_all(&atoms)?;
            require(!is_met, "what is to be avoided holds")?;
        }
        Ok(())
    }

    /// Requires that from all of `landed`, none of which is avoided, a delay leads into one of
    /// `goals`, none of which is avoided either, without meeting an avoided valuation in between.
    ///
    /// Avoided valuations are treated as urgent: a delay that must not meet them is one that they
    /// would stop.
    pub(crate) fn require_delay_into(
        &self,
        landed: &Zone,
        goals: Vec<Zone>,
        stops: Option<Vec<Zone>>,
    ) -> Result<(), Trouble> {
        let stops = stops.map(|stops| [&stops[..], &self.avoided].concat());
        let left = Future::of(goals, stops).without_moments(landed)?;
        require(left.is_empty(), "no delay leads from all of it into nodes")
    }
}

impl Ends {
    /// Requires that no run that avoids the formula may stay forever at a valuation that `region`
    /// stands for.
    ///
    /// Time diverges from a valuation if the invariant has no upper bound, and neither an urgent
    /// synchronisation nor an avoided valuation is ahead. A run is stuck where no delay leads to a
    /// transition; it avoids the formula if no delay leads to an avoided valuation either.
    ///
    /// With constants, let a run stay forever at v, and let w be the valuation above v. The constants
    /// have to respect the atoms of the formula and of urgent synchronisations, as they stand and
    /// negated, so that both valuations meet them after the same delays. For a run that is stuck they
    /// have to respect all atoms of transitions and invariants in the same way, unless no valuation of
    /// the discrete state is stuck. Then one stays forever at w, too.
    pub(crate) fn require_none(&self, region: &Region) -> Result<(), Trouble> {
        region.require_both(&self.atoms)?;
        let zone = &region.zone;
        if !self.is_bounded {
            let mut ahead = Vec::new();
            for zone in &self.obstacles {
                ahead.push(zone.past()?);
            }
            let endless = without(vec![zone.clone()], &ahead)?;
            require(endless.is_empty(), "a run may stay for ever")?;
        }
        let future = self.future.as_ref();
        let future = future.ok_or_else(|| Trouble::rejected("it cannot be evaluated"))?;
        if region.simulation.is_some() {
            if future.always_happens()? {
                return Ok(());
            }
            region.require_both(future.atoms())?;
        }
        let stuck = future.without_moments(zone)?;
        require(stuck.is_empty(), "a run may be stuck")
    }

    /// Requires that a run that avoids the formula may stay forever at `point`.
    pub(crate) fn require_at(&self, point: &Point) -> Result<(), Trouble> {
        let is_ahead = |zone: &Zone| point.first_instant(&zone.atoms(), &[], None).is_some();
        if !self.is_bounded && !self.obstacles.iter().any(is_ahead) {
            return Ok(());
        }
        let is_stuck = match &self.future {
            Some(future) => !point.clone().stuck(future, true)?.is_empty(),
            None => false,
        };
        require(is_stuck, "the run need not stay here")
    }
}
