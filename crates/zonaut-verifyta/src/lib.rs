//! `zonaut verifyta`: the command line of UPPAAL's verifier, as a drop-in replacement for scripts.
//!
//! Programs that parse the output rely on one rule: standard output has the report, the warnings
//! and the notices about traces; standard error has errors, and the text of a trace that was
//! requested without a file. Nothing else is written there.

mod options;
mod report;
mod statistical;
mod trace_text;
mod usage;
mod version;

use options::{Options, TraceKind, Zones};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use trace_text::trace_text;
use version::Version;
use zonaut_console::{Asking, Console, Interrupt, Status, one_line, wants_old_syntax};
use zonaut_engine::{
    Dialect, LoadOptions, Loaded, MemoryWatch, Order, Possibility, QueryId, QuerySource, Reason,
    Resources, SamplingOptions, Session, Severity, StopReason, TraceWish, Verdict, VerifyOptions,
    default_memory_limit, load,
};
use zonaut_trace::{SymbolicTrace, Trace, write_intermediate_format, write_xml_trace};

/// Whether the program was called by the name of UPPAAL's verifier.
#[must_use]
pub fn is_name_of(program: &OsString) -> bool {
    Path::new(program).file_stem().is_some_and(|name| name == "verifyta")
}

/// Runs the words after the program's name.
///
/// # Errors
/// If the output cannot be written.
pub fn run(words: &[OsString], console: &mut Console<'_>) -> io::Result<Status> {
    let asked = Version::from_environment().and_then(|version| {
        let options = Options::parse(words)?;
        Ok((options, version))
    });
    let (options, version) = match asked {
        Ok(asked) => asked,
        Err(message) => {
            console.complain(&format!("verifyta: {}", one_line(&message)));
            return Ok(Status::NotProcessed);
        }
    };
    if options.help {
        console.out.write_all(options::help().as_bytes())?;
        return Ok(Status::Success);
    }
    if options.version {
        writeln!(console.out, "{}", version.banner())?;
        return Ok(Status::Success);
    }
    let compile_only =
        std::env::var_os("UPPAAL_COMPILE_ONLY").is_some_and(|value| !value.is_empty());
    let queries = match options.files.get(1) {
        Some(path) if !compile_only => QuerySource::File(path.clone()),
        _ => QuerySource::Embedded,
    };
    let mut load_options = LoadOptions::default();
    load_options.parse.dialect = wants_old_syntax().then_some(Dialect::Old);
    load_options.resources = memory_limit();
    let watch = MemoryWatch::start(&load_options.resources);
    let loaded = load(&options.files[0], &queries, &load_options);
    drop(watch);
    let loaded = match loaded {
        Ok(loaded) => loaded,
        Err(error) => {
            console.complain(&report::unreadable(&error));
            return Ok(Status::NotProcessed);
        }
    };
    if compile_only {
        return compile(&loaded, console);
    }
    verify(&loaded, &options, version, console)
}

/// Prints only the intermediate format, so that it can be redirected to a file.
fn compile(loaded: &Loaded, console: &mut Console<'_>) -> io::Result<Status> {
    for error in loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error) {
        console.complain(&report::problem(&loaded.sources, error));
    }
    let Some(session) = loaded.session() else { return Ok(Status::NotProcessed) };
    write_intermediate_format(session.labels(), console.out)?;
    Ok(Status::Success)
}

/// Verifies the requested formulas.
fn verify(
    loaded: &Loaded,
    options: &Options,
    version: Version,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    if !options.no_header {
        report::write_header(options, version, console.out)?;
    }
    for diagnostic in &loaded.diagnostics {
        let line = report::problem(&loaded.sources, diagnostic);
        match diagnostic.severity {
            Severity::Warning => writeln!(console.out, "{line}")?,
            Severity::Error => console.complain(&line),
        }
    }
    let Some(session) = loaded.session() else { return Ok(Status::NotProcessed) };
    let asked: Vec<(usize, QueryId)> = session
        .queries()
        .enumerate()
        .filter(|(position, _)| options.query_index.is_none_or(|index| index == *position))
        .map(|(position, (id, _))| (position + 1, id))
        .collect();
    if asked.is_empty() {
        console.complain("verifyta: there is no such formula");
        return Ok(Status::NotProcessed);
    }
    let search = search_options(options);
    let interrupt = Interrupt::watch(&search.resources.cancelled);
    let mut asking = Asking::new(&session, &search, &interrupt);
    asking = asking.sharing(asked.iter().map(|(_, id)| *id));
    if options.no_progress {
        asking = asking.silent();
    }
    let (session, interrupt) = (&session, &interrupt);
    let mut verifying = Verifying { session, options, version, asking, interrupt, console };
    let mut worst = Status::Success;
    for (number, id) in asked {
        let status = verifying.formula(number, id)?;
        verifying.console.out.flush()?;
        worst = worst.or_worse(status);
        if matches!(status, Status::Interrupted | Status::Terminated) {
            break;
        }
    }
    Ok(worst)
}

