//! A file is named after the one concept it defines.

use super::Finding;
use super::tree::File;

/// Names that say nothing about the content.
const EMPTY_NAMES: &[&str] =
    &["common", "helper", "helpers", "misc", "type", "types", "util", "utils"];

pub(super) fn findings(file: &File) -> Vec<Finding> {
    if !file.has_extension("rs") {
        return Vec::new();
    }
    let stem = file.path.strip_suffix(".rs").unwrap_or(&file.path);
    let empty = stem.split('/').find(|part| EMPTY_NAMES.contains(part));
    let message = empty.map(|part| format!("`{part}` is no concept; name the file after one"));
    message.map(|message| Finding::at(0, message)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str) -> bool {
        findings(&File { path: path.to_owned(), text: String::new() }).is_empty()
    }

    #[test]
    fn files_and_folders_of_code_need_a_telling_name() {
        assert!(check("crates/zonaut-dbm/src/bound.rs"));
        assert!(!check("crates/zonaut-dbm/src/utils.rs"));
        assert!(!check("crates/zonaut-dbm/tests/common/mod.rs"));
        assert!(check("crates/zonaut-dbm/src/uncommon.rs"));
        assert!(check("docs/types.md"));
    }
}
