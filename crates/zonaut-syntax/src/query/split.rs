//! Splitting of a list of queries into formulas and comments, before parsing.

use std::ops::Range;

/// A part of a list of queries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece<'t> {
    /// A block comment on separate lines, without its delimiters.
    Comment(&'t str),
    /// A formula, without surrounding blanks, and the last block comment on its lines. An
    /// unterminated block comment makes all of the text behind it part of its formula, or a formula
    /// of its own.
    Formula(Range<usize>, Option<&'t str>),
}

/// The lexical element at a position of the text.
enum Lexeme<'t> {
    Blank(usize),
    LineEnd(usize),
    LineComment(usize),
    Comment(usize, &'t str),
    OpenComment,
    Visible(usize),
}

/// The lexical element at the start of `rest`, which is not empty.
fn lexeme(rest: &str) -> Lexeme<'_> {
    let bytes = rest.as_bytes();
    match bytes[0] {
        b'\n' | b'\r' => Lexeme::LineEnd(1),
        b' ' | b'\t' | 0x0b | 0x0c => Lexeme::Blank(1),
        b'\\' => {
            let blanks = bytes[1..].iter().take_while(|&&b| b == b' ' || b == b'\t').count();
            match &bytes[1 + blanks..] {
                [] => Lexeme::Blank(1 + blanks),
                [b'\r', b'\n', ..] => Lexeme::Blank(3 + blanks),
                [b'\n' | b'\r', ..] => Lexeme::Blank(2 + blanks),
                _ => Lexeme::Visible(1),
            }
        }
        b'/' if bytes.get(1) == Some(&b'/') => {
            Lexeme::LineComment(rest.find(['\n', '\r']).unwrap_or(rest.len()))
        }
        b'/' if bytes.get(1) == Some(&b'*') => match rest[2..].find("*/") {
            Some(length) => Lexeme::Comment(length + 4, &rest[2..length + 2]),
            None => Lexeme::OpenComment,
        },
        b'"' => {
            let length = rest[1..].find(['"', '\n', '\r']).map_or(rest.len(), |end| end + 1);
            let closed = bytes.get(length) == Some(&b'"');
            Lexeme::Visible(length + usize::from(closed))
        }
        _ => Lexeme::Visible(rest.chars().next().map_or(1, char::len_utf8)),
    }
}

/// The formulas and comments of a list of queries, in order.
pub(super) fn split(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut formula: Option<Range<usize>> = None;
    let mut remark = None;
    let mut at = 0;
    while at < text.len() {
        match lexeme(&text[at..]) {
            Lexeme::Blank(length) | Lexeme::LineComment(length) => at += length,
            Lexeme::LineEnd(length) => {
                if let Some(range) = formula.take() {
                    pieces.push(Piece::Formula(range, remark.take()));
                }
                at += length;
            }
            Lexeme::Comment(length, body) => {
                if formula.is_some() {
                    remark = Some(body);
                } else {
                    pieces.push(Piece::Comment(body));
                }
                at += length;
            }
            Lexeme::OpenComment => {
                formula = Some(formula.map_or(at, |range| range.start)..text.trim_end().len());
                at = text.len();
            }
            Lexeme::Visible(length) => {
                formula = Some(formula.map_or(at, |range| range.start)..at + length);
                at += length;
            }
        }
    }
    if let Some(range) = formula {
        pieces.push(Piece::Formula(range, remark));
    }
    pieces
}

/// `text` on one line: comments, continuations and line ends become single blanks. Of an
/// unterminated comment the first line is kept.
pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut blank = false;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        match lexeme(rest) {
            Lexeme::Visible(length) => {
                if blank && !out.is_empty() {
                    out.push(' ');
                }
                blank = false;
                out.push_str(&rest[..length]);
                at += length;
            }
            Lexeme::Blank(length)
            | Lexeme::LineEnd(length)
            | Lexeme::LineComment(length)
            | Lexeme::Comment(length, _) => {
                blank = true;
                at += length;
            }
            Lexeme::OpenComment => {
                if !out.is_empty() {
                    out.push(' ');
                }
                out.push_str(rest.lines().next().unwrap_or_default().trim_end());
                break;
            }
        }
    }
    out
}

/// The length of a block's text up to its closing bracket, or of the whole text if an unterminated
/// comment hides that bracket.
pub(crate) fn block_length(text: &str) -> Option<usize> {
    let mut braces = 0u32;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = match lexeme(rest) {
            Lexeme::Visible(length) => {
                match rest.as_bytes()[0] {
                    b'{' => braces += 1,
                    b'}' if braces == 0 => return Some(at),
                    b'}' => braces -= 1,
                    _ => {}
                }
                length
            }
            Lexeme::Blank(length)
            | Lexeme::LineEnd(length)
            | Lexeme::LineComment(length)
            | Lexeme::Comment(length, _) => length,
            Lexeme::OpenComment => return Some(text.len()),
        };
        at += length;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let shown: Vec<String> = split(text)
            .into_iter()
            .map(|piece| match piece {
                Piece::Comment(body) => format!("# {}", body.trim()),
                Piece::Formula(range, None) => text[range].to_owned(),
                Piece::Formula(range, Some(body)) => format!("{} # {}", &text[range], body.trim()),
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn each_line_is_a_formula_and_comments_are_separate() {
        check("A[] a\n\n// x\n/* c */\nE<> b // y\r\n", &["A[] a", "# c", "E<> b"]);
        check("E<> \\\n b\rA[] c", &["E<> \\\n b", "A[] c"]);
        check("E<> a /* EXPECT:T */", &["E<> a # EXPECT:T"]);
        check("E<> a /* \n */ b\nE<> c", &["E<> a /* \n */ b # ", "E<> c"]);
        check("a\nb /* c\nd \n", &["a", "b /* c\nd"]);
        check("a\n/* c\nd", &["a", "/* c\nd"]);
    }

    #[test]
    fn comments_and_line_ends_become_blanks() {
        assert_eq!(
            without_comments(" A[]  a /* x */ &&\n b // c"),
            "A[]  a && b".replace("  ", " ")
        );
        assert_eq!(without_comments("A[] a/* b\nc"), "A[] a /* b");
    }

    #[test]
    fn a_block_ends_at_its_matching_bracket() {
        assert_eq!(block_length(" sup{a}: x // }\n } rest"), Some(17));
        assert_eq!(block_length(" {"), None);
        assert_eq!(block_length(" a /* } "), Some(8));
    }
}
