//! A run as an animated picture: the automata of all processes, with their current locations and
//! the edges of each transition, one frame after the other.
//!
//! The animation is a style sheet without a script, so that it plays wherever a picture is shown.
//! Viewers who prefer reduced motion see the last frame.

use crate::automaton::draw_template;
use crate::geometry::Point;
use crate::picture::Picture;
use crate::text;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use zonaut_syntax::tree::Document;

/// The duration of a frame in seconds.
const SECONDS: f64 = 2.0;
/// Height of the name of a process, and of a line of the caption.
const HEADING: f64 = 30.0;
const LINE: f64 = 18.0;
/// Width of the picture, unless an automaton is wider; and its least width.
const SHEET: (f64, f64) = (1000.0, 640.0);
/// Maximum number of frames with a dot each.
const MOST_DOTS: usize = 60;

/// A run to be drawn.
#[derive(Clone, Debug)]
pub struct Film<'d> {
    /// The model.
    pub document: &'d Document,
    /// The processes.
    pub roles: Vec<FilmRole>,
    /// The states, the initial one first.
    pub frames: Vec<FilmFrame>,
}

/// A process of a film.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilmRole {
    /// Its name.
    pub name: String,
    /// The index of its template in the document.
    pub template: usize,
}

/// A state of a run, and the transition that leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilmFrame {
    /// The lines of its caption.
    pub caption: Vec<String>,
    /// The location of each process.
    pub here: Vec<usize>,
    /// The edges of the transition.
    pub taken: Vec<FilmEdge>,
}

/// An edge of a process in the drawing of its template.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FilmEdge {
    /// The index of the process.
    pub role: usize,
    /// The index of the edge in its template.
    pub part: usize,
}

/// The animated picture of a run.
#[must_use]
pub fn draw_film(film: &Film<'_>) -> Picture {
    let last = film.frames.len().saturating_sub(1);
    let mut style = Animation::new(film.frames.len());
    for (class, frames) in presence(film) {
        style.mark(&class, &frames);
    }
    let mut picture = sheet(film, last, |role, group| Some(format!("{role}{group}")));
    let (width, mut y) = (picture.width(), picture.height());
    let lines = film.frames.iter().map(|frame| frame.caption.len()).max().unwrap_or(0);
    for (number, frame) in film.frames.iter().enumerate() {
        picture.draw(format_args!("<g class=\"c{number}\">"));
        caption(&mut picture, frame, Point::new(14.0, y), width);
        picture.draw(format_args!("</g>"));
        style.show(number, last);
    }
    y += lines as f64 * LINE + 6.0;
    if film.frames.len() <= MOST_DOTS {
        for number in 0..film.frames.len() {
            let at = Point::new(20.0 + number as f64 * 16.0, y + 4.0);
            picture.circle(at, 4.5, &format!("loc k{number}"));
            style.mark(&format!("k{number}"), &BTreeSet::from([number]));
        }
        y += 16.0;
    }
    picture.resize(width, y + 6.0);
    let body = format!("<style>\n{}</style>\n{}", style.text, picture.body());
    picture.with_body(body)
}

/// One frame of a run; the last one if there is no such frame.
#[must_use]
pub fn draw_frame(film: &Film<'_>, number: usize) -> Picture {
    let number = number.min(film.frames.len().saturating_sub(1));
    let mut picture = sheet(film, number, |_, _| None);
    let (width, y) = (picture.width(), picture.height());
    let mut lines = 0;
    if let Some(frame) = film.frames.get(number) {
        caption(&mut picture, frame, Point::new(14.0, y), width);
        lines = frame.caption.len();
    }
    picture.resize(width, y + lines as f64 * LINE + 12.0);
    picture
}

/// The frames in which each location is current and each edge is taken, by class.
fn presence(film: &Film<'_>) -> BTreeMap<String, BTreeSet<usize>> {
    let mut found: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (number, frame) in film.frames.iter().enumerate() {
        for (role, location) in frame.here.iter().enumerate() {
            found.entry(format!("r{role}l{location}")).or_default().insert(number);
        }
        for FilmEdge { role, part } in &frame.taken {
            found.entry(format!("r{role}e{part}")).or_default().insert(number);
        }
    }
    found
}

