//! `zonaut-certify CORE CERTIFICATE` checks a certificate against a core text.
//!
//! Exit codes: 0 accepted, 1 rejected, 2 malformed, unreadable or wrong usage, 3 another model,
//! 4 undecided: not supported, or beyond a limit.

use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;
use zonaut_certify::{Limits, Refusal, check};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [core, certificate] = arguments.as_slice() else {
        return answer(2, "usage: zonaut-certify CORE CERTIFICATE");
    };
    let (core, certificate) = match (fs::read_to_string(core), fs::read(certificate)) {
        (Ok(core), Ok(certificate)) => (core, certificate),
        (Err(error), _) => return answer(2, &format!("the core text cannot be read: {error}")),
        (_, Err(error)) => return answer(2, &format!("the certificate cannot be read: {error}")),
    };
    match check(&core, &certificate, &Limits::default()) {
        Ok(accepted) => answer(0, &accepted.to_string()),
        Err(refusal) => {
            let code = match refusal {
                Refusal::Rejected(_) => 1,
                Refusal::Malformed { .. } => 2,
                Refusal::WrongModel { .. } => 3,
                Refusal::Undecided(_) => 4,
            };
            answer(code, &refusal.to_string())
        }
    }
}

/// Prints a line without control characters, which could come from a hostile text.
fn answer(code: u8, line: &str) -> ExitCode {
    let shown: String = line.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    match writeln!(io::stdout(), "{shown}") {
        Ok(()) => ExitCode::from(code),
        // If the answer could not be printed, the exit code must not mean acceptance.
        Err(_) => ExitCode::from(code.max(2)),
    }
}
