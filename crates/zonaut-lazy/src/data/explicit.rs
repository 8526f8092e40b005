//! The explicit data domain: labels fix all data.

use super::layout::{Layout, is_within};
use crate::domain::{
    DataDomain, DraftLabel, Exact, Labelled, LazyDomain, Obstacle, TransitionRecord,
};
use zonaut_compile::CompiledNetwork;
use zonaut_dbm::Width;

/// Labels fix all data, and cover only nodes with the same data.
#[derive(Clone, Debug)]
pub struct Explicit {
    all: Box<[u64]>,
}

impl Explicit {
    /// The domain for states of `network`.
    #[must_use]
    pub fn new(network: &CompiledNetwork) -> Self {
        Self { all: Layout::new(network).all().into() }
    }
}

impl DataDomain for Explicit {
    fn visible(&self, _label: u32) -> &[u64] {
        &self.all
    }

    fn fixes_all_data(&self) -> bool {
        true
    }
}

impl<W: Width> LazyDomain<W> for Explicit {
    type Label = u32;
    type Draft = ();

    fn weakest(&mut self, _exact: Exact<'_, W>) -> u32 {
        0
    }

    fn draft(&self, _node: Labelled<'_, W, u32>, _draft: &mut ()) {}

    fn may_cover(&self, larger: Labelled<'_, W, u32>, smaller: Exact<'_, W>) -> bool {
        larger.exact.key == smaller.key
    }

    fn strengthen_to_cover(&mut self, _larger: Labelled<'_, W, u32>, _draft: &mut ()) {}

    fn strengthen_to_block(&mut self, _: Exact<'_, W>, _: Obstacle<'_, W>, _draft: &mut ()) {}

    fn before(
        &mut self,
        _: &TransitionRecord<W>,
        _: [Exact<'_, W>; 2],
        _learnt: &(),
        _into: &mut (),
    ) {
    }

    fn label_of(&mut self, _draft: &()) -> DraftLabel<u32> {
        DraftLabel { label: 0, is_new: false }
    }

    fn still_covered(&self, larger: Labelled<'_, W, u32>, smaller: Labelled<'_, W, u32>) -> bool {
        debug_assert!(is_within(larger.exact.key, &self.all));
        larger.exact.key == smaller.exact.key
    }

    fn bytes(&self) -> usize {
        0
    }
}
