//! Staying in a discrete state while a formula is avoided: how far time may pass, and where a run
//! may stay for good.
//!
//! A maximal run has infinitely many transitions, or time diverges in its last state, or there no
//! transition is possible, now or after any delay, and time passes as far as it may
//! (`docs/SEMANTICS.md`, section 9.4).

use crate::clocks::{Clocks, Point, Region};
use crate::core::State;
use crate::deadlock::{Future, Stuck, without};
use crate::formula::holding;
use crate::network::{Network, Passage};
use crate::refusal::{Trouble, require};
use crate::zone::{Atom, Zone};

/// The maximal runs that decide a query.
#[derive(Clone, Copy)]
pub(crate) struct Aim {
    /// The formula that they avoid, as it stands or negated.
    pub(crate) avoided: (usize, bool),
    /// What holds at the moment from which they avoid it; nothing where that is the start.
    pub(crate) begin: Option<usize>,
}

/// How a run stays in a discrete state.
pub(crate) struct Stay {
    pub(crate) invariant: Vec<Atom>,
    /// How time passes; nothing if it does not at all.
    passage: Option<Passage>,
    /// The valuations that are avoided, among those in which the invariant holds.
    avoided: Vec<Zone>,
}

/// Where a run may stay for good.
pub(crate) struct Ends {
    /// What can happen, and what is avoided; nothing where that cannot be evaluated, so that the
    /// model has not come to its end.
    future: Option<Future>,
    /// What is avoided, and what stops time.
    obstacles: Vec<Zone>,
    /// Whether the invariant bounds the time that may pass, or none passes.
    is_bounded: bool,
}

/// A zone that stands for itself.
pub(crate) fn plain(zone: Zone) -> Region {
    Region { zone, simulation: None }
}

impl Network<'_> {
    /// How a run stays in `state` and avoids a formula; nothing where a condition of the invariant
    /// on data fails.
    pub(crate) fn stay(
        &mut self,
        state: &State,
        avoided: (usize, bool),
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
        let avoided = holding(self, state, avoided, plain(patient))?;
        let avoided = avoided.into_iter().map(|region| region.zone).collect();
        Ok(Some(Stay { invariant, passage, avoided }))
    }

    /// Where a run that stays in `state` so may do so for good.
    pub(crate) fn ends(&mut self, state: &State, stay: &Stay) -> Result<Ends, Trouble> {
        let mut future = self.future(state)?;
        if let Some(future) = &mut future {
            future.moments.extend(stay.avoided.iter().cloned());
        }
        let stops = self.stops(state)?.unwrap_or_default();
        let obstacles = [&stops[..], &stay.avoided].concat();
        let bounds_time = |atom: &Atom| atom.x != 0 && atom.y == 0;
        let is_bounded = stay.passage.is_none() || stay.invariant.iter().any(bounds_time);
        Ok(Ends { future, obstacles, is_bounded })
    }
}

impl Stay {
    /// What delays lead to from `landed`, in which the invariant holds, before anything that is
    /// avoided is met.
    ///
    /// What of `landed` is avoided is lost, and the rest is cut into convex parts. On the line of
    /// time through a valuation, such a part and an avoided zone are two intervals without a common
    /// point. If some valuation g of the avoided zone lies in the future of the part, then all of
    /// the part on this line lies before g, and whatever comes with g or after it is reached
    /// through g. If a later valuation is not of that kind, then nothing avoided lies between it
    /// and the part.
    pub(crate) fn reached(&self, landed: &Zone) -> Result<Vec<Zone>, Trouble> {
        let mut all = Vec::new();
        for part in without(vec![landed.clone()], &self.avoided)? {
            let Some(passage) = &self.passage else {
                all.push(part);
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
            let delayed = plain(part).delayed(&self.invariant, passage)?;
            all.extend(without(delayed.into_iter().map(|region| region.zone).collect(), &behind)?);
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

    /// Requires that from all of `landed`, of which nothing is avoided, a delay leads into one of
    /// `goals`, of which nothing is avoided either, and meets nothing avoided on the way.
    ///
    /// A delay that must not meet something is one that would be stopped there, and ends before.
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
    /// Requires that no run that avoids the formula may stay for good in any of `zone`.
    ///
    /// Time diverges from a valuation if the invariant has no upper bound, no urgent
    /// synchronisation lies ahead, and nothing avoided does. A run is stuck where no delay leads to
    /// a transition; it avoids the formula if none leads to what is avoided either.
    pub(crate) fn require_none(&self, zone: &Zone) -> Result<(), Trouble> {
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
        let stuck = future.without_moments(zone)?;
        require(stuck.is_empty(), "a run may be stuck")
    }

    /// Requires that a run that avoids the formula may stay for good at `point`.
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
