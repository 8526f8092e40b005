//! Excerpts: a line of a source file with a marked range.

use unicode_width::UnicodeWidthChar;
use zonaut_console::is_unsafe;

/// The maximal number of characters of a line.
pub(crate) const WINDOW: usize = 100;
/// The number of characters before the mark in a line that is cut.
const BEFORE: usize = 40;
/// The replacement of a tab.
const TAB: &str = "    ";
/// The mark of a cut.
const CUT: &str = "…";

/// A line of text for display, with the marked columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Excerpt {
    /// The line.
    pub(crate) text: String,
    /// The number of columns before the mark.
    pub(crate) indent: usize,
    /// The number of marked columns, at least one.
    pub(crate) width: usize,
}

/// The part of a line around the `length` characters at the start of `rest`, which follows
/// `before`. The time does not depend on the length of the line.
pub(crate) fn excerpt(before: &str, rest: &str, length: usize) -> Excerpt {
    let mut near: Vec<char> = before.chars().rev().take(WINDOW - BEFORE / 2).collect();
    let is_cut = near.len() == WINDOW - BEFORE / 2;
    near.truncate(if is_cut { BEFORE } else { near.len() });
    let mut shown = Excerpt { text: String::new(), indent: 0, width: 0 };
    if is_cut {
        push(&mut shown, CUT, Side::Before);
    }
    for c in near.iter().rev() {
        push(&mut shown, &safe(*c), Side::Before);
    }
    let mut rest = rest.chars();
    for (distance, c) in rest.by_ref().take(WINDOW - near.len()).enumerate() {
        let side = if distance < length { Side::Marked } else { Side::Behind };
        push(&mut shown, &safe(c), side);
    }
    if rest.next().is_some() {
        push(&mut shown, CUT, Side::Behind);
    }
    shown.width = shown.width.max(1);
    shown
}

/// The side of the mark's start that a piece is on.
#[derive(Clone, Copy)]
enum Side {
    Before,
    Marked,
    Behind,
}

/// Appends `piece`; a piece before the mark moves the mark to the right.
fn push(shown: &mut Excerpt, piece: &str, side: Side) {
    let width: usize = piece.chars().map(|c| c.width().unwrap_or(1)).sum();
    shown.text.push_str(piece);
    match side {
        Side::Before => shown.indent += width,
        Side::Marked => shown.width += width,
        Side::Behind => {}
    }
}

fn safe(c: char) -> std::borrow::Cow<'static, str> {
    match c {
        '\t' => TAB.into(),
        c if is_unsafe(c) => char::REPLACEMENT_CHARACTER.to_string().into(),
        c => c.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, start: usize, length: usize, expected: &str) {
        let at = line.char_indices().nth(start).map_or(line.len(), |(at, _)| at);
        let shown = excerpt(&line[..at], &line[at..], length);
        let marks = " ".repeat(shown.indent) + &"^".repeat(shown.width);
        assert_eq!(format!("{}\n{marks}", shown.text), expected);
    }

    #[test]
    fn the_mark_is_below_its_place() {
        check("int x = y;", 8, 1, "int x = y;\n        ^");
        check("\tint x;", 5, 1, "    int x;\n        ^");
        check("/* 日本 */ y", 9, 1, "/* 日本 */ y\n           ^");
        check("abc", 3, 0, "abc\n   ^");
    }

    #[test]
    fn control_characters_are_replaced() {
        check("a\x1b[0mb", 5, 1, "a�[0mb\n     ^");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let line = "x".repeat(5000) + "y" + &"z".repeat(5000);
        let expected = format!(
            "…{}y{}…\n{}^",
            "x".repeat(BEFORE),
            "z".repeat(WINDOW - BEFORE - 1),
            " ".repeat(BEFORE + 1)
        );
        check(&line, 5000, 1, &expected);
    }

    #[test]
    fn a_long_mark_ends_with_the_window() {
        let shown = excerpt("", &"(".repeat(200_000), 200_000);
        assert_eq!((shown.indent, shown.width), (0, WINDOW));
    }
}
