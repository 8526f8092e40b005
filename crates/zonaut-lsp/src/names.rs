//! Hover, definition, references and rename.

use crate::analysis::{AnalysedFile, Analysis};
use crate::describe::declaration;
use crate::documents::{Documents, analysis_of};
use crate::outline::Outline;
use crate::text::Text;
use lsp_types::{
    Hover, Location, MarkupContent, MarkupKind, OptionalVersionedTextDocumentIdentifier, Position,
    Range as PositionRange, TextDocumentEdit, TextDocumentIdentifier, TextEdit, Uri, WorkspaceEdit,
};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use zonaut_engine::{Definition, Id, Severity, Span};
use zonaut_syntax::is_name;

/// A position in an open document.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) uri: Uri,
    pub(crate) position: Position,
}

/// The name at a position: its own span and its definition.
fn name_at(analysis: &Analysis, position: Position) -> Option<(Span, &Definition)> {
    let offset = analysis.own_file().text.offset(position);
    analysis.loaded.names.at(analysis.place(offset))
}

pub(crate) fn hover(analysis: &Analysis, position: Position) -> Option<Hover> {
    let (span, definition) = name_at(analysis, position)?;
    let text = declaration(analysis, &Outline::of(analysis), definition);
    // A fence inside the text would end the block; names of models have no backquotes.
    let value = format!("```xta\n{}\n```", text.replace('`', "'"));
    let contents = MarkupContent { kind: MarkupKind::Markdown, value }.into();
    Some(Hover { contents, range: Some(analysis.range(span)) })
}

pub(crate) fn definition(analysis: &Analysis, position: Position) -> Option<Location> {
    let (_, definition) = name_at(analysis, position)?;
    analysis.location(definition.span)
}

/// The occurrences of one name, by document.
#[derive(Debug, Default)]
struct Occurrences {
    by_uri: BTreeMap<String, FileOccurrences>,
}

#[derive(Debug)]
struct FileOccurrences {
    file: AnalysedFile,
    spans: Vec<Span>,
}

impl Occurrences {
    fn add(&mut self, analysis: &Analysis, span: Span) {
        let Some(file) = analysis.file(span.file) else { return };
        let entry = self.by_uri.entry(file.uri.0.as_str().to_owned());
        let entry =
            entry.or_insert_with(|| FileOccurrences { file: file.clone(), spans: Vec::new() });
        let is_known = |known: &Span| (known.start, known.end) == (span.start, span.end);
        if !entry.spans.iter().any(is_known) {
            entry.spans.push(span);
        }
    }
}

/// All analyses that can use the name at a place, and the occurrences of the name.
fn occurrences(
    documents: &mut Documents,
    place: &Place,
    with_definition: bool,
) -> Option<(Vec<Rc<Analysis>>, Occurrences)> {
    let analysis = documents.analysed(&place.uri)?;
    let defined = name_at(&analysis, place.position)?.1.span;
    let is_of_model = defined.file.index() == 0;
    let analyses = match is_of_model {
        true => documents.analyses_of_model(&analysis.model().clone()),
        false => vec![Rc::clone(&analysis)],
    };
    let mut all = Occurrences::default();
    for analysis in &analyses {
        if with_definition {
            all.add(analysis, defined);
        }
        let uses = analysis.loaded.names.uses().filter(|(_, definition)| *definition == defined);
        #[cfg(feature = "faults")]
        let skipped = usize::from(crate::faults::Fault::MissedReference.is_selected());
        #[cfg(feature = "faults")]
        let uses = uses.skip(skipped);
        uses.for_each(|(span, _)| all.add(analysis, span));
    }
    Some((analyses, all))
}

pub(crate) fn references(
    documents: &mut Documents,
    place: &Place,
    with_definition: bool,
) -> Option<Vec<Location>> {
    let (_, all) = occurrences(documents, place, with_definition)?;
    let mut locations = Vec::new();
    for FileOccurrences { file, mut spans } in all.by_uri.into_values() {
        spans.sort_unstable();
        locations.extend(spans.into_iter().map(|span| Location {
            uri: file.uri.clone(),
            range: file.text.range(span.start as usize..span.end as usize),
        }));
    }
    Some(locations)
}

