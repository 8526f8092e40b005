//! Links between files of the repository have existing targets.

use super::tree::File;

/// One line per link without a target.
pub(super) fn problems(files: &[File]) -> Vec<String> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.has_extension("md")) {
        for (number, line) in prose(file) {
            for link in links(line).filter(|link| is_inside(link)) {
                let target = resolve(&file.path, link);
                if !target.is_some_and(|target| exists(files, &target)) {
                    problems.push(format!("{}:{number}: nothing at `{link}` [link]", file.path));
                }
            }
        }
    }
    problems
}

/// The numbered lines outside fenced blocks.
fn prose(file: &File) -> impl Iterator<Item = (usize, &str)> {
    let mut is_fenced = false;
    file.numbered_lines().filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        !is_fenced && !is_fence
    })
}

/// The targets of the links `[text](target)` of a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target)
}

/// Whether a link stays in the repository and names a file.
fn is_inside(link: &str) -> bool {
    !link.contains("://") && !link.starts_with('#') && !link.starts_with("mailto:")
}

/// The path, from the root, of the target of a link in the document `from`; `None` if it leaves the
/// root.
fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    let path = link.split_once('#').map_or(link, |(path, _)| path);
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether there is a file or a folder at this path.
fn exists(files: &[File], path: &str) -> bool {
    let folder = format!("{path}/");
    files.iter().any(|file| file.path == path || file.path.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(link: &str) -> bool {
        let text = format!("Read [this]({link}) and [that](#here).\n");
        let paths = ["docs/guide.md", "docs/decisions/0001-a.md", "README.md"];
        let files: Vec<File> = paths
            .iter()
            .map(|path| File { path: (*path).to_owned(), text: String::new() })
            .chain([File { path: "docs/start.md".to_owned(), text }])
            .collect();
        problems(&files).is_empty()
    }

    #[test]
    fn links_to_files_and_folders_resolve_from_the_document() {
        for link in ["guide.md", "guide.md#part", "../README.md", "decisions", "./decisions/"] {
            assert!(check(link), "{link}");
        }
    }

    #[test]
    fn broken_links_are_found() {
        for link in ["README.md", "../guide.md", "../../README.md", "decision"] {
            assert!(!check(link), "{link}");
        }
    }

    #[test]
    fn links_in_code_blocks_are_ignored() {
        let text = "```\nPr[<=10](<> P.b)\n```\n".to_owned();
        assert!(problems(&[File { path: "a.md".to_owned(), text }]).is_empty());
    }

    #[test]
    fn links_to_the_outside_are_not_followed() {
        assert!(check("https://example.org/README.md"));
        assert!(check("mailto:someone@example.org"));
    }
}
