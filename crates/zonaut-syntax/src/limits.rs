//! What bounds the work that a hostile input can cause.

use crate::tree::Dialect;

/// Limits on an input. A model file is untrusted: only the caller can raise them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How deep expressions, statements, types and initialisers may nest.
    pub nesting: u32,
    /// How deep XML elements may nest.
    pub xml_depth: u32,
    /// How many bytes an identifier may have.
    pub identifier_length: u32,
    /// How many elements and attributes an XML file may have.
    pub xml_items: u32,
    /// How many names, types, operators, operands and statements one document may have.
    pub items: u32,
    /// How many queries one list may have.
    pub queries: u32,
    /// After how many errors reading stops.
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

/// How to read an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ParseOptions {
    /// The language of a model; without one, the current language is tried before the old one.
    pub dialect: Option<Dialect>,
    /// The limits.
    pub limits: Limits,
}
