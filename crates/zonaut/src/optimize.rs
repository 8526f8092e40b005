//! `zonaut optimize`: runs of minimal cost.

use crate::arguments::OptimizeArguments;
use crate::certified_answer::certifier;
use crate::charts::Charts;
use crate::headline::{Headline, Mark};
use crate::loading::{read, with_problems_shown, within};
use crate::render::Renderer;
use crate::reports::{self, Page, states};
use crate::verify::{TraceWriter, contradiction_report, rejection_report};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;
use zonaut_certification::{Certification, Certified};
use zonaut_console::{
    Console, Interrupt, ProgressLine, Status, format_seconds, one_line, status_of, wants_old_syntax,
};
use zonaut_draw::Curve;
use zonaut_engine::report::{Certificate, ImprovementRecord, OptimumRecord, optimality_gap};
use zonaut_engine::{
    Answer, CertificateRequest, Diagnostic, Infimum, InputError, Loaded, MemoryWatch,
    OptimizeOptions, Optimum, Query, QueryId, QueryKind, QuerySource, Reason, Refusal, Resource,
    Resources, Running, Session, StopReason, Task, TimedImprovement, Verdict, default_memory_limit,
};
use zonaut_report::{Chart as PageChart, Dead, Tone};

/// The time between two looks at the progress.
const PERIOD: Duration = Duration::from_millis(20);

pub(crate) fn run(arguments: &OptimizeArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let loaded = match with_problems_shown(load_asked(arguments), console) {
        Ok(loaded) => loaded,
        Err(status) => return Ok(status),
    };
    let Some(session) = loaded.session() else { return Ok(Status::WrongInput) };
    let Some((id, query)) = goal(&session, arguments, console) else {
        return Ok(Status::WrongInput);
    };
    let charts = Charts {
        session: &session,
        arguments: &arguments.charts,
        rates: arguments.rates,
        are_schedules: true,
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
    let certifier = certifier(arguments.certify, None);
    // The limits of the search include the certificate.
    let mut attempt = certifier.begin(arguments.certificate.as_deref(), &options.resources);
    let task = match Task::optimize(&session, id, &options) {
        Ok(task) => task,
        Err(refusal) => return Ok(refuse(&session, refusal, console)),
    };
    let mut following = Following {
        line: ProgressLine::new(&query.text, &interrupt),
        is_json: arguments.json,
        improvements: Vec::new(),
    };
    let answer = match attempt.take_file() {
        Some(sink) => {
            let request = CertificateRequest { sink, closing: attempt.closing() };
            let found = following.follow(task.start_with_certificate(request), console)?;
            attempt.give_back(found.sink);
            found.result
        }
        None => following.follow(task.start(), console)?,
    };
    let Following { line, improvements, .. } = following;
    drop(line);
    let certified = attempt.finish(&session, id, &answer);
    let Some(reported) = Reported::of(&session, id, &answer, &certified, arguments) else {
        return Ok(complain_without_search(&session, &answer.verdict, console));
    };
    if arguments.verbose {
        let (space, why) = reported.optimum.searched;
        let why = why.map_or_else(String::new, |why| format!(" because of {why}"));
        console.complain(&format!("note: searched over {space}{why}"));
        if let Some(symmetry) = &answer.symmetry {
            console.complain(&format!("note: symmetry: {symmetry}"));
        }
    }
    reported.write(arguments, console)?;
    let drawn = charts.give(id, answer.trace.as_ref(), console)?;
    if let Some(transitions) = reported.optimum.overestimated {
        console.complain(&format!(
            "warning: `remaining` is not a lower bound: after {transitions} transitions of the \
             run found it exceeds the remaining cost"
        ));
    }
    complain_about(&answer.verdict, console, &session);
    let mut status = status_of(&answer.verdict);
    status = status.or_worse(status_of_certification(&certified.certification, console));
    status = status.or_worse(drawn);
    if let Some(path) = &arguments.report {
        let written = reported.write_page(&session, id, &improvements, path, console);
        status = status.or_worse(written);
    }
    if answer.verdict == Verdict::Unknown(Reason::Stopped(StopReason::Cancelled)) {
        return Ok(interrupt.status().unwrap_or(status));
    }
    Ok(status)
}

/// A running optimisation whose progress and improvements are shown.
struct Following {
    line: ProgressLine,
    is_json: bool,
    improvements: Vec<TimedImprovement>,
}

impl Following {
    /// Waits for the result.
    fn follow<T>(&mut self, running: Running<T>, console: &mut Console<'_>) -> io::Result<T> {
        loop {
            let is_finished = running.wait(PERIOD);
            for found in running.take_improvements() {
                self.line.suspended(|| tell(&found, self.is_json, console.out))?;
                self.improvements.push(found);
            }
            if is_finished {
                return Ok(running.join().unwrap_or_else(|panicked| panicked.resume()));
            }
            let now = running.poll();
            if let Some(lower_bound) = now.lower_bound {
                let known = || bounds(now.incumbent, lower_bound);
                self.line.update_known(known, &now.progress, now.elapsed, console);
            }
        }
    }
}

/// The number of a query, if that is given instead of a formula.
fn asked_number(arguments: &OptimizeArguments) -> Option<u32> {
    arguments.formula.as_ref().and_then(|text| text.trim().parse().ok())
}

/// The goal: the query with the given number, the only query, or the only one of the form `E<>`.
/// Otherwise the goals are listed, each with the command for it.
fn goal<'s>(
    session: &'s Session,
    arguments: &OptimizeArguments,
    console: &mut Console<'_>,
) -> Option<(QueryId, &'s Query)> {
    let queries: Vec<(QueryId, &Query)> = session.queries().collect();
    if let Some(number) = asked_number(arguments) {
        let found = queries.iter().copied().find(|(_, query)| query.index == number);
        if found.is_none() {
            console.complain(&format!("error: the model has no query {number}"));
            list_goals(&queries, arguments, console);
        }
        return found;
    }
    let is_goal = |(_, query): &&(QueryId, &Query)| matches!(query.kind, QueryKind::Possibly(_));
    let goals: Vec<(QueryId, &Query)> = queries.iter().filter(is_goal).copied().collect();
    match (&queries[..], &goals[..]) {
        ([only], _) | (_, [only]) => Some(*only),
        ([], _) => {
            console.complain("error: the model has no query");
            console.complain("  = help: give the goal with -q 'E<> ...'");
            None
        }
        _ => {
            console.complain("error: the model has several goals");
            list_goals(&queries, arguments, console);
            None
        }
    }
}

