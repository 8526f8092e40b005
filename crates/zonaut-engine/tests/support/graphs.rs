//! State graphs, compared with a naive exploration of exact zones.

use std::collections::{BTreeSet, VecDeque};
use zonaut_engine::{
    Answer, Evidence, Resources, Session, Simulator, StateGraph, SymbolicView, Task, Verdict,
};

/// The locations and variables of a state.
type Discrete = (Vec<String>, Vec<(String, i32)>);

fn discrete(state: &SymbolicView) -> Discrete {
    (state.locations.clone(), state.variables.clone())
}

/// A model with a state that is covered by a later state, on a longer path.
pub(crate) const EVICTING: &str = "clock x;
    process P() { state a { x <= 1 }, b, c; init a; trans a -> b { guard x == 1; },
        a -> c { }, c -> b { }, b -> c { guard x < 1; }; }
    system P;";

/// The state graph with at most `most` states.
pub(crate) fn first_states(session: &Session, most: usize) -> Answer {
    Task::state_graph(session, most, &Resources::default()).perform(Evidence::default())
}

/// The number of nodes of the model's graph, or the violated property.
pub(crate) fn check(session: &Session) -> Result<usize, String> {
    let Ok(initial) = session.simulator() else { return Ok(0) };
    let answer = first_states(session, 300);
    let Some(graph) = answer.state_graph() else { return Ok(0) };
    let mut targets = BTreeSet::new();
    for edge in graph.edges.iter().filter(|edge| !edge.is_covered) {
        if edge.target == 0 || !targets.insert(edge.target) {
            return Err(format!("state {} is new twice", edge.target));
        }
    }
    if targets.len() + 1 != graph.nodes.len() {
        return Err("a state that nothing leads to".to_owned());
    }
    // In large graphs, some paths are checked.
    for node in (0..graph.nodes.len()).step_by(1 + graph.nodes.len() / 30) {
        follow(graph, node, initial.clone())?;
    }
    if answer.verdict == Verdict::Satisfied {
        let known: BTreeSet<Discrete> =
            graph.nodes.iter().map(|node| discrete(&node.state)).collect();
        if let Some(missing) = walked(&initial).difference(&known).next() {
            return Err(format!("{missing:?} is missing"));
        }
    }
    Ok(graph.nodes.len())
}

/// Replays the path to a node.
fn follow(graph: &StateGraph, node: usize, mut simulator: Simulator) -> Result<(), String> {
    for edge in graph.path_to(node) {
        let wanted = discrete(&graph.nodes[edge.target].state);
        let leads = |number: usize| {
            let mut next = simulator.clone();
            (next.choices()[number].edges == edge.edges && next.take(number))
                .then_some(next)
                .filter(|next| discrete(&next.state()) == wanted)
        };
        let next = (0..simulator.choices().len()).find_map(leads);
        simulator = next.ok_or_else(|| format!("no process leaves {}", edge.source))?;
    }
    match discrete(&simulator.state()) == discrete(&graph.nodes[node].state) {
        true => Ok(()),
        false => Err(format!("the way to {node} leads elsewhere")),
    }
}

/// The states of a naive exploration of exact zones.
fn walked(initial: &Simulator) -> BTreeSet<Discrete> {
    let mut seen = BTreeSet::new();
    let mut met = BTreeSet::new();
    let mut waiting = VecDeque::from([initial.clone()]);
    while let Some(simulator) = waiting.pop_front() {
        let view = simulator.state();
        met.insert(discrete(&view));
        if seen.len() >= 60 || !seen.insert((discrete(&view), view.zone)) {
            continue;
        }
        for number in 0..simulator.choices().len() {
            let mut next = simulator.clone();
            if next.take(number) {
                waiting.push_back(next);
            }
        }
    }
    met
}
