//! `zonaut verify`: answers queries.

use crate::arguments::VerifyArguments;
use crate::certified_answer::{Checked, Checking, certificate_path};
use crate::charts::Charts;
use crate::deadlock::write_reasons;
use crate::distribution::{Beginning, Distributed};
use crate::headline::{Headline, Mark};
use crate::loading::{read, with_problems_shown, within};
use crate::plots::Plots;
use crate::render::Renderer;
use crate::reports::{Reports, verdict_word};
use crate::search_arguments::{DelaysName, TraceName};
use crate::spilling::Spilled;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use zonaut_certification::{Certification, Rejection};
use zonaut_console::{
    Asking, Console, Interrupt, Status, format_seconds, format_size, one_line, status_of,
    wants_old_syntax,
};
use zonaut_engine::report::{AnswerRecord, AttemptRecord, WorkerRecord};
use zonaut_engine::{
    Answer, Combination, Explanation, HeuristicWork, InputError, Loaded, Query, QueryEntry,
    QueryId, QueryKind, QuerySource, Reason, Resources, Session, StopReason, Trace, TraceWish,
    Unsupported, Verdict, VerifyOptions,
};
use zonaut_trace::{TraceText, wrapped};

pub(crate) fn run(
    arguments: &VerifyArguments,
    words: &[OsString],
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let loaded = match with_problems_shown(load_asked(arguments), console) {
        Ok(loaded) => loaded,
        Err(status) => return Ok(status),
    };
    let Some(session) = loaded.session() else { return Ok(Status::WrongInput) };
    if session.queries().next().is_none() {
        console.complain("error: there are no queries");
        console.complain("  = help: give a file of queries, or formulas with -q");
        return Ok(Status::WrongInput);
    }
    let has_several = session.queries().count() > 1;
    let mut reports = Reports::new(arguments.report.as_deref(), has_several);
    let charts = Charts {
        session: &session,
        arguments: &arguments.charts,
        rates: Combination::Sum,
        are_schedules: false,
        has_several,
        is_for_programs: arguments.json,
    };
    let plots = Plots { arguments: &arguments.sampling, has_several };
    if !charts.are_possible(console) {
        return Ok(Status::WrongInput);
    }
    let is_sampled = |kind: &QueryKind| matches!(kind, QueryKind::Statistical(_));
    let uses_threads = arguments.search.uses_threads()
        || session.queries().any(|(_, query)| is_sampled(&query.kind));
    if arguments.threads.is_some_and(|threads| threads.get() > 1) && !uses_threads {
        console.complain("error: this strategy uses one thread");
        console.complain(
            "  = help: give `auto`, `bfs`, `dfs`, `rdfs`, `astar`, `wastar`, `greedy` or \
             `alternate`, or no `--threads`",
        );
        return Ok(Status::WrongInput);
    }
    let is_drawn = arguments.report.is_some() || charts.are_wanted() || arguments.traces.is_some();
    let mut options = arguments.search.options(arguments.trace.at_least(is_drawn));
    // A report about a proof lists the facts that it depends on.
    options.explain = arguments.explain || arguments.report.is_some();
    options.threads = arguments.threads.or_else(|| arguments.search.default_threads());
    options.sampling = arguments.sampling.options();
    let interrupt = Interrupt::watch(&options.resources.cancelled);
    let distributed = match begin(arguments, words, &session, &mut options, console) {
        Ok(distributed) => distributed,
        Err(Status::Undecided) => return Ok(interrupt.status().unwrap_or(Status::Undecided)),
        Err(status) => return Ok(status),
    };
    if distributed.is_member() {
        let mut asking = Asking::new(&session, &options, &interrupt).silent();
        session.queries().for_each(|(id, _)| drop(asking.answer(id, console)));
        return Ok(distributed.end_of_member(console));
    }
    let spilled = match Spilled::begin(arguments, &session, &mut options, console) {
        Ok(spilled) => spilled,
        Err(status) => return Ok(status),
    };
    let target = arguments.certificate.as_deref();
    let mut checking = Checking::new(arguments.certify, arguments.threads);
    let mut asking = Asking::new(&session, &options, &interrupt);
    if !arguments.separate {
        asking = asking.sharing(session.queries().map(|(id, _)| id));
    }
    let shows_trace = arguments.trace != TraceName::None || arguments.traces.is_some();
    let mut reporting = Reporting {
        session: &session,
        entries: loaded.query_entries(),
        target,
        shows_trace,
        is_verbose: arguments.verbose,
        summary: Summary::default(),
        explains: arguments.explain,
        spilled: &spilled,
        follows_trace: false,
        has_hidden_run: false,
        console,
        warned: Vec::new(),
        warned_about_runs: Vec::new(),
    };
    let mut worst = Status::Success;
    let all_begun = Instant::now();
    let last = session.queries().last().map(|(id, _)| id);
    for (id, query) in session.queries() {
        let begun = Instant::now();
        options.resources.is_last.store(last == Some(id), Ordering::Relaxed);
        let path = certificate_path(target, has_several, query.index);
        let mut checked = checking.ask(path.as_deref(), &mut asking, id, reporting.console);
        if arguments.trace == TraceName::Fastest {
            let left = options.resources.left_after(begun.elapsed());
            make_faster(&mut asking, id, &left, &mut checked.answer, reporting.console);
        }
        note_other_strategy(&options, &mut checked.answer);
        let left = options.resources.left_after(begun.elapsed());
        let several = Several { id, arguments, options: &options, left };
        let others = several.runs(&mut asking, &mut checked.answer, reporting.console);
        reporting.report(id, &checked, &others, arguments.json)?;
        distributed.report(&checked.answer, reporting.console);
        spilled.report(&checked.answer, reporting.console);
        if let Some(path) = path.filter(|path| checked.has_written(path)) {
            let shown = one_line(&path.display().to_string());
            reporting.console.complain(&format!("wrote {shown}"));
        }
        let trace = checked.answer.trace.as_ref();
        worst = worst.or_worse(charts.give(id, trace, reporting.console)?);
        let sample = checked.answer.sample();
        worst = worst.or_worse(plots.give(query.index, &query.text, sample, reporting.console));
        worst = worst.or_worse(reports.write(&session, id, &checked, reporting.console));
        let answer = &checked.answer;
        // A signal between two queries stops the next one, whose answer reports that.
        if answer.verdict == Verdict::Unknown(Reason::Stopped(StopReason::Cancelled)) {
            return Ok(interrupt.status().unwrap_or(Status::Undecided));
        }
        worst = worst.or_worse(status_of(&answer.verdict));
        worst = worst.or_worse(match &checked.certified.certification {
            Certification::Certified
            | Certification::Uncertified(_)
            | Certification::Nothing(_) => Status::Success,
            Certification::Undelivered(_) | Certification::Refuted(_) => Status::Undecided,
            Certification::Rejected(_) => Status::Bug,
            Certification::Interrupted => {
                return Ok(interrupt.status().unwrap_or(Status::Undecided));
            }
        });
    }
    if has_several && !arguments.json {
        let line = reporting.summary.line(all_begun.elapsed().as_secs_f64());
        writeln!(reporting.console.out, "{line}")?;
    }
    // Results that are redirected are for programs or documents.
    if reporting.console.width.is_some() && reporting.has_hidden_run && !is_drawn {
        let hint = "`--trace` shows the counterexample, `--report FILE.html` draws it";
        reporting.console.complain(&format!("  = help: {hint}"));
    }
    worst = worst.or_worse(reports.write_index(&session, reporting.console));
    Ok(worst)
}

