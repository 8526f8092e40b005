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
use zonaut_base::{Id, one_line};
use zonaut_dbm::Row;
use zonaut_draw::{Picture, ZoneView, draw_gantt, draw_sequence, draw_template, draw_zone};
use zonaut_engine::{
    Answer, Choice, DisabledTransition, Query, Rational, RecordedRun, Session, Simulator, Trace,
    TraceEdge, TraceState, TraceStep, Verdict,
};
use zonaut_report::{Dead, DrawingIndex, Report, Run, Tone, write_report};
use zonaut_syntax::tree::{Edge, Node, Template};
use zonaut_trace::{Chart, edge_text, evaluated_edges, transition_title, write_xml_trace};

/// Maximum length of a path that is replayed, and of a run that is drawn.
const MOST_STEPS: usize = 2000;
const MOST_DRAWN: usize = 300;
/// Maximum length of a path and number of choices for which intervals of delays are computed.
const MOST_TIMED: (usize, usize) = (100, 24);
/// The largest delay that is tried: more counts as unbounded.
const LARGEST_DELAY: i64 = 1 << 20;
/// Maximum size of a source text that is shown.
const MOST_SOURCE: usize = 400_000;

/// A model that is explored.
pub(crate) struct Explorer {
    pub(crate) subject: Subject,
    pub(crate) session: Session,
    /// The initial state, or the reason for its absence.
    initial: Result<Simulator, String>,
    /// The number of running searches.
    pub(crate) searches: AtomicUsize,
    /// The path that was replayed last: the next one usually extends it.
    walked: Mutex<Option<(Vec<usize>, Simulator)>>,
    /// The graph of states, computed on demand; or the reason for its absence.
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
    delays: Vec<Option<Delay>>,
    /// The two clocks whose zone is drawn, by name.
    #[serde(default)]
    clocks: Option<[String; 2]>,
}

/// A delay: an integer, or a fraction as text.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum Delay {
    Whole(i64),
    Exact(Rational),
}

impl From<Delay> for Rational {
    fn from(delay: Delay) -> Self {
        match delay {
            Delay::Whole(number) => number.into(),
            Delay::Exact(number) => number,
        }
    }
}

/// A saved trace of any format.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Opening {
    text: String,
}

/// The part of a recorded run that the model allows.
#[derive(Serialize)]
struct FollowedData {
    path: Vec<usize>,
    /// The delay in each state, where it is recorded.
    delays: Vec<Option<String>>,
    /// Each transition in one line.
    titles: Vec<String>,
    /// The number of recorded steps.
    total: usize,
    /// The reason why the next step is not possible, if so.
    obstacle: Option<String>,
}

/// A request to save a run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saving {
    path: Vec<usize>,
    #[serde(default)]
    delays: Vec<Option<Delay>>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Trace,
    Report,
    Xtr,
    Xml,
}

#[derive(Serialize)]
pub(crate) struct ModelData {
    name: String,
    program: &'static str,
    templates: Vec<TemplateData>,
    processes: Vec<ProcessData>,
    queries: Vec<QueryData>,
    /// The text of the model's file.
    source: String,
    /// The reason why the model cannot be explored, if so.
    refused: Option<String>,
}

#[derive(Serialize)]
struct QueryData {
    text: String,
    comment: String,
}

#[derive(Serialize)]
struct TemplateData {
    name: String,
    picture: String,
    /// The locations that its edges leave; empty for branchpoints and locations without a name.
    sources: Vec<String>,
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
    /// The largest possible delay; absent if there is no bound.
    most: Option<i64>,
    choices: Vec<ChoiceData>,
    obstacles: Vec<ObstacleData>,
    /// The transitions of the path.
    steps: Vec<StepData>,
    /// The edges of the last one, in the drawing.
    taken: Vec<EdgeData>,
    /// Absent if the chosen delays are not possible.
    run: Option<RunData>,
    picture: Option<String>,
}

#[derive(Serialize)]
struct ChoiceData {
    /// The transition in one line.
    title: String,
    edges: Vec<EdgeData>,
    failure: Option<String>,
    /// The delays after which it is enabled, if they are known.
    delay: Option<DelayData>,
}

