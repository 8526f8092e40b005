//! `zonaut optimize`: runs of minimal cost.

use crate::arguments::OptimizeArguments;
use crate::certification::{Certification, Certifier};
use crate::charts::Charts;
use crate::loading::{read, with_problems_shown, within};
use crate::patience::Patience;
use crate::render::Renderer;
use crate::reports::{self, Page, states};
use crate::verify::{contradiction_report, rejection_report, trace_text};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use zonaut_console::{
    Console, Interrupt, MemoryWatch, ProgressLine, Status, default_memory_limit, one_line,
    wants_old_syntax,
};
use zonaut_draw::Curve;
use zonaut_engine::{
    Diagnostic, Improvement, Infimum, InputError, Loaded, NotOptimized, OptimizeEvent,
    OptimizeOptions, Optimized, Optimum, Query, QueryId, QuerySource, Reason, Resource, Resources,
    Session, StopReason, Trace,
};
use zonaut_report::{Chart as PageChart, Tone};

/// The JSON object of a new incumbent.
#[derive(Serialize)]
struct ImprovementRecord {
    event: &'static str,
    seconds: f64,
    cost: i64,
    attained: bool,
    lower_bound: i64,
    /// The optimality gap: the distance of the cost from the lower bound, relative to the cost.
    gap: f64,
    explored: usize,
}

/// The JSON object of the result.
#[derive(Serialize)]
struct Record<'a> {
    event: &'static str,
    index: u32,
    formula: &'a str,
    verdict: &'static str,
    cost: Option<i64>,
    /// Whether some run attains the cost, or it is only an infimum.
    attained: Option<bool>,
    lower_bound: i64,
    gap: Option<f64>,
    strategy: String,
    /// The search space: `points` or `zones`.
    searched: &'static str,
    transitions: Option<usize>,
    explored: usize,
    stored: usize,
    /// The time, including the certificate.
    seconds: f64,
    /// The time of the search and of computing the run.
    search_seconds: f64,
    /// The memory of the states and the checker together.
    memory_bytes: usize,
    search_bytes: usize,
    reason: Option<String>,
    certified: bool,
    /// An unproven assumption of the result.
    condition: Option<&'static str>,
    /// The reason why the result is not certified.
    uncertified_reason: Option<String>,
    /// The time of the certificate.
    certification_seconds: f64,
    certification_bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a Trace>,
}

