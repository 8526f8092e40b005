//! Deadlocks: where nothing can happen, now or after any delay (`docs/SEMANTICS.md`, section 9.3).

use crate::clocks::{Clocks, Point, Region, outside_of_all};
use crate::core::State;
use crate::network::Network;
use crate::refusal::Trouble;
use crate::zone::{Atom, Zone};
use std::cell::OnceCell;
use std::rc::Rc;

/// The transitions that are possible in a discrete state now or after a delay.
pub(crate) struct Future {
    /// For each transition, the valuations at which it is possible while invariants hold.
    pub(crate) moments: Vec<Zone>,
    /// The valuations at which urgent synchronisations stop time; nothing if no time passes at all.
    stops: Option<Vec<Zone>>,
    /// All atoms that this was computed from.
    atoms: Vec<Atom>,
    /// The valuations that satisfy the invariants.
    patient: Option<Zone>,
    /// Whether a moment is reached from each of them, once that is known.
    always: OnceCell<bool>,
}

impl Network<'_> {
    /// The possible transitions of `state`. A transition that fails at run time counts as possible
    /// while its guards hold. `None` if the state itself cannot be evaluated: a run-time error is
    /// not a deadlock.
    pub(crate) fn future(&mut self, state: &State) -> Result<Option<Future>, Trouble> {
        let found = self.try_future(state);
        match found {
            Err(Trouble::RunTime(_)) => Ok(None),
            Err(trouble) => Err(trouble),
            Ok(future) => Ok(Some(future)),
        }
    }

    /// The same, computed once for consecutive questions about one state.
    pub(crate) fn known_future(&mut self, state: &State) -> Result<Option<Rc<Future>>, Trouble> {
        if let Some((known, future)) = &self.foreseen
            && known == state
        {
            return Ok(future.clone());
        }
        let future = self.future(state)?.map(Rc::new);
        self.foreseen = Some((state.clone(), future.clone()));
        Ok(future)
    }

    fn try_future(&mut self, state: &State) -> Result<Future, Trouble> {
        if self.core.has_rates() {
            return Err(Trouble::rejected("deadlocks are not decided where clocks stand still"));
        }
        let everything = Zone::all(self.core.clocks.len());
        let mut atoms = self.invariant(state)?.unwrap_or_default();
        let mut patient = everything.clone();
        if !patient.meet_all(&atoms)? {
            return Err(Trouble::rejected("an invariant can hold nowhere"));
        }
        let offers = self.offers(state)?;
        // A transition that is possible everywhere leaves no deadlock, whatever the others do.
        if self.has_lasting_transition(state, &offers, &patient)? {
            let moments = vec![patient.clone()];
            let always = OnceCell::from(true);
            return Ok(Future { patient: Some(patient), always, ..Future::of(moments, None) });
        }
        // If priorities exclude a transition, another one is possible.
        let possible = self.moments(state, &offers, &patient)?;
        let moments = possible.all.into_iter().map(|transition| transition.clocks).collect();
        atoms.extend(possible.atoms);
        let stops = self.stops(state)?;
        Ok(Future { moments, stops, atoms, patient: Some(patient), always: OnceCell::new() })
    }
}

impl Network<'_> {
    /// The valuations at which urgent synchronisations stop time in `state`; nothing if no time
    /// passes at all.
    pub(crate) fn stops(&mut self, state: &State) -> Result<Option<Vec<Zone>>, Trouble> {
        let Some(urgent) = self.urgency(state)? else { return Ok(None) };
        let everything = Zone::all(self.core.clocks.len());
        let mut stops = Vec::new();
        for conjunction in urgent {
            let mut stop = everything.clone();
            if stop.meet_all(&conjunction)? {
                stops.push(stop);
            }
        }
        Ok(Some(stops))
    }
}

/// Sets of clock valuations that can be divided into deadlocked and other ones.
pub(crate) trait Stuck: Sized {
    /// The valuations that are deadlocked, or those that are not.
    fn stuck(self, future: &Future, wanted: bool) -> Result<Vec<Self>, Trouble>;
}

