//! ParsedDocument of model files: the format is detected by content, the dialect by trial.

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

/// A document, with the diagnostics of its model and those of its queries.
pub(crate) struct ParsedDocument {
    pub(crate) document: Document,
    pub(crate) diagnostics: Diagnostics,
    pub(crate) query_diagnostics: Diagnostics,
}

/// Parses the model in `file` and returns it with its diagnostics.
///
/// The format is detected by content: XML starts with `<`. If `options` has no dialect, the current
/// language is tried first, and the 3.x language if there are errors. The latter reading is chosen,
/// with a warning, if it has no errors or far fewer. Paths of XML elements are recorded in
/// `sources`.
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
        let both = |read: &dyn Fn(Dialect) -> ParsedDocument| choose(options, read);
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
fn choose(options: &ParseOptions, read: &dyn Fn(Dialect) -> ParsedDocument) -> ParsedDocument {
    if let Some(dialect) = options.dialect {
        return read(dialect);
    }
    let current = read(Dialect::Current);
    let errors = current.diagnostics.error_count();
    let is_too_large = |found: &Diagnostic| found.code == codes::TOO_MANY_ITEMS;
    if errors == 0 || current.diagnostics.iter().any(is_too_large) {
        return current;
    }
    // Only one tree of a large file with errors is in memory at a time.
    let ParsedDocument { document, diagnostics, .. } = current;
    drop(document);
    let mut old = read(Dialect::Old);
    // A typing error in a current model may happen to be legal in the 3.x language, and a 3.x model
    // has many errors in the current one: only a clear difference changes the dialect.
    let old_errors = old.diagnostics.error_count();
    if old_errors > 0 && old_errors * 4 > errors {
        drop(old);
        return read(Dialect::Current);
    }
    old.diagnostics.report(read_as_old(&old.document, &diagnostics));
    old
}

/// The warning that a model was read in the 3.x language, at the first error of the current one.
fn read_as_old(document: &Document, current: &Diagnostics) -> Diagnostic {
    let start = Span { file: document.file, start: 0, end: 0 };
    let first_error = current.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    let span = first_error.map_or(start, Diagnostic::span);
    let remark = first_error.map_or(String::new(), |diagnostic| diagnostic.message.clone());
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

fn read_xta(file: FileId, text: &str, dialect: Dialect, options: &ParseOptions) -> ParsedDocument {
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
    ParsedDocument { document, diagnostics: context.diagnostics, query_diagnostics }
}
