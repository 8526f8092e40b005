//! The eager clock domain: labels keep the zone, as the abstraction of the zone graph leaves it.

use crate::domain::{
    ClockDomain, DraftLabel, Exact, Labelled, LazyDomain, Obstacle, TransitionRecord,
};
use crate::proof::Region;
use zonaut_dbm::{Width, alu_includes_slices, includes_slices};
use zonaut_zonegraph::Comparison;

/// Labels are the zones of nodes, compared as in an eager search.
#[derive(Clone, Copy, Debug)]
pub struct Eager {
    comparison: Comparison,
}

impl Eager {
    /// The domain for zones with this comparison.
    #[must_use]
    pub fn new(comparison: Comparison) -> Self {
        Self { comparison }
    }

    fn covers<W: Width>(self, larger: Exact<'_, W>, smaller: Exact<'_, W>) -> bool {
        if larger.shares_zone(&smaller) {
            return true;
        }
        match self.comparison {
            Comparison::Equality => larger.zone == smaller.zone,
            Comparison::Inclusion => includes_slices(larger.zone, smaller.zone),
            Comparison::Simulation => {
                let active = larger.active;
                alu_includes_slices(larger.zone, smaller.zone, &active.lower, &active.upper)
            }
        }
    }
}

impl<W: Width> LazyDomain<W> for Eager {
    type Label = ();
    type Draft = ();

    fn weakest(&mut self, _exact: Exact<'_, W>) {}

    fn draft(&self, _node: Labelled<'_, W, ()>, _draft: &mut ()) {}

    fn may_cover(&self, larger: Labelled<'_, W, ()>, smaller: Exact<'_, W>) -> bool {
        self.covers(larger.exact, smaller)
    }

    fn strengthen_to_cover(&mut self, _larger: Labelled<'_, W, ()>, _draft: &mut ()) {}

    fn strengthen_to_block(&mut self, _: Exact<'_, W>, _: Obstacle<'_, W>, _draft: &mut ()) {}

    fn before(
        &mut self,
        _: &TransitionRecord<W>,
        _: [Exact<'_, W>; 2],
        _learnt: &(),
        _into: &mut (),
    ) {
    }

    fn label_of(&mut self, _draft: &()) -> DraftLabel<()> {
        DraftLabel { label: (), is_new: false }
    }

    fn still_covered(&self, larger: Labelled<'_, W, ()>, smaller: Labelled<'_, W, ()>) -> bool {
        self.covers(larger.exact, smaller.exact)
    }

    fn bytes(&self) -> usize {
        0
    }
}

impl<W: Width> ClockDomain<W> for Eager {
    fn region<'e>(&'e self, node: Labelled<'e, W, ()>) -> Region<'e, W> {
        let Exact { zone, active, .. } = node.exact;
        let is_by_bounds = self.comparison == Comparison::Simulation;
        Region { zone, bounds: is_by_bounds.then_some((&active.lower[..], &active.upper[..])) }
    }
}
