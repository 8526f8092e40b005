//! Texts in pictures: width, line breaks and escaping.
//!
//! Font metrics are not available here. Labels are set in a monospaced font, whose characters have
//! a width close to 0.6 of its size in all common fonts, so that estimates are good enough to keep
//! labels apart.

use zonaut_base::one_line;

/// The size of labels.
pub(crate) const SIZE: f64 = 12.0;
/// Distance between lines.
pub(crate) const LINE: f64 = 15.0;
/// The width of a character of a label.
pub(crate) const CHARACTER: f64 = 7.25;
/// The column at which labels are broken if possible.
const PREFERRED: usize = 34;
/// The column at which labels are broken in any case.
const LONGEST: usize = 52;

/// The estimated width of a line of a label. A character that is not ASCII may be as wide as it is
/// high.
pub(crate) fn width(line: &str) -> f64 {
    let cells: usize = line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
    cells as f64 * CHARACTER
}

/// The estimated width of the widest of some lines.
pub(crate) fn widest<'l>(lines: impl IntoIterator<Item = &'l String>) -> f64 {
    lines.into_iter().map(|line| width(line)).fold(0.0, f64::max)
}

/// A label in lines of limited length, broken after operators and commas where possible.
pub(crate) fn lines(label: &str) -> Vec<String> {
    let label = one_line(label);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in label.split_inclusive(' ') {
        let joined = line.chars().count() + word.trim_end().chars().count();
        let may_break = [", ", "&& ", "|| ", "? ", ": "].iter().any(|end| line.ends_with(end));
        if joined > LONGEST || may_break && joined > PREFERRED {
            push_trimmed(&mut lines, &line);
            line.clear();
        }
        line.push_str(word);
        while line.trim_end().chars().count() > LONGEST {
            let rest: String = line.chars().skip(LONGEST).collect();
            lines.push(line.chars().take(LONGEST).collect());
            line = rest;
        }
    }
    push_trimmed(&mut lines, &line);
    lines
}

fn push_trimmed(lines: &mut Vec<String>, line: &str) {
    let line = line.trim();
    if !line.is_empty() {
        lines.push(line.to_owned());
    }
}

/// A text that is cut if it would be wider than `room`.
pub(crate) fn fitted(text: &str, room: f64) -> String {
    let text = one_line(text);
    if width(&text) <= room {
        return text;
    }
    let mut cut = String::new();
    for c in text.chars() {
        cut.push(c);
        if width(&cut) + CHARACTER * 2.0 > room {
            break;
        }
    }
    cut + "…"
}

/// `text` as content or attribute of an element: on one line, without control characters.
#[must_use]
pub fn escaped(text: &str) -> String {
    #[cfg(feature = "faults")]
    if crate::faults::Fault::MarkupKept.is_selected() {
        return text.to_owned();
    }
    let mut safe = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Noncharacters are not allowed in XML.
            '\u{FFFE}' | '\u{FFFF}' => safe.push(char::REPLACEMENT_CHARACTER),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_labels_are_broken_after_operators() {
        let check = |label: &str, expected: &[&str]| assert_eq!(lines(label), expected);
        check("x <= 5", &["x <= 5"]);
        check("", &[]);
        check(
            "x == TIMEOUT && tries == TRIES && y >= 10",
            &["x == TIMEOUT && tries == TRIES &&", "y >= 10"],
        );
        check(&"a".repeat(60), &["a".repeat(52).as_str(), "aaaaaaaa"]);
    }

    #[test]
    fn no_line_is_longer_than_the_longest_and_nothing_is_lost() {
        let long = "alpha+beta && gamma, delta ".repeat(40);
        let broken = lines(&long);
        assert!(broken.iter().all(|line| line.chars().count() <= LONGEST));
        let letters = |text: &str| text.replace(' ', "");
        assert_eq!(letters(&broken.concat()), letters(&long));
    }

    #[test]
    fn markup_and_control_characters_are_only_characters() {
        let hostile = "</script><b a='1' b=\"2\">&\u{1b}[31m\u{202e}\u{ffff}";
        let safe = escaped(hostile);
        assert!(!safe.contains(['<', '>', '"', '\'', '\u{1b}', '\u{202e}', '\u{ffff}']), "{safe}");
        assert!(safe.starts_with("&lt;/script&gt;&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;"));
    }

    #[test]
    fn a_text_that_does_not_fit_ends_with_an_ellipsis() {
        assert_eq!(fitted("critical", 80.0), "critical");
        let cut = fitted("critical", 40.0);
        assert!(cut.ends_with('…') && width(&cut) <= 48.0, "{cut}");
    }
}
