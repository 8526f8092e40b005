//! Pictures as TikZ, for papers in LaTeX.

use crate::geometry::Point;
use crate::picture::Picture;
use crate::shapes::{PaintedShape, Segment, Shape, shapes};
use crate::sheet::{Anchor, Colour, Paint};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Points of TeX for each unit of a picture.
const SCALE: f64 = 0.75;

impl Picture {
    /// The picture as a `tikzpicture` in the light scheme, to be included with `\input`.
    #[must_use]
    pub fn tikz(&self) -> String {
        let mut writer = Writer { colours: BTreeMap::new(), body: String::new() };
        shapes(self).iter().for_each(|shape| writer.draw(shape));
        let mut text = "% Needs \\usepackage{tikz}.\n".to_owned();
        for (rgb, name) in &writer.colours {
            let _ = writeln!(text, "\\definecolor{{{name}}}{{HTML}}{{{rgb}}}");
        }
        let _ = write!(
            text,
            "\\begin{{tikzpicture}}[x={SCALE}pt, y=-{SCALE}pt, line cap=round, line join=round]\n{}\
             \\end{{tikzpicture}}\n",
            writer.body
        );
        text
    }
}

struct Writer {
    /// Names of colours by their hexadecimal digits.
    colours: BTreeMap<String, String>,
    body: String,
}

fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn point(at: Point) -> String {
    format!("({},{})", number(at.x), number(at.y))
}

impl Writer {
    fn colour(&mut self, Colour(parts): Colour) -> String {
        let bytes = parts.map(|part| format!("{:02X}", (part * 255.0).round() as u8));
        let rgb = bytes.concat();
        let name = format!("zonaut{rgb}");
        self.colours.entry(rgb).or_insert(name).clone()
    }

    fn draw(&mut self, PaintedShape { shape, paint }: &PaintedShape) {
        let options = self.options(paint);
        let path = match shape {
            Shape::Text { at, text } => return self.text(*at, text, paint),
            Shape::Circle { middle, radius } => {
                format!("{} circle [radius={}pt]", point(*middle), number(radius * SCALE))
            }
            Shape::Outline(parts) => outline(parts),
        };
        let _ = writeln!(self.body, "\\path[{options}] {path};");
    }

    fn options(&mut self, paint: &Paint) -> String {
        let mut options = Vec::new();
        if let Some(fill) = paint.fill {
            options.push(format!("fill={}", self.colour(fill)));
        }
        if let Some(stroke) = paint.stroke {
            options.push(format!("draw={}", self.colour(stroke)));
            options.push(format!("line width={}pt", number(paint.width * SCALE)));
        }
        if let [on, off, ..] = paint.dashes[..] {
            let [on, off] = [on, off].map(|length| number(length * SCALE));
            options.push(format!("dash pattern=on {on}pt off {off}pt"));
        }
        options.join(", ")
    }

    fn text(&mut self, at: Point, text: &str, paint: &Paint) {
        let anchor = match paint.anchor {
            Anchor::Start => "base west",
            Anchor::Middle => "base",
            Anchor::End => "base east",
        };
        let colour = paint.fill.map(|fill| self.colour(fill)).unwrap_or_default();
        let size = number(paint.size * SCALE);
        let family = if paint.is_sans { "\\sffamily" } else { "\\ttfamily" };
        let series = if paint.is_bold { "\\bfseries" } else { "" };
        let _ = writeln!(
            self.body,
            "\\node[anchor={anchor}, inner sep=0pt, text={colour}, \
             font={family}{series}\\frenchspacing\\fontsize{{{size}}}{{{size}}}\\selectfont] at {} {{{}}};",
            point(at),
            escaped(text, paint)
        );
    }
}

fn outline(parts: &[Segment]) -> String {
    let mut path = String::new();
    for part in parts {
        let _ = match *part {
            Segment::Move(to) => write!(path, " {}", point(to)),
            Segment::Line(to) => write!(path, " -- {}", point(to)),
            Segment::Curve([a, b, end]) => {
                write!(path, " .. controls {} and {} .. {}", point(a), point(b), point(end))
            }
            Segment::Close => write!(path, " -- cycle"),
        };
    }
    path.trim_start().to_owned()
}

/// A text for LaTeX with any encoding of fonts: typewriter fonts have all characters of ASCII at
/// their codes, other fonts need names for some of them.
fn escaped(text: &str, paint: &Paint) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '{' | '}' | '_' | '%' | '&' | '#' | '$' => escaped.extend(['\\', c]),
            '\\' | '^' | '~' | '<' | '>' | '|' | '"' if !paint.is_sans => {
                let _ = write!(escaped, "\\char{}{{}}", u32::from(c));
            }
            '\\' => escaped.push_str("\\textbackslash{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            '"' => escaped.push_str("''"),
            ' '..='~' => escaped.push(c),
            '\u{2192}' => escaped.push_str("$\\rightarrow$"),
            '\u{2026}' => escaped.push_str("\\dots{}"),
            '\u{d7}' => escaped.push_str("$\\times$"),
            // Others need packages and fonts that a document may not have.
            _ => escaped.push('?'),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_need_no_package_and_no_encoding() {
        let mut picture = Picture::new("p");
        picture.text(Point::new(1.0, 1.0), "guard", "a < b && c[1] == \"x\" \u{2713}");
        picture.text(Point::new(1.0, 9.0), "head", "P_1 < \"Q\"");
        let text = picture.tikz();
        assert!(
            text.contains("{a \\char60{} b \\&\\& c[1] == \\char34{}x\\char34{} ?};"),
            "{text}"
        );
        assert!(text.contains("{P\\_1 \\textless{} ''Q''};"), "{text}");
        // Blanks are not wider after a colon.
        assert_eq!(text.matches("\\frenchspacing").count(), 2, "{text}");
        assert!(text.is_ascii(), "{text}");
    }
}
