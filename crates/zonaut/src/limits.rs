//! Limits on inputs, which users can change and models cannot.

use clap::{Args, Command};
use std::ffi::OsString;

use zonaut_engine::{DEFAULT_MAX_FILE_BYTES, Dialect, LoadOptions, default_memory_limit};

/// Limits on inputs.
#[derive(Args, Debug)]
pub(crate) struct LimitArguments {
    /// Show the limits on inputs and the options that change them.
    #[arg(long = "help-limits", display_order = 1002)]
    _help_limits: bool,
    /// The largest file to read, in bytes.
    #[arg(long, hide = true, value_name = "BYTES", default_value_t = DEFAULT_MAX_FILE_BYTES)]
    max_file_size: u64,
    /// The maximum nesting depth of expressions, statements and types.
    #[arg(long, hide = true, value_name = "DEPTH")]
    max_nesting: Option<u32>,
    /// The maximum nesting depth of XML elements.
    #[arg(long, hide = true, value_name = "DEPTH")]
    max_xml_depth: Option<u32>,
    /// The maximum length of an identifier, in bytes.
    #[arg(long, hide = true, value_name = "BYTES")]
    max_identifier: Option<u32>,
    /// The maximum number of elements and attributes of an XML file.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_xml_items: Option<u32>,
    /// The maximum number of names, types, operators, operands and statements of a file.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_items: Option<u32>,
    /// The maximum number of queries of a file.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_queries: Option<u32>,
    /// The number of errors after which reading stops.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_errors: Option<u32>,
    /// The maximum number of variables of a model, counting array elements.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_cells: Option<u64>,
    /// The maximum number of clocks of a model.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_clocks: Option<u64>,
    /// The maximum number of channels of a model.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_channels: Option<u64>,
    /// The maximum number of processes of a model.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_processes: Option<u64>,
    /// The maximum number of instances of quantified formulas.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_expansions: Option<u64>,
    /// The maximum number of evaluation steps of a constant.
    #[arg(long, hide = true, value_name = "COUNT")]
    max_steps: Option<u64>,
}

impl LimitArguments {
    /// The largest file to read, in bytes.
    pub(crate) fn max_file_size(&self) -> u64 {
        self.max_file_size
    }

    /// The load options with these limits and definitions.
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

/// The option that prints the limits; it works without the other arguments of a command.
const HELP_LIMITS: &str = "--help-limits";

/// Whether the limits of a command are requested.
pub(crate) fn is_asked_for(words: &[OsString]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| word == HELP_LIMITS)
}

/// The description of all limits, the same for all commands that read models.
pub(crate) fn help() -> String {
    let mut command =
        LimitArguments::augment_args(Command::new("zonaut COMMAND").next_help_heading("Limits"))
            .about("Limits on inputs. Options change them; a model cannot.")
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
