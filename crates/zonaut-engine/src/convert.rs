//! Models in other formats.

use crate::input::InputError;
use crate::large_stack::on_large_stack;
use crate::load::{LoadOptions, Reader};
use std::path::Path;
use zonaut_base::{Diagnostic, SourceMap};
use zonaut_draw::{draw_document, print_dot};
use zonaut_syntax::tree::Document;
use zonaut_syntax::{print_xml, print_xta};

/// A format that models are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// UPPAAL's text.
    Xta,
    /// UPPAAL's XML.
    Xml,
    /// A drawing for Graphviz.
    Dot,
    /// A picture.
    Svg,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Xta, Self::Xml, Self::Dot, Self::Svg];

    /// The extension of files in this format.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Xta => "xta",
            Self::Xml => "xml",
            Self::Dot => "dot",
            Self::Svg => "svg",
        }
    }

    /// The format of files with this extension.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.extension().eq_ignore_ascii_case(extension))
    }

    /// `document` in this format.
    #[must_use]
    pub fn print(self, document: &Document) -> String {
        match self {
            Self::Xta => print_xta(document),
            Self::Xml => print_xml(document),
            Self::Dot => print_dot(document),
            Self::Svg => draw_document(document).standalone(),
        }
    }
}

/// A model in another format.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The texts that were read.
    pub sources: SourceMap,
    /// The model in the other format; absent where it could not be parsed.
    pub text: Option<String>,
    /// What is wrong or odd, by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a model and prints it in `format`. It need not be complete: names and types are not
/// looked at.
///
/// # Errors
/// When the file cannot be read at all.
pub fn convert(
    model: &Path,
    format: Format,
    options: &LoadOptions,
) -> Result<Converted, InputError> {
    let mut reader = Reader::default();
    let file = reader.read(model, options)?;
    Ok(on_large_stack(|| {
        let document = reader.parse(file, options);
        let text = (!reader.diagnostics.has_errors()).then(|| format.print(&document));
        Converted { sources: reader.sources, text, diagnostics: reader.diagnostics.into_sorted() }
    }))
}
