//! The tokens and comments of a text, for editors.

use crate::document::mode;
use crate::lexer::{Lexer, Mode, TokenKind, is_reserved};
use crate::tree::Dialect;
use std::ops::Range;

/// The language of a text without markup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// A model, or a part of one.
    Model(Dialect),
    /// A list of queries.
    Queries,
}

/// The class of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenClass {
    /// An identifier.
    Name,
    /// A reserved word.
    Keyword,
    /// A number.
    Number,
    /// A string.
    Text,
    /// An operator, a bracket or a separator.
    Sign,
    /// A comment.
    Comment,
}

/// A token or a comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its class.
    pub class: TokenClass,
    /// Its bytes in the text.
    pub range: Range<usize>,
}

/// The tokens and comments of `text`, in order; `None` if it has an illegal character, or a comment
/// or string without an end.
#[must_use]
pub fn tokens(text: &str, language: Language) -> Option<Vec<Token>> {
    let mut lexer = Lexer::new(text, mode_of(language));
    let mut all = Vec::new();
    let mut end = 0;
    loop {
        let token = lexer.next().ok()?;
        let range = token.start as usize..token.end as usize;
        comments(text, end..range.start, &mut all);
        end = range.end;
        let class = match token.kind {
            TokenKind::End => return Some(all),
            TokenKind::Identifier => TokenClass::Name,
            TokenKind::Integer | TokenKind::Float => TokenClass::Number,
            TokenKind::Text => TokenClass::Text,
            kind if kind.is_keyword() => TokenClass::Keyword,
            _ => TokenClass::Sign,
        };
        all.push(Token { class, range });
    }
}

/// Whether `word` is an identifier of models and queries.
#[must_use]
pub fn is_name(word: &str) -> bool {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    let continues = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#');
    word.starts_with(starts) && word.chars().all(continues) && !is_reserved(word)
}

fn mode_of(language: Language) -> Mode {
    match language {
        Language::Model(dialect) => mode(dialect),
        Language::Queries => Mode::Query,
    }
}

/// Adds the comments of `gap`, which has no tokens.
fn comments(text: &str, gap: Range<usize>, all: &mut Vec<Token>) {
    let mut at = gap.start;
    while let Some(found) = text[at..gap.end].find('/') {
        let start = at + found;
        let rest = &text[start..gap.end];
        let length = match rest.starts_with("//") {
            true => rest.find(['\n', '\r']),
            false => rest.get(2..).and_then(|inner| inner.find("*/")).map(|end| end + 4),
        };
        let end = length.map_or(gap.end, |length| start + length);
        all.push(Token { class: TokenClass::Comment, range: start..end });
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found = tokens(text, Language::Model(Dialect::Current));
        let found = found.map(|all| all.into_iter().map(|it| &text[it.range]).collect::<Vec<_>>());
        assert_eq!(found.unwrap_or_default(), expected, "{text}");
    }

    #[test]
    fn comments_stand_between_the_tokens() {
        check("int x; // a / b\n/* c // */ y", &["int", "x", ";", "// a / b", "/* c // */", "y"]);
        check("a / b", &["a", "/", "b"]);
        check("// only", &["// only"]);
        check("/**/x/*y*//*z*/", &["/**/", "x", "/*y*/", "/*z*/"]);
        check("/* open", &[]);
        check("", &[]);
    }

    #[test]
    fn reserved_words_are_no_names() {
        for (word, expected) in [("x", true), ("_a1", true), ("1a", false), ("", false)] {
            assert_eq!(is_name(word), expected, "{word}");
        }
        assert!(!is_name("clock") && !is_name("a b") && !is_name("ä"));
    }
}
