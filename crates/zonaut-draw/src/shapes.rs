//! The shapes of a picture with their colours, for formats other than SVG.

use crate::geometry::Point;
use crate::picture::Picture;
use crate::sheet::{Element, Paint, Sheet};

/// A part of an outline.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Segment {
    Move(Point),
    Line(Point),
    Curve([Point; 3]),
    Close,
}

/// A shape of a picture.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Shape {
    Outline(Vec<Segment>),
    Circle { middle: Point, radius: f64 },
    Text { at: Point, text: String },
}

/// A shape and how it is painted.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PaintedShape {
    pub(crate) shape: Shape,
    pub(crate) paint: Paint,
}

/// The shapes of a picture, from back to front.
pub(crate) fn shapes(picture: &Picture) -> Vec<PaintedShape> {
    let sheet = Sheet::light();
    let root = Element { name: "svg".to_owned(), attributes: [class("zd")].into() };
    let mut reader =
        Reader { sheet, open: vec![root], offsets: vec![Point::new(0.0, 0.0)], found: Vec::new() };
    let mut rest = picture.body();
    while let Some(start) = rest.find('<') {
        let Some(end) = rest[start..].find('>') else { break };
        let (tag, after) = (&rest[start + 1..start + end], &rest[start + end + 1..]);
        let text = after.split('<').next().unwrap_or_default();
        reader.tag(tag, text);
        rest = after;
    }
    reader.found
}

fn class(name: &str) -> (String, String) {
    ("class".to_owned(), name.to_owned())
}

struct Reader {
    sheet: Sheet,
    /// The elements around the current position.
    open: Vec<Element>,
    /// The translation of each of them.
    offsets: Vec<Point>,
    found: Vec<PaintedShape>,
}

impl Reader {
    /// Reads a tag, with the text behind it.
    fn tag(&mut self, tag: &str, text: &str) {
        if tag.starts_with('/') {
            self.open.pop();
            self.offsets.pop();
            return;
        }
        let element = element(tag.trim_end_matches('/'));
        let around = self.offsets.last().copied().unwrap_or(Point::new(0.0, 0.0));
        let own = element.get("transform").map_or(around, |it| moved(around, it));
        self.open.push(element);
        self.offsets.push(own);
        self.shape(own, text);
        if tag.ends_with('/') {
            self.open.pop();
            self.offsets.pop();
        }
    }

    fn shape(&mut self, offset: Point, text: &str) {
        let Some(element) = self.open.last() else { return };
        let number = |name: &str| element.get(name).and_then(|it| it.parse().ok()).unwrap_or(0.0);
        let at = |x: &str, y: &str| Point::new(number(x), number(y)).moved(offset.x, offset.y);
        let shape = match element.name.as_str() {
            "path" => Shape::Outline(outline(element.get("d").unwrap_or_default(), offset)),
            "polygon" => {
                let numbers = numbers(element.get("points").unwrap_or_default());
                let mut points = numbers.chunks_exact(2).map(|it| Point::new(it[0], it[1]));
                let mut parts: Vec<Segment> =
                    points.next().into_iter().map(Segment::Move).collect();
                parts.extend(points.map(Segment::Line));
                parts.push(Segment::Close);
                Shape::Outline(parts.into_iter().map(|it| shifted(it, offset)).collect())
            }
            "rect" => {
                let (corner, width, height) = (at("x", "y"), number("width"), number("height"));
                let corners = [(width, 0.0), (width, height), (0.0, height)];
                let sides = corners.map(|(x, y)| Segment::Line(corner.moved(x, y)));
                let parts = [&[Segment::Move(corner)][..], &sides, &[Segment::Close]].concat();
                Shape::Outline(parts)
            }
            "circle" => Shape::Circle { middle: at("cx", "cy"), radius: number("r") },
            "text" => Shape::Text { at: at("x", "y"), text: unescaped(text) },
            _ => return,
        };
        let paint = self.sheet.paint(&self.open);
        self.found.push(PaintedShape { shape, paint });
    }
}

/// The name and the attributes of a tag, whose values have double quotes.
fn element(tag: &str) -> Element {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let mut element = Element { name: name.to_owned(), ..Element::default() };
    while let Some((key, after)) = rest.split_once("=\"") {
        let Some((value, next)) = after.split_once('"') else { break };
        element.attributes.insert(key.trim().to_owned(), unescaped(value));
        rest = next;
    }
    element
}

fn unescaped(text: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |all, (entity, c)| all.replace(entity, c))
}

/// The point, moved by `translate(x y)`.
fn moved(at: Point, transform: &str) -> Point {
    let inner = transform.strip_prefix("translate(").and_then(|it| it.strip_suffix(')'));
    match numbers(inner.unwrap_or_default())[..] {
        [x, y] => at.moved(x, y),
        _ => at,
    }
}

fn shifted(segment: Segment, by: Point) -> Segment {
    let shift = |point: Point| point.moved(by.x, by.y);
    match segment {
        Segment::Move(to) => Segment::Move(shift(to)),
        Segment::Line(to) => Segment::Line(shift(to)),
        Segment::Curve(points) => Segment::Curve(points.map(shift)),
        Segment::Close => Segment::Close,
    }
}

/// Numbers that are separated by blanks or commas.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    words.filter_map(|word| word.parse().ok()).collect()
}

/// The path of a `d` attribute with absolute commands.
fn outline(path: &str, offset: Point) -> Vec<Segment> {
    let mut parts = Vec::new();
    let mut now = Point::new(0.0, 0.0);
    let mut rest = path;
    while let Some(command) = rest.chars().next() {
        let after = &rest[command.len_utf8()..];
        let end = after.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(after.len());
        let numbers = numbers(&after[..end]);
        let point = |at: usize| Some(Point::new(*numbers.get(at)?, *numbers.get(at + 1)?));
        let segment = match command {
            'M' => point(0).map(Segment::Move),
            'L' => point(0).map(Segment::Line),
            'H' => numbers.first().map(|&x| Segment::Line(Point::new(x, now.y))),
            'V' => numbers.first().map(|&y| Segment::Line(Point::new(now.x, y))),
            'C' => match [point(0), point(2), point(4)] {
                [Some(a), Some(b), Some(end)] => Some(Segment::Curve([a, b, end])),
                _ => None,
            },
            'Z' => Some(Segment::Close),
            _ => None,
        };
        if let Some(Segment::Move(to) | Segment::Line(to) | Segment::Curve([_, _, to])) = segment {
            now = to;
        }
        parts.extend(segment.map(|segment| shifted(segment, offset)));
        rest = &after[end..];
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_groups_are_read() {
        let mut inner = Picture::new("inner");
        inner.draw(format_args!("<path class=\"edge\" d=\"M1 2H5V6C1 1 2 2 3 3\"/>"));
        inner.text(Point::new(1.0, 1.0), "name", "a < b & \"c\"");
        let mut picture = Picture::new("outer");
        picture.place(Point::new(10.0, 20.0), &inner);
        let found = shapes(&picture);
        let at = |x: f64, y: f64| Point::new(x, y);
        let path = [
            Segment::Move(at(11.0, 22.0)),
            Segment::Line(at(15.0, 22.0)),
            Segment::Line(at(15.0, 26.0)),
            Segment::Curve([at(11.0, 21.0), at(12.0, 22.0), at(13.0, 23.0)]),
        ];
        assert_eq!(found[0].shape, Shape::Outline(path.to_vec()));
        let text = "a < b & \"c\"".to_owned();
        assert_eq!(found[1].shape, Shape::Text { at: at(11.0, 21.0), text });
    }
}