/// The options of the search, with the defaults of `zonaut verify`.
fn search_options(options: &Options) -> VerifyOptions {
    let order = match options.order {
        1 => Order::DepthFirst,
        2 => Order::RandomDepthFirst,
        _ => Order::BreadthFirst,
    };
    VerifyOptions {
        strategy: order.into(),
        seed: options.seed,
        trace: match options.trace {
            None => TraceWish::None,
            Some(TraceKind::Some) => TraceWish::Some,
            Some(TraceKind::Shortest | TraceKind::Fastest) => TraceWish::Shortest,
        },
        resources: memory_limit(),
        sampling: sampling_options(options),
        ..VerifyOptions::default()
    }
}

/// The parameters of statistical queries.
fn sampling_options(options: &Options) -> SamplingOptions {
    let mut sampling = SamplingOptions::default();
    for (parameter, number) in &options.statistical {
        // Numbers outside their range were rejected when the options were read.
        let _ = parameter.set(number.value(), &mut sampling);
    }
    sampling
}

/// The memory limit of the machine, without a time limit.
fn memory_limit() -> Resources {
    let memory = default_memory_limit();
    Resources {
        memory: memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX)),
        ..Resources::default()
    }
}

/// The context of answering and reporting.
struct Verifying<'a, 'c> {
    session: &'a Session,
    options: &'a Options,
    version: Version,
    asking: Asking<'a>,
    interrupt: &'a Interrupt,
    console: &'a mut Console<'c>,
}

impl Verifying<'_, '_> {
    /// Verifies formula number `number` and reports it.
    fn formula(&mut self, number: usize, id: QueryId) -> io::Result<Status> {
        let span = self.session.place_of_query(id);
        let place = report::place(self.session.sources(), span, self.version);
        let subject = self.version.subject();
        let lower = subject.to_lowercase();
        writeln!(self.console.out, "\nVerifying {lower} {number} at {place}")?;
        self.console.out.flush()?;
        let before = usage::processor_time();
        let answer = self.asking.answer(id, self.console);
        let used = usage::processor_time().zip(before).map(|(now, then)| now.saturating_sub(then));
        let verdict = match &answer.verdict {
            Verdict::Satisfied => "is satisfied",
            Verdict::NotSatisfied => "is NOT satisfied",
            Verdict::Unknown(Reason::Stopwatches(Possibility::Satisfied)) => "MAY be satisfied",
            Verdict::Unknown(Reason::Stopwatches(Possibility::NotSatisfied)) => {
                "MAY NOT be satisfied"
            }
            other => return Ok(self.complain_about(id, other)),
        };
        writeln!(self.console.out, " -- {subject} {verdict}.")?;
        report::write_values(answer.values(), self.version, self.console.out)?;
        if let Some(sample) = answer.sample() {
            statistical::write_sample(sample, self.version, self.console.out)?;
        }
        if self.options.summary {
            let time = used.unwrap_or(Duration::from_secs_f64(answer.seconds));
            report::write_summary(&answer.statistics, time, self.console.out)?;
        }
        // The verdict is visible while a trace is computed.
        self.console.out.flush()?;
        let is_witness = answer.verdict == Verdict::Satisfied;
        match answer.trace {
            Some(trace) if self.options.trace == Some(TraceKind::Fastest) => {
                let resources = &self.asking.options().resources;
                let fastest = self.asking.fastest_run(id, trace, resources, self.console);
                if !fastest.is_proven {
                    writeln!(self.console.out, "[warning] The trace may not be the fastest.")?;
                }
                self.show_trace(number, &fastest.trace, is_witness)
            }
            Some(trace) if self.options.trace.is_some() => {
                self.show_trace(number, &trace, is_witness)
            }
            _ => Ok(Status::Success),
        }
    }

