//! The binary `zonaut`.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use zonaut::{Console, Status};

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let status = zonaut::guarded(&words, || {
        let (mut out, mut err) = (io::BufWriter::new(io::stdout()), io::stderr());
        let colour_is_welcome = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let colour = colour_is_welcome && err.is_terminal();
        zonaut::run(&words, &mut Console { out: &mut out, err: &mut err, colour })
    });
    ExitCode::from(status.unwrap_or(Status::Bug).code())
}
