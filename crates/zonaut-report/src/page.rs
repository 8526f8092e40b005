//! Generation of the page.

use crate::index::address;
use crate::run_data::RunData;
use crate::security::{embedded, policy};
use crate::{Dead, Report, Run, Tone};
use std::fmt::Write as _;
use zonaut_draw::{
    Picture, STYLE, draw_clocks, draw_curves, draw_gantt, draw_locations_by_step, draw_sequence,
    draw_template, draw_variables, escaped,
};
use zonaut_trace::Chart;

/// The style sheet of pages, besides that of the pictures.
pub const PAGE_STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Maximum number of steps of a chart by step.
const MOST_STEPS: usize = 400;
/// Maximum number of items of a list.
const MOST_ITEMS: usize = 200;

/// The page about `report`.
#[must_use]
pub fn write_report(report: &Report<'_>) -> String {
    let style = format!("\n{STYLE}{PAGE_STYLE}");
    let script = format!("\n{SCRIPT}");
    let mut body = heading(report);
    if report.is_schedule {
        push_schedule(report, &mut body);
    }
    match report.run {
        Some(run) => push_run(report, run, &mut body),
        None => push_automata(report, &mut body),
    }
    push_details(report, &mut body);
    body.push_str("</main>\n");
    let kind = if report.tone == Tone::Bad { "violation" } else { "calm" };
    let policy = policy(&style, &script);
    let title = escaped(&format!("{}: {}", report.verdict, report.model));
    let program = escaped(report.program);
    let script = match report.run {
        Some(_) => format!("<script>{script}</script>\n"),
        None => String::new(),
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{style}</style>\n</head>\n<body class=\"{kind}\">\n{body}\
         <footer>Made by {program}. This file is self-contained and sends no data.</footer>\n\
         {script}</body>\n</html>\n"
    )
}

/// The class of a verdict's colour.
pub(crate) fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Open => "open",
        Tone::Neutral => "neutral",
    }
}

/// The mark of an answer that the independent checker accepted.
pub(crate) const CERTIFIED: &str = " <span class=\"certified\">certified</span>";

/// The verdict, one sentence about it, and the query.
fn heading(report: &Report<'_>) -> String {
    let reason = report
        .reason
        .map(|reason| reason.lines().map(with_code).collect::<Vec<_>>().join("<br>"))
        .map_or(String::new(), |reason| format!("<p class=\"why\">{reason}</p>\n"));
    let query = match report.query {
        "" => String::new(),
        query => format!("<code class=\"query\">{}</code>\n", escaped(query)),
    };
    let certified = if report.is_certified { CERTIFIED } else { "" };
    let index = report.index.map_or_else(String::new, |file| {
        format!(" <a class=\"index\" href=\"{}\">all queries</a>", address(file))
    });
    format!(
        "<header>\n<p class=\"model\">{}{certified}{index}</p>\n<h1><span class=\"verdict {}\">{}</span> {}</h1>\n\
         {reason}{query}</header>\n<main>\n",
        escaped(report.model),
        tone_class(report.tone),
        escaped(report.verdict),
        escaped(report.summary),
    )
}

/// A line whose parts between backticks are code.
fn with_code(line: &str) -> String {
    let mut parts = line.split('`');
    let mut text = parts.next().map(escaped).unwrap_or_default();
    while let Some(part) = parts.next() {
        match parts.next() {
            Some(after) => {
                let _ = write!(text, "<code>{}</code>{}", escaped(part), escaped(after));
            }
            None => {
                let _ = write!(text, "`{}", escaped(part));
            }
        }
    }
    text
}

/// Statistics, lists, the digest and the command, folded.
fn push_details(report: &Report<'_>, body: &mut String) {
    body.push_str("<details class=\"details\">\n<summary>Details</summary>\n<dl>\n");
    let mut fact = |name: &str, value: &str| {
        let (name, value) = (escaped(name), escaped(value));
        let _ = writeln!(body, "<dt>{name}</dt><dd>{value}</dd>");
    };
    fact("certificate", report.certificate);
    if let Some(Run { trace, .. }) = report.run {
        let steps = trace.steps.len();
        let plural = if steps == 1 { "" } else { "s" };
        let then = trace.continuation.map(|it| format!("; then {}", it.described()));
        let (time, then) = (trace.duration(), then.unwrap_or_default());
        let units = if time == 1.into() { "unit" } else { "units" };
        fact("run", &format!("{steps} transition{plural} in {time} time {units}{then}"));
    }
    report.facts.iter().for_each(|(name, value)| fact(name, value));
    fact("digest", report.digest);
    fact("command", report.command);
    body.push_str("</dl>\n");
    push_lists(report, body);
    body.push_str("</details>\n");
}

/// The Gantt chart of a schedule.
fn push_schedule(report: &Report<'_>, body: &mut String) {
    if let Some(run) = report.run.filter(|run| is_timed(run)) {
        let model = report.labels.model;
        if model.chart.is_empty() {
            body.push_str("<h2>Schedule</h2>\n");
            let chart = Chart::of_work(model, run.trace);
            wide("schedule", &draw_gantt(run.trace, &chart), body);
        } else {
            push_section(report, run, body);
        }
    }
}

