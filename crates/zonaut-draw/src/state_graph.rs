//! Graphs of states: a tree of first discoveries, with dashed arrows to covering states.
//!
//! Every state has a band of its own, as high as the bands of its children in the tree together,
//! and a column by its distance from the initial state. Bands of different states are disjoint, and
//! arrows of the tree are oblique in the gaps between columns only, so that no box overlaps another
//! box or an arrow of the tree. Dashed arrows are drawn below all boxes.

use crate::geometry::{Point, Rect};
use crate::picture::{Number, Picture};
use crate::text::{self, LINE, SIZE};

/// Margin around the picture.
const MARGIN: f64 = 14.0;
/// Padding around the text in a box.
const PADDING: f64 = 6.0;
/// Distance between boxes in a column, and between columns.
const BETWEEN: (f64, f64) = (8.0, 56.0);
/// Maximum width of the text of a box.
const WIDEST: f64 = 260.0;
/// Maximum number of lines of a box.
const MOST_LINES: usize = 4;
/// The length and half the width of an arrowhead.
const TIP: (f64, f64) = (8.0, 3.2);

/// States, in an order in which parents precede their children.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateGraphView {
    /// The states.
    pub nodes: Vec<StateNode>,
    /// The transitions.
    pub arcs: Vec<StateArc>,
}

/// A state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateNode {
    /// The lines of text in its box.
    pub lines: Vec<String>,
    /// The preceding state from which it was first reached; `None` for initial states.
    pub parent: Option<usize>,
    /// Whether a state that was found later covers it.
    pub is_covered: bool,
}

/// An arrow between two states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateArc {
    /// The source.
    pub source: usize,
    /// The target.
    pub target: usize,
    /// Whether it leads to a state that covers the successor, instead of the successor.
    pub is_covered: bool,
    /// The tooltip.
    pub title: String,
}

/// A graph of states. Groups of states have their index as `data-n`.
#[must_use]
pub fn draw_states(view: &StateGraphView) -> Picture {
    let boxes = boxes(view);
    let mut picture = Picture::new("zone graph");
    let right = boxes.iter().map(|it| it.right).fold(0.0, f64::max);
    let bottom = boxes.iter().map(|it| it.bottom).fold(0.0, f64::max);
    // Dashed arrows extend to the right of their ends.
    picture.resize(right + MARGIN + BETWEEN.1, bottom + MARGIN);
    let known = |arc: &&StateArc| arc.source < boxes.len() && arc.target < boxes.len();
    for arc in view.arcs.iter().filter(known) {
        let (from, to) = (boxes[arc.source], boxes[arc.target]);
        match arc.is_covered {
            true => draw_covered(&mut picture, from, to, &arc.title),
            false => {
                let end = column_end(view, &boxes, arc);
                draw_tree_line(&mut picture, from, to, end, &arc.title);
            }
        }
    }
    for (number, (node, area)) in view.nodes.iter().zip(&boxes).enumerate() {
        let class = if node.is_covered { " class=\"lost\"" } else { "" };
        picture.draw(format_args!("<g data-n=\"{number}\"{class}>"));
        picture.rect(*area, "state");
        for (line, content) in lines(node).iter().enumerate() {
            let y = area.top + PADDING + line as f64 * LINE + SIZE - 0.5;
            let class = if line == 0 { "name" } else { "" };
            picture.text(Point::new(area.left + PADDING, y), class, content);
        }
        picture.draw(format_args!("</g>"));
    }
    picture
}

/// The lines of a box, shortened to the maximum width.
fn lines(node: &StateNode) -> Vec<String> {
    let mut lines: Vec<String> =
        node.lines.iter().take(MOST_LINES).map(|line| text::fitted(line, WIDEST)).collect();
    if node.lines.len() > MOST_LINES {
        lines[MOST_LINES - 1] = "\u{2026}".to_owned();
    }
    lines
}

/// The box of every state.
fn boxes(view: &StateGraphView) -> Vec<Rect> {
    let count = view.nodes.len();
    let parent = |node: usize| view.nodes[node].parent.filter(|&parent| parent < node);
    let sizes: Vec<(f64, f64)> = view.nodes.iter().map(size).collect();
    let mut bands: Vec<f64> = sizes.iter().map(|size| size.1 + BETWEEN.0).collect();
    // By state, the total height of the bands of its children.
    let mut needs = vec![0.0; count];
    for node in (0..count).rev() {
        bands[node] = bands[node].max(room(needs[node]));
        if let Some(parent) = parent(node) {
            needs[parent] += bands[node];
        }
    }
    let mut depths = vec![0; count];
    let mut tops = vec![0.0; count];
    // By state, the position of the next band below it; the last entry is for states without a
    // parent.
    let mut next = vec![0.0; count + 1];
    for node in 0..count {
        let above = parent(node).unwrap_or(count);
        depths[node] = parent(node).map_or(0, |parent| depths[parent] + 1);
        tops[node] = next[above];
        next[above] += bands[node];
        next[node] = tops[node] + (bands[node] - needs[node]) / 2.0;
    }
    let columns = columns(&depths, &sizes);
    (0..count)
        .map(|node| {
            let middle = MARGIN + tops[node] + bands[node] / 2.0;
            let (left, (width, height)) = (columns[depths[node]], sizes[node]);
            let (top, bottom) = (middle - height / 2.0, middle + height / 2.0);
            Rect { left, top, right: left + width, bottom }
        })
        .collect()
}

