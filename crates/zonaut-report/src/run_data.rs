//! What the script of the page knows about a run.

use serde::Serialize;
use std::collections::HashMap;
use zonaut_base::{Id, one_line};
use zonaut_dbm::{Wide, Zone};
use zonaut_model::Process;
use zonaut_trace::{Labels, SymbolicTrace, Trace, TraceEdge, TraceState};

/// How many clock values and how many bounds a page holds at most, so that it stays small.
const MAX_VALUES: usize = 60_000;
const MAX_BOUNDS: usize = 120_000;

/// A run as the script reads it: the start in full, then what changes.
#[derive(Serialize)]
pub(crate) struct RunData {
    processes: Vec<ProcessData>,
    start: StartData,
    steps: Vec<StepData>,
    edges: Vec<EdgeData>,
    /// When each state is reached, and the end; exact, and as numbers for places in charts.
    dates: Vec<String>,
    times: Vec<f64>,
    /// How long each state lasts.
    delays: Vec<String>,
    variables: Vec<String>,
    clocks: Vec<String>,
    /// The clocks of each state, exact, with spaces between.
    values: Vec<String>,
    /// The same for the clocks whose zones are shown, as numbers.
    lines: Vec<Vec<f64>>,
    fails: bool,
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
    edges: Vec<usize>,
    moves: Vec<(usize, usize)>,
    changes: Vec<(usize, i32)>,
}

#[derive(Serialize)]
struct EdgeData {
    process: usize,
    /// Its numbers in the drawing: one, or two for an edge through a branchpoint.
    parts: Vec<usize>,
    text: String,
    labels: Vec<(&'static str, String)>,
}

#[derive(Serialize)]
struct ZoneData {
    /// How many clocks, the first ones of the model.
    count: usize,
    states: Vec<String>,
    /// The part of each zone from which the next transition can be taken; empty for the last.
    leaving: Vec<String>,
}

impl RunData {
    pub(crate) fn new(labels: Labels<'_>, trace: &Trace, symbolic: Option<&SymbolicTrace>) -> Self {
        let mut places = Places::of(labels);
        let states: Vec<&TraceState> =
            [&trace.start].into_iter().chain(trace.steps.iter().map(|step| &step.state)).collect();
        let steps = trace.steps.iter().zip(&states).map(|(step, before)| StepData {
            edges: step.edges.iter().filter_map(|edge| places.edge(edge)).collect(),
            moves: places.moves(&before.locations, &step.state.locations),
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
                locations: places.locations(&trace.start.locations),
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
            zones,
            processes: labels.model.processes.iter().map(|p| process_data(labels, p)).collect(),
            edges: places.edges,
        }
    }

    /// How many clocks have zones to choose from.
    pub(crate) fn zone_clocks(&self) -> usize {
        self.zones.as_ref().map_or(0, |zones| zones.count)
    }

    /// How many clocks are listed.
    pub(crate) fn clock_count(&self) -> usize {
        self.clocks.len()
    }

    /// How many variables are listed.
    pub(crate) fn variable_count(&self) -> usize {
        self.variables.len()
    }
}

fn process_data(labels: Labels<'_>, process: &Process) -> ProcessData {
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

/// The way from the names of a run to the numbers of a drawing.
struct Places<'l> {
    labels: Labels<'l>,
    processes: HashMap<&'l str, usize>,
    /// The location of this name, by process.
    locations: HashMap<(usize, &'l str), usize>,
    /// The number of an edge with its select values among those met.
    met: HashMap<(usize, usize, Vec<i32>), usize>,
    edges: Vec<EdgeData>,
}

impl<'l> Places<'l> {
    fn of(labels: Labels<'l>) -> Self {
        let processes = || labels.model.processes.iter().enumerate();
        let locations = processes().flat_map(|(number, process)| {
            let locations = process.locations.iter().enumerate();
            locations.map(move |(at, location)| ((number, location.name.as_str()), at))
        });
        Self {
            labels,
            processes: processes().map(|(number, it)| (it.name.as_str(), number)).collect(),
            locations: locations.collect(),
            met: HashMap::new(),
            edges: Vec::new(),
        }
    }

    fn location(&self, process: usize, place: &str) -> usize {
        let name = place.rsplit_once('.').map_or(place, |(_, name)| name);
        self.locations.get(&(process, name)).copied().unwrap_or(0)
    }

    fn locations(&self, places: &[String]) -> Vec<usize> {
        places.iter().enumerate().map(|(process, place)| self.location(process, place)).collect()
    }

    fn moves(&self, before: &[String], after: &[String]) -> Vec<(usize, usize)> {
        let pairs = before.iter().zip(after).enumerate();
        let moved = pairs.filter(|(_, (old, new))| old != new);
        moved.map(|(process, (_, new))| (process, self.location(process, new))).collect()
    }

    /// The number of an edge among those met.
    fn edge(&mut self, edge: &TraceEdge) -> Option<usize> {
        let process = *self.processes.get(edge.process.as_str())?;
        let values = edge.select.iter().map(|&(_, value)| value).collect();
        let key = (process, edge.edge, values);
        if let Some(&number) = self.met.get(&key) {
            return Some(number);
        }
        let data = self.edge_data(process, edge);
        self.met.insert(key, self.edges.len());
        self.edges.push(data);
        Some(self.edges.len() - 1)
    }

    fn edge_data(&self, process: usize, edge: &TraceEdge) -> EdgeData {
        let origins = self.labels.origin.processes.iter().nth(process);
        let origin = origins.and_then(|origin| origin.edges.iter().nth(edge.edge));
        let name = &self.labels.model.processes[Id::from_index(process)].template;
        let template = self.labels.document.templates.iter().find(|t| *t.name.text == **name);
        let branch = origin.and_then(|origin| origin.branch).and_then(|span| {
            template.and_then(|template| template.edges.iter().position(|e| e.span == span))
        });
        let first = origin.map(|origin| origin.index as usize);
        let mut text = format!("{}: {} → {}", edge.process, edge.source, edge.target);
        for (name, value) in &edge.select {
            text.push_str(&format!(", {name} = {value}"));
        }
        let labels =
            [("guard", &edge.guard), ("sync", &edge.synchronisation), ("update", &edge.updates)];
        let present = labels.into_iter().filter(|(_, label)| !label.trim().is_empty());
        EdgeData {
            process,
            parts: first.into_iter().chain(branch).collect(),
            text: one_line(&text),
            labels: present.map(|(kind, label)| (kind, one_line(label.trim()))).collect(),
        }
    }
}

impl ZoneData {
    /// The zones of as many clocks as there is room for; nothing if that are not two.
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

/// The bounds of the first clocks, row by row: twice the value, one more if it is included, and
/// nothing where there is no bound.
fn written(zone: &Zone<Wide>, clocks: usize) -> String {
    let rows = zone.as_slice().chunks(zone.dim()).take(clocks + 1);
    let entries = rows.flat_map(|row| &row[..=clocks]).map(|bound| match bound.is_infinite() {
        true => String::new(),
        false => (2 * bound.value() + i64::from(!bound.is_strict())).to_string(),
    });
    entries.collect::<Vec<_>>().join(",")
}
