//! Layered layout of automata without a drawing: rows of nodes with arcs between them.
//!
//! Every label of an arc is a node of its own in a row between its ends, as K. Sugiyama, S. Tagawa
//! and M. Toda (DOI 10.1109/TSMC.1981.4308636) treat long arcs, and the arc passes vertically at
//! its left side. Arcs are oblique only in the gaps between rows, so that no label overlaps a
//! label, a node or a line.
//!
//! The four phases have a file each: assignment of rows ([`rows`]), order in a row ([`order`]),
//! coordinates in a row ([`columns`]), and the lines, in this file.

mod columns;
mod order;
mod rows;

use crate::diagram::{Arc, Diagram, block_height, block_width};
use crate::geometry::Point;
use crate::placed::{Part, Placed, Route, Text, stacked};
use order::Links;
use rows::{Rows, Slot};

/// Distance between neighbours in a row.
const SPACING: f64 = 18.0;
/// Distance between the line of an arc and its label.
const BESIDE: f64 = 5.0;
/// Width of a self-loop to the left of its location.
const LOOP: f64 = 34.0;
/// Minimum and maximum gap between rows.
const GAP: (f64, f64) = (28.0, 80.0);
/// Maximum number of slots: ordering more takes too long.
const MAX_SLOTS: usize = 60_000;

/// The layout of `diagram`; `None` if it is too large for this method.
pub(crate) fn place(diagram: &Diagram) -> Option<Placed> {
    let mut rows = Rows::of(diagram, MAX_SLOTS)?;
    let links = Links::of(&rows);
    order::arrange(&mut rows, &links);
    let mut columns = columns::assign(&rows, &links);
    columns::straighten(&rows, &mut columns);
    let heights = Heights::of(&rows, &columns);
    Some(Plan { diagram, rows: &rows, columns: &columns, heights: &heights }.place())
}

/// The extents of an element to the left and right of its middle line, and its height.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Extent {
    left: f64,
    right: f64,
    height: f64,
}

/// The extent of a node with its labels, and its self-loops with theirs.
fn node_extent(diagram: &Diagram, node: usize) -> Extent {
    let it = &diagram.nodes[node];
    let radius = it.shape.radius();
    let own_loops = || loops(diagram, node);
    let beside = own_loops().map(|(_, arc)| block_width(&arc.labels)).fold(0.0, f64::max);
    let left = match own_loops().next() {
        Some(_) => radius + LOOP + beside,
        None => radius,
    };
    let loops_height: f64 = own_loops().map(|(_, arc)| loop_height(arc)).sum();
    let labels = block_width(&it.labels);
    let right = if labels > 0.0 { radius + BESIDE + labels } else { radius };
    let height = (2.0 * radius).max(block_height(&it.labels)).max(loops_height);
    Extent { left, right, height }
}

fn loops(diagram: &Diagram, node: usize) -> impl Iterator<Item = (usize, &Arc)> {
    let arcs = diagram.arcs.iter().enumerate();
    arcs.filter(move |(_, arc)| arc.source == node && arc.target == node)
}

fn loop_height(arc: &Arc) -> f64 {
    block_height(&arc.labels).max(20.0) + 6.0
}

fn label_extent(arc: &Arc) -> Extent {
    Extent {
        left: 2.0,
        right: BESIDE + block_width(&arc.labels),
        height: block_height(&arc.labels) + 4.0,
    }
}

/// The top and the bottom of each row.
struct Heights(Vec<(f64, f64)>);

impl Heights {
    fn of(rows: &Rows, columns: &[f64]) -> Self {
        // The greatest horizontal offset of the lines below each row.
        let mut leans = vec![0.0_f64; rows.rows.len()];
        for link in rows.chains.iter().flat_map(|chain| chain.windows(2)) {
            let lean = &mut leans[rows.row_of[link[0]]];
            *lean = lean.max((columns[link[0]] - columns[link[1]]).abs());
        }
        let mut spans = Vec::with_capacity(rows.rows.len());
        let mut y = 0.0;
        for (row, lean) in rows.rows.iter().zip(leans) {
            let height = row.iter().map(|&slot| rows.extents[slot].height).fold(0.0, f64::max);
            spans.push((y, y + height));
            y += height + (lean / 5.0).clamp(GAP.0, GAP.1);
        }
        Self(spans)
    }
}

