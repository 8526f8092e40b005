//! Distances of clock valuations, backwards from the goal.
//!
//! For every discrete state the valuations are found from which the goal can be reached by steps
//! that count at most n, as zones, the nearest ones first. A layer is what one transition, with the
//! delay before it, can lead into a nearer layer. Nothing is rounded, so that distances are those of
//! the child, apart from what [`crate::skeleton`] leaves out, which makes them smaller.
//!
//! Without rounding there are still finitely many zones: every one is a union of regions of the
//! constants that occur. But there can be very many, so that rounding begins where a discrete state
//! gets too many zones of one distance: further ones are joined with the last, which holds more
//! valuations than both and so makes distances smaller. And where there are too many zones for what
//! was explored, the pass ends: it has gone outwards from the goal, so that what it did not reach is
//! farther away than the layer it worked on by the lightest transition at least.

use crate::faults::{Clause, is_left_out};
use crate::look::Look;
use crate::skeleton::{DiscreteState, DiscreteTransition, Skeleton, position};
use std::collections::BTreeMap;
use zonaut_dbm::{Bound, Width, Zone, includes_slices};
use zonaut_zonegraph::{ZoneConstraint, before_effects};

/// The zones of one distance that a discrete state may have before further ones are joined.
const ZONES_PER_LAYER: usize = 8;

/// The zones for each explored state, and besides, after which the pass ends.
const ZONES_PER_STATE: usize = 4;
const ZONES_AT_LEAST: usize = 10_000;

/// The valuations of one discrete state that have a distance, by ascending distance.
pub(crate) type Layers<W> = Vec<(u32, Zone<W>)>;

/// Zones of one distance, with the numbers of their discrete states.
type Layer<W> = Vec<(u32, Zone<W>)>;

/// What the backward pass found.
pub(crate) struct Distances<W: Width> {
    /// By discrete state.
    pub(crate) layers: Vec<Layers<W>>,
    /// What is in no layer is at least so far away; none if it is infinitely far away.
    pub(crate) horizon: Option<u32>,
}

/// Finds the distances in the skeleton of so many `explored` states. `may_go_on` is asked from time
/// to time, with the number of zones. Where `look` finds that the work has to end, they are worth
/// nothing.
pub(crate) fn distances<W: Width>(
    skeleton: &Skeleton<W>,
    explored: usize,
    look: &mut Look<'_>,
    mut may_go_on: impl FnMut(usize) -> bool,
) -> Distances<W> {
    let most = explored * ZONES_PER_STATE + ZONES_AT_LEAST;
    let mut pass = Pass {
        skeleton,
        layers: skeleton.states.iter().map(|_| Vec::new()).collect(),
        waiting: BTreeMap::new(),
        zones: 0,
    };
    let lightest = skeleton.transitions.iter().map(|t| t.weight).min().unwrap_or(0);
    for (number, state) in skeleton.states.iter().enumerate() {
        if look.is_over() {
            return pass.end_at(0);
        }
        // What was not expanded may be a goal.
        let demands = if state.is_open { Some([].as_slice()) } else { state.goal.as_deref() };
        if let Some(demands) = demands {
            let mut zone = Zone::universe(state.rows.len());
            if constrain(&mut zone, state, demands) && state.settle(&mut zone) {
                pass.add(number as u32, 0, zone);
            }
        }
    }
    while let Some((distance, layer)) = pass.waiting.pop_first() {
        for (number, zone) in layer {
            if !pass.is_current(number, distance, &zone) {
                continue;
            }
            for &arrival in &skeleton.states[number as usize].arrivals {
                // One state can have very many arrivals.
                if look.is_over() {
                    return pass.end_at(0);
                }
                let transition = &skeleton.transitions[arrival as usize];
                if let Some(before) = pass.before(transition, &zone) {
                    let further = distance.saturating_add(transition.weight);
                    pass.add(transition.source, further, before);
                }
            }
            if pass.zones > most || !may_go_on(pass.zones) {
                return pass.end_at(distance.saturating_add(lightest));
            }
        }
    }
    Distances { layers: pass.layers, horizon: None }
}

