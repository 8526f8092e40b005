//! Loading of models: reading, decoding, parsing and lowering.

use crate::input::{
    DEFAULT_MAX_FILE_BYTES, InputError, is_standard_input, name_of_input, read_bytes, read_twice,
    stopped,
};
use crate::large_stack::on_large_stack;
use crate::report::Summary;
use crate::resources::{Resources, meter_from_now};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zonaut_base::{
    Diagnostic, Diagnostics, EncodingProblem, FileId, Severity, SourceFile, SourceMap, Span, decode,
};
use zonaut_lower::codes::{NO_INITIAL_LOCATION, NO_SYSTEM};
use zonaut_lower::{LowerOptions, Lowered, NameTable, lower};
use zonaut_model::{Model, Origin, QueryKind};
use zonaut_syntax::codes::{TOO_MANY_ERRORS, TOO_MANY_ITEMS};
use zonaut_syntax::tree::{Document, Queries, QueryEntry};
use zonaut_syntax::{ParseOptions, parse_formulas, parse_model, parse_queries};

/// Options of loading.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Options of the parser.
    pub parse: ParseOptions,
    /// Options of lowering.
    pub lower: LowerOptions,
    /// The maximal size of a file.
    pub max_file_bytes: u64,
    /// The limits on time and memory of loading.
    pub resources: Resources,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            parse: ParseOptions::default(),
            lower: LowerOptions::default(),
            max_file_bytes: DEFAULT_MAX_FILE_BYTES,
            resources: Resources::default(),
        }
    }
}

/// The source of queries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QuerySource {
    /// The model or, if it has no queries, the file with its name and the extension `.q`.
    WithModel,
    /// The model alone.
    Embedded,
    /// A separate file.
    File(PathBuf),
    /// Given formulas.
    Formulas(Vec<String>),
}

/// A loaded model with its sources and diagnostics.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The sources that were read.
    pub sources: Arc<SourceMap>,
    /// The parsed document.
    pub document: Arc<Document>,
    /// The lowered model; `None` if there is an error outside of its queries.
    pub model: Option<Arc<Model>>,
    /// The source positions of its elements.
    pub origin: Arc<Origin>,
    /// The diagnostics, by file and position; only the first ones if there are very many.
    pub diagnostics: Vec<Diagnostic>,
    /// The resolved names, if [`LowerOptions::names`] asks for them.
    pub names: NameTable,
    /// The queries from other sources than the model.
    pub(crate) separate_queries: Option<Queries>,
}

impl Loaded {
    /// The summary of the model; `None` if there is an error outside of its queries.
    #[must_use]
    pub fn summary(&self) -> Option<Summary> {
        self.session().map(|session| Summary::of(&session))
    }

    /// Whether there is an error in the model or in a query.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|found| found.severity == Severity::Error)
    }

    /// The selected queries as written, including headings.
    #[must_use]
    pub fn query_entries(&self) -> &[QueryEntry] {
        &self.separate_queries.as_ref().unwrap_or(&self.document.queries).entries
    }
}

/// Reads a model and its queries.
///
/// # Errors
/// If a file cannot be read, or not within its limits. Errors inside a file are diagnostics.
pub fn load(
    model: &Path,
    queries: &QuerySource,
    options: &LoadOptions,
) -> Result<Loaded, InputError> {
    if *queries == QuerySource::File(model.to_owned()) && is_standard_input(model) {
        return Err(read_twice(model));
    }
    let meter = meter_from_now(&options.resources);
    let lower = LowerOptions { meter: meter.clone(), ..options.lower.clone() };
    let options = &LoadOptions { lower, ..options.clone() };
    let mut reader = Reader::default();
    let model_file = reader.read(model, options)?;
    let loaded = on_large_stack(|| {
        let document = reader.parse(model_file, options);
        let query_file = match queries {
            QuerySource::Embedded => None,
            QuerySource::WithModel => match query_file_beside(model) {
                Some(path) if document.queries.entries.is_empty() => {
                    Some(reader.read(&path, options)?)
                }
                _ => None,
            },
            QuerySource::File(path) => Some(reader.read(path, options)?),
            QuerySource::Formulas(formulas) => {
                let queries = reader.parse_formulas(formulas, options);
                return Ok(reader.load(document, Some(queries), options));
            }
        };
        let queries = query_file.map(|file| reader.parse_queries(file, options));
        Ok(reader.load(document, queries, options))
    })?;
    // The result of a lowering that a limit stopped is incomplete.
    meter.stopped().map_or(Ok(loaded), |why| Err(stopped(model, why)))
}

