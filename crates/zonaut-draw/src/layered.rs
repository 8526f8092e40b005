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
/// The greatest angle between the vertical and an arc at its node, and the least one between two
/// arcs at the same side of a node, if it has room for them.
const STEEPEST: f64 = 1.05;
const APART: f64 = 0.62;
/// The greatest distance between the border of a node and that of its row that an oblique line may
/// pass.
const NEAR: f64 = 8.0;
/// The distance of the control points of an oblique line from its ends, as a share of its height.
const HANDLE: f64 = 0.5;
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

    /// The ports of each arc: where it leaves its upper and reaches its lower node. A port is in the
    /// direction of the next point of its line, as far as the ports of other arcs leave room.
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
                at_node[node].push((self.angle(node, next, side), arc));
            }
            for arcs in &mut at_node {
                // Angles are monotone in the column of the next point, so that lines do not cross.
                arcs.sort_by(|a, b| {
                    let column = |arc: usize| self.columns[self.next_to(arc, side)];
                    column(a.1).total_cmp(&column(b.1))
                });
                let angles: Vec<f64> = arcs.iter().map(|&(angle, _)| angle).collect();
                for (&angle, &(_, arc)) in spread(&angles).iter().zip(&*arcs) {
                    match side {
                        Side::Below => ports[arc].leave = angle,
                        Side::Above => ports[arc].reach = angle,
                    }
                }
            }
        }
        ports
    }

    /// The slot next to the node at this side of an arc.
    fn next_to(&self, arc: usize, side: Side) -> usize {
        let chain = &self.rows.chains[arc];
        match side {
            Side::Below => chain[1],
            Side::Above => chain[chain.len() - 2],
        }
    }

    /// The angle between the vertical and the direction from a node to the next slot of an arc.
    fn angle(&self, node: usize, next: usize, side: Side) -> f64 {
        let (at, (top, bottom)) = (self.middle(node), self.heights.0[self.rows.row_of[next]]);
        let height = match side {
            Side::Below => top - at.y,
            Side::Above => at.y - bottom,
        };
        (self.columns[next] - at.x).atan2(height).clamp(-STEEPEST, STEEPEST)
    }

    fn route(&self, arc: usize, chain: &[usize], ports: Ports) -> Route {
        let [upper, inner @ .., lower] = chain else { return Route::straight(&[]) };
        let span = |slot: usize| self.heights.0[self.rows.row_of[slot]];
        let start = self.port(*upper, ports.leave, Side::Below);
        let end = self.port(*lower, ports.reach, Side::Above);
        let mut route = Route::straight(&[start.at]);
        let mut from = start;
        // A node that is much lower than its row has a vertical line to the border of the row, so
        // that no label beside it is touched.
        if span(*upper).1 - start.at.y > NEAR {
            from = Turn::vertical(Point::new(start.at.x, span(*upper).1));
            route.parts.push(Part::Line(from.at));
        }
        for &slot in inner {
            let (top, bottom) = span(slot);
            route.parts.push(oblique(from, Turn::vertical(Point::new(self.columns[slot], top))));
            from = Turn::vertical(Point::new(self.columns[slot], bottom));
            if bottom > top {
                route.parts.push(Part::Line(from.at));
            }
        }
        if end.at.y - span(*lower).0 > NEAR {
            let to = Turn::vertical(Point::new(end.at.x, span(*lower).0));
            route.parts.extend([oblique(from, to), Part::Line(end.at)]);
        } else {
            route.parts.push(oblique(from, end));
        }
        if self.rows.is_reversed[arc] { route.reversed() } else { route }
    }

    /// The point of a node's border at this angle from the vertical.
    fn port(&self, node: usize, angle: f64, side: Side) -> Turn {
        let (at, radius) = (self.middle(node), self.diagram.nodes[node].shape.radius());
        let at = match side {
            Side::Below => at.moved(radius * angle.sin(), radius * angle.cos()),
            Side::Above => at.moved(radius * angle.sin(), -radius * angle.cos()),
        };
        Turn { at, slope: angle.tan() }
    }
}

/// Angles, as near to the given ones as possible, that are apart from each other and not too
/// steep. The given ones are in order, except where they are limited.
fn spread(angles: &[f64]) -> Vec<f64> {
    let gaps = angles.len().saturating_sub(1).max(1) as f64;
    let apart = APART.min(2.0 * STEEPEST / gaps);
    // The averages of the nearest solutions to the right and to the left are apart as well.
    let (mut right, mut left) = (angles.to_vec(), angles.to_vec());
    for at in 1..angles.len() {
        right[at] = right[at].max(right[at - 1] + apart);
        let back = angles.len() - 1 - at;
        left[back] = left[back].min(left[back + 1] - apart);
    }
    let mut found: Vec<f64> = right.iter().zip(&left).map(|(a, b)| f64::midpoint(*a, *b)).collect();
    let mut limit = STEEPEST;
    for angle in found.iter_mut().rev() {
        *angle = angle.min(limit);
        limit = *angle - apart;
    }
    let mut limit = -STEEPEST;
    for angle in &mut found {
        *angle = angle.max(limit);
        limit = *angle + apart;
    }
    found
}

/// An end of an oblique line: a point, and the horizontal distance per vertical distance in which
/// the line leaves it.
#[derive(Clone, Copy)]
struct Turn {
    at: Point,
    slope: f64,
}

impl Turn {
    fn vertical(at: Point) -> Self {
        Self { at, slope: 0.0 }
    }
}

/// The line between two rows. Its control points are in the box of both ends.
fn oblique(from: Turn, to: Turn) -> Part {
    if from.at.x == to.at.x && from.slope == 0.0 && to.slope == 0.0 {
        return Part::Line(to.at);
    }
    let height = to.at.y - from.at.y;
    let (low, high) = (from.at.x.min(to.at.x), from.at.x.max(to.at.x));
    let handle = |turn: Turn, sign: f64| {
        let x = turn.at.x + turn.slope * height * HANDLE;
        Point::new(x.clamp(low, high), turn.at.y + sign * height * HANDLE)
    };
    Part::Curve([handle(from, 1.0), handle(to, -1.0), to.at])
}

/// The angles at which an arc leaves its upper and reaches its lower node, from the vertical and
/// positive to the right.
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
