//! Conversion of models between formats.

use crate::input::InputError;
use crate::large_stack::on_large_stack;
use crate::load::{LoadOptions, Reader};
use std::path::Path;
use zonaut_base::{Diagnostic, SourceMap};
use zonaut_draw::{draw_document, lay_out, print_dot};
use zonaut_syntax::tree::Document;
use zonaut_syntax::{print_xml, print_xta};

/// An output format of models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// UPPAAL's textual format.
    Xta,
    /// UPPAAL's XML format; templates without coordinates get an automatic layout.
    Xml,
    /// Graphviz input.
    Dot,
    /// A drawing.
    Svg,
    /// A drawing as a PDF file.
    Pdf,
    /// A drawing in TikZ, for LaTeX.
    Tikz,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 6] = [Self::Xta, Self::Xml, Self::Dot, Self::Svg, Self::Pdf, Self::Tikz];

    /// The extension of files in this format.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Xta => "xta",
            Self::Xml => "xml",
            Self::Dot => "dot",
            Self::Svg => "svg",
            Self::Pdf => "pdf",
            Self::Tikz => "tex",
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
            Self::Xml => {
                let mut drawn = document.clone();
                lay_out(&mut drawn);
                print_xml(&drawn)
            }
            Self::Dot => print_dot(document),
            Self::Svg => draw_document(document).standalone(),
            Self::Pdf => draw_document(document).pdf(),
            Self::Tikz => draw_document(document).tikz(),
        }
    }
}

/// A converted model.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The sources that were read.
    pub sources: SourceMap,
    /// The converted text; `None` if the model could not be parsed.
    pub text: Option<String>,
    /// The diagnostics, by position.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a model and prints it in `format`. It may be incomplete: names and types are not checked.
///
/// # Errors
/// If the file cannot be read.
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
