//! `zonaut verify`: answers to queries.

use crate::arguments::VerifyArguments;
use crate::certificate_file::CertificateFile;
use crate::certification::{Certification, Certifier, NOTHING_TO_CERTIFY, Rejection};
use crate::loading::with_problems_shown;
use crate::patience::Patience;
use crate::render::Renderer;
use serde::Serialize;
use std::io;
use zonaut_console::{
    Console, Interrupt, ProgressLine, Status, described_reason, format_size, one_line, status_of,
    verdict_name, wants_old_syntax,
};
use zonaut_engine::{
    Answer, Evidence, GuideWork, InputError, Loaded, Query, QueryId, QuerySource, Reason, Session,
    StopReason, Trace, Unsupported, Verdict, VerifyOptions, load,
};
use zonaut_trace::write_trace;

/// The JSON object of one query.
#[derive(Serialize)]
struct Record<'a> {
    index: u32,
    formula: &'a str,
    verdict: &'static str,
    strategy: String,
    /// Of the trace.
    transitions: Option<usize>,
    explored: usize,
    stored: usize,
    seconds: f64,
    memory_bytes: usize,
    reason: Option<String>,
    abstraction: Option<&'static str>,
    differences: Option<&'static str>,
    /// States that the guide showed to be dead ends, and that were not expanded.
    pruned: usize,
    /// What the guide did; absent without one.
    guide: Option<GuideRecord>,
    certified: bool,
    uncertified_reason: Option<String>,
    /// What went wrong without costing the answer.
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'a Trace>,
}

/// What a guide did.
#[derive(Serialize)]
struct GuideRecord {
    evaluations: u64,
    /// Of all evaluations.
    seconds: f64,
    /// Before the search.
    preparation_seconds: f64,
    /// States explored to build databases, where there are any.
    database_explored: Option<usize>,
    /// States with their distances.
    database_states: Option<usize>,
    database_bytes: Option<usize>,
    /// Whether the database knows all of its part of the model.
    database_complete: Option<bool>,
}

impl From<GuideWork> for GuideRecord {
    fn from(work: GuideWork) -> Self {
        Self {
            evaluations: work.evaluations,
            seconds: work.seconds,
            preparation_seconds: work.preparation,
            database_explored: work.databases.map(|size| size.explored),
            database_states: work.databases.map(|size| size.states),
            database_bytes: work.databases.map(|size| size.bytes),
            database_complete: work.databases.map(|size| size.is_complete),
        }
    }
}

pub(crate) fn run(arguments: &VerifyArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let Some(loaded) = with_problems_shown(load_asked(arguments), console) else {
        return Ok(Status::WrongInput);
    };
    let Some(session) = loaded.session() else { return Ok(Status::WrongInput) };
    if session.queries().next().is_none() {
        console.complain("error: there are no queries");
        console.complain("  = help: name a file of queries, or give formulas with -q");
        return Ok(Status::WrongInput);
    }
    let options = arguments.search.options(arguments.trace);
    let interrupt = Interrupt::watch(&options.resources.cancelled);
    let certifier = Certifier {
        mode: arguments.certify,
        target: arguments.certificate.as_deref(),
        has_several: session.queries().count() > 1,
        patience: Patience::of(&options.resources),
    };
    let options = &options;
    let mut asking = Asking {
        session: session.clone(),
        options,
        certifier,
        interrupt,
        console,
        warned: Vec::new(),
    };
    let mut worst = Status::Success;
    for (id, query) in session.queries() {
        let checked = asking.ask(id, query);
        asking.report(query, &checked, arguments.json)?;
        let Checked { answer, certification } = &checked;
        // A signal that came between two queries stops the next one, which then says so.
        if answer.verdict == Verdict::Unknown(Reason::Stopped(StopReason::Cancelled)) {
            return Ok(asking.interrupt.status().unwrap_or(Status::Undecided));
        }
        worst = worst.or_worse(status_of(&answer.verdict));
        worst = worst.or_worse(match certification {
            Certification::Certified | Certification::Uncertified(_) => Status::Success,
            Certification::Undelivered(_) => Status::Undecided,
            Certification::Rejected(_) => Status::Bug,
            Certification::Interrupted => {
                return Ok(asking.interrupt.status().unwrap_or(Status::Undecided));
            }
        });
    }
    Ok(worst)
}

/// An answer, and what the independent checker says about it.
struct Checked {
    answer: Answer,
    certification: Certification,
}

impl Checked {
    fn verdict_name(&self) -> &'static str {
        match self.certification {
            // An answer that is shown to be unfounded is none.
            Certification::Rejected(_) => "error",
            _ => verdict_name(&self.answer.verdict),
        }
    }
}

fn load_asked(arguments: &VerifyArguments) -> Result<Loaded, InputError> {
    let input = &arguments.input;
    let options = input.limits.options(input.define.clone(), wants_old_syntax());
    let queries = match &input.queries {
        Some(path) => QuerySource::File(path.clone()),
        None if arguments.formulas.is_empty() => QuerySource::Embedded,
        None => QuerySource::Formulas(arguments.formulas.clone()),
    };
    load(&input.model, &queries, &options)
}

/// Everything that answering and reporting need.
struct Asking<'a, 'c> {
    session: Session,
    options: &'a VerifyOptions,
    certifier: Certifier<'a>,
    interrupt: Interrupt,
    console: &'a mut Console<'c>,
    /// What was said already of parts of the language that are not supported.
    warned: Vec<Unsupported>,
}