/// The separate query file of a model without queries.
#[must_use]
pub fn query_file_beside(model: &Path) -> Option<PathBuf> {
    let beside = model.with_extension("q");
    (beside != model && beside.is_file()).then_some(beside)
}

/// Loads a model and its embedded queries from a text with this name.
#[must_use]
pub fn load_text(name: &str, text: &str, options: &LoadOptions) -> Loaded {
    let mut reader = Reader::default();
    let file = reader.add(name, text.as_bytes().to_vec());
    on_large_stack(|| {
        let document = reader.parse(file, options);
        reader.load(document, None, options)
    })
}

/// Loads a model from a text with this name, with these formulas as its queries.
#[must_use]
pub fn load_text_asking(
    name: &str,
    text: &str,
    formulas: &[String],
    options: &LoadOptions,
) -> Loaded {
    let mut reader = Reader::default();
    // The text is already decoded: its encoding declaration is ignored.
    let file = reader.sources.add(SourceFile::new(name, text));
    on_large_stack(|| {
        let document = reader.parse(file, options);
        let queries = reader.parse_formulas(formulas, options);
        reader.load(document, Some(queries), options)
    })
}

/// A text that is not read from a file, with its name.
#[derive(Clone, Copy, Debug)]
pub struct NamedText<'t> {
    /// The name to show.
    pub name: &'t str,
    /// The whole text.
    pub text: &'t str,
}

/// Loads a model from a text, with the queries of a second text or with its embedded ones.
///
/// The model is the first file of the sources, the queries are the second one.
///
/// # Errors
/// If a limit is reached. Errors in the texts are diagnostics.
pub fn load_texts(
    model: NamedText<'_>,
    queries: Option<NamedText<'_>>,
    options: &LoadOptions,
) -> Result<Loaded, InputError> {
    let meter = meter_from_now(&options.resources);
    let lower = LowerOptions { meter: meter.clone(), ..options.lower.clone() };
    let options = &LoadOptions { lower, ..options.clone() };
    let mut reader = Reader::default();
    // The texts are already decoded: encoding declarations are ignored.
    let file = reader.sources.add(SourceFile::new(model.name, model.text));
    let loaded = on_large_stack(|| {
        let document = reader.parse(file, options);
        let queries = queries.map(|queries| {
            let file = reader.sources.add(SourceFile::new(queries.name, queries.text));
            reader.parse_queries(file, options)
        });
        reader.load(document, queries, options)
    });
    meter.stopped().map_or(Ok(loaded), |why| Err(stopped(Path::new(model.name), why)))
}

/// The sources with the diagnostics of their encodings.
#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) sources: SourceMap,
    pub(crate) diagnostics: Diagnostics,
}

impl Reader {
    pub(crate) fn read(
        &mut self,
        path: &Path,
        options: &LoadOptions,
    ) -> Result<FileId, InputError> {
        let bytes = read_bytes(path, options.max_file_bytes)?;
        Ok(self.add(&name_of_input(path), bytes))
    }

    pub(crate) fn add(&mut self, name: &str, bytes: Vec<u8>) -> FileId {
        let decoded = decode(bytes);
        let file = self.sources.add(SourceFile::new(name, decoded.text));
        if let Some(problem) = decoded.problem {
            self.diagnostics.report(self.describe(file, &problem));
        }
        file
    }