/// Begins a search with other processes or checkpoints, if they are requested.
fn begin(
    arguments: &VerifyArguments,
    words: &[OsString],
    session: &Session,
    options: &mut VerifyOptions,
    console: &mut Console<'_>,
) -> Result<Distributed, Status> {
    let (model, threads) = (&*arguments.input.model, arguments.threads);
    let arguments = &arguments.distribution;
    let beginning = Beginning { arguments, session, model, threads, words };
    Distributed::begin(&beginning, options, console)
}

/// Adds a warning if the search for a shortest run used another strategy than the requested one.
fn note_other_strategy(options: &VerifyOptions, answer: &mut Answer) {
    let (asked, taken) = (options.strategy.to_string(), answer.strategy.to_string());
    let is_given = asked != "auto" && options.trace == TraceWish::Shortest;
    if is_given && answer.abstraction.is_some() && asked != taken {
        let why = format!(
            "`{asked}` does not guarantee a shortest path; `{taken}` was used for `--trace \
             shortest`"
        );
        answer.warnings.push(why);
    }
}

/// Replaces a run by one of minimal time.
fn make_faster(
    asking: &mut Asking<'_>,
    id: QueryId,
    resources: &Resources,
    answer: &mut Answer,
    console: &mut Console<'_>,
) {
    let is_decided = matches!(answer.verdict, Verdict::Satisfied | Verdict::NotSatisfied);
    if let Some(found) = answer.trace.take_if(|_| is_decided) {
        let fastest = asking.fastest_run(id, found, resources, console);
        if !fastest.is_proven {
            answer.warnings.push("a faster run may exist".to_owned());
        }
        answer.depth = Some(fastest.trace.steps.len());
        answer.trace = Some(fastest.trace);
    }
}

