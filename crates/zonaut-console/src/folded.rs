//! Wrapping of lines to the width of a terminal.

/// Greatest column of a description that wrapped lines are aligned with.
const FURTHEST: usize = 32;

/// `text` with lines of at most `width` columns, as far as its words allow. Wrapped lines are
/// aligned with the description in their line. Commands are not wrapped, so that they can be
/// copied.
#[must_use]
pub fn folded(text: &str, width: usize) -> String {
    let mut lines = String::new();
    for line in text.split_inclusive('\n') {
        let is_command = line.trim_start().starts_with("zonaut ");
        match columns(line.trim_end()) <= width || is_command {
            true => lines.push_str(line),
            false => fold(line, width, &mut lines),
        }
    }
    lines
}

fn fold(line: &str, width: usize, lines: &mut String) {
    let indent = description(line);
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        let length = columns(word.trim_end());
        if used > indent && length > 0 && used + length > width {
            lines.truncate(lines.trim_end_matches(' ').len());
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            used = indent;
        }
        lines.push_str(word);
        used += columns(word.trim_end_matches('\n'));
    }
}

/// The column at which the description in a line begins: behind the last wide gap, or behind its
/// indentation.
fn description(line: &str) -> usize {
    let start = line.len() - line.trim_start().len();
    let gap = line[start..].rfind("  ").map_or(0, |at| columns(&line[..start + at + 2]));
    let start = if line[start..].starts_with("- ") { start + 2 } else { start };
    if (start..=FURTHEST).contains(&gap) { gap } else { start }
}

/// The number of columns of a text, without escape sequences.
fn columns(text: &str) -> usize {
    let mut count = 0;
    let mut is_code = false;
    for c in text.chars() {
        match c {
            '\x1b' => is_code = true,
            _ if is_code => is_code = c != 'm',
            _ => count += 1,
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_go_on_below_their_descriptions() {
        let check = |text: &str, expected: &str| assert_eq!(folded(text, 20), expected);
        check("short\n\n  short\n", "short\n\n  short\n");
        check("  a line that is too long\nb\n", "  a line that is too\n  long\nb\n");
        check("  - auto:  what is best of\n", "  - auto:  what is\n           best of\n");
        check("- one that has no gap at all", "- one that has no\n  gap at all");
        check("  zonaut verify model.xml --time 60\n", "  zonaut verify model.xml --time 60\n");
    }

    #[test]
    fn words_are_never_cut_and_colours_take_no_room() {
        let long = format!("  {}\n", "x".repeat(30));
        assert_eq!(folded(&long, 20), long);
        let bold = "\x1b[1m--time\x1b[0m ends the run\n";
        assert_eq!(folded(bold, 19), bold);
        assert_eq!(folded(bold, 18), "\x1b[1m--time\x1b[0m ends the\nrun\n");
    }
}
