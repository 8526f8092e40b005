//! Descriptions of the model and of its states for the page.
//!
//! A state is identified by the path to it: the indices of the choices from the initial state on,
//! each with an optional delay before it. The server keeps no state for a page, so that any number
//! of pages can explore the same model and go back arbitrarily far.

use crate::Subject;
use crate::response::Response;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, OnceLock};
use zonaut_base::one_line;
use zonaut_dbm::Row;
use zonaut_draw::{Picture, ZoneView, draw_sequence, draw_template, draw_zone};
use zonaut_engine::{
    Answer, Choice, DisabledTransition, Session, Simulator, Trace, TraceEdge, TraceStep, Verdict,
};
use zonaut_report::{DrawingIndex, Report, Run, Tone, write_report};
use zonaut_trace::edge_text;

/// Maximum length of a path that is replayed, and of a run that is drawn.
const MOST_STEPS: usize = 2000;
const MOST_DRAWN: usize = 300;

/// A model that is explored.
pub(crate) struct Explorer {
    pub(crate) subject: Subject,
    pub(crate) session: Session,
    /// The initial state, or the reason why there is none.
    initial: Result<Simulator, String>,
    /// The number of running searches.
    pub(crate) searches: AtomicUsize,
    /// The path that was replayed last: the next one usually extends it.
    walked: Mutex<Option<(Vec<usize>, Simulator)>>,
    /// The graph of states, computed on demand; or the reason why there is none.
    pub(crate) graph: OnceLock<Result<Answer, String>>,
}

/// A step to follow: its edges, and the locations and variables of its target.
pub(crate) type Followed<'s> = (&'s [TraceEdge], &'s Vec<String>, &'s Vec<(String, i32)>);

/// The path to a state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StatePath {
    path: Vec<usize>,
    /// The delay in each state; absent or `null` if it is arbitrary.
    #[serde(default)]
    delays: Vec<Option<i64>>,
    /// The two clocks whose zone is drawn, by name.
    #[serde(default)]
    clocks: Option<[String; 2]>,
}

/// A request to save a run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saving {
    path: Vec<usize>,
    #[serde(default)]
    delays: Vec<Option<i64>>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Trace,
    Report,
}

#[derive(Serialize)]
pub(crate) struct ModelData {
    name: String,
    program: &'static str,
    templates: Vec<TemplateData>,
    processes: Vec<ProcessData>,
    queries: Vec<String>,
    /// The reason why the model cannot be explored, if so.
    refused: Option<String>,
}

#[derive(Serialize)]
struct TemplateData {
    name: String,
    picture: String,
}

#[derive(Serialize)]
struct ProcessData {
    name: String,
    template: usize,
    locations: Vec<String>,
}

#[derive(Serialize)]
struct StateData {
    locations: Vec<usize>,
    variables: Vec<(String, i32)>,
    zone: String,
    clocks: Vec<String>,
    choices: Vec<ChoiceData>,
    obstacles: Vec<ObstacleData>,
    /// The transitions of the path, each as the texts of its edges.
    steps: Vec<Vec<String>>,
    /// The edges of the last one, in the drawing.
    taken: Vec<EdgeData>,
    /// Absent if the chosen delays are not possible.
    run: Option<RunData>,
    picture: Option<String>,
}

#[derive(Serialize)]
struct ChoiceData {
    edges: Vec<EdgeData>,
    failure: Option<String>,
}

#[derive(Serialize)]
struct ObstacleData {
    edges: Vec<String>,
    why: String,
}

#[derive(Serialize)]
struct EdgeData {
    text: String,
    process: usize,
    /// Its indices in the drawing.
    parts: Vec<usize>,
}

#[derive(Serialize)]
struct RunData {
    dates: Vec<String>,
    delays: Vec<String>,
    clocks: Vec<(String, String)>,
    sequence: Option<String>,
}

/// The response to an invalid request, with an explanation.
fn wrong(why: &str) -> Response {
    Response::plain(400, why)
}

impl Explorer {
    /// An explorer of a model without errors.
    pub(crate) fn new(subject: Subject) -> Option<Self> {
        let session = subject.loaded.session()?;
        let initial = session.simulator().map_err(|verdict| reason(&session, &verdict));
        let (searches, walked) = (AtomicUsize::new(0), Mutex::default());
        Some(Self { subject, session, initial, searches, walked, graph: OnceLock::new() })
    }

