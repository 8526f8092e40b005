//! `zonaut test`: queries with their expected outcomes.

mod case;
mod expected;
mod github;
mod junit;
mod plan;
mod table;

use crate::arguments::definition;
use crate::certified_answer::{CertifyName, Checked, Checking};
use crate::limits::LimitArguments;
use crate::loading::{complain_about, within};
use crate::render::input_error;
use crate::search_arguments::{SearchArguments, TraceName};
use case::{Case, Outcome, Summary};
use clap::{Args, ValueEnum};
use expected::{Expected, Meaning, meaning};
use github::Place;
use plan::{Expectations, Listed, Plan};
use serde::Serialize;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use zonaut_certification::Certification;
use zonaut_console::{
    Asking, Console, Interrupt, Status, in_order, one_line, status_of, wants_old_syntax, write_file,
};
use zonaut_engine::{
    Loaded, MemoryWatch, Query, QueryId, QuerySource, Reason, Session, Severity, StopReason,
    Verdict, VerifyOptions, load,
};
use zonaut_trace::TraceText;

/// Compare verdicts with the expected outcomes of queries, for continuous integration.
///
/// Expectations stand beside the queries: `<expect outcome="success"/>` in XML, `/* EXPECT:T */`
/// on the line of a query in a file; or in a list of their own: `NAME.expected.toml`, or a table
/// (.tsv or .csv) with the columns `model`, `query` and `expected`. Queries are taken from the
/// model or, where it has none, from the `.q` file of its name.
///
/// Exit codes: 0 all as expected, 1 some verdict differs, 2 wrong input or nothing to test,
/// 3 undecided, 4 a bug in Zonaut, 5 a model failed at run time.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut test train-gate.xml fischer.xta
  zonaut test models --junit report.xml --time 60
  zonaut test verdicts.tsv --memory 2G --json
  zonaut test models --format github
  zonaut test fischer.xta --queries fischer.q --trace shortest")]
pub(crate) struct TestArguments {
    /// Models, lists of expectations, tables, or folders with models and lists.
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// The query file for all given models.
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Write a JUnit report.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// The form of the output.
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    format: TestFormat,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Print the trace of an unexpected verdict.
    #[arg(long, value_enum, default_value_t)]
    trace: TraceName,
    /// When to verify certificates with the independent checker, in a process of its own.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    certify: CertifyName,
    /// Replace the value of a constant in all models, as in `N=5`.
    #[arg(long, short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    define: Vec<(String, i64)>,
    /// Test this many models side by side. Results are printed in the order of the models; each
    /// search has one thread, and the memory limit is that of all searches together.
    #[arg(long, value_name = "COUNT", default_value = "1")]
    threads: NonZeroUsize,
    #[command(flatten)]
    limits: LimitArguments,
    #[command(flatten)]
    search: SearchArguments,
}

/// The form of the output of `zonaut test`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum TestFormat {
    /// One line for each query, and one with the summary.
    #[default]
    Text,
    /// One JSON object for each query, and one with the summary.
    Json,
    /// Text, with annotations of unexpected verdicts and of diagnostics for GitHub's runners.
    Github,
}

impl TestArguments {
    fn format(&self) -> TestFormat {
        if self.json { TestFormat::Json } else { self.format }
    }
}

/// The last JSON object.
#[derive(Serialize)]
struct SummaryRecord {
    summary: Summary,
}

pub(crate) fn run(arguments: &TestArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let mut plans = Vec::new();
    for path in &arguments.models {
        match plan::plans(path, arguments.queries.as_deref()) {
            Ok(found) => plans.extend(found),
            Err(error) => {
                let path = one_line(&path.display().to_string());
                console.complain(&format!("error: {path}: {}", error.trim_end()));
                return Ok(Status::WrongInput);
            }
        }
    }
    let options = arguments.search.options(arguments.trace);
    let interrupt = Interrupt::watch(&options.resources.cancelled);
    let context = Context { arguments, options: &options, interrupt: &interrupt };
    let mut testing = Testing { context, console, cases: Vec::new() };
    if arguments.threads.get() > 1 {
        testing.test_side_by_side(&plans)?;
        return testing.finish();
    }
    for plan in &plans {
        testing.test(plan)?;
        if interrupt.status().is_some() {
            break;
        }
    }
    testing.finish()
}

/// The shared context of all tests.
#[derive(Clone, Copy)]
struct Context<'a> {
    arguments: &'a TestArguments,
    options: &'a VerifyOptions,
    interrupt: &'a Interrupt,
}

/// The results of the tests of one model, and their output.
struct Tested {
    out: Vec<u8>,
    err: Vec<u8>,
    cases: io::Result<Vec<Case>>,
}

/// The context of testing and reporting.
struct Testing<'a, 'c> {
    context: Context<'a>,
    console: &'a mut Console<'c>,
    cases: Vec<Case>,
}