pub(crate) fn run(arguments: &OptimizeArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let loaded = match with_problems_shown(load_asked(arguments), console) {
        Ok(loaded) => loaded,
        Err(status) => return Ok(status),
    };
    let Some(session) = loaded.session() else { return Ok(Status::WrongInput) };
    let queries: Vec<(QueryId, &Query)> = session.queries().collect();
    let [(id, query)] = queries[..] else {
        console.complain(match queries.len() {
            0 => "error: the model has no query",
            _ => "error: the model has several queries",
        });
        console.complain("  = help: give the goal with -q 'E<> ...'");
        return Ok(Status::WrongInput);
    };
    let charts = Charts {
        session: &session,
        arguments: &arguments.charts,
        rates: arguments.rates,
        has_several: false,
        is_for_programs: arguments.json,
    };
    if !charts.are_possible(console) {
        return Ok(Status::WrongInput);
    }
    let options = options(arguments);
    let interrupt = Interrupt::watch(&options.resources.cancelled);
    if arguments.verbose {
        say_resources(&session.resources(id, options.rates), console);
    }
    let _memory = MemoryWatch::start(&options.resources);
    let begun = Instant::now();
    // The limits of the search include the certificate.
    let mut certifier = Certifier {
        mode: arguments.certify,
        target: arguments.certificate.as_deref(),
        has_several: false,
        patience: Patience::of(&options.resources),
        checker_memory: 0,
    };
    let mut written = Ok(());
    let mut improvements = Vec::new();
    let mut line = ProgressLine::new(&query.text, &interrupt);
    let mut listener = |event: OptimizeEvent, elapsed: Duration| match event {
        OptimizeEvent::Improved(found) => {
            improvements.push((elapsed.as_secs_f64(), found));
            if written.is_ok() {
                let out = &mut *console.out;
                written = line.suspended(|| tell(found, elapsed, arguments.json, out));
            }
        }
        OptimizeEvent::Progress { now, best, lower_bound } => {
            line.update_known(|| bounds(best, lower_bound), &now, elapsed, console);
        }
    };
    let found = session.optimize(id, &options, &mut listener);
    drop(line);
    written?;
    let optimized = match found {
        Ok(optimized) => optimized,
        Err(why) => return Ok(refuse(&session, &why, console)),
    };
    let searched = begun.elapsed();
    let resources = options.resources.left_after(searched);
    let rest = OptimizeOptions { resources, ..options };
    let certification = certifier.certify_optimum(&session, (id, &optimized), &rest);
    let time = begun.elapsed() - searched;
    let memory = usize::try_from(certifier.checker_memory).unwrap_or(usize::MAX);
    let certified = Certified { certification: &certification, time, memory };
    report(query, (&optimized, certified), arguments, console)?;
    let drawn = charts.give(id, optimized.trace.as_ref(), console)?;
    if let Some(transitions) = optimized.overestimated {
        console.complain(&format!(
            "warning: `remaining` is not a lower bound: after {transitions} transitions of the \
             run found it exceeds the remaining cost"
        ));
    }
    let mut status = status_of(&optimized, console, &session);
    status = status.or_worse(status_of_certification(&certification, console));
    status = status.or_worse(drawn);
    if let Some(path) = &arguments.report {
        let known = (&optimized, certified, &improvements[..]);
        status = status.or_worse(write_page(&session, (id, query), known, path, console));
    }
    if optimized.optimum == Optimum::Unknown(Reason::Stopped(StopReason::Cancelled)) {
        return Ok(interrupt.status().unwrap_or(status));
    }
    Ok(status)
}

fn load_asked(arguments: &OptimizeArguments) -> Result<Loaded, InputError> {
    let input = &arguments.input;
    let limits = input.limits.options(input.define.clone(), wants_old_syntax());
    let options = within(limits, &options(arguments).resources);
    let queries = match (&input.queries, &arguments.formula) {
        (Some(path), _) => QuerySource::File(path.clone()),
        (None, Some(formula)) => QuerySource::Formulas(vec![formula.clone()]),
        (None, None) => QuerySource::WithModel,
    };
    read(&input.model, &queries, &options)
}

fn options(arguments: &OptimizeArguments) -> OptimizeOptions {
    let memory = arguments.memory.or_else(default_memory_limit);
    OptimizeOptions {
        strategy: arguments.strategy,
        seed: arguments.seed,
        rates: arguments.rates,
        resources: Resources {
            time: arguments.time,
            memory: memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
            states: arguments.states,
            ..Resources::default()
        },
    }
}

/// The optimality gap, relative to the cost.
fn gap(cost: i64, lower_bound: i64) -> f64 {
    if cost > 0 { (cost - lower_bound).max(0) as f64 / cost as f64 } else { 0.0 }
}

/// The known bounds of the minimal cost, in a few words.
fn bounds(best: Option<Infimum>, lower_bound: Infimum) -> String {
    let lower_bound = lower_bound.value();
    match best {
        None => format!("no run found, lower bound {lower_bound}"),
        Some(cost) => {
            let percent = 100.0 * gap(cost.value(), lower_bound);
            format!("{cost}, lower bound {lower_bound} (gap {percent:.1} %)")
        }
    }
}

/// Prints the resources that the estimates use, and those that they cannot use.
fn say_resources(resources: &[Resource], console: &mut Console<'_>) {
    for Resource { name, finding, .. } in resources {
        let name = one_line(name);
        console.complain(&match finding {
            Ok(1) => format!("note: {name} is used once before the goal"),
            Ok(uses) => {
                format!(
                    "note: {name} is used {uses} times before the goal, by one process at a \
                         time"
                )
            }
            Err(why) => format!("note: no lower bound from {name}: {}", one_line(why)),
        });
    }
}

