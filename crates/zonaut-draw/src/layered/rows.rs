//! The assignment of rows: locations by the longest path to them, labels in rows between, and a
//! slot in every row that an arc passes.

use super::{Extent, label_extent, node_extent};
use crate::diagram::Diagram;

/// Maximum width of a row of labels: the labels between two rows of nodes are spread over more
/// rows.
const WIDEST: f64 = 1000.0;

/// The content of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// A node of the diagram; its index is that of the slot.
    Node,
    /// The labels of this arc.
    Label(usize),
    /// An arc that passes.
    Bend,
}

/// The slots in their rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// The content of each slot: first all nodes, then labels and bends.
    pub(super) slots: Vec<Slot>,
    pub(super) extents: Vec<Extent>,
    pub(super) row_of: Vec<usize>,
    /// The slots of each row, from left to right.
    pub(super) rows: Vec<Vec<usize>>,
    /// The slots of each arc, downwards, including both nodes; empty for self-loops.
    pub(super) chains: Vec<Vec<usize>>,
    /// By arc, whether it points upwards.
    pub(super) is_reversed: Vec<bool>,
}

impl Rows {
    /// The rows of `diagram`, unless there are more than `most` slots.
    pub(super) fn of(diagram: &Diagram, most: usize) -> Option<Self> {
        let is_reversed = arcs_upwards(diagram);
        let ranks = ranks(diagram, &is_reversed);
        let ends = |arc: usize| {
            let (source, target) = (diagram.arcs[arc].source, diagram.arcs[arc].target);
            if is_reversed[arc] { (target, source) } else { (source, target) }
        };
        let labels = LabelRows::of(diagram, &ranks, ends);
        let mut rows = Self { is_reversed: is_reversed.clone(), ..Self::default() };
        rows.rows = vec![Vec::new(); labels.row_count];
        for (node, &rank) in ranks.iter().enumerate() {
            rows.add(Slot::Node, node_extent(diagram, node), labels.node_rows[rank]);
        }
        for (arc, it) in diagram.arcs.iter().enumerate() {
            let mut chain = Vec::new();
            if it.source != it.target {
                let (upper, lower) = ends(arc);
                chain.push(upper);
                for row in rows.row_of[upper] + 1..rows.row_of[lower] {
                    let (slot, extent) = match labels.of_arc[arc] == Some(row) {
                        true => (Slot::Label(arc), label_extent(it)),
                        false => (Slot::Bend, Extent { left: 2.0, right: 2.0, height: 0.0 }),
                    };
                    chain.push(rows.add(slot, extent, row));
                }
                chain.push(lower);
            }
            rows.chains.push(chain);
            if rows.slots.len() > most {
                return None;
            }
        }
        Some(rows)
    }

    fn add(&mut self, slot: Slot, extent: Extent, row: usize) -> usize {
        let number = self.slots.len();
        self.slots.push(slot);
        self.extents.push(extent);
        self.row_of.push(row);
        self.rows[row].push(number);
        number
    }
}

/// The arcs that are reversed to make the graph acyclic: the back edges of a depth-first search
/// from the initial location.
fn arcs_upwards(diagram: &Diagram) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        Not,
        Open,
        Done,
    }
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); diagram.nodes.len()];
    for (number, arc) in diagram.arcs.iter().enumerate() {
        leaving[arc.source].push(number);
    }
    let mut visits = vec![Visit::Not; diagram.nodes.len()];
    let mut is_upwards = vec![false; diagram.arcs.len()];
    for root in diagram.initial.into_iter().chain(0..diagram.nodes.len()) {
        if visits[root] != Visit::Not {
            continue;
        }
        visits[root] = Visit::Open;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let Some(&arc) = leaving[*node].get(*next) else {
                visits[*node] = Visit::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            let target = diagram.arcs[arc].target;
            match visits[target] {
                Visit::Not => {
                    visits[target] = Visit::Open;
                    stack.push((target, 0));
                }
                Visit::Open => is_upwards[arc] = true,
                Visit::Done => {}
            }
        }
    }
    is_upwards
}

/// The length of the longest path to each node, with all arcs pointing downwards.
fn ranks(diagram: &Diagram, is_reversed: &[bool]) -> Vec<usize> {
    let count = diagram.nodes.len();
    let mut waiting = vec![0; count];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (arc, &reversed) in diagram.arcs.iter().zip(is_reversed) {
        let (upper, lower) =
            if reversed { (arc.target, arc.source) } else { (arc.source, arc.target) };
        if upper != lower {
            below[upper].push(lower);
            waiting[lower] += 1;
        }
    }
    let mut ready: Vec<usize> = (0..count).filter(|&node| waiting[node] == 0).collect();
    let mut ranks = vec![0; count];
    while let Some(node) = ready.pop() {
        for &next in &below[node] {
            ranks[next] = ranks[next].max(ranks[node] + 1);
            waiting[next] -= 1;
            if waiting[next] == 0 {
                ready.push(next);
            }
        }
    }
    ranks
}

/// The rows of labels between the rows of nodes.
struct LabelRows {
    /// The row of each rank of nodes.
    node_rows: Vec<usize>,
    row_count: usize,
    /// The row of the labels of each arc.
    of_arc: Vec<Option<usize>>,
}

impl LabelRows {
    fn of(diagram: &Diagram, ranks: &[usize], ends: impl Fn(usize) -> (usize, usize)) -> Self {
        let deepest = ranks.iter().copied().max().unwrap_or(0);
        let mut widths = vec![0.0; deepest + 1];
        // A long arc has its labels in the least occupied gap.
        let gaps: Vec<Option<usize>> = (0..diagram.arcs.len())
            .map(|arc| {
                let (upper, lower) = ends(arc);
                if diagram.arcs[arc].labels.is_empty() || upper == lower {
                    return None;
                }
                let span = ranks[upper]..ranks[lower];
                let gap = span.min_by(|&a, &b| f64::total_cmp(&widths[a], &widths[b]))?;
                widths[gap] += label_extent(&diagram.arcs[arc]).right + super::SPACING;
                Some(gap)
            })
            .collect();
        let rows_in = |gap: usize| (widths[gap] / WIDEST).ceil() as usize;
        let mut node_rows = Vec::with_capacity(deepest + 1);
        let mut row_count = 0;
        for gap in 0..=deepest {
            node_rows.push(row_count);
            row_count += 1 + rows_in(gap);
        }
        let mut taken = vec![0.0; row_count];
        let of_arc = gaps.iter().enumerate().map(|(arc, &gap)| {
            let gap = gap?;
            let first = node_rows[gap] + 1;
            let rows = first..first + rows_in(gap);
            let row = rows.min_by(|&a, &b| f64::total_cmp(&taken[a], &taken[b]))?;
            taken[row] += label_extent(&diagram.arcs[arc]).right;
            Some(row)
        });
        Self { of_arc: of_arc.collect(), node_rows, row_count }
    }
}
