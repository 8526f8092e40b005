//! `zonaut manual`: manual pages.

use crate::arguments::Arguments;
use clap::{Args, Command};
use clap_mangen::Man;
use std::fs;
use std::io;
use std::path::PathBuf;
use zonaut_console::{Console, Status, one_line, write_file};

/// Print the manual page, or write the manual pages of all commands.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut manual | man -l -
  zonaut manual -o ~/.local/share/man/man1 && man zonaut-verify")]
pub(crate) struct ManualArguments {
    /// Write the pages of all commands into this folder instead.
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

pub(crate) fn run(arguments: &ManualArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let pages = pages()?;
    let Some(folder) = &arguments.output else {
        let first = pages.first().map_or("", |page| page.text.as_str());
        console.out.write_all(first.as_bytes())?;
        return Ok(Status::Success);
    };
    if let Err(error) = fs::create_dir_all(folder) {
        let shown = one_line(&folder.display().to_string());
        console.complain(&format!("error: `{shown}` cannot be made: {error}"));
        return Ok(Status::WrongInput);
    }
    Ok(pages.iter().fold(Status::Success, |status, page| {
        let path = folder.join(format!("{}.1", page.name));
        write_file(&path, &page.text, console).or_worse(status)
    }))
}

/// A page of the manual.
struct Page {
    name: String,
    text: String,
}

/// The page of the program, and those of its commands.
fn pages() -> io::Result<Vec<Page>> {
    let mut program = Arguments::with_list_of_commands();
    // Building assigns commands their full names.
    program.build();
    let is_shown = |command: &&Command| !command.is_hide_set() && command.get_name() != "help";
    let commands = program.get_subcommands().filter(is_shown).cloned();
    [program.clone()].into_iter().chain(commands).map(page).collect()
}

fn page(command: Command) -> io::Result<Page> {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok(Page { name, text: String::from_utf8_lossy(&text).into_owned() })
}