/// A request for other runs, or for a run with other delays.
struct Several<'o> {
    id: QueryId,
    arguments: &'o VerifyArguments,
    options: &'o VerifyOptions,
    /// The limits that remain.
    left: Resources,
}

impl Several<'_> {
    /// Different runs, if requested, shortest first; none with a warning if the query has no goal.
    /// The delays of all runs are chosen as requested.
    fn runs(
        &self,
        asking: &mut Asking<'_>,
        answer: &mut Answer,
        console: &mut Console<'_>,
    ) -> Vec<Trace> {
        let mut runs = match self.arguments.traces.filter(|_| answer.trace.is_some()) {
            Some(most) => self.found(most.get(), asking, answer, console),
            None => Vec::new(),
        };
        let delays = self.arguments.delays;
        for trace in answer.trace.iter_mut().chain(&mut runs) {
            choose_delays(asking.session(), self.id, delays, trace, &mut answer.warnings);
        }
        runs
    }

    fn found(
        &self,
        most: usize,
        asking: &mut Asking<'_>,
        answer: &mut Answer,
        console: &mut Console<'_>,
    ) -> Vec<Trace> {
        let options = VerifyOptions { resources: self.left.clone(), ..self.options.clone() };
        match asking.several_runs(self.id, most, &options, console) {
            Ok(found) => {
                if found.runs().len() < most && found.verdict != Verdict::Satisfied {
                    answer.warnings.push("a limit was reached before all traces".to_owned());
                }
                found.runs().to_vec()
            }
            Err(refusal) => {
                answer.warnings.push(format!("no other traces: {refusal}"));
                Vec::new()
            }
        }
    }
}

/// Replaces the delays of a run by the requested ones.
fn choose_delays(
    session: &Session,
    id: QueryId,
    delays: DelaysName,
    trace: &mut Trace,
    warnings: &mut Vec<String>,
) {
    if delays == DelaysName::Earliest {
        return;
    }
    match session.retimed(Some(id), trace, delays.into()) {
        Some(other) => *trace = other,
        None => warnings.push("the delays of this trace leave no choice".to_owned()),
    }
}

/// Whether a run shows that the query is not satisfied.
fn has_counterexample(kind: &QueryKind, answer: &Answer) -> bool {
    let is_universal =
        matches!(kind, QueryKind::Always(_) | QueryKind::Eventually(_) | QueryKind::LeadsTo(..));
    is_universal && answer.verdict == Verdict::NotSatisfied
}

