//! Covered nodes that are stored, because their coverers may stop covering them.

use zonaut_base::Id;
use zonaut_space::{NodeId, StopReason};

use crate::growth::{bytes_of, refused};

/// The absence of a node.
const NONE: u32 = u32::MAX;

/// The covering relation between stored nodes.
///
/// Every node that covers others has a list of them, linked through the covered nodes. Memory is
/// allocated when the first node is covered.
#[derive(Clone, Default, Debug)]
pub struct Coverage {
    /// By node.
    links: Vec<Links>,
}

#[derive(Clone, Copy, Debug)]
struct Links {
    /// The coverer of this node.
    coverer: u32,
    /// The next node that has the same coverer.
    next: u32,
    /// The first node that this one covers.
    first: u32,
}

impl Links {
    const NONE: Self = Self { coverer: NONE, next: NONE, first: NONE };
}

impl Coverage {
    pub(crate) const fn new() -> Self {
        Self { links: Vec::new() }
    }

    /// The coverer of `node`.
    #[must_use]
    pub fn coverer(&self, node: NodeId) -> Option<NodeId> {
        let links = self.links.get(node.index())?;
        (links.coverer != NONE).then(|| NodeId::from_index(links.coverer as usize))
    }

    /// Whether `node` is covered.
    #[must_use]
    pub fn is_covered(&self, node: NodeId) -> bool {
        self.coverer(node).is_some()
    }

    /// Records that `node`, which has no coverer yet, is covered by another one.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn cover(&mut self, node: NodeId, by: NodeId) -> Result<(), StopReason> {
        debug_assert!(node != by && !self.is_covered(node));
        self.make_room(node.index().max(by.index()) + 1)?;
        let next = self.links[by.index()].first;
        self.links[by.index()].first = node.index() as u32;
        let links = &mut self.links[node.index()];
        (links.coverer, links.next) = (by.index() as u32, next);
        Ok(())
    }

    /// Uncovers the nodes that `by` no longer covers, and reports them.
    pub fn uncover(
        &mut self,
        by: NodeId,
        mut is_still_covered: impl FnMut(NodeId) -> bool,
        mut uncovered: impl FnMut(NodeId),
    ) {
        let Some(links) = self.links.get_mut(by.index()) else { return };
        let mut next = std::mem::replace(&mut links.first, NONE);
        while next != NONE {
            let current = next as usize;
            let node = NodeId::from_index(current);
            next = self.links[current].next;
            if is_still_covered(node) {
                self.links[current].next = self.links[by.index()].first;
                self.links[by.index()].first = current as u32;
            } else {
                (self.links[current].coverer, self.links[current].next) = (NONE, NONE);
                uncovered(node);
            }
        }
    }

    fn make_room(&mut self, nodes: usize) -> Result<(), StopReason> {
        if nodes > self.links.len() {
            let missing = nodes - self.links.len();
            self.links.try_reserve(missing).map_err(refused)?;
            self.links.resize(nodes, Links::NONE);
        }
        Ok(())
    }

    /// The memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of(&self.links)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::Random;

    #[test]
    fn coverage_agrees_with_a_plain_map() {
        let node = NodeId::from_index;
        let mut random = Random::new(1);
        let mut coverage = Coverage::new();
        let mut map: BTreeMap<usize, usize> = BTreeMap::new();
        for _ in 0..5_000 {
            let (one, two) = (random.below(40), random.below(40));
            if one != two && !map.contains_key(&one) {
                coverage.cover(node(one), node(two)).expect("memory");
                map.insert(one, two);
            }
            if random.below(4) == 0 {
                let (by, parity) = (random.below(50), random.below(2));
                let stays = |covered: usize| covered % 2 == parity;
                let mut uncovered = Vec::new();
                coverage.uncover(node(by), |n| stays(n.index()), |n| uncovered.push(n.index()));
                uncovered.sort_unstable();
                let gone = map.iter().filter(|&(&n, &c)| c == by && !stays(n));
                assert_eq!(uncovered, gone.map(|(&n, _)| n).collect::<Vec<_>>());
                map.retain(|&n, &mut c| c != by || stays(n));
            }
            for n in 0..50 {
                assert_eq!(coverage.coverer(node(n)), map.get(&n).map(|&c| node(c)));
            }
        }
    }

    #[test]
    fn an_empty_coverage_allocates_nothing() {
        assert_eq!(Coverage::new().bytes(), 0);
        assert!(!Coverage::new().is_covered(NodeId::from_index(3)));
    }
}
