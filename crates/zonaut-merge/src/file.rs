//! Merged automata in files.
//!
//! A file holds the look-up of states, and distances. It is read together with the same model and
//! goal, which the fingerprint of the caller identifies. Every value that a look-up relies on is
//! validated, so that no file leads to a panic.

use crate::automaton::is_removed;
use crate::merged::{Merged, Node, Root};
use std::io::{self, Read, Write};
use zonaut_base::{ArchiveMark, ArchiveReader, ArchiveWriter, Held, LoadError, narrow};
use zonaut_model::Model;
use zonaut_space::Estimate;

const MARK: &ArchiveMark = b"zonaut merged  1";

/// The kinds of nodes, as numbers.
const VARIABLE: u64 = 0;
const PAIR: u64 = 1;

impl Merged {
    /// Writes the heuristic. `fingerprint` identifies the model, the goal and the parameters of
    /// merging.
    ///
    /// # Errors
    /// Fails if writing fails.
    pub fn save(&self, fingerprint: &[u8], out: &mut dyn Write) -> io::Result<()> {
        let mut out = ArchiveWriter::new(out, MARK, fingerprint)?;
        out.number(u64::from(self.far == Estimate::DeadEnd))?;
        out.number(self.nodes.len() as u64)?;
        for node in &self.nodes {
            let (kind, numbers, states) = match node {
                Node::Variable { position, low, states } => {
                    (VARIABLE, [*position, low.cast_unsigned(), 0], states)
                }
                Node::Pair { left, right, width, states } => {
                    (PAIR, [*left, *right, *width], states)
                }
            };
            out.number(kind)?;
            numbers.into_iter().try_for_each(|number| out.number(u64::from(number)))?;
            out.list(states, |&state| u64::from(state))?;
        }
        out.number(self.roots.len() as u64)?;
        for root in &self.roots {
            out.number(u64::from(root.node))?;
            out.list(&root.distances, |&distance| u64::from(distance))?;
        }
        out.finish()
    }

    /// Reads a heuristic that was saved with the same fingerprint.
    ///
    /// # Errors
    /// Fails if reading fails, or if the file is invalid.
    pub fn load(model: &Model, fingerprint: &[u8], from: &mut dyn Read) -> Result<Self, LoadError> {
        let mut from = ArchiveReader::new(from, MARK, fingerprint)?;
        let far = if from.number()? == 1 { Estimate::DeadEnd } else { Estimate::Last };
        let mut nodes = Vec::new();
        for _ in 0..from.number()? {
            nodes.push(read_node(&mut from)?);
        }
        let mut roots = Vec::new();
        for _ in 0..from.number()? {
            let node = narrow(from.number()?)?;
            roots.push(Root { node, distances: from.list(narrow)? });
        }
        from.finish()?;
        if !is_consistent(model, &nodes, &roots) {
            return Err(LoadError::Damaged);
        }
        Ok(Self::with(nodes, roots, far, Held::default()))
    }
}

fn read_node(from: &mut ArchiveReader<'_>) -> Result<Node, LoadError> {
    let kind = from.number()?;
    let mut numbers = [0_u32; 3];
    for number in &mut numbers {
        *number = narrow(from.number()?)?;
    }
    let states = from.list(narrow)?;
    let [first, second, third] = numbers;
    match kind {
        VARIABLE => Ok(Node::Variable { position: first, low: second.cast_signed(), states }),
        PAIR => Ok(Node::Pair { left: first, right: second, width: third, states }),
        _ => Err(LoadError::Damaged),
    }
}

/// Whether every state of a node, or pair of states, is in range of the nodes that are indexed by
/// it.
fn is_consistent(model: &Model, nodes: &[Node], roots: &[Root]) -> bool {
    let variables = model.processes.len() + model.cells.len();
    let mut counts: Vec<u64> = Vec::new();
    for node in nodes {
        let count = |node: u32| counts.get(node as usize).copied();
        let (is_right, states) = match node {
            Node::Variable { position, states, .. } => ((*position as usize) < variables, states),
            Node::Pair { left, right, width, states } => {
                let fits = |left: u64, right: u64| {
                    let width = u64::from(*width);
                    right <= width && left.saturating_mul(width) <= states.len() as u64
                };
                let both = count(*left).zip(count(*right));
                (both.is_some_and(|(left, right)| fits(left, right)), states)
            }
        };
        if !is_right {
            return false;
        }
        let last = states.iter().filter(|&&state| !is_removed(state)).max();
        counts.push(last.map_or(0, |&last| u64::from(last) + 1));
    }
    roots.iter().all(|root| {
        let count = counts.get(root.node as usize);
        count.is_some_and(|&count| count <= root.distances.len() as u64)
    })
}
