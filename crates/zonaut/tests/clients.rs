//! Programs that drive UPPAAL's verifier, unmodified, with Zonaut as its replacement.
//!
//! They are installed from the Python package index into a virtual environment of the test, which
//! needs a network: the test runs only on request.

#![cfg(target_os = "linux")]

mod support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::Bench;

const MODEL: &str = include_str!("clients/two_ways.xml");

/// A virtual environment with the packages, and the drop-in under its usual name.
struct Clients {
    bench: Bench,
}

impl Clients {
    /// Installs the packages.
    fn install() -> Self {
        let bench = Bench::new();
        prepare(&bench).expect("Python and its package index");
        Self { bench }
    }

    /// Runs the scenarios in `script` in a separate folder.
    #[track_caller]
    fn play(&self, script: &str, environment: &[(&str, &str)]) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("a writable folder");
            path
        };
        let (script, model) = (write("scenarios.py", script), write("model.xml", MODEL));
        let verifyta = self.bench.path("verifyta");
        let mut command = Command::new(self.bench.path("python/bin/python"));
        command.current_dir(folder.path()).args([script, verifyta, model]);
        for name in ["UPPAAL_COMPILE_ONLY", "UPPAAL_OLD_SYNTAX", "ZONAUT_UPPAAL_VERSION"] {
            command.env_remove(name);
        }
        command.env("PYTHONIOENCODING", "utf-8").envs(environment.iter().copied());
        let Output { status, stdout, stderr } = command.output().expect("Python can be run");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(status.success(), "{}{}", text(&stdout), text(&stderr));
        assert!(text(&stdout).ends_with("all scenarios passed\n"), "{}", text(&stdout));
    }
}

fn prepare(bench: &Bench) -> Result<(), String> {
    let python = bench.path("python");
    succeed(Command::new("python3").args([OsStr::new("-m"), "venv".as_ref(), python.as_ref()]))?;
    let mut install = Command::new(python.join("bin/python"));
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    install.args(["--no-deps", "--only-binary=:all:", "--timeout=10", "--retries=1"]);
    install.args(["pyuppaal==1.2.0", "strategoutil==0.1.4"]);
    succeed(&mut install)?;
    symlink(env!("CARGO_BIN_EXE_zonaut"), bench.path("verifyta")).map_err(|e| e.to_string())
}

/// Runs a command; returns the last line of its standard error if it fails.
fn succeed(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let all = [output.stderr, output.stdout].concat();
    let text = String::from_utf8_lossy(&all);
    Err(text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no reason given").to_owned())
}

/// The file with this name below a folder.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).ok()?.flatten() {
            let path = entry.path();
            if path.file_name().is_some_and(|file| file == name) {
                return Some(path);
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(path);
            }
        }
    }
    None
}

#[test]
#[ignore = "installs packages from the network: cargo test -p zonaut --test clients -- --ignored"]
fn programs_that_drive_verifyta_drive_zonaut() {
    let clients = Clients::install();
    clients.play(include_str!("clients/strategoutil_scenarios.py"), &[]);
    // The trace reader of pyuppaal is a program for this architecture only.
    if cfg!(not(target_arch = "x86_64")) {
        eprintln!("skipped: the reader of traces in pyuppaal does not run on this machine");
        return;
    }
    // The package does not set its executable bit.
    let reader = find(&clients.bench.path("python/lib"), "tracer_linux").expect("the reader");
    fs::set_permissions(reader, fs::Permissions::from_mode(0o755)).expect("our own file");
    let scenarios = include_str!("clients/pyuppaal_scenarios.py");
    for environment in [("ZONAUT_UPPAAL_VERSION", "4.1"), ("UPPAAL_COMPILE_ONLY", "")] {
        clients.play(scenarios, &[environment]);
    }
}
