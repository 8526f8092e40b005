//! Another search loop on the shared parts: lazy abstraction in a toy.
//!
//! Buckets are places alone. A node has concrete levels, and a label: the levels that it keeps. It
//! covers another node if its kept levels are at least as high as those of the other. If the levels
//! of a node disable a step, the node has to keep the reason, and so have the nodes on the path to
//! it; nodes that it covered before may then be uncovered, and are expanded.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use zonaut_base::Id;
use zonaut_search::{
    Edge, Fifo, Frontier, Ledger, Lifo, NodeTable, Random, Uninformed, Waiting, ask,
};
use zonaut_space::{NodeId, Observer, Progress, StopReason};

use crate::toy::{State, Toy};

/// The levels that are kept; an abstracted level counts as the highest.
type Label = [bool; 2];
/// The steps to a goal; `None` if no goal is reachable.
type Answer = Result<Option<Vec<u32>>, StopReason>;

/// States by node, and the nodes that may cover others, by place.
#[derive(Default)]
struct KeepingStore {
    states: Vec<State>,
    passed: BTreeMap<u64, Vec<NodeId>>,
}

/// The lazy search: close or expand.
struct Lazy<'t, F> {
    toy: &'t Toy,
    nodes: NodeTable<u32, u32, Label>,
    store: KeepingStore,
    frontier: F,
    ledger: Ledger,
    uncovered: usize,
}

impl<F: Frontier<State, u32>> Lazy<'_, F> {
    fn run(&mut self, observer: &mut impl Observer<State, u32>) -> Answer {
        for state in self.toy.initial() {
            self.arrive(None, state, observer)?;
        }
        while let Some(popped) = self.frontier.pop() {
            let node = popped.node;
            if self.nodes.is_expanded(node) || self.nodes.coverage().is_covered(node) {
                continue;
            }
            if self.toy.is_goal(&self.store.states[node.index()]) {
                return Ok(Some(self.nodes.steps(node)));
            }
            if !self.close(node)? {
                self.expand(node, observer)?;
            }
        }
        Ok(None)
    }

    fn arrive(
        &mut self,
        edge: Option<Edge<u32>>,
        state: &State,
        observer: &mut impl Observer<State, u32>,
    ) -> Result<(), StopReason> {
        self.ledger.statistics.generated += 1;
        if self.ledger.count_event() {
            ask(
                observer,
                &Progress {
                    explored: self.ledger.statistics.explored,
                    stored: self.store.states.len(),
                    waiting: self.frontier.len(),
                    ..Progress::default()
                },
            )?;
        }
        self.nodes.reserve()?;
        let cost = edge.map_or(0, |edge| self.nodes.cost(edge.from) + 1);
        let node = self.nodes.add(edge, cost, [false; 2]);
        observer.node_inserted(node, state);
        self.store.states.push(state.clone());
        self.frontier.push(Waiting { node, cost, state, arrival: None })
    }

    fn covers(&self, larger: NodeId, smaller: NodeId) -> bool {
        let [large, small] = [larger, smaller].map(|node| &self.store.states[node.index()]);
        let is_high = |level: usize| large.levels[level] >= small.levels[level];
        large.place == small.place && (0..2).all(|l| !self.nodes.label(larger)[l] || is_high(l))
    }

    /// Covers a node by an expanded one, if possible.
    fn close(&mut self, node: NodeId) -> Result<bool, StopReason> {
        let place = self.store.states[node.index()].place[0];
        let candidates = self.store.passed.get(&place).cloned().unwrap_or_default();
        let Some(by) = candidates.into_iter().find(|&by| self.covers(by, node)) else {
            return Ok(false);
        };
        // A covered node keeps at least the levels of its coverer.
        self.remember(node, *self.nodes.label(by))?;
        self.nodes.coverage_mut().cover(node, by)?;
        Ok(true)
    }

    fn expand(
        &mut self,
        node: NodeId,
        observer: &mut impl Observer<State, u32>,
    ) -> Result<(), StopReason> {
        self.ledger.statistics.explored += 1;
        self.nodes.mark_expanded(node);
        observer.node_expanded(node);
        let state = self.store.states[node.index()].clone();
        let enabled = self.toy.successors(&state);
        for (step, target) in &enabled {
            let target = target.as_ref().expect("no failures here");
            self.arrive(Some(Edge { from: node, step: *step }), target, observer)?;
        }
        let needed = self.toy.why_disabled(&state);
        self.remember(node, needed)?;
        self.store.passed.entry(state.place[0]).or_default().push(node);
        Ok(())
    }

    /// Makes a node and the path to it keep levels; a target's level comes from the same level
    /// before.
    fn remember(&mut self, node: NodeId, levels: Label) -> Result<(), StopReason> {
        let mut next = Some(node);
        while let Some(node) = next {
            let label = self.nodes.label_mut(node);
            let more = [label[0] | levels[0], label[1] | levels[1]];
            if *label == more {
                return Ok(());
            }
            *label = more;
            self.uncover(node)?;
            next = self.nodes.arrival(node).map(|edge| edge.from);
        }
        Ok(())
    }

    /// Pushes the nodes again that a node no longer covers.
    fn uncover(&mut self, by: NodeId) -> Result<(), StopReason> {
        let mut coverage = std::mem::take(self.nodes.coverage_mut());
        let remembers = |node: NodeId| {
            let (large, small) = (self.nodes.label(by), self.nodes.label(node));
            (0..2).all(|level| small[level] || !large[level])
        };
        let stays = |node: NodeId| self.covers(by, node) && remembers(node);
        let mut uncovered = Vec::new();
        coverage.uncover(by, stays, |node| uncovered.push(node));
        *self.nodes.coverage_mut() = coverage;
        self.uncovered += uncovered.len();
        uncovered.into_iter().try_for_each(|node| self.wait(node))
    }

    fn wait(&mut self, node: NodeId) -> Result<(), StopReason> {
        let (cost, state) = (self.nodes.cost(node), &self.store.states[node.index()]);
        self.frontier.push(Waiting { node, cost, state, arrival: None })
    }
}

