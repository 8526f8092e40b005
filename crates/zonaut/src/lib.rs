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
mod configuration;
mod convert;
mod deadlock;
mod diff;
mod distribution;
mod draw;
mod excerpt;
mod expectations;
mod explain;
mod explore;
mod generate;
mod headline;
mod limits;
mod loading;
mod lsp;
mod manual;
mod optimize;
mod plots;
mod race;
mod render;
mod reports;
mod resume;
mod sampling_arguments;
mod schema;
mod search_arguments;
mod selftest;
mod serve;
mod simulate;
mod spilling;
mod strategies;
mod verify;
mod watch;

pub use bug_report::guarded;
pub use certified_answer::checker;
pub use render::rendered;
pub use zonaut_console::{Console, Status};

use arguments::{Arguments, Command};
use clap::{CommandFactory, FromArgMatches};
use configuration::{CommandLine, Configured, configured};
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
        _ => match parsed(words) {
            Ok((arguments, line)) => execute_configured(&arguments, &line, console),
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

/// The arguments, and the command line that they come from.
fn parsed(words: &[OsString]) -> Result<(Arguments, CommandLine<'_>), clap::Error> {
    let mut matches = Arguments::command().try_get_matches_from(words)?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    let (name, matches) = matches.remove_subcommand().unwrap_or_default();
    Ok((arguments, CommandLine { words, name, matches }))
}

/// Executes a command with the settings of the configuration file that applies.
fn execute_configured(
    arguments: &Arguments,
    line: &CommandLine<'_>,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    arguments.color.apply(console);
    let configured = match arguments.no_config {
        true => Ok(None),
        false => configured(line),
    };
    match configured {
        Ok(None) => execute(&arguments.command, line.words, console),
        Ok(Some(Configured { command, note })) => {
            console.complain(&note);
            execute(&command, line.words, console)
        }
        Err(message) => {
            console.complain(&format!("error: {message}"));
            console.complain("  = help: `--no-config` ignores the file");
            Ok(Status::WrongInput)
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
        Command::Verify(arguments) => verify::run(arguments, words, console),
        Command::Resume(arguments) => resume::run(arguments, words, console),
        Command::Optimize(arguments) => optimize::run(arguments, console),
        Command::Race(arguments) => race::run(arguments, console),
        Command::Test(arguments) => expectations::run(arguments, console),
        Command::Explore(arguments) => explore::run(arguments, console),
        Command::Simulate(arguments) => simulate::run(arguments, console),
        Command::Serve(arguments) => serve::run(arguments, console),
        Command::Watch(arguments) => watch::run(arguments, console),
        Command::Lsp(arguments) => {
            let settings = match words.iter().any(|word| word == "--no-config") {
                true => lsp::Settings::Ignored,
                false => lsp::Settings::OfFolders,
            };
            lsp::run(arguments, settings, console)
        }
        Command::Explain(arguments) => explain::run(arguments, console),
        Command::Diff(arguments) => diff::run(arguments, console),
        Command::Draw(arguments) => draw::run(arguments, console),
        Command::Bench(arguments) => bench::run(arguments, console),
        Command::Check(arguments) => check::run(arguments, console),
        Command::Convert(arguments) => convert::run(arguments, console),
        Command::Abstract(arguments) => abstract_model::run(arguments, console),
        Command::Generate(arguments) => generate::run(arguments, console),
        Command::Strategies(arguments) => strategies::run(arguments, console),
        Command::Certify(arguments) => certify::run(arguments, console),
        Command::Selftest(_) => selftest::run(console),
        Command::Verifyta(arguments) => {
            let written = words_of_verifyta(words);
            debug_assert!(written.ends_with(&arguments.words));
            zonaut_verifyta::run(written, console)
        }
        Command::Schema(arguments) => schema::run(arguments, console),
        Command::Completions(arguments) => completions::run(arguments, console),
        Command::Manual(arguments) => manual::run(arguments, console),
        Command::CheckCertificate(arguments) => check_certificate::run(arguments, console),
    }
}

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

/// Prints a requested help text, or an error in the arguments.
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
