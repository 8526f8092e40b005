//! The layout that the author of a model drew.

use crate::diagram::{Arc, Diagram, Label};
use crate::geometry::{Point, Rect};
use crate::placed::{Placed, Route, Text};
use crate::settled::settle;
use crate::text::LINE;
use std::collections::HashMap;
use zonaut_base::Id;
use zonaut_syntax::tree::{self, LabelKind, LocationLayout, Template};

/// Maximum extent of a drawing; larger ones are laid out automatically.
const LARGEST: f64 = 30_000.0;

/// Distances by which lines between the same two nodes, or around a node between their ends, are
/// bent, in the order of preference.
const BENDS: [f64; 13] =
    [0.0, 20.0, -20.0, 40.0, -40.0, 64.0, -64.0, 96.0, -96.0, 140.0, -140.0, 200.0, -200.0];
/// Distance between a line and a node that it passes.
const CLEARANCE: f64 = 4.0;
/// Maximum number of nodes for which lines are bent around nodes.
const MAX_NODES: usize = 400;

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
        let routes = self.routes();
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

    fn routes(&self) -> Vec<Route> {
        let mut taken = Taken::of(self.diagram, self.template);
        (0..self.diagram.arcs.len()).map(|arc| self.route(arc, &mut taken)).collect()
    }

    fn route(&self, number: usize, taken: &mut Taken) -> Route {
        let arc = &self.diagram.arcs[number];
        let [from, to] = [arc.source, arc.target].map(|node| self.nodes[node]);
        let [out, into] = [arc.source, arc.target].map(|n| self.diagram.nodes[n].shape.radius());
        let nails = &self.template.edges[arc.edge].layout.nails;
        let mut nails: Vec<Point> = nails.iter().copied().map(point).collect();
        // A nail inside of its node has no direction from it.
        nails.retain(|nail| nail.distance(from) > out + 1.0 && nail.distance(to) > into + 1.0);
        if !nails.is_empty() {
            let start = from.towards(nails[0], out);
            let end = to.towards(nails[nails.len() - 1], into);
            nails.insert(0, start);
            nails.push(end);
            return Route::straight(&nails);
        }
        if arc.source == arc.target {
            return self_loop(from, out, taken.next_loop(arc.source));
        }
        let candidates = taken.bends(arc.source, arc.target);
        let routes = candidates.iter().map(|&bend| (bend, bent([from, to], [out, into], bend)));
        let routes: Vec<(f64, Route)> = routes.collect();
        let is_free = |(_, route): &&(f64, Route)| !self.passes_foreign(arc, route);
        let (bend, route) = match routes.iter().find(is_free).or(routes.first()) {
            Some((bend, route)) => (*bend, route.clone()),
            None => (0.0, bent([from, to], [out, into], 0.0)),
        };
        taken.keep(arc.source, arc.target, bend);
        route
    }

    /// Whether a line passes a node that is not one of its ends.
    fn passes_foreign(&self, arc: &Arc, route: &Route) -> bool {
        if self.nodes.len() > MAX_NODES {
            return false;
        }
        #[cfg(feature = "faults")]
        if crate::faults::Fault::LinesNotBent.is_selected() {
            return false;
        }
        let points = route.sampled();
        let others = self.nodes.iter().zip(&self.diagram.nodes).enumerate();
        let mut others = others.filter(|(node, _)| *node != arc.source && *node != arc.target);
        others.any(|(_, (at, node))| {
            let radius = node.shape.radius() + CLEARANCE;
            points.iter().any(|point| point.distance(*at) < radius)
        })
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
        let middle = middle(&route.sampled());
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

/// The bends that lines between two nodes have already, and the numbers of their self-loops.
struct Taken {
    /// By pair of nodes, the number of lines without nails between them.
    counts: HashMap<(usize, usize), usize>,
    /// The bends in use, seen from the node with the smaller index.
    bends: HashMap<(usize, usize), Vec<f64>>,
    loops: HashMap<usize, usize>,
}

impl Taken {
    fn of(diagram: &Diagram, template: &Template) -> Self {
        let mut counts = HashMap::new();
        for arc in &diagram.arcs {
            if !template.edges[arc.edge].layout.nails.is_empty() {
                continue;
            }
            *counts.entry(pair(arc.source, arc.target)).or_insert(0) += 1;
        }
        Self { counts, bends: HashMap::new(), loops: HashMap::new() }
    }

    /// The number of preceding self-loops of a node.
    fn next_loop(&mut self, node: usize) -> usize {
        let count = self.loops.entry(node).or_insert(0);
        *count += 1;
        *count - 1
    }

    /// The bends that are not in use between two nodes. An even number of lines has none in the
    /// middle.
    fn bends(&self, source: usize, target: usize) -> Vec<f64> {
        let is_even = self.counts.get(&pair(source, target)).is_some_and(|count| count % 2 == 0);
        let sign = if source < target { 1.0 } else { -1.0 };
        let used = self.bends.get(&pair(source, target));
        let is_used = |bend: f64| used.is_some_and(|used| used.contains(&(bend * sign)));
        let bends = BENDS.into_iter().filter(|&bend| !(is_used(bend) || is_even && bend == 0.0));
        bends.collect()
    }

    fn keep(&mut self, source: usize, target: usize, bend: f64) {
        let sign = if source < target { 1.0 } else { -1.0 };
        self.bends.entry(pair(source, target)).or_default().push(bend * sign);
    }
}

fn pair(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

/// The line between the borders of two nodes with these radii, whose middle is `bend` away from
/// the straight line.
fn bent([from, to]: [Point; 2], [out, into]: [f64; 2], bend: f64) -> Route {
    if bend == 0.0 {
        return Route::straight(&[from.towards(to, out), to.towards(from, into)]);
    }
    let length = from.distance(to);
    let (dx, dy) = ((to.x - from.x) / length, (to.y - from.y) / length);
    // The middle of a cubic curve is at three quarters of the distance of its control points.
    let handle = |share: f64| {
        let at = from.towards(to, length * share);
        at.moved(dy * bend * 4.0 / 3.0, -dx * bend * 4.0 / 3.0)
    };
    let (first, second) = (handle(0.3), handle(0.7));
    Route::curved([from.towards(first, out), first, second, to.towards(second, into)])
}

/// A self-loop: above its node, then to the right, below and to the left.
fn self_loop(at: Point, radius: f64, number: usize) -> Route {
    let turn = |(x, y): (f64, f64)| match number % 4 {
        0 => (x, -y),
        1 => (y, x),
        2 => (-x, y),
        _ => (-y, -x),
    };
    let far = 1.0 + (number / 4) as f64 * 0.5;
    let handles = [(-44.0, 52.0), (44.0, 52.0)].map(|(x, y)| turn((x * far, y * far)));
    let [first, second] = handles.map(|(x, y)| at.moved(x, y));
    Route::curved([at.towards(first, radius), first, second, at.towards(second, radius)])
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