    fn describe(&self, file: FileId, problem: &EncodingProblem) -> Diagnostic {
        let character = |start: u32| {
            let text = &self.sources.file(file).text()[start as usize..];
            let length = text.chars().next().map_or(0, char::len_utf8) as u32;
            self.sources.span(file, start, start + length)
        };
        match *problem {
            EncodingProblem::Invalid { offset, encoding } => {
                let message = format!("this is not {encoding}");
                Diagnostic::error("TA0005", character(offset), message)
                    .with_help("save the file as UTF-8, or declare its encoding")
            }
            EncodingProblem::AssumedLatin1 { offset } => {
                let message = "the file is not UTF-8; it is read as Latin-1";
                Diagnostic::warning("TA0006", character(offset), message)
            }
            EncodingProblem::Unknown { start, end } => {
                let span = self.sources.span(file, start, end);
                Diagnostic::error("TA0007", span, "this encoding is not supported")
                    .with_help("save the file as UTF-8")
            }
        }
    }

    /// The queries of a file.
    fn parse_queries(&mut self, file: FileId, options: &LoadOptions) -> Queries {
        let (queries, found) = parse_queries(&mut self.sources, file, &options.parse);
        self.diagnostics.extend(found);
        queries
    }

    /// The queries of given formulas, one after the other in a virtual file.
    fn parse_formulas(&mut self, formulas: &[String], options: &LoadOptions) -> Queries {
        let mut text = String::new();
        let mut places = Vec::new();
        for formula in formulas.iter().map(|formula| formula.trim_ascii()) {
            let start = text.len() as u32;
            text.push_str(formula);
            places.push(start..text.len() as u32);
            text.push('\n');
        }
        let file = self.sources.add(SourceFile::new("formula", text));
        let (queries, found) = parse_formulas(&mut self.sources, file, &places, &options.parse);
        self.diagnostics.extend(found);
        queries
    }

    /// The constants that were set, each on a line of a virtual file.
    fn add_defines(&mut self, defines: &[(String, i64)]) -> Vec<Span> {
        if defines.is_empty() {
            return Vec::new();
        }
        let lines = defines.iter().map(|(name, value)| format!("{name}={value}"));
        let lines: Vec<String> = lines.collect();
        let file = self.sources.add(SourceFile::new("--define", lines.join("\n")));
        let mut start = 0;
        let places = defines.iter().zip(&lines).map(|((name, _), line)| {
            let place = self.sources.span(file, start, start + name.len() as u32);
            start += line.len() as u32 + 1;
            place
        });
        places.collect()
    }

    /// The document in `file`.
    pub(crate) fn parse(&mut self, file: FileId, options: &LoadOptions) -> Document {
        let (document, found) = parse_model(&mut self.sources, file, &options.parse);
        // Errors that follow from a wrong encoding are not reported.
        if !self.diagnostics.has_errors() {
            self.diagnostics.extend(found);
        }
        document
    }

