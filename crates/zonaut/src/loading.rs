//! Reading what the arguments name, and showing what is wrong with it.

use crate::arguments::InputArguments;
use crate::render::{Renderer, input_error};
use std::path::Path;
use zonaut_console::{Console, Interrupt, ProgressLine, wants_old_syntax};
use zonaut_engine::{
    Diagnostic, InputError, LoadOptions, Loaded, QuerySource, Severity, SourceMap, load,
};

/// Reads the model and the queries that the arguments name.
pub(crate) fn load_input(input: &InputArguments) -> Result<Loaded, InputError> {
    let options = input.limits.options(input.define.clone(), wants_old_syntax());
    read(&input.model, &query_source(input), &options)
}

/// Reads a model and its queries, and says on a terminal that this goes on.
pub(crate) fn read(
    model: &Path,
    queries: &QuerySource,
    options: &LoadOptions,
) -> Result<Loaded, InputError> {
    let mut line = ProgressLine::new(&model.display().to_string(), &Interrupt::default());
    line.say("reading");
    load(model, queries, options)
}

/// Where the queries are that the arguments name.
pub(crate) fn query_source(input: &InputArguments) -> QuerySource {
    match &input.queries {
        Some(path) => QuerySource::File(path.clone()),
        None => QuerySource::WithModel,
    }
}

/// Shows diagnostics, and how many there were.
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

/// What was loaded, after its diagnostics were shown; nothing, with a complaint, where the input
/// could not be read.
pub(crate) fn with_problems_shown(
    loaded: Result<Loaded, InputError>,
    console: &mut Console<'_>,
) -> Option<Loaded> {
    match loaded {
        Ok(loaded) => {
            complain_about(&loaded.sources, &loaded.diagnostics, console);
            Some(loaded)
        }
        Err(error) => {
            console.complain(input_error(&error, console.colour).trim_end());
            None
        }
    }
}
