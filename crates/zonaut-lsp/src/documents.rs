//! The open documents, the models of query files, and their analyses.
//!
//! A query file belongs to the model that a comment at its top names, as in `// model: gate.xml`, or
//! to the model with its name beside it. An open model counts as it is in the editor; others are
//! read from their files.

use crate::address::{path_of, uri_of};
use crate::analysis::{AnalysedFile, Analysis};
use crate::folder::{FindSettings, FolderSettings};
use crate::text::Text;
use lsp_types::Uri;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use zonaut_base::decode;
use zonaut_engine::{
    FileId, Id, LoadOptions, LowerOptions, NamedText, Resources, load_texts, read_bytes,
};

/// The extensions of models, in the order in which they are looked for beside a query file.
const MODEL_EXTENSIONS: [&str; 3] = ["xta", "xml", "ta"];
/// The number of lines in which a comment can name the model of a query file.
const TOP_LINES: usize = 20;
/// The largest document that is analysed, in bytes.
pub(crate) const MOST_BYTES: usize = 8 << 20;
/// The time limit of an analysis: constants of a model can take very long to compute.
const ANALYSIS_TIME: Duration = Duration::from_secs(5);

/// The kind of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A textual model.
    Model,
    /// A model in XML.
    Markup,
    /// A list of queries.
    Queries,
    /// Another document, which is not analysed.
    Other,
}

/// An open document.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) uri: Uri,
    pub(crate) language: String,
    pub(crate) version: i32,
    pub(crate) text: Rc<Text>,
    analysis: Option<Result<Rc<Analysis>, String>>,
}

impl Document {
    pub(crate) fn new(uri: Uri, language: String, version: i32, text: String) -> Self {
        Self { uri, language, version, text: Rc::new(Text::new(text)), analysis: None }
    }

    /// The kind by extension or, for unsaved documents, by language.
    pub(crate) fn kind(&self) -> Kind {
        let path = self.uri.0.as_str();
        let extension = path.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
        match extension.map_or("", |(_, extension)| extension) {
            "xta" | "ta" => Kind::Model,
            "q" => Kind::Queries,
            "xml" if is_model_markup(self.text.content()) => Kind::Markup,
            "xml" => Kind::Other,
            _ => match self.language.as_str() {
                "xta" => Kind::Model,
                "uppaal-queries" => Kind::Queries,
                "xml" if is_model_markup(self.text.content()) => Kind::Markup,
                _ => Kind::Other,
            },
        }
    }

    fn file(&self) -> AnalysedFile {
        AnalysedFile { uri: self.uri.clone(), text: Rc::clone(&self.text) }
    }
}

/// Whether a text in XML looks like a model; other documents in XML are left alone.
fn is_model_markup(text: &str) -> bool {
    text.contains("<nta") || text.contains("<project")
}

/// The open documents by URI.
pub(crate) struct Documents {
    open: BTreeMap<String, Document>,
    find: FindSettings,
}

impl Documents {
    pub(crate) fn new(find: FindSettings) -> Self {
        Self { open: BTreeMap::new(), find }
    }

    /// The settings of the folder of a model.
    fn settings(&self, model: &AnalysedFile) -> Result<FolderSettings, String> {
        let path = path_of(model.uri.0.as_str());
        let found = path.map_or(Ok(None), |path| (self.find)(&path));
        found.map(Option::unwrap_or_default)
    }

    /// The analysis of a model, or of queries about it.
    fn analysis_of(
        &self,
        model: AnalysedFile,
        queries: Option<AnalysedFile>,
        missing_model: Option<String>,
    ) -> Result<Rc<Analysis>, String> {
        let settings = self.settings(&model);
        analysis_of(model, queries, missing_model, settings)
    }

    pub(crate) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.open.get(uri.0.as_str())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Document> {
        self.open.values()
    }

    /// Adds or replaces a document. Query files may have found another model before.
    pub(crate) fn open(&mut self, document: Document) {
        self.open.insert(document.uri.0.as_str().to_owned(), document);
        self.forget_analyses();
    }

    pub(crate) fn close(&mut self, uri: &Uri) -> Option<Document> {
        let closed = self.open.remove(uri.0.as_str());
        self.forget_analyses();
        closed
    }

    /// Discards all analyses, after files outside the editor may have changed.
    pub(crate) fn forget_analyses(&mut self) {
        self.open.values_mut().for_each(|document| document.analysis = None);
    }

