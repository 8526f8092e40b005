//! The command line as a library.

use crate::failure::misuse;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::thread;
use zonaut::{Console, Status};
use zonaut_console::OwnProgram;

/// The stack size of a command: large formulas are evaluated recursively. Only the used part takes
/// memory.
pub(crate) const STACK_BYTES: usize = 256 << 20;

/// The version of Zonaut.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Names the program that runs command lines in other processes, such as the checker of
/// certificates. The first call counts.
#[pyfunction]
pub(crate) fn register_program(path: PathBuf, arguments: Vec<OsString>) -> bool {
    OwnProgram { path, arguments }.register()
}

/// Runs a command line with the streams of the process and returns its exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, words: Vec<OsString>) -> PyResult<u8> {
    py.detach(|| {
        on_large_stack(move || {
            let status = zonaut::guarded(&words, || {
                let (mut out, mut err) = (io::BufWriter::new(io::stdout()), io::stderr());
                let is_welcome = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
                let colour = is_welcome && err.is_terminal();
                let colours_results = is_welcome && io::stdout().is_terminal();
                let width = zonaut_console::terminal_width();
                let (out, err) = (&mut out, &mut err);
                zonaut::run(&words, &mut Console { out, err, colour, colours_results, width })
            });
            status.unwrap_or(Status::Bug).code()
        })
    })
}

/// Runs a command line and returns its exit code, its output and its error output.
#[pyfunction]
pub(crate) fn run(py: Python<'_>, words: Vec<OsString>) -> PyResult<(u8, String, String)> {
    py.detach(|| {
        on_large_stack(move || {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let mut console = Console {
                out: &mut out as &mut dyn Write,
                err: &mut err,
                colour: false,
                colours_results: false,
                width: None,
            };
            let code = zonaut::run(&words, &mut console).code();
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            (code, text(out), text(err))
        })
    })
}

/// The result of `work` on a thread with a large stack.
fn on_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let builder = thread::Builder::new().name("zonaut".into()).stack_size(STACK_BYTES);
    let worker = builder.spawn(work);
    let worker = worker.map_err(|error| misuse("internal", format!("no thread: {error}")))?;
    worker.join().map_err(|_| misuse("internal", "a bug in Zonaut: a command has panicked"))
}
