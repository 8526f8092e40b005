//! The data of a run for the script of the page.

use crate::drawing_index::{DrawingIndex, EdgeData, RunEdges};
use serde::Serialize;
use zonaut_base::one_line;
use zonaut_dbm::{Wide, Zone};
use zonaut_model::Process;
use zonaut_trace::{
    Continuation, SourceLabels, SymbolicTrace, Trace, TraceState, transition_title,
};

/// Maximum numbers of clock values and of bounds in a page, which keep it small.
const MAX_VALUES: usize = 60_000;
const MAX_BOUNDS: usize = 120_000;

/// A run as the script reads it: the initial state in full, then changes.
#[derive(Serialize)]
pub(crate) struct RunData {
    processes: Vec<ProcessData>,
    start: StartData,
    steps: Vec<StepData>,
    edges: Vec<EdgeData>,
    /// The dates at which the states are reached, and the end; exact, and as numbers for positions.
    dates: Vec<String>,
    times: Vec<f64>,
    /// The duration of each state.
    delays: Vec<String>,
    variables: Vec<String>,
    clocks: Vec<String>,
    /// The clocks of each state, exact, separated by spaces.
    values: Vec<String>,
    /// The clocks whose zones are shown, as numbers.
    lines: Vec<Vec<f64>>,
    fails: bool,
    /// The continuation of a maximal run after its last state.
    then: Option<String>,
    zones: Option<ZoneData>,
}

#[derive(Serialize)]
struct ProcessData {
    name: String,
    template: usize,
    locations: Vec<String>,
}

#[derive(Serialize)]
struct StartData {
    locations: Vec<usize>,
    variables: Vec<i32>,
}

#[derive(Serialize)]
struct StepData {
    /// The transition in one short line.
    title: String,
    edges: Vec<usize>,
    moves: Vec<(usize, usize)>,
    changes: Vec<(usize, i32)>,
}

#[derive(Serialize)]
struct ZoneData {
    /// The number of clocks, which are the first ones of the model.
    count: usize,
    states: Vec<String>,
    /// The part of each zone in which the next transition is enabled; empty for the last.
    leaving: Vec<String>,
}

impl RunData {
    pub(crate) fn new(
        labels: SourceLabels<'_>,
        trace: &Trace,
        symbolic: Option<&SymbolicTrace>,
    ) -> Self {
        let drawing_index = DrawingIndex::of(labels);
        let mut run_edges = RunEdges::default();
        let states: Vec<&TraceState> =
            [&trace.start].into_iter().chain(trace.steps.iter().map(|step| &step.state)).collect();
        let steps = trace.steps.iter().zip(&states).map(|(step, before)| StepData {
            title: transition_title(&step.edges),
            edges: step
                .edges
                .iter()
                .filter_map(|edge| run_edges.edge(&drawing_index, edge))
                .collect(),
            moves: drawing_index.moves(&before.locations, &step.state.locations),
            changes: changes(&before.variables, &step.state.variables),
        });
        let steps: Vec<StepData> = steps.collect();
        let dates = trace.dates();
        let shown = (MAX_VALUES / states.len()).min(trace.start.clocks.len());
        let zones = symbolic.and_then(|symbolic| ZoneData::new(symbolic, states.len(), shown));
        let drawn = zones.as_ref().map_or(0, |zones| zones.count);
        let values = |state: &&TraceState| {
            let values = state.clocks[..shown].iter().map(|(_, value)| value.to_string());
            values.collect::<Vec<_>>().join(" ")
        };
        let lines = |state: &&TraceState| {
            state.clocks[..drawn].iter().map(|(_, value)| value.to_f64()).collect()
        };
        let delays = trace.steps.iter().map(|step| step.delay).chain([trace.last_delay]);
        Self {
            start: StartData {
                locations: drawing_index.locations(&trace.start.locations),
                variables: trace.start.variables.iter().map(|&(_, value)| value).collect(),
            },
            steps,
            dates: dates.iter().map(ToString::to_string).collect(),
            times: dates.iter().map(|date| date.to_f64()).collect(),
            delays: delays.map(|delay| delay.to_string()).collect(),
            variables: trace.start.variables.iter().map(|(name, _)| one_line(name)).collect(),
            clocks: trace.start.clocks[..shown].iter().map(|(name, _)| one_line(name)).collect(),
            values: states.iter().map(values).collect(),
            lines: states.iter().map(lines).collect(),
            fails: trace.fails,
            then: trace.continuation.map(Continuation::described),
            zones,
            processes: labels.model.processes.iter().map(|p| process_data(labels, p)).collect(),
            edges: run_edges.edges,
        }
    }

    /// The number of clocks with zones.
    pub(crate) fn zone_clocks(&self) -> usize {
        self.zones.as_ref().map_or(0, |zones| zones.count)
    }

    /// The number of clocks that are listed.
    pub(crate) fn clock_count(&self) -> usize {
        self.clocks.len()
    }

    /// The number of variables that are listed.
    pub(crate) fn variable_count(&self) -> usize {
        self.variables.len()
    }
}

fn process_data(labels: SourceLabels<'_>, process: &Process) -> ProcessData {
    let templates = labels.document.templates.iter();
    ProcessData {
        name: one_line(&process.name),
        template: templates.take_while(|template| *template.name.text != process.template).count(),
        locations: process.locations.iter().map(|location| one_line(&location.name)).collect(),
    }
}

fn changes(before: &[(String, i32)], after: &[(String, i32)]) -> Vec<(usize, i32)> {
    let pairs = before.iter().zip(after).enumerate();
    pairs.filter(|(_, (old, new))| old.1 != new.1).map(|(at, (_, new))| (at, new.1)).collect()
}

impl ZoneData {
    /// The zones of as many clocks as the limit admits; `None` if it admits fewer than two.
    fn new(symbolic: &SymbolicTrace, states: usize, clocks: usize) -> Option<Self> {
        // A transition that fails leads to no symbolic state.
        let known = symbolic.len().min(states);
        let room = (MAX_BOUNDS / (2 * states)).isqrt().saturating_sub(1);
        let count = room.min(clocks);
        if count < 2 || known == 0 {
            return None;
        }
        let state = |position: usize| written(symbolic.zone(position.min(known - 1)), count);
        let leaving = |position: usize| {
            let zone = (position < known).then(|| symbolic.leaving(position)).flatten();
            zone.map_or(String::new(), |zone| written(&zone, count))
        };
        Some(Self {
            count,
            states: (0..states).map(state).collect(),
            leaving: (0..states).map(leaving).collect(),
        })
    }
}

/// The bounds of the first clocks, row by row: twice the value, plus one if it is non-strict, and
/// empty if there is no bound.
fn written(zone: &Zone<Wide>, clocks: usize) -> String {
    let rows = zone.as_slice().chunks(zone.dim()).take(clocks + 1);
    let entries = rows.flat_map(|row| &row[..=clocks]).map(|bound| match bound.is_infinite() {
        true => String::new(),
        false => (2 * bound.value() + i64::from(!bound.is_strict())).to_string(),
    });
    entries.collect::<Vec<_>>().join(",")
}
