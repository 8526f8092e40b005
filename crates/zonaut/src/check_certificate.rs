//! The process that checks certificates for `zonaut verify`. It is no command for people: it ends
//! when its standard input does, so that it never outlives the process that started it.

use crate::arguments::CheckCertificateArguments;
use std::fs;
use std::io::{self, Read};
use std::panic;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use zonaut_certify::{Limits, check};
use zonaut_console::{Console, Status, one_line};

pub(crate) fn run(
    arguments: &CheckCertificateArguments,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let (answer, answers) = mpsc::channel();
    let orphaned = answer.clone();
    thread::Builder::new().spawn(move || {
        let mut byte = [0];
        while io::stdin().read(&mut byte).is_ok_and(|count| count > 0) {}
        let _ = orphaned.send(None);
    })?;
    let (core, certificate) = (arguments.core.clone(), arguments.certificate.clone());
    thread::Builder::new().spawn(move || {
        // A checker that breaks has no answer; nobody may wait for one.
        let _ = answer.send(panic::catch_unwind(|| line(&core, &certificate)).ok());
    })?;
    match answers.recv() {
        Ok(Some(line)) => {
            writeln!(console.out, "{}", one_line(&line))?;
            Ok(Status::Success)
        }
        _ => Ok(Status::Undecided),
    }
}

/// What the checker says about the certificate, on one line.
fn line(core: &Path, certificate: &Path) -> String {
    match (fs::read_to_string(core), fs::read_to_string(certificate)) {
        (Ok(core), Ok(certificate)) => match check(&core, &certificate, &Limits::default()) {
            Ok(accepted) => accepted.to_string(),
            Err(refusal) => refusal.to_string(),
        },
        (Err(error), _) | (_, Err(error)) => format!("unreadable: {error}"),
    }
}
