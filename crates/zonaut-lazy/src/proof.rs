//! Proofs of unreachability: the labels of the expanded nodes of an exhausted lazy search.
//!
//! They are closed under all transitions of the network: a step from a state in the label of an
//! expanded node leads into the label of a child, which is expanded or covered by a node that is.
//! So they can be checked without knowledge of the search.

use crate::cover_index::CoverIndex;
use crate::data::{CellRange, Layout};
use crate::domain::{ClockDomain, DataDomain, Labelled, Pair};
use crate::store::Store;
use std::fmt::Debug;
use zonaut_base::Id;
use zonaut_compile::ClockRow;
use zonaut_dbm::{Bound, Width};
use zonaut_model::CellId;
use zonaut_search::NodeTable;
use zonaut_space::NodeId;
use zonaut_zonegraph::{Step, SymbolicState};

/// The clock part of the label of an expanded node.
#[derive(Clone, Copy, Debug)]
pub struct Region<'p, W: Width> {
    /// The bounds of a zone.
    pub zone: &'p [Bound<W>],
    /// Lower and upper bounds by row; then the label is the set of valuations that some valuation
    /// of the zone simulates with these bounds.
    pub bounds: Option<(&'p [i32], &'p [i32])>,
}

/// The label of an expanded node.
#[derive(Clone, Copy, Debug)]
pub struct ProofNode<'p, W: Width> {
    /// Locations and cells.
    pub values: &'p [i32],
    /// The cells without any constraint, ascending.
    pub unconstrained: &'p [CellId],
    /// The cells that are constrained to a range, ascending.
    pub ranges: &'p [CellRange],
    /// The clocks of the zone, the reference clock first.
    pub rows: &'p [ClockRow],
    /// The clock part.
    pub region: Region<'p, W>,
}

/// The labels of all expanded nodes.
///
/// # Laws
/// The nodes have the positions from 0 to `len` in every call. Either all have bounds or none has.
/// Every reachable state is in one of them.
pub trait Proof<W: Width>: Debug + Send {
    /// The number of nodes.
    fn len(&self) -> usize;

    /// Whether there are no nodes: then no state is reachable.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `show` with a node.
    fn with_node(&self, position: usize, show: &mut dyn FnMut(ProofNode<'_, W>));

    /// The successor relation between nodes: pairs of positions, ascending.
    fn successors(&self) -> Vec<(usize, usize)>;
}

/// The nodes of a finished search.
#[derive(Debug)]
pub(crate) struct LabelledNodes<'g, W: Width, D, C: ClockDomain<W>> {
    pub(crate) layout: Layout,
    pub(crate) store: Store<'g, W>,
    pub(crate) cover_index: CoverIndex,
    pub(crate) nodes: NodeTable<Step, u32, (u32, C::Label)>,
    pub(crate) domain: Pair<D, C>,
    pub(crate) expanded: Vec<NodeId>,
}

impl<W: Width, D, C> Proof<W> for LabelledNodes<'_, W, D, C>
where
    D: DataDomain + Debug,
    C: ClockDomain<W> + Debug,
{
    fn len(&self) -> usize {
        self.expanded.len()
    }

    fn with_node(&self, position: usize, show: &mut dyn FnMut(ProofNode<'_, W>)) {
        let node = self.expanded[position];
        let mut state = SymbolicState::buffer();
        self.store.load(node, &mut state);
        let (data, clocks) = *self.nodes.label(node);
        let visible = self.domain.data.visible(data);
        let hidden: Vec<u64> = self.layout.all().iter().zip(visible).map(|(a, v)| a & !v).collect();
        let ranges = self.domain.data.ranges(data);
        let is_free = |cell: &CellId| !ranges.iter().any(|range| range.cell == *cell);
        let mut unconstrained: Vec<CellId> = self.layout.cells(&hidden).filter(is_free).collect();
        unconstrained.sort_unstable();
        let exact = self.store.exact(node, &self.cover_index);
        let region = self.domain.clocks.region(Labelled { exact, label: clocks });
        let rows = &exact.active.rows;
        show(ProofNode {
            values: &state.values,
            unconstrained: &unconstrained,
            ranges,
            rows,
            region,
        });
    }

    fn successors(&self) -> Vec<(usize, usize)> {
        let position = |node: NodeId| self.expanded.binary_search(&node).ok();
        let all = (0..self.nodes.len()).map(NodeId::from_index);
        let pair = |node: NodeId| {
            let from = self.nodes.arrival(node)?.from;
            // A coverer may have been covered itself before it was expanded.
            let mut to = node;
            while let Some(coverer) = self.nodes.coverage().coverer(to) {
                to = coverer;
            }
            Some((position(from)?, position(to)?))
        };
        let mut pairs: Vec<(usize, usize)> = all.filter_map(pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}