/// Prints a new incumbent.
fn tell(
    found: Improvement,
    elapsed: Duration,
    json: bool,
    out: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    let (cost, lower_bound) = (found.cost.value(), found.lower_bound.value());
    let (seconds, gap) = (elapsed.as_secs_f64(), gap(cost, lower_bound));
    if json {
        let record = ImprovementRecord {
            event: "improvement",
            seconds,
            cost,
            attained: found.cost.is_attained(),
            lower_bound,
            gap,
            explored: found.explored,
        };
        serde_json::to_writer(&mut *out, &record)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{seconds:8.2} s  {}", bounds(Some(found.cost), found.lower_bound))?;
    }
    out.flush()
}

/// Prints the reason why an optimisation was rejected.
fn refuse(session: &Session, why: &NotOptimized, console: &mut Console<'_>) -> Status {
    let renderer = Renderer { sources: session.sources(), colour: console.colour };
    match why {
        NotOptimized::NoGoal => {
            console.complain("error: the query has no goal");
            console.complain("  = help: ask `E<> goal`");
            Status::WrongInput
        }
        NotOptimized::Costs(diagnostic) => {
            console.complain(renderer.render(diagnostic).trim_end_matches('\n'));
            Status::WrongInput
        }
        NotOptimized::Unsupported(reasons) => {
            for reason in reasons {
                console.complain(renderer.render(&reason.diagnostic()).trim_end_matches('\n'));
            }
            Status::Undecided
        }
        NotOptimized::Other(reason) => {
            console.complain(&format!("error: {}", one_line(&reason.to_string())));
            Status::Undecided
        }
    }
}

/// The name of the outcome, and the reason of an early end. A result that evidence contradicts is
/// an error.
fn verdict_of(
    optimized: &Optimized,
    certification: &Certification,
) -> (&'static str, Option<String>) {
    match certification {
        Certification::Rejected(rejection) => ("error", Some(rejection.reason.clone())),
        Certification::Refuted(why) => ("unknown", Some(why.clone())),
        _ => outcome_of(optimized),
    }
}

/// The name of the search's outcome, and the reason of an early end.
pub(crate) fn outcome_of(optimized: &Optimized) -> (&'static str, Option<String>) {
    match &optimized.optimum {
        Optimum::Proven => ("optimal", None),
        Optimum::Unreachable => ("unreachable", None),
        Optimum::Unknown(reason) => ("unknown", Some(reason.to_string())),
        Optimum::Error(error) => ("error", Some(error.kind.to_string())),
        Optimum::CostOverflow(diagnostic) => ("error", Some(diagnostic.message.clone())),
        Optimum::NoInitialState => {
            ("error", Some("the initial state violates an invariant".to_owned()))
        }
        Optimum::Spurious => {
            ("error", Some("the path that was found is spurious: no run follows it".to_owned()))
        }
    }
}

/// The certification of a result, and its effort.
#[derive(Clone, Copy)]
struct Certified<'c> {
    certification: &'c Certification,
    time: Duration,
    /// The peak memory of the checker.
    memory: usize,
}

