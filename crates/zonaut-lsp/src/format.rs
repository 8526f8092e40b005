//! Formatting of white space.
//!
//! Lines are indented by the depth of their brackets, and once more where they continue a statement.
//! Deeper lines stay if they continue a statement or a bracket with a token behind it, because they
//! may be aligned with that. Blanks at their ends are removed, and so are blank lines beyond one. The
//! tokens and comments of the result are compared with those of the text: if they differ, or if the
//! text has lexical errors, nothing is changed.

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
    let (mut indentation, mut next, mut blank) = (Indentation::default(), 0, true);
    for number in 0..text.line_count() {
        let range = text.line(number);
        let line = &content[range.clone()];
        let is_inside = all
            .get(next)
            .is_some_and(|token| token.range.start < range.start && token.range.end > range.start);
        let first = next;
        // A token that continues on the next line is looked at again there.
        while all.get(next).is_some_and(|token| token.range.end <= range.end) {
            next += 1;
        }
        let started = all[first..next].iter().filter(|token| token.class != TokenClass::Comment);
        let started: Vec<&str> = started.map(|token| &content[token.range.clone()]).collect();
        let level = indentation.of_line(&started);
        let may_be_aligned = indentation.may_be_aligned;
        let trimmed = line.trim_end_matches([' ', '\t']);
        let body = trimmed.trim_start_matches([' ', '\t']);
        let is_blank = body.is_empty();
        if !(is_blank && blank) || is_inside {
            let is_kept = is_inside || language == Language::Queries;
            let made = match is_kept {
                true => trimmed.to_owned(),
                false if is_blank => String::new(),
                false => {
                    let least = unit.repeat(level);
                    let written = &trimmed[..trimmed.len() - body.len()];
                    let is_aligned = may_be_aligned && is_deeper(written, &least);
                    format!("{}{body}", if is_aligned { written } else { &least })
                }
            };
            lines.push(format!("{made}{end}"));
        }
        blank = is_blank;
    }
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines
}

/// Whether an indentation of blanks is deeper than another one.
fn is_deeper(written: &str, least: &str) -> bool {
    let blanks = |text: &str| text.bytes().all(|byte| byte == b' ');
    blanks(written) && blanks(least) && written.len() > least.len()
}

/// An open bracket.
struct Bracket {
    /// The number of the line.
    line: usize,
    /// Whether a token follows in the same line, with which later lines may be aligned.
    is_filled: bool,
    /// The level of the line in which its construct begins.
    level: usize,
    /// Whether statements are inside, and not a list.
    has_statements: bool,
}

/// The levels of lines: one more inside a bracket, and one more for the continuation of a statement.
#[derive(Default)]
struct Indentation {
    open: Vec<Bracket>,
    /// The level of the line in which the current construct begins.
    level: usize,
    /// Whether a statement has begun and not ended.
    is_in_statement: bool,
    /// Whether the previous token is a sign after which a brace begins a list.
    is_assigned: bool,
    /// Whether the last line continues something that began in a line before, and may be aligned
    /// with it.
    may_be_aligned: bool,
    /// The number of lines.
    lines: usize,
}

impl Indentation {
    /// The level of a line with these tokens. Lines come in their order.
    fn of_line(&mut self, tokens: &[&str]) -> usize {
        self.lines += 1;
        let is_closing = |token: &&&str| matches!(**token, "}" | ")" | "]");
        let closing = tokens.iter().take_while(is_closing).count();
        for token in &tokens[..closing] {
            self.pass(token);
        }
        let inner = self.open.last().map_or(0, |bracket| bracket.level + 1);
        let continues = self.is_in_statement || tokens.first() == Some(&",");
        let level = match tokens.first() {
            _ if closing > 0 => self.level,
            Some(&"{") if self.is_in_statement && !self.is_assigned => self.level,
            _ if continues && self.has_statements() => inner + 1,
            _ => inner,
        };
        let is_filled = self.open.last().is_some_and(|bracket| bracket.is_filled);
        let is_block = closing > 0 || tokens.first() == Some(&"{");
        self.may_be_aligned = !is_block && (level > inner || is_filled);
        if !tokens.is_empty() {
            self.level = level;
        }
        for token in &tokens[closing..] {
            self.pass(token);
        }
        level
    }

