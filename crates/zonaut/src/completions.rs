//! `zonaut completions`: completion scripts for shells.

use crate::arguments::Arguments;
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use std::io;
use zonaut_console::{Console, Status};

/// Print a completion script for a shell.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut completions bash > ~/.local/share/bash-completion/completions/zonaut
  zonaut completions fish > ~/.config/fish/completions/zonaut.fish
  zonaut completions zsh > ~/.zfunc/_zonaut")]
pub(crate) struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(
    arguments: &CompletionsArguments,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut Arguments::command(), "zonaut", &mut script);
    console.out.write_all(&script)?;
    Ok(Status::Success)
}
