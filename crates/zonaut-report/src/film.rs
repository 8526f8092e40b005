//! Runs as films: the input of animated pictures.

use crate::drawing_index::DrawingIndex;
use zonaut_base::one_line;
use zonaut_draw::{Film, FilmEdge, FilmFrame, FilmRole};
use zonaut_trace::{ExplainedStep, SourceLabels, Trace, TraceState};

/// The film of a run, with a frame for each state. It shows the processes that move, or all of them
/// if none does. Steps are explained by `explained`, where it has them.
#[must_use]
pub fn film_of<'l>(
    labels: SourceLabels<'l>,
    trace: &Trace,
    explained: &[ExplainedStep],
) -> Film<'l> {
    let index = DrawingIndex::of(labels);
    let templates = &labels.document.templates;
    let moves = |name: &str| {
        trace.steps.iter().flat_map(|step| &step.edges).any(|edge| edge.process == name)
    };
    let processes = || labels.model.processes.iter().enumerate();
    let mut shown: Vec<usize> =
        processes().filter(|(_, it)| moves(&it.name)).map(|(at, _)| at).collect();
    if shown.is_empty() {
        shown = processes().map(|(at, _)| at).collect();
    }
    let roles = processes().filter(|(at, _)| shown.contains(at)).map(|(_, process)| FilmRole {
        name: one_line(&process.name),
        template: templates.iter().take_while(|it| *it.name.text != process.template).count(),
    });
    let dates = trace.dates();
    let frame = |state: &TraceState, caption: Vec<String>, taken: Vec<FilmEdge>| FilmFrame {
        caption,
        here: {
            let all = index.locations(&state.locations);
            shown.iter().filter_map(|&at| all.get(at).copied()).collect()
        },
        taken,
    };
    let start = vec!["time 0: the initial state".to_owned(), values(&trace.start), String::new()];
    let mut frames = vec![frame(&trace.start, start, Vec::new())];
    for (number, step) in trace.steps.iter().enumerate() {
        let edges = step.edges.iter().map(|edge| {
            one_line(&format!("{}: {} \u{2192} {}", edge.process, edge.source, edge.target))
        });
        let edges: Vec<String> = edges.collect();
        let labels = step.edges.iter().map(|edge| {
            let texts = [&edge.guard, &edge.synchronisation, &edge.updates];
            let texts = texts.into_iter().map(|text| text.trim()).filter(|text| !text.is_empty());
            one_line(&texts.collect::<Vec<_>>().join("; "))
        });
        let written: Vec<String> = labels.filter(|text| !text.is_empty()).collect();
        let changes = explained.get(number).map(|it| it.changes.join(", ")).unwrap_or_default();
        let caption = vec![
            format!("time {}: step {}, {}", dates[number + 1], number + 1, edges.join(", ")),
            written.join(" | "),
            changes,
        ];
        let taken = step.edges.iter().flat_map(|edge| {
            let process = index.process(&edge.process);
            let role = shown.iter().position(|&at| at == process).unwrap_or(0);
            index.parts(edge).into_iter().map(move |part| FilmEdge { role, part })
        });
        frames.push(frame(&step.state, caption, taken.collect()));
    }
    Film { document: labels.document, roles: roles.collect(), frames }
}

fn values(state: &TraceState) -> String {
    let variables =
        state.variables.iter().map(|(name, value)| format!("{} = {value}", one_line(name)));
    variables.collect::<Vec<_>>().join(", ")
}
