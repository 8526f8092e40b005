//! Formatting of white space.
//!
//! Lines are indented by the depth of their brackets, blanks at their ends are removed, and so are
//! blank lines beyond one. The tokens and comments of the result are compared with those of the
//! text: if they differ, or if the text has lexical errors, nothing is changed.

use crate::documents::Kind;
use crate::text::Text;
use lsp_types::{FormattingOptions, TextEdit};
use zonaut_syntax::tree::Dialect;
use zonaut_syntax::{Language, Token, TokenClass, tokens};

/// The edits that format a document; lines that stay the same are not touched.
pub(crate) fn format(
    text: &Text,
    kind: Kind,
    dialect: Dialect,
    options: &FormattingOptions,
) -> Vec<TextEdit> {
    let language = match kind {
        Kind::Model => Language::Model(dialect),
        Kind::Queries => Language::Queries,
        Kind::Markup | Kind::Other => return Vec::new(),
    };
    let unit = match options.insert_spaces {
        true => " ".repeat(options.tab_size.clamp(1, 16) as usize),
        false => "\t".to_owned(),
    };
    let Some(all) = tokens(text.content(), language) else { return Vec::new() };
    let lines = formatted_lines(text, &all, language, &unit);
    let result = lines.join("");
    let is_same = tokens(&result, language)
        .is_some_and(|after| texts(&result, &after) == texts(text.content(), &all));
    if !is_same || result == text.content() {
        return Vec::new();
    }
    vec![TextEdit { range: text.all(), new_text: result }]
}

/// The texts of tokens. Lines of comments may end with fewer blanks than before.
fn texts(text: &str, all: &[Token]) -> Vec<String> {
    let token = |token: &Token| {
        let words = &text[token.range.clone()];
        match token.class {
            TokenClass::Comment => {
                words.lines().map(|line| format!("{}\n", line.trim_end())).collect()
            }
            _ => words.to_owned(),
        }
    };
    all.iter().map(token).collect()
}

/// The lines with their ends.
fn formatted_lines(text: &Text, all: &[Token], language: Language, unit: &str) -> Vec<String> {
    let content = text.content();
    let end = if content.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = Vec::new();
    let (mut depth, mut next, mut blank) = (0_usize, 0, true);
    for number in 0..text.line_count() {
        let range = text.line(number);
        let line = &content[range.clone()];
        let is_inside = all
            .get(next)
            .is_some_and(|token| token.range.start < range.start && token.range.end > range.start);
        let mut closes = 0_usize;
        let mut opens = 0_usize;
        let mut is_first = !is_inside;
        while let Some(token) = all.get(next).filter(|token| token.range.start < range.end) {
            match &content[token.range.clone()] {
                "{" | "(" | "[" => opens += 1,
                "}" | ")" | "]" if opens > 0 => {
                    opens -= 1;
                    is_first = false;
                }
                "}" | ")" | "]" => {
                    depth = depth.saturating_sub(1);
                    closes += usize::from(!is_first);
                }
                _ => is_first = false,
            }
            // A token that continues on the next line is looked at again there.
            if token.range.end > range.end {
                break;
            }
            next += 1;
        }
        let trimmed = line.trim_end_matches([' ', '\t']);
        let body = trimmed.trim_start_matches([' ', '\t']);
        let is_blank = body.is_empty();
        if !(is_blank && blank) || is_inside {
            let is_kept = is_inside || language == Language::Queries;
            let made = match is_kept {
                true => trimmed.to_owned(),
                false if is_blank => String::new(),
                false => format!("{}{body}", unit.repeat(depth + closes)),
            };
            lines.push(format!("{made}{end}"));
        }
        blank = is_blank;
        depth += opens;
    }
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, before: &str, after: &str) {
        let options = FormattingOptions { tab_size: 4, insert_spaces: true, ..Default::default() };
        let text = Text::new(before.to_owned());
        let edits = format(&text, kind, Dialect::Current, &options);
        let mut result = text;
        for edit in &edits {
            result.replace(Some(edit.range), &edit.new_text);
        }
        assert_eq!(result.content(), after, "{before:?}");
        let again = format(&result, kind, Dialect::Current, &options);
        assert!(again.is_empty(), "formatting again changes nothing: {again:?}");
    }

    #[test]
    fn lines_are_indented_by_their_brackets() {
        check(
            Kind::Model,
            "process P() {\nstate a,\n  b; \n\n\n\ntrans a -> b {\n      guard x > 1;\n};\n}\nsystem P;",
            "process P() {\n    state a,\n    b;\n\n    trans a -> b {\n        guard x > 1;\n    };\n}\nsystem P;\n",
        );
        check(
            Kind::Model,
            "int f(int a,\nint b) {\nreturn a;\n}\n",
            "int f(int a,\n    int b) {\n    return a;\n}\n",
        );
    }

    #[test]
    fn comments_are_kept() {
        check(
            Kind::Model,
            "{\n/* one\n   two  \n*/ int x;  // three\n}",
            "{\n    /* one\n   two\n*/ int x;  // three\n}\n",
        );
    }

    #[test]
    fn damaged_text_is_left_alone() {
        check(Kind::Model, "  int x; /* open", "  int x; /* open");
        check(Kind::Model, "  int § x;", "  int § x;");
        check(Kind::Markup, "  <nta/>", "  <nta/>");
    }

    #[test]
    fn queries_keep_their_lines() {
        check(
            Kind::Queries,
            "E<> P.a  \n\n\n  A[] x \\\n   && y",
            "E<> P.a\n\n  A[] x \\\n   && y\n",
        );
    }
}
