//! The zone clock domain: interpolants along the paths to nodes.
//!
//! A label is a zone that contains the zone of its node. It is strengthened by interpolants, which
//! separate it from a zone that must be excluded, with as few bounds as possible. A zone that must
//! be excluded after a step must not be reachable from before it, so the negation of each bound is
//! propagated backwards through the step, one after the other (sequence refinement, see
//! [`interpolant`]).

use super::interpolant::{Atom, interpolant};
use crate::domain::{
    ActiveClockBounds, ClockDomain, DraftLabel, Exact, Labelled, LazyDomain, Obstacle,
    TransitionRecord,
};
use crate::interner::{Interner, Number};
use crate::proof::Region;
use zonaut_dbm::{Bound, Emptied, Width, Zone, includes_slices};
use zonaut_zonegraph::{ZoneConstraint, before_effects};

/// Labels are zones that contain the zones of their nodes.
#[derive(Clone, Debug, Default)]
pub struct ZoneInterpolation<W: Width> {
    labels: Interner<Bound<W>>,
    /// By label, bounds that describe it, computed on demand.
    facets: Vec<Option<Box<[Atom<W>]>>>,
}

/// A zone under strengthening.
#[derive(Clone, Debug)]
pub struct ZoneDraft<W: Width> {
    label: Number,
    zone: Zone<W>,
    /// The bounds that strengthened it.
    learnt: Vec<Atom<W>>,
}

impl<W: Width> Default for ZoneDraft<W> {
    fn default() -> Self {
        Self { label: 0, zone: Zone::origin(1), learnt: Vec::new() }
    }
}

impl<W: Width> ZoneDraft<W> {
    /// Adds a bound that the exact zone satisfies.
    fn learn(&mut self, atom: Atom<W>) {
        if self.zone.bound(atom.x, atom.y) > atom.bound {
            let left = self.zone.constrain(atom.x, atom.y, atom.bound);
            debug_assert!(left.is_ok(), "the exact zone is left");
            self.learnt.push(atom);
        }
    }

    /// Excludes `other`, which is disjoint from the exact zone.
    fn avoid(&mut self, exact: Exact<'_, W>, other: &Zone<W>) {
        if !self.zone.intersects(other) {
            return;
        }
        let own = Zone::from_slice(exact.active.rows.len(), exact.zone);
        #[cfg(feature = "faults")]
        let skipped = usize::from(crate::faults::Fault::AtomForgotten.is_selected());
        #[cfg(not(feature = "faults"))]
        let skipped = 0;
        for atom in interpolant(&own, other).into_iter().skip(skipped) {
            self.learn(atom);
        }
    }
}

fn constrain<W: Width>(
    zone: &mut Zone<W>,
    active: &ActiveClockBounds,
    constraints: &[ZoneConstraint<W>],
) -> Result<(), Emptied> {
    zone.constrain_all(
        constraints.iter().map(|c| (active.position(c.x), active.position(c.y), c.bound)),
    )
}

