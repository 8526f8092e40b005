//! `zonaut abstract`: prints an abstract model.

use crate::arguments::AbstractArguments;
use crate::loading::with_problems_shown;
use std::io;
use zonaut_console::{Console, Status, wants_old_syntax, write_file};
use zonaut_engine::{AbstractModel, QuerySource, Selection, load};

pub(crate) fn run(arguments: &AbstractArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let selection = match selection_of(arguments) {
        Ok(selection) => selection,
        Err(message) => {
            console.complain(&format!("error: {message}"));
            return Ok(Status::WrongInput);
        }
    };
    let queries = match (&arguments.query, &arguments.queries) {
        (Some(formula), _) => QuerySource::Formulas(vec![formula.clone()]),
        (None, Some(file)) => QuerySource::File(file.clone()),
        (None, None) => QuerySource::WithModel,
    };
    let options = arguments.limits.options(Vec::new(), wants_old_syntax());
    let loaded = match with_problems_shown(load(&arguments.model, &queries, &options), console) {
        Ok(loaded) => loaded,
        Err(status) => return Ok(status),
    };
    let Some(session) = loaded.session() else { return Ok(Status::WrongInput) };
    let first = session.queries().next().map(|(id, _)| id);
    match session.abstracted(first, &selection) {
        Ok(found) => show(arguments, &found, first.is_some(), console),
        Err(error) => {
            console.complain(&format!("error: {error}"));
            Ok(Status::WrongInput)
        }
    }
}

/// Writes the model to its file and the query to a file with the same stem, or both to standard
/// output.
fn show(
    arguments: &AbstractArguments,
    found: &AbstractModel,
    has_query: bool,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    for (what, names) in
        [("processes", &found.dropped_processes), ("variables", &found.dropped_variables)]
    {
        if !names.is_empty() {
            console.complain(&format!("removed {what}: {}", names.join(", ")));
        }
    }
    let Some(output) = &arguments.output else {
        console.out.write_all(found.text.as_bytes())?;
        if has_query {
            writeln!(console.out, "// {}", found.query)?;
        }
        return Ok(Status::Success);
    };
    let status = write_file(output, &found.text, console);
    if status != Status::Success || !has_query {
        return Ok(status);
    }
    Ok(write_file(&output.with_extension("q"), &format!("{}\n", found.query), console))
}

/// The selection of symbols that the arguments describe.
fn selection_of(arguments: &AbstractArguments) -> Result<Selection, String> {
    let Some(selector) = &arguments.select else {
        return Ok(Selection::Dropped(arguments.drop.clone()));
    };
    if selector == "rd" {
        return Ok(Selection::ErrorPath);
    }
    let depth = selector.strip_prefix("cone").map(|rest| match rest {
        "" => Some(2),
        rest => rest.strip_prefix("(d=")?.strip_suffix(')')?.parse().ok(),
    });
    match depth.flatten() {
        Some(depth) => Ok(Selection::Cone(depth)),
        None => Err(format!("unknown selector `{selector}`; available: rd, cone(d=N)")),
    }
}
