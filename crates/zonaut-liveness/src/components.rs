//! Strongly connected components of a graph of nodes.
//!
//! R. Tarjan: "Depth-first search and linear graph algorithms" (DOI 10.1137/0201010), with a stack
//! of its own instead of recursion. A component is completed after all components that it leads to,
//! so in an acyclic graph the order of completion ranks nodes: edges lead to smaller ranks.

use zonaut_base::Id;
use zonaut_space::NodeId;

/// A finite graph whose nodes are numbered from 0.
pub(crate) trait Graph {
    /// The number of nodes.
    fn node_count(&self) -> usize;
    /// Whether `node` belongs to the graph.
    fn contains(&self, node: NodeId) -> bool;
    /// The targets of the edges that leave `node`; targets outside the graph are ignored.
    fn targets(&self, node: NodeId) -> &[NodeId];
}

/// The strongly connected components of a graph.
#[derive(Debug)]
pub(crate) struct Components {
    /// The components with a cycle.
    pub(crate) cyclic: Vec<Vec<NodeId>>,
    /// By node, the number of its component in the order of completion.
    pub(crate) ranks: Vec<u32>,
}

/// A node that was not visited yet.
const UNSEEN: u32 = u32::MAX;

/// A node on the path of the traversal, and the number of its edges that were followed.
struct Visit {
    node: NodeId,
    followed: usize,
}

struct Traversal<'g, G> {
    graph: &'g G,
    /// By node, the number of the visit; [`UNSEEN`] before it.
    order: Vec<u32>,
    /// By node, the least number that is known to be reachable in the same component.
    low: Vec<u32>,
    /// By node, whether it waits for its component.
    is_open: Vec<bool>,
    open: Vec<NodeId>,
    path: Vec<Visit>,
    visited: u32,
    completed: u32,
    components: Components,
}

impl Components {
    /// The components of `graph`.
    pub(crate) fn of<G: Graph>(graph: &G) -> Self {
        let count = graph.node_count();
        let mut traversal = Traversal {
            graph,
            order: vec![UNSEEN; count],
            low: vec![0; count],
            is_open: vec![false; count],
            open: Vec::new(),
            path: Vec::new(),
            visited: 0,
            completed: 0,
            components: Self { cyclic: Vec::new(), ranks: vec![0; count] },
        };
        for node in (0..count).map(NodeId::from_index) {
            if graph.contains(node) && traversal.order[node.index()] == UNSEEN {
                traversal.visit_from(node);
            }
        }
        traversal.components
    }
}

impl<G: Graph> Traversal<'_, G> {
    fn visit_from(&mut self, root: NodeId) {
        self.enter(root);
        while let Some(visit) = self.path.last_mut() {
            let node = visit.node;
            let target = self.graph.targets(node).get(visit.followed).copied();
            visit.followed += 1;
            match target {
                Some(target) => self.follow(node, target),
                None => self.leave(node),
            }
        }
    }

    fn enter(&mut self, node: NodeId) {
        self.order[node.index()] = self.visited;
        self.low[node.index()] = self.visited;
        self.visited += 1;
        self.is_open[node.index()] = true;
        self.open.push(node);
        self.path.push(Visit { node, followed: 0 });
    }

    fn follow(&mut self, node: NodeId, target: NodeId) {
        if !self.graph.contains(target) {
            return;
        }
        if self.order[target.index()] == UNSEEN {
            self.enter(target);
        } else if self.is_open[target.index()] {
            self.lower(node, self.order[target.index()]);
        }
    }

    fn lower(&mut self, node: NodeId, order: u32) {
        let low = &mut self.low[node.index()];
        *low = order.min(*low);
    }

    fn leave(&mut self, node: NodeId) {
        self.path.pop();
        if let Some(parent) = self.path.last() {
            self.lower(parent.node, self.low[node.index()]);
        }
        if self.low[node.index()] == self.order[node.index()] {
            self.complete(node);
        }
    }

    /// Completes the component whose first node is `root`.
    fn complete(&mut self, root: NodeId) {
        let start = self.open.iter().rposition(|&node| node == root).unwrap_or_default();
        let members = self.open.split_off(start);
        for &member in &members {
            self.is_open[member.index()] = false;
            self.components.ranks[member.index()] = self.completed;
        }
        self.completed += 1;
        if members.len() > 1 || self.graph.targets(root).contains(&root) {
            self.components.cyclic.push(members);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_testkit::random::Random;

    struct Toy(Vec<Vec<NodeId>>);

    impl Graph for Toy {
        fn node_count(&self) -> usize {
            self.0.len()
        }
        fn contains(&self, node: NodeId) -> bool {
            node.index() != 0
        }
        fn targets(&self, node: NodeId) -> &[NodeId] {
            &self.0[node.index()]
        }
    }

    impl Toy {
        fn random(random: &mut Random) -> Self {
            let count = 1 + random.below(8);
            let target = |random: &mut Random| NodeId::from_index(random.below(count));
            let targets =
                |random: &mut Random| (0..random.below(3)).map(|_| target(random)).collect();
            Self((0..count).map(|_| targets(random)).collect())
        }

        /// Whether a path with at least one edge leads from one node to another.
        fn leads(&self, from: NodeId, to: NodeId) -> bool {
            let mut reached = vec![false; self.0.len()];
            let mut open = vec![from];
            while let Some(node) = open.pop() {
                for &target in self.targets(node).iter().filter(|&&target| self.contains(target)) {
                    if !std::mem::replace(&mut reached[target.index()], true) {
                        open.push(target);
                    }
                }
            }
            reached[to.index()]
        }
    }

    #[test]
    fn components_are_the_sets_of_nodes_that_lead_to_each_other() {
        let mut random = Random::new(11);
        let mut cycles = 0;
        for _ in 0..2_000 {
            let toy = Toy::random(&mut random);
            let found = Components::of(&toy);
            let nodes = || (1..toy.0.len()).map(NodeId::from_index);
            for node in nodes() {
                let component = found.cyclic.iter().find(|component| component.contains(&node));
                assert_eq!(component.is_some(), toy.leads(node, node));
                for other in nodes().filter(|&other| other != node) {
                    let is_together = component.is_some_and(|c| c.contains(&other));
                    let is_expected = toy.leads(node, other) && toy.leads(other, node);
                    assert_eq!(is_together, is_expected);
                    if toy.leads(node, other) && !is_expected {
                        assert!(found.ranks[other.index()] < found.ranks[node.index()]);
                    }
                }
            }
            cycles += found.cyclic.len();
        }
        assert!(cycles > 500, "{cycles}");
    }
}