fn load_asked(arguments: &VerifyArguments) -> Result<Loaded, InputError> {
    let input = &arguments.input;
    let options = input.limits.options(input.define.clone(), wants_old_syntax());
    let options = within(options, &arguments.search.options(TraceName::None).resources);
    let queries = match &input.queries {
        Some(path) => QuerySource::File(path.clone()),
        None if arguments.formulas.is_empty() => QuerySource::WithModel,
        None => QuerySource::Formulas(arguments.formulas.clone()),
    };
    read(&input.model, &queries, &options)
}

/// The context of reporting.
struct Reporting<'a, 'c> {
    session: &'a Session,
    /// The queries as written.
    entries: &'a [QueryEntry],
    /// The requested destination of the certificate.
    target: Option<&'a Path>,
    /// Whether runs are printed, and not only written to a report.
    shows_trace: bool,
    /// Whether statistics and portfolio members are listed.
    is_verbose: bool,
    summary: Summary,
    /// Whether the facts that a proof depends on are listed.
    explains: bool,
    spilled: &'a Spilled,
    /// Whether the last answer was printed with a run, so that an empty line follows.
    follows_trace: bool,
    /// Whether a query has a counterexample that was not requested.
    has_hidden_run: bool,
    console: &'a mut Console<'c>,
    /// The unsupported features that were already reported.
    warned: Vec<Unsupported>,
    /// The warnings that were already reported.
    warned_about_runs: Vec<String>,
}

