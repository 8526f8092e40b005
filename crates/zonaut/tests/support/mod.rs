//! Running the binary as users do.

#![allow(dead_code, reason = "every test file is a program of its own, and none uses all of this")]

pub(crate) mod document;
#[cfg(unix)]
pub(crate) mod processes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder for one test, with the binary in its path.
pub(crate) struct Bench {
    folder: TempDir,
}

/// The result of a run of the binary.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file of this name.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("a writable folder");
        path
    }

    /// Runs the binary in the folder.
    pub(crate) fn run(&self, words: &[&str]) -> Run {
        self.finish(self.command(env!("CARGO_BIN_EXE_zonaut")).args(words))
    }

    /// Runs the binary with little address space, so that a runaway allocation fails.
    #[cfg(unix)]
    pub(crate) fn run_with_little_memory(&self, words: &[&str]) -> Run {
        let script = "ulimit -v 1000000; exec \"$0\" \"$@\"";
        let mut command = self.command("sh");
        self.finish(command.args(["-c", script, env!("CARGO_BIN_EXE_zonaut")]).args(words))
    }

    /// Runs the binary, and returns its peak memory in bytes; 0 if the system does not report it.
    pub(crate) fn run_watched(&self, words: &[&str]) -> (Run, u64) {
        let (stdout, stderr) = (self.path("stdout.txt"), self.path("stderr.txt"));
        let file = |path: &Path| fs::File::create(path).expect("a writable folder");
        let mut command = self.command(env!("CARGO_BIN_EXE_zonaut"));
        command.args(words).stdout(file(&stdout)).stderr(file(&stderr));
        let mut child = command.spawn().expect("the binary can be run");
        let mut held = 0;
        let status = loop {
            let status = fs::read_to_string(format!("/proc/{}/status", child.id()));
            held = held.max(status.ok().and_then(|text| resident_peak(&text)).unwrap_or(0));
            if let Some(status) = child.try_wait().expect("the binary is ours") {
                break status;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        };
        let text = |path: &Path| fs::read_to_string(path).expect("the output is UTF-8");
        (Run { code: status.code(), stdout: text(&stdout), stderr: text(&stderr) }, held)
    }

    pub(crate) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(self.folder.path()).env_remove("UPPAAL_OLD_SYNTAX");
        command
    }

    pub(crate) fn finish(&self, command: &mut Command) -> Run {
        let Output { status, stdout, stderr } = command.output().expect("the binary can be run");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
        Run { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
    }
}

/// The peak of memory in the text of `/proc/PID/status`, in bytes.
fn resident_peak(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}
