//! Parsers and printers for the input languages of Zonaut: UPPAAL's XML, XTA (current and 3.x) and
//! queries.
//!
//! Parsers turn text into a [`tree`] and diagnostics; printers turn trees into text. Names are not
//! resolved and types are not checked here.
//!
//! Invariants: no input makes a parser panic or recurse deeper than its [`Limits`] allow; every
//! span is a section of the input file, also inside XML with entities; the printed text of a model
//! without errors parses to the same model.
//!
//! ```
//! use zonaut_base::{SourceFile, SourceMap};
//! use zonaut_syntax::{ParseOptions, parse_model, print_xta};
//!
//! let text = "process P() { state a, b; init a; trans a -> b { }; } system P;";
//! let mut sources = SourceMap::default();
//! let file = sources.add(SourceFile::new("p.xta", text));
//! let (document, diagnostics) = parse_model(&mut sources, file, &ParseOptions::default());
//! assert!(!diagnostics.has_errors());
//! assert_eq!(document.templates[0].edges.len(), 1);
//! assert!(print_xta(&document).starts_with("\nprocess P() {"));
//! ```

pub mod codes;
#[cfg(feature = "faults")]
pub mod faults;
pub mod tree;

mod context;
mod document;
mod flawless;
mod fragment;
mod lexer;
mod limits;
mod parser;
mod print;
mod query;
mod tokens;
mod xml;

pub use document::parse_model;
pub use flawless::Flawless;
pub use limits::{Limits, ParseOptions};
pub use print::{
    edge_labels, location_labels, location_names, print_expression, print_queries, print_xml,
    print_xta, template_heading, xml_escaped,
};
pub use query::{parse_formulas, parse_queries, parse_query_text};
pub use tokens::{Language, Token, TokenClass, is_name, tokens};
