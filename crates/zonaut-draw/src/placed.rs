//! The layout of an automaton, and its picture.

use crate::diagram::{Arc, Diagram, Label, Shape};
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

/// The line of an arc: straight and curved parts, each from the end of the one before it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Route {
    pub(crate) start: Point,
    pub(crate) parts: Vec<Part>,
}

/// A part of a line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Part {
    /// A straight line to this point.
    Line(Point),
    /// A cubic curve: two control points and the end.
    Curve([Point; 3]),
}

impl Part {
    fn end(self) -> Point {
        match self {
            Self::Line(end) | Self::Curve([_, _, end]) => end,
        }
    }

    fn moved(self, x: f64, y: f64) -> Self {
        match self {
            Self::Line(end) => Self::Line(end.moved(x, y)),
            Self::Curve(points) => Self::Curve(points.map(|point| point.moved(x, y))),
        }
    }
}

impl Route {
    /// A polyline. Consecutive equal points count once.
    pub(crate) fn straight(points: &[Point]) -> Self {
        let start = points.first().copied().unwrap_or(Point::new(0.0, 0.0));
        let pairs = points.windows(2).filter(|pair| pair[0] != pair[1]);
        Self { start, parts: pairs.map(|pair| Part::Line(pair[1])).collect() }
    }

    /// One curve with these control points.
    pub(crate) fn curved([start, first, second, end]: [Point; 4]) -> Self {
        Self { start, parts: vec![Part::Curve([first, second, end])] }
    }

    pub(crate) fn end(&self) -> Point {
        self.parts.last().map_or(self.start, |part| part.end())
    }

    /// The same line in the other direction.
    pub(crate) fn reversed(&self) -> Self {
        let mut parts = Vec::with_capacity(self.parts.len());
        for (position, part) in self.parts.iter().enumerate().rev() {
            let end = position.checked_sub(1).map_or(self.start, |before| self.parts[before].end());
            parts.push(match *part {
                Part::Line(_) => Part::Line(end),
                Part::Curve([first, second, _]) => Part::Curve([second, first, end]),
            });
        }
        Self { start: self.end(), parts }
    }

    /// The start, the ends of the parts, and the control points: the line lies in their convex
    /// hull.
    pub(crate) fn hull(&self) -> impl Iterator<Item = Point> {
        let points = self.parts.iter().flat_map(|part| match *part {
            Part::Line(end) => vec![end],
            Part::Curve(points) => points.to_vec(),
        });
        [self.start].into_iter().chain(points)
    }

    /// Points on the line, close to each other.
    pub(crate) fn sampled(&self) -> Vec<Point> {
        let mut points = vec![self.start];
        let mut from = self.start;
        for part in &self.parts {
            let length = match *part {
                Part::Line(end) => from.distance(end),
                Part::Curve([a, b, end]) => from.distance(a) + a.distance(b) + b.distance(end),
            };
            let count = (length / 3.0).ceil().clamp(1.0, 2000.0);
            let mut step = 1.0;
            while step <= count {
                points.push(point_on(from, *part, step / count));
                step += 1.0;
            }
            from = part.end();
        }
        points
    }

    /// The inner corners of a polyline that follows the line.
    pub(crate) fn nails(&self) -> Vec<Point> {
        let mut nails = Vec::new();
        let mut from = self.start;
        for (position, part) in self.parts.iter().enumerate() {
            // A single curve bends between its ends.
            if let (Part::Curve(_), [_]) = (part, &self.parts[..]) {
                nails.extend([1.0, 2.0].map(|third| point_on(from, *part, third / 3.0)));
            }
            from = part.end();
            if position + 1 < self.parts.len() {
                nails.push(from);
            }
        }
        nails
    }

    /// A point behind the end, in the direction from which the line arrives; `None` if the line
    /// has no length.
    fn behind(&self) -> Option<Point> {
        let end = self.end();
        #[cfg(feature = "faults")]
        if crate::faults::Fault::TipsDegenerate.is_selected() {
            return Some(end);
        }
        let hull: Vec<Point> = self.hull().collect();
        hull.into_iter().rev().find(|point| point.distance(end) > 0.05)
    }

    fn moved(&self, x: f64, y: f64) -> Self {
        let parts = self.parts.iter().map(|part| part.moved(x, y)).collect();
        Self { start: self.start.moved(x, y), parts }
    }
}

