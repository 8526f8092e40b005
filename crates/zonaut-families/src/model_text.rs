//! The common layout of all generated models: a comment, named constants, and a body that refers to
//! the constants only.

use std::fmt::Display;

/// A named integer constant at the head of a model.
pub(crate) struct Constant {
    /// Its name in the model.
    pub(crate) name: &'static str,
    /// A number, or an expression over constants before it.
    pub(crate) value: String,
    /// Its meaning.
    pub(crate) meaning: &'static str,
}

/// A constant with an expression or a number as its value.
pub(crate) fn constant(name: &'static str, value: &dyn Display, meaning: &'static str) -> Constant {
    Constant { name, value: value.to_string(), meaning }
}

/// The text of a model that consists of a comment, constants and a body.
pub(crate) fn model_text(comment: &str, constants: &[Constant], body: &str) -> String {
    let mut text = String::new();
    for line in comment.trim().lines() {
        text.push_str("// ");
        text.push_str(line.trim());
        text.push('\n');
    }
    text.push('\n');
    let declarations: Vec<String> = constants
        .iter()
        .map(|constant| format!("const int {} = {};", constant.name, constant.value))
        .collect();
    let width = declarations.iter().map(String::len).max().unwrap_or(0);
    for (constant, declaration) in constants.iter().zip(&declarations) {
        text.push_str(&format!("{declaration:width$}  // {}\n", constant.meaning));
    }
    text.push('\n');
    text.push_str(body.trim_start());
    text
}
