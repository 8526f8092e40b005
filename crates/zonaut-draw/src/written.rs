//! The layout that the author of a model drew.

use crate::diagram::{Diagram, Label};
use crate::geometry::{Point, Rect};
use crate::placed::{Placed, Route, RouteStyle, Text};
use crate::settled::settle;
use crate::text::LINE;
use zonaut_base::Id;
use zonaut_syntax::tree::{self, LabelKind, LocationLayout, Template};

/// Maximum extent of a drawing; larger ones are laid out automatically.
const LARGEST: f64 = 30_000.0;

/// The positions in a template's file; `None` if a location has none, if two coincide, or if the
/// drawing would be unreasonably large.
pub(crate) fn place(diagram: &Diagram, template: &Template) -> Option<Placed> {
    let locations = template.locations.iter().map(|location| location.layout.position);
    let branchpoints = template.branchpoints.iter().map(|branchpoint| branchpoint.position);
    let nodes: Option<Vec<Point>> = locations.chain(branchpoints).map(|at| at.map(point)).collect();
    let nodes = nodes?;
    if have_equal_positions(&nodes) {
        return None;
    }
    let placed = Drawing { diagram, template, nodes }.place();
    let area = placed.area(diagram);
    (area.width() <= LARGEST && area.height() <= LARGEST).then_some(placed)
}

/// A grid layout, for automata that are too large for the other methods.
pub(crate) fn place_on_grid(diagram: &Diagram, template: &Template) -> Placed {
    const STEP: f64 = 150.0;
    let columns = (diagram.nodes.len() as f64).sqrt().ceil().max(1.0) as usize;
    let place =
        |index: usize| Point::new((index % columns) as f64 * STEP, (index / columns) as f64 * STEP);
    let nodes = (0..diagram.nodes.len()).map(place).collect();
    Drawing { diagram, template, nodes }.place()
}

fn point(at: tree::Point) -> Point {
    Point::new(f64::from(at.x), f64::from(at.y))
}

fn have_equal_positions(nodes: &[Point]) -> bool {
    let mut sorted: Vec<Point> = nodes.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

struct Drawing<'d> {
    diagram: &'d Diagram,
    template: &'d Template,
    nodes: Vec<Point>,
}

impl Drawing<'_> {
    fn place(self) -> Placed {
        let routes: Vec<Route> = (0..self.diagram.arcs.len()).map(|arc| self.route(arc)).collect();
        let mut node_texts: Vec<Vec<Text>> =
            (0..self.nodes.len()).map(|node| self.node_texts(node)).collect();
        let mut arc_texts: Vec<Vec<Text>> =
            (0..routes.len()).map(|arc| self.arc_texts(arc, &routes[arc])).collect();
        let obstacles: Vec<Rect> = self
            .nodes
            .iter()
            .zip(&self.diagram.nodes)
            .map(|(&at, node)| Rect::around(at, node.shape.radius()))
            .collect();
        let texts = node_texts.iter_mut().chain(&mut arc_texts).flatten();
        settle(&mut texts.collect::<Vec<_>>(), &obstacles);
        Placed { nodes: self.nodes, routes, node_texts, arc_texts }
    }

    fn route(&self, number: usize) -> Route {
        let arc = &self.diagram.arcs[number];
        let [from, to] = [arc.source, arc.target].map(|node| self.nodes[node]);
        let [out, into] = [arc.source, arc.target].map(|n| self.diagram.nodes[n].shape.radius());
        let nails = &self.template.edges[arc.edge].layout.nails;
        let mut nails: Vec<Point> = nails.iter().copied().map(point).collect();
        if nails.is_empty() && arc.source == arc.target {
            let handles = [from.moved(-44.0, -52.0), from.moved(44.0, -52.0)];
            let start = from.towards(handles[0], out);
            let end = from.towards(handles[1], out);
            let points = vec![start, handles[0], handles[1], end];
            return Route { points, style: RouteStyle::Loop };
        }
        let start = from.towards(nails.first().copied().unwrap_or(to), out);
        let end = to.towards(nails.last().copied().unwrap_or(from), into);
        nails.insert(0, start);
        nails.push(end);
        Route { points: nails, style: RouteStyle::Straight }
    }

    fn node_texts(&self, node: usize) -> Vec<Text> {
        let at = self.nodes[node];
        let layout = (node < self.template.locations.len())
            .then(|| &self.template.locations[Id::from_index(node)].layout);
        let labels = &self.diagram.nodes[node].labels;
        let place = |label: &Label| layout.and_then(|layout| location_place(layout, label.kind));
        let mut below = at.y + 14.0;
        let mut texts = Vec::with_capacity(labels.len());
        for label in labels {
            let corner = place(label).unwrap_or_else(|| match label.kind {
                None => at.moved(8.0, -12.0 - label.height()),
                Some(_) => {
                    below += label.height();
                    Point::new(at.x + 8.0, below - label.height())
                }
            });
            texts.push(Text { corner, label: label.clone() });
        }
        texts
    }

    fn arc_texts(&self, number: usize, route: &Route) -> Vec<Text> {
        let arc = &self.diagram.arcs[number];
        let places = &self.template.edges[arc.edge].layout.labels;
        let middle = middle(&route.points);
        let mut below = middle.y - LINE;
        let mut texts = Vec::with_capacity(arc.labels.len());
        for label in &arc.labels {
            let written = places.iter().find(|(kind, _)| Some(*kind) == label.kind);
            let corner = written.map_or(Point::new(middle.x + 6.0, below), |(_, at)| point(*at));
            if written.is_none() {
                below += label.height();
            }
            texts.push(Text { corner, label: label.clone() });
        }
        texts
    }
}

fn location_place(layout: &LocationLayout, kind: Option<LabelKind>) -> Option<Point> {
    let place = match kind {
        None => layout.name,
        Some(kind) => layout.labels.iter().find(|(k, _)| *k == kind).map(|(_, at)| *at),
    };
    place.map(point)
}

/// The midpoint of a polyline.
fn middle(points: &[Point]) -> Point {
    let length: f64 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let mut left = length / 2.0;
    for pair in points.windows(2) {
        let distance = pair[0].distance(pair[1]);
        if left <= distance {
            return pair[0].towards(pair[1], left);
        }
        left -= distance;
    }
    points.last().copied().unwrap_or(Point::new(0.0, 0.0))
}