/// Whether time passes in a run.
fn is_timed(run: &Run<'_>) -> bool {
    run.trace.dates().last().is_some_and(|&end| end > 0.into())
}

fn push_run(report: &Report<'_>, run: Run<'_>, body: &mut String) {
    let data = RunData::new(report.labels, run.trace, run.symbolic);
    body.push_str("<div class=\"stage\">\n<div class=\"side\">\n");
    body.push_str(STEPS);
    push_state(&data, body);
    body.push_str("</div>\n");
    push_figures(report, body);
    body.push_str("</div>\n");
    if is_timed(&run) && !report.is_schedule {
        push_section(report, run, body);
    }
    push_locations(run, body);
    if is_timed(&run) {
        push_time(run, body);
    } else if !run.trace.steps.is_empty() {
        body.push_str(TIMELESS);
    }
    body.push_str("<div class=\"split\">\n<div>\n<h2>Sequence chart</h2>\n");
    push_picture("sequence chart", "sequence", &draw_sequence(run.trace), body);
    body.push_str("</div>\n");
    if data.zone_clocks() > 0 {
        body.push_str(ZONE);
    }
    body.push_str("</div>\n");
    push_charts(report, body);
    // The data consist of names and numbers only: serialising them does not fail.
    let json = serde_json::to_string(&data).unwrap_or_default();
    let json = embedded(&json);
    let _ = writeln!(body, "<script type=\"application/json\" id=\"run\">{json}</script>");
}

/// The locations of all processes over time and, where steps take no time, by step.
fn push_locations(run: Run<'_>, body: &mut String) {
    let has_instants = run.trace.steps.iter().any(|step| step.delay.numerator == 0);
    if is_timed(&run) {
        body.push_str("<h2>Locations over time</h2>\n");
        let chart = Chart::of_locations(run.trace);
        wide("locations over time", &draw_gantt(run.trace, &chart), body);
    }
    if has_instants && run.trace.steps.len() <= MOST_STEPS {
        body.push_str("<h2>Locations by step</h2>\n");
        wide("locations by step", &draw_locations_by_step(run.trace), body);
    }
}

/// The text that replaces charts without content.
const TIMELESS: &str =
    "<p class=\"hint\">No time passes in this run, so there are no charts over time.</p>\n";

/// The charts of clocks and variables over time.
fn push_time(run: Run<'_>, body: &mut String) {
    if let Some(clocks) = draw_clocks(run.trace) {
        body.push_str("<h2>Clocks over time</h2>\n");
        wide("clocks over time", &clocks, body);
    }
    if let Some(variables) = draw_variables(run.trace) {
        body.push_str("<h2>Variables over time</h2>\n");
        wide("variables over time", &variables, body);
    }
}

/// The chart of the model's `gantt` section, if it has one.
fn push_section(report: &Report<'_>, run: Run<'_>, body: &mut String) {
    let model = report.labels.model;
    if model.chart.is_empty() {
        return;
    }
    let (chart, failures) = Chart::of_section(model, run.trace);
    body.push_str("<h2>Gantt chart of the model</h2>\n");
    wide("Gantt chart of the model", &draw_gantt(run.trace, &chart), body);
    for failure in failures {
        let why = escaped(&failure.kind.to_string());
        let _ = writeln!(body, "<p class=\"hint\">The chart is incomplete: {why}.</p>");
    }
}

/// The slider, and the description of the step.
const STEPS: &str = "<noscript><p>The simulator needs the script of this page.</p></noscript>\n\
    <section class=\"steps needs-script\" aria-label=\"trace\" hidden>\n<div class=\"row\">\n\
    <button id=\"first\" type=\"button\" aria-label=\"first state\">«</button>\n\
    <button id=\"back\" type=\"button\" aria-label=\"one step back\">‹</button>\n\
    <input id=\"slider\" type=\"range\" min=\"0\" max=\"0\" value=\"0\" aria-label=\"step\">\n\
    <button id=\"next\" type=\"button\" aria-label=\"one step forward\">›</button>\n\
    <button id=\"last\" type=\"button\" aria-label=\"last state\">»</button>\n</div>\n\
    <div aria-live=\"polite\">\n<div id=\"where\"></div>\n<ul id=\"step\" class=\"step\"></ul>\n</div>\n\
    <ol id=\"trace\" class=\"trace\" start=\"0\" aria-label=\"steps\"></ol>\n\
    <p class=\"hint keys\">Arrow keys, Home and End step through the trace.</p>\n</section>\n";

/// The tables of the current state.
fn push_state(data: &RunData, body: &mut String) {
    body.push_str("<section class=\"state needs-script\" aria-label=\"state\" hidden>\n");
    let mut table = |caption: &str, id: &str| {
        let _ = writeln!(
            body,
            "<table><caption>{caption}</caption><thead class=\"visually-hidden\"><tr>\
             <th scope=\"col\">name</th><th scope=\"col\">value</th></tr></thead>\
             <tbody id=\"{id}\"></tbody></table>"
        );
    };
    if data.variable_count() > 0 {
        table("Variables", "variables");
    }
    if data.clock_count() > 0 {
        table("Clocks, on arrival", "clocks");
    }
    body.push_str("</section>\n");
}

