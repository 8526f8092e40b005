//! Generated coordinates for elements that have none.

use crate::tree::{Edge, LabelKind, Node, Point, Template};
use zonaut_base::Id;

/// The distance between neighbours on the grid.
const STEP: i32 = 204;
/// The number of locations in a row of the grid.
const COLUMNS: usize = 4;
/// The height of a line of text.
const LINE: i32 = 17;

/// The positions of a template's nodes.
pub(super) struct NodePositions {
    locations: Vec<Point>,
    branchpoints: Vec<Point>,
}

impl NodePositions {
    pub(super) fn of(template: &Template) -> Self {
        let drawn = template.locations.iter().map(|location| location.layout.position);
        let locations: Vec<Point> =
            drawn.enumerate().map(|(index, at)| at.unwrap_or(grid(index))).collect();
        let offset = locations.len();
        let drawn = template.branchpoints.iter().map(|branchpoint| branchpoint.position);
        let branchpoints =
            drawn.enumerate().map(|(index, at)| at.unwrap_or(grid(offset + index))).collect();
        Self { locations, branchpoints }
    }

    pub(super) fn node(&self, node: Node) -> Point {
        match node {
            Node::Location(id) => self.locations[id.index()],
            Node::Branchpoint(id) => self.branchpoints[id.index()],
        }
    }

    fn ends(&self, edge: &Edge) -> Option<(Point, Point)> {
        Some((self.node(edge.source.node?), self.node(edge.target.node?)))
    }

    /// The middle of an edge.
    pub(super) fn middle(&self, edge: &Edge) -> Point {
        let Some((a, b)) = self.ends(edge) else { return grid(0) };
        let half = |a: i32, b: i32| i32::midpoint(a, b);
        Point { x: half(a.x, b.x), y: half(a.y, b.y) }
    }

    /// The nails of an edge; a loop always gets some, because it would be invisible otherwise.
    pub(super) fn nails(&self, edge: &Edge) -> Vec<Point> {
        let is_loop = edge.source.node.is_some() && edge.source.node == edge.target.node;
        match self.ends(edge) {
            Some((at, _)) if is_loop && edge.layout.nails.is_empty() => {
                let above = at.y.saturating_sub(3 * LINE);
                vec![
                    Point { x: at.x.saturating_sub(2 * LINE), y: above },
                    Point { x: at.x.saturating_add(2 * LINE), y: above },
                ]
            }
            _ => edge.layout.nails.clone(),
        }
    }
}

fn grid(index: usize) -> Point {
    let step = |count: usize| i32::try_from(count).unwrap_or(0).saturating_mul(STEP);
    Point { x: step(index % COLUMNS), y: step(index / COLUMNS) }
}

/// The position of the name of a location at `position`.
pub(super) fn name_position(position: Point) -> Point {
    Point { x: position.x.saturating_sub(10), y: position.y.saturating_sub(2 * LINE) }
}

/// The position of the label `kind`: its own, or a separate line near `anchor`.
pub(super) fn label_position(
    positions: &[(LabelKind, Point)],
    kind: LabelKind,
    anchor: Point,
) -> Point {
    if let Some((_, position)) = positions.iter().find(|(placed, _)| *placed == kind) {
        return *position;
    }
    let line = match kind {
        LabelKind::Select => -2,
        LabelKind::Guard => -1,
        LabelKind::Synchronisation => 0,
        LabelKind::Assignment | LabelKind::Invariant => 1,
        LabelKind::Probability | LabelKind::ExponentialRate => 2,
    };
    Point { x: anchor.x.saturating_sub(10), y: anchor.y.saturating_add(line * LINE) }
}
