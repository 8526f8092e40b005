//! Printers: trees to text.
//!
//! Law: the printed text of a model without errors parses without errors, and printing the result
//! gives the same text.

mod declaration;
mod expression;
mod labels;
mod names;
mod query;
mod statement;
mod xml;
mod xta;

pub use expression::print_expression;
pub use labels::{edge_labels, location_labels, location_names, template_heading};
pub use query::print_queries;
pub use xml::{escaped as xml_escaped, print_xml};
pub use xta::print_xta;

use crate::tree::{Comment, Expressions};
use std::borrow::Cow;

/// Text with indentation.
struct Printer<'d> {
    expressions: &'d Expressions,
    out: String,
    indent: usize,
}

impl<'d> Printer<'d> {
    fn new(expressions: &'d Expressions) -> Self {
        Self { expressions, out: String::new(), indent: 0 }
    }

    fn line(&mut self, text: &str) {
        if !text.is_empty() {
            for _ in 0..self.indent {
                self.out.push_str("    ");
            }
            self.out.push_str(text);
        }
        self.out.push('\n');
    }

    fn comment(&mut self, comment: &Comment) {
        if comment.behind && self.out.ends_with('\n') {
            self.out.pop();
            self.out.push(' ');
            self.out.push_str(&comment.text);
            self.out.push('\n');
        } else {
            self.line(&comment.text);
        }
    }

    fn indented(&mut self, body: impl FnOnce(&mut Self)) {
        self.indent += 1;
        body(self);
        self.indent -= 1;
    }
}

/// A name in the current language. Names that only the 3.x language allows get a trailing
/// underscore.
fn spelled(name: &str) -> Cow<'_, str> {
    if crate::lexer::is_reserved(name) {
        Cow::Owned(format!("{name}_"))
    } else {
        Cow::Borrowed(name)
    }
}

/// `items`, separated by commas.
fn join(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(", ")
}
