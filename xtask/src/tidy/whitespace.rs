//! No trailing white space, and a newline at the end.

use super::Finding;
use super::tree::File;

const EXTENSIONS: &[&str] = &["rs", "toml", "md", "xta", "xml", "q", "sh"];

pub(super) fn findings(file: &File) -> Vec<Finding> {
    if !EXTENSIONS.iter().any(|extension| file.has_extension(extension)) {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = file
        .numbered_lines()
        .filter(|(_, line)| line.ends_with(char::is_whitespace))
        .map(|(number, _)| Finding::at(number, "trailing white space"))
        .collect();
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        findings.push(Finding::at(0, "no newline at the end"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<usize> {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        findings(&file).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn trailing_white_space_is_found_in_every_line() {
        assert_eq!(check("a.rs", "x\ny \n\t\nz\n"), [2, 3]);
        assert_eq!(check("a.rs", "x"), [0]);
        assert!(check("a.rs", "").is_empty());
        assert!(check("a.snap", "x ").is_empty());
    }
}
