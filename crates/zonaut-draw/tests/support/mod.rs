//! Parsing of pictures: texts and their positions.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};
use zonaut_base::{SourceFile, SourceMap};
use zonaut_draw::{StateArc, StateGraphView, StateNode, draw_states, draw_template};
use zonaut_syntax::tree::{Document, Template};
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

/// The models in a folder and its subfolders, except very large ones.
pub(crate) fn models_below(folder: &Path) -> Vec<(PathBuf, Document)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let is_model = path.extension().is_some_and(|e| e == "xta" || e == "xml");
            let is_small = fs::metadata(&path).is_ok_and(|file| file.len() < 400_000);
            if let (true, true, Ok(text)) = (is_model, is_small, fs::read_to_string(&path)) {
                found.push((path.clone(), document(&path.display().to_string(), &text)));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// A random automaton in UPPAAL's XML; with coordinates on a grid of this distance, if given.
pub(crate) fn random_model(seed: u64, grid: Option<i64>) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
    let mut below = |limit: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let count = 1 + below(12);
    let mut text = "<nta><declaration>clock x; chan c; int n;</declaration><template>\
                    <name>P</name>"
        .to_owned();
    for node in 0..count {
        // Every second cell of a grid with five columns, so that positions differ.
        let place = grid.map_or(String::new(), |grid| {
            let cell = node * 2 + below(2);
            format!(" x=\"{}\" y=\"{}\"", (cell % 5) as i64 * grid, (cell / 5) as i64 * grid)
        });
        let name = "l".repeat(1 + below(14) as usize);
        text += &format!("<location id=\"i{node}\"{place}><name>{name}{node}</name>");
        if below(3) == 0 {
            text += "<label kind=\"invariant\">x &lt;= 5 &amp;&amp; n &gt; 3</label>";
        }
        text += ["", "<urgent/>", "<committed/>"][below(3) as usize];
        text += "</location>";
    }
    text += &format!("<init ref=\"i{}\"/>", below(count));
    for _ in 0..below(2 * count + 3) {
        let (source, target) = (below(count), below(count));
        text += &format!("<transition><source ref=\"i{source}\"/><target ref=\"i{target}\"/>");
        if below(2) == 0 {
            text += "<label kind=\"guard\">x &gt;= 2 &amp;&amp; n == 17</label>";
        }
        if below(3) == 0 {
            text += "<label kind=\"synchronisation\">c!</label>";
        }
        if below(3) == 0 {
            text += "<label kind=\"assignment\">x = 0, n = n + 1</label>";
        }
        text += "</transition>";
    }
    text + "</template><system>system P;</system></nta>"
}

/// A flaw of a drawing.
#[derive(Debug)]
pub(crate) struct Flaw {
    pub(crate) kind: &'static str,
    detail: String,
}

impl std::fmt::Display for Flaw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