#[derive(Serialize)]
struct StepData {
    /// The transition in one line.
    title: String,
    edges: Vec<String>,
}

#[derive(Serialize)]
struct DelayData {
    from: String,
    /// Absent if there is no bound.
    to: Option<i64>,
}

#[derive(Serialize)]
struct ObstacleData {
    edges: Vec<String>,
    /// Its edges in the drawing.
    parts: Vec<PartData>,
    why: String,
}

#[derive(Serialize)]
struct PartData {
    process: usize,
    parts: Vec<usize>,
}

#[derive(Serialize)]
struct EdgeData {
    text: String,
    /// The locations that it connects, and its labels.
    #[serde(rename = "move")]
    moves: String,
    labels: String,
    process: usize,
    /// Its indices in the drawing.
    parts: Vec<usize>,
    /// The line of the source on which it begins, from 1; 0 if unknown.
    line: usize,
}

#[derive(Serialize)]
struct RunData {
    dates: Vec<String>,
    delays: Vec<String>,
    clocks: Vec<(String, String)>,
    sequence: Option<String>,
    gantt: Option<String>,
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
            sources: template.edges.iter().map(|edge| source_name(template, edge)).collect(),
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
            queries: self.queries(),
            source: self.source(),
            refused: self.initial.as_ref().err().cloned(),
        }
    }

    fn queries(&self) -> Vec<QueryData> {
        let entries = self.subject.loaded.query_entries();
        let comment = |index: u32| {
            let found = entries.iter().find(|entry| entry.index == index);
            found.map_or(String::new(), |entry| one_line(entry.comment.trim()))
        };
        let queries = self.session.queries();
        let data = |query: &Query| QueryData {
            text: one_line(&query.text),
            comment: comment(query.index),
        };
        queries.map(|(_, query)| data(query)).collect()
    }

    /// The text of the model's file, without control characters; empty if it is very large.
    fn source(&self) -> String {
        let text = self.session.sources().file(self.session.labels().document.file).text();
        match text.len() <= MOST_SOURCE {
            true => text.lines().map(one_line).collect::<Vec<_>>().join("\n"),
            false => String::new(),
        }
    }

    /// The line on which an edge begins; 0 if it is unknown.
    fn line_of(&self, process: usize, part: Option<&usize>) -> usize {
        let labels = self.session.labels();
        let name = &labels.model.processes[Id::from_index(process)].template;
        let template = labels.document.templates.iter().find(|it| *it.name.text == **name);
        let edge = template.and_then(|template| template.edges.get(*part?));
        edge.map_or(0, |edge| self.session.sources().position(edge.span).line as usize)
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
            (Ok(trace), Kind::Xtr | Kind::Xml) => self.symbolic(&trace, kind),
        }
    }

    /// A run in one of UPPAAL's formats.
    fn symbolic(&self, trace: &Trace, kind: Kind) -> Response {
        let Some(symbolic) = self.session.symbolic_trace(trace) else {
            return wrong("clocks leave the range of exact zones");
        };
        let mut text = Vec::new();
        let written = match kind {
            Kind::Xtr => symbolic.write_xtr(&mut text),
            _ => write_xml_trace(self.session.labels(), &symbolic, &mut text),
        };
        match (written, String::from_utf8(text)) {
            (Ok(()), Ok(text)) => Response::text(text),
            _ => Response::plain(500, "the trace cannot be written"),
        }
    }

    /// Opens a saved trace, as far as the model allows it.
    pub(crate) fn open(&self, body: &[u8]) -> Response {
        let Ok(Opening { text }) = serde_json::from_slice(body) else {
            return wrong("the request has no trace");
        };
        match RecordedRun::read(&text, self.session.model()) {
            Ok(run) => self.follow_recorded(&run),
            Err(why) => wrong(&one_line(&why)),
        }
    }

    /// The transitions of a path, to be taken in another version of the model.
    pub(crate) fn recorded(&self, path: &[usize]) -> Result<RecordedRun, String> {
        let simulator = self.walk(path)?;
        let trace = simulator.trace().ok_or("no run has this path")?;
        Ok(RecordedRun::of(&trace))
    }

    pub(crate) fn follow_recorded(&self, run: &RecordedRun) -> Response {
        let mut run = run.clone();
        let total = run.steps.len();
        run.steps.truncate(MOST_STEPS);
        match self.initial.clone() {
            Ok(mut simulator) => {
                let followed = simulator.follow(&run);
                let delay = |delay: &Option<Rational>| delay.map(|delay| delay.to_string());
                Response::json(&FollowedData {
                    path: followed.path,
                    delays: followed.delays.iter().map(delay).collect(),
                    titles: simulator.trace().map_or_else(Vec::new, |run| self.titles(&run)),
                    total,
                    obstacle: followed.obstacle.map(|why| one_line(&why)),
                })
            }
            Err(why) => wrong(&why),
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

    /// The transitions of a run, in one line each.
    pub(crate) fn titles(&self, trace: &Trace) -> Vec<String> {
        let evaluated = self.session.evaluated_trace(trace);
        evaluated.steps.iter().map(|step| transition_title(&step.edges)).collect()
    }

    /// The path along steps to states; `None` if it cannot be followed.
    pub(crate) fn follow<'s>(
        &self,
        steps: impl Iterator<Item = Followed<'s>>,
    ) -> Option<Vec<usize>> {
        let mut simulator = self.initial.as_ref().ok()?.clone();
        let mut path = Vec::new();
        for (edges, locations, variables) in steps.take(MOST_STEPS) {
            path.push(simulator.take_to(edges, locations, variables)?);
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
        let here = TraceState {
            locations: view.locations.clone(),
            variables: view.variables.clone(),
            clocks: Vec::new(),
        };
        let trace = simulator.trace_staying(&state_path.delays);
        let edge = |edge: &TraceEdge| EdgeData {
            text: edge_text(edge),
            moves: one_line(&format!("{} \u{2192} {}", edge.source, edge.target)),
            labels: {
                let labels = [&edge.guard, &edge.updates];
                let labels = labels.iter().map(|label| label.trim());
                let labels = labels.filter(|label| !label.is_empty());
                one_line(&labels.collect::<Vec<_>>().join("; "))
            },
            process: drawing_index.process(&edge.process),
            parts: drawing_index.parts(edge),
            line: self
                .line_of(drawing_index.process(&edge.process), drawing_index.parts(edge).first()),
        };
        let evaluated = |edges: &[TraceEdge]| {
            evaluated_edges(self.session.labels(), self.session.sources(), &here, edges)
        };
        let stays = state_path.known_stays();
        let is_timed = stays.len() <= MOST_TIMED.0 && simulator.choices().len() <= MOST_TIMED.1;
        let choice = |(number, choice): (usize, &Choice)| ChoiceData {
            title: transition_title(&evaluated(&choice.edges)),
            edges: evaluated(&choice.edges).iter().map(edge).collect(),
            failure: choice.failure.as_ref().map(|verdict| reason(&self.session, verdict)),
            delay: is_timed.then(|| enabled_delays(simulator, &stays, number)).flatten(),
        };
        let obstacle = |it: DisabledTransition| ObstacleData {
            edges: it.edges.iter().map(edge_text).collect(),
            parts: it
                .edges
                .iter()
                .map(|edge| PartData {
                    process: drawing_index.process(&edge.process),
                    parts: drawing_index.parts(edge),
                })
                .collect(),
            why: one_line(&it.why),
        };
        let steps = simulator.path();
        let trace = trace.map(|trace| self.session.evaluated_trace(&trace));
        let step = |edges: &[TraceEdge]| StepData {
            title: transition_title(edges),
            edges: edges.iter().map(edge_text).collect(),
        };
        let shown: Vec<Vec<TraceEdge>> = match &trace {
            Some(trace) => trace.steps.iter().map(|step| step.edges.clone()).collect(),
            None => steps.to_vec(),
        };
        StateData {
            locations: drawing_index.locations(&view.locations),
            variables: view.variables.iter().map(|(name, v)| (one_line(name), *v)).collect(),
            zone: one_line(&view.zone),
            clocks: simulator.zone().1.iter().map(|name| one_line(name)).collect(),
            most: is_timed.then(|| most_delay(simulator, &stays, 0)).flatten(),
            choices: simulator.choices().iter().enumerate().map(choice).collect(),
            obstacles: simulator
                .obstacles()
                .unwrap_or_default()
                .into_iter()
                .map(obstacle)
                .collect(),
            taken: steps.last().map_or_else(Vec::new, |step| step.iter().map(edge).collect()),
            steps: shown.iter().map(|edges| step(edges)).collect(),
            picture: zone_picture(simulator, trace.as_ref(), state_path).map(|it| it.inline()),
            run: trace.map(|trace| run_data(&trace)),
        }
    }

    fn report(&self, trace: &Trace) -> String {
        let symbolic = self.session.symbolic_trace(trace);
        let trace = &self.session.evaluated_trace(trace);
        write_report(&Report {
            labels: self.session.labels(),
            model: &self.file_name(),
            digest: &self.session.digest(None),
            command: "zonaut serve",
            program: PROGRAM,
            query: "a simulated run",
            verdict: "simulated",
            tone: Tone::Neutral,
            summary: "A run that was chosen by hand.",
            reason: None,
            certificate: "nothing to certify",
            is_certified: false,
            facts: &[],
            lists: &[],
            charts: &[],
            plots: &[],
            run: Some(Run { trace, symbolic: symbolic.as_ref() }),
            is_schedule: false,
            index: None,
            dead: &Dead::default(),
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

impl StatePath {
    /// The delays in the states before the current one.
    fn known_stays(&self) -> Vec<Option<Rational>> {
        let known = self.delays.iter().map(|delay| delay.map(Rational::from));
        let mut stays: Vec<Option<Rational>> = known.collect();
        stays.resize(self.path.len(), None);
        stays
    }
}

/// The name of the location that an edge leaves, if it has one.
fn source_name(template: &Template, edge: &Edge) -> String {
    let name = match edge.source.node {
        Some(Node::Location(id)) => template.locations[id].name.as_ref(),
        _ => None,
    };
    name.map_or(String::new(), |name| one_line(&name.text))
}

/// The largest integral delay, at least `from`, after which a run with these stays exists; `None`
/// if there is no bound. Feasible delays form an interval, because the constraints of a path are
/// convex.
fn most_delay(simulator: &Simulator, stays: &[Option<Rational>], from: i64) -> Option<i64> {
    let is_possible = |delay: i64| {
        let stays: Vec<Option<Rational>> =
            stays.iter().copied().chain([Some(delay.into())]).collect();
        simulator.trace_staying(&stays).is_some()
    };
    let mut beyond = 1;
    while is_possible(from + beyond) {
        beyond *= 2;
        if beyond > LARGEST_DELAY {
            return None;
        }
    }
    let (mut possible, mut impossible) = (from + beyond / 2, from + beyond);
    if beyond == 1 {
        return Some(from);
    }
    while impossible - possible > 1 {
        let middle = i64::midpoint(possible, impossible);
        if is_possible(middle) {
            possible = middle;
        } else {
            impossible = middle;
        }
    }
    Some(possible)
}

/// The delays after which a choice is enabled; the upper end is rounded down to an integer.
fn enabled_delays(
    simulator: &Simulator,
    stays: &[Option<Rational>],
    number: usize,
) -> Option<DelayData> {
    let mut after = simulator.clone();
    if !after.take(number) {
        return None;
    }
    let earliest = after.trace_staying(stays)?.steps.get(stays.len())?.delay;
    let first = earliest.numerator.checked_add(earliest.denominator - 1)? / earliest.denominator;
    let at_first: Vec<Option<Rational>> =
        stays.iter().copied().chain([Some(first.into())]).collect();
    // A strict bound may leave fractions only.
    let to = match after.trace_staying(&at_first) {
        Some(_) => most_delay(&after, stays, first),
        None => Some(earliest.numerator / earliest.denominator),
    };
    Some(DelayData { from: earliest.to_string(), to })
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
        gantt: (trace.steps.len() <= MOST_DRAWN && trace.duration() > 0.into())
            .then(|| draw_gantt(trace, &Chart::of_locations(trace)).inline()),
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
