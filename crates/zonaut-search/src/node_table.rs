//! The nodes of a search: their parents, costs and labels.

use zonaut_base::Id;
use zonaut_space::{Cost, NodeId, StopReason};

use crate::coverage::Coverage;
use crate::growth::{bytes_of, refused, reserve_one};
use crate::spill::{Form, Outlet, Segments, Spilling};

/// The number of arrivals in a segment of a file.
#[cfg(not(test))]
const SEGMENT: usize = 1 << 12;
#[cfg(test)]
const SEGMENT: usize = 1 << 2;

/// The edge by which a node was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge<Step> {
    /// The parent: a node of the same table or, if the search has several workers, its number among
    /// the nodes of all of them.
    pub from: NodeId,
    /// The step from the parent.
    pub step: Step,
}

/// The first arrival, the cost, the expansion flag and the label of every node of a search.
///
/// The table grows beside the store and keeps evicted nodes, so that covering never breaks a path
/// and reading a path never changes the exploration. Costs are depths by default; labels and
/// covered nodes take no memory in searches without them.
#[derive(Clone, Debug)]
pub struct NodeTable<Step, C = u32, L = ()> {
    /// The number of initial nodes; they come first.
    roots: usize,
    /// The arrivals of the other nodes, in order, without the first ones, which are in a file.
    arrivals: Vec<Edge<Step>>,
    spilled: Option<Box<Segments<Edge<Step>>>>,
    spill: Option<Box<Spill<Step>>>,
    costs: Vec<C>,
    /// One bit per node.
    expanded: Vec<u64>,
    labels: Vec<L>,
    coverage: Coverage,
}

/// The file to which a table may move arrivals, and their form there.
#[derive(Clone, Debug)]
struct Spill<Step> {
    outlet: Outlet,
    edges: Form<Edge<Step>>,
}

impl<Step: Copy, C: Cost, L> NodeTable<Step, C, L> {
    /// The empty table.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            roots: 0,
            arrivals: Vec::new(),
            spilled: None,
            spill: None,
            costs: Vec::new(),
            expanded: Vec::new(),
            labels: Vec::new(),
            coverage: Coverage::new(),
        }
    }

    /// The same table, which may [spill](Self::spill) arrivals.
    #[must_use]
    pub(crate) fn spilling<Item>(mut self, spilling: &Spilling<Step, Item>) -> Self {
        let outlet = Outlet::new(&spilling.overflow);
        self.spill = Some(Box::new(Spill { outlet, edges: spilling.edges }));
        self
    }

    /// An empty table, which may spill if this one may.
    pub(crate) fn emptied(&self) -> Self {
        Self { spill: self.spill.clone(), ..Self::new() }
    }

    /// Moves the arrivals to a file, except those of the last nodes, which do not fill a segment.
    ///
    /// # Errors
    /// If the file cannot be written; then they stay in memory.
    pub(crate) fn spill(&mut self) -> Result<(), StopReason> {
        let Some(spill) = &mut self.spill else { return Ok(()) };
        if self.arrivals.len() < SEGMENT {
            return Ok(());
        }
        let file = spill.outlet.file()?;
        let segments =
            self.spilled.get_or_insert_with(|| Box::new(Segments::new(file, spill.edges, SEGMENT)));
        let mut moved = 0;
        let written = self.arrivals.chunks_exact(SEGMENT).try_for_each(|segment| {
            segments.push(segment)?;
            moved += segment.len();
            Ok(())
        });
        self.arrivals.drain(..moved);
        self.arrivals.shrink_to_fit();
        written
    }

    /// Reserves room for one more node, so that adding it cannot fail.
    ///
    /// # Errors
    /// When memory runs out.
    #[inline]
    pub fn reserve(&mut self) -> Result<(), StopReason> {
        reserve_one(&mut self.arrivals)?;
        reserve_one(&mut self.costs)?;
        reserve_one(&mut self.labels)?;
        reserve_one(&mut self.expanded)
    }

    /// Adds the next node, for which room is reserved: a root, or the target of an edge. Roots come
    /// first.
    pub fn add(&mut self, arrival: Option<Edge<Step>>, cost: C, label: L) -> NodeId {
        let node = NodeId::from_index(self.costs.len());
        if node.index().is_multiple_of(64) {
            self.expanded.push(0);
        }
        match arrival {
            Some(edge) => self.arrivals.push(edge),
            None => {
                debug_assert!(self.arrivals.is_empty() && self.spilled.is_none());
                self.roots += 1;
            }
        }
        self.costs.push(cost);
        self.labels.push(label);
        node
    }

    /// The costs of all nodes, by id.
    #[must_use]
    pub fn costs(&self) -> &[C] {
        &self.costs
    }

    /// The cost of `node`: its depth, unless the search has other costs.
    #[must_use]
    pub fn cost(&self, node: NodeId) -> C {
        self.costs[node.index()]
    }

    /// The label of `node`.
    #[must_use]
    pub fn label(&self, node: NodeId) -> &L {
        &self.labels[node.index()]
    }

    /// The label of `node`, mutably.
    pub fn label_mut(&mut self, node: NodeId) -> &mut L {
        &mut self.labels[node.index()]
    }

    /// Records that `node` is expanded.
    pub fn mark_expanded(&mut self, node: NodeId) {
        self.expanded[node.index() / 64] |= 1 << (node.index() % 64);
    }

    /// Whether `node` is expanded.
    #[must_use]
    pub fn is_expanded(&self, node: NodeId) -> bool {
        self.expanded[node.index() / 64] >> (node.index() % 64) & 1 == 1
    }

    /// The covering relation between stored nodes.
    #[must_use]
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// The covering relation between stored nodes, mutably.
    pub fn coverage_mut(&mut self) -> &mut Coverage {
        &mut self.coverage
    }

    /// The number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.costs.len()
    }

    /// Whether the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.costs.is_empty()
    }

    /// The parent of `node` and the step from it; `None` for a root, or if they cannot be read back.
    #[must_use]
    pub fn arrival(&self, node: NodeId) -> Option<Edge<Step>> {
        let index = node.index().checked_sub(self.roots)?;
        let Some(segments) = &self.spilled else { return Some(self.arrivals[index]) };
        match index.checked_sub(segments.len() * SEGMENT) {
            Some(index) => Some(self.arrivals[index]),
            None => {
                let mut edges = Vec::new();
                segments.read(index, 1, &mut edges).ok().and_then(|()| edges.pop())
            }
        }
    }

    /// The memory held, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        bytes_of(&self.arrivals)
            + bytes_of(&self.costs)
            + bytes_of(&self.expanded)
            + bytes_of(&self.labels)
            + self.spilled.as_ref().map_or(0, |segments| segments.bytes())
            + self.coverage.bytes()
    }

    /// Appends the nodes of another table, whose parents `dense` numbers in this one, behind those
    /// of this one. Only the first table that is appended may have roots.
    ///
    /// # Errors
    /// When memory or node numbers run out.
    pub fn append(
        &mut self,
        other: &Self,
        dense: impl Fn(NodeId) -> NodeId,
    ) -> Result<(), StopReason>
    where
        L: Copy,
    {
        if self.len() + other.len() > u32::MAX as usize {
            return Err(StopReason::NodeLimit);
        }
        self.arrivals.try_reserve_exact(other.arrivals.len()).map_err(refused)?;
        self.costs.try_reserve_exact(other.costs.len()).map_err(refused)?;
        for node in (0..other.len()).map(NodeId::from_index) {
            self.reserve()?;
            let arrival = other.arrival(node);
            if arrival.is_none() && node.index() >= other.roots {
                // It could not be read back.
                return Err(StopReason::MemoryLimit);
            }
            let arrival = arrival.map(|Edge { from, step }| Edge { from: dense(from), step });
            let added = self.add(arrival, other.cost(node), *other.label(node));
            if other.is_expanded(node) {
                self.mark_expanded(added);
            }
            if other.spilled.is_some() && self.arrivals.len() >= SEGMENT {
                self.spill()?;
            }
        }
        Ok(())
    }

    /// The edges from `node` back to its root.
    fn edges_to_root(&self, node: NodeId) -> impl Iterator<Item = Edge<Step>> {
        std::iter::successors(self.arrival(node), |edge| self.arrival(edge.from))
    }

    /// The nodes from the root to `node`, both included.
    #[must_use]
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path = vec![node];
        path.extend(self.edges_to_root(node).map(|edge| edge.from));
        path.reverse();
        path
    }

    /// The steps from the root to `node`.
    #[must_use]
    pub fn steps(&self, node: NodeId) -> Vec<Step> {
        let mut steps: Vec<Step> = self.edges_to_root(node).map(|edge| edge.step).collect();
        steps.reverse();
        steps
    }
}