/// The number of lines and labels in the drawing of a template, and its flaws.
pub(crate) fn drawing_flaws(document: &Document, template: &Template) -> (usize, Vec<Flaw>) {
    let svg = draw_template(document, template).standalone();
    let tree = roxmltree::Document::parse(&svg).expect("a well-formed picture");
    let number = |node: roxmltree::Node<'_, '_>, name: &str| -> f64 {
        node.attribute(name).and_then(|value| value.parse().ok()).unwrap_or(f64::NAN)
    };
    let group = |node: roxmltree::Node<'_, '_>, name: &str| -> Option<usize> {
        node.ancestors().find_map(|it| it.attribute(name)).and_then(|text| text.parse().ok())
    };
    let circles: Vec<(usize, [f64; 3])> = tree
        .descendants()
        .filter(|node| node.has_tag_name("circle") && node.attribute("class") != Some("ring"))
        .filter_map(|node| {
            Some((group(node, "data-l")?, ["cx", "cy", "r"].map(|n| number(node, n))))
        })
        .collect();
    let mut flaws = Vec::new();
    let mut add = |kind, detail: String| flaws.push(Flaw { kind, detail });
    let texts: Vec<(String, [f64; 4], bool)> = tree
        .descendants()
        .filter(|node| node.has_tag_name("text") && node.attribute("class") != Some("mid"))
        .filter(|node| node.attribute("class") != Some("mid mark"))
        .map(|node| {
            let content = node.text().unwrap_or_default().to_owned();
            let (x, y) = (number(node, "x"), number(node, "y"));
            let width = 7.25 * content.chars().count() as f64;
            let is_known = group(node, "data-l").is_some() || group(node, "data-label").is_some();
            (content, [x, y - 10.0, x + width, y + 2.0], is_known)
        })
        .collect();
    let root = tree.root_element();
    let (width, height) = (number(root, "width"), number(root, "height"));
    for (position, (content, area, is_known)) in texts.iter().enumerate() {
        if !is_known {
            add("text outside of a group", content.clone());
        }
        if area[0] < 0.0 || area[1] < 0.0 || area[2] > width || area[3] > height {
            add("text outside of the view box", content.clone());
        }
        for (other, b, _) in &texts[..position] {
            if area[0] < b[2] && b[0] < area[2] && area[1] < b[3] && b[1] < area[3] {
                add("label over a label", format!("{content} and {other}"));
            }
        }
        for (location, [x, y, r]) in &circles {
            let (dx, dy) = (x - x.clamp(area[0], area[2]), y - y.clamp(area[1], area[3]));
            if dx.hypot(dy) < r - 0.5 {
                add("label over a location", format!("{content} and {location}"));
            }
        }
    }
    let mut elements = texts.len();
    for path in tree.descendants().filter(|node| node.has_tag_name("path")) {
        let class = path.attribute("class").unwrap_or_default();
        let Some(edge) = group(path, "data-e") else { continue };
        let points = path_points(path.attribute("d").unwrap_or_default());
        if class.ends_with("tip") {
            let [a, b, c] = points[..] else {
                add("degenerate arrowhead", format!("{edge}"));
                continue;
            };
            let area = ((b.0 - a.0) * (c.1 - a.1) - (c.0 - a.0) * (b.1 - a.1)).abs() / 2.0;
            if !(28.0..=38.0).contains(&area) {
                add("degenerate arrowhead", format!("{edge} with area {area}"));
            }
            continue;
        }
        elements += 1;
        let has_tip = path.next_sibling_element().is_some();
        if !has_tip {
            add("line without an arrowhead", format!("{edge}"));
        }
        let ends = [template.edges[edge].source.node, template.edges[edge].target.node];
        let is_own = |location: usize| {
            ends.iter().flatten().any(|node| match node {
                zonaut_syntax::tree::Node::Location(id) => zonaut_base::Id::index(*id) == location,
                zonaut_syntax::tree::Node::Branchpoint(_) => false,
            })
        };
        for (location, [x, y, r]) in circles.iter().filter(|(location, _)| !is_own(*location)) {
            if points.iter().any(|point| (point.0 - x).hypot(point.1 - y) < r - 0.2) {
                let kind = match template.edges[edge].layout.nails.is_empty() {
                    true => "line through a location",
                    false => "line through a location, drawn by its author",
                };
                add(kind, format!("edge {edge} and location {location}"));
            }
        }
    }
    (elements, flaws)
}

/// The points on a path of lines and cubic curves; the corners alone if it is closed.
fn path_points(path: &str) -> Vec<(f64, f64)> {
    let is_closed = path.ends_with('Z');
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut rest = path.trim_end_matches('Z');
    while let Some(letter) = rest.chars().next() {
        let end = rest[1..].find(['M', 'L', 'C']).map_or(rest.len(), |at| at + 1);
        let numbers: Vec<f64> =
            rest[1..end].split(' ').map(|word| word.parse().expect("a number")).collect();
        rest = &rest[end..];
        let from = points.last().copied().unwrap_or((0.0, 0.0));
        let mix =
            |a: (f64, f64), b: (f64, f64), t: f64| (a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t);
        let pairs: Vec<(f64, f64)> = numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        match (letter, &pairs[..]) {
            ('L', [to]) if !is_closed => {
                points.extend((1..=60).map(|step| mix(from, *to, f64::from(step) / 60.0)));
            }
            ('C', [a, b, to]) => points.extend((1..=60).map(|step| {
                let t = f64::from(step) / 60.0;
                let (left, middle, right) = (mix(from, *a, t), mix(*a, *b, t), mix(*b, *to, t));
                mix(mix(left, middle, t), mix(middle, right, t), t)
            })),
            (_, pairs) => points.extend(pairs),
        }
    }
    points
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
