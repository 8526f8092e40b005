//! The command line of Zonaut: arguments, output and exit codes.
//!
//! [`zonaut_engine`] does the work; this crate parses arguments, calls it and prints the results.
//! The binary only connects [`run`] with the process, so that tests can call it too.

mod abstract_model;
mod arguments;
mod bench;
mod bug_report;
mod certified_answer;
mod certify;
mod charts;
mod check;
mod check_certificate;
mod completions;
mod convert;
mod excerpt;
mod expectations;
mod explore;
mod generate;
mod limits;
mod loading;
mod manual;
mod optimize;
mod race;
mod render;
mod reports;
mod schema;
mod search_arguments;
mod selftest;
mod serve;
mod simulate;
mod strategies;
mod verify;

pub use bug_report::guarded;
pub use zonaut_console::{Console, Status};

use arguments::{Arguments, Command};
use clap::Parser;
use std::ffi::OsString;
use std::io;

/// Runs one command line; the first word is the program's name.
pub fn run(words: &[OsString], console: &mut Console<'_>) -> Status {
    let result = match words.split_first() {
        Some((program, rest)) if zonaut_verifyta::is_name_of(program) => {
            zonaut_verifyta::run(rest, console)
        }
        _ if limits::is_asked_for(words) => {
            console.write_folded(&limits::help()).map(|()| Status::Success)
        }
        _ => match Arguments::try_parse_from(words) {
            Ok(arguments) => {
                arguments.color.apply(console);
                execute(&arguments.command, words, console)
            }
            Err(usage) => show_usage(&with_list_of_commands(usage, words), console),
        },
    };
    match result.and_then(|status| console.out.flush().map(|()| status)) {
        Ok(status) => status,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::OutputClosed,
        Err(error) => {
            console.complain(&format!("error: the output cannot be written: {error}"));
            Status::Undecided
        }
    }
}

/// The words after `verifyta`, as written: the argument parser drops a first `--`, after which file
/// names may start with `-`.
fn words_of_verifyta(words: &[OsString]) -> &[OsString] {
    let command = words.iter().skip(1).position(|word| word == "verifyta");
    command.map_or(&[], |position| &words[position + 2..])
}

/// Executes the command that `words` name.
fn execute(command: &Command, words: &[OsString], console: &mut Console<'_>) -> io::Result<Status> {
    match command {
        Command::Verify(arguments) => verify::run(arguments, console),
        Command::Optimize(arguments) => optimize::run(arguments, console),
        Command::Race(arguments) => race::run(arguments, console),
        Command::Test(arguments) => expectations::run(arguments, console),
        Command::Explore(arguments) => explore::run(arguments, console),
        Command::Simulate(arguments) => simulate::run(arguments, console),
        Command::Serve(arguments) => serve::run(arguments, console),
        Command::Bench(arguments) => bench::run(arguments, console),
        Command::Check(arguments) => check::run(arguments, console),
        Command::Convert(arguments) => convert::run(arguments, console),
        Command::Abstract(arguments) => abstract_model::run(arguments, console),
        Command::Generate(arguments) => generate::run(arguments, console),
        Command::Strategies(arguments) => strategies::run(arguments, console),
        Command::Certify(arguments) => certify::run(arguments, console),
        Command::Selftest(_) => selftest::run(console),
        Command::Verifyta(_) => zonaut_verifyta::run(words_of_verifyta(words), console),
        Command::Schema(arguments) => schema::run(arguments, console),
        Command::Completions(arguments) => completions::run(arguments, console),
        Command::Manual(arguments) => manual::run(arguments, console),
        Command::CheckCertificate(arguments) => check_certificate::run(arguments, console),
    }
}

/// Prints a requested help text, or an error in the arguments.
/// The same message; help of the program lists its commands.
fn with_list_of_commands(usage: clap::Error, words: &[OsString]) -> clap::Error {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
    match usage.kind() {
        DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand => {
            let parsed = Arguments::with_list_of_commands().try_get_matches_from(words);
            parsed.err().unwrap_or(usage)
        }
        _ => usage,
    }
}

fn show_usage(usage: &clap::Error, console: &mut Console<'_>) -> io::Result<Status> {
    let is_complaint = usage.use_stderr();
    let colour = if is_complaint { console.colour } else { console.colours_results };
    let rendered = usage.render();
    let text = if colour { rendered.ansi().to_string() } else { rendered.to_string() };
    if is_complaint {
        console.complain(text.trim_end());
        return Ok(Status::WrongInput);
    }
    console.write_folded(&text)?;
    Ok(Status::Success)
}
