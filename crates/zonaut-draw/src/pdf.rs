//! Pictures as PDF: one page with lines, areas and texts in the standard fonts.
//!
//! The standard fonts have the characters of Windows-1252. Arrows and comparison signs are written
//! with ASCII characters, other characters as question marks.

use crate::geometry::Point;
use crate::picture::Picture;
use crate::shapes::{PaintedShape, Segment, Shape, shapes};
use crate::sheet::{Anchor, Colour, Paint};
use std::fmt::Write;

/// Points of PDF for each unit of a picture.
const SCALE: f64 = 0.75;
/// The control points of a quarter of a circle, as a share of the radius.
const QUARTER: f64 = 0.552_28;
/// The fonts: monospaced and without serifs, each plain and bold.
const FONTS: [&str; 4] = ["Courier", "Courier-Bold", "Helvetica", "Helvetica-Bold"];

impl Picture {
    /// The picture as a PDF file, in the light scheme. All bytes are ASCII.
    #[must_use]
    pub fn pdf(&self) -> String {
        let mut content = String::new();
        let (width, height) = (self.width() * SCALE, self.height() * SCALE);
        // Y grows downwards in pictures.
        let _ = writeln!(content, "{SCALE} 0 0 -{SCALE} 0 {height} cm 1 J 1 j");
        shapes(self).iter().for_each(|shape| draw(&mut content, shape));
        let fonts: String = (0..FONTS.len()).map(|at| format!("/F{at} {} 0 R ", at + 5)).collect();
        let mut objects = vec![
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
                 /Resources << /Font << {fonts}>> >> >>"
            ),
            format!("<< /Length {} >>\nstream\n{content}endstream", content.len()),
        ];
        objects.extend(FONTS.map(|font| {
            format!(
                "<< /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding >>"
            )
        }));
        file(&objects)
    }
}

/// A file with these objects, numbered from 1.
fn file(objects: &[String]) -> String {
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(file.len());
        let _ = writeln!(file, "{} 0 obj\n{object}\nendobj", number + 1);
    }
    let (start, count) = (file.len(), objects.len() + 1);
    let _ = write!(file, "xref\n0 {count}\n0000000000 65535 f \n");
    for place in places {
        let _ = writeln!(file, "{place:010} 00000 n ");
    }
    let _ = write!(file, "trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    file
}

/// A number with at most two decimals.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn point(at: Point) -> String {
    format!("{} {}", number(at.x), number(at.y))
}

fn colour(out: &mut String, Colour(parts): Colour, operator: &str) {
    let parts = parts.map(number);
    let _ = write!(out, "{} {operator} ", parts.join(" "));
}

fn draw(out: &mut String, PaintedShape { shape, paint }: &PaintedShape) {
    match shape {
        Shape::Text { at, text } => draw_text(out, *at, text, paint),
        Shape::Outline(parts) => {
            set(out, paint);
            for part in parts {
                let _ = match *part {
                    Segment::Move(to) => write!(out, "{} m ", point(to)),
                    Segment::Line(to) => write!(out, "{} l ", point(to)),
                    Segment::Curve(points) => write!(out, "{} c ", points.map(point).join(" ")),
                    Segment::Close => write!(out, "h "),
                };
            }
            finish(out, paint);
        }
        Shape::Circle { middle, radius } => {
            set(out, paint);
            let (r, k) = (*radius, radius * QUARTER);
            let at = |x: f64, y: f64| point(middle.moved(x, y));
            let _ = write!(out, "{} m ", at(r, 0.0));
            for [a, b, end] in [
                [at(r, k), at(k, r), at(0.0, r)],
                [at(-k, r), at(-r, k), at(-r, 0.0)],
                [at(-r, -k), at(-k, -r), at(0.0, -r)],
                [at(k, -r), at(r, -k), at(r, 0.0)],
            ] {
                let _ = write!(out, "{a} {b} {end} c ");
            }
            finish(out, paint);
        }
    }
}

/// Sets colours, width and dashes.
fn set(out: &mut String, paint: &Paint) {
    if let Some(fill) = paint.fill {
        colour(out, fill, "rg");
    }
    if let Some(stroke) = paint.stroke {
        colour(out, stroke, "RG");
        let dashes: Vec<String> = paint.dashes.iter().map(|&dash| number(dash)).collect();
        let _ = write!(out, "{} w [{}] 0 d ", number(paint.width), dashes.join(" "));
    }
}

fn finish(out: &mut String, paint: &Paint) {
    let operator = match (paint.fill.is_some(), paint.stroke.is_some()) {
        (true, true) => "B",
        (true, false) => "f",
        (false, true) => "S",
        (false, false) => "n",
    };
    let _ = writeln!(out, "{operator}");
}

fn draw_text(out: &mut String, at: Point, content: &str, paint: &Paint) {
    let font = usize::from(paint.is_sans) * 2 + usize::from(paint.is_bold);
    // Letters of Courier have a width of 0.6 of their size.
    let width = content.chars().count() as f64 * 0.6 * paint.size;
    let shift = match paint.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -width / 2.0,
        Anchor::End => -width,
    };
    let place = point(at.moved(shift, 0.0));
    let (size, string) = (number(paint.size), encoded(content));
    let shown = format!("/F{font} {size} Tf 1 0 0 -1 {place} Tm ({string}) Tj ET");
    if let Some(halo) = paint.stroke {
        colour(out, halo, "RG");
        let _ = writeln!(out, "{} w [] 0 d BT 1 Tr {shown}", number(paint.width));
    }
    if let Some(fill) = paint.fill {
        colour(out, fill, "rg");
        let _ = writeln!(out, "BT 0 Tr {shown}");
    }
}

/// A text as a string of PDF: characters of Windows-1252, those beyond ASCII in octal.
fn encoded(text: &str) -> String {
    let mut string = String::new();
    for c in text.chars() {
        match c {
            '(' | ')' | '\\' => string.extend(['\\', c]),
            ' '..='~' => string.push(c),
            '\u{a0}'..='\u{ff}' => {
                let _ = write!(string, "\\{:03o}", c as u32);
            }
            '\u{2026}' => string.push_str("\\205"),
            '\u{2192}' => string.push_str("->"),
            '\u{2264}' => string.push_str("<="),
            '\u{2265}' => string.push_str(">="),
            '\u{2212}' => string.push('-'),
            _ => string.push('?'),
        }
    }
    string
}