const ZONE: &str = "<div class=\"needs-script\" hidden>\n<h2>Zone</h2>\n<p class=\"row\">\
    <select id=\"right\" aria-label=\"clock of the horizontal axis\"></select> and \
    <select id=\"up\" aria-label=\"clock of the vertical axis\"></select></p>\n\
    <svg id=\"zone\" class=\"zd\" viewBox=\"0 0 376 372\" width=\"376\" height=\"372\" role=\"img\" \
    aria-label=\"zone\"></svg>\n\
    <p class=\"hint\">All clock values with which the same transitions can be taken; dashed sides \
    are strict bounds. In the stronger colour: where the next transition is enabled. Dot and line: \
    the run.</p>\n</div>\n";

/// The automata of an answer without a run.
fn push_automata(report: &Report<'_>, body: &mut String) {
    push_charts(report, body);
    push_figures(report, body);
}

fn push_lists(report: &Report<'_>, body: &mut String) {
    for (heading, items) in report.lists.iter().filter(|(_, items)| !items.is_empty()) {
        let _ = writeln!(body, "<h2>{}</h2>\n<ul>", escaped(heading));
        for item in items.iter().take(MOST_ITEMS) {
            let _ = writeln!(body, "<li class=\"mono\">{}</li>", escaped(item));
        }
        if let Some(more) = items.len().checked_sub(MOST_ITEMS).filter(|&more| more > 0) {
            let _ = writeln!(body, "<li>and {more} more</li>");
        }
        body.push_str("</ul>\n");
    }
}

fn push_charts(report: &Report<'_>, body: &mut String) {
    for (heading, plot) in report.plots {
        let heading = escaped(heading);
        let _ = writeln!(body, "<h2>{heading}</h2>");
        wide(&heading, plot, body);
    }
    for chart in report.charts {
        let _ = writeln!(body, "<h2>{}</h2>", escaped(chart.heading));
        let picture = draw_curves(chart.heading, chart.unit, &chart.curves);
        wide(&escaped(chart.heading), &picture, body);
    }
}

fn push_figures(report: &Report<'_>, body: &mut String) {
    body.push_str("<div>\n<h2>Automata</h2>\n");
    if *report.dead != Dead::default() {
        body.push_str(DEAD);
    }
    body.push_str("<div class=\"automata\" id=\"automata\">\n");
    let document = report.labels.document;
    for (number, template) in document.templates.iter().enumerate() {
        let name = escaped(&template.name.text);
        let instances = instances(report, &template.name.text);
        let mut picture = draw_template(document, template).inline();
        for (key, dead) in [("l", &report.dead.locations), ("e", &report.dead.edges)] {
            for (_, element) in dead.iter().filter(|(at, _)| *at == number) {
                let group = format!("<g data-{key}=\"{element}\"");
                picture = picture.replace(&group, &group.replace("<g", "<g class=\"dead\""));
            }
        }
        let _ = writeln!(
            body,
            "<figure data-t=\"{number}\"><figcaption>{name}{instances}</figcaption><div class=\"scroll\" \
             tabindex=\"0\" role=\"region\" aria-label=\"automaton {name}\">{picture}</div></figure>"
        );
    }
    body.push_str("</div>\n</div>\n");
}

/// Maximum number of processes of a template that are named.
const MOST_NAMED: usize = 4;

/// The processes of a template, if they have other names, or their number.
fn instances(report: &Report<'_>, template: &str) -> String {
    let processes = report.labels.model.processes.iter();
    let names = processes.filter(|process| process.template == template);
    let names: Vec<String> = names.map(|process| escaped(&process.name)).collect();
    match &names[..] {
        [name] if *name == escaped(template) => String::new(),
        names if names.len() <= MOST_NAMED => format!(" <span>{}</span>", names.join(", ")),
        names => format!(" <span>{} processes</span>", names.len()),
    }
}

/// The legend of marks of dead elements.
const DEAD: &str = "<p class=\"hint\">Red and dashed: no run reaches this location or takes this \
    edge, in any process of the template.</p>\n";

fn push_picture(label: &str, id: &str, picture: &Picture, body: &mut String) {
    let _ = writeln!(
        body,
        "<div class=\"scroll tall\" id=\"{id}\" tabindex=\"0\" role=\"region\" \
         aria-label=\"{label}\">{}</div>",
        picture.inline()
    );
}

fn wide(label: &str, picture: &Picture, body: &mut String) {
    let _ = writeln!(
        body,
        "<div class=\"scroll wide\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">{}</div>",
        picture.inline()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_between_backticks_are_code() {
        assert_eq!(with_code("a `b<` c"), "a <code>b&lt;</code> c");
        assert_eq!(with_code("a `b"), "a `b");
        assert_eq!(with_code("``"), "<code></code>");
    }
}
