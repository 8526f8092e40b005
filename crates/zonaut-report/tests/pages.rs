//! The content and the size of pages, and their robustness against markup in models.

use zonaut_base::{SourceFile, SourceMap};
use zonaut_lower::{LowerOptions, Lowered, lower};
use zonaut_report::{Dead, Report, Run, Tone, write_report};
use zonaut_syntax::tree::Document;
use zonaut_syntax::{ParseOptions, parse_model};
use zonaut_trace::{Rational, SourceLabels, Trace, TraceEdge, TraceState, TraceStep};

const MODEL: &str = "clock x, y; chan go; int[0,30000] count;
process P(const int[0,1] id) { state idle { x <= 9 }, busy; init idle;
trans idle -> busy { guard x >= 1; sync go!; assign x = 0, count++; }, busy -> idle { }; }
process Q() { state wait; init wait; trans wait -> wait { sync go?; assign y = 0; }; }
system P, Q;";

struct Subject {
    document: Document,
    lowered: Lowered,
}

fn subject(text: &str) -> Subject {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("model.xta", text));
    let (document, diagnostics) = parse_model(&mut sources, file, &ParseOptions::default());
    assert!(!diagnostics.has_errors());
    let lowered = lower(&document, &[], &LowerOptions::default());
    Subject { document, lowered }
}