    /// Changes the text of a document. Returns the documents whose analysis that affects.
    pub(crate) fn edit(
        &mut self,
        uri: &Uri,
        version: i32,
        change: impl FnOnce(&mut Text),
    ) -> Vec<Uri> {
        let Some(document) = self.open.get_mut(uri.0.as_str()) else { return Vec::new() };
        document.version = version;
        let analysis = document.analysis.take();
        #[cfg(feature = "faults")]
        if crate::faults::Fault::StaleAnalysis.is_selected() {
            document.analysis.clone_from(&analysis);
        }
        drop(analysis);
        change(Rc::make_mut(&mut document.text));
        let mut affected = vec![document.uri.clone()];
        let is_other = |other: &&mut Document| other.uri != *uri && other.kind() == Kind::Queries;
        for other in self.open.values_mut().filter(is_other) {
            let depends = match &other.analysis {
                Some(Ok(analysis)) => analysis.model().uri == *uri,
                Some(Err(_)) | None => true,
            };
            if depends {
                other.analysis = None;
                affected.push(other.uri.clone());
            }
        }
        affected
    }

    /// The analysis of an open document, computed if need be; an error for a document that is too
    /// large, and `None` for one that is not open or not analysed.
    pub(crate) fn analysis(&mut self, uri: &Uri) -> Option<Result<Rc<Analysis>, String>> {
        let document = self.get(uri)?;
        if let Some(analysis) = &document.analysis {
            return Some(analysis.clone());
        }
        let kind = document.kind();
        if kind == Kind::Other {
            return None;
        }
        let file = document.file();
        let analysis = match kind {
            Kind::Queries => self.analysis_of_queries(file),
            _ => self.analysis_of(file, None, None),
        };
        if let Some(document) = self.open.get_mut(uri.0.as_str()) {
            document.analysis = Some(analysis.clone());
        }
        Some(analysis)
    }

    /// The analysis of an open document without problems in its way.
    pub(crate) fn analysed(&mut self, uri: &Uri) -> Option<Rc<Analysis>> {
        self.analysis(uri)?.ok()
    }

    /// The analyses of a model and of the queries about it: of open query files, and of the file
    /// with the name of the model beside it.
    pub(crate) fn analyses_of_model(&mut self, model: &AnalysedFile) -> Vec<Rc<Analysis>> {
        let mut all = Vec::new();
        match self.get(&model.uri).is_some() {
            true => all.extend(self.analysed(&model.uri)),
            false => all.extend(self.analysis_of(model.clone(), None, None).ok()),
        }
        let queries: Vec<Uri> = self.iter().map(|document| document.uri.clone()).collect();
        for uri in queries.into_iter().filter(|uri| *uri != model.uri) {
            let analysis = self.analysed(&uri);
            all.extend(analysis.filter(|found| found.model().uri == model.uri));
        }
        if let Some(path) = path_of(model.uri.0.as_str()) {
            let beside = path.with_extension("q");
            let is_open = self.open_at(&beside).is_some();
            if let (false, Some(file)) = (is_open, read_file(&beside)) {
                let analysis = self.analysis_of_queries(file).ok();
                all.extend(analysis.filter(|found| found.model().uri == model.uri));
            }
        }
        all
    }

    fn analysis_of_queries(&self, queries: AnalysedFile) -> Result<Rc<Analysis>, String> {
        match self.model_of(&queries) {
            Ok(model) => self.analysis_of(model, Some(queries), None),
            Err(reason) => {
                let model = AnalysedFile { uri: queries.uri.clone(), text: Rc::default() };
                self.analysis_of(model, Some(queries), Some(reason))
            }
        }
    }

    /// The model of a query file, or the reason why it has none.
    fn model_of(&self, queries: &AnalysedFile) -> Result<AnalysedFile, String> {
        let own = path_of(queries.uri.0.as_str());
        let Some(own) = own else {
            return Err("save the queries beside their model".to_owned());
        };
        if let Some(named) = named_model(queries.text.content()) {
            let path = normalised(&own.with_file_name(named));
            return self.model_at(&path).ok_or_else(|| format!("there is no model `{named}`"));
        }
        let beside = MODEL_EXTENSIONS.map(|extension| own.with_extension(extension));
        beside.iter().find_map(|path| self.model_at(path)).ok_or_else(|| {
            let name = own.with_extension("xta");
            let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
            format!("no model `{name}` is beside this file; name one with `// model: FILE`")
        })
    }