/// The valuations from which a transition leads to a violation of `atom`.
fn violating<W: Width>(
    transition: &TransitionRecord<W>,
    [source, target]: [Exact<'_, W>; 2],
    atom: Atom<W>,
) -> Option<Zone<W>> {
    let mut zone = Zone::universe(target.active.rows.len());
    constrain(&mut zone, target.active, &transition.departure).ok()?;
    zone.constrain(atom.y, atom.x, atom.bound.negated()).ok()?;
    #[cfg(feature = "faults")]
    let delayed = transition.delayed && !crate::faults::Fault::DelayForgotten.is_selected();
    #[cfg(not(feature = "faults"))]
    let delayed = transition.delayed;
    if delayed {
        zone.past();
    }
    constrain(&mut zone, target.active, &transition.arrival).ok()?;
    let (rows, rows_after) = (&source.active.rows, &target.active.rows);
    #[cfg(feature = "faults")]
    if crate::faults::Fault::EffectsForgotten.is_selected() {
        return before_effects(rows, rows_after, &[], &zone);
    }
    let mut zone = before_effects(rows, rows_after, &transition.effects, &zone)?;
    constrain(&mut zone, source.active, &transition.before).ok()?;
    Some(zone)
}

impl<W: Width> ZoneInterpolation<W> {
    /// Bounds that describe a label.
    fn facets(&mut self, label: Number) -> &[Atom<W>] {
        let index = label as usize;
        if self.facets.len() <= index {
            self.facets.resize(index + 1, None);
        }
        let bounds = self.labels.get(label);
        self.facets[index].get_or_insert_with(|| facets(bounds))
    }
}

/// Bounds that describe a zone.
fn facets<W: Width>(bounds: &[Bound<W>]) -> Box<[Atom<W>]> {
    let zone = Zone::from_slice(bounds.len().isqrt(), bounds);
    let atom = |(x, y, bound)| Atom { x, y, bound };
    zone.minimal_constraints().into_iter().map(atom).collect()
}

impl<W: Width> LazyDomain<W> for ZoneInterpolation<W> {
    type Label = Number;
    type Draft = ZoneDraft<W>;

    fn weakest(&mut self, exact: Exact<'_, W>) -> Number {
        self.labels.intern(Zone::universe(exact.active.rows.len()).as_slice())
    }

    fn draft(&self, node: Labelled<'_, W, Number>, draft: &mut ZoneDraft<W>) {
        draft.label = node.label;
        draft.zone.assign_slice(node.exact.active.rows.len(), self.labels.get(node.label));
        draft.learnt.clear();
    }

    fn may_cover(&self, larger: Labelled<'_, W, Number>, smaller: Exact<'_, W>) -> bool {
        includes_slices(self.labels.get(larger.label), smaller.zone)
    }

    fn strengthen_to_cover(&mut self, larger: Labelled<'_, W, Number>, draft: &mut ZoneDraft<W>) {
        for &atom in self.facets(larger.label) {
            draft.learn(atom);
        }
    }

    fn strengthen_to_block(
        &mut self,
        exact: Exact<'_, W>,
        obstacle: Obstacle<'_, W>,
        draft: &mut ZoneDraft<W>,
    ) {
        match obstacle {
            Obstacle::Clocks(constraints) => {
                let mut other = Zone::universe(exact.active.rows.len());
                if constrain(&mut other, exact.active, constraints).is_ok() {
                    draft.avoid(exact, &other);
                }
            }
            Obstacle::AllClocks => facets(exact.zone).iter().for_each(|&atom| draft.learn(atom)),
            _ => {}
        }
    }

    fn before(
        &mut self,
        transition: &TransitionRecord<W>,
        ends: [Exact<'_, W>; 2],
        learnt: &ZoneDraft<W>,
        into: &mut ZoneDraft<W>,
    ) {
        // A label equal to the exact zone leads into the target already, and cannot be
        // strengthened.
        if into.zone.as_slice() == ends[0].zone {
            return;
        }
        for &atom in &learnt.learnt {
            if let Some(other) = violating(transition, ends, atom) {
                into.avoid(ends[0], &other);
            }
        }
    }

    fn label_of(&mut self, draft: &ZoneDraft<W>) -> DraftLabel<Number> {
        let is_new = !draft.learnt.is_empty();
        let label = if is_new { self.labels.intern(draft.zone.as_slice()) } else { draft.label };
        DraftLabel { label, is_new }
    }

    fn still_covered(
        &self,
        larger: Labelled<'_, W, Number>,
        smaller: Labelled<'_, W, Number>,
    ) -> bool {
        larger.label == smaller.label
            || includes_slices(self.labels.get(larger.label), self.labels.get(smaller.label))
    }

    fn bytes(&self) -> usize {
        self.labels.bytes()
    }
}

impl<W: Width> ClockDomain<W> for ZoneInterpolation<W> {
    fn region<'e>(&'e self, node: Labelled<'e, W, Number>) -> Region<'e, W> {
        Region { zone: self.labels.get(node.label), bounds: None }
    }
}
