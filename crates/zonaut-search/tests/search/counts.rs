//! The expanded, stored and reported states are exactly those of a reference search.

use std::collections::VecDeque;

use zonaut_base::Id;
use zonaut_search::{
    AStar, Alternating, ArenaStore, Blind, Edge, Fifo, Frontier, Guided, Lifo, NodeTable, Outcome,
    Random, RandomDepthFirst, ReportOf, Search, Statistics, Ties, Uninformed,
};
use zonaut_space::{EmptyGoal, NodeId, Observer, PassedStore, Target};

use crate::toy::{State, Toy, ToyCovering, ToyEncoding};

const TOYS: u64 = 600;

type Store = ArenaStore<ToyEncoding, ToyCovering>;

fn toys() -> impl Iterator<Item = (u64, Toy)> {
    (0..TOYS).map(|seed| (seed, Toy::random(&mut Random::new(seed))))
}

/// Records all events and tracks the live nodes.
#[derive(Default)]
struct Chronicle {
    states: Vec<State>,
    live: Vec<bool>,
    expanded: Vec<NodeId>,
    edges: Vec<(NodeId, u32, Target)>,
    evictions: usize,
}

impl Observer<State, u32> for Chronicle {
    fn node_inserted(&mut self, node: NodeId, state: &State) {
        assert_eq!(node.index(), self.states.len());
        self.states.push(state.clone());
        self.live.push(true);
    }
    fn node_expanded(&mut self, node: NodeId) {
        assert!(self.live[node.index()], "{node:?} was evicted");
        assert!(!self.expanded.contains(&node), "{node:?} was expanded before");
        self.expanded.push(node);
    }
    fn edge(&mut self, from: NodeId, step: u32, target: Target) {
        assert_eq!(self.expanded.last(), Some(&from));
        assert!(self.live[target.node().index()]);
        assert!(
            target != Target::New(target.node()) || target.node().index() + 1 == self.live.len()
        );
        self.edges.push((from, step, target));
    }
    fn evicted(&mut self, node: NodeId, by: NodeId) {
        assert_eq!(by.index(), self.states.len(), "evictions come before the insertion");
        assert!(std::mem::replace(&mut self.live[node.index()], false));
        self.evictions += 1;
    }
}

/// Breadth- or depth-first search with inclusion and eviction, on plain vectors: the numbers of
/// expanded and of live states.
fn plain_search(toy: &Toy, depth_first: bool) -> (usize, usize) {
    let covers = |large: &State, small: &State| {
        large.place == small.place && large.levels.iter().zip(&small.levels).all(|(l, s)| l >= s)
    };
    let mut nodes: Vec<(State, bool)> = Vec::new();
    let mut waiting = VecDeque::new();
    let insert = |state: State, waiting: &mut VecDeque<usize>, nodes: &mut Vec<(State, bool)>| {
        if nodes.iter().any(|(other, live)| *live && covers(other, &state)) {
            return;
        }
        for (other, live) in nodes.iter_mut() {
            *live &= !covers(&state, other);
        }
        waiting.push_back(nodes.len());
        nodes.push((state, true));
    };
    for state in toy.initial() {
        insert(state.clone(), &mut waiting, &mut nodes);
    }
    let mut explored = 0;
    while let Some(node) = if depth_first { waiting.pop_back() } else { waiting.pop_front() } {
        if !nodes[node].1 {
            continue;
        }
        explored += 1;
        let state = nodes[node].0.clone();
        for (_, target) in toy.successors(&state) {
            insert(target.expect("no failures here"), &mut waiting, &mut nodes);
        }
    }
    (explored, nodes.iter().filter(|(_, live)| *live).count())
}

fn explore_all(
    toy: &Toy,
    covering: ToyCovering,
    frontier: impl Frontier<State, u32>,
) -> (ReportOf<Toy>, Store, Chronicle) {
    let store = ArenaStore::new(ToyEncoding::default(), covering);
    let mut chronicle = Chronicle::default();
    let (report, store) = Search::reach(toy, EmptyGoal, store, frontier).finish(&mut chronicle);
    assert_eq!(report.outcome, Outcome::Exhausted);
    (report, store, chronicle)
}

fn frontiers(seed: u64) -> Vec<Box<dyn Frontier<State, u32>>> {
    let greedy = || Guided::greedy(Blind, Ties::default());
    vec![
        Box::new(Uninformed(Fifo::default())),
        Box::new(Uninformed(Lifo::default())),
        Box::new(Uninformed(RandomDepthFirst::new(seed))),
        Box::new(AStar::new(Blind, Ties::default())),
        Box::new(Alternating::new(vec![
            Box::new(greedy()) as Box<dyn Frontier<State, u32>>,
            Box::new(Uninformed(Lifo::default())),
        ])),
    ]
}