fn report(
    query: &Query,
    (optimized, Certified { certification, time, memory }): (&Optimized, Certified<'_>),
    arguments: &OptimizeArguments,
    console: &mut Console<'_>,
) -> io::Result<()> {
    let (verdict, reason) = verdict_of(optimized, certification);
    let (colour, width) = (console.colours_results, console.width);
    let out = &mut *console.out;
    let lower_bound = known_bound(optimized, certification);
    if arguments.json {
        let cost = optimized.cost.map(|cost| cost.value());
        let record = Record {
            event: "result",
            index: query.index,
            formula: &query.text,
            verdict,
            cost,
            attained: optimized.cost.map(|cost| cost.is_attained()),
            lower_bound: lower_bound.value(),
            gap: cost.map(|cost| gap(cost, lower_bound.value())),
            strategy: arguments.strategy.to_string(),
            searched: optimized.searched.0,
            transitions: optimized.trace.as_ref().map(|trace| trace.steps.len()),
            explored: optimized.statistics.explored,
            stored: optimized.statistics.stored,
            seconds: optimized.seconds + time.as_secs_f64(),
            search_seconds: optimized.seconds,
            memory_bytes: optimized.statistics.bytes.saturating_add(memory),
            search_bytes: optimized.statistics.bytes,
            reason,
            certified: certification.reason().is_none(),
            condition: condition(optimized, certification),
            uncertified_reason: certification.reason(),
            certification_seconds: time.as_secs_f64(),
            certification_bytes: memory,
            trace: optimized.trace.as_ref().filter(|_| arguments.trace),
        };
        serde_json::to_writer(&mut *out, &record)?;
        writeln!(out)?;
        return out.flush();
    }
    let known = match (optimized.cost, &optimized.optimum) {
        _ if is_refuted(certification) => match optimized.cost {
            None => verdict.to_owned(),
            best => bounds(best, lower_bound),
        },
        (Some(cost), Optimum::Proven) => {
            let condition = condition(optimized, certification);
            let condition = condition.map_or_else(String::new, |text| format!(" {text}"));
            format!("{cost}, optimal{condition} ({})", described(certification))
        }
        (None, Optimum::Unreachable) => format!("unreachable ({})", described(certification)),
        (best, _) => bounds(best, lower_bound),
    };
    let why = reason.map_or_else(String::new, |reason| format!(" ({})", one_line(&reason)));
    let explored = optimized.statistics.explored;
    let formula = one_line(&query.text);
    let seconds = optimized.seconds + time.as_secs_f64();
    writeln!(out, "{formula}: {known}{why}, {explored} explored, {seconds:.2} s")?;
    if let Some(trace) = optimized.trace.as_ref().filter(|_| arguments.trace) {
        trace_text(trace, colour, width).write(out)?;
    }
    out.flush()
}

/// Writes the report about a schedule.
fn write_page(
    session: &Session,
    (id, query): (QueryId, &Query),
    (optimized, certified, improvements): (&Optimized, Certified<'_>, &[(f64, Improvement)]),
    target: &Path,
    console: &mut Console<'_>,
) -> Status {
    let (verdict, reason) = verdict_of(optimized, certified.certification);
    let facts = [
        ("cost", optimized.cost.map_or_else(|| "none found".to_owned(), |cost| cost.to_string())),
        ("lower bound", known_bound(optimized, certified.certification).value().to_string()),
        ("explored states", optimized.searched.0.to_owned()),
        ("explored", states(optimized.statistics.explored)),
        ("time", format!("{:.3} s", optimized.seconds + certified.time.as_secs_f64())),
    ];
    Page {
        query: &query.text,
        verdict,
        tone: match optimized.optimum {
            _ if is_refuted(certified.certification) => Tone::Bad,
            Optimum::Proven => Tone::Good,
            Optimum::Unknown(_) => Tone::Open,
            _ => Tone::Bad,
        },
        reason: reason.as_deref(),
        certificate: &reports::described(&certified.certification.record()),
        facts: &facts,
        lists: &[],
        charts: &charts(optimized, improvements),
        trace: optimized.trace.as_ref(),
    }
    .write(session, Some(id), target, console)
}

/// The cost along the run, and the progress of the search.
fn charts(optimized: &Optimized, improvements: &[(f64, Improvement)]) -> Vec<PageChart<'static>> {
    let curve = |name: &str, points| Curve { name: name.to_owned(), points };
    let mut charts = Vec::new();
    if !optimized.paid.is_empty() {
        let curves = vec![curve("cost", optimized.paid.clone())];
        charts.push(PageChart { heading: "Cost over time", unit: "", curves });
    }
    let Some((_, last)) = improvements.last() else { return charts };
    let end = (optimized.seconds, optimized.cost.unwrap_or(last.cost), optimized.lower_bound);
    let known = improvements.iter().map(|(at, it)| (*at, it.cost, it.lower_bound)).chain([end]);
    let known: Vec<(f64, Infimum, Infimum)> = known.collect();
    let over = |value: fn(&(f64, Infimum, Infimum)) -> Infimum| {
        known.iter().map(|it| (it.0, value(it).value().max(0) as f64)).collect()
    };
    let curves = vec![curve("incumbent", over(|it| it.1)), curve("lower bound", over(|it| it.2))];
    charts.push(PageChart {
        heading: "Incumbent and lower bound over the search time",
        unit: " s",
        curves,
    });
    charts
}

/// An unproven assumption of a result.
fn condition(optimized: &Optimized, certification: &Certification) -> Option<&'static str> {
    let is_certified = certification.reason().is_none();
    (optimized.rests_on_remaining && !is_certified).then_some("if `remaining` is a lower bound")
}

