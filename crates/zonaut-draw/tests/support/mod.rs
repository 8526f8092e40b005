//! Parsing of pictures: texts and their positions.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};
use zonaut_base::{SourceFile, SourceMap};
use zonaut_draw::{StateArc, StateGraphView, StateNode, draw_states, draw_template};
use zonaut_syntax::tree::Document;
use zonaut_syntax::{ParseOptions, parse_model};
use zonaut_trace::{Rational, Trace, TraceEdge, TraceState, TraceStep};

/// Names that contain markup.
pub(crate) const HOSTILE: [&str; 4] = [
    "</text><script>alert(1)</script>",
    "a\" onload=\"x",
    "]]>&lt;&#0;",
    "\u{1b}[2J\u{202e}\u{0}x",
];

pub(crate) fn document(name: &str, text: &str) -> Document {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new(name, text));
    parse_model(&mut sources, file, &ParseOptions::default()).0
}

/// The entries of a directory.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

/// The models of the repository.
pub(crate) fn models() -> Vec<(PathBuf, Document)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let folders = entries(&root).into_iter().filter(|folder| folder.is_dir());
    let files = folders.flat_map(|folder| entries(&folder));
    let is_model = |path: &PathBuf| path.extension().is_some_and(|e| e == "xta" || e == "xml");
    let mut models: Vec<PathBuf> = files.filter(is_model).collect();
    models.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a model");
        let document = document(&path.display().to_string(), &text);
        (path, document)
    };
    models.into_iter().map(read).collect()
}

/// The texts of a picture with their bounding boxes: content, left, top, right, bottom.
pub(crate) fn texts(svg: &str) -> Result<Vec<(String, [f64; 4])>, String> {
    let tree = roxmltree::Document::parse(svg).map_err(|error| error.to_string())?;
    let elements = tree.descendants().filter(|node| node.has_tag_name("text"));
    Ok(elements
        .map(|element| {
            let number = |name: &str| {
                let value = element.attribute(name).expect("a text has a place");
                value.parse::<f64>().expect("a number")
            };
            let content = element.text().unwrap_or_default().to_owned();
            let width = 7.25 * content.chars().count() as f64;
            let class = element.attribute("class").unwrap_or_default();
            let shift = if class.contains("mid") { width / 2.0 } else { 0.0 };
            let (x, y) = (number("x") - shift, number("y"));
            (content, [x, y - 10.0, x + width, y + 2.0])
        })
        .collect())
}

/// The first two texts of a picture that overlap.
pub(crate) fn overlap(svg: &str) -> Result<Option<(String, String)>, String> {
    let texts = texts(svg)?;
    for (position, (one, a)) in texts.iter().enumerate() {
        for (other, b) in &texts[..position] {
            if a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3] {
                return Ok(Some((one.clone(), other.clone())));
            }
        }
    }
    Ok(None)
}