impl Testing<'_, '_> {
    /// Tests models side by side; the output is that of one after the other.
    fn test_side_by_side(&mut self, plans: &[Plan]) -> io::Result<()> {
        let Self { context, console, cases } = self;
        let (colour, colours_results, width) =
            (console.colour, console.colours_results, console.width);
        let test = |plan: &Plan| {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let mut console =
                Console { out: &mut out, err: &mut err, colour, colours_results, width };
            let mut testing =
                Testing { context: *context, console: &mut console, cases: Vec::new() };
            let result = testing.test(plan);
            let cases = result.map(|()| testing.cases);
            Tested { out, err, cases }
        };
        in_order(context.arguments.threads, plans, test, |tested| {
            console.err.write_all(&tested.err)?;
            console.out.write_all(&tested.out)?;
            console.out.flush()?;
            cases.extend(tested.cases?);
            Ok(match context.interrupt.status() {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            })
        })
    }

    fn test(&mut self, plan: &Plan) -> io::Result<()> {
        let model = plan.model.display().to_string();
        if self.context.arguments.format() != TestFormat::Json {
            writeln!(self.console.out, "{}", one_line(&model))?;
        }
        let loaded = match self.load(plan) {
            Ok(loaded) => loaded,
            Err(reason) => return self.report_unreadable(&model, reason),
        };
        complain_about(&loaded.sources, &loaded.diagnostics, self.console);
        if self.context.arguments.format() == TestFormat::Github {
            for found in &loaded.diagnostics {
                let line = github::of_diagnostic(&loaded.sources, found);
                self.console.out.write_all(line.as_bytes())?;
            }
        }
        let Some(session) = loaded.session() else {
            return self.report(Case::unreadable(&model, first_error(&loaded)));
        };
        let queries: Vec<(QueryId, &Query)> = session.queries().collect();
        let meanings = match meanings(plan, &loaded, &queries) {
            Ok(meanings) => meanings,
            Err(reason) => return self.report_unreadable(&model, reason),
        };
        for (&(id, query), meaning) in queries.iter().zip(meanings) {
            let place = place_of(&loaded, query);
            let case = Case { place, ..Case::unasked(&model, query.index, &query.text) };
            let case = match meaning {
                None => Case { reason: Some("no expected verdict".to_owned()), ..case },
                Some(Meaning::Inexact) => {
                    let reason = "the expectation does not apply to exact verdicts";
                    Case { reason: Some(reason.to_owned()), ..case }
                }
                Some(Meaning::Verdict(expected)) => {
                    let case = Case { expected: Some(expected), ..case };
                    match self.ask(&session, id, case) {
                        Some(case) => case,
                        None => break,
                    }
                }
            };
            self.report(case)?;
        }
        Ok(())
    }

    fn load(&mut self, plan: &Plan) -> Result<Loaded, String> {
        let options = self
            .context
            .arguments
            .limits
            .options(self.context.arguments.define.clone(), wants_old_syntax());
        let options = within(options, &self.context.options.resources);
        let _memory = MemoryWatch::start(&options.resources);
        let loaded = load(&plan.model, &plan.queries, &options);
        loaded.map_err(|error| {
            self.console.complain(input_error(&error, self.console.colour).trim_end());
            error.to_string()
        })
    }