/// A description of the certification.
fn described(certification: &Certification) -> String {
    match certification.reason() {
        None => "certified".to_owned(),
        Some(why) => format!("not certified: {}", one_line(&why)),
    }
}

/// Whether evidence contradicts the result.
fn is_refuted(certification: &Certification) -> bool {
    matches!(certification, Certification::Rejected(_) | Certification::Refuted(_))
}

/// The lower bound, unless evidence contradicts it.
fn known_bound(optimized: &Optimized, certification: &Certification) -> Infimum {
    if is_refuted(certification) { Infimum::attained(0) } else { optimized.lower_bound }
}

/// The effect of the certification on the exit status.
fn status_of_certification(certification: &Certification, console: &mut Console<'_>) -> Status {
    match certification {
        Certification::Certified | Certification::Uncertified(_) | Certification::Nothing(_) => {
            Status::Success
        }
        Certification::Interrupted => Status::Undecided,
        Certification::Undelivered(why) => {
            console.complain(&format!("error: the result is not certified: {}", one_line(why)));
            Status::Undecided
        }
        Certification::Rejected(rejection) => {
            console.complain(&rejection_report(1, rejection));
            Status::Bug
        }
        Certification::Refuted(why) => {
            console.complain(&format!("error: the result is refuted: {}", one_line(why)));
            Status::Undecided
        }
    }
}

/// Prints the position of a run-time error.
fn complain(diagnostic: &Diagnostic, console: &mut Console<'_>, session: &Session) -> Status {
    let renderer = Renderer { sources: session.sources(), colour: console.colour };
    console.complain(renderer.render(diagnostic).trim_end_matches('\n'));
    Status::RunTimeError
}

fn status_of(optimized: &Optimized, console: &mut Console<'_>, session: &Session) -> Status {
    match &optimized.optimum {
        Optimum::Proven => Status::Success,
        Optimum::Unreachable => Status::NotSatisfied,
        Optimum::Unknown(_) => Status::Undecided,
        Optimum::NoInitialState => Status::WrongInput,
        Optimum::Error(error) => complain(&session.diagnostic_of(error), console, session),
        Optimum::CostOverflow(diagnostic) => complain(diagnostic, console, session),
        Optimum::Spurious => {
            console.complain(&contradiction_report(
                "the path that was found is spurious: no run follows it",
            ));
            Status::Bug
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certification::Rejection;

    /// The exit status after this certification, and the printed errors.
    fn ended(certification: &Certification) -> (Status, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console {
            out: &mut out,
            err: &mut err,
            colour: false,
            colours_results: false,
            width: None,
        };
        let status = status_of_certification(certification, &mut console);
        (status, String::from_utf8_lossy(&err).into_owned())
    }

    #[test]
    fn a_contradiction_is_a_bug_report_and_a_false_estimate_leaves_the_question_open() {
        let reason = "the zone graph search finds a cheaper run".to_owned();
        let rejection = Rejection { reason: reason.clone(), files: Vec::new() };
        let (status, complaint) = ended(&Certification::Rejected(rejection));
        assert_eq!(status, Status::Bug);
        assert!(complaint.contains("bug in Zonaut") && complaint.contains(&reason), "{complaint}");
        let (status, complaint) = ended(&Certification::Refuted("remaining".to_owned()));
        assert_eq!(status, Status::Undecided);
        assert!(complaint.contains("remaining"), "{complaint}");
        assert_eq!(ended(&Certification::Certified).0, Status::Success);
    }
}
