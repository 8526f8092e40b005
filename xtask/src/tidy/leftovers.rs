//! Marks of unfinished work do not stay in the repository.

use super::Finding;
use super::tree::File;

/// Words that mean "not finished", split so that this file does not contain them.
const FORBIDDEN: &[&str] = &[concat!("FIX", "ME"), concat!("XX", "X")];

/// Macros that mean the same.
const MACROS: &[&str] = &[concat!("to", "do!"), concat!("db", "g!"), concat!("unimple", "mented!")];

/// The one mark that may stay, with the number of an issue right behind it.
const DEFERRED: &str = concat!("TO", "DO");

const EXTENSIONS: &[&str] = &["rs", "toml", "xta", "q", "sh"];

pub(super) fn findings(file: &File) -> Vec<Finding> {
    if !EXTENSIONS.iter().any(|extension| file.has_extension(extension)) {
        return Vec::new();
    }
    file.numbered_lines()
        .filter_map(|(number, line)| Some(Finding::at(number, objection(line)?)))
        .collect()
}

fn objection(line: &str) -> Option<String> {
    let found = FORBIDDEN.iter().chain(MACROS).find(|mark| after_word(line, mark).is_some());
    if let Some(mark) = found {
        return Some(format!("`{mark}` left over"));
    }
    let rest = after_word(line, DEFERRED)?;
    let has_issue = rest
        .strip_prefix("(#")
        .is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()));
    (!has_issue).then(|| format!("`{DEFERRED}` without an issue, write `{DEFERRED}(#12)`"))
}

/// The text after the first occurrence of `word` as a whole word.
fn after_word<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).find_map(|(start, _)| {
        let (before, after) = (&line[..start], &line[start + word.len()..]);
        let is_whole =
            !before.ends_with(is_part) && (word.ends_with('!') || !after.starts_with(is_part));
        is_whole.then_some(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str) -> bool {
        let file = File { path: "a.rs".to_owned(), text: format!("{line}\n") };
        findings(&file).is_empty()
    }

    #[test]
    fn every_mark_is_found_as_a_word() {
        for mark in FORBIDDEN.iter().chain(MACROS) {
            assert!(!check(&format!("// {mark}: later")), "{mark}");
            assert!(check(&format!("let my_{mark}")), "{mark}");
        }
        assert!(check(&format!("let {}S = 3;", FORBIDDEN[1])));
    }

    #[test]
    fn deferred_work_names_its_issue() {
        assert!(check(&format!("// {DEFERRED}(#12): larger constants")));
        assert!(!check(&format!("// {DEFERRED}: larger constants")));
        assert!(!check(&format!("// {DEFERRED}(#): larger constants")));
    }

    #[test]
    fn documents_may_mention_marks() {
        let text = format!("No {DEFERRED} without an issue.\n");
        assert!(findings(&File { path: "a.md".to_owned(), text }).is_empty());
    }
}
