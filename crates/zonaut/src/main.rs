//! The binary `zonaut`.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::thread;
use zonaut::{Console, Status};

/// The stack size of the main thread: large formulas are evaluated recursively. Only the used part
/// takes memory.
const STACK_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    let builder = thread::Builder::new().name("zonaut".into()).stack_size(STACK_BYTES);
    let status = match builder.spawn(command) {
        Ok(worker) => worker.join().ok().flatten(),
        // If the large stack cannot be allocated, the default one is used.
        Err(_) => command(),
    };
    ExitCode::from(status.unwrap_or(Status::Bug).code())
}

/// Runs the command of this process. Returns `None` after a bug.
fn command() -> Option<Status> {
    let words: Vec<OsString> = std::env::args_os().collect();
    zonaut::guarded(&words, || {
        let (mut out, mut err) = (io::BufWriter::new(io::stdout()), io::stderr());
        let colour_is_welcome = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let colour = colour_is_welcome && err.is_terminal();
        let colours_results = colour_is_welcome && io::stdout().is_terminal();
        let width = zonaut_console::terminal_width();
        let (out, err) = (&mut out, &mut err);
        zonaut::run(&words, &mut Console { out, err, colour, colours_results, width })
    })
}
