//! Running the binary as a stranger would.

#![allow(dead_code, reason = "every test file is a program of its own, and none uses all of this")]

pub(crate) mod document;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder for one test with the binary in reach.
pub(crate) struct Bench {
    folder: TempDir,
}

/// What a run of the binary showed.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit code; absent after a signal.
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
