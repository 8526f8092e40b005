//! Changes of the opened file: a label, a declaration, positions of locations, or the whole text.
//!
//! The page names no file: the server writes the model that it was started with, and nothing else.
//! A change applies to the text on display; if the file has another content by now, the change is
//! refused unless the page insists. A changed model must be free of errors, and the file is replaced
//! as a whole.

use crate::ask::described_error;
use crate::explorer::Explorer;
use crate::response::Response;
use crate::source_edit::{
    Move, Range, moved, parts, with_edge_label, with_invariant, with_part, with_positions,
};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::Path;
use zonaut_draw::draw_template;
use zonaut_engine::{Severity, atomic_temp_file, is_standard_input, load_text};
use zonaut_syntax::tree::{LabelKind, Point};
use zonaut_syntax::{edge_labels, location_labels};

/// Maximum number of moved locations.
const MOST_MOVES: usize = 500;
/// Maximum distance of a move.
const FARTHEST: i32 = 20_000;

/// A change, and the file's state that it applies to.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    change: Change,
    /// Whether the file is replaced even if it has changed meanwhile.
    #[serde(default)]
    overwrites: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Change {
    /// The whole text.
    Source(String),
    /// A part of an XML file: declarations or the system.
    Part { index: usize, text: String },
    /// Labels of an edge, by kind.
    Edge { template: usize, edge: usize, labels: Vec<(String, String)> },
    /// The invariant of a location.
    Location { template: usize, location: usize, invariant: String },
    /// Positions.
    Positions(Vec<MoveData>),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MoveData {
    template: usize,
    location: usize,
    x: i32,
    y: i32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Drawing {
    template: usize,
    moves: Vec<MoveData>,
}

#[derive(Serialize)]
struct SourceData {
    text: String,
    parts: Vec<PartData>,
    /// The reason why nothing can be saved, if so.
    fixed: Option<&'static str>,
}

#[derive(Serialize)]
struct PartData {
    name: String,
    text: String,
}

#[derive(Serialize)]
struct LabelsData {
    labels: Vec<(&'static str, String)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    template: usize,
    edge: Option<usize>,
    location: Option<usize>,
}

/// The labels of edges that can be changed.
const EDGE_KINDS: [LabelKind; 4] =
    [LabelKind::Select, LabelKind::Guard, LabelKind::Synchronisation, LabelKind::Assignment];

/// The name of a kind of labels in XML.
fn kind_name(kind: LabelKind) -> &'static str {
    match kind {
        LabelKind::Select => "select",
        LabelKind::Guard => "guard",
        LabelKind::Synchronisation => "synchronisation",
        LabelKind::Assignment => "assignment",
        LabelKind::Invariant => "invariant",
        LabelKind::ExponentialRate => "exponentialrate",
        LabelKind::Probability => "probability",
    }
}

const NO_FILE: &str = "the model was not read from a file, so that nothing can be saved";

fn moves_of(all: &[MoveData]) -> Option<Vec<Move>> {
    let within = |it: &MoveData| [it.x, it.y].iter().all(|by| by.abs() <= FARTHEST);
    let one = |it: &MoveData| Move {
        template: it.template,
        location: it.location,
        by: Point { x: it.x, y: it.y },
    };
    (all.len() <= MOST_MOVES && all.iter().all(within)).then(|| all.iter().map(one).collect())
}

impl Explorer {
    /// The text on display, as it was read.
    fn own_source(&self) -> &str {
        self.session.sources().file(self.session.labels().document.file).text()
    }

    /// The file of the model.
    fn file(&self) -> Option<&Path> {
        let watched = self.subject.watched.as_ref()?;
        Some(watched.model.as_path()).filter(|path| !is_standard_input(path))
    }

    /// The source, to be edited.
    pub(crate) fn source_text(&self) -> Response {
        let text = self.own_source();
        let parts = parts(text).into_iter();
        Response::json(&SourceData {
            text: text.to_owned(),
            parts: parts.map(|part| PartData { name: part.name, text: part.text }).collect(),
            fixed: self.file().is_none().then_some(NO_FILE),
        })
    }

    /// The labels of an edge, or the invariant of a location, as written.
    pub(crate) fn labels_of(&self, body: &[u8]) -> Response {
        let Ok(wanted) = serde_json::from_slice::<Wanted>(body) else {
            return Response::plain(400, "the request names no element");
        };
        let document = self.session.labels().document;
        let template = document.templates.get(wanted.template);
        let edge = template.zip(wanted.edge).and_then(|(it, edge)| it.edges.get(edge));
        let location =
            template.zip(wanted.location).and_then(|(it, at)| it.locations.iter().nth(at));
        let (written, kinds) = match (edge, location) {
            (Some(edge), None) => (edge_labels(&document.expressions, edge), &EDGE_KINDS[..]),
            (None, Some(location)) => {
                (location_labels(&document.expressions, location), &[LabelKind::Invariant][..])
            }
            _ => return Response::plain(400, "the model has no such element"),
        };
        let text = |kind: LabelKind| {
            let found = written.iter().find(|(own, _)| *own == kind);
            found.map_or(String::new(), |(_, text)| text.clone())
        };
        let labels = kinds.iter().map(|&kind| (kind_name(kind), text(kind))).collect();
        Response::json(&LabelsData { labels })
    }

    /// The drawing of a template with moved locations.
    pub(crate) fn drawing(&self, body: &[u8]) -> Response {
        let wanted = serde_json::from_slice::<Drawing>(body).ok();
        let moves = wanted.as_ref().and_then(|wanted| moves_of(&wanted.moves));
        let (Some(wanted), Some(moves)) = (wanted, moves) else {
            return Response::plain(400, "the request has no valid moves");
        };
        let document = moved(self.session.labels().document, &moves);
        match document.templates.get(wanted.template) {
            Some(template) => Response::text(draw_template(&document, template).inline()),
            None => Response::plain(400, "no such template"),
        }
    }

    /// Changes the file of the model.
    pub(crate) fn edit(&self, body: &[u8]) -> Response {
        let Ok(Edit { change, overwrites }) = serde_json::from_slice(body) else {
            return Response::plain(400, "the request has no valid change");
        };
        let Some(file) = self.file() else { return Response::plain(400, NO_FILE) };
        let text = match self.changed(&change) {
            Ok(text) => text,
            Err(why) => return Response::plain(400, why),
        };
        if fs::read(file).ok().as_deref() != Some(self.own_source().as_bytes()) && !overwrites {
            return Response::plain(409, "the file has changed meanwhile");
        }
        let name = self.session.sources().file(self.session.labels().document.file).name();
        let loaded = load_text(name, &text, &self.subject.options);
        let errors = loaded.diagnostics.iter().filter(|it| it.severity == Severity::Error);
        let errors: Vec<String> = errors.take(3).map(described_error).collect();
        if !errors.is_empty() {
            return Response::plain(422, &format!("not saved: {}", errors.join("; ")));
        }
        match replace(file, &text) {
            Ok(()) => Response::text("saved".to_owned()),
            Err(error) => Response::plain(500, &format!("the file cannot be written: {error}")),
        }
    }

    /// The source with a change.
    fn changed(&self, change: &Change) -> Result<String, &'static str> {
        let (source, document) = (self.own_source(), self.session.labels().document);
        let missing = "no such element";
        match change {
            Change::Source(text) => Ok(text.clone()),
            Change::Part { index, text } => with_part(source, *index, text).ok_or(missing),
            Change::Edge { template, edge, labels } => {
                let template = document.templates.get(*template).ok_or(missing)?;
                let span = template.edges.get(*edge).ok_or(missing)?.span;
                let mut text = source.to_owned();
                // The end of the edge moves with each change of its labels.
                let mut end = span.end as usize;
                for (kind, label) in labels {
                    let range = Range { start: span.start as usize, end };
                    let next = with_edge_label(&text, range, kind, label).ok_or(missing)?;
                    end = end + next.len() - text.len();
                    text = next;
                }
                Ok(text)
            }
            Change::Location { template, location, invariant } => {
                let template = document.templates.get(*template).ok_or(missing)?;
                let span = template.locations.iter().nth(*location).ok_or(missing)?.span;
                let range = Range { start: span.start as usize, end: span.end as usize };
                with_invariant(source, range, invariant).ok_or(missing)
            }
            Change::Positions(moves) => {
                let moves = moves_of(moves).ok_or("the request has no valid moves")?;
                with_positions(source, document, &moves).ok_or(
                    "XTA files have no positions; convert the model to XML to keep its drawing",
                )
            }
        }
    }
}

/// Replaces a file as a whole; its permissions stay.
fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    // A link stays a link.
    let file = file.canonicalize()?;
    let mut temporary = atomic_temp_file(&file)?;
    temporary.write_all(text.as_bytes())?;
    fs::set_permissions(temporary.path(), fs::metadata(&file)?.permissions())?;
    temporary.as_file().sync_all()?;
    temporary.persist(&file).map_err(|error| error.error)?;
    Ok(())
}
