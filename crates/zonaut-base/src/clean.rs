//! Sanitising of text that comes from models before it is shown, so that an escape sequence in a
//! name has no effect on a terminal.

/// Maximum number of characters of a text that are shown.
const MAX_SHOWN: usize = 2000;

/// Whether showing `c` could have an effect besides showing a character: move the cursor, change
/// the direction of writing, or be invisible.
#[must_use]
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

/// `text` on one line, without control characters, and shortened if it is long.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut clean = String::with_capacity(text.len().min(MAX_SHOWN));
    for (position, c) in text.chars().enumerate() {
        if position == MAX_SHOWN {
            clean.push('…');
            break;
        }
        clean.push(match c {
            '\n' | '\r' | '\t' => ' ',
            c if is_unsafe(c) => char::REPLACEMENT_CHARACTER,
            c => c,
        });
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_line_ends_do_not_get_through() {
        assert_eq!(one_line("a\x1b[31mb\nc\u{202E}d"), "a�[31mb c�d");
    }

    #[test]
    fn an_overlong_text_is_cut() {
        assert_eq!(one_line(&"x".repeat(3000)).chars().count(), MAX_SHOWN + 1);
    }

    #[test]
    fn nothing_that_is_shown_is_a_control_character() {
        for c in '\0'..='\u{FFFF}' {
            let shown = one_line(&c.to_string());
            assert!(!shown.chars().any(is_unsafe), "{c:?}");
        }
    }
}
