//! Models from text, and runs of them written by hand.

use zonaut_base::{SourceFile, SourceMap};
use zonaut_lower::{LowerOptions, lower};
use zonaut_model::Model;
use zonaut_syntax::{ParseOptions, parse_model};
use zonaut_trace::{Chart, Rational, Trace, TraceState, TraceStep};

/// The model of a text without errors, and its warnings.
pub(crate) fn model(text: &str) -> (Model, Vec<String>) {
    let mut sources = SourceMap::default();
    let file = sources.add(SourceFile::new("model.xta", text));
    let (document, parsed) = parse_model(&mut sources, file, &ParseOptions::default());
    assert!(!parsed.has_errors(), "{text}");
    let lowered = lower(&document, &[], &LowerOptions::default());
    let warnings = lowered.diagnostics.iter().map(|one| one.message.clone()).collect();
    let model = lowered.model.expect("no errors");
    assert_eq!(model.validate(), Ok(()));
    (model, warnings)
}

/// A stay in a state of one process: the location, the variables, the clocks on arrival, and the
/// delay, times in halves.
pub(crate) struct Stage<'s> {
    pub(crate) location: &'s str,
    pub(crate) variables: &'s [i32],
    pub(crate) clocks: &'s [i64],
    pub(crate) delay: i64,
}

/// The run through these stages.
pub(crate) fn run(model: &Model, stages: &[Stage<'_>]) -> Trace {
    let half = |number: i64| Rational::new(number, 2);
    let state = |stage: &Stage<'_>| TraceState {
        locations: vec![format!("P.{}", stage.location)],
        variables: model
            .cells
            .iter()
            .map(|it| it.name.clone())
            .zip(stage.variables.to_vec())
            .collect(),
        clocks: model
            .clocks
            .iter()
            .map(|it| it.name.clone())
            .zip(stage.clocks.iter().map(|&value| half(value)))
            .collect(),
    };
    let steps = stages.windows(2).map(|pair| TraceStep {
        delay: half(pair[0].delay),
        edges: Vec::new(),
        state: state(&pair[1]),
    });
    let last = stages.last().expect("a stage");
    Trace {
        start: state(&stages[0]),
        steps: steps.collect(),
        last_delay: half(last.delay),
        last_clocks: last.clocks.iter().map(|&value| half(value + last.delay)).collect(),
        fails: false,
        continuation: None,
    }
}

/// The rows of a chart as text: `name: label from-to #colour, ...`.
pub(crate) fn rows(chart: &Chart) -> Vec<String> {
    let row = |row: &zonaut_trace::Row| {
        let bars = row.stays.iter().map(|stay| {
            let colour = stay.colour.expect("a colour");
            format!("{} {}-{} #{colour}", stay.location, stay.from, stay.to)
        });
        format!("{}: {}", row.process, bars.collect::<Vec<_>>().join(", "))
    };
    chart.rows.iter().map(row).collect()
}

/// A process with two locations, in the second of which `y` is stopped.
pub(crate) const MODEL: &str = "clock x, y; int[0,9] n; int a[2];
    process P() { state go, stand { y' == 0 }; init go; } system P;";

/// The first error in the chart of a run with clocks, differences, stopwatches and colours.
pub(crate) fn flaw_of_section() -> Option<String> {
    let text = format!(
        "{MODEL} gantt {{ Clock : x < 3 -> 0, x >= 3 && x < 5 -> 1; Stopped : y >= 2 -> 2;
         Apart : x - y > 1 -> 3; Colour : true -> n; Both : !(x < 1 || x > 6) -> 4; }}"
    );
    let (model, warnings) = model(&text);
    assert_eq!(warnings, [""; 0]);
    let stages = [
        Stage { location: "go", variables: &[1, 0, 0], clocks: &[0, 0], delay: 3 },
        Stage { location: "stand", variables: &[1, 0, 0], clocks: &[3, 3], delay: 6 },
        Stage { location: "go", variables: &[2, 0, 0], clocks: &[9, 3], delay: 5 },
    ];
    let (chart, failures) = Chart::of_section(&model, &run(&model, &stages));
    assert_eq!(failures, []);
    let expected = [
        "Clock: x < 3 0-3 #0, x >= 3 && x < 5 3-5 #1",
        "Stopped: y >= 2 5-7 #2",
        "Apart: x - y > 1 5/2-7 #3",
        "Colour: true 0-9/2 #1, true 9/2-7 #2",
        "Both: !(x < 1 || x > 6) 1-6 #4",
    ];
    let found = rows(&chart);
    (found != expected).then(|| format!("{found:#?}"))
}