    fn has_statements(&self) -> bool {
        self.open.last().is_none_or(|bracket| bracket.has_statements)
    }

    fn pass(&mut self, token: &str) {
        if let Some(bracket) = self.open.last_mut().filter(|bracket| bracket.line == self.lines) {
            bracket.is_filled = true;
        }
        match token {
            "{" | "(" | "[" => {
                let has_statements = token == "{" && !self.is_assigned && self.has_statements();
                let (line, level) = (self.lines, self.level);
                self.open.push(Bracket { line, is_filled: false, level, has_statements });
                self.is_in_statement = false;
            }
            "}" | ")" | "]" => {
                let closed = self.open.pop();
                self.level = closed.as_ref().map_or(0, |bracket| bracket.level);
                // A block ends its statement unless more of it follows.
                self.is_in_statement = !closed.is_some_and(|bracket| bracket.has_statements);
            }
            ";" => self.is_in_statement = false,
            _ => self.is_in_statement = true,
        }
        self.is_assigned = matches!(token, "=" | ":=");
    }
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
            "process P() {\n    state a,\n        b;\n\n    trans a -> b {\n        guard x > 1;\n    };\n}\nsystem P;\n",
        );
        check(
            Kind::Model,
            "int f(int a,\nint b) {\nreturn a;\n}\n",
            "int f(int a,\n    int b) {\n    return a;\n}\n",
        );
    }

    #[test]
    fn continued_statements_are_indented_once_more() {
        check(
            Kind::Model,
            "process P() {\n  trans\n  a -> b { guard x > 1 &&\n y > 1; sync c!; },\n  // back\n  \
             b -> a {\n  assign x = 0,\n  y = 0;\n  }\n  , b -> b\n  { };\n}\nsystem P,\nQ;\n",
            "process P() {\n    trans\n        a -> b { guard x > 1 &&\n                y > 1; sync c!; \
             },\n        // back\n        b -> a {\n            assign x = 0,\n                y = \
             0;\n        }\n        , b -> b\n        { };\n}\nsystem P,\n    Q;\n",
        );
        check(
            Kind::Model,
            "void f()\n{\nif (a)\nb = 1;\nelse\n{\nb = g(1,\n2);\n} while (a) {\na++;\n}\nreturn;\n}",
            "void f()\n{\n    if (a)\n        b = 1;\n    else\n    {\n        b = g(1,\n            \
             2);\n    } while (a) {\n        a++;\n    }\n    return;\n}\n",
        );
    }

    #[test]
    fn continued_lines_stay_aligned() {
        let aligned = "process P() {\n    trans\n        a -> b { guard x > 1 &&\n                       y > \
                       1;\n                 assign x = 0; },\n               -> a { };\n}\n";
        check(Kind::Model, aligned, aligned);
        check(
            Kind::Model,
            "process P() {\n            int a;\n    int f(int a,\n          int b) {\n            return \
             a;\n       }\n}\n",
            "process P() {\n    int a;\n    int f(int a,\n          int b) {\n        return a;\n    \
             }\n}\n",
        );
    }

    #[test]
    fn lists_have_one_level_for_each_brace() {
        check(
            Kind::Model,
            "const int A[2][2] = {\n{ 1, 2 },\n{\n3,\n4\n}\n};\nstruct {\nint a;\n} s, t =\n{ 1 };\n",
            "const int A[2][2] = {\n    { 1, 2 },\n    {\n        3,\n        4\n    }\n};\nstruct \
             {\n    int a;\n} s, t =\n    { 1 };\n",
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
