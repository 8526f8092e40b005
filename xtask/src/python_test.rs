//! Tests of the Python package: `pytest`, `mypy` and the notebooks, beyond `cargo test`.
//!
//! The tools are installed into an environment below `target`. If Python or the tools are missing,
//! the task is skipped with a message.

use crate::ci::cargo_program;
use crate::report::{Failure, Outcome};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TASK: &str = "python-test";

/// The packages without which nothing is tested.
const NEEDED: [&str; 2] = ["pytest", "mypy"];

/// The packages of data frames and notebooks; tests that need a missing one are skipped.
const OPTIONAL: [&str; 6] =
    ["pandas", "pandas-stubs", "nbclient", "nbformat", "ipykernel", "matplotlib"];

/// The number of random models that are compared with the command line.
const MODELS: &str = "2000";

/// The native module, as cargo names it, in the folders where it may be.
const BUILT: [&str; 4] = [
    "target/debug/lib_zonaut.so",
    "target/debug/deps/lib_zonaut.so",
    "target/debug/lib_zonaut.dylib",
    "target/debug/deps/lib_zonaut.dylib",
];

/// Tests the package that is built in the folder `root`.
pub(crate) fn run(root: &Path) -> Outcome {
    let bin = ["build", "-p", "zonaut-testkit", "--bin", "random_models"];
    drive(root, &[&["build", "-p", "zonaut-python"], &bin])
}

/// The same for the module that was built with the tests. Building it alone would rebuild its
/// dependencies, because tests enable more features of some packages.
pub(crate) fn run_after_tests(root: &Path) -> Outcome {
    drive(root, &[&["test", "--quiet", "--workspace", "--no-run"]])
}

/// Tests the package after cargo has run with these arguments.
fn drive(root: &Path, builds: &[&[&str]]) -> Outcome {
    let folder = root.join("target").join(TASK);
    let Some(python) = environment(&folder) else { return Ok(()) };
    for build in builds {
        succeed(Command::new(cargo_program()).args(*build).current_dir(root))?;
    }
    let broken = |error: io::Error| Failure::Environment(format!("{TASK}: {error}"));
    let source = root.join("crates/zonaut-python");
    let package = folder.join("package");
    assemble(root, &source, &package).map_err(broken)?;
    let models = folder.join("random-models.jsonl");
    let out = File::create(&models).map_err(broken)?;
    let mut generator = Command::new(root.join("target/debug/random_models"));
    succeed(generator.args(["--models", MODELS]).stdout(out))?;
    let mut tests = Command::new(&python);
    tests.args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "-rs"]);
    tests.current_dir(&source).env("PYTHONPATH", &package).env("PYTHONDONTWRITEBYTECODE", "1");
    succeed(tests.env("ZONAUT_RANDOM_MODELS", &models))?;
    let mut types = Command::new(&python);
    types.args(["-m", "mypy", "--cache-dir"]).arg(folder.join("types"));
    types.args(["python/zonaut", "tests"]).env("MYPYPATH", "python");
    succeed(types.current_dir(&source))
}

/// The interpreter of an environment with the tools; `None` after a message if it cannot be made.
fn environment(folder: &Path) -> Option<PathBuf> {
    let is_new = "import sys; sys.exit(sys.version_info < (3, 10))";
    if !is_successful(Command::new("python3").args(["-c", is_new])) {
        eprintln!("{TASK}: skipped, there is no Python 3.10 or later");
        return None;
    }
    let environment = folder.join("environment");
    let python = environment.join("bin/python");
    let is_made = python.is_file()
        || is_successful(Command::new("python3").args(["-m", "venv"]).arg(&environment));
    if !is_made {
        eprintln!("{TASK}: skipped, no environment can be created");
        return None;
    }
    if !has(&python, &NEEDED) {
        let packages = NEEDED.join(" and ");
        eprintln!("{TASK}: skipped, {packages} cannot be installed");
        return None;
    }
    if !has(&python, &OPTIONAL) {
        eprintln!("{TASK}: tests of data frames and notebooks are skipped");
    }
    Some(python)
}

/// Whether an environment has these packages, after installing them if that is necessary.
fn has(python: &Path, packages: &[&str]) -> bool {
    let pip = |arguments: &[&str]| {
        is_successful(Command::new(python).args(["-m", "pip"]).args(arguments).args(packages))
    };
    pip(&["show", "--quiet"]) || pip(&["install", "--quiet"])
}

/// Copies the Python sources and the native module into `package`.
fn assemble(root: &Path, source: &Path, package: &Path) -> io::Result<()> {
    let built = BUILT.iter().map(|name| root.join(name)).filter(|path| path.is_file());
    let modified = |path: &PathBuf| fs::metadata(path).and_then(|it| it.modified()).ok();
    let built = built.max_by_key(modified).ok_or_else(|| {
        io::Error::other("cargo has built no module `_zonaut`; is the platform supported?")
    })?;
    if package.exists() {
        fs::remove_dir_all(package)?;
    }
    copy_sources(&source.join("python"), package)?;
    fs::copy(built, package.join("zonaut/_zonaut.abi3.so"))?;
    Ok(())
}

/// Copies the files below `from`, except for compiled ones.
fn copy_sources(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        if path.is_dir() && name != "__pycache__" {
            copy_sources(&path, &to.join(name))?;
        } else if path.extension().is_none_or(|extension| extension != "so") && path.is_file() {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
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
