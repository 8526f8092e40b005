//! Tests of the pages in a real browser, beyond `cargo test`.
//!
//! The browser is driven by a script under `xtask/ui`, with two packages that are installed outside
//! the build of cargo. If the browser or the tools are missing, the task is skipped with a message.

use crate::ci::cargo_program;
use crate::report::{Failure, Outcome};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TASK: &str = "ui-test";
/// The packages, in tested versions.
const PACKAGES: [&str; 2] = ["playwright-core@1.65.0", "axe-core@4.14.0"];
/// The names of supported browsers.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Tests the pages of the program that is built in the folder `root`.
pub(crate) fn run(root: &Path) -> Outcome {
    drive(root, &["build", "-p", "zonaut"])
}

/// The same for the program that was built with the tests. Building it alone would rebuild its
/// dependencies, because tests enable more features of some packages.
pub(crate) fn run_after_tests(root: &Path) -> Outcome {
    drive(root, &["test", "--quiet", "--workspace", "--no-run"])
}

/// Tests the pages of the program that cargo builds with these arguments.
fn drive(root: &Path, build: &[&str]) -> Outcome {
    let Some(browser) = browser() else {
        eprintln!("{TASK}: skipped, there is no Chromium (CHROMIUM may name one)");
        return Ok(());
    };
    if let Some(missing) = ["node", "npm"].into_iter().find(|name| found(name).is_none()) {
        eprintln!("{TASK}: skipped, {missing} is not installed");
        return Ok(());
    }
    let folder = root.join("target").join(TASK);
    fs::create_dir_all(&folder).map_err(|error| Failure::Environment(error.to_string()))?;
    if !install(&folder) {
        let packages = PACKAGES.join(" and ");
        eprintln!("{TASK}: skipped, {packages} cannot be installed");
        return Ok(());
    }
    succeed(Command::new(cargo_program()).args(build).current_dir(root))?;
    let mut driver = Command::new("node");
    driver.arg(root.join("xtask/ui/drive.mjs")).arg(root.join("target/debug/zonaut"));
    succeed(driver.arg(browser).arg(root.join("models")).arg(folder))
}

fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from).filter(|path| path.is_file());
    named.or_else(|| BROWSERS.into_iter().find_map(found))
}

/// The program of this name in the search path of the environment.
fn found(name: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Installs the packages in `folder`, unless they are present.
fn install(folder: &Path) -> bool {
    if ["playwright-core", "axe-core"]
        .iter()
        .all(|it| folder.join("node_modules").join(it).is_dir())
    {
        return true;
    }
    let manifest = fs::write(folder.join("package.json"), "{ \"private\": true }\n");
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).args(PACKAGES);
    npm.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    manifest.is_ok() && npm.status().is_ok_and(|status| status.success())
}

fn succeed(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| Failure::Environment(error.to_string()))?;
    match status.code() {
        Some(0) => Ok(()),
        _ => Err(Failure::Program { task: TASK, code: 1 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_the_search_path() {
        assert!(found("sh").is_some());
        assert!(found("no-such-program").is_none());
    }
}
