//! The packages of the published crates, each built from its package alone, beyond `cargo test`.
//!
//! Cargo packages all of them at once and resolves their dependencies on each other in a registry of
//! its own, so that nothing is published. It needs the index of the package registry.

use crate::ci::cargo_program;
use crate::report::{Failure, Outcome};
use std::path::Path;
use std::process::Command;

const TASK: &str = "package";

/// The packages that are not published: those for tests, for the Python package index and for
/// development.
const UNPUBLISHED: [&str; 4] = ["zonaut-testkit", "zonaut-oracle", "zonaut-python", "xtask"];

/// Packages the crates in the folder `root`, whose changes must be committed.
pub(crate) fn run(root: &Path) -> Outcome {
    let mut cargo = Command::new(cargo_program());
    cargo.args(["package", "--workspace", "--quiet"]);
    for name in UNPUBLISHED {
        cargo.args(["--exclude", name]);
    }
    // Nothing of the packages is run: optimisation would only take time.
    cargo.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0").env("CARGO_PROFILE_DEV_DEBUG", "false");
    let status = cargo.current_dir(root).status();
    let status = status.map_err(|error| Failure::Environment(format!("{TASK}: {error}")))?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::Program { task: TASK, code: 1 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_other_packages_are_published() {
        let root = crate::repository_root().expect("a root");
        let crates = fs::read_dir(root.join("crates")).expect("a folder");
        let folders = crates.filter_map(|entry| Some(entry.ok()?.path()));
        for folder in folders.chain([root.join("xtask")]) {
            let text = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
            let name = folder.file_name().and_then(|name| name.to_str()).expect("a name");
            let is_listed = UNPUBLISHED.contains(&name);
            assert_eq!(text.contains("publish = false"), is_listed, "{name}");
        }
    }
}
