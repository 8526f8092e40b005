//! A small writer of SVG pictures that are readable on light and dark backgrounds.
//!
//! Colours are classes of a style sheet inside the picture, which follows the viewer's colour
//! scheme: the files need no scripts, no fonts and no server.

use std::fmt::Write;

/// Number of colours of series; further series repeat them.
pub(crate) const COLOURS: usize = 8;

/// Distinguishable with any kind of colour vision, after M. Okabe and K. Ito.
const ON_LIGHT: [&str; COLOURS] =
    ["#0072b2", "#d55e00", "#009e73", "#b5579b", "#a67c00", "#2b9bd4", "#6b4fbb", "#59636e"];
const ON_DARK: [&str; COLOURS] =
    ["#4aa3df", "#ff8a3d", "#2cc79c", "#e28cc8", "#e6c229", "#8fd3ff", "#a58cf5", "#9198a1"];

const LIGHT: &str = "\
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.title { font-size: 15px; font-weight: 600; }
.small { font-size: 10px; fill: #59636e; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.page { fill: #ffffff; }
.grid { stroke: #d1d9e0; stroke-width: 1; }
.mark { stroke: #1f2328; stroke-width: 2; }
.weak { opacity: 0.4; }
.line { fill: none; stroke-width: 2; }
";

const DARK: &str = "\
text { fill: #f0f6fc; }
.small { fill: #9198a1; }
.page { fill: #0d1117; }
.grid { stroke: #3d444d; }
.mark { stroke: #f0f6fc; }
";

/// The style sheet: series fill bars with the classes `f0`, `f1` ... and draw lines with `s0` ...
fn style() -> String {
    let palette = |colours: &[&str]| -> String {
        let classes = colours.iter().enumerate();
        let classes =
            classes.map(|(n, c)| format!(".f{n} {{ fill: {c}; }}\n.s{n} {{ stroke: {c}; }}\n"));
        classes.collect()
    };
    format!(
        "{LIGHT}{}@media (prefers-color-scheme: dark) {{\n{DARK}{}}}\n",
        palette(&ON_LIGHT),
        palette(&ON_DARK)
    )
}

/// A width and a height.
pub(crate) type Size = (f64, f64);

/// A point, from the upper left corner.
pub(crate) type Point = (f64, f64);

/// A picture that is built from elements.
pub(crate) struct Picture {
    width: f64,
    height: f64,
    title: String,
    body: String,
}

impl Picture {
    pub(crate) fn new(width: f64, height: f64, title: &str) -> Self {
        let mut picture = Self { width, height, title: escaped(title), body: String::new() };
        picture.label((16.0, 24.0), "title", title);
        picture
    }

    /// A text, aligned by its classes.
    pub(crate) fn label(&mut self, (x, y): Point, class: &str, text: &str) {
        let text = escaped(text);
        let _ =
            writeln!(self.body, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
    }

    pub(crate) fn line(&mut self, (x1, y1): Point, (x2, y2): Point, class: &str) {
        let _ = writeln!(
            self.body,
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    }

    /// A bar with the tooltip `hint`.
    pub(crate) fn bar(&mut self, (x, y): Point, (width, height): Size, class: &str, hint: &str) {
        let hint = escaped(hint);
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"><title>{hint}</title></rect>"
        );
    }

    /// A line through `points`, with a dot at each of them.
    pub(crate) fn curve(&mut self, points: &[Point], colour: usize) {
        let colour = colour % COLOURS;
        let list: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let list = list.join(" ");
        let _ = writeln!(self.body, "<polyline class=\"line s{colour}\" points=\"{list}\"/>");
        for (x, y) in points {
            let _ = writeln!(
                self.body,
                "<circle class=\"f{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"
            );
        }
    }

    /// The whole file.
    pub(crate) fn finish(self) -> String {
        let Self { width, height, title, body } = self;
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\">\n\
             <style>\n{}</style>\n\
             <rect class=\"page\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
            style(),
        )
    }
}

fn escaped(text: &str) -> String {
    let clean = zonaut_console::one_line(text);
    clean.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_self_contained_and_escaped() {
        let mut picture = Picture::new(100.0, 50.0, "a < b & \"c\"");
        picture.bar((1.0, 2.0), (3.0, 4.0), "f0", "E<> x\u{1b}");
        picture.curve(&[(0.0, 0.0), (1.5, 2.25)], 9);
        let text = picture.finish();
        assert!(text.contains("aria-label=\"a &lt; b &amp; &quot;c&quot;\""), "{text}");
        assert!(text.contains("<title>E&lt;&gt; x\u{fffd}</title>"), "{text}");
        assert!(
            text.contains("<polyline class=\"line s1\" points=\"0.0,0.0 1.5,2.2\"/>"),
            "{text}"
        );
        assert!(text.contains("prefers-color-scheme: dark"));
        let outside = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!outside.contains("http") && !outside.contains("<script"), "{text}");
    }
}