/// The input of the routing of lines.
struct Plan<'p> {
    diagram: &'p Diagram,
    rows: &'p Rows,
    columns: &'p [f64],
    heights: &'p Heights,
}

impl Plan<'_> {
    fn place(&self) -> Placed {
        let diagram = self.diagram;
        let nodes: Vec<Point> = (0..diagram.nodes.len()).map(|node| self.middle(node)).collect();
        let node_texts = nodes.iter().zip(&diagram.nodes).map(|(at, node)| {
            let x = at.x + node.shape.radius() + BESIDE;
            stacked(&node.labels, Point::new(x, at.y - block_height(&node.labels) / 2.0))
        });
        let mut routes = vec![Route::straight(&[]); diagram.arcs.len()];
        let mut arc_texts: Vec<Vec<Text>> = vec![Vec::new(); diagram.arcs.len()];
        for node in 0..nodes.len() {
            self.place_loops(node, &mut routes, &mut arc_texts);
        }
        let ports = self.ports();
        for (arc, chain) in self.rows.chains.iter().enumerate() {
            if chain.is_empty() {
                continue;
            }
            routes[arc] = self.route(arc, chain, ports[arc]);
            let label = chain.iter().find(|&&slot| self.rows.slots[slot] == Slot::Label(arc));
            if let Some(&slot) = label {
                let (top, bottom) = self.heights.0[self.rows.row_of[slot]];
                let labels = &diagram.arcs[arc].labels;
                let y = f64::midpoint(top, bottom) - block_height(labels) / 2.0;
                arc_texts[arc] = stacked(labels, Point::new(self.columns[slot] + BESIDE, y));
            }
        }
        Placed { node_texts: node_texts.collect(), nodes, routes, arc_texts }
    }

    fn middle(&self, slot: usize) -> Point {
        let (top, bottom) = self.heights.0[self.rows.row_of[slot]];
        Point::new(self.columns[slot], f64::midpoint(top, bottom))
    }

    /// Stacks self-loops at the left of their node.
    fn place_loops(&self, node: usize, routes: &mut [Route], texts: &mut [Vec<Text>]) {
        let at = self.middle(node);
        let radius = self.diagram.nodes[node].shape.radius();
        let total: f64 = loops(self.diagram, node).map(|(_, arc)| loop_height(arc)).sum();
        let mut y = at.y - total / 2.0;
        for (number, arc) in loops(self.diagram, node) {
            let (height, middle) = (loop_height(arc), y + loop_height(arc) / 2.0);
            // The control points of a curve are a third farther away than the curve itself.
            let out = at.x - radius - LOOP * 1.15;
            let turn = |sign: f64| {
                let handle = Point::new(out, middle + sign * 14.0);
                (at.towards(handle, radius), handle)
            };
            let ((start, first), (end, second)) = (turn(-1.0), turn(1.0));
            routes[number] = Route::curved([start, first, second, end]);
            let x = at.x - radius - LOOP - block_width(&arc.labels);
            let top = middle - block_height(&arc.labels) / 2.0;
            texts[number] = stacked(&arc.labels, Point::new(x, top));
            y += height;
        }
    }

    /// The ports of each arc.
    fn ports(&self) -> Vec<Ports> {
        let chains = &self.rows.chains;
        let mut ports = vec![Ports::default(); chains.len()];
        for side in [Side::Below, Side::Above] {
            let mut at_node: Vec<Vec<(f64, usize)>> = vec![Vec::new(); self.diagram.nodes.len()];
            for (arc, chain) in chains.iter().enumerate() {
                let (node, next) = match (side, &chain[..]) {
                    (Side::Below, &[upper, next, ..]) => (upper, next),
                    (Side::Above, &[.., next, lower]) => (lower, next),
                    _ => continue,
                };
                at_node[node].push((self.columns[next], arc));
            }
            for (node, arcs) in at_node.iter_mut().enumerate() {
                arcs.sort_by(|a, b| a.0.total_cmp(&b.0));
                let width = self.diagram.nodes[node].shape.radius() * 1.6;
                for (position, &(_, arc)) in arcs.iter().enumerate() {
                    let share = (position as f64 + 0.5) / arcs.len() as f64 - 0.5;
                    match side {
                        Side::Below => ports[arc].leave = share * width,
                        Side::Above => ports[arc].reach = share * width,
                    }
                }
            }
        }
        ports
    }

    fn route(&self, arc: usize, chain: &[usize], ports: Ports) -> Route {
        let border = |slot: usize, offset: f64, side: Side| {
            let at = self.middle(slot);
            let radius = self.diagram.nodes[slot].shape.radius();
            let height = (radius * radius - offset * offset).max(0.0).sqrt();
            let y = match side {
                Side::Below => at.y + height,
                Side::Above => at.y - height,
            };
            Point::new(at.x + offset, y)
        };
        let [upper, inner @ .., lower] = chain else { return Route::straight(&[]) };
        let span = |slot: usize| self.heights.0[self.rows.row_of[slot]];
        let start = border(*upper, ports.leave, Side::Below);
        let end = border(*lower, ports.reach, Side::Above);
        // The points between which the line is oblique: the bottom of a row and the top of the
        // next one.
        let mut from = Point::new(start.x, span(*upper).1);
        let mut route = Route::straight(&[start, from]);
        // At a node the line points towards its other end if there is no room for a vertical part.
        let mut is_free = from.y - start.y < 2.0;
        for &slot in inner {
            let (top, bottom) = span(slot);
            let to = Point::new(self.columns[slot], top);
            route.parts.push(oblique([from, to], [is_free, false]));
            from = Point::new(self.columns[slot], bottom);
            if bottom > top {
                route.parts.push(Part::Line(from));
            }
            is_free = false;
        }
        let to = Point::new(end.x, span(*lower).0);
        let is_end_free = end.y - to.y < 2.0;
        if is_end_free {
            route.parts.push(oblique([from, end], [is_free, true]));
        } else {
            route.parts.extend([oblique([from, to], [is_free, false]), Part::Line(end)]);
        }
        if self.rows.is_reversed[arc] { route.reversed() } else { route }
    }
}

/// The line between two rows. An end is vertical, or points towards the other end if it is free.
/// The control points are in the box of both ends.
fn oblique([from, to]: [Point; 2], [is_from_free, is_to_free]: [bool; 2]) -> Part {
    if from.x == to.x {
        return Part::Line(to);
    }
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let along = |share: f64| if share > 0.0 { dx * share } else { 0.0 };
    let (first, second) = match (is_from_free, is_to_free) {
        (true, true) => return Part::Line(to),
        (true, false) => (0.45, 0.0),
        (false, true) => (0.0, 0.45),
        (false, false) => (0.0, 0.0),
    };
    let a = Point::new(from.x + along(first), from.y + dy * if is_from_free { 0.4 } else { 0.55 });
    let b = Point::new(to.x - along(second), to.y - dy * if is_to_free { 0.4 } else { 0.55 });
    Part::Curve([a, b, to])
}

/// The positions at which an arc leaves its upper and reaches its lower node, relative to their
/// middles.
#[derive(Clone, Copy, Default)]
struct Ports {
    leave: f64,
    reach: f64,
}

/// A side of a node.
#[derive(Clone, Copy)]
enum Side {
    Above,
    Below,
}

#[cfg(test)]
mod tests;