#[test]
fn counts_are_those_of_the_plainest_search() {
    let mut evicted = 0;
    for (_, toy) in toys() {
        let counts = |report: ReportOf<Toy>| (report.statistics.explored, report.statistics.stored);
        let (breadth, ..) = explore_all(&toy, ToyCovering::Levels, Uninformed(Fifo::default()));
        evicted += breadth.statistics.evicted;
        assert_eq!(counts(breadth), plain_search(&toy, false), "{toy:?}");
        let (depth, ..) = explore_all(&toy, ToyCovering::Levels, Uninformed(Lifo::default()));
        assert_eq!(counts(depth), plain_search(&toy, true), "{toy:?}");
        let (blind, ..) =
            explore_all(&toy, ToyCovering::Equality, AStar::new(Blind, Ties::default()));
        let reachable = toy.distances().len();
        assert_eq!(counts(blind), (reachable, reachable), "{toy:?}");
    }
    assert!(evicted > TOYS as usize / 4, "{evicted}");
}

#[test]
fn observers_see_every_edge_with_its_target_or_coverer() {
    for (seed, toy) in toys() {
        for covering in [ToyCovering::Levels, ToyCovering::Equality] {
            for frontier in frontiers(seed) {
                let (report, store, seen) = explore_all(&toy, covering, frontier);
                check_edges(&toy, covering, &seen);
                check_nodes(&report.nodes, &seen);
                check_statistics(&report.statistics, &store, &seen);
            }
        }
    }
}

/// Each expanded node has an edge for each of its steps, to a node that covers the true target.
fn check_edges(toy: &Toy, covering: ToyCovering, seen: &Chronicle) {
    let mut edges = seen.edges.iter();
    for &node in &seen.expanded {
        for (step, target) in toy.successors(&seen.states[node.index()]) {
            let target = target.expect("no failures here");
            let &(from, taken, to) = edges.next().expect("an edge for each step");
            assert_eq!((from, taken), (node, step));
            let stored = &seen.states[to.node().index()];
            match to {
                Target::New(_) => assert_eq!(stored, &target),
                Target::CoveredBy(_) => assert!(covering.covers_state(stored, &target)),
            }
        }
    }
    assert_eq!(edges.next(), None);
}

/// Arrivals are the edges to new nodes, and depths count them.
fn check_nodes(nodes: &NodeTable<u32>, seen: &Chronicle) {
    for &(from, step, target) in &seen.edges {
        if let Target::New(node) = target {
            assert_eq!(nodes.arrival(node), Some(Edge { from, step }));
            assert_eq!(nodes.cost(node), nodes.cost(from) + 1);
            assert_eq!(nodes.steps(node).len(), nodes.cost(node) as usize);
            assert_eq!(nodes.path(node).len(), nodes.cost(node) as usize + 1);
        }
    }
    assert_eq!(nodes.len(), seen.states.len());
    let expanded = |node: &NodeId| nodes.is_expanded(*node);
    let count = (0..nodes.len()).map(NodeId::from_index).filter(expanded).count();
    assert_eq!(count, seen.expanded.len());
}

fn check_statistics(statistics: &Statistics, store: &Store, seen: &Chronicle) {
    assert_eq!(statistics.explored, seen.expanded.len());
    assert_eq!(statistics.evicted, seen.evictions);
    assert_eq!(statistics.stored, store.len());
    assert_eq!(statistics.generated - statistics.covered, seen.states.len());
    let live: Vec<bool> =
        (0..seen.live.len()).map(|node| store.is_live(NodeId::from_index(node))).collect();
    assert_eq!(live, seen.live);
    let expanded_then_evicted = seen.expanded.iter().filter(|node| !seen.live[node.index()]);
    assert_eq!(statistics.evicted_after_expansion, expanded_then_evicted.count());
}

#[test]
fn live_nodes_at_the_end_are_closed_under_steps() {
    for (seed, toy) in toys() {
        for frontier in frontiers(seed) {
            let (report, store, seen) = explore_all(&toy, ToyCovering::Levels, frontier);
            let live: Vec<&State> = store.live_nodes().map(|n| &seen.states[n.index()]).collect();
            let is_covered =
                |state: &State| live.iter().any(|l| ToyCovering::Levels.covers_state(l, state));
            assert!(toy.initial().iter().all(is_covered));
            for state in &live {
                for (_, target) in toy.successors(state) {
                    assert!(is_covered(&target.expect("no failures here")));
                }
            }
            assert!(store.live_nodes().all(|node| report.nodes.is_expanded(node)));
        }
    }
}

#[test]
fn boxes_and_observers_do_not_change_the_run() {
    for (seed, toy) in toys() {
        let (watched, ..) =
            explore_all(&toy, ToyCovering::Levels, Uninformed(RandomDepthFirst::new(seed)));
        let store = ArenaStore::new(ToyEncoding::default(), ToyCovering::Levels);
        let frontier: Box<dyn Frontier<State, u32>> =
            Box::new(Uninformed(RandomDepthFirst::new(seed)));
        let (report, _) = Search::reach(&toy, EmptyGoal, store, frontier).finish(&mut ());
        assert_eq!(report.statistics, watched.statistics);
    }
}
