//! A line of a source file with a stretch of it marked.

use unicode_width::UnicodeWidthChar;
use zonaut_console::is_unsafe;

/// How many characters of a line are shown.
const WINDOW: usize = 100;
/// How many characters before the marked place are shown of a line that is cut.
const BEFORE: usize = 40;
/// What a tab is shown as.
const TAB: &str = "    ";
/// What shows that a line is cut.
const CUT: &str = "…";

/// A line of text, ready to show, with the columns of the screen that are marked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Excerpt {
    /// The line.
    pub(crate) text: String,
    /// How many columns come before the mark.
    pub(crate) indent: usize,
    /// How many columns are marked, at least one.
    pub(crate) width: usize,
}

/// The part of `line` around the `length` characters from `start` on.
pub(crate) fn excerpt(line: &str, start: usize, length: usize) -> Excerpt {
    let first = if start < WINDOW - BEFORE / 2 { 0 } else { start - BEFORE };
    let mut shown = Excerpt { text: String::new(), indent: 0, width: 0 };
    if first > 0 {
        push(&mut shown, CUT, false, start);
    }
    let mut rest = line.chars().enumerate().skip(first);
    for (column, c) in rest.by_ref().take(WINDOW) {
        let marked = start <= column && column < start + length;
        push(&mut shown, &safe(c), marked, start.saturating_sub(column));
    }
    if rest.next().is_some() {
        push(&mut shown, CUT, false, 0);
    }
    shown.width = shown.width.max(1);
    shown
}

/// Appends `piece`; what comes before the mark (`distance` above 0) moves it to the right.
fn push(shown: &mut Excerpt, piece: &str, marked: bool, distance: usize) {
    let width: usize = piece.chars().map(|c| c.width().unwrap_or(1)).sum();
    shown.text.push_str(piece);
    if marked {
        shown.width += width;
    } else if distance > 0 {
        shown.indent += width;
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
        let shown = excerpt(line, start, length);
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
    fn what_could_control_a_terminal_is_replaced() {
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
        let shown = excerpt(&"(".repeat(200_000), 0, 200_000);
        assert_eq!((shown.indent, shown.width), (0, WINDOW));
    }
}