impl<'a> Reporting<'a, '_> {
    /// Reports an answer; `others` are different runs that decide the query, too.
    fn report(
        &mut self,
        id: QueryId,
        checked: &Checked,
        others: &[Trace],
        json: bool,
    ) -> io::Result<()> {
        let (answer, query) = (&checked.answer, &self.session.model().queries[id]);
        let mut record = checked.record(self.session, id);
        record.explanation = record.explanation.filter(|_| self.explains);
        // A run-time error is always shown with its run.
        let is_shown = self.shows_trace || matches!(answer.verdict, Verdict::Error(_));
        self.has_hidden_run |= !is_shown && !json && has_counterexample(&query.kind, answer);
        record.trace = record.trace.filter(|_| is_shown);
        record.traces = others;
        record.spilled_bytes = self.spilled.bytes();
        let colour = self.console.colours_results;
        let (width, comment) = (self.console.width, self.comment_on(query));
        let out = &mut *self.console.out;
        if json {
            serde_json::to_writer(&mut *out, &record)?;
            writeln!(out)?;
        } else {
            if self.follows_trace {
                writeln!(out)?;
            }
            self.follows_trace = record.trace.is_some();
            let (is_numbered, is_verbose) = (self.session.queries().count() > 1, self.is_verbose);
            let heuristic = answer.heuristic;
            ResultLine { record: &record, heuristic, is_numbered, is_verbose, colour, width }
                .write(out)?;
            self.summary.add(verdict_word(&record));
            for attempt in record.attempts.iter().filter(|_| self.is_verbose) {
                writeln!(out, "    {}", attempt_line(attempt))?;
            }
            let shared = record.workers.iter().filter(|_| self.is_verbose);
            for (number, worker) in shared.enumerate() {
                writeln!(out, "    {}", worker_line(number, worker, &record))?;
            }
            for line in comment.lines().filter(|line| !line.trim().is_empty()) {
                writeln!(out, "      {}", one_line(line.trim()))?;
            }
            let explanation = answer.explanation.iter().filter(|_| self.explains);
            for line in explanation.flat_map(Explanation::lines) {
                writeln!(out, "    {}", one_line(&line))?;
            }
            let traces = TraceWriter { session: self.session, colour, width };
            for found in answer.values() {
                writeln!(out, "    {}", one_line(&found.to_string()))?;
                if let Some(run) = &found.run {
                    traces.write(run, &[], out)?;
                }
            }
            if let Some(sample) = answer.sample() {
                writeln!(out, "    {}", one_line(&sample.to_string()))?;
            }
            for (number, run) in others.iter().enumerate() {
                let ending = self.session.decided_parts(id, run);
                writeln!(out, "  trace {} of {}:", number + 1, others.len())?;
                traces.write(run, &ending, out)?;
            }
            if let Some(trace) = record.trace.filter(|_| others.is_empty()) {
                let ending = self.session.decided_parts(id, trace);
                traces.write(trace, &ending, out)?;
                if query.text.contains("deadlock") {
                    write_reasons(self.session, trace, out)?;
                }
            }
        }
        // Each answer is visible as soon as it is known.
        self.console.out.flush()?;
        if let Verdict::Error(error) = &answer.verdict {
            let diagnostic = self.session.diagnostic_of(error);
            let renderer =
                Renderer { sources: self.session.sources(), colour: self.console.colour };
            self.console.complain(renderer.render(&diagnostic).trim_end_matches('\n'));
        }
        if let Verdict::Unknown(Reason::Unsupported(reasons)) = &answer.verdict {
            self.warn_about(reasons);
        }
        // Warnings about random runs of a model are those of each query.
        let is_new = |warning: &&String| {
            answer.sample().is_none() || !self.warned_about_runs.contains(*warning)
        };
        let warnings: Vec<String> = answer.warnings.iter().filter(is_new).cloned().collect();
        self.console.warn(&warnings);
        self.warned_about_runs.extend(warnings);
        if let Some(bug) = answer.verdict.bug() {
            self.console.complain(&contradiction_report(bug));
        }
        self.complain_about_certificate(query, checked);
        Ok(())
    }

    /// The author's comment on a query.
    fn comment_on(&self, query: &Query) -> &'a str {
        let entry = self.entries.iter().find(|entry| entry.index == query.index);
        entry.map_or("", |entry| entry.comment.as_str())
    }

    /// Prints the positions of unsupported features and the advice for them, each once.
    fn warn_about(&mut self, reasons: &[Unsupported]) {
        let renderer = Renderer { sources: self.session.sources(), colour: self.console.colour };
        for reason in reasons {
            if !self.warned.contains(reason) {
                self.warned.push(reason.clone());
                self.console.complain(renderer.render(&reason.diagnostic()).trim_end_matches('\n'));
            }
        }
    }

    fn complain_about_certificate(&mut self, query: &Query, checked: &Checked) {
        let index = query.index;
        match &checked.certified.certification {
            Certification::Rejected(rejection) => {
                self.console.complain(&rejection_report(index, rejection));
            }
            Certification::Undelivered(why) => {
                self.console.complain(&format!("error: query {index}: {}", one_line(why)));
            }
            Certification::Nothing(why) if self.target.is_some() => {
                let why = one_line(why);
                self.console.complain(&format!("note: query {index} has no certificate: {why}"));
            }
            _ => {}
        }
    }
}

/// The request for a report of a bug.
pub(crate) fn contradiction_report(bug: &str) -> String {
    format!(
        "error: Zonaut contradicts itself and gives no verdict: {bug}. This is a bug in Zonaut, \
         not in your model.\nPlease report it with the model and the arguments of this run."
    )
}

/// The request for a report of a rejected certificate.
pub(crate) fn rejection_report(index: u32, rejection: &Rejection) -> String {
    if rejection.files.is_empty() {
        return contradiction_report(&one_line(&rejection.reason));
    }
    let mut text = format!(
        "error: the certificate of query {index} was rejected, so its answer cannot be trusted. \
         This is a bug in Zonaut, not in your model.\nPlease report it with the model, the \
         arguments of this run and these files:\n  reason  {}",
        one_line(&rejection.reason),
    );
    for file in &rejection.files {
        text.push_str(&format!("\n  file    {}", one_line(&file.display().to_string())));
    }
    text
}

