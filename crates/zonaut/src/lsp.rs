//! `zonaut lsp`: the language server.

use crate::configuration::settings_of;
use clap::Args;
use std::io;
use zonaut_console::{Console, Status};
use zonaut_lsp::{Ending, FindSettings, serve_standard_streams};

/// Serve an editor: diagnostics, names, completion, queries and pictures.
///
/// Speaks the Language Server Protocol over standard input and output; editors start it. Models are
/// `.xta`, `.ta` and `.xml` files; a query file `.q` belongs to the model with its name beside it, or
/// to the one that a comment at its top names, as in `// model: gate.xml`. The settings of `zonaut.toml`
/// apply to constants and checks, unless `--no-config` is given.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  zonaut lsp

Set-up for Visual Studio Code and neovim: see docs/EDITORS.md.")]
pub(crate) struct LspArguments {
    /// Serve over standard input and output, which is the only way.
    #[arg(long)]
    stdio: bool,
}

/// Whether files `zonaut.toml` apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Settings {
    OfFolders,
    Ignored,
}

pub(crate) fn run(
    _: &LspArguments,
    settings: Settings,
    console: &mut Console<'_>,
) -> io::Result<Status> {
    let find: FindSettings = match settings {
        Settings::OfFolders => Box::new(settings_of),
        Settings::Ignored => Box::new(|_| Ok(None)),
    };
    match serve_standard_streams(find) {
        Ok(Ending::Orderly) => Ok(Status::Success),
        // The protocol asks for this exit code.
        Ok(Ending::Abrupt) => Ok(Status::NotSatisfied),
        Err(error) => {
            console.complain(&format!("error: the connection to the editor failed: {error}"));
            Ok(Status::WrongInput)
        }
    }
}
