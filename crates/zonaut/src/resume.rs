//! `zonaut resume`: continues a search from its last checkpoint.

use crate::arguments::{Arguments, Command};
use crate::distribution::DistributionArguments;
use crate::verify;
use clap::{Args, Parser};
use std::ffi::OsString;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use zonaut_cluster::Folder;
use zonaut_console::{Console, Status, one_line};

/// Continue a search of `verify --checkpoint` from its last checkpoint.
///
/// The model, the query and the options are those of the saved command line; the number of threads
/// and processes may differ. Further checkpoints replace the one in the folder.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut verify model.xta -q 'A[] P.safe' --checkpoint saved --time 600
  zonaut resume saved
  zonaut resume saved --threads 4
  zonaut resume saved --processes 2")]
pub(crate) struct ResumeArguments {
    /// The folder with the checkpoint.
    folder: PathBuf,
    /// Search with this many threads in each process.
    #[arg(long, value_name = "COUNT", help_heading = "Search")]
    threads: Option<NonZeroUsize>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
    /// Print statistics of the answer.
    #[arg(long, short = 'v')]
    verbose: bool,
    #[command(flatten)]
    distribution: DistributionArguments,
}

pub(crate) fn run(
    arguments: &ResumeArguments,
    words: &[OsString],
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let subject = match Folder::subject(&arguments.folder) {
        Ok(subject) => subject,
        Err(error) => {
            console.complain(&format!("error: {}", one_line(&error.to_string())));
            return Ok(Status::WrongInput);
        }
    };
    let saved = ["zonaut", "verify"].into_iter().map(str::to_owned).chain(subject.words);
    let Ok(Arguments { command: Command::Verify(mut verify), .. }) =
        Arguments::try_parse_from(saved)
    else {
        console.complain("error: the command line of the checkpoint is not one of this version");
        return Ok(Status::WrongInput);
    };
    let directory = Path::new(&subject.directory);
    verify.input.model = directory.join(&verify.input.model);
    verify.input.queries = verify.input.queries.map(|path| directory.join(path));
    verify.threads = arguments.threads;
    verify.json |= arguments.json;
    verify.verbose |= arguments.verbose;
    verify.distribution = arguments.distribution.clone();
    verify.distribution.checkpoint = Some(arguments.folder.clone());
    verify.distribution.is_resumed = true;
    verify::run(&verify, words, console)
}
