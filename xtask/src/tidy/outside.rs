//! The repository is independent of the machine: no absolute paths, no hosts of package registries.

use super::Finding;
use super::tree::File;

/// Top-level folders that occur in absolute paths of development machines.
const MACHINE_FOLDERS: &[&str] =
    &["Users", "farm", "home", "mnt", "opt", "root", "srv", "tmp", "work"];

/// Hosts that serve packages, in two halves so that this file does not name them.
const REGISTRY_HOSTS: &[(&str, &str)] =
    &[("crates.", "io"), ("artifact", "ory"), ("npmjs.", "org"), ("pypi.", "org")];

/// The only source that a locked package may name.
const LOCKED_SOURCE: (&str, &str) =
    ("source = \"registry+https://github.com/rust-lang/crates.", "io-index\"");

pub(super) fn findings(file: &File) -> Vec<Finding> {
    let objection = if file.path.ends_with("Cargo.lock") { locked_source } else { objection };
    file.numbered_lines()
        .filter_map(|(number, line)| Some(Finding::at(number, objection(line)?)))
        .collect()
}

fn objection(line: &str) -> Option<String> {
    let folder = MACHINE_FOLDERS.iter().find(|folder| names_machine_path(line, folder));
    if let Some(folder) = folder {
        return Some(format!("absolute path of a machine, below `{folder}`"));
    }
    let hosts = REGISTRY_HOSTS.iter().map(|(left, right)| format!("{left}{right}"));
    let host = hosts.into_iter().find(|host| line.contains(host.as_str()))?;
    Some(format!("`{host}` is the host of a package registry"))
}

fn locked_source(line: &str) -> Option<String> {
    let (left, right) = LOCKED_SOURCE;
    let is_foreign = line.starts_with("source = ") && line != format!("{left}{right}");
    is_foreign.then(|| "a package is locked to another source than the public index".to_owned())
}

/// Whether an absolute path into this folder occurs: `/folder/x`, not preceded by another part.
fn names_machine_path(line: &str, folder: &str) -> bool {
    let pattern = format!("/{folder}/");
    line.match_indices(&pattern).any(|(start, _)| {
        let continues_a_path =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | '*' | '}' | ')');
        let after = &line[start + pattern.len()..];
        !line[..start].ends_with(continues_a_path) && after.starts_with(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, line: &str) -> bool {
        findings(&File { path: path.to_owned(), text: format!("{line}\n") }).is_empty()
    }

    #[test]
    fn absolute_paths_of_machines_are_found() {
        for folder in MACHINE_FOLDERS {
            assert!(!check("a.md", &format!("see /{folder}/ann/zonaut")), "{folder}");
            assert!(!check("a.rs", &format!("open(\"/{folder}/ann\")")), "{folder}");
            assert!(check("a.md", &format!("see docs/{folder}/ann")), "{folder}");
            assert!(check("a.md", &format!("see ../{folder}/ann")), "{folder}");
        }
        assert!(check("a.md", "/nta/template[2]/location[3]"));
    }

    #[test]
    fn hosts_of_registries_are_found() {
        for (left, right) in REGISTRY_HOSTS {
            assert!(!check("a.toml", &format!("index = \"https://{left}{right}\"")));
        }
    }

    #[test]
    fn the_lock_file_names_the_public_index_only() {
        let (left, right) = LOCKED_SOURCE;
        assert!(check("Cargo.lock", &format!("{left}{right}")));
        assert!(!check("Cargo.lock", "source = \"registry+https://mirror.example/index\""));
    }
}
