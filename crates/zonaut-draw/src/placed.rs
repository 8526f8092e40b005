//! The layout of an automaton, and its picture.

use crate::diagram::{Diagram, Label, Shape};
use crate::geometry::{Point, Rect};
use crate::picture::{Number, Picture};
use crate::text::{LINE, SIZE};
use std::fmt::Write as _;
use zonaut_syntax::tree::LocationKind;

/// Margin around the picture.
const MARGIN: f64 = 14.0;
/// The length and half the width of an arrowhead.
const TIP: (f64, f64) = (9.0, 3.6);

/// The positions of the parts of a diagram.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    /// The middle of each node.
    pub(crate) nodes: Vec<Point>,
    /// The line of each arc, from border to border.
    pub(crate) routes: Vec<Route>,
    /// The labels of each node.
    pub(crate) node_texts: Vec<Vec<Text>>,
    /// The labels of each arc.
    pub(crate) arc_texts: Vec<Vec<Text>>,
}

/// The line of an arc.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) points: Vec<Point>,
    pub(crate) style: RouteStyle,
}

/// The interpolation between the points of a route.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RouteStyle {
    /// Straight lines.
    Straight,
    /// Curves with vertical ends.
    Upright,
    /// One curve, with the inner two points as its control points.
    Loop,
}

/// A label with its position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Text {
    /// The upper left corner.
    pub(crate) corner: Point,
    pub(crate) label: Label,
}

impl Text {
    pub(crate) fn area(&self) -> Rect {
        Rect {
            left: self.corner.x,
            top: self.corner.y,
            right: self.corner.x + self.label.width(),
            bottom: self.corner.y + self.label.height(),
        }
    }
}

/// Stacked labels, from `corner` on.
pub(crate) fn stacked(labels: &[Label], corner: Point) -> Vec<Text> {
    let mut y = corner.y;
    let mut texts = Vec::with_capacity(labels.len());
    for label in labels {
        texts.push(Text { corner: Point::new(corner.x, y), label: label.clone() });
        y += label.height();
    }
    texts
}

impl Placed {
    /// All labels.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &Text> {
        self.node_texts.iter().chain(&self.arc_texts).flatten()
    }

    /// The bounding box.
    pub(crate) fn area(&self, diagram: &Diagram) -> Rect {
        let nodes = self.nodes.iter().zip(&diagram.nodes);
        let nodes = nodes.map(|(&at, node)| Rect::around(at, node.shape.radius() + 3.0));
        let points = self.routes.iter().flat_map(|route| &route.points);
        let points = points.map(|&point| Rect::around(point, 3.0));
        let all = nodes.chain(points).chain(self.texts().map(Text::area));
        all.reduce(Rect::joined).unwrap_or(Rect { left: 0.0, top: 0.0, right: 0.0, bottom: 0.0 })
    }

    /// The layout, moved so that it begins at the margin.
    fn shifted(mut self, diagram: &Diagram) -> Self {
        let area = self.area(diagram);
        let (x, y) = (MARGIN - area.left, MARGIN - area.top);
        self.nodes.iter_mut().for_each(|point| *point = point.moved(x, y));
        let routes = self.routes.iter_mut().flat_map(|route| &mut route.points);
        routes.for_each(|point| *point = point.moved(x, y));
        let texts = self.node_texts.iter_mut().chain(&mut self.arc_texts).flatten();
        texts.for_each(|text| text.corner = text.corner.moved(x, y));
        self
    }

    /// The picture: locations have their index as `data-l`, edges as `data-e`.
    pub(crate) fn picture(self, diagram: &Diagram, label: &str) -> Picture {
        let placed = self.shifted(diagram);
        let area = placed.area(diagram);
        let mut picture = Picture::new(label);
        picture.resize(area.right + MARGIN, area.bottom + MARGIN);
        for (arc, (route, texts)) in
            diagram.arcs.iter().zip(placed.routes.iter().zip(&placed.arc_texts))
        {
            picture.draw(format_args!("<g data-e=\"{}\">", arc.edge));
            let stroke = arc.colour.as_deref();
            draw_route(&mut picture, route, arc.controllable, stroke);
            texts.iter().for_each(|text| draw_text(&mut picture, text));
            picture.draw(format_args!("</g>"));
        }
        for number in 0..diagram.nodes.len() {
            placed.draw_node(diagram, number, &mut picture);
        }
        picture
    }

    fn draw_node(&self, diagram: &Diagram, number: usize, picture: &mut Picture) {
        let (node, at) = (&diagram.nodes[number], self.nodes[number]);
        let radius = node.shape.radius();
        let Shape::Location(kind) = node.shape else {
            picture.circle(at, radius, "dot");
            return;
        };
        picture.draw(format_args!("<g data-l=\"{number}\">"));
        match &node.colour {
            Some(colour) => {
                let [x, y, r] = [at.x, at.y, radius].map(Number);
                picture.draw(format_args!(
                    "<circle class=\"paint\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{colour}\"/>"
                ));
            }
            None => picture.circle(at, radius, "loc"),
        }
        if diagram.initial == Some(number) {
            picture.circle(at, radius - 3.5, "ring");
        }
        let mark = match kind {
            LocationKind::Ordinary => None,
            LocationKind::Urgent => Some("U"),
            LocationKind::Committed => Some("C"),
        };
        if let Some(mark) = mark {
            let class = if node.colour.is_some() { "mid mark" } else { "mid" };
            picture.text(at.moved(0.0, 4.0), class, mark);
        }
        self.node_texts[number].iter().for_each(|text| draw_text(picture, text));
        picture.draw(format_args!("</g>"));
    }
}