struct Patient(usize);

impl Observer<State, u32> for Patient {
    fn progress(&mut self, now: &Progress) -> ControlFlow<StopReason> {
        match now.stored > self.0 {
            true => ControlFlow::Break(StopReason::NodeLimit),
            false => ControlFlow::Continue(()),
        }
    }
}

fn search<F: Frontier<State, u32>>(toy: &Toy, frontier: F) -> (Answer, [usize; 3]) {
    let (nodes, store, ledger) = (NodeTable::new(), KeepingStore::default(), Ledger::default());
    let mut lazy = Lazy { toy, nodes, store, frontier, ledger, uncovered: 0 };
    let answer = lazy.run(&mut Patient(20_000));
    let nodes = (0..lazy.nodes.len()).map(NodeId::from_index);
    let covered = nodes.filter(|&node| lazy.nodes.coverage().is_covered(node)).count();
    (answer, [lazy.ledger.statistics.explored, covered, lazy.uncovered])
}

#[test]
fn the_lazy_loop_is_sound_and_uncovers_nodes() {
    let mut totals = [0; 3];
    let mut concrete = 0;
    for seed in 0..800 {
        let toy = Toy::random(&mut Random::new(seed));
        let truth = toy.shortest_path();
        concrete += if truth.is_none() { toy.distances().len() } else { 0 };
        let runs =
            [search(&toy, Uninformed(Fifo::default())), search(&toy, Uninformed(Lifo::default()))];
        for (answer, counts) in runs {
            match answer.expect("toys are small") {
                Some(steps) => assert!(truth.is_some() && toy.replays_to_goal(&steps), "{toy:?}"),
                None => assert_eq!(truth, None, "{toy:?}"),
            }
            if truth.is_none() {
                totals = [0, 1, 2].map(|count| totals[count] + counts[count]);
            }
        }
    }
    let [explored, covered, uncovered] = totals;
    assert!(covered > 500 && uncovered > 50, "{totals:?}");
    assert!(explored < 2 * concrete * 3 / 4, "forgetting pays: {explored} of {concrete}");
}