/// The share of the time that the heuristic took.
fn heuristic_share(work: &HeuristicWork, seconds: f64) -> String {
    let share = 100.0 * (work.seconds + work.preparation) / seconds.max(f64::MIN_POSITIVE);
    format!("{share:.0} % in the heuristic")
}

/// The deciding strategy, and whether a portfolio chose it.
pub(crate) fn chosen_strategy(record: &AnswerRecord<'_>) -> String {
    let is_chosen = record.attempts.iter().any(|attempt| attempt.strategy == record.strategy);
    format!("{}{}", if is_chosen { "auto: " } else { "" }, record.strategy)
}

/// A portfolio member on one line.
pub(crate) fn attempt_line(attempt: &AttemptRecord) -> String {
    let AttemptRecord { strategy, purpose, end, turns, work, explored, .. } = attempt;
    let (end, plural) = (one_line(end), if *turns == 1 { "" } else { "s" });
    format!(
        "{strategy} ({purpose}): {end} ({turns} time slice{plural}, {work} work units, {explored} \
         explored)"
    )
}

/// The part of a worker on one line.
pub(crate) fn worker_line(
    number: usize,
    worker: &WorkerRecord,
    record: &AnswerRecord<'_>,
) -> String {
    let WorkerRecord { explored, generated, stored, memory_bytes, idle_seconds } = *worker;
    let idle = 100.0 * idle_seconds / record.effort.search_seconds.max(f64::MIN_POSITIVE);
    let memory = format_size(memory_bytes as u64);
    format!(
        "worker {}: {explored} explored, {generated} generated, {stored} stored, {memory}, idle for \
         {idle:.0} % of the search",
        number + 1,
    )
}

/// Writes runs as text.
pub(crate) struct TraceWriter<'s> {
    pub(crate) session: &'s Session,
    pub(crate) colour: bool,
    pub(crate) width: Option<usize>,
}

impl TraceWriter<'_> {
    /// Writes a run with values of indices, and the explanation of its last state.
    pub(crate) fn write(
        &self,
        trace: &Trace,
        ending: &[String],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let explained = self.session.explained_steps(trace);
        TraceText { ending, explained: &explained, ..self.text(trace) }.write(out)
    }

    /// Writes a run with the reasons why its steps are possible.
    pub(crate) fn write_with_reasons(&self, trace: &Trace, out: &mut dyn Write) -> io::Result<()> {
        let explained = self.session.explained_steps(trace);
        TraceText { explained: &explained, reasons: true, ..self.text(trace) }.write(out)
    }

    fn text<'t>(&self, trace: &'t Trace) -> TraceText<'t> {
        let text = TraceText::new(trace);
        TraceText { colour: self.colour, width: self.width.unwrap_or(text.width), ..text }
    }
}

/// The answer to a query: its headline, and statistics on a separate line if requested.
struct ResultLine<'r> {
    record: &'r AnswerRecord<'r>,
    heuristic: Option<HeuristicWork>,
    /// Whether the line begins with the number of its query.
    is_numbered: bool,
    is_verbose: bool,
    colour: bool,
    width: Option<usize>,
}

