//! Interference of transitions: which transitions may depend on each other.
//!
//! M. Wehrle and S. Kupferschmid prefer transitions that interfere with the preceding one
//! (*Context-Enhanced Directed Model Checking*, SPIN 2010). The definitions here were derived from
//! the idea.
//!
//! Two edges *interfere* if one of them may change a symbol that the other one reads or writes,
//! where a symbol is the location of a process, a cell or a clock. Edges of one process interfere,
//! because all of them write its location; so do the two sides of a channel, which are taken
//! together. Two edges that do not interfere commute, so a path to the goal can be reordered to
//! continue with interfering transitions for as long as possible.
//!
//! The context of an edge e in n steps is C(0) = {e}, and C(n + 1) is C(n) with all edges that
//! interfere with an edge in it. The *level* of a transition after another one is the least n for
//! which an edge of it is in the context of an edge of the other in n steps.

use crate::weights::Participant;
use std::collections::BTreeMap;
use zonaut_analysis::Symbols;
use zonaut_analysis::footprint::Footprints;
use zonaut_base::Id;
use zonaut_model::{Edge, Model};

/// The interference relation of the edges of a model.
#[derive(Clone, Debug)]
pub struct Interference {
    /// The index of the first edge of each process.
    first: Vec<usize>,
    /// The symbols that each edge writes, and those that it reads, by index.
    writes: Vec<Vec<u32>>,
    reads: Vec<Vec<u32>>,
    /// The edges that write each symbol, and those that read it.
    writers: Vec<Vec<u32>>,
    readers: Vec<Vec<u32>>,
    /// The levels of all edges after an edge, computed on demand.
    levels: BTreeMap<usize, Vec<u8>>,
}

/// The level of edges that no chain of interference connects.
const UNRELATED: u8 = u8::MAX;

impl Interference {
    /// The interference relation of a model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        let mut first = Vec::new();
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        for (process, definition) in model.processes.iter_enumerated() {
            first.push(writes.len());
            for edge in &definition.edges {
                let mut touched = EdgeSymbols::of(model, edge);
                touched.writes.processes.insert(process);
                writes.push(numbers(model, &touched.writes));
                reads.push(numbers(model, &touched.reads));
            }
        }
        let symbols =
            model.processes.len() + model.cells.len() + model.clocks.len() + model.channels.len();
        let (writers, readers) = (inverted(&writes, symbols), inverted(&reads, symbols));
        Self { first, writes, reads, writers, readers, levels: BTreeMap::new() }
    }

    /// The level of the transition `after` following the transition `before`.
    pub fn level(&mut self, before: &[Participant], after: &[Participant]) -> u32 {
        let mut least = UNRELATED;
        for &one in before {
            let one = self.number(one);
            for &other in after {
                let other = self.number(other);
                least = least.min(self.levels_of(one)[other]);
            }
        }
        least.into()
    }

    fn number(&self, Participant { process, edge }: Participant) -> usize {
        self.first[process.index()] + edge.index()
    }

    fn levels_of(&mut self, edge: usize) -> &[u8] {
        if !self.levels.contains_key(&edge) {
            let levels = self.explore(edge);
            self.levels.insert(edge, levels);
        }
        &self.levels[&edge]
    }

    /// The level of every edge after one, by breadth-first search. Every symbol is passed at most
    /// twice: from a writer to all its readers and writers, and from a reader to its writers.
    fn explore(&self, edge: usize) -> Vec<u8> {
        let mut levels = vec![UNRELATED; self.writes.len()];
        let mut is_passed = vec![[false; 2]; self.writers.len()];
        levels[edge] = 0;
        let mut open = vec![edge];
        let mut level = 0;
        while !open.is_empty() && level < UNRELATED - 1 {
            level += 1;
            let mut next = Vec::new();
            for edge in std::mem::take(&mut open) {
                let mut reach = |edges: &[u32]| {
                    for &other in edges {
                        if levels[other as usize] == UNRELATED {
                            levels[other as usize] = level;
                            next.push(other as usize);
                        }
                    }
                };
                for &symbol in &self.writes[edge] {
                    if !std::mem::replace(&mut is_passed[symbol as usize][0], true) {
                        reach(&self.writers[symbol as usize]);
                        if !faulty!(ReadersApart) {
                            reach(&self.readers[symbol as usize]);
                        }
                    }
                }
                for &symbol in &self.reads[edge] {
                    if !std::mem::replace(&mut is_passed[symbol as usize][1], true) {
                        reach(&self.writers[symbol as usize]);
                        if faulty!(ReadersMeet) {
                            reach(&self.readers[symbol as usize]);
                        }
                    }
                }
            }
            open = next;
            if faulty!(ContextEndsEarly) {
                break;
            }
        }
        levels
    }
}

/// The symbols that an edge reads and writes.
struct EdgeSymbols {
    reads: Symbols,
    writes: Symbols,
}

impl EdgeSymbols {
    fn of(model: &Model, edge: &Edge) -> Self {
        let mut walk = Footprints::walk(model);
        for &id in edge.guard.data.iter().chain(&edge.updates) {
            walk.evaluate(id);
        }
        for constraint in &edge.guard.clocks {
            walk.constraint(constraint);
        }
        if let Some(label) = &edge.synchronisation {
            walk.channel(label);
        }
        let found = walk.domain.found;
        let (reads, mut writes) = (found.reads, found.writes);
        // The two sides of a channel form one transition, so each of them writes the channel.
        if let Some(label) = &edge.synchronisation {
            let first = label.channel.root.index();
            let last = first + label.channel.extent();
            writes.channels.extend(&(first..=last).map(Id::from_index).collect());
        }
        Self { reads, writes }
    }
}

/// One index for each symbol of a model.
fn numbers(model: &Model, symbols: &Symbols) -> Vec<u32> {
    let cells = model.processes.len();
    let clocks = cells + model.cells.len();
    let channels = clocks + model.clocks.len();
    let mut all: Vec<usize> = symbols.processes.iter().map(|id| id.index()).collect();
    all.extend(symbols.cells.iter().map(|id| cells + id.index()));
    all.extend(symbols.clocks.iter().map(|id| clocks + id.index()));
    all.extend(symbols.channels.iter().map(|id| channels + id.index()));
    all.into_iter().map(|number| number as u32).collect()
}

/// For each symbol, the edges that contain it.
fn inverted(edges: &[Vec<u32>], symbols: usize) -> Vec<Vec<u32>> {
    let mut result = vec![Vec::new(); symbols];
    for (edge, touched) in edges.iter().enumerate() {
        for &symbol in touched {
            result[symbol as usize].push(edge as u32);
        }
    }
    result
}