    /// Prints on one line why there is no verdict.
    fn complain_about(&mut self, id: QueryId, verdict: &Verdict) -> Status {
        let sources = self.session.sources();
        // The error was printed with those of the model.
        if *verdict == Verdict::DamagedQuery {
            return Status::NotProcessed;
        }
        if let Verdict::Error(error) = verdict {
            let diagnostic = self.session.diagnostic_of(error);
            self.console.complain(&report::problem(sources, &diagnostic));
            return Status::NotProcessed;
        }
        let place = report::place(sources, self.session.place_of_query(id), Version::Five);
        let reason = self.session.reason_of(verdict).unwrap_or_default();
        let reason = one_line(&reason);
        self.console.complain(&format!("{place}: [error] {}", report::sentence(&reason)));
        match verdict {
            Verdict::Unknown(Reason::Stopped(StopReason::Cancelled)) => {
                self.interrupt.status().unwrap_or(Status::NotProcessed)
            }
            _ => Status::NotProcessed,
        }
    }

    /// Writes a trace to the requested files, or to standard error.
    fn show_trace(&mut self, number: usize, trace: &Trace, is_witness: bool) -> io::Result<Status> {
        let Options { trace_prefix, xml_prefix, zones, .. } = self.options;
        let has_files = trace_prefix.is_some() || xml_prefix.is_some();
        let mut exact = None;
        if has_files || *zones != Zones::None {
            exact = self.session.symbolic_trace(trace);
            if exact.is_none() {
                self.console.complain("[error] Clock values of the trace leave the exact range.");
                return Ok(Status::NotProcessed);
            }
        }
        if has_files {
            return match exact {
                Some(exact) => self.write_files(number, &exact, is_witness),
                None => Ok(Status::NotProcessed),
            };
        }
        let kind = self.kind_of(is_witness);
        let out = &mut *self.console.out;
        match self.version.is_old() {
            true => writeln!(out, "Showing {kind}.")?,
            false => writeln!(out, " -- Showing {kind}:")?,
        }
        out.flush()?;
        let zones = exact.map(|exact| match zones {
            Zones::Stable => exact.stable().zones(self.session.model()),
            Zones::None | Zones::Forward => exact.zones(self.session.model()),
        });
        let text = trace_text(trace, zones.as_deref(), self.version);
        self.console.complain(text.trim_end());
        Ok(Status::Success)
    }

    fn kind_of(&self, is_witness: bool) -> &'static str {
        if is_witness { self.version.witness() } else { "counter example" }
    }

    fn write_files(
        &mut self,
        number: usize,
        trace: &SymbolicTrace,
        is_witness: bool,
    ) -> io::Result<Status> {
        let mut status = Status::Success;
        if let Some(prefix) = &self.options.trace_prefix {
            let path = self.version.trace_file(prefix, number);
            let notice = format!("Writing {} to", self.kind_of(is_witness));
            status = status.or_worse(self.write_file(&path, &notice, |out| trace.write_xtr(out))?);
        }
        if let Some(prefix) = &self.options.xml_prefix {
            let mut path = prefix.clone();
            path.push(format!("{number}.xml"));
            let (path, session) = (PathBuf::from(path), self.session);
            let write = |out: &mut dyn Write| write_xml_trace(session.labels(), trace, out);
            status = status.or_worse(self.write_file(&path, "XMLTrace outputted to:", write)?);
        }
        Ok(status)
    }

    /// Writes one file and a notice about it; a partially written file is removed.
    fn write_file(
        &mut self,
        path: &Path,
        notice: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Status> {
        let shown = one_line(&path.display().to_string());
        let written = File::create(path).and_then(|file| {
            let mut file = BufWriter::new(file);
            write(&mut file)?;
            file.flush()
        });
        if let Err(error) = written {
            if path.metadata().is_ok_and(|metadata| metadata.is_file()) {
                // The error is reported below.
                let _ = std::fs::remove_file(path);
            }
            self.console
                .complain(&format!("{shown}: [error] {}", report::sentence(&error.to_string())));
            return Ok(Status::NotProcessed);
        }
        writeln!(self.console.out, "{notice} {shown}")?;
        Ok(Status::Success)
    }
}