/// The automata of all processes in a frame. The groups of locations and edges that occur in the
/// film get the class that `class` gives them.
fn sheet(film: &Film<'_>, number: usize, class: impl Fn(&str, &str) -> Option<String>) -> Picture {
    let names: Vec<&str> = film.roles.iter().map(|role| role.name.as_str()).collect();
    let mut sheet = Picture::new(&format!("a run of {}", names.join(", ")));
    let mut corner = Point::new(0.0, 0.0);
    let (mut width, mut bottom) = (SHEET.1, 0.0_f64);
    let frame = film.frames.get(number);
    for (at, role) in film.roles.iter().enumerate() {
        let Some(template) = film.document.templates.get(role.template) else { continue };
        let drawn = draw_template(film.document, template);
        let mut body = drawn.body().to_owned();
        let mut marked = |kind: &str, index: usize, mark: Option<&str>| {
            let own = class(&format!("r{at}"), &format!("{kind}{index}"));
            let classes: Vec<&str> = own.as_deref().into_iter().chain(mark).collect();
            if !classes.is_empty() {
                let group = format!("<g data-{kind}=\"{index}\"");
                let named = format!("{group} class=\"{}\">", classes.join(" "));
                body = body.replacen(&format!("{group}>"), &named, 1);
            }
        };
        let here: BTreeSet<usize> =
            film.frames.iter().filter_map(|it| it.here.get(at)).copied().collect();
        let now = frame.and_then(|frame| frame.here.get(at)).copied();
        for location in here {
            marked("l", location, (now == Some(location)).then_some("here"));
        }
        let own = |edges: &[FilmEdge]| -> Vec<usize> {
            edges.iter().filter(|edge| edge.role == at).map(|edge| edge.part).collect()
        };
        let parts: BTreeSet<usize> = film.frames.iter().flat_map(|it| own(&it.taken)).collect();
        let taken = frame.map(|frame| own(&frame.taken)).unwrap_or_default();
        for part in parts {
            marked("e", part, taken.contains(&part).then_some("taken"));
        }
        let needed = drawn.width().max(text::width(&role.name) * 1.15 + 28.0);
        if corner.x > 0.0 && corner.x + needed > SHEET.0 {
            corner = Point::new(0.0, bottom);
        }
        sheet.text(corner.moved(14.0, 22.0), "head", &role.name);
        let height = drawn.height();
        sheet.place(corner.moved(0.0, HEADING), &drawn.with_body(body));
        bottom = bottom.max(corner.y + HEADING + height);
        corner.x += needed;
        width = width.max(corner.x);
    }
    sheet.resize(width, bottom + LINE);
    sheet
}

fn caption(picture: &mut Picture, frame: &FilmFrame, at: Point, width: f64) {
    for (line, content) in frame.caption.iter().enumerate() {
        let class = if line == 0 { "name" } else { "" };
        let shown = text::fitted(content, width - 28.0);
        picture.text(at.moved(0.0, line as f64 * LINE), class, &shown);
    }
}

/// The style sheet of an animation.
struct Animation {
    frames: usize,
    text: String,
}

impl Animation {
    fn new(frames: usize) -> Self {
        let text = "@media (prefers-reduced-motion: reduce) { .zd * { animation: none !important; } }\n.zd .here .name { text-decoration: none; }\n";
        Self { frames: frames.max(1), text: text.to_owned() }
    }

    /// The values of a property over time: `inside` in some frames, `outside` in others.
    fn keyframes(&mut self, name: &str, frames: &BTreeSet<usize>, states: [&str; 2]) {
        let _ = write!(self.text, "@keyframes {name} {{");
        let mut before = None;
        for number in 0..self.frames {
            let is_inside = frames.contains(&number);
            if before != Some(is_inside) {
                let share = 100.0 * number as f64 / self.frames as f64;
                let _ = write!(self.text, " {share:.2}% {{ {} }}", states[usize::from(is_inside)]);
            }
            before = Some(is_inside);
        }
        self.text.push_str(" }\n");
    }

    fn animate(&mut self, selector: &str, name: &str) {
        let seconds = self.frames as f64 * SECONDS;
        let _ =
            writeln!(self.text, "{selector} {{ animation: {name} {seconds}s step-end infinite; }}");
    }

    /// Marks a location, an edge or a dot in some frames.
    fn mark(&mut self, class: &str, frames: &BTreeSet<usize>) {
        if class.contains('e') {
            let states = [
                "stroke: var(--ink); stroke-width: 1.3",
                "stroke: var(--taken); stroke-width: 2.8",
            ];
            self.keyframes(&format!("{class}s"), frames, states);
            self.animate(&format!(".zd .{class} .edge, .zd .{class} .own"), &format!("{class}s"));
            let states = ["fill: var(--ink)", "fill: var(--taken)"];
            self.keyframes(&format!("{class}f"), frames, states);
            self.animate(
                &format!(".zd .{class} .tip, .zd .{class} .own-tip"),
                &format!("{class}f"),
            );
            return;
        }
        let states =
            ["fill: var(--place); stroke-width: 1.5", "fill: var(--here); stroke-width: 3"];
        self.keyframes(class, frames, states);
        let selector = match class.starts_with('k') {
            true => format!(".zd .{class}"),
            false => format!(".zd .{class} .loc, .zd .{class} .paint"),
        };
        self.animate(&selector, class);
    }

    /// Shows a caption in its frame only.
    fn show(&mut self, number: usize, last: usize) {
        let name = format!("c{number}");
        let states = ["visibility: hidden", "visibility: visible"];
        self.keyframes(&name, &BTreeSet::from([number]), states);
        if number != last {
            let _ = writeln!(self.text, ".zd .{name} {{ visibility: hidden; }}");
        }
        self.animate(&format!(".zd .{name}"), &name);
    }
}
