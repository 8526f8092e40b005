//! Cutting a list of queries into formulas and comments, before any grammar applies.

use std::ops::Range;

/// A piece of a list of queries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece<'t> {
    /// A block comment on lines of its own, without its marks.
    Comment(&'t str),
    /// A formula, without the blanks around it, and the last block comment on its lines. A block
    /// comment without an end makes all of the text behind it part of its formula, or a formula of
    /// its own.
    Formula(Range<usize>, Option<&'t str>),
}

/// What stands at a place of the text.
enum Step<'t> {
    Blank(usize),
    LineEnd(usize),
    LineComment(usize),
    Comment(usize, &'t str),
    OpenComment,
    Visible(usize),
}

/// What stands at the start of `rest`, which is not empty.
fn step(rest: &str) -> Step<'_> {
    let bytes = rest.as_bytes();
    match bytes[0] {
        b'\n' | b'\r' => Step::LineEnd(1),
        b' ' | b'\t' | 0x0b | 0x0c => Step::Blank(1),
        b'\\' => {
            let blanks = bytes[1..].iter().take_while(|&&b| b == b' ' || b == b'\t').count();
            match &bytes[1 + blanks..] {
                [] => Step::Blank(1 + blanks),
                [b'\r', b'\n', ..] => Step::Blank(3 + blanks),
                [b'\n' | b'\r', ..] => Step::Blank(2 + blanks),
                _ => Step::Visible(1),
            }
        }
        b'/' if bytes.get(1) == Some(&b'/') => {
            Step::LineComment(rest.find(['\n', '\r']).unwrap_or(rest.len()))
        }
        b'/' if bytes.get(1) == Some(&b'*') => match rest[2..].find("*/") {
            Some(length) => Step::Comment(length + 4, &rest[2..length + 2]),
            None => Step::OpenComment,
        },
        b'"' => {
            let length = rest[1..].find(['"', '\n', '\r']).map_or(rest.len(), |end| end + 1);
            let closed = bytes.get(length) == Some(&b'"');
            Step::Visible(length + usize::from(closed))
        }
        _ => Step::Visible(rest.chars().next().map_or(1, char::len_utf8)),
    }
}

/// The formulas and comments of a list of queries, in order.
pub(super) fn split(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut formula: Option<Range<usize>> = None;
    let mut remark = None;
    let mut at = 0;
    while at < text.len() {
        match step(&text[at..]) {
            Step::Blank(length) | Step::LineComment(length) => at += length,
            Step::LineEnd(length) => {
                if let Some(range) = formula.take() {
                    pieces.push(Piece::Formula(range, remark.take()));
                }
                at += length;
            }
            Step::Comment(length, body) => {
                if formula.is_some() {
                    remark = Some(body);
                } else {
                    pieces.push(Piece::Comment(body));
                }
                at += length;
            }
            Step::OpenComment => {
                formula = Some(formula.map_or(at, |range| range.start)..text.trim_end().len());
                at = text.len();
            }
            Step::Visible(length) => {
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

/// `text` on one line: comments, continuations and line ends are single blanks. Of a comment
/// without an end the first line is kept.
pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut blank = false;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        match step(rest) {
            Step::Visible(length) => {
                if blank && !out.is_empty() {
                    out.push(' ');
                }
                blank = false;
                out.push_str(&rest[..length]);
                at += length;
            }
            Step::Blank(length)
            | Step::LineEnd(length)
            | Step::LineComment(length)
            | Step::Comment(length, _) => {
                blank = true;
                at += length;
            }
            Step::OpenComment => {
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

/// The length of a block's text up to the bracket that closes it, or all of it where a comment
/// without an end hides that bracket.
pub(crate) fn block_length(text: &str) -> Option<usize> {
    let mut braces = 0u32;
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = match step(rest) {
            Step::Visible(length) => {
                match rest.as_bytes()[0] {
                    b'{' => braces += 1,
                    b'}' if braces == 0 => return Some(at),
                    b'}' => braces -= 1,
                    _ => {}
                }
                length
            }
            Step::Blank(length)
            | Step::LineEnd(length)
            | Step::LineComment(length)
            | Step::Comment(length, _) => length,
            Step::OpenComment => return Some(text.len()),
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
    fn lines_are_formulas_and_comments_are_set_apart() {
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
    fn a_block_ends_at_its_own_bracket() {
        assert_eq!(block_length(" sup{a}: x // }\n } rest"), Some(17));
        assert_eq!(block_length(" {"), None);
        assert_eq!(block_length(" a /* } "), Some(8));
    }
}
