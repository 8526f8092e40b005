//! A picture that is built from elements, and its two forms: a separate file, and a part of a page
//! that includes the style sheet already.

use crate::geometry::{Point, Rect};
use crate::text::escaped;
use std::fmt::{self, Write};

/// The style sheet of all pictures: light or dark as the viewer prefers. A page that shows
/// [`Picture::inline`] includes it once.
pub const STYLE: &str = include_str!("style.css");

/// Number of colours of series; further series repeat them.
pub(crate) const COLOURS: usize = 8;

/// A finished picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    width: f64,
    height: f64,
    label: String,
    /// Attributes for scripts, each with a space before it.
    notes: String,
    body: String,
}

impl Picture {
    pub(crate) fn new(label: &str) -> Self {
        let (notes, body) = (String::new(), String::new());
        Self { width: 0.0, height: 0.0, label: escaped(label), notes, body }
    }

    /// Adds an attribute for scripts.
    pub(crate) fn note(&mut self, name: &str, value: f64) {
        let _ = write!(self.notes, " data-{name}=\"{}\"", Number(value));
    }

    pub(crate) fn resize(&mut self, width: f64, height: f64) {
        (self.width, self.height) = (width.ceil(), height.ceil());
    }

    /// The width, in units of the page.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.width
    }

    /// The height.
    #[must_use]
    pub fn height(&self) -> f64 {
        self.height
    }

    /// The picture as a separate file.
    #[must_use]
    pub fn standalone(&self) -> String {
        let Self { width, height, label, notes, body } = self;
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <svg xmlns=\"http://www.w3.org/2000/svg\" class=\"zd\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\"{notes} role=\"img\" aria-label=\"{label}\">\n\
             <style>\n{STYLE}</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n\
             {body}</svg>\n"
        )
    }

    /// The picture as a part of a page with [`STYLE`].
    #[must_use]
    pub fn inline(&self) -> String {
        let Self { width, height, label, notes, body } = self;
        format!(
            "<svg class=\"zd\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\"{notes} role=\"img\" aria-label=\"{label}\">\n{body}</svg>"
        )
    }

    /// The markup of its elements.
    pub(crate) fn body(&self) -> &str {
        &self.body
    }

    /// The picture with other markup of its elements.
    pub(crate) fn with_body(self, body: String) -> Self {
        Self { body, ..self }
    }

    /// Appends markup, whose texts the caller has escaped.
    pub(crate) fn draw(&mut self, markup: fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.body.write_fmt(markup);
        self.body.push('\n');
    }

    /// A line of text, `at` its baseline.
    pub(crate) fn text(&mut self, at: Point, class: &str, text: &str) {
        let (x, y, text) = (Number(at.x), Number(at.y), escaped(text));
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        self.draw(format_args!("<text{class} x=\"{x}\" y=\"{y}\">{text}</text>"));
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, class: &str) {
        let [x, y, right, down] = [from.x, from.y, to.x, to.y].map(Number);
        self.draw(format_args!("<path class=\"{class}\" d=\"M{x} {y}L{right} {down}\"/>"));
    }

    pub(crate) fn rect(&mut self, rect: Rect, class: &str) {
        self.open_rect(rect, class, format_args!("/>"));
    }

    /// A rectangle with a tooltip.
    pub(crate) fn titled_rect(&mut self, rect: Rect, class: &str, title: &str) {
        let title = escaped(title);
        self.open_rect(rect, class, format_args!("><title>{title}</title></rect>"));
    }

    /// A rectangle that ends as `end` says.
    fn open_rect(&mut self, rect: Rect, class: &str, end: fmt::Arguments<'_>) {
        let [x, y, w, h] = [rect.left, rect.top, rect.width(), rect.height()].map(Number);
        self.draw(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"{end}"
        ));
    }

    pub(crate) fn circle(&mut self, at: Point, radius: f64, class: &str) {
        let [x, y, r] = [at.x, at.y, radius].map(Number);
        self.draw(format_args!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>"));
    }

    /// Draws another picture with its corner at `at`.
    pub(crate) fn place(&mut self, at: Point, other: &Self) {
        let (x, y) = (Number(at.x), Number(at.y));
        self.draw(format_args!("<g transform=\"translate({x} {y})\">\n{}</g>", other.body));
    }
}

/// A coordinate with at most one decimal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number(pub(crate) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        if tenths % 10 == 0 {
            write!(f, "{}", tenths / 10)
        } else {
            let sign = if tenths < 0 { "-" } else { "" };
            write!(f, "{sign}{}.{}", (tenths / 10).abs(), (tenths % 10).abs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short() {
        let check = |number: f64, text: &str| assert_eq!(Number(number).to_string(), text);
        check(3.0, "3");
        check(-0.04, "0");
        check(2.26, "2.3");
        check(-0.5, "-0.5");
        check(f64::NAN, "0");
    }

    #[test]
    fn a_picture_needs_nothing_from_outside() {
        let mut picture = Picture::new("a < \"b\"");
        picture.text(Point::new(1.0, 2.0), "name", "<script>");
        picture.resize(10.2, 20.0);
        let file = picture.standalone();
        assert!(file.contains("aria-label=\"a &lt; &quot;b&quot;\""), "{file}");
        assert!(file.contains("width=\"11\"") && file.contains("prefers-color-scheme: dark"));
        let rest = file.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains("http") && !rest.contains("<script"), "{file}");
        assert!(!picture.inline().contains("<style"));
    }
}
