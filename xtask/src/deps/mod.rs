//! `cargo xtask deps`: checks that the dependency table allows every dependency between crates of
//! the workspace, and that the document shows the table.

mod check;
mod document;
mod metadata;
mod table;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::ci::cargo_program;
use crate::report::{Failure, Outcome, outcome_of};

/// Checks the workspace in the folder `root`.
pub(crate) fn run(root: &Path) -> Outcome {
    let output = Command::new(cargo_program())
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(root)
        .output()
        .map_err(|error| Failure::Environment(format!("cargo metadata: {error}")))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Failure::Environment(format!("cargo metadata failed:\n{text}")));
    }
    let packages = metadata::read(&output.stdout).map_err(Failure::Environment)?;
    let mut problems = check::problems(table::TABLE, &packages);
    let text = read_document(root)?;
    match document::updated(&text, table::TABLE) {
        Ok(updated) if updated == text => {}
        Ok(_) => problems.push(format!(
            "{}: the dependency table is stale; run `cargo xtask deps --update`",
            document::PATH
        )),
        Err(problem) => problems.push(problem),
    }
    outcome_of("deps", problems)
}

/// Rewrites the dependency table of the document.
pub(crate) fn update(root: &Path) -> Outcome {
    let text = read_document(root)?;
    let updated = document::updated(&text, table::TABLE).map_err(Failure::Environment)?;
    fs::write(root.join(document::PATH), updated)
        .map_err(|error| Failure::Environment(format!("{}: {error}", document::PATH)))
}

fn read_document(root: &Path) -> Result<String, Failure> {
    fs::read_to_string(root.join(document::PATH))
        .map_err(|error| Failure::Environment(format!("{}: {error}", document::PATH)))
}