    /// The data that do not change during the exploration.
    pub(crate) fn model(&self) -> ModelData {
        let labels = self.session.labels();
        let templates = labels.document.templates.iter().map(|template| TemplateData {
            name: one_line(&template.name.text),
            picture: draw_template(labels.document, template).inline(),
        });
        let processes = labels.model.processes.iter().map(|process| {
            let templates = labels.document.templates.iter();
            let others = templates.take_while(|template| *template.name.text != process.template);
            ProcessData {
                name: one_line(&process.name),
                template: others.count(),
                locations: process.locations.iter().map(|it| one_line(&it.name)).collect(),
            }
        });
        ModelData {
            name: self.file_name(),
            program: PROGRAM,
            templates: templates.collect(),
            processes: processes.collect(),
            queries: self.session.queries().map(|(_, query)| one_line(&query.text)).collect(),
            refused: self.initial.as_ref().err().cloned(),
        }
    }

    /// The state at the end of a path.
    pub(crate) fn state(&self, body: &[u8]) -> Response {
        let Ok(state_path) = serde_json::from_slice::<StatePath>(body) else {
            return wrong("the request has no valid path");
        };
        match self.walk(&state_path.path) {
            Ok(simulator) => Response::json(&self.described(&simulator, &state_path)),
            Err(why) => wrong(&why),
        }
    }

    /// The run along a path, as a file.
    pub(crate) fn save(&self, body: &[u8]) -> Response {
        let Ok(Saving { path, delays, kind }) = serde_json::from_slice(body) else {
            return wrong("the request has nothing to save");
        };
        let run = self.walk(&path).and_then(|simulator| {
            simulator.trace_staying(&delays).ok_or_else(|| "no run has these delays".to_owned())
        });
        match (run, kind) {
            (Err(why), _) => wrong(&why),
            (Ok(trace), Kind::Trace) => Response::json(&trace),
            (Ok(trace), Kind::Report) => Response::text(self.report(&trace)),
        }
    }

    /// The path of a run; `None` if it cannot be followed.
    pub(crate) fn path_of(&self, trace: &Trace) -> Option<Vec<usize>> {
        let steps = trace.steps.len() - usize::from(trace.fails);
        self.follow(
            trace.steps.iter().take(steps).map(|TraceStep { edges, state, .. }| {
                (&edges[..], &state.locations, &state.variables)
            }),
        )
    }

