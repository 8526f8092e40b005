//! The program that runs command lines of Zonaut in other processes.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The program that runs a command line in another process: checkers of certificates and measured
/// runs are such processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnProgram {
    /// The executable file.
    pub path: PathBuf,
    /// The arguments before the words of the command line, without a program name.
    pub arguments: Vec<OsString>,
}

/// The program of this process, if it is not its executable file.
static REGISTERED: OnceLock<OwnProgram> = OnceLock::new();

impl OwnProgram {
    /// Declares that this process is not an executable of Zonaut, and that `self` is one: for
    /// processes that load Zonaut as a library. The first call counts; returns whether it was the
    /// first.
    pub fn register(self) -> bool {
        REGISTERED.set(self).is_ok()
    }

    /// The registered program, or the executable file of this process.
    ///
    /// # Errors
    /// If nothing is registered and the executable file is unknown.
    pub fn current() -> io::Result<Self> {
        match REGISTERED.get() {
            Some(program) => Ok(program.clone()),
            None => Ok(Self { path: std::env::current_exe()?, arguments: Vec::new() }),
        }
    }
}