impl Asking<'_, '_> {
    fn ask(&mut self, id: QueryId, query: &Query) -> Checked {
        self.certifier.patience = Patience::of(&self.options.resources);
        let mut file = self.certifier.open(query);
        let answer = self.search(id, query, file.as_mut().and_then(|file| file.as_mut().ok()));
        let core = || self.session.core_text(Some(id));
        let certification = self.certifier.judge(file, &answer, core);
        Checked { answer, certification }
    }

    fn search(&mut self, id: QueryId, query: &Query, file: Option<&mut CertificateFile>) -> Answer {
        let mut line = ProgressLine::new(&query.text, &self.interrupt);
        let console = &mut *self.console;
        let mut listener = |now: &_, elapsed| line.update(now, elapsed, console);
        let certificate = file.map(|file| file as &mut dyn io::Write);
        let closing = self.certifier.closing();
        let evidence = Evidence { listener: Some(&mut listener), certificate, closing };
        self.session.verify_with_certificate(id, self.options, evidence)
    }

    fn report(&mut self, query: &Query, checked: &Checked, json: bool) -> io::Result<()> {
        let answer = &checked.answer;
        let reason = described_reason(&self.session, &answer.verdict);
        if json {
            self.write_json(query, checked, reason)?;
        } else {
            let out = &mut *self.console.out;
            writeln!(out, "{}", line(query, checked, reason.as_deref()))?;
            if let Some(trace) = &answer.trace {
                write_trace(out, trace)?;
            }
        }
        // A reader sees each answer as soon as there is one.
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
        self.console.warn(&answer.warnings);
        if let Some(bug) = answer.verdict.bug() {
            self.console.complain(&contradiction_report(bug));
        }
        self.complain_about_certificate(query, checked);
        Ok(())
    }

    /// Shows where what is not supported is needed, and what to do instead; each place once.
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
        match &checked.certification {
            Certification::Rejected(rejection) => {
                self.console.complain(&rejection_report(index, rejection));
            }
            Certification::Undelivered(why) => {
                self.console.complain(&format!("error: query {index}: {}", one_line(why)));
            }
            Certification::Uncertified(why)
                if self.certifier.target.is_some() && why == NOTHING_TO_CERTIFY =>
            {
                self.console.complain(&format!("note: query {index} has no certificate: {why}"));
            }
            _ => {}
        }
    }

    fn write_json(
        &mut self,
        query: &Query,
        checked: &Checked,
        reason: Option<String>,
    ) -> io::Result<()> {
        let Checked { answer, certification } = checked;
        let record = Record {
            index: query.index,
            formula: &query.text,
            verdict: checked.verdict_name(),
            strategy: answer.strategy.to_string(),
            transitions: answer.trace.as_ref().map(|trace| trace.steps.len()),
            explored: answer.statistics.explored,
            stored: answer.statistics.stored,
            seconds: answer.seconds,
            memory_bytes: answer.statistics.bytes,
            reason,
            abstraction: answer.abstraction.map(|abstraction| abstraction.name()),
            differences: answer.differences,
            pruned: answer.statistics.pruned,
            guide: answer.guide.map(GuideRecord::from),
            certified: matches!(certification, Certification::Certified),
            uncertified_reason: certification.reason(),
            warnings: &answer.warnings,
            trace: answer.trace.as_ref(),
        };
        serde_json::to_writer(&mut *self.console.out, &record)?;
        writeln!(self.console.out)
    }
}

/// What is asked of people who meet a bug.
fn contradiction_report(bug: &str) -> String {
    format!(
        "error: Zonaut contradicts itself, so it cannot answer: {bug}. This is a bug in Zonaut, \
         not in your model.\nPlease report it with the model and the arguments of this run."
    )
}

/// What is asked of people whose certificate was rejected.
fn rejection_report(index: u32, rejection: &Rejection) -> String {
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

/// How much of the time the guide took.
fn guide_share(work: &GuideWork, seconds: f64) -> String {
    let share = 100.0 * (work.seconds + work.preparation) / seconds.max(f64::MIN_POSITIVE);
    format!("{share:.0} % in the guide")
}

/// The answer to a query on one line.
fn line(query: &Query, checked: &Checked, reason: Option<&str>) -> String {
    let answer = &checked.answer;
    let verdict = checked.verdict_name().replace('_', " ");
    let mut notes: Vec<String> = reason.map(one_line).into_iter().collect();
    if let Some(trace) = &answer.trace {
        notes.push(format!("{} transitions", trace.steps.len()));
    }
    if let Some(abstraction) = answer.abstraction {
        let numbers = &answer.statistics;
        notes.push(format!("{} explored", numbers.explored));
        notes.push(format!("{} stored", numbers.stored));
        notes.push(format!("{:.3} s", answer.seconds));
        notes.push(format_size(numbers.bytes as u64));
        notes.extend(answer.guide.map(|work| guide_share(&work, answer.seconds)));
        notes.push(format!("{}, {}", answer.strategy, abstraction.name()));
    }
    notes.extend(answer.differences.map(|how| format!("clock differences: {how}")));
    notes.push(match checked.certification.reason() {
        None => "certified".to_owned(),
        Some(why) => format!("uncertified: {}", one_line(&why)),
    });
    let formula = one_line(&query.text);
    format!("{:>3} {verdict:<13} {formula}  ({})", query.index, notes.join(", "))
}
