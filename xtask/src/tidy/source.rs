//! The code of a Rust source file: its lines without unit tests, comments and blank lines.

use super::tree::File;

/// One line of code and its number in the file, counted from one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CodeLine<'a> {
    pub(super) number: usize,
    pub(super) text: &'a str,
}

/// The lines of code of a file.
///
/// Unit tests stand at the end of a file, behind `#[cfg(test)]` and an inline module.
/// Files of tests, by folder or by name, have no lines of code.
pub(super) fn code(file: &File) -> Vec<CodeLine<'_>> {
    if !file.has_extension("rs") || is_test(&file.path) {
        return Vec::new();
    }
    let lines: Vec<&str> = file.text.lines().collect();
    let tests = lines.windows(2).position(|pair| {
        pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
    });
    let end = tests.unwrap_or(lines.len());
    let numbered = lines[..end].iter().enumerate();
    let numbered = numbered.map(|(index, &text)| CodeLine { number: index + 1, text });
    numbered.filter(|line| is_code(line.text)).collect()
}

fn is_test(path: &str) -> bool {
    path.split('/').any(|part| part == "tests" || part == "tests.rs" || part == "benches")
}

fn is_code(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<usize> {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        code(&file).iter().map(|line| line.number).collect()
    }

    #[test]
    fn comments_blank_lines_and_unit_tests_are_not_counted() {
        let text = "//! Head.\n\nfn f() {}\n// why\nfn g() {}\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(check("crates/a/src/lib.rs", text), [3, 5]);
    }

    #[test]
    fn a_test_module_in_another_file_does_not_end_the_code() {
        assert_eq!(check("src/lib.rs", "#[cfg(test)]\nmod tests;\nfn f() {}\n"), [1, 2, 3]);
    }

    #[test]
    fn files_of_tests_have_no_code() {
        assert_eq!(check("crates/a/tests/b.rs", "fn f() {}\n"), [0; 0]);
        assert_eq!(check("crates/a/src/b/tests.rs", "fn f() {}\n"), [0; 0]);
        assert_eq!(check("crates/a/src/notes.md", "text\n"), [0; 0]);
    }
}