impl Subject {
    fn labels(&self) -> SourceLabels<'_> {
        let model = self.lowered.model.as_ref().expect("a correct model");
        SourceLabels { model, origin: &self.lowered.origin, document: &self.document }
    }

    fn report<'r>(&'r self, run: Option<Run<'r>>, facts: &'r [(&'r str, String)]) -> Report<'r> {
        Report {
            labels: self.labels(),
            model: "model.xta",
            digest: "sha256:00ff",
            command: "zonaut verify model.xta --report run.html",
            program: "zonaut 0.0.0",
            query: "E<> P(0).busy && count > 2",
            verdict: "satisfied",
            tone: Tone::Good,
            summary: "P(0).busy holds after 4 transitions at time 19/6.",
            reason: None,
            certificate: "accepted by the independent checker",
            is_certified: true,
            facts,
            lists: &[],
            charts: &[],
            plots: &[],
            run,
            is_schedule: false,
            index: None,
            dead: &NOTHING_DEAD,
        }
    }
}

static NOTHING_DEAD: Dead = Dead { locations: Vec::new(), edges: Vec::new() };

fn state(place: &str, count: i32, x: i64) -> TraceState {
    TraceState {
        locations: vec![format!("P(0).{place}"), "P(1).idle".into(), "Q.wait".into()],
        variables: vec![("count".into(), count)],
        clocks: vec![("x".into(), Rational::new(x, 3)), ("y".into(), Rational::new(x, 3))],
    }
}

fn edge(
    process: &str,
    edge: usize,
    [source, target]: [&str; 2],
    synchronisation: &str,
) -> TraceEdge {
    TraceEdge {
        process: process.into(),
        source: source.into(),
        target: target.into(),
        edge,
        guard: "x >= 1".into(),
        synchronisation: synchronisation.into(),
        updates: "count++".into(),
        select: Vec::new(),
    }
}

/// A run of `steps` transitions.
fn run(steps: i32) -> Trace {
    let step = |number: i32| match number % 2 {
        0 => TraceStep {
            delay: Rational::new(4, 3),
            edges: vec![
                edge("P(0)", 0, ["idle", "busy"], "go!"),
                edge("Q", 0, ["wait", "wait"], "go?"),
            ],
            state: state("busy", number / 2 + 1, 0),
        },
        _ => TraceStep {
            delay: Rational::new(0, 1),
            edges: vec![edge("P(0)", 1, ["busy", "idle"], "")],
            state: state("idle", number / 2 + 1, 0),
        },
    };
    Trace {
        start: state("idle", 0, 0),
        steps: (0..steps).map(step).collect(),
        last_delay: Rational::new(1, 2),
        last_clocks: vec![Rational::new(1, 2); 2],
        fails: false,
        continuation: None,
    }
}

/// The data of the page, as its script reads them.
fn data_of(page: &str) -> serde_json::Value {
    let start = page.find("id=\"run\">").expect("data") + "id=\"run\">".len();
    let end = start + page[start..].find("</script>").expect("an end");
    serde_json::from_str(&page[start..end]).expect("JSON")
}

#[test]
fn a_page_about_a_maximal_run_describes_its_continuation() {
    use zonaut_trace::Continuation;
    let subject = subject(MODEL);
    let page = |continuation| {
        let trace = Trace { continuation, ..run(4) };
        write_report(&subject.report(Some(Run { trace: &trace, symbolic: None }), &[]))
    };
    let text =
        "4 transitions in 8/3 time units; then the transitions from step 3 on repeat for ever";
    let loops = page(Some(Continuation::Repeats { from: 2 }));
    assert!(loops.contains(text) && loops.contains(">loop<"), "{text}");
    assert_eq!(data_of(&loops)["then"], "the transitions from step 3 on repeat for ever");
    assert!(
        page(Some(Continuation::Diverges)).contains("19/6 time units; then time passes for ever")
    );
    assert!(data_of(&page(None))["then"].is_null());
}

#[test]
fn a_page_has_the_run_and_everything_about_the_answer() {
    let subject = subject(MODEL);
    let trace = run(4);
    let facts = [("explored", "12 states".to_owned())];
    let page = write_report(&subject.report(Some(Run { trace: &trace, symbolic: None }), &facts));
    for text in [
        "E&lt;&gt; P(0).busy &amp;&amp; count &gt; 2",
        ">satisfied</span>",
        "accepted by the independent checker",
        "sha256:00ff",
        "zonaut verify model.xta --report run.html",
        "4 transitions in 19/6 time units",
        "12 states",
        "zonaut 0.0.0",
    ] {
        assert!(page.contains(text), "{text}");
    }
    let data = data_of(&page);
    assert_eq!(data["dates"], serde_json::json!(["0", "4/3", "4/3", "8/3", "8/3", "19/6"]));
    assert_eq!(data["steps"][0]["moves"], serde_json::json!([[0, 1]]));
    assert_eq!(data["steps"][0]["changes"], serde_json::json!([[0, 1]]));
    assert_eq!(data["edges"][0]["parts"], serde_json::json!([0]));
    assert_eq!(data["edges"].as_array().map(Vec::len), Some(3));
    assert_eq!(data["processes"][2]["template"], 1);
    assert_eq!(page.matches("<figure data-t=").count(), 2);
}

#[test]
fn a_run_without_time_has_no_charts_over_time() {
    let subject = subject(MODEL);
    let page = |steps, last_delay| {
        let trace = Trace { last_delay, ..run(steps) };
        write_report(&subject.report(Some(Run { trace: &trace, symbolic: None }), &[]))
    };
    let empty = page(0, Rational::from(0));
    assert!(!empty.contains("No time passes") && !empty.contains("over time</h2>"));
    let mut instant = Trace { last_delay: Rational::from(0), ..run(1) };
    instant.steps[0].delay = Rational::from(0);
    let instant = Run { trace: &instant, symbolic: None };
    let timeless = write_report(&subject.report(Some(instant), &[]));
    assert!(timeless.contains("No time passes") && !timeless.contains("over time</h2>"));
    for page in [page(0, Rational::from(1)), page(2, Rational::from(0))] {
        assert!(!page.contains("No time passes") && page.contains("Locations over time</h2>"));
    }
}

#[test]
fn a_page_loads_nothing_and_runs_its_own_script_only() {
    let subject = subject(MODEL);
    let trace = run(2);
    let page = write_report(&subject.report(Some(Run { trace: &trace, symbolic: None }), &[]));
    assert!(page.contains("content=\"default-src 'none'; base-uri 'none'"));
    assert_eq!(page.matches("sha256-").count(), 2);
    for forbidden in ["<link", "<img", "<iframe", " src=", "@import", "url(", " style=", " onclick"]
    {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    let elsewhere = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!elsewhere.contains("http:") && !elsewhere.contains("https:"));
    assert_eq!(page.matches("<script").count(), 2);
}

#[test]
fn markup_in_models_is_escaped() {
    let subject = subject(MODEL);
    let hostile = "</script></style><script>alert(1)</script><!--\u{1b}[2J\u{202e}\" onload='x";
    let mut trace = run(2);
    trace.start.variables[0].0 = hostile.into();
    trace.start.clocks[0].0 = hostile.into();
    trace.steps[0].edges[0].guard = hostile.into();
    trace.steps[0].edges[0].synchronisation = hostile.into();
    trace.steps[0].state.locations[1] = hostile.into();
    let facts = [("fact", hostile.to_owned())];
    let mut report = subject.report(Some(Run { trace: &trace, symbolic: None }), &facts);
    (report.query, report.model, report.command) = (hostile, hostile, hostile);
    let page = write_report(&report);
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!(page.matches("</style").count(), 1);
    assert!(!page.contains("<!--") && !page.contains(['\u{1b}', '\u{202e}']));
    assert_eq!(data_of(&page)["edges"][0]["labels"][0][0], "guard");
}

#[test]
fn a_long_run_makes_a_small_page() {
    let subject = subject(MODEL);
    let trace = run(2000);
    let page = write_report(&subject.report(Some(Run { trace: &trace, symbolic: None }), &[]));
    assert!(page.len() < 2_000_000, "{}", page.len());
    assert_eq!(data_of(&page)["steps"].as_array().map(Vec::len), Some(2000));
}

#[test]
fn a_page_about_a_proof_has_statistics_and_no_script() {
    let subject = subject(MODEL);
    let facts = [("explored", "1234 states".to_owned())];
    let page = write_report(&subject.report(None, &facts));
    assert!(page.contains("1234 states") && page.contains("<figure"));
    assert!(!page.contains("<script") && page.ends_with("</html>\n"));
}

#[test]
fn a_page_begins_with_the_verdict_and_folds_the_details() {
    let subject = subject(MODEL);
    let page = write_report(&subject.report(None, &[("explored", "7 states".to_owned())]));
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing"));
    assert!(at(">satisfied</span> P(0).busy holds") < at("<figure"));
    assert!(at("<figure") < at("<summary>Details</summary>"));
    assert!(at("<summary>Details</summary>") < at("7 states"));
    assert!(page.contains("@media print"));
    let violation = Report { tone: Tone::Bad, ..subject.report(None, &[]) };
    assert!(write_report(&violation).contains("<body class=\"violation\">"));
    assert!(page.contains("<body class=\"calm\">"));
}

#[test]
fn dead_locations_and_edges_are_marked_in_the_automata() {
    let subject = subject(MODEL);
    let dead = Dead { locations: vec![(0, 1)], edges: vec![(0, 0)] };
    let page = write_report(&Report { dead: &dead, ..subject.report(None, &[]) });
    assert_eq!(page.matches("<g class=\"dead\" data-l=\"1\"").count(), 1);
    assert_eq!(page.matches("<g class=\"dead\" data-e=\"0\"").count(), 1);
}