    /// Answers a query with an expectation. Returns `None` after a signal.
    fn ask(&mut self, session: &Session, id: QueryId, case: Case) -> Option<Case> {
        let mut asking = Asking::new(session, self.context.options, self.context.interrupt);
        if self.context.arguments.threads.get() > 1 {
            asking = asking.silent();
        }
        let mut checking = Checking::new(self.context.arguments.certify, None);
        let Checked { answer, certified } = checking.ask(None, &mut asking, id, self.console);
        let certification = certified.certification;
        self.console.warn(&answer.warnings);
        let cancelled = Verdict::Unknown(Reason::Stopped(StopReason::Cancelled));
        if answer.verdict == cancelled || matches!(certification, Certification::Interrupted) {
            return None;
        }
        let expected = case.expected.unwrap_or(Expected::Unknown);
        let (result, status) = judged(expected, &answer.verdict, &certification);
        let why = match &certification {
            Certification::Rejected(rejection) => {
                Some(format!("its certificate was rejected: {}", rejection.reason))
            }
            Certification::Undelivered(why) => Some(why.clone()),
            _ => session.reason_of(&answer.verdict),
        };
        let shown = answer.trace.as_ref().filter(|_| result != Outcome::Passed);
        let trace = shown.map(|trace| {
            let mut text = Vec::new();
            let written = TraceText::new(trace).write(&mut text);
            written.map(|()| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default()
        });
        Some(Case {
            result,
            status,
            verdict: Some(answer.verdict.name()),
            reason: why,
            explored: answer.statistics.explored,
            stored: answer.statistics.stored,
            seconds: answer.seconds,
            certified: matches!(certification, Certification::Certified),
            trace,
            ..case
        })
    }

    /// Reports a model without a diagnostic about the reason.
    fn report_unreadable(&mut self, model: &str, reason: String) -> io::Result<()> {
        let place = Some(Place::of_file(model));
        self.report(Case { place, ..Case::unreadable(model, reason) })
    }

    fn report(&mut self, case: Case) -> io::Result<()> {
        let annotation = match self.context.arguments.format() {
            TestFormat::Github => github::of_case(&case),
            TestFormat::Text | TestFormat::Json => None,
        };
        let out = &mut *self.console.out;
        if self.context.arguments.format() == TestFormat::Json {
            serde_json::to_writer(&mut *out, &case)?;
            writeln!(out)?;
        } else {
            let complaint = case.complaint().map(|text| format!("  ({})", one_line(&text)));
            let number = if case.index == 0 { String::new() } else { case.index.to_string() };
            let line = format!(
                "{number:>5} {:<9} {}{}",
                case.result.name(),
                one_line(&case.formula),
                complaint.unwrap_or_default()
            );
            writeln!(out, "{}", line.trim_end())?;
            if let Some(trace) = &case.trace {
                out.write_all(trace.as_bytes())?;
            }
            out.write_all(annotation.unwrap_or_default().as_bytes())?;
        }
        self.cases.push(case);
        // Each result is visible as soon as it is known.
        self.console.out.flush()
    }

    /// Prints the summary and writes the report.
    fn finish(self) -> io::Result<Status> {
        let summary = Summary::of(&self.cases);
        let console = self.console;
        if self.context.arguments.format() == TestFormat::Json {
            serde_json::to_writer(&mut *console.out, &SummaryRecord { summary })?;
            writeln!(console.out)?;
        } else {
            writeln!(console.out, "{}", summary.line())?;
        }
        let worst =
            self.cases.iter().fold(Status::Success, |worst, case| worst.or_worse(case.status));
        let worst = match &self.context.arguments.junit {
            Some(path) => write_file(path, &junit::document(&self.cases), console).or_worse(worst),
            None => worst,
        };
        if let Some(status) = self.context.interrupt.status() {
            return Ok(status);
        }
        if self.cases.iter().all(|case| case.result == Outcome::Skipped) {
            console.complain("error: no query has an expected verdict");
            console
                .complain("  = help: write the expected verdict, as in `E<> P.a /* EXPECT:T */`");
            return Ok(Status::WrongInput);
        }
        Ok(worst)
    }
}

/// The expectation of each query, in order.
fn meanings(
    plan: &Plan,
    loaded: &Loaded,
    queries: &[(QueryId, &Query)],
) -> Result<Vec<Option<Meaning>>, String> {
    let listed = match &plan.expectations {
        Expectations::Listed(listed) => listed,
        Expectations::Written => {
            let written = |&(_, query): &(QueryId, &Query)| {
                let mut entries = loaded.query_entries().iter();
                let entry = entries.find(|entry| entry.index == query.index);
                let expected = entry.and_then(|entry| entry.expect.as_ref());
                let meaning = expected.map(|expected| meaning(&expected.outcome)).transpose();
                meaning.map_err(|error| format!("query {}: {error}", query.index))
            };
            return queries.iter().map(written).collect();
        }
    };
    if listed.len() != queries.len() {
        return Err(format!("{} queries, but {} expectations", queries.len(), listed.len()));
    }
    // Given formulas are the queries themselves.
    let is_given = matches!(plan.queries, QuerySource::Formulas(_));
    let agree = |listed: &Listed, query: &Query| is_given || listed.formula == query.text;
    let differing = listed.iter().zip(queries).find(|(listed, (_, query))| !agree(listed, query));
    match differing {
        Some((listed, (_, query))) => Err(format!(
            "the list has an expectation for `{}` where the query is `{}`",
            listed.formula, query.text
        )),
        None => Ok(listed.iter().map(|listed| Some(listed.meaning)).collect()),
    }
}

/// The place of a query in its file.
fn place_of(loaded: &Loaded, query: &Query) -> Option<Place> {
    let mut entries = loaded.query_entries().iter();
    let entry = entries.find(|entry| entry.index == query.index)?;
    let position = loaded.sources.position(entry.span);
    Some(Place::at(position.file, position.line, position.column))
}

/// The first error of a model that cannot be verified.
fn first_error(loaded: &Loaded) -> String {
    let mut errors = loaded.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    errors.next().map_or_else(String::new, |error| {
        let place = loaded.sources.position(error.span());
        format!("{}:{}:{}: {}", place.file, place.line, place.column, error.message)
    })
}

/// The result of a test, and the exit status if all others pass.
fn judged(
    expected: Expected,
    verdict: &Verdict,
    certification: &Certification,
) -> (Outcome, Status) {
    match certification {
        Certification::Rejected(_) => return (Outcome::Error, Status::Bug),
        Certification::Undelivered(_) => return (Outcome::Undecided, Status::Undecided),
        _ => {}
    }
    if expected.is_met_by(verdict) {
        return (Outcome::Passed, Status::Success);
    }
    match verdict {
        Verdict::Satisfied | Verdict::NotSatisfied => (Outcome::Failed, Status::NotSatisfied),
        Verdict::Unknown(_) => (Outcome::Undecided, Status::Undecided),
        _ => (Outcome::Error, status_of(verdict)),
    }
}