/// The first overlap in the templates of a model.
pub(crate) fn overlap_in(document: &Document) -> Result<Option<(String, String)>, String> {
    for template in &document.templates {
        if let Some(found) = overlap(&draw_template(document, template).standalone())? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// A graph of states with this number of states, each reached from a preceding one.
pub(crate) fn states(count: usize, seed: usize) -> StateGraphView {
    let mut view = StateGraphView::default();
    for number in 0..count {
        let parent = (number > 0).then(|| (number * 7 + seed * 13) % number);
        let lines = (0..=(number + seed) % 6).map(|line| "P.place".repeat(1 + line % 3));
        let is_covered = number % 5 == 4;
        view.nodes.push(StateNode { lines: lines.collect(), parent, is_covered });
        let arc = |source, target, is_covered| {
            let title = format!("{source} <to> {target}");
            StateArc { source, target, is_covered, title }
        };
        view.arcs.extend(parent.map(|parent| arc(parent, number, false)));
        if number % 3 == 0 {
            view.arcs.push(arc(number, (number * seed) % (number + 1), true));
        }
    }
    view
}

/// The first error in the picture of a graph of states.
pub(crate) fn flaw_of_states(view: &StateGraphView) -> Option<String> {
    let svg = draw_states(view).standalone();
    let tree = match roxmltree::Document::parse(&svg) {
        Ok(tree) => tree,
        Err(error) => return Some(error.to_string()),
    };
    let number = |node: roxmltree::Node<'_, '_>, name: &str| {
        node.attribute(name).and_then(|value| value.parse::<f64>().ok()).unwrap_or(f64::NAN)
    };
    let is_box = |node: &roxmltree::Node<'_, '_>| node.attribute("class") == Some("state");
    let boxes: Vec<[f64; 4]> = tree
        .descendants()
        .filter(is_box)
        .map(|node| ["x", "y", "width", "height"].map(|name| number(node, name)))
        .map(|[x, y, width, height]| [x, y, x + width, y + height])
        .collect();
    for (at, a) in boxes.iter().enumerate() {
        let over = boxes[..at]
            .iter()
            .position(|b| a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]);
        if let Some(other) = over {
            return Some(format!("{at} lies over {other}"));
        }
    }
    let lines = |class: &str| -> Vec<Vec<f64>> {
        let paths = tree.descendants().filter(|node| node.attribute("class") == Some(class));
        let points = |text: &str| {
            let numbers = text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
            numbers.filter_map(|word| word.parse().ok()).collect()
        };
        paths.filter_map(|node| node.attribute("d")).map(points).collect()
    };
    let arcs = |is_covered| view.arcs.iter().filter(move |arc| arc.is_covered == is_covered);
    if lines("cover").len() != arcs(true).count() || lines("edge").len() != arcs(false).count() {
        return Some("not every line to what covers another is dashed".to_owned());
    }
    for (arc, line) in arcs(false).zip(lines("edge")) {
        let (source, target) = (boxes[arc.source], boxes[arc.target]);
        let is_near = |a: f64, b: f64| (a - b).abs() < 0.3;
        let begins = is_near(line[0], source[2]) && source[1] < line[1] && line[1] < source[3];
        let (x, y) = (line[line.len() - 2] + 8.0, line[line.len() - 1]);
        if !(begins && is_near(x, target[0]) && target[1] < y && y < target[3]) {
            return Some(format!("no line from {} to {}", arc.source, arc.target));
        }
    }
    None
}

/// A model whose labels all have the same position.
pub(crate) const CROWDED: &str = r##"<nta><declaration>clock x; chan c;</declaration><template><name>P</name>
<location id="a" x="0" y="0" color="#ff8800"><name x="20" y="0">first</name>
<label kind="invariant" x="20" y="0">x &lt;= 5</label></location>
<location id="b" x="200" y="0"><name x="20" y="5">second</name><committed/></location>
<init ref="a"/>
<transition><source ref="a"/><target ref="b"/><label kind="guard" x="20" y="3">x &gt; 2</label>
<label kind="synchronisation" x="20" y="3">c!</label><nail x="100" y="60"/></transition>
<transition><source ref="b"/><target ref="b"/><label kind="guard" x="20" y="3">x == 1</label></transition>
</template><system>system P;</system></nta>"##;

/// A run of two processes with these names that synchronise and then act alone, `rounds` times.
pub(crate) fn run(names: [&str; 2], rounds: usize) -> Trace {
    let [left, right] = names;
    let state = |locations: [&str; 2], value: i32, clocks: [(i64, i64); 2]| TraceState {
        locations: vec![format!("{left}.{}", locations[0]), format!("{right}.{}", locations[1])],
        variables: vec![(format!("{left}.count"), value), ("fixed".to_owned(), 3)],
        clocks: vec![
            (format!("{left}.x"), Rational::new(clocks[0].0, clocks[0].1)),
            ("y".to_owned(), Rational::new(clocks[1].0, clocks[1].1)),
        ],
    };
    let edge = |process: &str, synchronisation: &str| TraceEdge {
        process: process.to_owned(),
        source: "idle".to_owned(),
        target: "busy".to_owned(),
        edge: 0,
        guard: String::new(),
        synchronisation: synchronisation.to_owned(),
        updates: String::new(),
        select: Vec::new(),
    };
    let mut steps = Vec::new();
    for round in 0..rounds {
        let round = round as i32;
        steps.push(TraceStep {
            delay: Rational::new(5, 2),
            edges: vec![edge(left, "go!"), edge(right, "go?")],
            state: state(["busy", "busy"], round, [(0, 1), (5 * i64::from(round) + 5, 2)]),
        });
        steps.push(TraceStep {
            delay: Rational::new(0, 1),
            edges: vec![edge(right, "")],
            state: state(["idle", "idle"], round + 1, [(0, 1), (5 * i64::from(round) + 5, 2)]),
        });
    }
    let start = state(["idle", "idle"], 0, [(0, 1), (0, 1)]);
    let last_delay = Rational::new(1, 3);
    let end = |(_, value): &(String, Rational)| {
        Rational::new(value.numerator * 3 + value.denominator, value.denominator * 3)
    };
    let last = steps.last().map_or(&start, |step: &TraceStep| &step.state);
    let last_clocks = last.clocks.iter().map(end).collect();
    Trace { start, steps, last_delay, last_clocks, fails: false, continuation: None }
}
