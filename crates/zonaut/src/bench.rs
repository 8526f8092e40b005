//! `zonaut bench`: measures a suite of runs.

use crate::arguments::BenchArguments;
use clap::ValueEnum;
use std::io;
use zonaut_bench::{Options, TableFormat};
use zonaut_console::{Console, Status};

/// The name of a format of tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum TableFormatName {
    /// Aligned columns.
    #[default]
    Text,
    /// A table in Markdown.
    Markdown,
    /// Values separated by commas.
    Csv,
    /// One JSON object for each row.
    Json,
}

pub(crate) fn run(arguments: &BenchArguments, console: &mut Console<'_>) -> io::Result<Status> {
    let options = Options {
        suite: arguments.suite.clone(),
        format: match arguments.format {
            TableFormatName::Text => TableFormat::Text,
            TableFormatName::Markdown => TableFormat::Markdown,
            TableFormatName::Csv => TableFormat::Csv,
            TableFormatName::Json => TableFormat::Json,
        },
        output: arguments.output.clone(),
        svg: arguments.svg.clone(),
        resume: arguments.resume.clone(),
        only: arguments.only.clone(),
        allow_commands: arguments.allow_commands,
        threads: arguments.threads,
    };
    zonaut_bench::run(&options, console)
}
