//! Limits on the work that an untrusted input can cause.

use crate::tree::Dialect;

/// Limits on an input. Model files are untrusted: only the caller can raise the limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Maximum nesting of expressions, statements, types and initialisers.
    pub nesting: u32,
    /// Maximum nesting of XML elements.
    pub xml_depth: u32,
    /// Maximum length of an identifier, in bytes.
    pub identifier_length: u32,
    /// Maximum number of elements and attributes of an XML file.
    pub xml_items: u32,
    /// Maximum number of names, types, operators, operands and statements of a document.
    pub items: u32,
    /// Maximum number of entries of a list of queries, headings included.
    pub queries: u32,
    /// Number of errors after which reading stops.
    pub errors: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nesting: 1000,
            xml_depth: 256,
            identifier_length: 4000,
            xml_items: 1_000_000,
            items: 2_000_000,
            queries: 100_000,
            errors: 100,
        }
    }
}

/// Options for reading an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ParseOptions {
    /// The dialect of a model; if absent, the current language is tried before the 3.x one.
    pub dialect: Option<Dialect>,
    /// The limits.
    pub limits: Limits,
}
