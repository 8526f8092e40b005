//! A crate that grows past the cap is probably two rooms.

use super::tree::File;
use std::collections::BTreeMap;

/// The most lines that the sources of a crate may have together.
pub(super) const HARD: usize = 7000;

/// The folders of crates past the cap, with what is wrong with them.
pub(super) fn findings(files: &[File]) -> Vec<(String, String)> {
    let mut rooms: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files.iter().filter(|file| file.has_extension("rs")) {
        if let Some((room, rest)) = file.path.split_once("/src/")
            && room.starts_with("crates/")
            && !rest.is_empty()
        {
            *rooms.entry(room).or_default() += file.text.lines().count();
        }
    }
    let large = rooms.into_iter().filter(|&(_, lines)| lines > HARD);
    large
        .map(|(room, lines)| {
            (room.to_owned(), format!("{lines} lines of source, more than {HARD}; split the crate"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(paths: &[&str], lines: usize) -> Vec<String> {
        let file = |path: &&str| File { path: (*path).to_owned(), text: "x\n".repeat(lines) };
        let files: Vec<File> = paths.iter().map(file).collect();
        findings(&files).into_iter().map(|(room, _)| room).collect()
    }

    #[test]
    fn the_sources_of_a_crate_are_counted_together_and_tests_are_not() {
        let two = ["crates/a/src/lib.rs", "crates/a/src/b/c.rs", "crates/d/src/lib.rs"];
        assert_eq!(check(&two, HARD / 2), [""; 0]);
        assert_eq!(check(&two, HARD / 2 + 1), ["crates/a"]);
        assert_eq!(check(&["crates/a/src/lib.rs", "crates/a/tests/b.rs"], HARD), [""; 0]);
    }
}
