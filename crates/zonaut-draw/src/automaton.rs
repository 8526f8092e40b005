//! Pictures of automata: of one template, and of all templates of a model on one sheet.

use crate::diagram::Diagram;
use crate::geometry::Point;
use crate::layered;
use crate::picture::Picture;
use crate::placed::Placed;
use crate::text;
use crate::written;
use zonaut_syntax::template_heading;
use zonaut_syntax::tree::{Document, Template};

/// Height of the heading of a template on a sheet.
const HEADING: f64 = 30.0;
/// Width of a sheet, unless a single template is wider.
const SHEET: f64 = 1400.0;
/// Distance between templates on a sheet.
const BETWEEN: f64 = 16.0;

/// A template: as its author drew it, or laid out automatically if there is no drawing. Groups of
/// locations have their index as `data-l`, groups of edges as `data-e`.
#[must_use]
pub fn draw_template(document: &Document, template: &Template) -> Picture {
    let diagram = Diagram::of(document, template);
    placed(&diagram, template).picture(&diagram, &format!("automaton {}", template.name.text))
}

/// All templates of a model, each below its name and parameters.
#[must_use]
pub fn draw_document(document: &Document) -> Picture {
    let headings = document.templates.iter().map(|t| template_heading(&document.expressions, t));
    let drawn = document.templates.iter().map(|template| draw_template(document, template));
    let names: Vec<&str> = document.templates.iter().map(|t| &*t.name.text).collect();
    let mut sheet = Picture::new(&format!("automata {}", names.join(", ")));
    let mut corner = Point::new(0.0, 0.0);
    let (mut width, mut bottom) = (0.0_f64, 0.0_f64);
    for (heading, picture) in headings.zip(drawn) {
        // A bold sans-serif letter is rarely wider than one of the labels, though it is larger.
        let needed = picture.width().max(text::width(&heading) * 1.15 + 28.0);
        if corner.x > 0.0 && corner.x + needed > SHEET {
            corner = Point::new(0.0, bottom + BETWEEN);
        }
        sheet.text(corner.moved(14.0, 22.0), "head", &heading);
        sheet.place(corner.moved(0.0, HEADING), &picture);
        bottom = bottom.max(corner.y + HEADING + picture.height());
        corner.x += needed + BETWEEN;
        width = width.max(corner.x - BETWEEN);
    }
    sheet.resize(width, bottom);
    sheet
}

/// The layout, by the first method that applies.
pub(crate) fn placed(diagram: &Diagram, template: &Template) -> Placed {
    written::place(diagram, template)
        .or_else(|| layered::place(diagram))
        .unwrap_or_else(|| written::place_on_grid(diagram, template))
}
