//! The analysis of a document: its model and queries as loaded, with positions.

use crate::folder::FolderSettings;
use crate::text::Text;
use lsp_types::{Location, Range as PositionRange, Uri};
use std::rc::Rc;
use zonaut_engine::{FileId, Id, Loaded, Span};

/// A text that takes part in an analysis.
#[derive(Clone, Debug)]
pub(crate) struct AnalysedFile {
    pub(crate) uri: Uri,
    pub(crate) text: Rc<Text>,
}

/// A loaded model with its queries, and the documents that they come from.
#[derive(Debug)]
pub(crate) struct Analysis {
    pub(crate) loaded: Loaded,
    /// The files in the order of their ids: the model, then the queries.
    pub(crate) files: Vec<AnalysedFile>,
    /// The file of the analysed document.
    pub(crate) own: FileId,
    /// The reason why a list of queries has no model.
    pub(crate) missing_model: Option<String>,
    /// The settings of the folder of the model, or the error in them.
    pub(crate) settings: Result<FolderSettings, String>,
}

impl Analysis {
    pub(crate) fn file(&self, id: FileId) -> Option<&AnalysedFile> {
        self.files.get(id.index())
    }

    pub(crate) fn own_file(&self) -> &AnalysedFile {
        &self.files[self.own.index()]
    }

    /// The file of the model.
    pub(crate) fn model(&self) -> &AnalysedFile {
        &self.files[0]
    }

    /// The empty span at a byte of the analysed document.
    pub(crate) fn place(&self, offset: usize) -> Span {
        let at = offset as u32;
        Span { file: self.own, start: at, end: at }
    }

    /// The range of a span in its document.
    pub(crate) fn range(&self, span: Span) -> PositionRange {
        let bytes = span.start as usize..span.end as usize;
        self.file(span.file).map_or_else(PositionRange::default, |file| file.text.range(bytes))
    }

    pub(crate) fn location(&self, span: Span) -> Option<Location> {
        let file = self.file(span.file)?;
        Some(Location { uri: file.uri.clone(), range: self.range(span) })
    }

    /// The text of a span.
    pub(crate) fn snippet(&self, span: Span) -> &str {
        let bytes = span.start as usize..span.end as usize;
        self.file(span.file).and_then(|file| file.text.content().get(bytes)).unwrap_or("")
    }
}
