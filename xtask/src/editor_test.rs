//! Tests of the language server with real clients, and of the editor extension: its grammars on
//! examples, and its package.
//!
//! Clients are neovim without a terminal, and the protocol library of Visual Studio Code; the latter
//! and the other tools are npm packages that are installed below `target`. A part whose tools are
//! missing is skipped with a message. Visual Studio Code itself is not started: the code of the
//! extension runs with stand-ins for it and for its language client.

use crate::ci::cargo_program;
use crate::report::{Failure, Outcome};
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

const TASK: &str = "editor-test";

/// The packages, in tested versions; later major versions of the second need a newer Node, and the
/// third is the one that the extension depends on.
const PACKAGES: [&str; 3] =
    ["vscode-tmgrammar-test@0.1.3", "@vscode/vsce@3.9.2", "vscode-languageserver-protocol@3.17.5"];

/// Files that the extension's package must have, and names that it must not have.
const PACKED: [&str; 5] = [
    "src/extension.js",
    "src/page.js",
    "syntaxes/xta.tmLanguage.json",
    "node_modules/vscode-languageclient/node.js",
    "node_modules/vscode-jsonrpc/node.js",
];

/// The server that was built in the folder.
const SERVER: &str = "target/debug/zonaut";

/// Builds the server of the folder `root`, and tests it with the extension.
pub(crate) fn run(root: &Path) -> Outcome {
    succeed(Command::new(cargo_program()).args(["build", "-p", "zonaut"]).current_dir(root))?;
    run_after_tests(root)
}

/// The same with the server that was built with the tests.
pub(crate) fn run_after_tests(root: &Path) -> Outcome {
    neovim(root)?;
    let broken = |error: io::Error| Failure::Environment(format!("{TASK}: {error}"));
    if !is_successful(Command::new("npm").arg("--version")) {
        eprintln!("{TASK}: the extension is skipped, npm is not installed");
        return Ok(());
    }
    let folder = root.join("target").join(TASK);
    fs::create_dir_all(&folder).map_err(broken)?;
    if !install(&folder) {
        eprintln!("{TASK}: the extension is skipped, {} cannot be installed", PACKAGES.join(", "));
        return Ok(());
    }
    let (tools, extension) = (folder.join("node_modules/.bin"), root.join("editors/vscode"));
    let mut grammars = Command::new(tools.join("vscode-tmgrammar-test"));
    for name in ["xta", "queries"] {
        grammars.arg("--grammar").arg(format!("syntaxes/{name}.tmLanguage.json"));
    }
    succeed(grammars.arg("tests/*.test.*").current_dir(&extension))?;
    let mut client = Command::new("node");
    client.arg(extension.join("tests/client.cjs")).arg(root.join(SERVER));
    succeed(client.env("NODE_PATH", folder.join("node_modules")))?;
    succeed(Command::new("node").arg(extension.join("tests/extension.cjs")))?;
    package(&folder, &extension)
}

/// Tests the set-up of neovim and the server with it.
fn neovim(root: &Path) -> Outcome {
    if !is_successful(Command::new("nvim").arg("--version")) {
        eprintln!("{TASK}: neovim is skipped, it is not installed");
        return Ok(());
    }
    let programs = std::env::var_os("PATH").unwrap_or_default();
    let own = root.join(SERVER);
    let folders = own.parent().map(Path::to_owned).into_iter();
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&programs)))
        .map_err(|error| Failure::Environment(error.to_string()))?;
    let mut nvim = Command::new("nvim");
    nvim.args(["--headless", "--clean", "-n"]);
    for script in ["zonaut.lua", "trace.lua", "test.lua"] {
        nvim.arg("-c").arg(format!("luafile {script}"));
    }
    succeed(nvim.env("PATH", path).stdin(Stdio::null()).current_dir(root.join("editors/neovim")))
}

