//! Reading a model file: its format by content, its dialect by trial.

use crate::codes;
use crate::context::Context;
use crate::fragment::Fragment;
use crate::lexer::Mode;
use crate::limits::ParseOptions;
use crate::parser::Parser;
use crate::query;
use crate::tree::{Dialect, Document, Expressions, Queries, System};
use crate::xml;
use zonaut_base::{Diagnostic, Diagnostics, FileId, Severity, SourceMap, Span};

/// A document, what is wrong with its model, and what is wrong with its queries.
pub(crate) struct Reading {
    pub(crate) document: Document,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) query_diagnostics: Diagnostics,
}

/// The model in `file`, and what is wrong with it.
///
/// The format is decided by content: XML starts with `<`. Without a dialect in `options`, the
/// current language is tried first, and the 3.x language where that has errors; it is kept, with a
/// warning, if it has none, or far fewer. Paths of XML elements are recorded in `sources`.
#[must_use]
pub fn parse_model(
    sources: &mut SourceMap,
    file: FileId,
    options: &ParseOptions,
) -> (Document, Diagnostics) {
    let text = sources.file(file).text();
    let content = text.trim_start_matches('\u{feff}').trim_start();
    if content.is_empty() {
        let span = Span { file, start: 0, end: 0 };
        let mut diagnostics = Diagnostics::default();
        diagnostics.report(Diagnostic::error(codes::EMPTY_FILE, span, "the file is empty"));
        return (empty_document(file), diagnostics);
    }
    let reading = if content.starts_with('<') {
        let both = |read: &dyn Fn(Dialect) -> Reading| choose(options, read);
        match xml::read_xml(file, text, options, both) {
            Ok((reading, regions)) => {
                let file = sources.file_mut(file);
                regions.into_iter().for_each(|region| file.add_region(region));
                reading
            }
            Err(diagnostic) => {
                let mut diagnostics = Diagnostics::default();
                diagnostics.report(*diagnostic);
                return (empty_document(file), diagnostics);
            }
        }
    } else {
        choose(options, &|dialect| read_xta(file, text, dialect, options))
    };
    let mut diagnostics = reading.diagnostics;
    diagnostics.extend(reading.query_diagnostics);
    (reading.document, diagnostics)
}

/// The better reading of the two dialects, or the only one that `options` allows.
fn choose(options: &ParseOptions, read: &dyn Fn(Dialect) -> Reading) -> Reading {
    if let Some(dialect) = options.dialect {
        return read(dialect);
    }
    let current = read(Dialect::Current);
    let errors = current.diagnostics.error_count();
    let is_too_large = |found: &Diagnostic| found.code == codes::TOO_MANY_ITEMS;
    if errors == 0 || current.diagnostics.iter().any(is_too_large) {
        return current;
    }
    // Of a large file with errors, one tree at a time is kept.
    let Reading { document, diagnostics, .. } = current;
    drop(document);
    let mut old = read(Dialect::Old);
    // A slip in a current model may happen to be legal in the other language, and a 3.x model is
    // full of errors in the current one: it takes a clear difference to change the language.
    let old_errors = old.diagnostics.error_count();
    if old_errors > 0 && old_errors * 4 > errors {
        drop(old);
        return read(Dialect::Current);
    }
    old.diagnostics.report(read_as_old(&old.document, &diagnostics));
    old
}

/// The remark that a model was read in the 3.x language, at what the current one stumbles over.
fn read_as_old(document: &Document, current: &Diagnostics) -> Diagnostic {
    let start = Span { file: document.file, start: 0, end: 0 };
    let stumble = current.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    let span = stumble.map_or(start, Diagnostic::span);
    let remark = stumble.map_or(String::new(), |diagnostic| diagnostic.message.clone());
    Diagnostic::warning(codes::READ_AS_OLD, span, "the model is read in the language of UPPAAL 3.x")
        .with_remark(format!("in the current language: {remark}"))
        .with_help("set UPPAAL_OLD_SYNTAX=1 if that is intended, or correct this place")
}

pub(crate) fn mode(dialect: Dialect) -> Mode {
    match dialect {
        Dialect::Current => Mode::Current,
        Dialect::Old => Mode::Old,
    }
}

fn empty_document(file: FileId) -> Document {
    Document {
        file,
        dialect: Dialect::Current,
        expressions: Expressions::default(),
        declarations: Vec::new(),
        templates: Vec::new(),
        system: System::default(),
        queries: Queries::default(),
    }
}

fn read_xta(file: FileId, text: &str, dialect: Dialect, options: &ParseOptions) -> Reading {
    let mut context = Context::new(options.limits);
    let fragment = Fragment::part(file, text, 0);
    let parts = Parser::new(&mut context, &fragment, mode(dialect)).xta();
    let mut reader = query::Reader::new(file, options);
    for (start, end) in parts.queries {
        reader.read_block(&text[start as usize..end as usize], start);
    }
    let (queries, query_diagnostics) = reader.finish();
    let document = Document {
        file,
        dialect,
        expressions: context.expressions,
        declarations: parts.declarations,
        templates: parts.templates,
        system: parts.system,
        queries,
    };
    Reading { document, diagnostics: context.diagnostics, query_diagnostics }
}