/// Lists the queries that are goals, each with the command that optimises it.
fn list_goals(
    queries: &[(QueryId, &Query)],
    arguments: &OptimizeArguments,
    console: &mut Console<'_>,
) {
    let goals: Vec<&Query> = queries
        .iter()
        .map(|(_, query)| *query)
        .filter(|query| matches!(query.kind, QueryKind::Possibly(_)))
        .collect();
    if goals.is_empty() {
        console.complain("  = help: give the goal with -q 'E<> ...'");
        return;
    }
    console.complain("  = help: choose one by its number, or give another with -q 'E<> ...':");
    let model = reports::quoted(&arguments.input.model.display().to_string());
    let file = arguments.input.queries.as_ref();
    let file = file
        .map_or(String::new(), |path| format!(" {}", reports::quoted(&path.display().to_string())));
    for query in goals {
        let (number, text) = (query.index, one_line(&query.text));
        console.complain(&format!("      zonaut optimize {model}{file} -q {number}    # {text}"));
    }
}

fn load_asked(arguments: &OptimizeArguments) -> Result<Loaded, InputError> {
    let input = &arguments.input;
    let limits = input.limits.options(input.define.clone(), wants_old_syntax());
    let options = within(limits, &options(arguments).resources);
    let queries = match (&input.queries, &arguments.formula) {
        (None, Some(_)) if asked_number(arguments).is_some() => QuerySource::WithModel,
        (Some(path), Some(_)) if asked_number(arguments).is_some() => {
            QuerySource::File(path.clone())
        }
        (Some(path), None) => QuerySource::File(path.clone()),
        (_, Some(formula)) => QuerySource::Formulas(vec![formula.clone()]),
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
        threads: Some(arguments.threads),
        resources: Resources {
            time: arguments.time,
            memory: memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
            states: arguments.states,
            ..Resources::default()
        },
    }
}

