//! Distances of clock valuations, computed backwards from the goal.
//!
//! For every discrete state the pass computes the valuations from which the goal is reachable by
//! steps of weight at most n, as zones, the nearest ones first. A layer is the pre-image of a
//! nearer layer under one transition with the delay before it. Nothing is widened, so that
//! distances are those of the abstract model, apart from the constraints that [`crate::skeleton`]
//! drops, which makes them smaller.
//!
//! Without widening the number of zones is still finite: every one is a union of regions of the
//! constants that occur. But it can be very large, so that zones are joined if a discrete state has
//! too many zones of one distance: further ones are joined with the last into their hull, which
//! contains more valuations than both and so makes distances smaller. If there are too many zones
//! relative to the explored states, the pass ends: it proceeds outwards from the goal, so that
//! valuations that it did not reach are farther away than the current layer by the weight of the
//! lightest transition at least.

use crate::faults::{Clause, is_disabled};
use crate::meter_poll::MeterPoll;
use crate::skeleton::{DiscreteState, DiscreteTransition, Skeleton};
use std::collections::BTreeMap;
use zonaut_dbm::{Bound, Emptied, Width, Zone, includes_slices};
use zonaut_zonegraph::{before_delay, before_effects, restrict};

/// Number of zones of one distance that a discrete state may have before further ones are joined.
const ZONES_PER_LAYER: usize = 8;

/// Number of zones for each explored state, and minimum number, after which the pass ends.
const ZONES_PER_STATE: usize = 4;
const ZONES_AT_LEAST: usize = 10_000;

/// The valuations of one discrete state with a known distance, by ascending distance.
pub(crate) type Layers<W> = Vec<(u32, Zone<W>)>;

/// Zones of one distance, with the numbers of their discrete states.
type Layer<W> = Vec<(u32, Zone<W>)>;

/// The result of the backward pass.
pub(crate) struct Distances<W: Width> {
    /// The layers by discrete state.
    pub(crate) layers: Vec<Layers<W>>,
    /// The least distance of valuations in no layer; `None` if it is infinite.
    pub(crate) horizon: Option<u32>,
}

/// Computes the distances in the skeleton of `explored` states. `may_go_on` is called regularly
/// with the number of zones. If `meter_poll` finds that the meter has stopped, the result is
/// meaningless.
pub(crate) fn distances<W: Width>(
    skeleton: &Skeleton<W>,
    explored: usize,
    meter_poll: &mut MeterPoll<'_>,
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
        if meter_poll.is_over() {
            return pass.end_at(0);
        }
        // A state that was not expanded may be a goal.
        let demands = if state.is_open { Some([].as_slice()) } else { state.goal.as_deref() };
        if let Some(demands) = demands {
            let mut zone = Zone::universe(state.rows.len());
            let demands = demands.iter().copied();
            if restrict(&mut zone, &state.rows, demands).is_ok() && state.settle(&mut zone).is_ok()
            {
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
                // One state can have very many incoming transitions.
                if meter_poll.is_over() {
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
    /// By distance, the zones that were added and not processed, in the order of discovery.
    waiting: BTreeMap<u32, Layer<W>>,
    zones: usize,
}

impl<W: Width> Pass<'_, W> {
    /// Adds a zone unless it is included in one with a smaller or equal distance.
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

    /// Ends the pass early. Valuations in no layer, or in one that may still get nearer, have at
    /// least the distance `horizon`.
    fn end_at(mut self, horizon: u32) -> Distances<W> {
        if !is_disabled(Clause::FarHorizon) {
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
        restrict(&mut before, &source.rows, transition.guard.iter().copied()).ok()?;
        source.settle(&mut before).ok()?;
        Some(before)
    }
}

/// The smallest zone that contains both. The matrix of the larger bounds is canonical: each is at
/// most a sum of bounds of one of the zones, and so of larger ones.
fn hull<W: Width>(a: &Zone<W>, b: &Zone<W>) -> Zone<W> {
    let bounds: Vec<Bound<W>> =
        a.as_slice().iter().zip(b.as_slice()).map(|(&a, &b)| a.max(b)).collect();
    Zone::from_slice(a.dim(), &bounds)
}

impl<W: Width> DiscreteState<W> {
    /// Extends `zone` by the valuations from which a delay leads into it, within the invariant.
    fn settle(&self, zone: &mut Zone<W>) -> Result<(), Emptied> {
        let invariant = self.invariant.iter().copied();
        match self.delays {
            true => before_delay(zone, &self.rows, invariant),
            false => restrict(zone, &self.rows, invariant),
        }
    }
}