/// The height that is reserved for the children of a state.
fn room(needed: f64) -> f64 {
    #[cfg(feature = "faults")]
    if crate::faults::Fault::BandsForgotten.is_selected() {
        return 0.0;
    }
    needed
}

fn size(node: &StateNode) -> (f64, f64) {
    let lines = lines(node);
    (text::widest(&lines) + 2.0 * PADDING, lines.len() as f64 * LINE + 2.0 * PADDING)
}

/// The left position of each column.
fn columns(depths: &[usize], sizes: &[(f64, f64)]) -> Vec<f64> {
    let deepest = depths.iter().max().map_or(0, |&depth| depth + 1);
    let mut widths = vec![0.0_f64; deepest];
    for (&depth, size) in depths.iter().zip(sizes) {
        widths[depth] = widths[depth].max(size.0);
    }
    let mut left = MARGIN;
    let begin = |width: &f64| {
        let begin = left;
        left += width + BETWEEN.1;
        begin
    };
    widths.iter().map(begin).collect()
}

/// The right end of the column of an arc's source.
fn column_end(view: &StateGraphView, boxes: &[Rect], arc: &StateArc) -> f64 {
    let left = boxes[arc.source].left;
    let same = view.nodes.iter().zip(boxes).filter(|(_, other)| other.left == left);
    same.map(|(_, other)| other.right).fold(0.0, f64::max)
}

/// An arrow from a state to its child: horizontal beside its box until `end`, then oblique.
fn draw_tree_line(picture: &mut Picture, from: Rect, to: Rect, end: f64, title: &str) {
    let (from, to) = match is_turned() {
        true => (to, from),
        false => (from, to),
    };
    let [y, lower] = [from, to].map(|it| Number(f64::midpoint(it.top, it.bottom)));
    let (x, out, right) = (Number(from.right), Number(end), to.left - TIP.0);
    let middle = Number(f64::midpoint(end, right));
    let right = Number(right);
    picture.draw(format_args!(
        "<path class=\"edge\" d=\"M{x} {y}H{out}C{middle} {y} {middle} {lower} {right} {lower}\">\
         <title>{}</title></path>",
        text::escaped(title)
    ));
    let tip = Point::new(to.left, f64::midpoint(to.top, to.bottom));
    draw_tip(picture, tip, -TIP.0, "tip");
}

/// A dashed arrow from the right side of a state to the right side of another.
fn draw_covered(picture: &mut Picture, from: Rect, to: Rect, title: &str) {
    let [start, end] = [from, to].map(|it| f64::midpoint(it.top, it.bottom));
    let far = 34.0 + ((start - end).abs() / 12.0).min(60.0);
    let tip = to.right + TIP.0;
    let [x, y, out] = [from.right, start - 4.0, from.right.max(to.right) + far].map(Number);
    let [tip_x, tip_y] = [tip, end + 4.0].map(Number);
    let class = if is_solid() { "edge" } else { "cover" };
    picture.draw(format_args!(
        "<path class=\"{class}\" d=\"M{x} {y}C{out} {y} {out} {tip_y} {tip_x} {tip_y}\">\
         <title>{}</title></path>",
        text::escaped(title)
    ));
    draw_tip(picture, Point::new(to.right, end + 4.0), TIP.0, "tip cover-tip");
}

/// An arrowhead at `at`, of an arrow that comes from `back`.
fn draw_tip(picture: &mut Picture, at: Point, back: f64, class: &str) {
    let [x, y, heel] = [at.x, at.y, at.x + back].map(Number);
    let [above, below] = [at.y - TIP.1, at.y + TIP.1].map(Number);
    picture.draw(format_args!(
        "<path class=\"{class}\" d=\"M{x} {y}L{heel} {above}L{heel} {below}Z\"/>"
    ));
}

fn is_solid() -> bool {
    #[cfg(feature = "faults")]
    if crate::faults::Fault::CoveredSolid.is_selected() {
        return true;
    }
    false
}

fn is_turned() -> bool {
    #[cfg(feature = "faults")]
    if crate::faults::Fault::TreeTurned.is_selected() {
        return true;
    }
    false
}