/// The point of a part at the share `t` of its parameter.
fn point_on(from: Point, part: Part, t: f64) -> Point {
    let mix = |a: Point, b: Point| Point::new(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t);
    match part {
        Part::Line(end) => mix(from, end),
        Part::Curve([a, b, end]) => {
            let (left, middle, right) = (mix(from, a), mix(a, b), mix(b, end));
            mix(mix(left, middle), mix(middle, right))
        }
    }
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
        let points = self.routes.iter().flat_map(Route::hull);
        let points = points.map(|point| Rect::around(point, 3.0));
        let all = nodes.chain(points).chain(self.texts().map(Text::area));
        all.reduce(Rect::joined).unwrap_or(Rect { left: 0.0, top: 0.0, right: 0.0, bottom: 0.0 })
    }

    /// The layout, moved so that it begins at the margin.
    fn shifted(mut self, diagram: &Diagram) -> Self {
        let area = self.area(diagram);
        let (x, y) = (MARGIN - area.left, MARGIN - area.top);
        self.nodes.iter_mut().for_each(|point| *point = point.moved(x, y));
        self.routes.iter_mut().for_each(|route| *route = route.moved(x, y));
        let texts = self.node_texts.iter_mut().chain(&mut self.arc_texts).flatten();
        texts.for_each(|text| text.corner = text.corner.moved(x, y));
        self
    }

    /// The picture: locations have their index as `data-l`, lines of edges as `data-e`, and the
    /// labels of edges as `data-label`. All lines are below all labels, whose halos separate them.
    pub(crate) fn picture(self, diagram: &Diagram, label: &str) -> Picture {
        let placed = self.shifted(diagram);
        let area = placed.area(diagram);
        let mut picture = Picture::new(label);
        picture.resize(area.right + MARGIN, area.bottom + MARGIN);
        for (arc, route) in diagram.arcs.iter().zip(&placed.routes) {
            picture.draw(format_args!("<g data-e=\"{}\">", arc.edge));
            draw_route(&mut picture, route, arc);
            picture.draw(format_args!("</g>"));
        }
        for number in 0..diagram.nodes.len() {
            placed.draw_node(diagram, number, &mut picture);
        }
        for (arc, texts) in diagram.arcs.iter().zip(&placed.arc_texts) {
            if !texts.is_empty() {
                picture.draw(format_args!("<g data-label=\"{}\">", arc.edge));
                texts.iter().for_each(|text| draw_text(&mut picture, text));
                picture.draw(format_args!("</g>"));
            }
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

fn draw_route(picture: &mut Picture, route: &Route, arc: &Arc) {
    let Some(behind) = route.behind() else { return };
    let dash = if arc.controllable { "" } else { " env" };
    let end = route.end();
    let heel = end.towards(behind, TIP.0);
    let line = path_of(route, heel);
    // A style sheet overrides an attribute, so elements with the author's colour have no class for
    // it.
    match &arc.colour {
        Some(colour) => picture.draw(format_args!(
            "<path class=\"own{dash}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" d=\"{line}\"/>"
        )),
        None => picture.draw(format_args!("<path class=\"edge{dash}\" d=\"{line}\"/>")),
    }
    let (dx, dy) = ((heel.y - end.y) / TIP.0 * TIP.1, (end.x - heel.x) / TIP.0 * TIP.1);
    let [x, y] = [end.x, end.y].map(Number);
    let [ax, ay] = [heel.x + dx, heel.y + dy].map(Number);
    let [bx, by] = [heel.x - dx, heel.y - dy].map(Number);
    let paint = match &arc.colour {
        Some(colour) => format!("class=\"own-tip\" fill=\"{colour}\""),
        None => "class=\"tip\"".to_owned(),
    };
    picture.draw(format_args!("<path {paint} d=\"M{x} {y}L{ax} {ay}L{bx} {by}Z\"/>"));
}

/// The line of a route as an SVG path. It ends in the middle of the arrowhead, whose tip would be
/// blunt otherwise.
fn path_of(route: &Route, heel: Point) -> String {
    let mut path = format!("M{} {}", Number(route.start.x), Number(route.start.y));
    let inside = route.end().towards(heel, TIP.0 * 0.6);
    for (position, part) in route.parts.iter().enumerate() {
        let is_last = position + 1 == route.parts.len();
        let end = if is_last { inside } else { part.end() };
        let (x, y) = (Number(end.x), Number(end.y));
        let _ = match *part {
            Part::Line(_) => write!(path, "L{x} {y}"),
            Part::Curve([a, b, _]) => {
                let [ax, ay, bx, by] = [a.x, a.y, b.x, b.y].map(Number);
                write!(path, "C{ax} {ay} {bx} {by} {x} {y}")
            }
        };
    }
    path
}
