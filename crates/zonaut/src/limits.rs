//! Limits on inputs: a model cannot raise them, its user can.

use clap::{Args, Command};
use std::ffi::OsString;
use zonaut_console::default_memory_limit;
use zonaut_engine::{DEFAULT_MAX_FILE_BYTES, Dialect, LoadOptions};

/// Limits on inputs.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArguments {
    /// Show the limits on inputs and the options that change them.
    #[arg(long = "help-limits")]
    _help_limits: bool,
    /// The largest file to read, in bytes.
    #[arg(long, hide = true, value_name = "BYTES", default_value_t = DEFAULT_MAX_FILE_BYTES)]
    max_file_size: u64,
    /// How deep expressions, statements and types may nest.
    #[arg(long, hide = true, value_name = "DEPTH")]
    max_nesting: Option<u32>,
    /// How deep XML elements may nest.
    #[arg(long, hide = true, value_name = "DEPTH")]
    max_xml_depth: Option<u32>,
    /// How long an identifier may be, in bytes.
    #[arg(long, hide = true, value_name = "BYTES")]
    max_identifier: Option<u32>,
    /// How many elements and attributes an XML file may have.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_xml_items: Option<u32>,
    /// How many names, types, operators, operands and statements a file may have.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_items: Option<u32>,
    /// How many queries a file may have.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_queries: Option<u32>,
    /// After how many errors to stop reading.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_errors: Option<u32>,
    /// How many variables a model may have, each element of an array by itself.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_cells: Option<u64>,
    /// How many clocks a model may have.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_clocks: Option<u64>,
    /// How many channels a model may have.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_channels: Option<u64>,
    /// How many processes a model may have.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_processes: Option<u64>,
    /// How many copies of quantified formulas may be written out.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_expansions: Option<u64>,
    /// How many steps the evaluation of a constant may take.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_steps: Option<u64>,
}

impl LimitArguments {
    /// The options with these limits and definitions.
    pub(crate) fn options(&self, defines: Vec<(String, i64)>, old_syntax: bool) -> LoadOptions {
        let mut options = LoadOptions { max_file_bytes: self.max_file_size, ..Default::default() };
        options.parse.dialect = old_syntax.then_some(Dialect::Old);
        let limits = &mut options.parse.limits;
        replace(&mut limits.nesting, self.max_nesting);
        replace(&mut limits.xml_depth, self.max_xml_depth);
        replace(&mut limits.identifier_length, self.max_identifier);
        replace(&mut limits.xml_items, self.max_xml_items);
        replace(&mut limits.items, self.max_items);
        replace(&mut limits.queries, self.max_queries);
        replace(&mut limits.errors, self.max_errors);
        let limits = &mut options.lower.limits;
        replace(&mut limits.cells, self.max_cells);
        replace(&mut limits.clocks, self.max_clocks);
        replace(&mut limits.channels, self.max_channels);
        replace(&mut limits.processes, self.max_processes);
        replace(&mut limits.expansions, self.max_expansions);
        replace(&mut limits.steps, self.max_steps);
        options.lower.defines = defines;
        let memory = default_memory_limit();
        options.resources.memory = memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        options
    }
}

/// The option that shows the limits: it stands for itself, whatever else a command needs.
const HELP_LIMITS: &str = "--help-limits";

/// Whether a command is asked for its limits.
pub(crate) fn is_asked_for(words: &[OsString]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| word == HELP_LIMITS)
}

/// What can be limited, and how: the same for all commands that read models.
pub(crate) fn help() -> String {
    let mut command = LimitArguments::augment_args(Command::new("zonaut COMMAND"))
        .about("Limits on inputs. A model cannot raise them; whoever reads it can.")
        .disable_help_flag(true)
        .mut_args(|argument| match argument.get_id() == "_help_limits" {
            true => argument.hide(true),
            false => argument.hide(false),
        });
    command.render_help().to_string()
}

fn replace<T>(limit: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *limit = given;
    }
}