struct Pass<'s, W: Width> {
    skeleton: &'s Skeleton<W>,
    layers: Vec<Layers<W>>,
    /// By distance, what was added and not looked at, in the order of its discovery.
    waiting: BTreeMap<u32, Layer<W>>,
    zones: usize,
}

impl<W: Width> Pass<'_, W> {
    /// Adds a zone unless one with a distance no larger holds it.
    fn add(&mut self, number: u32, distance: u32, mut zone: Zone<W>) {
        let layers = &mut self.layers[number as usize];
        let end = layers.partition_point(|(other, _)| *other <= distance);
        let nearer = &layers[..end];
        if nearer.iter().any(|(_, other)| includes_slices(other.as_slice(), zone.as_slice())) {
            return;
        }
        let is_same = |entry: &&(u32, Zone<W>)| entry.0 == distance;
        if nearer.iter().rev().take_while(is_same).count() >= ZONES_PER_LAYER
            && let Some((_, last)) = nearer.last()
        {
            zone = hull(&zone, last);
        }
        let before = layers.len();
        layers.retain(|(d, other)| {
            *d < distance || !includes_slices(zone.as_slice(), other.as_slice())
        });
        self.zones = self.zones + 1 + layers.len() - before;
        let end = layers.partition_point(|(other, _)| *other <= distance);
        layers.insert(end, (distance, zone.clone()));
        self.waiting.entry(distance).or_default().push((number, zone));
    }

    /// Whether a zone was not replaced by a larger or a nearer one.
    fn is_current(&self, number: u32, distance: u32, zone: &Zone<W>) -> bool {
        let layers = &self.layers[number as usize];
        layers.iter().rev().any(|(other, known)| *other == distance && known == zone)
    }

    /// Ends before everything was looked at. What is in no layer, or in one that may still come
    /// nearer, is at least as far away as `horizon`.
    fn end_at(mut self, horizon: u32) -> Distances<W> {
        if !is_left_out(Clause::FarHorizon) {
            for (distance, _) in self.layers.iter_mut().flatten() {
                *distance = (*distance).min(horizon);
            }
        }
        Distances { layers: self.layers, horizon: Some(horizon) }
    }

    /// The valuations from which `transition`, after a delay, leads into `zone`.
    fn before(&self, transition: &DiscreteTransition<W>, zone: &Zone<W>) -> Option<Zone<W>> {
        let source = &self.skeleton.states[transition.source as usize];
        let target = &self.skeleton.states[transition.target as usize];
        let mut before = before_effects(&source.rows, &target.rows, &transition.effects, zone)?;
        (constrain(&mut before, source, &transition.guard) && source.settle(&mut before))
            .then_some(before)
    }
}

/// The smallest zone that holds both. The larger of the bounds are canonical: each is at most a sum
/// of bounds of one of the zones, and so of larger ones.
fn hull<W: Width>(a: &Zone<W>, b: &Zone<W>) -> Zone<W> {
    let bounds: Vec<Bound<W>> =
        a.as_slice().iter().zip(b.as_slice()).map(|(&a, &b)| a.max(b)).collect();
    Zone::from_slice(a.dim(), &bounds)
}

impl<W: Width> DiscreteState<W> {
    /// Adds the valuations from which time leads into `zone`, as far as the invariant allows;
    /// whether there are any.
    fn settle(&self, zone: &mut Zone<W>) -> bool {
        if !constrain(zone, self, &self.invariant) {
            return false;
        }
        if self.delays {
            zone.past();
            // Lower bounds of invariants hold at arrival, and forbid earlier arrivals.
            return constrain(zone, self, &self.invariant);
        }
        true
    }
}

/// Keeps what satisfies constraints on rows over all clocks; whether anything is left. A clock that
/// is not active is free.
fn constrain<W: Width>(
    zone: &mut Zone<W>,
    state: &DiscreteState<W>,
    constraints: &[ZoneConstraint<W>],
) -> bool {
    constraints.iter().all(|c| match (position(&state.rows, c.x), position(&state.rows, c.y)) {
        (Some(x), Some(y)) => zone.constrain(x, y, c.bound).is_ok(),
        _ => true,
    })
}