/// The known bounds of the minimal cost, in a few words.
fn bounds(best: Option<Infimum>, lower_bound: Infimum) -> String {
    let lower_bound = lower_bound.value();
    match best {
        None => format!("no run found, lower bound {lower_bound}"),
        Some(cost) => {
            let percent = 100.0 * optimality_gap(cost.value(), lower_bound);
            format!("cost {cost}, lower bound {lower_bound} (gap {percent:.1} %)")
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
fn tell(found: &TimedImprovement, json: bool, out: &mut dyn Write) -> io::Result<()> {
    let TimedImprovement { elapsed, improvement } = found;
    if json {
        serde_json::to_writer(&mut *out, &ImprovementRecord::of(improvement, *elapsed))?;
        writeln!(out)?;
    } else {
        let known = bounds(Some(improvement.cost), improvement.lower_bound);
        writeln!(out, "{:8.2} s  {known}", elapsed.as_secs_f64())?;
    }
    out.flush()
}

/// Prints the reason why a query cannot be optimised.
fn refuse(session: &Session, refusal: Refusal, console: &mut Console<'_>) -> Status {
    if refusal == Refusal::NoGoal {
        console.complain("error: the query has no goal");
        console.complain("  = help: ask `E<> goal`");
        return Status::WrongInput;
    }
    complain_without_search(session, &refusal.into(), console)
}

/// Prints the reason why no search took place.
fn complain_without_search(
    session: &Session,
    verdict: &Verdict,
    console: &mut Console<'_>,
) -> Status {
    match verdict {
        Verdict::Unknown(Reason::Costs(diagnostic)) => {
            complain(diagnostic, console, session);
            return Status::WrongInput;
        }
        Verdict::Unknown(Reason::Unsupported(reasons)) => {
            for reason in reasons {
                complain(&reason.diagnostic(), console, session);
            }
        }
        verdict => {
            if let Some(reason) = verdict.reason() {
                console.complain(&format!("error: {}", one_line(&reason)));
            }
        }
    }
    status_of(verdict)
}

/// A result with its certification, as it is reported.
struct Reported<'r> {
    session: &'r Session,
    answer: &'r Answer,
    optimum: &'r Optimum,
    certificate: Certificate,
    record: OptimumRecord<'r>,
}

impl<'r> Reported<'r> {
    /// The report about an answer; `None` if no search took place.
    fn of(
        session: &'r Session,
        id: QueryId,
        answer: &'r Answer,
        certified: &Certified,
        arguments: &OptimizeArguments,
    ) -> Option<Self> {
        let certificate = certified.certification.record();
        let record = OptimumRecord::of(session, id, answer, arguments.strategy, &certificate)?
            .with_certification(certified.time.as_secs_f64(), certified.memory_bytes());
        let record = OptimumRecord { trace: record.trace.filter(|_| arguments.trace), ..record };
        Some(Self { session, answer, optimum: answer.optimum()?, certificate, record })
    }

    fn write(&self, arguments: &OptimizeArguments, console: &mut Console<'_>) -> io::Result<()> {
        let is_verbose = arguments.verbose;
        let (colour, width) = (console.colours_results, console.width);
        let out = &mut *console.out;
        let record = &self.record;
        if arguments.json {
            serde_json::to_writer(&mut *out, record)?;
            writeln!(out)?;
            return out.flush();
        }
        let (mark, verdict) = self.verdict();
        let mut notes: Vec<String> = record.reason.as_deref().map(one_line).into_iter().collect();
        notes.push(format_seconds(record.effort.seconds));
        notes.push(match self.certificate.reason() {
            None => "certified".to_owned(),
            Some(why) => format!("uncertified: {}", one_line(why)),
        });
        let (formula, notes) = (record.formula, &notes[..]);
        Headline { number: None, mark, verdict: &verdict, formula, notes, colour, width }
            .write(out)?;
        if is_verbose {
            let searched = states(record.effort.explored);
            writeln!(out, "      {searched} explored, {:.3} s", record.effort.seconds)?;
        }
        if let Some(trace) = record.trace {
            TraceWriter { session: self.session, colour, width }.write(trace, &[], out)?;
        }
        out.flush()
    }

    /// The result, in a few words.
    fn verdict(&self) -> (Mark, String) {
        let Self { answer, optimum, certificate, record, .. } = self;
        let lower_bound = optimum.bound_given(certificate);
        match (optimum.cost, &answer.verdict) {
            (None, _) if certificate.contradicts() => (Mark::Bad, record.verdict.to_owned()),
            (best, _) if certificate.contradicts() => (Mark::Bad, bounds(best, lower_bound)),
            (Some(cost), Verdict::Satisfied) => {
                let condition = record.condition.map(|text| format!(" {text}"));
                let condition = condition.unwrap_or_default();
                (Mark::Good, format!("optimal{condition}, cost {cost}"))
            }
            (None, Verdict::NotSatisfied) => (Mark::Bad, "unreachable".to_owned()),
            (best, Verdict::Error(_)) => (Mark::Bad, bounds(best, lower_bound)),
            (best, _) => (Mark::Open, bounds(best, lower_bound)),
        }
    }

    /// Writes the report about a schedule.
    fn write_page(
        &self,
        session: &Session,
        id: QueryId,
        improvements: &[TimedImprovement],
        target: &Path,
        console: &mut Console<'_>,
    ) -> Status {
        let Self { answer, optimum, certificate, record, .. } = self;
        let cost = optimum.cost.map_or_else(|| "none found".to_owned(), |cost| cost.to_string());
        let facts = [
            ("cost", cost),
            ("lower bound", record.lower_bound.to_string()),
            ("explored states", record.searched.to_owned()),
            ("explored", states(record.effort.explored)),
            ("time", format_seconds(record.effort.seconds)),
        ];
        Page {
            query: record.formula,
            verdict: record.verdict,
            tone: match answer.verdict {
                _ if certificate.contradicts() => Tone::Bad,
                Verdict::Satisfied => Tone::Good,
                Verdict::Unknown(_) => Tone::Open,
                _ => Tone::Bad,
            },
            summary: &self.summary(),
            reason: record.reason.as_deref(),
            certificate: &reports::described(certificate),
            is_certified: matches!(certificate, Certificate::Accepted),
            facts: &facts,
            lists: &[],
            charts: &charts(optimum, answer.seconds, improvements),
            plots: &[],
            trace: answer.trace.as_ref(),
            is_schedule: true,
            index: None,
            dead: &Dead::default(),
        }
        .write(session, Some(id), target, console)
    }

    /// One sentence about the result.
    fn summary(&self) -> String {
        let lower_bound = self.record.lower_bound;
        match (self.optimum.cost, &self.answer.verdict) {
            (Some(cost), Verdict::Satisfied) if !self.certificate.contradicts() => {
                format!("The least cost is {cost}.")
            }
            (Some(cost), _) => format!("Cost {cost} was found; the lower bound is {lower_bound}."),
            (None, Verdict::NotSatisfied) => "The goal is unreachable.".to_owned(),
            (None, _) => format!("No run was found; the lower bound is {lower_bound}."),
        }
    }
}

/// The cost along the run, and the progress of the search.
fn charts(
    optimum: &Optimum,
    seconds: f64,
    improvements: &[TimedImprovement],
) -> Vec<PageChart<'static>> {
    let curve = |name: &str, points| Curve { name: name.to_owned(), points };
    let mut charts = Vec::new();
    // Cost that is elapsed time has no curve worth a look, nor has a search with one incumbent.
    if optimum.paid.iter().any(|(time, cost)| time != cost) {
        let curves = vec![curve("cost", optimum.paid.clone())];
        charts.push(PageChart { heading: "Cost over time", unit: "", curves });
    }
    let [_, .., last] = improvements else { return charts };
    let end = (seconds, optimum.cost.unwrap_or(last.improvement.cost), optimum.lower_bound);
    let known = improvements.iter().map(|found| {
        (found.elapsed.as_secs_f64(), found.improvement.cost, found.improvement.lower_bound)
    });
    let known = known.chain([end]);
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

/// Prints a diagnostic.
fn complain(diagnostic: &Diagnostic, console: &mut Console<'_>, session: &Session) {
    let renderer = Renderer { sources: session.sources(), colour: console.colour };
    console.complain(renderer.render(diagnostic).trim_end_matches('\n'));
}

/// Prints an error or a bug that a verdict shows.
fn complain_about(verdict: &Verdict, console: &mut Console<'_>, session: &Session) {
    match verdict {
        Verdict::Error(error) => complain(&session.diagnostic_of(error), console, session),
        Verdict::CostOverflow(diagnostic) => complain(diagnostic, console, session),
        verdict => {
            if let Some(bug) = verdict.bug() {
                console.complain(&contradiction_report(bug));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zonaut_certification::Rejection;

    /// The exit status after this certification, and the printed errors.
    fn ended(certification: &Certification) -> (Status, String) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console::plain(&mut out, &mut err);
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
