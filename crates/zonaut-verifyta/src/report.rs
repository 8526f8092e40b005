//! The output of `verifyta` besides traces: options, positions of formulas, problems, statistics.

use crate::options::{Options, TraceKind};
use crate::usage::{self, MemoryUse};
use crate::version::Version;
use std::io::{self, Write};
use std::time::Duration;
use zonaut_console::one_line;
use zonaut_engine::{
    Diagnostic, FoundValues, InputError, Severity, SourceMap, Span, Statistics, Value,
};

/// Writes the options of the verification.
pub(crate) fn write_header(
    options: &Options,
    version: Version,
    out: &mut dyn Write,
) -> io::Result<()> {
    let trace = match options.trace {
        None => "no",
        Some(TraceKind::Some) => "some",
        Some(TraceKind::Shortest) => "shortest",
        Some(TraceKind::Fastest) => "fastest",
    };
    let order = match options.order {
        1 => "depth first",
        2 => "random depth first",
        _ => "breadth first",
    };
    let space = match options.space {
        Some(0) => "no",
        None | Some(1) => "conservative",
        Some(_) => "aggressive",
    };
    writeln!(out, "Options for the verification:\n  Generating {trace} trace")?;
    writeln!(out, "  Search order is {order}\n  Using {space} space optimisation")?;
    if options.reuse {
        writeln!(out, "  Using reuse optimisation")?;
    }
    writeln!(out, "  Seed is {}", options.seed)?;
    let representation = "  State space representation uses minimal constraint systems";
    let suffix = if version.is_old() { "" } else { " with future testing" };
    writeln!(out, "{representation}{suffix}")
}

/// The position of a formula: its path in XML, otherwise its file and line.
pub(crate) fn place(sources: &SourceMap, span: Span, version: Version) -> String {
    let position = sources.position(span);
    match position.path {
        Some(path) => path.to_owned(),
        None if version.is_old() => format!("line {}", position.line),
        None => format!("{}:{}", one_line(position.file), position.line),
    }
}

/// A problem of an input on one line.
pub(crate) fn problem(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let place = place(sources, diagnostic.span(), Version::Five);
    let message = one_line(&diagnostic.message);
    format!("{place}: [{severity}] {} ({})", sentence(&message), diagnostic.code)
}

/// A file that could not be read, on one line.
pub(crate) fn unreadable(error: &InputError) -> String {
    let record = zonaut_engine::report::DiagnosticRecord::of_input_error(error);
    let (file, message) = (one_line(&record.place.file), one_line(&record.message));
    format!("{file}: [error] {} ({})", sentence(&message), record.code)
}

/// `text` with a capital letter and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim_end_matches('.');
    let mut rest = text.chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", rest.as_str())
}

/// Writes the values of expressions.
pub(crate) fn write_values(
    values: &[FoundValues],
    version: Version,
    out: &mut dyn Write,
) -> io::Result<()> {
    for FoundValues { expression, infimum, supremum, .. } in values {
        let expression = one_line(expression);
        let bounds = [("inf", infimum, [">=", ">"]), ("sup", supremum, ["<=", "<"])];
        for (name, value, [weak, strict]) in bounds {
            let (relation, number) = match value {
                None => continue,
                Some(Value::Attained(number)) => (weak, number.to_string()),
                Some(Value::Approached(number)) => (strict, number.to_string()),
                Some(Value::Unbounded) => ("<", "infinity".to_owned()),
            };
            match version.is_old() {
                true => writeln!(out, "{name}:\n{expression} {relation} {number}")?,
                false if relation == weak => writeln!(out, " -- Result: {number}")?,
                false => writeln!(out, " -- Result: {relation} {number}")?,
            }
        }
    }
    Ok(())
}

/// Writes the statistics of the option `-u`.
pub(crate) fn write_summary(
    statistics: &Statistics,
    time: Duration,
    out: &mut dyn Write,
) -> io::Result<()> {
    let MemoryUse { address_space, resident } = usage::memory();
    writeln!(out, " -- States stored : {} states", statistics.stored)?;
    writeln!(out, " -- States explored : {} states", statistics.explored)?;
    writeln!(out, " -- CPU user time used : {} ms", time.as_millis())?;
    writeln!(out, " -- Virtual memory used : {address_space} KiB")?;
    writeln!(out, " -- Resident memory used : {resident} KiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_become_sentences() {
        assert_eq!(sentence("strict invariant"), "Strict invariant.");
        assert_eq!(sentence("`x` is odd."), "`x` is odd.");
        assert_eq!(sentence(""), ".");
    }
}