    /// The path along steps to states; `None` if it cannot be followed.
    pub(crate) fn follow<'s>(
        &self,
        steps: impl Iterator<Item = Followed<'s>>,
    ) -> Option<Vec<usize>> {
        let mut simulator = self.initial.as_ref().ok()?.clone();
        let mut path = Vec::new();
        for (edges, locations, variables) in steps.take(MOST_STEPS) {
            let choices = simulator.choices().iter().enumerate();
            let fitting = choices.filter(|(_, it)| it.failure.is_none() && it.edges == edges);
            let numbers: Vec<usize> = fitting.map(|(number, _)| number).collect();
            let next = numbers.into_iter().find_map(|number| {
                let mut next = simulator.clone();
                next.take(number);
                let view = next.state();
                let is_there = view.locations == *locations && view.variables == *variables;
                is_there.then_some((number, next))
            });
            let (number, next) = next?;
            path.push(number);
            simulator = next;
        }
        Some(path)
    }

    /// Replays a path from the initial state.
    fn walk(&self, path: &[usize]) -> Result<Simulator, String> {
        if path.len() > MOST_STEPS {
            return Err(format!("a path has at most {MOST_STEPS} transitions"));
        }
        let walked = self.walked.lock().ok().and_then(|walked| walked.clone());
        let (mut simulator, known) = match walked {
            Some((before, simulator)) if path.starts_with(&before) => (simulator, before.len()),
            _ => (self.initial.clone()?, 0),
        };
        for &choice in &path[known..] {
            if !simulator.take(choice) {
                return Err("no such transition is enabled".to_owned());
            }
        }
        if let Ok(mut walked) = self.walked.lock() {
            *walked = Some((path.to_owned(), simulator.clone()));
        }
        Ok(simulator)
    }

    fn described(&self, simulator: &Simulator, state_path: &StatePath) -> StateData {
        let drawing_index = DrawingIndex::of(self.session.labels());
        let view = simulator.state();
        let trace = simulator.trace_staying(&state_path.delays);
        let edge = |edge: &TraceEdge| EdgeData {
            text: edge_text(edge),
            process: drawing_index.process(&edge.process),
            parts: drawing_index.parts(edge),
        };
        let choice = |choice: &Choice| ChoiceData {
            edges: choice.edges.iter().map(edge).collect(),
            failure: choice.failure.as_ref().map(|verdict| reason(&self.session, verdict)),
        };
        let obstacle = |it: DisabledTransition| ObstacleData {
            edges: it.edges.iter().map(edge_text).collect(),
            why: one_line(&it.why),
        };
        let steps = simulator.path();
        StateData {
            locations: drawing_index.locations(&view.locations),
            variables: view.variables.iter().map(|(name, v)| (one_line(name), *v)).collect(),
            zone: one_line(&view.zone),
            clocks: simulator.zone().1.iter().map(|name| one_line(name)).collect(),
            choices: simulator.choices().iter().map(choice).collect(),
            obstacles: simulator
                .obstacles()
                .unwrap_or_default()
                .into_iter()
                .map(obstacle)
                .collect(),
            taken: steps.last().map_or_else(Vec::new, |step| step.iter().map(edge).collect()),
            steps: steps.iter().map(|step| step.iter().map(edge_text).collect()).collect(),
            picture: zone_picture(simulator, trace.as_ref(), state_path).map(|it| it.inline()),
            run: trace.map(|trace| run_data(&trace)),
        }
    }

    fn report(&self, trace: &Trace) -> String {
        let symbolic = self.session.symbolic_trace(trace);
        write_report(&Report {
            labels: self.session.labels(),
            model: &self.file_name(),
            digest: &self.session.digest(None),
            command: "zonaut serve",
            program: PROGRAM,
            query: "a simulated run",
            verdict: "simulated",
            tone: Tone::Open,
            reason: None,
            certificate: "nothing to certify",
            facts: &[],
            lists: &[],
            charts: &[],
            run: Some(Run { trace, symbolic: symbolic.as_ref() }),
        })
    }

    /// The name of the model's file, without directories.
    fn file_name(&self) -> String {
        let file = self.session.labels().document.file;
        let path = std::path::Path::new(self.session.sources().file(file).name());
        one_line(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy())
    }
}

/// The name and version of this program.
const PROGRAM: &str = concat!("zonaut ", env!("CARGO_PKG_VERSION"));

fn reason(session: &Session, verdict: &Verdict) -> String {
    one_line(&session.reason_of(verdict).unwrap_or_default())
}

fn run_data(trace: &Trace) -> RunData {
    let last = trace.steps.last().map_or(&trace.start, |step| &step.state);
    let clocks = last.clocks.iter().zip(&trace.last_clocks);
    let delays = trace.steps.iter().map(|step| step.delay).chain([trace.last_delay]);
    RunData {
        dates: trace.dates().iter().map(ToString::to_string).collect(),
        delays: delays.map(|delay| delay.to_string()).collect(),
        clocks: clocks.map(|((name, _), value)| (one_line(name), value.to_string())).collect(),
        sequence: (trace.steps.len() <= MOST_DRAWN).then(|| draw_sequence(trace).inline()),
    }
}

/// The zone of the two clocks that the page selects, or of the first two, with the run's values.
fn zone_picture(
    simulator: &Simulator,
    trace: Option<&Trace>,
    state_path: &StatePath,
) -> Option<Picture> {
    let (zone, names) = simulator.zone();
    let row = |wanted: &String| names.iter().position(|name| one_line(name) == *wanted);
    let chosen = state_path.clocks.as_ref().and_then(|[x, y]| Some([row(x)?, row(y)?]));
    let rows = chosen.or((names.len() > 1).then_some([0, 1]))?;
    let [x, y] = rows.map(|at| (Row::from_index(at + 1), names[at].as_str()));
    let last = trace.map(|trace| trace.steps.last().map_or(&trace.start, |step| &step.state));
    let arrival = |name: &str| {
        let found = last?.clocks.iter().find(|(clock, _)| clock == name);
        found.map(|(_, value)| value.to_f64())
    };
    let stay = trace.map_or(0.0, |trace| trace.last_delay.to_f64());
    let from = [arrival(x.1).unwrap_or(0.0), arrival(y.1).unwrap_or(0.0)];
    let stay = [from, from.map(|value| value + stay)];
    Some(draw_zone(&ZoneView { zone, leaving: None, clocks: [x, y], stay }))
}
