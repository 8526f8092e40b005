//! `cargo xtask deps`: every dependency between our crates is in the table of who may use whom.

mod check;
mod metadata;
mod table;

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
    outcome_of("deps", check::problems(table::TABLE, &packages))
}