/// Builds the extension's package from a copy with its dependencies, and looks into it.
fn package(folder: &Path, extension: &Path) -> Outcome {
    let broken = |error: io::Error| Failure::Environment(format!("{TASK}: {error}"));
    let copy = folder.join("extension");
    copy_folder(extension, &copy).map_err(broken)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--omit=dev", "--no-audit", "--no-fund", "--ignore-scripts"]);
    if !is_successful(npm.current_dir(&copy)) {
        eprintln!("{TASK}: the package is skipped, its dependencies cannot be installed");
        return Ok(());
    }
    let vsce = || Command::new(folder.join("node_modules/.bin/vsce"));
    let listed = vsce().arg("ls").current_dir(&copy).output().map_err(broken)?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let files: Vec<&str> = listed.lines().map(str::trim).collect();
    let missing = PACKED.iter().find(|file| !files.contains(file));
    let superfluous = files.iter().find(|file| file.starts_with("tests/"));
    if let Some(file) = missing.or(superfluous) {
        eprintln!("{TASK}: the package lacks or has {file}");
        return Err(Failure::Program { task: TASK, code: 1 });
    }
    let out = folder.join("zonaut.vsix");
    let mut pack = vsce();
    pack.args(["package", "--allow-missing-repository", "--skip-license", "--out"]).arg(&out);
    succeed(pack.current_dir(&copy))
}

/// Copies a folder, without packages that were installed in it.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type()?.is_dir() {
            true if entry.file_name() == "node_modules" => {}
            true => copy_folder(&source, &target)?,
            false => {
                fs::copy(&source, &target)?;
            }
        }
    }
    Ok(())
}

/// Installs the packages in `folder`, unless they are present.
fn install(folder: &Path) -> bool {
    let modules = folder.join("node_modules");
    let names = ["vscode-tmgrammar-test", "@vscode/vsce", "vscode-languageserver-protocol"];
    if names.iter().all(|name| modules.join(name).exists()) {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    const MANIFEST: &str = include_str!("../../editors/vscode/package.json");
    const EXTENSION: &str = include_str!("../../editors/vscode/src/extension.js");

    #[test]
    fn the_manifest_protects_untrusted_workspaces() {
        let manifest: Value = serde_json::from_str(MANIFEST).expect("JSON");
        let settings = &manifest["contributes"]["configuration"]["properties"];
        assert_eq!(settings["zonaut.path"]["scope"], json!("machine"));
        let untrusted = &manifest["capabilities"]["untrustedWorkspaces"];
        assert_eq!(untrusted["supported"], json!("limited"));
        for name in settings.as_object().expect("settings").keys() {
            let restricted = untrusted["restrictedConfigurations"].as_array().expect("a list");
            assert!(restricted.contains(&json!(name)), "{name}");
        }
        assert!(EXTENSION.contains("!vscode.workspace.isTrusted"));
        assert!(!EXTENSION.contains("enableScripts: true"));
    }

    #[test]
    fn commands_of_the_manifest_and_of_the_extension_are_the_same() {
        let manifest: Value = serde_json::from_str(MANIFEST).expect("JSON");
        let commands = manifest["contributes"]["commands"].as_array().expect("a list");
        let names = commands.iter().map(|command| command["command"].as_str().expect("a name"));
        let names: Vec<&str> = names.collect();
        for name in &names {
            assert!(EXTENSION.contains(&format!("command('{name}'")), "{name}");
        }
        assert_eq!(EXTENSION.matches("  command('").count(), names.len());
        assert_eq!(manifest["version"], json!(env!("CARGO_PKG_VERSION")), "one version");
    }

    #[test]
    fn the_documented_setup_of_neovim_is_the_tested_one() {
        let setup = include_str!("../../editors/neovim/zonaut.lua");
        let readme = include_str!("../../editors/neovim/README.md");
        assert!(readme.contains(setup));
        assert!(readme.contains(include_str!("../../editors/neovim/trace.lua")));
        assert_eq!(setup.lines().count(), 10);
    }
}
