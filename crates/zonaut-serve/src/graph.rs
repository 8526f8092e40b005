//! The graph of symbolic states: its picture, descriptions of its states, and paths to them.

use crate::explorer::Explorer;
use crate::response::Response;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use zonaut_base::one_line;
use zonaut_draw::{StateArc, StateGraphView, StateNode, draw_states};
use zonaut_engine::{Answer, GraphEdge, Resources, StateGraph, SymbolicView, Task, Verdict};
use zonaut_report::DrawingIndex;
use zonaut_trace::edge_text;

/// Maximum number of states that are drawn: larger pictures are not legible.
const MOST_STATES: usize = 300;
/// Maximum time to compute them.
const PATIENCE: Duration = Duration::from_secs(5);

/// A request for the picture of the graph.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedGraph {
    /// The number of states to draw; by default all that were computed.
    #[serde(default)]
    most: Option<usize>,
}

/// A request for the path to a state of the graph.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedNode {
    node: usize,
}

#[derive(Serialize)]
struct GraphData {
    picture: String,
    /// The drawn states.
    nodes: Vec<NodeData>,
    /// The number of states that were computed.
    total: usize,
    /// A description of the picture and its limits.
    about: String,
}

#[derive(Serialize)]
struct NodeData {
    locations: Vec<usize>,
    variables: Vec<(String, i32)>,
    /// A text with the zone, for users.
    text: String,
}

#[derive(Serialize)]
struct PathData {
    path: Vec<usize>,
}

/// The graph as a picture.
pub(crate) fn graph(explorer: &Explorer, body: &[u8]) -> Response {
    let Ok(WantedGraph { most }) = serde_json::from_slice(body) else {
        return Response::plain(400, "the request has no valid number of states");
    };
    let answer = match explorer.graph.get_or_init(|| explored(explorer)) {
        Ok(answer) => answer,
        Err(why) => return Response::plain(400, why),
    };
    let Some(graph) = answer.state_graph() else {
        return Response::plain(400, &reason(explorer, answer));
    };
    let drawing_index = DrawingIndex::of(explorer.session.labels());
    let drawn = most.unwrap_or(MOST_STATES).clamp(1, graph.nodes.len().max(1));
    let nodes = graph.nodes.iter().take(drawn).map(|node| NodeData {
        locations: drawing_index.locations(&node.state.locations),
        variables: named(&node.state),
        text: described(&node.state),
    });
    Response::json(&GraphData {
        picture: draw_states(&view(graph, drawn)).inline(),
        nodes: nodes.collect(),
        total: graph.nodes.len(),
        about: about(explorer, answer, graph, drawn),
    })
}

/// The path to a state of the graph.
pub(crate) fn path_to_node(explorer: &Explorer, body: &[u8]) -> Response {
    let Ok(WantedNode { node }) = serde_json::from_slice(body) else {
        return Response::plain(400, "the request has no valid state");
    };
    let answer = explorer.graph.get().and_then(|answer| answer.as_ref().ok());
    let graph = answer.and_then(Answer::state_graph);
    let Some(graph) = graph.filter(|_| node < MOST_STATES) else {
        return Response::plain(400, "no such state");
    };
    let steps = graph.path_to(node).into_iter();
    let steps = steps.map(|edge| (&edge.edges[..], &graph.nodes[edge.target].state));
    match explorer.follow(steps.map(|(edges, state)| (edges, &state.locations, &state.variables))) {
        Some(path) if node < graph.nodes.len() => Response::json(&PathData { path }),
        _ => Response::plain(400, "no path leads to this state"),
    }
}

fn explored(explorer: &Explorer) -> Result<Answer, String> {
    let time = explorer.subject.resources.time.map_or(PATIENCE, |time| time.min(PATIENCE));
    // The task is not cancelled with its page, because all pages share it: its time limit is short.
    let memory = explorer.subject.resources.memory;
    let resources = Resources { time: Some(time), memory, ..Resources::default() };
    let running = Task::state_graph(&explorer.session, MOST_STATES, &resources).start();
    running.join().map_err(|panicked| one_line(&panicked.to_string()))
}

/// The reason why the graph is absent or incomplete.
fn reason(explorer: &Explorer, answer: &Answer) -> String {
    let reason = explorer.session.reason_of(&answer.verdict);
    reason.map_or_else(|| "incomplete".to_owned(), |why| one_line(&why))
}

/// A description of the picture, for users.
fn about(explorer: &Explorer, answer: &Answer, graph: &StateGraph, drawn: usize) -> String {
    let states = graph.nodes.len();
    let shown = if drawn < states { format!("{drawn} of ") } else { String::new() };
    let covered = graph.edges.iter().filter(|edge| edge.is_covered).count();
    let rest = match &answer.verdict {
        Verdict::Satisfied => "complete".to_owned(),
        Verdict::Unknown(_) if states == MOST_STATES => "incomplete: more states exist".to_owned(),
        _ => reason(explorer, answer),
    };
    format!("{shown}{states} states, {covered} covered successors; {rest}")
}

/// The first `drawn` states. Parents precede their children, so that the tree is whole.
fn view(graph: &StateGraph, drawn: usize) -> StateGraphView {
    let mut parents = vec![None; graph.nodes.len()];
    for edge in graph.edges.iter().filter(|edge| !edge.is_covered) {
        parents[edge.target] = Some(edge.source);
    }
    let nodes =
        graph.nodes.iter().zip(&parents).enumerate().take(drawn).map(|(number, (node, parent))| {
            let before = parent.map(|parent| &graph.nodes[parent].state);
            let lines = changes(number, before, &node.state);
            StateNode { lines, parent: *parent, is_covered: node.covered_by.is_some() }
        });
    let arc = |edge: &GraphEdge| StateArc {
        source: edge.source,
        target: edge.target,
        is_covered: edge.is_covered,
        title: edge.edges.iter().map(edge_text).collect::<Vec<_>>().join(" | "),
    };
    // Arcs to states that are not drawn are left out with them.
    let evictions = graph.nodes.iter().enumerate().filter_map(|(source, node)| {
        let title = "covered by a later state".to_owned();
        Some(StateArc { source, target: node.covered_by?, is_covered: true, title })
    });
    let arcs = graph.edges.iter().map(arc).chain(evictions).collect();
    StateGraphView { nodes: nodes.collect(), arcs }
}

/// The changes in a state, as the lines of its box.
fn changes(number: usize, before: Option<&SymbolicView>, state: &SymbolicView) -> Vec<String> {
    let Some(before) = before else { return vec![format!("{number} initial state")] };
    let moved = before.locations.iter().zip(&state.locations).filter(|(old, new)| old != new);
    let moved = moved.map(|(_, new)| one_line(new));
    let assigned = before.variables.iter().zip(&state.variables).filter(|(old, new)| old != new);
    let assigned = assigned.map(|(_, (name, value))| one_line(&format!("{name} = {value}")));
    let mut lines: Vec<String> = moved.chain(assigned).collect();
    if lines.is_empty() {
        lines.push("other zone".to_owned());
    }
    lines[0] = format!("{number} {}", lines[0]);
    lines
}

fn named(state: &SymbolicView) -> Vec<(String, i32)> {
    state.variables.iter().map(|(name, value)| (one_line(name), *value)).collect()
}

fn described(state: &SymbolicView) -> String {
    let variables = state.variables.iter().map(|(name, value)| format!("{name} = {value}"));
    let zone = match state.zone.as_str() {
        "" => None,
        zone => Some(zone.to_owned()),
    };
    let parts: Vec<String> = state.locations.iter().cloned().chain(variables).chain(zone).collect();
    one_line(&parts.join(", "))
}