/// The range of the name at a place, if it can be renamed.
pub(crate) fn renamable(analysis: &Analysis, position: Position) -> Result<PositionRange, String> {
    let (span, definition) =
        name_at(analysis, position).ok_or("there is no name that is declared in this model")?;
    if analysis.snippet(definition.span) != &*definition.name {
        return Err(format!("the declaration of `{}` cannot be changed", definition.name));
    }
    if analysis.snippet(span) != &*definition.name {
        return Err("this refers to a location by its id".to_owned());
    }
    Ok(analysis.range(span))
}

/// The edits that rename the name at a place.
///
/// A model with errors is refused, because a use in damaged code would be missed, and so is a name
/// that would change the meaning of another one: the result is analysed, and all uses must have the
/// same definitions as before.
pub(crate) fn rename(
    documents: &mut Documents,
    place: &Place,
    new_name: &str,
) -> Result<WorkspaceEdit, String> {
    if !is_name(new_name) {
        return Err(format!("`{new_name}` is not a name"));
    }
    let analysis = documents.analysed(&place.uri).ok_or("the document is not analysed")?;
    renamable(&analysis, place.position)?;
    let (analyses, mut all) = occurrences(documents, place, true).ok_or("there is no name here")?;
    for analysis in &analyses {
        let mut errors = analysis.loaded.diagnostics.iter();
        if let Some(error) = errors.find(|found| found.severity == Severity::Error) {
            let place = analysis.loaded.sources.position(error.span()).to_string();
            return Err(format!("first correct the error at {place}: {}", error.message));
        }
    }
    let mut changed: HashMap<String, Rc<Text>> = HashMap::new();
    let mut changes = Vec::new();
    for (uri, occurrences) in &mut all.by_uri {
        let FileOccurrences { file, spans } = occurrences;
        // References by the id of a location, in XML, do not contain the name.
        spans.retain(|span| !file.text.content()[span.start as usize..].starts_with('"'));
        spans.sort_unstable();
        let mut content = file.text.content().to_owned();
        let mut edits = Vec::new();
        for span in spans.iter().rev() {
            let bytes = span.start as usize..span.end as usize;
            let range = file.text.range(bytes.clone());
            edits.push(TextEdit { range, new_text: new_name.to_owned() }.into());
            content.replace_range(bytes, new_name);
        }
        changed.insert(uri.clone(), Rc::new(Text::new(content)));
        let version = documents.get(&file.uri).map(|document| document.version);
        let text_document = OptionalVersionedTextDocumentIdentifier::new(
            version,
            TextDocumentIdentifier::new(file.uri.clone()),
        );
        changes.push(TextDocumentEdit { text_document, edits }.into());
    }
    for analysis in &analyses {
        if !keeps_meaning(analysis, &changed) {
            return Err(format!("`{new_name}` would clash with another name"));
        }
    }
    let document_changes = Some(changes);
    Ok(WorkspaceEdit { document_changes, ..WorkspaceEdit::default() })
}

/// Whether an analysis has no errors and the same structure of names after the changes.
fn keeps_meaning(before: &Analysis, changed: &HashMap<String, Rc<Text>>) -> bool {
    let mut files = before.files.iter().map(|file| AnalysedFile {
        uri: file.uri.clone(),
        text: Rc::clone(changed.get(file.uri.0.as_str()).unwrap_or(&file.text)),
    });
    let Some(model) = files.next() else { return false };
    let queries = files.next();
    let after = analysis_of(model, queries, before.missing_model.clone(), before.settings.clone());
    after.is_ok_and(|after| {
        let has_errors = after.loaded.diagnostics.iter().any(|it| it.severity == Severity::Error);
        !has_errors && structure(before) == structure(&after)
    })
}

/// For each use in order, the ordinal of its definition; and the number of definitions.
fn structure(analysis: &Analysis) -> (usize, Vec<Option<usize>>) {
    let names = &analysis.loaded.names;
    let ordinals: HashMap<Span, usize> =
        names.definitions().enumerate().map(|(ordinal, found)| (found.span, ordinal)).collect();
    let uses = names.uses().map(|(_, defined)| ordinals.get(&defined).copied());
    (ordinals.len(), uses.collect())
}
