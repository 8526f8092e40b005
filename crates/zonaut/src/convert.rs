//! `zonaut convert`: converts a model to another format.

use crate::arguments::ConvertArguments;
use crate::loading::{complain_about, with_problems_shown};
use crate::render::{Renderer, input_error};
use std::io;
use std::path::Path;
use zonaut_console::{Console, Status, one_line, wants_old_syntax, write_file};
use zonaut_engine::{Format, QuerySource, convert, load};

pub(crate) fn run(arguments: &ConvertArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let output = &arguments.output;
    if output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(CORE)) {
        return Ok(write_core(arguments, console));
    }
    let Some(format) = output.extension().and_then(|e| Format::of_extension(e.to_str()?)) else {
        let known = Format::ALL.iter().map(|format| format.extension());
        let known: Vec<&str> = known.chain([CORE]).collect();
        let shown = one_line(&output.display().to_string());
        console.complain(&format!("error: `{shown}` does not name a format that can be written"));
        console.complain(&format!("  = help: the extensions are .{}", known.join(", .")));
        return Ok(Status::WrongInput);
    };
    if would_replace_model(arguments, console) {
        return Ok(Status::WrongInput);
    }
    let options = arguments.limits.options(Vec::new(), wants_old_syntax());
    let converted = match convert(&arguments.model, format, &options) {
        Ok(converted) => converted,
        Err(error) => {
            console.complain(input_error(&error, console.colour).trim_end());
            return Ok(Status::WrongInput);
        }
    };
    complain_about(&converted.sources, &converted.diagnostics, console);
    Ok(match converted.text {
        Some(text) => write_file(output, &text, console),
        None => Status::WrongInput,
    })
}

/// The extension of core texts, which need a lowered model and not only its text.
const CORE: &str = "core";

fn write_core(arguments: &ConvertArguments, console: &mut Console<'_>) -> Status {
    if would_replace_model(arguments, console) {
        return Status::WrongInput;
    }
    let options = arguments.limits.options(Vec::new(), wants_old_syntax());
    let loaded = match with_problems_shown(
        load(&arguments.model, &QuerySource::WithModel, &options),
        console,
    ) {
        Ok(loaded) => loaded,
        Err(status) => return status,
    };
    let Some(session) = loaded.session() else { return Status::WrongInput };
    let first = session.queries().next().map(|(id, _)| id);
    let reasons = session.unsupported(first);
    if !reasons.is_empty() {
        let renderer = Renderer { sources: session.sources(), colour: console.colour };
        for reason in reasons {
            console.complain(renderer.render(&reason.diagnostic()).trim_end_matches('\n'));
        }
        return Status::WrongInput;
    }
    write_file(&arguments.output, &session.core_text(first), console)
}

fn would_replace_model(arguments: &ConvertArguments, console: &mut Console<'_>) -> bool {
    let is_same = is_same_file(&arguments.model, &arguments.output);
    if is_same {
        console.complain("error: the output would replace the model");
    }
    is_same
}

fn is_same_file(left: &Path, right: &Path) -> bool {
    match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => false,
    }
}