impl ResultLine<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let record = self.record;
        Headline {
            number: self.is_numbered.then_some(record.index),
            mark: match record.verdict {
                "satisfied" => Mark::Good,
                "not_satisfied" | "error" => Mark::Bad,
                _ => Mark::Open,
            },
            verdict: &verdict_word(record).replace('_', " "),
            formula: record.formula,
            notes: &self.notes(),
            colour: self.colour,
            width: self.width,
        }
        .write(out)?;
        if !self.is_verbose {
            return Ok(());
        }
        let room = self.width.unwrap_or(usize::MAX).saturating_sub(STATISTICS.len());
        let statistics = self.statistics().join(", ");
        let lines = wrapped(&statistics, room);
        lines
            .iter()
            .filter(|line| !line.is_empty())
            .try_for_each(|line| writeln!(out, "{STATISTICS}{line}"))
    }

    /// The reason of an inconclusive verdict, the time and the certification.
    fn notes(&self) -> Vec<String> {
        let record = self.record;
        let mut notes: Vec<String> = record.reason.as_deref().map(one_line).into_iter().collect();
        if record.abstraction.is_some() {
            notes.push(format_seconds(record.effort.seconds));
        }
        let is_known = |why: &str| record.reason.as_deref().is_some_and(|it| why.ends_with(it));
        match &record.uncertified_reason {
            None => notes.push("certified".to_owned()),
            // Random runs prove nothing. Without the time, a seed determines the output.
            Some(_) if record.sample.is_some() => notes.push("sampled".to_owned()),
            // The reason of the verdict is that of the certification.
            Some(why) if is_known(why) => {}
            Some(why) => notes.push(format!("uncertified: {}", one_line(why))),
        }
        notes
    }

    /// The statistics of the answer.
    fn statistics(&self) -> Vec<String> {
        let record = self.record;
        let mut notes = Vec::new();
        if let Some(transitions) = record.effort.transitions {
            let plural = if transitions == 1 { "" } else { "s" };
            notes.push(format!("{transitions} transition{plural}"));
        }
        if let Some(abstraction) = record.abstraction {
            notes.push(format!("{} explored", record.effort.explored));
            notes.push(format!("{} stored", record.effort.stored));
            notes.push(format!("{:.3} s", record.effort.seconds));
            notes.push(format_size(record.effort.memory_bytes as u64));
            if let Some(bytes) = record.spilled_bytes {
                notes.push(format!("{} spilled", format_size(bytes)));
            }
            notes.extend(
                record.lazy.map(|lazy| {
                    format!("{} covered, {} refinements", lazy.covered, lazy.refinements)
                }),
            );
            notes.extend(
                self.heuristic.map(|work| heuristic_share(&work, record.effort.search_seconds)),
            );
            notes.push(format!("{}, {abstraction}", chosen_strategy(record)));
        }
        notes.extend(record.differences.map(|how| format!("clock differences: {how}")));
        notes.extend(record.symmetry.map(|how| format!("symmetry: {how}")));
        if record.certification_seconds >= NOTICEABLE.as_secs_f64() {
            let seconds = record.certification_seconds;
            let memory = memory_of_check(record);
            notes.push(format!("including {seconds:.3} s{memory} for the certificate"));
        }
        notes
    }
}

/// The verdicts of several queries, counted.
#[derive(Default)]
struct Summary {
    counts: Vec<(&'static str, usize)>,
}

impl Summary {
    fn add(&mut self, verdict: &'static str) {
        match self.counts.iter_mut().find(|(known, _)| *known == verdict) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((verdict, 1)),
        }
    }

    /// The line below the answers, such as `4 queries: 3 satisfied, 1 not satisfied  25 ms`.
    fn line(&self, seconds: f64) -> String {
        let total: usize = self.counts.iter().map(|(_, count)| count).sum();
        let counts: Vec<String> = self
            .counts
            .iter()
            .map(|(verdict, count)| format!("{count} {}", verdict.replace('_', " ")))
            .collect();
        format!("{total} queries: {}  {}", counts.join(", "), format_seconds(seconds))
    }
}

/// The memory of the checker, if it was measured.
fn memory_of_check(record: &AnswerRecord<'_>) -> String {
    match record.certification_bytes {
        0 => String::new(),
        bytes => format!(" and {}", format_size(bytes as u64)),
    }
}

/// The minimal time of a certificate that is reported.
const NOTICEABLE: Duration = Duration::from_millis(100);

/// The indentation of statistics.
const STATISTICS: &str = "      ";