impl Stuck for Point {
    fn stuck(self, future: &Future, wanted: bool) -> Result<Vec<Self>, Trouble> {
        let is_before = |stop: &Zone, (first, is_open): (i128, bool)| {
            let stopped = self.first_instant(&stop.atoms(), &[], None);
            stopped.is_some_and(|(at, _)| at < first || (is_open && at == first))
        };
        let can_happen = |moments: &Zone| match self.first_instant(&moments.atoms(), &[], None) {
            None => false,
            Some(first) => match &future.stops {
                None => first == (0, false),
                Some(stops) => !stops.iter().any(|stop| is_before(stop, first)),
            },
        };
        let is_stuck = !future.moments.iter().any(can_happen);
        Ok(if is_stuck == wanted { vec![self] } else { Vec::new() })
    }
}

impl Stuck for Region {
    /// With constants, a valuation that the zone stands for and the one above it have to satisfy the
    /// same atoms, now and after every delay, so that both are deadlocked or neither is. So each atom
    /// has to be respected as it stands and negated, unless no valuation at all that satisfies the
    /// invariants is deadlocked: those that the zone stands for satisfy them.
    fn stuck(self, future: &Future, wanted: bool) -> Result<Vec<Self>, Trouble> {
        if self.simulation.is_some() {
            if future.always_happens()? {
                return Ok(if wanted { Vec::new() } else { vec![self] });
            }
            self.require_both(&future.atoms)?;
        }
        let dead = future.without_moments(&self.zone)?;
        let parts = match wanted {
            true => dead,
            false => without(vec![self.zone], &dead)?,
        };
        let simulation = &self.simulation;
        let part = |zone| Self { zone, simulation: simulation.clone() };
        Ok(parts.into_iter().map(part).collect())
    }
}

impl Future {
    /// Moments that a delay may come to, where it goes no further than to the first of `stops`; none
    /// of them where no time passes.
    pub(crate) fn of(moments: Vec<Zone>, stops: Option<Vec<Zone>>) -> Self {
        Self { moments, stops, atoms: Vec::new(), patient: None, always: OnceCell::new() }
    }

    /// All atoms of the transitions and invariants that this was computed from.
    pub(crate) fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// Whether a moment is reached from every valuation that satisfies the invariants.
    pub(crate) fn always_happens(&self) -> Result<bool, Trouble> {
        if let Some(&always) = self.always.get() {
            return Ok(always);
        }
        let always = match &self.patient {
            Some(patient) => self.without_moments(patient)?.is_empty(),
            None => false,
        };
        Ok(*self.always.get_or_init(|| always))
    }

    /// The valuations of `zone` from which no moment is reached by a delay.
    ///
    /// Say that a stop is *over* at a valuation if it lies before it in time, but neither there nor
    /// after it. A stop is an interval on the line of time through a valuation. If it is over, it
    /// stops nothing any more. If it is not over, then whatever of it lies before a later valuation
    /// lies between the two, or there is more of it on both sides of the first one and so there, too:
    /// it stops time before the later one exactly if some of it lies before that. So the zone is cut
    /// by which stops are over, and a delay may lead to what is not later than any stop that is not
    /// over; where it is, no delay is needed.
    pub(crate) fn without_moments(&self, zone: &Zone) -> Result<Vec<Zone>, Trouble> {
        let Some(stops) = &self.stops else { return without(vec![zone.clone()], &self.moments) };
        let mut cases: Vec<(Vec<Zone>, Vec<Zone>)> = vec![(vec![zone.clone()], Vec::new())];
        for stop in stops {
            let (later, past) = (stop.later(&[])?, stop.past()?);
            let mut next = Vec::new();
            for (parts, pending) in cases {
                let mut over = Vec::new();
                for part in &parts {
                    let mut part = part.clone();
                    if part.meet_all(&later.atoms())? {
                        over.extend(without(vec![part], std::slice::from_ref(&past))?);
                    }
                }
                let others = without(parts, &over)?;
                next.push((over, pending.clone()));
                next.push((others, [&pending[..], std::slice::from_ref(&later)].concat()));
            }
            next.retain(|(parts, _)| !parts.is_empty());
            cases = next;
        }
        let mut dead = Vec::new();
        for (parts, pending) in cases {
            let mut reaching = self.moments.clone();
            for first in without(self.moments.clone(), &pending)? {
                reaching.push(first.past()?);
            }
            dead.extend(without(parts, &reaching)?);
        }
        Ok(dead)
    }
}

/// The valuations of `zones` that are in none of `others`.
pub(crate) fn without(mut zones: Vec<Zone>, others: &[Zone]) -> Result<Vec<Zone>, Trouble> {
    for other in others {
        zones = outside_of_all(zones, &other.atoms())?;
    }
    Ok(zones)
}
