//! Loading of the input that the arguments name, and output of its diagnostics.

use crate::arguments::InputArguments;
use crate::render::{Renderer, input_error};
use std::path::Path;
use zonaut_console::{Console, Interrupt, ProgressLine, Status, wants_old_syntax};
use zonaut_engine::{
    Diagnostic, InputError, InputErrorKind, LoadOptions, Loaded, MemoryWatch, QuerySource,
    Resources, Severity, SourceMap, load,
};

/// Loads the model and the queries that the arguments name.
pub(crate) fn load_input(input: &InputArguments) -> Result<Loaded, InputError> {
    let options = input.limits.options(input.define.clone(), wants_old_syntax());
    read(&input.model, &query_source(input), &options)
}

/// Loads them within the limits of these resources.
pub(crate) fn load_input_within(
    input: &InputArguments,
    resources: &Resources,
) -> Result<Loaded, InputError> {
    let options = input.limits.options(input.define.clone(), wants_old_syntax());
    read(&input.model, &query_source(input), &within(options, resources))
}

/// Loads a model and its queries, with a progress line on terminals.
pub(crate) fn read(
    model: &Path,
    queries: &QuerySource,
    options: &LoadOptions,
) -> Result<Loaded, InputError> {
    let mut line = ProgressLine::new(&model.display().to_string(), &Interrupt::default());
    line.say("reading");
    let _memory = MemoryWatch::start(&options.resources);
    load(model, queries, options)
}

/// The load options with the limits of these resources: loading may take as much time and memory as
/// one query.
pub(crate) fn within(options: LoadOptions, resources: &Resources) -> LoadOptions {
    let Resources { time, memory, .. } = *resources;
    LoadOptions { resources: Resources { time, memory, ..Resources::default() }, ..options }
}

/// The source of queries that the arguments name.
pub(crate) fn query_source(input: &InputArguments) -> QuerySource {
    match &input.queries {
        Some(path) => QuerySource::File(path.clone()),
        None => QuerySource::WithModel,
    }
}

/// Prints diagnostics and their number.
pub(crate) fn complain_about(
    sources: &SourceMap,
    diagnostics: &[Diagnostic],
    console: &mut Console<'_>,
) {
    let renderer = Renderer { sources, colour: console.colour };
    for diagnostic in diagnostics {
        console.complain(renderer.render(diagnostic).trim_end_matches('\n'));
        console.complain("");
    }
    let count = |severity| diagnostics.iter().filter(|d| d.severity == severity).count();
    let counts: Vec<String> = [(Severity::Error, "error"), (Severity::Warning, "warning")]
        .into_iter()
        .map(|(severity, name)| (count(severity), name))
        .filter(|&(count, _)| count > 0)
        .map(|(count, name)| format!("{count} {name}{}", if count == 1 { "" } else { "s" }))
        .collect();
    if !counts.is_empty() {
        console.complain(&counts.join(", "));
    }
}

/// The loaded model after printing its diagnostics; the exit status if the input could not be read.
pub(crate) fn with_problems_shown(
    loaded: Result<Loaded, InputError>,
    console: &mut Console<'_>,
) -> Result<Loaded, Status> {
    match loaded {
        Ok(loaded) => {
            complain_about(&loaded.sources, &loaded.diagnostics, console);
            Ok(loaded)
        }
        Err(error) => {
            console.complain(input_error(&error, console.colour).trim_end());
            Err(status_of_input_error(&error))
        }
    }
}

/// The exit status of a command whose input could not be read.
pub(crate) fn status_of_input_error(error: &InputError) -> Status {
    match error.kind() {
        InputErrorKind::Stopped(_) => Status::Undecided,
        _ => Status::WrongInput,
    }
}
