//! The checker process of other commands. It is not a command for users: it exits when its standard
//! input closes, so that it never outlives its parent process.

use crate::arguments::CheckCertificateArguments;
use std::io;
use zonaut_certification::{CheckedFiles, answer_parent};
use zonaut_console::{Console, Status};

pub(crate) fn run(
    arguments: &CheckCertificateArguments,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let files = CheckedFiles {
        core: arguments.core.clone(),
        certificate: arguments.certificate.clone(),
        max_file_size: arguments.max_file_size,
    };
    match answer_parent(files, arguments.threads, io::stdin(), console.out)? {
        true => Ok(Status::Success),
        false => Ok(Status::Undecided),
    }
}
