//! `zonaut check`: diagnostics and a summary of a model.

use crate::arguments::CheckArguments;
use crate::loading::{load_input, status_of_input_error, with_problems_shown};
use std::io::{self, Write};
use zonaut_console::{Console, Status, one_line};
use zonaut_engine::report::{ModelRecord, PlaceRecord, Prospect, QuerySummary, Summary};
use zonaut_engine::{Feature, InputError, Loaded};

pub(crate) fn run(arguments: &CheckArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let loaded = load_input(&arguments.input);
    if arguments.json {
        return print_json(arguments, &loaded, console);
    }
    let loaded = match with_problems_shown(loaded, console) {
        Ok(loaded) => loaded,
        Err(status) => return Ok(status),
    };
    let Some(summary) = loaded.summary() else { return Ok(Status::WrongInput) };
    print_summary(&summary, console.out)?;
    Ok(if loaded.has_errors() { Status::WrongInput } else { Status::Success })
}

fn print_json(
    arguments: &CheckArguments,
    loaded: &Result<Loaded, InputError>,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let input = &arguments.input;
    let queries_file = input.queries.as_ref().map(|path| path.display().to_string());
    let report = ModelRecord::of(loaded, input.model.display().to_string(), queries_file);
    serde_json::to_writer(&mut *console.out, &report)?;
    writeln!(console.out)?;
    Ok(match loaded {
        Err(error) => status_of_input_error(error),
        Ok(_) if report.ok => Status::Success,
        Ok(_) => Status::WrongInput,
    })
}

fn print_summary(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let numbers = [
        ("templates", summary.templates as u64),
        ("processes", summary.processes as u64),
        ("locations", summary.locations as u64),
        ("edges", summary.edges as u64),
        ("clocks", summary.clocks as u64),
        ("variables", summary.variables as u64),
        ("channels", summary.channels as u64),
        ("state bits", summary.state_bits),
        ("queries", summary.queries.len() as u64),
    ];
    for (name, number) in numbers {
        writeln!(out, "{name:<10} {number:>8}")?;
    }
    if !summary.features.is_empty() {
        writeln!(out, "features   {}", names(&summary.features))?;
    }
    for query in &summary.queries {
        let formula = one_line(&query.formula);
        writeln!(out, "query {}: {formula}", query.index)?;
        write_prospect(query, out)?;
    }
    Ok(())
}

/// Writes whether a query can be answered, or all unsupported features that it needs.
fn write_prospect(query: &QuerySummary, out: &mut dyn Write) -> io::Result<()> {
    let uses = match query.features.is_empty() {
        true => String::new(),
        false => format!("uses {}", names(&query.features)),
    };
    match query.prospect {
        Prospect::WillBeAnswered if uses.is_empty() => writeln!(out, "    supported"),
        Prospect::WillBeAnswered => writeln!(out, "    supported, {uses}"),
        Prospect::Error => writeln!(out, "    has an error"),
        Prospect::Unsupported => {
            if !uses.is_empty() {
                writeln!(out, "    {uses}")?;
            }
            query.unsupported.iter().try_for_each(|reason| {
                let place = place_text(&reason.place);
                writeln!(out, "    not supported: {} ({place}); {}", reason.name, reason.instead)
            })
        }
    }
}

fn place_text(place: &PlaceRecord) -> String {
    let numbers = [place.line, place.column].into_iter().flatten();
    let numbers: String = numbers.map(|number| format!(":{number}")).collect();
    one_line(&place.file) + &numbers
}

fn names<'f>(features: impl IntoIterator<Item = &'f Feature>) -> String {
    let names: Vec<&str> = features.into_iter().map(|feature| feature.name()).collect();
    names.join(", ")
}