    fn load(
        mut self,
        document: Document,
        queries: Option<Queries>,
        options: &LoadOptions,
    ) -> Loaded {
        let asked = queries.as_ref().unwrap_or(&document.queries);
        let define_places = self.add_defines(&options.lower.defines);
        let lowering = LowerOptions { define_places, ..options.lower.clone() };
        // If a text was not parsed to its end, missing elements are not reported.
        let is_cut = |found: &Diagnostic| {
            found.span().file == document.file
                && [TOO_MANY_ITEMS, TOO_MANY_ERRORS].contains(&found.code)
        };
        let lowered = match self.diagnostics.iter().any(is_cut) {
            true => Lowered::default(),
            false => lower(&document, &[asked], &lowering),
        };
        let asked_places = QueryPlaces::of([asked]);
        let places = QueryPlaces::of([asked, &document.queries]);
        let is_damaged = self.diagnostics.iter().any(|found| places.is_of_model(found));
        // Missing system lines, initial locations and names of queries are consequences of a syntax
        // error that is already reported.
        let is_consequence = |found: &Diagnostic| {
            is_damaged
                && ([NO_SYSTEM, NO_INITIAL_LOCATION].contains(&found.code)
                    || asked_places.query_at(found).is_some())
        };
        self.diagnostics.extend(lowered.diagnostics.into_iter().filter(|d| !is_consequence(d)));
        let mut found = self.diagnostics;
        let has_errors = found.iter().any(|found| places.is_of_model(found));
        let mut model = lowered.model.filter(|_| !has_errors);
        if let Some(model) = &mut model {
            let errors = found.iter().filter(|found| found.severity == Severity::Error);
            let damaged: HashSet<Span> =
                errors.filter_map(|error| asked_places.query_at(error)).collect();
            // A query with an error has no meaning, whatever was lowered of it.
            for (query, place) in model.queries.iter_mut().zip(lowered.origin.queries.iter()) {
                if damaged.contains(place) {
                    query.kind = QueryKind::Damaged;
                }
            }
        }
        if queries.is_some() {
            found = with_errors_of_unasked_as_warnings(found, &document);
        }
        Loaded {
            sources: Arc::new(self.sources),
            document: Arc::new(document),
            model: model.map(Arc::new),
            origin: Arc::new(lowered.origin),
            diagnostics: first_of(found, options.parse.limits.errors),
            names: lowered.names,
            separate_queries: queries,
        }
    }
}

/// The positions of queries, in order.
struct QueryPlaces(Vec<Span>);

impl QueryPlaces {
    fn of<'q>(lists: impl IntoIterator<Item = &'q Queries>) -> Self {
        let entries = lists.into_iter().flat_map(|queries| &queries.entries);
        let mut places: Vec<Span> = entries.map(|entry| entry.span).collect();
        places.sort_unstable();
        Self(places)
    }

    /// The position of the query that contains `found`.
    fn query_at(&self, found: &Diagnostic) -> Option<Span> {
        let span = found.span();
        let begins_before = |place: &Span| (place.file, place.start) <= (span.file, span.start);
        let last = self.0.partition_point(begins_before).checked_sub(1)?;
        Some(self.0[last]).filter(|place| place.contains(span))
    }

    /// Whether `found` is an error outside of all queries, so that there is no model. A query with
    /// an error cannot be answered, but the others can.
    fn is_of_model(&self, found: &Diagnostic) -> bool {
        found.severity == Severity::Error && self.query_at(found).is_none()
    }
}

/// Errors in embedded queries that are not selected become warnings.
fn with_errors_of_unasked_as_warnings(found: Diagnostics, document: &Document) -> Diagnostics {
    let unasked = QueryPlaces::of([&document.queries]);
    let mut weakened = Diagnostics::default();
    weakened.extend(found.into_iter().map(|mut found| {
        if unasked.query_at(&found).is_some() {
            found.severity = Severity::Warning;
        }
        found
    }));
    weakened
}

/// The first `limit` diagnostics by position, and the number of the others.
fn first_of(diagnostics: Diagnostics, limit: u32) -> Vec<Diagnostic> {
    let more = if diagnostics.is_full() { "more than " } else { "" };
    let mut sorted = diagnostics.into_sorted();
    // Errors come before warnings.
    sorted.sort_by_key(|diagnostic| Reverse(diagnostic.severity));
    let kept = (limit as usize).min(sorted.len());
    let others = sorted.split_off(kept);
    sorted.sort_by_key(Diagnostic::span);
    if let Some(next) = others.first() {
        let message = format!("{more}{} more problems are not shown", others.len());
        let note = Diagnostic::warning("TA0008", next.span(), message);
        sorted.push(note.with_help("raise the limit with --max-errors"));
    }
    sorted
}