impl<Step: Copy, C: Cost, L> Default for NodeTable<Step, C, L> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spill::in_memory::{InMemory, spilling};

    #[test]
    fn tables_of_workers_join_to_one_with_dense_parents() {
        // The nodes of two workers, numbered in turn: even numbers are those of the first one.
        let edge = |from, step| Some(Edge { from: NodeId::from_index(from), step });
        let mut tables = [NodeTable::<char>::new(), NodeTable::new()];
        let nodes =
            [(0, None, 0), (1, edge(0, 'a'), 1), (0, edge(1, 'b'), 2), (1, edge(2, 'c'), 3)];
        for (worker, arrival, cost) in nodes {
            assert_eq!(tables[worker].reserve(), Ok(()));
            tables[worker].add(arrival, cost, ());
        }
        tables[1].mark_expanded(NodeId::from_index(0));
        let mut all = NodeTable::new();
        let dense = |node: NodeId| NodeId::from_index(2 * (node.index() % 2) + node.index() / 2);
        for table in &tables {
            assert_eq!(all.append(table, dense), Ok(()));
        }
        assert_eq!(all.steps(NodeId::from_index(3)), ['a', 'b', 'c']);
        assert_eq!(all.costs(), [0, 2, 1, 3]);
        let expanded = (0..4).filter(|&node| all.is_expanded(NodeId::from_index(node)));
        assert_eq!(expanded.collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn spilled_arrivals_are_read_back() {
        let files = InMemory::within(usize::MAX, usize::MAX);
        let (mut table, mut spilled) =
            (NodeTable::<u32>::new(), NodeTable::new().spilling(&spilling(&files)));
        for node in 0..500_usize {
            let from = |node: usize| NodeId::from_index((node * 7 % 13) * node / 13);
            let arrival = (node > 2).then(|| Edge { from: from(node), step: node as u32 });
            for table in [&mut table, &mut spilled] {
                assert_eq!(table.reserve(), Ok(()));
                table.add(arrival, 0, ());
            }
            if node % 11 == 0 {
                assert_eq!(spilled.spill(), Ok(()));
            }
        }
        assert!(spilled.bytes() < table.bytes());
        let mut joined = spilled.emptied();
        assert_eq!(joined.append(&spilled, |node| node), Ok(()));
        for node in (0..500).map(NodeId::from_index) {
            assert_eq!(spilled.arrival(node), table.arrival(node));
            assert_eq!(joined.path(node), table.path(node));
        }
        assert!(files.reads_left() < usize::MAX - 500);
    }

    #[test]
    fn a_parent_takes_four_bytes() {
        assert_eq!(size_of::<Edge<u32>>(), 8);
    }
}
