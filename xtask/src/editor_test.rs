//! Tests of the editor extension: its grammars on examples, and its package.
//!
//! The tools are npm packages that are installed below `target`. If npm or the packages are missing,
//! the task is skipped with a message. Visual Studio Code itself is not started.

use crate::report::{Failure, Outcome};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const TASK: &str = "editor-test";

/// The packages, in tested versions; later major versions of the second need a newer Node.
const PACKAGES: [&str; 2] = ["vscode-tmgrammar-test@0.1.3", "@vscode/vsce@3.9.2"];

/// Tests the extension under `editors/vscode` of the folder `root`.
pub(crate) fn run(root: &Path) -> Outcome {
    if !is_successful(Command::new("npm").arg("--version")) {
        eprintln!("{TASK}: skipped, npm is not installed");
        return Ok(());
    }
    let broken = |error: std::io::Error| Failure::Environment(format!("{TASK}: {error}"));
    let folder = root.join("target").join(TASK);
    fs::create_dir_all(&folder).map_err(broken)?;
    if !install(&folder) {
        eprintln!("{TASK}: skipped, {} cannot be installed", PACKAGES.join(" and "));
        return Ok(());
    }
    let (tools, extension) = (folder.join("node_modules/.bin"), root.join("editors/vscode"));
    let mut grammars = Command::new(tools.join("vscode-tmgrammar-test"));
    for name in ["xta", "queries"] {
        grammars.arg("--grammar").arg(format!("syntaxes/{name}.tmLanguage.json"));
    }
    succeed(grammars.arg("tests/*").current_dir(&extension))?;
    let package = folder.join("zonaut.vsix");
    let mut vsce = Command::new(tools.join("vsce"));
    vsce.args(["package", "--no-dependencies", "--allow-missing-repository", "--skip-license"]);
    succeed(vsce.arg("--out").arg(&package).current_dir(&extension))
}

/// Installs the packages in `folder`, unless they are present.
fn install(folder: &Path) -> bool {
    let tools = folder.join("node_modules/.bin");
    if ["vscode-tmgrammar-test", "vsce"].iter().all(|name| tools.join(name).exists()) {
        return true;
    }
    let manifest = fs::write(folder.join("package.json"), "{ \"private\": true }\n");
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).args(PACKAGES);
    manifest.is_ok() && is_successful(npm.current_dir(folder))
}

fn is_successful(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn succeed(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| Failure::Environment(error.to_string()))?;
    match status.code() {
        Some(0) => Ok(()),
        _ => Err(Failure::Program { task: TASK, code: 1 }),
    }
}
