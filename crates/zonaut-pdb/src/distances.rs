//! Distances in a graph, backwards from its sources.

use zonaut_base::Id;
use zonaut_space::NodeId;

/// No source can be reached.
pub(crate) const UNREACHABLE: u32 = u32::MAX;

/// By node, the number of edges on a shortest way to one of `sources`.
pub(crate) fn distances(nodes: usize, edges: &[(NodeId, NodeId)], sources: &[NodeId]) -> Vec<u32> {
    // The edges by target: those of one target are neighbours.
    let mut first = vec![0u32; nodes + 1];
    for (_, to) in edges {
        first[to.index() + 1] += 1;
    }
    for node in 0..nodes {
        first[node + 1] += first[node];
    }
    let mut next = first.clone();
    let mut origins = vec![0u32; edges.len()];
    for (from, to) in edges {
        let slot = &mut next[to.index()];
        origins[*slot as usize] = from.index() as u32;
        *slot += 1;
    }
    let mut distances = vec![UNREACHABLE; nodes];
    let mut queue: Vec<usize> = sources.iter().map(|source| source.index()).collect();
    queue.iter().for_each(|&source| distances[source] = 0);
    let mut position = 0;
    while let Some(&node) = queue.get(position) {
        position += 1;
        for &origin in &origins[first[node] as usize..first[node + 1] as usize] {
            let origin = origin as usize;
            if distances[origin] == UNREACHABLE {
                distances[origin] = distances[node] + 1;
                queue.push(origin);
            }
        }
    }
    distances
}