fn draw_text(picture: &mut Picture, text: &Text) {
    for (line, content) in text.label.lines.iter().enumerate() {
        // Letters are on the baseline, with space below for descenders.
        let y = line as f64 * LINE + SIZE - 0.5;
        picture.text(text.corner.moved(0.0, y), text.label.class(), content);
    }
}

fn draw_route(picture: &mut Picture, route: &Route, controllable: bool, stroke: Option<&str>) {
    let [.., before, end] = route.points[..] else { return };
    let dash = if controllable { "" } else { " env" };
    let line = path_of(route);
    // A style sheet overrides an attribute, so elements with the author's colour have no class for
    // it.
    match stroke {
        Some(colour) => picture.draw(format_args!(
            "<path class=\"own{dash}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" d=\"{line}\"/>"
        )),
        None => picture.draw(format_args!("<path class=\"edge{dash}\" d=\"{line}\"/>")),
    }
    let back = match route.style {
        RouteStyle::Upright => Point::new(end.x, before.y),
        RouteStyle::Straight | RouteStyle::Loop => before,
    };
    let heel = end.towards(back, TIP.0);
    let (dx, dy) = ((heel.y - end.y) / TIP.0 * TIP.1, (end.x - heel.x) / TIP.0 * TIP.1);
    let [x, y] = [end.x, end.y].map(Number);
    let [ax, ay] = [heel.x + dx, heel.y + dy].map(Number);
    let [bx, by] = [heel.x - dx, heel.y - dy].map(Number);
    let paint = match stroke {
        Some(colour) => format!("fill=\"{colour}\""),
        None => "class=\"tip\"".to_owned(),
    };
    picture.draw(format_args!("<path {paint} d=\"M{x} {y}L{ax} {ay}L{bx} {by}Z\"/>"));
}

/// The line of a route as an SVG path.
fn path_of(route: &Route) -> String {
    let mut path = String::new();
    let Some((first, rest)) = route.points.split_first() else { return path };
    let _ = write!(path, "M{} {}", Number(first.x), Number(first.y));
    if let (RouteStyle::Loop, [a, b, end]) = (route.style, rest) {
        let [ax, ay, bx, by, x, y] = [a.x, a.y, b.x, b.y, end.x, end.y].map(Number);
        let _ = write!(path, "C{ax} {ay} {bx} {by} {x} {y}");
        return path;
    }
    let mut last = *first;
    for &point in rest {
        let (x, y) = (Number(point.x), Number(point.y));
        let is_straight =
            route.style != RouteStyle::Upright || last.x == point.x || last.y == point.y;
        let _ = match is_straight {
            true => write!(path, "L{x} {y}"),
            false => {
                let middle = Number(f64::midpoint(last.y, point.y));
                write!(path, "C{} {middle} {x} {middle} {x} {y}", Number(last.x))
            }
        };
        last = point;
    }
    path
}