    fn model_at(&self, path: &Path) -> Option<AnalysedFile> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        if !extension.is_some_and(|extension| MODEL_EXTENSIONS.contains(&extension)) {
            return None;
        }
        self.open_at(path).map(Document::file).or_else(|| read_file(path))
    }

    fn open_at(&self, path: &Path) -> Option<&Document> {
        self.iter().find(|document| path_of(document.uri.0.as_str()).as_deref() == Some(path))
    }
}

/// The file that a comment at the top of a query file names.
fn named_model(text: &str) -> Option<&str> {
    let lines = text.lines().take(TOP_LINES).map(str::trim);
    let comments = lines.take_while(|line| line.is_empty() || line.starts_with("//"));
    let mut names = comments.filter_map(|line| {
        let comment = line.strip_prefix("//")?.trim();
        Some(comment.strip_prefix("model:")?.trim())
    });
    names.find(|name| !name.is_empty())
}

/// The path without `.` and `..`.
fn normalised(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                result.pop();
            }
            part => result.push(part),
        }
    }
    result
}

fn read_file(path: &Path) -> Option<AnalysedFile> {
    let bytes = read_bytes(path, MOST_BYTES as u64).ok()?;
    let uri = Uri::from(uri_of(path));
    Some(AnalysedFile { uri, text: Rc::new(Text::new(decode(bytes).text)) })
}

/// The options of loading for an editor: with names and these constants, within limits.
fn load_options(defines: Vec<(String, i64)>) -> LoadOptions {
    LoadOptions {
        lower: LowerOptions { names: true, defines, ..LowerOptions::default() },
        resources: Resources { time: Some(ANALYSIS_TIME), ..Resources::default() },
        ..LoadOptions::default()
    }
}

/// The analysis of a model, or of queries about it.
pub(crate) fn analysis_of(
    model: AnalysedFile,
    queries: Option<AnalysedFile>,
    missing_model: Option<String>,
    settings: Result<FolderSettings, String>,
) -> Result<Rc<Analysis>, String> {
    let bytes = |file: &AnalysedFile| file.text.content().len();
    if bytes(&model) + queries.as_ref().map_or(0, bytes) > MOST_BYTES {
        let limit = MOST_BYTES >> 20;
        return Err(format!("the document is larger than {limit} MB and is not analysed"));
    }
    let named = |file: &AnalysedFile| file_name(file.uri.0.as_str());
    let (model_name, query_name) = (named(&model), queries.as_ref().map(named));
    let query_text = queries
        .as_ref()
        .zip(query_name.as_ref())
        .map(|(file, name)| NamedText { name, text: file.text.content() });
    let model_text = NamedText { name: &model_name, text: model.text.content() };
    // Queries without a model have nothing that settings could change.
    let applied = settings.as_ref().ok().filter(|_| missing_model.is_none());
    let defines = applied.map_or_else(Vec::new, |settings| settings.defines.clone());
    let loaded = load_texts(model_text, query_text, &load_options(defines));
    let loaded = loaded.map_err(|error| error.to_string())?;
    let own = FileId::from_index(usize::from(queries.is_some()));
    let files = [model].into_iter().chain(queries).collect();
    Ok(Rc::new(Analysis { loaded, files, own, missing_model, settings }))
}

/// The last part of a URI, for messages.
fn file_name(uri: &str) -> String {
    let path = path_of(uri);
    let name = path.as_deref().and_then(Path::file_name);
    name.map_or_else(|| uri.to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_at_the_top_names_the_model() {
        assert_eq!(named_model("// model: a/b.xml\nE<> P.x"), Some("a/b.xml"));
        assert_eq!(named_model("\n// Safety\n//model:g.xta"), Some("g.xta"));
        assert_eq!(named_model("E<> P.x\n// model: late.xta"), None);
        assert_eq!(named_model("// model:\n"), None);
        assert_eq!(normalised(Path::new("/a/b/../c/./d.xta")), PathBuf::from("/a/c/d.xta"));
    }

    #[test]
    fn only_models_in_xml_are_analysed() {
        let kind = |name: &str, text: &str| {
            let uri = Uri::from(name);
            Document::new(uri, "plaintext".to_owned(), 1, text.to_owned()).kind()
        };
        assert_eq!(kind("file:///a.xml", "<html></html>"), Kind::Other);
        assert_eq!(kind("file:///a.xml", "<nta></nta>"), Kind::Markup);
        assert_eq!(kind("file:///a.ta", ""), Kind::Model);
        assert_eq!(kind("file:///a.q", ""), Kind::Queries);
        assert_eq!(kind("untitled:x", ""), Kind::Other);
    }
}
